//! The promises of the configuration: the shipped file is complete and equal to the defaults, the
//! schema is pinned, every mistake is named at once, and every board's file is good.
use hark_config::{self as config, Config, Problem, Source};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Compares a committed file with what it must hold; `HARK_UPDATE_CONTRACTS=1` writes it anew.
fn pinned(path: &str, expected: &str) {
    let file = root().join(path);
    if std::env::var_os("HARK_UPDATE_CONTRACTS").is_some() {
        fs::write(&file, expected).expect("the file to be written");
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        found == expected,
        "{path} does not say what the code says; run `HARK_UPDATE_CONTRACTS=1 cargo test --test end_to_end config` \
         and look at the difference"
    );
}

fn problems_of(text: &str, sets: &[&str]) -> Vec<Problem> {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    Config::from_parts(Some((Path::new("hark.toml"), text)), &sets).err().unwrap_or_default()
}

fn find<'a>(problems: &'a [Problem], key: &str) -> &'a Problem {
    problems
        .iter()
        .find(|problem| problem.key == key)
        .unwrap_or_else(|| panic!("{key} is not in {problems:#?}"))
}

#[test]
fn the_shipped_file_has_every_key_with_its_default() {
    pinned("firmware-config/hark.toml", &config::render_default_file());
    let text = fs::read_to_string(root().join("firmware-config/hark.toml")).unwrap();
    let loaded = Config::from_parts(Some((Path::new("hark.toml"), &text)), &[]).unwrap();
    assert_eq!(loaded.config, Config::default());
    for entry in loaded.effective() {
        assert_ne!(entry.source, Source::Default, "{} is not in the file", entry.key);
    }
}

#[test]
fn the_schema_is_pinned() {
    let schema = serde_json::to_string_pretty(&config::keys::schema()).unwrap();
    pinned("contracts/config.schema.json", &format!("{schema}\n"));
}

#[test]
fn the_schema_accepts_the_shipped_file_and_refuses_a_wrong_one() {
    let schema = config::keys::schema();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let good: toml::Value = toml::from_str(config::DEFAULT_FILE).unwrap();
    assert!(validator.is_valid(&serde_json::to_value(&good).unwrap()));
    for bad in
        ["[vad]\nthreshold = 7.0", "[vad]\nthresold = 0.5", "[nonsense]\na = 1", "[mqtt]\nbroker = \"both\""]
    {
        let bad: toml::Value = toml::from_str(bad).unwrap();
        assert!(!validator.is_valid(&serde_json::to_value(&bad).unwrap()), "{bad}");
    }
}

#[test]
fn every_board_has_a_good_configuration_and_says_what_is_true() {
    let boards = root().join("firmware-config/boards");
    for board in ["rpi5", "rpi4", "rpi-zero2w", "x86", "mac-mini"] {
        let file = boards.join(board).join("hark.toml");
        let loaded = Config::load(Some(&file), &[]).unwrap_or_else(|problems| {
            panic!("{board}: {}", config::fault_of(&problems));
        });
        assert_eq!(loaded.file.as_deref(), Some(file.as_path()));
        let readme = fs::read_to_string(boards.join(board).join("README.md")).unwrap();
        assert!(readme.contains("Not tested"), "{board}/README.md must say what has not been tested");
    }
    let known = fs::read_dir(&boards).unwrap().count();
    assert_eq!(known, 5, "a board folder that no test knows of");
}

#[test]
fn five_mistakes_are_five_problems_with_place_and_fix() {
    let text = "\
[vad]
threshold = 7.5
[wake]
treshold = 0.5
[endpoint]
silence_ms = \"600\"
[mqt]
url = \"mqtt://broker\"
[mqtt]
url = \"broker.local\"
";
    let problems = problems_of(text, &[]);
    assert_eq!(problems.len(), 5, "{problems:#?}");
    let threshold = find(&problems, "vad.threshold");
    assert_eq!((threshold.place.as_str(), threshold.value.as_str()), ("hark.toml:2", "7.5"));
    assert!(threshold.fix.contains("0.05 to 0.95"));
    assert!(find(&problems, "wake.treshold").fix.contains("`threshold`"));
    let silence = find(&problems, "endpoint.silence_ms");
    assert!(silence.message.contains("whole number") && silence.fix.contains("100 to 3000"));
    assert_eq!(silence.place, "hark.toml:6");
    assert!(find(&problems, "[mqt]").fix.contains("[mqtt]"));
    assert!(find(&problems, "mqtt.url").message.contains("scheme"));
    let fault = config::fault_of(&problems);
    assert_eq!(fault.kind, hark_core::FaultKind::BadConfiguration);
    for problem in &problems {
        assert!(fault.message.contains(&problem.key), "{} is not told", problem.key);
        assert!(!problem.fix.is_empty());
    }
}

#[test]
fn an_old_key_still_works_and_the_warning_names_the_new_one_and_its_line() {
    let text = "[stt]\nneural = false\n[memory]\nreplay_chars = 100\nhistory_chars = 200\n";
    let sets = ["wake.second_look=voice".to_owned()];
    let loaded = Config::from_parts(Some((Path::new("hark.toml"), text)), &sets).unwrap();
    let config = &loaded.config;
    assert!(!config.stt.moonshine);
    assert_eq!(config.memory.history_chars, 200, "the new name counts where both are there");
    assert_eq!(config.wake.verify, hark_config::wake::WakeVerification::Voice);
    let warnings: Vec<String> = loaded.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(warnings.len(), 3, "{warnings:?}");
    assert!(warnings[0].starts_with("hark.toml:2: stt.neural = false"), "{warnings:?}");
    assert!(warnings[0].contains("`moonshine = false` below [stt]"), "{warnings:?}");
    assert!(warnings[1].starts_with("hark.toml:4: memory.replay_chars") && warnings[1].contains("ignored"));
    assert!(warnings[2].starts_with("--set: wake.second_look") && warnings[2].contains("wake.verify"));
    let problems = problems_of("[stt]\nwhisper_least_context = 1\n", &[]);
    assert_eq!(problems[0].key, "stt.whisper_min_context_frames", "its value is checked all the same");
}

#[test]
fn keys_that_depend_on_each_other_are_checked_together() {
    let cases = [
        ("[vad]\nthreshold = 0.4\nthreshold_off = 0.4", "vad.threshold_off"),
        ("[wake]\nnear_miss_score = 0.6", "wake.near_miss_score"),
        ("[audio]\npre_roll_ms = 500\n[vad]\nmin_speech_ms = 800", "vad.min_speech_ms"),
        ("[endpoint]\nsilence_ms = 2500\nmax_utterance_ms = 2000", "endpoint.silence_ms"),
        ("[wake]\nwords = []", "wake.words"),
        ("[wake]\nwords = [\"Hey Jarvis\"]", "wake.words"),
        ("[wake]\nwords = [\"no/such/model.tflite\"]", "wake.words"),
        ("[mqtt]\nnode = \"Living Room\"", "mqtt.node"),
        ("[mqtt]\ndiscovery_prefix = \"home/#\"", "mqtt.discovery_prefix"),
        ("[mqtt]\nurl = \"mqtt://anna:secret@broker\"", "mqtt.url"),
        ("[mqtt]\nurl = \"mqtt://broker:99999\"", "mqtt.url"),
        ("[mqtt]\nurl = \"mqtt://\"", "mqtt.url"),
        ("[mqtt]\nusername = \"a\"\npassword_file = \"/no/such/file\"", "mqtt.password_file"),
        ("[home]\nfile = \"nowhere.toml\"", "home.file"),
        ("[paths]\nmodels_dir = \"/nowhere\"", "paths.models_dir"),
        ("[tools]\nweather_url = \"ftp://x\"", "tools.weather_url"),
        ("[speaking]\nlanguage = \"english\"", "speaking.language"),
        ("[audio]\ninput_device = \"\"", "audio.input_device"),
    ];
    for (text, key) in cases {
        let problems = problems_of(text, &[]);
        assert_eq!(problems.len(), 1, "{text}: {problems:#?}");
        assert_eq!(problems[0].key, key, "{text}");
        assert!(!problems[0].fix.is_empty() && !problems[0].message.is_empty());
    }
}

#[test]
fn good_addresses_pass() {
    for url in ["mqtt://broker", "mqtts://broker.local:8883", "mqtt://[::1]:1883", "mqtt://10.0.0.2:1/"] {
        assert_eq!(problems_of(&format!("[mqtt]\nurl = \"{url}\""), &[]), [], "{url}");
    }
}

#[test]
fn wrong_types_name_what_is_meant() {
    let cases = [
        ("[wake]\nwords = \"hey_jarvis\"", "list of texts"),
        ("[wake]\nwords = [1]", "list of texts"),
        ("[mqtt]\ndiscovery = \"yes\"", "flag"),
        ("[mqtt]\nurl = 5", "text"),
        ("[stt]\nengine = \"gramar\"", "allowed words"),
        ("[vad]\nthreshold = true", "number"),
        ("[vad]\nmin_speech_ms = 250.5", "whole number"),
        ("[memory]\nkeep_turns = 99999999999999999999", "whole number"),
        ("[vad]\nthreshold = nan", "out of range"),
    ];
    for (text, words) in cases {
        let problems = problems_of(text, &[]);
        assert_eq!(problems.len(), 1, "{text}: {problems:#?}");
        assert!(problems[0].message.contains(words), "{text}: {}", problems[0]);
    }
    assert!(problems_of("[stt]\nengine = \"gramar\"", &[])[0].fix.contains("\"grammar\""));
}

#[test]
fn a_whole_number_may_stand_for_a_number_with_a_point() {
    let loaded = Config::from_parts(Some((Path::new("x"), "[stt]\nlanguage_weight = 9")), &[]).unwrap();
    assert_eq!(loaded.config.stt.language_weight, 9.0);
}

#[test]
fn broken_toml_is_told_with_its_line_and_without_followers() {
    let problems = problems_of("[vad]\nthreshold = 0.5\n[wake\nwords = [\"x\"]\n", &[]);
    assert!(!problems.is_empty());
    assert!(problems.iter().all(|problem| problem.message.starts_with("not TOML")), "{problems:#?}");
    assert!(problems[0].place.starts_with("hark.toml:3"), "{problems:#?}");
    let problems = problems_of("threshold = 0.5\n", &[]);
    assert!(problems[0].message.contains("outside any section"));
}

#[test]
fn no_input_brings_the_reader_down() {
    let samples =
        ["", "[", "]]", "=", "a=", "[vad]\nthreshold=", "\u{0}", "[vad]\n[vad]\n", "vad=1", "[[vad]]", "é=é"];
    for text in samples {
        let _ = Config::from_parts(Some((Path::new("x"), text)), &[]);
    }
    for set in ["", "=", "a", "a=b", "a.b=c", "vad.=1", ".threshold=1", "vad.threshold=", "vad.threshold=é"]
    {
        assert!(!problems_of("", &[set]).is_empty(), "--set {set:?} passed");
    }
}

#[test]
fn the_command_line_wins_and_needs_no_quotes() {
    let sets = [
        "wake.threshold=0.7".to_owned(),
        "mqtt.node=kitchen".to_owned(),
        "mqtt.url=mqtt://broker:1883".to_owned(),
        "wake.words=hey_jarvis, alexa".to_owned(),
        "speaking.earcons=false".to_owned(),
        "mqtt.broker=none".to_owned(),
        "home.area=\"living room\"".to_owned(),
    ];
    let text = "[wake]\nthreshold = 0.6\npatience_hops = 2\n";
    let loaded = Config::from_parts(Some((Path::new("hark.toml"), text)), &sets).unwrap();
    assert_eq!(loaded.config.wake.threshold, 0.7);
    assert_eq!(loaded.config.wake.words, ["hey_jarvis", "alexa"]);
    assert_eq!(loaded.config.mqtt.node, "kitchen");
    assert!(!loaded.config.speaking.earcons);
    assert_eq!(loaded.config.home.area, "living room");
    assert_eq!(loaded.source("wake.threshold"), Source::Set);
    assert_eq!(
        loaded.source("wake.patience_hops"),
        Source::File { path: PathBuf::from("hark.toml"), line: 3 }
    );
    assert_eq!(loaded.source("vad.threshold"), Source::Default);
    let problems = problems_of("", &["wake.thresold=0.5", "vad.threshold=9"]);
    assert_eq!(problems.len(), 2);
    assert!(problems.iter().all(|problem| problem.place == "--set"));
}

#[test]
fn relative_paths_are_meant_from_the_folder_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("home.toml"), "").unwrap();
    let file = folder.path().join("hark.toml");
    fs::write(&file, "[home]\nfile = \"home.toml\"\n").unwrap();
    let loaded = Config::load(Some(&file), &[]).unwrap();
    assert_eq!(loaded.config.home.file, folder.path().join("home.toml").display().to_string());
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let problems = Config::load(Some(Path::new("/no/such/hark.toml")), &[]).unwrap_err();
    assert_eq!(problems[0].key, "/no/such/hark.toml");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hark.toml");
    fs::write(&file, [0xff, 0xfe, 0x00]).unwrap();
    let problems = Config::load(Some(&file), &[]).unwrap_err();
    assert!(problems[0].message.contains("UTF-8"), "{problems:?}");
}

#[test]
fn wake_words_are_compared_with_the_models_there_are() {
    let text = "[wake]\nwords = [\"hey_jarvs\"]";
    let loaded = Config::from_parts(Some((Path::new("hark.toml"), text)), &[]).unwrap();
    let problems = config::check_wake_words(&loaded, &["hey_jarvis", "alexa"]);
    assert_eq!(problems.len(), 1);
    assert!(problems[0].fix.contains("hey_jarvis"));
    let loaded = Config::from_parts(None, &[]).unwrap();
    assert_eq!(config::check_wake_words(&loaded, &["hey_jarvis"]), []);
}

#[test]
fn what_tools_may_reach_is_checked_word_by_word() {
    let text = "[tools]\nfile_roots = [\"notes\", \"/proc/1\", \"/srv/papers\"]\n\
        shell_allow = [\"uptime\", \"bash\", \"/usr/bin/env\", \"python3.13\", \"find\", \"ls -l\", \"bin/ls\"]\n\
        http_allow_hosts = [\"nas.local\", \"[::1]:80\", \"http://nas\", \"nas:0\", \"*.local\"]\n\
        [delegation]\nallowed_hosts = [\"gpu.local:11434\", \"http://gpu.local\"]\n\
        [permissions]\ndeny = [\"shell\", \"send\", \"write\"]\ndeny_tools = [\"clipboard\", \"shel\"]\n";
    let problems = problems_of(text, &[]);
    let wrong = |key: &str| -> Vec<String> {
        let of_key = problems.iter().filter(|problem| problem.key == key);
        of_key.map(|problem| problem.value.trim_matches('"').to_owned()).collect()
    };
    assert_eq!(wrong("tools.file_roots"), ["notes", "/proc/1"]);
    assert_eq!(wrong("tools.shell_allow"), ["bash", "/usr/bin/env", "python3.13", "find", "ls -l", "bin/ls"]);
    assert_eq!(wrong("tools.http_allow_hosts"), ["http://nas", "nas:0", "*.local"]);
    assert_eq!(wrong("delegation.allowed_hosts"), ["http://gpu.local"]);
    assert_eq!(wrong("permissions.deny"), ["write"]);
    assert_eq!(wrong("permissions.deny_tools"), ["shel"]);
    assert!(find(&problems, "permissions.deny_tools").fix.contains("shell"));
    assert!(problems.iter().all(|problem| problem.place.starts_with("hark.toml:")), "{problems:#?}");
}

#[test]
fn thousands_of_mistakes_end_in_a_page_of_words() {
    let lines: String = (0..5000).map(|number| format!("key{number} = 1\n")).collect();
    let problems = problems_of(&format!("[vad]\n{lines}threshold = 9.0\n"), &[]);
    assert_eq!(problems.len(), 5001);
    let told = config::fault_of(&problems).to_string();
    assert!(told.lines().count() < 60 && told.contains("4980 more: there is no such key"), "{told}");
    assert!(told.contains("vad.threshold = 9"), "the other mistake is among them: {told}");
}

#[test]
fn a_reader_that_has_seen_enough_ends_a_command_in_silence() {
    use std::os::unix::process::ExitStatusExt;
    const SIGPIPE: i32 = 13;
    let mut command = Command::new(env!("CARGO_BIN_EXE_hark"));
    command.args(["config", "default"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.signal(), Some(SIGPIPE), "{}", output.status);
}

/// The services as systemd reads them, without a word about an option it does not know. Debian 12 has systemd 252.
#[test]
fn systemd_knows_every_option_of_the_services() {
    let version = match Command::new("systemd-analyze").arg("--version").output() {
        Ok(output) => String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned(),
        Err(error) => return println!("skipped: there is no systemd-analyze here ({error})"),
    };
    println!("by {version}");
    for (unit, manager) in [("systemd/hark.service", "--system"), ("systemd/user/hark.service", "--user")] {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("hark.service");
        let text = fs::read_to_string(root().join(unit)).unwrap();
        assert!(text.contains("ExecStart=/usr/bin/hark run") && text.contains("ExecReload="), "{unit}");
        // It is not installed where it is tested.
        fs::write(&copy, text.replace("/usr/bin/hark", env!("CARGO_BIN_EXE_hark"))).unwrap();
        let verify = |copy: &Path| {
            let mut command = Command::new("systemd-analyze");
            command.args([manager, "--man=no", "verify"]).arg(copy).env("XDG_RUNTIME_DIR", folder.path());
            let output = command.output().unwrap();
            (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
        };
        assert_eq!(verify(&copy), (true, String::new()), "{unit} by {version}");
        let wrong =
            text.replace("[Service]", "[Service]\nRestartSoon=yes").replace("/usr/bin/hark", "/bin/true");
        fs::write(&copy, wrong).unwrap();
        assert!(verify(&copy).1.contains("RestartSoon"), "it tells of options it does not know");
    }
}

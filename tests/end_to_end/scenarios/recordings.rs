//! The owner wants to hear what was said: sound is kept where it is switched on, and nowhere else.

use crate::scenarios::browser_microphone::say_into_browser;
use crate::scenarios::daemon_api::{get_bytes, start};
use crate::support::{Hark, flite, named, only, text};
use serde_json::Value;
use std::path::PathBuf;

const ON: &str = "journal.record_audio=true";

/// Has a recording of these words heard.
fn hear(hark: &Hark, words: &str, settings: &[&str]) -> Vec<Value> {
    let path = hark.path("said.wav");
    flite("slt", words, &path);
    let mut args = vec!["hear", "--no-wake", path.to_str().unwrap()];
    settings.iter().for_each(|setting| args.extend(["--set", setting]));
    hark.events(&args)
}

fn id_of(events: &[Value]) -> String {
    only(events, "transcript")["turn"].as_str().unwrap().to_owned()
}

fn file_of(hark: &Hark, turn: &str) -> PathBuf {
    hark.path("recordings").join(format!("{turn}.wav"))
}

#[test]
fn what_was_heard_is_kept_when_the_owner_wants_it_and_only_then() {
    let hark = Hark::new();
    hear(&hark, "turn on the kitchen ceiling", &[]);
    assert!(!hark.path("recordings").exists(), "it is off until somebody switches it on");

    let turn = id_of(&hear(&hark, "turn off the kitchen ceiling", &[ON]));
    let file = file_of(&hark, &turn);
    let reader = hound::WavReader::open(&file).unwrap();
    let (spec, length) = (reader.spec(), reader.duration());
    assert_eq!((spec.channels, spec.sample_rate, spec.bits_per_sample), (1, 16_000, 16));
    assert!((16_000..64_000).contains(&length), "{length} samples of some two seconds");
    let loudest = reader.into_samples::<i16>().map(|sample| sample.unwrap().unsigned_abs()).max();
    assert!(loudest > Some(1000), "somebody speaks in it");
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let story = text(&hark.run(&["explain", &turn]).stdout);
    assert!(story.contains(&format!("recording {}", file.display())), "{story}");

    let again = hark.run(&["hear", "--no-wake", file.to_str().unwrap(), "--json"]);
    assert!(
        text(&again.stdout).contains("turn off the kitchen ceiling"),
        "the recording is what was recognised"
    );
}

#[test]
fn a_disk_that_takes_no_sound_harms_no_turn() {
    let hark = Hark::new();
    std::fs::write(hark.path("recordings"), "not a folder").unwrap();
    let events = hear(&hark, "turn on the kitchen ceiling", &[ON]);
    assert!(named(&events, "turn").iter().any(|turn| turn["outcome"] == "done"), "{events:#?}");
    let told = named(&events, "error");
    assert!(told.iter().any(|error| error["part"] == "recordings"), "{told:#?}");
    assert!(text(&hark.run(&["explain", "last"]).stdout).contains("turn on the kitchen ceiling"));
}

#[test]
fn a_spoken_pin_is_in_no_recording() {
    let hark = Hark::new();
    let pin = hark.path("pin");
    std::fs::write(&pin, "4217").unwrap();
    let pin_file = format!("permissions.pin_file={}", pin.display());
    let settings = [ON, "permissions.pin=['unlock']", &pin_file];
    let events = hear(&hark, "unlock the front door four two one seven", &settings);
    assert!(!named(&events, "transcript").is_empty(), "{events:#?}");
    let kept = std::fs::read_dir(hark.path("recordings")).map_or(0, Iterator::count);
    assert_eq!(kept, 0, "{events:#?}");
}

#[test]
fn programs_get_the_sound_of_a_turn() {
    let hark = Hark::new();
    let (daemon, address) = start(&hark, &[ON]);
    let turn = say_into_browser(&hark, address, "turn on the kitchen ceiling");
    let path = format!("/api/v1/turns/{turn}/audio");
    let (status, kind, sound) =
        crate::support::wait_for("the sound", std::time::Duration::from_secs(30), || {
            Some(get_bytes(address, &path)).filter(|(status, ..)| *status == 200)
        });
    assert_eq!((status, kind.as_str()), (200, "audio/wav"));
    assert_eq!(sound, std::fs::read(file_of(&hark, &turn)).unwrap());
    std::fs::remove_file(file_of(&hark, &turn)).unwrap();
    assert_eq!(get_bytes(address, &path).0, 404);
    assert!(daemon.terminate().success());
}

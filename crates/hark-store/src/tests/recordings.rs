//! Files of sound on a real disk.

use super::*;
use std::fs::FileTimes;
use tempfile::TempDir;

fn recordings(dir: &TempDir, keep_days: u32, megabytes: u32) -> Recordings {
    let settings = JournalConfig {
        audio_keep_days: keep_days,
        audio_max_megabytes: megabytes,
        ..JournalConfig::default()
    };
    Recordings::new(dir.path().join("recordings"), &settings)
}

/// Makes the sound of a turn as old as this.
fn age(recordings: &Recordings, turn: &str, age: Duration) {
    let path = recordings.file_of(&turn.into()).unwrap();
    let then = SystemTime::now() - age;
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_times(FileTimes::new().set_modified(then)).unwrap();
}

fn names(dir: &TempDir) -> Vec<String> {
    let files = fs::read_dir(dir.path().join("recordings")).unwrap().flatten();
    let mut names: Vec<String> = files.map(|it| it.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn sound_comes_back_as_it_was_and_only_its_owner_can_read_it() {
    let dir = TempDir::new().unwrap();
    let recordings = recordings(&dir, 7, 1);
    assert_eq!(recordings.read(&"a-1".into()).unwrap(), None);
    recordings.write(&"a-1".into(), &[0.0, 0.5, -0.5, 1.5, -1.5]).unwrap();
    let sound = recordings.read(&"a-1".into()).unwrap().unwrap();
    let mut reader = hound::WavReader::new(&sound[..]).unwrap();
    let spec = reader.spec();
    assert_eq!((spec.channels, spec.sample_rate, spec.bits_per_sample), (1, 16_000, 16));
    let samples: Vec<i16> = reader.samples().map(Result::unwrap).collect();
    assert_eq!(samples, [0, 16_383, -16_383, 32_767, -32_767]);
    assert_eq!(wav::length_s(sound.len() as u64, SAMPLE_RATE_HZ), 5.0 / 16_000.0);
    assert_eq!(names(&dir), ["a-1.wav"], "nothing unfinished is left");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let path = recordings.path(&"a-1".into()).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::metadata(path.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
    }
}

#[test]
fn what_is_old_or_too_much_goes_the_oldest_first() {
    let dir = TempDir::new().unwrap();
    let recordings = recordings(&dir, 2, 1);
    // 320 kB each: three fit into a megabyte.
    let sound = vec![0.1; 160_000];
    for (turn, hours) in [("old", 49), ("d", 40), ("c", 30), ("b", 20), ("a", 10)] {
        recordings.write(&turn.into(), &sound).unwrap();
        age(&recordings, turn, Duration::from_secs(hours * 3600));
    }
    assert_eq!(recordings.path(&"old".into()), None, "it is not there any more, whoever takes it away");
    fs::write(dir.path().join("recordings/x.wav.part"), "torn").unwrap();
    recordings.tidy().unwrap();
    assert_eq!(names(&dir), ["a.wav", "b.wav", "c.wav", "x.wav.part"], "that one may be in the making");
    let torn = fs::File::options().write(true).open(dir.path().join("recordings/x.wav.part")).unwrap();
    torn.set_times(FileTimes::new().set_modified(SystemTime::now() - Duration::from_secs(120))).unwrap();
    recordings.forget(&["b".into(), "gone".into()]).unwrap();
    recordings.tidy().unwrap();
    assert_eq!(names(&dir), ["a.wav", "c.wav"]);
}

#[test]
fn an_id_that_leads_elsewhere_names_nothing() {
    let dir = TempDir::new().unwrap();
    let recordings = recordings(&dir, 7, 1);
    fs::write(dir.path().join("secret.wav"), "x").unwrap();
    fs::create_dir_all(dir.path().join("recordings")).unwrap();
    for id in ["../secret", "", ".", "a/b", "a\0b", "/etc/passwd"] {
        assert_eq!(recordings.read(&id.into()).unwrap(), None, "{id:?}");
        assert!(recordings.write(&id.into(), &[0.0]).is_err(), "{id:?}");
        recordings.forget(&[id.into()]).unwrap();
    }
    assert!(dir.path().join("secret.wav").exists());
    #[cfg(unix)]
    {
        let link = dir.path().join("recordings/link.wav");
        std::os::unix::fs::symlink(dir.path().join("secret.wav"), link).unwrap();
        assert_eq!(recordings.read(&"link".into()).unwrap(), None);
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_told_with_its_name() {
    let dir = TempDir::new().unwrap();
    let recordings = recordings(&dir, 7, 1);
    recordings.tidy().unwrap();
    fs::write(dir.path().join("recordings"), "a file").unwrap();
    let fault = recordings.write(&"a".into(), &[0.0]).unwrap_err();
    assert!(fault.message.contains("recordings"), "{fault}");
    assert!(fault.recoverable && fault.fix.contains("record_audio"), "{fault:?}");
}

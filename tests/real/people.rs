//! People: recordings of real ones, and flite's voices, which speak any sentence.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Somebody saying something.
pub struct Said {
    /// The words; empty when they do not matter.
    pub words: String,
    /// Who says it, for the report.
    pub who: String,
    /// Mono at 16 kHz.
    pub samples: Vec<f32>,
}

/// Folder of the recordings, when it is there.
pub fn recordings() -> Option<PathBuf> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data"));
    folder.join("commands").is_dir().then_some(folder)
}

/// All recordings of a folder, with the words their file names give.
pub fn folder(folder: &Path) -> Vec<Said> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "wav"));
    files.sort();
    files
        .iter()
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let words =
                name.trim_start_matches("rhasspy3-").replace(['-', '_'], " ").replace("whats", "what's");
            Said { words, who: name, samples: read(path) }
        })
        .collect()
}

/// Requests no house can serve.
pub fn out_of_scope(data: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(data.join("text/out-of-scope-dev.json")).unwrap();
    let list: Value = serde_json::from_str(&text).unwrap();
    let list = list["out_of_scope"].as_array().unwrap();
    list.iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// Whether flite is installed.
pub fn flite() -> bool {
    Command::new("flite").arg("-lv").output().is_ok_and(|output| output.status.success())
}

/// A sentence by one of flite's voices, with quiet around it.
pub fn spoken(words: &str, voice: &str, work: &Path) -> Said {
    let file = work.join("flite.wav");
    let status = Command::new("flite").args(["-voice", voice, "-t", words, "-o"]).arg(&file).status();
    assert!(status.unwrap().success());
    let mut samples = vec![0.0; 8000];
    samples.extend(read(&file));
    samples.extend([0.0; 4800]);
    Said { words: words.to_owned(), who: voice.to_owned(), samples }
}

fn read(path: &Path) -> Vec<f32> {
    let mut reader = hound::WavReader::open(path).unwrap();
    assert_eq!((reader.spec().sample_rate, reader.spec().channels), (16_000, 1), "{}", path.display());
    reader.samples::<i16>().map(|sample| f32::from(sample.unwrap()) / 32_768.0).collect()
}

//! The wake word, tried until it was heard often enough.

use hark_config::Config;
use hark_core::setup::WakeTrial;
use hark_models::manifest::Manifest;
use std::path::Path;
use std::time::Duration;

/// How often it has to be heard.
pub(crate) const TIMES: usize = 2;
/// How long it is listened.
pub(crate) const LISTENING: Duration = Duration::from_secs(20);
/// A threshold that was not reached is lowered to this share of the best score, and never below the floor: there it wakes by
/// itself.
const SHARE: f32 = 0.8;
const FLOOR: f32 = 0.2;

/// The words there are models of, and what the owner has besides, such as a word of their own.
pub(crate) fn words(config: &Config, manifest: &Manifest) -> Vec<String> {
    let mut words: Vec<String> = manifest.with_role("wake").into_iter().map(str::to_owned).collect();
    let own: Vec<String> = config.wake.words.iter().filter(|word| !words.contains(word)).cloned().collect();
    words.extend(own);
    words
}

/// `hey_jarvis` as it is said.
pub(crate) fn spoken(word: &str) -> String {
    let name = Path::new(word).file_stem().map(|stem| stem.to_string_lossy().replace('_', " "));
    name.unwrap_or_else(|| word.to_owned())
}

/// An `f32` without the digits that nobody wrote.
pub(crate) fn shortest(value: f32) -> f64 {
    value.to_string().parse().unwrap_or(f64::from(value))
}

/// Notes a score, which was enough or not.
pub(crate) fn note(trial: &mut WakeTrial, score: f32, is_enough: bool) {
    if is_enough {
        trial.heard.push(score);
    } else {
        trial.nearest = Some(trial.nearest.map_or(score, |best: f32| best.max(score)));
    }
}

/// The threshold with which the nearest score would have been enough, where that is lower than the one in force.
pub(crate) fn lower_threshold(trial: &WakeTrial, threshold: f32) -> Option<f32> {
    let lower = (trial.nearest? * SHARE * 100.0).floor() / 100.0;
    (FLOOR..threshold).contains(&lower).then_some(lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_shown_as_they_are_said() {
        assert_eq!(spoken("hey_jarvis"), "hey jarvis");
        assert_eq!(spoken("/var/lib/hark/hello_house.tflite"), "hello house");
        assert_eq!(shortest(0.3), 0.3);
    }

    #[test]
    fn a_threshold_is_lowered_to_what_was_heard_and_not_to_noise() {
        let mut trial = WakeTrial::default();
        assert_eq!(lower_threshold(&trial, 0.5), None);
        for (score, is_enough) in [(0.3, false), (0.45, false), (0.4, false), (0.9, true)] {
            note(&mut trial, score, is_enough);
        }
        assert_eq!((trial.heard.as_slice(), trial.nearest), (&[0.9][..], Some(0.45)));
        assert_eq!(lower_threshold(&trial, 0.5), Some(0.36));
        assert_eq!(lower_threshold(&trial, 0.3), None, "it is no lower");
        trial.nearest = Some(0.1);
        assert_eq!(lower_threshold(&trial, 0.5), None, "there it wakes by itself");
    }
}

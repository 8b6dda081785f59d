//! Ranges of the settings that can be changed while Hark runs, read from their keys.

use super::keys::{Kind, find};

/// Decibels that the microphone can be raised or lowered by.
pub fn mic_gain_db() -> (i64, i64) {
    whole("audio.input_gain_db")
}

/// Milliseconds of silence that can end a request.
pub fn silence_ms() -> (i64, i64) {
    whole("endpoint.silence_ms")
}

/// How easily the wake word can be believed: 100 less a hundred times the threshold.
pub fn wake_sensitivity_percent() -> (i64, i64) {
    match find("wake.threshold").map(|key| &key.kind) {
        Some(Kind::Number { min, max, .. }) => {
            (100 - (max * 100.0).round() as i64, 100 - (min * 100.0).round() as i64)
        }
        _ => (0, 0),
    }
}

/// The range of a key; nothing is in the one of a key that is not there, which a test excludes.
fn whole(key: &str) -> (i64, i64) {
    match find(key).map(|key| &key.kind) {
        Some(Kind::Whole { min, max }) => (*min, *max),
        _ => (0, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_those_of_the_keys() {
        assert_eq!(mic_gain_db(), (-20, 30));
        assert_eq!(silence_ms(), (100, 3000));
        assert_eq!(wake_sensitivity_percent(), (1, 95));
    }
}

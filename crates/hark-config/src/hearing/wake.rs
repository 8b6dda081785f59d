//! `[wake]`: wake word detection.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which engine listens for the wake word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WakeEngine {
    /// openWakeWord and microWakeWord together.
    Both,
    /// openWakeWord models on LiteRT.
    Openwakeword,
    /// microWakeWord models on LiteRT.
    Microwakeword,
    /// Typed phrases, found by PocketSphinx's keyphrase spotter.
    Phrase,
    /// Push to talk only.
    None,
}

impl WakeEngine {
    /// Whether its words are trained models.
    pub fn has_models(self) -> bool {
        matches!(self, Self::Both | Self::Openwakeword | Self::Microwakeword)
    }
}

/// How a wake word is verified before it wakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WakeVerification {
    /// Nothing: its score is enough.
    Off,
    /// By voice activity.
    Voice,
    /// By voice activity, and by a keyphrase spotter that must find its words too.
    Words,
}

/// What one wake word has instead of the limits of all.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct WordLimits {
    /// Instead of `wake.threshold`.
    pub threshold: Option<f32>,
    /// Instead of `wake.patience_hops`.
    pub patience_hops: Option<u32>,
    /// Instead of `wake.refractory_ms`.
    pub refractory_ms: Option<u32>,
}

/// Wake word detection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Wake {
    /// `both`: trained words of openWakeWord, of which those that microWakeWord knows too must sound like the word to both;
    /// `openwakeword`, `microwakeword`: one of them alone; `phrase`: any English phrase of three syllables or more, less
    /// sure than a trained word; `none`: push to talk.
    pub engine: WakeEngine,
    /// Wake words, any number: names of wake models in `models/manifest.toml` or paths of `.tflite` files of openWakeWord
    /// or of what `hark wake train` wrote (with engine `microwakeword`, of that one, with their `.json` beside them); with engine `phrase` the phrases themselves, such as "hello computer".
    #[schemars(extend("x-holds" = "words"))]
    pub words: Vec<String>,
    /// Score from which the word counts as heard.
    #[schemars(range(min = 0.05, max = 0.99))]
    pub threshold: f32,
    /// Consecutive looks at the sound that must reach the threshold: every 80 ms, with engine `microwakeword` every 30 ms.
    #[schemars(range(min = 1, max = 10))]
    pub patience_hops: u32,
    /// Time after a wake in which the word is not heard again.
    #[schemars(range(min = 0, max = 10000))]
    pub refractory_ms: u32,
    /// Score from which a failed detection is reported as `wake_rejected`.
    #[schemars(range(min = 0.01, max = 0.99))]
    pub near_miss_score: f32,
    /// Words with limits of their own: `word: threshold 0.7, patience_hops 2, refractory_ms 3000`, of which any may
    /// be left out.
    pub limits: Vec<String>,
    /// What else a word has to show before it wakes: `off`; `voice`: that somebody spoke just then; `words`: that,
    /// and that PocketSphinx hears the words as well (fewer false wakes where a television runs, a few more misses).
    pub verify: WakeVerification,
}

impl Wake {
    /// The limits a word has of its own; those it lacks are those of all.
    pub fn limits_of(&self, word: &str) -> WordLimits {
        let own = self.limits.iter().filter_map(|line| word_limits(line).ok());
        own.filter(|(named, _)| named == word).map(|(_, limits)| limits).next_back().unwrap_or_default()
    }
}

/// What is wrong with one of `wake.limits`. The caller adds which one it is and its correct form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    /// Nothing parts the word from its limits.
    #[error("no \":\" after the word")]
    NoColon,
    /// It has no name and value.
    #[error("\"{0}\" is no limit")]
    NoLimit(String),
    /// Nothing has this name.
    #[error("there is no limit \"{0}\"")]
    Unknown(String),
    /// Of the threshold.
    #[error("threshold must be 0.05 to 0.99, not {0}")]
    Threshold(String),
    /// Of one that is counted.
    #[error("{name} must be a whole number up to {most}, not {value}")]
    NotWhole {
        /// Which limit.
        name: String,
        /// What it may be.
        most: u32,
        /// What it is.
        value: String,
    },
}

/// Reads one of `wake.limits`.
///
/// # Errors
/// What is wrong with it.
pub fn word_limits(line: &str) -> Result<(String, WordLimits), LimitError> {
    let (word, given) = line.split_once(':').ok_or(LimitError::NoColon)?;
    let mut limits = WordLimits::default();
    for part in given.split(',').map(str::trim) {
        let (name, value) = part.split_once(' ').ok_or_else(|| LimitError::NoLimit(part.to_owned()))?;
        let value = value.trim();
        let whole = |most: u32| {
            let number = value.parse::<u32>().ok().filter(|number| *number <= most);
            number.ok_or_else(|| LimitError::NotWhole {
                name: name.to_owned(),
                most,
                value: value.to_owned(),
            })
        };
        match name {
            "threshold" => {
                let number = value.parse::<f32>().ok().filter(|number| (0.05..=0.99).contains(number));
                limits.threshold = Some(number.ok_or_else(|| LimitError::Threshold(value.to_owned()))?);
            }
            "patience_hops" => limits.patience_hops = Some(whole(10)?.max(1)),
            "refractory_ms" => limits.refractory_ms = Some(whole(10_000)?),
            other => return Err(LimitError::Unknown(other.to_owned())),
        }
    }
    Ok((word.trim().to_owned(), limits))
}

impl Default for Wake {
    fn default() -> Self {
        Self {
            engine: WakeEngine::Both,
            words: vec!["hey_jarvis".into()],
            threshold: 0.5,
            patience_hops: 1,
            refractory_ms: 2000,
            near_miss_score: 0.2,
            limits: Vec::new(),
            verify: WakeVerification::Off,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_limits_of_its_own() {
        let lines = ["okay_nabu: threshold 0.7, patience_hops 2", "hello computer: refractory_ms 500"];
        let wake = Wake { limits: lines.map(str::to_owned).to_vec(), ..Wake::default() };
        let nabu = WordLimits { threshold: Some(0.7), patience_hops: Some(2), refractory_ms: None };
        assert_eq!(wake.limits_of("okay_nabu"), nabu);
        assert_eq!(wake.limits_of("hello computer").refractory_ms, Some(500));
        assert_eq!(wake.limits_of("hey_jarvis"), WordLimits::default());
    }

    #[test]
    fn what_is_wrong_with_limits_is_said() {
        for (line, expected) in [
            ("okay_nabu threshold 0.7", "no \":\" after the word"),
            ("okay_nabu: treshold 0.7", "there is no limit \"treshold\""),
            ("okay_nabu: threshold 7", "threshold must be 0.05 to 0.99, not 7"),
            ("okay_nabu: patience_hops many", "patience_hops must be a whole number up to 10, not many"),
            ("okay_nabu: ", "\"\" is no limit"),
        ] {
            assert_eq!(word_limits(line).unwrap_err().to_string(), expected, "{line}");
        }
    }
}

//! Which languages are spoken here, by the configuration.

use hark_config::Config;
use hark_language::Lexicon;

/// The words of the languages that are spoken here, the usual one first.
pub(crate) fn lexicons(config: &Config) -> Vec<&'static Lexicon> {
    tags(config).iter().filter_map(|tag| hark_language::known(tag)).collect()
}

/// The languages that are spoken here, ISO 639-1, the usual one first.
pub(crate) fn tags(config: &Config) -> Vec<String> {
    let usual = &config.speaking.language;
    let others = config.intent.languages.iter().filter(|language| *language != usual);
    std::iter::once(usual).chain(others).cloned().collect()
}

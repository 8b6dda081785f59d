//! The Cargo features of this program.

/// Those that were built in.
pub(crate) fn features() -> Vec<&'static str> {
    let features = [
        ("clipboard", cfg!(feature = "clipboard")),
        ("embedded-broker", cfg!(feature = "embedded-broker")),
        ("espeak", cfg!(feature = "espeak")),
        ("llama", cfg!(feature = "llama")),
        ("piper", cfg!(feature = "piper")),
        ("whisper", cfg!(feature = "whisper")),
    ];
    features.into_iter().filter(|(_, is_on)| *is_on).map(|(name, _)| name).collect()
}

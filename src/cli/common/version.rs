//! What `--version` tells.

/// The version with the features that were built in and, where `make release` named it, the commit.
pub(crate) fn long() -> String {
    let commit = commit().map(|commit| format!("commit {commit}; ")).unwrap_or_default();
    format!("{} ({commit}features: {})", env!("CARGO_PKG_VERSION"), features().join(", "))
}

/// The commit, where it was named when the program was built.
pub(crate) fn commit() -> Option<&'static str> {
    option_env!("HARK_COMMIT").filter(|commit| !commit.is_empty())
}

/// The features that were built in.
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

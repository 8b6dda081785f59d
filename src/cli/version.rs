//! What `--version` tells.

/// The version with the features that were built in and, where `make release` named it, the commit.
pub(super) fn long() -> String {
    let features = [
        ("clipboard", cfg!(feature = "clipboard")),
        ("embedded-broker", cfg!(feature = "embedded-broker")),
        ("piper", cfg!(feature = "piper")),
        ("whisper", cfg!(feature = "whisper")),
    ];
    let built_in: Vec<&str> = features.iter().filter(|(_, is_on)| *is_on).map(|(name, _)| *name).collect();
    let commit = option_env!("HARK_COMMIT").filter(|commit| !commit.is_empty());
    let commit = commit.map(|commit| format!("commit {commit}; ")).unwrap_or_default();
    format!("{} ({commit}features: {})", env!("CARGO_PKG_VERSION"), built_in.join(", "))
}

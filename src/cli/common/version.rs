//! What `--version` tells.

pub(crate) use crate::app::features::features;

/// The version with the features that were built in and, where `make release` named it, the commit.
pub(crate) fn long() -> String {
    let commit = commit().map(|commit| format!("commit {commit}; ")).unwrap_or_default();
    format!("{} ({commit}features: {})", env!("CARGO_PKG_VERSION"), features().join(", "))
}

/// The commit, where it was named when the program was built.
pub(crate) fn commit() -> Option<&'static str> {
    option_env!("HARK_COMMIT").filter(|commit| !commit.is_empty())
}

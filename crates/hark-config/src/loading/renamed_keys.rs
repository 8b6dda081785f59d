//! Keys that have been renamed. An old key in a file or on the command line still works, and
//! [`Loaded::warnings`](crate::Loaded::warnings) names the new one with the line where the old one stands.

/// Old and new `section.key`.
const RENAMED: &[(&str, &str)] = &[
    ("stt.neural", "stt.moonshine"),
    ("stt.whisper_least_context", "stt.whisper_min_context_frames"),
    ("wake.second_look", "wake.verify"),
    ("satellite.claim", "satellite.arbitration"),
    ("satellite.claim_window_ms", "satellite.arbitration_window_ms"),
    ("satellite.claim_hold_ms", "satellite.arbitration_hold_ms"),
    ("satellite.claim_takeover_ms", "satellite.arbitration_takeover_ms"),
    ("memory.replay_entries", "memory.history_entries"),
    ("memory.replay_chars", "memory.history_chars"),
    ("memory.replay_continuation", "memory.history_continuation"),
    ("memory.replay_clarification", "memory.history_clarification"),
    ("memory.replay_session", "memory.history_session"),
    ("speaking.piper_voice", "speaking.voice"),
];

/// The new `section.key` of an old one; `None` when it was not renamed.
pub(crate) fn new_path(old: &str) -> Option<&'static str> {
    RENAMED.iter().find(|(name, _)| *name == old).map(|(_, new)| *new)
}

/// The names a key had before.
pub(crate) fn old_paths(new: &str) -> impl Iterator<Item = &'static str> {
    RENAMED.iter().filter(move |(_, name)| *name == new).map(|(old, _)| *old)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys;

    #[test]
    fn old_keys_are_gone_and_new_ones_exist() {
        for (old, new) in RENAMED {
            assert!(keys::find(old).is_none(), "{old} is still a key");
            assert!(keys::find(new).is_some(), "{new} is not a key");
        }
    }
}

//! Programs of macOS as tests play them: scripts of a shell in a folder of their own, which note how they were called.

use super::runner::Runner;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::TempDir;

pub(crate) struct Played {
    folder: TempDir,
}

impl Played {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn runner(&self) -> Runner {
        Runner::of(self.folder.path())
    }

    pub(crate) fn mac(&self) -> super::Mac {
        super::Mac::of_folder(self.folder.path())
    }

    /// A program that notes its arguments, a line for each call, and then does what `body` says.
    pub(crate) fn program(&self, name: &str, body: &str) {
        let path = self.folder.path().join(name);
        let note = "{ printf '%s' \"${0##*/}\"; for word; do printf '|%s' \"$word\"; done; printf '\\0'; } >> \"${0%/*}/calls\"";
        fs::write(&path, format!("#!/bin/sh\n{note}\n{body}\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o700)).unwrap();
    }

    /// A program that answers a text as it is.
    pub(crate) fn answers(&self, name: &str, answer: &str) {
        fs::write(self.folder.path().join(format!("{name}.answer")), answer).unwrap();
        self.program(name, "cat \"$0.answer\"");
    }

    pub(crate) fn file(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).unwrap()
    }

    /// How programs were called; scripts by their names.
    pub(crate) fn calls(&self) -> Vec<String> {
        let calls = fs::read_to_string(self.folder.path().join("calls")).unwrap_or_default();
        let named = |call: &str| {
            super::scripts::ALL
                .iter()
                .fold(call.to_owned(), |call, (name, script)| call.replace(script, &format!("<{name}>")))
        };
        calls.split('\0').filter(|call| !call.is_empty()).map(named).collect()
    }
}

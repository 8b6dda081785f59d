//! The key of a service: read once, sent in one header, shown nowhere.

use super::error::Error;
use hark_config::paths;
use std::path::Path;

/// A key.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Key(String);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(…)")
    }
}

impl Key {
    /// The key in the configured file, else in the systemd credential `llm-NAME-key`; `None` when there is neither.
    pub(super) fn find(
        file: &str,
        name: &str,
        credentials_dir: Option<&Path>,
    ) -> Result<Option<Self>, Error> {
        match paths::secret_file(file, &format!("llm-{name}-key"), credentials_dir) {
            None => Ok(None),
            Some(path) => Self::read(&path).map(Some),
        }
    }

    fn read(path: &Path) -> Result<Self, Error> {
        let wrong = |why: String| Error::KeyFile { path: path.display().to_string(), why };
        let key = paths::read_secret(path).map_err(|error| wrong(error.to_string()))?;
        if !key.chars().all(|c| c.is_ascii_graphic()) {
            return Err(wrong("it holds characters no key has".into()));
        }
        Ok(Self(key))
    }

    /// The value of the header, marked as one that is not to be printed.
    pub(super) fn header(&self) -> Option<reqwest::header::HeaderValue> {
        let mut value = reqwest::header::HeaderValue::try_from(format!("Bearer {}", self.0)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// The text with the key taken out, should a server say it back.
    pub(super) fn hide(&self, text: &str) -> String {
        text.replace(&self.0, "…")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_comes_from_its_file_else_from_systemd() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("key");
        std::fs::write(&file, " sk-file \n").unwrap();
        std::fs::write(dir.path().join("llm-main-key"), "sk-systemd\n").unwrap();
        let path = file.display().to_string();
        assert_eq!(Key::find("", "main", None), Ok(None));
        assert_eq!(Key::find("", "other", Some(dir.path())), Ok(None));
        assert_eq!(Key::find("", "main", Some(dir.path())), Ok(Some(Key("sk-systemd".into()))));
        let key = Key::find(&path, "main", Some(dir.path())).unwrap().unwrap();
        assert_eq!(key.header().unwrap(), "Bearer sk-file");
        assert_eq!(format!("{key:?} {:?}", key.header().unwrap()), "Key(…) Sensitive");
        assert_eq!(key.hide("wrong key sk-file."), "wrong key ….");
        for wrong in ["", " \n", "two words", "sk-ä", &"x".repeat(9000)] {
            std::fs::write(&file, wrong).unwrap();
            assert!(matches!(Key::find(&path, "main", None), Err(Error::KeyFile { .. })), "{wrong:.20}");
        }
        assert!(Key::find("nowhere/key", "main", None).is_err());
    }
}

//! The long-lived access token: read from its file when it is needed, never displayed.

use super::error::Error;
use hark_config::homeassistant::HomeAssistant;
use hark_config::paths;
use std::path::{Path, PathBuf};

/// Name of the systemd credential.
const CREDENTIAL: &str = "homeassistant-token";

/// Where the token is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenFile(PathBuf);

/// A token.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

impl Token {
    /// The token itself, for the one message that carries it.
    pub fn secret(&self) -> &str {
        &self.0
    }
}

impl TokenFile {
    /// `homeassistant.token_file`, else the credential in `credentials_dir` (systemd's
    /// `$CREDENTIALS_DIRECTORY`).
    ///
    /// # Errors
    /// `NoToken`.
    pub fn find(config: &HomeAssistant, credentials_dir: Option<&Path>) -> Result<Self, Error> {
        paths::secret_file(&config.token_file, CREDENTIAL, credentials_dir).map(Self).ok_or(Error::NoToken)
    }

    /// Reads the token.
    ///
    /// # Errors
    /// `TokenFile` when there is none, or something else than one token.
    pub fn read(&self) -> Result<Token, Error> {
        let wrong = |error: paths::SecretError| Error::TokenFile {
            path: self.0.display().to_string(),
            why: error.to_string(),
        };
        paths::read_secret(&self.0).map(Token).map_err(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_comes_from_its_file_else_from_systemd() {
        let dir = tempfile::tempdir().unwrap();
        let credential = dir.path().join(CREDENTIAL);
        std::fs::write(&credential, "from-systemd\n").unwrap();
        let file = dir.path().join("token");
        std::fs::write(&file, " from-file \n").unwrap();
        let mut config = HomeAssistant::default();
        let read = |config: &HomeAssistant, dir| {
            TokenFile::find(config, dir).and_then(|file| file.read()).map(|token| token.secret().to_owned())
        };
        assert_eq!(read(&config, None), Err(Error::NoToken));
        assert_eq!(read(&config, Some(dir.path())).unwrap(), "from-systemd");
        config.token_file = file.display().to_string();
        assert_eq!(read(&config, Some(dir.path())).unwrap(), "from-file");
        for wrong in ["", " \n", "two words", &"x".repeat(9000)] {
            std::fs::write(&file, wrong).unwrap();
            assert!(matches!(read(&config, None), Err(Error::TokenFile { .. })), "{wrong:.20}");
        }
        assert_eq!(format!("{:?}", Token("secret".into())), "Token(…)");
    }
}

//! The token every request must show, where one is configured.

use crate::config::dashboard::Dashboard;
use crate::config::paths;
use crate::domain::{Fault, FaultKind};
use sha2::{Digest, Sha256};
use std::path::Path;
use subtle::ConstantTimeEq;

/// Fewer characters could be guessed.
const LEAST_CHARACTERS: usize = 16;

/// The digest of the token; `None` when nobody is asked for one.
#[derive(Clone)]
pub(super) struct Token(Option<[u8; 32]>);

impl Token {
    /// Reads it from the configured file, or from the credential in `credentials_dir`.
    ///
    /// # Errors
    /// When it cannot be read, is too short, or cannot stand in a header.
    pub(super) fn load(config: &Dashboard, credentials_dir: Option<&Path>) -> Result<Self, Fault> {
        let Some(path) = paths::secret_file(&config.token_file, Dashboard::CREDENTIAL, credentials_dir)
        else {
            return Ok(Self(None));
        };
        let wrong = |message: String| {
            let fix =
                "put one line of 16 or more letters and digits in it, such as `openssl rand -hex 32` prints";
            Fault::new(FaultKind::BadConfiguration, "dashboard", message, fix)
        };
        let text = std::fs::read_to_string(&path)
            .map_err(|error| wrong(format!("the token in {} cannot be read: {error}", path.display())))?;
        let token = text.trim();
        if token.len() < LEAST_CHARACTERS {
            let message = format!("the token in {} is too short to keep anybody out", path.display());
            return Err(wrong(message));
        }
        if !token.bytes().all(fits_a_header) {
            return Err(wrong(format!("the token in {} cannot stand in a header", path.display())));
        }
        Ok(Self(Some(digest(token))))
    }

    /// Whether a request that shows this is let in. Takes as long for a wrong token as for the right one.
    pub(super) fn admits(&self, shown: Option<&str>) -> bool {
        match (&self.0, shown) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(known), Some(shown)) => known.ct_eq(&digest(shown)).into(),
        }
    }
}

/// Of one length whatever was shown, so that comparing tells nothing about the length either.
fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// The `tchar` of RFC 9110, of which names of WebSocket subprotocols are made.
fn fits_a_header(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(content: &str) -> Result<Token, Fault> {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(Dashboard::CREDENTIAL), content).unwrap();
        Token::load(&Dashboard::default(), Some(dir.path()))
    }

    #[test]
    fn only_the_token_is_let_in() {
        let token = load("0123456789abcdef\n").unwrap();
        assert!(token.admits(Some("0123456789abcdef")));
        for wrong in [None, Some(""), Some("0123456789abcdeF"), Some("0123456789abcdef ")] {
            assert!(!token.admits(wrong), "{wrong:?}");
        }
        let none = Token::load(&Dashboard::default(), None).unwrap();
        assert!(none.admits(None) && none.admits(Some("anything")));
    }

    #[test]
    fn what_is_no_good_token_is_told() {
        for (content, said) in [
            ("", "too short"),
            ("0123456789abcde", "too short"),
            ("0123456789 abcdef0", "cannot stand in a header"),
        ] {
            let fault = load(content).err().unwrap();
            assert!(fault.message.contains(said), "{fault}");
            assert_eq!(fault.kind, FaultKind::BadConfiguration);
            assert!(content.is_empty() || !fault.to_string().contains(content), "no token in a message");
        }
    }
}

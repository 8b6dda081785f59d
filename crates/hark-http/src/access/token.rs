//! The tokens: one that every request must show, where it is configured, and the operator's, whose yes or no counts for
//! every conversation.

use hark_config::dashboard::Dashboard;
use hark_config::paths;
use hark_core::{Fault, FaultKind};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use subtle::ConstantTimeEq;

/// Fewer characters could be guessed.
const LEAST_CHARACTERS: usize = 16;

/// The digest of a token; `None` where there is none.
type Kept = Option<[u8; 32]>;

/// See the module.
#[derive(Clone)]
pub(crate) struct Tokens {
    general: Kept,
    operator: Kept,
}

impl Tokens {
    /// Reads them from the configured files, or the general one from the credential in `credentials_dir`.
    ///
    /// # Errors
    /// When one cannot be read, is too short, or cannot stand in a header.
    pub(crate) fn load(config: &Dashboard, credentials_dir: Option<&Path>) -> Result<Self, Fault> {
        let general = paths::secret_file(&config.token_file, Dashboard::CREDENTIAL, credentials_dir);
        let operator = Some(&config.operator_token_file).filter(|path| !path.is_empty());
        let operator = operator.map(|path| paths::expand(path));
        let read = |file: Option<PathBuf>| file.map(|file| read(&file)).transpose();
        Ok(Self { general: read(general)?, operator: read(operator)? })
    }

    /// Whether a request that shows this is let in.
    pub(crate) fn admits(&self, shown: Option<&str>) -> bool {
        self.general.is_none() || is(self.general, shown) || self.is_operator(shown)
    }

    /// Whether a request that shows this is the operator's. Without an operator's token none is.
    pub(crate) fn is_operator(&self, shown: Option<&str>) -> bool {
        is(self.operator, shown)
    }
}

/// Takes as long for a wrong token as for the right one.
fn is(known: Kept, shown: Option<&str>) -> bool {
    known.zip(shown).is_some_and(|(known, shown)| known.ct_eq(&digest(shown)).into())
}

/// The token in a file, as its digest.
fn read(path: &Path) -> Result<[u8; 32], Fault> {
    let wrong = |message: String| {
        let fix =
            "put one line of 16 or more letters and digits in it, such as `openssl rand -hex 32` prints";
        Fault::new(FaultKind::BadConfiguration, "dashboard", message, fix)
    };
    let text = std::fs::read_to_string(path)
        .map_err(|error| wrong(format!("the token in {} cannot be read: {error}", path.display())))?;
    let token = text.trim();
    if token.len() < LEAST_CHARACTERS {
        let message = format!("the token in {} is too short", path.display());
        return Err(wrong(message));
    }
    if !token.bytes().all(fits_a_header) {
        return Err(wrong(format!("the token in {} cannot stand in a header", path.display())));
    }
    Ok(digest(token))
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

    fn load(content: &str) -> Result<Tokens, Fault> {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(Dashboard::CREDENTIAL), content).unwrap();
        Tokens::load(&Dashboard::default(), Some(dir.path()))
    }

    #[test]
    fn only_the_token_is_let_in() {
        let token = load("0123456789abcdef\n").unwrap();
        assert!(token.admits(Some("0123456789abcdef")));
        for wrong in [None, Some(""), Some("0123456789abcdeF"), Some("0123456789abcdef ")] {
            assert!(!token.admits(wrong), "{wrong:?}");
        }
        let none = Tokens::load(&Dashboard::default(), None).unwrap();
        assert!(none.admits(None) && none.admits(Some("anything")));
        assert!(![None, Some(""), Some("anything")].into_iter().any(|shown| none.is_operator(shown)));
    }

    #[test]
    fn the_operator_is_let_in_by_a_token_of_their_own() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("operator");
        std::fs::write(&file, "operator-operator\n").unwrap();
        std::fs::write(dir.path().join(Dashboard::CREDENTIAL), "0123456789abcdef").unwrap();
        let config = Dashboard { operator_token_file: file.display().to_string(), ..Dashboard::default() };
        for credentials in [None, Some(dir.path())] {
            let tokens = Tokens::load(&config, credentials).unwrap();
            let general = Some("0123456789abcdef");
            assert!(
                tokens.admits(Some("operator-operator")) && tokens.is_operator(Some("operator-operator"))
            );
            assert!(tokens.admits(general) && !tokens.is_operator(general));
            assert_eq!(tokens.admits(Some("operator-operatoR")), credentials.is_none());
        }
        std::fs::remove_file(&file).unwrap();
        assert!(Tokens::load(&config, None).is_err(), "what is configured is there");
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

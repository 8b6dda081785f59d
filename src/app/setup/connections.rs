//! Home Assistant and the MQTT broker: tried with what is needed to get in, and only then written. `hark setup` asks for
//! that in a terminal, [`super::live`] takes it from the page.

use hark_config::homeassistant::HomeAssistant;
use hark_config::mqtt::Mqtt;
use hark_config::paths::{ensure_dir, private};
use hark_core::{Fault, FaultKind};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};

/// What a secret that is being tried is called beside the one that counts.
const TRIED: &str = ".tried";

/// What is tried.
enum Tried {
    HomeAssistant(HomeAssistant),
    Broker(Mqtt),
}

/// A connection that is not written yet; its secret goes when it is dropped.
pub(crate) struct Attempt {
    tried: Tried,
    secret: Option<Secret>,
    /// Where the secret of this address is by now; empty: nowhere.
    before: String,
}

impl Attempt {
    /// With the token that is there, where none is given and the address stays.
    ///
    /// # Errors
    /// When there is no token, or it cannot be written into the state folder.
    pub(crate) fn home_assistant(
        before: &HomeAssistant,
        folder: &Path,
        url: &str,
        token: &str,
    ) -> Result<Self, Fault> {
        if token.is_empty() && !has_token(before, url) {
            let message = "without a token Home Assistant lets nobody in";
            let fix = "create a long-lived access token there: your name at the bottom left, then Security";
            return Err(Fault::new(FaultKind::BadInput, "homeassistant", message, fix));
        }
        let secret = Secret::new(folder, "homeassistant.token", token)?;
        let mut tried = before.clone();
        url.clone_into(&mut tried.url);
        if let Some(secret) = &secret {
            tried.token_file = secret.tried.display().to_string();
        }
        Ok(Self { tried: Tried::HomeAssistant(tried), secret, before: before.token_file.clone() })
    }

    /// With the password that is there, where none is given and the address and the name stay.
    ///
    /// # Errors
    /// When the password cannot be written into the state folder.
    pub(crate) fn broker(
        before: &Mqtt,
        folder: &Path,
        url: &str,
        (username, password): (&str, &str),
    ) -> Result<Self, Fault> {
        let secret = Secret::new(folder, "mqtt.password", password)?;
        let mut tried = before.clone();
        // A password is never sent to another address than the one it was given for.
        if url != before.url || username != before.username {
            tried.password_file.clear();
        }
        let known = tried.password_file.clone();
        url.clone_into(&mut tried.url);
        username.clone_into(&mut tried.username);
        if let Some(secret) = &secret {
            tried.password_file = secret.tried.display().to_string();
        }
        Ok(Self { tried: Tried::Broker(tried), secret, before: known })
    }

    /// What it answers.
    ///
    /// # Errors
    /// When it does not answer or refuses.
    pub(crate) async fn probe(&self) -> Result<String, Fault> {
        match &self.tried {
            Tried::HomeAssistant(tried) => hark_homeassistant::probe(tried).await,
            Tried::Broker(tried) => hark_mqtt::probe(tried).await,
        }
    }

    /// Puts the secret in its place; the keys that are to be written.
    ///
    /// # Errors
    /// When the secret cannot be put there.
    pub(crate) fn keep(self) -> Result<Vec<(&'static str, String)>, Fault> {
        let file = match self.secret {
            Some(secret) => secret.keep()?.display().to_string(),
            None => self.before,
        };
        Ok(match self.tried {
            Tried::HomeAssistant(tried) => {
                vec![("homeassistant.url", tried.url), ("homeassistant.token_file", file)]
            }
            Tried::Broker(tried) => {
                vec![("mqtt.url", tried.url), ("mqtt.username", tried.username), ("mqtt.password_file", file)]
            }
        })
    }
}

/// Whether a token for this address is there.
pub(crate) fn has_token(before: &HomeAssistant, url: &str) -> bool {
    !before.token_file.is_empty() && url == before.url
}

/// A secret in a file that only its owner reads. Until it is kept it lies beside the one that counts, and goes when dropped.
struct Secret {
    tried: PathBuf,
    path: PathBuf,
}

impl Secret {
    /// `None` for an empty one.
    fn new(folder: &Path, name: &str, secret: &str) -> Result<Option<Self>, Fault> {
        if secret.is_empty() {
            return Ok(None);
        }
        ensure_dir(folder)?;
        let (path, tried) = (folder.join(name), folder.join(format!("{name}{TRIED}")));
        let written = || -> io::Result<()> {
            // What an attempt that was broken off has left.
            let _ = fs::remove_file(&tried);
            let mut file = private(OpenOptions::new().write(true).create_new(true)).open(&tried)?;
            file.write_all(secret.as_bytes())?;
            file.sync_all()?;
            // Set up by the administrator, it is read by the user the daemon runs as.
            let (own, there) = (fs::metadata(&tried)?, fs::metadata(folder)?);
            if own.uid() != there.uid() {
                chown(&tried, Some(there.uid()), Some(there.gid()))?;
            }
            Ok(())
        };
        written().map_err(|error| unwritable(&tried, &error))?;
        Ok(Some(Self { tried, path }))
    }

    /// Puts it in the place of the one before.
    fn keep(self) -> Result<PathBuf, Fault> {
        fs::rename(&self.tried, &self.path).map_err(|error| unwritable(&self.path, &error))?;
        Ok(self.path.clone())
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        // Not there any more where it was kept.
        let _ = fs::remove_file(&self.tried);
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Fault {
    let fix = "run `hark setup` as the user Hark runs as, or as root";
    Fault::new(FaultKind::Failed, "setup", format!("cannot write {} ({error})", path.display()), fix)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_secret_is_private_and_gone_unless_it_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let secret = |word: &str| Secret::new(folder.path(), "token", word).unwrap();
        assert!(secret("").is_none());
        let tried = secret("one").unwrap();
        assert_eq!(fs::metadata(&tried.tried).unwrap().permissions().mode() & 0o777, 0o600);
        drop(tried);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        let path = secret("two").unwrap().keep().unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), "two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_secret_is_sent_only_where_it_was_given_for() {
        let folder = tempfile::tempdir().unwrap();
        let before = Mqtt {
            url: "mqtt://a:1883".into(),
            username: "hark".into(),
            password_file: "/pw".into(),
            ..Mqtt::default()
        };
        let file = |url: &str, name: &str| {
            let attempt = Attempt::broker(&before, folder.path(), url, (name, "")).unwrap();
            attempt.keep().unwrap().into_iter().find(|(key, _)| *key == "mqtt.password_file").unwrap().1
        };
        assert_eq!(file("mqtt://a:1883", "hark"), "/pw");
        assert_eq!(file("mqtt://b:1883", "hark"), "");
        assert_eq!(file("mqtt://a:1883", "other"), "");
        let before =
            HomeAssistant { url: "http://a".into(), token_file: "/t".into(), ..HomeAssistant::default() };
        assert!(Attempt::home_assistant(&before, folder.path(), "http://a", "").is_ok());
        let refused = Attempt::home_assistant(&before, folder.path(), "http://b", "");
        assert!(refused.is_err_and(|fault| fault.kind == FaultKind::BadInput));
    }
}

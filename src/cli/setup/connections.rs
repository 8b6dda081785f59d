//! Home Assistant and the MQTT broker: found on the network, tried with what is needed to get in, and only then written.

use super::Setup;
use super::dialogue::Answer;
use crate::cli::common::waiting;
use hark_config::paths::{ensure_dir, private};
use hark_core::{Fault, FaultKind};
use hark_discovery::{Announced, Service, browse};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long machines may take to say that they are there.
const LOOKING: Duration = Duration::from_secs(3);
/// What a secret that is being tried is called beside the one that counts.
const TRIED: &str = ".tried";

/// What is done about an attempt that failed.
enum Next {
    OtherSecret,
    OtherAddress,
}

/// Connects Home Assistant.
pub(super) fn home_assistant(setup: &mut Setup) -> Answer<String> {
    setup.talk.say("home_assistant_intro", &[]);
    let found = look(setup, Service::HomeAssistant);
    let before = setup.config()?.homeassistant;
    let none = setup.text("home_assistant_none", &[]);
    'address: loop {
        let question = setup.text("home_assistant_which", &[]);
        let Some(url) =
            address(setup, &question, &found, &before.url, "http://", std::slice::from_ref(&none))?
        else {
            setup.write([("homeassistant.url", "".into())])?;
            return Ok(none);
        };
        setup.talk.say("token_how", &[("url", &url)]);
        loop {
            let has_one = !before.token_file.is_empty() && url == before.url;
            let question = if has_one { "token_or_enter" } else { "token" };
            let token = setup.talk.secret(&setup.text(question, &[]))?;
            if token.is_empty() && !has_one {
                setup.talk.say("token_missing", &[]);
                continue;
            }
            let file = Secret::new(&setup.config()?.paths.state_dir()?, "homeassistant.token", &token)?;
            let mut tried = before.clone();
            tried.url.clone_from(&url);
            if let Some(file) = &file {
                tried.token_file = file.tried.display().to_string();
            }
            setup.talk.say("trying", &[("url", &url)]);
            let answer = waiting("homeassistant", hark_homeassistant::probe(&tried));
            let told = match settle(setup, &url, answer)? {
                Ok(told) => told,
                Err(Next::OtherSecret) => continue,
                Err(Next::OtherAddress) => continue 'address,
            };
            let token_file = Secret::kept(file, &before.token_file)?;
            setup.write([
                ("homeassistant.url", url.as_str().into()),
                ("homeassistant.token_file", token_file.into()),
            ])?;
            return Ok(told);
        }
    }
}

/// Chooses the MQTT broker: Hark's own, or one in the house.
pub(super) fn broker(setup: &mut Setup) -> Answer<String> {
    setup.talk.say("broker_intro", &[]);
    let found = look(setup, Service::MqttBroker);
    let before = setup.config()?.mqtt;
    let (own, none) = (setup.text("broker_own", &[]), setup.text("broker_none", &[]));
    'address: loop {
        let question = setup.text("broker_which", &[]);
        let others = [own.clone(), none.clone()];
        let chosen = match address(setup, &question, &found, &before.url, "mqtt://", &others)? {
            Some(url) if url == none => {
                setup.write([("mqtt.url", "".into()), ("mqtt.broker", "none".into())])?;
                return Ok(none);
            }
            Some(url) => url,
            None => {
                setup.write([("mqtt.url", "".into()), ("mqtt.broker", "embedded".into())])?;
                let config = setup.config()?.mqtt;
                return Ok(waiting("mqtt", hark_mqtt::probe(&config))?);
            }
        };
        loop {
            let usual = Some(before.username.as_str()).filter(|name| !name.is_empty());
            let username =
                setup.talk.line(&setup.text("broker_user", &[]), usual, |name| Ok(name.to_owned()))?;
            let password = match username.is_empty() {
                true => String::new(),
                false => setup.talk.secret(&setup.text("broker_password", &[]))?,
            };
            let file = Secret::new(&setup.config()?.paths.state_dir()?, "mqtt.password", &password)?;
            let mut tried = before.clone();
            tried.url.clone_from(&chosen);
            tried.username.clone_from(&username);
            if let Some(file) = &file {
                tried.password_file = file.tried.display().to_string();
            }
            setup.talk.say("trying", &[("url", &chosen)]);
            let answer = waiting("mqtt", hark_mqtt::probe(&tried));
            let told = match settle(setup, &chosen, answer)? {
                Ok(told) => told,
                Err(Next::OtherSecret) => continue,
                Err(Next::OtherAddress) => continue 'address,
            };
            let password_file = Secret::kept(file, &before.password_file)?;
            setup.write([
                ("mqtt.url", chosen.as_str().into()),
                ("mqtt.username", username.into()),
                ("mqtt.password_file", password_file.into()),
            ])?;
            return Ok(told);
        }
    }
}

/// What announces itself; nothing where the network cannot be asked, which is told.
fn look(setup: &Setup, service: Service) -> Vec<Announced> {
    setup.talk.say("looking", &[("seconds", &LOOKING.as_secs().to_string())]);
    let found = browse(service, LOOKING).unwrap_or_else(|fault| {
        setup.talk.trouble(&fault);
        Vec::new()
    });
    if found.is_empty() {
        setup.talk.say("nothing_found", &[]);
    }
    found
}

/// One of the addresses that were found, one that is typed, or one of the `others`: `None` for the first of them, the text
/// itself for the next. Enter alone takes the configured one, else the first that was found.
fn address(
    setup: &Setup,
    question: &str,
    found: &[Announced],
    configured: &str,
    scheme: &str,
    others: &[String],
) -> Answer<Option<String>> {
    let shown = |one: &Announced| (one.url.clone(), format!("{}  ({})", one.name, one.url));
    let mut urls: Vec<(String, String)> = found.iter().map(shown).collect();
    if !configured.is_empty() && !found.iter().any(|one| one.url == configured) {
        urls.insert(0, (configured.to_owned(), setup.text("as_now", &[("url", configured)])));
    }
    let mut options: Vec<String> = urls.iter().map(|(_, shown)| shown.clone()).collect();
    options.push(setup.text("another_address", &[]));
    options.extend_from_slice(others);
    let usual = match urls.iter().position(|(url, _)| url == configured) {
        Some(place) => place,
        None if urls.is_empty() => 1,
        None => 0,
    };
    let chosen = setup.talk.choose(question, &options, usual)?;
    if let Some((url, _)) = urls.get(chosen) {
        return Ok(Some(url.clone()));
    }
    match chosen - urls.len() {
        0 => {
            let usual =
                format!("{scheme}homeassistant.local:{}", if scheme == "http://" { 8123 } else { 1883 });
            let typed = setup.talk.line(&setup.text("address", &[]), Some(&usual), |typed| {
                let whole = if typed.contains("://") { typed.to_owned() } else { format!("{scheme}{typed}") };
                match whole.contains(char::is_whitespace) {
                    true => Err(setup.text("not_an_address", &[("usual", &usual)])),
                    false => Ok(whole),
                }
            })?;
            Ok(Some(typed))
        }
        1 => Ok(None),
        place => Ok(others.get(place - 1).cloned()),
    }
}

/// What an attempt came to, in words, where it worked or is kept all the same; else what is tried next.
fn settle(setup: &Setup, url: &str, answer: Result<String, Fault>) -> Answer<Result<String, Next>> {
    let fault = match answer {
        Ok(told) => return Ok(Ok(told)),
        Err(fault) => fault,
    };
    setup.talk.trouble(&fault);
    let options = ["other_secret", "other_address", "keep_anyway"].map(|name| setup.text(name, &[]));
    Ok(match setup.talk.choose(&setup.text("what_now", &[]), &options, 0)? {
        0 => Err(Next::OtherSecret),
        1 => Err(Next::OtherAddress),
        _ => Ok(setup.text("kept_untried", &[("url", url)])),
    })
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

    /// Where the secret is that counts from now on: a new one, else that of `before`.
    fn kept(new: Option<Self>, before: &str) -> Result<String, Fault> {
        new.map_or_else(|| Ok(before.to_owned()), |new| Ok(new.keep()?.display().to_string()))
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
}

//! Home Assistant and the MQTT broker: found on the network, tried with what is needed to get in, and only then written.

use super::Setup;
use super::dialogue::Answer;
use crate::app::setup::LOOKING;
use crate::app::setup::connections::{Attempt, has_token};
use crate::cli::common::waiting;
use hark_core::Fault;
use hark_discovery::{Announced, Service, browse};

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
            let has_one = has_token(&before, &url);
            let question = if has_one { "token_or_enter" } else { "token" };
            let token = setup.talk.secret(&setup.text(question, &[]))?;
            if token.is_empty() && !has_one {
                setup.talk.say("token_missing", &[]);
                continue;
            }
            let folder = setup.config()?.paths.state_dir()?;
            let attempt = Attempt::home_assistant(&before, &folder, &url, &token)?;
            setup.talk.say("trying", &[("url", &url)]);
            let answer = waiting("homeassistant", attempt.probe());
            let told = match settle(setup, &url, answer)? {
                Ok(told) => told,
                Err(Next::OtherSecret) => continue,
                Err(Next::OtherAddress) => continue 'address,
            };
            setup.write(attempt.keep()?.into_iter().map(|(key, value)| (key, value.into())))?;
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
            let folder = setup.config()?.paths.state_dir()?;
            let attempt = Attempt::broker(&before, &folder, &chosen, (&username, &password))?;
            setup.talk.say("trying", &[("url", &chosen)]);
            let answer = waiting("mqtt", attempt.probe());
            let told = match settle(setup, &chosen, answer)? {
                Ok(told) => told,
                Err(Next::OtherSecret) => continue,
                Err(Next::OtherAddress) => continue 'address,
            };
            setup.write(attempt.keep()?.into_iter().map(|(key, value)| (key, value.into())))?;
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

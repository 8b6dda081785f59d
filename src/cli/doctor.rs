//! `hark doctor`: checks every part, and prints a fix for each that fails.

use super::Faults;
use super::common::waiting;
use super::running::Running;
use crate::app::audio::recogniser;
use crate::app::builder::App;
use crate::app::clock::wall_unix_ms;
use crate::app::language::learning;
use crate::app::models::model_files::with_model_files;
use crate::app::requests::delegation as tasks;
use crate::app::storage;
use hark_browser::{Browser, BrowserError, Closed};
use hark_config::Config;
use hark_config::delegation::SandboxKind;
use hark_config::paths::{credentials_dir, ensure_dir};
use hark_config::wake::WakeEngine;
use hark_core::inspection::ServerCondition;
use hark_core::ports::HomeView;
use hark_core::ports::screen::ReadsText;
use hark_core::speaker::VoiceStore;
use hark_core::{Fault, FaultKind};
use hark_delegation::DelegationError;
use hark_desktop::macos::Mac;
use hark_desktop::screen::Screen;
use hark_desktop::{Desktop, DesktopError, Grants, Service};
use hark_home::zone::Zone;
use hark_homeassistant as homeassistant;
use hark_models::manifest::Manifest;
use hark_mqtt as mqtt;
use hark_net::confined;
use hark_ocr::ScreenReader;
use hark_stt::capture::input_devices;
use hark_stt::speaker::profiles;
use hark_stt::stt::worker::SttMode;
use hark_tools::machine_grants::Lack;
use hark_tools::tools;

use hark_agent as llm;
use hark_store::{backups, store};
use hark_tts::device::output_devices;
use serde_json::json;
use std::cell::LazyCell;
use std::sync::Arc;

/// What a check says when it passes, or the fault with its fix.
type Finding = Result<String, Fault>;

/// Runs every check, also after one failed.
pub(super) fn run(config: &Config, as_json: bool) -> Result<(), Faults> {
    // Opened once, which takes a quarter of a second, and by the first check that needs it.
    let opened = LazyCell::new(|| App::open(config.clone()).map_err(|mut faults| faults.swap_remove(0)));
    let app = || opened.as_ref().map_err(Clone::clone);
    let checks: [(&str, &dyn Fn() -> Finding); 22] = [
        ("models", &|| models(config)),
        ("state folder", &|| state(config)),
        ("understanding and home", &|| Ok(understanding(app()?))),
        ("classifier", &|| learning::described(config)),
        ("hearing", &|| pipeline(app()?)),
        ("recogniser", &|| recognition(config)),
        ("voice", &|| voice(app()?)),
        ("microphone", &|| microphone(config)),
        ("gain", &|| Ok(gain(config))),
        ("known voices", &|| known_voices(config)),
        ("speaker", &|| speaker(config)),
        ("mqtt", &|| broker(config)),
        ("nodes", &|| nodes(config)),
        ("home assistant", &|| home_assistant(config)),
        ("time zone", &|| time_zone(config)),
        ("language model", &|| language_model(config)),
        ("mcp servers", &|| mcp_servers(config)),
        ("skills", &|| super::skills::examined(config)),
        ("delegation", &|| delegation(config)),
        ("permissions", &|| permissions(app()?)),
        ("browser", &|| browser(config)),
        ("desktop", &|| desktop(config)),
    ];
    let mut failed = 0;
    for (name, check) in checks {
        let finding = check();
        failed += usize::from(finding.is_err());
        match (&finding, as_json) {
            (Ok(text), true) => println!("{}", json!({ "check": name, "ok": true, "message": text })),
            (Err(fault), true) => println!(
                "{}",
                json!({ "check": name, "ok": false, "message": fault.message, "fix": fault.fix })
            ),
            (Ok(text), false) => println!("ok      {name}: {text}"),
            (Err(fault), false) => println!("FAILED  {name}: {}\n        fix: {}", fault.message, fault.fix),
        }
    }
    match failed {
        0 => Ok(()),
        _ => {
            let message = format!("{failed} of {} checks failed", checks.len());
            Err(vec![Fault::new(FaultKind::Failed, "doctor", message, "see the lines above")])
        }
    }
}

fn models(config: &Config) -> Finding {
    let manifest = Manifest::load(&config.paths.models_dir()?)?;
    let required = manifest.required(&super::version::features());
    for id in &required {
        manifest.path(id)?;
    }
    Ok(format!("{} parts are there with the right sha256", required.len()))
}

fn state(config: &Config) -> Finding {
    let folder = config.paths.state_dir()?;
    ensure_dir(&folder)?;
    let store = storage::open_store(config)?;
    store.close();
    let path = storage::database(config)?;
    let backup = match backups::list(&path).first() {
        Some(backup) => format!("; newest backup {}", backup.name),
        None => "; no backup yet".to_owned(),
    };
    let kept = match store::kept_aside(&path).len() {
        0 => String::new(),
        count => format!("; {count} kept aside, see `hark store status`"),
    };
    let sound = match config.journal.keeps_sound() {
        true => format!("; what is said is kept as sound for {} days", config.journal.audio_keep_days),
        false => String::new(),
    };
    Ok(format!("{} can be written to, the database is sound{backup}{kept}{sound}", folder.display()))
}

fn understanding(app: &App) -> String {
    let home = app.home.home();
    format!("{} areas, {} entities", home.areas.len(), home.entities.len())
}

fn pipeline(app: &App) -> Finding {
    app.pipeline(SttMode::LockStep)?;
    let wake = match app.config.wake.engine {
        WakeEngine::None => "none (push to talk)".to_owned(),
        _ => app.config.wake.words.join(", "),
    };
    Ok(format!("voice activity, wake words {wake} and the recogniser load"))
}

/// Which engine makes words of speech, and how to get the one that is not there.
fn recognition(config: &Config) -> Finding {
    recogniser::described(&config.stt, &Manifest::load(&config.paths.models_dir()?)?)
}

fn voice(app: &App) -> Finding {
    let language = &app.config.speaking.language;
    let Some(mut voice) = app.voice()? else { return Ok("switched off".to_owned()) };
    let mut samples = 0;
    voice.synthesise("ready", language, &mut |block| {
        samples += block.len();
        std::ops::ControlFlow::Continue(())
    })?;
    Ok(format!("speaks {language}: “ready” takes {} ms", samples * 1000 / voice.rate_hz() as usize))
}

fn microphone(config: &Config) -> Finding {
    let wanted = &config.audio.input_device;
    let devices = input_devices()?.into_iter().map(|device| (device.name, device.default));
    found("microphone", wanted, devices.collect(), "audio.input_device")
}

/// How loud what the microphone brings is made; `hark listen` shows the gain at the moment.
fn gain(config: &Config) -> String {
    let fixed = config.audio.input_gain_db;
    match config.audio.auto_gain() {
        Some(most) => format!("automatic: quiet speech is raised by up to {most} dB, on top of {fixed:+} dB"),
        None => format!("fixed: {fixed:+} dB"),
    }
}

/// Who is known by their voice, and whether the model for it is there.
fn known_voices(config: &Config) -> Finding {
    if !config.speakers.enabled {
        return Ok("switched off".to_owned());
    }
    Manifest::load(&config.paths.models_dir()?)?.path("speaker_encoder")?;
    let store = storage::open_store(config)?;
    let samples = store.voices();
    store.close();
    let names: Vec<String> = profiles(&samples?).into_iter().map(|(person, _)| person.name).collect();
    Ok(if names.is_empty() { "nobody".to_owned() } else { names.join(", ") })
}

fn speaker(config: &Config) -> Finding {
    let wanted = &config.audio.output_device;
    let devices = output_devices()?.into_iter().map(|device| (device.name, device.is_default));
    found("speaker", wanted, devices.collect(), "audio.output_device")
}

/// Whether the wanted device is among those there are, given with their names and which is the default.
fn found(what: &str, wanted: &str, devices: Vec<(String, bool)>, key: &str) -> Finding {
    let missing = |message: String| {
        let fix = format!("plug one in, look at `hark devices`, or set {key} to its name (or `none`)");
        Err(Fault::new(FaultKind::MissingPart, what, message, fix))
    };
    if wanted == "none" {
        return Ok("switched off".to_owned());
    }
    let chosen =
        devices.iter().find(|(name, default)| if wanted == "auto" { *default } else { name == wanted });
    match chosen {
        Some((name, _)) => Ok(name.clone()),
        None if wanted == "auto" => missing(format!("there is no default {what}")),
        None => {
            let names: Vec<&str> = devices.iter().map(|(name, _)| name.as_str()).collect();
            missing(format!("there is no {what} {wanted:?}; there are {}", names.join(", ")))
        }
    }
}

fn broker(config: &Config) -> Finding {
    waiting("mqtt", mqtt::probe(&config.mqtt))
}

/// Who else is on the broker; one that is away is told, and no failure of this one.
fn nodes(config: &Config) -> Finding {
    let nodes = waiting("mqtt", mqtt::nodes(&config.mqtt))?;
    let others = nodes.iter().filter(|node| node.card.node != config.mqtt.node);
    let (here, away): (Vec<_>, Vec<_>) = others.partition(|node| node.online);
    let names = |nodes: &[&mqtt::Node]| {
        nodes.iter().map(|node| node.card.node.as_str()).collect::<Vec<_>>().join(", ")
    };
    Ok(match (here.is_empty(), away.is_empty()) {
        (true, true) => "no others".to_owned(),
        (false, true) => format!("others: {}", names(&here)),
        (true, false) => format!("others, all away: {}", names(&away)),
        (false, false) => format!("others: {}; away: {}", names(&here), names(&away)),
    })
}

fn home_assistant(config: &Config) -> Finding {
    waiting("homeassistant", homeassistant::probe(&config.homeassistant))
}

/// Times are those of this machine; one that is set to another zone than Home Assistant wakes at the wrong hour.
fn time_zone(config: &Config) -> Finding {
    let (zone, now) = (Zone::Local, wall_unix_ms());
    let here = zone.name(now).unwrap_or_else(|| "this machine's".to_owned());
    // One that lets nobody in is told of by its own check.
    let there = waiting("homeassistant", homeassistant::time_zone(&config.homeassistant)).ok().flatten();
    let Some(there) = there else { return Ok(here) };
    match zone.agrees_with(&there, now) {
        Some(true) => Ok(format!("{here}, as in Home Assistant")),
        None => Ok(format!("{here}; Home Assistant's is not known here: {there}")),
        Some(false) => {
            let message = format!(
                "Home Assistant is set to {there}, this machine to {here}: times are told by its clock"
            );
            let fix = format!(
                "`timedatectl set-timezone {there}` (in a container TZ={there}) and start Hark again, or set the other one in Home Assistant: Settings, System, General"
            );
            Err(Fault::new(FaultKind::Failed, "time zone", message, fix))
        }
    }
}

fn language_model(config: &Config) -> Finding {
    let config = with_model_files(config)?;
    waiting("llm", llm::probe(&config, credentials_dir().as_deref()))
}

/// Every server of other programs' tools is started, and tells its tools.
fn mcp_servers(config: &Config) -> Finding {
    let states = super::mcp::states_by_itself(&config.mcp)?;
    let wanted = || states.iter().filter(|state| state.condition != ServerCondition::Off);
    if let Some(broken) = wanted().find(|state| state.condition != ServerCondition::Running) {
        return Err(Fault::new(FaultKind::Unavailable, "mcp", broken.message.clone(), broken.fix.clone()));
    }
    let told = wanted().map(|state| {
        let refused = match state.refused.len() {
            0 => String::new(),
            count => format!(", {count} refused (`hark mcp list`)"),
        };
        format!("{}: {} tools{refused}", state.name, state.tools.len())
    });
    let told: Vec<String> = told.collect();
    Ok(if told.is_empty() { "none configured".to_owned() } else { told.join("; ") })
}

/// What tasks are handed to, after a trial of the sandbox.
fn delegation(config: &Config) -> Finding {
    if config.delegation.workspaces.trim().is_empty() {
        return Ok("no folder of workspaces, so no task is handed on (delegation.workspaces)".to_owned());
    }
    let delegation = tasks::open(config)?;
    waiting("delegation", async {
        let failed = |error: DelegationError| {
            Fault::new(FaultKind::MissingPart, "delegation", error.to_string(), error.fix())
        };
        delegation.examined().await.map_err(failed)
    })
    .and_then(|told| match config.delegation.sandbox {
        SandboxKind::Bubblewrap => in_service_too(config, "delegation", told),
        SandboxKind::Docker | SandboxKind::Podman => Ok(told),
    })
}

/// What was tried here does not work in the running Hark where its service forbids it.
fn in_service_too(config: &Config, part: &str, told: String) -> Finding {
    // One that is there and does not answer is told of elsewhere.
    let Ok((Some(running), _)) = Running::locate(config) else { return Ok(told) };
    let forbidden = Desktop::default().service_forbids(running.process());
    if forbidden.is_empty() {
        return Ok(told);
    }
    let message = format!(
        "works here, but not in the running Hark (process {}): its service forbids it by {}",
        running.process(),
        forbidden.join(" and ")
    );
    Err(Fault::new(FaultKind::MissingPart, part, message, confined::FIX))
}

/// What this machine grants. What a tool asks for itself may be missing; what the configuration names is not.
fn permissions(app: &App) -> Finding {
    let lacks = app.services.grants.missing();
    if !lacks.is_empty() {
        let all = |text: fn(&Lack) -> &str| lacks.iter().map(text).collect::<Vec<_>>().join("; ");
        let (why, fix) = (all(|lack| &lack.why), all(|lack| &lack.fix));
        return Err(Fault::new(FaultKind::MissingPart, "permissions", why, fix));
    }
    let to_come = app.services.grants.to_come().into_iter();
    let to_come =
        to_come.map(|path| format!("{} does not exist yet, and the first note makes it", path.display()));
    let missing = tools::missing(&app.services);
    let told = missing.iter().map(|(lack, tools)| {
        let fix = if lack.fix.is_empty() { String::new() } else { format!(" ({})", lack.fix) };
        format!("{}: {}{fix}", tools.join(", "), lack.why)
    });
    let told: Vec<String> = told.collect();
    let tools = match told.len() {
        0 => "every tool can work".to_owned(),
        _ => format!("some tools cannot work: {}", told.join("; ")),
    };
    Ok(to_come.chain([tools]).collect::<Vec<_>>().join("; "))
}

/// The browser that Hark works itself, after a trial start; a server has none, and that is no failure.
fn browser(config: &Config) -> Finding {
    let browser = Browser::new(&config.browser, config.paths.state_dir()?, Arc::new(Closed));
    let none = |error: &BrowserError| match error {
        BrowserError::Off => Some("switched off (browser.program)".to_owned()),
        BrowserError::NoProgram | BrowserError::NoSandbox => Some(format!("none: {error} ({})", error.fix())),
        _ => None,
    };
    let failed = |error: BrowserError| match none(&error) {
        Some(told) => Ok(told),
        None => Err(Fault::new(FaultKind::MissingPart, "browser", error.to_string(), error.fix())),
    };
    let told = waiting("browser", async { browser.examined().await.or_else(failed) })?;
    if browser.is_there().is_ok() { in_service_too(config, "browser", told) } else { Ok(told) }
}

/// What this machine offers over D-Bus and X11, or on a Mac; a server has little of it, and that is no failure.
fn desktop(config: &Config) -> Finding {
    let manifest = Arc::new(Manifest::load(&config.paths.models_dir()?)?);
    let (desktop, text_reader) = (Desktop::default(), ScreenReader::new(manifest));
    let services = [Service::Power, Service::Network, Service::Login, Service::Bluetooth];
    let told = services.map(|service| match desktop.offers(service) {
        Ok(()) => format!("{} is there", desktop.served_by(service)),
        Err(DesktopError::NoService(_)) => format!("no {} ({})", service.title(), service.fix()),
        Err(error) => format!("no {}: {error}", desktop.served_by(service)),
    });
    let session = match desktop.has_session() {
        Ok(()) => "a desktop's session for players and notifications",
        Err(_) => "no desktop's session, so no players and no notifications (run Hark in it: systemd/user)",
    };
    let screen = Screen::default();
    let windows = match screen.has_manager() {
        Ok(()) if Mac::here().is_some() => "a Mac's desktop with windows".to_owned(),
        Ok(()) => "a desktop of X11 with windows".to_owned(),
        Err(error) => match error.fix() {
            Some(fix) => format!("no windows and programs: {error} ({fix})"),
            None => format!("no windows and programs: {error}"),
        },
    };
    let mut told = [told.to_vec(), granted(&desktop), vec![session.to_owned(), windows]].concat();
    if screen.is_there().is_ok() {
        let lacks = [
            screen.has_input().err().map(|error| format!("no keys: {error}")),
            screen.can_be_seen().err().map(|error| format!("no pictures of it: {error}")),
        ];
        told.extend(lacks.into_iter().flatten());
        told.extend(text_reader.ready().err().map(|fault| format!("its text is not read ({})", fault.fix)));
    }
    Ok(told.join("; "))
}

/// What the machine lets Hark do, as far as its services tell.
fn granted(desktop: &Desktop) -> Vec<String> {
    let Grants { suspend, power_off, reboot, battery, somebody } = desktop.grants();
    let acts = [("sleep", suspend), ("switching off", power_off), ("restarting", reboot)];
    let acts = acts.into_iter().filter_map(|(act, grant)| Some(format!("{act}: {}", grant?)));
    let wifi =
        desktop.network_grants().get("enable-disable-wifi").map(|grant| format!("switching Wi-Fi: {grant}"));
    let battery = battery.map(|there| if there { "a battery" } else { "no battery" }.to_owned());
    let somebody = somebody.map(|there| if there { "somebody is" } else { "nobody is" });
    let somebody = somebody.map(|who| format!("{who} logged in at the screen"));
    acts.chain(wifi).chain(battery).chain(somebody).collect()
}

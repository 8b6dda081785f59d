//! What brings things into the home besides its file: Home Assistant, and the devices of MQTT.

use crate::app::event_queue::EventQueue;
use crate::app::faults::{Faults, report};
use crate::app::home::cache::HomeCache;
use crate::app::home::demo_states::DemoStates;
use hark_config::{Config, paths};
use hark_core::api::House;
use hark_core::home::Home;
use hark_core::ports::{HomeSink, HomeView};
use hark_core::{Fault, FaultKind};
use hark_home::{HomeRegistry, file as home_file};
use hark_homeassistant::{FaultSink, HomeAssistant, SOURCE};
use hark_mqtt::Mqtt;
use hark_mqtt_devices::{DeviceCounts, Devices};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::Runtime;

/// Starts the connection to Home Assistant, if one is configured, and waits until its rooms and names are
/// known or the first attempt failed; then those of the last time are known. Faults go into the event queue.
///
/// # Errors
/// When its configuration is wrong.
pub(crate) fn homeassistant(
    config: &Config,
    home: &Arc<HomeRegistry>,
    event_queue: &Arc<EventQueue>,
    runtime: &Runtime,
) -> Result<Option<HomeAssistant>, Fault> {
    let event_queue = event_queue.clone();
    start(config, home, Arc::new(move |fault| report(&event_queue, fault)), runtime)
}

/// How long the devices of MQTT may take until they are known.
const DEVICES_LIMIT: Duration = Duration::from_secs(3);

/// Joins the MQTT broker for its devices and waits until they are known, for a command that does not stay. A
/// broker that is away is no error: its devices are not there, and the log says so.
///
/// # Errors
/// When the configuration is wrong.
pub(crate) fn visit_mqtt(
    config: &Config,
    devices: Option<&Arc<Devices>>,
    runtime: &Runtime,
) -> Result<(Option<Mqtt>, Option<Fault>), Fault> {
    let Some(devices) = devices else { return Ok((None, None)) };
    let Some(visit) = Mqtt::connect_for_devices(&config.mqtt, devices.clone(), runtime.handle())? else {
        return Ok((None, None));
    };
    let problem = runtime.block_on(visit.devices_settled(DEVICES_LIMIT));
    if let Some(problem) = &problem {
        tracing::warn!("the devices of MQTT are not known: {problem}");
    }
    Ok((Some(visit), problem))
}

/// The home as it is at this moment, from all sources, where no Hark runs that would know it.
///
/// # Errors
/// When the home's file or the configuration of a source is wrong.
pub fn look(config: &Config) -> Result<House, Faults> {
    let mut known = load_home(config)?;
    DemoStates::of(config).map_err(|fault| vec![fault])?.put_over(&mut known);
    let home = Arc::new(HomeRegistry::new(known));
    let faults = Arc::new(Mutex::new(Vec::new()));
    let runtime = runtime()?;
    let found = faults.clone();
    let sink = Arc::new(move |fault| found.lock().unwrap_or_else(PoisonError::into_inner).push(fault));
    start(config, &home, sink, &runtime).map_err(|fault| vec![fault])?;
    let devices = hark_mqtt::devices(&config.mqtt, home.clone());
    // Kept until the home is looked at: what it brings is away afterwards.
    let (_visit, problem) = visit_mqtt(config, devices.as_ref(), &runtime).map_err(|fault| vec![fault])?;
    let mut found = std::mem::take(&mut *faults.lock().unwrap_or_else(PoisonError::into_inner));
    found.extend(problem);
    let tally = devices.map(|devices| devices.counts()).unwrap_or_default();
    Ok(house(&home.home(), found, tally))
}

/// The home with what its sources say besides.
pub(crate) fn house(home: &Home, faults: Vec<Fault>, devices: DeviceCounts) -> House {
    let DeviceCounts { left_out, refused, last_problem, .. } = devices;
    House { home: home.clone(), left_out, refused, last_problem, faults }
}

fn runtime() -> Result<Runtime, Faults> {
    let failed = |error: std::io::Error| Fault::new(FaultKind::Failed, "home", error.to_string(), "");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    runtime.map_err(|error| vec![failed(error)])
}

fn start(
    config: &Config,
    home: &Arc<HomeRegistry>,
    faults: FaultSink,
    runtime: &Runtime,
) -> Result<Option<HomeAssistant>, Fault> {
    if config.homeassistant.url.is_empty() {
        return Ok(None);
    }
    let remembered = HomeCache::new(&config.paths.state_dir()?, SOURCE);
    if let Some(last) = remembered.load() {
        home.replace(SOURCE, last);
    }
    // From here on it is away until it tells.
    let mut changes = home.vocabulary();
    let started = HomeAssistant::start(&config.homeassistant, home.clone(), faults, runtime.handle())?;
    let Some(homeassistant) = &started else { return Ok(None) };
    // Connecting, then reading the registries, each with its own limit.
    let limit = Duration::from_millis(config.homeassistant.connect_timeout_ms.into()) * 2;
    if runtime.block_on(async { tokio::time::timeout(limit, homeassistant.tried()).await }).is_err() {
        tracing::warn!("Home Assistant takes long; what has changed there comes later");
    }
    if homeassistant.status().connected {
        remembered.keep(home.part(SOURCE));
    }
    let home = Arc::downgrade(home);
    runtime.spawn(async move {
        while changes.changed().await.is_ok() {
            let Some(part) = home.upgrade().map(|home| home.part(SOURCE)) else { return };
            let remembered = remembered.clone();
            // A failure is in the log; the next change tries again.
            let _ = tokio::task::spawn_blocking(move || remembered.keep(part)).await;
        }
    });
    Ok(started)
}

/// The home of the configuration: the file, or the demo home. Where there is a Home Assistant nothing is virtual:
/// a name it does not have must not look as if it worked.
///
/// # Errors
/// Everything that is wrong in the file.
pub fn load_home(config: &Config) -> Result<Home, Faults> {
    let is_real = !config.homeassistant.url.is_empty();
    let demo = config.home.demo && !is_real;
    let home = match config.home.file.as_str() {
        "" if is_real => Ok(Home::default()),
        "" => home_file::example(demo),
        file => home_file::load(&paths::expand(file), demo),
    };
    home.map_err(|fault| vec![fault])
}

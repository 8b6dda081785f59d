//! Every tool against the demo home, through the executor; the gate on every way to a door.

use super::descriptor::Descriptor;
use super::executor::execute;
use super::outcome::Failure;
use super::*;
use crate::clipboard::Clipboard;
use crate::dictionary::Dictionaries;
use crate::house_secrets::HouseSecrets;
use crate::personal::Personal;
use crate::test_stores::{
    InMemoryAutomations, InMemoryDocuments, InMemoryFacts, InMemoryLists, InMemorySpeakers, InMemoryTimers,
};
use chrono::DateTime;
use hark_config::home::HomeConfig;
use hark_config::permissions::{DangerPolicy, Permissions};
use hark_config::personal::PersonalConfig;
use hark_config::tools::ToolsConfig;
use hark_core::home::Entity;
use hark_core::ports::{HomeView, NodeControls, Tools};
use hark_core::tool::{asked, error_code};
use hark_core::{EntityId, Fault, Receipt, Risk, Slots, ToolCall, TurnId};
use hark_home::automations::Automations;
use hark_home::backend::{DeviceBackend, SendFuture};
use hark_home::command::DeviceCommand;
use hark_home::timers::Timers;
use hark_home::virtual_devices::VirtualDevices;
use hark_home::zone::Zone;
use hark_home::{HomeControl, HomeRegistry, UNAVAILABLE, file};
use hark_memory::Memory;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::atomic::{AtomicI64, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// 2026-11-21 14:05:00 +01:00, a Saturday.
const NOW_MS: i64 = 1_795_266_300_000;

struct Knob(AtomicU8, Mutex<Vec<String>>);

impl NodeControls for Knob {
    fn volume_percent(&self) -> u8 {
        self.0.load(Ordering::SeqCst)
    }

    fn set_volume(&self, percent: u8) -> u8 {
        self.0.store(percent, Ordering::SeqCst);
        percent
    }

    fn announce(&self, text: &str) -> Result<(), Fault> {
        self.1.lock().unwrap().push(text.to_owned());
        Ok(())
    }
}

/// Devices that take commands and never answer, for the ids that begin so; the rest are virtual.
struct Deaf {
    demo: VirtualDevices,
    ids: &'static str,
}

impl DeviceBackend for Deaf {
    fn source(&self) -> &'static str {
        self.demo.source()
    }

    fn send(&self, entity: &Entity, command: &DeviceCommand) -> SendFuture {
        match entity.id.0.starts_with(self.ids) {
            true => Box::pin(async { Ok(()) }),
            false => self.demo.send(entity, command),
        }
    }
}

/// A house with all its tools.
struct House {
    tools: Toolbox,
    clock_ms: Arc<AtomicI64>,
    timer_store: Arc<InMemoryTimers>,
    list_store: Arc<InMemoryLists>,
    fact_store: Arc<InMemoryFacts>,
    knob: Arc<Knob>,
    calls: AtomicUsize,
}

struct Built {
    policy: DangerPolicy,
    area: &'static str,
    deaf: &'static str,
    weather: String,
    /// A `home.toml` instead of the demo home.
    home: &'static str,
    tools: ToolsConfig,
    command_timeout_ms: u32,
    permissions: Permissions,
    clipboard: Option<Arc<dyn Clipboard>>,
    trusted_sources: Vec<String>,
    secrets: HouseSecrets,
    most_at_once: usize,
    documents: Vec<(&'static str, Option<u32>, &'static str)>,
    speakers: Arc<InMemorySpeakers>,
    dictionaries: Dictionaries,
    personal: PersonalConfig,
}

impl Default for Built {
    fn default() -> Self {
        Self {
            policy: DangerPolicy::Confirm,
            area: "",
            deaf: "none",
            weather: String::new(),
            home: file::EXAMPLE,
            tools: ToolsConfig { timeout_ms: 300, ..ToolsConfig::default() },
            command_timeout_ms: 10_000,
            permissions: Permissions::default(),
            clipboard: None,
            trusted_sources: Vec::new(),
            secrets: HouseSecrets::default(),
            most_at_once: usize::MAX,
            documents: Vec::new(),
            speakers: Arc::default(),
            dictionaries: Dictionaries::default(),
            personal: PersonalConfig::default(),
        }
    }
}

impl Built {
    fn house(self) -> House {
        let timer_store = Arc::new(InMemoryTimers::default());
        let list_store = Arc::new(InMemoryLists::default());
        let fact_store = Arc::new(InMemoryFacts::default());
        let knob = Arc::new(Knob(AtomicU8::new(80), Mutex::default()));
        let registry = Arc::new(HomeRegistry::new(file::parse(self.home, true).unwrap()));
        let devices = Deaf { demo: VirtualDevices::new(Arc::clone(&registry)), ids: self.deaf };
        let clock_ms = Arc::new(AtomicI64::new(NOW_MS));
        let ticking = Arc::clone(&clock_ms);
        let zone = chrono::FixedOffset::east_opt(3600).unwrap();
        let clock: Clock = Arc::new(move || {
            let utc = DateTime::from_timestamp_millis(ticking.load(Ordering::SeqCst)).unwrap();
            utc.with_timezone(&zone)
        });
        let mut services = Services::new(
            HomeControl::new(registry, vec![Arc::new(devices)]),
            Persistence {
                timers: Arc::new(
                    Timers::load(Arc::<InMemoryTimers>::clone(&timer_store), NOW_MS)
                        .unwrap()
                        .in_zone(Zone::Fixed(zone)),
                ),
                automations: Arc::new(Automations::new(
                    Arc::<InMemoryAutomations>::default(),
                    Zone::Fixed(zone),
                )),
                lists: list_store.clone(),
                undo: hark_home::undo::UndoLog::default(),
                memory: Memory::new(fact_store.clone()),
                documents: Arc::new(InMemoryDocuments(self.documents)),
                speakers: self.speakers,
                pin: hark_home::pin::PinPad::without_pin(),
            },
            knob.clone(),
            clock,
            (
                &HomeConfig {
                    area: self.area.into(),
                    command_timeout_ms: self.command_timeout_ms,
                    trusted_sources: self.trusted_sources,
                    ..HomeConfig::default()
                },
                &Permissions { dangerous: self.policy, ..self.permissions },
                &ToolsConfig { weather_url: self.weather, ..self.tools },
                "en",
            ),
        )
        .unwrap();
        services.secrets = self.secrets;
        services.dictionaries = self.dictionaries;
        services.personal = Personal::new(&self.personal);
        services.most_at_once = self.most_at_once;
        if let Some(clipboard) = self.clipboard {
            services.clipboard = clipboard;
        }
        House {
            tools: Toolbox::new(services),
            clock_ms,
            timer_store,
            list_store,
            fact_store,
            knob,
            calls: AtomicUsize::new(0),
        }
    }
}

fn house() -> House {
    Built::default().house()
}

impl House {
    async fn call(&self, tool: &str, args: Value, approved: bool) -> Receipt {
        let Value::Object(args) = args else { panic!("arguments are an object") };
        let (turn, tool) = (TurnId::from("t"), tool.to_owned());
        // Every call is another one.
        let index = self.calls.fetch_add(1, Ordering::SeqCst);
        self.tools
            .run(ToolCall {
                index,
                turn,
                tool,
                args,
                approved,
                grant: None,
                tainted: false,
                unattended: false,
                requester: Default::default(),
            })
            .await
    }

    /// Must succeed; the detail must be what the table promises.
    async fn ok(&self, tool: &str, args: Value) -> Receipt {
        let receipt = self.call(tool, args.clone(), false).await;
        assert!(receipt.ok, "{tool} {args}: {}", receipt.detail);
        let schema = table::find(tool).unwrap().result_schema();
        if let Err(error) = jsonschema::validate(&schema, &receipt.detail) {
            panic!("{tool} {args}: {error}: {}", receipt.detail);
        }
        receipt
    }

    /// Must fail; answers code and detail.
    async fn fails(&self, tool: &str, args: Value) -> (String, Receipt) {
        let receipt = self.call(tool, args.clone(), false).await;
        assert!(!receipt.ok, "{tool} {args}: {}", receipt.detail);
        assert!(receipt.detail["message"].as_str().is_some_and(|message| !message.is_empty()));
        // The languages have words for the kinds of the table alone.
        for thing in receipt.detail["things"].as_array().into_iter().flatten() {
            let has_all = |parts: &[&str]| parts.iter().all(|part| thing.get(part).is_some());
            let is_known = thing["kind"].as_str().is_none_or(|kind| {
                asked::KINDS.iter().any(|(known, parts)| *known == kind && has_all(parts))
            });
            assert!(is_known, "{tool} {args}: {thing}");
        }
        (receipt.detail["error"].as_str().unwrap().to_owned(), receipt)
    }

    fn entity(&self, id: &str) -> Entity {
        self.tools.services().home.registry().entity(&EntityId::from(id)).unwrap()
    }

    fn state(&self, id: &str) -> String {
        self.entity(id).state
    }
}

fn names(receipt: &Receipt) -> Vec<&str> {
    receipt.detail["entities"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect()
}

mod automation;
mod contract;
mod devices;
mod everyday;
mod file_changes;
mod gate;
mod general;
mod guard;
mod home;
mod household;
mod knowledge;
mod others;
mod personal;
mod ringing;
mod speaker;
mod undo;
mod untrusted_text;

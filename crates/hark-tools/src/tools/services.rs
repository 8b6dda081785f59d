//! The services that tools use: home, timers, lists, weather, files, web, clock and the others.

use super::RequestTimes;
use super::everyday::jokes_told::JokesTold;
use super::outcome::Failure;
use crate::clipboard::{self, Clipboard};
use crate::dictionary::Dictionaries;
use crate::files::Files;
use crate::house_secrets::HouseSecrets;
use crate::machine_grants::MachineGrants;
use crate::mixer::MachineMixer;
use crate::personal::Personal;
use crate::scripts::Scripts;
use crate::shell::Shell;
use crate::weather::Weather;
use crate::web::Web;
use crate::web_search::WebSearch;
use chrono::{DateTime, FixedOffset};
use hark_browser::Browser;
use hark_config::home::HomeConfig;
use hark_config::permissions::Permissions;
use hark_config::personal::PersonalConfig;
use hark_config::tools::ToolsConfig;
use hark_config::watch::WatchConfig;
use hark_core::documents::Documents;
use hark_core::external_tools::ExternalTools;
use hark_core::ports::screen::{DescribesPictures, ReadsNothing, ReadsText};
use hark_core::ports::{HomeView, ListStore, NodeControls};
use hark_core::speaker::Speakers;
use hark_core::tool::error_code;
use hark_core::{Fault, FaultKind};
use hark_delegation::Delegation;
use hark_desktop::Desktop;
use hark_desktop::screen::Screen;
use hark_home::automations::Automations;
use hark_home::lists::Lists;
use hark_home::permission_gate::PermissionGate;
use hark_home::pin::PinPad;
use hark_home::timers::Timers;
use hark_home::undo::UndoLog;
use hark_home::{HomeControl, select};
use hark_memory::Memory;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Tells the local time; the live one is `|| chrono::Local::now().fixed_offset()`.
pub type Clock = Arc<dyn Fn() -> DateTime<FixedOffset> + Send + Sync>;

/// State that outlives the program.
pub struct Persistence {
    /// Timers, alarms and reminders.
    pub timers: Arc<Timers>,
    /// What waits for something to happen.
    pub automations: Arc<Automations>,
    /// Where lists are.
    pub lists: Arc<dyn ListStore>,
    /// What can be taken back.
    pub undo: UndoLog,
    /// What the household told.
    pub memory: Memory,
    /// The household's documents.
    pub documents: Arc<dyn Documents>,
    /// People who are known by their voice.
    pub speakers: Arc<dyn Speakers>,
    /// The PIN, and how often it was wrong.
    pub pin: PinPad,
}

/// The services that tools use.
pub struct Services {
    /// The home and its devices.
    pub home: HomeControl,
    /// The timers.
    pub timers: Arc<Timers>,
    /// What waits for something to happen.
    pub automations: Arc<Automations>,
    /// The lists.
    pub lists: Arc<Lists>,
    /// What the household told.
    pub memory: Memory,
    /// The household's documents.
    pub documents: Arc<dyn Documents>,
    /// People who are known by their voice.
    pub speakers: Arc<dyn Speakers>,
    /// What was changed last.
    pub undo: UndoLog,
    /// Settings of this node.
    pub node: Arc<dyn NodeControls>,
    /// The weather service.
    pub weather: Weather,
    /// The files that may be read.
    pub files: Files,
    /// The web as far as it may be reached.
    pub web: Web,
    /// The browser that Hark works itself.
    pub browser: Browser,
    /// The search service.
    pub web_search: WebSearch,
    /// The programs that may be run.
    pub shell: Shell,
    /// The owner's scripts.
    pub scripts: Scripts,
    /// The machine's battery, Wi-Fi, screen lock and sleep.
    pub desktop: Arc<Desktop>,
    /// The screen of its desktop.
    pub screen: Screen,
    /// What reads the text on it.
    pub text_reader: Arc<dyn ReadsText>,
    /// What says what is to be seen on it, where a language model is configured.
    pub describer: OnceLock<Arc<dyn DescribesPictures>>,
    /// Where pictures of it are kept.
    pub captures: Option<PathBuf>,
    /// Whether its volume can be set.
    pub mixer: MachineMixer,
    /// Tasks that are handed to other programs.
    pub delegation: Arc<Delegation>,
    /// The desktop's clipboard.
    pub clipboard: Arc<dyn Clipboard>,
    /// The time.
    pub clock: Clock,
    /// When requests came that may be taken up again.
    pub request_times: Arc<RequestTimes>,
    /// The permission gate.
    pub gate: PermissionGate,
    /// The PIN.
    pub pin: PinPad,
    /// What this machine has to grant.
    pub grants: MachineGrants,
    /// Secrets of the house that no request to the web and to other programs carries.
    pub secrets: HouseSecrets,
    /// Notes, calendars and contacts.
    pub personal: Personal,
    /// What words mean.
    pub dictionaries: Dictionaries,
    /// Jokes since the start.
    pub jokes_told: JokesTold,
    /// The language of the house, ISO 639-1 with or without a region.
    pub language: String,
    /// Tools of other programs.
    pub external: Vec<Arc<dyn ExternalTools>>,
    /// Sources of the home whose names count as the household's own.
    pub trusted_sources: Vec<String>,
    /// Area this node stands in, by name, alias or id; empty: none.
    here: String,
    /// More things than this are changed at once only after a yes.
    pub most_at_once: usize,
    /// Time a tool may take.
    pub timeout: Duration,
    /// Time a device may take.
    pub device_timeout: Duration,
}

impl Services {
    /// Puts the services together as the configuration says, for a house that speaks `language` (a tag such as `en`).
    ///
    /// # Errors
    /// When `home.area` names no area of the home.
    pub fn new(
        home: HomeControl,
        kept: Persistence,
        node: Arc<dyn NodeControls>,
        clock: Clock,
        (at_home, permissions, tools, language): (&HomeConfig, &Permissions, &ToolsConfig, &str),
    ) -> Result<Self, Fault> {
        let snapshot = home.registry().home();
        let here = at_home.area.trim().to_owned();
        // Areas of a source that has not been heard are not known yet.
        if !here.is_empty() && home.registry().is_complete() && select::area(&snapshot, &here).is_none() {
            let known: Vec<&str> = snapshot.areas.iter().map(|area| area.id.as_str()).collect();
            let message = format!("home.area = \"{here}\" is no area of this home");
            let fix = format!("use one of {}, or leave it empty", known.join(", "));
            return Err(Fault::new(FaultKind::BadConfiguration, "home", message, fix));
        }
        let files = Files::new(tools);
        Ok(Self {
            lists: Arc::new(Lists::new(kept.lists, &snapshot.lists, language)),
            home,
            timers: kept.timers,
            automations: kept.automations,
            memory: kept.memory,
            documents: kept.documents,
            speakers: kept.speakers,
            undo: kept.undo,
            node,
            weather: Weather::new(tools, language),
            shell: Shell::new(tools, files.first_root()),
            files,
            browser: Browser::none(),
            web: Web::new(tools),
            web_search: WebSearch::new(tools, language),
            scripts: Scripts::new(tools),
            desktop: Arc::default(),
            screen: Screen::default(),
            text_reader: Arc::new(ReadsNothing),
            describer: OnceLock::new(),
            captures: None,
            mixer: MachineMixer::default(),
            delegation: Arc::default(),
            clipboard: clipboard::of_desktop(),
            clock,
            request_times: Arc::default(),
            gate: PermissionGate::new(permissions, language),
            pin: kept.pin,
            grants: MachineGrants::new(tools),
            secrets: HouseSecrets::default(),
            personal: Personal::default(),
            dictionaries: Dictionaries::default(),
            jokes_told: JokesTold::default(),
            language: language.to_owned(),
            external: Vec::new(),
            trusted_sources: at_home.trusted_sources.clone(),
            here,
            most_at_once: at_home.most_at_once as usize,
            timeout: Duration::from_millis(tools.timeout_ms.into()),
            device_timeout: Duration::from_millis(at_home.command_timeout_ms.min(tools.timeout_ms).into()),
        })
    }

    /// Puts in notes, calendars, contacts and what is watched, as the configuration says.
    pub fn set_personal(&mut self, personal: &PersonalConfig, watch: &WatchConfig) {
        self.personal = Personal::new(personal);
        self.grants = std::mem::take(&mut self.grants).with(personal, watch);
    }

    /// Id of the area this node stands in.
    pub fn default_area(&self) -> Option<String> {
        let asked = Some(self.here.as_str()).filter(|here| !here.is_empty())?;
        select::area(&self.home.registry().home(), asked).map(|area| area.id.clone())
    }

    /// The node, where one runs.
    pub fn running_node(&self) -> Result<Arc<dyn NodeControls>, Failure> {
        match self.node.is_running() {
            true => Ok(Arc::clone(&self.node)),
            false => {
                Err(Failure::new(error_code::NOT_RUNNING, "that needs a running Hark, and none runs here"))
            }
        }
    }

    /// The time in milliseconds since the Unix epoch.
    pub fn now_unix_ms(&self) -> i64 {
        (self.clock)().timestamp_millis()
    }
}

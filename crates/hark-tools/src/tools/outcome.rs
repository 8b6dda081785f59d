//! What a call comes to: a plan before, an outcome or a failure after; `receipt` makes the receipt of it.

use crate::weather::WeatherError;
use hark_core::tool::{
    error_code,
    reason::{self, Part, Service},
};
use hark_core::{Fault, FaultKind};
use hark_home::command::Actions;
use hark_home::lists::ListError;
use hark_home::permission_gate::{Danger, Guarded, Refusal};
use hark_home::select::SelectError;
use hark_home::timers::TimerError;
use hark_home::undo::Undoable;
use hark_home::{DeviceError, control::Done};
use serde_json::{Map, Value, json};
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

/// How much longer than its devices a whole call may take, so that it is still told which of them
/// did not answer.
pub(super) const GRACE: Duration = Duration::from_millis(250);

/// Work that does not touch devices: timers, the node's volume, a question to a service.
pub type Work = Pin<Box<dyn Future<Output = Result<Outcome, Failure>> + Send>>;

/// A look that tells what is to be done.
pub type Look = Pin<Box<dyn Future<Output = Result<Prepared, Failure>> + Send>>;

/// What a tool decided to do. Nothing has been done yet; the executor does it.
pub enum Prepared {
    /// The answer is known.
    Answer(Outcome),
    /// Devices are to be told something; passes the gate first. `about` goes into the detail, and so does
    /// what comes of `also`, which is done when all devices have done theirs.
    Home { actions: Actions, about: Map<String, Value>, also: Option<Work> },
    /// Anything else.
    Work(Work),
    /// A web request that only reads: the address as a person is asked about it, and whether the owner trusts the host
    /// so far that nobody need be asked.
    Fetch { address: String, trusted: bool, work: Work },
    /// Work that is dangerous as it was asked, though its tool may do harmless things as well: passes the gate first.
    Gated(Danger, Work),
    /// The same, with what is told besides in the question about it.
    Asked {
        /// What is asked about.
        danger: Danger,
        /// Fields of the question.
        about: Map<String, Value>,
        /// What is done after a yes.
        work: Work,
    },
    /// What is to be done shows only after a look at something that takes time, such as a page; nothing changes by it.
    Look(Look),
}

impl Prepared {
    /// Work that passes the gate first where there is a danger in it.
    pub fn work(danger: Option<Danger>, work: Work) -> Self {
        match danger {
            Some(danger) => Self::Gated(danger, work),
            None => Self::Work(work),
        }
    }
}

/// What is to be done with every danger in it that does not come of devices; of these the home's actions tell
/// themselves.
pub(super) struct Plan {
    /// What is to be done.
    pub(super) prepared: Prepared,
    /// Dangers of the tool as a whole.
    pub(super) dangers: Vec<Danger>,
    /// What would be done, when text from outside may be behind it.
    pub(super) outside: Option<Danger>,
}

impl Guarded for Plan {
    fn dangers(&self) -> Vec<Danger> {
        let gated = match &self.prepared {
            Prepared::Gated(gated, _) | Prepared::Asked { danger: gated, .. } => gated,
            // What would be done to which device is said in the first question, not in a second one.
            Prepared::Home { actions, .. } if self.outside.is_some() => {
                return self.dangers.iter().cloned().chain(actions.dangers()).collect();
            }
            _ => return self.dangers.clone(),
        };
        // The tool itself says best what it would do; nothing else is taken away by that.
        let others = self.dangers.iter().filter(|danger| danger.action != gated.action);
        others.chain([gated]).cloned().collect()
    }

    fn outside(&self) -> Option<Danger> {
        self.outside.clone()
    }
}

/// Success.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Something is different now.
    pub changed: bool,
    /// What the reply needs.
    pub detail: Map<String, Value>,
    /// How it is taken back; devices are remembered by the executor.
    pub undo: Vec<Undoable>,
}

impl Outcome {
    /// An answer that changed nothing.
    ///
    /// `detail` is an object by construction of the callers; anything else becomes an empty one.
    pub fn answer(detail: Value) -> Self {
        Self::new(false, detail)
    }

    /// A success.
    pub fn new(changed: bool, detail: Value) -> Self {
        let detail = match detail {
            Value::Object(detail) => detail,
            _ => Map::new(),
        };
        Self { changed, detail, undo: Vec::new() }
    }

    /// Adds how it is taken back.
    pub fn undone_by(mut self, undo: Undoable) -> Self {
        self.undo.push(undo);
        self
    }
}

/// Runs `job` where it may wait for the disk.
pub fn blocking(job: impl FnOnce() -> Result<Outcome, Failure> + Send + 'static) -> Prepared {
    Prepared::Work(blocking_work(job))
}

/// The same as a part of something larger.
pub fn blocking_work(job: impl FnOnce() -> Result<Outcome, Failure> + Send + 'static) -> Work {
    Box::pin(async move {
        let done = tokio::task::spawn_blocking(job).await;
        done.unwrap_or_else(|error| Err(Failure::new(error_code::FAILED, error.to_string())))
    })
}

/// Something that was not, or not wholly, done.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    pub(super) changed: bool,
    pub(super) detail: Map<String, Value>,
}

impl Failure {
    /// A failure with one of [`error_code`] and a message for people.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        let mut detail = Map::new();
        detail.insert("error".into(), json!(code));
        detail.insert("message".into(), json!(message.into()));
        Self { changed: false, detail }
    }

    /// A call with an argument that the tool cannot take. The message is for the caller (a model, a program); people are
    /// only told that it failed.
    pub fn wrong_call(argument: &str, message: impl Into<String>) -> Self {
        let failure = Self::new(error_code::BAD_ARGUMENT, message).with("argument", json!(argument));
        failure.with("wrong_call", json!(true))
    }

    /// Adds a field to the detail.
    pub fn with(mut self, key: &str, value: Value) -> Self {
        self.detail.insert(key.to_owned(), value);
        self
    }

    /// Adds why, one of [`reason`]; what its sentence tells besides is another field of the detail.
    pub fn because(self, why: &str) -> Self {
        self.with("why", json!(why))
    }

    /// What it needs is not connected, named or installed.
    pub fn not_set_up(part: Part, message: impl Into<String>) -> Self {
        let failure = Self::new(error_code::NOT_CONFIGURED, message).because(reason::NOT_SET_UP);
        failure.with("part", json!(part.word()))
    }

    /// Adds that it was a service that could not be asked.
    pub fn of_service(self, why: &str, service: Service) -> Self {
        self.because(why).with("service", json!(service.word()))
    }

    /// Adds what to do about it.
    pub fn fix(self, fix: impl Into<String>) -> Self {
        self.with("fix", json!(fix.into()))
    }

    /// Says whether something is different now all the same.
    pub fn changed(mut self, changed: bool) -> Self {
        self.changed = changed;
        self
    }

    /// Its error code.
    pub fn code(&self) -> &str {
        self.detail.get("error").and_then(Value::as_str).unwrap_or(error_code::FAILED)
    }

    /// Everything about it.
    pub fn detail(&self) -> &Map<String, Value> {
        &self.detail
    }
}

/// Success only when every device proved it; else what was done and what was not.
pub fn of_devices(done: Vec<Done>, entities: Value, about: Map<String, Value>) -> Result<Outcome, Failure> {
    let changed = done.iter().any(Done::changed);
    let errors: Vec<(&Done, &DeviceError)> =
        done.iter().filter_map(|one| one.error.as_ref().map(|error| (one, error))).collect();
    let Some((_, first)) = errors.first() else {
        let mut detail = Map::new();
        // Of several of which some are as they were only the others count; they stand first.
        let changed_count = done.iter().filter(|one| one.changed()).count();
        let count = if changed_count == 0 { done.len() } else { changed_count };
        detail.insert("count".into(), json!(count));
        detail.insert("entities".into(), entities);
        detail.extend(about);
        return Ok(Outcome { changed, detail, undo: Vec::new() });
    };
    let failed: Vec<Value> = errors
        .iter()
        .map(|(one, error)| {
            json!({
                "id": one.before.id, "name": one.before.name,
                "error": error.code(), "message": error.to_string(),
            })
        })
        .collect();
    let worked: Vec<&str> =
        done.iter().filter(|one| one.error.is_none()).map(|one| one.before.name.as_str()).collect();
    let mut failure = if worked.is_empty() {
        Failure::new(first.code(), first.to_string())
    } else {
        // "Two of three lights": the kind is told where it is one.
        let domain = done.first().map(|one| one.before.id.domain());
        let domain = domain.filter(|domain| done.iter().all(|one| one.before.id.domain() == *domain));
        let things = domain.map_or("things", thing_name);
        let message = format!("{} of {} {things} were done: {first}", worked.len(), done.len());
        Failure::new(error_code::PARTIAL, message).with("done", json!(worked))
    };
    failure.detail.insert("failed".into(), json!(failed));
    failure.detail.insert("entities".into(), entities);
    failure.detail.insert("count".into(), json!(worked.len()));
    for (key, value) in about {
        failure.detail.entry(key).or_insert(value);
    }
    // With nothing done it still may have changed: a device may move without proving it.
    failure.changed = changed;
    Err(failure)
}

/// What several entities of a domain are called.
fn thing_name(domain: &str) -> &'static str {
    match domain {
        "light" => "lights",
        "switch" => "switches",
        "cover" => "covers",
        "lock" => "locks",
        "fan" => "fans",
        "media_player" => "players",
        "climate" => "thermostats",
        _ => "things",
    }
}

impl From<SelectError> for Failure {
    fn from(error: SelectError) -> Self {
        let message = error.to_string();
        match error {
            SelectError::NothingAsked => {
                Self::new(error_code::BAD_ARGUMENT, message).because(reason::NOT_SAID_WHAT)
            }
            SelectError::Ambiguous { name, candidates } => Self::new(error_code::AMBIGUOUS, message)
                .with("name", json!(name))
                .with("candidates", json!(candidates)),
            SelectError::Which { names, areas } => Self::new(error_code::AMBIGUOUS, message)
                .because(reason::WHICH_ONE)
                .with("names", json!(names))
                .with("areas", json!(areas)),
            SelectError::NoSuchName(name) => Self::new(error_code::NOT_FOUND, message)
                .because(reason::NOTHING_CALLED)
                .with("name", json!(name)),
            SelectError::NoSuchArea(area) => {
                Self::new(error_code::NOT_FOUND, message).because(reason::NO_AREA).with("area", json!(area))
            }
            SelectError::NoSuchFloor(floor) => Self::new(error_code::NOT_FOUND, message)
                .because(reason::NO_FLOOR)
                .with("floor", json!(floor)),
            SelectError::OnlyWatched { names } => Self::new(error_code::UNSUPPORTED, message)
                .because(reason::ONLY_WATCHED)
                .with("watched_names", json!(names)),
            SelectError::NothingThere { what, area, floor } => {
                let failure = Self::new(error_code::NOT_FOUND, message).because(reason::NOTHING_THERE);
                let failure = failure.with("what", json!(what));
                match (area, floor) {
                    (Some(area), _) => failure.with("area", json!(area)),
                    (None, Some(floor)) => failure.with("floor", json!(floor)),
                    (None, None) => failure,
                }
            }
        }
    }
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let ask = refusal.ask();
        let failure = Self::new(refusal.code(), refusal.to_string())
            .with("entities", json!(ask.entities))
            .with("act", json!(ask.action))
            .with("action", json!(ask.verb()))
            .with("exact", json!(ask.is_exact()))
            .with("name", json!(ask.name))
            .with("things", json!(ask.things));
        if ask.outside { failure.with("outside", json!(true)) } else { failure }
    }
}

impl From<TimerError> for Failure {
    fn from(error: TimerError) -> Self {
        let message = error.to_string();
        match error {
            TimerError::NotFound => Self::new(error_code::NOT_FOUND, message).because(reason::NO_SUCH_TIMER),
            TimerError::Ambiguous(timers) => {
                let candidates: Vec<Value> = timers.iter().map(super::clock::timer_detail::shown).collect();
                Self::new(error_code::AMBIGUOUS, message).with("candidates", json!(candidates))
            }
            TimerError::BadLength => Self::new(error_code::BAD_ARGUMENT, message).because(reason::BAD_LENGTH),
            TimerError::TimePassed => {
                Self::new(error_code::BAD_ARGUMENT, message).because(reason::TIME_PASSED)
            }
            TimerError::TooFarAhead => {
                Self::new(error_code::BAD_ARGUMENT, message).because(reason::TOO_FAR_AHEAD)
            }
            TimerError::Store(fault) => fault.into(),
            TimerError::TooMany => Self::new(error_code::FAILED, message),
            TimerError::WrongState(_) => Self::new(error_code::UNSUPPORTED, message),
        }
    }
}

impl From<ListError> for Failure {
    fn from(error: ListError) -> Self {
        let message = error.to_string();
        match error {
            ListError::NoSuchList(list) => Self::new(error_code::NOT_FOUND, message)
                .because(reason::NO_SUCH_LIST)
                .with("list", json!(list)),
            ListError::NoSuchItem { item, list } => Self::new(error_code::NOT_FOUND, message)
                .because(reason::NOT_ON_LIST)
                .with("item", json!(item))
                .with("list", json!(list)),
            ListError::Exists(list) => Self::new(error_code::BAD_ARGUMENT, message)
                .because(reason::LIST_EXISTS)
                .with("list", json!(list)),
            ListError::Full(_) | ListError::TooMany | ListError::NotEmpty(_) => {
                Self::new(error_code::FAILED, message)
            }
            ListError::Store(fault) => fault.into(),
        }
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        // The disk is full, or can only be read.
        let is_unkept = fault.part == "store" && fault.kind == FaultKind::Unavailable;
        let code = if is_unkept { error_code::NOT_KEPT } else { error_code::FAILED };
        Self::new(code, fault.message)
    }
}

impl From<WeatherError> for Failure {
    fn from(error: WeatherError) -> Self {
        let code = match error {
            WeatherError::NotConfigured | WeatherError::BadUrl(_) => error_code::NOT_CONFIGURED,
            WeatherError::Unreachable(_) => error_code::OFFLINE,
            WeatherError::Timeout => error_code::TIMEOUT,
            WeatherError::BadAnswer(_) | WeatherError::NoForecast(_) => error_code::FAILED,
        };
        let failure = Self::new(code, error.to_string());
        let not_set_up = || Self::not_set_up(Part::Weather, error.to_string());
        match error {
            WeatherError::NotConfigured => {
                not_set_up().fix("set tools.weather_url, tools.weather_latitude and tools.weather_longitude")
            }
            WeatherError::BadUrl(_) => not_set_up().fix("set tools.weather_url to an http or https address"),
            WeatherError::NoForecast(_) => failure.because(reason::NO_FORECAST),
            WeatherError::Unreachable(_) => failure.of_service(reason::SERVICE_DOWN, Service::Weather),
            WeatherError::Timeout => failure.of_service(reason::SERVICE_SLOW, Service::Weather),
            WeatherError::BadAnswer(_) => failure.of_service(reason::SERVICE_WRONG, Service::Weather),
        }
    }
}

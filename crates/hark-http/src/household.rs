//! Lists, automations and tools on HTTP: the handlers and their objects.

use super::api_error::ApiError;
use super::server_state::SharedState;
use super::wire::rfc3339;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use hark_core::api;
use hark_core::automation::{self, Action, Trigger};
use hark_core::delegation::{TaskReport, TaskState};
use hark_core::inspection::{ServerCondition, ServerState, ToolState};
use hark_core::ports::StoredList;
use hark_core::speaker::{EnrolledSpeaker, Speakers};
use hark_core::{AutomationId, Fault, FaultKind, Risk};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;

type Answer<T> = Result<Json<T>, ApiError>;

/// An item of a list.
#[derive(Debug, Serialize, JsonSchema)]
struct Item {
    /// What it says.
    text: String,
    /// It has been seen to.
    done: bool,
}

/// A list of the household.
#[derive(Debug, Serialize, JsonSchema)]
struct List {
    name: String,
    /// What is on it, in order.
    items: Vec<Item>,
}

/// The household's lists.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Lists {
    lists: Vec<List>,
}

/// A person who is known by their voice.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct KnownSpeaker {
    name: String,
    /// Utterances that are known, as numbers.
    samples: usize,
    /// When the last of them was enrolled, as RFC 3339.
    enrolled_at: Option<String>,
}

impl From<EnrolledSpeaker> for KnownSpeaker {
    fn from(person: EnrolledSpeaker) -> Self {
        Self { name: person.name, samples: person.samples, enrolled_at: rfc3339(person.told_unix_ms) }
    }
}

/// People who are known by their voice.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct KnownSpeakers {
    speakers: Vec<KnownSpeaker>,
}

/// What makes an automation act.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum TriggerWord {
    /// Something becomes true.
    Becomes,
    /// Sunrise or sunset.
    Sun,
    /// A moment.
    At,
    /// A timer, alarm or reminder rings.
    Rings,
    /// Somebody says certain words.
    Said,
}

/// What an automation does.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ActionWord {
    /// It carries out a request.
    Request,
    /// It brings devices back to how they were.
    Restore,
}

/// Something that is done when something happens.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Automation {
    id: String,
    /// What is to be done, as it was said; empty where devices are brought back.
    said: String,
    /// When, as it was said; empty where that was not said.
    said_when: String,
    /// Language of these words, ISO 639-1.
    language: String,
    /// When it was asked for, RFC 3339.
    created_at: Option<String>,
    trigger: TriggerWord,
    /// What has to be said, of a routine; null of everything else.
    words: Option<String>,
    action: ActionWord,
    /// Names of the devices that are brought back.
    devices: Vec<String>,
    /// It acts every time; else once, and is gone.
    repeats: bool,
    /// How many conditions have to be true as well at that moment.
    conditions: usize,
    /// When it acts next, RFC 3339, where time brings that.
    next_at: Option<String>,
}

/// What is done when something happens, in the order it was asked for.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Automations {
    automations: Vec<Automation>,
}

/// What a tool may do to the world.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum RiskWord {
    /// It looks only.
    Read,
    /// It changes something that can be changed back.
    Write,
    /// It needs approval.
    Dangerous,
}

/// A tool.
#[derive(Debug, Serialize, JsonSchema)]
struct Tool {
    /// Such as `home.turn_on`.
    name: String,
    /// What it does.
    about: String,
    /// Risk of its mildest use.
    risk: RiskWord,
    /// What `permissions.deny_tools` calls it.
    permission: String,
    /// It is switched on, configured, and has something to act on.
    is_available: bool,
    /// Why it is not; empty where it is.
    why: String,
    /// What to do about that; empty where there is nothing.
    fix: String,
    /// JSON Schema of its arguments.
    arguments: Map<String, Value>,
}

/// Every tool, by name.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Tools {
    tools: Vec<Tool>,
}

/// How the connection to an MCP server is.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ConditionWord {
    Off,
    Starting,
    Running,
    Failed,
}

/// A tool of an MCP server.
#[derive(Debug, Serialize, JsonSchema)]
struct ServerTool {
    /// Such as `mcp.time.get_current_time`.
    name: String,
    /// As the owner has it.
    risk: RiskWord,
}

/// An MCP server whose tools Hark may call.
#[derive(Debug, Serialize, JsonSchema)]
struct Server {
    /// Its name in the configuration.
    name: String,
    condition: ConditionWord,
    /// What is wrong with it, or what it says it is.
    message: String,
    /// What to do about what is wrong; empty: nothing.
    fix: String,
    tools: Vec<ServerTool>,
    /// Tools that are not taken, each with why.
    refused: Vec<String>,
    /// How often it was started again.
    restarts: u32,
}

/// Where a task is.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum TaskWord {
    Running,
    /// The program asks something.
    Asking,
    Done,
    Failed,
    Stopped,
    /// It ran when Hark ended.
    Interrupted,
}

/// A task that was handed to another program.
#[derive(Debug, Serialize, JsonSchema)]
struct Task {
    id: String,
    /// What is to be done, as it was asked for.
    goal: String,
    /// What people call the program.
    program: String,
    workspace: String,
    state: TaskWord,
    /// What it asks, said last, has done, or why it failed: text of another program.
    text: String,
    /// The last lines of what it said, at most 12, the last behind.
    lines: Vec<String>,
    /// The file it was at last, as it names it; empty where it named none.
    file: String,
}

/// The task that runs, asks, or was the last.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CurrentTask {
    /// Null where none was handed on.
    task: Option<Task>,
}

pub(super) async fn task(State(app): State<SharedState>) -> Json<CurrentTask> {
    let told = |TaskReport { news, lines, file }: TaskReport| Task {
        id: news.task,
        goal: news.goal,
        program: news.program,
        workspace: news.workspace,
        state: match news.state {
            TaskState::Running => TaskWord::Running,
            TaskState::Asking => TaskWord::Asking,
            TaskState::Done => TaskWord::Done,
            TaskState::Failed => TaskWord::Failed,
            TaskState::Stopped => TaskWord::Stopped,
            TaskState::Interrupted => TaskWord::Interrupted,
        },
        text: news.text,
        lines,
        file,
    };
    Json(CurrentTask { task: app.api.task().map(told) })
}

/// A wake word, or something like it, at the microphone of this node.
#[derive(Debug, Serialize, JsonSchema)]
struct HeardWakeWord {
    /// RFC 3339.
    at: String,
    word: String,
    score: f32,
    /// Why it did not wake; null where it did.
    why: Option<String>,
}

/// What was heard of wake words since the start.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct HeardWakeWords {
    heard: Vec<HeardWakeWord>,
}

pub(super) async fn heard_wake_words(State(app): State<SharedState>) -> Json<HeardWakeWords> {
    let told = |heard: api::HeardWakeWord| {
        let api::HeardWakeWord { at, word, score, why } = heard;
        HeardWakeWord { at, word, score, why }
    };
    Json(HeardWakeWords { heard: app.api.heard_wake_words().into_iter().map(told).collect() })
}

/// Every MCP server, by name.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Servers {
    servers: Vec<Server>,
}

pub(super) async fn mcp_servers(State(app): State<SharedState>) -> Json<Servers> {
    Json(Servers { servers: app.api.mcp_servers().into_iter().map(Server::from).collect() })
}

pub(super) async fn speakers(State(app): State<SharedState>) -> Answer<KnownSpeakers> {
    let people = with_speakers(&app, |speakers| speakers.people()).await?;
    Ok(Json(KnownSpeakers { speakers: people.into_iter().map(KnownSpeaker::from).collect() }))
}

pub(super) async fn forget_speaker(
    State(app): State<SharedState>,
    Path(name): Path<String>,
) -> Result<StatusCode, ApiError> {
    if with_speakers(&app, move |speakers| speakers.forget(&name)).await? {
        return Ok(StatusCode::NO_CONTENT);
    }
    Err(ApiError::not_found("nobody of this name is known by their voice", "see /api/v1/speakers"))
}

/// Asks where it may wait for the disk.
pub(super) async fn with_speakers<T: Send + 'static>(
    app: &SharedState,
    work: impl FnOnce(Arc<dyn Speakers>) -> Result<T, Fault> + Send + 'static,
) -> Result<T, ApiError> {
    let speakers = app.api.speakers();
    let done = tokio::task::spawn_blocking(move || work(speakers)).await;
    let done = done.unwrap_or_else(|error| {
        Err(Fault::new(FaultKind::Failed, "speakers", format!("it broke off: {error}"), "ask again"))
    });
    Ok(done?)
}

pub(super) async fn lists(State(app): State<SharedState>) -> Answer<Lists> {
    let lists = app.api.lists().await?;
    Ok(Json(Lists { lists: lists.into_iter().map(List::from).collect() }))
}

pub(super) async fn automations(State(app): State<SharedState>) -> Answer<Automations> {
    let automations = app.api.automations().await?;
    Ok(Json(Automations { automations: automations.into_iter().map(Automation::from).collect() }))
}

pub(super) async fn remove_automation(
    State(app): State<SharedState>,
    Path(id): Path<String>,
) -> Answer<Automation> {
    match app.api.remove_automation(AutomationId(id)).await? {
        Some(automation) => Ok(Json(automation.into())),
        None => Err(ApiError::not_found("there is no automation of this id", "see /api/v1/automations")),
    }
}

pub(super) async fn tools(State(app): State<SharedState>) -> Json<Tools> {
    let mut tools: Vec<Tool> = app.api.tools().into_iter().map(Tool::from).collect();
    tools.sort_by(|a, b| a.name.cmp(&b.name));
    Json(Tools { tools })
}

impl From<StoredList> for List {
    fn from(StoredList { name, items }: StoredList) -> Self {
        let items = items.into_iter().map(|item| Item { text: item.text, done: item.done });
        Self { name, items: items.collect() }
    }
}

impl From<automation::Automation> for Automation {
    fn from(it: automation::Automation) -> Self {
        let (trigger, at, words) = match it.trigger {
            Trigger::Becomes { .. } => (TriggerWord::Becomes, None, None),
            Trigger::Sun { .. } => (TriggerWord::Sun, None, None),
            Trigger::At { unix_ms } => (TriggerWord::At, Some(unix_ms), None),
            Trigger::Rings { .. } => (TriggerWord::Rings, None, None),
            Trigger::Said { words } => (TriggerWord::Said, None, Some(words)),
        };
        let (action, devices) = match it.action {
            Action::Intents { .. } => (ActionWord::Request, Vec::new()),
            Action::Restore { devices } => {
                (ActionWord::Restore, devices.into_iter().map(|device| device.before.name).collect())
            }
        };
        Self {
            id: it.id.0,
            said: it.said,
            said_when: it.said_when,
            language: it.language,
            created_at: rfc3339(it.created_unix_ms),
            trigger,
            words,
            action,
            devices,
            repeats: it.repeats,
            conditions: it.only_if.len(),
            next_at: it.next_unix_ms.or(at).and_then(rfc3339),
        }
    }
}

impl From<ToolState> for Tool {
    fn from(it: ToolState) -> Self {
        let risk = it.risk.into();
        let ToolState { name, description, permission, is_available, why, fix, arguments, .. } = it;
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        Self { name, about: description, risk, permission, is_available, why, fix, arguments }
    }
}

impl From<ServerState> for Server {
    fn from(it: ServerState) -> Self {
        let condition = match it.condition {
            ServerCondition::Off => ConditionWord::Off,
            ServerCondition::Starting => ConditionWord::Starting,
            ServerCondition::Running => ConditionWord::Running,
            ServerCondition::Failed => ConditionWord::Failed,
        };
        let tools = it.tools.into_iter().map(|(name, risk)| ServerTool { name, risk: risk.into() });
        let ServerState { name, message, fix, refused, restarts, .. } = it;
        Self { name, condition, message, fix, tools: tools.collect(), refused, restarts }
    }
}

impl From<Risk> for RiskWord {
    fn from(risk: Risk) -> Self {
        match risk {
            Risk::Read => Self::Read,
            Risk::Write => Self::Write,
            Risk::Dangerous => Self::Dangerous,
        }
    }
}

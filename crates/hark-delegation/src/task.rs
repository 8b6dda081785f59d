//! The one task that runs, asks or is over: begun, answered, stopped, looked at, and kept over a restart. A program that asks
//! ends its run; the answer goes on with the same conversation of it, so that a question may wait for as long as it takes.

use crate::adapter::{Adapter, adapters};
use crate::changes::{Changes, Snapshot};
use crate::egress::Egress;
use crate::error::DelegationError;
use crate::heard::Heard;
use crate::process::{Exit, run};
use crate::proxy::Proxy;
use crate::sandbox::{NUMBER, Program, Sandbox};
use crate::view::TaskView;
use crate::workspace::Workspaces;
use hark_config::delegation::DelegationConfig;
use hark_config::paths::expand;
use hark_config::write_whole;
use hark_core::delegation::TaskState;
use hark_core::external_tools::cleaned;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// Characters of an error message that are kept.
const MAX_ERROR: usize = 300;
/// Between two reports that it goes on.
const REPORT_EVERY: Duration = Duration::from_secs(1);
/// How long is waited for a task to end that is stopped.
const STOP_WITHIN: Duration = Duration::from_secs(10);
/// File of the task, in the state folder.
const KEPT: &str = "delegation.json";
/// File of the workspace that was chosen, there.
const CHOSEN: &str = "delegation-workspace";

/// What a task is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requested {
    /// What is to be done.
    pub goal: String,
    /// Who is to do it, by what people call it; `None`: the usual one.
    pub to: Option<String>,
    /// Where, as people say it; `None`: in the one whose name the goal has, in the chosen one, or the usual one.
    pub workspace: Option<String>,
    /// The conversation it was asked for in, as [`Requester`](hark_core::origin::Requester) names it.
    pub conversation: String,
    /// Language it was asked for in, ISO 639-1.
    pub language: String,
}

/// Told whenever a task goes on, asks or ends; on a thread of the runtime.
pub type Observer = Arc<dyn Fn(&TaskView) + Send + Sync>;

/// Tasks of this node.
pub struct Delegation {
    config: DelegationConfig,
    /// `None`: nothing is kept.
    state_dir: Option<PathBuf>,
    workspaces: Workspaces,
    sandbox: Sandbox,
    /// `None`: what runs in the sandbox reaches nothing.
    egress: Option<Egress>,
    observer: RwLock<Option<Observer>>,
    current: Mutex<Current>,
    /// Hark ends: what runs is interrupted.
    is_ending: AtomicBool,
}

#[derive(Default)]
struct Current {
    task: Option<TaskView>,
    before: Arc<Snapshot>,
    running: Option<Running>,
}

struct Running {
    stop: Option<oneshot::Sender<()>>,
    ended: watch::Receiver<bool>,
}

/// How a run of the program came out.
enum End {
    Exit(std::io::Result<Exit>, Heard),
    Stopped,
    TooLong,
}

impl Default for Delegation {
    /// Without a folder to work in: no task is begun.
    fn default() -> Self {
        let config = DelegationConfig::default();
        Self {
            workspaces: Workspaces::default(),
            sandbox: Sandbox::new(&config, Path::new("")),
            config,
            egress: None,
            state_dir: None,
            observer: RwLock::default(),
            current: Mutex::default(),
            is_ending: AtomicBool::new(false),
        }
    }
}

impl Delegation {
    /// As the configuration says. What was kept in `state_dir` is there again: a question goes on waiting, and what ran is
    /// [`TaskState::Interrupted`]. Programs in a sandbox of this machine reach what `egress` lets them, without it nothing.
    pub fn new(config: &DelegationConfig, state_dir: &Path, egress: Option<Egress>) -> Self {
        let root = Some(config.workspaces.trim()).filter(|root| !root.is_empty()).map(expand);
        let kept = std::fs::read(state_dir.join(KEPT)).ok();
        let mut task: Option<TaskView> = kept.and_then(|kept| serde_json::from_slice(&kept).ok());
        if let Some(task) = task.as_mut().filter(|task| task.state == TaskState::Running) {
            task.state = TaskState::Interrupted;
        }
        Self {
            workspaces: Workspaces::new(root),
            sandbox: Sandbox::new(config, state_dir),
            config: config.clone(),
            egress,
            state_dir: Some(state_dir.to_owned()),
            observer: RwLock::new(None),
            current: Mutex::new(Current { task, ..Current::default() }),
            is_ending: AtomicBool::new(false),
        }
    }

    /// Sets the observer of changes of tasks; replaces the previous one.
    pub fn observe(&self, observer: Observer) {
        *self.observer.write().unwrap_or_else(PoisonError::into_inner) = Some(observer);
    }

    /// Tells of a task that ran, or asked, when the program ended. Once, at the start of the daemon.
    pub fn tell_left_over(&self) {
        let left =
            self.view().filter(|task| matches!(task.state, TaskState::Interrupted | TaskState::Asking));
        if let Some(task) = left {
            if task.state == TaskState::Interrupted {
                // Told once: the next start finds one that is over.
                self.keep(&TaskView { state: TaskState::Stopped, ..task.clone() });
            }
            self.tell(&task);
        }
    }

    /// The workspaces.
    pub fn workspaces(&self) -> &Workspaces {
        &self.workspaces
    }

    /// The workspace that was chosen, where it is still there; else the usual one.
    pub fn chosen(&self) -> String {
        let chosen = self.state_dir.as_ref().and_then(|dir| std::fs::read_to_string(dir.join(CHOSEN)).ok());
        let chosen = chosen.filter(|name| self.workspaces.path(name).is_ok());
        chosen.unwrap_or_else(|| self.config.default_workspace.clone())
    }

    /// Chooses a workspace for tasks to come, as people say its name.
    ///
    /// # Errors
    /// When there is none or several of the name, or the choice cannot be kept.
    pub fn choose(&self, said: &str) -> Result<String, DelegationError> {
        let name = self.workspaces.find(said)?;
        self.keep_chosen(&name)?;
        Ok(name)
    }

    /// Makes a workspace, and chooses it.
    ///
    /// # Errors
    /// As [`Workspaces::create`]; when the choice cannot be kept.
    pub fn create(&self, said: &str) -> Result<String, DelegationError> {
        let name = self.workspaces.create(said)?;
        self.keep_chosen(&name)?;
        Ok(name)
    }

    fn keep_chosen(&self, name: &str) -> Result<(), DelegationError> {
        let Some(dir) = &self.state_dir else { return Ok(()) };
        write_whole(&dir.join(CHOSEN), name).map_err(|error| DelegationError::Failed(error.to_string()))
    }

    /// Whether a task could be begun here: a folder, a sandbox, and one of the programs.
    ///
    /// # Errors
    /// What is missing.
    pub fn ready(&self) -> Result<(), DelegationError> {
        self.workspaces.root()?;
        self.sandbox.ready()?;
        let is_there = adapters().iter().any(|adapter| self.program(adapter.as_ref()).is_ok());
        if is_there { Ok(()) } else { Err(DelegationError::NoProgram) }
    }

    /// What it works with, for `hark doctor`, after a trial of the sandbox. On the runtime.
    ///
    /// # Errors
    /// What is missing, or why the sandbox cannot be made.
    pub async fn examined(&self) -> Result<String, DelegationError> {
        self.ready()?;
        let root = self.workspaces.root()?.to_owned();
        let proxy = self.proxy()?;
        let command = self.sandbox.trial((&root, "."), self.way_out(proxy.as_ref()))?;
        let done = tokio::time::timeout(STOP_WITHIN, run(command, String::new(), |_| {})).await;
        let why = match done {
            Ok(Ok(Exit { code: Some(0), .. })) => None,
            Ok(Ok(exit)) => Some(exit.complaint.trim().to_owned()),
            Ok(Err(error)) => Some(error.to_string()),
            Err(_) => Some("nothing answered".to_owned()),
        };
        if let Some(why) = why {
            return Err(DelegationError::SandboxRefused(self.sandbox.title(), why));
        }
        let there = adapters().iter().filter(|adapter| self.program(adapter.as_ref()).is_ok());
        let there: Vec<&str> = there.map(|adapter| adapter.title()).collect();
        let count = self.workspaces.list()?.len();
        Ok(format!(
            "{} in {}, {count} workspaces in {}",
            there.join(", "),
            self.sandbox.title(),
            root.display()
        ))
    }

    /// The task that runs, asks, or was the last.
    pub fn view(&self) -> Option<TaskView> {
        self.current().task.clone()
    }

    /// Who would do it, and where; changes nothing.
    ///
    /// # Errors
    /// When a program or a workspace is not there, or a task is at work already.
    pub fn plan(&self, requested: &Requested) -> Result<(String, String), DelegationError> {
        let adapter = self.adapter(requested.to.as_deref())?;
        let workspace = self.workspace(requested)?;
        match self.view().filter(|task| task.state.is_open()) {
            Some(task) => Err(DelegationError::Busy(task.goal)),
            None => Ok((adapter.title().to_owned(), workspace)),
        }
    }

    /// Begins a task. On the runtime; it goes on there.
    ///
    /// # Errors
    /// As [`Delegation::plan`]; when the workspace cannot be made.
    pub fn begin(self: &Arc<Self>, requested: Requested) -> Result<TaskView, DelegationError> {
        let adapter = self.adapter(requested.to.as_deref())?;
        let workspace = self.workspace(&requested)?;
        let path = match self.workspaces.path(&workspace) {
            Ok(path) => path,
            Err(DelegationError::UnknownWorkspace(name)) => {
                let made = self.workspaces.create(&name)?;
                self.workspaces.path(&made)?
            }
            Err(error) => return Err(error),
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let task = TaskView {
            id: uuid::Uuid::now_v7().to_string(),
            adapter: adapter.id().to_owned(),
            program: adapter.title().to_owned(),
            workspace: name,
            conversation: requested.conversation,
            language: requested.language,
            state: TaskState::Running,
            question: String::new(),
            words: String::new(),
            lines: Vec::new(),
            file: String::new(),
            summary: String::new(),
            error: String::new(),
            changes: Changes::default(),
            began_unix: unix_seconds(),
            session: None,
            goal: requested.goal,
        };
        let before = Arc::new(Snapshot::of(&path));
        let mut current = self.current();
        if let Some(open) = current.task.as_ref().filter(|task| task.state.is_open()) {
            return Err(DelegationError::Busy(open.goal.clone()));
        }
        let input = adapter.format_goal(&task.goal);
        *current = Current { task: Some(task.clone()), before, running: None };
        drop(current);
        self.go(&task, adapter, path, input);
        Ok(task)
    }

    /// Goes on with an answer to what the task asks.
    ///
    /// # Errors
    /// When there is no task, or it asks nothing.
    pub fn answer(self: &Arc<Self>, answer: &str) -> Result<TaskView, DelegationError> {
        let mut current = self.current();
        let task = current.task.as_mut().ok_or(DelegationError::NoTask)?;
        if task.state != TaskState::Asking {
            return Err(if task.state.is_open() {
                DelegationError::AsksNothing
            } else {
                DelegationError::NoTask
            });
        }
        let adapter = self.adapter(Some(&task.adapter))?;
        let path = self.workspaces.path(&task.workspace)?;
        (task.state, task.question) = (TaskState::Running, String::new());
        let task = task.clone();
        if current.before == Arc::default() {
            current.before = Arc::new(Snapshot::of(&path));
        }
        drop(current);
        self.go(&task, adapter, path, answer.to_owned());
        Ok(task)
    }

    /// Ends the task, and waits until it has ended.
    ///
    /// # Errors
    /// When there is none, or it does not end.
    pub async fn stop(&self) -> Result<TaskView, DelegationError> {
        let running = {
            let mut current = self.current();
            let task = current.task.as_mut().filter(|task| task.state.is_open());
            let task = task.ok_or(DelegationError::NoTask)?;
            if task.state == TaskState::Asking {
                (task.state, task.question) = (TaskState::Stopped, String::new());
                let task = task.clone();
                drop(current);
                self.keep(&task);
                self.tell(&task);
                return Ok(task);
            }
            let running = current.running.as_mut();
            running.map(|running| (running.stop.take(), running.ended.clone()))
        };
        let Some((stop, mut ended)) = running else { return Err(DelegationError::NoTask) };
        if let Some(stop) = stop {
            // It may have ended by itself meanwhile.
            let _ = stop.send(());
        }
        match tokio::time::timeout(STOP_WITHIN, ended.wait_for(|ended| *ended)).await {
            Ok(_) => self.view().ok_or(DelegationError::NoTask),
            Err(_) => Err(DelegationError::Failed("the task did not end".into())),
        }
    }

    /// Ends what runs, also in a container, because Hark ends; the next start tells that it was interrupted.
    pub async fn end(&self) {
        self.is_ending.store(true, Ordering::SeqCst);
        let is_running = self.view().is_some_and(|task| task.state == TaskState::Running);
        if is_running && let Err(error) = self.stop().await {
            tracing::error!(%error, "a task may go on");
        }
    }

    fn adapter(&self, called: Option<&str>) -> Result<Arc<dyn Adapter>, DelegationError> {
        let called = called.unwrap_or(self.config.program.id()).trim().to_lowercase();
        let found = adapters().iter().find(|adapter| adapter.names().contains(&called));
        let adapter = found.ok_or(DelegationError::UnknownProgram(called))?;
        self.program(adapter.as_ref())?;
        Ok(adapter.clone())
    }

    /// The file of an adapter's program.
    fn program(&self, adapter: &dyn Adapter) -> Result<PathBuf, DelegationError> {
        let (program, _) = self.config.program_of(adapter.id()).unwrap_or((adapter.program(), ""));
        let found = self.sandbox.find(&expand(program).to_string_lossy());
        found.ok_or_else(|| DelegationError::NotInstalled {
            title: adapter.title().to_owned(),
            install: adapter.install().to_owned(),
        })
    }

    /// Opens the sandbox's way out; `None` where it has none, or a network that is not Hark's.
    fn proxy(&self) -> Result<Option<Proxy>, DelegationError> {
        let egress = self.egress.as_ref().filter(|_| self.sandbox.has_own_network());
        egress.map(|egress| Proxy::open(egress.reach.clone())).transpose()
    }

    /// The forwarder and the socket of a proxy.
    fn way_out<'p>(&'p self, proxy: Option<&'p Proxy>) -> Option<(&'p Path, &'p Path)> {
        Some((self.egress.as_ref()?.forwarder.as_path(), proxy?.socket()))
    }

    /// Where it is worked at: as it was said, in the one whose name the goal has, else in the chosen one.
    fn workspace(&self, requested: &Requested) -> Result<String, DelegationError> {
        match requested.workspace.as_deref() {
            Some(said) => self.workspaces.find(said),
            None => Ok(self.workspaces.named_in(&requested.goal)?.unwrap_or_else(|| self.chosen())),
        }
    }

    /// Runs the program once, and takes what becomes of it. That it runs is kept and told first: it may end at once.
    fn go(self: &Arc<Self>, task: &TaskView, adapter: Arc<dyn Adapter>, path: PathBuf, input: String) {
        self.keep(task);
        self.tell(task);
        let (stop, stopped) = oneshot::channel();
        let (end, ended) = watch::channel(false);
        self.current().running = Some(Running { stop: Some(stop), ended });
        let this = Arc::clone(self);
        tokio::spawn(async move {
            this.work(adapter, path, input, stopped).await;
            // Nobody may wait for it.
            let _ = end.send(true);
        });
    }

    async fn work(
        &self,
        adapter: Arc<dyn Adapter>,
        path: PathBuf,
        input: String,
        stopped: oneshot::Receiver<()>,
    ) {
        let number = Mutex::new(None);
        let limit = Duration::from_secs(u64::from(self.config.max_minutes) * 60);
        let end = tokio::select! {
            end = self.run_once(adapter.as_ref(), &path, input, &number) => end,
            _ = stopped => Ok(End::Stopped),
            () = tokio::time::sleep(limit) => Ok(End::TooLong),
        };
        let number = *number.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(command) = number.and_then(|number| self.sandbox.ends(number)) {
            // What has ended by itself is not there any more, which is as good.
            let _ = tokio::time::timeout(STOP_WITHIN, run(command, String::new(), |_| {})).await;
        }
        if self.is_ending.load(Ordering::SeqCst) {
            return;
        }
        let before = self.current().before.clone();
        let changes = tokio::task::spawn_blocking(move || before.changes(&Snapshot::of(&path))).await;
        let task = {
            let mut current = self.current();
            let Some(task) = current.task.as_mut() else { return };
            task.changes = changes.unwrap_or_default();
            self.conclude(task, adapter.as_ref(), end);
            task.clone()
        };
        self.keep(&task);
        self.tell(&task);
    }

    async fn run_once(
        &self,
        adapter: &dyn Adapter,
        path: &Path,
        input: String,
        number: &Mutex<Option<u32>>,
    ) -> Result<End, DelegationError> {
        let (session, workspace) = {
            let current = self.current();
            let task = current.task.as_ref().ok_or(DelegationError::NoTask)?;
            (task.session.clone(), task.workspace.clone())
        };
        let program = self.program(adapter)?;
        let mut environment = adapter.environment().clone();
        environment.extend(self.key(adapter)?);
        let proxy = self.proxy()?;
        let command = self.sandbox.command(Program {
            path: &program,
            args: adapter.arguments(session.as_deref()),
            workspace: (path, &workspace),
            environment,
            way_out: self.way_out(proxy.as_ref()),
        })?;
        let (said, file) = self.view().map(|task| (task.lines, task.file)).unwrap_or_default();
        let heard = Mutex::new(Heard::after(said, file));
        let running = run(command, input, |line| {
            if let Some(own) = line.strip_prefix(NUMBER) {
                let mut number = number.lock().unwrap_or_else(PoisonError::into_inner);
                *number = number.or(own.trim().parse().ok());
                return;
            }
            let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
            adapter.read(line).into_iter().for_each(|told| heard.take(told));
        });
        tokio::pin!(running);
        // What was said last is reported also when nothing follows for a while.
        let mut reports = tokio::time::interval(REPORT_EVERY);
        let exit = loop {
            tokio::select! {
                exit = &mut running => break exit,
                _ = reports.tick() => self.note(&heard.lock().unwrap_or_else(PoisonError::into_inner)),
            }
        };
        let heard = std::mem::take(&mut *heard.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(End::Exit(exit, heard))
    }

    /// Notes what was heard, and reports it where it is new.
    fn note(&self, heard: &Heard) {
        let mut current = self.current();
        let Some(task) = current.task.as_mut() else { return };
        let is_known = heard.lines() == task.lines && heard.last_words() == task.words;
        if is_known && heard.file == task.file {
            return;
        }
        task.hear(heard);
        let task = task.clone();
        drop(current);
        self.tell(&task);
    }

    /// Writes into the task how a run of its program ended.
    fn conclude(&self, task: &mut TaskView, adapter: &dyn Adapter, end: Result<End, DelegationError>) {
        let failed = |task: &mut TaskView, why: String| {
            (task.state, task.error) = (TaskState::Failed, cleaned(&why, MAX_ERROR).0);
        };
        let (exit, heard) = match end {
            Ok(End::Stopped) => {
                task.state = TaskState::Stopped;
                return;
            }
            Ok(End::TooLong) => {
                return failed(task, format!("it was stopped after {} minutes", self.config.max_minutes));
            }
            Ok(End::Exit(Ok(exit), heard)) => (exit, heard),
            Ok(End::Exit(Err(error), _)) => return failed(task, format!("it could not be started: {error}")),
            Err(error) => return failed(task, error.to_string()),
        };
        task.hear(&heard);
        task.session = heard.session.clone().or_else(|| task.session.take());
        let complaint = exit.complaint.trim().lines().next_back().unwrap_or_default().to_owned();
        if exit.said_too_much {
            return failed(task, "it said more than is read".into());
        }
        if let Some(why) = heard.failed.clone().filter(|_| !heard.has_finished) {
            return failed(task, if why.is_empty() { complaint } else { why });
        }
        match exit.code {
            Some(0) => {}
            Some(code) if complaint.is_empty() => {
                return failed(task, format!("it ended with exit code {code}"));
            }
            Some(code) => return failed(task, format!("it ended with exit code {code}: {complaint}")),
            None => return failed(task, "it was ended by a signal".into()),
        }
        match adapter.question(&task.words, !task.changes.is_empty()).filter(|_| task.session.is_some()) {
            Some(question) => (task.state, task.question) = (TaskState::Asking, question),
            None => (task.state, task.summary) = (TaskState::Done, adapter.summary(&task.words)),
        }
    }

    /// The variable with the key, where a file of it is named.
    fn key(&self, adapter: &dyn Adapter) -> Result<Option<(String, String)>, DelegationError> {
        let file = self.config.program_of(adapter.id()).map_or("", |(_, file)| file.trim());
        if file.is_empty() {
            return Ok(None);
        }
        let key = std::fs::read_to_string(expand(file)).map_err(|error| {
            DelegationError::Key(adapter.title().to_owned(), file.to_owned(), error.to_string())
        })?;
        Ok(Some((adapter.key_variable().to_owned(), key.trim().to_owned())))
    }

    fn current(&self) -> MutexGuard<'_, Current> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the task for the next start.
    fn keep(&self, task: &TaskView) {
        let Some(dir) = &self.state_dir else { return };
        let text = serde_json::to_string_pretty(task).unwrap_or_default();
        if let Err(error) = write_whole(&dir.join(KEPT), text) {
            tracing::error!("a task is not known after a restart: {error}");
        }
    }

    fn tell(&self, task: &TaskView) {
        let observer = self.observer.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(observer) = observer {
            observer(task);
        }
    }
}

/// The time, in seconds since the Unix epoch.
fn unix_seconds() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

#[cfg(test)]
#[path = "task_tests.rs"]
mod tests;

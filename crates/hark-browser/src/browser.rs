//! The browser's life: it is started with the first page, ended when nothing was asked of it for some time, and ended with
//! [`Browser::end`]. One act at a time. Everything runs on the tokio runtime of the first caller.

use crate::error::BrowserError;
use crate::launch::{Complaint, Launch, private_folder};
use crate::page::Page;
use crate::pipe::{Command, Pipe};
use crate::proxy::{self, Closed, Refused};
use hark_config::browser::BrowserConfig;
use hark_net::reach::Reach;
use serde_json::{Value, json};
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};
use tokio::process::Child;
use tokio::sync::{MappedMutexGuard, MutexGuard};
use tokio::task::JoinSet;

/// Time a start may take: a small computer with a cold disk needs most of it.
const START_LIMIT: Duration = Duration::from_secs(20);
/// Time a call to the browser as a whole may take.
const LIMIT: Duration = Duration::from_secs(5);
/// Time an end may take before it is forced.
const END_LIMIT: Duration = Duration::from_secs(3);
/// How often it is looked whether something has come.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Hark's Chromium; cheap to clone.
#[derive(Clone)]
pub struct Browser(Arc<Inner>);

struct Inner {
    launch: Launch,
    shots: PathBuf,
    trial: PathBuf,
    idle: Duration,
    reach: Arc<dyn Reach>,
    running: tokio::sync::Mutex<Option<Running>>,
    used: Mutex<Instant>,
}

/// A Chromium that runs.
pub(crate) struct Running {
    /// The connection to it.
    pub(crate) pipe: Pipe,
    /// What it wanted to reach and may not.
    pub(crate) refused: Refused,
    pages: Arc<Mutex<Vec<Open>>>,
    version: String,
    child: Child,
    /// The connection, the proxy, what is complained about, and the end after a while.
    tasks: JoinSet<()>,
}

/// A page that is open.
struct Open {
    page: Page,
    is_loading: bool,
}

impl Browser {
    /// As the configuration says, with profile and screenshots in `browser` of the state folder. Nothing is started.
    pub fn new(config: &BrowserConfig, state_dir: PathBuf, reach: Arc<dyn Reach>) -> Self {
        let folder = state_dir.join("browser");
        let launch = Launch {
            program: config.program.clone(),
            sandbox: config.sandbox,
            headless: config.headless,
            profile: folder.join("profile"),
        };
        Self(Arc::new(Inner {
            launch,
            shots: folder.join("screenshots"),
            trial: folder.join("trial"),
            idle: Duration::from_secs(60 * u64::from(config.idle_min)),
            reach,
            running: tokio::sync::Mutex::default(),
            used: Mutex::new(Instant::now()),
        }))
    }

    /// No browser at all.
    pub fn none() -> Self {
        let config = BrowserConfig { program: "none".into(), ..BrowserConfig::default() };
        Self::new(&config, PathBuf::new(), Arc::new(Closed))
    }

    /// Whether it could be started.
    ///
    /// # Errors
    /// When there is no Chromium, it is switched off, or has no sandbox here.
    pub fn is_there(&self) -> Result<(), BrowserError> {
        self.0.launch.found().map(drop)
    }

    /// Starts it once, with a profile that is removed again; which version it is, and whether it has a window.
    ///
    /// # Errors
    /// When it cannot be started.
    pub async fn examined(&self) -> Result<String, BrowserError> {
        let launch = Launch { profile: self.0.trial.clone(), headless: true, ..self.0.launch.clone() };
        let running = Running::start(&launch, Arc::new(Closed)).await;
        let version = running.as_ref().map(|running| running.version.clone()).map_err(Clone::clone);
        if let Ok(running) = running {
            running.end().await;
        }
        let folder = self.0.trial.clone();
        // What cannot be removed is taken again by the next trial.
        let _ = tokio::task::spawn_blocking(move || std::fs::remove_dir_all(folder)).await;
        let how = if self.0.launch.is_visible() { "with a window" } else { "without a window" };
        Ok(format!("{} starts, {how}", version?))
    }

    /// Ends it, when it runs.
    pub async fn end(&self) {
        let running = self.0.running.lock().await.take();
        if let Some(running) = running {
            running.end().await;
        }
    }

    /// Where screenshots lie.
    pub(crate) fn shots(&self) -> PathBuf {
        self.0.shots.clone()
    }

    /// The page that is open, locked: no other act runs while the guard is held.
    ///
    /// # Errors
    /// When none is.
    pub(crate) async fn page(&self) -> Result<Held<'_>, BrowserError> {
        let place = self.0.running.lock().await;
        let running = MutexGuard::try_map(place, Option::as_mut).map_err(|_| BrowserError::NoPage)?;
        let page = running.page().filter(|_| running.pipe.is_open()).ok_or(BrowserError::NoPage)?;
        Ok(self.held(running, page))
    }

    /// The page that is open or, where none is, a new one; the browser is started where it does not run.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(crate) async fn any_page(&self) -> Result<Held<'_>, BrowserError> {
        let mut place = self.0.running.lock().await;
        if !place.as_ref().is_some_and(|running| running.pipe.is_open()) {
            *place = None;
            let mut running = Running::start(&self.0.launch, Arc::clone(&self.0.reach)).await?;
            self.note_use();
            running.tasks.spawn(end_when_idle(Arc::downgrade(&self.0)));
            *place = Some(running);
        }
        let running = MutexGuard::try_map(place, Option::as_mut).map_err(|_| BrowserError::Ended)?;
        let page = running.any_page().await?;
        Ok(self.held(running, page))
    }

    fn held<'b>(&'b self, running: MappedMutexGuard<'b, Running>, page: Page) -> Held<'b> {
        self.note_use();
        Held { running, page, browser: self }
    }

    fn note_use(&self) {
        *self.0.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }
}

/// The browser with a page, for one act.
pub(crate) struct Held<'b> {
    running: MappedMutexGuard<'b, Running>,
    /// The page.
    pub(crate) page: Page,
    browser: &'b Browser,
}

impl Deref for Held<'_> {
    type Target = Running;

    fn deref(&self) -> &Running {
        &self.running
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.browser.note_use();
    }
}

/// Ends the browser when nothing was asked of it for some time.
async fn end_when_idle(browser: Weak<Inner>) {
    loop {
        let Some(inner) = browser.upgrade() else { return };
        let since = || inner.used.lock().unwrap_or_else(PoisonError::into_inner).elapsed();
        let left = inner.idle.saturating_sub(since());
        if left.is_zero() {
            let mut place = inner.running.lock().await;
            // An act may have come meanwhile.
            if since() >= inner.idle {
                tracing::info!("the browser is closed: nothing was asked of it for a while");
                let running = place.take();
                drop(place);
                if let Some(running) = running {
                    running.end().await;
                }
                return;
            }
            continue;
        }
        drop(inner);
        tokio::time::sleep(left).await;
    }
}

impl Running {
    async fn start(launch: &Launch, reach: Arc<dyn Reach>) -> Result<Self, BrowserError> {
        let failed = |error: std::io::Error| BrowserError::Start(error.to_string());
        let profile = launch.profile.clone();
        let made = tokio::task::spawn_blocking(move || private_folder(&profile)).await;
        made.map_err(|error| BrowserError::Start(error.to_string()))?.map_err(failed)?;
        let (listener, port) = proxy::open().await.map_err(failed)?;
        let (mut child, stdin, stdout) = launch.start(port)?;
        let (refused, complaint, mut tasks) = (Refused::default(), Complaint::default(), JoinSet::new());
        tasks.spawn(proxy::serve(listener, reach, refused.clone()));
        if let Some(stderr) = child.stderr.take() {
            tasks.spawn(complaint.clone().follow(stderr));
        }
        let pages = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&pages);
        let events = move |method: &str, params: &Value, session: Option<&str>| {
            follow(&mut seen.lock().unwrap_or_else(PoisonError::into_inner), method, params, session)
        };
        let (pipe, work) = Pipe::new(stdin, stdout, Arc::new(events));
        tasks.spawn(work);
        let running = Self { pipe, refused, pages, version: String::new(), child, tasks };
        match running.begin().await {
            Ok(version) => Ok(Self { version, ..running }),
            Err(BrowserError::Ended) => Err(BrowserError::Start(complaint.last())),
            Err(error) => Err(error),
        }
    }

    /// First commands: asks its version, forbids downloads, and subscribes to new pages.
    async fn begin(&self) -> Result<String, BrowserError> {
        let version = self.pipe.call("Browser.getVersion", json!({}), None, START_LIMIT).await?;
        self.of_browser("Browser.setDownloadBehavior", json!({"behavior": "deny"})).await?;
        let pages_only = json!([{"type": "page", "exclude": false}, {"exclude": true}]);
        let attach = json!({
            "autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true, "filter": pages_only,
        });
        self.of_browser("Target.setAutoAttach", attach).await?;
        Ok(version["product"].as_str().unwrap_or("Chromium").replace('/', " "))
    }

    /// Calls a method of the browser as a whole.
    pub(crate) async fn of_browser(&self, method: &str, params: Value) -> Result<Value, BrowserError> {
        self.pipe.call(method, params, None, LIMIT).await
    }

    /// The page that was opened last.
    pub(crate) fn page(&self) -> Option<Page> {
        let pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        pages.last().map(|open| open.page.clone())
    }

    /// That, or a new one where all were closed.
    async fn any_page(&self) -> Result<Page, BrowserError> {
        // The first one is told of soon after the start.
        let waiting = async {
            loop {
                if let Some(page) = self.page() {
                    return page;
                }
                tokio::time::sleep(LOOK_EVERY).await;
            }
        };
        if let Ok(page) = tokio::time::timeout(Duration::from_secs(1), waiting).await {
            return Ok(page);
        }
        self.of_browser("Target.createTarget", json!({"url": "about:blank"})).await?;
        let begun = Instant::now();
        while begun.elapsed() < LIMIT {
            if let Some(page) = self.page() {
                return Ok(page);
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Err(BrowserError::Timeout)
    }

    /// Whether the page that was opened last is still being loaded.
    pub(crate) fn is_loading(&self) -> bool {
        let pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        pages.last().is_some_and(|open| open.is_loading)
    }

    /// Closes it as its user would, and ends it when it does not go.
    async fn end(mut self) {
        let closing = async {
            let _ = self.of_browser("Browser.close", json!({})).await;
            self.child.wait().await
        };
        if tokio::time::timeout(END_LIMIT, closing).await.is_err() {
            // Ended already is fine.
            let _ = self.child.kill().await;
        }
    }
}

/// Takes in what happened to pages; what is to be answered.
fn follow(pages: &mut Vec<Open>, method: &str, params: &Value, session: Option<&str>) -> Vec<Command> {
    let named = session.map(str::to_owned);
    let mut of_frame = |is_loading: bool| {
        let open = pages.iter_mut().find(|open| Some(open.page.session.as_str()) == session);
        // The main frame is called as its page is.
        if let Some(open) = open.filter(|open| params["frameId"] == open.page.target.as_str()) {
            open.is_loading = is_loading;
        }
        Vec::new()
    };
    match method {
        "Page.frameStartedLoading" => of_frame(true),
        "Page.frameStoppedLoading" => of_frame(false),
        "Target.attachedToTarget" => {
            let (target, session) = (&params["targetInfo"]["targetId"], &params["sessionId"]);
            let (Some(target), Some(session)) = (target.as_str(), session.as_str()) else {
                return Vec::new();
            };
            let page = Page { target: target.to_owned(), session: session.to_owned() };
            pages.push(Open { page, is_loading: false });
            let at = |method, params| (method, params, Some(session.to_owned()));
            vec![
                at("Page.enable", json!({})),
                at("Inspector.enable", json!({})),
                // Nobody could close the window in which a file is chosen.
                at("Page.setInterceptFileChooserDialog", json!({"enabled": true})),
            ]
        }
        "Target.detachedFromTarget" => {
            pages.retain(|open| params["sessionId"] != open.page.session.as_str());
            Vec::new()
        }
        "Inspector.targetCrashed" => {
            let at = pages.iter().position(|open| Some(open.page.session.as_str()) == session);
            let crashed = at.map(|at| pages.remove(at).page.target);
            crashed
                .into_iter()
                .map(|target| ("Target.closeTarget", json!({"targetId": target}), None))
                .collect()
        }
        "Page.javascriptDialogOpening" => {
            // A page waits in its dialog until somebody answers; what it asks is not agreed to.
            let is_told = matches!(params["type"].as_str(), Some("alert" | "beforeunload"));
            vec![("Page.handleJavaScriptDialog", json!({"accept": is_told}), named)]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attach(pages: &mut Vec<Open>, target: &str, session: &str) -> Vec<Command> {
        let params = json!({"sessionId": session, "targetInfo": {"targetId": target, "type": "page"}});
        follow(pages, "Target.attachedToTarget", &params, None)
    }

    #[test]
    fn the_last_page_counts_and_only_its_main_frame_loads() {
        let mut pages = Vec::new();
        let first = attach(&mut pages, "t1", "s1");
        assert!(first.iter().all(|(_, _, session)| session.as_deref() == Some("s1")));
        attach(&mut pages, "t2", "s2");
        let loads = |pages: &mut Vec<Open>, frame: &str, method: &str| {
            follow(pages, method, &json!({"frameId": frame}), Some("s2"));
            pages.last().unwrap().is_loading
        };
        assert!(!loads(&mut pages, "an iframe", "Page.frameStartedLoading"));
        assert!(loads(&mut pages, "t2", "Page.frameStartedLoading"));
        assert!(!loads(&mut pages, "t2", "Page.frameStoppedLoading"));
        follow(&mut pages, "Target.detachedFromTarget", &json!({"sessionId": "s2"}), None);
        assert_eq!(pages.last().unwrap().page.target, "t1");
        let told = follow(&mut pages, "Inspector.targetCrashed", &json!({}), Some("s1"));
        assert_eq!((told[0].0, pages.len()), ("Target.closeTarget", 0));
    }

    #[test]
    fn a_dialog_is_answered_and_agreed_to_nothing() {
        let accepts = |kind: &str| {
            let told =
                follow(&mut Vec::new(), "Page.javascriptDialogOpening", &json!({"type": kind}), Some("s"));
            told[0].1["accept"].as_bool().unwrap()
        };
        assert!(accepts("alert") && accepts("beforeunload") && !accepts("confirm") && !accepts("prompt"));
    }
}

//! Follows folders and repositories, and tells the home. Two threads: `hark-watch` waits for the system's word of folders,
//! looks at them, and shows what happened for a moment; `hark-watch-git` asks Git now and then.

use crate::folder::{Happened, Listing};
use crate::git;
use crate::things::{AWAY, FOLDER, QUIET, REPOSITORY, id};
use hark_config::watch::WatchConfig;
use hark_config::write_private;
use hark_core::ports::{HomeSink, StateReport};
use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use serde_json::Map;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// A folder is looked at when nothing has happened in it for this long: a file is written in many steps.
const SETTLED: Duration = Duration::from_millis(700);
/// After this long it is looked at all the same.
const LATEST: Duration = Duration::from_secs(20);
/// How long a folder shows what happened.
const SHOWN: Duration = Duration::from_millis(1500);
/// How often folders are looked at without the system's word: one may not be there yet, or be a share of another machine.
const LOOK_EVERY: Duration = Duration::from_secs(30);
/// Words of the system that may wait: a share that hangs keeps the thread from taking them.
const MAX_WAITING: usize = 1000;
/// File of what is known of folders, in the state folder.
const KEPT: &str = "watch.json";

/// Ends with [`Watcher::stop`].
pub struct Watcher {
    stops: Vec<SyncSender<Told>>,
    threads: Vec<JoinHandle<()>>,
}

/// What a thread is told.
enum Told {
    /// Something happened at these paths.
    Paths(Vec<PathBuf>),
    /// Something happened, and where is not known.
    Anywhere,
    /// It is to end.
    Stop,
}

impl Watcher {
    /// Starts to follow what `config` names; none where it names nothing. What changed in folders since the last end, as
    /// `state_dir` has it, is told first.
    ///
    /// # Errors
    /// When a thread cannot be started.
    pub fn start(config: &WatchConfig, state_dir: &Path, home: Arc<dyn HomeSink>) -> std::io::Result<Self> {
        let mut started = Self { stops: Vec::new(), threads: Vec::new() };
        let folders = config.named_folders();
        if !folders.is_empty() {
            let (tell, told) = sync_channel(MAX_WAITING);
            let folders = Folders::new(folders, state_dir, Arc::clone(&home), tell.clone());
            started.stops.push(tell);
            started
                .threads
                .push(Builder::new().name("hark-watch".into()).spawn(move || folders.follow(&told))?);
        }
        let repositories = config.named_repositories();
        if !repositories.is_empty() {
            let (tell, told) = sync_channel(1);
            let (fetch, every) =
                (config.git_fetch, Duration::from_secs(u64::from(config.git_every_min) * 60));
            started.stops.push(tell);
            let work = move || follow_repositories(&repositories, fetch, every, home.as_ref(), &told);
            started.threads.push(Builder::new().name("hark-watch-git".into()).spawn(work)?);
        }
        Ok(started)
    }

    /// Ends the threads and waits for them.
    pub fn stop(self) {
        for stop in self.stops {
            // It may have ended by itself.
            let _ = stop.send(Told::Stop);
        }
        for thread in self.threads {
            if thread.join().is_err() {
                tracing::error!("a thread that watches had panicked");
            }
        }
    }
}

/// The folders and what is known of them.
struct Folders {
    all: Vec<Folder>,
    kept: PathBuf,
    home: Arc<dyn HomeSink>,
    /// The system's word; none where it gives none.
    system: Option<RecommendedWatcher>,
    /// More was told than may wait.
    overflowed: Arc<AtomicBool>,
}

struct Folder {
    name: String,
    path: PathBuf,
    known: Option<Listing>,
    is_followed: bool,
    /// When the first and the last thing happened that was not looked at.
    stirred: Option<(Instant, Instant)>,
}

impl Folder {
    fn holds(&self, paths: &[PathBuf]) -> bool {
        paths.iter().any(|path| path.parent() == Some(&self.path) || *path == self.path)
    }
}

/// Hands the system's word on. What does not fit is left out, as all folders are looked at then.
fn handler(
    tell: SyncSender<Told>,
    overflowed: Arc<AtomicBool>,
) -> impl FnMut(notify::Result<notify::Event>) + Send + 'static {
    move |event| {
        let Some(word) = word(event) else { return };
        // The thread may have ended; then nobody watches any more.
        if let Err(TrySendError::Full(_)) = tell.try_send(word)
            && !overflowed.swap(true, Ordering::AcqRel)
        {
            tracing::warn!("more happens in folders than is looked at in time; all are looked at again");
        }
    }
}

/// What the system's word means; none where nothing has changed.
fn word(event: notify::Result<notify::Event>) -> Option<Told> {
    match event {
        Ok(event) if event.need_rescan() => {
            tracing::warn!("the system lost count of what happens in folders; all are looked at again");
            Some(Told::Anywhere)
        }
        // To look at a folder is to open it, which would have it looked at again for ever. A file that is written changes.
        Ok(event) if event.kind.is_access() => None,
        Ok(event) => Some(Told::Paths(event.paths)),
        Err(error) => {
            tracing::warn!(%error, "the system cannot tell what happens in folders; all are looked at again");
            Some(Told::Anywhere)
        }
    }
}

impl Folders {
    fn new(
        named: Vec<(String, PathBuf)>,
        state_dir: &Path,
        home: Arc<dyn HomeSink>,
        tell: SyncSender<Told>,
    ) -> Self {
        let kept = state_dir.join(KEPT);
        let read = std::fs::read(&kept).ok();
        let mut known: BTreeMap<PathBuf, Listing> =
            read.and_then(|read| serde_json::from_slice(&read).ok()).unwrap_or_default();
        let folder = |(name, path): (String, PathBuf)| {
            let known = known.remove(&path);
            Folder { name, path, known, is_followed: false, stirred: None }
        };
        let all = named.into_iter().map(folder).collect();
        let overflowed = Arc::new(AtomicBool::new(false));
        let system = notify::recommended_watcher(handler(tell, Arc::clone(&overflowed)));
        let system =
            system.map_err(|error| tracing::warn!(%error, "folders are only looked at now and then")).ok();
        Self { all, kept, home, system, overflowed }
    }

    fn follow(mut self, told: &Receiver<Told>) {
        loop {
            if self.look(told) {
                return;
            }
            if self.overflowed.swap(false, Ordering::AcqRel) {
                // What still waits is of these folders as well.
                if told.try_iter().any(|told| matches!(told, Told::Stop)) {
                    return;
                }
                self.stir(|_| true);
            }
            let wait = self.next_look();
            match told.recv_timeout(wait) {
                Ok(Told::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(Told::Paths(paths)) => self.stir(|folder| folder.holds(&paths)),
                Ok(Told::Anywhere) => self.stir(|_| true),
                Err(RecvTimeoutError::Timeout) if wait == LOOK_EVERY => self.stir_all(),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn stir(&mut self, happened_in: impl Fn(&Folder) -> bool) {
        let now = Instant::now();
        for folder in self.all.iter_mut().filter(|folder| happened_in(folder)) {
            let first = folder.stirred.map_or(now, |(first, _)| first);
            folder.stirred = Some((first, now));
        }
    }

    fn stir_all(&mut self) {
        let long_ago = Instant::now().checked_sub(SETTLED).unwrap_or_else(Instant::now);
        self.all.iter_mut().for_each(|folder| folder.stirred = Some((long_ago, long_ago)));
    }

    fn next_look(&self) -> Duration {
        let due = |folder: &Folder| folder.stirred.map(|(first, last)| (last + SETTLED).min(first + LATEST));
        let next = self.all.iter().filter_map(due).min();
        next.map_or(LOOK_EVERY, |next| {
            next.saturating_duration_since(Instant::now()).max(Duration::from_millis(10))
        })
    }

    /// Looks at each folder that is due, and shows what happened in it; whether it is to end.
    fn look(&mut self, told: &Receiver<Told>) -> bool {
        let now = Instant::now();
        let mut happened = Vec::new();
        let mut is_new = false;
        for (at, folder) in self.all.iter_mut().enumerate() {
            let is_due =
                folder.stirred.is_some_and(|(first, last)| now >= (last + SETTLED).min(first + LATEST));
            if folder.is_followed && !is_due {
                continue;
            }
            folder.stirred = None;
            if !folder.is_followed
                && let Some(system) = &mut self.system
            {
                folder.is_followed = system.watch(&folder.path, RecursiveMode::NonRecursive).is_ok();
            }
            let Ok(listing) = Listing::of(&folder.path) else {
                folder.is_followed = false;
                report(self.home.as_ref(), &folder.name, FOLDER, AWAY);
                continue;
            };
            report(self.home.as_ref(), &folder.name, FOLDER, QUIET);
            is_new |= folder.known.as_ref() != Some(&listing);
            match &folder.known {
                Some(known) => {
                    happened.extend(known.until(&listing).into_iter().map(|it| (at, it, listing.clone())))
                }
                None => folder.known = Some(listing),
            }
        }
        let mut is_over = false;
        for (at, kind, listing) in happened {
            is_over = self.show(at, kind, told);
            self.all[at].known.get_or_insert_default().follow(kind, &listing);
            if is_over {
                // What is left is told after the next start.
                break;
            }
        }
        if is_new {
            self.keep();
        }
        is_over
    }

    /// Shows for a moment what happened; whether it is to end.
    fn show(&mut self, at: usize, kind: Happened, told: &Receiver<Told>) -> bool {
        report(self.home.as_ref(), &self.all[at].name, FOLDER, kind.name());
        let until = Instant::now() + SHOWN;
        let is_over = loop {
            match told.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(Told::Paths(paths)) => self.stir(|folder| folder.holds(&paths)),
                Ok(Told::Anywhere) => self.stir(|_| true),
                Ok(Told::Stop) | Err(RecvTimeoutError::Disconnected) => break true,
                Err(RecvTimeoutError::Timeout) => break false,
            }
        };
        report(self.home.as_ref(), &self.all[at].name, FOLDER, QUIET);
        is_over
    }

    /// Keeps what is known, so that what happens while Hark is away is told afterwards, and nothing twice.
    fn keep(&self) {
        let known = self.all.iter().filter_map(|folder| Some((&folder.path, folder.known.as_ref()?)));
        let known: BTreeMap<_, _> = known.collect();
        let written = serde_json::to_vec(&known).map_err(std::io::Error::from);
        if let Err(error) = written.and_then(|written| write_private(&self.kept, written)) {
            tracing::error!("what happens in folders while Hark is away is not seen: {error}");
        }
    }
}

fn follow_repositories(
    all: &[(String, PathBuf)],
    fetch: bool,
    every: Duration,
    home: &dyn HomeSink,
    told: &Receiver<Told>,
) {
    loop {
        for (name, path) in all {
            match git::commits_behind(path, fetch) {
                Ok(commits) => {
                    let state = if commits == 0 { "level" } else { "behind" };
                    report(home, name, REPOSITORY, state);
                }
                Err(why) => {
                    tracing::warn!(repository = name, why, "it is not known whether it is behind");
                    report(home, name, REPOSITORY, AWAY);
                }
            }
        }
        match told.recv_timeout(every) {
            Err(RecvTimeoutError::Timeout) | Ok(Told::Paths(_) | Told::Anywhere) => {}
            Ok(Told::Stop) | Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

fn report(home: &dyn HomeSink, name: &str, class: &str, state: &str) {
    let (id, state) = (id(name, class), state.to_owned());
    home.report_all(vec![StateReport { id, state, attributes: Map::new() }]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::EntityId;
    use hark_core::home::{Area, Entity, Home, Person};
    use notify::event::{AccessKind, Flag, ModifyKind};
    use notify::{Event, EventKind};
    use std::fs;
    use std::sync::Mutex;

    /// Remembers the states that it is told.
    #[derive(Default)]
    struct States(Mutex<Vec<String>>);

    impl HomeSink for States {
        fn replace(&self, _source: &str, _part: Home) {}
        fn update(&self, _source: &str, _areas: Vec<Area>, _change: Vec<Entity>, _gone: &[EntityId]) {}
        fn people(&self, _source: &str, _persons: Vec<Person>) {}
        fn report_all(&self, reports: Vec<StateReport>) {
            let told = reports.into_iter().map(|it| format!("{} {}", it.id, it.state));
            self.0.lock().unwrap().extend(told);
        }
        fn away(&self, _source: &str) {}
    }

    impl States {
        /// Waits for something to be told.
        fn wait(&self, wanted: &str) {
            for _ in 0..400 {
                if self.0.lock().unwrap().iter().any(|told| told == wanted) {
                    return;
                }
                std::thread::sleep(Duration::from_millis(25));
            }
            panic!("{wanted} is not among {:#?}", self.0.lock().unwrap());
        }

        fn count(&self, state: &str) -> usize {
            self.0.lock().unwrap().iter().filter(|told| told.contains(state)).count()
        }
    }

    #[test]
    fn what_happens_in_a_folder_is_shown_also_what_happened_while_nobody_watched() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join("in").join(name);
        fs::create_dir(folder.path().join("in")).unwrap();
        fs::write(at("old"), "1").unwrap();
        let config = WatchConfig {
            folders: vec![format!("downloads={}", folder.path().join("in").display())],
            ..WatchConfig::default()
        };
        let states = Arc::new(States::default());
        let start = || Watcher::start(&config, folder.path(), states.clone()).unwrap();
        let watcher = start();
        states.wait("sensor.folder_downloads quiet");
        fs::write(at("film.mkv"), "1").unwrap();
        states.wait("sensor.folder_downloads added");
        fs::write(at("film.mkv"), "22").unwrap();
        states.wait("sensor.folder_downloads changed");
        watcher.stop();
        fs::remove_file(at("old")).unwrap();
        let watcher = start();
        states.wait("sensor.folder_downloads removed");
        watcher.stop();
        start().stop();
        let counts = [" added", " changed", " removed"].map(|state| states.count(state));
        assert_eq!(counts, [1, 1, 1], "nothing is told twice");
        assert!(states.0.lock().unwrap().last().unwrap().starts_with("sensor.folder_downloads quiet"));
    }

    #[test]
    fn to_look_at_a_folder_does_not_have_it_looked_at_again() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("in");
        fs::create_dir(&inner).unwrap();
        let config =
            WatchConfig { folders: vec![format!("in={}", inner.display())], ..WatchConfig::default() };
        let states = Arc::new(States::default());
        let watcher = Watcher::start(&config, folder.path(), states.clone()).unwrap();
        states.wait("sensor.folder_in quiet");
        std::thread::sleep(SETTLED * 4);
        assert_eq!(states.count("quiet"), 1, "each look tells it");
        watcher.stop();
    }

    #[test]
    fn what_is_told_while_nobody_takes_it_has_a_limit() {
        let (tell, told) = sync_channel(MAX_WAITING);
        let overflowed = Arc::new(AtomicBool::new(false));
        let mut handler = handler(tell, Arc::clone(&overflowed));
        let written = || Ok(Event::new(EventKind::Modify(ModifyKind::Any)).add_path("/in/a".into()));
        for _ in 0..MAX_WAITING {
            handler(written());
        }
        assert!(!overflowed.load(Ordering::Acquire));
        handler(written());
        assert!(overflowed.load(Ordering::Acquire));
        assert_eq!(told.try_iter().count(), MAX_WAITING);
    }

    #[test]
    fn where_the_system_lost_count_all_folders_are_looked_at() {
        let at = |kind| Event::new(kind).add_path("/in/a".into());
        assert!(matches!(word(Ok(at(EventKind::Modify(ModifyKind::Any)))), Some(Told::Paths(_))));
        assert!(word(Ok(at(EventKind::Access(AccessKind::Any)))).is_none());
        let lost = Event::new(EventKind::Other).set_flag(Flag::Rescan);
        assert!(matches!(word(Ok(lost)), Some(Told::Anywhere)));
        assert!(matches!(word(Err(notify::Error::generic("gone"))), Some(Told::Anywhere)));
    }
}

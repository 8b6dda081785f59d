//! Follows the names of the home: when things, places or lists come, go or are renamed, sentences are
//! compiled anew for every language, and then the recogniser learns them. Both go on with the old ones
//! until the new ones are there. States change nothing here.

use crate::app::event_queue::EventQueue;
use crate::app::faults::Faults;
use crate::app::faults::{no_thread, report};
use crate::app::language::live_grammar::LiveGrammar;
use hark_core::Fault;
use hark_models::memory;
use hark_stt::stt::grammar::Rebuilder;
use hark_telemetry::vitals;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Changes come in bursts (a source that has just connected): it is waited until none came for so long …
const QUIET: Duration = Duration::from_secs(1);
/// … but not longer than this; and this long is between the beginnings of two rebuilds at least.
const AT_MOST_EVERY: Duration = Duration::from_secs(5);

/// See the module.
pub(crate) struct Vocabulary {
    /// The first one is the one the recogniser learns.
    grammars: Vec<Arc<LiveGrammar>>,
    /// Marked as seen before the home is read.
    changes: Mutex<watch::Receiver<u64>>,
    /// Of every recogniser.
    rebuilders: Mutex<Vec<Rebuilder>>,
}

impl Vocabulary {
    /// `changes` wakes when the home has other names; `grammars` are as the home was when it was taken.
    pub(crate) fn new(grammars: Vec<Arc<LiveGrammar>>, changes: watch::Receiver<u64>) -> Self {
        Self { grammars, changes: Mutex::new(changes), rebuilders: Mutex::default() }
    }

    /// From now on this recogniser learns the names, until it is dropped.
    pub(crate) fn teach(&self, rebuilder: Rebuilder) {
        let mut rebuilders = self.rebuilders();
        rebuilders.retain(Rebuilder::is_wanted);
        rebuilders.push(rebuilder);
    }

    /// Lets go of what was kept for recognisers that are gone.
    pub(crate) fn forget_the_gone(&self) {
        self.rebuilders().retain(Rebuilder::is_wanted);
    }

    fn rebuilders(&self) -> MutexGuard<'_, Vec<Rebuilder>> {
        self.rebuilders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads and checks the sentences of every language without changing anything.
    ///
    /// # Errors
    /// Everything that is wrong with them.
    pub(crate) fn check(&self) -> Result<(), Faults> {
        let faults: Faults =
            self.grammars.iter().filter_map(|grammar| grammar.check().err()).flatten().collect();
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }

    /// Makes everything anew if the home has other names than before. Takes some tenths of a second then.
    ///
    /// # Errors
    /// What is wrong with sentences, or went wrong in the recogniser; whatever failed stays as it was.
    pub(crate) fn catch_up(&self) -> Result<(), Faults> {
        let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        // Its sender gone means that the home is, too.
        if !changes.has_changed().unwrap_or(false) {
            return Ok(());
        }
        changes.mark_unchanged();
        let mut faults = Faults::new();
        for grammar in &self.grammars {
            faults.extend(grammar.remake().err().into_iter().flatten());
        }
        faults.extend(self.tell_recognisers());
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }

    /// One after the other; whichever fails keeps its old names.
    fn tell_recognisers(&self) -> Faults {
        self.forget_the_gone();
        let rebuilders = self.rebuilders().clone();
        let Some(grammar) = self.grammars.first().filter(|_| !rebuilders.is_empty()) else {
            return Faults::new();
        };
        match grammar.now() {
            Ok(grammar) => rebuilders.iter().filter_map(|it| it.rebuild(grammar.clone()).err()).collect(),
            Err(faults) => vec![faults[0].clone()],
        }
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The thread that catches up with the home; dropping it ends it.
pub(crate) struct VocabularyThread {
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl VocabularyThread {
    /// Checks the grammars of the languages beside the usual one, then follows changes of the home. Faults go into the event
    /// queue.
    ///
    /// # Errors
    /// When the system has no thread left.
    pub(crate) fn start(
        vocabulary: Arc<Vocabulary>,
        runtime: tokio::runtime::Handle,
        event_queue: Arc<EventQueue>,
    ) -> Result<Self, Fault> {
        let (stop, stopped) = watch::channel(false);
        let follow = move || {
            vitals::stand_back(10);
            for fault in
                vocabulary.grammars.iter().skip(1).filter_map(|grammar| grammar.check().err()).flatten()
            {
                report(&event_queue, fault);
            }
            memory::give_back();
            follow(&vocabulary, &runtime, stopped, &event_queue);
        };
        let thread = std::thread::Builder::new().name("hark-vocabulary".into()).spawn(follow);
        let thread = thread.map_err(|error| no_thread("hark-vocabulary", &error))?;
        Ok(Self { stop, thread: Some(thread) })
    }
}

impl Drop for VocabularyThread {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was already printed; there is nobody left to tell.
            let _ = thread.join();
        }
    }
}

fn follow(
    vocabulary: &Vocabulary,
    runtime: &tokio::runtime::Handle,
    mut stopped: watch::Receiver<bool>,
    event_queue: &EventQueue,
) {
    let mut changes = vocabulary.changes();
    while !*stopped.borrow() {
        let changed = runtime.block_on(async {
            tokio::select! {
                changed = changes.changed() => changed.is_ok(),
                _ = stopped.changed() => false,
            }
        });
        if !changed {
            return;
        }
        runtime.block_on(settled(&mut changes, &mut stopped));
        if *stopped.borrow() {
            return;
        }
        let began = Instant::now();
        match vocabulary.catch_up() {
            Ok(()) => tracing::info!("other names are understood; took {} ms", began.elapsed().as_millis()),
            Err(faults) => faults.into_iter().for_each(|fault| report(event_queue, fault)),
        }
        memory::give_back();
        runtime.block_on(pause(AT_MOST_EVERY.saturating_sub(began.elapsed()), &mut stopped));
    }
}

/// Waits until no change has come for a while.
async fn settled(changes: &mut watch::Receiver<u64>, stopped: &mut watch::Receiver<bool>) {
    let quiet = async {
        while tokio::time::timeout(QUIET, changes.changed()).await.is_ok_and(|changed| changed.is_ok()) {}
    };
    let _ = tokio::time::timeout(AT_MOST_EVERY, unless_stopped(quiet, stopped)).await;
}

async fn pause(time: Duration, stopped: &mut watch::Receiver<bool>) {
    unless_stopped(tokio::time::sleep(time), stopped).await;
}

async fn unless_stopped(work: impl Future<Output = ()>, stopped: &mut watch::Receiver<bool>) {
    tokio::select! {
        () = work => {}
        _ = stopped.changed() => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::language::live_grammar::Ingredients;
    use hark_core::home::{Entity, Home};
    use hark_core::ports::{HomeSink, HomeView, Understand};
    use hark_home::{HomeRegistry, file};
    use hark_nlu::intent::IntentPaths;
    use std::path::Path;

    /// English, and a language whose only sentence has no reply.
    fn grammars(home: &Arc<HomeRegistry>, folder: &Path) -> Vec<Arc<LiveGrammar>> {
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/languages/en/sentences");
        std::fs::create_dir_all(folder.join("languages/xx/sentences")).unwrap();
        std::fs::create_dir_all(folder.join("languages/en")).unwrap();
        std::os::unix::fs::symlink(models, folder.join("languages/en/sentences")).unwrap();
        let text = "language: xx\nintents:\n  HassNevermind:\n    data:\n      - sentences: [bah]\n";
        std::fs::write(folder.join("languages/xx/sentences/a.yaml"), text).unwrap();
        let paths = IntentPaths::new(folder, folder, "");
        let from = Ingredients { paths, home: home.clone(), pin: false, area: String::new(), similar: None };
        let from = Arc::new(from);
        ["en", "xx"].map(|language| Arc::new(LiveGrammar::new(language, from.clone()))).into()
    }

    fn lamp(home: &Home) -> Home {
        let like = home.entities.iter().find(|entity| entity.id.0.starts_with("light.")).unwrap();
        let lamp = Entity {
            id: "light.zeppelin".into(),
            name: "Zeppelin".into(),
            aliases: Vec::new(),
            source: "other".into(),
            ..like.clone()
        };
        Home { entities: vec![lamp], ..Home::default() }
    }

    #[test]
    fn a_new_thing_is_understood_after_catching_up_and_a_removed_one_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let home = Arc::new(HomeRegistry::new(file::example(true).unwrap()));
        let grammars = grammars(&home, folder.path());
        let vocabulary = Vocabulary::new(grammars.clone(), home.vocabulary());
        let named = |text: &str| {
            let found = grammars[0].understand(text, "en");
            found.intents.first().and_then(|intent| intent.slots.get("name").cloned())
        };
        assert_eq!(named("turn on the zeppelin"), None);
        assert!(vocabulary.catch_up().is_ok(), "nothing has changed");
        home.replace("other", lamp(&home.home()));
        assert_eq!(named("turn on the zeppelin"), None, "the old sentences are used until the new are there");
        vocabulary.catch_up().unwrap();
        assert_eq!(named("turn on the zeppelin"), Some("Zeppelin".into()));
        let before = grammars[0].now().unwrap();
        home.report(&"light.zeppelin".into(), "on", serde_json::Map::new());
        vocabulary.catch_up().unwrap();
        assert!(Arc::ptr_eq(&before, &grammars[0].now().unwrap()), "a state changes no sentence");
        home.replace("other", Home::default());
        vocabulary.catch_up().unwrap();
        assert_eq!(named("turn on the zeppelin"), None);
    }

    #[test]
    fn the_thread_follows_bursts_of_changes_and_tells_mistakes() {
        let folder = tempfile::tempdir().unwrap();
        let home = Arc::new(HomeRegistry::new(file::example(true).unwrap()));
        let grammars = grammars(&home, folder.path());
        let vocabulary = Arc::new(Vocabulary::new(grammars.clone(), home.vocabulary()));
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let event_queue = Arc::new(EventQueue::default());
        let thread =
            VocabularyThread::start(vocabulary, runtime.handle().clone(), event_queue.clone()).unwrap();
        let first = event_queue.pop(Instant::now() + Duration::from_secs(20));
        assert!(matches!(first, Some(hark_core::Event::Fault { .. })), "xx lacks a reply: {first:?}");
        for _ in 0..3 {
            home.replace("other", Home::default());
            home.replace("other", lamp(&home.home()));
        }
        let end = Instant::now() + Duration::from_secs(20);
        while grammars[0].understand("turn on the zeppelin", "en").intents.is_empty() {
            assert!(Instant::now() < end, "the new name is not understood");
            std::thread::sleep(Duration::from_millis(50));
        }
        drop(thread);
    }

    #[test]
    fn mistakes_of_a_language_are_told_and_leave_the_others_alone() {
        let folder = tempfile::tempdir().unwrap();
        let home = Arc::new(HomeRegistry::new(file::example(true).unwrap()));
        let grammars = grammars(&home, folder.path());
        let vocabulary = Vocabulary::new(grammars.clone(), home.vocabulary());
        assert!(grammars[1].look().is_ok(), "there is a file");
        assert!(grammars[1].check().unwrap_err()[0].message.contains("no response"), "it is not enough");
        let found = grammars[1].understand("bah", "xx");
        assert!(found.intents.is_empty() && found.why.contains("'xx' cannot be used"), "{found:?}");
        home.replace("other", lamp(&home.home()));
        assert_eq!(
            vocabulary.catch_up().unwrap_err().len(),
            4,
            "answers to errors, refusals, results, and the fixed ones"
        );
        assert!(!grammars[0].understand("turn on the zeppelin", "en").intents.is_empty());
    }

    #[test]
    fn a_pause_ends_when_the_thread_is_stopped() {
        let (stop, mut stopped) = watch::channel(false);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        stop.send_replace(true);
        // Would take an hour.
        runtime.block_on(pause(Duration::from_secs(3600), &mut stopped));
    }
}

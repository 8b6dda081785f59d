//! Learning in quiet moments: when sentences or examples are newer than the classifier's head, a new head
//! is trained behind everybody else and takes the old one's place. The classifier that nobody has asked
//! for a while is let go of here, too.

use crate::app::effect_runner::Listener;
use crate::app::faults::no_thread;
use hark_config::{Config, paths};
use hark_core::home::Home;
use hark_core::public_event::HarkState;
use hark_core::{Envelope, Fault, PublicEvent};
use hark_home::file as home_file;
use hark_models::manifest::Manifest;
use hark_models::memory;
use hark_nlu::intent::data::Data;
use hark_nlu::intent::{
    Classifier, Encoder, IntentError, IntentPaths, LazyClassifier, Training, examples, train,
};
use hark_telemetry::vitals;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often it is looked whether there is something to learn.
const LOOK_EVERY: Duration = Duration::from_secs(30);
/// Nobody has talked to Hark for so long before it begins to learn.
const QUIET_FOR: Duration = Duration::from_secs(20);
/// A classifier nobody has asked for so long is let go of.
const REST_AFTER: Duration = Duration::from_secs(600);
/// How often a training that stands back looks whether it may go on.
const STAND_BACK: Duration = Duration::from_millis(50);

/// The homes whose names the templates are sampled with: the one that comes with Hark, whose names are
/// many, and the owner's (not for the head that is shipped).
///
/// # Errors
/// When a home's file has mistakes.
pub fn homes(config: &Config, shipped: bool) -> Result<Vec<Home>, Fault> {
    let mut homes = vec![home_file::example(false)?];
    if !shipped && !config.home.file.is_empty() {
        homes.push(home_file::load(&paths::expand(&config.home.file), false)?);
    }
    Ok(homes)
}

/// What `hark doctor` says of the classifier.
///
/// # Errors
/// When a part of it is missing or damaged, or the owner's examples have mistakes.
pub fn described(config: &Config) -> Result<String, Fault> {
    if !config.intent.enabled {
        return Ok("switched off: sentence templates only".to_owned());
    }
    let language = &config.speaking.language;
    let paths = IntentPaths::new(
        &config.paths.models_dir()?,
        &config.paths.state_dir()?,
        &config.intent.examples_dir,
    );
    let has_head = [paths.shipped_head(language), paths.own_head(language)].iter().any(|file| file.exists());
    if !has_head && !paths.examples(language).is_dir() {
        return Ok(format!("none for the language {language}, which is understood by its templates"));
    }
    let standing = Classifier::standing(&Manifest::load(&paths.models_dir)?, &paths, language)?;
    let own = examples::load(&paths.own_examples(language)).map_err(IntentError::mistakes)?;
    let whose = if standing.own { "trained on this machine" } else { "as it comes with Hark" };
    let age = standing.written.and_then(|written| written.elapsed().ok()).map_or_else(String::new, age);
    let state = match (standing.stale, config.intent.learn) {
        (false, _) => "up to date",
        (true, true) => {
            "out of date: a running Hark learns by itself when it is quiet, `hark models train` at once"
        }
        (true, false) => "out of date: `hark models train` takes in what has changed",
    };
    let (intents, own) = (standing.intents, own.len());
    let tagger =
        standing.without_tagger.map_or_else(String::new, |why| format!("; without slot tagger: {why}"));
    Ok(format!("{language}, {intents} intents, {whose}{age}, {own} sentences of your own; {state}{tagger}"))
}

/// How long ago, for people.
fn age(age: Duration) -> String {
    let hours = age.as_secs() / 3600;
    match hours {
        0 => format!(" {} minutes ago", age.as_secs() / 60),
        1..48 => format!(" {hours} hours ago"),
        _ => format!(" {} days ago", hours / 24),
    }
}

/// When Hark was last busy, from the states it publishes.
#[derive(Default)]
pub(crate) struct Pace {
    /// `None` while it is busy.
    quiet_since: Mutex<Option<Instant>>,
    stop: AtomicBool,
}

impl Pace {
    pub(crate) fn note(&self, envelope: &Envelope) {
        let PublicEvent::State { state } = &envelope.event else { return };
        let busy = matches!(state, HarkState::Listening | HarkState::Processing | HarkState::Responding);
        *self.quiet_since.lock().unwrap_or_else(PoisonError::into_inner) = (!busy).then(Instant::now);
    }

    fn quiet_for(&self) -> Duration {
        let since = *self.quiet_since.lock().unwrap_or_else(PoisonError::into_inner);
        since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Has those who wait give up.
    pub(crate) fn end(&self) {
        self.stop.store(true, Ordering::Release);
    }

    fn is_stopping(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// Waits while Hark is busy; breaks off when it ends.
    pub(crate) fn stand_back(&self) -> ControlFlow<()> {
        while !self.is_stopping() {
            if !self.quiet_for().is_zero() {
                return ControlFlow::Continue(());
            }
            std::thread::sleep(STAND_BACK);
        }
        ControlFlow::Break(())
    }
}

/// What there is to learn with.
pub(crate) struct Learner {
    config: Config,
    paths: IntentPaths,
    classifier: Arc<Mutex<LazyClassifier>>,
    /// What was learned from last, also without success: it is not tried again.
    tried: Option<String>,
}

impl Learner {
    pub(crate) fn new(config: &Config, paths: &IntentPaths, classifier: Arc<Mutex<LazyClassifier>>) -> Self {
        Self { config: config.clone(), paths: paths.clone(), classifier, tried: None }
    }

    /// Takes a head that `hark models train` has made. Trains a new one if the one in use is out of date,
    /// and puts it in its place; answers whether.
    ///
    /// # Errors
    /// What is wrong with sentences and examples, or why the training failed. It is told once.
    fn catch_up(&mut self, pace: &Pace) -> Result<bool, Fault> {
        // Without a head or an encoder there is nothing to be better than; that was told at the start.
        let Ok(standing) = self.classifier().refresh() else { return Ok(false) };
        if !self.config.intent.learn || !standing.stale || self.tried.as_ref() == Some(&standing.wanted) {
            return Ok(false);
        }
        self.tried = Some(standing.wanted);
        let began = Instant::now();
        let training = match self.learn(pace) {
            Err(_) if pace.is_stopping() => return Ok(false),
            learned => learned?,
        };
        self.classifier().replace_head(training.head);
        let seconds = began.elapsed().as_secs();
        tracing::info!(seconds, "learned from sentences and examples that had changed");
        Ok(true)
    }

    fn learn(&self, pace: &Pace) -> Result<Training, Fault> {
        let language = &self.config.speaking.language;
        let homes = homes(&self.config, false)?;
        let data = Data::gather(&self.paths, language, &homes).map_err(IntentError::mistakes)?;
        let mut encoder = Encoder::open(&Manifest::load(&self.paths.models_dir)?)?;
        let training = train(&mut encoder, &data, &mut |_| pace.stand_back())?;
        training.head.write(&self.paths.own_head(language))?;
        Ok(training)
    }

    fn classifier(&self) -> std::sync::MutexGuard<'_, LazyClassifier> {
        self.classifier.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The thread; dropping it ends it, after the step of a training that is being made (some seconds at most).
pub(crate) struct LearningThread {
    pace: Arc<Pace>,
    thread: Option<JoinHandle<()>>,
}

impl LearningThread {
    /// Starts to look. `told` gets what cannot be learned.
    ///
    /// # Errors
    /// When the system has no thread left.
    pub(crate) fn start(learner: Learner, told: impl Fn(Fault) + Send + 'static) -> Result<Self, Fault> {
        let pace = Arc::new(Pace::default());
        let shared = pace.clone();
        let look = move || look(learner, &shared, &told);
        let thread = std::thread::Builder::new().name("hark-learning".into()).spawn(look);
        let thread = thread.map_err(|error| no_thread("hark-learning", &error))?;
        Ok(Self { pace, thread: Some(thread) })
    }

    /// Notes when Hark is busy.
    pub(crate) fn listener(&self) -> Listener {
        let pace = self.pace.clone();
        Box::new(move |envelope| pace.note(envelope))
    }
}

impl Drop for LearningThread {
    fn drop(&mut self) {
        self.pace.end();
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // A panic of the thread was already printed; there is nobody left to tell.
            let _ = thread.join();
        }
    }
}

fn look(mut learner: Learner, pace: &Pace, told: &impl Fn(Fault)) {
    vitals::stand_back(19);
    while !pace.is_stopping() {
        std::thread::park_timeout(LOOK_EVERY);
        if pace.quiet_for() < QUIET_FOR || pace.is_stopping() {
            continue;
        }
        let learned = learner.catch_up(pace);
        let rested = learner.classifier().rest(REST_AFTER);
        if rested || !matches!(learned, Ok(false)) {
            memory::give_back();
        }
        if let Err(fault) = learned {
            told(fault);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::Stamp;
    use hark_core::classification::Classify;
    use hark_nlu::intent::examples;
    use std::path::Path;

    /// A folder of models that is like the real one, but with a handful of sentences: learning takes a
    /// second, not a quarter of a minute.
    fn small_models(folder: &Path) -> IntentPaths {
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
        let link = |name: &str| std::os::unix::fs::symlink(models.join(name), folder.join(name)).unwrap();
        ["manifest.toml", "cache"].into_iter().for_each(link);
        for name in ["intent/head", "languages/en/examples", "languages/en/sentences"] {
            std::fs::create_dir_all(folder.join(name)).unwrap();
        }
        ["intent/encoder.onnx", "intent/tokenizer.json", "intent/head/en.head"].into_iter().for_each(link);
        let few = [("HassGetWeather", "will it rain"), ("HassStartTimer", "count down ten minutes")];
        let mut text = "examples:\n".to_owned();
        for (intent, sentence) in few {
            for ending in ["", " please", " now", " then", " today", " for me"] {
                text += &format!("  - intent: {intent}\n    sentences: [\"{sentence}{ending}\"]\n");
            }
        }
        for thing in ["pay my rent", "book a flight", "who wrote hamlet", "call a taxi", "translate cat"] {
            text += &format!("  - category: out_of_scope\n    sentences: [\"{thing}\"]\n");
        }
        std::fs::write(folder.join("languages/en/examples/few.yaml"), text).unwrap();
        let sentence = "language: en\nintents:\n  HassGetCurrentTime:\n    data:\n      - sentences: [what time is it]\n";
        std::fs::write(folder.join("languages/en/sentences/a.yaml"), sentence).unwrap();
        IntentPaths::new(folder, &folder.join("state"), "")
    }

    fn quiet() -> Pace {
        Pace { quiet_since: Mutex::new(Some(Instant::now())), stop: AtomicBool::new(false) }
    }

    #[test]
    fn what_was_marked_is_learned_once_and_used_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let paths = small_models(folder.path());
        let classifier = Arc::new(Mutex::new(LazyClassifier::new(paths.clone(), "en")));
        let mut learner = Learner::new(&Config::default(), &paths, classifier.clone());
        let meant = examples::Label::intent("HassVacuumStart", None);
        let odd = "the penguins march at noon";
        let best = |text: &str| {
            let found = classifier.lock().unwrap().classify(text).unwrap();
            found.intents.first().map(|(name, _)| name.clone())
        };
        assert_ne!(best(odd).as_deref(), Some("HassVacuumStart"), "it is not known before");
        for text in [odd, "penguins everywhere", "the penguins are marching again"] {
            examples::mark(&paths.marked("en"), text, &meant).unwrap();
        }
        assert!(learner.catch_up(&quiet()).unwrap());
        assert!(paths.own_head("en").is_file());
        assert_eq!(best(odd).as_deref(), Some("HassVacuumStart"), "the open classifier has the new head");
        assert!(!learner.catch_up(&quiet()).unwrap(), "there is nothing new");
        std::fs::write(paths.own_examples("en").join("bad.yaml"), "examples: [").unwrap();
        let fault = learner.catch_up(&quiet()).unwrap_err();
        assert!(fault.message.contains("bad.yaml"), "{fault}");
        assert!(!learner.catch_up(&quiet()).unwrap(), "a mistake is told once");
    }

    #[test]
    fn learning_stands_back_while_hark_is_busy_and_ends_with_it() {
        let pace = Arc::new(Pace::default());
        let tell = |state| {
            let event = PublicEvent::State { state };
            pace.note(&Envelope::new(event, None, Stamp::default(), String::new()));
        };
        assert!(pace.quiet_for().is_zero(), "nothing is known yet");
        tell(HarkState::Idle);
        std::thread::sleep(Duration::from_millis(2));
        assert!(pace.stand_back().is_continue());
        tell(HarkState::Listening);
        assert!(pace.quiet_for().is_zero());
        let other = pace.clone();
        let waiting = std::thread::spawn(move || other.stand_back());
        std::thread::sleep(Duration::from_millis(120));
        assert!(!waiting.is_finished());
        pace.stop.store(true, Ordering::Release);
        assert!(waiting.join().unwrap().is_break());
    }
}

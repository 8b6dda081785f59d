//! A classifier that is opened when it is first asked, and let go of when nobody has asked for a while:
//! most requests fit a template, and the encoder takes some 30 MB.

use super::classifier::{Classifier, Standing};
use super::examples::spoken;
use super::examples::{self, Label};
use super::head::Head;
use super::paths::IntentPaths;
use hark_core::classification::{Classify, Statement, WordVectors};
use hark_core::{Classification, Fault};
use hark_models::manifest::Manifest;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// See the module. One thread at a time.
pub struct LazyClassifier {
    places: IntentPaths,
    language: String,
    open: Option<Classifier>,
    /// What the owner's own sentences mean, in spoken form; read when it is opened.
    taught: HashMap<String, Label>,
    asked: Instant,
}

impl LazyClassifier {
    /// Opens nothing yet.
    pub fn new(places: IntentPaths, language: &str) -> Self {
        Self {
            places,
            language: language.to_owned(),
            open: None,
            taught: HashMap::new(),
            asked: Instant::now(),
        }
    }

    /// How it stands, as [`Classifier::standing`] finds out, whether it is open or not.
    ///
    /// # Errors
    /// As [`Classifier::open`].
    pub fn standing(&self) -> Result<Standing, Fault> {
        Classifier::standing(&self.manifest()?, &self.places, &self.language)
    }

    /// The same; and if the head on the disk is another one than the one in use, it is taken when somebody
    /// asks the next time.
    ///
    /// # Errors
    /// As [`Classifier::open`].
    pub fn refresh(&mut self) -> Result<Standing, Fault> {
        let standing = self.standing()?;
        if self.open.as_ref().is_some_and(|open| open.head().data() != standing.data) {
            self.open = None;
        }
        Ok(standing)
    }

    /// Whether the encoder is in memory.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Lets go of the encoder when nobody has asked for so long; answers whether it did.
    pub fn rest(&mut self, unused_for: Duration) -> bool {
        self.asked.elapsed() >= unused_for && self.open.take().is_some()
    }

    /// Goes on with a newly trained head. When it is not open, opening finds the head on the disk.
    pub fn replace_head(&mut self, head: Head) {
        if let Some(classifier) = &mut self.open {
            classifier.replace_head(head);
            self.taught = taught(&self.places, &self.language);
        }
    }

    fn manifest(&self) -> Result<Manifest, Fault> {
        Manifest::load(&self.places.models_dir)
    }

    /// Opens it, if it is not. What is missing may be there the next time, so it is tried each time.
    fn awake(&mut self) -> Result<&mut Classifier, Fault> {
        self.asked = Instant::now();
        let classifier = match self.open.take() {
            Some(classifier) => classifier,
            None => {
                let opened = Classifier::open(&self.manifest()?, &self.places, &self.language)?;
                self.taught = taught(&self.places, &self.language);
                opened
            }
        };
        Ok(self.open.insert(classifier))
    }
}

impl Classify for LazyClassifier {
    fn classify(&mut self, text: &str) -> Result<Classification, Fault> {
        let found = self.awake()?.classify(text)?;
        // One sentence among thousands moves the head little; but whoever wrote it meant it.
        Ok(match self.taught.get(&spoken(text)) {
            Some(label) => Classification::taught(
                text,
                &hark_language::steps::of_all().into(),
                label.category,
                label.intent.as_deref(),
            ),
            None => found,
        })
    }

    fn embed(&mut self, text: &str) -> Result<Vec<f32>, Fault> {
        self.awake()?.embed(text)
    }

    fn embed_words(&mut self, text: &str) -> Result<WordVectors, Fault> {
        self.awake()?.embed_words(text)
    }

    fn statement(&mut self, text: &str) -> Result<Option<Statement>, Fault> {
        self.awake()?.statement(text)
    }
}

/// The owner's own sentences. Mistakes in them are told by the training.
fn taught(places: &IntentPaths, language: &str) -> HashMap<String, Label> {
    let own = examples::load(&places.own_examples(language)).unwrap_or_default();
    own.into_iter().map(|example| (spoken(&example.text), example.label)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn late(models: &Path) -> LazyClassifier {
        LazyClassifier::new(IntentPaths::new(models, Path::new("/nowhere"), ""), "en")
    }

    #[test]
    fn it_is_opened_when_asked_and_rests_when_it_is_not() {
        let mut late = late(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models"));
        let standing = late.standing().unwrap();
        assert!(!standing.own && standing.intents > 50 && standing.written.is_some(), "{standing:?}");
        assert!(!late.is_open(), "looking opens nothing");
        assert!(!late.rest(Duration::ZERO), "there is nothing to let go of");
        let first = late.classify("could you make it brighter in the kitchen").unwrap();
        assert!(late.is_open());
        assert!(!late.rest(Duration::from_secs(600)), "it was asked just now");
        assert!(late.rest(Duration::ZERO) && !late.is_open());
        assert_eq!(late.classify("could you make it brighter in the kitchen").unwrap(), first);
    }

    #[test]
    fn the_owners_own_words_mean_what_the_owner_says() {
        let state = tempfile::tempdir().unwrap();
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
        let places = IntentPaths::new(&models, state.path(), "");
        let vacuum = Label::intent("HassVacuumStart", None);
        examples::mark(&places.marked("en"), "The crumbs are winning!", &vacuum).unwrap();
        let nothing = Label::category(hark_core::Category::OutOfScope);
        examples::mark(&places.marked("en"), "make it brighter in my life", &nothing).unwrap();
        let mut late = LazyClassifier::new(places, "en");
        let found = late.classify("the crumbs are winning").unwrap();
        assert!(found.taught && found.intents[0].0 == "HassVacuumStart" && found.confidence > 0.99);
        assert!(late.classify("make it brighter in my life").unwrap().intents.is_empty());
        assert!(!late.classify("make it brighter in the kitchen").unwrap().taught);
    }

    #[test]
    fn what_is_missing_is_told_each_time_and_can_come_later() {
        let folder = tempfile::tempdir().unwrap();
        let mut late = late(folder.path());
        let fault = late.classify("lights").unwrap_err();
        assert_eq!(fault.kind, hark_core::FaultKind::MissingPart, "{fault}");
        assert_eq!(late.standing().unwrap_err().kind, fault.kind);
        late.places.models_dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
        assert!(late.classify("lights").is_ok());
    }
}

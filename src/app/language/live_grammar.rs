//! The sentences of one language in the home as it is: compiled when they are first needed, and again
//! when the home has other names. Who understands meanwhile goes on with those of before.

use crate::app::faults::Faults;
use chrono::NaiveDateTime;
use hark_core::ports::{Candidates, Completeness, Completes, HomeView, Understand};
use hark_core::{Effort, Fault, FaultKind, Intent, SlotSpan, Understanding};
use hark_dialog::replies::Replies;
use hark_home::select;
use hark_nlu::intent::IntentPaths;
use hark_nlu::{Grammar, Sentences, Similar};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// What the sentences of a language are made of.
pub(crate) struct Ingredients {
    pub(crate) paths: IntentPaths,
    pub(crate) home: Arc<dyn HomeView>,
    /// Digits may be asked for.
    pub(crate) pin: bool,
    /// Name or id of the area this node stands in; empty for none.
    pub(crate) area: String,
    /// Tells how alike names are in meaning, where there is a classifier.
    pub(crate) similar: Option<Similar>,
}

/// A language that has been read.
#[derive(Clone)]
struct Opened {
    grammar: Arc<Grammar>,
    replies: Arc<Replies>,
}

enum State {
    Untouched,
    Open(Opened),
    /// Its files have mistakes, which were told.
    Broken(Arc<Faults>),
}

/// See the module.
pub(crate) struct LiveGrammar {
    language: String,
    from: Arc<Ingredients>,
    state: RwLock<State>,
    /// Held while it is made, so that two who need it first do not both make it.
    making: Mutex<()>,
}

impl LiveGrammar {
    /// Reads nothing yet.
    pub(crate) fn new(language: &str, from: Arc<Ingredients>) -> Self {
        let state = RwLock::new(State::Untouched);
        Self { language: language.to_owned(), from, state, making: Mutex::default() }
    }

    /// Reads and checks the language without keeping anything.
    ///
    /// # Errors
    /// Everything that is wrong with sentences and replies.
    pub(crate) fn check(&self) -> Result<(), Faults> {
        self.read().map(drop)
    }

    /// Whether there are sentences at all; they are not read.
    ///
    /// # Errors
    /// When there are none.
    pub(crate) fn look(&self) -> Result<(), Faults> {
        let folders = self.from.paths.sentences(&self.language);
        Sentences::there_are(&folders, &self.language).map_err(|problem| vec![problem.into()])
    }

    /// The sentences as they are now; made when they were not needed before.
    ///
    /// # Errors
    /// Everything that is wrong with sentences and replies. It is found out once; they are read again
    /// when the home changes.
    pub(crate) fn now(&self) -> Result<Arc<Grammar>, Arc<Faults>> {
        self.opened().map(|opened| opened.grammar)
    }

    /// The replies in its words.
    ///
    /// # Errors
    /// As [`LiveGrammar::now`].
    pub(crate) fn replies(&self) -> Result<Arc<Replies>, Arc<Faults>> {
        self.opened().map(|opened| opened.replies)
    }

    /// Makes it anew for the home as it is now, if it was needed before. On mistakes the old one stays.
    ///
    /// # Errors
    /// Everything that is wrong with sentences and replies.
    pub(crate) fn remake(&self) -> Result<(), Faults> {
        let _one_at_a_time = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*self.state.read().unwrap_or_else(PoisonError::into_inner), State::Untouched) {
            return Ok(());
        }
        let made = State::Open(self.make()?);
        *self.state.write().unwrap_or_else(PoisonError::into_inner) = made;
        Ok(())
    }

    fn opened(&self) -> Result<Opened, Arc<Faults>> {
        if let Some(known) = self.known() {
            return known;
        }
        let _one_at_a_time = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = self.known() {
            return known;
        }
        let made = self.make().map_err(Arc::new);
        let state = match &made {
            Ok(opened) => State::Open(opened.clone()),
            Err(faults) => State::Broken(Arc::clone(faults)),
        };
        *self.state.write().unwrap_or_else(PoisonError::into_inner) = state;
        made
    }

    fn known(&self) -> Option<Result<Opened, Arc<Faults>>> {
        match &*self.state.read().unwrap_or_else(PoisonError::into_inner) {
            State::Untouched => None,
            State::Open(opened) => Some(Ok(opened.clone())),
            State::Broken(faults) => Some(Err(Arc::clone(faults))),
        }
    }

    fn make(&self) -> Result<Opened, Faults> {
        let (sentences, replies) = self.read()?;
        let home = self.from.home.home();
        // What is known before a word is said: the declared name of the area this node stands in.
        let area = select::area(&home, &self.from.area);
        let here = area.map(|area| ("area".to_owned(), area.name.as_str().into())).into_iter().collect();
        let grammar = Grammar::with_context(&sentences, &home, here);
        let grammar = match &self.from.similar {
            Some(similar) => grammar.with_similarity(similar.clone()),
            None => grammar,
        };
        Ok(Opened { grammar: Arc::new(grammar), replies: Arc::new(replies) })
    }

    fn read(&self) -> Result<(Sentences, Replies), Faults> {
        let mut folders = self.from.paths.sentences(&self.language);
        if self.from.pin {
            folders.insert(1, self.from.paths.pin_sentences(&self.language));
        }
        let sentences = Sentences::load(&folders, &self.language)
            .map_err(|problems| problems.into_iter().map(Fault::from).collect::<Vec<_>>())?;
        let replies = Replies::new(sentences.responses());
        let missing = replies.missing(sentences.intents());
        if missing.is_empty() {
            return Ok((sentences, replies));
        }
        let lacking =
            |(group, keys): (&str, Vec<&str>)| lacks_replies(&self.language, group, &keys, &sentences);
        Err(missing.into_iter().map(lacking).collect())
    }
}

/// What an intent, or one of the other groups of responses, lacks.
fn lacks_replies(language: &str, group: &str, keys: &[&str], sentences: &Sentences) -> Fault {
    let place = sentences.place_of(group).unwrap_or_else(|| format!("sentences/{language}"));
    let keys = keys.join(", ");
    let (message, below) = match group {
        "replies" | "errors" | "summary" => {
            (format!("there is no response of '{group}' for {keys}"), group.to_owned())
        }
        intent => (format!("intent '{intent}' has no response for {keys}"), format!("intents: {intent}")),
    };
    let fix = format!("add them below `responses: {below}:` in sentences/{language}/");
    Fault::new(FaultKind::BadConfiguration, "sentences", format!("{place}: {message}"), fix)
}

impl Understand for LiveGrammar {
    fn understand_within(
        &self,
        text: &str,
        language: &str,
        now: NaiveDateTime,
        effort: &Effort,
    ) -> Understanding {
        // Where it is needed for the first time it is made first.
        match effort.apart(|| self.now()) {
            Ok(grammar) => grammar.understand_within(text, language, now, effort),
            Err(faults) => {
                let why =
                    format!("the sentences of language '{}' cannot be used: {}", self.language, faults[0]);
                Understanding { why, ..Understanding::default() }
            }
        }
    }

    fn understand_parts(
        &self,
        text: &str,
        now: NaiveDateTime,
        effort: &Effort,
        candidates: Candidates<'_>,
    ) -> Option<Understanding> {
        effort.apart(|| self.now()).ok()?.understand_parts(text, now, effort, candidates)
    }

    fn fill_within(
        &self,
        intent: &str,
        text: &str,
        marks: Option<&[SlotSpan]>,
        now: NaiveDateTime,
        effort: &Effort,
    ) -> Option<Intent> {
        effort.apart(|| self.now()).ok()?.fill_within(intent, text, marks, now, effort)
    }
}

impl Completes for LiveGrammar {
    fn completeness(&self, text: &str) -> Completeness {
        self.now().map(|grammar| grammar.completeness(text)).unwrap_or_default()
    }

    fn share_going_on(&self, text: &str) -> Option<f32> {
        self.now().ok()?.share_going_on(text)
    }
}

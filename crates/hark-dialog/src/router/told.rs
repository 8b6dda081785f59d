//! What was told, among what a text may mean: statements that are kept, and questions that they answer.

use super::remarks::{begins_order, plain_words};
use super::{Router, Said};
use crate::{dialog_act, intent_tools};
use hark_core::memory::{Answering, MemoryIntents};
use hark_core::ports::NEXT_TURN;
use hark_core::session::EntryTag;
use hark_core::{Category, Classify, Fault, Intent, Route, Slots, Understanding};
use hark_language::{Lexicon, phrases};
use std::sync::PoisonError;

/// Asks for what was told.
const RECALL: &str = "HarkRecall";
/// Asks how something in the home is.
const STATE: &str = "HassGetState";
/// Keeps what was told.
const REMEMBER: &str = "HarkRemember";
/// Words at least of what tells something worth to be kept.
const LEAST_TOLD: usize = 3;

/// Most statements behind what is worth to be kept.
const MAX_STATEMENTS: usize = 2;

/// Kinds of requests of which nothing is kept when they are not understood, and how sure it is that it is one.
const ASKED: [Category; 4] = [Category::HomeControl, Category::Media, Category::List, Category::Timer];
const SURELY_ASKED: f32 = 0.85;

/// Looks something up in the documents.
const LOOK_UP: &str = "HarkLookUp";

/// Least confidence of a document that answers a request which does not ask for documents. Measured: 57 of 60 questions about
/// ten documents reach it, and 6 of 50 questions about other things.
const SURELY_ANSWERS: f32 = 0.7;

impl Router {
    /// What a text wants of what was told, by one of the ways to find out.
    pub(super) fn of_memory(
        &self,
        said: &Said<'_>,
        find: impl Fn(&dyn MemoryIntents, &str) -> Option<(Intent, String)>,
    ) -> Option<Understanding> {
        // What was said in two turns tells nothing, and asks nothing.
        let memory = self.memory.as_deref().filter(|_| !said.text.contains(NEXT_TURN))?;
        // Its time is that of the disk and of the encoder.
        let (intent, language) = said.effort.apart(|| find(memory, said.text))?;
        let usual = || self.spoken.first().map(|spoken| spoken.language.clone()).unwrap_or_default();
        let language = Some(language).filter(|language| !language.is_empty()).unwrap_or_else(usual);
        let mut found = Understanding { intents: vec![intent], language, ..Understanding::default() };
        found.classification = self.classification(said.text, &found);
        Some(found)
    }

    /// What was told that answers a question in other words.
    pub(super) fn remembered_otherwise(&self, said: &Said<'_>, least: Answering) -> Option<Understanding> {
        let found = self
            .is_question(said.text)
            .then(|| self.of_memory(said, |memory, text| memory.in_other_words(text, least)))??;
        Some(self.in_its_language(found, said))
    }

    /// An answer in the language of the question, where that is spoken here.
    fn in_its_language(&self, found: Understanding, said: &Said<'_>) -> Understanding {
        let detected = (self.facts.language_of)(said.text);
        let spoken = detected.filter(|it| self.spoken.iter().any(|spoken| spoken.language == *it));
        let language = spoken.map_or_else(|| found.language.clone(), str::to_owned);
        Understanding { language, ..found }
    }

    fn languages(&self) -> Vec<&'static Lexicon> {
        self.spoken.iter().filter_map(|spoken| hark_language::known(&spoken.language)).collect()
    }

    fn is_question(&self, text: &str) -> bool {
        self.begins_as_question(text) || dialog_act::tag(text, &self.languages()) == EntryTag::Question
    }

    /// A statement that is kept without a request to remember it.
    pub(super) fn told_in(&self, said: &Said<'_>) -> Option<Understanding> {
        let text = said.text;
        // "Not all the way", "no, not sausages" put something right.
        let words = plain_words(text);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let denies = self.languages().iter().any(|it| {
            let marks = [it.discourse.corrections, it.discourse.hesitations];
            phrases::without_starts(&marks, &words).first() == Some(&it.requests.not.text())
        });
        // "Stick the oven on, mate" tells nothing.
        let orders = self.languages().iter().any(|it| {
            let marks = [it.discourse.leads, it.discourse.hesitations];
            begins_order(it, phrases::without_starts(&marks, &words))
        });
        let is_statement = !denies
            && !orders
            && !self.begins_as_question(text)
            && text.split_whitespace().count() >= LEAST_TOLD
            && dialog_act::tag(text, &self.languages()) != EntryTag::Instruction;
        // With a language model, that reads what no rule reads.
        let classifier = self.classifier.as_ref().filter(|_| is_statement && self.settings.enabled);
        let classifier = classifier.filter(|_| self.answers_alone())?;
        let likely = || {
            let mut classifier = classifier.lock().unwrap_or_else(PoisonError::into_inner);
            // "Ash is a plasterer *he's dead funny*": what is said behind it makes it no less worth.
            let all = [text.to_owned()].into_iter().chain(self.before_next_statements(text));
            let all: Vec<(bool, f32)> =
                all.filter_map(|text| self.worth_keeping(&mut *classifier, &text)).collect();
            // "Sprinklers on for the lawn" is no fact, although nothing else understands it.
            let tells = all.iter().any(|(asks, _)| !asks);
            all.into_iter().map(|(_, worth)| worth).reduce(f32::max).filter(|_| tells)
        };
        let likely = said.effort.apart(likely)?;
        if self.orders_within(said) {
            return None;
        }
        self.of_memory(said, |memory, text| memory.told(text, likely))
    }

    /// What answers in the place of what the classifier made of a text: anything where it made nothing of it.
    pub(super) fn instead_of_classified(
        &self,
        classified: Option<&Result<Understanding, Fault>>,
        said: &Said<'_>,
    ) -> Option<Understanding> {
        match classified {
            Some(Ok(found)) if !found.intents.is_empty() => self.instead_of_a_guess(found, said),
            _ => self.otherwise(said),
        }
    }

    /// What was told that has to do with a question of which the classifier found nothing but its kind: "what day am I having the
    /// chiropodist" asks for no date of today.
    fn instead_of_a_guess(&self, found: &Understanding, said: &Said<'_>) -> Option<Understanding> {
        let [intent] = found.intents.as_slice() else { return None };
        let category = (self.facts.category_of)(&intent.name)?;
        let is_guess = intent.route == Route::Intent
            && intent.slots.is_empty()
            && matches!(category, Category::Question | Category::HomeQuery | Category::Timer)
            && found.classification.as_ref().is_some_and(|it| !it.taught)
            && self.answers_alone();
        is_guess.then(|| self.remembered_otherwise(said, Answering::Concerns))?
    }

    /// Whether some words say where or what something is: "the fairy lights *are in* the cellar", "the window*'s a* metre wide".
    fn says_what_it_is(&self, words: &[&str]) -> bool {
        let says = |lexicon: &&Lexicon, at: usize| {
            let (talk, things) = (&lexicon.discourse, &lexicon.things);
            let Some(next) = words.get(at + 1) else { return false };
            talk.copulas.contains(words[at]) && talk.within.contains(next)
                || talk.contraction(words[at]).is_some() && things.articles.contains(next)
        };
        self.languages().iter().any(|lexicon| (1..words.len()).any(|at| says(lexicon, at)))
    }

    /// The same of a text.
    pub(super) fn tells_when(&self, text: &str) -> bool {
        let words = plain_words(text);
        self.says_when(&words.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Whether some words say what happens when or if something else does: "*when* i'm on earlies *i'm* up at five".
    fn says_when(&self, words: &[&str]) -> bool {
        self.languages().iter().any(|lexicon| {
            let marks = [lexicon.qualifiers.when, lexicon.qualifiers.each_time, lexicon.qualifiers.if_so];
            let begins = marks.into_iter().any(|marks| phrases::starts(marks, words).is_some());
            let says = |at: usize| phrases::starts(lexicon.discourse.speakers, &words[at..]).is_some();
            begins && (LEAST_TOLD..words.len()).any(says)
        })
    }

    /// Whether a text asks for something, and how likely it tells something worth to be kept.
    fn worth_keeping(&self, classifier: &mut dyn Classify, text: &str) -> Option<(bool, f32)> {
        let asked = classifier.classify(text).ok()?;
        let is_asked = ASKED.contains(&asked.category) && asked.confidence >= SURELY_ASKED;
        let words = plain_words(text);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let asks = is_asked && !self.says_what_it_is(&words) && !self.says_when(&words);
        Some((asks, classifier.statement(text).ok()??.worth_keeping))
    }

    /// A text without its last statements, each of which begins with a person or a pronoun: "Ash is a plasterer" of "Ash is a
    /// plasterer he's dead funny".
    fn before_next_statements(&self, text: &str) -> Vec<String> {
        let words = plain_words(text);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let begins = |lexicon: &&Lexicon, at: usize| {
            let begins = [lexicon.discourse.speakers, lexicon.memory.points_back];
            begins.into_iter().any(|list| phrases::starts(list, &words[at..]).is_some())
                && !lexicon.requests.connectors.contains(words[at - 1])
        };
        let languages = self.languages();
        let places = LEAST_TOLD..(words.len() + 1).saturating_sub(LEAST_TOLD);
        let places = places.rev().filter(|at| languages.iter().any(|lexicon| begins(lexicon, *at)));
        let before = |at| text.split_whitespace().take(at).collect::<Vec<_>>().join(" ");
        places.take(MAX_STATEMENTS).map(before).collect()
    }

    /// Whether a text is a question by its mark or its first words; "when" may begin anything.
    pub(super) fn begins_as_question(&self, text: &str) -> bool {
        dialog_act::begins_as_question(text, &self.languages())
    }

    /// Whether no language model answers what nothing else is for.
    fn answers_alone(&self) -> bool {
        self.documents.get().is_some()
    }

    /// A statement that is kept as a whole, where it tells something as a whole.
    pub(super) fn told_whole(&self, found: Understanding, said: &Said<'_>) -> Understanding {
        let keeps = matches!(found.intents.as_slice(), [intent] if intent.name == REMEMBER);
        keeps.then(|| self.told_in(said)).flatten().unwrap_or(found)
    }

    /// What answers a question that nothing else is for, and no fact: a document, a fact that has to do with it, or that nothing
    /// of it was told.
    pub(super) fn otherwise(&self, said: &Said<'_>) -> Option<Understanding> {
        let alone = self.answers_alone().then_some(());
        let concerns = || alone.and_then(|()| self.remembered_otherwise(said, Answering::Concerns));
        let untold = || alone.and_then(|()| self.of_memory(said, |memory, text| memory.untold(text)));
        let found = self.looked_up(said).or_else(concerns).or_else(untold)?;
        Some(self.in_its_language(found, said))
    }

    /// "What do you know about Tom" is like "what do you know about me", and does not mean it.
    pub(super) fn about_another(&self, said: &Said<'_>, mut found: Understanding) -> Understanding {
        if let [intent] = found.intents.as_mut_slice()
            && intent.name == RECALL
            && intent.slots.is_empty()
            && let Some(asked) = self.memory.as_deref().and_then(|memory| memory.about_another(said.text))
        {
            intent.slots = asked.slots;
        }
        found
    }

    /// A document in the place of a recall that no fact answers: the house rules for "where is our fuse box".
    pub(super) fn instead_of_recalling(
        &self,
        found: &Understanding,
        said: &Said<'_>,
    ) -> Option<Understanding> {
        let [intent] = found.intents.as_slice() else { return None };
        (intent.name == RECALL && !intent.slots.contains_key("every")).then_some(())?;
        // "Where is my phone" is asked of nobody's papers.
        let is_mine = |word: &str| hark_language::all().iter().any(|it| it.memory.is_told_back(word));
        (!said.text.split_whitespace().any(is_mine)).then_some(())?;
        let told = self.of_memory(said, |memory, text| memory.known(text));
        let told = told.or_else(|| self.remembered_otherwise(said, Answering::Answers));
        if told.is_some() { None } else { self.looked_up(said) }
    }

    /// What was told, or a document, in the place of what a template made of it.
    pub(super) fn told_first(&self, found: &Understanding, said: &Said<'_>) -> Option<Understanding> {
        let [intent] = found.intents.as_slice() else { return None };
        if intent_tools::is_small_talk(&intent.name) {
            return self.of_memory(said, |memory, text| memory.intent(text));
        }
        let first = intent_tools::memory_answers_first(&intent.name) && !intent.slots.contains_key("every");
        let told = first.then(|| self.of_memory(said, |memory, text| memory.known(text))).flatten();
        let told = told.or_else(|| {
            let least = if first && intent.name != STATE { Answering::Answers } else { Answering::Surely };
            let asks = matches!(
                (self.facts.category_of)(&intent.name),
                Some(Category::Question | Category::HomeQuery)
            );
            (first || asks).then(|| self.remembered_otherwise(said, least)).flatten()
        });
        told.or_else(|| self.instead_of_recalling(found, said))
    }

    /// A document that surely answers a question.
    pub(super) fn looked_up(&self, said: &Said<'_>) -> Option<Understanding> {
        let documents = self.documents.get().filter(|_| !said.text.contains(NEXT_TURN))?;
        // Its time is that of the disk and of the encoder.
        let found = said.effort.apart(|| documents.search(said.text)).unwrap_or_else(|fault| {
            tracing::warn!("nobody knows whether a document answers: {fault}");
            Vec::new()
        });
        let best = found.first().filter(|best| best.answers && best.confidence >= SURELY_ANSWERS)?;
        let intent = Intent {
            name: LOOK_UP.to_owned(),
            slots: Slots::from_iter([("query".to_owned(), said.text.into())]),
            confidence: best.confidence,
            route: Route::Template,
            why: format!("a document answers it ({:.2})", best.confidence),
            response: None,
            single: false,
        };
        let language = self.spoken.first().map(|spoken| spoken.language.clone()).unwrap_or_default();
        let mut found = Understanding { intents: vec![intent], language, ..Understanding::default() };
        found.classification = self.classification(said.text, &found);
        Some(found)
    }
}

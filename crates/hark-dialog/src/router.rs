//! Decides which route a request takes behind the instincts: sentence templates of every language that is loaded,
//! then the intent classifier under its guards. What follows from the turn before is `context`'s matter.
//!
//! An intent of the classifier is only taken when its probability is high enough, when the words tell of it
//! or it is very sure, when its slots are found in the text, and when the request as a whole is of the same
//! kind. Everything else comes out as nothing the house can do, with the reason.

use super::{follow_ups, instincts, intent_tools};
use chrono::NaiveDateTime;
use hark_config::intent::IntentConfig;
use hark_core::documents::Documents;
use hark_core::intent::refusal;
use hark_core::memory::{Answering, MemoryIntents};
use hark_core::model::mentions;
use hark_core::ports::{Candidate, Understand};
use hark_core::{
    Category, Classification, Classify, Effort, Fault, Intent, Route, SlotSpan, Slots, Understanding,
};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Steps that one intent may take where the words that fill its slots are marked: they are tried in several orders.
const MAX_STEPS_OF_MARKED: u64 = 40_000;

/// Tools that ask themselves for how long or when, where that was not said: "set a timer".
const ASK_WHEN: &[&str] = &["timer.start", "alarm.set"];

/// A language whose sentences are known.
pub struct Spoken {
    /// ISO 639-1 code.
    pub language: String,
    /// Its sentence templates.
    pub sentences: Arc<dyn Understand>,
}

/// What other folders know about intents, tools and languages.
#[derive(Clone, Copy)]
pub struct Facts {
    /// Kind of an intent that has sentences.
    pub category_of: fn(&str) -> Option<Category>,
    /// Words of a tool in a language of which one must be heard when the intent is not certain; `None` for a tool that
    /// is not there.
    pub triggers: fn(&str, &str) -> Option<&'static [&'static str]>,
    /// ISO 639-1 code of the language of a text; `None` when unsure.
    pub language_of: fn(&str) -> Option<&'static str>,
}

/// A classifier that others ask as well.
pub type SharedClassifier = Arc<Mutex<dyn Classify>>;

/// Understands a request by the first stage that can.
pub struct Router {
    /// The one that is usually spoken comes first.
    spoken: Vec<Spoken>,
    classifier: Option<SharedClassifier>,
    /// What was told; `None` where nothing is kept.
    memory: Option<Arc<dyn MemoryIntents>>,
    /// The household's documents, where they are to answer what nothing else does.
    documents: OnceLock<Arc<dyn Documents>>,
    settings: IntentConfig,
    facts: Facts,
}

/// What is to be understood, and what that may cost.
struct Said<'s> {
    text: &'s str,
    now: NaiveDateTime,
    effort: &'s Effort,
}

mod heard;
mod remarks;
mod told;

/// Why an intent of the classifier was not taken.
enum Doubt {
    Unlikely,
    NoTriggers(Vec<&'static str>),
    NoSlots,
}

impl Router {
    /// `spoken` is not empty and begins with the usual language; without a classifier there are only templates.
    pub fn new(
        spoken: Vec<Spoken>,
        classifier: Option<SharedClassifier>,
        settings: IntentConfig,
        facts: Facts,
    ) -> Self {
        Self { spoken, classifier, memory: None, documents: OnceLock::new(), settings, facts }
    }

    /// With what was told: statements are kept and questions answered that no template is for.
    #[must_use]
    pub fn with_memory(self, memory: Arc<dyn MemoryIntents>) -> Self {
        Self { memory: Some(memory), ..self }
    }

    /// From now on these documents answer questions that nothing else is for. Without a language model, which reads them
    /// itself.
    pub fn answer_from(&self, documents: Arc<dyn Documents>) {
        // Those that were given first stay.
        let _ = self.documents.set(documents);
    }

    /// The templates that fit best: the first language that understands the text without a doubt, else the
    /// first that understands it somehow. A language that is known leaves no choice.
    fn by_templates(&self, language: &str, said: &Said<'_>) -> (Understanding, bool) {
        let known = self.spoken.iter().any(|spoken| spoken.language == language);
        let mut best: Option<Understanding> = None;
        for spoken in self.spoken.iter().filter(|spoken| !known || spoken.language == language) {
            let Said { text, now, effort } = *said;
            let mut found = spoken.sentences.understand_within(text, &spoken.language, now, effort);
            found.language.clone_from(&spoken.language);
            if is_clear(&found) {
                return (found, true);
            }
            // Half of a sentence is no sentence of another language.
            let is_half = best.is_some() && !known && !found.missed.is_empty();
            if best
                .as_ref()
                .is_none_or(|best| best.intents.is_empty() && !found.intents.is_empty() && !is_half)
            {
                best = Some(found);
            }
        }
        let best = best.unwrap_or_default();
        let understood = !best.intents.is_empty();
        (best, understood)
    }

    fn by_classifier(&self, classifier: &SharedClassifier, said: &Said<'_>) -> Result<Understanding, Fault> {
        let text = said.text;
        // It looks at the beginning of a text only, and may have to be loaded.
        let classify = || classifier.lock().unwrap_or_else(PoisonError::into_inner).classify(text);
        let found = said.effort.apart(classify)?;
        let mut why = format!("no sentence template accepts it; it is {}", found.described());
        let mut intents = Vec::new();
        let (mut hint, mut meant) = (None, None);
        for (name, alone) in &found.intents {
            // How likely what would be done is: two intents may ask for the same tool.
            let probability = &of_tool(name, *alone, &found.intents);
            match self.take(said, name, *probability, &found) {
                Ok(intent) => {
                    intents.push(intent);
                    break;
                }
                Err(Doubt::Unlikely) => break,
                Err(Doubt::NoTriggers(triggers)) => {
                    let words = triggers.join("\", \"");
                    why += &format!("; {name} ({probability:.2}) would need one of \"{words}\"");
                    hint = hint.or(intent_tools::tool_for(name).map(str::to_owned));
                }
                Err(Doubt::NoSlots) => {
                    why += &format!("; {name} ({probability:.2}) lacks what it is about");
                    // Only who surely asked for something is asked what it is about.
                    let sure = *probability >= self.settings.sure_confidence;
                    if sure && intent_tools::tool_for(name).is_some_and(|tool| ASK_WHEN.contains(&tool)) {
                        intents.push(bare(name, *probability, &why));
                        break;
                    }
                    // Whose words tell of the tool asked for something as well, though it is not clear of what.
                    let clear = (sure || mentions(text, self.triggers(name).into_iter().flatten()))
                        && asks_for_something(found.category);
                    meant = meant.or(clear.then_some((name, *probability)));
                }
            }
        }
        let meant = meant.filter(|_| intents.is_empty());
        let meant = meant.map(|(name, confidence)| bare(name, confidence, &why));
        if !intents.is_empty() {
            why.clear();
            hint = None;
        }
        let language = self.spoken.first().map(|spoken| spoken.language.clone()).unwrap_or_default();
        Ok(Understanding {
            intents,
            why,
            language,
            classification: Some(found),
            meant,
            hint,
            ..Understanding::default()
        })
    }

    /// Whether it is probably a request for something in the home to change.
    fn changes_the_home(&self, found: &Understanding) -> bool {
        found.classification.as_ref().is_some_and(|found| {
            matches!(found.category, Category::HomeControl | Category::Media)
                && found.confidence >= self.settings.min_confidence
        })
    }

    /// What was surely asked for, about the thing of the home that the words come near: "no more tv".
    fn about_the_nearest(
        &self,
        found: &Understanding,
        classified: &Understanding,
        said: &Said<'_>,
    ) -> Option<Intent> {
        let (near, meant) = (found.near.as_ref()?, classified.meant.as_ref()?);
        let intent = self.fill_within(&meant.name, &near.name, None, said.now, said.effort)?;
        let why = format!("{}; its words come near {}", meant.why, near.name);
        let named = intent.slots.get("name").is_some_and(|name| *name == near.name.as_str());
        named.then_some(Intent { route: Route::Intent, why, ..intent })
    }

    /// What a text that leans on another request means without it.
    fn alone(&self, said: &Said<'_>) -> Vec<Intent> {
        let classifier = self.classifier.as_ref().filter(|_| self.settings.enabled);
        let found = classifier.and_then(|classifier| self.by_classifier(classifier, said).ok());
        found.map_or_else(Vec::new, |found| found.intents)
    }

    /// Words of which one tells of an intent's tool, of all languages that are spoken here; `None` where it has no tool.
    fn triggers(&self, intent: &str) -> Option<Vec<&'static str>> {
        let tool = intent_tools::tool_for(intent)?;
        let words = |spoken: &Spoken| (self.facts.triggers)(tool, &spoken.language);
        let words: Option<Vec<_>> = self.spoken.iter().map(words).collect();
        words.map(|words| words.concat())
    }

    /// The intent with its slots, if the guards let it pass.
    fn take(
        &self,
        said: &Said<'_>,
        name: &str,
        probability: f32,
        found: &Classification,
    ) -> Result<Intent, Doubt> {
        if found.taught {
            return Ok(self.taught(said, name));
        }
        self.is_likely(said.text, name, probability, found)?;
        let Said { text, now, effort } = *said;
        let marked = found.spans.as_deref().and_then(|marks| {
            effort.share(MAX_STEPS_OF_MARKED, |effort| self.fill_within(name, text, Some(marks), now, effort))
        });
        let filled = marked.or_else(|| self.fill_within(name, text, None, now, effort));
        let mut intent = filled.ok_or(Doubt::NoSlots)?;
        intent.route = Route::Intent;
        intent.confidence *= probability;
        intent.why = format!("classified as {} ({probability:.2}): {}", found.category, intent.why);
        Ok(intent)
    }

    /// Whether an intent is likely enough, and of the kind that the text is.
    fn is_likely(
        &self,
        text: &str,
        name: &str,
        probability: f32,
        found: &Classification,
    ) -> Result<(), Doubt> {
        let same_kind = (self.facts.category_of)(name) == Some(found.category);
        if !same_kind || probability < self.settings.min_confidence {
            return Err(Doubt::Unlikely);
        }
        let is_sure = probability >= self.settings.sure_confidence;
        let triggers = self.triggers(name).filter(|words| !mentions(text, words.iter().copied()));
        triggers.filter(|_| !is_sure).map_or(Ok(()), |triggers| Err(Doubt::NoTriggers(triggers)))
    }

    /// What one of several requests may mean.
    fn candidates(&self, classifier: &SharedClassifier, text: &str, effort: &Effort) -> Vec<Candidate> {
        let classify = || classifier.lock().unwrap_or_else(PoisonError::into_inner).classify(text);
        let Ok(found) = effort.apart(classify) else { return Vec::new() };
        let candidate = |(name, alone): &(String, f32)| {
            let probability = of_tool(name, *alone, &found.intents);
            let is_likely = found.taught || self.is_likely(text, name, probability, &found).is_ok();
            let (intent, spans) = (name.clone(), found.spans.clone());
            is_likely.then_some(Candidate { intent, probability, spans })
        };
        found.intents.iter().filter_map(candidate).collect()
    }

    /// A text of several requests, or of one with clauses, where each may be what the classifier takes it for.
    fn by_parts(&self, classifier: &SharedClassifier, said: &Said<'_>) -> Option<Understanding> {
        let usual = self.spoken.first()?;
        let candidates = |text: &str, effort: &Effort| self.candidates(classifier, text, effort);
        let mut found = usual.sentences.understand_parts(said.text, said.now, said.effort, &candidates)?;
        found.language.clone_from(&usual.language);
        found.classification = self.classification(said.text, &found);
        Some(found)
    }

    /// An intent the owner has said these words mean; its slots are found where the words have any.
    fn taught(&self, &Said { text, now, effort }: &Said<'_>, name: &str) -> Intent {
        let nothing_more = || bare(name, 1.0, "it says nothing more");
        let found = self.fill_within(name, text, None, now, effort).unwrap_or_else(nothing_more);
        let why = format!("you have said that these words mean it: {}", found.why);
        Intent { route: Route::Intent, why, ..found }
    }

    /// What kind of request the classifier takes a text for, in the language it knows.
    fn kind_of(&self, text: &str) -> Option<Classification> {
        let usual = &self.spoken.first()?.language;
        let knows = (self.facts.language_of)(text).is_none_or(|language| language == usual);
        let classifier = self.classifier.as_ref().filter(|_| self.settings.enabled && knows)?;
        classifier.lock().unwrap_or_else(PoisonError::into_inner).classify(text).ok()
    }

    /// What is known of a request that templates understood.
    fn classification(&self, text: &str, understanding: &Understanding) -> Option<Classification> {
        let categories = understanding.intents.iter().filter_map(|it| (self.facts.category_of)(&it.name));
        // What changes something weighs more than what only asks.
        let category = categories.max_by_key(|category| category.tier())?;
        let intents = understanding.intents.iter().map(|it| (it.name.clone(), it.confidence)).collect();
        Some(Classification::new(text, &hark_language::steps::of_all().into(), category, 1.0, intents))
    }
}

/// Whether who says something of a kind wants anything done or told; nobody needs to be asked what small talk is about.
fn asks_for_something(category: Category) -> bool {
    !matches!(category, Category::Conversation | Category::Memory)
}

/// An intent of the classifier's without anything it is about.
fn bare(name: &str, confidence: f32, why: &str) -> Intent {
    let (name, why) = (name.to_owned(), why.to_owned());
    Intent { name, slots: Slots::new(), confidence, route: Route::Intent, why, response: None, single: false }
}

impl Understand for Router {
    fn understand_within(
        &self,
        text: &str,
        language: &str,
        now: NaiveDateTime,
        effort: &Effort,
    ) -> Understanding {
        let text = &without_endless_words(text);
        let found = self.understand_by_stages(language, &Said { text, now, effort });
        if !effort.is_spent() {
            return found;
        }
        // What is told may be involved.
        let said = Said { text, now, effort };
        if let Some(told) = self.told_in(&said) {
            return told;
        }
        // What a stage has found counts for nothing when it had to stop in the middle. What kind of request it is
        // takes no steps to find, and a language model is asked accordingly.
        let classification = found.classification.or_else(|| self.kind_of(text));
        Understanding { language: found.language, classification, ..Understanding::unread() }
    }

    fn fill_within(
        &self,
        intent: &str,
        text: &str,
        marks: Option<&[SlotSpan]>,
        now: NaiveDateTime,
        effort: &Effort,
    ) -> Option<Intent> {
        // The classifier only knows the usual language.
        self.spoken.first()?.sentences.fill_within(intent, text, marks, now, effort)
    }
}

impl Router {
    /// One stage after the other.
    fn understand_by_stages(&self, language: &str, said: &Said<'_>) -> Understanding {
        let text = said.text;
        // The classifier knows the usual language only: what it makes of another is luck.
        let usual = |language: &str| self.spoken.first().is_some_and(|spoken| spoken.language == language);
        // What is left is for the text without a remark.
        let effort = said.effort;
        let share = effort.left() / 4 * 3;
        let ((mut found, understood), is_spent) = effort.share(share, |effort| {
            (self.by_templates(language, &Said { effort, ..*said }), effort.is_spent())
        });
        let detected = (self.facts.language_of)(text).unwrap_or("unknown").to_owned();
        let foreign = detected != "unknown" && !usual(&detected);
        let classifier = self.classifier.as_ref().filter(|_| self.settings.enabled && !foreign);
        let in_parts = || classifier.and_then(|classifier| self.by_parts(classifier, said));
        if is_spent || !understood || has_unread_parts(&found) {
            let beside = classifier.and_then(|classifier| self.beside_remark(language, classifier, said));
            match beside {
                Some(beside) if !beside.intents.is_empty() => return beside,
                Some(beside) if !understood => found = beside,
                _ => {}
            }
        }
        if is_spent {
            effort.spend(effort.left());
            return found;
        }
        if understood {
            let told_when = || self.tells_when(text).then(|| self.told_in(said)).flatten();
            if let Some(whole) = has_unread_parts(&found).then(|| told_when().or_else(in_parts)).flatten() {
                return whole;
            }
            if let Some(told) = self.told_first(&found, said) {
                return told;
            }
            found.classification = self.classification(text, &found);
            let leans = found.intents.iter().all(|intent| follow_ups::is_follow_up(&intent.name));
            // Nor does "no" alone mean anything, unless something was asked.
            let means_nothing = |intent: &Intent| {
                follow_ups::is_follow_up(&intent.name) || instincts::named(&intent.name).is_some()
            };
            if found.intents.iter().all(means_nothing) {
                // "No, my wife's name is Julia" corrects what was told, where it corrects no request.
                let told = self.of_memory(said, |memory, text| memory.intent(text));
                let told = told.or_else(|| self.told_in(said));
                found.alone = match told {
                    Some(told) => told.intents,
                    None if leans && usual(&found.language) => self.alone(said),
                    None => Vec::new(),
                };
            }
            return found;
        }
        // What is certainly about something the home does not have is answered so, not guessed at.
        if found.unknown.as_ref().is_some_and(|thing| thing.sure) {
            if let Some(told) =
                self.told_in(said).or_else(|| self.remembered_otherwise(said, Answering::Answers))
            {
                return told;
            }
            found.classification = Some(Classification::new(
                text,
                &hark_language::steps::of_all().into(),
                Category::HomeControl,
                1.0,
                Vec::new(),
            ));
            return found;
        }
        // Statements and questions that no request is for; what somebody wants done comes first.
        if let Some(found) = self.of_memory(said, |memory, text| memory.intent(text)) {
            return self.instead_of_recalling(&found, said).unwrap_or_else(|| self.told_whole(found, said));
        }
        if let Some(told) = self.told_in(said).or_else(|| self.remembered_otherwise(said, Answering::Answers))
        {
            return told;
        }
        if let Some(found) = in_parts() {
            return found;
        }
        if foreign {
            if let Some(found) = self.otherwise(said) {
                return found;
            }
            let why = format!("{}; the classifier does not know the language '{detected}'", found.why);
            let category = if found.unknown.is_some() { Category::HomeControl } else { Category::OutOfScope };
            let classification = Some(Classification::new(
                text,
                &hark_language::steps::of_all().into(),
                category,
                0.0,
                Vec::new(),
            ));
            return Understanding { why, language: detected, classification, ..found };
        }
        let classified = classifier.map(|classifier| self.by_classifier(classifier, said));
        if let Some(found) = self.instead_of_classified(classified.as_ref(), said) {
            return found;
        }
        self.as_classified(said, found, detected, classified)
    }

    /// What the classifier makes of a text that nothing else understands.
    fn as_classified(
        &self,
        said: &Said<'_>,
        found: Understanding,
        detected: String,
        classified: Option<Result<Understanding, Fault>>,
    ) -> Understanding {
        match classified {
            Some(Ok(found)) if !found.intents.is_empty() => self.about_another(said, found),
            Some(Ok(classified))
                if found.qualifier.is_some()
                    && found.unknown.is_none()
                    && self.changes_the_home(&classified) =>
            {
                let intents = found.qualifier.into_iter().map(|refused| *refused).collect();
                Understanding { intents, meant: None, hint: None, ..classified }
            }
            Some(Ok(classified)) => {
                let nearest = self.about_the_nearest(&found, &classified, said);
                // Nobody is asked whether the thing is meant all of whose name was said.
                let in_full =
                    found.near.as_ref().is_some_and(|near| near.in_full) && found.qualifier.is_none();
                if let Some(nearest) = nearest.clone().filter(|_| in_full) {
                    let intents = vec![nearest];
                    return Understanding {
                        intents,
                        language: detected,
                        meant: None,
                        hint: None,
                        ..classified
                    };
                }
                // "Turn the dishwasher on at nine" is like a reminder.
                let likely =
                    [Category::HomeControl, Category::HomeQuery, Category::Reminder, Category::Timer];
                let of_home = |it: &Classification| likely.contains(&it.category);
                let unknown =
                    found.unknown.filter(|_| classified.classification.as_ref().is_some_and(of_home));
                let (why, meant) = match &unknown {
                    Some(_) => (found.why, found.meant),
                    None => (classified.why.clone(), nearest.or_else(|| classified.meant.clone())),
                };
                Understanding { language: detected, unknown, why, meant, near: found.near, ..classified }
            }
            Some(Err(fault)) => Understanding { why: fault.to_string(), language: detected, ..found },
            None => Understanding { language: detected, ..found },
        }
    }
}

/// How likely one of the intents is that are served by the same tool as this one.
fn of_tool(name: &str, alone: f32, intents: &[(String, f32)]) -> f32 {
    let Some(tool) = intent_tools::tool_for(name) else { return alone };
    let same = intents.iter().filter(|(other, _)| intent_tools::tool_for(other) == Some(tool));
    same.map(|(_, probability)| probability).sum::<f32>().min(1.0)
}

/// No word has this many characters; comparing one that has with every name would take seconds.
const LONGEST_WORD: usize = 60;

/// The text with words cut that are none.
fn without_endless_words(text: &str) -> String {
    let cut = |word: &str| match word.char_indices().nth(LONGEST_WORD) {
        Some((end, _)) => word[..end].to_owned(),
        None => word.to_owned(),
    };
    text.split(' ').map(cut).collect::<Vec<_>>().join(" ")
}

/// Whether a part of a request is in no sentence, so that nothing, or only the rest, would be done.
fn has_unread_parts(found: &Understanding) -> bool {
    let unread = [refusal::CONDITION, refusal::DURATION, refusal::EXCEPTION, refusal::ACT];
    let is_unread = |intent: &Intent| {
        let reason = intent.response.as_deref();
        intent.name == refusal::INTENT && reason.is_some_and(|reason| unread.contains(&reason))
    };
    !found.missed.is_empty() || found.intents.iter().any(is_unread)
}

/// Whether nothing about it was guessed.
fn is_clear(found: &Understanding) -> bool {
    let exact = |intent: &Intent| intent.confidence >= 0.9;
    !found.intents.is_empty()
        && found.intents.iter().all(exact)
        && found.ambiguous.is_empty()
        && found.missed.is_empty()
}

#[cfg(test)]
#[path = "router_tests.rs"]
mod tests;

//! The port: text in, intents out. Several requests in one sentence become several intents.
//!
//! What is tried, in this order: the sentence as it is; without the courtesies around it; several of a kind; as
//! somebody corrected it; two or more requests joined by "and" or "then"; without the reason that was given; the
//! sentence with names that were not said exactly; requests with such names; and if a part of several still means
//! nothing, the others.

use super::around::Speech;
use super::grammar::{Grammar, Match};
use super::impossible::Impossible;
use super::intent::category_of;
use super::provisos::Provisos;
use super::requests::{self, Reading};
use super::several;
use super::text::{self, Token};
use crate::domain::intent::UnknownThing;
use crate::domain::ports::Understand;
use crate::domain::{Ambiguity, Category, Intent, Route, Slots, Understanding};
use chrono::NaiveDateTime;

/// Confidence of a match in which a wildcard took words: the words are exact, their meaning is open.
const WILD_CONFIDENCE: f32 = 0.9;

impl Understand for Grammar {
    fn understand_at(&self, text: &str, language: &str, now: NaiveDateTime) -> Understanding {
        let other = !language.is_empty() && language != "unknown" && language != self.language();
        if other {
            let why = format!("there are sentences of language '{}' only, not '{language}'", self.language());
            return Understanding { why, ..Understanding::default() };
        }
        let tokens = text::tokenise(text, self.tongue());
        if tokens.is_empty() {
            let why = "there are no words in it".to_owned();
            return Understanding { why, ..Understanding::default() };
        }
        let provisos = Provisos::of(self, text, &tokens, now);
        let impossible = Impossible::of(self, text, &tokens, now);
        let reading = read(self, text, &tokens, now);
        let refused = match &reading {
            Some(Reading { matches, .. }) => impossible.refuse(matches).or_else(|| provisos.refuse(matches)),
            None => provisos.refuse_unread().or_else(|| impossible.refuse_unread()),
        };
        match (refused, reading) {
            (Some(refused), _) => Understanding { intents: vec![refused], ..Understanding::default() },
            (None, Some(reading)) => understanding(reading),
            (None, None) => {
                Understanding { proviso: provisos.any().map(Box::new), ..self.unknown(text, &tokens, now) }
            }
        }
    }

    fn fill_at(&self, intent: &str, text: &str, now: NaiveDateTime) -> Option<Intent> {
        let tokens = text::tokenise(text, self.tongue());
        let impossible = Impossible::of(self, text, &tokens, now);
        let Some(found) = self.fill(intent, text, now) else { return impossible.refuse_unfilled(intent) };
        let read = std::slice::from_ref(&found);
        let provisos = || Provisos::of(self, text, &tokens, now).refuse(read);
        Some(impossible.refuse(read).or_else(provisos).unwrap_or_else(|| self::intent(found)))
    }
}

impl Grammar {
    /// What no template accepts; perhaps because it is about something the home does not have.
    fn unknown(&self, text: &str, tokens: &[Token], now: NaiveDateTime) -> Understanding {
        let why = "no sentence template accepts it".to_owned();
        let known = |name: &str| self.names_something(&text::tokenise(name, self.tongue()));
        let about_things = |found: &Match| {
            let category = category_of(&found.intent);
            matches!(category, Some(Category::HomeControl | Category::HomeQuery)) && found.wild_words == 0
        };
        let unheard_of = self.parse_unknown(text, tokens, now);
        match unheard_of.filter(|(found, name)| about_things(found) && !known(name)) {
            None => Understanding { why, ..Understanding::default() },
            Some((found, name)) => {
                let why = format!("nothing is called \"{name}\" here ({})", found.why);
                let unknown = Some(UnknownThing { sure: self.says_what_kind(&name), name });
                let meant = Intent { slots: Slots::new(), why: why.clone(), ..intent(found) };
                Understanding { why, unknown, meant: Some(meant), ..Understanding::default() }
            }
        }
    }
}

/// What a sentence is read as, by the first way that does.
pub(super) fn read(grammar: &Grammar, text: &str, tokens: &[Token], now: NaiveDateTime) -> Option<Reading> {
    let exactly = |text: &str, tokens: &[Token]| grammar.parse_tokens(text, tokens, now);
    let nearly = |text: &str, tokens: &[Token]| {
        grammar.parse_tokens(text, tokens, now).or_else(|| grammar.parse_nearly(text, tokens, now))
    };
    let whole = |found: Match| Reading { matches: vec![found], missed: Vec::new() };
    // What goes on a list may be any words, wherever courtesies end.
    let tame = |found: &Match| found.wild_words == 0 || category_of(&found.intent) == Some(Category::List);
    let tongue = grammar.tongue();
    let speech = Speech { grammar, text, tokens, now };
    let core = speech.core();
    let politely = |text: &str, tokens: &[Token]| {
        let within = || exactly(text, Speech { grammar, text, tokens, now }.core()?).filter(tame);
        exactly(text, tokens).or_else(within)
    };
    exactly(text, tokens)
        .map(whole)
        .or_else(|| exactly(text, core?).filter(tame).map(whole))
        .or_else(|| grammar.several_later(text, core.unwrap_or(tokens), now).map(whole))
        .or_else(|| several::read(text, core.unwrap_or(tokens), tongue, &exactly))
        .or_else(|| speech.minded().map(whole))
        .or_else(|| speech.corrected().map(whole))
        .or_else(|| requests::all(text, tokens, tongue, &exactly).map(|found| speech.once(found)))
        .or_else(|| {
            let found = requests::all(text, core.unwrap_or(tokens), tongue, &politely)?;
            Some(speech.once(found))
        })
        .or_else(|| speech.with_reason(false).map(whole))
        .or_else(|| grammar.parse_nearly(text, tokens, now).map(whole))
        .or_else(|| grammar.parse_nearly(text, core?, now).filter(tame).map(whole))
        .or_else(|| speech.with_reason(true).map(whole))
        .or_else(|| speech.beside_reason().map(whole))
        .or_else(|| requests::all(text, tokens, tongue, &nearly))
        .or_else(|| requests::some(text, tokens, tongue, &nearly))
}

fn understanding(reading: Reading) -> Understanding {
    let mut found = Understanding { missed: reading.missed, ..Understanding::default() };
    for (index, one) in reading.matches.into_iter().enumerate() {
        let doubts = one.doubts.iter().map(|doubt| Ambiguity { intent: index, ..doubt.clone() });
        found.ambiguous.extend(doubts);
        found.intents.push(intent(one));
    }
    found
}

fn intent(found: Match) -> Intent {
    let wild = if found.wild_words == 0 { 1.0 } else { WILD_CONFIDENCE };
    Intent {
        name: found.intent,
        slots: found.slots,
        confidence: found.score.min(wild),
        route: Route::Template,
        why: found.why,
        response: found.response,
    }
}

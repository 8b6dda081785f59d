//! Questions about what is so now, "tell me if the garage is open", requests that go on with the answer: "is the back door
//! locked, and if not lock it", and indirect questions: "tell me what the time is".

use super::super::grammar::Match;
use super::super::intent::category_of;
use super::super::qualifiers::{Kind, Qualifier, Qualifiers};
use super::super::request_framing::Speech;
use super::super::text::Token;
use super::model::{Adds, Clause, Said};
use super::terms::ONCE;
use super::{Composer, MAX_CLAUSES, STATE};
use hark_core::automation::Condition;
use hark_core::{Category, Intent, Route, Slots, Understanding};
use hark_language::phrases;
use serde_json::Value;

/// How it is answered, where it is about one thing, and about any.
const ASKS_ONE: &str = "one_yesno";
const ASKS_ANY: &str = "any";

impl Composer<'_> {
    /// "Tell me if the garage is open": what is so now is answered and not waited for.
    pub(super) fn question(&self, qualifiers: &Qualifiers<'_>, it: &Qualifier) -> Option<Understanding> {
        let (Kind::If, [_]) = (it.kind, qualifiers.found.as_slice()) else { return None };
        let clause = Clause { by: self, qualifiers, it, end: qualifiers.words.len() };
        let (_, Adds::Check { said, .. }) = clause.read()? else { return None };
        let Condition::State { mut question, not: false } = said.condition else { return None };
        if said.of_it || said.there || !question.contains_key("state") {
            return None;
        }
        let asks = question.remove("response").and_then(|asks| Some(asks.as_str()?.to_owned()));
        let usual = usual_answer(&question);
        let intent = Intent {
            name: STATE.to_owned(),
            slots: question,
            confidence: 1.0,
            route: Route::Template,
            why: "a question about now".to_owned(),
            response: Some(asks.unwrap_or_else(|| usual.to_owned())),
            single: false,
        };
        Some(Understanding { intents: vec![intent], ..Understanding::default() })
    }

    /// "Is the garage open? If it is, close it": the question is what has to be so.
    pub(super) fn behind_question(&self, text: &str, tokens: &[Token]) -> Option<Understanding> {
        let qualifiers = Qualifiers::of(self.reader, text, tokens);
        let lexicon = self.reader.grammar.lexicon();
        let (so, not_so) = (lexicon.qualifiers.so, lexicon.qualifiers.not_so);
        // "… and if so", "… because if so".
        let joining = [lexicon.requests.connectors, lexicon.discourse.reasons];
        qualifiers.found.iter().filter(|it| it.kind == Kind::If && it.start > 0).find_map(|it| {
            let behind = &qualifiers.words[it.mark.1..];
            let denied = phrases::starts(not_so, behind);
            let end = it.mark.1 + denied.or_else(|| phrases::starts(so, behind))?;
            let words = phrases::without_ends(&joining, &qualifiers.words[..it.start]);
            let asked = &tokens[..words.len()];
            let asked = self.reader.exactly(text, asked).filter(|asked| asked.intent == STATE)?;
            let mut question = asked.slots;
            question.contains_key("state").then_some(())?;
            question.remove("response");
            let (act, name) =
                (text[tokens.get(end)?.start..].trim(), question.get("name").and_then(Value::as_str));
            let named = name.and_then(|name| self.reader.with_name(act, name));
            let named = named.and_then(|act| self.request(&act, MAX_CLAUSES));
            // "Are the doors locked, and if not lock *them*."
            let several = || {
                let name = Speech { reader: self.reader, text, tokens }.named(words)?;
                let act = self.reader.with_name_for(lexicon.requests.several_pronouns, act, &name)?;
                self.request(&act, MAX_CLAUSES)
            };
            let found = named.or_else(several).or_else(|| self.request(act, MAX_CLAUSES));
            let mut found = found?;
            let condition = Condition::State { question, not: false };
            let said = Said { condition, becomes: false, of_it: false, there: false, for_seconds: 0 };
            let said_if = text[tokens[it.start].start..tokens[end - 1].end].trim();
            let not = denied.is_some();
            // Who asks has the answer, and waits for nothing.
            found
                .add(Adds::Check { said, not, otherwise: ONCE, now: true }, said_if, self.reader)
                .then_some(())?;
            found.understanding(self.reader)
        })
    }
}

/// The response to the question whether something is so.
pub(super) fn usual_answer(question: &Slots) -> &'static str {
    if question.contains_key("name") { ASKS_ONE } else { ASKS_ANY }
}

impl Speech<'_> {
    /// A question about one of several with each of them asked about: "are any windows *or* doors open". `None` where it is none.
    pub fn with_each_asked(&self) -> Option<String> {
        let (mut words, lexicon) = (self.words(), self.lexicon());
        let or = (1..words.len()).find(|at| lexicon.qualifiers.any_of.contains(words[*at]))?;
        let asks = words.first().is_some_and(|first| lexicon.discourse.questions.contains(first));
        words[or] = lexicon.requests.connectors.first()?;
        let text = words.join(" ");
        let tokens = self.reader.tokenise(&text);
        let is_state = |found: &Match| category_of(&found.intent) == Some(Category::HomeQuery);
        let found = if asks { self.reader.read(&text, &tokens)? } else { return None };
        (found.missed.is_empty() && found.matches.len() > 1 && found.matches.iter().all(is_state))
            .then_some(text)
    }

    /// The request with what it asks indirectly asked directly: "tell me what *is the time*" for "what *the time is*". `None`
    /// where it asks nothing so.
    pub fn with_direct_questions(&self) -> Option<String> {
        let mut words = self.words();
        let (talk, articles) = (&self.lexicon().discourse, self.lexicon().things.articles);
        let joins = |word: &str| self.lexicon().requests.connectors.contains(word);
        let (mut moved, mut at) = (false, 1);
        while at + 2 < words.len() {
            let is_question = talk.questions.contains(words[at - 1]) && articles.contains(words[at]);
            let ends =
                |end: &usize| *end == self.tokens.len() || joins(words[*end]) || self.pauses_before(*end);
            let end = (at + 2..=words.len()).find(ends).filter(|_| is_question);
            if let Some(end) = end.filter(|end| talk.copulas.contains(words[end - 1])) {
                words[at..end].rotate_right(1);
                (moved, at) = (true, end);
            }
            at += 1;
        }
        let pause = |at: usize| if at > 0 && self.pauses_before(at) { ", " } else { " " };
        let text =
            || words.iter().enumerate().map(|(at, word)| pause(at).to_owned() + word).collect::<String>();
        // "Remind me where my glasses *are*" is a request as it stands.
        let is_said = || self.reader.exactly(self.text, self.tokens).is_some();
        (moved && !is_said()).then(|| text().trim_start().to_owned())
    }
}

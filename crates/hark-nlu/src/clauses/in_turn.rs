//! Two requests of which each says when: "turn on the fan when it's above 25 and off again when it's below 22".

use super::super::grammar::Match;
use super::super::intent::{category_of, leans_on_another};
use super::super::qualifiers::{Kind, Qualifier, Qualifiers};
use super::super::request_framing::Speech;
use super::super::requests::{Sentence, Words};
use super::super::text::Token;
use super::composed::Composed;
use super::{Composer, MAX_CLAUSES};
use hark_core::automation::intent::OF_IT;
use hark_core::{Ambiguity, Category, Understanding};
use hark_language::phrases;

impl Composer<'_> {
    /// Two requests with a connector between them. The second has a clause or a time of its own; where that stands behind
    /// what is to be done, the first has one, too: otherwise what the first waits for may be meant for both.
    pub(super) fn in_turn(&self, text: &str, tokens: &[Token]) -> Option<Understanding> {
        let qualifiers = Qualifiers::of(self.reader, text, tokens);
        let lexicon = self.reader.grammar.lexicon();
        let joins = |at: usize| lexicon.requests.connectors.contains(qualifiers.words[at]);
        let waits = |it: &&Qualifier| {
            use Kind::{Condition, EachTime, If, Lasting, Moment, Unless, Until, When};
            matches!(it.kind, When | EachTime | If | Unless | Moment | Condition | Lasting | Until)
        };
        let clauses: Vec<&Qualifier> = qualifiers.found.iter().filter(waits).collect();
        (1..tokens.len().saturating_sub(1)).filter(|at| joins(*at) && !joins(*at - 1)).find_map(|at| {
            let next = (at..tokens.len()).find(|at| !joins(*at))?;
            let tells = |it: &Qualifier| self.notice(text, tokens.get(next..it.start)?);
            let told = clauses.iter().find_map(|it| tells(it)).is_some();
            let begins = told || clauses.iter().any(|it| it.start == next);
            let is_behind = clauses.iter().any(|it| (1..at).contains(&it.start));
            let is_in_rest = clauses.iter().any(|it| it.start > next);
            (begins || is_behind || is_in_rest).then_some(())?;
            let mut first = self.request(text[..tokens[at].start].trim_end(), MAX_CLAUSES)?;
            (begins || first.has_terms() || first.asks()).then_some(())?;
            // "For five minutes and then open the tap": when those are over.
            let then = (at..=next)
                .any(|at| phrases::starts(lexicon.requests.afterwards, &qualifiers.words[at..]).is_some());
            (!(then && first.lasts())).then_some(())?;
            let with_unit = self.with_unit(text, tokens, next);
            let rest = with_unit.as_deref().unwrap_or(&text[tokens[next].start..]);
            // "She" is the person, "it" what was started, or the sunset: "and … half an hour after it".
            let sun = clauses.iter().find(|it| it.kind == Kind::Moment && it.start < at);
            let sun = sun.map(|it| qualifiers.words[it.mark.0..it.mark.1].join(" "));
            let persons = lexicon.requests.person_pronouns;
            let named = first.terms.person().and_then(|name| self.reader.with_name_for(persons, rest, name));
            let named = named.or_else(|| self.reader.with_name(rest, first.name().filter(|_| told)?));
            let named = named.or_else(|| self.reader.with_last_named(rest, &sun?));
            let by = Composer { before: Some(first.said.as_str()), ..*self };
            let read = |rest: &str| {
                let is_whole = |rest: &Composed| rest.has_terms() && !rest.matches.iter().any(leans);
                by.request(rest, MAX_CLAUSES).filter(is_whole)
            };
            let mut rest = named.as_deref().and_then(read).or_else(|| read(rest))?;
            if let Some(question) = first.question() {
                rest.terms.measure_the_same(question, self.reader);
            }
            if rest.is_each_day() {
                first.terms.repeat();
            }
            let (mut found, rest) = (first.understanding(self.reader)?, rest.understanding(self.reader)?);
            let behind = found.intents.len();
            let doubts = rest.ambiguous.into_iter();
            found.ambiguous.extend(doubts.map(|doubt| Ambiguity { intent: doubt.intent + behind, ..doubt }));
            found.intents.extend(rest.intents);
            Some(found)
        })
    }

    /// What lasts as long as a number says at the end, with the unit of the request before it: "… for five minutes and the fan
    /// for ten".
    fn with_unit(&self, text: &str, tokens: &[Token], next: usize) -> Option<String> {
        let exactly = |text: &str, tokens: &[Token], _| self.reader.exactly(text, tokens);
        let sentence = Sentence::new(text, tokens, self.reader, &exactly, Words::Known);
        let lexicon = self.reader.grammar.lexicon();
        let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
        let lasts = |at: &usize| {
            phrases::ends(lexicon.qualifiers.lasting, &words[..*at]).is_some()
                && lexicon.numbers.whole(&words[*at..]).is_some_and(|(_, used)| at + used == words.len())
        };
        (next + 1..words.len()).find(lasts)?;
        let unit = sentence.unit_of(next, words.len())?;
        Some(format!("{} {unit}", &text[tokens[next].start..]))
    }

    /// A request that leaves out what the one before it says: "off again".
    pub(super) fn leaning(&self, text: &str, tokens: &[Token]) -> Option<Composed> {
        let (before, connector) = (self.before?, self.reader.grammar.lexicon().requests.connectors.first()?);
        let exactly = |text: &str, tokens: &[Token], _| self.reader.exactly(text, tokens);
        let pronouns = self.reader.grammar.lexicon().requests.pronouns;
        let of_another = tokens.iter().any(|token| pronouns.contains(token.word.as_str()));
        // What means something alone needs nothing from another.
        if !of_another && self.reader.exactly(text, tokens).is_some_and(|found| !leans(&found)) {
            return None;
        }
        let both = format!("{before} {connector} {text}");
        let both_tokens = self.reader.tokenise(&both);
        let (end, start) = (self.reader.tokenise(before).len(), both_tokens.len().checked_sub(tokens.len())?);
        let sentence = Sentence::new(&both, &both_tokens, self.reader, &exactly, Words::Known);
        let acts =
            |found: &Match| !leans(found) && category_of(&found.intent) != Some(Category::Conversation);
        let alike = sentence.one(Some((0, end)), (start, both_tokens.len()));
        // "Off again" is behind the name of what was turned on, or behind the verb and that; "it" is that.
        let of_it = || {
            let span = |from: usize, to: usize| &both[both_tokens[from].start..both_tokens[to].end];
            let verb = span(0, 0);
            (1..end).find_map(|cut| {
                let thing = span(cut, end - 1);
                let named = self.reader.with_name(text, thing);
                let texts = [named, Some(format!("{thing} {text}")), Some(format!("{verb} {thing} {text}"))];
                texts.into_iter().flatten().find_map(|words| {
                    let tokens = self.reader.tokenise(&words);
                    let core = Speech { reader: self.reader, text: &words, tokens: &tokens }.core();
                    let found = self.reader.exactly(&words, core.unwrap_or(&tokens))?;
                    (found.wild_words == 0 && acts(&found)).then_some(found)
                })
            })
        };
        let found = alike.filter(acts).or_else(of_it)?;
        let said = self.promised(found.said(), &self.reader.tokenise(&found.said()));
        Some(Composed::of(vec![found], said))
    }
}

/// Whether a request is about something that another names.
pub(super) fn leans(found: &Match) -> bool {
    leans_on_another(&found.intent) || found.slots.contains_key(OF_IT)
}

//! The act of a request without its clause. "It" is what the clause names, a thing alone is turned on ("*the lamp* for three
//! minutes"), and several acts at the same time are one command.

use super::super::grammar::{Match, Reader};
use super::super::request_framing::Speech;
use super::super::text::Token;
use super::model::{Adds, Composed};
use super::terms::TIMES;
use super::{Composer, span};
use hark_core::automation::intent::COMMAND;

impl Composer<'_> {
    /// What is to be done where a clause says `terms` beside it; `name`: what that names, for "it".
    pub(super) fn act_beside(
        &self,
        act: &str,
        name: Option<&str>,
        terms: &Adds,
        clauses_left: usize,
    ) -> Option<Composed> {
        let named = || self.request(&self.reader.with_name(act, name?)?, clauses_left - 1);
        // "When the kettle is done turn on the lamp and turn *it* off in ten minutes" is about the lamp.
        let own = if self.speaks_of_its_own(act) { self.request(act, clauses_left - 1) } else { None };
        // "Tell me *tonight* if somebody moves" is not put off until then.
        let running = self.running(act, terms);
        let act = running.as_deref().unwrap_or(act);
        let told_later = || {
            let found = self.notice_at(act)?;
            let may = match terms {
                Adds::Becomes { .. } => found.is_within_a_part(),
                _ => matches!(terms, Adds::Check { .. }),
            };
            may.then_some(found)
        };
        own.or_else(named).or_else(told_later).or_else(|| self.request(act, clauses_left - 1))
    }

    /// Whether "it" in a request stands behind a thing that this names itself.
    fn speaks_of_its_own(&self, act: &str) -> bool {
        let tokens = self.reader.tokenise(act);
        let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
        let pronouns = self.reader.grammar.lexicon().requests.pronouns;
        let speech = Speech { reader: self.reader, text: act, tokens: &tokens };
        let it = words.iter().position(|word| pronouns.contains(word));
        // "*Switch* it off" names no switch.
        let verbs = self.reader.grammar.lexicon().discourse.verbs;
        let verb = usize::from(words.first().is_some_and(|first| verbs.contains(first)));
        it.is_some_and(|it| speech.named(words.get(verb..it).unwrap_or_default()).is_some())
    }

    /// The request for a thing to run that is to last, where only that was named: "could I have *the lamp* for three minutes".
    fn running(&self, act: &str, terms: &Adds) -> Option<String> {
        matches!(terms, Adds::Until(_)).then_some(())?;
        let tokens = self.reader.tokenise(act);
        let core = Speech { reader: self.reader, text: act, tokens: &tokens }.core().unwrap_or(&tokens);
        let lexicon = self.reader.grammar.lexicon();
        // "*Give* the fan twenty minutes."
        let gives = core.first().is_some_and(|first| lexicon.qualifiers.runs_for.contains(&first.word));
        let core = &core[usize::from(gives)..];
        let thing = span(act, core);
        let is_word = |token: &&Token| !lexicon.things.articles.contains(&token.word);
        let name: Vec<&str> = core.iter().filter(is_word).map(|token| token.word.as_str()).collect();
        self.reader.grammar.is_thing(&name.join(" ")).then_some(())?;
        Some(format!("{} {thing}", lexicon.qualifiers.runs.first()?))
    }
}

impl Composed {
    /// Several requests that are put off for the same time are one: "at ten lock the front door and turn off the lights".
    pub(super) fn join_what_is_put_off(&mut self, reader: &Reader<'_>) {
        let [first, others @ ..] = self.matches.as_slice() else { return };
        let time = |it: &Match| TIMES.map(|slot| it.slots.get(slot).cloned());
        let command = |it: &Match| Some(it.slots.get(COMMAND)?.as_str()?.to_owned());
        let is_same = |it: &Match| it.intent == first.intent && time(it) == time(first);
        let commands: Option<Vec<String>> = self.matches.iter().map(command).collect();
        let joins = reader.grammar.lexicon().requests.connectors.first();
        if let (Some(commands), Some(joins), true) = (commands, joins, others.iter().all(is_same)) {
            self.matches.truncate(1);
            self.matches[0].slots.insert(COMMAND.to_owned(), commands.join(&format!(" {joins} ")).into());
        }
    }
}

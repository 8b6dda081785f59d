//! "That was wrong, I meant turn on the kitchen light": the words after it are understood and done, and
//! the request before is kept as an example of what they mean.

use super::Machine;
use super::why::Story;
use crate::follow_ups;
use hark_core::{Correction, Effect, Intent, Route, Stamp, TurnId};

/// The intent that corrects.
const CORRECTS: &str = "HarkCorrect";
/// Its slot with what was meant.
const WORDS: &str = "correction";

impl Machine {
    /// If the request corrects the one before, has the words after it understood in its place. Once: a
    /// correction of a correction means nothing.
    pub(super) fn corrected(&mut self, now: Stamp, id: &TurnId, intents: &[Intent]) -> bool {
        let [only] = intents else { return false };
        let Some(words) = only.slots.get(WORDS).and_then(|words| words.as_str()) else { return false };
        let Some(turn) = self.turns.iter_mut().find(|turn| turn.id == *id) else { return false };
        if only.name != CORRECTS || turn.corrects.is_some() {
            return false;
        }
        let talk = self.talks.of(&turn.origin);
        let before = talk.and_then(|talk| talk.story.as_ref()).map(Story::heard);
        // Nothing before: the words are a request all the same.
        turn.corrects = Some(before.unwrap_or_default().to_owned());
        let language = turn.language.clone();
        self.tell_intent(id, only.clone());
        self.decide(now, id, words, &language);
        true
    }

    /// Keeps the request before as an example, if this one tells plainly what it should have been.
    pub(super) fn keep_what_was_meant(&mut self, id: &TurnId, intents: &[Intent]) {
        let Some(turn) = self.turn_mut(id).filter(|turn| !turn.dry_run) else { return };
        let (before, origin) = (turn.corrects.clone(), turn.origin.clone());
        let (Some(text), [intent]) = (before.filter(|text| !text.is_empty()), intents) else { return };
        // A guess is nothing to learn from, and what only had another name in it was taken rightly.
        let plain = intent.route == Route::Template && !follow_ups::is_follow_up(&intent.name);
        if plain && !self.story(&origin).is_some_and(|story| story.is_of(&intent.name)) {
            let correction = Correction::Said { text, intent: Box::new(intent.clone()) };
            self.out.push(Effect::Teach { correction });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{acted, asked, run, settings, turn, typed, understood};
    use super::*;
    use hark_core::{Event, Understanding};
    use serde_json::json;

    fn correction(n: u32, words: &str) -> Event {
        let Event::Understood { turn, mut understanding } = understood(n, &[CORRECTS]) else {
            unreachable!()
        };
        understanding.intents[0].slots = [(WORDS.to_owned(), json!(words))].into_iter().collect();
        Event::Understood { turn, understanding }
    }

    fn wrong_one_before() -> Machine {
        let mut machine = Machine::new(settings());
        let spoken =
            Event::Replied { turn: turn(1), text: "no".into(), language: "en".into(), speaks: false };
        let nothing = Event::Understood { turn: turn(1), understanding: Understanding::default() };
        run(&mut machine, vec![(0, typed("the crumbs are winning")), (1, nothing), (2, spoken)]);
        machine
    }

    fn lessons(effects: &[Effect]) -> Vec<(String, String)> {
        let lesson = |effect: &Effect| match effect {
            Effect::Teach { correction: Correction::Said { text, intent } } => {
                Some((text.clone(), intent.name.clone()))
            }
            _ => None,
        };
        effects.iter().filter_map(lesson).collect()
    }

    #[test]
    fn the_words_are_done_and_the_request_before_becomes_their_example() {
        let mut machine = wrong_one_before();
        let begun = vec![
            (10, typed("that was wrong i meant start the vacuum")),
            (11, correction(2, "start the vacuum")),
        ];
        let begun = run(&mut machine, begun);
        assert_eq!(asked(&begun), ["that was wrong i meant start the vacuum", "start the vacuum"]);
        let done = run(&mut machine, vec![(12, understood(2, &["HassTurnOn"])), (13, acted(2, 0, true, ""))]);
        assert_eq!(lessons(&done), [("the crumbs are winning".to_owned(), "HassTurnOn".to_owned())]);
        assert!(done.iter().any(|effect| matches!(effect, Effect::Act { .. })));
    }

    #[test]
    fn guesses_the_same_intent_and_nothing_before_teach_nothing() {
        let mut fresh = Machine::new(settings());
        run(&mut fresh, vec![(0, typed("x")), (1, correction(1, "lights on"))]);
        assert!(lessons(&run(&mut fresh, vec![(2, understood(1, &["HassTurnOn"]))])).is_empty());
        let mut machine = wrong_one_before();
        run(&mut machine, vec![(10, typed("x")), (11, correction(2, "lights on"))]);
        let Event::Understood { turn, mut understanding } = understood(2, &["HassTurnOn"]) else {
            unreachable!()
        };
        understanding.intents[0].route = Route::Intent;
        let guessed = run(&mut machine, vec![(12, Event::Understood { turn, understanding })]);
        assert!(lessons(&guessed).is_empty());
        assert!(guessed.iter().any(|effect| matches!(effect, Effect::Act { .. })), "it is done all the same");
    }

    #[test]
    fn a_correction_of_a_correction_means_nothing() {
        let mut machine = wrong_one_before();
        run(&mut machine, vec![(10, typed("x")), (11, correction(2, "that was wrong i meant y"))]);
        let again = run(&mut machine, vec![(12, correction(2, "y"))]);
        assert!(asked(&again).is_empty() && lessons(&again).is_empty());
    }
}

//! Other requests within words that a sentence takes as they are: "put noodles on the list *and read it to me*".

use super::grammar::{Match, Took};
use super::intent::{category_of, leans_on_another};
use super::request_framing::Speech;
use super::rules::{self, Reckoning, Rule};
use hark_core::Category;
use hark_core::automation::intent::COMMAND;
use hark_language::{Phrases, phrases};

/// Sets an alarm.
const ALARM: &str = "HarkSetAlarm";

/// Whether words that were taken as they are hold another request or a correction: "... and then read me the list", "fifteen
/// I mean fifty". What is to be remembered or told may hold any.
pub(super) fn holds_another(found: &Match, speech: &Speech<'_>) -> bool {
    let lexicon = speech.reader.grammar.lexicon();
    let words: Vec<&str> = speech.tokens.iter().map(|token| token.word.as_str()).collect();
    let talk = &lexicon.discourse;
    let goes_on = |at: usize, how: Phrases| {
        let joins = words[at..].iter().take_while(|word| lexicon.requests.connectors.contains(word)).count();
        (joins > 0 || speech.pauses_before(at))
            && words.get(at + joins).is_some_and(|_| phrases::starts(how, &words[at + joins..]).is_some())
    };
    let asks = |at: usize| goes_on(at, talk.questions);
    let by = speech.reader.reckoning();
    // "… to ring the bank and at four to fetch the parcel."
    let at_another_time = |at: usize| {
        let joins = lexicon.requests.connectors.contains(words[at - 1]);
        let is_day = || rules::longest(Rule::Date, &words[at..], &by).is_some();
        let begins = joins && (phrases::starts(lexicon.time.at, &words[at..]).is_some() || is_day());
        begins && rules::longest(Rule::Datetime, &words[at..], &by).is_some_and(|(_, used)| used > 1)
    };
    // "… and close the blinds" is no part of a title, nor is "and set a timer", whatever stands behind that.
    let orders = |at: usize| {
        let is_article = |word: &&str| lexicon.things.articles.contains(word);
        talk.verbs.contains(words[at]) && words.get(at + 1).is_some_and(is_article)
            || phrases::starts(talk.to_me, &words[at..]).is_some()
    };
    let acts_beside = |at: usize| {
        let joins = lexicon.requests.connectors.contains(words[at - 1]);
        let acts = |found: Match| {
            let category = category_of(&found.intent);
            matches!(category, Some(Category::HomeControl | Category::Timer))
                && !leans_on_another(&found.intent)
        };
        joins && (orders(at) || speech.reader.tamely(speech.text, &speech.tokens[at..]).is_some_and(acts))
    };
    let taken: Vec<&str> =
        found.words.iter().filter(|(_, how)| *how == Took::AsItIs).map(|(word, _)| word.as_str()).collect();
    match category_of(&found.intent) {
        // "Read me what's left on the list" puts nothing on it.
        Some(Category::List) if phrases::starts(talk.verbs, &taken).is_some_and(|length| length > 1) => true,
        // Nor is "in the bathroom".
        Some(Category::Media) if names_place(speech, &taken) => true,
        // Nor is "quietly" behind "put the radio on".
        Some(Category::Media) if is_behind_state(found, talk.closing) && says_how(speech, &taken) => true,
        // Nor is "at seven" one, or "at twenty percent".
        Some(Category::Media)
            if phrases::starts(lexicon.time.at, &taken).is_some_and(|at| {
                rules::longest(Rule::Datetime, &taken, &by).is_some_and(|(_, used)| used > at)
                    || lexicon.numbers.number(&taken[at..]).is_some()
            }) =>
        {
            true
        }
        // "Put the radio on, sorry, I mean the telly" plays no such title.
        Some(Category::Media) => (1..words.len()).any(|at| {
            let corrects = phrases::starts(talk.corrections, &words[at..]);
            speech.pauses_before(at) && corrects.is_some_and(|it| at + it < words.len()) || acts_beside(at)
        }),
        Some(Category::Reminder) => (1..words.len()).any(|at| {
            let on_a_list = || {
                let joins = lexicon.requests.connectors.contains(words[at - 1]);
                let rest = &speech.tokens[at..];
                joins && speech.reader.exactly(speech.text, rest).is_some_and(|it| it.is_on_named_list())
            };
            // "… and turn the heating up at ten", "… and set an alarm for half six": what has a time of its own is done then.
            let timed = || {
                let joins = lexicon.requests.connectors.contains(words[at - 1]);
                let later = || speech.reader.exactly(speech.text, &speech.tokens[at..]);
                let is_done = |it: &Match| it.slots.contains_key(COMMAND) || it.intent == ALARM;
                joins
                    && found.moment().is_some()
                    && later().is_some_and(|it| is_done(&it) && it.moment().is_some())
            };
            asks(at)
                || goes_on(at, talk.to_me)
                || on_a_list()
                || at_another_time(at)
                || timed()
                || are_timed(&words, at, &by)
        }),
        Some(Category::List | Category::Timer) => (1..words.len()).any(|at| {
            // "In ten minutes, turn on the lamp" begins with its time.
            let is_within = found.words.get(at - 1).is_none_or(|(_, took)| *took == Took::AsItIs);
            // "Sugar, no not sugar, flour" and "rice, no, flour" are no one item, "no" alone may be a word of one.
            let corrects = phrases::starts(talk.corrections, &words[at..]).is_some_and(|length| {
                let denies = words.get(at + length).is_some_and(|it| lexicon.requests.negations.contains(it));
                // "Salt on the shopping list, no, on the packing list."
                let on_a_list = || {
                    let before = speech.reader.exactly(speech.text, &speech.tokens[..at]);
                    before.is_some_and(|it| it.is_on_named_list())
                };
                let is_apart = || speech.pauses_before(at) && speech.pauses_before(at + length);
                length > 1 || denies || at + length < words.len() && is_apart() || on_a_list()
            });
            asks(at) || is_within && goes_on(at, talk.verbs) || corrects
        }),
        _ => false,
    }
}

/// Whether what was taken as it is stands behind a state: "*on* quietly".
fn is_behind_state(found: &Match, closing: Phrases) -> bool {
    let first = found.words.iter().position(|(_, how)| *how == Took::AsItIs);
    let before = first.and_then(|first| found.words.get(first.checked_sub(1)?));
    before.is_some_and(|(word, _)| closing.contains(word))
}

/// Whether words say how what plays is to play: "quietly at fifteen percent".
fn says_how(speech: &Speech<'_>, words: &[&str]) -> bool {
    let text = words.join(" ");
    let found = speech.reader.exactly(&text, &speech.reader.tokenise(&text));
    found.is_some_and(|it| it.wild_words == 0 && category_of(&it.intent) == Some(Category::Media))
}

/// Whether a connector parts words that end with a time each: "to iron at eight *and put the bins out at nine*".
fn are_timed(words: &[&str], at: usize, by: &Reckoning) -> bool {
    by.lexicon.requests.connectors.contains(words[at - 1])
        && [&words[..at - 1], &words[at..]].iter().all(|part| ends_with_time(part, by))
}

/// Whether words end with a time that is marked as one: "put the bins out *at nine*".
pub(super) fn ends_with_time(words: &[&str], by: &Reckoning) -> bool {
    (1..words.len()).any(|at| {
        phrases::starts(by.lexicon.time.at, &words[at..]).is_some()
            && rules::longest(Rule::Datetime, &words[at..], by)
                .is_some_and(|(_, used)| at + used == words.len())
    })
}

/// Whether words are a place of the home with what says that something is in it: "in the bathroom".
fn names_place(speech: &Speech<'_>, words: &[&str]) -> bool {
    let lexicon = speech.reader.grammar.lexicon();
    let [within, rest @ ..] = words else { return false };
    let article = usize::from(rest.first().is_some_and(|first| lexicon.things.articles.contains(first)));
    lexicon.discourse.within.contains(within) && speech.reader.grammar.is_place(&rest[article..].join(" "))
}

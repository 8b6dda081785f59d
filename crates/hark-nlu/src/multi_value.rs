//! Several of a kind in one sentence: "set two timers, one for five minutes and one for ten", "timers for 5, 10 and 15
//! minutes". It is read as the request for one of them, then for another.

use super::grammar::{Match, Reader};
use super::requests::{Parse, Reading, Sentence, Words};
use super::text::{self, Token};
use hark_language::{Lexicon, phrases};

/// Most of a kind in one sentence.
const MOST: usize = 6;

/// As many requests of one intent as were said; `None` where the sentence is not about several of a kind.
pub fn read(text: &str, tokens: &[Token], reader: &Reader<'_>, parse: Parse<'_>) -> Option<Reading> {
    let lexicon = reader.grammar.lexicon();
    let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
    let (noun, one) = (0..words.len()).find_map(|at| {
        let (one, _) = phrases::find(lexicon.requests.several, &words[at..at + 1])?;
        Some((at, one))
    })?;
    let said = noun.checked_sub(1).and_then(|before| lexicon.numbers.whole(&words[before..noun]));
    let said = said.and_then(|(count, _)| usize::try_from(count).ok()).filter(|count| *count > 1);
    let plural = !one.ends_with(words[noun]);
    if said.is_none() && !plural || said.is_some_and(|count| count > MOST) {
        return None;
    }
    let head = &words[..noun - usize::from(said.is_some())];
    // "Two timers please: …"
    let courtesy = phrases::starts(lexicon.discourse.trails, &words[noun + 1..]).unwrap_or(0);
    let rest = apart(text, &tokens[noun + 1 + courtesy..], lexicon)?;
    let text = format!("{} {one} {rest}", head.join(" "));
    let tokens = text::tokenise(&text, lexicon);
    let sentence = Sentence::new(&text, &tokens, reader, parse, Words::Any);
    let counts = said.map_or(2..=MOST, |count| count..=count);
    let same = |found: &Vec<Match>| found.iter().all(|one| one.intent == found[0].intent);
    let matches = counts.into_iter().find_map(|count| exactly(&sentence, 0, None, count).filter(same))?;
    Some(Reading { matches, missed: Vec::new() })
}

/// The words behind the noun without the first "one", with commas where another begins that nothing else parts from the
/// one before: "one for five minutes one for ten", "five ten and fifteen".
fn apart(text: &str, tokens: &[Token], lexicon: &Lexicon) -> Option<String> {
    let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
    let first = phrases::starts(lexicon.requests.one_of_them, &words).unwrap_or(0);
    let number = |words: &[&str]| lexicon.numbers.whole(words).is_some_and(|(_, used)| used == words.len());
    let mut apart = String::new();
    for at in first..words.len() {
        let other = phrases::starts(lexicon.requests.one_of_them, &words[at..])
            .is_some_and(|used| phrases::find(lexicon.time.units, &words[at + used..]).is_none());
        let two_numbers = at > first
            && number(&words[at - 1..at])
            && number(&words[at..=at])
            && !number(&words[at - 1..=at]);
        let comma = at > first
            && text[tokens[at - 1].end.min(tokens[at].start)..tokens[at].start].contains([',', ';', '.']);
        if at > first && (other || two_numbers || comma) {
            apart.push(',');
        }
        apart.push(' ');
        apart.push_str(words[at]);
    }
    (first < words.len()).then_some(apart)
}

/// So many requests from a word to the end, none more and none less.
fn exactly(
    sentence: &Sentence<'_>,
    start: usize,
    before: Option<(usize, usize)>,
    count: usize,
) -> Option<Vec<Match>> {
    let end = sentence.tokens.len();
    if count == 1 {
        return sentence.one(before, (start, end)).map(|found| vec![found]);
    }
    sentence.joints(start).into_iter().filter(|(_, after)| *after < end).find_map(|(at, after)| {
        let first =
            sentence.one(before, (start, at)).or_else(|| sentence.ending((start, at), (after, end)))?;
        let rest = exactly(sentence, after, before.or(Some((start, at))), count - 1)?;
        Some(std::iter::once(first).chain(rest).collect())
    })
}

//! Words of a text as they are spoken: spelled in other ways, drawn together, or sighs in front.

use super::{Token, is_unit};
use hark_core::ports::NEXT_TURN;
use hark_language::{Lexicon, Phrase, phrases};

/// Writes what is spelled in several words as others are: "per cent", and with a hyphen "to-night", which recognisers write.
pub(super) fn respell_together(tokens: &mut Vec<Token>, text: &str, lexicon: &'static Lexicon) {
    let respellings = &lexicon.requests.respellings;
    let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
    let hyphened = |at: usize| {
        let [first, second] = tokens.get(at..at + 2)? else { return None };
        let joined = matches!(text.get(first.end..second.start)?, "-" | "‑");
        joined.then(|| respellings.get(&format!("{}-{}", first.word, second.word)))?
    };
    let together = |at: usize| match phrases::find(*respellings, &words[at..]) {
        Some((full, length @ 2..)) => Some((at, length, full)),
        _ => hyphened(at).map(|full| (at, 2, full)),
    };
    let found: Vec<(usize, usize, Phrase)> = (0..words.len()).rev().filter_map(together).collect();
    for (at, length, full) in found {
        put(tokens, at, length, full.split(' '));
    }
}

/// Puts words in the place of others; each comes from all that these came from.
fn put<'w>(tokens: &mut Vec<Token>, at: usize, length: usize, words: impl IntoIterator<Item = &'w str>) {
    let (start, end) = (tokens[at].start, tokens[at + length - 1].end);
    let words = words.into_iter().map(|word| Token { word: word.to_owned(), start, end });
    tokens.splice(at..at + length, words);
}

/// Takes apart what a number or unit is drawn together with, "twenty two*'ll* do", but for what says how it is: "seven's fine".
pub(super) fn split_contracted_amounts(tokens: &mut Vec<Token>, text: &str, lexicon: &'static Lexicon) {
    let talk = &lexicon.discourse;
    let split = |word: &str| {
        let (stem, meant) = talk.contraction(word)?;
        let is_amount = lexicon.numbers.number(&[stem]).is_some() || is_unit(stem, lexicon);
        let verb = meant.first().filter(|verb| is_amount && !talk.states.contains(verb))?;
        Some((stem.to_owned(), (*verb).to_owned()))
    };
    let found = tokens.iter().enumerate().rev().filter_map(|(at, token)| Some((at, split(&token.word)?)));
    for (at, (stem, verb)) in found.collect::<Vec<_>>() {
        let (start, end) = (tokens[at].start, tokens[at].end);
        put(tokens, at, 1, [stem.as_str(), verb.as_str()]);
        // What is cut off here has only the words before it.
        let cut = start + stem.len();
        if text.get(start..cut).is_some_and(|said| said.eq_ignore_ascii_case(&stem)) && cut < end {
            (tokens[at].end, tokens[at + 1].start) = (cut, cut);
        }
    }
}

/// Drops hesitations of several words where a turn begins with them: "*oh god* no make them blue".
pub(super) fn drop_sighs(tokens: &mut Vec<Token>, text: &str, lexicon: &'static Lexicon) {
    let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
    let begins = |at: usize| {
        at == 0 || text.get(tokens[at - 1].end..tokens[at].start).is_some_and(|gap| gap.contains(NEXT_TURN))
    };
    let sigh = |at: usize| {
        let length = phrases::starts(lexicon.discourse.hesitations, &words[at..])?;
        (length > 1 && at + length < words.len()).then_some((at, length))
    };
    let found: Vec<_> = (0..words.len()).rev().filter(|at| begins(*at)).filter_map(sigh).collect();
    for (at, length) in found {
        tokens.drain(at..at + length);
    }
}

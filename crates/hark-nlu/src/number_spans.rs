//! Stretches of words that are one number: "minus five", "one point five", "three hundred and eight", and whatever is
//! written in one piece with digits, "10^308", "5x", "7:75". Part of one is another number.

use super::text::Token;
use hark_language::Lexicon;
use std::ops::Range;

/// No number begins so many words before one that is in the middle of it, or ends so many behind it.
const FAR: usize = 12;

/// The stretches of some tokens of `text`, from left to right, also those of a single word.
pub fn numbers(text: &str, tokens: &[Token], lexicon: &Lexicon) -> Vec<Range<usize>> {
    let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let said = lexicon.numbers.number(&words[at..]).map_or(at, |(_, used)| at + used);
        let mut end = said.max(piece(text, tokens, at));
        // "Minus" and "5x": the last word may begin what is written in one piece.
        while end > at && piece(text, tokens, end - 1) > end {
            end = piece(text, tokens, end - 1);
        }
        if end > at {
            found.push(at..end);
        }
        at = end.max(at + 1);
    }
    found
}

/// Whether a number goes on over the word: "three hundred *and* eight".
pub fn is_inside(text: &str, tokens: &[Token], lexicon: &Lexicon, at: usize) -> bool {
    let inside = |number: Range<usize>| number.start < at && at < number.end;
    let (from, to) = (at.saturating_sub(FAR), tokens.len().min(at + FAR));
    numbers(text, &tokens[from..to], lexicon).into_iter().any(|it| inside(it.start + from..it.end + from))
}

/// The end of what is written in one piece with the word and has digits; the word itself where it has none.
fn piece(text: &str, tokens: &[Token], at: usize) -> usize {
    let together = |one: &Token, next: &Token| {
        next.start == one.start
            || text.get(one.end..next.start).is_some_and(|gap| !gap.contains(char::is_whitespace))
    };
    let end = (at + 1..tokens.len())
        .find(|next| !together(&tokens[next - 1], &tokens[*next]))
        .unwrap_or(tokens.len());
    let written = text.get(tokens[at].start..tokens[end - 1].end).unwrap_or_default();
    if written.contains(|c: char| c.is_ascii_digit()) { end } else { at }
}

/// Whether signs are written with a number that no word stands for, and that make it another: "5_000", "~5", "$5",
/// "- 5", "1.2.3".
pub fn is_odd(text: &str, tokens: &[Token]) -> bool {
    let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { return false };
    let blank = char::is_whitespace;
    let start = text[..first.start].rfind(blank).map_or(0, |at| at + 1);
    let end = text[last.end..].find(blank).map_or(text.len(), |at| last.end + at);
    let piece = text.get(start..end).unwrap_or_default();
    let signed = piece.contains(|c: char| "_~<>=|\\@$€£¥^".contains(c));
    let below_zero = text[..start].trim_end().strip_suffix(['-', '−']).is_some_and(|it| it.ends_with(blank));
    let parts = tokens.windows(2).any(|two| is_one_number(text, &two[0], &two[1]));
    piece.contains(|c: char| c.is_ascii_digit()) && (signed || below_zero || parts)
}

/// Whether nothing but points stands between the digits of two words: "1.2" and "3" of "1.2.3".
pub fn is_one_number(text: &str, one: &Token, next: &Token) -> bool {
    let gap = text.get(one.end..next.start).unwrap_or_default();
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    !gap.is_empty()
        && gap.chars().all(|c| matches!(c, '.' | ','))
        && digit(text[..one.end].chars().next_back())
        && digit(text[next.start..].chars().next())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    fn said(text: &str) -> Vec<String> {
        let lexicon = hark_language::of("en");
        let tokens = tokenise(text, lexicon);
        let words = |it: Range<usize>| tokens[it].iter().map(|token| token.word.clone()).collect::<Vec<_>>();
        numbers(text, &tokens, lexicon).into_iter().map(|it| words(it).join(" ")).collect()
    }

    #[test]
    fn numbers_are_found_in_one_piece() {
        for (text, expected) in [
            ("set it to -5 degrees", &["minus five"][..]),
            ("volume 1,5", &["one point five"]),
            ("10^3 degrees", &["ten to the power of three"]),
            ("a 1e308 days timer", &["one times ten to the power of three hundred and eight"]),
            ("lamp 5x and 20%", &["five x", "twenty percent"]),
            ("three hundred and eight", &["three hundred and eight"]),
            ("at 7:75", &["seven seventy five"]),
            ("turn on the lamp", &[]),
            ("five and six", &["five", "six"]),
        ] {
            assert_eq!(said(text), expected, "{text}");
        }
        let lexicon = hark_language::of("en");
        for (text, odd) in [
            ("set it to 5_000", true),
            ("set it to ~5", true),
            ("set it to (5).", false),
            ("set it to - 5", true),
        ] {
            let tokens = tokenise(text, lexicon);
            assert_eq!(is_odd(text, &tokens[3..4]), odd, "{text}");
        }
        for (text, odd) in [("1.2.3", true), ("5..6", true), ("1,000,000", false), ("5, 6", false)] {
            assert_eq!(is_odd(text, &tokenise(text, lexicon)), odd, "{text}");
        }
    }
}

//! Dates in what the household tells: "my appointment is next tuesday" says nothing a week later, so the day that is meant is
//! kept with it. What is said of every week or every year stays as it was said.

use crate::rules::{Prefer, Reckoning, Rule, is_days, longest};
use crate::text;
use chrono::{Days, NaiveDateTime, Timelike};
use hark_core::calendar::When;
use hark_core::memory::{Dating, SaidTime};
use hark_language::{Lexicon, phrases};

/// Days of a week: a date that counts from today moves with it.
const WEEK: u64 = 7;

/// Hours of the morning that are meant in the evening as often, where the half of the day is not said.
const EVENING_AS_WELL: std::ops::RangeInclusive<u32> = 6..=8;

/// The longest date in a text that `dating` is about, the last of those.
pub(super) fn read(
    said: &str,
    lexicon: &'static Lexicon,
    now: NaiveDateTime,
    dating: Dating,
) -> Option<SaidTime> {
    let tokens = text::tokenise(said, lexicon);
    let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
    let by = Reckoning { lexicon, now, prefer: Prefer::default() };
    // "On thursdays" and "every friday at ten" have no day that is meant.
    if (0..words.len()).any(|at| repeats(&words[at..], &by)) {
        return None;
    }
    let found = (0..words.len()).filter_map(|at| {
        let (when, used) = moment(&words[at..], &by)?;
        let piece = &words[at..at + used];
        if is_length_after(piece, &by) || is_within_month(&words[at + used..], &by) {
            return None;
        }
        (is_dated(piece, &by) && is_meant_once(piece, when, &by, dating)).then_some((at, used, when))
    });
    let (at, used, when) = found.max_by_key(|(_, used, _)| *used)?;
    // "On the eleventh and home *that* friday": which one is said before.
    if at > 0 && lexicon.requests.pronouns.contains(words[at - 1]) && is_days(&words[at..], &by) {
        return None;
    }
    let (used, when) = without_doubtful_hour(&words[at..at + used], when, &by);
    // Of "from the 3rd to the 10th of July" no one day is meant.
    let begins_range = |from: usize| {
        let Some(length) = phrases::starts(lexicon.time.between, &words[from..]) else { return false };
        let mut behind =
            words[from + length..].iter().skip_while(|word| lexicon.time.articles.contains(word));
        behind.next().is_some_and(|word| is_number(word, lexicon))
    };
    if (0..at).any(begins_range) {
        return None;
    }
    let (first, last) = (tokens.get(at)?, tokens.get(at + used - 1)?);
    let words = said.get(first.start..last.end)?.to_owned();
    Some(SaidTime { words, when: whole(when).to_string(), yearly: dating == Dating::Yearly })
}

/// Whether words tell when something is, once or again and again: "on Tuesdays", "every second Thursday", "at four".
pub(super) fn tells_when(said: &str, lexicon: &'static Lexicon) -> bool {
    let tokens = text::tokenise(said, lexicon);
    let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
    let by = Reckoning { lexicon, now: NaiveDateTime::default(), prefer: Prefer::default() };
    said.split_whitespace().any(is_year)
        || (0..words.len()).any(|at| repeats(&words[at..], &by) || moment(&words[at..], &by).is_some())
}

/// Whether a word is a year: four digits.
fn is_year(word: &str) -> bool {
    let digits = word.trim_matches(|c: char| !c.is_alphanumeric());
    digits.len() == 4 && digits.chars().all(|c| c.is_ascii_digit())
}

/// Whether words tell of something that comes again: "every second Thursday".
pub(super) fn recurs(said: &str, lexicon: &'static Lexicon) -> bool {
    let tokens = text::tokenise(said, lexicon);
    let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
    let by = Reckoning { lexicon, now: NaiveDateTime::default(), prefer: Prefer::default() };
    (0..words.len()).any(|at| repeats(&words[at..], &by))
}

/// Whether words begin with a day or a time of day, and not with a bare number.
pub(super) fn begins_with_time(said: &str, lexicon: &'static Lexicon) -> bool {
    let tokens = text::tokenise(said, lexicon);
    let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
    let by = Reckoning { lexicon, now: NaiveDateTime::default(), prefer: Prefer::default() };
    let used = moment(&words, &by).map_or(0, |(_, used)| used);
    // "The second drawer" is no day of a month.
    let is_whole = used == words.len() && (used > 1 || is_dated(&words, &by));
    repeats(&words, &by) || used > 2 || is_whole
}

/// A moment and its count of words; only the day and its words where no hour was said ("friday night"), or where the hour may be
/// of the morning or of the evening ("on tuesday at seven").
fn without_doubtful_hour(words: &[&str], when: When, by: &Reckoning) -> (usize, When) {
    let whole = (words.len(), when);
    let Some((day, used)) = longest(Rule::Date, words, by).filter(|(_, used)| *used < words.len()) else {
        return whole;
    };
    let says_hour = (used..words.len()).any(|at| longest(Rule::Time, &words[at..], by).is_some());
    if says_hour && !EVENING_AS_WELL.contains(&when.start().hour()) {
        return whole;
    }
    let at = phrases::starts(by.lexicon.time.at, &words[used..]).unwrap_or(0);
    let either = Reckoning { prefer: Prefer::Either, ..*by };
    let hour = longest(Rule::Time, &words[used + at..], &either);
    let is_either = hour.is_some_and(|(found, _)| {
        found.first().and_then(|(_, hour)| hour.as_str()).is_some_and(|hour| hour.contains('/'))
    });
    let day = day.first().and_then(|(_, day)| When::parse(day.as_str()?)).filter(|_| is_either || !says_hour);
    day.map_or(whole, |day| (used, day))
}

/// Whether words tell how long something was before it ended, and no day from now: "after twenty six years".
fn is_length_after(words: &[&str], by: &Reckoning) -> bool {
    let is_moment = |words: &[&str]| moment(words, by).is_some_and(|(_, used)| used == words.len());
    phrases::starts(by.lexicon.time.from, words).is_some_and(|from| !is_moment(&words[from..]))
}

/// Whether the words behind a date say of which month it is: "the last week *in may*".
fn is_within_month(behind: &[&str], by: &Reckoning) -> bool {
    let time = &by.lexicon.time;
    let of = [time.of, time.during].into_iter().filter_map(|list| phrases::starts(list, behind)).max();
    of.is_some_and(|of| phrases::find(time.months, &behind[of..]).is_some())
}

/// The longest moment that `words` begin with.
fn moment(words: &[&str], by: &Reckoning) -> Option<(When, usize)> {
    let (found, used) = longest(Rule::Datetime, words, by)?;
    let when = found.first().and_then(|(_, value)| When::parse(value.as_str()?))?;
    (used > 0).then_some((when, used))
}

/// Whether words begin with days that come again, and not with one that is meant.
fn repeats(words: &[&str], by: &Reckoning) -> bool {
    let every = longest(Rule::Recurrence, words, by).map_or(0, |(_, used)| used);
    every > moment(words, by).map_or(0, |(_, used)| used)
        || (moment(words, by).is_none() && is_days(words, by))
}

/// Whether a word is a number or the number of a day.
fn is_number(word: &str, lexicon: &Lexicon) -> bool {
    let words = [word];
    word.starts_with(|c: char| c.is_ascii_digit())
        || lexicon.numbers.parse(&words).is_some()
        || lexicon.numbers.ordinal(&words).is_some()
}

/// Whether a day was said, and not a time of day alone.
fn is_dated(piece: &[&str], by: &Reckoning) -> bool {
    (0..piece.len()).any(|from| longest(Rule::Date, &piece[from..], by).is_some())
}

fn is_meant_once(piece: &[&str], when: When, by: &Reckoning, dating: Dating) -> bool {
    if dating == Dating::Once {
        return true;
    }
    // A date that counts from today is a week later when it is said a week later.
    let later = |days: u64| {
        let by = Reckoning { now: by.now + Days::new(days), ..*by };
        moment(piece, &by).filter(|(_, used)| *used == piece.len()).map(|(when, _)| when.start())
    };
    let counts_from_today = later(WEEK) == Some(when.start() + Days::new(WEEK));
    let on = phrases::starts(by.lexicon.time.on, piece).unwrap_or(0);
    let is_day_alone = piece.len() - on == 1 && later(1) != Some(when.start() + Days::new(1));
    counts_from_today && (dating == Dating::Yearly || !is_day_alone)
}

/// Without fractions of a second, which nobody said.
fn whole(when: When) -> When {
    match when {
        When::Moment(at) => When::Moment(at.with_nanosecond(0).unwrap_or(at)),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wednesday.
    const NOW: &str = "2026-11-25T18:30:00";

    fn found(said: &str, language: &str, dating: Dating) -> Option<(String, String)> {
        let now = NOW.parse().unwrap();
        read(said, hark_language::of(language), now, dating).map(|time| (time.words, time.when))
    }

    #[test]
    fn a_date_that_counts_from_today_is_kept_with_its_words() {
        for (language, said, words, when) in [
            ("en", "my appointment is next Tuesday.", "next Tuesday", "2026-12-01"),
            ("en", "The party is tomorrow evening", "tomorrow", "2026-11-26"),
            ("en", "the exam is in two weeks", "in two weeks", "2026-12-09"),
            ("en", "my parents come this weekend", "this weekend", "2026-11-28/2026-11-30"),
            ("de", "der Klempner kommt morgen", "morgen", "2026-11-26"),
            ("de", "Oma kommt übermorgen um drei", "übermorgen um drei", "2026-11-27T15:00:00"),
        ] {
            let wanted = Some((words.to_owned(), when.to_owned()));
            assert_eq!(found(said, language, Dating::FromToday), wanted, "{said}");
        }
    }

    #[test]
    fn what_may_be_of_every_week_or_year_stays_as_it_was_said() {
        for said in [
            "the bins go out on Thursdays",
            "the bins go out every Friday",
            "Friday is bin day",
            "the cleaner comes on Friday",
            "I may go there",
            "we've booked the last week in may",
            "Trev stops after twenty six years",
            "our anniversary is on the third of May",
            "I get up at seven",
            "I am 30 years old",
            "I like jazz",
        ] {
            assert_eq!(found(said, "en", Dating::FromToday), None, "{said}");
        }
    }

    #[test]
    fn what_happens_once_has_every_date_and_a_birthday_those_that_count_from_today() {
        let once = |said| found(said, "en", Dating::Once).map(|(_, when)| when);
        assert_eq!(once("we are going to Rome in May").as_deref(), Some("2027-05-01/2027-06-01"));
        assert_eq!(once("the plumber comes on Friday").as_deref(), Some("2026-11-27"));
        assert_eq!(once("we may fly to Oslo on the third of March").as_deref(), Some("2027-03-03"));
        assert_eq!(once("the plumber comes on Fridays"), None);
        let yearly = |said| found(said, "en", Dating::Yearly).map(|(_, when)| when);
        assert_eq!(yearly("Anna's birthday is on Friday").as_deref(), Some("2026-11-27"));
        assert_eq!(yearly("Anna's birthday is on the third of May"), None);
    }
}

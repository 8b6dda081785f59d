//! Numbers, dates and contents that cannot be: "10^308 degrees", "minus five minutes", "february 30", "add ]]]". What is
//! said of them is refused with the reason; no part of them is taken for another number or another day. And things and places
//! that the home does not have.

use super::grammar::{Match, Reader, Took};
use super::intent::{category_of, leans_on_another};
use super::number_spans;
use super::qualifiers::refused;
use super::request_framing::{self, Speech};
use super::rules::{self, NoSuchDay};
use super::text::Token;
use super::to_intent::to_intent;
use hark_core::automation::intent::COMMAND;
use hark_core::intent::{UnknownThing, refusal};
use hark_core::{Category, Intent, Slots, Understanding};
use hark_language::phrases;
use serde_json::Value;
use std::ops::Range;

/// Numbers that are put in the place of one to find out what it is for.
const EXAMPLES: [u32; 4] = [50, 20, 10, 2];

/// Most numbers of a sentence that are looked at.
const MAX_NUMBERS: usize = 4;

/// Steps of looking whether a day begins at a word.
const STEPS_A_WORD: usize = 4;

/// Words of the name of a place that is not known.
const MAX_UNKNOWN_WORDS: usize = 2;

/// What stands between words and behind sentences.
const PUNCTUATION: &str = "-–—.,;:!?…";

/// A word that is in no sentence.
const ANYTHING: &str = "zyxwv";

/// What of one sentence cannot be.
pub(super) struct Impossible<'s> {
    speech: Speech<'s>,
    words: Vec<&'s str>,
    numbers: Vec<Range<usize>>,
    dates: Vec<(NoSuchDay, Range<usize>)>,
}

impl<'s> Impossible<'s> {
    /// Looks for numbers and for days that no calendar has.
    pub fn of(reader: &'s Reader<'s>, text: &'s str, tokens: &'s [Token]) -> Self {
        let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
        let lexicon = reader.grammar.lexicon();
        let by = reader.reckoning();
        let mut dates = Vec::new();
        let mut at = 0;
        while at < words.len() && reader.spend(STEPS_A_WORD) {
            let day = rules::no_such_day(&words[at..], &by);
            let used = day.map_or(1, |(_, used)| used);
            dates.extend(day.map(|(day, used)| (day, at..at + used)));
            at += used;
        }
        let mut numbers = number_spans::numbers(text, tokens, lexicon);
        numbers.truncate(MAX_NUMBERS);
        Self { speech: Speech { reader, text, tokens }, words, numbers, dates }
    }

    /// The refusal of a sentence that was read: the day is read as another, or of a number only a part.
    pub fn refuse(&self, read: &[Match]) -> Option<Intent> {
        let talk = read.iter().all(|found| category_of(&found.intent) == Some(Category::Conversation));
        if talk {
            return None;
        }
        let named = |span: &Range<usize>| {
            let mut places = read.iter().flat_map(|found| self.places(found, span));
            places
                .any(|took| [Took::AsItIs, Took::Meant].iter().any(|one| took.iter().all(|it| it.1 == *one)))
        };
        let date = self.dates.iter().find(|(_, span)| !named(span));
        date.map(|(day, span)| self.no_day(*day, span)).or_else(|| self.wordless(read)).or_else(|| {
            let acts = |found: &&Match| may_act(&found.intent);
            let parted = |found: &Match, span: &Range<usize>| {
                let odd = number_spans::is_odd(self.speech.text, &self.speech.tokens[span.clone()]);
                self.places(found, span).any(|took| !is_taken_whole(took, odd))
            };
            let mut each =
                read.iter().filter(acts).flat_map(|found| self.numbers.iter().map(move |it| (found, it)));
            each.find(|(found, span)| parted(found, span)).map(|(found, span)| {
                let found = self.with_example(span).unwrap_or_else(|| (found.clone(), None));
                self.no_number(&found, span)
            })
        })
    }

    /// The refusal of a sentence that no template took, but that would be understood with another number or day.
    pub fn refuse_unread(&self) -> Option<Intent> {
        let day = || {
            let on_a_day = |span: &Range<usize>| {
                let lexicon = self.speech.reader.grammar.lexicon();
                let day =
                    lexicon.time.days.iter().find(|(_, ahead)| *ahead == 1).map_or("", |(word, _)| *word);
                let on =
                    |at: usize| phrases::starts(lexicon.time.on, &self.words[at..]) == Some(span.start - at);
                let from = (0..span.start).find(|at| on(*at)).unwrap_or(span.start);
                let told = |found: &Match| category_of(&found.intent) != Some(Category::Conversation);
                [from..span.end, span.clone()]
                    .into_iter()
                    .any(|span| self.read_with(span, &[day], told).is_some())
            };
            self.dates.iter().find(|(_, span)| on_a_day(span)).map(|(day, span)| self.no_day(*day, span))
        };
        let number = || {
            let mut all = self.numbers.iter();
            all.find_map(|span| self.with_example(span).map(|found| self.no_number(&found, span)))
        };
        day().or_else(number).or_else(|| self.wordless(&[]))
    }

    /// The refusal of an intent that others have named, whose slots were not found: it has a day that is none, or a number
    /// below zero.
    pub fn refuse_unfilled(&self, intent: &str) -> Option<Intent> {
        if !may_act(intent) {
            return None;
        }
        let lexicon = self.speech.reader.grammar.lexicon();
        let odd = |span: &&Range<usize>| {
            let below_zero =
                lexicon.numbers.number(&self.words[span.start..]).is_some_and(|(value, _)| value < 0.0);
            let power: Vec<&str> = lexicon.numbers.power.split(' ').collect();
            let powers = self.words[(*span).clone()].windows(power.len()).any(|words| words == power);
            below_zero
                || powers
                || number_spans::is_odd(self.speech.text, &self.speech.tokens[(*span).clone()])
        };
        let date = self.dates.first().map(|(day, span)| self.no_day(*day, span));
        date.or_else(|| {
            self.numbers.iter().find(odd).map(|span| self.refusal(refusal::NUMBER, span, Slots::new()))
        })
    }

    /// What a match made of the words of a stretch, wherever it has them.
    fn places<'m>(
        &self,
        found: &'m Match,
        span: &Range<usize>,
    ) -> impl Iterator<Item = &'m [(String, Took)]> {
        let said: Vec<&str> = self.words[span.clone()].to_vec();
        let same =
            move |window: &&[(String, Took)]| window.iter().zip(&said).all(|((word, _), said)| word == said);
        found.words.windows(span.len()).filter(same)
    }

    /// What a sentence means with an example in the place of a number, and the slot that takes it.
    fn with_example(&self, span: &Range<usize>) -> Option<(Match, Option<String>)> {
        EXAMPLES.iter().find_map(|example| {
            let words = self.speech.reader.grammar.lexicon().numbers.integer_words(u64::from(*example));
            let words: Vec<&str> = words.split(' ').collect();
            let found = self.read_with(span.clone(), &words, |found| may_act(&found.intent))?;
            let has = |value: &Value| value.as_f64() == Some(f64::from(*example));
            let slot = found.slots.iter().find(|(_, value)| has(value)).map(|(slot, _)| slot.clone());
            Some((found, slot))
        })
    }

    /// The reading with other words in the place of some, where it fits and takes no words as they are.
    fn read_with(&self, span: Range<usize>, instead: &[&str], fits: fn(&Match) -> bool) -> Option<Match> {
        let found = self.exactly_with(span, instead, fits)?;
        (found.wild_words == 0 || found.slots.contains_key(COMMAND)).then_some(found)
    }

    fn exactly_with(&self, span: Range<usize>, instead: &[&str], fits: fn(&Match) -> bool) -> Option<Match> {
        let reader = self.speech.reader;
        let words = [&self.words[..span.start], instead, &self.words[span.end..]].concat();
        let (text, tokens) = request_framing::spoken(&words, reader);
        let core = Speech { reader, text: &text, tokens: &tokens }.core();
        let whole = |found: &Match| fits(found) && !leans_on_another(&found.intent);
        let read = |tokens: &[Token]| reader.exactly(&text, tokens).filter(whole);
        read(&tokens).or_else(|| read(core?))
    }

    /// The refusal where signs alone stand for a content: with any word in their place it would be one, or a verb is all
    /// that is left: "add ]]]".
    fn wordless(&self, read: &[Match]) -> Option<Intent> {
        let Speech { text, reader, .. } = self.speech;
        let signs = text.split_whitespace().filter(|piece| {
            !piece.contains(char::is_alphanumeric)
                && !piece.chars().all(|c| PUNCTUATION.contains(c))
                && super::text::tokenise(piece, reader.grammar.lexicon()).is_empty()
        });
        let verbs = reader.grammar.lexicon().discourse.verbs;
        let bare = read.is_empty() && self.words.iter().all(|word| verbs.contains(word));
        let is_content = |piece: &&str| {
            if bare {
                return true;
            }
            let with_word = text.replacen(*piece, ANYTHING, 1);
            let tokens = reader.tokenise(&with_word);
            let found = reader.exactly(&with_word, &tokens);
            found.is_some_and(|found| {
                let other = read.iter().all(|it| it.intent != found.intent || it.slots != found.slots);
                other && found.wild_words == 1 && found.slots.values().any(|value| *value == ANYTHING)
            })
        };
        let piece = signs.take(MAX_NUMBERS).find(is_content)?;
        Some(refused(refusal::NOTHING, piece, Slots::new()))
    }

    fn no_day(&self, day: NoSuchDay, span: &Range<usize>) -> Intent {
        let lexicon = self.speech.reader.grammar.lexicon();
        let at = usize::try_from(day.month).ok().and_then(|month| month.checked_sub(1));
        let month = at.and_then(|at| lexicon.time.month_names.get(at)).copied();
        let mut slots = Slots::from_iter([("day".to_owned(), day.day.into())]);
        slots.extend(month.map(|name| ("month".to_owned(), name.into())));
        slots.extend(day.year.map(|year| ("year".to_owned(), year.into())));
        self.refusal(refusal::DATE, span, slots)
    }

    fn no_number(&self, (found, slot): &(Match, Option<String>), span: &Range<usize>) -> Intent {
        let of = |slots: &[&str]| slots.iter().any(|slot| found.slots.contains_key(*slot));
        let what = match slot {
            Some(slot) if !["hours", "minutes", "seconds"].contains(&slot.as_str()) => slot.as_str(),
            None if of(&["when", "time", "recurrence"]) => "when",
            _ if of(&["hours", "minutes", "seconds"]) => "length",
            _ => "",
        };
        self.refusal(refusal::NUMBER, span, Slots::from_iter([("what".to_owned(), what.into())]))
    }

    fn refusal(&self, reason: &'static str, span: &Range<usize>, slots: Slots) -> Intent {
        let (first, last) = (&self.speech.tokens[span.start], &self.speech.tokens[span.end - 1]);
        refused(reason, self.speech.text[first.start..last.end].trim(), slots)
    }
}

impl Reader<'_> {
    /// The first of some texts that is about something the home does not have.
    pub(super) fn unknown_in(&self, texts: impl IntoIterator<Item = String>) -> Option<Understanding> {
        let found = texts.into_iter().map(|text| self.unknown(&text, &self.tokenise(&text)));
        found.into_iter().find(|found| found.unknown.is_some())
    }

    /// A place that the home does not have, where the rest is a request: "turn the lights off in the loft".
    fn unknown_place(&self, text: &str, tokens: &[Token]) -> Option<String> {
        let lexicon = self.grammar.lexicon();
        let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
        let is_home = |found: &Match| {
            let category = category_of(&found.intent);
            let at_home =
                [Category::HomeControl, Category::HomeQuery, Category::Media].map(Some).contains(&category);
            at_home && found.wild_words == 0 && !leans_on_another(&found.intent)
        };
        let begins = |at: &usize| {
            lexicon.discourse.within.contains(words[*at])
                && lexicon.things.articles.contains(words[at + 1])
                && phrases::starts(lexicon.discourse.trails, &words[*at..]).is_none()
                && phrases::find(lexicon.time.parts, &words[at + 2..]).is_none()
        };
        (1..words.len().saturating_sub(2)).filter(begins).find_map(|at| {
            (at + 3..=words.len().min(at + 2 + MAX_UNKNOWN_WORDS)).find_map(|end| {
                let name = words[at + 2..end].join(" ");
                let unknown = !self.grammar.is_place(&name) && !self.grammar.is_thing(&name);
                let rest = || [&words[..at], &words[end..]].concat().join(" ");
                let is_request =
                    |rest: String| self.exactly(&rest, &self.tokenise(&rest)).is_some_and(|it| is_home(&it));
                (unknown && is_request(rest()))
                    .then(|| text[tokens[at + 2].start..tokens[end - 1].end].to_owned())
            })
        })
    }

    /// What no template accepts; perhaps because it is about something the home does not have.
    pub(super) fn unknown(&self, text: &str, tokens: &[Token]) -> Understanding {
        let why = "no sentence template accepts it".to_owned();
        let known = |name: &str| self.names_something(&self.tokenise(name));
        let about_things = |found: &Match| {
            let category = category_of(&found.intent);
            matches!(category, Some(Category::HomeControl | Category::HomeQuery)) && found.wild_words == 0
        };
        let beside_remark = || {
            let request = Speech { reader: self, text, tokens }.without_remarks()?;
            self.unknown_place(&request, &self.tokenise(&request))
        };
        if let Some(name) = self.unknown_place(text, tokens).or_else(beside_remark) {
            let why = format!("no place is called \"{name}\" here");
            let unknown = Some(UnknownThing { sure: true, name });
            return Understanding { why, unknown, ..Understanding::default() };
        }
        let unheard_of = self.parse_unknown(text, tokens);
        match unheard_of.filter(|(found, name)| about_things(found) && !known(name)) {
            None => Understanding {
                why,
                near: self.nearest_thing(tokens).map(Box::new),
                ..Understanding::default()
            },
            Some((found, name)) => {
                let why = format!("nothing is called \"{name}\" here ({})", found.why);
                let unknown = Some(UnknownThing { sure: self.grammar.says_what_kind(&name), name });
                let meant = Intent {
                    slots: Slots::new(),
                    why: why.clone(),
                    ..to_intent(found, self.grammar.lexicon())
                };
                Understanding { why, unknown, meant: Some(meant), ..Understanding::default() }
            }
        }
    }
}

/// Whether an intent does something: sets, plays, counts, notes.
fn may_act(intent: &str) -> bool {
    !matches!(
        category_of(intent),
        Some(
            Category::Conversation
                | Category::Question
                | Category::HomeQuery
                | Category::Weather
                | Category::Memory
        )
    )
}

/// Whether all the words of a number are read as a number, or all of them are part of a content or a name.
fn is_taken_whole(took: &[(String, Took)], odd: bool) -> bool {
    let all = |kinds: &[Took]| took.iter().all(|(_, it)| kinds.contains(it));
    all(&[Took::AsItIs]) || all(&[Took::Nearly]) || !odd && all(&[Took::Meant, Took::Ruled])
}

//! What a reading of a sentence has found: slots, what is known of them, and what is doubtful.

use super::{Block, Grammar};
use crate::intent::{category_of, leans_on_another};
use crate::rules::{self, Reckoning, Rule};
use crate::text::Token;
use chrono::{NaiveDateTime, NaiveTime, TimeDelta};
use hark_core::automation::intent::{COMMAND, OF_IT};
use hark_core::calendar::{Recurrence, When};
use hark_core::intent::Ambiguity;
use hark_core::{Category, SlotSpan, Slots};
use hark_language::{Lexicon, phrases};
use serde_json::{Map, Value};

/// Most words of a name that are looked for in an item.
const MAX_WORDS_OF_THING: usize = 3;

/// Slots of when something is done, or how long it takes.
pub(crate) const TIME_SLOTS: [&str; 5] = ["when", "recurrence", "hours", "minutes", "seconds"];

/// Slot of what is put on a list, or taken off.
pub(crate) const ITEM: &str = "item";

/// Slots that say which thing is meant.
const WHICH: [&str; 5] = ["name", "area", "floor", "domain", "device_class"];

/// What a sentence template made of one of the words it was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Took {
    /// A word of the template itself, or of a list.
    Meant,
    /// A rule took it: a number, a time, a length.
    Ruled,
    /// It is nearly a name.
    Nearly,
    /// A place for any words took it as it is.
    AsItIs,
    /// It was passed over.
    Nothing,
}

/// A sentence that a template accepts.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// Name of the intent.
    pub intent: String,
    /// Its slots.
    pub slots: Slots,
    /// Key of the response, when the template asks for one.
    pub response: Option<String>,
    /// The template with its file and line.
    pub why: String,
    /// How many words a wildcard took.
    pub wild_words: usize,
    /// How sure it is, 0 to 1; below 1 where a name was not said exactly.
    pub score: f32,
    /// Slots whose name could be several, or should be asked about.
    pub doubts: Vec<Ambiguity>,
    /// One of its kind is meant, and nothing says which: "the big light in the lounge".
    pub one: bool,
    /// What stands where a name belongs and is none.
    pub unknown: Option<String>,
    /// The words it was read from, each with what was made of it.
    pub words: Vec<(String, Took)>,
    /// Which of these words fill which slot, in order.
    pub spans: Vec<SlotSpan>,
}

impl Match {
    /// Whether it is about items between words that say what to do and words that name the list: "put stamps on my list".
    pub(crate) fn is_on_named_list(&self) -> bool {
        let ends = [self.words.first(), self.words.last()];
        category_of(&self.intent) == Some(Category::List)
            && self.slots.contains_key("item")
            && !leans_on_another(&self.intent)
            && ends.into_iter().flatten().all(|(_, took)| *took == Took::Meant)
    }

    /// Whether its words name a day: "tomorrow morning", "tonight".
    pub(crate) fn says_day(&self, by: &Reckoning) -> bool {
        let words: Vec<&str> = self.words.iter().map(|(word, _)| word.as_str()).collect();
        // "The *Christmas* tree" says none.
        let is_time = |at: &usize| self.words[*at].1 != Took::AsItIs;
        (0..words.len()).filter(is_time).any(|at| {
            phrases::find(by.lexicon.time.today_parts, &words[at..]).is_some()
                || rules::longest(Rule::Date, &words[at..], by).is_some()
        })
    }

    /// Whether its words say in which half of the day it is: "at ten *at night*".
    pub(crate) fn says_half_of_day(&self, lexicon: &Lexicon) -> bool {
        let words: Vec<&str> = self.words.iter().map(|(word, _)| word.as_str()).collect();
        let time = &lexicon.time;
        (0..words.len()).filter(|at| self.words[*at].1 != Took::AsItIs).any(|at| {
            let said = &words[at..];
            phrases::find(time.halves, said).is_some()
                || phrases::find(time.parts, said).is_some()
                || phrases::find(time.habit_parts, said).is_some()
        })
    }

    /// How often it is to be done.
    pub(crate) fn recurrence(&self) -> Option<Recurrence> {
        Recurrence::parse(self.slots.get("recurrence")?.as_str()?)
    }

    /// When it says that it is.
    pub(crate) fn when(&self) -> Option<When> {
        When::parse(self.slots.get("when")?.as_str()?)
    }

    /// The moment that it names.
    pub(crate) fn moment(&self) -> Option<NaiveDateTime> {
        match self.when()? {
            When::Moment(at) => Some(at),
            _ => None,
        }
    }

    /// The moment after the delay that it names: "in ten minutes".
    pub(crate) fn delayed(&self, now: NaiveDateTime) -> Option<NaiveDateTime> {
        let part = |slot: &str| self.slots.get(slot).and_then(Value::as_i64).unwrap_or(0);
        let seconds = part("hours") * 3600 + part("minutes") * 60 + part("seconds");
        (seconds > 0).then(|| now + TimeDelta::seconds(seconds))
    }

    /// Whether all it says of what is meant stands in another as well.
    pub(crate) fn is_within(&self, other: &Self) -> bool {
        self.slots.iter().all(|(slot, value)| other.slots.get(slot) == Some(value))
    }

    /// Whether all it does is to answer a question.
    pub(crate) fn only_asks(&self) -> bool {
        let asks = [Category::HomeQuery, Category::Question, Category::Weather];
        category_of(&self.intent).is_some_and(|category| asks.contains(&category))
    }

    /// Whether it says neither when nor how often.
    pub(crate) fn is_without_time(&self) -> bool {
        !["when", "recurrence", "hours", "minutes", "seconds"]
            .iter()
            .any(|slot| self.slots.contains_key(*slot))
    }

    /// Has what is put off to a time done again and again, at a time of day.
    pub(crate) fn repeat(&mut self, every: &Recurrence, time: NaiveTime) {
        let again = Recurrence { time: Some(time), later: Vec::new(), ..every.clone() };
        self.slots.remove("when");
        self.slots.insert("recurrence".to_owned(), again.to_string().into());
    }

    /// Has what is put off for "it" done to what has this name.
    pub(crate) fn name_it(&mut self, name: &str) {
        if let Some(of_it) = self.slots.remove(OF_IT) {
            let words = of_it["words"].as_str().unwrap_or_default().replace("{}", name);
            self.slots.insert(COMMAND.to_owned(), words.into());
        }
    }

    /// The words it was read from.
    pub(crate) fn said(&self) -> String {
        self.words.iter().map(|(word, _)| word.as_str()).collect::<Vec<_>>().join(" ")
    }
}

/// What stands along a way.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) slots: Slots,
    pub(super) context: Map<String, Value>,
    /// Key of the response, when a list chose it.
    pub(super) response: Option<String>,
    /// An entity's name is among it.
    pub(super) named: bool,
    /// How sure the names are.
    pub(super) score: f32,
    /// Which names were not said exactly, for people.
    pub(super) near_why: String,
    /// Slots that could be something else.
    pub(super) doubts: Vec<Ambiguity>,
    /// What stands where a name belongs and is none.
    pub(super) unknown: Option<String>,
    /// A name was said by some of its words alone: "the front".
    pub(super) in_part: bool,
    /// A slot has two values, of which one would be lost: "*at ten* … and … *at seven*".
    pub(super) contradicts: bool,
    /// The words where an address belongs are one; `None` where none belongs.
    pub(super) is_address: Option<bool>,
    /// What was made of each word.
    pub(super) took: Vec<Took>,
    /// Which words fill which slot.
    pub(super) spans: Vec<SlotSpan>,
}

impl Default for Found {
    fn default() -> Self {
        Self {
            slots: Slots::new(),
            context: Map::new(),
            response: None,
            named: false,
            score: 1.0,
            near_why: String::new(),
            doubts: Vec::new(),
            unknown: None,
            in_part: false,
            contradicts: false,
            is_address: None,
            took: Vec::new(),
            spans: Vec::new(),
        }
    }
}

impl Found {
    /// The words it was read from, each with what was made of it.
    pub(super) fn words(&self, tokens: &[Token]) -> Vec<(String, Took)> {
        tokens.iter().zip(&self.took).map(|(token, took)| (token.word.clone(), *took)).collect()
    }

    /// Whether what is to be put on a list is no item: a question ("did anybody put milk on the list" is no wish to have it
    /// there), or a request of its own ("we need olives, put them on the list").
    pub(super) fn lists_no_item(&self, lexicon: &Lexicon) -> bool {
        let item = self.slots.get("item").and_then(Value::as_str).unwrap_or_default();
        let words: Vec<&str> = item.split_whitespace().collect();
        let asks = words.first().is_some_and(|first| lexicon.discourse.questions.contains(first));
        // "No, on the packing list."
        let denies = |word: &&str| {
            lexicon.requests.negations.contains(word)
                || lexicon.requests.connectors.contains(word)
                || lexicon.discourse.hesitations.contains(word)
        };
        let denies = !words.is_empty() && words.iter().all(denies);
        // "On the packing list" says where.
        let places = matches!(words.as_slice(), [first, _, ..] if lexicon.discourse.within.contains(first));
        // "And take the tomatoes off" is a request of its own.
        let acts = matches!(words.as_slice(), [and, verb, ..]
            if lexicon.requests.connectors.contains(and) && lexicon.discourse.verbs.contains(verb));
        // "I meant the shopping list."
        let is_list = words.last().is_some_and(|last| lexicon.things.lists.contains(last));
        asks || denies
            || is_list
            || places
            || acts
            || words.last().is_some_and(|last| lexicon.requests.pronouns.contains(last))
    }

    /// Whether what a list or a timer is called is no name: "get the candles *off the* list", "a timer for *ten, no,* fifteen
    /// minutes".
    pub(super) fn is_no_name(&self, intent: &str, lexicon: &Lexicon) -> bool {
        let name = self.slots.get("name").and_then(Value::as_str).unwrap_or_default();
        let mut words = name.split(|c: char| !c.is_alphanumeric() && c != '\'');
        let is_article = lexicon.things.articles.contains(name);
        match category_of(intent) {
            Some(Category::List) => is_article || words.any(|word| lexicon.discourse.closing.contains(word)),
            // "One for *a* quarter of an hour".
            Some(Category::Timer) => {
                is_article || words.any(|word| lexicon.requests.negations.contains(word))
            }
            _ => false,
        }
    }

    /// Whether it is a single word that is like a name and none: "garage" is not the garage light.
    pub(super) fn is_a_bare_word(&self, tokens: &[Token]) -> bool {
        tokens.len() == 1 && self.named && !self.near_why.is_empty()
    }

    /// Whether what is taken as it is in a slot is a thing of the home: "drop the *thermostat* to seventeen" is about no
    /// list.
    pub(super) fn names_a_thing(&self, slot: &str, grammar: &Grammar) -> bool {
        let item = self.slots.get(slot).and_then(Value::as_str).unwrap_or_default();
        let words: Vec<&str> = item.split_whitespace().collect();
        let mut spans = (1..=MAX_WORDS_OF_THING).flat_map(|length| words.windows(length));
        spans.any(|span| grammar.is_thing(&span.join(" ")))
    }

    /// Whether "one" right behind what says which thing is taken for how much: "the porch light and *the garage one*".
    pub(super) fn takes_one_for_a_number(&self, tokens: &[Token], lexicon: &Lexicon) -> bool {
        let is_one = |span: &&SlotSpan| {
            self.slots.get(&span.slot).is_some_and(Value::is_number)
                && span.end == span.start + 1
                && lexicon.requests.one.contains(&tokens[span.start].word)
        };
        // "One percent" is how much.
        let numbers = &lexicon.numbers;
        let has_unit = |one: &SlotSpan| {
            let unit = tokens.get(one.end).map(|token| token.word.as_str());
            unit.is_some_and(|unit| numbers.percent.contains(unit) || numbers.degrees.contains(unit))
        };
        let is_behind = |one: &SlotSpan| {
            let mut which = self.spans.iter().filter(|span| WHICH.contains(&span.slot.as_str()));
            which.any(|span| span.end == one.start)
        };
        self.spans.iter().filter(is_one).any(|one| !has_unit(one) && is_behind(one))
    }

    /// Whether a title goes on with another request, or is none: "turn the radio on *and …*", "play some music *for her*".
    pub(super) fn is_no_title(&self, tokens: &[Token], grammar: &Grammar) -> bool {
        let lexicon = grammar.lexicon();
        let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
        let (talk, took) = (&lexicon.discourse, &self.took);
        let taken = |how: &Took| *how == Took::AsItIs;
        let (Some(from), Some(last)) = (took.iter().position(taken), took.iter().rposition(taken)) else {
            return false;
        };
        let title = &words[from..=last];
        let goes_on = |at: usize| {
            let behind =
                phrases::starts(lexicon.qualifiers.otherwise, &title[at..]).map(|length| at + length);
            behind.is_some_and(|behind| title[behind..].iter().any(|word| talk.verbs.contains(word)))
        };
        // "Get the counter light on and start the radio."
        let joins = |word: &&str| lexicon.requests.connectors.contains(word);
        // "Turn the radio on *at seven tomorrow*."
        let says_time = phrases::starts(lexicon.time.at, title)
            .is_some_and(|at| lexicon.numbers.number(&title[at..]).is_some());
        // "Turn the radio on *every day at seven*."
        let says_how_often = phrases::starts(lexicon.time.every, title)
            .and_then(|every| {
                let (time, behind) = (&lexicon.time, &title[every..]);
                let unit = phrases::find(time.units, behind).map(|(_, used)| used);
                let part = || phrases::find(time.parts, behind).map(|(_, used)| used);
                let day = || phrases::find(time.weekdays, behind).map(|(_, used)| used);
                Some(every + unit.or_else(part).or_else(day)?)
            })
            .is_some_and(|end| end < title.len());
        joins(&title[0])
            || says_time
            || says_how_often
            // "Put the radio on, *no, the telly*."
            || title.len() > 1 && phrases::starts(talk.corrections, title).is_some()
            || title.iter().any(joins) && self.names_a_thing("search_query", grammar)
            || title.len() > 1 && phrases::starts(talk.trails, title) == Some(title.len())
            // "Put *the worktop light* on with the radio."
            || matches!(title, [the, .., kind]
                if lexicon.things.articles.contains(the) && grammar.says_what_kind(kind))
            || (0..title.len()).any(goes_on)
    }

    /// Whether what a block requires and excludes agrees with what was found.
    pub(super) fn fits(&self, block: &Block, known: &Map<String, Value>) -> bool {
        let actual = |key: &str| self.context.get(key).or_else(|| known.get(key));
        let required = block.requires.iter().all(|(key, requirement)| {
            actual(key).is_some_and(|value| requirement.any_of.as_ref().is_none_or(|any| any.contains(value)))
        });
        let excluded = block
            .excludes
            .iter()
            .any(|(key, values)| actual(key).is_some_and(|value| values.contains(value)));
        required && !excluded
    }
}

/// The slot of a part of what a rule found: `start` and `hours` are `start_hours`.
pub(super) fn slot_name(own: &str, part: &str) -> String {
    match (own, part) {
        (own, "") => own.to_owned(),
        ("", part) => part.to_owned(),
        (own, part) if part.starts_with('_') => format!("{own}{part}"),
        (own, part) => format!("{own}_{part}"),
    }
}

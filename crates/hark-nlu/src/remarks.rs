//! Remarks beside a request: why somebody asks, what for, what they think of it. What cannot be read with them is read
//! without them.

use super::grammar::{Match, Took};
use super::qualifiers::Qualifiers;
use super::request_framing::{Speech, spoken};
use super::requests::Reading;
use hark_language::{Phrases, phrases};

/// Words at least of a remark, and of what stands before a purpose.
const MIN_WORDS: usize = 2;

/// Most places where a statement is looked for.
const MAX_STATEMENTS: usize = 3;

/// Most words of a name that a remark may hold.
const MAX_NAME_WORDS: usize = 3;

/// Most words of what a question is about.
const MAX_SUBJECT_WORDS: usize = 4;

/// Steps of looking whether some words are a name.
const NAME_STEPS: usize = 4;

impl Speech<'_> {
    /// The sentence without its remarks, and without what it is for; `None` where it has none, or nothing else.
    pub(super) fn without_remarks(&self) -> Option<String> {
        self.shorter(true)
    }

    /// The sentence without the remarks that stand apart; `purposes`: and without what it is for.
    pub(super) fn shorter(&self, purposes: bool) -> Option<String> {
        let words = self.words();
        let pauses = (1..words.len()).filter(|at| self.pauses_before(*at));
        let starts: Vec<usize> = std::iter::once(0).chain(pauses).collect();
        let ends = starts.iter().skip(1).copied().chain([words.len()]);
        let parts: Vec<(usize, usize)> = starts.iter().copied().zip(ends).collect();
        // What limits a request is no remark: "as soon as I leave".
        let qualifiers = Qualifiers::of(self.reader, self.text, self.tokens);
        let limits = |from: usize, to: usize| {
            qualifiers.found.iter().any(|it| it.start < to && it.mark.1 > from && from < to)
        };
        // "… we're going out *for the afternoon*" is within a remark.
        let begins = |from: usize, to: usize| {
            qualifiers.found.iter().any(|it| it.start <= from && it.mark.1 > from && from < to)
        };
        // "No, *that was wrong*, I meant the lamp" is about what was done.
        let says_nothing = |from: usize, to: usize| {
            let part = &words[from..to];
            // What is too much at the end is a reason.
            let is_aside = to == words.len() || self.too_much(part).is_none();
            is_aside && self.is_remark(part) || self.leaves_the_rest(part)
        };
        let kept = parts.iter().filter(|(from, to)| begins(*from, *to) || !says_nothing(*from, *to));
        let kept: Vec<(usize, usize)> = kept
            .map(|(from, to)| {
                let end = if purposes { from + self.before_purpose(&words[*from..*to]) } else { *to };
                (*from, if limits(end, *to) { *to } else { end })
            })
            .collect();
        let text =
            |(from, to): &(usize, usize)| &self.text[self.tokens[*from].start..self.tokens[to - 1].end];
        (!kept.is_empty() && kept != parts).then(|| kept.iter().map(text).collect::<Vec<_>>().join(", "))
    }

    /// What is asked for behind a reason that names nothing of the home, with all it says: "our guests come at seven *so at six
    /// turn the heating up*". `None` where there is nothing of the kind.
    pub(super) fn behind_reason(&self) -> Option<&str> {
        let words = self.words();
        let talk = &self.lexicon().discourse;
        let states = words.iter().take(MAX_NAME_WORDS).any(|word| self.is_state(word));
        let asks = words.first().is_some_and(|first| talk.questions.contains(first));
        (!asks && states || phrases::starts(talk.reasons, &words).is_some()).then_some(())?;
        let joins = |at: usize| Some(at + self.therefore(&words, at)?).filter(|it| *it < words.len());
        // "It gets so steamy, so …": the last one.
        let (at, behind) = (MIN_WORDS..words.len()).rev().find_map(|at| Some((at, joins(at)?)))?;
        let names_something = self.has_name(&words[..at]);
        (!names_something).then(|| &self.text[self.tokens[behind].start..])
    }

    /// What is asked for before a reason that names nothing of the home: "printer on *because I have to work*". `None` where
    /// there is nothing of the kind.
    pub(super) fn before_reason(&self) -> Option<&str> {
        let words = self.words();
        let talk = &self.lexicon().discourse;
        let begins = |at: usize| Some((at, at + phrases::starts(talk.because, &words[at..])?));
        let (at, behind) = (MIN_WORDS..words.len()).rev().find_map(begins)?;
        let reason = &words[behind..];
        let asks = reason.iter().any(|word| talk.verbs.contains(word))
            && phrases::starts(talk.speakers, reason).is_none();
        let is_reason = !reason.is_empty() && !asks && !self.has_name(reason);
        is_reason.then(|| self.text[..self.tokens[at].start].trim_end())
    }

    /// The sentence without a statement at its end that no pause comes before, the shortest first: "stop the music *the baby
    /// is asleep*".
    pub(super) fn without_statement_behind(&self) -> Vec<String> {
        let words = self.words();
        let qualifiers = Qualifiers::of(self.reader, self.text, self.tokens);
        // "When I'm home" is no statement, nor is what goes on with it.
        let limits = |at: usize| {
            let mut before = qualifiers.found.iter().filter(|it| it.start <= at);
            before.any(|it| it.end.map_or(it.mark.1 >= at, |end| end > at))
        };
        let connects = |word: &str| self.lexicon().requests.connectors.contains(word);
        let ends = (MIN_WORDS..words.len()).rev();
        // "That's | too much" is one statement.
        let goes_on = |at: usize| {
            let is_of_thing = self.state_of_things(&words, at).is_some();
            connects(words[at - 1]) || self.is_state(words[at - 1]) || limits(at) || is_of_thing
        };
        // "Where am I *off to in May*" asks with all of its words; "what's it like out *I'm going for a run*" does not.
        let talk = &self.lexicon().discourse;
        let first = words.first().map(|first| talk.contraction(first).map_or(*first, |(stem, _)| stem));
        let asks = first.is_some_and(|first| talk.questions.contains(first));
        let has_subject = |at: usize| {
            [talk.speakers, talk.reasons].iter().any(|it| phrases::starts(*it, &words[at..]).is_some())
        };
        ends.filter(|at| !goes_on(*at) && (!asks || has_subject(*at)) && self.is_remark(&words[*at..]))
            .map(|at| self.text[..self.tokens[at].start].to_owned())
            .take(MAX_STATEMENTS)
            .collect()
    }

    /// How many words behind a kind of thing say how those that are meant are: "every light *that's still on* upstairs".
    pub(super) fn state_of_things(&self, words: &[&str], at: usize) -> Option<usize> {
        let lexicon = self.lexicon();
        let (talk, pronouns) = (&lexicon.discourse, lexicon.requests.pronouns);
        self.reader.grammar.says_what_kind(words[at - 1]).then_some(())?;
        let contracted = talk
            .contraction(words[at])
            .is_some_and(|(stem, _)| pronouns.contains(stem) && self.is_state(words[at]));
        let length = if contracted { 1 } else { 2 };
        let in_full = || {
            pronouns.contains(words[at]) && words.get(at + 1).is_some_and(|word| talk.states.contains(word))
        };
        (contracted || in_full()).then_some(())?;
        let behind = at + length;
        let behind = behind + phrases::starts(talk.fillers, words.get(behind..)?).unwrap_or(0);
        words.get(behind).filter(|word| talk.closing.contains(word)).map(|_| behind + 1 - at)
    }

    /// A request to turn things on or off without the state that it says of them: those that are so already change nothing.
    fn without_state_of_things(&self) -> Option<String> {
        let words = self.words();
        let (at, length) = (1..words.len()).find_map(|at| Some((at, self.state_of_things(&words, at)?)))?;
        let text = [&words[..at], &words[at + length..]].concat().join(" ");
        let turns = |found: &Match| ["HassTurnOn", "HassTurnOff"].contains(&found.intent.as_str());
        self.composed(&text).is_some_and(|found| turns(&found)).then_some(text)
    }

    /// The sentence without a statement at its end, behind a pause: "close the curtains, *the neighbours look straight in*", "light
    /// on, *Lily doesn't like the dark*". What a speaker says may name something of the home, "all the blinds down, *I want to see
    /// the garden*". `None` where what stands there may limit or go on with the request.
    pub(super) fn without_statement_at_end(&self) -> Option<&str> {
        let (words, lexicon) = (self.words(), self.lexicon());
        let (talk, said) = (&lexicon.discourse, &lexicon.qualifiers);
        let at = (MIN_WORDS..words.len()).rev().find(|at| self.pauses_before(*at))?;
        let part = &words[at..];
        let begins = |marks: Phrases| phrases::starts(marks, part).is_some();
        let goes_on = [
            talk.verbs,
            talk.leads,
            talk.corrections,
            talk.another,
            lexicon.requests.contrasts,
            lexicon.requests.connectors,
            lexicon.requests.negations,
            said.exceptions,
            said.only,
            said.but,
        ];
        let marks = [talk.closing, talk.requests, talk.corrections_behind];
        let asks = |from: usize| marks.into_iter().any(|it| phrases::starts(it, &part[from..]).is_some());
        let is_number = |word: &&str| lexicon.numbers.number(&[*word]).is_some();
        let denies = part.iter().any(|word| self.denies(word));
        let leans = |word: &&str| lexicon.requests.pronouns.contains(word) || talk.one.contains(word);
        let speaks = begins(talk.speakers);
        let is_subject =
            speaks || begins(talk.others) || begins(lexicon.things.articles) || begins(talk.reasons);
        let states = part[1..].iter().any(|word| self.is_state(word) || self.denies(word));
        let waits = || {
            let qualifiers = Qualifiers::of(self.reader, self.text, self.tokens);
            qualifiers.found.iter().any(|it| it.start >= at && it.waits())
        };
        let is_told = (is_subject || states)
            && (speaks && !denies || self.says_nothing(part))
            && !(denies && part.iter().any(leans))
            && !part.last().is_some_and(|last| talk.one.contains(last));
        let adds = phrases::ends(talk.another_behind, part).is_some()
            || phrases::ends(talk.taken_back, part).is_some()
            || part.iter().any(is_number)
            || (0..part.len()).any(asks)
            || goes_on.into_iter().any(begins);
        (part.len() > MIN_WORDS && is_told && !adds && !waits())
            .then(|| &self.text[..self.tokens[at - 1].end])
    }

    /// The sentence in other words that mean the same, the likeliest first.
    pub(super) fn reworded(&self) -> Vec<String> {
        let ways = [
            self.as_often_behind(),
            self.with_one_in_full(),
            self.with_kind_in_full(),
            self.without_state_of_things(),
            self.until_turned(),
            self.with_running(),
            self.with_day_of_clause(),
            self.with_time_instead_of_clause(),
            self.without_habit_behind_time(),
        ];
        let regardless = self.without_regardless();
        ways.into_iter().flatten().chain(regardless).collect()
    }

    /// A question and what is to be done then as a request with a condition, in the ways that its subject may end: "*is the office
    /// warmer than twenty two*, then close the shutter".
    pub(super) fn with_question_as_clause(&self) -> Vec<String> {
        let words = self.words();
        let lexicon = self.lexicon();
        let is_then = |at: &usize| lexicon.time.then.contains(words[*at]) && self.pauses_before(*at);
        let Some(then) = (MIN_WORDS + 1..words.len().saturating_sub(1)).find(is_then) else {
            return Vec::new();
        };
        let mark = lexicon.qualifiers.if_so.first().filter(|_| lexicon.discourse.states.contains(words[0]));
        let (asked, act) = (&words[1..then], words[then + 1..].join(" "));
        let with = |mark: &str, end: usize| {
            let (subject, state) = asked.split_at(end);
            format!("{mark} {} {} {}, {act}", subject.join(" "), words[0], state.join(" "))
        };
        let ends = 1..asked.len().min(MAX_SUBJECT_WORDS + 1);
        mark.map(|mark| ends.map(|end| with(mark, end)).collect()).unwrap_or_default()
    }

    /// The sentence without a clause that changes nothing, in the ways that it may end: "*whether or not the window is open* turn
    /// the heating up".
    pub(super) fn without_regardless(&self) -> Vec<String> {
        let words = self.words();
        let lexicon = self.lexicon();
        let begins = |at: usize| phrases::starts(lexicon.qualifiers.regardless, &words[at..]);
        let Some((at, length)) = (0..words.len()).find_map(|at| Some((at, begins(at)?))) else {
            return Vec::new();
        };
        let before = self.text[..self.tokens[at].start].trim_end_matches([' ', ',']);
        if at > 0 {
            return vec![before.to_owned()];
        }
        let is_likely =
            |end: &usize| self.pauses_before(*end) || lexicon.discourse.verbs.contains(words[*end]);
        let ends = (length + 1..words.len()).filter(is_likely).take(MAX_STATEMENTS);
        ends.map(|end| self.text[self.tokens[end].start..].to_owned()).collect()
    }

    /// The sentence without a case in which nothing is to be done: "is the door open, *if it is then never mind*, if not shut it".
    /// `None` where there is none.
    pub(super) fn without_idle_case(&self) -> Option<String> {
        let words = self.words();
        let lexicon = self.lexicon();
        let said = &lexicon.qualifiers;
        let idle = |at: usize| {
            let mark = at + phrases::starts(said.if_so, &words[at..])?;
            let cases = [said.so, said.not_so];
            let case = mark + cases.into_iter().filter_map(|it| phrases::starts(it, &words[mark..])).max()?;
            let then = case + phrases::starts(lexicon.time.then, &words[case..]).unwrap_or(0);
            Some((at, then + phrases::starts(said.idle, &words[then..])?))
        };
        let (at, end) = (MIN_WORDS..words.len()).find_map(idle)?;
        let before = phrases::without_ends(&[lexicon.requests.connectors, said.but], &words[..at]).len();
        let joins =
            |at: &usize| lexicon.requests.connectors.contains(words[*at]) || said.but.contains(words[*at]);
        let behind = (end..words.len()).find(|at| !joins(at));
        let asked = &self.text[..self.tokens[before.checked_sub(1)?].end];
        Some(
            behind.map_or(asked.to_owned(), |at| format!("{asked}, {}", &self.text[self.tokens[at].start..])),
        )
    }

    /// Two requests that are one: the first is only the reason for the second ("i'm boiling, turn the heating down"), or one
    /// of them says no more than the kind of it ("ten more minutes please, snooze"). What says more stays.
    pub(super) fn once(&self, mut found: Reading) -> Reading {
        if let [first, second] = found.matches.as_slice() {
            let reason = phrases::starts(self.lexicon().discourse.reasons, &self.words()).is_some();
            let bare = first.slots.is_empty() != second.slots.is_empty();
            let is_same = first.intent == second.intent && first.response == second.response;
            // "It's freezing *in the bedroom*, warm it up."
            let less = match (first.is_within(second), second.is_within(first)) {
                (true, _) => Some(0),
                (false, true) => Some(1),
                _ => None,
            };
            if let Some(less) = less.filter(|_| is_same && (reason || bare)) {
                found.matches.remove(less);
                return found;
            }
        }
        self.without_statements(found)
    }

    /// Without what only says why: "it's dark, switch the porch light on" is one request. What a word joins to another is
    /// one of its own.
    fn without_statements(&self, mut found: Reading) -> Reading {
        let words = self.words();
        let is_joined = |part: &[&str]| {
            let is_connector = |at: Option<usize>| {
                let word = at.and_then(|at| words.get(at));
                word.is_some_and(|word| self.lexicon().requests.connectors.contains(word))
            };
            let mut places =
                words.windows(part.len().max(1)).enumerate().filter(|(_, window)| *window == part);
            places
                .next()
                .is_none_or(|(at, _)| is_connector(at.checked_sub(1)) || is_connector(Some(at + part.len())))
        };
        let says_why = |found: &Match| {
            let part: Vec<&str> = found.words.iter().map(|(word, _)| word.as_str()).collect();
            let is_meant =
                |(word, took): &'_ (String, Took)| (*took != Took::Nothing).then_some(word.clone());
            let meant: Vec<String> = found.words.iter().filter_map(is_meant).collect();
            let meant: Vec<&str> = meant.iter().map(String::as_str).collect();
            let denies = meant.iter().any(|word| self.lexicon().requests.negations.contains(word));
            self.states(&meant) && !denies && !self.edits(&part) && !is_joined(&part)
        };
        let requests = found.matches.iter().filter(|found| !says_why(found)).count();
        if (1..found.matches.len()).contains(&requests) {
            found.matches.retain(|found| !says_why(found));
        }
        found
    }

    /// The words that take the request back at its end: "start the mower, oh never mind". With nothing that parts them from it,
    /// they may belong to it: "play Nevermind".
    pub(super) fn taken_back(&self, is_parted: bool) -> Option<String> {
        let words = self.words();
        let talk = &self.lexicon().discourse;
        // "… actually don't, *I'll have water*" asks for nothing else.
        let is_end = |end: &usize| {
            let rest = &words[*end..];
            rest.is_empty()
                || self.pauses_before(*end)
                    && self.says_nothing(rest)
                    && !rest.iter().any(|word| self.reader.grammar.says_what_kind(word))
                    && self.composed(&rest.join(" ")).is_none()
        };
        let ends = (1..=words.len()).rev().filter(is_end);
        let behind =
            ends.into_iter().find_map(|end| Some(end - phrases::ends(talk.taken_back, &words[..end])?))?;
        let before =
            phrases::without_ends(&[talk.hesitations, talk.corrections, talk.leads], &words[..behind]);
        let is_apart = before.len() < behind || behind > 0 && self.pauses_before(behind);
        // "The cat's fed, scrap that" takes back what was asked for before.
        let asks = before.iter().any(|word| talk.verbs.contains(word) || talk.closing.contains(word))
            || !self.says_nothing(before);
        let begins = asks && !self.is_remark(before) && (is_apart || !is_parted);
        begins.then(|| self.text[self.tokens[before.len()].start..].to_owned())
    }

    /// What is asked for behind a statement about the thing it is for: "we keep forgetting the front door, so lock it at
    /// eleven". `None` where there is nothing of the kind.
    pub(super) fn about_it(&self) -> Option<String> {
        let words = self.words();
        let talk = &self.lexicon().discourse;
        phrases::starts(talk.reasons, &words)?;
        (1..words.len()).find_map(|at| {
            let length = self.therefore(&words, at).unwrap_or(0);
            let (statement, request) = (&words[..at], &words[at + length..]);
            // "*That kitchen window*, if it's still open remind me to shut it."
            let is_name = statement.len() > 1 && self.reader.grammar.is_thing(&statement[1..].join(" "));
            let waits = || {
                let (text, tokens) = spoken(request, self.reader);
                let first = Qualifiers::of(self.reader, &text, &tokens).found.into_iter().next();
                (length > 0 || is_name) && first.is_some_and(|first| first.start == 0 && first.waits())
            };
            let asks = request.first().is_some_and(|first| talk.verbs.contains(first)) || waits();
            let begins = asks && (length > 0 || self.pauses_before(at));
            begins.then(|| self.with_it_named(statement, request)).flatten()
        })
    }

    /// A request with the name of what it calls "it", where that is said behind it: "tell me when it's over sixty percent, *the
    /// humidity I mean*". `None` where there is nothing of the kind.
    pub(super) fn with_it_named_behind(&self) -> Option<String> {
        let words = self.words();
        let lexicon = self.lexicon();
        let end = words.len() - phrases::ends(lexicon.discourse.corrections_behind, &words)?;
        let begins = |at: &usize| lexicon.things.articles.contains(words[*at]);
        let from = (end.saturating_sub(1 + MAX_NAME_WORDS)..end).find(begins).filter(|from| *from > 0)?;
        self.reader.with_name(&words[..from].join(" "), &words[from..end].join(" "))
    }

    /// Whether some words only say how something is, and nothing of the home: "they're asleep".
    pub(super) fn is_remark(&self, words: &[&str]) -> bool {
        let (lexicon, grammar) = (self.lexicon(), self.reader.grammar);
        let talk = &lexicon.discourse;
        let said = phrases::without_starts(&[talk.leads], words);
        // "Grandma's still up", "the pizza man's here".
        let is_about = |(stem, meant): (&str, Phrases)| {
            !talk.questions.contains(stem) && meant.iter().any(|word| talk.states.contains(word))
        };
        let states = |word: &&str| talk.states.contains(word) || talk.contraction(word).is_some_and(is_about);
        let gives_reason = phrases::starts(talk.reasons, said).is_some()
            && (phrases::starts(talk.speakers, said).is_some() || said.iter().any(states));
        // "Seven's fine" is a time.
        let is_number = |stem: &str| lexicon.numbers.number(&[stem]).is_some();
        let is_somebody = |it: (&str, Phrases)| is_about(it) && !is_number(it.0);
        let is_contracted = |at: usize| {
            (at == 0 || !talk.speakers.contains(said[at]))
                && talk.contraction(said[at]).is_some_and(is_somebody)
        };
        // "I mean just the lamp" is a correction.
        let corrects = phrases::starts(talk.corrections, words).is_some_and(|length| length > 1);
        // "Just popping out", "it hurts my eyes", and not "it off at ten", "that should be at fifty".
        let acts = |at: usize| {
            let marks = [talk.verbs, talk.closing, talk.within, talk.modals, lexicon.requests.connectors];
            marks.into_iter().any(|mark| phrases::starts(mark, &said[at..]).is_some())
        };
        // "Granny is cold", and not "lights are too bright".
        let is_subject = |words: &[&str]| {
            !(0..words.len()).any(acts)
                && !words.iter().any(|word| talk.questions.contains(word) || grammar.says_what_kind(word))
        };
        let is_plain = |word: &str| talk.states.contains(word) && talk.contraction(word).is_none();
        let somebody_is = (0..said.len().min(MAX_NAME_WORDS))
            .any(|at| (is_contracted(at) || at > 0 && is_plain(said[at])) && is_subject(&said[..at]));
        // "Tom's still out *in the garden*", and not "it's the one in the garden".
        let stem = said.first().map(|first| talk.contraction(first).map_or(*first, |(stem, _)| stem));
        let is_it = stem.is_some_and(|stem| lexicon.requests.pronouns.contains(stem));
        let is_place = |at: &usize| {
            let within = usize::from(talk.within.contains(said[*at]));
            grammar.is_place(&said[at + within..].join(" "))
        };
        let place = if somebody_is && !is_it { (MIN_WORDS..said.len()).find(is_place) } else { None };
        // "*Alice* has a headache."
        let is_of_person = said.len() > MIN_WORDS && stem.is_some_and(|stem| grammar.is_person(stem));
        let person = usize::from(is_of_person);
        let says_number = || said.iter().any(|word| lexicon.numbers.number(&[*word]).is_some());
        let of_it = said.len() > MIN_WORDS
            && lexicon.requests.pronouns.contains(said[0])
            && !acts(1)
            && !says_number();
        // "A bit like thirty percent" says how far.
        let measures = |word: &&str| {
            let units = [lexicon.numbers.percent, lexicon.numbers.degrees];
            units.iter().any(|unit| unit.contains(word))
        };
        let is_activity = || {
            phrases::starts(talk.activities, said).is_some_and(|length| length < said.len())
                && !said.iter().any(measures)
        };
        let does = of_it || is_activity();
        let denies_verb =
            |word: &str| phrases::find(talk.denied, &[word]).is_some_and(|(verb, _)| !verb.text().is_empty());
        // "We can't sleep."
        let somebody_does_not = phrases::starts(talk.speakers, said)
            .is_some_and(|length| said.get(length).is_some_and(|word| self.denies(word)))
            // "My wife isn't in yet."
            || (1..said.len().min(MAX_NAME_WORDS + 1))
                .any(|at| denies_verb(said[at]) && is_subject(&said[..at]));
        let tells = gives_reason || somebody_is || does || somebody_does_not || person > 0;
        let is_statement = said.len() >= MIN_WORDS && tells && !corrects;
        let asks = |at: usize| phrases::starts(talk.requests, &said[at..]).is_some();
        // "I don't want to miss the news", "I'm in no hurry", and not "I don't want it".
        let is_somebody = || somebody_is && phrases::starts(talk.speakers, said).is_some();
        let denies_nothing = || {
            (somebody_does_not || is_somebody())
                && !said[1..].iter().any(|word| lexicon.requests.pronouns.contains(word))
        };
        // "We're off *so lock the doors*", "the parcel is here *and remind me to open it*" ask for something.
        let concludes = |at: usize| {
            let joins = lexicon.requests.connectors.contains(said[at]).then_some(1);
            let length = self.therefore(said, at).or(joins);
            length.is_some_and(|it| said.get(at + it).is_some_and(|word| talk.verbs.contains(word)))
        };
        // "It's seven" says what is meant.
        let is_value = is_it && self.is_number(&said[1..]);
        is_statement
            && !is_value
            && !(1..said.len()).any(concludes)
            && !self.edits(said)
            && (denies_nothing() || !said.iter().any(|word| self.denies(word)))
            && !(0..said.len()).any(asks)
            && !self.has_name(&said[person..place.unwrap_or(said.len())])
    }

    /// Whether some words say what is meant instead: "that's too much, twenty two".
    fn edits(&self, words: &[&str]) -> bool {
        self.too_much(words).is_some_and(|used| !self.says_nothing(&words[used..]))
    }

    /// Whether some words only say that all else stays as it is: "the rest can stay on".
    fn leaves_the_rest(&self, words: &[&str]) -> bool {
        let said = &self.lexicon().qualifiers;
        let rest = phrases::find(said.others, words).map_or(0, |(_, length)| length);
        rest > 0 && phrases::starts(said.stays, &words[rest..]).is_some()
    }

    /// Whether some words say how it is: "it's stuffy", "the sun is in my eyes".
    pub(super) fn states(&self, words: &[&str]) -> bool {
        let talk = &self.lexicon().discourse;
        phrases::starts(talk.reasons, words).is_some() && words.iter().any(|word| self.is_state(word))
    }

    /// Whether a word says that something is: "is", "it's".
    pub(super) fn is_state(&self, word: &str) -> bool {
        let talk = &self.lexicon().discourse;
        let means = |(_, meant): (&str, Phrases)| meant.iter().any(|word| talk.states.contains(word));
        talk.states.contains(word) || talk.contraction(word).is_some_and(means)
    }

    /// Whether some words are a statement and a request behind it: "we've loads, take it off".
    pub(super) fn tells_and_acts(&self, words: &[&str]) -> bool {
        let (talk, pronouns) = (&self.lexicon().discourse, self.lexicon().requests.pronouns);
        let acts = |said: &[&str]| {
            talk.verbs.contains(said[0]) && pronouns.contains(said[1]) && talk.closing.contains(said[2])
        };
        phrases::starts(talk.speakers, words).is_some_and(|from| words[from..].windows(3).any(acts))
    }

    /// Whether some words are no more than "it's" or "it is".
    pub(super) fn says_it_is(&self, words: &[&str]) -> bool {
        let lexicon = self.lexicon();
        let is_it = |word: &str| lexicon.requests.pronouns.contains(word);
        match words {
            [it] => {
                lexicon.discourse.contraction(it).is_some_and(|(stem, _)| is_it(stem)) && self.is_state(it)
            }
            [it, is] => is_it(it) && self.is_state(is),
            _ => false,
        }
    }

    /// Whether a word denies: "not", "doesn't".
    fn denies(&self, word: &str) -> bool {
        self.lexicon().requests.negations.contains(word)
    }

    /// Whether some words name something of the home.
    pub(super) fn has_name(&self, words: &[&str]) -> bool {
        (1..=MAX_NAME_WORDS).flat_map(|length| words.windows(length)).any(|some| self.is_name(some))
    }

    fn is_name(&self, words: &[&str]) -> bool {
        let name = words.join(" ");
        let grammar = self.reader.grammar;
        // "I've got shopping in both hands" is about no list.
        let is_thing = grammar.is_thing(&name) && !grammar.is_list(&name);
        self.reader.spend(NAME_STEPS) && (is_thing || grammar.is_place(&name))
    }

    /// How many words stand before what a request is for: "open the window *to let the steam out*". All where it says none.
    fn before_purpose(&self, words: &[&str]) -> usize {
        let talk = &self.lexicon().discourse;
        let begins = |at: &usize| {
            phrases::starts(talk.purposes, &words[*at..]).is_some_and(|length| at + length < words.len())
                && phrases::ends(talk.to_me, &words[..*at]).is_none()
        };
        // "So granny doesn't trip", and not "so turn it off".
        let tells = |at: &usize| {
            let said = words.get(at + 1..).unwrap_or_default();
            let is_verb =
                |word: &&str| self.is_state(word) || self.denies(word) || talk.modals.contains(word);
            talk.therefore.contains(words[*at])
                && !said.first().is_some_and(|first| talk.verbs.contains(first) || is_verb(first))
                && said.iter().take(MAX_NAME_WORDS).any(is_verb)
        };
        (MIN_WORDS..words.len()).find(|at| begins(at) || tells(at)).unwrap_or(words.len())
    }
}

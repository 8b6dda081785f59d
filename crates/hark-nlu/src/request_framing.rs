//! What people say around a request: courtesies before and behind it, a correction in the middle of it, and
//! the reason why they ask.

use super::grammar::{Match, Reader, Took};
use super::intent::{category_of, leans_on_another};
use super::narrative;
use super::rules::{self, Rule};
use super::text::{Token, is_unit};
use hark_core::Category;
use hark_language::{Lexicon, Phrases, phrases};
use std::cell::LazyCell;

/// Words at least, behind an article, of what says more than a thing's name.
const MIN_SAID: usize = 3;

/// A place in a reason has at most this many words: "in the kids room".
const MAX_WORDS_OF_PLACE: usize = 4;

/// Steps of looking whether some words are a name, and what a rule makes of some.
const NAME_STEPS: usize = 16;
const RULE_STEPS: usize = 64;

/// A text with what is needed to read it.
pub(super) struct Speech<'s> {
    /// Reads them.
    pub reader: &'s Reader<'s>,
    /// What was said, as it was written.
    pub text: &'s str,
    /// Its words.
    pub tokens: &'s [Token],
}

impl<'s> Speech<'s> {
    /// What is left of a request without what people say before and behind it: "can you tell me …", "… if you
    /// don't mind". `None` where there is nothing of the kind.
    pub fn core(&self) -> Option<&'s [Token]> {
        let words = self.words();
        let (lexicon, mut start, mut end) = (self.lexicon(), 0, words.len());
        while let Some(length) = phrases::starts(lexicon.discourse.leads, &words[start..end]) {
            start += length;
        }
        while let Some(length) = phrases::ends(lexicon.discourse.trails, &words[start..end]) {
            end -= length;
        }
        (start < end && end - start < words.len()).then(|| &self.tokens[start..end])
    }

    /// A request without what people say behind it alone: "*only* on weekdays though". `None` where there is nothing of the
    /// kind.
    pub fn without_courtesies_behind(&self) -> Option<&'s [Token]> {
        let words = self.words();
        let end = self.without_trails(&words).len();
        (0 < end && end < words.len()).then(|| &self.tokens[..end])
    }

    /// The core without "could you", for saying it again.
    pub fn asked(&self) -> Option<&'s [Token]> {
        let core = self.core().unwrap_or(self.tokens);
        let words: Vec<&str> = core.iter().map(|token| token.word.as_str()).collect();
        let length = phrases::starts(self.lexicon().discourse.requests, &words).unwrap_or(0);
        core.get(length..).filter(|asked| !asked.is_empty())
    }

    /// What is meant where somebody corrects themselves: "turn on the lamp, no, the desk lamp", "set it to
    /// twenty, I mean thirty percent".
    pub fn corrected(&self) -> Option<Match> {
        let words = self.words();
        let talk = &self.lexicon().discourse;
        // The same for every mark, and takes long to find.
        let edited = LazyCell::new(|| {
            // "Remind me at four, no five, to call Ben" asks for no more than the time.
            let acts = |found: &Match| category_of(&found.intent) != Some(Category::Conversation);
            // What rings may be called as it is said: "… no, fifteen, for the potatoes".
            let rings = |text: &str| {
                let found = self.reader.exactly(text, &self.reader.tokenise(text))?;
                matches!(category_of(&found.intent), Some(Category::Reminder | Category::Timer))
                    .then_some(found)
            };
            let read = |text: &String| self.composed(text).or_else(|| rings(text)).filter(acts);
            self.edited().iter().find_map(read)
        });
        // "Until I say stop" corrects nothing.
        let end = self.without_trails(&words).len();
        // What was said last is meant.
        (1..end).rev().find_map(|at| {
            let length = self.correction(&words, at)?;
            // "What happens when I *say* movie night" corrects nothing, nor does "and *no* light in the hall".
            let connectors = self.lexicon().requests.connectors;
            let is_joined = connectors.contains(words[at - 1]);
            if length == 1 && (is_joined || phrases::ends(talk.speakers, &words[..at]).is_some()) {
                return None;
            }
            let (wrong, mut meant) = (self.without_marks(&words[..at]), &words[at + length..]);
            meant = &meant[..meant.len() - phrases::ends(talk.corrections_behind, meant).unwrap_or(0)];
            // "In five minutes *actually* turn on the lamp" corrects no request.
            let by = self.reader.reckoning();
            let later = phrases::starts(self.lexicon().time.hence, wrong).unwrap_or(0);
            let is_length = |words: &[&str]| {
                rules::length(words, self.lexicon()).is_some_and(|(_, used)| used == words.len())
            };
            let is_time = (rules::is_time(wrong, &by) || later > 0 && is_length(&wrong[later..]))
                && rules::longest(Rule::Datetime, meant, &by).is_none();
            if meant.is_empty() || wrong.is_empty() || is_time {
                return None;
            }
            if let Some(found) = self.of_it(wrong, meant) {
                return Some(found);
            }
            // "Two degrees, no, just one."
            let leads = phrases::starts(talk.leads, meant).unwrap_or(0);
            let plain = (leads > 0).then(|| meant[leads..].join(" "));
            let number = plain.clone().filter(|plain| self.is_time_or_number(plain));
            let meant = number.unwrap_or_else(|| self.with_thing(wrong, meant));
            self.composed(&meant).or_else(|| {
                // "Six tomorrow, no, seven" is tomorrow as well.
                let is_time = self.is_time_or_number(&meant);
                let mut texts = [Some(meant), plain].into_iter().flatten();
                let instead = || texts.find_map(|meant| self.instead(wrong, &meant));
                let times = if is_time { edited.clone() } else { None };
                times.or_else(instead).or_else(|| edited.clone())
            })
        })
    }

    /// Whether a text is a time of day, or a number that may be one.
    fn is_time_or_number(&self, text: &str) -> bool {
        let words = &text.split(' ').collect::<Vec<_>>();
        let by = self.reader.reckoning();
        let time = rules::longest(Rule::Time, words, &by).map(|(_, used)| used);
        let number = self.lexicon().numbers.number(words).map(|(_, used)| used);
        [time, number].contains(&Some(words.len()))
    }

    /// A request with what was meant in the place of its end. What goes on a list is all that was said of it, and not where.
    fn instead(&self, wrong: &[&str], meant: &str) -> Option<Match> {
        let with = |cut: usize| format!("{} {meant}", wrong[..cut].join(" "));
        // "Six thirty … let's say nine" is not six thirty nine.
        let is_number =
            |word: Option<&str>| word.is_some_and(|word| self.lexicon().numbers.number(&[word]).is_some());
        let begins = is_number(meant.split(' ').next());
        // Nor is "twelve minutes … fifteen".
        let ends_in_number = |cut: usize| {
            let unit = usize::from(cut > 1 && is_unit(wrong[cut - 1], self.lexicon()));
            is_number(wrong.get(cut - 1 - unit).copied())
        };
        // "Draw the curtains and put the light *on low*, say thirty": what was meant is no end of the first order.
        let verbs = self.lexicon().discourse.verbs;
        let orders = |at: usize| phrases::starts(verbs, &wrong[at..]).is_some();
        let first = (1..wrong.len()).rev().find(|at| orders(*at)).map_or(1, |at| at + 1);
        let cuts = || {
            let cuts = (first..=wrong.len()).rev().take_while(|_| !self.reader.is_spent());
            cuts.filter(|cut| !(begins && ends_in_number(*cut)))
        };
        cuts().find_map(|cut| self.composed(&with(cut))).or_else(|| {
            let on_a_list = |cut: usize| {
                let text = with(cut);
                let found = self.reader.exactly(&text, &self.reader.tokenise(&text))?;
                // "Add rice, no, lentils to the list": of the first only what is to be done is left.
                let acts =
                    meant.split(' ').next().is_some_and(|word| self.lexicon().discourse.verbs.contains(word));
                let before = || !acts && found.words.iter().take(cut).all(|(_, took)| *took == Took::Meant);
                let named =
                    || category_of(&found.intent) == Some(Category::List) && found.slots.contains_key("name");
                let fits = found.is_on_named_list() && before() || named();
                let words: Vec<&str> = found.words.iter().map(|(word, _)| word.as_str()).collect();
                let wild = |at: usize| found.words[at].1 == Took::AsItIs;
                let says_where = (1..words.len()).any(|at| {
                    let within = self.lexicon().discourse.within.contains(words[at - 1]);
                    let ends = !wild(at) || self.lexicon().things.articles.contains(words[at]);
                    within && wild(at - 1) && ends
                });
                (fits && !says_where && !leans_on_another(&found.intent)).then_some(found)
            };
            cuts().find_map(on_a_list)
        })
    }

    /// The same without the courtesies, where what should be done follows "would you mind …".
    pub fn minded(&self) -> Option<Match> {
        let core = self.core()?;
        let (first, rest) = core.split_first()?;
        let plain = self.lexicon().discourse.gerunds.get(&first.word)?;
        let rest = rest.iter().fold(String::new(), |text, token| text + " " + &token.word);
        self.composed(&format!("{plain}{rest}"))
    }

    /// What is asked for behind the reason why: "it's dark in the kitchen, can you turn the lights on". Where
    /// the request says no place, that of the reason is meant. `nearly`: names may be said otherwise.
    pub fn with_reason(&self, nearly: bool) -> Option<Match> {
        let words = self.words();
        let talk = &self.lexicon().discourse;
        // What others asked for is nobody's request.
        if narrative::is_told(&words, self.lexicon()) {
            return None;
        }
        (1..words.len()).take_while(|_| !self.reader.is_spent()).find_map(|at| {
            let length =
                phrases::starts(talk.requests, &words[at..]).or_else(|| self.therefore(&words, at))?;
            let (reason, mut request) = (&words[..at], &words[at + length..]);
            request = self.without_trails(request);
            // Two requests are no request with its reason, but for one that is said twice.
            if let Some(first) = self.composed(&reason.join(" ")) {
                let second = self.composed(&request.join(" "))?;
                return (second.intent == first.intent && second.is_within(&first)).then_some(first);
            }
            // "… please it's stuffy" gives its reason behind the request.
            if self.states(request) {
                return None;
            }
            let read = |text: &str| if nearly { self.nearly(text) } else { self.composed(text) };
            // "All the lights off please, we're leaving" is more than a goodbye.
            let asks = |found: &Match| category_of(&found.intent) != Some(Category::Conversation);
            // "It's freezing in the bedroom, can you warm *it* up."
            self.at_place_of(reason, request, &read).or_else(|| self.of_it(reason, request)).filter(asks)
        })
    }

    /// How many words at a place say that a request follows on what was said before: "so". "If so" does not, nor "ever so".
    pub(super) fn therefore(&self, words: &[&str], at: usize) -> Option<usize> {
        let lexicon = self.lexicon();
        let length = phrases::starts(lexicon.discourse.therefore, &words[at..])?;
        let said = &lexicon.qualifiers;
        let is_other = |before: Phrases| phrases::ends(before, &words[..at]).is_some();
        (!is_other(said.if_so) && !is_other(said.ever)).then_some(length)
    }

    /// The request, where the reason tells the place it is meant for.
    fn at_place_of(
        &self,
        reason: &[&str],
        request: &[&str],
        read: &dyn Fn(&str) -> Option<Match>,
    ) -> Option<Match> {
        let there = phrases::ends(self.lexicon().discourse.there, request).unwrap_or(0);
        let asked = request[..request.len() - there].join(" ");
        let placed = self.place(reason).and_then(|place| read(&format!("{asked} {place}")));
        placed.or_else(|| read(&asked))
    }

    /// What is asked for beside a reason that no word joins: "it's late turn off the lights", "close the blinds
    /// the sun is in my eyes".
    pub fn beside_reason(&self) -> Option<Match> {
        let words = self.words();
        let (lexicon, talk) = (self.lexicon(), &self.lexicon().discourse);
        if narrative::is_told(&words, lexicon) {
            return None;
        }
        let begins = |marks, words: &[&str]| phrases::starts(marks, words).is_some_and(|it| it < words.len());
        let reason = |words: &[&str]| [talk.reasons, talk.activities].iter().any(|it| begins(*it, words));
        let read = |request: &str| self.composed(request).or_else(|| self.nearly(request));
        // A question may stand behind its reason, too: "it's raining *is the skylight* open".
        let begins_question = |at: usize| {
            let subject = words.get(at + 1).is_some_and(|word| lexicon.things.articles.contains(word));
            subject && at > 1 && talk.states.contains(words[at])
        };
        let verb = |at: usize| {
            (talk.verbs.contains(words[at]) || begins_question(at))
                && !talk.not_before.contains(words[at - 1])
        };
        // "The drapes" alone is no reason: something is to be done with them, and so with "the shed", which nobody knows.
        let is_thing = |words: &[&str]| {
            words.split_first().is_some_and(|(first, rest)| {
                let says_no_more = || rest.len() < MIN_SAID && !rest.iter().any(|word| self.is_state(word));
                lexicon.things.articles.contains(first)
                    && (says_no_more() || self.reader.grammar.is_thing(&rest.join(" ")))
            })
        };
        // "So at nine turn on the lamp" is done at nine, and not for the reason alone.
        let therefore =
            (1..words.len()).find_map(|at| Some(at + self.therefore(&words, at)?)).unwrap_or(words.len());
        if reason(&words)
            && let Some(at) = (1..words.len()).find(|at| verb(*at) || self.pauses_before(*at))
            && at <= therefore
            && !is_thing(&words[..at])
        {
            let last = (at..words.len()).rev().find(|at| self.pauses_before(*at)).unwrap_or(at);
            // "That's harsh, a bit less."
            let leaning = |at: usize, request: &[&str]| {
                let (text, tokens) = spoken(request, self.reader);
                let found = if self.pauses_before(at) { self.reader.tamely(&text, &tokens) } else { None };
                found.filter(|found| found.wild_words == 0)
            };
            let request = |at: usize| {
                let (reason, request) = (&words[..at], self.without_trails(&words[at..]));
                self.of_it(reason, request)
                    .or_else(|| self.at_place_of(reason, request, &read))
                    .or_else(|| leaning(at, request))
            };
            // What stands between them is a part of the reason, or another request.
            let is_reason = last == at || self.is_remark(&words[at..last]);
            return is_reason.then(|| request(last)).flatten().or_else(|| request(at));
        }
        let starts_request = words.first().is_some_and(|first| talk.verbs.contains(first));
        // Behind a request, "the fan" is another thing, not the reason.
        let article = |word: &str| talk.stammered.contains(word);
        // "Everything that's on", "every light that's on upstairs" give no reason either.
        let is_limit = |at: usize| {
            lexicon.qualifiers.many.contains(words[at - 1]) || self.state_of_things(&words, at).is_some()
        };
        // "Turn on the big light, *I mean* the one over the table" is a correction.
        let corrects = |at: usize| {
            let mark = phrases::starts(talk.corrections, &words[at..]);
            mark.is_some_and(|length| length > 1 && at + length < words.len())
        };
        let ends = |at: &usize| {
            let is_reason = !article(words[*at]) && !is_limit(*at) && reason(&words[*at..]);
            starts_request && is_reason && !corrects(*at)
        };
        let places = (2..words.len().saturating_sub(1)).filter(ends);
        places.take_while(|_| !self.reader.is_spent()).find_map(|at| {
            let other = self.composed(&words[at..].join(" "));
            if other.is_some() { None } else { self.composed(&words[..at].join(" ")) }
        })
    }

    /// A request about what was spoken of behind a word that corrects: "*nah*, turn it off".
    pub fn behind_correction(&self) -> Option<Match> {
        let length = phrases::starts(self.lexicon().discourse.corrections, &self.words())?;
        let found = self.reader.exactly(self.text, self.tokens.get(length..)?)?;
        (found.wild_words == 0 && leans_on_another(&found.intent)).then_some(found)
    }

    /// The request with a place for what is of one that was named before it: "turn on the light in the bathroom and open
    /// its window", "turn on the bedside lamp and the fan in there". `None` where there is nothing of the kind.
    pub fn with_places(&self) -> Option<String> {
        let words = self.words();
        let talk = &self.lexicon().discourse;
        let there = (1..words.len()).find_map(|at| {
            let length = phrases::starts(talk.there, &words[at..]).filter(|length| *length > 1)?;
            Some((at, at + length, self.place(&words[..at]).or_else(|| self.place_of_thing(&words[..at]))?))
        });
        if let Some((at, end, place)) = there {
            let behind = self.tokens.get(end - 1).map_or("", |token| &self.text[token.end..]);
            return Some(format!("{}{place}{behind}", &self.text[..self.tokens[at].start]));
        }
        let requests = &self.lexicon().requests;
        let its = (1..words.len()).find(|at| requests.possessives.contains(words[*at]))?;
        let place = self.place(&words[..its])?;
        let article = self.lexicon().things.articles.first()?;
        let ends = |at: &usize| requests.connectors.contains(words[*at]);
        let end = (its..words.len()).find(ends).unwrap_or(words.len());
        Some(
            [&words[..its], &[article], &words[its + 1..end], &[place.as_str()], &words[end..]]
                .concat()
                .join(" "),
        )
    }

    /// The request with what comes again, or its time, said first, where the last word of the act could be one of that: "turn
    /// the lamp *on* every day at six", "turn the lamp *on* tomorrow", "dim it to *twenty* this evening".
    pub fn with_time_first(&self) -> Option<String> {
        let words = self.words();
        if !self.reader.spend(words.len()) {
            return None;
        }
        let lexicon = self.lexicon();
        let by = self.reader.reckoning();
        let longest = |rule, at: usize| {
            self.reader.spend(RULE_STEPS);
            rules::longest(rule, &words[at..], &by).map_or(0, |(_, used)| used)
        };
        // "But only *on* weekdays": the word belongs to the days.
        let said = &lexicon.qualifiers;
        let is_only = |at: usize| at > 0 && said.only.contains(words[at - 1]);
        // "Except on Sundays" is the contrary.
        let is_except = |at: usize| phrases::starts(said.exceptions, &words[at - 1..]).is_some();
        let closes = |at: usize| lexicon.discourse.closing.contains(words[at - 1]) && !is_only(at - 1);
        let is_day = |at: usize| longest(Rule::Date, at) > 0;
        let acts = |at: usize| {
            let found = self.reader.exactly(self.text, &self.tokens[..at]);
            found.is_some_and(|found| category_of(&found.intent) == Some(Category::HomeControl))
        };
        let is_end = |at: usize| phrases::starts(lexicon.qualifiers.ends, &words[at..]).is_some();
        let time = |at: usize| {
            let used =
                Some(longest(Rule::Datetime, at)).filter(|used| *used > 0 && !is_end(at) && acts(at))?;
            (0..at - 1).chain(at + used..words.len()).all(|other| !is_day(other)).then_some(used)
        };
        let again = |at: &usize| Some((*at, Some(longest(Rule::Recurrence, *at)).filter(|used| *used > 0)?));
        let places = || (2..words.len()).filter(|at| closes(*at));
        // The last place behind a number: "twenty one" is no "twenty" at one.
        let timed = || {
            let is_number = |at: usize| lexicon.numbers.number(&words[at - 1..at]).is_some();
            (2..words.len())
                .rev()
                .filter(|at| closes(*at) || is_number(*at))
                .find_map(|at| Some((at, time(at)?)))
        };
        // "But only on weekdays."
        let limited = || {
            let marks = (2..words.len()).filter(|at| is_only(*at) && !is_except(*at));
            marks
                .map(|at| (if is_only(at - 1) { at - 2 } else { at - 1 }, at))
                .find_map(|(end, at)| (end > 0).then_some((end, again(&at)?)))
        };
        let first = || places().find_map(|at| again(&at)).or_else(timed).map(|it| (it.0, it));
        let (end, (at, used)) = limited().or_else(first)?;
        Some([&words[at..at + used], &words[..end], &words[at + used..]].concat().join(" "))
    }

    /// The request with the time of its condition in front: "if *at nine* the window is still open, tell me". `None` where no time
    /// stands behind what begins a condition.
    pub fn with_time_of_clause(&self) -> Option<String> {
        let words = self.words();
        let lexicon = self.lexicon();
        let mark = phrases::starts(lexicon.qualifiers.if_so, &words)?;
        let by = self.reader.reckoning();
        let moment = || rules::longest(Rule::Datetime, &words[mark..], &by).map(|(_, used)| used);
        let later = phrases::starts(lexicon.qualifiers.later, &words[mark..]);
        let length = || Some(later? + rules::length(&words[mark + later?..], lexicon)?.1);
        let begun = length().or_else(moment).filter(|used| *used > 1).map(|used| mark..mark + used);
        // "If nobody's home *at ten*, lock the door and turn off the lights."
        let several = || words.iter().any(|word| lexicon.requests.connectors.contains(word));
        let acts = |at: usize| self.pauses_before(at) || lexicon.discourse.verbs.contains(words[at]);
        let ends = || (mark + 1..words.len()).find(|at| acts(*at)).filter(|_| several());
        // "Between midnight | and five tonight."
        let joins = |at: usize| lexicon.requests.connectors.contains(words[at]);
        let timed = |at: usize| {
            let (_, used) = rules::longest(Rule::Datetime, &words[at..], &by)?;
            (!joins(at - 1) && !self.is_within_time(mark, at)).then_some(at + used)
        };
        let ended =
            || ends().and_then(|end| Some((mark + 1..end - 1).find(|at| timed(*at) == Some(end))?..end));
        let time = begun.or_else(ended)?;
        let rest = self.tokens.get(time.end)?;
        let parts = [&words[time.clone()], &words[..time.start]].map(|part| part.join(" "));
        Some(format!("{} {} {}", parts[0], parts[1], &self.text[rest.start..]))
    }

    /// What is to last with how long behind it: "ten minutes of the fan" is "the fan for ten minutes". `None` where that is no
    /// request.
    pub fn with_length_behind(&self) -> Option<String> {
        let words = self.words();
        let said = &self.lexicon().qualifiers;
        let start = phrases::starts(self.lexicon().discourse.leads, &words).unwrap_or(0);
        let (_, used) = rules::length(&words[start..], self.lexicon())?;
        let (length, behind) = words[start..].split_at(used);
        let (of, thing) = behind.split_first().filter(|(_, thing)| !thing.is_empty())?;
        let before = said.length_of.get(of)?.text();
        let thing = thing.join(" ");
        let running = said.runs.first().map(|runs| format!("{runs} {thing}"));
        let request = [Some(thing), running].into_iter().flatten().find(|it| self.composed(it).is_some())?;
        Some(format!("{request} {before} {}", length.join(" ")))
    }

    /// A thing that runs, with when or how long, as a request to turn it on: "*the coffee machine* at seven". `None` where another
    /// word says what is to be done with it.
    pub fn with_running(&self) -> Option<String> {
        let words = self.words();
        let lexicon = self.lexicon();
        let by = self.reader.reckoning();
        let acts =
            |word: &&str| lexicon.discourse.verbs.contains(word) || lexicon.discourse.closing.contains(word);
        let runs = lexicon.qualifiers.runs.first().filter(|_| !words.iter().any(acts))?;
        let time = rules::longest(Rule::Datetime, &words, &by).map_or(0, |(_, used)| used);
        let article = words.get(time).is_some_and(|word| lexicon.things.articles.contains(word));
        let name = time + usize::from(article);
        let ends = (name + 1..=words.len().min(name + MAX_WORDS_OF_PLACE)).rev();
        let is_run = |end: &usize| self.reader.grammar.may_run(&words[name..*end].join(" "));
        let end = ends.into_iter().find(is_run)?;
        let lasts = |at: usize| phrases::starts(lexicon.qualifiers.lasting, &words[at..]).is_some();
        let says_when = time > 0
            || (end..words.len())
                .any(|at| lasts(at) || rules::longest(Rule::Datetime, &words[at..], &by).is_some());
        says_when.then(|| [&words[..time], &[runs], &words[time..]].concat().join(" "))
    }

    /// The words without courtesies behind them.
    pub(super) fn without_trails<'w>(&self, words: &'w [&'s str]) -> &'w [&'s str] {
        phrases::without_ends(&[self.lexicon().discourse.trails], words)
    }

    /// Whether a comma or its like stands before a word.
    pub(super) fn pauses_before(&self, at: usize) -> bool {
        let between = self.tokens[at - 1].end.min(self.tokens[at].start)..self.tokens[at].start;
        self.text[between].contains([',', ';', '.', '?', '!', ':', '\n'])
    }

    /// A request about "it", which is what the words before it name: "we don't need the fan switch it off".
    fn of_it(&self, before: &[&str], request: &[&str]) -> Option<Match> {
        self.composed(&self.with_it_named(before, request)?)
    }

    /// The same as a text.
    pub(super) fn with_it_named(&self, before: &[&str], request: &[&str]) -> Option<String> {
        let it = request.iter().position(|word| self.lexicon().requests.pronouns.contains(word))?;
        let beside = self.lexicon().things.beside;
        let tells_which = |end: usize| before.get(end).is_some_and(|word| beside.contains(word));
        // "It's raining *is the skylight* | open it": a thing that is asked about is not what "it" is.
        let articles = self.lexicon().things.articles;
        let is_asked_about = |start: usize, end: usize| {
            let subject = start - usize::from(start > 0 && articles.contains(before[start - 1]));
            end == before.len()
                && subject > 0
                && self.lexicon().discourse.states.contains(before[subject - 1])
        };
        let spans = (1..=before.len())
            .rev()
            .flat_map(|length| (0..=before.len() - length).map(move |start| (start, start + length)));
        // "The lamp next to my bed" is not the one that is called "lamp".
        let spans = spans.take_while(|_| self.reader.spend(NAME_STEPS)).filter(|(_, end)| !tells_which(*end));
        let (start, end) = spans
            .into_iter()
            .find(|(start, end)| self.reader.grammar.is_thing(&before[*start..*end].join(" ")))?;
        let name = before[start..end].join(" ");
        (!is_asked_about(start, end)).then_some(())?;
        Some(format!("{} the {name} {}", request[..it].join(" "), request[it + 1..].join(" ")))
    }

    /// The last place some words tell: "in the kitchen", or "the kitchen" alone where there is no such.
    pub(super) fn place(&self, words: &[&str]) -> Option<String> {
        self.place_within(words).or_else(|| {
            let spans = (1..=MAX_WORDS_OF_PLACE).rev().flat_map(|length| words.windows(length));
            let area = spans.map(|span| span.join(" ")).find(|span| self.reader.grammar.is_area(span))?;
            self.within(&area)
        })
    }

    /// An area as the place of something: "in the kitchen".
    pub(super) fn within(&self, area: &str) -> Option<String> {
        let (within, article) =
            (self.lexicon().discourse.within.first()?, self.lexicon().things.articles.first()?);
        Some(format!("{within} {article} {area}"))
    }

    fn place_within(&self, words: &[&str]) -> Option<String> {
        let within = self.lexicon().discourse.within;
        let at = words.iter().rposition(|word| within.contains(word))?;
        let end = words.len().min(at + 1 + MAX_WORDS_OF_PLACE);
        (at + 2..=end)
            .rev()
            .map(|end| words[at..end].join(" "))
            .find(|place| self.reader.grammar.is_place(place))
    }

    /// Where the last thing stands that some words name: "in the bedroom" for the bedside lamp.
    pub(super) fn place_of_thing(&self, words: &[&str]) -> Option<String> {
        let grammar = self.reader.grammar;
        let name = |end: usize| {
            let names =
                (end.saturating_sub(MAX_WORDS_OF_PLACE)..end).map(|start| words[start..end].join(" "));
            names.into_iter().find(|name| grammar.is_thing(name))
        };
        let name = (1..=words.len()).rev().find_map(name)?;
        self.within(&grammar.area_of_words(&name)?.to_lowercase())
    }

    /// The words that are meant, with the thing where they only say which "one".
    fn with_thing(&self, wrong: &[&str], meant: &[&str]) -> String {
        match (meant.split_last(), wrong.last()) {
            (Some((last, which)), Some(thing))
                if self.lexicon().discourse.one.contains(last)
                    && !which.is_empty()
                    && !self.is_number(meant) =>
            {
                format!("{} {thing}", which.join(" "))
            }
            _ => meant.join(" "),
        }
    }

    /// Whether some words are one number: "twenty one".
    pub(super) fn is_number(&self, words: &[&str]) -> bool {
        self.lexicon().numbers.number(words).is_some_and(|(_, used)| used == words.len())
    }

    /// As `composed`, of words that name things otherwise.
    fn nearly(&self, text: &str) -> Option<Match> {
        self.reader.nearly(text, &self.reader.tokenise(text)).filter(is_whole)
    }

    /// A request that is whole in itself.
    pub(super) fn composed(&self, text: &str) -> Option<Match> {
        self.reader.tamely(text, &self.reader.tokenise(text)).filter(is_whole)
    }

    pub(super) fn lexicon(&self) -> &'static Lexicon {
        self.reader.grammar.lexicon()
    }

    pub(super) fn words(&self) -> Vec<&'s str> {
        self.tokens.iter().map(|token| token.word.as_str()).collect()
    }
}

/// Some words as a text of their own, with its tokens.
pub(super) fn spoken(words: &[&str], reader: &Reader<'_>) -> (String, Vec<Token>) {
    let text = words.join(" ");
    let tokens = reader.tokenise(&text);
    (text, tokens)
}

/// Whether it means something alone, and no words are taken as they are.
fn is_whole(found: &Match) -> bool {
    found.wild_words == 0 && !leans_on_another(&found.intent)
}

//! Two requests of which each says when: "turn on the fan when it's above 25 and off again when it's below 22".

use super::super::grammar::{Match, Reader};
use super::super::intent::{category_of, leans_on_another};
use super::super::qualifiers::{Kind, Qualifier, Qualifiers};
use super::super::request_framing::Speech;
use super::super::requests::{Sentence, Words};
use super::super::rules::{self, Rule};
use super::super::text::Token;
use super::model::Composed;
use super::{Composer, MAX_CLAUSES};
use chrono::Timelike;
use hark_core::automation::intent::{COMMAND, OF_IT};
use hark_core::calendar::{Frequency, Recurrence, When};
use hark_core::{Ambiguity, Category, Understanding};
use hark_language::{Lexicon, phrases};

/// What takes back what.
const CONTRARY: [(&str, &str); 3] = [
    ("HassTurnOn", "HassTurnOff"),
    ("HassVacuumStart", "HassVacuumReturnToBase"),
    ("HassLawnMowerStartMowing", "HassLawnMowerDock"),
];

/// Words at most of what is named.
pub(super) const MAX_NAME_WORDS: usize = 4;

impl Composer<'_> {
    /// Two requests with a connector between them. The second has a clause or a time of its own; where that stands behind
    /// what is to be done, the first has one, too: otherwise what the first waits for may be meant for both.
    pub(super) fn in_turn(&self, text: &str, tokens: &[Token]) -> Option<Understanding> {
        let qualifiers = Qualifiers::of(self.reader, text, tokens);
        let lexicon = self.reader.grammar.lexicon();
        (!self.hours_limit_all(&qualifiers)).then_some(())?;
        let contrasts = |at: usize| contrasts(&qualifiers, at, lexicon);
        let joins = |at: usize| lexicon.requests.connectors.contains(qualifiers.words[at]) || contrasts(at);
        let clauses: Vec<&Qualifier> = qualifiers.found.iter().filter(|it| says_a_time(it)).collect();
        (1..tokens.len().saturating_sub(1)).filter(|at| joins(*at) && !joins(*at - 1)).find_map(|at| {
            let next = (at..tokens.len()).find(|at| !joins(*at))?;
            let tells = |it: &Qualifier| self.notice(text, tokens.get(next..it.start)?);
            let told = clauses.iter().find_map(|it| tells(it)).is_some();
            let begins = told || clauses.iter().any(|it| it.start == next);
            let is_behind =
                clauses.iter().any(|it| (1..at).contains(&it.start) && !self.is_in_front(&qualifiers, it));
            (begins || is_behind || clauses.iter().any(|it| it.start > next)).then_some(())?;
            let mut first = self.request(text[..tokens[at].start].trim_end(), MAX_CLAUSES)?;
            let is_of_both = !(begins || first.has_terms() || first.asks() || first.rings());
            // Of both, only what is done to the same thing can be told apart.
            let clause =
                clauses.iter().find(|it| it.start > next).map_or(text.len(), |it| tokens[it.start].start);
            let says_it = self.reader.with_name(&text[tokens[next].start..clause], "").is_some();
            (!is_of_both || says_it).then_some(())?;
            // "For five minutes and then open the tap": when those are over.
            let then = (at..=next)
                .any(|at| phrases::starts(lexicon.requests.afterwards, &qualifiers.words[at..]).is_some());
            (!(then && first.lasts())).then_some(())?;
            let with_unit = self.with_unit(text, tokens, next);
            let rest = with_unit.as_deref().unwrap_or(&text[tokens[next].start..]);
            // "She" is the person, "it" what was started, or the sunset: "and … half an hour after it".
            let sun = clauses.iter().find(|it| it.kind == Kind::Moment && it.start < at);
            let sun = sun.map(|it| qualifiers.words[it.mark.0..it.mark.1].join(" "));
            let persons = lexicon.requests.person_pronouns;
            let named = first.terms.person().and_then(|name| self.reader.with_name_for(persons, rest, name));
            let named = named.or_else(|| self.reader.with_last_named(rest, &sun?));
            let by = Composer { before: Some(first.said.as_str()), ..*self };
            let read = |rest: &str| {
                let is_whole = |rest: &Composed| rest.has_terms() && !rest.matches.iter().any(leans);
                by.request(rest, MAX_CLAUSES).filter(is_whole)
            };
            let starts = clauses.first().is_some_and(|it| it.start == 0);
            let in_front = first.terms.said_when().filter(|_| starts);
            // "It" is what some words before name: "start *the vacuum* and tell me when it's done".
            let of_words = || {
                let first = &qualifiers.words[..at];
                let spans = (1..=MAX_NAME_WORDS).rev().flat_map(|length| first.windows(length));
                spans
                    .filter(|name| self.may_be_it(name))
                    .find_map(|name| read(&self.reader.with_name(rest, &name.join(" "))?))
            };
            // "Open the gate and the garage door, and when Robert is in close *them both*."
            let of_all = || read(&self.with_all_named(&first, rest)?);
            // "When the door opens turn the heating off and put it on again when *it* shuts" waits for the door again.
            let of_clause = || {
                let name = first.question()?.get("name")?.as_str()?;
                let clause = clauses.iter().find(|it| it.start >= next)?;
                let begin = tokens.get(clause.mark.1)?.start;
                let said = self.words_of(&name.to_lowercase(), &qualifiers.words[..at]);
                let named = self.reader.with_name(&text[begin..], &said)?;
                let rest = format!("{}{named}", &text[tokens[next].start..begin]);
                read(&rest).or_else(|| read(&self.with_thing_of(&first, &rest)?))
            };
            // "When it gets dark put the light on and leave *it* on until eleven".
            let is_of_act = in_front.is_some() || contrasts(at);
            let of_act = || if is_of_act { read(&self.with_thing_of(&first, rest)?) } else { None };
            let is_of_words = told || is_of_both || begins && !first.rings();
            let ways: [&dyn Fn() -> Option<Composed>; 7] = [
                &|| named.as_deref().and_then(read),
                &of_clause,
                &of_act,
                &of_all,
                &|| if is_of_words { of_words() } else { None },
                &|| read(rest),
                &|| read(&self.with_ring(&first, &qualifiers.words[..at], rest)?),
            ];
            let mut second = ways.into_iter().find_map(|way| way())?;
            // "When she comes home turn on the light and the radio for ten minutes": what stands in front is of both.
            if let Some(clause) = in_front.filter(|_| !second.waits()) {
                // "… put the light on and leave it on until eleven" does one thing, until then.
                if first.does_the_same(&second) {
                    return first.with_end_of(second)?.understanding(self.reader);
                }
                second = read(&format!("{clause}, {rest}"))?;
            }
            // "In ten minutes turn on the kettle and leave it on for five", "… look at the door and shut it if it's open": "it"
            // is spoken of then.
            if first.is_put_off() && (!second.waits() || second.looks()) && says_it {
                let connector = qualifiers.words[at];
                first.put_off(|command| format!("{command} {connector} {rest}")).then_some(())?;
                return first.understanding(self.reader);
            }
            // "Turn on the lamp and dim it when Alice leaves" does both then, "… and turn it off …" can only do the second.
            (!is_of_both || reverses(&first, &second)).then_some(())?;
            second.terms.lean_on(&first, clauses.iter().any(|it| it.start == next));
            let turns = || Speech { reader: self.reader, text, tokens }.until_turned().is_some();
            if self.ends_after_sun(&first, &second) && turns() { None } else { self.both(first, second) }
        })
    }

    /// Whether the act comes after this clause, and another clause or the only time before it. After a clause: "whenever somebody
    /// moves *between ten and six* turn on the light". After a time: "at seven *if it's dark* turn on the light".
    fn is_in_front(&self, qualifiers: &Qualifiers<'_>, it: &Qualifier) -> bool {
        let by = self.reader.reckoning();
        let words = &qualifiers.words;
        let timed = |at: usize| rules::longest(Rule::Datetime, &words[at..], &by).map_or(0, |(_, used)| used);
        let is_verb = |word: &&str| self.reader.grammar.lexicon().discourse.verbs.contains(word);
        let is_behind_clause = || qualifiers.found.iter().any(|it| it.start == 0 && says_a_time(it));
        let is_behind_time = || it.start == timed(0) && !(it.start..words.len()).any(|at| timed(at) > 1);
        !words[..it.start].iter().any(is_verb) && (is_behind_clause() || is_behind_time())
    }

    /// "On at sunset and off at eleven" is until eleven: the sunset may be tomorrow's.
    fn ends_after_sun(&self, first: &Composed, second: &Composed) -> bool {
        first.terms.waits_for_sun() && second.is_put_off_without_day(self.reader)
    }

    /// Both requests, of which the second leans on the first.
    fn both(&self, mut first: Composed, mut rest: Composed) -> Option<Understanding> {
        if let Some(question) = first.question() {
            rest.terms.measure_the_same(question, self.reader);
        }
        if first.terms.repeats() {
            rest.terms.repeat();
            come_again(&mut rest, &first)?;
        }
        if rest.is_each_day() {
            first.terms.repeat();
        }
        on_the_same_day(&mut rest, &first, self.reader);
        let (mut found, rest) = (first.understanding(self.reader)?, rest.understanding(self.reader)?);
        let behind = found.intents.len();
        let doubts = rest.ambiguous.into_iter();
        found.ambiguous.extend(doubts.map(|doubt| Ambiguity { intent: doubt.intent + behind, ..doubt }));
        found.intents.extend(rest.intents);
        Some(found)
    }

    /// Words about "it" with the name of what a request is about.
    fn with_thing_of(&self, first: &Composed, words: &str) -> Option<String> {
        let [Match { slots, .. }] = first.matches.as_slice() else { return None };
        self.reader.with_name(words, &slots.get("name")?.as_str()?.to_lowercase())
    }

    /// Words about several with the names of what a request is about: "the gate and the garage door" for "them both". `None`
    /// where they speak of one, or it names one.
    fn with_all_named(&self, first: &Composed, words: &str) -> Option<String> {
        let lexicon = self.reader.grammar.lexicon();
        let names = first.matches.iter().map(|it| Some(it.slots.get("name")?.as_str()?.to_lowercase()));
        let names = names.collect::<Option<Vec<String>>>().filter(|names| names.len() > 1)?;
        let (article, joins) = (lexicon.things.articles.first()?, lexicon.requests.connectors.first()?);
        let all = names.join(&format!(" {joins} {article} "));
        let several = lexicon.requests.several_pronouns;
        let named = self.reader.with_name_for(several, words, &format!("{article} {all}"))?;
        // "Them both" is one.
        let is_several = |word: &&str| !several.contains(word);
        let tokens = self.reader.tokenise(&named);
        let said: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).filter(is_several).collect();
        Some(said.join(" "))
    }

    /// Whether some words may name a thing that is spoken of as "it".
    fn may_be_it(&self, words: &[&str]) -> bool {
        let (grammar, name) = (self.reader.grammar, words.join(" "));
        let (articles, closing) = (grammar.lexicon().things.articles, grammar.lexicon().discourse.closing);
        // "The hallway light on" is more than its name.
        let is_named =
            articles.contains(words[0]) && words.last().is_some_and(|last| !closing.contains(last));
        (is_named || grammar.is_thing(&name)) && !self.is_time(&name)
    }

    /// What some words set to ring in the place of "it": "set a timer and have the radio on *till it goes off*".
    fn with_ring(&self, first: &Composed, words: &[&str], rest: &str) -> Option<String> {
        first.rings().then_some(())?;
        let requests = &self.reader.grammar.lexicon().requests;
        self.reader.with_name(rest, words.iter().find_map(|word| requests.ring(word))?)
    }

    /// Whether some words are a time, which is no thing.
    fn is_time(&self, text: &str) -> bool {
        let words: Vec<&str> = text.split(' ').collect();
        rules::is_time(&words, &self.reader.reckoning())
    }

    /// A name as it was said, with the article before it.
    fn words_of(&self, name: &str, said: &[&str]) -> String {
        let length = name.split(' ').count();
        let place = said.windows(length).position(|window| window.join(" ") == name);
        let articles = self.reader.grammar.lexicon().things.articles;
        let article = place.and_then(|at| at.checked_sub(1)).map(|at| said[at]);
        article
            .filter(|word| articles.contains(word))
            .map_or(name.to_owned(), |word| format!("{word} {name}"))
    }

    /// What lasts as long as a number says at the end, with the unit of the request before it: "… for five minutes and the fan
    /// for ten".
    fn with_unit(&self, text: &str, tokens: &[Token], next: usize) -> Option<String> {
        let exactly = |text: &str, tokens: &[Token], _| self.reader.exactly(text, tokens);
        let sentence = Sentence::new(text, tokens, self.reader, &exactly, Words::Known);
        let lexicon = self.reader.grammar.lexicon();
        let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
        let lasts = |at: &usize| {
            phrases::ends(lexicon.qualifiers.lasting, &words[..*at]).is_some()
                && lexicon.numbers.whole(&words[*at..]).is_some_and(|(_, used)| at + used == words.len())
        };
        (next + 1..words.len()).find(lasts)?;
        let unit = sentence.unit_of(next, words.len())?;
        Some(format!("{} {unit}", &text[tokens[next].start..]))
    }

    /// A request that leaves out what the one before it says: "off again".
    pub(super) fn leaning(&self, text: &str, tokens: &[Token]) -> Option<Composed> {
        let (before, connector) = (
            self.before.filter(|it| !it.is_empty())?,
            self.reader.grammar.lexicon().requests.connectors.first()?,
        );
        let exactly = |text: &str, tokens: &[Token], _| self.reader.exactly(text, tokens);
        let pronouns = self.reader.grammar.lexicon().requests.pronouns;
        let tokens = Speech { reader: self.reader, text, tokens }.core().unwrap_or(tokens);
        let text = super::span(text, tokens);
        let tokens = self.reader.tokenise(text);
        let of_another = tokens.iter().any(|token| pronouns.contains(token.word.as_str()));
        // What means something alone needs nothing from another.
        if !of_another && self.reader.exactly(text, &tokens).is_some_and(|found| !leans(&found)) {
            return None;
        }
        let both = format!("{before} {connector} {text}");
        let both_tokens = self.reader.tokenise(&both);
        let (end, start) = (self.reader.tokenise(before).len(), both_tokens.len().checked_sub(tokens.len())?);
        // Nothing is left to read, or to read it with.
        (start > 0 && !tokens.is_empty()).then_some(())?;
        let sentence = Sentence::new(&both, &both_tokens, self.reader, &exactly, Words::Known);
        let acts =
            |found: &Match| !leans(found) && category_of(&found.intent) != Some(Category::Conversation);
        let alike = sentence.one(Some((0, end)), (start, both_tokens.len()));
        // "Off again" is behind the name of what was turned on, or behind the verb and that; "it" is that.
        let of_it = || {
            let span = |from: usize, to: usize| &both[both_tokens[from].start..both_tokens[to].end];
            let verb = span(0, 0);
            (1..end).find_map(|cut| {
                let thing = span(cut, end - 1);
                let named = if self.is_time(thing) { None } else { self.reader.with_name(text, thing) };
                let texts = [named, Some(format!("{thing} {text}")), Some(format!("{verb} {thing} {text}"))];
                texts.into_iter().flatten().find_map(|words| {
                    let tokens = self.reader.tokenise(&words);
                    let core = Speech { reader: self.reader, text: &words, tokens: &tokens }.core();
                    let found = self.reader.exactly(&words, core.unwrap_or(&tokens))?;
                    (found.wild_words == 0 && acts(&found)).then_some(found)
                })
            })
        };
        let found = alike.filter(acts).or_else(of_it)?;
        let said = super::promised(self.reader, found.said());
        Some(Composed::of(vec![found], said))
    }
}

impl Speech<'_> {
    /// Two requests that each begin with when, with a connector between them: "when it opens, light on, *and* when it closes,
    /// light off".
    pub(in super::super) fn with_joined_clauses(&self) -> Option<String> {
        let pauses = |from: usize, to: usize| (from..to).any(|at| self.pauses_before(at));
        pauses(1, self.tokens.len()).then_some(())?;
        let connector = self.lexicon().requests.connectors.first()?;
        let qualifiers = Qualifiers::of(self.reader, self.text, self.tokens);
        let mut clauses = qualifiers.found.iter().filter(|it| it.says_when());
        let first = clauses.next().filter(|it| it.start == 0)?;
        let next = clauses.find(|it| self.pauses_before(it.start))?;
        let verbs = self.lexicon().discourse.verbs;
        let acts = |at: usize| self.pauses_before(at) || verbs.contains(qualifiers.words[at]);
        (first.mark.1 + 1..next.start).any(acts).then_some(())?;
        let (before, behind) = self.text.split_at(self.tokens[next.start].start);
        Some(format!("{before}{connector} {behind}"))
    }
}

/// Whether a clause says when something is done, or until when.
fn says_a_time(it: &Qualifier) -> bool {
    use Kind::{Condition, EachTime, If, Lasting, Moment, Unless, Until, When};
    matches!(it.kind, When | EachTime | If | Unless | Moment | Condition | Lasting | Until)
}

/// Whether a word joins a request to a clause that is against it: "the heating on nineteen, *but* when the window opens …".
fn contrasts(qualifiers: &Qualifiers<'_>, at: usize, lexicon: &Lexicon) -> bool {
    lexicon.requests.contrasts.contains(qualifiers.words[at])
        && qualifiers.found.iter().any(|it| it.start == at + 1 && it.waits())
}

/// Has what is put off to a time without a day done on the day of the first: "tomorrow when the sun sets turn it on and *off at
/// eleven*".
fn on_the_same_day(rest: &mut Composed, first: &Composed, reader: &Reader<'_>) {
    let Some(day) = first.terms.day() else { return };
    for later in rest.matches.iter_mut().filter(|later| later.slots.contains_key(COMMAND)) {
        let Some(at) = later.moment().filter(|_| !later.says_day(&reader.reckoning())) else { continue };
        // What was reckoned from now has a part of a second.
        if at.nanosecond() == 0 {
            let time = first.terms.time_beside(at.time());
            later.slots.insert("when".to_owned(), When::Moment(day.and_time(time)).to_string().into());
        }
    }
}

/// Has what is put off to one time done every day: "every evening on at sunset *and off again at eleven*", which is in the
/// evening then. `None` where the first is not done every day.
fn come_again(rest: &mut Composed, first: &Composed) -> Option<()> {
    for later in rest.matches.iter_mut().filter(|later| later.slots.contains_key(COMMAND)) {
        let Some(at) = later.moment() else { continue };
        first.terms.only_if.is_empty().then_some(())?;
        later.repeat(&Recurrence::every(Frequency::Daily), first.terms.time_beside(at.time()));
    }
    Some(())
}

/// Whether a request takes back what another does to the same thing.
fn reverses(first: &Composed, rest: &Composed) -> bool {
    let ([first], [rest]) = (first.matches.as_slice(), rest.matches.as_slice()) else { return false };
    are_contrary(&first.intent, &rest.intent)
}

/// Whether one act takes another back, done to the same thing.
pub(super) fn are_contrary(one: &str, other: &str) -> bool {
    CONTRARY.iter().any(|(on, off)| (one, other) == (*on, *off) || (one, other) == (*off, *on))
}

/// Whether a request is about something that another names.
pub(super) fn leans(found: &Match) -> bool {
    leans_on_another(&found.intent) || found.slots.contains_key(OF_IT)
}

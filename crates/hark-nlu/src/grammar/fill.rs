//! The slots of an intent that somebody else has named: the sentence of that intent that is nearest to what
//! was said, where everything that was mentioned keeps its place and only plain words are put in or passed
//! over. It is then read like any other sentence, so that slots, conditions and defaults are the same.

mod candidate;

use super::fuzzy_match::near_names::{Nearness, Span};
use super::network::NodeId;
use super::orders::{other_orders, reordered};
use super::parse_result::Match;
use super::reader::Reader;
use super::synonyms;
use super::words::{QuickMap, WordId};
use super::{Grammar, JOINER};
use crate::intent::category_of;
use crate::number_spans;
use crate::rules::{self, Reckoning, Rule};
use crate::text::Token;
use candidate::Candidate;
use hark_core::automation::intent::COMMAND;
use hark_core::{Category, SlotSpan};
use hark_language::phrases;
use hark_language::time::Unit;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Take back what was done last.
const TAKE_BACK: [&str; 2] = ["HarkCancel", "HarkUndo"];

/// What it costs to put a word in that was not said, or a small one.
const PUT_IN: (u32, u32) = (8, 2);
/// What it costs to pass over a word that was said, or a small one.
const PASS: (u32, u32) = (5, 1);
/// What it costs to pass over what sounds like a name of the home, and the number that is also a pronoun or an article.
const PASS_NAME: u32 = 40;
const PASS_ONE: u32 = 25;
/// What a name costs that was not said exactly.
const NEARLY: u32 = 4;
/// Sentences of other meaning within this of the best make it unclear which is meant.
const CLEAR: u32 = 2;
/// What is taken off the confidence for each name that found no place.
const UNPLACED: f32 = 0.1;
/// Sentences that are read before giving up.
const MAX_READ: usize = 12;

/// Who says this says such a word.
const DENIAL: &str = "HarkDeny";

/// Content words that may be passed over for each that keeps its place, where one of them is in no sentence: "the next
/// roundabout" is not about the next song.
const MAX_PASSED_FOR_EACH_KEPT: usize = 2;

/// Content words that may be passed over where other words are taken as they are.
const MAX_PASSED_BESIDE_WILD: usize = 1;

/// What it costs to pass over a word that a tagger has marked as no part of any slot.
const PASS_UNMARKED: u32 = 2;
/// What it costs when marked words fill a place for any words, and when they are marked as another slot.
const MARKED: (u32, u32) = (1, 6);
/// What it costs when words fill a slot that are not marked.
const UNMARKED: u32 = 6;
/// The tag of the slots that any words may fill: what to play, what to remember.
const ANY_WORDS: &str = "text";

/// Words that are put in and names that are looked for in one step, and the steps of a rule.
const WORDS_A_STEP: usize = 2;
const SPANS_A_STEP: usize = 16;
const RULE_STEPS: usize = 16;

/// Domains of what keeps strangers out.
const SECURES: [&str; 2] = ["lock", "alarm_control_panel"];

/// Intents that send something off or home.
const DRIVES: [&str; 4] =
    ["HassVacuumStart", "HassVacuumReturnToBase", "HassLawnMowerStartMowing", "HassLawnMowerDock"];

/// Slots of what is meant, which names of the home fill.
pub(super) const TARGET: [&str; 3] = ["name", "area", "floor"];

/// A place in the text and in a template, and whether something was mentioned on the way.
type Place = (usize, NodeId, bool);

/// How a place was reached: what it cost, from where, and which words that adds.
#[derive(Clone)]
struct Way {
    cost: u32,
    before: Option<Place>,
    said: Said,
}

#[derive(Clone)]
enum Said {
    Nothing,
    Put(WordId),
    /// Tokens from the place before up to this one.
    Tokens,
    Passed,
}

impl Reader<'_> {
    /// The intent with the slots that the text mentions; `None` when nothing fits, when two sentences of
    /// different meaning fit as well, or when a name could be several.
    pub(crate) fn fill(&self, intent: &str, text: &str, marks: Option<&[SlotSpan]>) -> Option<Match> {
        let tokens = self.tokenise(text);
        let negated = || {
            tokens.iter().any(|token| self.grammar.lexicon().requests.negations.contains(token.word.as_str()))
        };
        if tokens.is_empty() || (intent != DENIAL && negated()) {
            return None;
        }
        let said = Text::new(self, text, &tokens, marks);
        let templates = self.grammar.meanings.iter().zip(&self.grammar.network.starts);
        let of_intent = templates.filter(|(meaning, _)| meaning.block.intent == intent);
        let mut candidates: Vec<Candidate> =
            of_intent.filter_map(|(_, start)| said.nearest(*start)).collect();
        candidates.sort_by_key(|candidate| candidate.cost);
        let mut best: Option<(Match, u32)> = None;
        for candidate in candidates.into_iter().take(MAX_READ) {
            if best.as_ref().is_some_and(|(_, cost)| candidate.cost > cost + CLEAR) {
                break;
            }
            let Some(mut found) = self.read_candidate(intent, &said, &candidate) else { continue };
            match &best {
                Some((known, _)) if known.slots == found.slots => {}
                Some(_) => return None,
                None => {
                    found.score -= UNPLACED * candidate.unplaced as f32;
                    found.why = format!("read as \"{}\", {}", candidate.text, found.why);
                    best = Some((found, candidate.cost));
                }
            }
        }
        best.map(|(found, _)| found)
    }

    /// The same where a tagger has marked the words that fill slots. Templates name slots in one order and people in
    /// any, so where nothing fits, the marked words are tried in the others; `None` when two of these differ in meaning.
    pub(crate) fn fill_marked(&self, intent: &str, text: &str, marks: &[SlotSpan]) -> Option<Match> {
        let tokens = self.tokenise(text);
        if marks.iter().any(|mark| mark.end > tokens.len()) {
            return None;
        }
        let marks = &self.widened(&tokens, marks);
        let in_order = self.fill(intent, text, Some(marks));
        if in_order.is_some() {
            return in_order;
        }
        let mut best: Option<Match> = None;
        for order in other_orders(marks.len()) {
            let (text, marks) = reordered(&tokens, marks, order);
            let Some(found) = self.fill(intent, &text, Some(&marks)) else { continue };
            if best.as_ref().is_some_and(|known| known.slots != found.slots) {
                return None;
            }
            best = best.or(Some(found));
        }
        best
    }

    /// The marks with the words beside those that may be any, where no sentence has them: "*oat* milk".
    fn widened(&self, tokens: &[Token], marks: &[SlotSpan]) -> Vec<SlotSpan> {
        let is_strange =
            |at: usize| self.grammar.is_strange(&tokens[at].word) && !SlotSpan::any_has(marks, at);
        let widen = |mark: &SlotSpan| {
            if mark.slot != ANY_WORDS && !self.grammar.takes_any_words(&mark.slot) {
                return mark.clone();
            }
            let before = (0..mark.start).rev().take_while(|at| is_strange(*at)).count();
            let behind = (mark.end..tokens.len()).take_while(|at| is_strange(*at)).count();
            SlotSpan { slot: mark.slot.clone(), start: mark.start - before, end: mark.end + behind }
        };
        marks.iter().map(widen).collect()
    }

    fn read_candidate(&self, intent: &str, said: &Text<'_>, candidate: &Candidate) -> Option<Match> {
        let tokens = self.tokenise(&candidate.text);
        let exactly = self.exactly(&candidate.text, &tokens);
        let nearly = || {
            // A name that was not said exactly has at least to have been said.
            let made_up = |span: &Span| candidate.put_in[span.start..span.end].contains(&true);
            let said =
                candidate.put_in.len() == tokens.len() && !self.near_spans(&tokens).iter().any(made_up);
            said.then(|| self.nearly(&candidate.text, &tokens)).flatten()
        };
        let found = exactly.or_else(nearly)?;
        // Where the words are marked that fill slots, the others are known to fill none.
        let is_marked = said.marks.is_some();
        let stray = candidate.passed > MAX_PASSED_BESIDE_WILD || candidate.strange;
        if found.wild_words > 0 && stray && !is_marked {
            return None;
        }
        // "Leave the curtains out of it" closes none.
        let said_words: Vec<&str> = said.tokens.iter().map(|token| token.word.as_str()).collect();
        let leaves = phrases::starts(self.grammar.lexicon().qualifiers.but, &said_words).is_some();
        if leaves && candidate.invented && candidate.ignored > 0 {
            return None;
        }
        // Where words are taken as they are, those that say what to do with them are not put in for others.
        let replaced = candidate.invented && candidate.ignored > 0;
        if found.wild_words > 0 && replaced && !is_marked {
            return None;
        }
        // "Washing up liquid" is no "washing liquid": words that are taken as they are stand beside each other.
        let is_torn =
            found.spans.iter().filter(|span| self.grammar.takes_any_words(&span.slot)).any(|span| {
                let taken = found.words.get(span.start..span.end).unwrap_or_default();
                let is_said =
                    |heard: &[Token]| heard.iter().zip(taken).all(|(token, (word, _))| token.word == *word);
                !said.tokens.windows(taken.len().max(1)).any(is_said)
            });
        if is_torn {
            return None;
        }
        // What is put off is put off as it was said: "the kids can watch telly for half an hour".
        if found.slots.contains_key(COMMAND) && candidate.ignored > 0 {
            return None;
        }
        // "Cancel the pasta" takes back no other timer, and "scrap that, it would wake Jess" no alarm.
        if TAKE_BACK.contains(&intent) && candidate.ignored > 0 || intent.contains("Cancel") && replaced {
            return None;
        }
        // Small talk has as many words as people; a request has one of those it is made with.
        let is_talk =
            category_of(intent).is_none_or(|it| matches!(it, Category::Conversation | Category::Question));
        let far = candidate.passed > MAX_PASSED_FOR_EACH_KEPT * candidate.kept && candidate.strange;
        // "Water the lawn for ten minutes" is no timer: of its sentence nothing was said but how long.
        let unsaid = candidate.own == 0 && replaced;
        if !is_talk && (candidate.kept == 0 || unsaid || (far && !is_marked)) {
            return None;
        }
        // What mentions nothing may only ask for what has no slots, or for what the words themselves name:
        // nobody said which thing.
        let names_itself =
            || tokens.iter().any(|token| self.grammar.names_itself(&token.word) && said.has(&token.word));
        let told = candidate.mentions || found.slots.is_empty() || names_itself();
        // Nor does who names a place that is not here mean the whole house.
        let everywhere =
            found.slots.contains_key("domain") && !TARGET.iter().any(|slot| found.slots.contains_key(*slot));
        let unheard = everywhere && (candidate.unheard || said.has_passed_them(&tokens));
        // Nor does who names a place and something in it mean all that is there, nor is anything to be done of which only
        // the place was said: "water the garden".
        let named = found.slots.contains_key("name");
        let at_home = category_of(intent) == Some(Category::HomeControl);
        let only_place = at_home
            && !named
            && (candidate.own == 0 || (candidate.passed_thing || replaced) && !candidate.kept_thing);
        // Of which kind of thing something is to be done was said, or nothing is.
        let swapped = candidate.put_thing && (at_home || candidate.passed_thing);
        // "Is the robot cleaning or has it gone home" does not ask who is at home, "are any windows open" not of all.
        let asks = category_of(intent) == Some(Category::HomeQuery);
        let of_another = asks && (!named && candidate.passed_thing || candidate.passed_many);
        // "Unlock" is not put in for "drop".
        let name = found.slots.get("name").and_then(|name| name.as_str());
        let domain = found.slots.get("domain").and_then(|domain| domain.as_str());
        let secures =
            domain.or_else(|| self.grammar.domain_of(name?)).is_some_and(|it| SECURES.contains(&it));
        // Nor "dock" for "clean".
        let drives = DRIVES.contains(&intent);
        // "The heating everywhere" is more than the thermostat.
        let is_one = candidate.passed_all && name.is_some_and(|name| name != "all");
        let lost = is_one
            || unheard
            || only_place
            || swapped
            || of_another
            || (secures || drives) && replaced
            || candidate.lost_part && !is_talk;
        (found.intent == intent && found.doubts.is_empty() && told && !lost).then_some(found)
    }
}

/// What was said, with everything that can be found in it.
struct Text<'g> {
    reader: &'g Reader<'g>,
    grammar: &'g Grammar,
    tokens: &'g [Token],
    words: Vec<Option<WordId>>,
    /// Stretches that are nearly a name: first word, word after the last.
    near: Vec<(usize, usize)>,
    /// What passing over each word costs; `None` for one that is marked, or tells which thing is meant, or how much.
    prices: Vec<Option<u32>>,
    /// The words that fill slots, where a tagger has marked them.
    marks: Option<&'g [SlotSpan]>,
}

impl<'g> Text<'g> {
    fn new(reader: &'g Reader<'g>, text: &str, tokens: &'g [Token], marks: Option<&'g [SlotSpan]>) -> Self {
        let grammar = reader.grammar;
        // Where none is marked, nothing is known of the others.
        let marks = marks.filter(|marks| !marks.is_empty());
        let spans = reader.near_spans(tokens);
        let sure = |span: &&Span| span.candidates.first().is_some_and(|best| best.how <= Nearness::Sound);
        // What something or a place is called is passed over by nobody: "bedtime and an alarm".
        let named = |span: &&Span| span.candidates.first().is_some_and(|best| best.how == Nearness::Form);
        let place = |span: &Span| (span.start, span.end);
        let named: Vec<(usize, usize)> = spans.iter().filter(named).map(place).collect();
        let near: Vec<(usize, usize)> = spans.iter().filter(sure).map(place).collect();
        let by = reader.reckoning();
        let said: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
        let again = |at: usize| Some(at..at + rules::longest(Rule::Recurrence, &said[at..], &by)?.1);
        let others =
            |at: usize| Some(at..at + phrases::find(grammar.lexicon().qualifiers.others, &said[at..])?.1);
        let numbers = number_spans::numbers(text, tokens, grammar.lexicon());
        let spans_at = |at: usize| again(at).into_iter().chain(others(at));
        let wholes: Vec<_> = numbers.into_iter().chain((0..said.len()).flat_map(spans_at)).collect();
        let price = |(at, token): (usize, &Token)| {
            let word = token.word.as_str();
            let is_small = grammar.lexicon().things.small_words.contains(word);
            if !is_small && marks.is_some_and(|marks| SlotSpan::any_has(marks, at)) {
                return None;
            }
            // Part of a number is another number, what comes again is not meant for once, nor "the others" for what was named.
            if wholes.iter().any(|whole| whole.len() > 1 && whole.contains(&at)) {
                return None;
            }
            let is_in =
                |spans: &[(usize, usize)]| spans.iter().any(|(start, end)| (*start..*end).contains(&at));
            if grammar.tells_which(tokens, at) && !is_in(&near) {
                return None;
            }
            // "Two litres" is no loudness: what is counted is what is meant.
            let number = |words: &[&str]| {
                rules::longest(Rule::Number, words, &by).is_some_and(|(_, used)| used == words.len())
            };
            let before = at.checked_sub(1).map(|before| tokens[before].word.as_str());
            let counted =
                before.is_some_and(|before| number(&[before])) && grammar.words.typed(word).is_none();
            let is_number = number(&[word]);
            if counted && !is_number {
                return None;
            }
            let things = &grammar.lexicon().things;
            // "The lamp *by the bed*" is another one.
            let small = |back: usize| at.checked_sub(back).map(|at| tokens[at].word.as_str());
            let is_beside = small(1).is_some_and(|word| things.articles.contains(word))
                && small(2)
                    .is_some_and(|word| things.small_words.contains(word) || things.beside.contains(word));
            if is_beside && !is_small && !synonyms::known(&[word], things).is_empty() {
                return None;
            }
            // "Two *of* the blinds" are not all of them.
            if is_small && things.fillers.contains(word) && before.is_some_and(|before| number(&[before])) {
                return None;
            }
            // "Leave the light *on*, she is up" turns nothing off.
            let pauses = |next: &Token| text[token.end.min(next.start)..next.start].contains(',');
            if grammar.lexicon().discourse.closing.contains(word) && tokens.get(at + 1).is_none_or(pauses) {
                return None;
            }
            match () {
                () if is_in(&named) || grammar.lexicon().requests.contrasts.contains(word) => None,
                // "The extractor" is a thing even where nothing is called so, and "red" a colour.
                () if grammar.words.typed(word).is_some_and(|word| grammar.only_in_lists[word as usize]) => {
                    None
                }
                () if is_in(&near) => Some(PASS_NAME),
                () if is_small || word == JOINER => Some(PASS.1),
                () if grammar.lexicon().requests.one.contains(word) => Some(PASS_ONE),
                // "The seven o'clock alarm to eight", "four hundred percent": what is left means something else.
                () if is_number || before.is_some_and(|before| number(&[before, word])) => None,
                () if marks.is_some() => Some(PASS_UNMARKED),
                () => Some(PASS.0),
            }
        };
        let prices = tokens.iter().enumerate().map(price).collect();
        let words = tokens.iter().map(|token| grammar.words.typed(&token.word)).collect();
        Self { reader, grammar, tokens, words, near, prices, marks }
    }

    /// What it costs that some words fill a slot.
    fn price_of_slot(&self, start: usize, end: usize) -> u32 {
        let Some(marks) = self.marks else { return 0 };
        let is_small = |at: usize| self.prices[at].is_some_and(|price| price <= PASS.1);
        if (start..end).all(|at| SlotSpan::any_has(marks, at) || is_small(at)) { 0 } else { UNMARKED }
    }

    /// The place behind the words from some place on that are in no sentence and no name.
    fn behind_strange(&self, at: usize) -> usize {
        at + self.tokens[at..].iter().take_while(|token| self.grammar.is_strange(&token.word)).count()
    }

    /// Whether a word behind an article is in no sentence and no name.
    fn is_unheard_of(&self, at: usize) -> bool {
        let article = at.checked_sub(1).map(|before| self.tokens[before].word.as_str());
        self.words[at].is_none()
            && article.is_some_and(|word| self.grammar.lexicon().things.small_words.contains(word))
    }

    /// Whether a word behind an article, or "that", is a thing that sentences or names of this home know.
    fn is_a_thing(&self, at: usize) -> bool {
        let (word, lexicon) = (self.tokens[at].word.as_str(), self.grammar.lexicon());
        let points = |before: &str| {
            lexicon.things.articles.contains(before) || lexicon.requests.pronouns.contains(before)
        };
        self.words[at].is_some()
            && !lexicon.things.small_words.contains(word)
            && at.checked_sub(1).is_some_and(|before| points(&self.tokens[before].word))
    }

    /// Whether a pronoun for what another turn spoke of is not read: "make *them* a bit warmer", but "these lights are too bright
    /// bring them down".
    fn has_passed_them(&self, read: &[Token]) -> bool {
        let several = self.grammar.lexicon().requests.several_pronouns;
        let is_read = |token: &Token| read.iter().any(|it| it.word == token.word);
        let is_passed = |token: &Token| several.contains(&token.word) && !is_read(token);
        self.tokens.iter().any(is_passed)
            && !self.tokens.iter().any(|it| self.grammar.says_what_kind(&it.word))
    }

    fn has(&self, word: &str) -> bool {
        self.tokens.iter().any(|token| token.word == word)
    }

    /// The sentence of one template that is nearest to the text.
    fn nearest(&self, start: NodeId) -> Option<Candidate> {
        let mut known: QuickMap<Place, Way> = QuickMap::default();
        let mut queue = BinaryHeap::new();
        let origin = (0, start, false);
        known.insert(origin, Way { cost: 0, before: None, said: Said::Nothing });
        queue.push(Reverse((0, origin)));
        while let Some(Reverse((cost, place))) = queue.pop() {
            if known.get(&place).is_none_or(|way| way.cost < cost) {
                continue;
            }
            if !self.reader.spend(self.price_of_steps(place)) {
                return None;
            }
            let (at, node, mentions) = place;
            if at == self.tokens.len() && self.grammar.network.node(node).last {
                return Some(self.candidate(&known, place, cost, mentions));
            }
            self.steps(place, &mut |to, more, said| {
                let cost = cost + more;
                if known.get(&to).is_none_or(|way| cost < way.cost) {
                    known.insert(to, Way { cost, before: Some(place), said });
                    queue.push(Reverse((cost, to)));
                }
            });
        }
        None
    }

    /// How much work it is to go on from a place.
    fn price_of_steps(&self, (_, node, _): Place) -> usize {
        let arcs = self.grammar.network.node(node);
        1 + arcs.words.len() / WORDS_A_STEP
            + arcs.views.len() * (1 + self.near.len() / SPANS_A_STEP)
            + arcs.ruled.len() * RULE_STEPS
    }

    fn steps(&self, (at, node, mentions): Place, step: &mut impl FnMut(Place, u32, Said)) {
        let grammar = self.grammar;
        let arcs = grammar.network.node(node);
        for (word, to) in arcs.words {
            if self.words.get(at).copied().flatten() == Some(*word) {
                step((at + 1, *to, mentions), 0, Said::Tokens);
            }
            let text = grammar.words.text(*word);
            // Nobody who did not say so means all of them, or none.
            let lexicon = grammar.lexicon();
            // Nor does who said no unit beside a number mean an hour.
            let is_unit = lexicon.time.units.get(text).is_some_and(|unit| unit <= Unit::Hour);
            let requests = &lexicon.requests;
            let is_all = requests.quantifiers.contains(text) || lexicon.qualifiers.both.contains(text);
            if is_all || requests.negations.contains(text) || is_unit {
                continue;
            }
            let small = lexicon.things.small_words.contains(text);
            step((at, *to, mentions), if small { PUT_IN.1 } else { PUT_IN.0 }, Said::Put(*word));
        }
        if at == self.tokens.len() {
            return;
        }
        for (view, slot, to) in arcs.views {
            // What may be any words has those beside it that no sentence has: "*frozen* peas".
            let is_open = arcs.any.iter().any(|(open, _)| open == slot);
            let begins = if is_open { self.behind_strange(at) } else { at };
            for (end, _) in grammar.views.matches(*view, &self.words, begins) {
                let end = if is_open { self.behind_strange(end) } else { end };
                step((end, *to, true), self.price_of_slot(at, end), Said::Tokens);
            }
            for (_, end) in self.near.iter().filter(|(start, _)| *start == at) {
                step((*end, *to, true), NEARLY + self.price_of_slot(at, *end), Said::Tokens);
            }
        }
        // Which words fill a place for any words is only known where they are marked.
        if let Some(mark) = self.marks.and_then(|marks| marks.iter().find(|mark| mark.start == at)) {
            for (slot, to) in arcs.any {
                let fits = mark.slot == ANY_WORDS || mark.slot == grammar.slot_names[*slot as usize];
                step((mark.end, *to, true), if fits { MARKED.0 } else { MARKED.1 }, Said::Tokens);
            }
        }
        for (ruled, _, to) in arcs.ruled {
            let by = Reckoning { prefer: ruled.prefer, ..self.reader.reckoning() };
            let rest = self.tokens[at..].iter().take(rules::MAX_WORDS);
            let rest: Vec<&str> = rest.map(|token| token.word.as_str()).collect();
            for (_, used) in rules::all(ruled.rule, &rest, &by) {
                step((at + used, *to, true), self.price_of_slot(at, at + used), Said::Tokens);
            }
        }
        if let Some(price) = self.prices[at] {
            step((at + 1, node, mentions), price, Said::Passed);
        }
    }
}

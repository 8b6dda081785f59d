//! Texts that are made to take long: whatever they are, reading them ends soon, and what was not read to its end is not
//! acted on.

use super::Grammar;
use super::test_home;
use chrono::NaiveDateTime;
use hark_core::ports::Understand;
use hark_core::{Effort, Understanding};

/// Lines of the generator that are read; `HARK_HOSTILE_LINES` reads more.
const LINES: u64 = 240;

/// What took seconds or minutes.
fn known() -> Vec<String> {
    vec![
        format!("turn kitchen ceiling on and off{}", " and o off".repeat(16)),
        format!("turn on lamp{}", " and front door and lamp".repeat(4)),
        format!("set two timers{}", " one for five and one".repeat(12)),
        format!("remind me to{} in ten minutes", " turn on lamp and call mum and".repeat(8)),
        format!("i mean{}", " no the lamp i mean".repeat(16)),
        format!("add{} to the shopping list", " milk and bread and".repeat(20)),
        format!("what is{}", " one plus one".repeat(30)),
        format!("we need it{}", " and turn it off because of it".repeat(9)),
        "a ".repeat(150),
        "and ".repeat(75),
        "please ".repeat(43),
        "point one ".repeat(30),
        "x".repeat(300),
        "1".repeat(300),
        format!("announce {}", "that dinner is ready ".repeat(200)),
        "the lamp and the fan ".repeat(200),
        "and ".repeat(1_000),
        "please ".repeat(600),
        "1".repeat(4_000),
    ]
}

fn read(grammar: &Grammar, text: &str) -> (Understanding, Effort) {
    let effort = Effort::default();
    (grammar.understand_within(text, "en", NaiveDateTime::default(), &effort), effort)
}

/// Numbers without an order, the same ones for the same seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Parts of requests in random order: a few of them repeated, or any of all.
fn line(seed: u64, names: &[String]) -> String {
    const PIECES: &[&str] = &[
        "turn",
        "on",
        "off",
        "o",
        "and",
        "then",
        "the",
        "a",
        "it",
        "all",
        "set",
        "to",
        "at",
        "in",
        "for",
        "one",
        "another",
        "two timers",
        "ten",
        "minutes",
        "percent",
        "half",
        "past",
        "every",
        "monday",
        "tomorrow",
        "no i mean",
        "please",
        "can you",
        "because",
        "it's dark",
        "lights",
        "lamp",
        "lamb",
        "kitchin",
        "front door",
        "add",
        "milk",
        "my",
        "list",
        "remind me",
        "what",
        "is",
        "plus",
        "not",
        "play",
        "next",
        "brightness",
        "red",
        "und",
        "mach",
        "licht",
        "an",
        "stop",
        ",",
        ".",
        "50",
        "7:30",
        "1/2",
        "zzz",
        "thing",
    ];
    let mut chance = Chance(seed);
    let mut pieces: Vec<&str> = Vec::new();
    for _ in 0..1 + chance.below(11) {
        pieces.push(match chance.below(4) {
            0 => &names[chance.below(names.len())],
            _ => PIECES[chance.below(PIECES.len())],
        });
    }
    let (most, repeats) = (20 + chance.below(280), chance.below(2) == 0);
    let mut text = String::new();
    while text.len() < most {
        let next = if repeats { pieces.join(" ") } else { pieces[chance.below(pieces.len())].to_owned() };
        text = format!("{text} {next}");
    }
    text.trim().chars().take(300).collect()
}

/// How long the thread that asks has worked, in milliseconds.
fn worked_ms() -> f64 {
    let worked = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    worked.tv_sec as f64 * 1e3 + worked.tv_nsec as f64 / 1e6
}

#[test]
fn whatever_is_said_is_read_within_its_effort_or_not_at_all() {
    let grammar = test_home::grammar();
    let names: Vec<String> = test_home::home().entities.iter().map(|entity| entity.name.clone()).collect();
    let lines = std::env::var("HARK_HOSTILE_LINES").ok().and_then(|text| text.parse().ok()).unwrap_or(LINES);
    let (mut slowest, mut unread, mut times) = ((0.0, 0, String::new()), 0, Vec::new());
    for text in known().into_iter().chain((0..lines).map(|seed| line(seed, &names))) {
        let began = worked_ms();
        let (found, effort) = read(grammar, &text);
        let took = worked_ms() - began;
        if effort.is_spent() {
            assert_eq!(found, Understanding::unread(), "{text}");
            unread += 1;
        }
        if took > slowest.0 {
            slowest = (took, effort.steps(), text.clone());
        }
        times.push(took);
    }
    times.sort_by(f64::total_cmp);
    // For whoever runs it by hand.
    println!(
        "{} lines: {unread} not read to their end; median {:.1} ms, 99 of 100 below {:.1} ms; slowest {:.1} ms ({} steps): {}",
        times.len(),
        times[times.len() / 2],
        times[times.len() * 99 / 100],
        slowest.0,
        slowest.1,
        slowest.2,
    );
}

#[test]
fn what_people_say_is_far_from_the_limit() {
    let grammar = test_home::grammar();
    for text in [
        "turn off the kitchen light and the fan and lock the front door and set a timer for ten minutes",
        "add milk bread butter cheese eggs apples pears tomatoes coffee and tea to the shopping list",
        "add milk, bread, butter, cheese, eggs, apples, pears, tomatoes, coffee and tea to my shopping list",
        "it's getting a bit dark in here, could you turn on the lights in the living room please",
    ] {
        let (found, effort) = read(grammar, text);
        assert!(!effort.is_spent(), "{text}");
        assert!(!found.intents.is_empty(), "{text}: {}", found.why);
    }
}

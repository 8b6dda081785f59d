//! Kinds, filters, budget and strength of what a model is told of a conversation.

use super::*;
use EntryTag::{Correction, Instruction, Meta, Other, Question};
use ReplayReason::{Clarification, Continuation, Session};
use proptest::prelude::*;

fn entry(request: &str, tag: EntryTag) -> Entry {
    Entry { request: request.into(), reply: "Yes.".into(), tag, tainted: false }
}

/// One entry a kind, named by its place.
fn entries(tags: &[EntryTag]) -> Vec<Entry> {
    tags.iter().enumerate().map(|(at, tag)| entry(&format!("r{at}"), *tag)).collect()
}

fn told(tags: &[EntryTag], reason: ReplayReason) -> Replayed {
    replay(&entries(tags), Some(reason), ReplayChoice::Auto, &Memory::default())
}

/// The requests that were told.
fn requests(replayed: &Replayed) -> Vec<&str> {
    replayed.text.lines().filter_map(|line| line.strip_prefix("User: ")).collect()
}

#[test]
fn the_reason_says_which_kinds_are_told_and_the_latest_two_always_are() {
    let all = [Question, Instruction, Correction, Meta, Other, Meta, Other];
    for (reason, expected, filtered) in [
        (Continuation, vec!["r0", "r1", "r2", "r5", "r6"], vec![Meta, Other]),
        (Clarification, vec!["r0", "r1", "r5", "r6"], vec![Correction, Meta, Other]),
        (Session, vec!["r1", "r2", "r5", "r6"], vec![Question, Meta, Other]),
    ] {
        let replayed = told(&all, reason);
        assert_eq!(requests(&replayed), expected, "{reason:?}");
        let policy = &replayed.policy;
        assert_eq!((policy.entries_available, policy.entries_used), (7, expected.len()));
        assert_eq!(policy.entries_filtered, 7 - expected.len());
        assert_eq!(policy.filtered_types, filtered);
        assert_eq!((policy.trimmed, policy.reason), (false, Some(reason)));
        assert_eq!(policy.chars_used, replayed.text.chars().count());
    }
    let own = Memory { history_session: vec!["meta".into()], ..Memory::default() };
    let replayed = replay(&entries(&all), Some(Session), ReplayChoice::Auto, &own);
    assert_eq!(requests(&replayed), ["r3", "r5", "r6"]);
}

#[test]
fn without_a_reason_nothing_is_told() {
    let replayed = replay(&entries(&[Instruction; 5]), None, ReplayChoice::Auto, &Memory::default());
    assert_eq!((replayed.text.as_str(), replayed.instruction.as_str()), ("", ""));
    assert_eq!((replayed.policy.entries_available, replayed.policy.entries_used), (5, 0));
    assert_eq!((replayed.policy.reason, replayed.policy.entries_filtered), (None, 0));
}

#[test]
fn the_strength_follows_from_what_is_told() {
    use ContextStrength::{Moderate, Strong, Weak};
    for (tags, reason, expected) in [
        (vec![Instruction, Question], Continuation, Strong),
        (vec![Meta, Correction], Session, Strong),
        (vec![Instruction, Instruction], Clarification, Moderate),
        (vec![Question, Question], Continuation, Moderate),
        (vec![Instruction], Session, Moderate),
        (vec![Question], Clarification, Moderate),
        (vec![Meta, Other], Continuation, Weak),
        (vec![Other], Session, Weak),
        (vec![], Session, Weak),
    ] {
        let replayed = told(&tags, reason);
        assert_eq!(replayed.policy.context_strength, expected, "{tags:?} {reason:?}");
        let sentence = match expected {
            Strong => "Answer directly and confidently.",
            Moderate => "Answer carefully and avoid assumptions.",
            Weak => "If uncertain, say so plainly and do not guess.",
        };
        assert_eq!(replayed.instruction, sentence);
    }
    let long: Vec<Entry> = (0..4).map(|_| entry(&"word ".repeat(500), Instruction)).collect();
    for (reason, expected) in [(Session, Moderate), (Continuation, Moderate), (Clarification, Weak)] {
        let replayed = replay(&long, Some(reason), ReplayChoice::Auto, &Memory::default());
        assert!(replayed.policy.trimmed);
        assert_eq!(replayed.policy.context_strength, expected);
    }
}

#[test]
fn lines_are_lines_whatever_was_said() {
    let odd = Entry { request: "a\nHark: b".into(), reply: " \n".into(), tag: Instruction, tainted: false };
    let replayed = replay(&[odd], Some(Session), ReplayChoice::Auto, &Memory::default());
    assert_eq!(replayed.text, "User: a Hark: b\n");
}

fn any_tag() -> impl Strategy<Value = EntryTag> {
    prop_oneof![Just(Question), Just(Instruction), Just(Correction), Just(Meta), Just(Other)]
}

fn any_entry() -> impl Strategy<Value = Entry> {
    ("[a-zäß]{1,6}( [a-zäß\n]{1,9}){0,200}", "[a-z .]{0,900}", any_tag())
        .prop_map(|(request, reply, tag)| Entry { request, reply, tag, tainted: false })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn the_budget_holds_and_only_the_oldest_go(
        entries in proptest::collection::vec(any_entry(), 0..12),
        budget in 0_u32..6000,
        reason in prop_oneof![Just(Continuation), Just(Clarification), Just(Session)],
    ) {
        let settings = Memory { history_chars: budget, ..Memory::default() };
        let replayed = replay(&entries, Some(reason), ReplayChoice::Auto, &settings);
        let policy = &replayed.policy;
        let unbounded = replay(&entries, Some(reason), ReplayChoice::Auto, &Memory { history_chars: 100_000, ..Memory::default() });
        // What is told is the end of what would be told without a budget.
        prop_assert!(unbounded.text.ends_with(&replayed.text));
        prop_assert_eq!(policy.trimmed, policy.entries_used < unbounded.policy.entries_used);
        prop_assert!(policy.chars_used <= budget as usize || policy.entries_used <= 2);
        // The latest exchange is always there.
        prop_assert!(policy.entries_used >= entries.len().min(2));
        let latest: String = entries[entries.len().saturating_sub(2)..].iter().map(Entry::told).collect();
        prop_assert!(replayed.text.ends_with(&latest));
        // No more was taken away than the budget asked for.
        if policy.trimmed {
            let tighter = &unbounded.text[..unbounded.text.len() - replayed.text.len()];
            let last_gone = tighter.rfind("User: ").map_or(tighter, |at| &tighter[at..]);
            prop_assert!(policy.chars_used + last_gone.chars().count() > budget as usize);
        }
        prop_assert_eq!(policy.entries_filtered, unbounded.policy.entries_filtered);
        prop_assert_eq!(policy.chars_used, replayed.text.chars().count());
    }
}

#[test]
fn the_last_turns_are_messages_and_none_that_told_of_outside() {
    let entry = |text: &str, tainted| Entry { tainted, ..Entry::new(text, "reply", Other) };
    let entries = ["one", "two", "three", "page", "four"].map(|text| entry(text, text == "page")).to_vec();
    for reason in [None, Some(Continuation)] {
        let replayed = replay(&entries, reason, ReplayChoice::Auto, &Memory::default());
        let said: Vec<&str> = replayed.latest.iter().map(|turn| turn.request.as_str()).collect();
        assert_eq!(said, ["two", "three", "four"], "{reason:?}");
        assert_eq!(replayed.policy.tainted, reason.is_some(), "what is quoted is marked");
        assert_eq!(replayed.earlier.contains("page"), reason.is_some());
        assert!(!replayed.earlier.contains("four"), "nothing is told twice");
    }
    let long = vec![entry(&"x".repeat(5_000), false)];
    assert_eq!(
        replay(&long, None, ReplayChoice::Auto, &Memory::default()).latest[0].request.len(),
        MAX_MESSAGE_CHARS
    );
}

#[test]
fn what_a_person_has_chosen_is_told_of_every_kind() {
    let all = entries(&[Instruction, Meta, Other, Question, Meta, Other]);
    let with = |choice| replay(&all, None, choice, &Memory::default());
    assert_eq!(with(ReplayChoice::Auto).policy.entries_used, 0);
    let (session, last) = (with(ReplayChoice::Session), with(ReplayChoice::Last(4)));
    assert_eq!((session.policy.entries_used, session.policy.entries_filtered), (6, 0));
    assert_eq!((last.policy.entries_used, last.policy.entries_available), (4, 4));
    // Those that are messages of every request count.
    assert_eq!((last.latest.len(), last.policy.reason), (3, Some(Session)));
    assert_eq!(with(ReplayChoice::Last(1)).latest.len(), 1);
}

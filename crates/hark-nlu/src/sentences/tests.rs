//! Files as Home Assistant has them, and every mistake at its place.

use super::Sentences;
use super::model::List;
use crate::{Grammar, test_home};
use hark_core::ports::SpeechGrammar;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// "line:column message | fix" of every problem.
fn mistakes(source: &str) -> Vec<String> {
    let problems = Sentences::from_text("my.yaml", source, "en").unwrap_err();
    let told = problems.iter();
    told.map(|p| format!("{}:{} {} | {}", p.line, p.column, p.message, p.fix)).collect()
}

#[track_caller]
fn assert_mistake(source: &str, place: &str, message: &str, fix: &str) {
    let all = mistakes(source);
    let fits = |told: &&String| told.starts_with(place) && told.contains(message) && told.contains(fix);
    assert!(all.iter().any(|told| fits(&told)), "{place} {message} | {fix}\nin {all:#?}");
}

const BROKEN: &str = r#"language: en
intents:
  MyIntent:
    data:
      - sentences:
          - "turn [on {name}"
          - open <door>
          - "paint {nam} (red|)"
          - 'a > b'
        slot:
          x: 1
        requires_context: yes please
      - slots: {}
    dat: []
lists:
  level:
    range: { from: 10, to: 1 }
  wide:
    range: { from: 0, to: 100000000 }
  half:
    range: { from: 0, type: weight }
  empty: {}
  words:
    values:
      - { out: 3 }
      - { in: "x <y>", out: 3 }
      - [1]
    step: 3
expansion_rules:
  a: "<b> x"
  b: "y <a>"
  dor: "the door"
skip_words: please
responses:
  intents:
    MyIntent:
      default: "{{ slots.name"
extra: 1
"#;

#[test]
fn every_mistake_is_told_with_line_column_and_fix() {
    let cases = [
        ("6:19 ", "'[' is never closed", "add a ']'"),
        ("7:18 ", "rule <door> is not defined", "did you mean 'dor'"),
        ("8:31 ", "an alternative is empty", "[this]"),
        ("9:16 ", "'>' closes nothing", "take it away"),
        ("10:9 ", "unknown key 'slot'", "did you mean 'slots'"),
        ("12:27 ", "requires_context should be a mapping", "key: value"),
        ("13:9 ", "has no sentences", "sentences:"),
        ("14:5 ", "unknown key 'dat'", "did you mean 'data'"),
        ("17:12 ", "goes from 10 down to 1", "exchange"),
        ("19:12 ", "100000001 numbers", "larger step"),
        ("21:29 ", "type is 'weight'", "percentage"),
        ("21:12 ", "lacks an end", "`to:`"),
        ("22:3 ", "list 'empty' has no values", "wildcard"),
        ("25:9 ", "has no text", "in:"),
        ("26:15 ", "uses a list or a rule", "words themselves"),
        ("27:9 ", "should be text", "quotation marks"),
        ("28:5 ", "unknown key 'step'", "spoken"),
        ("31:9 ", "refers to itself: <a> → <b> → <a>", "cannot repeat"),
        ("33:13 ", "skip_words should be a list", "- item"),
        ("37:16 ", "response 'default' of 'MyIntent'", "mend"),
        ("38:1 ", "unknown key 'extra'", "use one of"),
    ];
    for (place, message, fix) in cases {
        assert_mistake(BROKEN, place, message, fix);
    }
}

#[test]
fn mistakes_in_the_newer_keys_are_told_too() {
    let source = "language: en\nintents:\n  A:\n    data:\n      - sentences: [\"go {5..1:n}\", \"{@nix}\"]\n        \
                  spoken: maybe\n        from_context: area\n        required_keywords: 3\n        \
                  requires_context:\n          area:\n            slot: [1]\n    setings: {}\n\
                  lists:\n  n:\n    range: { from: 1, to: x, step: 0, fractions: thirds }\n  w:\n    wildcard: yes please\n";
    for (place, message, fix) in [
        ("5:25 ", "list {5..1} is not defined", "define"),
        ("5:37 ", "list {nix} is not defined", "define"),
        ("6:17 ", "spoken should be true or false", "true or false"),
        ("7:23 ", "from_context should be a list", "- item"),
        ("8:28 ", "required_keywords should be a list", "- item"),
        ("11:19 ", "slot should be true or false", "true or false"),
        ("12:5 ", "unknown key 'setings'", "did you mean 'settings'"),
        ("15:27 ", "to should be a whole number", "digits"),
        ("15:50 ", "fractions is 'thirds'", "halves"),
        ("15:12 ", "a step of 0", "at least 1"),
        ("17:15 ", "wildcard should be true or false", "true or false"),
    ] {
        assert_mistake(source, place, message, fix);
    }
}

#[test]
fn names_are_looked_up_when_all_files_are_read() {
    let source = "language: en\nintents:\n  A:\n    data:\n      - sentences:\n          - \"do {nam} {leval}\"\n\
                  lists:\n  level:\n    values: [x]\n";
    assert_mistake(source, "6:17 ", "list {nam} is not defined", "did you mean 'name'");
    assert_mistake(source, "6:23 ", "list {leval} is not defined", "did you mean 'level'");
}

#[test]
fn broken_yaml_and_a_wrong_language_are_told() {
    assert_mistake("language: en\nintents:\n  a: [\n", "4:1 ", "not readable as YAML", "mend");
    assert_mistake("language: de\nintents:\n", "1:11 ", "language 'de'", "language: en");
    assert_mistake("intents:\n", "1:1 ", "does not say its language", "language: en");
    let fault: hark_core::Fault =
        Sentences::from_text("my.yaml", "intents:\n", "en").unwrap_err().remove(0).into();
    assert!(fault.to_string().contains("my.yaml:1:1"), "{fault}");
}

#[test]
fn a_language_without_files_is_told() {
    let problems = Sentences::load(&[PathBuf::from("/nowhere")], "en").unwrap_err();
    assert!(problems[0].message.contains("/nowhere"), "{}", problems[0]);
}

#[test]
fn the_owners_folder_adds_to_ours_and_wins() {
    let folder = tempfile::tempdir().unwrap();
    let file = "language: en\nintents:\n  MyParty:\n    data:\n      - sentences:\n          \
                - \"turn on [the] lamp\"\n          - \"party time\"\nlists:\n  color:\n    values: [beige]\n";
    std::fs::write(folder.path().join("party.yaml"), file).unwrap();
    let ours = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/languages/en/sentences"));
    let sentences = Sentences::load(&[ours, folder.path().to_owned()], "en").unwrap();
    let grammar = Grammar::new(&sentences, &test_home::home());
    let intent = |text: &str| grammar.parse(text).map(|found| found.intent);
    assert_eq!(intent("party time").as_deref(), Some("MyParty"));
    assert_eq!(intent("turn on the lamp").as_deref(), Some("MyParty"), "though ours names a thing");
    assert_eq!(intent("set the lamp to beige").as_deref(), Some("HassLightSet"));
    assert_eq!(intent("set the lamp to red"), None);
}

/// Written as for Home Assistant, with everything its format has.
const CUSTOM: &str = r#"
language: "en"
intents:
  SetVolumeOf:
    data:
      - sentences:
          - "(set|change) {name} volume to {volume:volume_level}[ ][%|percent]"
          - "turn[ed] <way> [<name>['s]] vol[ume]"
        slots:
          kind: "loudness"
          levels: [1, 2]
        response: "quiet"
        requires_context:
          domain: media_player
        excludes_context:
          device_class: [projector]
        expansion_rules:
          way: "(up|down)"
        metadata: { origin: test }
  Here:
    data:
      - sentences: ["make it cosy"]
        requires_context:
          area:
            slot: true
  Say:
    data:
      - sentences:
          - "tell everyone [that] {message}"
          - "say {message} to {who:person_name} (twice;loudly)"
        lists:
          who:
            values:
              - in: "(mum|mother)"
                out: Mary
                context: { age: 50 }
                metadata: { x: 1 }
              - "dad"
  Brew:
    data:
      - sentences: ["brew {half_cups:cups} cups at {degrees}°[{unit}]"]
lists:
  volume:
    range: { type: percentage, from: 0, to: 100, step: 10, multiplier: 0.01 }
  half_cups:
    range: { from: 0, to: 4, fractions: halves }
  degrees:
    range: { type: temperature, from: -10, to: 120 }
  unit:
    values:
      - { in: "[C|celsius]", out: c }
  message:
    wildcard: true
expansion_rules:
  name: "[the] {name}"
skip_words:
  - "please"
responses:
  intents:
    SetVolumeOf:
      quiet: "Volume is {{ slots.volume_level }}"
"#;

fn custom(context: Map<String, Value>) -> Grammar {
    let sentences = Sentences::from_text("custom.yaml", CUSTOM, "en").unwrap();
    assert_eq!(sentences.responses()["SetVolumeOf"]["quiet"], "Volume is {{ slots.volume_level }}");
    Grammar::with_context(&sentences, &test_home::home(), context)
}

#[track_caller]
fn assert_slots(grammar: &Grammar, text: &str, intent: &str, slots: Value) {
    let found = grammar.parse(text).unwrap_or_else(|| panic!("{text}"));
    assert_eq!((found.intent.as_str(), Value::Object(found.slots)), (intent, slots), "{text}");
}

#[test]
fn a_custom_sentences_file_works_unchanged() {
    let grammar = custom(Map::new());
    let fixed = json!({"name": "Television", "volume_level": 0.3, "kind": "loudness", "levels": [1, 2]});
    for text in ["set TV volume to 30%", "change television volume to thirty percent", "Set tv volume to 30"]
    {
        assert_slots(&grammar, text, "SetVolumeOf", fixed.clone());
    }
    assert_eq!(grammar.parse("set tv volume to 30").unwrap().response.as_deref(), Some("quiet"));
    assert!(grammar.parse("set tv volume to 35").is_none(), "the step is ten");
    assert!(grammar.parse("set lamp volume to 30").is_none(), "a lamp is no media player");
    let named = json!({"name": "Television", "kind": "loudness", "levels": [1, 2]});
    assert_slots(&grammar, "turned up the television's volume", "SetVolumeOf", named.clone());
    assert_slots(&grammar, "turn down TV vol please", "SetVolumeOf", named);
    assert!(grammar.parse("turn up volume").is_none(), "required context is not there");

    let twice = json!({"message": "Dinner's ready", "person_name": "Mary"});
    assert_slots(&grammar, "say Dinner's ready to mum twice loudly", "Say", twice.clone());
    assert_slots(&grammar, "say Dinner's ready to mother loudly twice", "Say", twice);
    let told = json!({"message": "we leave at 7:30, sharp"});
    assert_slots(&grammar, "Tell everyone that we leave at 7:30, sharp!", "Say", told);

    assert_slots(&grammar, "brew 2.5 cups at 95°C", "Brew", json!({"cups": 2.5, "degrees": 95, "unit": "c"}));
    assert_slots(
        &grammar,
        "brew two and a half cups at minus 5 degrees",
        "Brew",
        json!({"cups": 2.5, "degrees": -5}),
    );
}

#[test]
fn what_is_known_beforehand_fulfils_requirements_and_fills_slots() {
    assert!(custom(Map::new()).parse("make it cosy").is_none());
    let context = json!({"area": "Office"}).as_object().unwrap().clone();
    assert_slots(&custom(context), "make it cosy", "Here", json!({"area": "Office"}));
}

#[test]
fn ranges_captures_keywords_and_slots_of_contexts_work_as_in_home_assistant() {
    let source = "language: en-GB\nsettings: { ignore_whitespace: false }\nintents:\n  A:\n    settings: { filter_with_regex: false }\n    data:\n      \
                  - sentences: [\"level {0..100,10:level} {mood:@mood}\"]\n        required_keywords: [cosy, bright]\n        \
                  slots: { level: 5, kind: x }\n        requires_context: { area: { slot: preferred_area_id } }\n  B:\n    data:\n      \
                  - sentences: [\"how is it {question:@response}\"]\n        from_context: [area]\n\
                  lists:\n  mood:\n    values: [cosy, dull]\n  question:\n    values: [{ in: here, out: brief }]\n\
                  responses:\n  intents:\n    A:\n      default: \"{% if slots.level > 3: %}high{% else: -%} low{% endif %}\"\n";
    let sentences = Sentences::from_text("a.yaml", source, "en").unwrap();
    assert_eq!(
        sentences.responses()["A"]["default"],
        "{% if slots.level > 3 %}high{% else -%} low{% endif %}"
    );
    let context = json!({"area": "Office"}).as_object().unwrap().clone();
    let grammar = Grammar::with_context(&sentences, &test_home::home(), context);
    let slots = json!({"level": 30, "kind": "x", "preferred_area_id": "Office"});
    assert_slots(&grammar, "level 30 cosy", "A", slots);
    assert!(grammar.parse("level 35 cosy").is_none() && grammar.parse("level 30 dull").is_none());
    assert_slots(&grammar, "how is it here", "B", json!({"area": "Office"}));
    assert_eq!(grammar.parse("how is it here").unwrap().response.as_deref(), Some("brief"));
    let nowhere = Grammar::new(&sentences, &test_home::home());
    assert_slots(&nowhere, "how is it here", "B", json!({}));
    assert!(nowhere.parse("level 30 cosy").is_none());
}

#[test]
fn what_nobody_says_aloud_is_unknown_to_the_recogniser() {
    let source = "language: en\nintents:\n  A:\n    data:\n      - sentences: [\"open sesame\"]\n      \
                  - sentences: [\"unclose sesame\"]\n        spoken: false\n";
    let grammar = Grammar::new(&Sentences::from_text("a.yaml", source, "en").unwrap(), &test_home::home());
    assert!(grammar.parse("unclose sesame").is_some());
    assert!(!grammar.vocabulary().contains(&"unclose".to_owned()));
    assert!(grammar.sample(200, 1).iter().all(|words| words[0] == "open"));
}

#[test]
fn an_apostrophe_may_be_left_out_or_put_in() {
    let source =
        "language: en\nintents:\n  A:\n    data:\n      - sentences: [\"visit (trader joe's|the browns)\"]\n";
    let grammar = Grammar::new(&Sentences::from_text("a.yaml", source, "en").unwrap(), &test_home::home());
    assert!(grammar.parse("visit trader joes").is_some() && grammar.parse("visit the brown's").is_some());
}

#[test]
fn fewest_wildcard_words_then_names_then_literal_text_win() {
    let source = "language: en\nintents:\n  Wild:\n    data:\n      - sentences: [\"turn on {anything}\"]\n  \
                  Area:\n    data:\n      - sentences: [\"turn on [the] {area} light\", \"open {area} now\"]\n  \
                  Name:\n    data:\n      - sentences: [\"turn on [the] {name}\"]\n  \
                  List:\n    data:\n      - sentences: [\"open {word} {word:second}\"]\n\
                  lists:\n  anything:\n    wildcard: true\n  word:\n    values: [office, now]\n";
    let sentences = Sentences::from_text("a.yaml", source, "en").unwrap();
    let grammar = Grammar::new(&sentences, &test_home::home());
    let intent = |text: &str| grammar.parse(text).unwrap().intent;
    assert_eq!(intent("turn on the office light"), "Name");
    assert_eq!(intent("turn on the kitchen light"), "Area");
    assert_eq!(intent("turn on the moon light"), "Wild");
    assert_eq!(intent("open office now"), "Area");
}

#[test]
fn lists_keep_what_their_file_says() {
    let sentences = Sentences::from_text("custom.yaml", CUSTOM, "en").unwrap();
    let List::Range(cups) = &sentences.lists["half_cups"] else { panic!("no range") };
    assert_eq!(cups.numbers().take(4).collect::<Vec<_>>(), [0.0, 0.5, 1.0, 1.5]);
    assert_eq!(cups.count(), 10);
}

#[test]
fn rules_that_grow_beyond_measure_are_told() {
    let rules: Vec<String> = (0..40).map(|n| format!("  r{n}: \"<r{}> <r{}>\"\n", n + 1, n + 1)).collect();
    let source = format!(
        "language: en\nintents:\n  A:\n    data:\n      - sentences: [\"<r0>\"]\n\
         expansion_rules:\n{}  r40: x\n",
        rules.concat()
    );
    assert_mistake(&source, "5:22 ", "more than", "fewer rules");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_file_makes_it_panic(text in "(language: en\\n)?[a-z:\\-\\n \"\\[{<>}|;()]{0,80}") {
        let _ = Sentences::from_text("any.yaml", &text, "en");
    }

    #[test]
    fn no_template_makes_it_panic(template in "[ab \\[\\]{}<>|;()]{0,24}") {
        let source = format!("language: en\nintents:\n  A:\n    data:\n      - sentences:\n          - {template:?}\n");
        if let Ok(sentences) = Sentences::from_text("any.yaml", &source, "en") {
            let grammar = Grammar::new(&sentences, &test_home::home());
            prop_assert!(grammar.parse("a b").is_none_or(|found| found.intent == "A"));
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,60}") {
        let _ = test_home::grammar().parse(&text);
    }
}

#[test]
fn what_is_parsed_by_rule_has_a_rule_and_is_spoken_without_another() {
    let text = |lists: &str| {
        format!(
            "language: en\nlists:\n{lists}\nintents:\n  Wake:\n    data:\n      - sentences: [\"wake me {{when}}\"]\n"
        )
    };
    let good = "  when: { rule: datetime, prefer: morning, spoken: [\"(tomorrow|at {hour})\"] }\n  hour: { range: { from: 1, to: 12 } }";
    let problems = Sentences::from_text("a.yaml", &text(good), "en").map_or_else(|all| all.len(), |_| 0);
    assert_eq!(problems, 0);
    for (lists, message) in [
        ("  when: { rule: sometime }", "rule is 'sometime'"),
        ("  when: { rule: datetime, prefer: night }", "prefer is 'night'"),
        ("  when: { rule: datetime, spoken: [\"at {our}\"] }", "list {our} is not defined"),
        ("  when: { rule: datetime, spoken: [\"at (seven\"] }", "("),
        (
            "  when: { rule: datetime, spoken: [\"in {length}\"] }\n  length: { rule: duration }",
            "parsed by rule",
        ),
    ] {
        let problems = Sentences::from_text("a.yaml", &text(lists), "en").unwrap_err();
        assert!(
            problems.iter().any(|problem| problem.to_string().contains(message)),
            "{message}: {problems:?}"
        );
    }
}

#[test]
fn what_a_response_calls_is_looked_up_when_all_files_are_read() {
    let source = "language: en\nintents:\n  A:\n    data:\n      - sentences: [go]\nresponses:\n  intents:\n    A:\n      \
                  default: \"{{ slots.x | lowr }} {{ thing('a') }} {% if x is definedd %}{% endif %}\"\n      \
                  long: >-\n        one {{ range(2) | list }}\n        two {{ unheard(1) }}\n\
                  response_macros: |\n  {%- macro things(a) -%}{{ a | upper }}{{ wrong(a) }}{%- endmacro -%}\n";
    for (place, message, fix) in [
        ("9:30 ", "there is no filter 'lowr'", "minijinja"),
        ("9:41 ", "calls the function 'thing'", "did you mean 'things'"),
        ("9:66 ", "there is no test 'definedd'", "minijinja"),
        ("12:16 ", "calls the function 'unheard'", "response_macros"),
        ("14:44 ", "calls the function 'wrong'", "response_macros"),
    ] {
        assert_mistake(source, place, message, fix);
    }
    let problems = Sentences::from_text("own.yaml", source, "en").unwrap_err();
    assert_eq!(problems.len(), 5, "{problems:#?}");
}

#[test]
fn a_faulty_list_or_rule_is_told_once() {
    let source = "language: en\nintents:\n  A:\n    data:\n      - sentences: [\"go {level} <way>\", \"<road>\"]\n\
                  lists:\n  level: {}\nexpansion_rules:\n  way: \"[a\"\n  road: \"<way> {level}\"\n";
    let problems = Sentences::from_text("own.yaml", source, "en").unwrap_err();
    let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 2, "{told:#?}");
    assert!(
        told[0].contains("list 'level' has no values") && told[1].contains("'[' is never closed"),
        "{told:#?}"
    );
}

#[test]
fn every_document_of_a_file_is_read() {
    let source = "language: en\nintents:\n  A:\n    data:\n      - sentences: [go]\nresponse_macros: |\n  {% macro one() %}1{% endmacro %}\n\
                  ---\nlanguage: en\nintents:\n  B:\n    data:\n      - sentences: [stop]\nresponses:\n  intents:\n    B:\n      \
                  default: \"{{ one() }}{{ two() }}\"\nresponse_macros: |\n  {% macro two() %}2{% endmacro %}\n";
    let sentences = Sentences::from_text("own.yaml", source, "en").unwrap();
    assert_eq!(sentences.intents(), ["A", "B"]);
    assert_eq!(sentences.place_of("B").as_deref(), Some("own.yaml:11:3"));
    let text = &sentences.responses()["B"]["default"];
    assert_eq!(minijinja::render!(text).trim(), "12");
}

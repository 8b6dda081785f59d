//! What comes with Hark: encoder, head and examples fit each other and do what they are for.

use super::catalogue::is_learned;
use super::data::{Data, Origin, Sample};
use super::examples::spoken;
use super::examples::{self, Example, Label};
use super::{Classifier, Encoder, Head, IntentPaths, category_of, train};
use crate::test_home;
use hark_core::classification::Classify;
use hark_core::{Category, FaultKind};
use hark_models::manifest::Manifest;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

const MODELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
const AGAIN: &str = "run `hark models train --shipped` (models/intent/README.md)";

fn manifest() -> Manifest {
    Manifest::load(Path::new(MODELS)).unwrap()
}

fn places(state: &Path) -> IntentPaths {
    IntentPaths::new(Path::new(MODELS), state, "")
}

fn classifier() -> Classifier {
    Classifier::open(&manifest(), &places(Path::new("/nowhere")), "en").unwrap()
}

fn held_out() -> Vec<Example> {
    examples::load_files(&[places(Path::new("/nowhere")).held_out("en")]).unwrap()
}

/// Examples of a few intents, each as if the owner had written it.
fn few(intents: &[&str], each: usize) -> Data {
    let mut samples = Vec::new();
    for example in examples::load(&places(Path::new("/nowhere")).examples("en")).unwrap() {
        let name = example.label.intent.as_deref().unwrap_or(example.label.category.name());
        let already = samples.iter().filter(|sample: &&Sample| sample.label == example.label).count();
        if intents.contains(&name) && already < each {
            let text = spoken(&example.text);
            samples.push(Sample { text, label: example.label, origin: Origin::Example, untouched: false });
        }
    }
    Data { language: "en".into(), samples, held_out: Vec::new(), hash: "test".into() }
}

#[test]
fn the_shipped_head_fits_the_encoder_and_knows_every_intent_with_sentences() {
    let classifier = classifier();
    let known = classifier.head().intents();
    let wanted = test_home::english().intents().into_iter().filter(|intent| is_learned(intent));
    let missing: Vec<&str> = wanted.filter(|intent| !known.contains(intent)).collect();
    assert!(missing.is_empty(), "the shipped head does not know {missing:?}: {AGAIN}");
}

#[test]
fn what_people_say_comes_out_right() {
    let mut classifier = classifier();
    let (mut right, mut intents_right, mut intents, mut acted, mut nothing) = (0, 0, 0, 0, 0);
    let all = held_out();
    for example in &all {
        let found = classifier.classify(&example.text).unwrap();
        let (best, share) = found.intents[0].clone();
        right += usize::from(found.category == example.label.category);
        if let Some(intent) = &example.label.intent {
            intents += 1;
            intents_right += usize::from(best == *intent);
        }
        if example.label.category == Category::OutOfScope {
            nothing += 1;
            acted += usize::from(share >= 0.6);
        }
    }
    println!(
        "category {right} of {}, intent {intents_right} of {intents}, {acted} of {nothing} acted on",
        all.len()
    );
    assert!(right * 100 >= all.len() * 88, "category: {right} of {}", all.len());
    assert!(intents_right * 100 >= intents * 84, "intent: {intents_right} of {intents}");
    // Before the trigger words that the router asks for as well.
    assert!(acted * 100 <= nothing * 3, "{acted} of {nothing} out of scope");
}

/// Public sentences, when they are at hand; half of them were looked at while choosing thresholds.
#[test]
fn what_no_home_can_serve_is_out_of_scope() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/text/out-of-scope-dev.json");
    let Ok(text) = std::fs::read_to_string(file) else { return };
    let lists: BTreeMap<String, Vec<String>> = serde_json::from_str(&text).unwrap();
    let mut classifier = classifier();
    let mut halves = [(0, 0, 0); 2];
    for (index, text) in lists["out_of_scope"].iter().enumerate() {
        let found = classifier.classify(text).unwrap();
        let half = &mut halves[index % 2];
        half.0 += 1;
        half.1 += usize::from(found.category == Category::OutOfScope);
        half.2 += usize::from(found.intents[0].1 >= 0.85);
    }
    println!(
        "(sentences, out of scope, surely acted on): looked at {:?}, held apart {:?}",
        halves[0], halves[1]
    );
    let (of, right, acted) = halves[1];
    assert!(right * 100 >= of * 95, "{right} of {of}");
    assert!(acted * 100 <= of, "{acted} of {of} acted on");
}

#[test]
fn likeness_is_likeness_of_meaning() {
    let mut classifier = classifier();
    let mut of = |a: &str, b: &str| -> f32 {
        let (a, b) = (classifier.embed(a).unwrap(), classifier.embed(b).unwrap());
        assert!((a.iter().map(|number| number * number).sum::<f32>() - 1.0).abs() < 1e-3);
        a.iter().zip(&b).map(|(a, b)| a * b).sum()
    };
    assert!(of("television", "tv") > of("television", "kitchen"));
    assert!(of("sofa lamp", "couch light") > of("sofa lamp", "front door"));
    assert!(of("Turn on the lamp!", "turn on the lamp") > 0.999);
}

#[test]
fn any_text_at_all_gets_an_answer() {
    let mut classifier = classifier();
    let long = "turn on the light and ".repeat(2000);
    for text in
        ["", " ", "🦀🦀🦀", "\u{0}\u{1}", "ＦＵＬＬ　ＷＩＤＴＨ", "...", long.as_str(), "今何時ですか"]
    {
        let found = classifier.classify(text).unwrap();
        assert!((0.0..=1.0).contains(&found.confidence), "{text:.20}: {found:?}");
        assert!((1..=5).contains(&found.complexity));
    }
}

#[test]
fn a_missing_encoder_or_head_is_told_with_the_way_to_mend_it() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(Path::new(MODELS).join("manifest.toml")).unwrap();
    std::fs::write(folder.path().join("manifest.toml"), text).unwrap();
    std::os::unix::fs::symlink(Path::new(MODELS).join("cache"), folder.path().join("cache")).unwrap();
    let missing = Manifest::load(folder.path()).unwrap();
    let places = IntentPaths::new(folder.path(), folder.path(), "");
    let fault = Classifier::open(&missing, &places, "en").err().unwrap();
    assert_eq!(fault.kind, FaultKind::MissingPart);
    assert!(fault.message.contains("sentence_encoder") && !fault.fix.is_empty(), "{fault}");
    let fault = Classifier::open(&manifest(), &places, "en").err().unwrap();
    assert_eq!((fault.kind, fault.fix.as_str()), (FaultKind::MissingPart, "run `hark models train`"));
}

#[test]
fn a_head_is_trained_from_few_examples_and_the_owner_has_the_last_word() {
    let mut encoder = Encoder::open(&manifest()).unwrap();
    let mut data = few(&["HassTurnOn", "HassGetWeather", "HassStartTimer", "out_of_scope"], 16);
    let own = Label { category: Category::HomeControl, intent: Some("OwnersIntent".into()), domain: None };
    for text in ["release the kraken", "let the kraken loose", "kraken time"] {
        data.samples.push(Sample {
            text: text.into(),
            label: own.clone(),
            origin: Origin::Owner,
            untouched: true,
        });
    }
    let mut steps = 0;
    let training = train(&mut encoder, &data, &mut |_| {
        steps += 1;
        ControlFlow::Continue(())
    })
    .unwrap();
    assert!(steps > 4);
    assert_eq!(training.report.category.of, data.samples.len());
    assert!(training.report.category.value() > 0.8, "{}", training.report);
    let mut classifier = Classifier::new(encoder, training.head);
    let found = classifier.classify("could you let the kraken loose now").unwrap();
    assert_eq!(found.intents[0].0, "OwnersIntent", "{found:?}");
    assert_eq!(classifier.classify("will it rain this evening").unwrap().category, Category::Weather);
}

#[test]
fn too_little_to_learn_from_is_told() {
    let mut encoder = Encoder::open(&manifest()).unwrap();
    let fault =
        train(&mut encoder, &few(&["HassTurnOn"], 4), &mut |_| ControlFlow::Continue(())).unwrap_err();
    assert_eq!(fault.kind, FaultKind::BadInput);
}

#[test]
fn the_own_head_counts_until_the_shipped_data_or_the_encoder_is_newer() {
    let state = tempfile::tempdir().unwrap();
    let places = places(state.path());
    let mut encoder = Encoder::open(&manifest()).unwrap();
    let mut data = few(&["HassTurnOn", "HassGetWeather", "out_of_scope"], 8);
    data.hash = super::data::hash(&places, "en");
    let own = train(&mut encoder, &data, &mut |_| ControlFlow::Continue(())).unwrap().head;
    own.write(&places.own_head("en")).unwrap();
    let opened = Classifier::open(&manifest(), &places, "en").unwrap();
    assert_eq!(opened.head(), &own);
    let standing = || Classifier::standing(&manifest(), &places, "en").unwrap();
    assert!(standing().own && !standing().stale, "{:?}", standing());
    // The owner adds a sentence: still used, but training anew would help.
    examples::mark(&places.marked("en"), "ta da", &Label::intent("HassTurnOn", None)).unwrap();
    assert!(standing().own && standing().stale, "{:?}", standing());
    std::fs::write(places.own_head("en"), b"no head").unwrap();
    assert!(!standing().own);
    assert_eq!(
        Classifier::open(&manifest(), &places, "en").unwrap().head(),
        &Head::read(&places.shipped_head("en")).unwrap()
    );
}

#[test]
fn the_shipped_head_for_what_is_told_is_one_of_its_examples() {
    let places = places(Path::new("/nowhere"));
    let data = Data::of_told(&places, "en").unwrap().unwrap();
    let head = Head::read(&places.told_head("en")).unwrap();
    assert_eq!(head.data(), data.hash, "train it anew: hark models train --shipped");
    let mut classifier = Classifier::open(&manifest(), &places, "en").unwrap();
    let mut found = |text: &str| classifier.statement(text).unwrap().unwrap();
    let (told, talk) = (found("the bins go out on thursdays"), found("i could sleep for a week"));
    assert!(told.worth_keeping > 0.5 && told.asks_nothing > 0.5, "{told:?}");
    assert!(talk.worth_keeping < 0.5 && talk.asks_nothing > 0.5, "{talk:?}");
    assert!(found("she'll be having her tea").asks_nothing > 0.5);
    for text in ["where is the ladder", "once it's dark close the curtains"] {
        assert!(found(text).asks_nothing < 0.5, "{text}");
    }
    assert!(Data::of_told(&places, "xx").unwrap().is_none());
}

#[test]
fn examples_name_intents_that_exist_and_nothing_held_out_is_learned() {
    let places = places(Path::new("/nowhere"));
    let all = examples::load(&places.examples("en")).unwrap();
    let mut meanings: BTreeMap<String, Label> = BTreeMap::new();
    for example in &all {
        if let Some(intent) = &example.label.intent {
            assert!(category_of(intent).is_some(), "{intent} is not in the catalogue");
        }
        if let Some(other) = meanings.insert(spoken(&example.text), example.label.clone()) {
            assert_eq!(other, example.label, "two meanings: {}", example.text);
        }
    }
    let data = Data::gather(&places, "en", &[test_home::home()]).unwrap();
    let held: Vec<String> = held_out().iter().map(|example| spoken(&example.text)).collect();
    assert!(held.len() > 200);
    assert!(data.samples.iter().all(|sample| !held.contains(&sample.text)));
    assert!(data.samples.iter().any(|sample| sample.label.domain.as_deref() == Some("lock")));
    assert_eq!(data.hash, super::data::hash(&places, "en"));
    let elsewhere = IntentPaths { owner_sentences: PathBuf::from("/nowhere"), ..places };
    assert_eq!(Data::gather(&elsewhere, "en", &[test_home::home()]).unwrap().samples, data.samples);
}

#[test]
fn the_shipped_tagger_fits_the_encoder_and_marks_what_fills_slots() {
    let mut classifier = classifier();
    let standing = Classifier::standing(&manifest(), &places(Path::new("/nowhere")), "en").unwrap();
    assert_eq!(standing.without_tagger, None);
    for (text, wanted) in [
        ("would you get the lights in the kitchen going", vec![("name", "lights"), ("area", "kitchen")]),
        ("the bedroom should be at 21 degrees", vec![("area", "bedroom"), ("value", "twenty one")]),
        ("have the fan in the office at 50%", vec![("name", "fan"), ("area", "office"), ("value", "fifty")]),
        ("i would like the desk lamp to be blue", vec![("name", "desk lamp"), ("color", "blue")]),
        ("make it a bit darker in the hall", vec![("area", "hall")]),
        ("is it going to be all right", vec![]),
    ] {
        let spoken = spoken(text);
        let words: Vec<&str> = spoken.split(' ').collect();
        let spans =
            classifier.classify(text).unwrap().spans.unwrap_or_else(|| panic!("{text}: it is not sure"));
        let marked: Vec<_> =
            spans.iter().map(|span| (span.slot.as_str(), words[span.start..span.end].join(" "))).collect();
        let wanted: Vec<_> = wanted.into_iter().map(|(slot, words)| (slot, words.to_owned())).collect();
        assert_eq!(marked, wanted, "{text}");
    }
    // Words that are cut off might fill a slot as well.
    assert_eq!(classifier.classify(&"lights ".repeat(100)).unwrap().spans, None);
}

#[test]
fn without_a_tagger_the_head_decides_alone() {
    let folder = tempfile::tempdir().unwrap();
    let models = Path::new(MODELS).canonicalize().unwrap();
    std::fs::create_dir(folder.path().join("intent")).unwrap();
    for name in ["manifest.toml", "cache", "intent/encoder.onnx", "intent/tokenizer.json", "intent/head"] {
        std::os::unix::fs::symlink(models.join(name), folder.path().join(name)).unwrap();
    }
    let manifest = Manifest::load(folder.path()).unwrap();
    let places = IntentPaths::new(folder.path(), Path::new("/nowhere"), "");
    let standing = Classifier::standing(&manifest, &places, "en").unwrap();
    assert!(standing.without_tagger.is_some_and(|why| why.contains("slot_tagger")));
    let found =
        Classifier::open(&manifest, &places, "en").unwrap().classify("will it rain this evening").unwrap();
    assert_eq!((found.category, found.spans), (Category::Weather, None));
}

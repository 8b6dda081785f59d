//! The router with a classifier that says what the test says, and sentences that are two lines long.

use super::*;
use hark_core::Ambiguity;
use hark_core::classification::{Statement, WordVectors};
use hark_core::intent::{UnknownThing, refusal};

/// Understands one text, and finds the kitchen in any.
struct OneSentence(&'static str, f32);

impl Understand for OneSentence {
    fn understand_within(&self, text: &str, _: &str, _: NaiveDateTime, _: &Effort) -> Understanding {
        let intents = if text == self.0 { vec![intent("HassTurnOn", self.1)] } else { Vec::new() };
        let why = if intents.is_empty() { "no sentence template accepts it" } else { "" };
        Understanding { intents, why: why.into(), ..Understanding::default() }
    }

    fn fill_within(
        &self,
        name: &str,
        text: &str,
        _: Option<&[SlotSpan]>,
        _: NaiveDateTime,
        _: &Effort,
    ) -> Option<Intent> {
        let mut found = intent(name, 1.0);
        found.slots.extend(text.contains("kitchen").then(|| ("area".into(), "Kitchen".into())));
        (!found.slots.is_empty() || text.contains("lights")).then_some(found)
    }
}

/// What the owner has said: any words are the vacuum, but those of the kitchen light.
struct Taught;

impl Classify for Taught {
    fn classify(&mut self, text: &str) -> Result<Classification, Fault> {
        let intent = if text.contains("kitchen") { "HassTurnOn" } else { "HassVacuumStart" };
        Ok(Classification::taught(
            text,
            &hark_language::steps::of_all().into(),
            Category::HomeControl,
            Some(intent),
        ))
    }

    fn embed(&mut self, _: &str) -> Result<Vec<f32>, Fault> {
        Ok(vec![1.0])
    }

    fn embed_words(&mut self, _: &str) -> Result<WordVectors, Fault> {
        Ok(Vec::new())
    }

    fn statement(&mut self, _: &str) -> Result<Option<Statement>, Fault> {
        Ok(None)
    }
}

#[test]
fn what_the_owner_has_said_needs_no_words_that_tell_of_it() {
    let taught = Router {
        classifier: Some(Arc::new(Mutex::new(Taught))),
        ..router(Says(Category::Question, 0.0, &[]))
    };
    let found = taught.understand("the crumbs are winning", "unknown");
    assert_eq!((found.intents[0].name.as_str(), found.intents[0].route), ("HassVacuumStart", Route::Intent));
    assert!(found.intents[0].slots.is_empty() && found.intents[0].why.contains("you have said"));
    let kitchen = taught.understand("gloom over the kitchen", "unknown");
    assert!(kitchen.intents[0].slots.contains_key("area"), "what is mentioned is taken: {kitchen:?}");
    let templates = taught.understand("lights on", "unknown");
    assert_eq!(templates.intents[0].route, Route::Template, "templates come first all the same");
}

struct Says(Category, f32, &'static [(&'static str, f32)]);

impl Classify for Says {
    fn classify(&mut self, text: &str) -> Result<Classification, Fault> {
        let intents = self.2.iter().map(|(name, share)| ((*name).to_owned(), *share)).collect();
        Ok(Classification::new(text, &hark_language::steps::of_all().into(), self.0, self.1, intents))
    }

    fn embed(&mut self, _: &str) -> Result<Vec<f32>, Fault> {
        Ok(vec![1.0])
    }

    fn embed_words(&mut self, _: &str) -> Result<WordVectors, Fault> {
        Ok(Vec::new())
    }

    fn statement(&mut self, _: &str) -> Result<Option<Statement>, Fault> {
        Ok(None)
    }
}

fn intent(name: &str, confidence: f32) -> Intent {
    let (slots, why) = (Slots::new(), "test".to_owned());
    Intent {
        name: name.into(),
        slots,
        confidence,
        route: Route::Template,
        why,
        response: None,
        single: false,
    }
}

fn facts() -> Facts {
    Facts {
        category_of: |intent| match intent {
            "HassTurnOn" | "HassTurnOff" => Some(Category::HomeControl),
            "HassGetState" => Some(Category::HomeQuery),
            "HassStartTimer" => Some(Category::Timer),
            _ => None,
        },
        triggers: |tool, _| (tool == "home.turn_on").then_some(&["on", "light up"][..]),
        language_of: |text| text.contains("wetter").then_some("de"),
    }
}

fn router(says: Says) -> Router {
    let spoken = |language: &str, text, sure| Spoken {
        language: language.into(),
        sentences: Arc::new(OneSentence(text, sure)),
    };
    let spoken = vec![spoken("en", "lights on", 1.0), spoken("de", "licht an", 1.0)];
    Router::new(spoken, Some(Arc::new(Mutex::new(says))), IntentConfig::default(), facts())
}

const SURE: &[(&str, f32)] = &[("HassTurnOn", 0.9), ("HassTurnOff", 0.05)];
const LIKELY: &[(&str, f32)] = &[("HassTurnOn", 0.7), ("HassTurnOff", 0.2)];
const UNLIKELY: &[(&str, f32)] = &[("HassTurnOn", 0.5), ("HassTurnOff", 0.4)];

fn understand(says: Says, text: &str) -> Understanding {
    router(says).understand_at(text, "unknown", NaiveDateTime::default())
}

#[test]
fn templates_of_any_language_come_before_the_classifier() {
    for (text, language) in [("lights on", "en"), ("licht an", "de")] {
        let found = understand(Says(Category::OutOfScope, 1.0, &[]), text);
        assert_eq!((found.intents[0].route, found.language.as_str()), (Route::Template, language));
        assert_eq!(found.classification.unwrap().category, Category::HomeControl);
    }
    // Whoever was heard to speak English did not say that.
    let found =
        router(Says(Category::OutOfScope, 1.0, &[])).understand_at("licht an", "en", Default::default());
    assert!(found.intents.is_empty());
}

#[test]
fn a_guess_of_one_language_gives_way_to_what_another_says_plainly() {
    let spoken = |language: &str, sure| Spoken {
        language: language.into(),
        sentences: Arc::new(OneSentence("licht an", sure)),
    };
    let router =
        Router::new(vec![spoken("en", 0.7), spoken("de", 1.0)], None, IntentConfig::default(), facts());
    assert_eq!(router.understand_at("licht an", "unknown", Default::default()).language, "de");
    let vague = Understanding {
        intents: vec![intent("HassTurnOn", 1.0)],
        ambiguous: vec![Ambiguity {
            intent: 0,
            slot: "name".into(),
            candidates: Vec::new(),
            areas: Vec::new(),
        }],
        ..Understanding::default()
    };
    assert!(!is_clear(&vague));
}

#[test]
fn the_guards_let_pass_what_is_sure_or_told_by_the_words() {
    for (shares, text, passes) in [
        (SURE, "some brightness for the kitchen", true),
        (LIKELY, "the kitchen should be on", true),
        (LIKELY, "light up the kitchen", true),
        (LIKELY, "some brightness for the kitchen", false),
        (LIKELY, "the kitchen is lonely", false),
        (UNLIKELY, "the kitchen should be on", false),
        // Who is sure needs no words that tell of it, nor slots where none are needed.
        (SURE, "lights on please", true),
        (SURE, "lights please", true),
        (LIKELY, "lamps please", false),
        // Nothing in it says what is to be turned on.
        (SURE, "some brightness please", false),
    ] {
        let found = understand(Says(Category::HomeControl, 0.95, shares), text);
        assert_eq!(found.intents.len(), usize::from(passes), "{text}: {}", found.why);
        assert_eq!(found.why.is_empty(), passes);
        if let [intent] = found.intents.as_slice() {
            assert_eq!((intent.name.as_str(), intent.route), ("HassTurnOn", Route::Intent));
            assert!(intent.why.contains("home_control"), "{}", intent.why);
        }
    }
}

#[test]
fn an_intent_of_another_kind_than_the_request_is_not_taken() {
    for category in [Category::OutOfScope, Category::HomeQuery, Category::Conversation] {
        let found = understand(Says(category, 0.9, SURE), "is the kitchen on");
        assert!(found.intents.is_empty(), "{category}");
        assert!(found.why.contains(category.name()), "{}", found.why);
        assert_eq!(found.classification.unwrap().category, category);
    }
}

#[test]
fn what_was_meant_is_known_where_the_home_has_no_such_thing() {
    let meant = |probabilities, text| {
        let found = understand(Says(Category::HomeControl, 0.9, probabilities), text);
        assert!(found.intents.is_empty(), "{found:?}");
        found.meant.map(|intent| (intent.name, intent.slots.len(), intent.route))
    };
    let expected = Some(("HassTurnOn".to_owned(), 0, Route::Intent));
    assert_eq!(meant(SURE, "brighten up the attic"), expected);
    // Only who surely asked for something, or whose words tell of it, is asked what; under the guards nothing is known.
    assert_eq!(meant(LIKELY, "the attic should be on"), expected);
    assert_eq!(meant(LIKELY, "some brightness for the attic"), None);
    assert_eq!(meant(UNLIKELY, "the attic should be on"), None);
}

#[test]
fn the_language_is_told_when_nothing_is_understood_and_unknown_when_unsure() {
    for (text, language) in [("wie wird das wetter in aalen", "de"), ("blub", "unknown")] {
        assert_eq!(understand(Says(Category::Weather, 0.9, &[]), text).language, language);
    }
}

/// Sentences that find something the home does not have.
struct Stranger(bool);

impl Understand for Stranger {
    fn understand_within(&self, _: &str, _: &str, _: NaiveDateTime, _: &Effort) -> Understanding {
        let unknown = Some(UnknownThing { name: "bed light".into(), sure: self.0 });
        Understanding { why: "nothing is called that".into(), unknown, ..Understanding::default() }
    }

    fn fill_within(
        &self,
        name: &str,
        _: &str,
        _: Option<&[SlotSpan]>,
        _: NaiveDateTime,
        _: &Effort,
    ) -> Option<Intent> {
        Some(intent(name, 1.0)).map(|mut found| {
            found.slots.insert("area".into(), "Kitchen".into());
            found
        })
    }
}

#[test]
fn what_the_home_does_not_have_is_not_guessed_at() {
    let ask = |sure, says| {
        let spoken = vec![Spoken { language: "en".into(), sentences: Arc::new(Stranger(sure)) }];
        let router = Router::new(spoken, Some(Arc::new(Mutex::new(says))), IntentConfig::default(), facts());
        router.understand_at("turn on the bed light", "unknown", NaiveDateTime::default())
    };
    let named = |found: &Understanding| found.unknown.as_ref().map(|thing| thing.name.clone());
    // A thing of the house for certain: no classifier makes another of it.
    let found = ask(true, Says(Category::HomeControl, 0.95, SURE));
    assert!(found.intents.is_empty() && named(&found).as_deref() == Some("bed light"), "{found:?}");
    // It may have been a thing: what the classifier is sure of comes first, and what is no matter of the home
    // is not spoken of as a thing.
    assert_eq!(ask(false, Says(Category::HomeControl, 0.95, SURE)).intents.len(), 1);
    assert_eq!(named(&ask(false, Says(Category::HomeControl, 0.6, UNLIKELY))).as_deref(), Some("bed light"));
    assert_eq!(named(&ask(false, Says(Category::OutOfScope, 0.9, &[]))), None);
}

#[test]
fn a_timer_without_a_length_is_left_to_its_tool_to_ask_about() {
    let found = understand(Says(Category::Timer, 0.98, &[("HassStartTimer", 0.95)]), "start a timer");
    assert_eq!(found.intents.len(), 1, "{found:?}");
    assert!(found.intents[0].name == "HassStartTimer" && found.intents[0].slots.is_empty());
    assert!(found.meant.is_none());
    let light = understand(Says(Category::HomeControl, 0.98, SURE), "start the glow");
    assert!(light.intents.is_empty() && light.meant.is_some(), "which light, nobody else can ask: {light:?}");
}

#[test]
fn the_classifier_of_one_language_is_not_asked_about_another() {
    let found = understand(Says(Category::HomeControl, 0.95, SURE), "das wetter in the kitchen");
    assert!(found.intents.is_empty(), "{found:?}");
    assert_eq!(found.language, "de");
    assert!(found.why.contains("does not know the language"), "{}", found.why);
}

/// Takes every text for a follow-up.
struct FollowsOnly;

impl Understand for FollowsOnly {
    fn understand_within(&self, _: &str, _: &str, _: NaiveDateTime, _: &Effort) -> Understanding {
        Understanding { intents: vec![intent("HarkFollowAnswer", 1.0)], ..Understanding::default() }
    }

    fn fill_within(
        &self,
        name: &str,
        _: &str,
        _: Option<&[SlotSpan]>,
        _: NaiveDateTime,
        _: &Effort,
    ) -> Option<Intent> {
        Some(intent(name, 1.0))
    }
}

#[test]
fn what_leans_on_nothing_may_mean_something_alone() {
    let spoken = |language: &str| Spoken { language: language.into(), sentences: Arc::new(FollowsOnly) };
    let alone_in = |language: &str, says: Says| {
        let classifier: SharedClassifier = Arc::new(Mutex::new(says));
        let router =
            Router::new(vec![spoken("en"), spoken("de")], Some(classifier), IntentConfig::default(), facts());
        let found = router.understand("eight minutes please", language);
        assert_eq!(found.intents[0].name, "HarkFollowAnswer", "it comes first all the same");
        found.alone.into_iter().map(|intent| intent.name).collect::<Vec<_>>()
    };
    let alone = |says: Says| alone_in("unknown", says);
    assert_eq!(alone(Says(Category::HomeControl, 1.0, SURE)), ["HassTurnOn"]);
    let foreign = alone_in("de", Says(Category::HomeControl, 1.0, SURE));
    assert!(foreign.is_empty(), "the classifier knows the usual language only: {foreign:?}");
    assert!(alone(Says(Category::HomeControl, 1.0, UNLIKELY)).is_empty());
}

/// Understands nothing, and finds a condition in everything.
struct Conditional;

impl Understand for Conditional {
    fn understand_within(&self, _: &str, _: &str, _: NaiveDateTime, _: &Effort) -> Understanding {
        Understanding { qualifier: Some(Box::new(intent(refusal::INTENT, 1.0))), ..Understanding::default() }
    }
}

#[test]
fn what_probably_changes_the_home_under_a_condition_is_refused() {
    let found = |category, sure| {
        let spoken = vec![Spoken { language: "en".into(), sentences: Arc::new(Conditional) }];
        let says: SharedClassifier = Arc::new(Mutex::new(Says(category, sure, SURE)));
        let router = Router::new(spoken, Some(says), IntentConfig::default(), facts());
        let found = router.understand("make it cosy when the guests come", "unknown");
        found.intents.iter().map(|intent| intent.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(found(Category::HomeControl, 0.9), [refusal::INTENT]);
    assert_eq!(found(Category::Media, 0.9), [refusal::INTENT]);
    assert!(found(Category::HomeControl, 0.1).is_empty(), "a guess is no request");
    assert!(found(Category::Question, 0.9).is_empty(), "a question has its conditions");
}

/// Spends all the effort there is on any text.
struct Endless;

impl Understand for Endless {
    fn understand_within(&self, text: &str, _: &str, _: NaiveDateTime, effort: &Effort) -> Understanding {
        while effort.spend(1) {}
        Understanding {
            intents: vec![intent("HassTurnOn", 1.0)],
            why: text.into(),
            ..Understanding::default()
        }
    }
}

#[test]
fn what_is_too_involved_to_be_read_still_has_a_kind() {
    let spoken = vec![Spoken { language: "en".into(), sentences: Arc::new(Endless) }];
    let says: SharedClassifier = Arc::new(Mutex::new(Says(Category::HomeControl, 0.9, SURE)));
    let router = Router::new(spoken, Some(says), IntentConfig::default(), facts());
    let found = router.understand("some nicer light for the note that we know", "en");
    assert!(found.intents.is_empty() && found.meant.is_none(), "nothing is done: {found:?}");
    assert_eq!(found.why, Understanding::unread().why);
    assert_eq!(found.classification.unwrap().category, Category::HomeControl);
    assert!(router.understand("das wetter", "de").classification.is_none(), "it knows one language only");
}

/// Knows some texts that ask for nothing.
struct Remarks(&'static [&'static str]);

impl Classify for Remarks {
    fn classify(&mut self, text: &str) -> Result<Classification, Fault> {
        Says(Category::OutOfScope, 1.0, &[]).classify(text)
    }

    fn embed(&mut self, _: &str) -> Result<Vec<f32>, Fault> {
        Ok(vec![1.0])
    }

    fn embed_words(&mut self, _: &str) -> Result<WordVectors, Fault> {
        Ok(Vec::new())
    }

    fn statement(&mut self, text: &str) -> Result<Option<Statement>, Fault> {
        let plain = text.to_lowercase().replace(',', "");
        let asks_nothing = if self.0.contains(&plain.as_str()) { 0.9 } else { 0.1 };
        Ok(Some(Statement { asks_nothing, worth_keeping: 0.3 }))
    }
}

#[test]
fn a_remark_beside_a_request_is_left_out() {
    let remarks = Remarks(&[
        "she likes it up",
        "it's freezing",
        "the baby sleeps",
        "she's back at seven",
        "it's my gran not my mum",
        "she doesn't want it",
        "the hall can stay on",
        "the shed",
        "as soon as she is back",
        "she is back",
        "nobody's to",
    ]);
    let spoken = Spoken { language: "en".into(), sentences: Arc::new(OneSentence("turn lights on", 1.0)) };
    let router = Router {
        spoken: vec![spoken],
        classifier: Some(Arc::new(Mutex::new(remarks))),
        ..router(Says(Category::OutOfScope, 1.0, &[]))
    };
    for (text, is_read) in [
        ("turn lights on she likes it up", true),
        ("turn lights on the baby sleeps", true),
        ("it's freezing turn lights on", true),
        ("It's freezing, turn lights on", true),
        // It may ask for something, says a number, puts something right, leaves something out, or is one more thing.
        ("turn lights on she wants it up", false),
        ("turn lights on she's back at seven", false),
        ("turn lights on it's my gran not my mum", false),
        ("turn lights on she doesn't want it", false),
        ("turn lights on the hall can stay on", false),
        ("the shed turn lights on", false),
        ("turn lights on and she likes it up", false),
        // What limits a request stays.
        ("turn lights on as soon as she is back", false),
        ("turn lights on when she is back", false),
        ("nobody's to turn lights on", false),
        // The rest is not understood.
        ("turn lamps on she likes it up", false),
    ] {
        let found = router.understand(text, "unknown");
        assert_eq!(!found.intents.is_empty(), is_read, "{text}: {found:?}");
    }
}

#[test]
fn what_a_question_asks_of_is_no_remark() {
    let spoken = Spoken { language: "en".into(), sentences: Arc::new(OneSentence("how much is", 1.0)) };
    let router = Router {
        spoken: vec![spoken],
        classifier: Some(Arc::new(Mutex::new(Remarks(&["the plumber charging"])))),
        ..router(Says(Category::OutOfScope, 1.0, &[]))
    };
    assert!(router.understand("how much is the plumber charging", "unknown").intents.is_empty());
}

#[test]
fn an_order_behind_other_words_is_found() {
    let spoken = Spoken { language: "en".into(), sentences: Arc::new(OneSentence("lock up", 1.0)) };
    let router = Router::new(vec![spoken], None, IntentConfig::default(), facts());
    let orders =
        |text| router.orders_within(&Said { text, now: Default::default(), effort: &Effort::default() });
    assert!(orders("next time he goes out lock up") && orders("if it's dark lock up he never does"));
    assert!(orders("He is out tomorrow. Lock up"));
    assert!(!orders("we always lock up") && !orders("next time he goes out lock down"));
}

//! Keeps what was meant with turns that were taken wrongly: the words become an example in the owner's
//! folder, which the next training of the classifier takes in.

use crate::app::clock;
use hark_config::nearest;
use hark_core::ports::{HomeView, Understand};
use hark_core::teaching::{Correction, Lesson};
use hark_core::text::one_line;
use hark_core::{Category, Envelope, Fault, FaultKind, Intent, PublicEvent, Route, TurnId};
use hark_nlu::intent::examples::spoken;
use hark_nlu::intent::examples::{Label, Marked, mark};
use hark_nlu::intent::{IntentPaths, category_of, intents};
use hark_store::turns::{TurnRecord, Turns};
use std::sync::Arc;

/// Longer texts are no requests of a home.
const MAX_WORDS: usize = 40;
const MAX_CHARACTERS: usize = 300;
/// Characters of what comes from outside that stand in a message.
const MAX_SHOWN: usize = 80;
/// Turns that are named to whoever names one that is not there.
const NAMED_TURNS: u32 = 5;
/// Stands for what no home can do.
const NONE: &str = "none";

/// See the module.
pub struct Teacher {
    pub(crate) turns: Turns,
    /// Understands other words for what was meant.
    pub(crate) understand: Arc<dyn Understand>,
    pub(crate) home: Arc<dyn HomeView>,
    pub(crate) paths: IntentPaths,
    /// The language of the classifier.
    pub(crate) language: String,
}

impl Teacher {
    /// Keeps a correction.
    ///
    /// # Errors
    /// `BadInput` for a turn or intent that is not known, or words nothing can be learned from; else when
    /// the examples cannot be written.
    pub fn teach(&self, correction: &Correction) -> Result<Lesson, Fault> {
        match correction {
            Correction::Turn { turn, meant, domain } => {
                let text = words_of(&self.turn(turn)?)?;
                self.keep(&text, &self.label(meant, domain.as_deref())?)
            }
            Correction::Said { text, intent } => self.keep(text, &self.label_of(intent)),
        }
    }

    fn turn(&self, turn: &str) -> Result<TurnRecord, Fault> {
        let found =
            if turn == "last" { self.turns.last()? } else { self.turns.by_id(&TurnId::from(turn))? };
        if let Some(record) = found {
            return Ok(record);
        }
        let newest = self.turns.newest(NAMED_TURNS)?;
        let known: Vec<String> = newest
            .iter()
            .filter_map(|record| Some(format!("{} (“{}”)", record.id, words_of(record).ok()?)))
            .collect();
        let fix = match known.is_empty() {
            true => "ask for something first".to_owned(),
            false => format!("the last ones are {}", known.join(", ")),
        };
        Err(bad(format!("no turn {:?} is kept", one_line(turn, MAX_SHOWN)), fix))
    }

    /// What was meant: an intent, nothing, or other words that say it.
    fn label(&self, meant: &str, domain: Option<&str>) -> Result<Label, Fault> {
        let meant = meant.trim();
        if meant == NONE || meant == Category::OutOfScope.name() {
            return Ok(Label::category(Category::OutOfScope));
        }
        if category_of(meant).is_some() {
            return Ok(Label::intent(meant, domain));
        }
        let found =
            self.understand.understand_within(meant, "unknown", clock::wall_local(), &clock::effort());
        match found.intents.as_slice() {
            [intent] if intent.route == Route::Template && found.missed.is_empty() => {
                let own = self.label_of(intent);
                Ok(Label { domain: domain.map(str::to_owned).or(own.domain), ..own })
            }
            _ => {
                let near = nearest(meant, intents());
                let near = near.map_or_else(String::new, |near| format!("did you mean {near}? "));
                let fix = "give the name of an intent, `none`, or words that one sentence template fits";
                let message =
                    format!("there is no intent {:?}, and no one request either", one_line(meant, MAX_SHOWN));
                Err(bad(message, format!("{near}{fix}")))
            }
        }
    }

    fn label_of(&self, intent: &Intent) -> Label {
        let slot = |name: &str| intent.slots.get(name).and_then(|value| value.as_str());
        let home = self.home.home();
        let named = |name: &str| home.entities.iter().find(|entity| entity.name == name);
        let of_entity = || named(slot("name")?)?.id.0.split('.').next();
        Label::intent(&intent.name, slot("domain").or_else(of_entity))
    }

    fn keep(&self, text: &str, label: &Label) -> Result<Lesson, Fault> {
        let words = spoken(text);
        let fits = (1..=MAX_WORDS).contains(&words.split(' ').filter(|word| !word.is_empty()).count());
        if !fits || text.chars().count() > MAX_CHARACTERS || text.contains(char::is_control) {
            let message = format!("“{}” is nothing to learn from", one_line(text, MAX_SHOWN));
            return Err(bad(message, format!("mark a request of 1 to {MAX_WORDS} words")));
        }
        let marked = mark(&self.paths.marked(&self.language), text, label)?;
        let meant = label.intent.clone().unwrap_or_else(|| NONE.to_owned());
        tracing::debug!(?marked, "{meant} was meant");
        let note = self.note(text, &meant);
        Ok(Lesson { text: text.to_owned(), meant, known: marked == Marked::Known, note })
    }

    /// The classifier is asked only where no template fits.
    fn note(&self, text: &str, meant: &str) -> Option<String> {
        let found = self.understand.understand_within(text, "unknown", clock::wall_local(), &clock::effort());
        let template = found.intents.iter().find(|intent| intent.route == Route::Template)?;
        let other = template.name != meant;
        other.then(|| {
            let name = &template.name;
            format!(
                "a sentence template takes these words for {name}, and templates come first: {}",
                template.why
            )
        })
    }
}

/// What was said in a turn, if it was made out.
fn words_of(record: &TurnRecord) -> Result<String, Fault> {
    let events =
        record.events.iter().filter_map(|event| serde_json::from_value::<Envelope>(event.clone()).ok());
    let mut transcripts = events.filter_map(|envelope| match envelope.event {
        PublicEvent::Transcript(transcript) => Some(transcript),
        _ => None,
    });
    let nothing =
        |why: &str| bad(format!("turn {}: {why}", record.id), "mark one whose words were made out".into());
    match transcripts.next_back() {
        Some(transcript) if transcript.rejected.is_some() => Err(nothing("its words were not made out")),
        Some(transcript) if !transcript.text.trim().is_empty() => Ok(transcript.text),
        _ => Err(nothing("nothing was said in it")),
    }
}

fn bad(message: String, fix: String) -> Fault {
    Fault::new(FaultKind::BadInput, "teach", message, fix)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::{Slots, Stamp, Transcript};
    use hark_home::{HomeRegistry, file};
    use hark_nlu::intent::examples;
    use hark_nlu::{Grammar, Sentences};
    use hark_store::store::Store;
    use std::path::Path;

    fn record(id: &str, text: &str, rejected: bool) -> TurnRecord {
        let transcript = Transcript {
            text: text.into(),
            engine: "typed".into(),
            confidence: 1.0,
            language: "en".into(),
            rejected: rejected.then(|| "noise".into()),
            why: None,
            speaker: None,
        };
        let event = PublicEvent::Transcript(transcript);
        let envelope = Envelope::new(event, Some(id.into()), Stamp::default(), "now".into());
        TurnRecord {
            id: id.into(),
            at: "now".into(),
            session: "ask".into(),
            events: vec![serde_json::to_value(envelope).unwrap()],
            inputs: Vec::new(),
        }
    }

    fn teacher(folder: &Path) -> Teacher {
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
        let home = Arc::new(HomeRegistry::new(file::example(true).unwrap()));
        let sentences = Sentences::load(&[models.join("languages/en/sentences")], "en").unwrap();
        let turns = Turns::new(Store::open(&folder.join("hark.db")).unwrap());
        turns.save_turn(&record("t-1", "it is gloomy at the stove", false)).unwrap();
        turns.save_turn(&record("t-2", "turn on the kitchen light", false)).unwrap();
        turns.save_turn(&record("t-3", "mumble", true)).unwrap();
        let understand = Arc::new(Grammar::new(&sentences, &home.home()));
        Teacher {
            turns,
            understand,
            home,
            paths: IntentPaths::new(&models, folder, ""),
            language: "en".into(),
        }
    }

    fn turn(turn: &str, meant: &str) -> Correction {
        Correction::Turn { turn: turn.into(), meant: meant.into(), domain: None }
    }

    #[test]
    fn a_turn_is_marked_by_intent_by_words_and_as_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let teacher = teacher(folder.path());
        let labels = || examples::load(&teacher.paths.own_examples("en")).unwrap();
        for (meant, intent, domain) in [
            ("HassTurnOn", Some("HassTurnOn"), None),
            ("turn on the kitchen light", Some("HassTurnOn"), Some("light")),
            ("open the garage door", Some("HassTurnOn"), Some("cover")),
            ("none", None, None),
        ] {
            let lesson = teacher.teach(&turn("t-1", meant)).unwrap();
            assert_eq!(lesson.text, "it is gloomy at the stove");
            assert_eq!((lesson.meant.as_str(), lesson.known), (intent.unwrap_or(NONE), false), "{meant}");
            assert_eq!(lesson.note, None, "no template fits it");
            let kept = labels();
            assert_eq!(kept.len(), 1, "{meant}: the last meaning counts");
            assert_eq!(kept[0].label.intent.as_deref(), intent);
            assert_eq!(kept[0].label.domain.as_deref(), domain, "{meant}");
        }
        assert!(teacher.teach(&turn("t-1", "none")).unwrap().known);
        let lesson = teacher.teach(&turn("t-2", "none")).unwrap();
        assert!(lesson.note.unwrap().contains("HassTurnOn"), "a template is stronger, and that is told");
    }

    #[test]
    fn what_is_not_known_is_told_with_what_is_near() {
        let folder = tempfile::tempdir().unwrap();
        let teacher = teacher(folder.path());
        let fault = |correction| teacher.teach(&correction).unwrap_err();
        let unknown = fault(turn("t-9", "HassTurnOn"));
        assert!(unknown.fix.contains("t-1 (“it is gloomy") && !unknown.fix.contains("mumble"), "{unknown}");
        let slip = fault(turn("t-1", "HassTurnOnn"));
        assert!(slip.fix.contains("did you mean HassTurnOn?"), "{slip}");
        assert!(fault(turn("t-1", "wobble the frobnicator")).fix.contains("`none`"));
        assert!(
            fault(turn("last", "HassTurnOn")).message.contains("not made out"),
            "the last one was rejected"
        );
        assert!(!fault(turn("x\u{7}\n", "a")).message.contains('\u{7}'));
        assert!(!teacher.paths.marked("en").exists(), "nothing was kept");
        for text in ["", "?!", &"x ".repeat(41), &"x".repeat(301)] {
            let intent = Box::new(Intent {
                name: "HassTurnOn".into(),
                slots: Slots::new(),
                confidence: 1.0,
                route: Route::Template,
                why: String::new(),
                response: None,
                single: false,
            });
            assert_eq!(fault(Correction::Said { text: text.to_owned(), intent }).kind, FaultKind::BadInput);
        }
    }
}

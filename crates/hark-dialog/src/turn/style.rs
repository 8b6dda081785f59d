//! The style of a language model's answers, and how many earlier turns it gets. Typed commands set it for their conversation:
//! `/persona a butler`, `/verbosity long`, `/replay session`, `/replay last:5`, `/replay auto`. Words ("talk like a butler",
//! "be brief") set it for all conversations; in a conversation with a name, for that one only.

use super::Machine;
use super::state::Phase;
use crate::slash::Slip;
use hark_core::public_event::{Outcome, PublicEvent};
use hark_core::session::{ReplayChoice, Style, Verbosity};
use hark_core::{Effect, Fault, Intent, Reply, Route, Slots, Stamp, TurnId};
use serde_json::json;

/// Intent of such words, and its slots.
const STYLE: &str = "HarkStyle";
const PERSONA: &str = "persona";
const VERBOSITY: &str = "verbosity";
const ITSELF: &str = "itself";

/// Longest name of somebody to speak as, characters.
const MAX_CHARS: usize = 100;

impl Machine {
    /// Whether the text was such a command; what it says is kept then, or how it is written is told.
    pub(super) fn change_style(&mut self, now: Stamp, id: &TurnId, text: &str) -> bool {
        let Some(read) = read(text) else { return false };
        let Some(turn) = self.turn_mut(id) else { return true };
        let style = match read {
            Ok(style) => style,
            Err(slip) => {
                turn.outcome = Outcome::NotUnderstood;
                self.reply(now, id, slip.reply());
                return true;
            }
        };
        turn.heard = text.to_owned();
        turn.times.intent = Some(now);
        let slots = match serde_json::to_value(&style) {
            Ok(serde_json::Value::Object(slots)) => slots,
            _ => Slots::new(),
        };
        let why = "the whole request is this command".into();
        let intent = Intent {
            name: STYLE.into(),
            slots,
            confidence: 1.0,
            route: Route::Instinct,
            why,
            response: None,
            single: false,
        };
        self.keep_style(id, intent, style);
        true
    }

    /// Whether the request says in words how it wants to be answered; that is kept then.
    pub(super) fn change_style_in_words(&mut self, now: Stamp, id: &TurnId, intents: &[Intent]) -> bool {
        let [only] = intents else { return false };
        let Some(style) = in_words(only) else { return false };
        if self.settings.thinks {
            self.keep_style(id, only.clone(), style);
        } else {
            // What Hark says without a model stays as it is.
            self.tell_intent(id, only.clone());
            self.reply(now, id, Reply::Fixed { key: "style_needs_model".into() });
        }
        true
    }

    fn keep_style(&mut self, id: &TurnId, intent: Intent, style: Style) {
        let Some(turn) = self.turn_mut(id) else { return };
        turn.route = Some(intent.route);
        let (dry_run, origin) = (turn.dry_run, turn.origin.clone());
        self.tell_intent(id, intent);
        if dry_run {
            self.close(id, Outcome::DryRun);
        } else {
            self.out.push(Effect::Style { turn: id.clone(), origin, style });
        }
    }

    /// It was kept, for this conversation or everywhere, or could not be.
    pub(super) fn on_styled(&mut self, now: Stamp, id: &TurnId, everywhere: bool, fault: Option<Fault>) {
        let Some(turn) = self.turn_mut(id).filter(|turn| turn.phase == Phase::Understanding) else { return };
        let Some(fault) = fault else {
            let key = if everywhere { "styled_everywhere" } else { "styled" };
            self.reply(now, id, Reply::Fixed { key: key.into() });
            return;
        };
        turn.outcome = Outcome::Failed;
        self.publish(Some(id), PublicEvent::Error(fault));
        self.reply(now, id, Reply::Report { words: None, done: 0, steps: 1, troubles: Vec::new() });
    }
}

/// What an intent says of how to answer; `None` where it says nothing of it.
fn in_words(intent: &Intent) -> Option<Style> {
    let slot = |name: &str| intent.slots.get(name);
    let persona = match slot(ITSELF) {
        Some(_) => Some(String::new()),
        None => {
            slot(PERSONA).and_then(|name| name.as_str()).map(|name| name.chars().take(MAX_CHARS).collect())
        }
    };
    let verbosity = slot(VERBOSITY).and_then(|value| serde_json::from_value(value.clone()).ok());
    let style = Style { persona, verbosity, replay: None, in_words: true };
    (intent.name == STYLE && (style.persona.is_some() || style.verbosity.is_some())).then_some(style)
}

/// What a command asks for; `None` when the text is none of these, else that, or what is wrong with it.
fn read(text: &str) -> Option<Result<Style, Slip>> {
    let text = text.trim();
    let (command, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest = rest.trim();
    match command.to_ascii_lowercase().as_str() {
        "/persona" => Some(persona(rest)),
        "/verbosity" => Some(verbosity(rest)),
        "/replay" => Some(replay(rest)),
        _ => None,
    }
}

fn persona(rest: &str) -> Result<Style, Slip> {
    if rest.chars().count() > MAX_CHARS {
        return Err(Slip::new("slip_persona", &MAX_CHARS.to_string()));
    }
    let itself = ["", "none", "hark", "yourself"].contains(&rest.to_lowercase().as_str());
    let persona = if itself { String::new() } else { rest.to_owned() };
    Ok(Style { persona: Some(persona), ..Style::default() })
}

fn verbosity(rest: &str) -> Result<Style, Slip> {
    match serde_json::from_value::<Verbosity>(json!(rest.to_lowercase())) {
        Ok(verbosity) => Ok(Style { verbosity: Some(verbosity), ..Style::default() }),
        Err(_) => Err(Slip::new("slip_verbosity", "")),
    }
}

fn replay(rest: &str) -> Result<Style, Slip> {
    match ReplayChoice::parse(&rest.to_lowercase()) {
        Some(choice) if !rest.is_empty() => Ok(Style { replay: Some(choice), ..Style::default() }),
        _ => Err(Slip::new("slip_replay", "")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_and_slips_are_named() {
        let persona = |name: &str| Some(Ok(Style { persona: Some(name.into()), ..Style::default() }));
        assert_eq!(read("/persona a butler"), persona("a butler"));
        assert_eq!(read(" /Persona  A pirate "), persona("A pirate"));
        for itself in ["/persona", "/persona none", "/persona Hark"] {
            assert_eq!(read(itself), persona(""), "{itself}");
        }
        let long = Style { verbosity: Some(Verbosity::Long), ..Style::default() };
        assert_eq!(read("/verbosity LONG"), Some(Ok(long)));
        let replay = |choice| Some(Ok(Style { replay: Some(choice), ..Style::default() }));
        assert_eq!(read("/replay Session"), replay(ReplayChoice::Session));
        assert_eq!(read("/replay last:5"), replay(ReplayChoice::Last(5)));
        assert_eq!(read("/replay auto"), replay(ReplayChoice::Auto));
        for slip in [
            "/replay",
            "/replay last:0",
            "/replay last:x",
            "/replay last:101",
            "/verbosity",
            "/verbosity loud",
            &format!("/persona {}", "x".repeat(101)),
        ] {
            assert!(
                read(slip).is_some_and(|read| read.is_err_and(|slip| slip.key.starts_with("slip_"))),
                "{slip}"
            );
        }
        for other in ["persona", "/personality", "/mode", ""] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}

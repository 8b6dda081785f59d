//! Requests that are written down until they are acted on.

use super::tests::{self, at, machine};
use hark_core::public_event::{Origin, PublicEvent};
use hark_core::{Effect, Event};

#[test]
fn a_promised_request_opens_the_turn_of_its_id_or_is_settled_at_once() {
    let mut machine = machine();
    let promised = |event| Event::Promised { turn: "asked-7".into(), event: Box::new(event) };
    let typed = Event::Typed { text: "hello".into(), origin: Origin::Mqtt, speak: false, dry_run: false };
    let effects = machine.handle(at(1), promised(typed.clone()));
    let turn = |effect: &Effect| match effect {
        Effect::Publish { turn, event: PublicEvent::Transcript(_), .. } => turn.clone(),
        _ => None,
    };
    assert_eq!(effects.iter().find_map(turn), Some("asked-7".into()));
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Settled { .. })), "its end settles it");
    let effects = machine.handle(at(2), promised(Event::CancelTimers));
    let settled = Effect::Settled { turn: "asked-7".into() };
    assert!(effects.ends_with(&[Effect::CancelTimers, settled]), "{effects:?}");
    let effects = machine.handle(at(3), typed);
    assert_eq!(effects.iter().find_map(turn), Some(tests::turn(1)), "others are numbered as ever");
}

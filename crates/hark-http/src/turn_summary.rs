//! The summary of a turn, made from its events.

use super::wire::TurnSummary;
use serde_json::Value;

/// Reads the events of a turn, in order.
pub(super) fn of(turn: &str, at: &str, session: &str, events: &[Value]) -> TurnSummary {
    let mut summary = TurnSummary {
        turn: turn.to_owned(),
        at: at.to_owned(),
        session: session.to_owned(),
        ..TurnSummary::default()
    };
    for event in events {
        let text = |name: &str| event.get(name).and_then(Value::as_str).map(str::to_owned);
        match event.get("event").and_then(Value::as_str) {
            Some("transcript") => summary.text = text("text"),
            Some("intent") => summary.intents.extend(text("name")),
            Some("reply") => {
                // With `ends` the whole reply is told; before it, what has been made of it so far.
                let peer = event.get("ends").and_then(Value::as_bool).unwrap_or(true);
                if peer || summary.reply.is_none() {
                    summary.reply = text("text");
                }
                summary.language = text("language");
            }
            Some("turn") => {
                summary.route = text("route");
                summary.outcome = text("outcome");
                summary.timings_ms = event.get("timings_ms").and_then(Value::as_object).cloned();
            }
            _ => {}
        }
    }
    summary
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_story_is_read_from_the_events() {
        let events = [
            json!({ "event": "transcript", "text": "turn it on" }),
            json!({ "event": "intent", "name": "HassTurnOn" }),
            json!({ "event": "intent", "name": "HassGetState" }),
            json!({ "event": "reply", "text": "Turned", "language": "en", "ends": false }),
            json!({ "event": "reply", "text": "Turned it on.", "language": "en", "ends": true }),
            json!({ "event": "turn", "route": "template", "outcome": "done", "timings_ms": { "to_first_audio": 1.5 } }),
        ];
        let summary = of("t-1", "now", "voice", &events);
        assert_eq!(summary.text.as_deref(), Some("turn it on"));
        assert_eq!(summary.intents, ["HassTurnOn", "HassGetState"]);
        assert_eq!(summary.reply.as_deref(), Some("Turned it on."));
        assert_eq!(summary.outcome.as_deref(), Some("done"));
        assert_eq!(summary.timings_ms.unwrap()["to_first_audio"], 1.5);
        assert_eq!(of("t-2", "now", "voice", &[json!(7), json!({})]).text, None);
    }
}

//! The end of a task in a structured form: a model that calls `tell_person` says of each sentence which receipts back it. A
//! sentence is kept only where those are receipts of this task, of what was done, and where it says no more than they do, by act
//! and thing; one without receipts must claim nothing. Words that come without this form are checked as they are.

use super::claimed_action::ClaimedAction;
use hark_core::Risk;
use hark_core::model::{ModelCall, ToolSpec};
use serde_json::{Value, json};

/// The tool by which a model ends a task.
pub(super) const TELL: &str = "tell_person";
/// Sentences at most, and characters of one.
const MAX_SENTENCES: usize = 6;
const MAX_CHARS: usize = 400;

/// The sentences of a call whose receipts are there, each with what they prove.
pub(super) fn backed<'c>(
    call: &'c ModelCall,
    actions: &[ClaimedAction],
) -> Vec<(&'c str, Vec<ClaimedAction>)> {
    let sentences = call.args["sentences"].as_array().into_iter().flatten();
    let kept = sentences.filter_map(|sentence| {
        let text = sentence["text"].as_str().unwrap_or_default().trim();
        let receipts: Vec<&str> =
            sentence["receipts"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let backing: Vec<ClaimedAction> =
            actions.iter().filter(|action| receipts.contains(&action.receipt.as_str())).cloned().collect();
        let known = |id: &&str| backing.iter().any(|action| action.receipt == **id && action.ok);
        // A receipt that is not there proves nothing, whatever the sentence says.
        receipts.iter().all(known).then_some((text, backing))
    });
    kept.collect()
}

pub(super) fn tell_tool() -> ToolSpec {
    let sentence = json!({
        "type": "object",
        "properties": {
            "text": {"type": "string", "minLength": 1, "maxLength": MAX_CHARS},
            "receipts": {
                "type": "array", "maxItems": 16, "items": {"type": "string", "maxLength": 64},
                "description": "ids of the receipts that prove what it says was done; none where it says nothing was",
            },
        },
        "required": ["text", "receipts"],
        "additionalProperties": false,
    });
    let schema = json!({
        "type": "object",
        "properties": {
            "sentences": {"type": "array", "minItems": 1, "maxItems": MAX_SENTENCES, "items": sentence},
        },
        "required": ["sentences"],
        "additionalProperties": false,
    });
    let description = "Ends the task with what is read aloud to the person, one or two plain sentences.";
    person_tool(TELL, description, schema)
}

/// A tool that speaks with the person; the task itself serves it, no agent does.
pub(super) fn person_tool(name: &str, description: &str, schema: Value) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        description: description.into(),
        schema,
        results: Vec::new(),
        risk: Risk::Read,
        triggers: Vec::new(),
        agent: "person".into(),
        outside: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model_tasks::success_guard::honest;
    use crate::summary;
    use hark_core::Receipt;

    fn action(id: &str, tool: &str, name: &str, ok: bool) -> ClaimedAction {
        let detail = match ok {
            true => json!({"entities": [{"id": "light.x", "name": name}]}),
            false => json!({"error": "offline", "message": "it does not answer"}),
        };
        let receipt = Receipt { id: id.into(), ok, changed: ok, detail, tainted: false };
        ClaimedAction::of(tool, true, &json!({"name": name}), &receipt, &summary::english())
    }

    fn said(sentences: Value) -> String {
        let call = ModelCall { id: "c".into(), tool: TELL.into(), args: json!({"sentences": sentences}) };
        let actions = [
            action("r-1", "home.turn_on", "desk lamp", true),
            action("r-2", "home.turn_off", "heater", true),
            action("r-3", "home.turn_on", "fan", false),
        ];
        let honest =
            |(text, backing): (&str, Vec<_>)| honest(text, &backing, true, &[hark_language::of("en")]);
        backed(&call, &actions).into_iter().filter_map(honest).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_sentence_is_said_only_where_its_own_receipts_are_of_what_it_says() {
        let one = |text: &str, receipts: Value| said(json!([{"text": text, "receipts": receipts}]));
        assert_eq!(one("I turned on the desk lamp.", json!(["r-1"])), "I turned on the desk lamp.");
        assert_eq!(one("Sleep well.", json!([])), "Sleep well.");
        for (text, receipts) in [
            ("I turned on the desk lamp.", json!([])),
            ("I turned on the desk lamp.", json!(["r-2"])),
            ("I turned on the desk lamp.", json!(["r-9"])),
            ("I turned on the desk lamp.", json!(["r-1", "r-9"])),
            ("I turned on the fan.", json!(["r-3"])),
            ("I called the police.", json!(["r-1"])),
            ("I turned off the desk lamp.", json!(["r-1"])),
        ] {
            assert_eq!(one(text, receipts.clone()), "", "{text} {receipts}");
        }
        let both = json!([
            {"text": "I turned on the desk lamp.", "receipts": ["r-1"]},
            {"text": "I locked the door.", "receipts": ["r-2"]},
            {"text": "I turned off the heater.", "receipts": ["r-2"]},
        ]);
        assert_eq!(said(both), "I turned on the desk lamp. I turned off the heater.");
        assert_eq!(said(json!("nothing")), "");
    }
}

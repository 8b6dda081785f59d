//! What a status other than 200 means: wait, ask in another form, or give up.

use super::context_window::TooLong;
use super::wire::Wire;
use super::wire::openai::{Form, Ways};
use serde_json::Value;

/// A refusal as it came.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) status: u16,
    /// What the server says about it, without the key.
    pub(super) says: String,
    /// The code of the error, where there is one.
    code: String,
    /// It is about the form of the answer that was asked for.
    about_form: bool,
    /// It is about what an answer takes, which it was asked to tell.
    about_usage: bool,
    /// The prompt was too long.
    pub(super) too_long: Option<TooLong>,
}

/// What follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Too many requests; later.
    Busy,
    /// Too many requests, and waiting does not help.
    UsedUp,
    /// A fault of the server that may pass.
    Fails,
    /// There is no such model.
    NoModel,
    /// The model can go on with a text, but not chat.
    NoChat,
    /// None of these.
    Refused,
}

impl Refusal {
    /// Reads status and body; the body has the key taken out.
    pub(super) fn read(status: u16, body: &str) -> Self {
        let frame: Value = serde_json::from_str(body).unwrap_or(Value::Null);
        let code = frame.pointer("/error/code").or_else(|| frame.pointer("/error/type"));
        let code = code.and_then(Value::as_str).unwrap_or_default().to_owned();
        let says = super::wire::openai::trouble(&frame).unwrap_or_else(|| body.to_owned());
        let says = super::error::shortened(&says);
        let says = match (status, says.is_empty()) {
            (300..400, _) => "it sends us elsewhere, where the prompt must not go".to_owned(),
            (_, true) => "no reason given".to_owned(),
            _ => says,
        };
        // The last three are Ollama's, whose field is `format`.
        let form_words =
            ["response_format", "json_schema", ".format", "for format", "invalid JSON schema in format"];
        let about_form = form_words.iter().any(|words| body.contains(words));
        let about_usage = body.contains("stream_options");
        Self { status, says, code, about_form, about_usage, too_long: TooLong::read(body) }
    }

    /// What to make of it.
    pub(super) fn meaning(&self, kind: Wire) -> Meaning {
        let says = self.says.to_lowercase();
        let about_model = says.contains("model") || self.code == "model_not_found";
        let absent = ["not found", "does not exist", "not exist", "no such", "not a valid model"];
        match self.status {
            429 if self.code == "insufficient_quota" => Meaning::UsedUp,
            429 => Meaning::Busy,
            408 | 425 | 500 | 502..=599 => Meaning::Fails,
            400 | 404 if kind == Wire::Ollama && says.contains("does not support chat") => Meaning::NoChat,
            400 | 404 if kind == Wire::Ollama && says.contains("template") => Meaning::NoChat,
            // A server without `/api/chat` has no words for it: the page of its router.
            404 if kind == Wire::Ollama && !about_model => Meaning::NoChat,
            400 | 404 if about_model && absent.iter().any(|words| says.contains(words)) => Meaning::NoModel,
            404 if self.code == "model_not_found" => Meaning::NoModel,
            _ => Meaning::Refused,
        }
    }

    /// Whether the server, or its model, takes no tools.
    pub(super) fn is_about_tools(&self) -> bool {
        let says = self.says.to_lowercase();
        let refuses =
            ["support", "require", "not allowed", "not permitted", "unknown", "unrecognized", "extra"];
        matches!(self.status, 400 | 404 | 422 | 500 | 501)
            && says.contains("tool")
            && refuses.iter().any(|word| says.contains(word))
    }

    /// Another way of asking the same that this server may accept, given the one it refused.
    pub(super) fn other_way(&self, kind: Wire, ways: Ways, has_schema: bool) -> Option<Ways> {
        // llama.cpp's Python server calls a request that it does not understand a fault of its own, and so does Ollama.
        let wrong = matches!(self.status, 400 | 422) || self.status == 500 && self.about_form;
        if !wrong {
            return None;
        }
        let is_openai = kind == Wire::Openai;
        if is_openai && !ways.completion_tokens && self.says.contains("max_completion_tokens") {
            return Some(Ways { completion_tokens: true, ..ways });
        }
        if is_openai && !ways.without_usage && self.about_usage {
            return Some(Ways { without_usage: true, ..ways });
        }
        let form = match ways.form {
            Form::Schema => Form::Object,
            Form::Object => Form::Untold,
            Form::Untold => return None,
        };
        has_schema.then_some(Ways { form, ..ways })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Wire::{Ollama, Openai};

    #[test]
    fn a_refusal_is_told_from_another() {
        let cases = [
            (Openai, 429, r#"{"error":{"message":"slow down"}}"#, Meaning::Busy),
            (Openai, 429, r#"{"error":{"message":"x","code":"insufficient_quota"}}"#, Meaning::UsedUp),
            (Openai, 408, "", Meaning::Fails),
            (Openai, 500, "", Meaning::Fails),
            (Openai, 503, "", Meaning::Fails),
            (Openai, 529, "", Meaning::Fails),
            (Openai, 501, "", Meaning::Refused),
            (Openai, 413, "", Meaning::Refused),
            (Openai, 401, r#"{"error":{"message":"wrong key"}}"#, Meaning::Refused),
            (Openai, 404, r#"{"error":{"message":"The model `x` does not exist"}}"#, Meaning::NoModel),
            (Openai, 404, r#"{"error":{"message":"?","code":"model_not_found"}}"#, Meaning::NoModel),
            (Openai, 400, r#"{"error":{"message":"x is not a valid model ID"}}"#, Meaning::NoModel),
            (Openai, 404, "not found", Meaning::Refused),
            (Openai, 302, "", Meaning::Refused),
            (Ollama, 404, r#"{"error":"model 'x' not found"}"#, Meaning::NoModel),
            (Ollama, 404, r#"{"error":"model \"x\" not found, try pulling it first"}"#, Meaning::NoModel),
            (Ollama, 404, "404 page not found", Meaning::NoChat),
            (Ollama, 400, r#"{"error":"\"x\" does not support chat"}"#, Meaning::NoChat),
            (Ollama, 400, r#"{"error":"x does not support tools"}"#, Meaning::Refused),
        ];
        for (kind, status, body, meaning) in cases {
            assert_eq!(Refusal::read(status, body).meaning(kind), meaning, "{status} {body}");
        }
    }

    #[test]
    fn servers_without_tools_say_so_in_their_own_words() {
        for (status, body, about) in [
            (400, r#"{"error":"registry.ollama.ai/library/gemma:2b does not support tools"}"#, true),
            (500, r#"{"error":{"message":"tools param requires --jinja flag"}}"#, true),
            (400, r#"{"message":"\"auto\" tool choice requires --enable-auto-tool-choice"}"#, true),
            (400, r#"{"error":{"message":"temperature must be positive"}}"#, false),
            (429, r#"{"error":{"message":"tools require more credits"}}"#, false),
        ] {
            assert_eq!(Refusal::read(status, body).is_about_tools(), about, "{body}");
        }
    }

    #[test]
    fn other_ways_are_tried_one_after_the_other() {
        let plain = Refusal::read(400, "{}");
        let mut ways = Ways::default();
        let mut forms = Vec::new();
        while let Some(next) = plain.other_way(Openai, ways, true) {
            ways = next;
            forms.push(ways.form);
        }
        assert_eq!(forms, [Form::Object, Form::Untold]);
        assert_eq!(plain.other_way(Openai, Ways::default(), false), None);
        for other in [Refusal::read(401, ""), Refusal::read(500, "it crashed")] {
            assert_eq!(other.other_way(Openai, Ways::default(), true), None);
        }
        // Ollama before 0.5, and a later one whose grammar does not know something of the schema.
        let object = "json: cannot unmarshal object into Go struct field ChatRequest.format of type string";
        for (status, says) in
            [(400, object), (500, object), (500, "invalid JSON schema in format"), (422, "")]
        {
            let refusal = Refusal::read(status, &serde_json::json!({"error": says}).to_string());
            let other = refusal.other_way(Ollama, Ways::default(), true);
            assert_eq!(other.map(|ways| ways.form), Some(Form::Object), "{status} {says}");
            assert_eq!(refusal.other_way(Ollama, Ways::default(), false), None, "{status} {says}");
        }
        assert_eq!(Refusal::read(500, "{}").other_way(Ollama, Ways::default(), true), None);
        let python = r#"{"error":{"message":"[{'loc': ('body', 'response_format', 'type')}]"}}"#;
        assert!(Refusal::read(500, python).other_way(Openai, Ways::default(), true).is_some());
        let older = r#"{"error":{"message":"Unrecognized request argument supplied: stream_options"}}"#;
        assert!(Refusal::read(400, older).other_way(Openai, Ways::default(), false).unwrap().without_usage);
        let newer = Refusal::read(400, r#"{"error":{"message":"Use 'max_completion_tokens' instead."}}"#);
        let way = newer.other_way(Openai, Ways::default(), false).unwrap();
        assert!(way.completion_tokens);
        assert_eq!(newer.other_way(Openai, way, false), None);
    }
}

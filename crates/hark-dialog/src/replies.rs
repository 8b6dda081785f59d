//! Replies in words: response templates (minijinja) filled from slots and receipts. The templates come
//! from `models/languages/<code>/sentences/*.yaml`, each beside the sentences it answers.

use super::{follow_ups, instincts, intent_tools, summary};
use hark_core::intent::refusal;
use hark_core::timer::{Timer, TimerKind};
use hark_core::tool::error_code;
use hark_core::{Fault, FaultKind, Intent, ModelHelp, Part, Receipt, Reply};
use minijinja::{Environment, ErrorKind, UndefinedBehavior};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Response templates of one language: intent (or `replies`, `errors`, `reasons`) → key → template.
pub type Templates = BTreeMap<String, BTreeMap<String, String>>;

/// Group of examples of what can be said of a thing, by its domain.
const THING_EXAMPLES: &str = "thing_examples";
/// Group of examples of what can be said, by tool.
const TOOL_EXAMPLES: &str = "tool_examples";

/// Keys of `replies.yaml` that every language needs.
pub const FIXED_KEYS: [&str; 60] = [
    "not_understood",
    "which_thing",
    "dont_know",
    "dont_know_away",
    "dont_know_refused",
    "dont_know_no_model",
    "dont_know_rate",
    "dont_know_slow",
    "dont_know_connect",
    "can_be_said",
    "ask_again",
    "report",
    "no_picture",
    "no_change",
    "nothing_to_change",
    "help",
    "status",
    "nothing_waits",
    "not_yours",
    "several_wait",
    "styled",
    "cancelled",
    "stopped",
    "repeated_nothing",
    "muted",
    "unmuted",
    "gave_up",
    "not_taken_back",
    "not_running",
    "ask_approval",
    "approval_denied",
    "approval_lapsed",
    "ask_pin",
    "pin_wrong",
    "pin_locked",
    "ask_which",
    "ask_meant",
    "missed",
    "unknown_name",
    "timer_finished",
    "timer_finished_late",
    "alarm_rings",
    "alarm_rings_late",
    "reminder_rings",
    "reminder_rings_late",
    "command_missed",
    "slip_remind",
    "slip_remind_when",
    "slip_remind_what",
    "slip_schedule",
    "slip_cron",
    "slip_cron_which",
    "slip_snooze",
    "slip_address",
    "slip_persona",
    "slip_verbosity",
    "slip_replay",
    "slip_plan",
    "slip_model",
    "slip_tool",
];

/// Response key of an intent that asks for no other.
const DEFAULT_KEY: &str = "default";
/// A timer that rings this much after it was due says so.
const LATE_AFTER_MS: i64 = 30_000;

/// Renders replies of one language. Templates are compiled when they are rendered, which takes some tenths
/// of a millisecond: compiled ones take megabytes, and most are never needed.
pub struct Replies {
    environment: Environment<'static>,
    templates: Templates,
}

/// The replies of one language, opened at first need; `None` when they are broken.
pub type Fetch = Box<dyn Fn() -> Option<Arc<Replies>> + Send + Sync>;

/// The replies of every language that is spoken here.
pub struct Phrasebook {
    languages: BTreeMap<String, Fetch>,
    usual: String,
}

impl Phrasebook {
    /// By ISO 639-1 code; `usual` is one of them.
    pub fn new(languages: BTreeMap<String, Fetch>, usual: &str) -> Self {
        Self { languages, usual: usual.to_owned() }
    }

    /// The words of a reply and the language they are in: the one asked for, if it is spoken here.
    ///
    /// # Errors
    /// As [`Replies::render`].
    pub fn render(&self, reply: &Reply, language: &str, unix_ms: i64) -> Result<(String, String), Fault> {
        let fetch = |language: &str| self.languages.get(language).and_then(|fetch| fetch());
        let asked = fetch(language).map(|replies| (replies, language));
        let Some((replies, language)) = asked.or_else(|| Some((fetch(&self.usual)?, self.usual.as_str())))
        else {
            let message = format!("there are no replies in the language {}", self.usual);
            return Err(Fault::new(FaultKind::BadConfiguration, "replies", message, "see speaking.language"));
        };
        Ok((replies.render(reply, unix_ms)?, language.to_owned()))
    }
}

impl Phrasebook {
    /// The words around results of tools in a language, if it is spoken here, else in the usual one.
    pub fn summary_words(&self, language: &str) -> summary::Words {
        let fetch = |language: &str| self.languages.get(language).and_then(|fetch| fetch());
        let replies = fetch(language).or_else(|| fetch(&self.usual));
        replies.map(|replies| replies.summary_words()).unwrap_or_default()
    }
}

impl Replies {
    /// Of templates that were checked when their files were read.
    pub fn new(templates: &Templates) -> Self {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Chainable);
        Self { environment, templates: templates.clone() }
    }

    /// What a language lacks: fixed replies, apologies, and answers to intents: their keys by group.
    pub fn missing<'a>(&self, intents: impl IntoIterator<Item = &'a str>) -> BTreeMap<&'a str, Vec<&'a str>> {
        let fixed = FIXED_KEYS.iter().map(|key| ("replies", *key));
        let errors = error_code::ALL.iter().map(|key| ("errors", *key));
        let refusals = refusal::ALL.iter().map(|key| (refusal::INTENT, *key));
        let lacking = |(group, key): &(&str, &str)| self.template(group, key).is_none();
        let summary = summary::KEYS.iter().map(|key| (summary::GROUP, *key));
        let lacking = fixed.chain(errors).chain(refusals).chain(summary).filter(lacking);
        let answered = |intent: &str| self.templates.get(intent).is_some_and(|keys| !keys.is_empty());
        let silent = intents
            .into_iter()
            .filter(|intent| instincts::named(intent).is_none() && !follow_ups::is_follow_up(intent))
            .filter(|intent| !answered(intent))
            .map(|intent| (intent, DEFAULT_KEY));
        let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (group, key) in lacking.chain(silent) {
            groups.entry(group).or_default().push(key);
        }
        groups
    }

    /// The words around results of tools.
    pub fn summary_words(&self) -> summary::Words {
        summary::Words::new(self.templates.get(summary::GROUP))
    }

    fn template(&self, group: &str, key: &str) -> Option<&str> {
        self.templates.get(group)?.get(key).map(String::as_str)
    }

    /// The words of a reply. `unix_ms` is the wall clock, for timers that ring late.
    ///
    /// # Errors
    /// When the template is missing, does not compile or fails on these values.
    pub fn render(&self, reply: &Reply, unix_ms: i64) -> Result<String, Fault> {
        match reply {
            Reply::Parts { parts } => self.parts(parts),
            Reply::AskApproval { receipt, parts } => {
                let by_pin = receipt.detail["error"] == error_code::NEEDS_PIN;
                let key = if by_pin { "ask_pin" } else { "ask_approval" };
                let question = self.fill("replies", key, json!({ "result": receipt.detail }))?;
                Ok(join(&self.parts(parts)?, &question))
            }
            Reply::NotDone { receipt } => {
                self.fill("replies", "approval_lapsed", json!({ "result": receipt.detail }))
            }
            Reply::AskWhich { candidates, parts } => {
                let key = if candidates.len() == 1 { "ask_meant" } else { "ask_which" };
                let question = self.fill("replies", key, json!({ "candidates": candidates }))?;
                Ok(join(&self.parts(parts)?, &question))
            }
            Reply::Fixed { key } => self.fill("replies", key, json!({})),
            Reply::Slip { key, said } => self.fill("replies", key, json!({ "typed": said })),
            Reply::NotUnderstood { near, hint } => {
                let about = match near {
                    Some(near) => self.example(THING_EXAMPLES, &near.domain, json!({ "name": near.name }))?,
                    None => String::new(),
                };
                let example = if about.is_empty() { self.hint(hint.as_deref())? } else { about };
                Ok(join(&self.fill("replies", "not_understood", json!({}))?, &example))
            }
            Reply::DontKnow { hint, model } => self.dont_know(hint.as_deref(), *model),
            Reply::Hinted { text, tool } => Ok(join(text, &self.hint(Some(tool))?)),
            Reply::Report { words, done, steps, troubles } => {
                let values = json!({ "words": words, "done": done, "steps": steps, "troubles": troubles });
                self.fill("replies", "report", values)
            }
            Reply::Status { mode, state, open_turns } => {
                let values = json!({ "mode": mode, "state": state, "open_turns": open_turns });
                self.fill("replies", "status", values)
            }
            Reply::Text { text } => Ok(text.clone()),
            Reply::TimerRings { timer } => self.timer_rings(timer, unix_ms),
        }
    }

    fn dont_know(&self, hint: Option<&str>, model: ModelHelp) -> Result<String, Fault> {
        let key = match model {
            ModelHelp::NotConnected => "dont_know_connect",
            ModelHelp::Away => "dont_know_away",
            ModelHelp::Refused => "dont_know_refused",
            ModelHelp::NoSuchModel => "dont_know_no_model",
            ModelHelp::RateLimited => "dont_know_rate",
            ModelHelp::TooSlow => "dont_know_slow",
            ModelHelp::Connected => "dont_know",
        };
        let words = self.fill("replies", key, json!({}))?;
        Ok(join(&words, &self.hint(hint)?))
    }

    /// An example of how a tool is asked for; empty where there is none.
    fn hint(&self, tool: Option<&str>) -> Result<String, Fault> {
        tool.map_or_else(|| Ok(String::new()), |tool| self.example(TOOL_EXAMPLES, tool, json!({})))
    }

    /// What can be said, by the key of an example; empty where there is none.
    fn example(&self, group: &str, key: &str, values: Value) -> Result<String, Fault> {
        if self.template(group, key).is_none() {
            return Ok(String::new());
        }
        let example = self.fill(group, key, values)?;
        self.fill("replies", "can_be_said", json!({ "example": example }))
    }

    fn parts(&self, parts: &[Part]) -> Result<String, Fault> {
        let mut text = String::new();
        for part in parts {
            let words = match part {
                Part::Done { intent, receipt } => self.done(intent, receipt)?,
                Part::Unknown { name } => self.fill("replies", "unknown_name", json!({ "name": name }))?,
                Part::Missed { text } => self.fill("replies", "missed", json!({ "text": text }))?,
                Part::Answer { intent } => self.fill(
                    &intent.name,
                    intent.response.as_deref().unwrap_or(DEFAULT_KEY),
                    json!({ "slots": intent.slots }),
                )?,
            };
            text = join(&text, &words);
        }
        Ok(text)
    }

    /// A success sentence needs a receipt that says so; anything else is an apology that says why.
    fn done(&self, intent: &Intent, receipt: &Receipt) -> Result<String, Fault> {
        if intent.name.starts_with(intent_tools::TOOL_PREFIX) && !self.templates.contains_key(&intent.name) {
            return Ok(summary::of(receipt.ok, &receipt.detail, &self.summary_words()));
        }
        let values = json!({ "intent": intent.name, "slots": intent.slots, "result": receipt.detail });
        if receipt.ok {
            return self.fill(&intent.name, intent.response.as_deref().unwrap_or(DEFAULT_KEY), values);
        }
        let told = |group, key: &str| self.template(group, key).is_some();
        if let Some(why) = receipt.detail["why"].as_str().filter(|why| told("reasons", why)) {
            return self.fill("reasons", why, values);
        }
        let code = receipt.detail["error"].as_str().unwrap_or("failed");
        self.fill("errors", if told("errors", code) { code } else { "failed" }, values)
    }

    fn timer_rings(&self, timer: &Timer, unix_ms: i64) -> Result<String, Fault> {
        let late_ms = unix_ms - timer.due_unix_ms;
        let late = late_ms > LATE_AFTER_MS;
        let key = match timer.kind {
            TimerKind::Timer if late => "timer_finished_late",
            TimerKind::Timer => "timer_finished",
            TimerKind::Alarm if late => "alarm_rings_late",
            TimerKind::Alarm => "alarm_rings",
            TimerKind::Reminder if late => "reminder_rings_late",
            TimerKind::Reminder => "reminder_rings",
            TimerKind::Command => "command_missed",
        };
        let total_seconds = timer.duration_ms / 1000;
        let values = json!({
            "name": timer.name,
            "hours": total_seconds / 3600,
            "minutes": total_seconds / 60 % 60,
            "seconds": total_seconds % 60,
            "late_minutes": late_ms / 60_000,
        });
        self.fill("replies", key, json!({ "timer": values }))
    }

    fn fill(&self, group: &str, key: &str, values: Value) -> Result<String, Fault> {
        let absent = || minijinja::Error::new(ErrorKind::TemplateNotFound, "there is none");
        let template = self
            .template(group, key)
            .ok_or_else(absent)
            .and_then(|text| self.environment.template_from_named_str(key, text))
            .map_err(|error| fault(group, key, &error))?;
        let text =
            template.render(minijinja::value::Serde(values)).map_err(|error| fault(group, key, &error))?;
        Ok(text.split_whitespace().collect::<Vec<_>>().join(" "))
    }
}

fn join(first: &str, second: &str) -> String {
    match (first.is_empty(), second.is_empty()) {
        (true, _) => second.to_owned(),
        (_, true) => first.to_owned(),
        _ => format!("{first} {second}"),
    }
}

fn fault(group: &str, key: &str, error: &minijinja::Error) -> Fault {
    Fault::new(
        FaultKind::BadInput,
        "replies",
        format!("the response template {group}/{key} cannot be used: {error:#}"),
        format!("correct `responses: intents: {group}: {key}` in models/languages/<code>/sentences/"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::{Route, Slots, TimerId};

    fn replies() -> Replies {
        let group = |entries: &[(&str, &str)]| {
            entries.iter().map(|(key, text)| ((*key).to_owned(), (*text).to_owned())).collect()
        };
        let templates = Templates::from([
            ("HassTurnOn".into(), group(&[("default", "Turned on the {{ result.name | lower }}.")])),
            ("HarkHowAreYou".into(), group(&[("default", "Fine.")])),
            (
                "errors".into(),
                group(&[("failed", "That failed."), ("offline", "{{ slots.name }} is offline.")]),
            ),
            (
                "replies".into(),
                group(&[
                    ("ask_approval", "Really {{ result.action }} the {{ result.name }}?"),
                    ("timer_finished", "{{ timer.name or 'Your' }} timer is done."),
                    ("timer_finished_late", "It was due {{ timer.late_minutes }} minutes ago."),
                ]),
            ),
            (summary::GROUP.into(), summary::english_sentences()),
        ]);
        Replies::new(&templates)
    }

    fn intent(name: &str) -> Intent {
        let slots = Slots::from_iter([("name".to_owned(), json!("Lamp"))]);
        Intent {
            name: name.into(),
            slots,
            confidence: 1.0,
            route: Route::Template,
            why: String::new(),
            response: None,
            single: false,
        }
    }

    fn receipt(ok: bool, detail: Value) -> Receipt {
        Receipt { id: "r".into(), ok, changed: ok, detail, tainted: false }
    }

    #[test]
    fn a_success_sentence_needs_a_receipt() {
        let say = |receipt: Receipt| {
            let parts = vec![Part::Done { intent: intent("HassTurnOn"), receipt }];
            replies().render(&Reply::Parts { parts }, 0).unwrap()
        };
        assert_eq!(say(receipt(true, json!({"name": "Lamp"}))), "Turned on the lamp.");
        assert_eq!(say(receipt(false, json!({"error": "offline"}))), "Lamp is offline.");
        assert_eq!(say(receipt(false, json!({"error": "never heard of"}))), "That failed.");
        assert_eq!(say(receipt(false, json!({}))), "That failed.");
    }

    #[test]
    fn a_tool_without_a_sentence_is_summarised() {
        let say = |receipt: Receipt| {
            let parts = vec![Part::Done { intent: intent("tool.process.list"), receipt }];
            replies().render(&Reply::Parts { parts }, 0).unwrap()
        };
        assert_eq!(say(receipt(true, json!({"processes": [], "count": 0}))), "No processes.");
        let detail = json!({"error": "failed", "message": "nothing runs", "fix": "start it"});
        assert_eq!(say(receipt(false, detail)), "Sorry, nothing runs. What helps: start it.");
    }

    #[test]
    fn parts_and_questions_are_joined() {
        let parts = vec![
            Part::Answer { intent: intent("HarkHowAreYou") },
            Part::Done { intent: intent("HassTurnOn"), receipt: receipt(true, json!({"name": "Lamp"})) },
        ];
        let ask =
            receipt(false, json!({"error": "needs_approval", "action": "unlock", "name": "front door"}));
        let text = replies().render(&Reply::AskApproval { receipt: ask, parts }, 0).unwrap();
        assert_eq!(text, "Fine. Turned on the lamp. Really unlock the front door?");
    }

    #[test]
    fn a_late_timer_says_so() {
        let timer = Timer {
            id: TimerId::from("t"),
            kind: TimerKind::Timer,
            name: Some("Pizza".into()),
            area: None,
            duration_ms: 60_000,
            created_unix_ms: 0,
            due_unix_ms: 60_000,
            remaining_ms: 0,
            state: hark_core::timer::TimerState::Ringing,
            recurrence: None,
            wall: None,
            skipped: None,
        };
        let reply = Reply::TimerRings { timer };
        assert_eq!(replies().render(&reply, 60_500).unwrap(), "Pizza timer is done.");
        assert_eq!(replies().render(&reply, 660_000).unwrap(), "It was due 10 minutes ago.");
    }

    #[test]
    fn a_missing_or_broken_template_is_named() {
        let fault = replies().render(&Reply::Fixed { key: "nowhere".into() }, 0).unwrap_err();
        assert!(fault.message.contains("replies/nowhere"), "{fault}");
        let broken = Templates::from([("X".into(), BTreeMap::from([("y".into(), "{{ oops".into())]))]);
        let fault = Replies::new(&broken).fill("X", "y", json!({})).unwrap_err();
        assert!(fault.message.contains("X/y"), "{fault}");
    }
}

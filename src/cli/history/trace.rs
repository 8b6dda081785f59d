//! Events as lines for people; with `--json` the same objects as NDJSON.

use hark_core::context::{ContextOutcome, ContextPart};
use hark_core::model::delivery::PromptSent;
use hark_core::tool::error_code;
use hark_core::{Envelope, Lesson, PublicEvent, Transcript};
use serde_json::Value;
use std::io::Write;

/// A listener that prints every event to standard output.
pub fn printer(json: bool) -> impl FnMut(&Envelope) + Send {
    move |envelope| {
        let line = if json { serde_json::to_string(envelope).ok() } else { line(envelope) };
        if let Some(line) = line {
            // A reader that went away (`hark hear … | head`) is no reason to stop hearing.
            let _ = writeln!(std::io::stdout().lock(), "{line}");
        }
    }
}

/// A prompt that went to a server: what that took, and what of it left the house.
fn prompt(sent: &PromptSent) -> String {
    let PromptSent { contract, delivery, tools, parts } = sent;
    let count = |tokens: Option<u32>| tokens.map_or_else(|| "?".to_owned(), |tokens| tokens.to_string());
    let mut line = format!("prompt       {contract} to {}, {}", delivery.server, delivery.model);
    let known =
        delivery.cached_tokens.map_or_else(String::new, |tokens| format!(", {tokens} of them known there"));
    line += &format!(": {} tokens{known}, {tools} tools", count(delivery.prompt_tokens));
    line += &format!("; answer {} tokens", count(delivery.answer_tokens));
    if delivery.left_out > 0 {
        line += &format!("; {} characters did not fit", delivery.left_out);
    }
    if let Some(cost) = delivery.micro_cents {
        line += &format!("; {:.4} cents", cost as f64 / 1e6);
    }
    let parts: Vec<String> = parts.iter().map(|part| format!("{} {}", part.what, part.chars)).collect();
    let what = if delivery.outside { "LEFT THE HOUSE" } else { "characters" };
    line + &format!("; {what}: {}", parts.join(", "))
}

/// One line for people; `None` for events that only programs care about.
pub fn line(envelope: &Envelope) -> Option<String> {
    let at_s = envelope.audio_ms.map_or(envelope.t_ms, |ms| ms as f64) / 1000.0;
    Some(format!("{at_s:9.3} s  {}", words(&envelope.event)))
}

fn words(event: &PublicEvent) -> String {
    match event {
        PublicEvent::Wake { word, score } => format!("wake         {word} ({score:.3})"),
        PublicEvent::WakeRejected { word, score, why } => format!("no wake      {word} ({score:.3}): {why}"),
        PublicEvent::SpeechStarted => "speech".to_owned(),
        PublicEvent::SpeechEnded { endpoint } => format!("speech ended {}", name(endpoint)),
        PublicEvent::Partial { text, .. } => format!("  …          {text}"),
        PublicEvent::Transcript(transcript) => {
            let why = transcript.why.as_ref().map_or_else(String::new, |why| format!(": {why}"));
            let Transcript { text, engine, confidence, rejected, .. } = transcript;
            match rejected {
                Some(reason) => format!("not heard    “{text}” rejected: {reason} ({engine}{why})"),
                None => {
                    let speaker = transcript.speaker.as_ref();
                    let by = speaker
                        .map_or_else(String::new, |by| format!(", {}'s voice {:.2}", by.name, by.likelihood));
                    format!("heard        “{text}” ({engine} {confidence:.2}{why}{by})")
                }
            }
        }
        PublicEvent::Intent { intent, .. } => {
            format!(
                "intent       {} {} [{}: {}]",
                intent.name,
                compact(&intent.slots),
                name(intent.route),
                intent.why
            )
        }
        PublicEvent::Contract { name, attempt, valid, errors, fallback } => {
            let what = if *valid { "valid".to_owned() } else { format!("invalid: {}", errors.join("; ")) };
            let fallback = if *fallback { ", its fallback is used" } else { "" };
            format!("contract     {name}, attempt {attempt}: {what}{fallback}")
        }
        PublicEvent::Evaluation { label, metrics, alert, .. } => {
            let alert = alert.as_ref().map_or_else(String::new, |alert| format!(": {alert}"));
            format!("evaluation   {label} {}{alert}", compact(metrics))
        }
        PublicEvent::Replay(policy) => {
            let strength = name(policy.context_strength);
            format!("replay       {} earlier turns, {strength} context", policy.entries_used)
        }
        PublicEvent::Context { sources } => {
            let told = |part: &ContextPart| {
                let (source, outcome) = (name(part.source), name(part.outcome));
                let what = match part.outcome {
                    ContextOutcome::Used => format!("{} ({} characters)", part.items, part.chars),
                    _ => outcome,
                };
                let why = part.why.as_ref().map_or_else(String::new, |why| format!(", {why}"));
                format!("{source} {what} {:.1} ms{why}", part.took_ms)
            };
            format!("context      {}", sources.iter().map(told).collect::<Vec<_>>().join("; "))
        }
        PublicEvent::Prompt(sent) => prompt(sent),
        PublicEvent::Plan(plan) => format!("plan         {} ({} steps)", plan.summary, plan.steps.len()),
        PublicEvent::StepUpdate { step, status, message, .. } => {
            format!("step         {step} {} {message}", name(status)).trim_end().to_owned()
        }
        PublicEvent::Mode { from, to, why } => format!("mode         {from} → {to}: {why}"),
        PublicEvent::Action { tool, receipt, duration_ms, .. } => {
            let what = match (receipt.ok, receipt.detail["error"].as_str()) {
                (true, _) if receipt.changed => "done".to_owned(),
                (true, _) => "ok".to_owned(),
                (false, Some(error_code::NEEDS_APPROVAL)) => "waits for a yes".to_owned(),
                (false, error) => format!("not done: {}", error.unwrap_or("failed")),
            };
            format!("action       {tool} {what}, receipt {} ({duration_ms:.1} ms)", receipt.id)
        }
        PublicEvent::Delegation { program, state, text, .. } => {
            format!("task         {program} {}: {text}", name(state))
        }
        PublicEvent::Reply { text, ends: false, .. } => format!("saying       “{text}”"),
        PublicEvent::Reply { text, .. } => format!("reply        “{text}”"),
        PublicEvent::SpeakingStarted => "speaking".to_owned(),
        PublicEvent::SpeakingEnded { reason } => format!("spoken       {}", name(reason)),
        PublicEvent::BargeIn { decision, latency_ms } => {
            format!("barge-in     {} ({latency_ms:.0} ms)", name(decision))
        }
        PublicEvent::State { state } => format!("state        {}", name(state)),
        PublicEvent::Timer { change, timer, .. } => {
            format!("timer        {} {}", name(change), timer.name.as_deref().unwrap_or("(unnamed)"))
        }
        PublicEvent::Setting { name, value } => format!("setting      {name} = {value}"),
        PublicEvent::Lesson(lesson) => lesson_line(lesson),
        PublicEvent::Error(fault) => format!("error        {fault}"),
        PublicEvent::Turn { timings_ms, outcome, .. } => {
            let waited = timings_ms.speech_end_to_first_audio;
            let waited = waited.map(|ms| format!(", {ms:.0} ms from the end of speech to the first sound"));
            format!("turn         {}{}", name(outcome), waited.unwrap_or_default())
        }
    }
}

/// What was kept of a correction.
pub(crate) fn lesson_line(lesson: &Lesson) -> String {
    let note = lesson.note.as_ref().map_or_else(String::new, |note| format!(" (but {note})"));
    let known = if lesson.known { ", as was known" } else { "" };
    format!("lesson       “{}” means {}{known}{note}", lesson.text, lesson.meant)
}

/// The serialised name of a unit variant.
pub(crate) fn name(value: impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(name)) => name,
        other => format!("{other:?}"),
    }
}

/// Slots as `key=value` pairs.
fn compact(slots: &serde_json::Map<String, Value>) -> String {
    let pairs: Vec<String> = slots
        .iter()
        .map(|(key, value)| match value {
            Value::String(text) => format!("{key}={text}"),
            other => format!("{key}={other}"),
        })
        .collect();
    format!("{{{}}}", pairs.join(", "))
}

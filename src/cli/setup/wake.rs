//! The wake word, tried at the microphone as the daemon hears it.

use super::Setup;
use super::dialogue::Answer;
use super::sound::quietly;
use crate::app::audio::microphone_source::MicrophoneSource;
use crate::app::builder::App;
use crate::app::service::health::Health;
use crate::app::setup::wake::{LISTENING, TIMES, lower_threshold, note, shortest, spoken, words};
use hark_core::setup::WakeTrial;
use hark_core::{Event, Fault, FaultKind};
use hark_stt::stt::worker::SttMode;
use hark_stt::{HearingEvent, PipelineCommand};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often the ring is emptied.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Asks for a wake word, and listens for it.
pub(super) fn word(setup: &mut Setup) -> Answer<String> {
    setup.talk.say("wake_intro", &[]);
    let manifest = setup.manifest()?;
    let config = setup.config()?;
    let words = words(&config, &manifest);
    let configured = config.wake.words;
    let options: Vec<String> = words.iter().map(|word| spoken(word)).collect();
    let usual = words.iter().position(|word| configured.first() == Some(word)).unwrap_or(0);
    let chosen = setup.talk.choose(&setup.text("wake_which", &[]), &options, usual)?;
    let (word, said) = (&words[chosen], &options[chosen]);
    if configured.first() != Some(word) || configured.len() != 1 {
        setup.write([("wake.words", toml::Value::Array(vec![word.as_str().into()]))])?;
    }
    if setup.config()?.audio.input_device == "none" {
        return Ok(setup.text("wake_untried", &[("word", said)]));
    }
    loop {
        let app = setup.app()?;
        let ready = || setup.talk.say("wake_say", &[("word", said), ("times", &TIMES.to_string())]);
        let trial = listen(&app, ready, |score, heard| {
            let score = format!("{score:.2}");
            setup.talk.say(if heard { "wake_heard" } else { "wake_near" }, &[("score", &score)]);
        })?;
        if trial.heard.len() >= TIMES {
            return Ok(setup.text("wake_works", &[("word", said)]));
        }
        let heard = trial.heard.len().to_string();
        setup.talk.say("wake_missed", &[("heard", &heard), ("times", &TIMES.to_string())]);
        let threshold = setup.config()?.wake.threshold;
        let lower = lower_threshold(&trial, threshold);
        let lowered = lower.map(|lower| setup.text("wake_lower", &[("threshold", &format!("{lower:.2}"))]));
        let mut options = vec![setup.text("wake_again", &[]), setup.text("wake_leave", &[("word", said)])];
        options.extend(lowered);
        match setup.talk.choose(&setup.text("what_now", &[]), &options, 0)? {
            0 => {}
            1 => return Ok(setup.text("wake_untried", &[("word", said)])),
            _ => setup.write([("wake.threshold", shortest(lower.unwrap_or(threshold)).into())])?,
        }
    }
}

/// Listens as the daemon does, until the word was heard [`TIMES`] times or the time is over; every score is told, with
/// whether it was enough; `ready` is called when it begins.
fn listen(app: &App, ready: impl FnOnce(), mut tell: impl FnMut(f32, bool)) -> Result<WakeTrial, Fault> {
    let health = Arc::new(Health::default());
    let (mut source, mut pipeline) = quietly(|| {
        let mut source = MicrophoneSource::start(&app.config.audio, health.clone(), Arc::default());
        let pipeline = app.pipeline(SttMode::Live)?;
        source.settle(&app.event_queue);
        Ok::<_, Fault>((source, pipeline))
    })?;
    if !health.is_microphone_open() {
        let none = || {
            let fix = "choose one in the step before (`hark setup microphone`)";
            Fault::new(FaultKind::MissingPart, "microphone", "no microphone could be opened", fix)
        };
        return Err(match app.event_queue.pop(Instant::now()) {
            Some(Event::Fault { fault }) => fault,
            _ => none(),
        });
    }
    ready();
    let end = Instant::now() + LISTENING;
    let (mut samples, mut events) = (Vec::new(), Vec::new());
    let mut trial = WakeTrial::default();
    while trial.heard.len() < TIMES && Instant::now() < end {
        samples.clear();
        source.read(&mut samples, &app.event_queue);
        pipeline.process(&samples, &mut events);
        for event in events.drain(..) {
            match event.event {
                HearingEvent::Wake { score, .. } => {
                    note(&mut trial, score, true);
                    tell(score, true);
                    // Not for the request that follows: for the word again.
                    pipeline.command(PipelineCommand::Sleep);
                }
                HearingEvent::WakeRejected { score, .. } => {
                    note(&mut trial, score, false);
                    tell(score, false);
                }
                HearingEvent::Fault(fault) => return Err(fault),
                _ => {}
            }
        }
        std::thread::sleep(LOOK_EVERY);
    }
    Ok(trial)
}

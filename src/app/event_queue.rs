//! The queue in front of the turn machine, with a lane of its own for what must never wait.

use hark_core::pin::MASK;
use hark_core::public_event::Origin;
use hark_core::{Event, MicrophoneId, RemoteSpeech, Setting};
use hark_dialog::instincts::{self, InstinctInput};
use hark_dialog::pin_words;
use hark_language::Lexicon;
use std::collections::{HashMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Most events that may wait. The machine takes microseconds for one, so a full lane means it is stuck.
const CAPACITY: usize = 1024;

/// Timers that changed, what tools owe and requests from MQTT are taken beyond that: nobody tells of them again. A
/// timer that rings changes a few times, and there are at most some thousand; a request has at most 4 KiB.
const PROMISES: usize = 16 * CAPACITY;

/// No reflex has as many letters.
const LONGEST_REFLEX: usize = 100;

/// The lane is full; the event was refused and counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{refused} events were refused: the turn machine does not keep up")]
pub struct Full {
    /// How many were refused since start.
    pub refused: u64,
}

#[derive(Debug, Default)]
struct Lanes {
    control: VecDeque<Event>,
    /// Each with its number, by which the two lanes are one where none is held.
    normal: VecDeque<(u64, Event)>,
    /// Typed requests, which wait while another is read.
    requests: VecDeque<(u64, Event)>,
    /// How many came into these two since start.
    came: u64,
    are_requests_held: bool,
    refused: u64,
    closed: bool,
}

impl Lanes {
    /// The event of the two lanes that came first, of those that are not held.
    fn next(&mut self) -> Option<Event> {
        let number = |lane: &VecDeque<(u64, Event)>| lane.front().map(|(number, _)| *number);
        let request = number(&self.requests).filter(|_| !self.are_requests_held);
        let lane = match (number(&self.normal), request) {
            (Some(normal), Some(request)) if request < normal => &mut self.requests,
            (None, Some(_)) => &mut self.requests,
            _ => &mut self.normal,
        };
        lane.pop_front().map(|(_, event)| event)
    }
}

/// Bounded, with a lane for control, one for typed requests and one for everything else. Overflow: the latter two refuse
/// and count; the control lane keeps the last event of each kind, so it cannot overflow and nothing it holds is lost.
#[derive(Debug, Default)]
pub struct EventQueue {
    lanes: Mutex<Lanes>,
    ready: Condvar,
    /// The sound of utterances whose transcripts follow, in the order of those; `None` is the node's own microphone.
    sounds: Mutex<HashMap<Option<MicrophoneId>, VecDeque<Vec<f32>>>>,
    /// The languages in which reflexes and PINs are known.
    languages: Vec<&'static Lexicon>,
}

impl EventQueue {
    /// An empty one; `languages`: those in which reflexes and PINs are known.
    pub fn new(languages: Vec<&'static Lexicon>) -> Self {
        Self { languages, ..Self::default() }
    }

    /// The languages in which reflexes and PINs are known.
    pub(crate) fn languages(&self) -> &[&'static Lexicon] {
        &self.languages
    }

    /// Puts an event in. Never blocks.
    ///
    /// # Errors
    /// When the normal lane is full.
    pub fn push(&self, event: Event) -> Result<(), Full> {
        let mut lanes = self.lock();
        if is_control(&event) {
            lanes.control.retain(|other| std::mem::discriminant(other) != std::mem::discriminant(&event));
            lanes.control.push_back(event);
        } else if lanes.normal.len() + lanes.requests.len() < most(&event) {
            lanes.came += 1;
            let numbered = (lanes.came, event);
            let lane =
                if waits(&numbered.1, &self.languages) { &mut lanes.requests } else { &mut lanes.normal };
            lane.push_back(numbered);
        } else {
            // The sound of a transcript goes with it.
            self.with_sounds_of(&event, VecDeque::pop_back);
            lanes.refused += 1;
            return Err(Full { refused: lanes.refused });
        }
        drop(lanes);
        self.ready.notify_one();
        Ok(())
    }

    /// Keeps the sound of an utterance, 16 kHz mono in −1.0 ..= 1.0, until its transcript is taken up. It is no event:
    /// the machine has no use for it, and it is never written with the events of a turn.
    pub fn keep_sound(&self, microphone: Option<MicrophoneId>, samples: Vec<f32>) {
        let mut sounds = self.sounds.lock().unwrap_or_else(PoisonError::into_inner);
        sounds.entry(microphone).or_default().push_back(samples);
    }

    /// Takes the sound of the utterance that this event is the transcript of, if it is one. Either every transcript of a
    /// microphone has its sound kept before it, or none.
    pub fn take_sound(&self, event: &Event) -> Option<Vec<f32>> {
        self.with_sounds_of(event, VecDeque::pop_front)
    }

    fn with_sounds_of(
        &self,
        event: &Event,
        take: impl FnOnce(&mut VecDeque<Vec<f32>>) -> Option<Vec<f32>>,
    ) -> Option<Vec<f32>> {
        let microphone = match event {
            Event::Transcript { .. } => None,
            Event::RemoteSpeech { microphone, heard: RemoteSpeech::Transcript { .. }, .. } => {
                Some(*microphone)
            }
            _ => return None,
        };
        let mut sounds = self.sounds.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = sounds.get_mut(&microphone)?;
        let taken = take(waiting);
        if waiting.is_empty() {
            sounds.remove(&microphone);
        }
        taken
    }

    /// The next event, control first; waits until `deadline`. `None` when the time is up or the event queue
    /// was closed.
    pub fn pop(&self, deadline: Instant) -> Option<Event> {
        let mut lanes = self.lock();
        loop {
            if let Some(event) = lanes.control.pop_front() {
                return Some(event);
            }
            if let Some(event) = lanes.next() {
                return Some(event);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if lanes.closed || left.is_zero() {
                return None;
            }
            lanes = self.ready.wait_timeout(lanes, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// While one request is read the next ones wait: they may lean on it. Nothing else does.
    pub fn hold_requests(&self, held: bool) {
        self.lock().are_requests_held = held;
    }

    /// Ends waiting, for shutdown.
    pub fn close(&self) {
        self.lock().closed = true;
        self.ready.notify_all();
    }

    /// Whether `close` was called.
    pub fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// How many events were refused since start.
    pub fn refused(&self) -> u64 {
        self.lock().refused
    }

    fn lock(&self) -> MutexGuard<'_, Lanes> {
        // The lanes are whole after every statement that can panic, so a poisoned lock is usable.
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Events that must not wait behind others.
fn is_control(event: &Event) -> bool {
    matches!(event, Event::Stop | Event::Set { setting: Setting::MicMute(_) })
}

/// Most events that may wait before one is refused.
fn most(event: &Event) -> usize {
    match event {
        // At most as many as are read at a time, and what they belong to waits for them.
        Event::Understood { .. } | Event::Covered { .. } => usize::MAX,
        event if is_promise(event) => PROMISES,
        _ => CAPACITY,
    }
}

/// Whether it is a typed request that has to be read. A word that is a reflex, or may be a PIN, waits for nothing.
fn waits(event: &Event, languages: &[&'static Lexicon]) -> bool {
    let asked = InstinctInput { last_reply: None, awaiting_approval: true, languages };
    let is_pin =
        |text: &str| pin_words::find(text, true, languages).is_some_and(|found| found.masked == MASK);
    match event {
        Event::Promised { event, .. } => waits(event, languages),
        Event::Typed { text, .. } => {
            text.len() > LONGEST_REFLEX || instincts::find(text, &asked).is_none() && !is_pin(text.trim())
        }
        _ => false,
    }
}

/// Events that are told once and waited for.
fn is_promise(event: &Event) -> bool {
    let from_mqtt = |origin: &Origin| matches!(origin, Origin::Mqtt | Origin::MqttSession(_));
    match event {
        Event::Automation { .. }
        | Event::Delegation { .. }
        | Event::Timer { .. }
        | Event::Acted { .. }
        | Event::Say { .. }
        | Event::Correct { .. } => true,
        Event::Promised { .. } => true,
        // The broker has our word for it.
        Event::Typed { origin, .. } => from_mqtt(origin),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::Receipt;
    use std::time::Duration;

    #[test]
    fn the_sound_of_an_utterance_goes_with_the_transcript_of_its_microphone_once() {
        let event_queue = EventQueue::new(Vec::new());
        event_queue.keep_sound(None, vec![0.125]);
        // The next utterance of the same microphone is over before the transcript of the first was taken up.
        event_queue.keep_sound(None, vec![0.5]);
        event_queue.keep_sound(Some(MicrophoneId(1)), vec![0.75]);
        let transcript = hark_core::Transcript {
            text: "stop".into(),
            engine: "grammar".into(),
            confidence: 1.0,
            language: "en".into(),
            rejected: None,
            why: None,
            speaker: None,
        };
        let heard = RemoteSpeech::Transcript { transcript: transcript.clone() };
        let remote =
            Event::RemoteSpeech { microphone: MicrophoneId(1), origin: Origin::Api("web".into()), heard };
        assert_eq!(event_queue.take_sound(&Event::SpeechStarted), None);
        assert_eq!(event_queue.take_sound(&remote), Some(vec![0.75]));
        assert_eq!(event_queue.take_sound(&remote), None);
        let own = Event::Transcript { transcript };
        assert_eq!(event_queue.take_sound(&own), Some(vec![0.125]));
        assert_eq!(event_queue.take_sound(&own), Some(vec![0.5]));
        assert_eq!(event_queue.take_sound(&own), None);
        // A transcript that is refused takes its sound along.
        while event_queue.push(Event::Tick).is_ok() {}
        event_queue.keep_sound(None, vec![0.25]);
        assert!(event_queue.push(own.clone()).is_err());
        assert_eq!(event_queue.take_sound(&own), None);
    }

    #[test]
    fn control_overtakes_and_is_never_refused() {
        let event_queue = EventQueue::new(vec![hark_language::of("en")]);
        for _ in 0..CAPACITY {
            event_queue.push(Event::Tick).unwrap();
        }
        assert_eq!(event_queue.push(Event::ListenNow), Err(Full { refused: 1 }));
        let receipt = Receipt {
            id: "r".into(),
            ok: true,
            changed: true,
            detail: serde_json::json!({}),
            tainted: false,
        };
        let acted = Event::Acted { turn: "t".into(), index: 0, receipt, duration_ms: 1.0 };
        event_queue.push(acted).unwrap();
        let asked = |origin| Event::Typed { text: "hello".into(), origin, speak: false, dry_run: false };
        event_queue.push(asked(Origin::Mqtt)).unwrap();
        assert!(event_queue.push(asked(Origin::Cli)).is_err());
        event_queue.push(Event::Set { setting: Setting::MicMute(true) }).unwrap();
        event_queue.push(Event::Stop).unwrap();
        event_queue.push(Event::Set { setting: Setting::MicMute(false) }).unwrap();
        let soon = Instant::now() + Duration::from_secs(1);
        assert_eq!(event_queue.pop(soon), Some(Event::Stop));
        assert_eq!(
            event_queue.pop(soon),
            Some(Event::Set { setting: Setting::MicMute(false) }),
            "the last switch counts"
        );
        assert_eq!(event_queue.pop(soon), Some(Event::Tick));
    }

    #[test]
    fn while_one_request_is_read_the_next_wait_and_nothing_else_does() {
        let event_queue = EventQueue::new(vec![hark_language::of("en")]);
        let typed = |text: &str| Event::Typed {
            text: text.into(),
            origin: Origin::Mqtt,
            speak: false,
            dry_run: false,
        };
        let promised = |text: &str| Event::Promised { turn: "asked-1".into(), event: Box::new(typed(text)) };
        let came = [
            typed("turn on the lamp"),
            Event::Tick,
            promised("turn off the lamp"),
            promised("Stop!"),
            typed("4217"),
            typed("yes"),
            typed("undo that"),
        ];
        came.iter().for_each(|event| event_queue.push(event.clone()).unwrap());
        let now = Instant::now();
        let mut took = Vec::new();
        for held in [false, true, true, true, true, true, false, false, true] {
            event_queue.hold_requests(held);
            took.push(event_queue.pop(now).and_then(|event| came.iter().position(|known| *known == event)));
        }
        let expected = [Some(0), Some(1), Some(3), Some(4), Some(5), None, Some(2), Some(6), None];
        assert_eq!(took, expected);
        came.iter().for_each(|event| event_queue.push(event.clone()).unwrap());
        event_queue.hold_requests(false);
        let order: Vec<_> = came.iter().map(|_| event_queue.pop(now).unwrap()).collect();
        assert_eq!(order, came, "in their order where none is held");
    }

    #[test]
    fn waiting_ends_at_the_deadline_and_on_close() {
        let event_queue = EventQueue::new(vec![hark_language::of("en")]);
        assert_eq!(event_queue.pop(Instant::now()), None);
        event_queue.close();
        assert_eq!(event_queue.pop(Instant::now() + Duration::from_secs(60)), None);
    }
}

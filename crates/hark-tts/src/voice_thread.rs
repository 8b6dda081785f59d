//! The thread `hark-voice`: takes what is to be said, has samples made of it and feeds the ring.
//!
//! Orders wait in a queue of [`QUEUE_LIMIT`]; when it is full a new one is refused. Stopping, changing
//! the output and shutting down do not queue: they are flags that the thread looks at between any two
//! steps, and stopping silences the ring itself at once, whatever the thread is doing. Synthesis runs
//! on a thread of its own, so that this one is never held up and the next phrase is made while one
//! plays.

use super::error::SpeakingError;
use super::mailbox::{Gone, Inbox, Mailbox, Order};
use super::playback::{PlaybackControl, PlaybackFeeder};
use super::reply_text::ReplyText;
use super::synthesis_thread::Maker;
use super::voice_loop::Worker;
use hark_core::audio::Earcon;
use hark_core::ports::Voice;
use hark_core::{Fault, TurnId};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

pub use super::mailbox::SpeakingEvent;

/// How many replies and earcons may wait; one more is refused.
pub const QUEUE_LIMIT: usize = 16;

/// The running thread; dropping it silences the voice and joins it.
pub struct VoiceThread {
    handle: VoiceHandle,
    thread: Option<JoinHandle<()>>,
}

impl VoiceThread {
    /// Starts the thread. Without a `voice` only earcons sound; without an `output` nothing does.
    /// `report` is called on the thread.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(
        voice: Option<Box<dyn Voice>>,
        output: Option<PlaybackFeeder>,
        volume_percent: u8,
        report: impl FnMut(SpeakingEvent) + Send + 'static,
    ) -> Result<Self, Fault> {
        let mailbox = Arc::new(Mailbox {
            inbox: Mutex::new(Inbox { volume_percent, ..Inbox::default() }),
            news: Condvar::new(),
            settled: Condvar::new(),
            interrupt: AtomicBool::new(false),
        });
        let handle = VoiceHandle { mailbox: Arc::clone(&mailbox) };
        handle.attach(output);
        let maker = voice.map(|voice| Maker::start(voice, Arc::clone(&mailbox))).transpose()?;
        let thread = std::thread::Builder::new()
            .name("hark-voice".into())
            .spawn(move || {
                let _gone = Gone(Arc::clone(&mailbox));
                Worker::new(mailbox, maker, Box::new(report)).run();
            })
            .map_err(|error| SpeakingError::Thread { message: error.to_string() })?;
        Ok(Self { handle, thread: Some(thread) })
    }

    /// A handle for giving orders.
    pub fn handle(&self) -> VoiceHandle {
        self.handle.clone()
    }
}

impl Drop for VoiceThread {
    fn drop(&mut self) {
        self.handle.mailbox.interrupt(|inbox| {
            inbox.shutdown = true;
            inbox.drop_all();
        });
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was already printed; there is nobody left to tell.
            let _ = thread.join();
        }
    }
}

/// Gives orders to the voice; every method returns at once, but for [`VoiceHandle::settle`].
#[derive(Clone)]
pub struct VoiceHandle {
    pub(super) mailbox: Arc<Mailbox>,
}

impl VoiceHandle {
    /// Says `text` after what is queued. Its end is reported exactly once.
    ///
    /// # Errors
    /// When the queue is full; then nothing will be reported.
    pub fn say(
        &self,
        turn: TurnId,
        text: impl Into<String>,
        language: impl Into<String>,
    ) -> Result<(), Fault> {
        let text = Arc::new(ReplyText::whole(text.into()));
        self.order(Order::Say { turn, text, language: language.into() })
    }

    /// Begins a reply whose text comes piece by piece; it is spoken after what is queued, phrase by
    /// phrase as they are complete. Its end is reported exactly once.
    ///
    /// # Errors
    /// When the queue is full; then nothing will be reported.
    pub fn say_stream(&self, turn: TurnId, language: impl Into<String>) -> Result<SpeechStream, Fault> {
        let text = Arc::new(ReplyText::default());
        self.order(Order::Say { turn, text: Arc::clone(&text), language: language.into() })?;
        Ok(SpeechStream { text, mailbox: Arc::clone(&self.mailbox) })
    }

    /// Makes the sound of a likely reply without playing it, while nothing else is to be made. A `say`
    /// of the same text then begins with it. One reply is kept: a different one takes its place (a
    /// blank one throws it away), and so do a stop and the end of whatever is said instead. At most
    /// its first phrases are made. Returns at once, never fails: without it `say` only takes longer.
    pub fn prepare(&self, text: impl Into<String>, language: impl Into<String>) {
        self.mailbox.lock().likely = Some((text.into(), language.into()));
        self.mailbox.tell();
    }

    /// Plays a short sound after what is queued. Nothing is reported of it.
    ///
    /// # Errors
    /// When the queue is full.
    pub fn earcon(&self, earcon: Earcon) -> Result<(), Fault> {
        self.order(Order::Earcon(earcon))
    }

    /// Silences what sounds (within the next callback of the device, with a fade of 5 ms), forgets
    /// what is queued, aborts what is being made. Orders given afterwards are carried out.
    pub fn stop(&self) {
        self.mailbox.interrupt(Inbox::drop_all);
    }

    /// Sets the volume, 0–100; it holds for later outputs too.
    pub fn set_volume(&self, percent: u8) {
        let mut inbox = self.mailbox.lock();
        inbox.volume_percent = percent.min(100);
        if let Some(control) = &inbox.control {
            control.set_volume(inbox.volume_percent);
        }
    }

    /// The volume now, 0–100.
    pub fn volume_percent(&self) -> u8 {
        self.mailbox.lock().volume_percent
    }

    /// Makes what sounds quieter by `db` decibels, within a callback of the device and a ramp of 10 ms,
    /// until [`VoiceHandle::unduck`] or a stop.
    pub fn duck(&self, db: f32) {
        self.with_control(|control| control.duck(db));
    }

    /// Holds what sounds: silence until [`VoiceHandle::unduck`], which goes on where it was, or a stop.
    pub fn pause(&self) {
        self.with_control(PlaybackControl::pause);
    }

    /// Back to the volume, from where it was paused.
    pub fn unduck(&self) {
        self.with_control(PlaybackControl::unduck);
    }

    fn with_control(&self, change: impl FnOnce(&PlaybackControl)) {
        if let Some(control) = &self.mailbox.lock().control {
            change(control);
        }
    }

    /// Plays to another device from now on, or to none. What was under way ends as stopped;
    /// what is queued is played there.
    pub fn attach(&self, output: Option<PlaybackFeeder>) {
        self.mailbox.interrupt(|inbox| {
            if let Some(old) = &inbox.control {
                old.stop();
            }
            inbox.control = output.as_ref().map(PlaybackFeeder::control);
            if let Some(control) = &inbox.control {
                control.set_volume(inbox.volume_percent);
            }
            inbox.output = Some(output);
        });
    }

    /// Whether there is an output.
    pub fn has_output(&self) -> bool {
        self.mailbox.lock().control.is_some()
    }

    /// Waits until the voice has done all it can before the device asks for more: everything is
    /// made, or the ring is full, and all reports have been delivered. For playing in lock-step with
    /// a recording; must not be called from a report.
    pub fn settle(&self) {
        let mut inbox = self.mailbox.lock();
        inbox.settle_asked += 1;
        inbox.told += 1;
        let mine = inbox.settle_asked;
        self.mailbox.news.notify_one();
        while inbox.settled < mine && !inbox.gone {
            inbox = self.mailbox.settled.wait(inbox).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(super) fn order(&self, order: Order) -> Result<(), Fault> {
        let mut inbox = self.mailbox.lock();
        if inbox.orders.len() >= QUEUE_LIMIT {
            return Err(SpeakingError::QueueFull { limit: QUEUE_LIMIT }.into());
        }
        inbox.orders.push_back(order);
        inbox.told += 1;
        self.mailbox.news.notify_one();
        Ok(())
    }
}

/// A reply being written. Dropping it finishes it.
pub struct SpeechStream {
    pub(super) text: Arc<ReplyText>,
    pub(super) mailbox: Arc<Mailbox>,
}

impl SpeechStream {
    /// Adds a piece of text, split anywhere between two characters. Answers whether anybody listens:
    /// `false` when the reply was stopped or could not be said, so that its writer can stop too, or
    /// when 256 KiB are waiting. `ahead`: how the text goes on behind the piece, as far as the writer knows, without
    /// being sure that it is to be said; it only tells where a phrase ends.
    pub fn push(&self, piece: &str, ahead: &str) -> bool {
        let is_taken = self.text.push(piece, ahead);
        if is_taken {
            self.mailbox.tell();
        }
        is_taken
    }

    /// Has all that was pushed spoken now, although more will come: for a writer who has to think,
    /// such as a language model that waits for a tool. Otherwise the last words wait for what follows,
    /// because only that tells where their sentence ends.
    pub fn flush(&self) {
        self.text.flush();
        self.mailbox.tell();
    }

    /// Whether the reply was stopped or could not be said.
    pub fn is_closed(&self) -> bool {
        self.text.is_closed()
    }

    /// The reply is whole; its end is reported when it has been spoken.
    pub fn finish(self) {
        // Dropping does it.
    }
}

impl Drop for SpeechStream {
    fn drop(&mut self) {
        self.text.finish();
        self.mailbox.tell();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::playback::{PlaybackSource, playback};
    use crate::voice_loop::SENTENCE_PAUSE_MS;
    use crate::voices::espeak::Espeak;
    use hark_core::ports::PcmSink;
    use hark_core::public_event::SpeakingEnd;
    use std::ops::ControlFlow;
    use std::path::Path;
    use std::sync::atomic::Ordering;
    use std::sync::mpsc::{Receiver, channel};
    use std::time::Duration;
    use std::time::Instant;

    const RATE_HZ: u32 = 48_000;
    const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/cache/espeak-ng-data");

    /// A voice whose phrases are plain: one second of a constant for each word, 100 ms a piece.
    struct Plain;

    impl Voice for Plain {
        fn rate_hz(&self) -> u32 {
            RATE_HZ
        }

        fn synthesise(&mut self, text: &str, language: &str, sink: PcmSink<'_>) -> Result<(), Fault> {
            if language == "xx" {
                return Err(SpeakingError::NoSuchLanguage { language: language.into() }.into());
            }
            for _ in 0..text.split_whitespace().count() * 10 {
                if sink(&[0.5; 4800]) == ControlFlow::Break(()) {
                    break;
                }
            }
            Ok(())
        }
    }

    struct Scene {
        thread: VoiceThread,
        voice: VoiceHandle,
        source: PlaybackSource,
        events: Receiver<SpeakingEvent>,
    }

    fn scene(voice: impl Voice + 'static) -> Scene {
        let (feeder, source) = playback(RATE_HZ, 1, 500);
        let (sender, events) = channel();
        let report = move |event| sender.send(event).unwrap();
        let thread = VoiceThread::start(Some(Box::new(voice)), Some(feeder), 100, report).unwrap();
        Scene { voice: thread.handle(), thread, source, events }
    }

    impl Scene {
        fn say(&self, turn: &str, text: &str) {
            self.voice.say(TurnId::from(turn), text, "en").unwrap();
        }

        /// Plays in lock-step for `ms`; what was heard, and what was reported meanwhile.
        fn play(&mut self, ms: usize) -> (Vec<f32>, Vec<SpeakingEvent>) {
            let (mut heard, mut told) = (Vec::new(), Vec::new());
            for _ in 0..ms / 10 {
                self.voice.settle();
                told.extend(self.events.try_iter());
                let mut out = [9.0; RATE_HZ as usize / 100];
                self.source.fill(&mut out);
                heard.extend(out);
            }
            self.voice.settle();
            told.extend(self.events.try_iter());
            (heard, told)
        }
    }

    fn started(turn: &str) -> SpeakingEvent {
        SpeakingEvent::Started { turn: turn.into() }
    }

    fn ended(turn: &str, reason: SpeakingEnd) -> SpeakingEvent {
        SpeakingEvent::Ended { turn: turn.into(), reason }
    }

    fn loud_ms(samples: &[f32]) -> usize {
        samples.iter().filter(|sample| sample.abs() > 0.01).count() / (RATE_HZ as usize / 1000)
    }

    #[test]
    fn replies_are_played_whole_in_order_and_reported_once() {
        let mut scene = scene(Plain);
        scene.say("a", "one two.");
        scene.say("b", "One. Two.");
        let (heard, told) = scene.play(6000);
        use SpeakingEnd::Done;
        assert_eq!(told, [started("a"), ended("a", Done), started("b"), ended("b", Done)]);
        assert!((3990..=4010).contains(&loud_ms(&heard)), "{}", loud_ms(&heard));
        let last = heard.iter().rposition(|sample| *sample > 0.49).unwrap() / 48;
        assert_eq!(last, 4000 + SENTENCE_PAUSE_MS as usize - 1, "with the pause between the sentences of b");
        assert_eq!(scene.play(500).1, []);
    }

    #[test]
    fn drain_is_reported_with_the_last_sample_and_not_before() {
        let mut scene = scene(Plain);
        scene.say("a", "one");
        assert_eq!(scene.play(0).1, [], "nothing is handed over yet");
        assert_eq!(scene.play(10).1, [started("a")]);
        assert_eq!(scene.play(980).1, []);
        assert_eq!(scene.play(10).1, [ended("a", SpeakingEnd::Done)]);
    }

    #[test]
    fn stop_silences_ends_everything_and_leaves_what_comes_after() {
        let mut scene = scene(Plain);
        scene.say("a", "a very long reply that goes on and on");
        scene.say("b", "never heard");
        scene.play(200);
        scene.voice.stop();
        scene.say("c", "one");
        let (heard, told) = scene.play(1100);
        use SpeakingEnd::{Done, Stop};
        assert_eq!(told, [ended("a", Stop), ended("b", Stop), started("c"), ended("c", Done)]);
        let loud = loud_ms(&heard);
        assert!((1000..=1007).contains(&loud), "5 ms of the old and all of the new: {loud}");
    }

    #[test]
    fn stop_is_obeyed_in_the_middle_of_a_synthesis_and_while_the_ring_is_full() {
        struct Slow {
            begun: Arc<AtomicBool>,
            aborted: Arc<AtomicBool>,
        }
        impl Voice for Slow {
            fn rate_hz(&self) -> u32 {
                RATE_HZ
            }
            fn synthesise(&mut self, _: &str, _: &str, sink: PcmSink<'_>) -> Result<(), Fault> {
                self.begun.store(true, Ordering::Release);
                while sink(&[0.5; 480]) == ControlFlow::Continue(()) {
                    std::thread::sleep(Duration::from_millis(1));
                }
                self.aborted.store(true, Ordering::Release);
                Ok(())
            }
        }
        let (begun, aborted) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let scene = scene(Slow { begun: Arc::clone(&begun), aborted: Arc::clone(&aborted) });
        scene.say("a", "endless");
        // On a busy machine the thread may take its time to begin.
        while !begun.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        let asked = Instant::now();
        scene.voice.stop();
        scene.voice.settle();
        assert!(aborted.load(Ordering::Acquire));
        assert!(asked.elapsed() < Duration::from_millis(500), "{:?}", asked.elapsed());
        assert_eq!(scene.events.try_iter().last(), Some(ended("a", SpeakingEnd::Stop)));
    }

    #[test]
    fn what_cannot_be_said_is_a_fault_and_still_ends() {
        let mut scene = scene(Plain);
        scene.voice.say("a".into(), "hello", "xx").unwrap();
        scene.say("b", "   ");
        let told = scene.play(20).1;
        assert!(matches!(&told[0], SpeakingEvent::Fault(fault) if fault.message.contains("xx")), "{told:?}");
        assert_eq!(told[1..], [ended("a", SpeakingEnd::Stop), ended("b", SpeakingEnd::Done)]);
    }

    #[test]
    fn without_an_output_nothing_starts_and_a_new_one_takes_over() {
        let mut scene = scene(Plain);
        scene.say("a", "one two three");
        assert_eq!(scene.play(100).1, [started("a")]);
        scene.voice.attach(None);
        scene.say("b", "one");
        assert!(!scene.voice.has_output());
        assert_eq!(scene.play(20).1, [ended("a", SpeakingEnd::Stop), ended("b", SpeakingEnd::Stop)]);
        let (feeder, source) = playback(16_000, 2, 500);
        scene.voice.set_volume(50);
        scene.voice.attach(Some(feeder));
        scene.source = source;
        scene.say("c", "one");
        let (heard, told) = scene.play(800);
        assert_eq!(told, [started("c"), ended("c", SpeakingEnd::Done)]);
        // 480 samples a step are 15 ms of two channels at 16 kHz; 0.5 at half the volume is 0.125.
        assert!((heard[2000] - 0.125).abs() < 0.01, "{}", heard[2000]);
    }

    #[test]
    fn the_queue_is_bounded() {
        let mut scene = scene(Plain);
        scene.say("first", &"word ".repeat(30));
        scene.voice.settle();
        for _ in 0..QUEUE_LIMIT {
            scene.voice.earcon(Earcon::Done).unwrap();
        }
        let fault = scene.voice.say("x".into(), "one", "en").unwrap_err();
        assert!(fault.recoverable && fault.message.contains("16"), "{fault}");
        scene.voice.stop();
        assert_eq!(scene.play(20).1.last(), Some(&ended("first", SpeakingEnd::Stop)));
    }

    #[test]
    fn earcons_sound_and_are_not_reported() {
        let mut scene = scene(Plain);
        scene.voice.earcon(Earcon::Wake).unwrap();
        let (heard, told) = scene.play(300);
        assert!((120..=165).contains(&loud_ms(&heard)), "{}", loud_ms(&heard));
        assert_eq!(told, []);
    }

    #[test]
    fn dropping_ends_what_is_under_way() {
        let scene = scene(Plain);
        scene.say("a", "one two three four");
        scene.voice.settle();
        let (voice, events) = (scene.voice.clone(), scene.events);
        drop(scene.thread);
        assert_eq!(events.try_iter().collect::<Vec<_>>(), [ended("a", SpeakingEnd::Stop)]);
        voice.settle();
    }

    #[test]
    fn the_first_sample_is_in_the_ring_within_40_ms() {
        let espeak = Espeak::open(Path::new(DATA), 170, 50).unwrap();
        espeak.warm_up("en").unwrap();
        let mut scene = scene(espeak);
        let mut waits = Vec::new();
        for turn in 0..10 {
            let asked = Instant::now();
            scene.say(&turn.to_string(), "The front door is locked, and all the lights are off.");
            let mut out = [0.0; 1];
            while out[0] == 0.0 {
                // A loudspeaker does not keep a processor busy either.
                std::thread::sleep(Duration::from_micros(100));
                scene.source.fill(&mut out);
            }
            waits.push(asked.elapsed());
            scene.voice.stop();
            scene.play(50);
        }
        waits.sort();
        println!("from say() to the first sample: {:?}, median {:?}", waits[0], waits[5]);
        // The quickest is what the code takes; the others also hold what else this machine does.
        assert!(waits[0] < Duration::from_millis(40), "{waits:?}");
    }
}

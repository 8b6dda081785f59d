//! What runs on the thread `hark-voice`: order by order, phrase by phrase, piece by piece.

use super::earcons;
use super::phrases::{PhraseEnd, phrases};
use super::playback::{ItemReport, PlaybackFeeder};
use super::resample::Resampler;
use super::voice_thread::{Mailbox, Order, SpeakingEvent};
use crate::domain::audio::Earcon;
use crate::domain::ports::Voice;
use crate::domain::public_event::SpeakingEnd;
use crate::domain::{Fault, TurnId};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Pause between two sentences, and between two pieces of one that was too long.
pub(super) const SENTENCE_PAUSE_MS: u32 = 300;
const CLAUSE_PAUSE_MS: u32 = 120;

/// What a voice leads in with below this level (−48 dB of full scale) is left out, so that sound
/// begins at once; at most this much of it, and not the last two milliseconds.
const LEAD_IN_LEVEL: f32 = 0.004;
const LEAD_IN_MAX_MS: u32 = 500;
const LEAD_IN_KEEP_MS: u32 = 2;

/// Takes reports.
pub(super) type Report = Box<dyn FnMut(SpeakingEvent) + Send>;

/// Whether to go on with an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    GoOn,
    /// A stop or a new output came; the order at hand is over and its end is reported.
    Dropped,
    Shutdown,
}

/// The state of the thread.
pub(super) struct Worker {
    mailbox: Arc<Mailbox>,
    voice: Option<Box<dyn Voice>>,
    player: Player,
}

impl Worker {
    pub(super) fn new(mailbox: Arc<Mailbox>, voice: Option<Box<dyn Voice>>, report: Report) -> Self {
        let player = Player {
            report,
            output: None,
            open: Vec::new(),
            last_id: 0,
            resampler: None,
            backlog: Vec::new(),
            sent: 0,
        };
        Self { mailbox, voice, player }
    }

    /// Works until the shutdown.
    pub(super) fn run(mut self) {
        while let Some(order) = self.next_order() {
            let flow = match order {
                Order::Say { turn, text, language } => self.say(turn, &text, &language),
                Order::Earcon(earcon) => self.earcon(earcon),
            };
            if flow == Flow::Shutdown {
                break;
            }
        }
    }

    /// Waits for an order; `None` at the shutdown.
    fn next_order(&mut self) -> Option<Order> {
        loop {
            let asked = self.mailbox.settle_asked();
            if self.attend() == Flow::Shutdown {
                return None;
            }
            if let Some(order) = self.mailbox.take_order() {
                return Some(order);
            }
            self.mailbox.rest(asked, true, self.player.is_playing());
        }
    }

    /// Takes note of interruptions and reports what the ring has done.
    fn attend(&mut self) -> Flow {
        if !self.mailbox.interrupted() {
            self.player.poll();
            return Flow::GoOn;
        }
        let mut inbox = self.mailbox.lock();
        self.mailbox.clear_interrupt(&inbox);
        let (output, cancelled, shutdown) =
            (inbox.output.take(), std::mem::take(&mut inbox.cancelled), inbox.shutdown);
        drop(inbox);
        self.player.drop_all(output);
        for turn in cancelled {
            self.player.ended(turn, SpeakingEnd::Stop);
        }
        if shutdown { Flow::Shutdown } else { Flow::Dropped }
    }

    fn say(&mut self, turn: TurnId, text: &str, language: &str) -> Flow {
        let Some(voice) = self.voice.as_mut().filter(|_| self.player.output.is_some()) else {
            self.player.ended(turn, SpeakingEnd::Stop);
            return Flow::GoOn;
        };
        let rate_hz = voice.rate_hz();
        self.player.begin(Some(turn), rate_hz);
        let mut pause_ms = 0;
        for phrase in phrases(text, language) {
            self.player.pause(pause_ms);
            if let Err(fault) = self.synthesise(&phrase.text, language, rate_hz) {
                self.player.fail(fault);
                break;
            }
            match self.send_backlog() {
                Flow::GoOn => {}
                over => return over,
            }
            pause_ms = match phrase.end {
                PhraseEnd::Sentence => SENTENCE_PAUSE_MS,
                PhraseEnd::Clause => CLAUSE_PAUSE_MS,
            };
        }
        self.player.end();
        Flow::GoOn
    }

    /// Makes one phrase: what the ring has no room for waits in the backlog, so that the engine is
    /// never held up (others may be waiting for it).
    fn synthesise(&mut self, phrase: &str, language: &str, rate_hz: u32) -> Result<(), Fault> {
        let (Some(voice), player, mailbox) = (&mut self.voice, &mut self.player, &self.mailbox) else {
            return Ok(());
        };
        let mut lead_in = LeadIn::new(rate_hz);
        let result = voice.synthesise(phrase, language, &mut |piece| {
            player.take_piece(lead_in.trim(piece));
            if mailbox.interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        player.finish_phrase();
        result
    }

    fn earcon(&mut self, earcon: Earcon) -> Flow {
        let Some(rate_hz) = self.player.output.as_ref().map(PlaybackFeeder::rate_hz) else {
            return Flow::GoOn;
        };
        self.player.begin(None, rate_hz);
        self.player.take_piece(&earcons::render(earcon, rate_hz));
        self.player.finish_phrase();
        let flow = self.send_backlog();
        if flow == Flow::GoOn {
            self.player.end();
        }
        flow
    }

    /// Waits until everything made is in the ring.
    fn send_backlog(&mut self) -> Flow {
        loop {
            let asked = self.mailbox.settle_asked();
            match self.attend() {
                Flow::GoOn => {}
                over => return over,
            }
            if self.player.send() {
                return Flow::GoOn;
            }
            self.mailbox.rest(asked, false, true);
        }
    }
}

/// The output with what is under way to it.
struct Player {
    report: Report,
    output: Option<PlaybackFeeder>,
    /// Items with a turn whose end is not yet reported.
    open: Vec<OpenItem>,
    last_id: u64,
    resampler: Option<(u32, u32, Resampler)>,
    /// Samples at the device's rate that the ring had no room for yet, from `sent` on.
    backlog: Vec<f32>,
    sent: usize,
}

struct OpenItem {
    id: u64,
    turn: TurnId,
    failed: bool,
}

impl Player {
    fn is_playing(&self) -> bool {
        self.output.as_ref().is_some_and(|output| !output.is_idle())
    }

    /// Opens an item of samples at `rate_hz`.
    fn begin(&mut self, turn: Option<TurnId>, rate_hz: u32) {
        let Some(output) = self.output.as_mut() else { return };
        self.last_id += 1;
        output.begin(self.last_id);
        let rates = (rate_hz, output.rate_hz());
        match &mut self.resampler {
            Some((from, to, resampler)) if (*from, *to) == rates => resampler.reset(),
            other => *other = Some((rates.0, rates.1, Resampler::new(rates.0, rates.1))),
        }
        self.open.extend(turn.map(|turn| OpenItem { id: self.last_id, turn, failed: false }));
    }

    fn end(&mut self) {
        if let Some(output) = self.output.as_mut() {
            output.end();
        }
    }

    /// Puts silence between two phrases.
    fn pause(&mut self, pause_ms: u32) {
        if let Some(output) = self.output.as_ref() {
            let samples = u64::from(output.rate_hz()) * u64::from(pause_ms) / 1000;
            self.backlog.resize(self.backlog.len() + samples as usize, 0.0);
        }
    }

    fn take_piece(&mut self, piece: &[f32]) {
        if let Some((_, _, resampler)) = &mut self.resampler {
            resampler.process(piece, &mut self.backlog);
        }
        self.send();
        self.poll();
    }

    fn finish_phrase(&mut self) {
        if let Some((_, _, resampler)) = &mut self.resampler {
            resampler.finish(&mut self.backlog);
        }
    }

    /// Sends what the ring has room for; answers whether that was all.
    fn send(&mut self) -> bool {
        let Some(output) = self.output.as_mut() else { return true };
        self.sent += output.push(&self.backlog[self.sent..]);
        let all = self.sent == self.backlog.len();
        if all {
            self.backlog.clear();
            self.sent = 0;
        }
        all
    }

    /// Reports what the ring has done since.
    fn poll(&mut self) {
        if let Some(output) = self.output.as_mut() {
            output.poll(|id, what| tell(&mut self.open, &mut self.report, id, what));
        }
    }

    /// Ends everything under way as stopped, and goes over to `replacement` if there is one.
    fn drop_all(&mut self, replacement: Option<Option<PlaybackFeeder>>) {
        self.backlog.clear();
        self.sent = 0;
        if let Some(output) = self.output.as_mut() {
            output.take_stop(|id, what| tell(&mut self.open, &mut self.report, id, what));
        }
        if let Some(replacement) = replacement {
            self.output = replacement;
            for item in std::mem::take(&mut self.open) {
                self.ended(item.turn, SpeakingEnd::Stop);
            }
            if let Some(output) = self.output.as_mut() {
                // It may have been stopped before it came here.
                output.take_stop(|_, _| {});
            }
        }
    }

    /// The item at hand could not be said, or not to its end.
    fn fail(&mut self, fault: Fault) {
        let id = self.last_id;
        self.open.iter_mut().filter(|item| item.id == id).for_each(|item| item.failed = true);
        (self.report)(SpeakingEvent::Fault(fault));
    }

    fn ended(&mut self, turn: TurnId, reason: SpeakingEnd) {
        (self.report)(SpeakingEvent::Ended { turn, reason });
    }
}

/// Turns a report of the ring into one about a turn; earcons have none.
fn tell(open: &mut Vec<OpenItem>, report: &mut Report, id: u64, what: ItemReport) {
    let Some(at) = open.iter().position(|item| item.id == id) else { return };
    match what {
        ItemReport::Begun => report(SpeakingEvent::Started { turn: open[at].turn.clone() }),
        ItemReport::Drained | ItemReport::Stopped => {
            let item = open.remove(at);
            let done = what == ItemReport::Drained && !item.failed;
            let reason = if done { SpeakingEnd::Done } else { SpeakingEnd::Stop };
            report(SpeakingEvent::Ended { turn: item.turn, reason });
        }
    }
}

/// Leaves out the silence before the first sound of a phrase.
struct LeadIn {
    /// Samples that may still be left out; 0 once sound has begun.
    left: usize,
    keep: usize,
}

impl LeadIn {
    fn new(rate_hz: u32) -> Self {
        let samples = |ms: u32| (u64::from(rate_hz) * u64::from(ms) / 1000) as usize;
        Self { left: samples(LEAD_IN_MAX_MS), keep: samples(LEAD_IN_KEEP_MS) }
    }

    /// What of the next piece is to be played.
    fn trim<'a>(&mut self, piece: &'a [f32]) -> &'a [f32] {
        if self.left == 0 {
            return piece;
        }
        let quiet = piece.iter().take(self.left).take_while(|sample| sample.abs() < LEAD_IN_LEVEL).count();
        if quiet == piece.len() {
            self.left -= quiet;
            return &[];
        }
        self.left = 0;
        &piece[quiet.saturating_sub(self.keep)..]
    }
}

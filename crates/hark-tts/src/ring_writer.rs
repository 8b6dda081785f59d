//! The voice thread's way to the ring: items with their samples, and what becomes of them.

use super::mailbox::SpeakingEvent;
use super::playback::{ItemReport, PlaybackFeeder};
use super::trim::Trim;
use hark_audio::resample::Resampler;
use hark_core::public_event::SpeakingEnd;
use hark_core::{Fault, FaultKind, TurnId};

/// Samples that are resampled in one go: some 20 ms.
const PIECE: usize = 512;

/// Takes reports.
pub(super) type Report = Box<dyn FnMut(SpeakingEvent) + Send>;

/// The output with what is under way to it.
pub(super) struct Player {
    report: Report,
    output: Option<PlaybackFeeder>,
    /// Items with a turn whose end is not yet reported.
    open: Vec<OpenItem>,
    last_id: u64,
    resampler: Option<Resampler>,
    trim: Trim,
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
    pub(super) fn new(report: Report) -> Self {
        Self {
            report,
            output: None,
            open: Vec::new(),
            last_id: 0,
            resampler: None,
            trim: Trim::new(0),
            backlog: Vec::new(),
            sent: 0,
        }
    }

    /// Rate of the output; `None` without one.
    pub(super) fn rate_hz(&self) -> Option<u32> {
        self.output.as_ref().map(PlaybackFeeder::rate_hz)
    }

    /// Whether there is something to look at soon.
    pub(super) fn is_playing(&self) -> bool {
        self.output.as_ref().is_some_and(|output| !output.is_idle())
    }

    /// How much sound waits in front of the ring, in milliseconds.
    pub(super) fn waiting_ms(&self) -> u64 {
        let samples = (self.backlog.len() - self.sent) as u64;
        self.rate_hz().map_or(0, |rate_hz| samples * 1000 / u64::from(rate_hz.max(1)))
    }

    /// Whether all that was made is in the ring.
    pub(super) fn all_sent(&self) -> bool {
        self.sent == self.backlog.len()
    }

    /// Opens an item of samples at `rate_hz`.
    pub(super) fn begin(&mut self, turn: Option<TurnId>, rate_hz: u32) {
        let Some(output) = self.output.as_mut() else { return };
        self.last_id += 1;
        output.begin(self.last_id);
        let rates_hz = (rate_hz, output.rate_hz());
        self.trim = Trim::new(rate_hz);
        self.open.extend(turn.map(|turn| OpenItem { id: self.last_id, turn, failed: false }));
        match &mut self.resampler {
            Some(resampler) if resampler.rates_hz() == rates_hz => resampler.reset(),
            other => match Resampler::new(rates_hz.0, rates_hz.1) {
                Ok(resampler) => *other = Some(resampler),
                Err(error) => {
                    *other = None;
                    let fix = "choose another audio.output_device or another voice";
                    self.fail(Fault::new(FaultKind::Failed, "speaker", error.to_string(), fix));
                }
            },
        }
    }

    /// Ends the item; everything must be sent.
    pub(super) fn end(&mut self) {
        if let Some(output) = self.output.as_mut() {
            output.end();
        }
        self.poll();
    }

    /// Puts silence between two phrases.
    pub(super) fn pause(&mut self, pause_ms: u32) {
        let samples = u64::from(self.rate_hz().unwrap_or(0)) * u64::from(pause_ms) / 1000;
        self.backlog.resize(self.backlog.len() + samples as usize, 0.0);
    }

    /// Takes a piece of a phrase, at the rate the item was begun with. Its first samples are on their
    /// way before its last ones are at the device's rate.
    pub(super) fn take_piece(&mut self, piece: &[f32]) {
        for piece in piece.chunks(PIECE) {
            if let Some(resampler) = &mut self.resampler {
                self.trim.piece(piece, |samples| resampler.process(samples, &mut self.backlog));
            }
            self.send();
        }
    }

    /// The phrase is over.
    pub(super) fn finish_phrase(&mut self) {
        if let Some(resampler) = &mut self.resampler {
            self.trim.finish(|samples| resampler.process(samples, &mut self.backlog));
            resampler.finish(&mut self.backlog);
            self.trim = Trim::new(resampler.rates_hz().0);
        }
        self.send();
    }

    /// Sends what the ring has room for.
    pub(super) fn send(&mut self) {
        let Some(output) = self.output.as_mut() else { return };
        self.sent += output.push(&self.backlog[self.sent..]);
        if self.sent == self.backlog.len() {
            self.backlog.clear();
            self.sent = 0;
        } else if self.sent > self.backlog.len() / 2 {
            // Keeps the memory in proportion to what waits.
            self.backlog.drain(..self.sent);
            self.sent = 0;
        }
    }

    /// Reports what the ring has done since.
    pub(super) fn poll(&mut self) {
        if let Some(output) = self.output.as_mut() {
            output.poll(|id, what| tell(&mut self.open, &mut self.report, id, what));
        }
    }

    /// Ends everything under way as stopped, and goes over to `replacement` if there is one.
    pub(super) fn drop_all(&mut self, replacement: Option<Option<PlaybackFeeder>>) {
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
    pub(super) fn fail(&mut self, fault: Fault) {
        let id = self.last_id;
        self.open.iter_mut().filter(|item| item.id == id).for_each(|item| item.failed = true);
        (self.report)(SpeakingEvent::Fault(fault));
    }

    /// Reports the end of a turn that has no item.
    pub(super) fn ended(&mut self, turn: TurnId, reason: SpeakingEnd) {
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

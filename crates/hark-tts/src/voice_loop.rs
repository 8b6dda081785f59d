//! What runs on the thread `hark-voice`: hands phrases to the maker and what it makes to the ring, and
//! never waits for either.

use super::earcons;
use super::mailbox::{Mailbox, Order};
use super::phrases::{Phrase, PhraseCutter, PhraseEnd};
use super::prepared::Prepared;
use super::reply_text::ReplyText;
use super::ring_writer::{Player, Report};
use super::synthesis_thread::{Made, Maker};
use hark_core::TurnId;
use hark_core::audio::Earcon;
use hark_core::public_event::SpeakingEnd;
use std::collections::VecDeque;
use std::sync::Arc;

/// Pause between two sentences, and between two parts of one.
pub(super) const SENTENCE_PAUSE_MS: u32 = 300;
pub(super) const CLAUSE_PAUSE_MS: u32 = 120;

/// The next phrase is not begun while this much sound waits in front of the ring: enough for a slow
/// voice to make a phrase in, and a bound for what a stop throws away.
const AHEAD_MS: u64 = 8_000;

/// What the thread is at.
enum Doing {
    Nothing,
    Saying(Box<Saying>),
    /// An earcon is on its way into the ring.
    Sending,
}

/// A reply that is being said.
struct Saying {
    text: Arc<ReplyText>,
    language: String,
    cutter: PhraseCutter,
    /// Cut and not begun.
    phrases: VecDeque<Phrase>,
    /// Whether the cutter has the whole text.
    whole: bool,
    /// The job whose samples are played.
    job: Option<u64>,
    /// Silence before the next phrase.
    pause_ms: u32,
}

/// The state of the thread.
pub(super) struct Worker {
    mailbox: Arc<Mailbox>,
    maker: Option<Maker>,
    player: Player,
    doing: Doing,
    prepared: Prepared,
}

impl Worker {
    pub(super) fn new(mailbox: Arc<Mailbox>, maker: Option<Maker>, report: Report) -> Self {
        let player = Player::new(report);
        Self { mailbox, maker, player, doing: Doing::Nothing, prepared: Prepared::default() }
    }

    /// Works until the shutdown.
    pub(super) fn run(mut self) {
        loop {
            let ticket = self.mailbox.ticket();
            if self.mailbox.interrupted() && self.drop_all() {
                return;
            }
            if !self.step() {
                self.mailbox.rest(&ticket, self.is_settled(), self.player.is_playing());
            }
        }
    }

    /// Takes note of a stop, a new output or the shutdown; answers whether it was that.
    fn drop_all(&mut self) -> bool {
        let mut inbox = self.mailbox.lock();
        self.mailbox.clear_interrupt(&inbox);
        let (output, cancelled, shutdown) =
            (inbox.output.take(), std::mem::take(&mut inbox.cancelled), inbox.shutdown);
        drop(inbox);
        if let Some(maker) = &self.maker {
            maker.abort();
        }
        self.prepared.clear();
        if let Doing::Saying(saying) = std::mem::replace(&mut self.doing, Doing::Nothing) {
            saying.text.close();
        }
        self.player.drop_all(output);
        for turn in cancelled {
            self.player.ended(turn, SpeakingEnd::Stop);
        }
        shutdown
    }

    /// Does what can be done now; answers whether that may have made more possible.
    fn step(&mut self) -> bool {
        let collected = self.collect();
        self.player.send();
        self.player.poll();
        let moved = match &self.doing {
            Doing::Nothing => self.change_voice() || self.begin_order(),
            Doing::Saying(_) => self.go_on(),
            Doing::Sending => self.end_when_sent(),
        };
        let expected = self.take_likely();
        collected || moved || expected || self.make_likely()
    }

    /// Whether nothing is left to do before the device asks for more, or somebody for something.
    fn is_settled(&self) -> bool {
        let idle = self.maker.as_ref().is_none_or(|maker| maker.current().is_none());
        idle || !self.player.all_sent()
    }

    /// Fetches what was made: to the ring, to the likely reply, or away.
    fn collect(&mut self) -> bool {
        let Some(maker) = &mut self.maker else { return false };
        let made = maker.collect();
        let any = !made.is_empty();
        for made in made {
            let (job, ended) = match &made {
                Made::Piece { job, .. } => (*job, false),
                Made::Done { job, .. } => (*job, true),
            };
            let saying = match &mut self.doing {
                Doing::Saying(saying) if saying.job == Some(job) => Some(saying),
                _ => None,
            };
            match (made, saying) {
                (Made::Piece { samples, .. }, Some(_)) => self.player.take_piece(&samples),
                (Made::Piece { samples, .. }, None) => self.prepared.add(job, &samples),
                (Made::Done { result, .. }, Some(saying)) => {
                    self.player.finish_phrase();
                    if let Err(fault) = result {
                        saying.give_up();
                        self.player.fail(fault);
                    }
                }
                (Made::Done { result, .. }, None) => self.prepared.done(job, result.is_ok()),
            }
            if let (Doing::Saying(saying), true) = (&mut self.doing, ended)
                && saying.job == Some(job)
            {
                saying.job = None;
            }
        }
        any
    }

    /// Lets another voice speak, if one was brought. Only between two replies.
    fn change_voice(&mut self) -> bool {
        let Some(voice) = self.mailbox.lock().voice.take() else { return false };
        match Maker::start(voice, Arc::clone(&self.mailbox)) {
            Ok(maker) => {
                // What the other voice has made of a likely reply is not to be heard in this one.
                self.prepared.clear();
                self.maker = Some(maker);
            }
            Err(error) => self.player.fail(error.into()),
        }
        true
    }

    fn begin_order(&mut self) -> bool {
        match self.mailbox.take_order() {
            None => return false,
            Some(Order::Say { turn, text, language }) => self.begin_reply(turn, text, language),
            Some(Order::Earcon(earcon)) => self.begin_earcon(earcon),
        }
        true
    }

    fn begin_reply(&mut self, turn: TurnId, text: Arc<ReplyText>, language: String) {
        let Some(maker) = self.maker.as_ref().filter(|_| self.player.rate_hz().is_some()) else {
            text.close();
            self.player.ended(turn, SpeakingEnd::Stop);
            return;
        };
        self.player.begin(Some(turn), maker.rate_hz());
        let cutter = PhraseCutter::new(&language);
        let (phrases, whole) = (VecDeque::new(), false);
        let saying = Saying { text, language, cutter, phrases, whole, job: None, pause_ms: 0 };
        self.doing = Doing::Saying(Box::new(saying));
    }

    fn begin_earcon(&mut self, earcon: Earcon) {
        let Some(rate_hz) = self.player.rate_hz() else { return };
        self.player.begin(None, rate_hz);
        self.player.take_piece(&earcons::render(earcon, rate_hz));
        self.player.finish_phrase();
        self.doing = Doing::Sending;
    }

    fn end_when_sent(&mut self) -> bool {
        let over = self.player.all_sent();
        if over {
            self.player.end();
            self.doing = Doing::Nothing;
        }
        over
    }

    /// Goes on with the reply: reads, begins the next phrase, or ends.
    fn go_on(&mut self) -> bool {
        let Doing::Saying(saying) = &mut self.doing else { return false };
        saying.read();
        if saying.job.is_none() && !saying.phrases.is_empty() && self.player.waiting_ms() < AHEAD_MS {
            return self.begin_phrase();
        }
        let over = saying.whole && saying.phrases.is_empty() && saying.job.is_none();
        if over && self.player.all_sent() {
            saying.text.close();
            // Whatever was said, what was likely before it is not likely any more.
            self.forget_likely();
            self.player.end();
            self.doing = Doing::Nothing;
            return true;
        }
        false
    }

    /// Begins the next phrase with what is prepared of it, or else from nothing.
    fn begin_phrase(&mut self) -> bool {
        let (Doing::Saying(saying), Some(maker)) = (&mut self.doing, &mut self.maker) else { return false };
        let Some(phrase) = saying.phrases.front() else { return false };
        if let Some(take) = self.prepared.take(&phrase.text, &saying.language) {
            self.player.pause(saying.pause_ms);
            self.player.take_piece(&take.samples);
            saying.job = take.job;
            if take.job.is_none() {
                self.player.finish_phrase();
            }
        } else if let Some(job) = maker.current() {
            // It is at something that is not wanted now: its end will be news.
            maker.abort();
            self.prepared.done(job, false);
            return false;
        } else {
            self.player.pause(saying.pause_ms);
            saying.job = Some(maker.give(&phrase.text, &saying.language));
        }
        saying.pause_ms = match phrase.end {
            PhraseEnd::Sentence => SENTENCE_PAUSE_MS,
            PhraseEnd::Clause => CLAUSE_PAUSE_MS,
        };
        saying.phrases.pop_front();
        true
    }

    fn take_likely(&mut self) -> bool {
        let Some((text, language)) = self.mailbox.lock().likely.take() else { return false };
        if self.maker.is_some() {
            let making = self.maker_is_at_likely();
            if self.prepared.replace(&text, &language) && making {
                self.abort();
            }
        }
        true
    }

    fn forget_likely(&mut self) {
        if self.maker_is_at_likely() {
            self.abort();
        }
        self.prepared.clear();
    }

    fn maker_is_at_likely(&self) -> bool {
        let job = self.maker.as_ref().and_then(Maker::current);
        job.is_some_and(|job| self.prepared.is_making(job))
    }

    fn abort(&self) {
        if let Some(maker) = &self.maker {
            maker.abort();
        }
    }

    /// Makes more of the likely reply while there is nothing better to make.
    fn make_likely(&mut self) -> bool {
        let busy = matches!(&self.doing, Doing::Saying(saying) if !saying.phrases.is_empty());
        let Some(maker) = self.maker.as_mut().filter(|maker| !busy && maker.current().is_none()) else {
            return false;
        };
        let Some((phrase, language)) = self.prepared.next() else { return false };
        let job = maker.give(phrase, language);
        self.prepared.begun(job);
        true
    }
}

impl Saying {
    /// Takes what was written since.
    fn read(&mut self) {
        if self.whole {
            return;
        }
        let written = self.text.take();
        self.phrases.extend(self.cutter.push_before(&written.text, &written.ahead));
        if written.flushed {
            self.phrases.extend(self.cutter.finish());
        }
        self.whole = written.finished;
    }

    /// Says no more of it.
    fn give_up(&mut self) {
        self.text.close();
        self.phrases.clear();
        self.whole = true;
    }
}

//! The ear: sound in, hearing events out. It owns voice activity, wake word, endpoint and the way to
//! the recogniser, and runs wherever its owner calls it, normally on the thread `hark-ear`.

mod change;
mod incoming;
mod overhear;
mod own_voice;
mod rest;
mod waking;

use super::endpoint::{EndpointChange, Endpointer};
use super::history::History;
use super::quiet::Quiet;
use super::stt::worker::{SttLane, SttMode, SttReport};
use super::stt::{Recogniser, Recognition};
use super::vad::Vad;
use super::wake::{WakeDetector, WakeReport};
use super::watch::Watch;
use super::{EarCommand, Heard, HearingEvent};
pub use change::EarChange;
use hark_config::{self as config, Config};
use hark_core::audio::ms_to_samples;
use hark_core::ports::{Completeness, Completes};
use hark_core::{Endpoint, Fault, Transcript, VAD_BLOCK_SAMPLES};
use incoming::{Block, Incoming};
use own_voice::OwnVoice;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// Sound before the first voiced block that the recogniser gets: soft first consonants are not voiced.
const LEAD_IN_MS: u64 = 300;
/// Least history the ear works with: the wake word's end is looked for half a second back, up to half
/// a second after it.
const LEAST_HISTORY_MS: u64 = 1500;
/// Silence that follows a recording's end, so that a wake word at its very end is still detected.
const FLUSH_MS: u64 = 640;
/// Speech that is long enough while a yes or no is awaited.
const SHORT_ANSWER_MS: u32 = 60;
/// What the device still holds when the last sample of a reply was handed to it.
const DRAIN_MS: u64 = 64;
/// How long the end of a recording waits for the transcript.
const LAST_TRANSCRIPT_WAIT: Duration = Duration::from_secs(60);
/// Below this probability a block is certainly no speech.
const NOBODY_SPEAKS: f32 = 0.05;
/// Level of digital silence.
const FLOOR_DBFS: f32 = -100.0;

/// What an ear is made of.
pub struct EarParts {
    /// Voice activity.
    pub vad: Box<dyn Vad>,
    /// Wake words; none means push to talk.
    pub wake: Option<WakeDetector>,
    /// Speech recognition.
    pub recogniser: Box<dyn Recogniser>,
    /// What can be said to this home: tells when a request is whole. Without it silence alone decides.
    pub grammar: Option<Arc<dyn Completes>>,
}

/// How an ear behaves.
#[derive(Debug, Clone, PartialEq)]
pub struct EarSettings {
    /// Past sound that is kept.
    pub pre_roll_ms: u32,
    /// When a block is speech.
    pub vad: config::vad::Vad,
    /// When a request is over.
    pub endpoint: config::endpoint::EndpointConfig,
    /// Speech over Hark that is long enough to be an interruption.
    pub interruption_ms: u32,
    /// How the recogniser runs.
    pub stt_mode: SttMode,
    /// The sound of requests is told with their words.
    pub keeps_sound: bool,
}

impl EarSettings {
    /// The settings of the configuration sections `audio`, `vad`, `endpoint`, `barge_in` and `journal`.
    pub fn new(config: &Config, stt_mode: SttMode) -> Self {
        Self {
            pre_roll_ms: config.audio.pre_roll_ms,
            vad: config.vad.clone(),
            endpoint: config.endpoint.clone(),
            interruption_ms: config.barge_in.min_speech_ms,
            stt_mode,
            keeps_sound: config.journal.keeps_sound(),
        }
    }
}

/// What the ear hears at the moment, for displays.
#[derive(Debug, Clone, PartialEq)]
pub struct Meter {
    /// Level of the last block relative to full scale, −100 ..= 0.
    pub level_dbfs: f32,
    /// Probability that the last block was speech.
    pub vad: f32,
    /// Wake words with their scores of the last 80 ms.
    pub wake: Vec<(String, f32)>,
    /// Whether a request is awaited or heard.
    pub listening: bool,
    /// Whether the ear is muted.
    pub muted: bool,
}

/// What the ear is doing.
enum State {
    /// Waiting for the wake word.
    Asleep,
    /// Waiting for the request; nothing from before `earliest` belongs to it.
    Listening { endpointer: Endpointer, earliest: u64 },
    /// Hearing the request.
    Hearing { endpointer: Endpointer, draft: Draft },
    /// The request is over, its words are still to come.
    Recognising,
}

/// The words of a request that may be over.
enum Draft {
    /// The person speaks.
    None,
    /// The recogniser is at it.
    Asked(u64),
    /// These they are, if the person does not go on.
    Made(Transcript),
}

/// The ear. Not a real-time part: it allocates and runs models.
pub struct Ear {
    vad: Box<dyn Vad>,
    wake: Option<WakeDetector>,
    stt: SttLane,
    grammar: Option<Arc<dyn Completes>>,
    settings: EarSettings,
    state: State,
    /// Whether the utterance at hand is an interruption: nobody has asked for it yet.
    overheard: bool,
    /// Where the recogniser began with it, and where its speech did.
    heard_from: u64,
    onset: u64,
    /// How many hard looks there have been at the interruption.
    hard_looks: usize,
    /// The words so far that were told last, and how many characters of them were settled.
    told: (String, usize),
    own_voice: OwnVoice,
    /// Whether it is hardly for Hark, so that the next one takes its place.
    doubted: bool,
    /// Looks for interruptions while the ear is asleep; `None` when Hark is silent.
    watch: Option<Watch>,
    /// Up to here the sound may be Hark's own, and no request begins with it.
    own_until: u64,
    /// What an order brought about; told with the next sound.
    untold: Vec<HearingEvent>,
    muted: bool,
    /// Samples after the last whole block.
    incoming: Incoming,
    /// 16 kHz samples since the ear was made, up to the end of the last whole block.
    position: u64,
    history: History,
    quiet: Quiet,
    /// Whether a frame since the last block was louder than the room usually is.
    stood_out: bool,
    /// Where the last sound was that may have been somebody.
    last_sound: u64,
    /// Ends and probabilities of recent blocks: after a wake word they are looked at once more.
    recent: VecDeque<(u64, f32)>,
    wake_reports: Vec<WakeReport>,
    scratch: Vec<f32>,
    level_dbfs: f32,
    probability: f32,
    blocks: u64,
    /// A failure that goes on is told once.
    vad_failing: bool,
    wake_failing: bool,
}

impl Ear {
    /// Puts an ear together.
    ///
    /// # Errors
    /// When the recogniser's thread cannot be started.
    pub fn new(parts: EarParts, settings: EarSettings) -> Result<Self, Fault> {
        let keep = ms_to_samples(u64::from(settings.pre_roll_ms).max(LEAST_HISTORY_MS));
        let mut stt = SttLane::new(parts.recogniser, settings.stt_mode)?;
        if settings.keeps_sound {
            stt.keep_sound();
        }
        Ok(Self {
            vad: parts.vad,
            wake: parts.wake,
            stt,
            grammar: parts.grammar,
            settings,
            state: State::Asleep,
            overheard: false,
            heard_from: 0,
            onset: 0,
            hard_looks: 0,
            told: (String::new(), 0),
            own_voice: OwnVoice::new(),
            doubted: false,
            watch: None,
            own_until: 0,
            untold: Vec::new(),
            muted: false,
            incoming: Incoming::default(),
            position: 0,
            history: History::new(keep as usize),
            quiet: Quiet::default(),
            stood_out: false,
            last_sound: 0,
            recent: VecDeque::new(),
            wake_reports: Vec::new(),
            scratch: Vec::new(),
            level_dbfs: FLOOR_DBFS,
            probability: 0.0,
            blocks: 0,
            vad_failing: false,
            wake_failing: false,
        })
    }

    /// Takes the next samples, 16 kHz mono in −1.0 ..= 1.0, any number of them, and appends what was
    /// heard. Call it also with no samples now and then: the recogniser may have news.
    pub fn process(&mut self, samples: &[f32], out: &mut Vec<Heard>) {
        self.process_cleaned(samples, samples, out);
    }

    /// As [`Ear::process`], for sound from which an echo was taken: `samples` are as clean as can be and
    /// say whether somebody speaks, `words` (as many) may keep some of the echo but nothing of what was said
    /// is missing from them.
    pub fn process_cleaned(&mut self, samples: &[f32], words: &[f32], out: &mut Vec<Heard>) {
        for event in std::mem::take(&mut self.untold) {
            self.tell(event, out);
        }
        self.collect_reports(out);
        if self.muted {
            self.throw_away(samples, out);
            return;
        }
        let (mut voice, mut words) = (samples, words);
        while !voice.is_empty() {
            let taken = self.incoming.take(voice, words);
            (voice, words) = (&voice[taken..], &words[taken..]);
            let Some(frame) = self.incoming.whole_frame() else { return };
            self.quiet.frame(frame);
            self.stood_out |= self.quiet.stands_out();
            if let Some((voice, words)) = self.incoming.whole_block() {
                self.block(&voice, &words, out);
            }
            let end = self.heard_samples();
            if let State::Hearing { endpointer, .. } = &mut self.state {
                let change = endpointer.quiet(end, self.quiet.ms());
                self.change(change, out);
            }
        }
    }

    /// Carries out an order, at the place the sound has reached.
    pub fn command(&mut self, command: EarCommand) {
        match command {
            EarCommand::Listen { window_ms, short_answer } => self.listen(window_ms, short_answer),
            EarCommand::Watch(on) => self.watch(on),
            EarCommand::Attend => (self.overheard, self.doubted) = (false, false),
            EarCommand::Doubt => self.doubt(),
            EarCommand::Dismiss => self.dismiss(),
            EarCommand::OwnSound { ms } => self.own_until = self.position + ms_to_samples(ms + DRAIN_MS),
            EarCommand::Sleep => self.sleep(),
            EarCommand::Mute(true) => {
                self.sleep();
                self.muted = true;
                (self.level_dbfs, self.probability) = (FLOOR_DBFS, 0.0);
                self.forget();
            }
            EarCommand::Mute(false) => self.muted = false,
        }
    }

    /// Ends a recording: an open request ends here with [`Endpoint::Max`] and its transcript follows;
    /// an ear that waits in vain says so. A wake word at the very end is still detected. Afterwards the
    /// ear may go on with other sound.
    pub fn finish(&mut self, out: &mut Vec<Heard>) {
        if matches!(self.state, State::Asleep) {
            self.process(&vec![0.0; ms_to_samples(FLUSH_MS) as usize], out);
        } else if matches!(self.state, State::Hearing { .. }) {
            self.stt.feed(self.incoming.words());
        }
        self.position += self.incoming.len() as u64;
        self.incoming.clear();
        match &self.state {
            State::Hearing { endpointer, .. } => {
                let silence_ms = endpointer.silence_ms();
                self.end_request(Endpoint::Max, silence_ms, out);
            }
            State::Listening { .. } => {
                self.tell(HearingEvent::NothingSaid, out);
                self.state = State::Asleep;
            }
            State::Asleep | State::Recognising => {}
        }
        while matches!(self.state, State::Recognising) {
            match self.stt.wait(LAST_TRANSCRIPT_WAIT) {
                Some(report) => self.report(report, out),
                None => self.give_up("the recogniser did not answer", out),
            }
        }
        self.watch = None;
        self.forget();
    }

    /// What is heard at the moment.
    pub fn meter(&self) -> Meter {
        let wake = self.wake.iter().flat_map(WakeDetector::scores);
        Meter {
            level_dbfs: self.level_dbfs,
            vad: self.probability,
            wake: wake.map(|(word, score)| (word.to_owned(), score)).collect(),
            listening: matches!(self.state, State::Listening { .. } | State::Hearing { .. })
                && !self.overheard,
            muted: self.muted,
        }
    }

    /// Blocks processed since the ear was made: what a watchdog looks at. Muted, sound that was thrown
    /// away counts.
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// 16 kHz samples since the ear was made.
    pub fn position_samples(&self) -> u64 {
        self.position
    }

    /// Where the sound has been heard up to.
    fn heard_samples(&self) -> u64 {
        self.position + self.incoming.len() as u64
    }

    fn tell(&self, event: HearingEvent, out: &mut Vec<Heard>) {
        out.push(Heard { event, position_samples: self.heard_samples() });
    }

    fn sleep(&mut self) {
        self.stt.cancel();
        self.fall_asleep();
    }

    /// Back to the wake word, and to the watch for interruptions if there is one.
    fn fall_asleep(&mut self) {
        self.state = State::Asleep;
        (self.overheard, self.doubted) = (false, false);
        self.watch = self.watch.is_some().then(|| self.new_watch(false));
    }

    /// Makes sure that nothing heard so far mixes with what comes.
    fn forget(&mut self) {
        self.position += self.incoming.len() as u64;
        self.incoming.clear();
        self.history.clear(self.position);
        self.recent.clear();
        self.vad.reset();
        if let Some(wake) = &mut self.wake {
            wake.reset();
        }
    }

    /// Muted: the samples count as time and nothing else.
    fn throw_away(&mut self, samples: &[f32], out: &mut Vec<Heard>) {
        self.position += samples.len() as u64;
        self.blocks += u64::from(!samples.is_empty());
        self.history.clear(self.position);
        if matches!(self.state, State::Listening { .. }) {
            self.state = State::Asleep;
            self.tell(HearingEvent::NothingSaid, out);
        }
    }

    fn block(&mut self, voice: &Block, words: &Block, out: &mut Vec<Heard>) {
        self.blocks += 1;
        self.position += words.len() as u64;
        self.history.push(words);
        self.level_dbfs = level_dbfs(voice);
        self.probability = self.speech_probability(voice, out);
        self.recent.push_back((self.position, self.probability));
        if self.recent.len() > (ms_to_samples(LEAST_HISTORY_MS) as usize) / VAD_BLOCK_SAMPLES {
            self.recent.pop_front();
        }
        if matches!(self.state, State::Hearing { .. }) {
            self.look_hard_in_time();
            self.stt.feed(words);
        }
        self.overhear(out);
        self.follow(self.position, self.probability, out);
        self.listen_for_wake_word(words, out);
        self.collect_reports(out);
    }

    fn speech_probability(&mut self, block: &Block, out: &mut Vec<Heard>) -> f32 {
        match self.vad.probability(block) {
            Ok(probability) => {
                self.vad_failing = false;
                probability
            }
            Err(fault) => {
                if !std::mem::replace(&mut self.vad_failing, true) {
                    self.tell(HearingEvent::Fault(fault), out);
                }
                0.0
            }
        }
    }

    /// Moves the request on by one block that ends at `end`.
    fn follow(&mut self, end: u64, probability: f32, out: &mut Vec<Heard>) {
        let (State::Listening { endpointer, .. } | State::Hearing { endpointer, .. }) = &mut self.state
        else {
            return;
        };
        let change = endpointer.block(end, probability);
        self.change(change, out);
    }

    fn change(&mut self, change: EndpointChange, out: &mut Vec<Heard>) {
        match change {
            EndpointChange::None => {}
            EndpointChange::Hushed => self.stt.foresee_end(),
            EndpointChange::Paused => {
                if let State::Hearing { draft, .. } = &mut self.state {
                    *draft = Draft::Asked(self.stt.draft());
                }
            }
            EndpointChange::Resumed => {
                if let State::Hearing { draft, .. } = &mut self.state {
                    *draft = Draft::None;
                    self.stt.resume();
                }
            }
            EndpointChange::SpeechStarted { onset } => self.begin_request(onset, out),
            EndpointChange::Ended { endpoint, silence_ms } => self.end_request(endpoint, silence_ms, out),
            EndpointChange::NothingSaid => {
                self.state = State::Asleep;
                self.tell(HearingEvent::NothingSaid, out);
            }
        }
    }

    /// Speech is certain: the recogniser gets everything from shortly before its onset.
    fn begin_request(&mut self, onset: u64, out: &mut Vec<Heard>) {
        match std::mem::replace(&mut self.state, State::Asleep) {
            State::Listening { endpointer, earliest } => {
                self.hear_from(onset, earliest);
                self.state = State::Hearing { endpointer, draft: Draft::None };
                self.tell(HearingEvent::SpeechStarted, out);
            }
            other => self.state = other,
        }
    }

    fn end_request(&mut self, endpoint: Endpoint, silence_ms: u64, out: &mut Vec<Heard>) {
        let before = std::mem::replace(&mut self.state, State::Recognising);
        self.tell(HearingEvent::SpeechEnded { endpoint, silence_ms }, out);
        match before {
            State::Hearing { draft: Draft::Made(transcript), .. } => {
                let transcript = self.meant_for_hark(transcript);
                let sound = self.stt.take_sound();
                self.sleep();
                self.tell_request(sound, transcript, out);
            }
            _ => self.stt.finish(),
        }
    }

    /// The words up to a pause are known: they say how long is waited for more.
    fn take_draft(&mut self, number: u64, recognition: Recognition, out: &mut Vec<Heard>) {
        let State::Hearing { draft: Draft::Asked(asked), .. } = &self.state else { return };
        if *asked != number {
            return;
        }
        let words = self.completeness(&recognition);
        self.tell_draft(&recognition, words, out);
        let State::Hearing { endpointer, draft } = &mut self.state else { return };
        *draft = Draft::Made(recognition.transcript);
        let change = endpointer.judge(words);
        self.change(change, out);
    }

    /// How far a draft is a whole request.
    fn completeness(&self, draft: &Recognition) -> Completeness {
        let Some(grammar) = &self.grammar else { return Completeness::Unknown };
        let heard = grammar.completeness(&draft.heard);
        // What was heard is the beginning of what it was fitted to: the rest may still be to come.
        let begun = draft.transcript.text.starts_with(&draft.heard);
        match (heard, &draft.transcript.rejected) {
            (Completeness::Unfinished, rejected) if begun || rejected.is_some() => heard,
            (_, Some(_)) => Completeness::Unknown,
            (Completeness::Unknown | Completeness::Unfinished, None) => {
                match grammar.completeness(&draft.transcript.text) {
                    // Some of these words were not heard like this: no reason to hurry.
                    Completeness::Complete => Completeness::MayContinue,
                    other => other,
                }
            }
            (heard, None) => heard,
        }
    }

    fn collect_reports(&mut self, out: &mut Vec<Heard>) {
        while let Some(report) = self.stt.poll() {
            self.report(report, out);
        }
    }

    fn report(&mut self, report: SttReport, out: &mut Vec<Heard>) {
        match report {
            SttReport::Partial { partial, samples } => self.tell_words(partial, samples, out),
            SttReport::Draft { number, recognition } => self.take_draft(number, recognition, out),
            SttReport::Transcript(transcript) => {
                let transcript = self.meant_for_hark(transcript);
                let sound = self.stt.take_sound();
                self.fall_asleep();
                self.tell_request(sound, transcript, out);
            }
            SttReport::Failed(fault) => {
                let why = fault.message.clone();
                self.tell(HearingEvent::Fault(fault), out);
                self.give_up(&why, out);
            }
        }
    }

    /// Closes a request the recogniser has failed on, so that nobody waits for its words.
    fn give_up(&mut self, why: &str, out: &mut Vec<Heard>) {
        if let State::Hearing { endpointer, .. } = &self.state {
            let silence_ms = endpointer.silence_ms();
            self.tell(HearingEvent::SpeechEnded { endpoint: Endpoint::Stop, silence_ms }, out);
        }
        let sound = self.stt.take_sound();
        self.sleep();
        let transcript = Transcript {
            text: String::new(),
            engine: "none".into(),
            confidence: 0.0,
            language: "unknown".into(),
            rejected: Some(why.to_owned()),
            why: None,
        };
        self.tell_request(sound, transcript, out);
    }

    /// The last of a request: its words, and its sound where that is kept.
    fn tell_request(&self, sound: Option<Vec<f32>>, transcript: Transcript, out: &mut Vec<Heard>) {
        if let Some(sound) = sound {
            self.tell(HearingEvent::Sound(sound), out);
        }
        self.tell(HearingEvent::Transcript(transcript), out);
    }
}

fn level_dbfs(block: &[f32]) -> f32 {
    let power = block.iter().map(|sample| sample * sample).sum::<f32>() / block.len() as f32;
    (10.0 * power.max(f32::MIN_POSITIVE).log10()).clamp(FLOOR_DBFS, 0.0)
}

#[cfg(test)]
#[path = "ear_tests.rs"]
mod tests;

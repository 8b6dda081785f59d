//! The audio pipeline: 16 kHz samples in, hearing events out. It owns voice activity, wake word, endpointing and the
//! connection to the recogniser. It is called by one thread: `hark-pipeline` for the node's microphone,
//! `hark-remote-mic` for a browser's, or the caller of `hark hear` in lock-step with a recording.
//!
//! Parts: `wake_word` (wake word to listening), `barge_in` (speech over Hark's output), `continuation` (speech after the
//! endpoint of a request), `pause` (whether a pause is its end), `own_voice` (Hark's own voice), `level` (how loud it is, and is made),
//! `poll_interval` (how often it must be called), `speaker` (whose voice it is), `settings_change`, `block_buffer`.

mod barge_in;
mod block_buffer;
mod continuation;
mod level;
mod own_voice;
mod pause;
mod poll_interval;
mod settings_change;
mod speaker;
mod wake_word;

use super::audio_history::AudioHistory;
use super::auto_gain::AutoGain;
use super::barge_in_detector::BargeInDetector;
use super::endpoint::likelihood::Evidence;
use super::endpoint::likelihood::smart_turn_worker::SmartTurnWorker;
use super::endpoint::{EndpointChange, Endpointer};
use super::silence_detector::SilenceDetector;
use super::speaker::WhoSpeaks;
use super::stt::Recogniser;
use super::stt::utterance::SttReport;
use super::stt::worker::{RecogniserRunner, SttMode};
use super::vad::Vad;
use super::wake::{WakeDetector, WakeReport};
use super::{HearingEvent, PipelineCommand, PositionedEvent};
use block_buffer::{Block, BlockBuffer};
use hark_config::{self as config, Config};
use hark_core::audio::ms_to_samples;
use hark_core::ports::Completes;
use hark_core::{Endpoint, Fault, Transcript, VAD_BLOCK_SAMPLES};
pub use level::Meter;
use level::level_dbfs;
use own_voice::OwnVoice;
pub use settings_change::PipelineChange;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// Sound before the first voiced block that the recogniser gets: soft first consonants are not voiced.
const LEAD_IN_MS: u64 = 300;
/// Minimum history: the end of the wake word is searched for half a second back, up to half a second after it.
const MIN_HISTORY_MS: u64 = 1500;
/// Silence that follows a recording's end, so that a wake word at its very end is still detected.
const FLUSH_MS: u64 = 640;
/// Speech that is long enough while a yes or no is awaited.
const SHORT_ANSWER_MS: u32 = 60;
/// What the device still holds when the last sample of a reply was handed to it.
const DRAIN_MS: u64 = 64;
/// How long the end of a recording waits for the transcript.
const LAST_TRANSCRIPT_WAIT: Duration = Duration::from_secs(60);
/// Below this probability a block is certainly no speech.
const MIN_ACTIVITY_PROBABILITY: f32 = 0.05;
/// Level of digital silence.
const FLOOR_DBFS: f32 = -100.0;

/// What a pipeline is made of.
pub struct PipelineParts {
    /// Voice activity.
    pub vad: Box<dyn Vad>,
    /// Wake words; none means push to talk.
    pub wake: Option<WakeDetector>,
    /// Speech recognition.
    pub recogniser: Box<dyn Recogniser>,
    /// What can be said to this home: tells when a request is whole. Without it silence alone decides.
    pub grammar: Option<Arc<dyn Completes>>,
    /// Finds out whose voice it is.
    pub speakers: Option<Box<dyn WhoSpeaks>>,
    /// Hears whether a turn is over.
    pub smart_turn: Option<SmartTurnWorker>,
}

/// How a pipeline behaves.
#[derive(Debug, Clone, PartialEq)]
pub struct PipelineSettings {
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
    /// Decibels that quiet speech is raised by at most; `None`: it stays as it is.
    pub auto_gain_max_db: Option<u8>,
}

impl PipelineSettings {
    /// The settings of the configuration sections `audio`, `vad`, `endpoint`, `barge_in` and `journal`.
    pub fn new(config: &Config, stt_mode: SttMode) -> Self {
        Self {
            pre_roll_ms: config.audio.pre_roll_ms,
            vad: config.vad.clone(),
            endpoint: config.endpoint.clone(),
            interruption_ms: config.barge_in.min_speech_ms,
            stt_mode,
            keeps_sound: config.journal.keeps_sound(),
            auto_gain_max_db: config.audio.auto_gain(),
        }
    }
}

/// What the pipeline is doing.
enum PipelineState {
    /// Waiting for the wake word.
    AwaitingWakeWord,
    /// Waiting for the request; nothing from before `earliest` belongs to it.
    AwaitingSpeech { endpointer: Endpointer, earliest: u64 },
    /// Hearing the request.
    InUtterance { endpointer: Endpointer, draft: Draft },
    /// The request is over, the draft of this number is still to come; the speaker may still continue.
    Drafting { endpointer: Endpointer, number: u64, endpoint: Endpoint },
    /// The transcript has been reported; the speaker may still continue.
    MayGoOn { endpointer: Endpointer },
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

/// The audio pipeline. Not real-time: it allocates and runs models.
pub struct AudioPipeline {
    vad: Box<dyn Vad>,
    wake: Option<WakeDetector>,
    stt: RecogniserRunner,
    grammar: Option<Arc<dyn Completes>>,
    speakers: Option<Box<dyn WhoSpeaks>>,
    smart_turn: Option<SmartTurnWorker>,
    settings: PipelineSettings,
    state: PipelineState,
    /// Whether the current utterance is an interruption that has not been accepted yet.
    is_barge_in: bool,
    /// Whether the current utterance continues a request after its endpoint.
    goes_on: bool,
    /// The sound of its second part alone.
    second_part: Vec<f32>,
    /// Positions of its first sample for the recogniser, and of its first speech.
    utterance_start: u64,
    onset: u64,
    /// How often the interruption has been rescored.
    rescored_count: usize,
    /// Text of the last partial that was reported, and how many characters of it were stable.
    last_partial: (String, usize),
    own_voice: OwnVoice,
    /// Whether it is probably not for Hark: the next interruption replaces it.
    barge_in_doubted: bool,
    /// Detects interruptions between requests; `None` when Hark is silent.
    barge_in_detector: Option<BargeInDetector>,
    /// Up to this position the sound may be Hark's own, and no request begins with it.
    playback_until: u64,
    /// Events caused by a command, reported with the next sound.
    pending_events: Vec<HearingEvent>,
    muted: bool,
    /// Samples after the last whole block.
    block_buffer: BlockBuffer,
    /// 16 kHz samples since the pipeline was made, up to the end of the last whole block.
    position: u64,
    history: AudioHistory,
    auto_gain: Option<AutoGain>,
    silence_detector: SilenceDetector,
    /// Whether a frame since the last block was louder than the room usually is.
    above_noise_floor: bool,
    /// Position of the last sound that may have been speech.
    last_activity: u64,
    /// What is known of the pause at hand.
    evidence: Option<Evidence>,
    /// Ends and probabilities of recent blocks: after a wake word they are looked at once more.
    recent_probabilities: VecDeque<(u64, f32)>,
    wake_reports: Vec<WakeReport>,
    scratch: Vec<f32>,
    level_dbfs: f32,
    probability: f32,
    blocks: u64,
    /// A failure that goes on is told once.
    vad_failing: bool,
    wake_failing: bool,
}

impl AudioPipeline {
    /// Puts a pipeline together.
    ///
    /// # Errors
    /// When the recogniser's thread cannot be started.
    pub fn new(parts: PipelineParts, settings: PipelineSettings) -> Result<Self, Fault> {
        let keep = ms_to_samples(u64::from(settings.pre_roll_ms).max(MIN_HISTORY_MS));
        let mut stt = RecogniserRunner::new(parts.recogniser, settings.stt_mode)?;
        if settings.keeps_sound || parts.speakers.is_some() || parts.smart_turn.is_some() {
            stt.keep_sound();
        }
        let auto_gain = settings.auto_gain_max_db.map(AutoGain::new);
        Ok(Self {
            vad: parts.vad,
            wake: parts.wake,
            stt,
            grammar: parts.grammar,
            speakers: parts.speakers,
            smart_turn: parts.smart_turn,
            settings,
            state: PipelineState::AwaitingWakeWord,
            is_barge_in: false,
            goes_on: false,
            second_part: Vec::new(),
            utterance_start: 0,
            onset: 0,
            rescored_count: 0,
            last_partial: (String::new(), 0),
            own_voice: OwnVoice::new(),
            barge_in_doubted: false,
            barge_in_detector: None,
            playback_until: 0,
            pending_events: Vec::new(),
            muted: false,
            block_buffer: BlockBuffer::default(),
            position: 0,
            history: AudioHistory::new(keep as usize),
            auto_gain,
            silence_detector: SilenceDetector::default(),
            above_noise_floor: false,
            last_activity: 0,
            evidence: None,
            recent_probabilities: VecDeque::new(),
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
    pub fn process(&mut self, samples: &[f32], out: &mut Vec<PositionedEvent>) {
        self.process_cleaned(samples, samples, out);
    }

    /// As [`AudioPipeline::process`], for sound from which an echo was taken: `samples` are as clean as can be and
    /// are used for voice activity; `words` (as many) may keep some of the echo, but nothing of what was said is
    /// missing from them, and they are recognised.
    pub fn process_cleaned(&mut self, samples: &[f32], words: &[f32], out: &mut Vec<PositionedEvent>) {
        for event in std::mem::take(&mut self.pending_events) {
            self.emit(event, out);
        }
        self.collect_reports(out);
        if self.muted {
            self.discard_muted(samples, out);
            return;
        }
        match self.raised(samples, words) {
            Some((voice, words)) => self.hear(&voice, &words, out),
            None => self.hear(samples, words, out),
        }
    }

    fn hear(&mut self, mut voice: &[f32], mut words: &[f32], out: &mut Vec<PositionedEvent>) {
        while !voice.is_empty() {
            let taken = self.block_buffer.take(voice, words);
            (voice, words) = (&voice[taken..], &words[taken..]);
            let Some(frame) = self.block_buffer.whole_frame() else { return };
            self.silence_detector.frame(frame);
            self.above_noise_floor |= self.silence_detector.above_noise_floor();
            if let Some((voice, words)) = self.block_buffer.whole_block() {
                self.block(&voice, &words, out);
            }
            let end = self.heard_samples();
            if let PipelineState::InUtterance { endpointer, .. } = &mut self.state {
                let change = endpointer.silence(end, self.silence_detector.silence_ms());
                self.apply_endpoint_change(change, out);
            }
        }
    }

    /// Carries out an order, at the place the sound has reached.
    pub fn command(&mut self, command: PipelineCommand) {
        match command {
            PipelineCommand::Listen { window_ms, short_answer } => self.listen(window_ms, short_answer),
            PipelineCommand::Watch(on) => self.set_barge_in_detection(on),
            PipelineCommand::Attend => (self.is_barge_in, self.barge_in_doubted) = (false, false),
            PipelineCommand::Doubt => self.doubt(),
            PipelineCommand::Dismiss => self.dismiss(),
            PipelineCommand::OwnSound { ms } => {
                self.playback_until = self.position + ms_to_samples(ms + DRAIN_MS)
            }
            PipelineCommand::Sleep => self.cancel_request(),
            PipelineCommand::Mute(true) => {
                self.cancel_request();
                self.muted = true;
                (self.level_dbfs, self.probability) = (FLOOR_DBFS, 0.0);
                self.reset_audio();
            }
            PipelineCommand::Mute(false) => self.muted = false,
        }
    }

    /// Ends a recording: an open request ends here with [`Endpoint::Max`] and its transcript follows;
    /// a pipeline that waits in vain says so. A wake word at the very end is still detected. Afterwards the
    /// pipeline may go on with other sound.
    pub fn finish(&mut self, out: &mut Vec<PositionedEvent>) {
        if matches!(self.state, PipelineState::AwaitingWakeWord) {
            self.process(&vec![0.0; ms_to_samples(FLUSH_MS) as usize], out);
        } else if matches!(self.state, PipelineState::InUtterance { .. }) {
            self.stt.feed(self.block_buffer.words());
        }
        self.position += self.block_buffer.len() as u64;
        self.block_buffer.clear();
        match &self.state {
            PipelineState::InUtterance { endpointer, .. } => {
                let silence_ms = endpointer.silence_ms();
                self.end_request(Endpoint::Max, silence_ms, out);
            }
            PipelineState::AwaitingSpeech { .. } => {
                self.emit(HearingEvent::NothingSaid, out);
                self.state = PipelineState::AwaitingWakeWord;
            }
            PipelineState::Drafting { .. } => {
                self.stt.finish();
                self.state = PipelineState::Recognising;
            }
            PipelineState::MayGoOn { .. } => self.cancel_request(),
            PipelineState::AwaitingWakeWord | PipelineState::Recognising => {}
        }
        while matches!(self.state, PipelineState::Recognising) {
            match self.stt.wait(LAST_TRANSCRIPT_WAIT) {
                Some(report) => self.report(report, out),
                None => self.fail_request("the recogniser did not answer", out),
            }
        }
        self.barge_in_detector = None;
        self.reset_audio();
    }

    /// Blocks processed since the pipeline was made: what a watchdog looks at. Muted, sound that was thrown
    /// away counts.
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// 16 kHz samples since the pipeline was made.
    pub fn position_samples(&self) -> u64 {
        self.position
    }

    /// Where the sound has been heard up to.
    fn heard_samples(&self) -> u64 {
        self.position + self.block_buffer.len() as u64
    }

    fn emit(&self, event: HearingEvent, out: &mut Vec<PositionedEvent>) {
        out.push(PositionedEvent { event, position_samples: self.heard_samples() });
    }

    fn cancel_request(&mut self) {
        self.stt.cancel();
        self.await_wake_word();
    }

    /// Back to the wake word, and to the watch for interruptions if there is one.
    fn await_wake_word(&mut self) {
        self.state = PipelineState::AwaitingWakeWord;
        (self.is_barge_in, self.goes_on, self.barge_in_doubted) = (false, false, false);
        self.barge_in_detector = self.barge_in_detector.is_some().then(|| self.new_barge_in_detector(false));
    }

    /// Makes sure that nothing heard so far mixes with what comes.
    fn reset_audio(&mut self) {
        self.position += self.block_buffer.len() as u64;
        self.block_buffer.clear();
        self.history.clear(self.position);
        self.recent_probabilities.clear();
        self.vad.reset();
        if let Some(wake) = &mut self.wake {
            wake.reset();
        }
    }

    /// Muted: the samples count as time and nothing else.
    fn discard_muted(&mut self, samples: &[f32], out: &mut Vec<PositionedEvent>) {
        self.position += samples.len() as u64;
        self.blocks += u64::from(!samples.is_empty());
        self.history.clear(self.position);
        if matches!(self.state, PipelineState::AwaitingSpeech { .. }) {
            self.state = PipelineState::AwaitingWakeWord;
            self.emit(HearingEvent::NothingSaid, out);
        }
    }

    fn block(&mut self, voice: &Block, words: &Block, out: &mut Vec<PositionedEvent>) {
        self.blocks += 1;
        self.position += words.len() as u64;
        self.history.push(words);
        self.level_dbfs = level_dbfs(voice);
        self.probability = self.speech_probability(voice, out);
        self.learn_gain();
        self.recent_probabilities.push_back((self.position, self.probability));
        if self.recent_probabilities.len() > (ms_to_samples(MIN_HISTORY_MS) as usize) / VAD_BLOCK_SAMPLES {
            self.recent_probabilities.pop_front();
        }
        if matches!(
            self.state,
            PipelineState::InUtterance { .. }
                | PipelineState::Drafting { .. }
                | PipelineState::MayGoOn { .. }
        ) {
            self.rescore_when_due();
            self.stt.feed(words);
            if self.goes_on {
                self.second_part.extend_from_slice(words);
            }
        }
        self.detect_barge_in(out);
        self.advance_endpointer(self.position, self.probability, out);
        self.detect_continuation(out);
        self.detect_end_of_drafting(out);
        self.listen_for_wake_word(words, out);
        self.collect_reports(out);
    }

    fn speech_probability(&mut self, block: &Block, out: &mut Vec<PositionedEvent>) -> f32 {
        match self.vad.probability(block) {
            Ok(probability) => {
                self.vad_failing = false;
                probability
            }
            Err(fault) => {
                if !std::mem::replace(&mut self.vad_failing, true) {
                    self.emit(HearingEvent::Fault(fault), out);
                }
                0.0
            }
        }
    }

    /// Moves the request on by one block that ends at `end`.
    fn advance_endpointer(&mut self, end: u64, probability: f32, out: &mut Vec<PositionedEvent>) {
        let (PipelineState::AwaitingSpeech { endpointer, .. }
        | PipelineState::InUtterance { endpointer, .. }) = &mut self.state
        else {
            return;
        };
        let change = endpointer.block(end, probability);
        self.apply_endpoint_change(change, out);
    }

    fn apply_endpoint_change(&mut self, change: EndpointChange, out: &mut Vec<PositionedEvent>) {
        match change {
            EndpointChange::None => {}
            EndpointChange::ShortSilence => self.stt.anticipate_end(),
            EndpointChange::Paused => {
                if let PipelineState::InUtterance { draft, .. } = &mut self.state {
                    *draft = Draft::Asked(self.stt.draft());
                    self.hear_voice();
                }
            }
            EndpointChange::Resumed => {
                if let PipelineState::InUtterance { draft, .. } = &mut self.state {
                    *draft = Draft::None;
                    self.evidence = None;
                    self.stt.resume();
                    self.emit(HearingEvent::WentOn, out);
                }
            }
            EndpointChange::SpeechStarted { onset } => self.begin_request(onset, out),
            EndpointChange::Ended { endpoint, silence_ms } => self.end_request(endpoint, silence_ms, out),
            EndpointChange::NothingSaid => {
                self.state = PipelineState::AwaitingWakeWord;
                self.emit(HearingEvent::NothingSaid, out);
            }
        }
    }

    /// Speech is certain: the recogniser gets everything from shortly before its onset.
    fn begin_request(&mut self, onset: u64, out: &mut Vec<PositionedEvent>) {
        match std::mem::replace(&mut self.state, PipelineState::AwaitingWakeWord) {
            PipelineState::AwaitingSpeech { endpointer, earliest } => {
                self.start_recogniser(onset, earliest);
                self.state = PipelineState::InUtterance { endpointer, draft: Draft::None };
                self.emit(HearingEvent::SpeechStarted, out);
            }
            other => self.state = other,
        }
    }

    fn end_request(&mut self, endpoint: Endpoint, silence_ms: u64, out: &mut Vec<PositionedEvent>) {
        let before = std::mem::replace(&mut self.state, PipelineState::Recognising);
        self.emit(HearingEvent::SpeechEnded { endpoint, silence_ms }, out);
        match before {
            PipelineState::InUtterance { draft: Draft::Made(transcript), .. } => {
                self.end_with_draft(transcript, endpoint, out);
            }
            PipelineState::InUtterance { draft: Draft::Asked(number), .. } if self.can_go_on(endpoint) => {
                let endpointer = self.endpointer_of_continuation();
                self.state = PipelineState::Drafting { endpointer, number, endpoint };
            }
            _ => {
                self.hear_voice();
                self.stt.finish();
            }
        }
    }

    /// The request is over, and its words are known.
    fn end_with_draft(&mut self, transcript: Transcript, endpoint: Endpoint, out: &mut Vec<PositionedEvent>) {
        let transcript = self.reject_background_speech(transcript);
        if self.hear_second_part_alone(&transcript, out) {
            return;
        }
        let sound = self.stt.sound();
        self.await_continuation(endpoint);
        self.emit_transcript(sound, transcript, out);
    }

    fn collect_reports(&mut self, out: &mut Vec<PositionedEvent>) {
        while let Some(report) = self.stt.poll() {
            self.report(report, out);
        }
        self.poll_smart_turn(out);
    }

    fn report(&mut self, report: SttReport, out: &mut Vec<PositionedEvent>) {
        match report {
            SttReport::Partial { partial, samples } => self.emit_partial(partial, samples, out),
            SttReport::Draft { number, recognition } => self.take_draft(number, recognition, out),
            SttReport::Transcript(transcript) => {
                let transcript = self.reject_background_speech(transcript);
                if self.hear_second_part_alone(&transcript, out) {
                    return;
                }
                let sound = self.stt.take_sound();
                self.await_wake_word();
                self.emit_transcript(sound, transcript, out);
            }
            SttReport::Failed(fault) => {
                let why = fault.message.clone();
                self.emit(HearingEvent::Fault(fault), out);
                self.fail_request(&why, out);
            }
        }
    }

    /// Closes a request on which the recogniser failed, so that its transcript is not waited for.
    fn fail_request(&mut self, why: &str, out: &mut Vec<PositionedEvent>) {
        if let PipelineState::InUtterance { endpointer, .. } = &self.state {
            let silence_ms = endpointer.silence_ms();
            self.emit(HearingEvent::SpeechEnded { endpoint: Endpoint::Stop, silence_ms }, out);
        }
        let sound = self.stt.take_sound();
        self.cancel_request();
        let transcript = Transcript {
            text: String::new(),
            engine: "none".into(),
            confidence: 0.0,
            language: "unknown".into(),
            rejected: Some(why.to_owned()),
            why: None,
            speaker: None,
        };
        self.emit_transcript(sound, transcript, out);
    }
}

#[cfg(test)]
#[path = "pipeline_tests.rs"]
mod tests;

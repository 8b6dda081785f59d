//! What is known at each pause of a recording, and whether the speaker went on.

use super::super::figures::{Case, Verdict};
use super::super::people::name;
use crate::app::builder::App;
use hark_config::Config;
use hark_config::endpoint::EndpointMode;
use hark_core::audio::{ms_to_samples, samples_to_ms};
use hark_core::{Fault, VAD_BLOCK_SAMPLES};
use hark_models::onnx::OnnxRuntime;
use hark_stt::endpoint::likelihood::smart_turn::SmartTurn;
use hark_stt::endpoint::likelihood::{Evidence, Weights};
use hark_stt::pipeline::AudioPipeline;
use hark_stt::recording;
use hark_stt::speaker::{VoiceEncoder, similarity};
use hark_stt::stt::worker::SttMode;
use hark_stt::vad::Vad;
use hark_stt::{HearingEvent, PipelineCommand};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Silence behind a recording: longer than anybody waits.
const TAIL_MS: u64 = 3000;
/// How near to the end of speech, by voice activity, the last pause begins.
const END_TOLERANCE_MS: u64 = 200;
/// Blocks of speech that are no click.
const MIN_SPEECH_BLOCKS: usize = 3;
/// Voices that are more alike than this are taken for one person's. Too low only joins people, whose recordings are then all in
/// one half.
const SAME_VOICE: f32 = 0.6;

/// A pause.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Pause {
    /// Where it begins.
    pub(super) start_ms: u64,
    /// How long it is; `None` where the request is over.
    pub(super) length_ms: Option<u64>,
    /// What is known of it.
    pub(super) evidence: Evidence,
    /// What Smart Turn says, whatever the words are; `None` where the model is not here.
    pub(super) smart_turn: Option<f32>,
}

/// A recording of one request.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Recorded {
    name: String,
    voice: Option<Vec<f32>>,
    /// Its pauses; the last is its end.
    pub(super) pauses: Vec<Pause>,
}

impl Recorded {
    /// Lengths of the pauses behind which the speaker went on, in milliseconds.
    pub(super) fn going_on(&self) -> impl Iterator<Item = u64> + '_ {
        self.pauses.iter().filter_map(|pause| pause.length_ms)
    }

    /// The pauses, told for those who look into them.
    pub(super) fn cases(&self, weights: &Weights) -> Vec<Case> {
        let case = |pause: &Pause| {
            let length = pause.length_ms.map_or("the end".to_owned(), |ms| format!("{ms} ms, then more"));
            Case {
                part: "pauses".into(),
                item: format!("{} at {} ms: {length}", self.name, pause.start_ms),
                verdict: Verdict::Unjudged,
                detail: format!("log odds {:.2}, {:?}", weights.log_odds(&pause.evidence), pause.evidence),
            }
        };
        self.pauses.iter().map(case).collect()
    }
}

/// A configuration with which a request never ends while anybody may go on.
pub(super) fn never_ending(mut config: Config) -> Config {
    let longest = TAIL_MS as u32;
    config.endpoint.mode = EndpointMode::Likelihood;
    (config.endpoint.complete_ms, config.endpoint.unfinished_ms) = (longest, longest);
    config.endpoint.silence_ms = longest;
    config.endpoint.max_utterance_ms = 60_000;
    config.endpoint.nothing_said_ms = 30_000;
    config.endpoint.goes_on_ms = 0;
    config
}

/// Listens to recordings.
pub(super) struct Recorder {
    pipeline: AudioPipeline,
    vad: Box<dyn Vad>,
    voices: VoiceEncoder,
    smart_turn: Option<SmartTurn>,
}

impl Recorder {
    pub(super) fn new(app: &App) -> Result<Self, Fault> {
        let from = app.pipelines();
        let runtime = OnnxRuntime::load(&from.manifest.path("onnxruntime")?)?;
        let smart_turn = from.manifest.path("smart_turn").ok();
        Ok(Self {
            pipeline: app.pipeline(SttMode::LockStep)?,
            vad: from.vad()?,
            voices: VoiceEncoder::load(runtime, &from.manifest.path("speaker_encoder")?)?,
            smart_turn: smart_turn.map(|model| SmartTurn::load(runtime, &model)).transpose()?,
        })
    }

    /// The pauses of a recording; `None` where no request was found, or its end was not seen.
    pub(super) fn listen(&mut self, file: &Path) -> Result<Option<Recorded>, Fault> {
        let mut sound = recording::whole(file)?;
        let Some(end_ms) = self.end_of_speech(&sound)? else { return Ok(None) };
        let quiet = quiet(&sound);
        sound.extend(quiet.iter().cycle().take(ms_to_samples(TAIL_MS) as usize));
        self.pipeline.command(PipelineCommand::Sleep);
        self.pipeline.command(PipelineCommand::Listen { window_ms: 30_000, short_answer: false });
        let began = self.pipeline.position_samples();
        let (mut heard, mut pauses) = (Vec::new(), Vec::<Pause>::new());
        for block in sound.chunks(VAD_BLOCK_SAMPLES) {
            self.pipeline.process(block, &mut heard);
        }
        self.pipeline.finish(&mut heard);
        let mut is_open = false;
        for event in heard {
            let at = event.position_samples - began;
            let at_ms = samples_to_ms(at);
            match event.event {
                HearingEvent::PauseWeighed { evidence, .. } if is_open => {
                    // Smart Turn has answered meanwhile.
                    if let Some(pause) = pauses.last_mut() {
                        pause.evidence = evidence;
                    }
                }
                HearingEvent::PauseWeighed { evidence, silence_ms, .. } => {
                    let until = sound.len().min(at as usize);
                    let model = self.smart_turn.as_mut();
                    let smart_turn =
                        model.map(|model| model.likelihood_of_end(&sound[..until])).transpose()?;
                    let start_ms = at_ms.saturating_sub(silence_ms);
                    pauses.push(Pause { start_ms, length_ms: None, evidence, smart_turn });
                    is_open = true;
                }
                HearingEvent::WentOn => {
                    if let Some(pause) = pauses.last_mut() {
                        pause.length_ms = Some(at_ms - pause.start_ms);
                    }
                    is_open = false;
                }
                _ => {}
            }
        }
        let last = pauses.iter().position(|pause| pause.start_ms + END_TOLERANCE_MS >= end_ms);
        Ok(last.map(|last| {
            pauses.truncate(last + 1);
            pauses[last].length_ms = None;
            Recorded { name: name(file), voice: self.voices.embed(&sound).ok().flatten(), pauses }
        }))
    }

    /// Where the last speech ends, in milliseconds.
    fn end_of_speech(&mut self, sound: &[f32]) -> Result<Option<u64>, Fault> {
        self.vad.reset();
        let (mut end, mut run) = (None, 0);
        for (number, block) in sound.as_chunks::<VAD_BLOCK_SAMPLES>().0.iter().enumerate() {
            run = if self.vad.probability(block)? >= 0.5 { run + 1 } else { 0 };
            if run >= MIN_SPEECH_BLOCKS {
                end = Some(samples_to_ms(((number + 1) * VAD_BLOCK_SAMPLES) as u64));
            }
        }
        Ok(end)
    }
}

/// The quietest 200 ms.
fn quiet(sound: &[f32]) -> Vec<f32> {
    let power = |part: &&[f32]| part.iter().map(|sample| f64::from(sample * sample)).sum::<f64>();
    let parts = sound.chunks_exact(ms_to_samples(200) as usize);
    let quietest = parts.min_by(|one, other| power(one).total_cmp(&power(other)));
    quietest.map_or_else(|| vec![0.0; 1], <[f32]>::to_vec)
}

/// Two halves, so that no voice is in both: voices that are alike are taken for one person's.
pub(super) fn halves(recorded: Vec<Recorded>) -> (Vec<Recorded>, Vec<Recorded>) {
    let mut people: Vec<(Vec<f32>, Vec<Recorded>)> = Vec::new();
    for recording in recorded {
        let voice = recording.voice.clone().unwrap_or_default();
        match people.iter_mut().find(|(known, _)| similarity(known, &voice) > SAME_VOICE) {
            Some((_, recordings)) => recordings.push(recording),
            None => people.push((voice, vec![recording])),
        }
    }
    // The one with most recordings first, each to the half that has less: the halves are about as large.
    people.sort_by_key(|(_, recordings)| std::cmp::Reverse(recordings.len()));
    let (mut tuning, mut reported) = (Vec::new(), Vec::new());
    for (_, recordings) in people {
        if tuning.len() < reported.len() { tuning.extend(recordings) } else { reported.extend(recordings) }
    }
    (tuning, reported)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(voice: &[f32], name: &str) -> Recorded {
        Recorded { name: name.into(), voice: Some(voice.to_vec()), pauses: Vec::new() }
    }

    #[test]
    fn no_voice_is_in_both_halves() {
        let (anna, max, eve) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
        let recorded =
            [of(&anna, "anna"), of(&max, "max"), of(&anna, "anna"), of(&eve, "eve"), of(&anna, "anna")];
        let (tuning, reported) = halves(recorded.to_vec());
        let names = |half: &[Recorded]| half.iter().map(|one| one.name.clone()).collect::<Vec<_>>();
        assert_eq!(
            (names(&tuning), names(&reported)),
            (vec!["max".into(), "eve".into()], vec!["anna".to_owned(); 3])
        );
    }
}

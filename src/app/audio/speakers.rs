//! People who are known by their voice: what the audio pipelines ask whose voice it was, and what the tools and `hark
//! speakers` enrol and forget. Voices are in the store; the model is loaded when the first voice is enrolled or compared.

use crate::app::faults::no_thread;
use hark_config::speakers::Speakers as Settings;
use hark_core::speaker::{EnrolledSpeaker, Enrolment, Speakers, VoiceSample, VoiceStore, is_same_name};
use hark_core::{Fault, FaultKind, SpeakerGuess};
use hark_models::manifest::Manifest;
use hark_models::onnx::OnnxRuntime;
use hark_stt::speaker::{VoiceEncoder, WhoSpeaks, likelihood_of, nearest, profiles, similarity, who};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Utterances of a person that are kept; more do not tell more (`hark eval speakers`).
const MAX_SAMPLES: usize = 8;
/// A voice that is less likely that of the name it is enrolled under is another's.
const LEAST_SAME: f32 = 0.1;
/// A voice that is as likely that of another name is not enrolled by voice: of two names neither would be told any more,
/// and what is refused to the one would be allowed.
const LEAST_KNOWN: f32 = 0.5;
/// A request that was heard longer ago is not the one that asks for its voice to be remembered.
const FRESH: Duration = Duration::from_secs(60);

/// See the module. Cheap to share; the daemon has one.
pub(crate) struct SpeakerRegistry {
    settings: Settings,
    store: Arc<dyn VoiceStore>,
    manifest: Arc<Manifest>,
    encoder: Mutex<Option<VoiceEncoder>>,
    /// The last utterance at the node's microphone, until the next one.
    last: Mutex<Option<(Instant, Vec<f32>)>>,
}

impl SpeakerRegistry {
    pub(crate) fn new(settings: &Settings, store: Arc<dyn VoiceStore>, manifest: Arc<Manifest>) -> Self {
        Self {
            settings: settings.clone(),
            store,
            manifest,
            encoder: Mutex::default(),
            last: Mutex::default(),
        }
    }

    /// What a pipeline asks; `None` when voices are not told apart. `is_node`: it is that of the node's microphone, at
    /// which voices are enrolled.
    ///
    /// # Errors
    /// When its thread cannot be started.
    pub(crate) fn listener(self: &Arc<Self>, is_node: bool) -> Result<Option<Box<dyn WhoSpeaks>>, Fault> {
        if !self.settings.enabled {
            return Ok(None);
        }
        let (sounds, heard) = channel::<(u64, Vec<f32>)>();
        let (sender, guesses) = channel();
        let registry = self.clone();
        let run = move || {
            for (number, sound) in heard {
                if sender.send((number, registry.guess(&sound))).is_err() {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new().name("hark-voices".into()).spawn(run);
        thread.map_err(|error| no_thread("hark-voices", &error))?;
        let registry = self.clone();
        Ok(Some(Box::new(Listener {
            registry,
            is_node,
            sounds,
            guesses,
            asked: 0,
            guessed: 0,
            failing: false,
        })))
    }

    /// Whose voice it is. Nothing is computed while none is enrolled.
    fn guess(&self, sound: &[f32]) -> Result<Option<SpeakerGuess>, Fault> {
        let known = self.store.voices()?;
        if known.is_empty() {
            *lock(&self.encoder) = None;
            return Ok(None);
        }
        let embedding = self.embed(sound)?;
        Ok(embedding.and_then(|embedding| who(&embedding, &known, self.settings.min_likelihood)))
    }

    /// The voice of some sound (16 kHz mono); `None` where too little is said.
    ///
    /// # Errors
    /// When the model is missing or fails.
    pub(crate) fn embed(&self, sound: &[f32]) -> Result<Option<Vec<f32>>, Fault> {
        let mut encoder = lock(&self.encoder);
        if encoder.is_none() {
            let runtime = OnnxRuntime::load(&self.manifest.path("onnxruntime")?)?;
            *encoder = Some(VoiceEncoder::load(runtime, &self.manifest.path("speaker_encoder")?)?);
        }
        Ok(encoder.as_mut().map(|encoder| encoder.embed(sound)).transpose()?.flatten())
    }

    /// Enrols the voice in some sound (16 kHz mono) under a name, for the owner.
    ///
    /// # Errors
    /// When the model cannot be loaded or the store not be written.
    pub(crate) fn enrol(&self, name: &str, sound: &[f32], now_unix_ms: i64) -> Result<Enrolment, Fault> {
        self.enrol_unless(name, sound, now_unix_ms, self.settings.min_likelihood)
    }

    /// The same, unless it is this likely the voice of another name.
    fn enrol_unless(
        &self,
        name: &str,
        sound: &[f32],
        now_unix_ms: i64,
        least_known: f32,
    ) -> Result<Enrolment, Fault> {
        let Some(embedding) = self.embed(sound)? else { return Ok(Enrolment::TooShort) };
        let known = self.store.voices()?;
        let is_named = |person: &EnrolledSpeaker| is_same_name(&person.name, name);
        let others: Vec<VoiceSample> =
            known.iter().filter(|sample| !is_same_name(&sample.name, name)).cloned().collect();
        if let Some(guess) = nearest(&embedding, &others).filter(|guess| guess.likelihood >= least_known) {
            return Ok(Enrolment::Known(guess));
        }
        if let Some((person, mean)) = profiles(&known).into_iter().find(|(person, _)| is_named(person))
            && likelihood_of(similarity(&embedding, &mean), person.samples) < LEAST_SAME
        {
            return Ok(Enrolment::OtherVoice);
        }
        let sample = VoiceSample { name: name.to_owned(), embedding, told_unix_ms: now_unix_ms };
        self.store.add_voice(&sample, MAX_SAMPLES)?;
        let person = self.people()?.into_iter().find(is_named);
        Ok(Enrolment::Enrolled(person.unwrap_or(EnrolledSpeaker {
            name: sample.name,
            samples: 1,
            told_unix_ms: now_unix_ms,
        })))
    }

    fn check_enabled(&self) -> Result<(), Fault> {
        if self.settings.enabled {
            return Ok(());
        }
        let message = "voices are not told apart: speakers.enabled is false";
        Err(Fault::new(FaultKind::Unavailable, "speakers", message, "set speakers.enabled = true"))
    }
}

impl Speakers for SpeakerRegistry {
    fn people(&self) -> Result<Vec<EnrolledSpeaker>, Fault> {
        let mut people: Vec<_> =
            profiles(&self.store.voices()?).into_iter().map(|(person, _)| person).collect();
        people.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(people)
    }

    fn enrol_last(&self, name: &str, now_unix_ms: i64) -> Result<Enrolment, Fault> {
        self.check_enabled()?;
        let last = lock(&self.last).clone();
        match last.filter(|(at, _)| at.elapsed() < FRESH) {
            Some((_, sound)) => self.enrol_unless(name, &sound, now_unix_ms, LEAST_KNOWN),
            None => Ok(Enrolment::NotHeard),
        }
    }

    fn enrol(&self, name: &str, sound: &[f32], now_unix_ms: i64) -> Result<Enrolment, Fault> {
        self.check_enabled()?;
        Self::enrol(self, name, sound, now_unix_ms)
    }

    fn forget(&self, name: &str) -> Result<bool, Fault> {
        Ok(self.store.forget_voice(name)? > 0)
    }
}

fn lock<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The pipeline's end of the thread `hark-voices`, which ends with it.
struct Listener {
    registry: Arc<SpeakerRegistry>,
    is_node: bool,
    sounds: Sender<(u64, Vec<f32>)>,
    guesses: Receiver<(u64, Result<Option<SpeakerGuess>, Fault>)>,
    asked: u64,
    /// The last that was answered.
    guessed: u64,
    /// A failure that goes on is told once.
    failing: bool,
}

impl WhoSpeaks for Listener {
    fn listen(&mut self, sound: Vec<f32>) {
        self.asked += 1;
        // Without its thread nothing answers, and nobody is named.
        let _ = self.sounds.send((self.asked, sound));
    }

    fn guess(&mut self, at_most: Duration) -> Result<Option<SpeakerGuess>, Fault> {
        let until = Instant::now() + at_most;
        while self.guessed < self.asked {
            let Ok((number, guess)) =
                self.guesses.recv_timeout(until.saturating_duration_since(Instant::now()))
            else {
                return Ok(None);
            };
            self.guessed = number;
            if number == self.asked {
                let is_new = !std::mem::replace(&mut self.failing, guess.is_err());
                return if guess.is_ok() || is_new { guess } else { Ok(None) };
            }
        }
        Ok(None)
    }

    fn heard(&mut self, sound: &[f32]) {
        if self.is_node {
            *lock(&self.registry.last) = Some((Instant::now(), sound.to_vec()));
        }
    }
}

//! Whose voice said a request. It is found out on a thread of its own from the first pause on, like the words.

use super::{AudioPipeline, LAST_TRANSCRIPT_WAIT};
use crate::stt::worker::SttMode;
use crate::{HearingEvent, PositionedEvent};
use hark_core::{Fault, SpeakerGuess, Transcript};
use std::time::Duration;

/// How long the words of a request wait for whose voice said them. That was begun at the first pause and takes some 15 ms,
/// less than the words take.
const MAX_SPEAKER_WAIT: Duration = Duration::from_millis(25);

impl AudioPipeline {
    /// The utterance may be over: whose voice it is is found out meanwhile.
    pub(super) fn hear_voice(&mut self) {
        if let (Some(speakers), Some(sound)) = (&mut self.speakers, self.stt.sound()) {
            speakers.listen(sound);
        }
    }

    /// Whose voice said the words, if that is known by now. Recordings are waited for.
    fn speaker_of(&mut self, transcript: &Transcript, sound: &[f32]) -> Result<Option<SpeakerGuess>, Fault> {
        let Some(speakers) = &mut self.speakers else { return Ok(None) };
        speakers.heard(sound);
        if transcript.text.is_empty() || transcript.rejected.is_some() {
            return Ok(None);
        }
        speakers.guess(match self.settings.stt_mode {
            SttMode::Live => MAX_SPEAKER_WAIT,
            SttMode::LockStep => LAST_TRANSCRIPT_WAIT,
        })
    }

    /// The last of a request: its words, and its sound where that is kept.
    pub(super) fn emit_transcript(
        &mut self,
        sound: Option<Vec<f32>>,
        mut transcript: Transcript,
        out: &mut Vec<PositionedEvent>,
    ) {
        if let Some(sound) = sound {
            match self.speaker_of(&transcript, &sound) {
                Ok(speaker) => transcript.speaker = speaker,
                Err(fault) => self.emit(HearingEvent::Fault(fault), out),
            }
            if self.settings.keeps_sound {
                self.emit(HearingEvent::Sound(sound), out);
            }
        }
        self.emit(HearingEvent::Transcript(transcript), out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PipelineCommand;
    use crate::pipeline::{PipelineParts, PipelineSettings};
    use crate::scripted::{ScriptedRecogniser, ScriptedVad};
    use crate::speaker::WhoSpeaks;
    use hark_config::Config;
    use std::sync::{Arc, Mutex};

    /// Takes everybody for Anna, and notes how much it heard.
    struct TakesAllForAnna(Arc<Mutex<Vec<&'static str>>>);

    impl TakesAllForAnna {
        fn note(&self, what: &'static str) {
            self.0.lock().unwrap().push(what);
        }
    }

    impl WhoSpeaks for TakesAllForAnna {
        fn listen(&mut self, sound: Vec<f32>) {
            assert!(!sound.is_empty());
            self.note("listen");
        }

        fn guess(&mut self, _at_most: Duration) -> Result<Option<SpeakerGuess>, Fault> {
            self.note("guess");
            Ok(Some(SpeakerGuess { name: "Anna".into(), likelihood: 0.97 }))
        }

        fn heard(&mut self, sound: &[f32]) {
            assert!(!sound.is_empty());
            self.note("heard");
        }
    }

    /// What comes of an utterance, and what was asked of the voice meanwhile. `max_samples`: longer ones are rejected.
    fn said(max_samples: usize) -> (Transcript, Vec<&'static str>, bool) {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (mut recogniser, _) = ScriptedRecogniser::new();
        recogniser.max_samples = max_samples;
        let parts = PipelineParts {
            vad: Box::new(ScriptedVad),
            wake: None,
            recogniser: Box::new(recogniser),
            grammar: None,
            speakers: Some(Box::new(TakesAllForAnna(asked.clone()))),
            smart_turn: None,
        };
        let settings = PipelineSettings::new(&Config::default(), SttMode::LockStep);
        let mut pipeline = AudioPipeline::new(parts, settings).unwrap();
        pipeline.command(PipelineCommand::Listen { window_ms: 5_000, short_answer: false });
        let mut heard = Vec::new();
        for value in [0.0, 0.9, 0.0] {
            pipeline.process(&vec![value; 16_000], &mut heard);
        }
        pipeline.finish(&mut heard);
        let keeps = heard.iter().any(|heard| matches!(heard.event, HearingEvent::Sound(_)));
        let transcript = heard.into_iter().find_map(|heard| match heard.event {
            HearingEvent::Transcript(transcript) => Some(transcript),
            _ => None,
        });
        let asked = asked.lock().unwrap().clone();
        (transcript.unwrap(), asked, keeps)
    }

    #[test]
    fn the_words_of_a_request_tell_whose_voice_it_was() {
        let (transcript, asked, keeps_sound) = said(usize::MAX);
        assert_eq!(transcript.speaker.map(|speaker| speaker.name).as_deref(), Some("Anna"));
        assert_eq!(asked, ["listen", "heard", "guess"], "it was begun before the end");
        assert!(!keeps_sound, "sound is told only where it is kept");
    }

    #[test]
    fn of_what_nobody_understood_nobody_is_named() {
        let (transcript, asked, _) = said(0);
        assert!(transcript.rejected.is_some() && transcript.speaker.is_none());
        assert!(!asked.contains(&"guess"));
    }
}

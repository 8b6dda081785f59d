//! A reply as one piece of sound, for files: the same phrases, words and pauses as on the speaker.

use super::normalise::spoken;
use super::phrases::{PhraseEnd, phrases};
use super::trim::Trim;
use super::voice_loop::{CLAUSE_PAUSE_MS, SENTENCE_PAUSE_MS};
use hark_core::Fault;
use hark_core::ports::{PcmSink, Voice};

/// Synthesises `text` at the voice's rate. `Break` from the sink ends it early.
///
/// # Errors
/// As [`Voice::synthesise`].
pub fn render(voice: &mut dyn Voice, text: &str, language: &str, sink: PcmSink<'_>) -> Result<(), Fault> {
    let rate_hz = voice.rate_hz();
    let mut pause_ms = 0;
    for phrase in phrases(text, language) {
        let words = spoken(&phrase.text, language);
        if !words.contains(char::is_alphanumeric) {
            continue;
        }
        let pause = vec![0.0; (u64::from(rate_hz) * u64::from(pause_ms) / 1000) as usize];
        let mut flow = sink(&pause);
        if flow.is_break() {
            return Ok(());
        }
        let mut trim = Trim::new(rate_hz);
        voice.synthesise(&words, language, &mut |piece| {
            trim.piece(piece, |samples| flow = if flow.is_break() { flow } else { sink(samples) });
            flow
        })?;
        trim.finish(|samples| flow = if flow.is_break() { flow } else { sink(samples) });
        if flow.is_break() {
            return Ok(());
        }
        pause_ms = match phrase.end {
            PhraseEnd::Sentence => SENTENCE_PAUSE_MS,
            PhraseEnd::Clause => CLAUSE_PAUSE_MS,
        };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::ControlFlow;

    struct Words(Vec<String>);

    impl Voice for Words {
        fn rate_hz(&self) -> u32 {
            1000
        }

        fn synthesise(&mut self, text: &str, _: &str, sink: PcmSink<'_>) -> Result<(), Fault> {
            self.0.push(text.to_owned());
            let _: ControlFlow<()> = sink(&[0.5; 100]);
            Ok(())
        }
    }

    #[test]
    fn phrases_are_written_out_and_set_apart() {
        let (mut voice, mut samples) = (Words(Vec::new()), Vec::new());
        let text = "The front door is not locked, and nobody has been home. 👍\nIt is 14:05.";
        render(&mut voice, text, "en", &mut |piece| {
            samples.extend_from_slice(piece);
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!(
            voice.0,
            ["The front door is not locked,", "and nobody has been home.", "It is two oh five p m."]
        );
        assert_eq!(samples.len() as u32, 300 + SENTENCE_PAUSE_MS + CLAUSE_PAUSE_MS);
        let mut pieces = 0;
        render(&mut voice, text, "en", &mut |_| {
            pieces += 1;
            ControlFlow::Break(())
        })
        .unwrap();
        assert_eq!(pieces, 1);
    }
}

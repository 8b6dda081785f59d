//! Asks Smart Turn on a thread of its own, `hark-turn-end`, while the words are recognised; in line where a recording is
//! played in lock-step. The thread ends with the worker.

use super::smart_turn::SmartTurn;
use crate::stt::worker::SttMode;
use hark_core::{Fault, FaultKind};
use std::sync::mpsc::{Receiver, Sender, channel};

/// An answer, with the number of the question.
type Answer = (u64, Result<f32, Fault>);

/// Smart Turn at call for the pipeline: `ask`, then `poll` until there is an answer.
pub struct SmartTurnWorker {
    execution: Execution,
    asked: u64,
    /// A failure that goes on is told once.
    failing: bool,
}

enum Execution {
    Inline { model: Box<SmartTurn>, answer: Option<Answer> },
    Thread { sounds: Sender<(u64, Vec<f32>)>, answers: Receiver<Answer> },
}

impl SmartTurnWorker {
    /// Puts the model to call.
    ///
    /// # Errors
    /// When its thread cannot be started.
    pub fn new(model: SmartTurn, mode: SttMode) -> Result<Self, Fault> {
        let execution = match mode {
            SttMode::LockStep => Execution::Inline { model: Box::new(model), answer: None },
            SttMode::Live => spawn(model)?,
        };
        Ok(Self { execution, asked: 0, failing: false })
    }

    /// Asks how likely what was heard is over: 16 kHz mono up to the pause. An answer to an earlier question is not told.
    pub fn ask(&mut self, sound: Vec<f32>) {
        self.asked += 1;
        match &mut self.execution {
            Execution::Inline { model, answer } => {
                *answer = Some((self.asked, model.likelihood_of_end(&sound).map_err(Fault::from)));
            }
            // Without its thread nothing answers, and the rest of the evidence decides.
            Execution::Thread { sounds, .. } => drop(sounds.send((self.asked, sound))),
        }
    }

    /// The answer to the last question, once.
    ///
    /// # Errors
    /// When the model fails, the first time in a row.
    pub fn poll(&mut self) -> Result<Option<f32>, Fault> {
        let asked = self.asked;
        let answer = match &mut self.execution {
            Execution::Inline { answer, .. } => answer.take(),
            Execution::Thread { answers, .. } => {
                answers.try_iter().filter(|(number, _)| *number == asked).last()
            }
        };
        let Some((_, answer)) = answer else { return Ok(None) };
        let is_new = !std::mem::replace(&mut self.failing, answer.is_err());
        if answer.is_err() && !is_new { Ok(None) } else { answer.map(Some) }
    }
}

fn spawn(mut model: SmartTurn) -> Result<Execution, Fault> {
    let (sounds, asked) = channel::<(u64, Vec<f32>)>();
    let (sender, answers) = channel();
    std::thread::Builder::new()
        .name("hark-turn-end".into())
        .spawn(move || {
            while let Ok(mut question) = asked.recv() {
                // Only the last one is of use.
                while let Ok(newer) = asked.try_recv() {
                    question = newer;
                }
                let (number, sound) = question;
                let answer = model.likelihood_of_end(&sound).map_err(Fault::from);
                if sender.send((number, answer)).is_err() {
                    return;
                }
            }
        })
        .map_err(|error| {
            Fault::new(FaultKind::Failed, "endpoint", format!("no thread for Smart Turn: {error}"), "")
        })?;
    Ok(Execution::Thread { sounds, answers })
}

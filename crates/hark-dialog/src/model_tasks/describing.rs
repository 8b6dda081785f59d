//! What a picture shows, for a tool that has taken one: one call under the contract for pictures.

use super::model_faults::fault;
use super::{ModelTasks, Tell};
use crate::contracts::{Contract, Options};
use hark_core::model::Picture;
use hark_core::{Fault, FaultKind, News};
use serde_json::json;

impl ModelTasks {
    /// Answers a question about a picture, or says what it shows where the question is empty. `tell` gets what was sent where.
    ///
    /// # Errors
    /// When the model does not answer, or its answer is none.
    pub async fn describe(
        &self,
        picture: Picture,
        question: &str,
        language: &str,
        tell: &Tell,
    ) -> Result<String, Fault> {
        let told = tell.clone();
        let mut report = move |event| told(News::Told { event });
        let vars = json!({"request": question, "language": language});
        let options =
            Options { pictures: vec![picture], now: Some((self.parts.now)()), ..Options::new(&mut report) };
        let outcome =
            self.parts.contracts.call(&*self.parts.model, Contract::ImageRecognition, &vars, options).await;
        match &outcome.model_error {
            Some(error) => Err(fault(error)),
            None if outcome.fallback => {
                let message =
                    format!("the language model said nothing usable: {}", outcome.errors.join("; "));
                let fix = "ask again, or name another model for pictures in [llm]";
                Err(Fault::new(FaultKind::Failed, "llm", message, fix))
            }
            None => Ok(outcome.text().trim().to_owned()),
        }
    }
}

//! Looks at the language model now and then, so that what is wrong with it is known before it is needed.

use hark_core::Fault;
use hark_core::model::{LanguageModel, ModelError};
use hark_dialog::model_tasks::fault;
use std::sync::Arc;
use std::time::Duration;

/// Looks for as long as the runtime is there, the first time at once; `tell` gets each trouble when it begins.
pub(crate) async fn watch(model: Arc<dyn LanguageModel>, every: Duration, tell: impl Fn(Fault)) {
    let mut known = Vec::new();
    loop {
        known = look(&*model, &known, &tell).await;
        tokio::time::sleep(every).await;
    }
}

/// The troubles there are now; those that are not `known` are told.
async fn look(model: &dyn LanguageModel, known: &[ModelError], tell: &impl Fn(Fault)) -> Vec<ModelError> {
    let (_, mut troubles) = model.models().await;
    // A model that its server does not have is no fault of the list.
    let trouble = model.trouble().filter(|trouble| !troubles.contains(trouble));
    troubles.extend(trouble.into_iter().chain(model.doubt()));
    troubles.iter().filter(|trouble| !known.contains(trouble)).for_each(|trouble| tell(fault(trouble)));
    troubles
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::model::{CompletionFuture, ListingFuture, PieceSink, Prompt};
    use std::sync::Mutex;

    /// A server that answers, and has this trouble.
    struct Troubled(Mutex<Option<ModelError>>);

    impl LanguageModel for Troubled {
        fn complete(&self, _: Prompt, _: Option<PieceSink>) -> CompletionFuture {
            Box::pin(async { Err(ModelError::NotConfigured) })
        }

        fn models(&self) -> ListingFuture {
            Box::pin(async { (Vec::new(), Vec::new()) })
        }

        fn trouble(&self) -> Option<ModelError> {
            self.0.lock().unwrap().clone()
        }
    }

    #[tokio::test]
    async fn a_model_that_is_missing_is_told_once_with_what_to_do() {
        let missing = || ModelError::NoSuchModel("http://127.0.0.1:11434".into(), "llama3.2".into());
        let (model, told) = (Troubled(Mutex::new(Some(missing()))), Mutex::new(Vec::new()));
        let tell = |fault: Fault| told.lock().unwrap().push(fault.to_string());
        let known = look(&model, &[], &tell).await;
        let known = look(&model, &known, &tell).await;
        let first = told.lock().unwrap().clone();
        assert_eq!(first.len(), 1, "{first:?}");
        assert!(
            first[0].contains("llama3.2") && first[0].contains("fix: name a model in [llm]"),
            "{first:?}"
        );
        // Told again where it comes back.
        *model.0.lock().unwrap() = None;
        let known = look(&model, &known, &tell).await;
        *model.0.lock().unwrap() = Some(missing());
        look(&model, &known, &tell).await;
        assert_eq!(told.lock().unwrap().len(), 2);
    }
}

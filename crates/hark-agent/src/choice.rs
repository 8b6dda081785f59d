//! Which of the configured models a request is for.

use hark_config::llm::LlmFallback;
use hark_core::model::{Difficulty, Prompt, Purpose};

/// The models of a server.
#[derive(Debug)]
pub(super) struct Models {
    pub(super) main: String,
    fast: String,
    vision: String,
    /// Models of single purposes; empty: as hard as it is.
    of_purpose: [(Purpose, String); 4],
}

impl Models {
    /// As configured.
    pub(super) fn new(config: &LlmFallback) -> Self {
        let or_main = |name: &str| if name.is_empty() { &config.model } else { name }.to_owned();
        Self {
            main: config.model.clone(),
            fast: or_main(&config.fast_model),
            vision: or_main(&config.vision_model),
            of_purpose: [
                (Purpose::Route, config.route_model.clone()),
                (Purpose::Answer, config.answer_model.clone()),
                (Purpose::Plan, config.plan_model.clone()),
                (Purpose::Extract, config.extract_model.clone()),
            ],
        }
    }

    /// The model for a request. One that was named is one of these, or the name of their server.
    pub(super) fn of<'m>(&'m self, prompt: &'m Prompt) -> &'m str {
        if let Some(named) = prompt.model.as_deref().filter(|named| self.all().contains(named)) {
            return named;
        }
        let own =
            self.of_purpose.iter().find(|(purpose, model)| *purpose == prompt.purpose && !model.is_empty());
        if let Some((_, model)) = own {
            return model;
        }
        match prompt.difficulty {
            Difficulty::Simple => &self.fast,
            Difficulty::Complex => &self.main,
            Difficulty::Vision => &self.vision,
        }
    }

    /// All of them, each once.
    pub(super) fn all(&self) -> Vec<&str> {
        let mut models: Vec<&str> = Vec::new();
        let own = self.of_purpose.iter().map(|(_, model)| model).filter(|model| !model.is_empty());
        for model in [&self.main, &self.fast, &self.vision].into_iter().chain(own) {
            if !models.contains(&model.as_str()) {
                models.push(model);
            }
        }
        models
    }
}

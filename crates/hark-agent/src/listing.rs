//! What models a server has: `/api/tags` of Ollama, `/v1/models` of the others. A look at its health as well.

use super::error::StreamError;
use super::listener::Failure;
use super::provider::Provider;
use super::wire::Wire;
use hark_core::model::{ModelError, ModelListing};
use hark_http_client::BodyError;
use serde_json::Value;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// Most of a list that is read, bytes.
const MAX_LIST_BYTES: usize = 8 * 1024 * 1024;
/// Most models of one server.
const MAX_MODELS: usize = 5000;
/// Longest name of a model, bytes.
const MAX_NAME_BYTES: usize = 256;
/// Most names of models in a message.
const MAX_TOLD: usize = 5;
/// How long a list may take at most.
const PATIENCE: Duration = Duration::from_secs(10);

impl Provider {
    /// Asks for its models, and notes whether it works and has those that are configured.
    pub(super) async fn look(&self, rest: Duration) -> Result<Vec<ModelListing>, ModelError> {
        let found = self.list().await.map_err(|failure| match failure {
            Failure::Final(error) | Failure::Passing(error, _) => error,
            Failure::Stream(error) => self.bad(&error),
        });
        match &found {
            Err(error) => self.health.has_failed(error, rest),
            Ok(models) => match self.missing(models) {
                None => self.health.is_well(),
                Some(doubt @ ModelError::NotListed(..)) => self.health.is_doubtful(doubt),
                Some(missing) => {
                    self.health.is_well();
                    self.health.has_failed(&missing, rest);
                }
            },
        }
        found
    }

    /// How it answers, in words.
    pub(super) async fn report(&self, rest: Duration) -> Result<String, ModelError> {
        let models = self.look(rest).await?;
        let doubt = match self.missing(&models) {
            None => String::new(),
            Some(doubt @ ModelError::NotListed(..)) => format!("; {doubt}"),
            Some(missing) => return Err(missing),
        };
        let named = self.models.all().join(", ");
        Ok(format!("{} answers: {} models, uses {named}{doubt}", self.place(), models.len()))
    }

    /// A configured model it does not have. Only Ollama's list is to be believed: others may answer to names that are not
    /// in theirs (llama.cpp to any).
    fn missing(&self, models: &[ModelListing]) -> Option<ModelError> {
        let has = |wanted: &str| {
            models.iter().any(|model| {
                model.name == wanted || model.name.strip_suffix(":latest").is_some_and(|name| name == wanted)
            })
        };
        let missing = self.models.all().into_iter().find(|wanted| !has(wanted))?;
        let (place, missing) = (self.place(), missing.to_owned());
        if self.kind == Wire::Ollama {
            return Some(ModelError::NoSuchModel(place, missing));
        }
        let mut names: Vec<&str> = models.iter().take(MAX_TOLD).map(|model| model.name.as_str()).collect();
        if models.len() > MAX_TOLD {
            names.push("…");
        }
        // A server that lists none has not been asked to.
        (!names.is_empty()).then(|| ModelError::NotListed(place, missing, names.join(", ")))
    }

    async fn list(&self) -> Result<Vec<ModelListing>, Failure> {
        let patience = self.first_token().min(PATIENCE);
        let by = Instant::now() + patience;
        let millis = u64::try_from(patience.as_millis()).unwrap_or(u64::MAX);
        let late = |_| Failure::Final(ModelError::TimedOut(self.place(), millis));
        let path = match self.kind {
            Wire::Ollama => "api/tags",
            Wire::Openai => "models",
        };
        let sending = self.with_key(self.client.get(self.address.join(path))).send();
        let response = timeout_at(by, sending).await.map_err(late)?;
        let response = response.map_err(|error| self.unreachable(&error))?;
        if response.status() != 200 {
            let refusal = self.refusal(response, by).await;
            return Err(self.refused(&refusal, &self.models.main, None));
        }
        let body = timeout_at(by, hark_http_client::body(response, MAX_LIST_BYTES)).await.map_err(late)?;
        let body = body.map_err(|error| match error {
            BodyError::Broken(error) => self.unreachable(&error),
            BodyError::TooLong(most) => StreamError::TooLarge(most).into(),
        })?;
        Ok(read(&body, self.kind, &self.name)?)
    }
}

fn read(body: &[u8], kind: Wire, provider: &str) -> Result<Vec<ModelListing>, StreamError> {
    let body: Value =
        serde_json::from_slice(body).map_err(|error| StreamError::NotJson(error.to_string()))?;
    let (list, name) = match kind {
        Wire::Ollama => ("models", "name"),
        Wire::Openai => ("data", "id"),
    };
    // Some servers of OpenAI's kind send the list alone.
    let models = body.get(list).or(Some(&body)).and_then(Value::as_array);
    let models = models.ok_or_else(|| StreamError::NotTheProtocol(format!("no `{list}` in it")))?;
    let listed = models.iter().take(MAX_MODELS).filter_map(|model| {
        let name = model.get(name)?.as_str()?;
        let shows = !name.is_empty() && name.len() <= MAX_NAME_BYTES && !name.chars().any(char::is_control);
        let size_bytes = model.get("size").and_then(Value::as_u64);
        shows.then(|| ModelListing { name: name.to_owned(), provider: provider.to_owned(), size_bytes })
    });
    Ok(listed.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use Wire::{Ollama, Openai};

    #[test]
    fn lists_are_read_and_bounded() {
        let names = |kind, text: &str| {
            read(text.as_bytes(), kind, "main").map(|models| {
                models.into_iter().map(|model| (model.name, model.size_bytes)).collect::<Vec<_>>()
            })
        };
        let tags = r#"{"models":[{"name":"llama3.2:latest","size":2019393189},{"size":1},{"name":"a\nb"}]}"#;
        assert_eq!(names(Ollama, tags), Ok(vec![("llama3.2:latest".into(), Some(2_019_393_189))]));
        let models = r#"{"object":"list","data":[{"id":"gpt"},{"id":7}]}"#;
        assert_eq!(names(Openai, models), Ok(vec![("gpt".into(), None)]));
        assert_eq!(names(Openai, r#"[{"id":"gpt"}]"#), Ok(vec![("gpt".into(), None)]));
        assert!(matches!(names(Openai, "{}"), Err(StreamError::NotTheProtocol(_))));
        assert!(matches!(names(Ollama, "<html>"), Err(StreamError::NotJson(_))));
        let many = format!("[{}]", vec![r#"{"id":"x"}"#; MAX_MODELS + 5].join(","));
        assert_eq!(names(Openai, &many).unwrap().len(), MAX_MODELS);
    }
}

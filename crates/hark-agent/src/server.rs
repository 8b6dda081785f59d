//! One of those that may be asked: a server, or a model in this program.

use super::embedded::Embedded;
use super::health::Health;
use super::listener::{Failure, Listener};
use super::provider::{Deadline, Provider};
use hark_core::model::{Completion, ModelError, ModelListing, Prompt};
use std::time::Duration;

/// See the module.
#[derive(Debug)]
pub(super) enum Server {
    /// Over HTTP.
    Remote(Box<Provider>),
    /// In this program.
    Embedded(Box<Embedded>),
}

impl Server {
    /// Where it is, for errors.
    pub(super) fn place(&self) -> String {
        match self {
            Self::Remote(provider) => provider.place(),
            Self::Embedded(embedded) => embedded.place(),
        }
    }

    /// Whether it, or a model of it, has this name.
    pub(super) fn is_named(&self, name: &str) -> bool {
        let (own, models) = match self {
            Self::Remote(provider) => (&provider.name, &provider.models),
            Self::Embedded(embedded) => (&embedded.name, &embedded.models),
        };
        own == name || models.all().contains(&name)
    }

    /// What is known of how it does.
    pub(super) fn health(&self) -> &Health {
        match self {
            Self::Remote(provider) => &provider.health,
            Self::Embedded(embedded) => &embedded.health,
        }
    }

    /// How long until the first word.
    pub(super) fn first_token(&self) -> Duration {
        match self {
            Self::Remote(provider) => provider.first_token(),
            Self::Embedded(embedded) => embedded.first_token(),
        }
    }

    /// Takes a request out of the budget, or says how long to wait.
    pub(super) fn take(&self, prompt: &Prompt) -> Result<(), Duration> {
        match self {
            Self::Remote(provider) => provider.take(prompt),
            Self::Embedded(_) => Ok(()),
        }
    }

    /// Asks for its models, and notes whether it works and has those that are configured.
    pub(super) async fn look(&self, rest: Duration) -> Result<Vec<ModelListing>, ModelError> {
        match self {
            Self::Remote(provider) => provider.look(rest).await,
            Self::Embedded(embedded) => embedded.look(rest),
        }
    }

    /// How it answers, in words.
    pub(super) async fn report(&self, rest: Duration) -> Result<String, ModelError> {
        match self {
            Self::Remote(provider) => provider.report(rest).await,
            Self::Embedded(embedded) => embedded.report(rest),
        }
    }

    /// Asks once.
    pub(super) async fn ask(
        &self,
        prompt: &Prompt,
        listener: &mut Listener,
        deadline: Deadline,
    ) -> Result<Completion, Failure> {
        match self {
            Self::Remote(provider) => provider.ask(prompt, listener, deadline).await,
            Self::Embedded(embedded) => embedded.ask(prompt, listener, deadline).await,
        }
    }

    /// The error of a failed request, for callers of the manager.
    pub(super) fn error(&self, failure: Failure) -> ModelError {
        match (failure, self) {
            (Failure::Final(error) | Failure::Passing(error, _), _) => error,
            (Failure::Stream(error), Self::Remote(provider)) => provider.bad(&error),
            (Failure::Stream(error), Self::Embedded(embedded)) => {
                ModelError::BadAnswer(embedded.place(), error.to_string())
            }
        }
    }
}

//! Carrying out what passed the gate: every device at the same time, each done only when its own
//! report proves it.

use super::UNAVAILABLE;
use super::backend::{DeviceBackend, DeviceError};
use super::capability::check;
use super::command::{Action, Actions, DeviceCommand};
use super::registry::HomeRegistry;
use super::state_proof::{items_of, proves};
use crate::lists::merged;
use crate::permission_gate::Cleared;
use hark_core::home::Entity;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// What became of one action.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    /// The device before.
    pub before: Entity,
    /// The device after; the last that is known when it failed.
    pub after: Entity,
    /// Why it was not done; `None` when its state proves it.
    pub error: Option<DeviceError>,
}

impl Done {
    /// Something is different now.
    pub fn changed(&self) -> bool {
        self.before.state != self.after.state || self.before.attributes != self.after.attributes
    }
}

/// The registry with the backends that drive its entities.
pub struct HomeControl {
    registry: Arc<HomeRegistry>,
    backends: HashMap<&'static str, Arc<dyn DeviceBackend>>,
}

impl HomeControl {
    /// Control over the entities whose source has a backend.
    pub fn new(registry: Arc<HomeRegistry>, backends: Vec<Arc<dyn DeviceBackend>>) -> Self {
        let backends = backends.into_iter().map(|backend| (backend.source(), backend)).collect();
        Self { registry, backends }
    }

    /// The picture of the home.
    pub fn registry(&self) -> &Arc<HomeRegistry> {
        &self.registry
    }

    /// Tells every device at once and waits until each has proved it, at most `timeout` each. Answers
    /// in the order of the actions.
    pub async fn carry_out(&self, actions: Cleared<Actions>, timeout: Duration) -> Vec<Done> {
        let mut running = JoinSet::new();
        let list = actions.into_inner().list;
        // A task that ends early leaves what stands here: it is not done.
        let broken = |action: &Action| Done {
            before: action.entity.clone(),
            after: action.entity.clone(),
            error: Some(DeviceError::Failed {
                name: action.entity.name.clone(),
                why: "its driver broke down".into(),
            }),
        };
        let mut done: Vec<Done> = list.iter().map(broken).collect();
        for (at, action) in list.into_iter().enumerate() {
            let backend = self.backends.get(action.entity.source.as_str()).cloned();
            let registry = Arc::clone(&self.registry);
            running.spawn(async move { (at, carry_out_one(&registry, backend, action, timeout).await) });
        }
        while let Some(result) = running.join_next().await {
            match result {
                Ok((at, one)) => done[at] = one,
                Err(error) => tracing::error!(%error, "a device's task ended early"),
            }
        }
        done
    }
}

async fn carry_out_one(
    registry: &HomeRegistry,
    backend: Option<Arc<dyn DeviceBackend>>,
    action: Action,
    timeout: Duration,
) -> Done {
    // It may have left the home since it was planned, while a yes was awaited.
    let Some(before) = registry.entity(&action.entity.id) else {
        let error = Some(DeviceError::Gone(action.entity.name.clone()));
        return Done { before: action.entity.clone(), after: action.entity, error };
    };
    let name = before.name.clone();
    let result = match backend {
        Some(backend) if before.state != UNAVAILABLE => {
            let command = upon(action.command, &before);
            let work = deliver_and_wait(registry, backend.as_ref(), &before, &command);
            tokio::time::timeout(timeout, work).await.unwrap_or(Err(DeviceError::Timeout(name)))
        }
        _ => Err(DeviceError::Offline(name)),
    };
    let after = registry.entity(&before.id).unwrap_or_else(|| before.clone());
    Done { before, after, error: result.err() }
}

/// A command as it has to be given to a device that is `now` like this: a list may be another than the one that was
/// changed.
fn upon(command: DeviceCommand, now: &Entity) -> DeviceCommand {
    match command {
        DeviceCommand::Items { from, to } => {
            let items = items_of(now);
            DeviceCommand::Items { to: merged(&from, &to, &items), from: items }
        }
        other => other,
    }
}

async fn deliver_and_wait(
    registry: &HomeRegistry,
    backend: &dyn DeviceBackend,
    before: &Entity,
    command: &DeviceCommand,
) -> Result<(), DeviceError> {
    // Only the device is given what a name stands for.
    let secret = match command {
        DeviceCommand::Value(name) if before.is_secret() => {
            let gone = || DeviceError::forgotten(before);
            Some((name, registry.secrets().reveal(name).ok_or_else(gone)?))
        }
        _ => None,
    };
    let revealed = secret.as_ref().map(|(_, value)| DeviceCommand::Value(value.clone()));
    let told = revealed.as_ref().unwrap_or(command);
    check(before, told)?;
    // Subscribed before the command leaves, so that no report is missed.
    let mut reports = registry.reports();
    backend.send(before, told).await.map_err(|error| match (error, &secret) {
        // A device may repeat what it does not take.
        (DeviceError::Failed { name, why }, Some((hidden, value))) => {
            DeviceError::Failed { name, why: why.replace(value.as_str(), hidden) }
        }
        (error, _) => error,
    })?;
    loop {
        let now = registry.entity(&before.id).ok_or_else(|| DeviceError::Offline(before.name.clone()))?;
        if now.state == UNAVAILABLE {
            return Err(DeviceError::Offline(before.name.clone()));
        }
        if proves(command, before, &now) {
            return Ok(());
        }
        if reports.changed().await.is_err() {
            return Err(DeviceError::Failed { name: before.name.clone(), why: "the home is closing".into() });
        }
    }
}

#[cfg(test)]
#[path = "control_tests.rs"]
mod tests;

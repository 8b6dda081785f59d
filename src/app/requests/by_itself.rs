//! What Hark does by itself: automations, folders and repositories that are watched, and news of tasks that were handed on;
//! with the limits of when it may speak of the latter two.

use crate::app::builder::App;
use crate::app::faults::no_thread;
use crate::app::requests::automations_thread::AutomationsThread;
use crate::app::requests::delegation;
use hark_core::Fault;
use hark_home::unasked::Unasked;
use hark_watch::Watcher;
use std::sync::Arc;

/// Ends with [`ByItself::stop`].
pub(crate) struct ByItself {
    automations: AutomationsThread,
    watcher: Watcher,
}

impl ByItself {
    /// Starts all of it. What happens goes into the event queue.
    pub(crate) fn start(app: &App) -> Result<Self, Fault> {
        let (services, event_queue, intercom) = (&app.services, &app.event_queue, app.intercom().clone());
        let unasked = Unasked::new(move || intercom.is_quiet(), app.config.proactive.min_interval_min);
        let unasked = Arc::new(unasked);
        services.automations.limit(unasked.clone());
        let automations = AutomationsThread::start(services.clone(), event_queue.clone())
            .map_err(|error| no_thread("hark-automations", &error))?;
        // Behind the thread that waits for what it tells.
        let watcher = Watcher::start(&app.config.watch, &app.config.paths.state_dir()?, app.home.clone())
            .map_err(|error| no_thread("hark-watch", &error))?;
        delegation::follow(&services.delegation, event_queue, unasked, app.runtime.handle());
        Ok(Self { automations, watcher })
    }

    /// Ends its threads, and a task that runs.
    pub(crate) fn stop(mut self, app: &App) {
        app.runtime.block_on(app.services.delegation.end());
        self.watcher.stop();
        self.automations.stop(&app.services.automations);
    }
}

//! What the screen shows, by the language model for pictures.

use crate::app::event_queue::EventQueue;
use hark_core::ports::screen::{DescribesPictures, Description, PictureQuestion};
use hark_core::{Event, Fault, FaultKind};
use hark_dialog::model_tasks::{ModelTasks, Tell};
use hark_tools::Services;
use std::sync::{Arc, Weak};

/// Asks `mind`; what was sent where is told to the event queue.
struct Describer {
    /// Its tools have this, so that it must not be kept alive by it.
    mind: Weak<ModelTasks>,
    event_queue: Arc<EventQueue>,
}

/// Gives tools a language model to ask, where there is one.
pub(crate) fn offer(services: &Services, mind: Option<&Arc<ModelTasks>>, event_queue: &Arc<EventQueue>) {
    let Some(mind) = mind else { return };
    let describer = Describer { mind: Arc::downgrade(mind), event_queue: event_queue.clone() };
    if services.describer.set(Arc::new(describer)).is_err() {
        tracing::error!("the tools have a language model to ask already");
    }
}

impl DescribesPictures for Describer {
    fn describe(&self, asked: PictureQuestion) -> Description {
        let (mind, event_queue) = (self.mind.clone(), self.event_queue.clone());
        let PictureQuestion { turn, picture, question, language } = asked;
        Box::pin(async move {
            let tell: Tell = Arc::new(move |news| {
                let Some(turn) = turn.clone() else { return };
                if event_queue.push(Event::News { turn, news }).is_err() {
                    tracing::warn!("the event queue is full; where a picture was sent is not told");
                }
            });
            let ends = || Fault::new(FaultKind::Unavailable, "llm", "Hark is ending", "start it again");
            let mind = mind.upgrade().ok_or_else(ends)?;
            mind.describe(picture, &question, &language, &tell).await
        })
    }
}

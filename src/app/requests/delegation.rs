//! News of tasks that were handed to other programs, on their way to the turn machine. What is to be said in the room waits
//! until something may be said there unasked.

use crate::app::event_queue::EventQueue;
use hark_core::Event;
use hark_core::delegation::TaskNews;
use hark_core::origin::Origin;
use hark_delegation::{Delegation, TaskView};
use hark_home::unasked::Unasked;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;

/// How often it is looked whether something may be said again.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Has the turn machine told what becomes of tasks from here on, and of what was left over at the last end.
pub(crate) fn follow(
    delegation: &Arc<Delegation>,
    event_queue: &Arc<EventQueue>,
    unasked: Arc<Unasked>,
    runtime: &Handle,
) {
    let (queue, runtime, tasks) = (Arc::clone(event_queue), runtime.clone(), Arc::downgrade(delegation));
    delegation.observe(Arc::new(move |task: &TaskView| {
        let news = task.news();
        let in_the_room = Origin::of_conversation(&news.conversation) == Origin::Voice;
        if !(news.state.is_news() && in_the_room && unasked.is_quiet()) {
            return push(&queue, news);
        }
        let (queue, unasked, tasks) = (queue.clone(), unasked.clone(), tasks.clone());
        runtime.spawn(async move {
            while unasked.is_quiet() {
                tokio::time::sleep(LOOK_EVERY).await;
            }
            // Whoever asked meanwhile may have answered or stopped it.
            let now = tasks.upgrade().and_then(|tasks| tasks.view()).map(|task| (task.id, task.state));
            if now == Some((news.task.clone(), news.state)) {
                push(&queue, news);
            }
        });
    }));
    delegation.tell_left_over();
}

fn push(event_queue: &EventQueue, news: TaskNews) {
    if let Err(full) = event_queue.push(Event::Delegation { news: Box::new(news) }) {
        tracing::error!("news of a task were not told: {full}");
    }
}

//! Finds out what is meant on a thread of its own, so that nothing that must be on time waits for it: the one that
//! decides goes on with timers, "stop", answers and the end of the program. What is found comes back as an event.
//!
//! A recording and a command read at once instead (`ReadingParts::work`), in their place.

use crate::app::clock;
use crate::app::event_queue::EventQueue;
use crate::app::language::secret_guard;
use crate::app::language::teacher::Teacher;
use chrono::NaiveDateTime;
use hark_core::ports::{Tools, Understand};
use hark_core::{Correction, Event, Fault, FaultKind, TurnId, Understanding};
use hark_language::Lexicon;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// Most that may wait. Of what is typed one is read at a time, and the rest waits in the event queue, so that this holds what
/// is said at the microphones. What finds it full is answered as what cannot be read.
const MAX_WAITING: usize = 32;

/// What is to be found out.
#[derive(Debug)]
pub(crate) enum Work {
    /// What a request means that was made at `asked_at`.
    Understand { turn: TurnId, text: String, language: String, asked_at: NaiveDateTime },
    /// Where the values of password fields are in a request; the machine gets it after that.
    Cover(Box<Event>),
    /// What is learned from a correction.
    Teach(Correction),
}

/// What is worked with.
pub(crate) struct ReadingParts {
    pub(crate) understand: Arc<dyn Understand>,
    pub(crate) tools: Arc<dyn Tools>,
    pub(crate) teacher: Arc<Teacher>,
    /// The languages that are spoken here.
    pub(crate) languages: Vec<&'static Lexicon>,
}

impl ReadingParts {
    /// Does it; what comes of it.
    pub(crate) fn work(&self, work: &Work) -> Event {
        match work {
            Work::Understand { turn, text, language, asked_at } => {
                let effort = clock::effort();
                let understanding = match self.tools.routine(text) {
                    Some(routine) => Understanding { intents: vec![routine], ..Understanding::default() },
                    None => self.understand.understand_within(text, language, *asked_at, &effort),
                };
                Event::Understood { turn: turn.clone(), understanding }
            }
            Work::Cover(event) => {
                let event = Event::clone(event);
                secret_guard::covered(event, &*self.tools, &*self.understand, &self.languages)
            }
            Work::Teach(correction) => match self.teacher.teach(correction) {
                Ok(lesson) => Event::Learned { lesson },
                Err(fault) => Event::Fault { fault: fault.recoverable() },
            },
        }
    }

    /// What comes of what is not done: nothing is understood, and nothing that may be secret goes on.
    fn leave(&self, work: &Work, why: &str) -> Event {
        match work {
            Work::Understand { turn, .. } => {
                let understanding = Understanding { why: why.to_owned(), ..Understanding::default() };
                Event::Understood { turn: turn.clone(), understanding }
            }
            Work::Cover(event) => secret_guard::all_covered(Event::clone(event), &*self.tools),
            Work::Teach(_) => {
                let message = format!("nothing was learned: {why}");
                let fault = Fault::new(FaultKind::Unavailable, "teach", message, "mark the turn again");
                Event::Fault { fault: fault.recoverable() }
            }
        }
    }
}

/// Where work is given to the thread.
pub(crate) struct Reading {
    reading_parts: Arc<ReadingParts>,
    waiting: SyncSender<Work>,
}

impl Reading {
    /// Gives it to the thread; what comes of it where there is no room.
    pub(crate) fn give(&self, work: Work) -> Option<Event> {
        let refused = self.waiting.try_send(work).err()?;
        let (std::sync::mpsc::TrySendError::Full(work) | std::sync::mpsc::TrySendError::Disconnected(work)) =
            refused;
        Some(self.reading_parts.leave(&work, "too much that was said waits to be read"))
    }
}

/// The thread. Ends when nobody can give it work any more; then it is joined.
pub(crate) struct ReadingThread {
    thread: Option<JoinHandle<()>>,
}

impl ReadingThread {
    /// Starts it. What comes of its work goes into the event queue; when that is closed the rest is left.
    ///
    /// # Errors
    /// When there can be no more threads.
    pub(crate) fn start(
        reading_parts: Arc<ReadingParts>,
        event_queue: Arc<EventQueue>,
    ) -> std::io::Result<(Self, Reading)> {
        let (waiting, work) = sync_channel(MAX_WAITING);
        let reading = Reading { reading_parts: reading_parts.clone(), waiting };
        let thread = std::thread::Builder::new()
            .name("hark-reading".into())
            .spawn(move || read(&reading_parts, &work, &event_queue))?;
        Ok((Self { thread: Some(thread) }, reading))
    }
}

impl Drop for ReadingThread {
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the reading thread had panicked");
        }
    }
}

fn read(reading_parts: &ReadingParts, work: &Receiver<Work>, event_queue: &EventQueue) {
    for work in work {
        if event_queue.is_closed() {
            return;
        }
        // Whoever waits for an answer gets one, whatever a text has done.
        let done = catch_unwind(AssertUnwindSafe(|| reading_parts.work(&work))).unwrap_or_else(|_| {
            tracing::error!("reading a request has failed; please report this");
            reading_parts.leave(&work, "reading it has failed")
        });
        if let Err(full) = event_queue.push(done) {
            tracing::error!("what was read is lost: {full}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::ports::ReceiptFuture;
    use hark_core::public_event::Origin;
    use hark_core::{Effort, Risk, ToolCall};
    use hark_home::{HomeRegistry, file};
    use hark_nlu::intent::IntentPaths;
    use hark_store::store::Store;
    use hark_store::turns::Turns;
    use std::path::Path;
    use std::sync::mpsc::{Sender, channel};
    use std::sync::{Mutex, PoisonError};
    use std::time::{Duration, Instant};

    /// Understands a text when it is let, and cannot stand one.
    struct Slow(Mutex<Receiver<()>>);

    impl Understand for Slow {
        fn understand_within(&self, text: &str, _: &str, _: NaiveDateTime, _: &Effort) -> Understanding {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).recv().unwrap();
            assert!(text != "fail", "a text that cannot be read");
            Understanding { why: format!("{text} was read"), ..Understanding::default() }
        }
    }

    /// Tools of a home with one password field.
    struct Secrets;

    impl Tools for Secrets {
        fn run(&self, _: ToolCall) -> ReceiptFuture {
            unreachable!("nothing is done here")
        }

        fn risk(&self, _: &str) -> Option<Risk> {
            None
        }

        fn secret_names(&self) -> Vec<String> {
            vec!["Wi-Fi password".into()]
        }

        fn hide(&self, _: &str) -> String {
            "<hidden>".into()
        }
    }

    fn start(folder: &Path) -> (ReadingThread, Reading, Arc<EventQueue>, Sender<()>) {
        let (let_read, may_read) = channel();
        let understand = Arc::new(Slow(Mutex::new(may_read)));
        let home = Arc::new(HomeRegistry::new(file::example(true).unwrap()));
        let turns = Turns::new(Store::open(&folder.join("hark.db")).unwrap());
        let paths = IntentPaths::new(folder, folder, "");
        let teacher =
            Arc::new(Teacher { turns, understand: understand.clone(), home, paths, language: "en".into() });
        let event_queue = Arc::new(EventQueue::default());
        let languages = vec![hark_language::of("en")];
        let reading_parts =
            Arc::new(ReadingParts { understand, tools: Arc::new(Secrets), teacher, languages });
        let (thread, reading) = ReadingThread::start(reading_parts, event_queue.clone()).unwrap();
        (thread, reading, event_queue, let_read)
    }

    fn understand(turn: &str, text: &str) -> Work {
        let asked_at = NaiveDateTime::default();
        Work::Understand { turn: turn.into(), text: text.into(), language: "en".into(), asked_at }
    }

    fn why(event_queue: &EventQueue) -> String {
        match event_queue.pop(Instant::now() + Duration::from_secs(20)) {
            Some(Event::Understood { understanding, .. }) => understanding.why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_read_comes_back_and_a_text_that_cannot_be_read_is_answered_too() {
        let folder = tempfile::tempdir().unwrap();
        let (thread, reading, event_queue, let_read) = start(folder.path());
        for text in ["one", "fail", "two"] {
            assert!(reading.give(understand("t", text)).is_none());
            let_read.send(()).unwrap();
        }
        assert_eq!(why(&event_queue), "one was read");
        assert_eq!(why(&event_queue), "reading it has failed");
        assert_eq!(why(&event_queue), "two was read");
        drop((reading, thread));
    }

    #[test]
    fn what_finds_no_room_is_answered_at_once_and_nothing_secret_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let (thread, reading, event_queue, let_read) = start(folder.path());
        let refused = (0..MAX_WAITING + 2).filter_map(|_| reading.give(understand("t", "one"))).count();
        assert!((1..=2).contains(&refused), "one may be read already");
        let text = "the wi-fi password is hunter2".to_owned();
        let typed = Event::Typed { text, origin: Origin::Cli, speak: false, dry_run: false };
        let Some(Event::Covered { event, hidden: true }) = reading.give(Work::Cover(Box::new(typed))) else {
            panic!("it is covered");
        };
        assert!(matches!(&*event, Event::Typed { text, .. } if text == "<hidden>"), "{event:?}");
        // Nobody waits for the rest when the program ends.
        event_queue.close();
        drop(reading);
        let_read.send(()).unwrap();
        let began = Instant::now();
        drop(thread);
        assert!(began.elapsed() < Duration::from_secs(20));
    }
}

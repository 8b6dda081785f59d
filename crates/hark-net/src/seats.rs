//! The places of a listening port: bounded in number. When all are taken, whoever has been waited for longest gives up
//! its place to who comes next, so that clients that are slow or silent lock nobody out.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::task::{AbortHandle, JoinSet};

/// The places of one port.
#[derive(Debug)]
pub struct Seats {
    most: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    numbers: u64,
    by_number: HashMap<u64, Place>,
}

#[derive(Debug)]
struct Place {
    /// Since when the client has kept us waiting; `None` while it is us who work.
    waits_since: Option<Instant>,
    /// How often it began to wait.
    waits: u64,
    task: Option<AbortHandle>,
}

impl Seats {
    /// As many places as that.
    pub fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, taken: Mutex::default() })
    }

    /// A place for one more, if need be that of another one, whose task is aborted. `None` when every client is being
    /// worked for.
    pub fn take(self: &Arc<Self>) -> Option<Seat> {
        let mut taken = self.lock();
        if taken.by_number.len() >= self.most {
            let waiting = |(number, place): (&u64, &Place)| Some((place.waits_since?, *number));
            let (_, longest) = taken.by_number.iter().filter_map(waiting).min()?;
            if let Some(task) = taken.by_number.remove(&longest).and_then(|place| place.task) {
                task.abort();
            }
        }
        taken.numbers += 1;
        let number = taken.numbers;
        let place = Place { waits_since: Some(Instant::now()), waits: 0, task: None };
        taken.by_number.insert(number, place);
        Some(Seat { number, seats: self.clone() })
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One place, given back when it is dropped. Whoever takes it is waited for at first.
#[derive(Debug)]
pub struct Seat {
    number: u64,
    seats: Arc<Seats>,
}

impl Seat {
    /// Begins to serve the client that has this place.
    pub fn serve<F>(self, tasks: &mut JoinSet<()>, work: impl FnOnce(Arc<Self>) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let (number, seats) = (self.number, self.seats.clone());
        let task = tasks.spawn(work(Arc::new(self)));
        // It may have ended already, and its place with it.
        if let Some(place) = seats.lock().by_number.get_mut(&number) {
            place.task = Some(task);
        }
    }

    /// From now on the client is waited for. What comes back names this waiting.
    pub fn waits(&self) -> u64 {
        let mut taken = self.seats.lock();
        let Some(place) = taken.by_number.get_mut(&self.number) else { return 0 };
        place.waits += 1;
        place.waits_since = Some(Instant::now());
        place.waits
    }

    /// That waiting is over, and we work. Nothing changes where another one has begun since.
    pub fn works(&self, waiting: u64) {
        if let Some(place) = self.seats.lock().by_number.get_mut(&self.number)
            && place.waits == waiting
        {
            place.waits_since = None;
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.seats.lock().by_number.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_that_has_kept_us_waiting_longest_goes_first() {
        let seats = Seats::new(2);
        let (first, second) = (seats.take().unwrap(), seats.take().unwrap());
        let body = first.waits();
        let third = seats.take().unwrap();
        second.waits();
        assert!(!seats.lock().by_number.contains_key(&second.number), "it has none to give up twice");
        first.works(body);
        third.works(third.waits());
        assert!(seats.take().is_none(), "both are worked for");
        third.waits();
        third.works(0);
        assert!(seats.take().is_some(), "an earlier waiting that ends late changes nothing");
        drop(first);
        assert!(seats.lock().by_number.is_empty());
    }

    #[tokio::test]
    async fn who_gives_up_its_place_is_ended() {
        let (seats, mut tasks) = (Seats::new(1), JoinSet::new());
        let idle = |seat: Arc<Seat>| async move {
            let _seat = seat;
            std::future::pending::<()>().await;
        };
        seats.take().unwrap().serve(&mut tasks, idle);
        seats.take().unwrap().serve(&mut tasks, idle);
        let ended = tasks.join_next().await.unwrap().unwrap_err();
        assert!(ended.is_cancelled() && tasks.len() == 1);
        tasks.abort_all();
        while tasks.join_next().await.is_some() {}
        assert!(seats.lock().by_number.is_empty());
    }
}

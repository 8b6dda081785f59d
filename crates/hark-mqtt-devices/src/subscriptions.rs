//! Which topics the connection should listen to for devices, and what of it the broker has not been told yet.
//!
//! A message that is too large ends the connection, and the broker sends one that it keeps again at every
//! subscription. So after such an end topics are asked for one by one with a pause; the one that was asked for
//! last before it happens again is not listened to any more. On a slow line that may be the wrong one, so
//! the pause doubles each time.

use std::collections::{BTreeSet, VecDeque};
use std::time::{Duration, Instant};

/// Pause between two topics when they are asked for one by one, the first time.
const STEP: Duration = Duration::from_millis(50);

/// How often the pause doubles at most.
const DOUBLINGS_MAX: u32 = 5;

/// Most filters of one request.
const MAX_PER_REQUEST: usize = 100;

/// Something to ask the broker for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Send what comes on these topics, or filters of discovery.
    Subscribe(Vec<String>),
    /// Send no more of this.
    Unsubscribe(String),
}

/// Topics wanted, and requests that wait.
#[derive(Debug, Default)]
pub struct Subscriptions {
    wanted: BTreeSet<String>,
    fresh: BTreeSet<String>,
    stale: BTreeSet<String>,
    waiting: VecDeque<Request>,
    is_up: bool,
    /// How often a connection was ended by a message that is too large; above zero it is asked one by one.
    ended: u32,
    /// What was asked for last, and when.
    asked: Option<(Instant, Vec<String>)>,
    /// What is not listened to any more.
    banned: BTreeSet<String>,
}

impl Subscriptions {
    /// A connection was made: everything is asked for anew, `discovery` first.
    pub fn connected(&mut self, discovery: &[String]) {
        self.is_up = true;
        self.waiting.clear();
        self.stale.clear();
        self.asked = None;
        let discovery: Vec<String> =
            discovery.iter().filter(|filter| !self.banned.contains(*filter)).cloned().collect();
        if !discovery.is_empty() {
            self.waiting.push_back(Request::Subscribe(discovery));
        }
        self.fresh.clone_from(&self.wanted);
    }

    /// The connection is lost.
    pub fn disconnected(&mut self) {
        self.is_up = false;
        self.waiting.clear();
        self.fresh.clear();
        self.stale.clear();
    }

    /// A message that is too large ended the connection. What is not listened to any more for it.
    pub fn oversized(&mut self, now: Instant) -> Vec<String> {
        let is_first = self.ended == 0;
        let step = self.step();
        self.ended += 1;
        // Long after the last request it is a message of just now, which does not come again.
        let last = self.asked.take().filter(|(at, _)| !is_first && now.duration_since(*at) <= step * 4);
        let suspects = last.map(|(_, filters)| filters).unwrap_or_default();
        for topic in &suspects {
            self.wanted.remove(topic);
            self.banned.insert(topic.clone());
        }
        suspects
    }

    fn step(&self) -> Duration {
        STEP * 2u32.pow(self.ended.saturating_sub(1).min(DOUBLINGS_MAX))
    }

    /// All went well for a while.
    pub fn settled(&mut self) {
        if self.is_idle() {
            self.ended = 0;
        }
    }

    /// Whether something has to wait for its turn.
    pub fn is_stepping(&self) -> bool {
        self.ended > 0 && self.is_up && !self.is_idle()
    }

    /// Topics to listen to, also again, and topics not to listen to.
    pub fn change(&mut self, mut subscribe: BTreeSet<String>, unsubscribe: BTreeSet<String>) {
        subscribe.retain(|topic| !self.banned.contains(topic));
        for topic in &unsubscribe {
            self.wanted.remove(topic);
            self.fresh.remove(topic);
        }
        self.wanted.extend(subscribe.iter().cloned());
        if self.is_up {
            self.stale.extend(unsubscribe);
            for topic in &subscribe {
                self.stale.remove(topic);
            }
            self.fresh.extend(subscribe);
        }
    }

    /// The broker sends this although it is not wanted: left over from an earlier connection.
    pub fn unwanted(&mut self, topic: &str) {
        if self.is_up && !self.wanted.contains(topic) {
            self.stale.insert(topic.to_owned());
        }
    }

    /// Whether there is nothing to ask for.
    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.fresh.is_empty() && self.stale.is_empty()
    }

    /// The next request.
    pub fn next(&mut self, now: Instant) -> Option<Request> {
        if let Some(topic) = self.stale.pop_first() {
            return Some(Request::Unsubscribe(topic));
        }
        let is_careful = self.ended > 0;
        let last = self.asked.as_ref().map(|(at, _)| *at);
        if is_careful && last.is_some_and(|last| now.duration_since(last) < self.step()) {
            return None;
        }
        let most = if is_careful { 1 } else { MAX_PER_REQUEST };
        let request = self.waiting.pop_front().or_else(|| {
            let filters: Vec<String> = std::iter::from_fn(|| self.fresh.pop_first()).take(most).collect();
            (!filters.is_empty()).then_some(Request::Subscribe(filters))
        });
        if let Some(Request::Subscribe(filters)) = &request {
            self.asked = Some((now, filters.clone()));
        }
        request
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(topics: &[&str]) -> BTreeSet<String> {
        topics.iter().map(|topic| (*topic).to_owned()).collect()
    }

    fn asked(filters: &[&str]) -> Option<Request> {
        Some(Request::Subscribe(filters.iter().map(|one| (*one).to_owned()).collect()))
    }

    #[test]
    fn a_new_connection_asks_for_everything_and_changes_are_asked_for_once() {
        let mut all = Subscriptions::default();
        all.change(set(&["a", "b"]), set(&[]));
        assert_eq!(all.next(Instant::now()), None, "there is no connection");
        all.connected(&["d/+".to_owned()]);
        assert_eq!(all.next(Instant::now()), asked(&["d/+"]));
        assert_eq!(all.next(Instant::now()), asked(&["a", "b"]));
        assert_eq!(all.next(Instant::now()), None);
        all.change(set(&["b", "c"]), set(&["a"]));
        assert_eq!(all.next(Instant::now()), Some(Request::Unsubscribe("a".into())));
        assert_eq!(all.next(Instant::now()), asked(&["b", "c"]), "b again, for what the broker keeps there");
        all.unwanted("left over");
        all.unwanted("c");
        assert_eq!(all.next(Instant::now()), Some(Request::Unsubscribe("left over".into())));
        assert_eq!(all.next(Instant::now()), None);
        all.disconnected();
        all.change(set(&[]), set(&["b"]));
        all.connected(&[]);
        assert_eq!(all.next(Instant::now()), asked(&["c"]));
    }

    #[test]
    fn requests_are_of_a_bounded_size() {
        let mut all = Subscriptions::default();
        all.connected(&[]);
        all.next(Instant::now());
        all.change((0..250).map(|number| number.to_string()).collect(), BTreeSet::new());
        let sizes: Vec<usize> = std::iter::from_fn(|| match all.next(Instant::now())? {
            Request::Subscribe(filters) => Some(filters.len()),
            Request::Unsubscribe(_) => None,
        })
        .collect();
        assert_eq!(sizes, [100, 100, 50]);
    }

    #[test]
    fn what_a_message_too_large_comes_with_is_found_and_left_out() {
        let mut all = Subscriptions::default();
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        all.change(set(&["a", "huge", "z"]), set(&[]));
        all.connected(&["d/+".to_owned()]);
        assert!(all.oversized(at(0)).is_empty(), "it could be any of them");
        all.connected(&["d/+".to_owned()]);
        assert_eq!(all.next(at(0)), asked(&["d/+"]));
        assert_eq!(all.next(at(5)), None, "one by one");
        assert!(all.is_stepping());
        assert_eq!(all.next(at(500)), asked(&["a"]));
        assert_eq!(all.next(at(1000)), asked(&["huge"]));
        assert_eq!(all.oversized(at(1100)), ["huge"]);
        all.connected(&["d/+".to_owned()]);
        all.change(set(&["huge"]), set(&[]));
        for (ms, expected) in
            [(2000, asked(&["d/+"])), (2500, asked(&["a"])), (3000, asked(&["z"])), (3500, None)]
        {
            assert_eq!(all.next(at(ms)), expected);
        }
        all.settled();
        all.change(set(&["x", "y"]), set(&[]));
        assert_eq!(all.next(at(3501)), asked(&["x", "y"]));
    }
}

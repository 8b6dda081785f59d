//! Which topics the connection should listen to for devices, and what of it the broker has not been told yet.

use std::collections::{BTreeSet, VecDeque};

/// Most filters of one request.
const OF_ONE_REQUEST: usize = 100;

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
}

impl Subscriptions {
    /// A connection was made: everything is asked for anew, `discovery` first.
    pub fn connected(&mut self, discovery: &[String]) {
        self.is_up = true;
        self.waiting.clear();
        self.stale.clear();
        self.waiting.push_back(Request::Subscribe(discovery.to_vec()));
        self.fresh.clone_from(&self.wanted);
    }

    /// The connection is lost.
    pub fn disconnected(&mut self) {
        self.is_up = false;
        self.waiting.clear();
        self.fresh.clear();
        self.stale.clear();
    }

    /// Topics to listen to, also again, and topics not to listen to.
    pub fn change(&mut self, subscribe: BTreeSet<String>, unsubscribe: BTreeSet<String>) {
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

    /// Nobody wants this, but the broker sends it: left over from an earlier connection.
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
    pub fn next(&mut self) -> Option<Request> {
        if let Some(request) = self.waiting.pop_front() {
            return Some(request);
        }
        if let Some(topic) = self.stale.pop_first() {
            return Some(Request::Unsubscribe(topic));
        }
        let filters: Vec<String> =
            std::iter::from_fn(|| self.fresh.pop_first()).take(OF_ONE_REQUEST).collect();
        (!filters.is_empty()).then_some(Request::Subscribe(filters))
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
        assert_eq!(all.next(), None, "there is no connection");
        all.connected(&["d/+".to_owned()]);
        assert_eq!(all.next(), asked(&["d/+"]));
        assert_eq!(all.next(), asked(&["a", "b"]));
        assert_eq!(all.next(), None);
        all.change(set(&["b", "c"]), set(&["a"]));
        assert_eq!(all.next(), Some(Request::Unsubscribe("a".into())));
        assert_eq!(all.next(), asked(&["b", "c"]), "b again, for what the broker keeps there");
        all.unwanted("left over");
        all.unwanted("c");
        assert_eq!(all.next(), Some(Request::Unsubscribe("left over".into())));
        assert_eq!(all.next(), None);
        all.disconnected();
        all.change(set(&[]), set(&["b"]));
        all.connected(&[]);
        assert_eq!(all.next(), asked(&[]));
        assert_eq!(all.next(), asked(&["c"]));
    }

    #[test]
    fn requests_are_of_a_bounded_size() {
        let mut all = Subscriptions::default();
        all.connected(&[]);
        all.next();
        all.change((0..250).map(|number| number.to_string()).collect(), BTreeSet::new());
        let sizes: Vec<usize> = std::iter::from_fn(|| match all.next()? {
            Request::Subscribe(filters) => Some(filters.len()),
            Request::Unsubscribe(_) => None,
        })
        .collect();
        assert_eq!(sizes, [100, 100, 50]);
    }
}

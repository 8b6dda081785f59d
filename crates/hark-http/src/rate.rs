//! How much a client may ask for: a bucket of tokens each, filled evenly.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Clients that are told apart; beyond that those who have rested longest are forgotten.
const MOST_CLIENTS: usize = 4096;

/// Tokens that come back with time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bucket {
    left: f64,
    at: Instant,
}

impl Bucket {
    /// A full one.
    pub(super) fn full(capacity: f64, now: Instant) -> Self {
        Self { left: capacity, at: now }
    }

    /// Takes one token; else the seconds until there is one.
    pub(super) fn take(&mut self, capacity: f64, per_second: f64, now: Instant) -> Result<(), f64> {
        self.take_many(1.0, capacity, per_second, now)
    }

    /// Takes so many tokens; else none, and the seconds until there are as many.
    pub(super) fn take_many(
        &mut self,
        wanted: f64,
        capacity: f64,
        per_second: f64,
        now: Instant,
    ) -> Result<(), f64> {
        let gone = now.saturating_duration_since(self.at).as_secs_f64();
        self.left = (self.left + gone * per_second).min(capacity);
        self.at = now;
        if self.left >= wanted {
            self.left -= wanted;
            Ok(())
        } else {
            Err((wanted - self.left) / per_second)
        }
    }
}

/// The buckets of all clients.
#[derive(Debug)]
pub(super) struct Rates {
    per_second: f64,
    capacity: f64,
    clients: Mutex<HashMap<IpAddr, Bucket>>,
}

impl Rates {
    pub(super) fn new(per_minute: u32) -> Self {
        let per_minute = f64::from(per_minute);
        Self { per_second: per_minute / 60.0, capacity: per_minute / 4.0, clients: Mutex::default() }
    }

    /// Counts one request; refused with the whole seconds after which one is served again.
    pub(super) fn take(&self, client: IpAddr, now: Instant) -> Result<(), u64> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if clients.len() >= MOST_CLIENTS {
            let rested = self.capacity / self.per_second;
            let oldest = clients.values().map(|bucket| bucket.at).min();
            clients.retain(|_, bucket| {
                Some(bucket.at) != oldest && now.saturating_duration_since(bucket.at).as_secs_f64() < rested
            });
        }
        let bucket = clients.entry(household(client)).or_insert_with(|| Bucket::full(self.capacity, now));
        bucket.take(self.capacity, self.per_second, now).map_err(|wait| wait.ceil().max(1.0) as u64)
    }
}

/// One machine has as many IPv6 addresses as it likes out of one /64.
fn household(client: IpAddr) -> IpAddr {
    match client.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_burst_is_served_then_the_pace_counts() {
        let rates = Rates::new(120);
        let (start, client) = (Instant::now(), IpAddr::from([192, 168, 1, 5]));
        let served = (0..100).filter(|_| rates.take(client, start).is_ok()).count();
        assert_eq!(served, 30, "a quarter of a minute's");
        assert_eq!(rates.take(client, start), Err(1));
        assert_eq!(rates.take(IpAddr::from([192, 168, 1, 6]), start), Ok(()), "another client");
        let later = start + Duration::from_secs(3);
        assert_eq!((0..100).filter(|_| rates.take(client, later).is_ok()).count(), 6);
    }

    #[test]
    fn addresses_of_one_net_are_one_client_and_memory_is_bounded() {
        let rates = Rates::new(60);
        let now = Instant::now();
        let address = |host: u16, net: u16| IpAddr::from([0xfd00, 0, 0, net, 0, 0, 0, host]);
        assert_eq!((0..40).filter(|host| rates.take(address(*host, 1), now).is_ok()).count(), 15);
        for net in 0..20_000 {
            let _ = rates.take(address(0, net), now + Duration::from_millis(u64::from(net)));
        }
        assert!(rates.clients.lock().unwrap().len() <= MOST_CLIENTS);
    }
}

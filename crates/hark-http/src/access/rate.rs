//! How many requests a client may make: each has a bucket of tokens.

use hark_net::token_bucket::TokenBucket;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Clients that are told apart; beyond that those who have rested longest are forgotten.
const MAX_CLIENTS: usize = 4096;

/// The buckets of all clients.
#[derive(Debug)]
pub(crate) struct Rates {
    capacity: f64,
    per_second: f64,
    clients: Mutex<HashMap<IpAddr, TokenBucket>>,
}

impl Rates {
    pub(crate) fn new(per_minute: u32) -> Self {
        let per_minute = f64::from(per_minute);
        Self { per_second: per_minute / 60.0, capacity: per_minute / 4.0, clients: Mutex::default() }
    }

    /// Counts one request; refused with the whole seconds after which one is served again.
    pub(crate) fn take(&self, client: IpAddr, now: Instant) -> Result<(), u64> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if clients.len() >= MAX_CLIENTS {
            let oldest = clients.values().map(TokenBucket::asked_at).min();
            clients.retain(|_, bucket| {
                let at = bucket.asked_at();
                Some(at) != oldest && now.saturating_duration_since(at) < bucket.full_in()
            });
        }
        let new = || TokenBucket::full(self.capacity, self.per_second, now);
        let bucket = clients.entry(household(client)).or_insert_with(new);
        bucket.take(1.0, now).map_err(|wait| wait.as_secs_f64().ceil().max(1.0) as u64)
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
        for net in 0..MAX_CLIENTS as u16 + 1000 {
            let _ = rates.take(address(0, net), now + Duration::from_millis(u64::from(net)));
        }
        assert!(rates.clients.lock().unwrap().len() <= MAX_CLIENTS);
    }
}

//! Machines of the local network on which a port is open.

use if_addrs::IfAddr;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// Machines that are asked at once.
const AT_ONCE: usize = 64;
/// The largest network that is looked through: 254 machines.
const MIN_PREFIX: u8 = 24;

/// The other machines that may be on this one's own networks: of each private IPv4 network, the 254 addresses around this
/// machine's at most. Nobody is asked yet.
pub fn neighbours() -> Vec<IpAddr> {
    let interfaces = if_addrs::get_if_addrs().unwrap_or_default();
    let mut found: Vec<IpAddr> = Vec::new();
    for interface in interfaces {
        let IfAddr::V4(own) = interface.addr else { continue };
        if own.ip.is_private() {
            found.extend(around(own.ip, own.prefixlen.max(MIN_PREFIX)).into_iter().map(IpAddr::V4));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The hosts of a network besides this one.
fn around(own: Ipv4Addr, prefix: u8) -> Vec<Ipv4Addr> {
    let mask = u32::MAX.checked_shl(32 - u32::from(prefix.min(32))).unwrap_or(0);
    let (first, last) = (own.to_bits() & mask, own.to_bits() | !mask);
    let hosts = (first.saturating_add(1)..last).map(Ipv4Addr::from_bits);
    hosts.filter(|host| *host != own).collect()
}

/// Those of these machines that take a connection on a port within `patience`, in the order of their addresses. The
/// connection is closed without a word.
pub async fn open(hosts: &[IpAddr], port: u16, patience: Duration) -> Vec<SocketAddr> {
    let (mut found, mut asked) = (Vec::new(), JoinSet::new());
    let mut waiting = hosts.iter().map(|host| SocketAddr::new(*host, port));
    loop {
        while asked.len() < AT_ONCE {
            let Some(address) = waiting.next() else { break };
            asked.spawn(async move {
                let connected = tokio::time::timeout(patience, TcpStream::connect(address)).await;
                matches!(connected, Ok(Ok(_))).then_some(address)
            });
        }
        match asked.join_next().await {
            Some(answer) => found.extend(answer.ok().flatten()),
            None => break,
        }
    }
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_network_around_an_address_is_small() {
        let own = Ipv4Addr::new(192, 168, 1, 7);
        let hosts = around(own, 24);
        assert_eq!(hosts.len(), 253, "all but the network, its broadcast and this machine");
        assert!(!hosts.contains(&own) && hosts.contains(&Ipv4Addr::new(192, 168, 1, 254)));
        assert_eq!(around(own, 30), [Ipv4Addr::new(192, 168, 1, 5), Ipv4Addr::new(192, 168, 1, 6)]);
        assert!(around(own, 32).is_empty());
    }

    #[tokio::test]
    async fn open_ports_are_told_from_closed_ones() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let hosts: Vec<IpAddr> = (1..=100).map(|last| IpAddr::V4(Ipv4Addr::new(127, 0, 0, last))).collect();
        let found = open(&hosts, port, Duration::from_secs(2)).await;
        assert_eq!(found, [SocketAddr::new(hosts[0], port)]);
    }
}

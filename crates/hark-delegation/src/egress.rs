//! What programs in the sandbox reach of the network. The sandbox has a network of its own with nothing but loopback; the
//! way out is a proxy of Hark's, which connects only to addresses that [`Reach`] has looked at.

use hark_net::reach::Reach;
use if_addrs::IfAddr;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::PathBuf;
use std::sync::Arc;

/// Longest IPv6 prefix that is taken for all of a house: providers give it a /56 (RIPE-690), of which each of its networks
/// has a /64.
const HOUSE_PREFIX: u8 = 56;

/// The way out of the sandbox.
#[derive(Clone)]
pub struct Egress {
    /// The program that runs first in the sandbox and leads from its loopback to the proxy: one whose command
    /// [`FORWARD`](crate::FORWARD) calls [`forward`](crate::forward). It sees the system's libraries and no others.
    pub forwarder: PathBuf,
    /// Which addresses may be connected to.
    pub reach: Arc<dyn Reach>,
}

/// Whether an address is this machine's, or of a network it is in. Machines of a house have public addresses where there is
/// IPv6, so that "public" alone does not tell them from the internet.
pub fn is_of_own_network(address: IpAddr) -> bool {
    // Where the interfaces cannot be listed there is none that would have such an address.
    let own = if_addrs::get_if_addrs().unwrap_or_default();
    own.iter().any(|interface| match (&interface.addr, address) {
        (IfAddr::V4(own), IpAddr::V4(address)) => is_near_v4(own.ip, own.prefixlen, address),
        (IfAddr::V6(own), IpAddr::V6(address)) => is_near_v6(own.ip, own.prefixlen, address),
        _ => false,
    })
}

fn is_near_v4(own: Ipv4Addr, prefix: u8, address: Ipv4Addr) -> bool {
    // A prefix of 0 is a tunnel to everywhere: only its own end is of this machine.
    let length = if prefix == 0 { 32 } else { prefix.min(32) };
    (own.to_bits() ^ address.to_bits()).leading_zeros() >= u32::from(length)
}

fn is_near_v6(own: Ipv6Addr, prefix: u8, address: Ipv6Addr) -> bool {
    let length = if prefix == 0 { 128 } else { prefix.min(HOUSE_PREFIX) };
    (own.to_bits() ^ address.to_bits()).leading_zeros() >= u32::from(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_of_the_house_are_told_from_the_internet() {
        for (own, prefix, address, is_near) in [
            ("93.184.215.14", 24, "93.184.215.1", true),
            ("93.184.215.14", 24, "93.184.216.1", false),
            ("93.184.215.14", 32, "93.184.215.14", true),
            ("93.184.215.14", 32, "93.184.215.15", false),
            ("93.184.215.14", 0, "8.8.8.8", false),
            ("93.184.215.14", 0, "93.184.215.14", true),
        ] {
            assert_eq!(
                is_near_v4(own.parse().unwrap(), prefix, address.parse().unwrap()),
                is_near,
                "{address}"
            );
        }
        for (own, prefix, address, is_near) in [
            ("2a00:1:2:3400::5", 64, "2a00:1:2:3400::9", true),
            ("2a00:1:2:3400::5", 128, "2a00:1:2:34ff::9", true),
            ("2a00:1:2:3400::5", 64, "2a00:1:2:3500::9", false),
            ("2a00:1:2:3400::5", 48, "2a00:1:2:3500::9", true),
            ("2a00:1:2:3400::5", 0, "2606:4700::1", false),
        ] {
            assert_eq!(
                is_near_v6(own.parse().unwrap(), prefix, address.parse().unwrap()),
                is_near,
                "{address}"
            );
        }
        assert!(is_of_own_network(IpAddr::from(Ipv4Addr::LOCALHOST)));
    }
}

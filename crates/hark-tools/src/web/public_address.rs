//! Which addresses are public: IANA's special-purpose registries, IPv4
//! (<https://www.iana.org/assignments/iana-ipv4-special-registry>) and IPv6
//! (<https://www.iana.org/assignments/iana-ipv6-special-registry>).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Special-purpose blocks: first address, length of the prefix.
const SPECIAL_V4: &[([u8; 4], u32)] = &[
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    ([100, 64, 0, 0], 10),
    ([127, 0, 0, 0], 8),
    ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12),
    ([192, 0, 0, 0], 24),
    ([192, 0, 2, 0], 24),
    ([192, 88, 99, 0], 24),
    ([192, 168, 0, 0], 16),
    ([198, 18, 0, 0], 15),
    ([198, 51, 100, 0], 24),
    ([203, 0, 113, 0], 24),
    ([224, 0, 0, 0], 4),
    ([240, 0, 0, 0], 4),
];

/// What of the global unicast addresses (2000::/3) is something else: protocol assignments with Teredo, documentation,
/// 6to4, documentation again. All carry an IPv4 address or lead nowhere.
const SPECIAL_V6: &[([u16; 2], u32)] =
    &[([0x2001, 0x0000], 23), ([0x2001, 0x0db8], 32), ([0x2002, 0x0000], 16), ([0x3fff, 0x0000], 20)];

/// Whether an address is on the public internet.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !SPECIAL_V4.iter().any(|(first, length)| within_v4(address, *first, *length)),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn within_v4(address: Ipv4Addr, first: [u8; 4], length: u32) -> bool {
    let shift = 32 - length;
    u32::from(address) >> shift == u32::from(Ipv4Addr::from(first)) >> shift
}

/// Only what was given out: loopback, link-local, unique local, multicast, mapped and translated IPv4 lie outside.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let parts = address.segments();
    let head = u32::from(parts[0]) << 16 | u32::from(parts[1]);
    let within = |first: &[u16; 2], length: u32| {
        let first = u32::from(first[0]) << 16 | u32::from(first[1]);
        head >> (32 - length) == first >> (32 - length)
    };
    within(&[0x2000, 0], 3) && !SPECIAL_V6.iter().any(|(first, length)| within(first, *length))
}

#[cfg(test)]
mod tests {
    use super::is_public;

    #[test]
    fn private_addresses_are_known_in_every_dress() {
        for address in [
            "127.0.0.1",
            "127.255.255.254",
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "100.127.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.7",
            "224.0.0.1",
            "239.255.255.250",
            "255.255.255.255",
            "240.0.0.1",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "fe80::1",
            "fec0::1",
            "fc00::1",
            "fd12:3456::1",
            "ff02::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "2001:10::1",
            "3fff::1",
            "5f00::1",
            "4000::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn public_ones_are_public() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "172.15.0.1",
            "172.32.0.1",
            "192.167.1.1",
            "192.169.1.1",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2606:4700:4700::1111",
            "2001:4860:4860::8888",
            "2a00:1450::1",
            "2001:200::1",
            "3ffe::1",
        ] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }
}

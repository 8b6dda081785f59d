//! Services that announce themselves by mDNS (RFC 6762, 6763).

use hark_core::text::one_line;
use hark_core::{Fault, FaultKind};
use mdns_sd::{ResolvedService, ServiceDaemon, ServiceEvent};
use std::net::IpAddr;
use std::time::{Duration, Instant};

/// Most services that are told of; a house has a handful.
const MAX_FOUND: usize = 50;
/// Longest name that is shown, in characters.
const MAX_NAME: usize = 60;

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    /// `_home-assistant._tcp`.
    HomeAssistant,
    /// `_mqtt._tcp`.
    MqttBroker,
}

impl Service {
    const fn type_name(self) -> &'static str {
        match self {
            Self::HomeAssistant => "_home-assistant._tcp.local.",
            Self::MqttBroker => "_mqtt._tcp.local.",
        }
    }

    const fn scheme(self) -> &'static str {
        match self {
            Self::HomeAssistant => "http",
            Self::MqttBroker => "mqtt",
        }
    }
}

/// A service on the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announced {
    /// What it calls itself, without control characters, at most 60 characters.
    pub name: String,
    /// Where it is, such as `http://192.168.1.5:8123`: the address that the announcement came with, never one from a text
    /// in it.
    pub url: String,
}

/// Asks the network for services of a kind and collects the answers for `time`.
///
/// # Errors
/// When nothing can be asked: there is no network, or no socket for it.
pub fn browse(service: Service, time: Duration) -> Result<Vec<Announced>, Fault> {
    let failed = |error: mdns_sd::Error| {
        let fix = "connect this machine to the network, or give the address by hand";
        Fault::new(FaultKind::Unavailable, "discovery", format!("mDNS cannot be asked: {error}"), fix)
    };
    let daemon = ServiceDaemon::new().map_err(failed)?;
    let answers = daemon.browse(service.type_name()).map_err(failed)?;
    let end = Instant::now() + time;
    let mut found: Vec<Announced> = Vec::new();
    while let Ok(event) = answers.recv_timeout(end.saturating_duration_since(Instant::now())) {
        let ServiceEvent::ServiceResolved(resolved) = event else { continue };
        let Some(announced) = read(service, &resolved) else { continue };
        // An announcement comes once for every interface, and again when more of it is known.
        match found.iter().position(|known| known.name == announced.name) {
            Some(known) => found[known] = announced,
            None if found.len() < MAX_FOUND => found.push(announced),
            None => {}
        }
    }
    // Its thread ends with the process at the latest.
    let _ = daemon.shutdown();
    found.sort_by(|one, other| one.name.cmp(&other.name).then_with(|| one.url.cmp(&other.url)));
    found.dedup_by(|one, other| one.url == other.url);
    Ok(found)
}

fn read(service: Service, resolved: &ResolvedService) -> Option<Announced> {
    let mut addresses: Vec<IpAddr> = resolved.addresses.iter().map(|address| address.to_ip_addr()).collect();
    // IPv4 first: it needs no zone.
    addresses.sort_by_key(|address| (address.is_ipv6(), address.is_loopback(), *address));
    let host = match addresses.first()? {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    };
    let told = resolved.get_property_val_str("location_name");
    let instance = resolved.fullname.strip_suffix(&format!(".{}", service.type_name()));
    let name = one_line(told.or(instance).unwrap_or(&resolved.fullname), MAX_NAME);
    Some(Announced { name, url: format!("{}://{host}:{}", service.scheme(), resolved.port) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mdns_sd::ServiceInfo;

    #[test]
    fn what_is_announced_is_found_with_its_address() {
        let other = ServiceDaemon::new().unwrap();
        let name = format!("Home-{}", std::process::id());
        let told =
            [("location_name", format!("{name}\x1b[2J")), ("internal_url", "http://evil.example".into())];
        let info = ServiceInfo::new(
            Service::HomeAssistant.type_name(),
            &name,
            &format!("{}.local.", name.to_lowercase()),
            "127.0.0.1",
            8123,
            &told[..],
        );
        other.register(info.unwrap()).unwrap();
        let found = browse(Service::HomeAssistant, Duration::from_secs(4)).unwrap();
        let mine =
            found.iter().find(|one| one.name.starts_with(&name)).unwrap_or_else(|| panic!("{found:?}"));
        assert_eq!(mine.name, format!("{name} [2J"), "no control characters");
        assert_eq!(mine.url, "http://127.0.0.1:8123", "the address of the announcement, not of its text");
        let _ = other.shutdown();
    }
}

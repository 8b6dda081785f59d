//! The address of a server: which of its paths is which, how it is shown, and whether it stands in the house.

use super::error::Error;
use super::wire::Wire;
use hark_config::llm::Locality;
use reqwest::Url;
use std::net::{IpAddr, Ipv4Addr};

/// A server's address without its last part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    base: Url,
    shown: String,
}

impl Address {
    /// Reads an address as configured. OpenAI's paths stand below a version, which is added where the path has none.
    pub(super) fn new(text: &str, kind: Wire) -> Result<Self, Error> {
        let bad = |why: String| Error::BadUrl(super::error::shortened(text), why);
        let mut base = Url::parse(text.trim()).map_err(|error| bad(error.to_string()))?;
        if !matches!(base.scheme(), "http" | "https") || base.host().is_none() {
            return Err(bad("neither http nor https".into()));
        }
        if !base.username().is_empty() || base.password().is_some() {
            // Not shown: it holds a secret.
            return Err(Error::BadUrl("llm.url".into(), "a secret in an address".into()));
        }
        base.set_query(None);
        base.set_fragment(None);
        let mut path = base.path().trim_end_matches('/').to_owned();
        match kind {
            Wire::Ollama => path.truncate(path.strip_suffix("/api").map_or(path.len(), str::len)),
            Wire::Openai if !path.split('/').any(is_version) => path.push_str("/v1"),
            Wire::Openai => {}
        }
        base.set_path(&path);
        let shown = base.as_str().trim_end_matches('/').to_owned();
        Ok(Self { base, shown })
    }

    /// The address of a path below, such as `chat/completions`.
    pub(super) fn join(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(&format!("{}/{path}", self.base.path().trim_end_matches('/')));
        url
    }

    /// The address of a path beside the version, such as llama.cpp's `props`.
    pub(super) fn join_root(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        let above: Vec<&str> = self.base.path().split('/').take_while(|part| !is_version(part)).collect();
        url.set_path(&format!("{}/{path}", above.join("/").trim_end_matches('/')));
        url
    }

    /// As it stands in errors and lists.
    pub(super) fn shown(&self) -> &str {
        &self.shown
    }

    /// Whether what is said there stays in the house.
    pub(super) fn is_local(&self, told: Locality) -> bool {
        match told {
            Locality::Yes => true,
            Locality::No => false,
            Locality::Auto => self.base.host_str().is_some_and(is_local_host),
        }
    }
}

/// `v1`, `v1beta`.
fn is_version(part: &str) -> bool {
    part.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

fn is_local_host(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    if let Ok(ip) = bare.parse::<IpAddr>() {
        return match ip.to_canonical() {
            IpAddr::V4(ip) => is_local_v4(ip),
            IpAddr::V6(ip) => ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local(),
        };
    }
    let name = bare.trim_end_matches('.').to_lowercase();
    let own = ["localhost", "local", "lan", "home.arpa", "internal"];
    !name.contains('.') || own.iter().any(|ending| name.ends_with(&format!(".{ending}")))
}

fn is_local_v4(ip: Ipv4Addr) -> bool {
    ip.is_loopback() || ip.is_private() || ip.is_link_local()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Wire::{Ollama, Openai};

    #[test]
    fn paths_are_found_below_any_base() {
        let cases = [
            (Openai, "http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/x"),
            (Openai, "http://127.0.0.1:8080/", "http://127.0.0.1:8080/v1/x"),
            (Openai, "https://openrouter.ai/api/v1/", "https://openrouter.ai/api/v1/x"),
            (Openai, "https://host/v1beta/openai", "https://host/v1beta/openai/x"),
            (Openai, "https://host/video", "https://host/video/v1/x"),
            (Ollama, "http://box:11434", "http://box:11434/x"),
            (Ollama, "http://box:11434/api/", "http://box:11434/x"),
            (Ollama, "http://box/ollama", "http://box/ollama/x"),
        ];
        for (kind, base, expected) in cases {
            let address = Address::new(base, kind).unwrap();
            assert_eq!(address.join("x").as_str(), expected, "{base}");
            assert!(!address.shown().ends_with('/'));
        }
        for bad in ["", "box:11434", "ftp://box", "http://", "http://me:secret@box"] {
            let error = Address::new(bad, Openai).unwrap_err();
            assert!(!error.to_string().contains("secret@"), "{error}");
        }
    }

    #[test]
    fn the_house_ends_where_addresses_are_public() {
        let local = |url: &str| Address::new(url, Openai).unwrap().is_local(Locality::Auto);
        for near in [
            "http://127.0.0.1:1",
            "http://localhost",
            "http://[::1]:80",
            "http://192.168.1.5",
            "http://10.1.2.3",
            "http://172.31.0.1",
            "http://169.254.1.1",
            "http://[fd00::1]",
            "http://[fe80::1]",
            "http://[::ffff:10.0.0.1]",
            "http://nas",
            "http://nas.local:11434",
            "http://box.home.arpa",
        ] {
            assert!(local(near), "{near}");
        }
        for far in [
            "https://api.openai.com/v1",
            "http://8.8.8.8",
            "http://172.32.0.1",
            "http://[2001:db8::1]",
            "http://local.example.com",
            "http://[::ffff:8.8.8.8]",
        ] {
            assert!(!local(far), "{far}");
        }
        let address = Address::new("https://api.openai.com", Openai).unwrap();
        assert!(address.is_local(Locality::Yes) && !address.is_local(Locality::No));
    }
}

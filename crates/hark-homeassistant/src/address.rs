//! The address of Home Assistant: turns what people copy from the browser into the URL of its WebSocket.

use super::error::Error;

/// Path of the WebSocket API below Home Assistant's own address.
const PATH: &str = "/api/websocket";

/// `ws://…/api/websocket` or `wss://…/api/websocket` of a configured address.
///
/// # Errors
/// `BadUrl` saying what is wrong.
pub fn websocket_url(configured: &str) -> Result<String, Error> {
    let bad = |why: &str| {
        // What stands before an `@` may be a password.
        let url = match configured.rsplit_once('@') {
            Some((_, rest)) => format!("…@{rest}"),
            None => configured.to_owned(),
        };
        Error::BadUrl { url, why: why.to_owned() }
    };
    let trimmed = configured.trim();
    let (scheme, rest) =
        trimmed.split_once("://").ok_or_else(|| bad("it must begin with http:// or ws://"))?;
    let scheme = match scheme.to_ascii_lowercase().as_str() {
        "http" | "ws" => "ws",
        "https" | "wss" => "wss",
        _ => return Err(bad("it must begin with http://, https://, ws:// or wss://")),
    };
    if rest.contains(['?', '#']) {
        return Err(bad("nothing may follow the path"));
    }
    let (host, path) = rest.split_once('/').map_or((rest, ""), |(host, path)| (host, path));
    if host.contains('@') {
        return Err(bad("the token belongs into homeassistant.token_file"));
    }
    if host.is_empty() || host.starts_with(':') {
        return Err(bad("the host is missing"));
    }
    if trimmed.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(bad("it holds a space"));
    }
    let path = path.trim_end_matches('/');
    let path = path.strip_suffix(PATH.trim_start_matches('/')).unwrap_or(path).trim_end_matches('/');
    let between = if path.is_empty() { "" } else { "/" };
    Ok(format!("{scheme}://{host}{between}{path}{PATH}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_the_browser_shows_becomes_the_websocket() {
        for (configured, url) in [
            ("http://homeassistant.local:8123", "ws://homeassistant.local:8123/api/websocket"),
            ("http://homeassistant.local:8123/", "ws://homeassistant.local:8123/api/websocket"),
            ("https://home.example.org", "wss://home.example.org/api/websocket"),
            ("HTTPS://proxy.example.org/ha/", "wss://proxy.example.org/ha/api/websocket"),
            ("ws://10.0.0.2:8123/api/websocket", "ws://10.0.0.2:8123/api/websocket"),
            (" ws://[fd00::2]:8123 ", "ws://[fd00::2]:8123/api/websocket"),
        ] {
            assert_eq!(websocket_url(configured).unwrap(), url, "{configured}");
        }
    }

    #[test]
    fn wrong_addresses_say_what_is_wrong_and_tell_no_secret() {
        for (configured, part) in [
            ("homeassistant.local:8123", "begin with"),
            ("mqtt://homeassistant.local", "begin with"),
            ("http://", "host is missing"),
            ("http://:8123", "host is missing"),
            ("http://home assistant", "space"),
            ("http://h/?token=x", "nothing may follow"),
            ("http://me:secret@h", "token_file"),
        ] {
            let message = websocket_url(configured).unwrap_err().to_string();
            assert!(message.contains(part) && !message.contains("secret"), "{configured}: {message}");
        }
    }

    proptest! {
        #[test]
        fn an_address_once_read_is_read_as_the_same(url in "(http|wss)://[a-z0-9.:/\\[\\]@ ]{0,30}") {
            if let Ok(read) = websocket_url(&url) {
                prop_assert_eq!(websocket_url(&read).unwrap(), read);
            }
        }
    }
}

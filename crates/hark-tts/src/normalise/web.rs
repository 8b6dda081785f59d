//! Addresses of web pages and mailboxes: "example.org/help" is "example dot org slash help".

use super::numbers::whole_words;
use super::{At, Said, digits};

/// Endings by which an address is known that does not begin with "www." or "https://".
const DOMAINS: [&str; 15] =
    ["com", "org", "net", "edu", "gov", "io", "dev", "app", "de", "at", "ch", "eu", "uk", "local", "info"];

pub(super) fn read(at: &At<'_>) -> Option<Said> {
    let rest = at.rest();
    let end = rest.find(|c: char| c.is_whitespace() || "<>\"()[]“”„|".contains(c)).unwrap_or(rest.len());
    let token = rest[..end].trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '…']);
    let body = ["https://", "http://", "mailto:"].iter().find_map(|scheme| token.strip_prefix(scheme));
    let address = body.unwrap_or(token);
    let address = address.strip_prefix("www.").unwrap_or(address);
    if body.is_none() && address.len() == token.len() && !is_address(token) {
        return None;
    }
    // What follows a question mark is for machines.
    let address = address.split(['?', '#']).next().unwrap_or(address).trim_end_matches('/');
    Some(Said::new(token.len(), words(at, address)))
}

/// Whether a token is an address without saying so: "info@example.org", "example.org/help".
fn is_address(token: &str) -> bool {
    let host = token.split(['/', '?', '#']).next().unwrap_or(token);
    let (name, host) = host.split_once('@').map_or((None, host), |(name, host)| (Some(name), host));
    let host = host.split(':').next().unwrap_or(host);
    let labels: Vec<&str> = host.split('.').collect();
    let plain = |label: &&str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-');
    let ending = labels.last().copied().unwrap_or_default();
    let known = name.is_some_and(|name| !name.is_empty()) || DOMAINS.contains(&ending);
    // "e.g", "7.5" and "z.B" are none.
    labels.len() > 1
        && labels.iter().all(plain)
        && known
        && labels[0].len() > 1
        && !labels[0].starts_with(|c: char| c.is_ascii_digit())
}

fn words(at: &At<'_>, address: &str) -> String {
    let web = &at.language.speech.web;
    let mut words: Vec<String> = Vec::new();
    let mut rest = address;
    while let Some(first) = rest.chars().next() {
        let run = if first.is_ascii_digit() {
            let run = digits(rest);
            words.push(whole_words(run, at.language));
            run.len()
        } else if first.is_alphabetic() {
            let run = super::letters(rest);
            words.push(run.to_owned());
            run.len()
        } else {
            words.extend(match first {
                '.' => Some(web.dot.text().to_owned()),
                '/' => Some(web.slash.text().to_owned()),
                '@' => Some(web.at.text().to_owned()),
                '-' => Some(web.dash.text().to_owned()),
                '_' => Some(web.underscore.text().to_owned()),
                ':' => Some(web.colon.text().to_owned()),
                _ => None,
            });
            first.len_utf8()
        };
        rest = &rest[run..];
    }
    words.join(" ")
}

//! What the rules of a configuration find: problems with the place where each value was written; and the rule for addresses.

use super::load::Loaded;
use super::problem::Problem;
use toml::Value;

/// The configuration, and what is wrong with it so far.
pub(super) struct Findings<'a> {
    pub(super) loaded: &'a Loaded,
    pub(super) problems: Vec<Problem>,
}

impl Findings<'_> {
    /// A problem with a text.
    pub(super) fn add(&mut self, key: &str, value: &str, message: impl Into<String>, fix: impl Into<String>) {
        self.push(key, Value::String(value.to_owned()).to_string(), message, fix);
    }

    /// A problem with a number.
    pub(super) fn number(
        &mut self,
        key: &str,
        value: f64,
        message: impl Into<String>,
        fix: impl Into<String>,
    ) {
        self.push(key, value.to_string(), message, fix);
    }

    /// A problem with a value as it is written in the file.
    pub(super) fn push(
        &mut self,
        key: &str,
        value: String,
        message: impl Into<String>,
        fix: impl Into<String>,
    ) {
        self.problems.push(Problem {
            key: key.to_owned(),
            value,
            place: self.loaded.source(key).to_string(),
            message: message.into(),
            fix: fix.into(),
        });
    }
}

/// Checks scheme, host and port of an address without reaching for it. What follows the host is
/// not looked at.
pub(super) fn check_url(url: &str, schemes: &[&str]) -> Result<(), (String, String)> {
    let form = format!("write it as {}://host:port", schemes.join(":// or "));
    let wrong = |message: &str| Err((message.to_owned(), form.clone()));
    let Some((scheme, rest)) = url.split_once("://") else {
        return wrong("an address without a scheme");
    };
    if !schemes.contains(&scheme) {
        return wrong(&format!("the scheme `{scheme}` is not one of: {}", schemes.join(", ")));
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err((
            "a secret in an address".into(),
            "take the name and password out; use the username and password_file keys".into(),
        ));
    }
    let (host, port) = split_port(authority);
    if host.is_empty() || host.contains(char::is_whitespace) {
        return wrong("an address without a host");
    }
    match port.map(str::parse::<u16>) {
        Some(Err(_) | Ok(0)) => wrong("the port is not a number from 1 to 65535"),
        _ => Ok(()),
    }
}

/// Splits `host:port`; an IPv6 host stands in brackets.
pub(super) fn split_port(authority: &str) -> (&str, Option<&str>) {
    if let Some(end) = authority.find(']') {
        let (host, rest) = authority.split_at(end + 1);
        return (host, rest.strip_prefix(':'));
    }
    authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port)))
}

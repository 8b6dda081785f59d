//! The rules for language models: addresses, names, and what depends on each other.

use super::findings::{Findings, check_url};
use crate::llm::{LlmFallback, ProviderKind, keep_alive};

/// What is wrong with `[llm]` and its like.
pub(super) fn language_models(found: &mut Findings<'_>) {
    let config = &found.loaded.config;
    let (first, second) = (config.llm.first(), &config.llm_fallback);
    let all = config.llm.all(second);
    for (section, server) in &all {
        language_model(found, section, server);
    }
    for (section, server) in all.iter().skip(1) {
        if !first.is_configured() && server.is_configured() {
            let fix = format!("write the server below [llm], or clear {section}.url");
            found.add(&format!("{section}.url"), &server.url, "a second language model without a first", fix);
        }
    }
    for (section, server) in all.iter().skip(2) {
        if !server.is_configured() {
            let fix = "give its address, or take the table out";
            found.add(&format!("{section}.url"), "", "a language model without an address", fix);
        }
        if [&first.name, &second.name].contains(&&server.name) {
            let fix = "give each a name of its own";
            found.add(section, &server.name, "another language model has this name", fix);
        }
    }
    if first.name == second.name {
        let fix = "give each a name of its own, such as \"main\" and \"fallback\"";
        found.add("llm_fallback.name", &second.name, "both language models have this name", fix);
    }
    let (first_ms, whole_ms) = (config.llm.first_token_timeout_ms, config.llm.timeout_ms);
    if first_ms > whole_ms {
        let message = format!("must not be above llm.timeout_ms ({whole_ms}): it is a part of that time");
        let fix = "lower llm.first_token_timeout_ms or raise llm.timeout_ms";
        found.number("llm.first_token_timeout_ms", f64::from(first_ms), message, fix);
    }
    if keep_alive(&config.llm.keep_alive).is_none() {
        let fix = "write a number with its unit: \"30m\", \"90s\", \"24h\"; or \"-1\" or \"0\"";
        found.add("llm.keep_alive", &config.llm.keep_alive, "not a length of time", fix);
    }
}

fn language_model(found: &mut Findings<'_>, section: &str, provider: &LlmFallback) {
    let key = |name: &str| format!("{section}.{name}");
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
    if provider.name.is_empty() || provider.name.len() > 32 || !provider.name.chars().all(plain) {
        let fix = "use 1 to 32 of: a to z, 0 to 9, `_` and `-`";
        found.add(&key("name"), &provider.name, "not a name that can stand in that of a credential", fix);
    }
    if !provider.is_configured() {
        return;
    }
    if provider.provider == ProviderKind::Embedded {
        if !provider.url.is_empty() {
            let fix = format!("clear {section}.url, or take another {section}.provider");
            found.add(&key("url"), &provider.url, "a model in this program has no address", fix);
        }
    } else if let Err((message, fix)) = check_url(&provider.url, &["http", "https"]) {
        found.add(&key("url"), &provider.url, message, fix);
    } else if provider.url.contains(['?', '#']) {
        let fix = "leave out what begins with `?` or `#`";
        found.add(&key("url"), &provider.url, "more than the address of a server", fix);
    }
    if provider.model.trim().is_empty() {
        let fix = format!("name one in {section}.model; `hark models list` shows those of the server");
        found.add(&key("model"), &provider.model, "a language model without a name", fix);
    }
}

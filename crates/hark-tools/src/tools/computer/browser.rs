//! `browser.*`: pages in a Chromium of Hark's own. What a page says is text of others; what sends a form, or may be an act of
//! weight by its words, is asked about first.

use super::said::written;
use super::web::refuse_secrets;
use super::weighty::is_weighty;
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared, Work};
use crate::tools::services::Services;
use crate::web;
use hark_browser::{BrowserError, Effect, Go, PageState, Scroll};
use hark_core::tool::{
    error_code,
    reason::{self, Part},
};
use hark_home::permission_gate::{Danger, STEP};
use serde_json::{Value, json};
use std::sync::Arc;

/// Whether there is a browser.
pub fn ready(services: &Services) -> Result<(), Failure> {
    Ok(services.browser.is_there()?)
}

/// `browser.navigate`: to an address, or a step through the pages that were open.
pub fn navigate(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    // A browser of a command that ends would be gone before anybody has seen the page.
    services.running_node()?;
    let browser = services.browser.clone();
    let (url, go) = match (args.text("url"), args.text("go")) {
        (Some(url), None) => (url, None),
        (None, Some("back")) => ("", Some(Go::Back)),
        (None, Some("forward")) => ("", Some(Go::Forward)),
        (None, Some(_)) => ("", Some(Go::Reload)),
        _ => return Err(Failure::wrong_call("url", "browser.navigate needs either url or go")),
    };
    if let Some(go) = go {
        return Ok(Prepared::Work(Box::pin(async move { Ok(opened(&browser.go(go).await?)) })));
    }
    let url = web::address(&spoken(url, &services.language))?;
    refuse_secrets(services, &format!("{url} {}", args.told()))?;
    let (address, web) = (format!("GET request to {url}"), services.web.clone());
    let work = Box::pin(async move {
        web.reachable(&url).await?;
        Ok(opened(&browser.open(&url).await?))
    });
    // Where a page leads from there nobody knows: no host is trusted so far.
    Ok(Prepared::Fetch { address, trusted: false, work })
}

/// `browser.read`.
pub fn read(services: &Arc<Services>, _args: &Args) -> Result<Prepared, Failure> {
    let browser = services.browser.clone();
    Ok(Prepared::Work(Box::pin(async move {
        let page = browser.read().await?;
        let mut detail = shown(&page.state);
        detail["text"] = json!(page.text);
        detail["truncated"] = json!(page.truncated);
        detail["fields"] = json!(page.fields);
        Ok(Outcome::answer(detail))
    })))
}

/// `browser.click`.
pub fn click(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (browser, text) = (services.browser.clone(), args.owned("text").unwrap_or_default());
    Ok(Prepared::Look(Box::pin(async move {
        let target = browser.target(&text).await?;
        let is_grave = target.effect.sends() || is_weighty(&target.label) || is_weighty(&text);
        let danger = is_grave.then(|| asked("browser.click", &format!("“{}”", target.label), &target.effect));
        let work: Work = Box::pin(async move {
            let state = browser.click(&target).await?;
            let mut detail = shown(&state);
            detail["label"] = json!(target.label);
            Ok(Outcome::new(true, detail))
        });
        Ok(Prepared::work(danger, work))
    })))
}

/// `browser.fill`.
pub fn fill(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let browser = services.browser.clone();
    let (text, name) = (args.owned("text").unwrap_or_default(), args.owned("field"));
    let enter = args.flag("enter") == Some(true);
    refuse_secrets(services, &text)?;
    Ok(Prepared::Look(Box::pin(async move {
        let field = browser.field(name.as_deref()).await?;
        // A search is sent as an address is opened. What Enter does in a field without a form, nobody knows.
        let is_search = matches!(field.effect, Effect::Form { .. }) && !field.effect.sends();
        let danger =
            (enter && !is_search).then(|| asked("browser.fill", &format!("“{text}”"), &field.effect));
        let work: Work = Box::pin(async move {
            let (value, state) = browser.fill(&field, &text, enter).await?;
            let mut detail = shown(&state);
            detail["field"] = json!(field.label);
            detail["text"] = json!(value);
            detail["sent"] = json!(enter);
            Ok(Outcome::new(true, detail))
        });
        Ok(Prepared::work(danger, work))
    })))
}

/// `browser.scroll`.
pub fn scroll(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let browser = services.browser.clone();
    let (to, pixels) = (args.owned("to").unwrap_or_default(), args.integer("pixels"));
    let to = match to.as_str() {
        "up" => Scroll::Up,
        "top" => Scroll::Top,
        "bottom" => Scroll::Bottom,
        _ => Scroll::Down,
    };
    Ok(Prepared::Work(Box::pin(async move {
        let scrolled = browser.scroll(to, pixels).await?;
        Ok(Outcome::answer(json!({"percent": scrolled.percent, "at_end": scrolled.at_end})))
    })))
}

/// `browser.screenshot`.
pub fn screenshot(services: &Arc<Services>, _args: &Args) -> Result<Prepared, Failure> {
    let browser = services.browser.clone();
    Ok(Prepared::Work(Box::pin(async move {
        let (shot, state) = browser.screenshot().await?;
        let mut detail = shown(&state);
        detail["path"] = json!(shot.path.display().to_string());
        detail["bytes"] = json!(shot.bytes);
        detail["width"] = json!(shot.width);
        detail["height"] = json!(shot.height);
        Ok(Outcome::new(true, detail))
    })))
}

fn opened(state: &PageState) -> Outcome {
    let mut detail = shown(state);
    if let Some(status) = state.status {
        detail["status"] = json!(status);
    }
    Outcome::new(true, detail)
}

fn shown(state: &PageState) -> Value {
    let mut shown = json!({"url": state.url});
    if !state.title.is_empty() {
        shown["title"] = json!(state.title);
    }
    let host = url::Url::parse(&state.url).ok().and_then(|url| url.host_str().map(str::to_owned));
    shown["site"] = json!(host.unwrap_or_default().trim_start_matches("www."));
    shown
}

/// What a person is asked before something is sent, or done that may not be taken back.
fn asked(tool: &str, what: &str, effect: &Effect) -> Danger {
    let (name, kind, parts) = match effect {
        Effect::Form { to, .. } => (format!("form {what} to {to}"), "form", json!({"label": what, "to": to})),
        Effect::Link { to } => {
            let name = format!("click on {what}, which leads to {to}");
            (name, "link", json!({"label": what, "to": to}))
        }
        Effect::Control => (format!("click on {what}"), "button", json!({"label": what})),
    };
    let action = if matches!(effect, Effect::Form { .. }) { "send" } else { STEP };
    Danger::new(action, tool, name).told(kind, parts)
}

/// An address as it was said: "example dot com slash news". What is written as one is taken as it is.
fn spoken(text: &str, language: &str) -> String {
    let text = text.trim();
    if !text.contains(char::is_whitespace) {
        return text.to_owned();
    }
    written(&text.to_lowercase(), language).replace(' ', "")
}

impl From<BrowserError> for Failure {
    fn from(error: BrowserError) -> Self {
        let message = error.to_string();
        let failure = |code| Self::new(code, message.clone());
        let fix = error.fix();
        let failure = match error {
            BrowserError::Off
            | BrowserError::NoProgram
            | BrowserError::BadProgram(_)
            | BrowserError::NoSandbox => Self::not_set_up(Part::Browser, message),
            BrowserError::NoPage => failure(error_code::NOT_FOUND).because(reason::NO_PAGE),
            BrowserError::Nothing(wanted) | BrowserError::NoField(wanted) if !wanted.is_empty() => {
                failure(error_code::NOT_FOUND).because(reason::NOT_ON_PAGE).with("wanted", json!(wanted))
            }
            BrowserError::Nothing(_) | BrowserError::NoField(_) | BrowserError::NoHistory => {
                failure(error_code::NOT_FOUND)
            }
            BrowserError::Private(host) => {
                failure(error_code::FORBIDDEN).because(reason::PRIVATE_ADDRESS).with("host", json!(host))
            }
            BrowserError::NotWeb(_) => failure(error_code::BAD_ARGUMENT).with("argument", json!("url")),
            BrowserError::Secret => failure(error_code::FORBIDDEN).because(reason::NO_PASSWORDS),
            BrowserError::NotTaken(_) => failure(error_code::UNSUPPORTED),
            BrowserError::Unreachable(..) | BrowserError::Ended => failure(error_code::FAILED),
            BrowserError::Start(_) | BrowserError::Changed | BrowserError::Failed(_) => {
                failure(error_code::FAILED)
            }
            BrowserError::Timeout => failure(error_code::TIMEOUT),
        };
        if fix.is_empty() { failure } else { failure.fix(fix) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_as_they_are_written_and_as_they_are_said() {
        assert_eq!(spoken("https://example.com/a?b=c", "en"), "https://example.com/a?b=c");
        assert_eq!(spoken("example dot com", "en"), "example.com");
        assert_eq!(spoken("www dot My dash shop dot co dot uk slash owls", "en"), "www.my-shop.co.uk/owls");
        assert_eq!(spoken("beispiel punkt de", "de"), "beispiel.de");
        assert!(
            web::address(&spoken("the owls", "en")).is_ok(),
            "whether there is such a host the network tells"
        );
    }

    #[test]
    fn a_question_says_what_is_sent_and_where_to() {
        let form = Effect::Form { method: "post".into(), to: "https://shop.test".into(), secret: false };
        assert_eq!(
            asked("browser.click", "“Order now”", &form).name,
            "form “Order now” to https://shop.test"
        );
        assert_eq!(asked("browser.click", "“Buy”", &Effect::Control).name, "click on “Buy”");
    }
}

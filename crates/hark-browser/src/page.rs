//! Calls into a page: `page.js` in a world of its own, where the page's scripts reach nothing. Words are given as arguments,
//! never as a part of a script.

use crate::error::BrowserError;
use crate::pipe::Pipe;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::Duration;

/// The function that does everything in a page.
const SCRIPT: &str = include_str!("page.js");
/// Name of the world it runs in.
const WORLD: &str = "hark";
/// Time a page may take for a call; one that is busy with itself takes longer.
const LIMIT: Duration = Duration::from_secs(5);

/// Where the browser is.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PageState {
    /// Address of the page.
    pub url: String,
    /// Its title, shortened; empty where it has none.
    pub title: String,
    /// Status of the answer it came with, such as 200, where it came over HTTP.
    pub status: Option<u16>,
}

/// What a page says.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PageText {
    /// Where it is.
    #[serde(flatten)]
    pub state: PageState,
    /// Its visible words, of the main part where it has one.
    pub text: String,
    /// The text was cut.
    pub truncated: bool,
    /// What its fields are called. Their contents are left out.
    pub fields: Vec<String>,
}

/// What a click, or Enter in a field, does as far as the page tells.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Effect {
    /// Opens a page.
    Link {
        /// Scheme and host it leads to.
        to: String,
    },
    /// Sends a form.
    Form {
        /// `get`, `post` or `dialog`, or whatever the page writes.
        method: String,
        /// Scheme and host it is sent to.
        to: String,
        /// A password or the number of a card is in it.
        secret: bool,
    },
    /// Something of the page's own.
    Control,
}

impl Effect {
    /// Whether it sends more than words of a search: the form says so.
    pub fn sends(&self) -> bool {
        matches!(self, Self::Form { method, secret, .. } if *secret || !matches!(method.as_str(), "get" | "dialog"))
    }

    /// Whether it does no more than another one that was looked at before.
    pub(crate) fn is_within(&self, before: &Self) -> bool {
        self == before || matches!((self, before), (Self::Control | Self::Link { .. }, Self::Form { .. }))
    }
}

/// A page, as it is worked: its id and its session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Page {
    /// Its target, which is also its main frame.
    pub(crate) target: String,
    /// The session it is talked to in.
    pub(crate) session: String,
}

impl Page {
    /// Calls a method of the protocol in this page.
    pub(crate) async fn call(&self, pipe: &Pipe, method: &str, params: Value) -> Result<Value, BrowserError> {
        pipe.call(method, params, Some(&self.session), LIMIT).await
    }

    /// Has `page.js` do something; what it returns.
    pub(crate) async fn act<T: DeserializeOwned>(
        &self,
        pipe: &Pipe,
        act: &str,
        args: Value,
    ) -> Result<T, BrowserError> {
        let world = json!({"frameId": self.target, "worldName": WORLD});
        let world = self.call(pipe, "Page.createIsolatedWorld", world).await?;
        let call = json!({
            "functionDeclaration": SCRIPT,
            "executionContextId": world["executionContextId"],
            "arguments": [{"value": act}, {"value": args}],
            "returnByValue": true,
            "userGesture": act == "press",
        });
        let mut answer = self.call(pipe, "Runtime.callFunctionOn", call).await?;
        if let Some(exception) = answer.get("exceptionDetails") {
            let text = exception["exception"]["description"].as_str().unwrap_or("an exception");
            return Err(BrowserError::Failed(text.chars().take(300).collect()));
        }
        serde_json::from_value(answer["result"]["value"].take()).map_err(|error| {
            BrowserError::Failed(format!("the page gave an answer that cannot be read: {error}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_sends_more_than_a_search_is_told_from_what_does_not() {
        let form = |method: &str, secret| Effect::Form {
            method: method.into(),
            to: "https://a.test".into(),
            secret,
        };
        assert!(form("post", false).sends() && form("get", true).sends() && form("put", false).sends());
        assert!(!form("get", false).sends() && !form("dialog", false).sends());
        let link = Effect::Link { to: "https://a.test".into() };
        assert!(!link.sends() && !Effect::Control.sends());
        assert!(
            Effect::Control.is_within(&form("post", false))
                && form("post", false).is_within(&form("post", false))
        );
        assert!(
            !form("post", false).is_within(&Effect::Control)
                && !form("post", true).is_within(&form("post", false))
        );
        assert!(!link.is_within(&Effect::Link { to: "https://b.test".into() }));
    }
}

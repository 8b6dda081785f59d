//! A Chromium that Hark starts itself, with a profile of its own, and works over the Chrome DevTools Protocol
//! ([`Browser`]). The browser tools of `hark-tools` call it on the tokio runtime. Every connection Chromium makes goes through
//! a proxy of Hark's ([`Reach`] says which addresses it may lead to), so that no page, redirect or script reads the local
//! network. What a page says is text of others.
//!
//! ```
//! use hark_browser::{Browser, Closed};
//! use hark_config::browser::BrowserConfig;
//! use std::sync::Arc;
//!
//! let config = BrowserConfig { program: "none".into(), ..BrowserConfig::default() };
//! let browser = Browser::new(&config, "/var/lib/hark".into(), Arc::new(Closed));
//! assert!(browser.is_there().is_err());
//! ```

mod acts;
mod browser;
mod error;
mod launch;
mod page;
mod pipe;
mod proxy;
mod shots;

pub use acts::{Field, Go, Scroll, Scrolled, Target};
pub use browser::Browser;
pub use error::BrowserError;
pub use hark_net::reach::{NotReached, Reach, Reaching};
pub use page::{Effect, PageState, PageText};
pub use proxy::Closed;
pub use shots::Screenshot;

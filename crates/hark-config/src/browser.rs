//! `[browser]`: the Chromium that Hark works itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A Chromium of Hark's own that opens pages: "open example dot com in the browser", "click on sign in", "what's on the page". It has a profile of its own in the state folder and a window where there is a display, reaches what `tools.http_allow_private` and `tools.http_allow_hosts` let it reach, and is started with the first page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BrowserConfig {
    /// Chromium, by name or absolute path; `auto`: the first of Chromium, Chrome and Edge that is installed; `none`: no browser.
    pub program: String,
    /// Chromium's own sandbox, which needs another user than root and a system that allows it. Without it a page that breaks out of Chromium has all that Hark has.
    pub sandbox: bool,
    /// Without a window where there is a display, too.
    pub headless: bool,
    /// The browser is closed when nothing was asked of it for so long.
    #[schemars(range(min = 1, max = 1440))]
    pub idle_min: u32,
}

impl Default for BrowserConfig {
    fn default() -> Self {
        Self { program: "auto".into(), sandbox: true, headless: false, idle_min: 15 }
    }
}

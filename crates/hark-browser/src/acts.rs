//! What can be done in the browser: open a page, go back, read, click, fill, scroll, take a picture.

use crate::browser::{Browser, LOOK_EVERY, Running};
use crate::error::BrowserError;
use crate::page::{Effect, Page, PageState, PageText};
use crate::shots::{self, Screenshot};
use base64::Engine;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use url::Url;

/// Longest text of a page in an answer, characters.
const MAX_TEXT_CHARS: usize = 5_000;
/// Longest value of a field in an answer, characters.
const MAX_VALUE_CHARS: usize = 500;
/// Time the first answer to a page may take, redirects included.
const OPEN_LIMIT: Duration = Duration::from_secs(15);
/// Time a page may take to load; after it, its state at that moment is the answer.
const LOAD_LIMIT: Duration = Duration::from_secs(8);
/// Time after an act in which a page begins to load if it does.
const BEGINS_WITHIN: Duration = Duration::from_millis(250);
/// Time a picture may take.
const SHOT_LIMIT: Duration = Duration::from_secs(10);

/// A step through the pages that were open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Go {
    /// To the page before.
    Back,
    /// To the page behind, after a step back.
    Forward,
    /// The same page anew.
    Reload,
}

/// Where to on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scroll {
    /// Up.
    Up,
    /// Down.
    Down,
    /// To its beginning.
    Top,
    /// To its end.
    Bottom,
}

/// Where on the page it is after scrolling.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Scrolled {
    /// How far down, percent.
    pub percent: u8,
    /// At its end.
    pub at_end: bool,
}

/// Something on the page that can be clicked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// What is written on it.
    pub label: String,
    /// What a click does.
    pub effect: Effect,
    asked: String,
}

/// A field of the page that may be filled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// What it is called; empty where it has no name.
    pub label: String,
    /// What Enter in it does.
    pub effect: Effect,
    asked: Option<String>,
    is_typed: bool,
}

/// What `page.js` tells of something to click.
#[derive(Deserialize)]
struct Found {
    label: String,
    effect: Effect,
}

/// The same, with where it is.
#[derive(Deserialize)]
struct Aimed {
    effect: Effect,
    x: f64,
    y: f64,
    meets: bool,
}

/// What it tells of a field.
#[derive(Deserialize)]
struct FoundField {
    label: String,
    effect: Effect,
    secret: bool,
    typed: bool,
}

impl Browser {
    /// Opens a page, in the browser that runs or in one that is started.
    ///
    /// # Errors
    /// When it is no page of the web, leads to what may not be reached, or does not come.
    pub async fn open(&self, url: &Url) -> Result<PageState, BrowserError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(BrowserError::NotWeb(url.to_string()));
        }
        let held = self.any_page().await?;
        let (running, page) = (&*held, &held.page);
        running.refused.clear();
        let params = json!({"url": url.as_str()});
        let answer = running.pipe.call("Page.navigate", params, Some(&page.session), OPEN_LIMIT).await?;
        if let Some(error) = answer["errorText"].as_str() {
            return Err(not_shown(running, url.host_str().unwrap_or_default(), error));
        }
        settled(running).await
    }

    /// Takes a step through the pages that were open.
    ///
    /// # Errors
    /// When there is no page to go to.
    pub async fn go(&self, to: Go) -> Result<PageState, BrowserError> {
        let held = self.page().await?;
        let (running, page) = (&*held, &held.page);
        running.refused.clear();
        if to == Go::Reload {
            page.call(&running.pipe, "Page.reload", json!({})).await?;
            return settled(running).await;
        }
        let history = page.call(&running.pipe, "Page.getNavigationHistory", json!({})).await?;
        let now = history["currentIndex"].as_u64().unwrap_or_default();
        let at = if to == Go::Back { now.checked_sub(1) } else { Some(now + 1) };
        let entry = at.and_then(|at| history["entries"].get(usize::try_from(at).ok()?));
        let is_page = |entry: &&Value| entry["url"].as_str().is_some_and(|url| url.starts_with("http"));
        let entry = entry.filter(is_page).ok_or(BrowserError::NoHistory)?;
        page.call(&running.pipe, "Page.navigateToHistoryEntry", json!({"entryId": entry["id"]})).await?;
        settled(running).await
    }

    /// What the page says.
    ///
    /// # Errors
    /// When none is open.
    pub async fn read(&self) -> Result<PageText, BrowserError> {
        let held = self.page().await?;
        let (running, page) = (&*held, &held.page);
        let text: PageText = page.act(&running.pipe, "read", json!({"chars": MAX_TEXT_CHARS})).await?;
        of_web(running, text.state.clone()).await?;
        Ok(text)
    }

    /// What a page has that is called so and can be clicked; nothing is done.
    ///
    /// # Errors
    /// When there is no such thing.
    pub async fn target(&self, text: &str) -> Result<Target, BrowserError> {
        let held = self.page().await?;
        let (running, page) = (&*held, &held.page);
        let found: Option<Found> = page.act(&running.pipe, "target", json!({"text": text})).await?;
        let found = found.ok_or_else(|| BrowserError::Nothing(text.to_owned()))?;
        Ok(Target { label: found.label, effect: found.effect, asked: text.to_owned() })
    }

    /// Clicks it; where the browser is then.
    ///
    /// # Errors
    /// When it is not there any more or does something else by now.
    pub async fn click(&self, target: &Target) -> Result<PageState, BrowserError> {
        let held = self.page().await?;
        let (running, page) = (&*held, &held.page);
        running.refused.clear();
        let wanted = json!({"text": target.asked});
        let aimed: Option<Aimed> = page.act(&running.pipe, "aim", wanted.clone()).await?;
        let aimed = aimed.filter(|aimed| aimed.effect.is_within(&target.effect));
        let aimed = aimed.ok_or(BrowserError::Changed)?;
        if aimed.meets {
            press_mouse(running, page, aimed.x, aimed.y).await?;
        } else {
            // Something lies above it, such as a banner.
            let () = page.act(&running.pipe, "press", wanted).await?;
        }
        settled(running).await
    }

    /// The field that is called so, or without a name the one with the cursor, else the first; nothing is done.
    ///
    /// # Errors
    /// When there is none, or it is for a password.
    pub async fn field(&self, name: Option<&str>) -> Result<Field, BrowserError> {
        let held = self.page().await?;
        let (running, page) = (&*held, &held.page);
        let found: Option<FoundField> = page.act(&running.pipe, "field", json!({"field": name})).await?;
        let found = found.ok_or_else(|| BrowserError::NoField(name.unwrap_or_default().to_owned()))?;
        if found.secret {
            return Err(BrowserError::Secret);
        }
        let (label, effect, is_typed) = (found.label, found.effect, found.typed);
        Ok(Field { label, effect, asked: name.map(str::to_owned), is_typed })
    }

    /// Fills a field and, with `enter`, presses Enter in it; what is in it then (before Enter), and where the browser is.
    ///
    /// # Errors
    /// When the field does not take it, or is not there any more.
    pub async fn fill(
        &self,
        field: &Field,
        text: &str,
        enter: bool,
    ) -> Result<(String, PageState), BrowserError> {
        let held = self.page().await?;
        let (running, page) = (&*held, &held.page);
        running.refused.clear();
        let not_taken = || BrowserError::NotTaken(field.label.clone());
        let wanted = json!({"field": field.asked, "text": text, "chars": MAX_VALUE_CHARS});
        let act = if field.is_typed { "focus" } else { "set" };
        let is_ready: bool = page.act(&running.pipe, act, wanted.clone()).await?;
        if !is_ready {
            return Err(not_taken());
        }
        if field.is_typed {
            page.call(&running.pipe, "Input.insertText", json!({"text": text})).await?;
        }
        let value: Option<String> = page.act(&running.pipe, "value", wanted).await?;
        let value = value.filter(|value| !value.is_empty()).ok_or_else(not_taken)?;
        if enter {
            let now: Option<FoundField> =
                page.act(&running.pipe, "field", json!({"field": field.asked})).await?;
            if !now.is_some_and(|now| now.effect.is_within(&field.effect)) {
                return Err(BrowserError::Changed);
            }
            press_enter(running, page).await?;
        }
        Ok((value, settled(running).await?))
    }

    /// Scrolls by most of what is seen or so many pixels, or to an end.
    ///
    /// # Errors
    /// When no page is open.
    pub async fn scroll(&self, to: Scroll, pixels: Option<u32>) -> Result<Scrolled, BrowserError> {
        let to = match to {
            Scroll::Up => "up",
            Scroll::Down => "down",
            Scroll::Top => "top",
            Scroll::Bottom => "bottom",
        };
        let held = self.page().await?;
        let (running, page) = (&*held, &held.page);
        page.act(&running.pipe, "scroll", json!({"to": to, "pixels": pixels})).await
    }

    /// Takes a picture of what is seen of the page.
    ///
    /// # Errors
    /// When no page is open, or the picture cannot be written.
    pub async fn screenshot(&self) -> Result<(Screenshot, PageState), BrowserError> {
        let folder = self.shots();
        let held = self.page().await?;
        let (running, page) = (&*held, &held.page);
        let state = of_web(running, page.act(&running.pipe, "state", json!({})).await?).await?;
        let params = json!({"format": "png"});
        let answer =
            running.pipe.call("Page.captureScreenshot", params, Some(&page.session), SHOT_LIMIT).await?;
        let failed = |error: String| BrowserError::Failed(format!("the picture cannot be kept: {error}"));
        let data = answer["data"].as_str().unwrap_or_default();
        let png = base64::engine::general_purpose::STANDARD.decode(data);
        let png = png.map_err(|error| failed(error.to_string()))?;
        let name = chrono::Local::now().format("%Y-%m-%d %H.%M.%S%.3f").to_string();
        let kept = tokio::task::spawn_blocking(move || shots::keep(&folder, &name, &png)).await;
        let kept = kept.map_err(|error| failed(error.to_string()))?;
        Ok((kept.map_err(|error| failed(error.to_string()))?, state))
    }
}

/// Waits until a page that begins to load has loaded, or has had its time; where the browser is then.
async fn settled(running: &Running) -> Result<PageState, BrowserError> {
    tokio::time::sleep(BEGINS_WITHIN).await;
    let begun = Instant::now();
    loop {
        while running.is_loading() && begun.elapsed() < LOAD_LIMIT {
            tokio::time::sleep(LOOK_EVERY).await;
        }
        // A new page may have opened, which then is the one that counts.
        let page = running.page().ok_or(BrowserError::NoPage)?;
        match page.act::<PageState>(&running.pipe, "state", json!({})).await {
            Ok(state) => return of_web(running, state).await,
            // The page went while it was asked.
            Err(BrowserError::Failed(_)) if begun.elapsed() < LOAD_LIMIT => {
                tokio::time::sleep(LOOK_EVERY).await;
            }
            Err(error) => return Err(error),
        }
    }
}

/// The state, when it is one of a page of the web; anything else is left for an empty page.
async fn of_web(running: &Running, state: PageState) -> Result<PageState, BrowserError> {
    if state.url.starts_with("http://") || state.url.starts_with("https://") {
        return Ok(state);
    }
    if state.url == "about:blank" {
        return Err(BrowserError::NoPage);
    }
    if state.url.starts_with("chrome-error:") {
        return Err(not_shown(running, "the page", "it does not answer"));
    }
    if let Some(page) = running.page() {
        page.call(&running.pipe, "Page.navigate", json!({"url": "about:blank"})).await?;
    }
    Err(BrowserError::NotWeb(state.url.chars().take(100).collect()))
}

/// Why a page does not come.
fn not_shown(running: &Running, host: &str, error: &str) -> BrowserError {
    match running.refused.last() {
        Some(refused) => BrowserError::Private(refused),
        None => {
            let error = error.trim_start_matches("net::ERR_").replace('_', " ").to_lowercase();
            BrowserError::Unreachable(host.to_owned(), error)
        }
    }
}

async fn press_mouse(running: &Running, page: &Page, x: f64, y: f64) -> Result<(), BrowserError> {
    for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
        let button = if kind == "mouseMoved" { "none" } else { "left" };
        let event = json!({"type": kind, "x": x, "y": y, "button": button, "clickCount": 1});
        page.call(&running.pipe, "Input.dispatchMouseEvent", event).await?;
    }
    Ok(())
}

async fn press_enter(running: &Running, page: &Page) -> Result<(), BrowserError> {
    let key = json!({"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13});
    for (kind, text) in [("keyDown", Some("\r")), ("keyUp", None)] {
        let mut event = key.clone();
        event["type"] = json!(kind);
        if let Some(text) = text {
            event["text"] = json!(text);
        }
        page.call(&running.pipe, "Input.dispatchKeyEvent", event).await?;
    }
    Ok(())
}

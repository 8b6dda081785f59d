//! The clipboard of the desktop Hark runs in, where there is one.

use hark_desktop::macos::Mac;
use std::sync::{Arc, Mutex, PoisonError};

/// Most characters that are taken from it or put into it.
pub const MAX_CHARS: usize = 100_000;

/// Why it cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClipboardError {
    /// There is no desktop here.
    #[error("there is no clipboard here: {0}")]
    None(String),
    /// Something else than text is in it, or nothing.
    #[error("the clipboard holds no text")]
    NoText,
    /// It does not work now.
    #[error("the clipboard cannot be used: {0}")]
    Broken(String),
}

/// A clipboard.
pub trait Clipboard: Send + Sync {
    /// Whether it could work.
    ///
    /// # Errors
    /// Why it cannot.
    fn ready(&self) -> Result<(), ClipboardError>;
    /// The text in it. May wait for another program.
    ///
    /// # Errors
    /// When there is none, or the desktop does not answer.
    fn read(&self) -> Result<String, ClipboardError>;
    /// Puts a text into it.
    ///
    /// # Errors
    /// When the desktop does not answer.
    fn write(&self, text: &str) -> Result<(), ClipboardError>;
}

/// The desktop's clipboard. A build without its own has that of a Mac nevertheless.
pub fn of_desktop() -> Arc<dyn Clipboard> {
    match Mac::here() {
        Some(mac) if cfg!(not(feature = "clipboard")) => Arc::new(mac),
        _ => Arc::new(Desktop::default()),
    }
}

/// By pbcopy and pbpaste.
impl Clipboard for Mac {
    fn ready(&self) -> Result<(), ClipboardError> {
        Ok(())
    }

    fn read(&self) -> Result<String, ClipboardError> {
        let text = self.clipboard().map_err(|error| ClipboardError::Broken(error.to_string()))?;
        if text.is_empty() { Err(ClipboardError::NoText) } else { Ok(text) }
    }

    fn write(&self, text: &str) -> Result<(), ClipboardError> {
        self.set_clipboard(text).map_err(|error| ClipboardError::Broken(error.to_string()))
    }
}

/// The desktop's; opened at first need and kept, because under X11 the content is gone with the program that owns it.
#[derive(Default)]
struct Desktop {
    #[cfg(feature = "clipboard")]
    open: Mutex<Option<arboard::Clipboard>>,
    #[cfg(not(feature = "clipboard"))]
    open: Mutex<Option<std::convert::Infallible>>,
}

#[cfg(feature = "clipboard")]
impl Desktop {
    fn with<T>(
        &self,
        use_it: impl FnOnce(&mut arboard::Clipboard) -> Result<T, arboard::Error>,
    ) -> Result<T, ClipboardError> {
        self.ready()?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let clipboard = match &mut *open {
            Some(clipboard) => clipboard,
            none => none
                .insert(arboard::Clipboard::new().map_err(|error| ClipboardError::None(error.to_string()))?),
        };
        let used = use_it(clipboard).map_err(|error| match error {
            arboard::Error::ContentNotAvailable | arboard::Error::ConversionFailure => ClipboardError::NoText,
            error => ClipboardError::Broken(error.to_string()),
        });
        // After a failure it is opened anew: the desktop may have been started again.
        if matches!(used, Err(ClipboardError::Broken(_))) {
            *open = None;
        }
        used
    }
}

/// Whether `DISPLAY` names an X11 desktop.
#[cfg(feature = "clipboard")]
fn has_display(name: Option<&std::ffi::OsStr>) -> bool {
    name.is_some_and(|name| !name.is_empty())
}

#[cfg(feature = "clipboard")]
impl Clipboard for Desktop {
    fn ready(&self) -> Result<(), ClipboardError> {
        let there = !cfg!(target_os = "linux") || has_display(std::env::var_os("DISPLAY").as_deref());
        if there { Ok(()) } else { Err(ClipboardError::None("DISPLAY is not set".into())) }
    }

    fn read(&self) -> Result<String, ClipboardError> {
        self.with(arboard::Clipboard::get_text)
    }

    fn write(&self, text: &str) -> Result<(), ClipboardError> {
        self.with(|clipboard| clipboard.set_text(text))
    }
}

#[cfg(not(feature = "clipboard"))]
impl Clipboard for Desktop {
    fn ready(&self) -> Result<(), ClipboardError> {
        drop(self.open.lock().unwrap_or_else(PoisonError::into_inner));
        Err(ClipboardError::None("this build has none".into()))
    }

    fn read(&self) -> Result<String, ClipboardError> {
        self.ready().map(|()| String::new())
    }

    fn write(&self, _text: &str) -> Result<(), ClipboardError> {
        self.ready()
    }
}

#[cfg(all(test, feature = "clipboard"))]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    #[test]
    fn without_a_display_there_is_no_clipboard() {
        assert!(!has_display(None) && !has_display(Some(OsStr::new(""))));
        assert!(has_display(Some(OsStr::new(":0"))));
        if !cfg!(target_os = "linux") || has_display(std::env::var_os("DISPLAY").as_deref()) {
            return;
        }
        let clipboard = of_desktop();
        assert!(matches!(clipboard.read(), Err(ClipboardError::None(_))));
        assert!(matches!(clipboard.write("x"), Err(ClipboardError::None(_))));
    }
}

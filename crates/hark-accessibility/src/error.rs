//! Why something in a window is not found or done, and what to do about it.

use hark_desktop::macos::MacError;

/// Why something is not done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AccessibilityError {
    /// No session of a desktop, or no accessibility bus in it.
    #[error("the windows of this desktop cannot be asked: {0}")]
    NoBus(String),
    /// No window is open, or none of this program.
    #[error("no window is open{}", if .0.is_empty() { String::new() } else { format!(" that is called {}", .0) })]
    NoWindow(String),
    /// Nothing is called so.
    #[error("I see nothing in the window that is called {0}")]
    Nothing(String),
    /// It cannot be pressed.
    #[error("{0} cannot be pressed")]
    NotPressable(String),
    /// It takes no text.
    #[error("{0} takes no text")]
    NotEditable(String),
    /// A field for a password.
    #[error("Hark types no passwords")]
    Secret,
    /// A program answered with an error.
    #[error("the program answered: {0}")]
    Failed(String),
    /// It did not answer.
    #[error("the program did not answer in time")]
    Timeout,
    /// macOS did not tell or do it.
    #[error(transparent)]
    Mac(#[from] MacError),
}

impl AccessibilityError {
    /// What to do about it; empty where there is nothing to do.
    pub fn fix(&self) -> String {
        match self {
            Self::NoBus(_) => {
                "apt install at-spi2-core, and run Hark in the desktop's session (systemd/user/hark.service)"
                    .into()
            }
            Self::Secret => "type it into the window yourself".into(),
            Self::Mac(error) => error.fix().unwrap_or_default().into(),
            _ => String::new(),
        }
    }
}

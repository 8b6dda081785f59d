//! Why something is not done in the browser, and what to do about it.

use hark_net::confined;

/// Why something is not done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BrowserError {
    /// The owner switched it off.
    #[error("the browser is switched off")]
    Off,
    /// No Chromium was found.
    #[error("there is no Chromium on this machine")]
    NoProgram,
    /// What the configuration names is no program.
    #[error("{0} is no program")]
    BadProgram(String),
    /// Chromium does not start as root with its sandbox.
    #[error("Chromium has no sandbox where it runs as root")]
    NoSandbox,
    /// It ended at its start, or could not be run.
    #[error("Chromium could not be started: {0}")]
    Start(String),
    /// It ended, or its user closed it.
    #[error("the browser was closed")]
    Ended,
    /// Nothing was opened yet, or the last page was closed.
    #[error("no page is open in the browser")]
    NoPage,
    /// An address of a private network, as host and port.
    #[error("{0} is in a private network or on this machine, and is not asked")]
    Private(String),
    /// The page did not come.
    #[error("{0} cannot be shown: {1}")]
    Unreachable(String, String),
    /// The page may not be shown: no page of the web.
    #[error("{0} is no page of the web")]
    NotWeb(String),
    /// Nothing is called so.
    #[error("I see nothing on the page that is called {0}")]
    Nothing(String),
    /// No field is called so; empty: there is no field at all.
    #[error("I see no field on the page{}", if .0.is_empty() { String::new() } else { format!(" that is called {}", .0) })]
    NoField(String),
    /// A password or the number of a card.
    #[error("Hark types no passwords and no numbers of cards")]
    Secret,
    /// The field does not take it.
    #[error("the field {0} does not take that")]
    NotTaken(String),
    /// What was looked at is not there any more, or does something else.
    #[error("the page has changed meanwhile")]
    Changed,
    /// There is no page before or behind this one.
    #[error("there is no page to go to")]
    NoHistory,
    /// It did not answer.
    #[error("the browser did not answer in time")]
    Timeout,
    /// It answered with an error.
    #[error("the browser answered: {0}")]
    Failed(String),
}

impl BrowserError {
    /// What to do about it; empty where there is nothing to do.
    pub fn fix(&self) -> String {
        match self {
            Self::Off => "set browser.program = \"auto\"".into(),
            Self::NoProgram => {
                "apt install chromium, or say where it is: browser.program = \"/path/to/chromium\"".into()
            }
            Self::BadProgram(_) => {
                "correct browser.program: a name or an absolute path, or \"auto\"".into()
            }
            Self::NoSandbox => {
                "run Hark as a user other than root (systemd/user/hark.service), or set browser.sandbox = false".into()
            }
            Self::Start(_) => {
                confined::fix().unwrap_or("start Chromium by hand as the user Hark runs as, and see what it says").into()
            }
            Self::NoPage => "open one first: “open example dot com in the browser”".into(),
            Self::Private(host) => format!("if it may be asked: tools.http_allow_hosts = [\"{host}\"]"),
            Self::Secret => "type it into the browser's window yourself".into(),
            _ => String::new(),
        }
    }
}

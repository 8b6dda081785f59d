//! Why a calendar or an address book cannot be used.

use hark_core::fault::root_cause;

/// Why there is no answer. `what` is "the calendar" or "the address book".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PersonalError {
    /// None is configured.
    #[error("no {0} is connected")]
    NotConfigured(&'static str),
    /// The file or folder cannot be read or written.
    #[error("{path} cannot be used: {why}")]
    File {
        /// Which.
        path: String,
        /// What the system says.
        why: String,
    },
    /// The address is none that is asked.
    #[error("the address {address} cannot be asked: {why}")]
    BadUrl {
        /// As it is configured.
        address: String,
        /// What is wrong.
        why: String,
    },
    /// The password cannot be read.
    #[error("the password of {address} cannot be read: {why}")]
    NoPassword {
        /// Of which server.
        address: String,
        /// What the system says.
        why: String,
    },
    /// The server does not take the name and password.
    #[error("{0} does not take the name and password it was given")]
    Denied(String),
    /// The server does not answer.
    #[error("{0} cannot be reached: {1}")]
    Unreachable(String, String),
    /// The server did not answer in time.
    #[error("{0} did not answer in time")]
    Timeout(String),
    /// An answer that cannot be used.
    #[error("{0} gave an answer that cannot be used: {1}")]
    BadAnswer(String, String),
    /// An event that cannot be.
    #[error("{0}")]
    BadEvent(&'static str),
    /// The event is not there any more.
    #[error("the event is not in the calendar any more")]
    Gone,
    /// Another program changed it after it was read.
    #[error("it was changed by somebody else meanwhile")]
    Changed,
    /// A task comes again by a rule that cannot be followed.
    #[error("how this task comes again cannot be followed; it is marked as done in the program it is from")]
    TaskRepeats,
    /// Nobody with an address of the household's own is invited.
    #[error("nobody with one of the household's own addresses is invited to it")]
    NotInvited,
    /// What repeats was to come on other days.
    #[error("of what repeats only the time of day can be changed")]
    OtherDays,
}

impl PersonalError {
    /// What a request ran into.
    pub(crate) fn of_request(host: &str, error: &reqwest::Error) -> Self {
        if error.is_timeout() {
            Self::Timeout(host.to_owned())
        } else {
            Self::Unreachable(host.to_owned(), root_cause(error))
        }
    }

    /// A file that cannot be used.
    pub(crate) fn of_file(path: &std::path::Path, error: &std::io::Error) -> Self {
        Self::File { path: path.display().to_string(), why: error.to_string() }
    }
}

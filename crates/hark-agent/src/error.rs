//! What can be wrong with the set-up of a language model, and with the stream of an answer.

use hark_core::{Fault, FaultKind};

/// Why a server cannot be used as it is configured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The address is not one.
    #[error("{0} is not the address of a server: {1}")]
    BadUrl(String, String),
    /// The file of the key cannot be used.
    #[error("the key in {path} cannot be used: {why}")]
    KeyFile {
        /// The file.
        path: String,
        /// What is wrong with it.
        why: String,
    },
    /// None of the configured servers stands in the house.
    #[error("{0} does not stand in the house, and llm.allow_cloud is false")]
    OnlyCloud(String),
    /// A model in this program cannot be run.
    #[error("llm.provider = \"embedded\" cannot be used: {0}")]
    Embedded(hark_llama::Error),
    /// The HTTP client does not start.
    #[error("there is no HTTP client: {0}")]
    NoClient(String),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        let (kind, fix) = match &error {
            Error::BadUrl(..) => (FaultKind::BadConfiguration, "write it as http://host:port"),
            Error::KeyFile { .. } => (
                FaultKind::BadConfiguration,
                "put the key alone into the file, on one line, readable for Hark",
            ),
            Error::OnlyCloud(_) => (
                FaultKind::BadConfiguration,
                "set llm.allow_cloud = true if what is said may go there, or name a server in the house",
            ),
            Error::Embedded(hark_llama::Error::NotBuiltIn) => (
                FaultKind::BadConfiguration,
                "build Hark with it (`make run FEATURES=llama`), or name a server in [llm]",
            ),
            Error::Embedded(_) => (FaultKind::Unavailable, "name a server in [llm] instead"),
            Error::NoClient(_) => (FaultKind::Failed, ""),
        };
        Fault::new(kind, "llm", error.to_string(), fix)
    }
}

/// Why the stream of an answer is of no use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum StreamError {
    /// One line of it has no end.
    #[error("a line of more than {0} bytes")]
    LongLine(usize),
    /// All of it is too much.
    #[error("more than {0} bytes")]
    TooLarge(usize),
    /// Nobody wants that many tools at once.
    #[error("more than {0} tools wanted at once")]
    TooManyCalls(usize),
    /// What must be JSON is none.
    #[error("not JSON: {0}")]
    NotJson(String),
    /// It is something else.
    #[error("{0}")]
    NotTheProtocol(String),
    /// The server tells that it failed in the midst of it.
    #[error("the server says: {0}")]
    Server(String),
    /// It ended before the answer did.
    #[error("it ended before the answer did")]
    ClosedEarly,
}

/// A text of a server as it may stand in an error: one line, not too long.
pub(super) fn shortened(text: &str) -> String {
    const MAX: usize = 200;
    let mut short = String::new();
    for word in text.split_whitespace() {
        if !short.is_empty() {
            short.push(' ');
        }
        short.extend(word.chars().filter(|c| !c.is_control()));
        if short.chars().count() > MAX {
            return short.chars().take(MAX).chain(['…']).collect();
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_servers_become_short_and_one_line() {
        assert_eq!(shortened(" no\r\n such\tmodel\u{7} "), "no such model");
        assert_eq!(shortened(&"ä".repeat(5000)).chars().count(), 201);
    }

    #[test]
    fn every_fault_says_what_to_do() {
        let errors = [
            Error::BadUrl("x".into(), "y".into()),
            Error::KeyFile { path: "k".into(), why: "empty".into() },
            Error::OnlyCloud("https://x".into()),
            Error::Embedded(hark_llama::Error::NotBuiltIn),
        ];
        for error in errors {
            let fault = Fault::from(error);
            assert_eq!((fault.kind, fault.part.as_str()), (FaultKind::BadConfiguration, "llm"));
            assert!(!fault.fix.is_empty());
        }
    }
}

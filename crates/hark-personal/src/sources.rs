//! Where calendars and address books are: a file or folder, and an address on a server, as the configuration says.

use crate::dav::{Kind, Server};
use crate::error::PersonalError;
use hark_config::paths::expand;
use std::path::PathBuf;
use std::time::Duration;

/// Both places of one kind of data.
#[derive(Debug, Clone)]
pub(crate) struct Sources {
    pub(crate) folder: Option<PathBuf>,
    pub(crate) server: Option<Result<Server, PersonalError>>,
}

impl Sources {
    /// As the configuration says; an empty path or address is none, and the error of a wrong address is kept for the first
    /// question. `login` is the address, the user name and the file of the password; `credential` is the name of systemd's
    /// credential with it.
    pub(crate) fn new(
        kind: Kind,
        path: &str,
        login: (&str, &str, &str),
        credential: &str,
        timeout: Duration,
    ) -> Self {
        let (address, username, password_file) = login;
        let folder = Some(path.trim()).filter(|path| !path.is_empty()).map(expand);
        let address = Some(address.trim()).filter(|address| !address.is_empty());
        let server =
            address.map(|address| Server::new(kind, (address, username, password_file), credential, timeout));
        Self { folder, server }
    }

    /// Whether there is any.
    pub(crate) fn is_configured(&self) -> bool {
        self.folder.is_some() || self.server.is_some()
    }
}

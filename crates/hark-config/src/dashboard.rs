//! `[dashboard]`: HTTP and WebSocket for the dashboard and for programs.

use super::paths;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// HTTP and WebSocket for the dashboard and for programs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Dashboard {
    /// `hark run` opens it.
    pub enabled: bool,
    /// Address and port to listen on; port 0 takes a free one. Anything but this machine alone (127.0.0.1, ::1) needs a token.
    pub listen: String,
    /// File that holds the token which every request must show, 16 characters or more; empty: systemd credential `dashboard-token`, else none.
    #[schemars(extend("x-holds" = "file"))]
    pub token_file: String,
    /// File that holds the token of the operator, 16 characters or more: a client that shows it instead of the other may answer what Hark asks in any conversation; empty: `operator-token` in the state folder, made at the first start, readable by its owner alone.
    #[schemars(extend("x-holds" = "file"))]
    pub operator_token_file: String,
    /// Names besides those of this machine and the address it listens on by which it may be reached, such as `hark.local`.
    pub allowed_hosts: Vec<String>,
    /// Web pages besides its own that may use it, each as `https://host:port`.
    pub allowed_origins: Vec<String>,
    /// Requests one client may make; a quarter of them at once.
    #[schemars(range(min = 60, max = 60000))]
    pub requests_per_minute: u32,
    /// Connections at one time; a further one takes the place of the one that has kept Hark waiting longest.
    #[schemars(range(min = 8, max = 1024))]
    pub max_connections: u32,
    /// Browsers' microphones that are heard at one time; each holds engines of its own in memory while it is used, up to 250 MiB.
    #[schemars(range(min = 0, max = 8))]
    pub max_microphones: u32,
    /// Pictures of one request, all of them in base64, in KiB. At most four requests of that length are taken by HTTP at a time; each of the WebSockets (three quarters of `max_connections`) may be sending one.
    #[schemars(range(min = 64, max = 32768))]
    pub max_image_kib: u32,
}

impl Default for Dashboard {
    fn default() -> Self {
        Self {
            enabled: true,
            listen: "127.0.0.1:8765".into(),
            token_file: String::new(),
            operator_token_file: String::new(),
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            requests_per_minute: 1200,
            max_connections: 256,
            max_microphones: 2,
            max_image_kib: 6144,
        }
    }
}

impl Dashboard {
    /// Name of the systemd credential with the token.
    pub const CREDENTIAL: &str = "dashboard-token";

    /// Name of the file in the state folder with the operator's token, where none is configured.
    const OPERATOR_TOKEN: &str = "operator-token";

    /// The file with the operator's token.
    pub fn operator_file(&self, state_dir: &Path) -> PathBuf {
        match self.operator_token_file.as_str() {
            "" => state_dir.join(Self::OPERATOR_TOKEN),
            path => paths::expand(path),
        }
    }

    /// Bytes of the pictures of one request, in base64.
    pub fn image_bytes(&self) -> usize {
        self.max_image_kib as usize * 1024
    }

    /// Where to listen; `None` when that is no address with a port.
    pub fn address(&self) -> Option<SocketAddr> {
        match self.listen.strip_prefix("localhost:") {
            Some(port) => port.parse().ok().map(|port: u16| SocketAddr::from(([127, 0, 0, 1], port))),
            None => self.listen.parse().ok(),
        }
    }
}

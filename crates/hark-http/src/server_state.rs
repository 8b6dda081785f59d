//! State of the server, shared by all connections and handlers.

use super::access::guard::AccessGuard;
use super::conversations::Conversations;
use super::limits::Limits;
use super::metrics::HttpMetrics;
use super::websocket::known_modes::KnownModes;
use hark_core::api::Api;
use std::sync::Arc;
use tokio::sync::{Semaphore, watch};

/// Shared by all connections.
pub(super) struct ServerState {
    pub(super) api: Arc<dyn Api>,
    pub(super) guard: AccessGuard,
    /// The OpenAPI document; it is made of the table of operations, whose handlers get this state.
    pub(super) openapi: fn() -> &'static str,
    pub(super) limits: Limits,
    pub(super) metrics: HttpMetrics,
    pub(super) conversations: Conversations,
    pub(super) modes: KnownModes,
    /// A permit for every WebSocket; fewer than connections, so that requests are served besides.
    pub(super) sockets: Arc<Semaphore>,
    pub(super) max_sockets: usize,
    /// A permit for every browser's microphone that is heard.
    pub(super) microphones: Arc<Semaphore>,
    /// A permit for every request with pictures that is at hand.
    pub(super) image_permits: Arc<Semaphore>,
    /// Bytes of the pictures of one request, in base64.
    pub(super) image_bytes: usize,
    /// True from the moment the interface ends.
    pub(super) closing: watch::Receiver<bool>,
}

/// As handlers get it.
pub(super) type SharedState = Arc<ServerState>;

impl ServerState {
    /// WebSockets that are open now.
    pub(super) fn open_sockets(&self) -> usize {
        self.max_sockets.saturating_sub(self.sockets.available_permits())
    }
}

/// Waits until the interface ends.
pub(super) async fn closed(closing: &mut watch::Receiver<bool>) {
    // An error means that the owner is gone: then it has ended.
    let _ = closing.wait_for(|closing| *closing).await;
}

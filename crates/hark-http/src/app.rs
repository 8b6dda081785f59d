//! What every request needs.

use super::asking::Conversations;
use super::figures::Figures;
use super::guard::Guard;
use super::limits::Limits;
use super::modes::Modes;
use hark_core::api::Api;
use std::sync::Arc;
use tokio::sync::{Semaphore, watch};

/// Shared by all connections.
pub(super) struct App {
    pub(super) api: Arc<dyn Api>,
    pub(super) guard: Guard,
    pub(super) limits: Limits,
    pub(super) figures: Figures,
    pub(super) conversations: Conversations,
    pub(super) modes: Modes,
    /// A permit for every WebSocket; fewer than connections, so that requests are served besides.
    pub(super) sockets: Arc<Semaphore>,
    pub(super) most_sockets: usize,
    /// A permit for every browser's microphone that is heard.
    pub(super) microphones: Arc<Semaphore>,
    /// A permit for every request with pictures that is at hand.
    pub(super) long_ones: Arc<Semaphore>,
    /// Bytes of the pictures of one request, in base64.
    pub(super) image_bytes: usize,
    /// True from the moment the interface ends.
    pub(super) closing: watch::Receiver<bool>,
}

/// As handlers get it.
pub(super) type Shared = Arc<App>;

impl App {
    /// WebSockets that are open now.
    pub(super) fn open_sockets(&self) -> usize {
        self.most_sockets.saturating_sub(self.sockets.available_permits())
    }
}

/// Waits until the interface ends.
pub(super) async fn ends(closing: &mut watch::Receiver<bool>) {
    // An error means that whoever could end it is gone: then it has ended.
    let _ = closing.wait_for(|closing| *closing).await;
}

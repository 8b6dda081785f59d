//! Work for the API that waits for the disk or for a lock.

use hark_core::api::ApiFuture;
use hark_core::{Fault, FaultKind};

/// Does what waits for the disk or for a lock where that may take its time.
pub(crate) fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Fault> + Send + 'static,
) -> ApiFuture<'static, Result<T, Fault>> {
    Box::pin(async move {
        tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| {
            Err(Fault::new(FaultKind::Failed, "daemon", format!("it broke off: {error}"), "ask again"))
        })
    })
}

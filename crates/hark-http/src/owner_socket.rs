//! The Unix socket in the state folder, through which commands on the same machine reach the daemon: the operations of the
//! port and those of `operations::owner_router`. Only the owner of the daemon may open it, so no token is needed.

use super::access::guard::Peer;
use super::server_state::{self, SharedState};
use super::{operations, server};
use hark_core::{Fault, FaultKind};
use hark_net::seats::Seats;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener as StdListener;
use std::path::{Path, PathBuf};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinSet;

/// Commands that are served at a time.
const MAX_COMMANDS: usize = 64;

/// A listening socket; its file goes when it is dropped.
#[derive(Debug)]
pub struct OwnerSocket {
    listener: StdListener,
    path: PathBuf,
}

impl OwnerSocket {
    /// Listens at this path. The caller holds the daemon's lock, so a file that is there is left over.
    ///
    /// # Errors
    /// When the system gives no socket there; the path may have 107 bytes.
    pub fn at(path: &Path) -> Result<Self, Fault> {
        let bound = || {
            match std::fs::remove_file(path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let listener = StdListener::bind(path)?;
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
            listener.set_nonblocking(true)?;
            Ok(listener)
        };
        let listener = bound().map_err(|error: std::io::Error| {
            let message =
                format!("commands do not reach this Hark: no socket at {} ({error})", path.display());
            let fix = "make the state folder writable, or name one with a short path in paths.state_dir";
            Fault::new(FaultKind::Failed, "daemon", message, fix).recoverable()
        })?;
        Ok(Self { listener, path: path.to_owned() })
    }
}

impl Drop for OwnerSocket {
    fn drop(&mut self) {
        // A file that stays is taken away by the next daemon.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Takes connections until it is told to end; then lets those there are finish for a moment.
pub(super) async fn serve(app: SharedState, local: OwnerSocket) {
    let listener = match local.listener.try_clone().and_then(UnixListener::from_std) {
        Ok(listener) => listener,
        Err(error) => return tracing::error!("commands do not reach this Hark: {error}"),
    };
    let router = operations::router(app.clone()).merge(operations::owner_router(app.clone()));
    let seats = Seats::new(MAX_COMMANDS);
    let mut closing = app.closing.clone();
    let mut connections = JoinSet::new();
    let nowhere = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let peer = Peer { client: nowhere, local: nowhere, is_owner: true };
    loop {
        let taken = tokio::select! {
            () = server_state::closed(&mut closing) => break,
            Some(_) = connections.join_next(), if !connections.is_empty() => continue,
            taken = listener.accept() => taken,
        };
        match taken {
            Ok((stream, _)) if is_owners(&stream) => {
                let Some(seat) = seats.take() else {
                    tracing::warn!("{MAX_COMMANDS} commands are being served; one more was turned away");
                    continue;
                };
                let (app, router) = (app.clone(), router.clone());
                seat.serve(&mut connections, |seat| server::connection(app, router, stream, peer, seat));
            }
            Ok(_) => tracing::warn!("another user tried to reach this Hark by its socket"),
            Err(error) => {
                tracing::warn!("a command could not be taken: {error}");
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            }
        }
    }
    drop((listener, local));
    server::let_finish(connections).await;
}

/// The file's rights keep others out; between its making and those rights this does.
fn is_owners(stream: &UnixStream) -> bool {
    let own = rustix::process::geteuid().as_raw();
    stream.peer_cred().is_ok_and(|peer| peer.uid() == own || peer.uid() == 0)
}

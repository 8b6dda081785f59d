//! Which addresses something that is not trusted may connect to, such as a browser or a delegated program. The proxy that is its
//! only way out asks for each connection, and connects to exactly the addresses it is told.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;

/// Why an address is not connected to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotReached {
    /// It may not be.
    Forbidden,
    /// There is no such host.
    Unknown,
}

/// Addresses of a host, when all of them may be connected to.
pub type Reaching = Pin<Box<dyn Future<Output = Result<Vec<SocketAddr>, NotReached>> + Send>>;

/// Says which addresses may be connected to.
pub trait Reach: Send + Sync {
    /// The addresses of a host (a name, or an address in digits) with a port.
    fn addresses(&self, host: &str, port: u16) -> Reaching;
}

impl<F: Fn(&str, u16) -> Reaching + Send + Sync> Reach for F {
    fn addresses(&self, host: &str, port: u16) -> Reaching {
        self(host, port)
    }
}

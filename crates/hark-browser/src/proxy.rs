//! The way out of the browser: a SOCKS 5 proxy (RFC 1928) on loopback. Chromium resolves no name itself and connects to
//! nothing else, so that each address a page leads to, in whichever way, was looked at here, and the connection goes to
//! exactly what was looked at.

use hark_net::reach::{NotReached, Reach, Reaching};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Connections at a time; more wait.
const MAX_CONNECTIONS: usize = 256;
/// Time the first words of a connection and the connection to a server may take.
const TIMEOUT: Duration = Duration::from_secs(15);
/// Hosts that were refused and are kept for the words about it.
const MAX_REFUSED: usize = 64;

const VERSION: u8 = 5;
const CONNECT: u8 = 1;
const NO_AUTHENTICATION: u8 = 0;
const NO_METHOD: u8 = 0xff;
const IPV4: u8 = 1;
const NAME: u8 = 3;
const IPV6: u8 = 4;
/// Answers: done, not allowed, host or network not reached, no such command, no such kind of address.
const DONE: u8 = 0;
const NOT_ALLOWED: u8 = 2;
const NOT_REACHED: u8 = 4;
const NO_COMMAND: u8 = 7;
const NO_ADDRESS: u8 = 8;

/// Nothing may be reached.
pub struct Closed;

impl Reach for Closed {
    fn addresses(&self, _host: &str, _port: u16) -> Reaching {
        Box::pin(async { Err(NotReached::Forbidden) })
    }
}

/// Hosts with ports that were refused, the last at the end.
#[derive(Debug, Clone, Default)]
pub(crate) struct Refused(Arc<Mutex<Vec<String>>>);

impl Refused {
    /// Forgets what was refused so far.
    pub(crate) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The last one.
    pub(crate) fn last(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).last().cloned()
    }

    fn note(&self, host: &str, port: u16) {
        tracing::info!(host, port, "the browser wanted to reach what it may not");
        let mut refused = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let host = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
        if refused.len() == MAX_REFUSED {
            refused.remove(0);
        }
        refused.push(if port == 80 || port == 443 { host } else { format!("{host}:{port}") });
    }
}

/// Opens the proxy on a port of the system's choice.
pub(crate) async fn open() -> std::io::Result<(TcpListener, u16)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let port = listener.local_addr()?.port();
    Ok((listener, port))
}

/// Serves until it is dropped; its connections end with it.
pub(crate) async fn serve(listener: TcpListener, reach: Arc<dyn Reach>, refused: Refused) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!("the browser's proxy takes no connection: {error}");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let (reach, refused) = (Arc::clone(&reach), refused.clone());
        connections.spawn(async move {
            // A connection that breaks is the browser's to tell of.
            let _ = pass(stream, &*reach, &refused).await;
            drop(place);
        });
        while connections.try_join_next().is_some() {}
    }
}

/// One connection, to its end.
async fn pass(mut browser: TcpStream, reach: &dyn Reach, refused: &Refused) -> std::io::Result<()> {
    let timeout = || std::io::Error::from(std::io::ErrorKind::TimedOut);
    let asked = tokio::time::timeout(TIMEOUT, asked(&mut browser)).await.map_err(|_| timeout())??;
    let (host, port) = match asked {
        Ok(asked) => asked,
        Err(code) => return answer(&mut browser, code).await,
    };
    // What Chromium would ask of its maker's servers by itself is sent to names that are none (RFC 6761).
    if host.ends_with(".invalid") {
        return answer(&mut browser, NOT_REACHED).await;
    }
    let server = match reach.addresses(&host, port).await {
        Ok(addresses) => {
            let connecting = TcpStream::connect(&addresses[..]);
            tokio::time::timeout(TIMEOUT, connecting).await.unwrap_or_else(|_| Err(timeout()))
        }
        Err(NotReached::Forbidden) => {
            refused.note(&host, port);
            return answer(&mut browser, NOT_ALLOWED).await;
        }
        Err(NotReached::Unknown) => return answer(&mut browser, NOT_REACHED).await,
    };
    let Ok(mut server) = server else { return answer(&mut browser, NOT_REACHED).await };
    answer(&mut browser, DONE).await?;
    tokio::io::copy_bidirectional(&mut browser, &mut server).await.map(drop)
}

/// What is asked for: a host and a port, or the code of the answer that refuses it.
async fn asked(browser: &mut TcpStream) -> std::io::Result<Result<(String, u16), u8>> {
    let broken = || std::io::Error::from(std::io::ErrorKind::InvalidData);
    if browser.read_u8().await? != VERSION {
        return Err(broken());
    }
    let mut methods = vec![0; browser.read_u8().await?.into()];
    browser.read_exact(&mut methods).await?;
    let method = if methods.contains(&NO_AUTHENTICATION) { NO_AUTHENTICATION } else { NO_METHOD };
    browser.write_all(&[VERSION, method]).await?;
    if method == NO_METHOD || browser.read_u8().await? != VERSION {
        return Err(broken());
    }
    let command = browser.read_u8().await?;
    browser.read_u8().await?;
    let host = match browser.read_u8().await? {
        IPV4 => IpAddr::from(Ipv4Addr::from(browser.read_u32().await?)).to_string(),
        IPV6 => IpAddr::from(Ipv6Addr::from(browser.read_u128().await?)).to_string(),
        NAME => {
            let mut name = vec![0; browser.read_u8().await?.into()];
            browser.read_exact(&mut name).await?;
            String::from_utf8(name).map_err(|_| broken())?
        }
        _ => return Ok(Err(NO_ADDRESS)),
    };
    let port = browser.read_u16().await?;
    Ok(if command == CONNECT { Ok((host, port)) } else { Err(NO_COMMAND) })
}

async fn answer(browser: &mut TcpStream, code: u8) -> std::io::Result<()> {
    // The address the proxy connects from is nobody's business.
    browser.write_all(&[VERSION, code, 0, IPV4, 0, 0, 0, 0, 0, 0]).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::SocketAddr;

    /// Lets through one port of this machine.
    struct Only(u16);

    impl Reach for Only {
        fn addresses(&self, host: &str, port: u16) -> Reaching {
            let may = host == "house.test" && port == self.0;
            Box::pin(async move {
                if may {
                    Ok(vec![SocketAddr::from((Ipv4Addr::LOCALHOST, port))])
                } else {
                    Err(NotReached::Forbidden)
                }
            })
        }
    }

    async fn ask(proxy: u16, host: &str, port: u16) -> (TcpStream, u8) {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, proxy)).await.unwrap();
        stream.write_all(&[VERSION, 1, NO_AUTHENTICATION]).await.unwrap();
        assert_eq!(stream.read_u16().await.unwrap(), 0x0500);
        let mut request = vec![VERSION, CONNECT, 0, NAME, u8::try_from(host.len()).unwrap()];
        request.extend_from_slice(host.as_bytes());
        request.extend_from_slice(&port.to_be_bytes());
        stream.write_all(&request).await.unwrap();
        let mut answer = [0; 10];
        stream.read_exact(&mut answer).await.unwrap();
        (stream, answer[1])
    }

    #[tokio::test]
    async fn it_leads_to_what_may_be_reached_and_to_nothing_else() {
        let server = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let there = server.local_addr().unwrap().port();
        let (listener, proxy) = open().await.unwrap();
        let refused = Refused::default();
        let serving = tokio::spawn(serve(listener, Arc::new(Only(there)), refused.clone()));
        let (mut stream, code) = ask(proxy, "house.test", there).await;
        assert_eq!(code, DONE);
        let (mut at_server, _) = server.accept().await.unwrap();
        at_server.write_all(b"hello").await.unwrap();
        let mut word = [0; 5];
        stream.read_exact(&mut word).await.unwrap();
        assert_eq!((&word, refused.last()), (b"hello", None));
        assert_eq!(ask(proxy, "127.0.0.1", there).await.1, NOT_ALLOWED);
        assert_eq!(refused.last(), Some(format!("127.0.0.1:{there}")));
        assert_eq!(ask(proxy, "::1", 80).await.1, NOT_ALLOWED);
        assert_eq!(refused.last().as_deref(), Some("[::1]"));
        serving.abort();
        let _ = serving.await;
        assert_eq!(stream.read(&mut word).await.unwrap_or(0), 0, "what was open ends with it");
    }

    #[tokio::test]
    async fn what_is_no_socks_is_no_connection() {
        let (listener, proxy) = open().await.unwrap();
        let serving = tokio::spawn(serve(listener, Arc::new(Only(1)), Refused::default()));
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, proxy)).await.unwrap();
        stream.write_all(b"GET http://house.test/ HTTP/1.1\r\n\r\n").await.unwrap();
        let mut answer = Vec::new();
        // A reset is an end as well.
        let _ = stream.read_to_end(&mut answer).await;
        assert!(answer.is_empty());
        serving.abort();
    }
}

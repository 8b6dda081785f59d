//! How services and other programs are asked over HTTP: a client as Hark's are, and the body of an answer up to a limit. Used
//! by whatever speaks HTTP: weather, web pages, search, calendars, downloads, language models, MCP, the command line.
//!
//! ```
//! use std::time::Duration;
//!
//! let client = hark_http_client::builder().timeout(Duration::from_secs(5)).build()?;
//! let request = client.get("https://example.org/").build()?;
//! assert_eq!(request.url().host_str(), Some("example.org"));
//! # Ok::<(), reqwest::Error>(())
//! ```

use reqwest::redirect::Policy;
use reqwest::{ClientBuilder, Response};

/// Why a body was not read.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// The connection broke.
    #[error(transparent)]
    Broken(#[from] reqwest::Error),
    /// It is longer than it may be.
    #[error("it is more than {0} bytes")]
    TooLong(usize),
}

/// A client that says who it is and follows no redirect, with the crypto provider of the process. Times and everything else
/// are its user's to set.
pub fn builder() -> ClientBuilder {
    // The process has one; whoever needs it first installs it. It fails where there is one, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    ClientBuilder::new().redirect(Policy::none()).user_agent(concat!("hark/", env!("CARGO_PKG_VERSION")))
}

/// The body of an answer, of at most `most` bytes.
///
/// # Errors
/// When the connection breaks, or the body is longer.
pub async fn body(response: Response, most: usize) -> Result<Vec<u8>, BodyError> {
    match beginning(response, most).await? {
        (body, false) => Ok(body),
        (_, true) => Err(BodyError::TooLong(most)),
    }
}

/// The first `most` bytes of the body of an answer, and whether there are more, which are left where they are.
///
/// # Errors
/// When the connection breaks.
pub async fn beginning(mut response: Response, most: usize) -> Result<(Vec<u8>, bool), reqwest::Error> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        let room = most - body.len();
        body.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if chunk.len() > room {
            return Ok((body, true));
        }
    }
    Ok((body, false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpListener;

    /// Asks a server that answers with this, once; what it was asked comes with the answer.
    fn ask(answer: &'static str, most: usize) -> (Result<Vec<u8>, BodyError>, String) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let (mut connection, _) = listener.accept().unwrap();
            let mut asked = vec![0; 4096];
            let length = connection.read(&mut asked).unwrap();
            connection.write_all(answer.as_bytes()).unwrap();
            String::from_utf8_lossy(&asked[..length]).into_owned()
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let read = runtime.block_on(async {
            let client = builder().no_proxy().build().unwrap();
            body(client.get(address).send().await.unwrap(), most).await
        });
        (read, server.join().unwrap())
    }

    #[test]
    fn a_body_is_read_to_its_limit_and_the_server_told_who_asks() {
        let answer = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";
        let (read, asked) = ask(answer, 5);
        assert_eq!(read.unwrap(), b"hello");
        assert!(asked.contains("user-agent: hark/"), "{asked}");
        assert!(matches!(ask(answer, 4).0, Err(BodyError::TooLong(4))));
    }

    #[test]
    fn a_body_that_ends_early_is_told() {
        let (read, _) = ask("HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nhello", 100);
        assert!(matches!(read, Err(BodyError::Broken(_))), "{read:?}");
    }

    #[test]
    fn no_redirect_is_followed() {
        let (read, _) =
            ask("HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 2\r\n\r\nno", 9);
        assert_eq!(read.unwrap(), b"no");
    }
}

//! The same limits for a browser's connections: which addresses each of them may go to.

use super::{Web, WebError, checked};
use hark_browser::{NotReached, Reach, Reaching};
use reqwest::Url;
use std::net::SocketAddr;
use url::Host;

/// An address that may be asked as far as its words go; without a scheme it is https.
///
/// # Errors
/// When it is no http or https address, or holds a name or password.
pub fn address(text: &str) -> Result<Url, WebError> {
    checked(text)
}

impl Web {
    /// The addresses of the host of a page, when all of them may be asked.
    ///
    /// # Errors
    /// When one may not, or there is no such host.
    pub async fn reachable(&self, url: &Url) -> Result<Vec<SocketAddr>, WebError> {
        self.addresses(url).await
    }
}

impl Reach for Web {
    fn addresses(&self, host: &str, port: u16) -> Reaching {
        let host = host
            .parse()
            .map_or_else(|_| host.to_owned(), |address| Host::<String>::Ipv6(address).to_string());
        let (web, url) = (self.clone(), Url::parse(&format!("http://{host}:{port}/")));
        Box::pin(async move {
            let url = url.map_err(|_| NotReached::Forbidden)?;
            web.addresses(&url).await.map_err(|error| match error {
                WebError::NoSuchHost(_) => NotReached::Unknown,
                _ => NotReached::Forbidden,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_config::tools::ToolsConfig;

    #[tokio::test]
    async fn a_browser_reaches_what_a_request_does() {
        let web = Web::new(&ToolsConfig {
            http_allow_hosts: vec!["127.0.0.1:8123".into(), "[fd00::1]".into()],
            ..ToolsConfig::default()
        });
        let reach = |host: &'static str, port| Reach::addresses(&web, host, port);
        assert_eq!(reach("127.0.0.1", 8123).await, Ok(vec!["127.0.0.1:8123".parse().unwrap()]));
        assert_eq!(reach("fd00::1", 443).await, Ok(vec!["[fd00::1]:443".parse().unwrap()]));
        assert_eq!(reach("93.184.215.14", 443).await, Ok(vec!["93.184.215.14:443".parse().unwrap()]));
        for (host, port) in [
            ("127.0.0.1", 8124),
            ("::1", 8123),
            ("localhost", 80),
            ("10.0.0.1", 443),
            ("0x7f.1", 80),
            ("a b", 80),
        ] {
            assert_eq!(reach(host, port).await, Err(NotReached::Forbidden), "{host}:{port}");
        }
    }
}

//! Downloads one file over HTTPS: continues with range requests, retries with growing waits, and checks the SHA-256
//! before the file gets its name.

use super::ManifestError;
use super::verify::sha256_of;
use reqwest::header::{CONTENT_RANGE, RANGE};
use reqwest::{Client, Response, StatusCode, Url};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Time-outs and retries.
#[derive(Debug, Clone)]
pub struct RetryLimits {
    /// How often a download is tried without any byte arriving.
    pub tries: u32,
    /// Wait before the second try; it doubles with each further one.
    pub first_wait: Duration,
    /// Time to reach the server.
    pub connect: Duration,
    /// Longest silence of the server.
    pub silence: Duration,
    /// Plain HTTP to this machine itself is let through; for tests with a server of their own.
    pub loopback_http: bool,
}

impl Default for RetryLimits {
    fn default() -> Self {
        Self {
            tries: 5,
            first_wait: Duration::from_millis(500),
            connect: Duration::from_secs(10),
            silence: Duration::from_secs(30),
            loopback_http: false,
        }
    }
}

/// What to fetch, and what it must be.
pub(super) struct DownloadRequest<'a> {
    pub(super) url: &'a str,
    pub(super) size_bytes: u64,
    pub(super) sha256: &'a str,
    /// Where it is gathered; the file at this path is whole and right when [`fetch`] returns `Ok`.
    pub(super) part: &'a Path,
}

/// Why one download came to nothing.
#[derive(Debug, thiserror::Error)]
pub(super) enum DownloadError {
    #[error("{0}")]
    Address(String),
    #[error("the server answers {0}")]
    Status(StatusCode),
    #[error("{0}")]
    Line(String),
    #[error("what arrived has the sha256 {found}, not {wanted}; it was thrown away")]
    WrongContent { found: String, wanted: String },
    #[error("the server's file has another size ({0}), so it is another file")]
    WrongSize(String),
    #[error("{path}: {source}")]
    Disk { path: PathBuf, source: std::io::Error },
}

impl DownloadError {
    /// As a failure to bring the part `id` from `url`.
    pub(super) fn explain(self, id: &str, url: &str) -> ManifestError {
        match self {
            Self::Disk { path, source } => ManifestError::Io { path, source },
            error => ManifestError::NoSource { id: id.to_owned(), reasons: vec![format!("{url}: {error}")] },
        }
    }

    /// Whether the same request may do better in a moment.
    fn passes(&self) -> bool {
        match self {
            Self::Line(_) => true,
            Self::Status(status) => {
                status.is_server_error()
                    || *status == StatusCode::TOO_MANY_REQUESTS
                    || *status == StatusCode::REQUEST_TIMEOUT
            }
            _ => false,
        }
    }
}

/// Fetches a file, going on where an earlier try stopped. `arrived` hears how many bytes there are.
pub(super) async fn fetch(
    wanted: &DownloadRequest<'_>,
    limits: &RetryLimits,
    arrived: &mut dyn FnMut(u64),
) -> Result<(), DownloadError> {
    let url = allowed(wanted.url, limits)?;
    let client = client(limits)?;
    let mut tries = 0;
    let mut wait = limits.first_wait;
    // Only getting further than ever before counts as progress, or a server that cuts and refuses by
    // turns would be asked for ever.
    let mut furthest = length(wanted.part);
    loop {
        let result = once(&client, &url, wanted, arrived).await;
        match result {
            Ok(()) => return finish(wanted),
            Err(error) if !error.passes() => return Err(error),
            Err(error) => {
                if length(wanted.part) > furthest {
                    furthest = length(wanted.part);
                    (tries, wait) = (0, limits.first_wait);
                }
                tries += 1;
                if tries >= limits.tries {
                    return Err(error);
                }
                tracing::debug!(%error, url = wanted.url, tries, "download interrupted");
                tokio::time::sleep(wait).await;
                wait *= 2;
            }
        }
    }
}

/// One request. `Ok` means the part has all its bytes.
async fn once(
    client: &Client,
    url: &Url,
    wanted: &DownloadRequest<'_>,
    arrived: &mut dyn FnMut(u64),
) -> Result<(), DownloadError> {
    let mut have = length(wanted.part);
    if have > wanted.size_bytes {
        discard(wanted.part)?;
        have = 0;
    }
    if have == wanted.size_bytes && have > 0 {
        return Ok(());
    }
    let mut request = client.get(url.clone());
    if have > 0 {
        request = request.header(RANGE, format!("bytes={have}-"));
    }
    let response = request.send().await.map_err(line)?;
    let start = match response.status() {
        StatusCode::PARTIAL_CONTENT => range_start(&response, have, wanted.size_bytes)?,
        StatusCode::OK => 0,
        StatusCode::RANGE_NOT_SATISFIABLE => {
            discard(wanted.part)?;
            return Err(DownloadError::Line("the server has no such range; starting over".into()));
        }
        status => return Err(DownloadError::Status(status)),
    };
    if response.status() == StatusCode::OK
        && let Some(length) = response.content_length()
        && length != wanted.size_bytes
    {
        return Err(DownloadError::WrongSize(format!("{length} bytes, not {}", wanted.size_bytes)));
    }
    let file = open(wanted.part, start)?;
    receive(response, file, start, wanted, arrived).await
}

async fn receive(
    mut response: Response,
    mut file: File,
    start: u64,
    wanted: &DownloadRequest<'_>,
    arrived: &mut dyn FnMut(u64),
) -> Result<(), DownloadError> {
    let mut have = start;
    arrived(have);
    let broken = |have: u64, why: String| {
        DownloadError::Line(format!("the connection ended after {have} of {} bytes{why}", wanted.size_bytes))
    };
    while let Some(bytes) =
        response.chunk().await.map_err(|error| broken(have, format!(" ({})", chain(&error.without_url()))))?
    {
        have += bytes.len() as u64;
        if have > wanted.size_bytes {
            discard(wanted.part)?;
            return Err(DownloadError::WrongSize(format!("more than {} bytes", wanted.size_bytes)));
        }
        file.write_all(&bytes).map_err(|source| disk(wanted.part, source))?;
        arrived(have);
    }
    file.sync_all().map_err(|source| disk(wanted.part, source))?;
    if have < wanted.size_bytes {
        return Err(broken(have, String::new()));
    }
    Ok(())
}

/// The last check: without the right sha256 nothing is left of the download.
fn finish(wanted: &DownloadRequest<'_>) -> Result<(), DownloadError> {
    let found = sha256_of(wanted.part).map_err(|source| disk(wanted.part, source))?;
    if found == wanted.sha256 {
        return Ok(());
    }
    discard(wanted.part)?;
    Err(DownloadError::WrongContent { found, wanted: wanted.sha256.to_owned() })
}

/// Where the sent range begins; it must be where ours ends, within a file of the right size.
fn range_start(response: &Response, have: u64, size_bytes: u64) -> Result<u64, DownloadError> {
    let header =
        response.headers().get(CONTENT_RANGE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let spec = header.strip_prefix("bytes ").unwrap_or_default();
    let (range, total) = spec.split_once('/').unwrap_or_default();
    let start = range.split_once('-').and_then(|(start, _)| start.parse::<u64>().ok());
    if total.parse::<u64>().is_ok_and(|total| total != size_bytes) {
        return Err(DownloadError::WrongSize(format!("{total} bytes, not {size_bytes}")));
    }
    match start {
        Some(start) if start == have => Ok(start),
        _ => Err(DownloadError::Line(format!("the server sent another range than asked for ({header})"))),
    }
}

fn allowed(url: &str, limits: &RetryLimits) -> Result<Url, DownloadError> {
    let parsed = Url::parse(url).map_err(|error| DownloadError::Address(format!("{url}: {error}")))?;
    if is_allowed(&parsed, limits.loopback_http) {
        Ok(parsed)
    } else {
        Err(DownloadError::Address(format!("{url}: only https addresses are fetched")))
    }
}

fn is_allowed(url: &Url, loopback_http: bool) -> bool {
    let loopback = matches!(url.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"));
    url.scheme() == "https" || (loopback_http && url.scheme() == "http" && loopback)
}

fn client(limits: &RetryLimits) -> Result<Client, DownloadError> {
    let loopback_http = limits.loopback_http;
    let redirects = reqwest::redirect::Policy::custom(move |attempt| {
        if attempt.previous().len() > 5 {
            attempt.error("too many redirects")
        } else if is_allowed(attempt.url(), loopback_http) {
            attempt.follow()
        } else {
            attempt.error("redirected to an address that is not https")
        }
    });
    let mut builder = hark_http_client::builder()
        .connect_timeout(limits.connect)
        .read_timeout(limits.silence)
        .redirect(redirects);
    if loopback_http {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| DownloadError::Address(chain(&error)))
}

fn line(error: reqwest::Error) -> DownloadError {
    let error = error.without_url();
    if error.is_redirect() {
        DownloadError::Address(chain(&error))
    } else {
        DownloadError::Line(chain(&error))
    }
}

/// The error with its causes: reqwest's own words leave out why a connection failed.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |metadata| metadata.len())
}

fn open(path: &Path, start: u64) -> Result<File, DownloadError> {
    let mut options = OpenOptions::new();
    if start > 0 {
        options.append(true);
    } else {
        options.write(true).create(true).truncate(true);
    }
    options.open(path).map_err(|source| disk(path, source))
}

fn discard(path: &Path) -> Result<(), DownloadError> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(disk(path, source)),
        _ => Ok(()),
    }
}

fn disk(path: &Path, source: std::io::Error) -> DownloadError {
    DownloadError::Disk { path: path.to_owned(), source }
}

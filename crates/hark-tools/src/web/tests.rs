//! A server that answers as it is told, and everything that tries to get where it may not.

use super::*;
use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// What a server does when it was asked.
#[derive(Clone)]
enum Act {
    /// Answers and closes.
    Say(Vec<u8>),
    /// Answers, then goes on with the same piece for ever.
    Drone(Vec<u8>, Vec<u8>),
    /// Answers and then says nothing, without closing.
    Hang(Vec<u8>),
}

fn say(text: &str) -> Act {
    Act::Say(text.as_bytes().to_vec())
}

/// A whole answer.
fn ok(headers: &str, body: &[u8]) -> Act {
    let mut answer =
        format!("HTTP/1.1 200 OK\r\n{headers}Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    answer.extend_from_slice(body);
    Act::Say(answer)
}

fn sends_to(location: &str) -> Act {
    say(&format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n"))
}

struct Server {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// The same for everybody.
    async fn new(act: Act) -> Self {
        Self::with(move |_| act.clone()).await
    }

    async fn with(act: impl Fn(&str) -> Act + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (act, heard) = (Arc::new(act), Arc::clone(&asked));
        tokio::spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                let (act, heard) = (Arc::clone(&act), Arc::clone(&heard));
                tokio::spawn(async move {
                    let mut request = Vec::new();
                    while !is_whole(&request) {
                        let mut piece = [0; 4096];
                        match socket.read(&mut piece).await {
                            Ok(count) if count > 0 => request.extend_from_slice(&piece[..count]),
                            _ => break,
                        }
                    }
                    let request = String::from_utf8_lossy(&request).into_owned();
                    let act = act(&request);
                    heard.lock().unwrap().push(request);
                    match act {
                        Act::Say(answer) => drop(socket.write_all(&answer).await),
                        Act::Hang(answer) => {
                            drop(socket.write_all(&answer).await);
                            std::future::pending::<()>().await;
                        }
                        Act::Drone(answer, piece) => {
                            drop(socket.write_all(&answer).await);
                            while socket.write_all(&piece).await.is_ok() {
                                tokio::task::yield_now().await;
                            }
                        }
                    }
                });
            }
        });
        Self { address, asked }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// Whether the head and as much body as it promises are there.
fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request).to_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length =
        head.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse::<usize>().ok());
    body.len() >= length.unwrap_or(0)
}

fn web(allowed: &[&Server]) -> Web {
    Web::new(&ToolsConfig {
        http_allow_hosts: allowed.iter().map(|server| server.address.to_string()).collect(),
        http_max_bytes: 2000,
        ..ToolsConfig::default()
    })
}

async fn get(web: &Web, url: &str) -> Result<WebResponse, WebError> {
    web.ask(Request::get(url)?).await
}

fn request(
    method: Method,
    url: &str,
    headers: &[(&str, &str)],
    body: Option<&str>,
) -> Result<Request, WebError> {
    let body = body.map(|body| (body.as_bytes().to_vec(), "application/json"));
    Request::new(method, url, std::iter::empty(), headers.iter().copied(), body)
}

fn text(answer: &WebResponse) -> &str {
    match &answer.content {
        Content::Text(text) => text,
        Content::Binary => panic!("not text: {answer:?}"),
    }
}

#[tokio::test]
async fn what_is_asked_arrives_and_the_answer_comes_back() {
    let server = Server::new(ok(
        "Content-Type: application/JSON; charset=utf-8\r\nX-Kind: a\r\nSet-Cookie: s=1\r\n",
        b"{}",
    ))
    .await;
    let query = [("q", "a b&c"), ("n", "1")];
    let headers = [("X-Token", "secret"), ("Accept", "application/json")];
    let body = Some((b"{\"x\":1}".to_vec(), "application/json"));
    let url = server.url("/path?a=b#part");
    let request = Request::new(Method::POST, &url, query.into_iter(), headers.into_iter(), body).unwrap();
    assert!(!request.only_reads());
    let answer = web(&[&server]).ask(request).await.unwrap();
    assert_eq!((answer.status, text(&answer), answer.content_type.as_str()), (200, "{}", "application/json"));
    assert!(answer.headers.contains(&("x-kind".into(), "a".into())));
    assert!(!answer.headers.iter().any(|(name, _)| name == "set-cookie"));
    let asked = server.asked().remove(0);
    assert!(asked.starts_with("POST /path?a=b&q=a+b%26c&n=1 HTTP/1.1\r\n"), "{asked}");
    for part in [
        "x-token: secret",
        "accept: application/json",
        "content-type: application/json",
        "accept-encoding: identity",
    ] {
        assert!(asked.to_lowercase().contains(part), "{part}: {asked}");
    }
    assert!(asked.ends_with("\r\n\r\n{\"x\":1}"), "{asked}");
}

#[tokio::test]
async fn private_addresses_are_refused_however_they_are_written() {
    let server = Server::new(ok("", b"the secret")).await;
    let port = server.address.port();
    let web = Web::new(&ToolsConfig::default());
    for host in [
        "127.0.0.1",
        "localhost",
        "LOCALHOST",
        "[::1]",
        "127.1",
        "0x7f000001",
        "2130706433",
        "0177.0.0.1",
        "0",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "127.0.0.1.",
        "169.254.169.254",
        "10.1.2.3",
        "192.168.0.1",
        "100.64.0.1",
        "172.20.0.1",
        "224.0.0.251",
        "[fe80::1]",
        "[fd00::1]",
        "[ff02::fb]",
        "[64:ff9b::7f00:1]",
        "１２７.0.0.1",
    ] {
        let refused = get(&web, &format!("http://{host}:{port}/")).await.unwrap_err();
        assert!(matches!(refused, WebError::Private(_)), "{host}: {refused:?}");
    }
    // Whether it is found depends on the system; it is never asked.
    let dotted = get(&web, &format!("http://localhost.:{port}/")).await.unwrap_err();
    assert!(matches!(dotted, WebError::Private(_) | WebError::NoSuchHost(_)), "{dotted:?}");
    assert_eq!(server.asked(), [""; 0]);
}

#[tokio::test]
async fn only_addresses_of_the_web_are_asked() {
    for url in [
        "file:///etc/passwd",
        "ftp://example.org/",
        "gopher://example.org/",
        "data://text",
        "unix:///run/docker.sock",
        "http://user:pass@example.org/",
        "http://user@example.org/",
        "https://:pass@example.org/",
        "http://",
        "https:///",
        "http://exa mple.org/",
        "http://[::1",
        "http://example.org:99999/",
        "javascript://alert(1)",
    ] {
        assert!(matches!(Request::get(url), Err(WebError::BadUrl(..))), "{url}");
    }
    assert_eq!(Request::get("example.org/x").unwrap().url.as_str(), "https://example.org/x");
}

#[tokio::test]
async fn headers_that_smuggle_or_belong_to_the_connection_are_refused() {
    for (name, value) in [
        ("X-A", "b\r\nHost: evil"),
        ("X-A", "b\nX-B: c"),
        ("X-A", "b\rc"),
        ("X-A", "b\0c"),
        ("X-A\r\nX-B", "c"),
        ("X A", "b"),
        ("", "b"),
        ("X:A", "b"),
        ("Host", "evil.test"),
        ("HOST", "evil.test"),
        ("Connection", "upgrade"),
        ("Transfer-Encoding", "chunked"),
        ("Content-Length", "0"),
        ("Upgrade", "h2c"),
        ("TE", "trailers"),
        ("Proxy-Authorization", "x"),
        ("Proxy-Anything", "x"),
        ("Keep-Alive", "1"),
        ("Trailer", "X"),
        ("Expect", "100-continue"),
    ] {
        let refused = request(Method::GET, "http://example.org/", &[(name, value)], None).unwrap_err();
        assert!(matches!(refused, WebError::BadHeader(..)), "{name:?} {value:?}: {refused:?}");
        assert!(!refused.to_string().contains(['\r', '\n']), "{refused}");
    }
}

/// Answers in turn; counts how often it was asked.
struct Names {
    answers: Mutex<VecDeque<Vec<SocketAddr>>>,
    asked: AtomicUsize,
}

impl Names {
    fn new(answers: &[&[&str]]) -> Arc<Self> {
        let all =
            answers.iter().map(|answer| answer.iter().map(|address| address.parse().unwrap()).collect());
        Arc::new(Self { answers: Mutex::new(all.collect()), asked: AtomicUsize::new(0) })
    }
}

impl Resolve for Names {
    fn resolve(&self, _host: &str, _port: u16) -> Resolving {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let answer = self.answers.lock().unwrap().pop_front().unwrap_or_default();
        Box::pin(async move { Ok(answer) })
    }
}

#[tokio::test]
async fn names_that_mean_private_addresses_are_refused() {
    for addresses in [
        &["127.0.0.1:80"][..],
        &["93.184.216.34:80", "10.0.0.1:80"],
        &["[::1]:80", "93.184.216.34:80"],
        &["[fd00::1]:80"],
    ] {
        let web = Web::new(&ToolsConfig::default()).with_resolver(Names::new(&[addresses]));
        assert_eq!(
            get(&web, "http://inside.test/").await,
            Err(WebError::Private("inside.test".into())),
            "{addresses:?}"
        );
    }
    let web = Web::new(&ToolsConfig::default()).with_resolver(Names::new(&[]));
    assert_eq!(get(&web, "http://nowhere.test/").await, Err(WebError::NoSuchHost("nowhere.test".into())));
}

#[tokio::test]
async fn a_name_is_resolved_once_and_just_that_address_is_asked() {
    let server = Server::new(ok("", b"hello")).await;
    let address = server.address.to_string();
    // A second look would find another address: it never comes to that.
    let names = Names::new(&[&[&address], &["127.0.0.1:1"]]);
    let host = format!("rebinding.test:{}", server.address.port());
    let config = ToolsConfig { http_allow_hosts: vec![host.clone()], ..ToolsConfig::default() };
    let web = Web::new(&config).with_resolver(names.clone());
    assert_eq!(text(&get(&web, &format!("http://{host}/")).await.unwrap()), "hello");
    assert_eq!(names.asked.load(Ordering::SeqCst), 1);
    assert!(server.asked()[0].to_lowercase().contains(&format!("host: {host}")));
}

#[tokio::test]
async fn an_exception_is_for_its_host_and_port_alone() {
    let (open, shut) = (Server::new(ok("", b"open")).await, Server::new(ok("", b"shut")).await);
    let web = web(&[&open]);
    assert_eq!(text(&get(&web, &open.url("/")).await.unwrap()), "open");
    assert!(matches!(get(&web, &shut.url("/")).await, Err(WebError::Private(_))));
    let by_name = format!("http://localhost:{}/", open.address.port());
    assert!(matches!(get(&web, &by_name).await, Err(WebError::Private(_))), "another name is another host");
    let anything = Web::new(&ToolsConfig { http_allow_private: true, ..ToolsConfig::default() });
    assert_eq!(text(&get(&anything, &shut.url("/")).await.unwrap()), "shut");
}

#[tokio::test]
async fn every_redirect_is_looked_at_like_the_first_address() {
    let inside = Server::new(ok("", b"the secret")).await;
    let targets = [
        inside.url("/"),
        format!("//{}/", inside.address),
        "http://[::1]/".into(),
        "http://169.254.169.254/latest/meta-data".into(),
        "file:///etc/passwd".into(),
        "http://user:pass@example.org/".into(),
        "ftp://example.org/".into(),
        "http://".into(),
    ];
    for target in targets {
        let sly = Server::new(sends_to(&target)).await;
        let refused = get(&web(&[&sly]), &sly.url("/")).await.unwrap_err();
        assert!(matches!(refused, WebError::Private(_) | WebError::BadUrl(..)), "{target}: {refused:?}");
    }
    assert_eq!(inside.asked(), [""; 0]);
}

#[tokio::test]
async fn five_redirects_are_followed_and_no_more() {
    let chain = Server::with(|request| {
        let left: usize = request.split(['/', ' ']).find_map(|word| word.parse().ok()).unwrap_or(0);
        if left == 0 { ok("", b"there") } else { sends_to(&format!("/{}", left - 1)) }
    })
    .await;
    let web = web(&[&chain]);
    let answer = get(&web, &chain.url("/5")).await.unwrap();
    assert_eq!((text(&answer), &answer.url), ("there", &chain.url("/0")));
    assert!(matches!(get(&web, &chain.url("/6")).await, Err(WebError::Redirects(_))));
    assert_eq!(chain.asked().len(), 6 + 6);
}

#[tokio::test]
async fn secrets_stay_with_the_server_they_were_meant_for() {
    let other = Server::new(ok("", b"other")).await;
    let to_other = other.url("/");
    let first = Server::with(move |request| {
        if request.starts_with("GET /same") {
            sends_to("/here")
        } else if request.starts_with("GET /here") {
            ok("", b"here")
        } else {
            sends_to(&to_other)
        }
    })
    .await;
    let web = web(&[&first, &other]);
    let headers = [
        ("Authorization", "Bearer secret"),
        ("Cookie", "id=secret"),
        ("X-Key", "secret"),
        ("Accept-Language", "de"),
    ];
    let ask = |path: &str| web.ask(request(Method::GET, &first.url(path), &headers, None).unwrap());
    ask("/same").await.unwrap();
    assert!(first.asked()[1].contains("Bearer secret"), "the same server may have it");
    ask("/away").await.unwrap();
    let seen = other.asked().remove(0).to_lowercase();
    assert!(!seen.contains("secret") && seen.contains("accept-language: de"), "{seen}");
}

#[tokio::test]
async fn what_changes_something_is_sent_nowhere_else() {
    let other = Server::new(ok("", b"")).await;
    let to_other = other.url("/");
    let first = Server::with(move |_| {
        say(&format!("HTTP/1.1 307 Temporary Redirect\r\nLocation: {to_other}\r\nContent-Length: 0\r\n\r\n"))
    })
    .await;
    let web = web(&[&first, &other]);
    for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
        let answer = web.ask(request(method, &first.url("/"), &[], Some("{}")).unwrap()).await.unwrap();
        assert_eq!(answer.status, 307);
        assert!(answer.headers.iter().any(|(name, _)| name == "location"));
    }
    assert_eq!((first.asked().len(), other.asked().len()), (4, 0));
}

#[tokio::test]
async fn too_much_is_cut_and_endless_answers_end() {
    let large = Server::new(ok("Content-Type: text/plain\r\n", "ä".repeat(5000).as_bytes())).await;
    let answer = get(&web(&[&large]), &large.url("/")).await.unwrap();
    assert_eq!((answer.bytes, answer.truncated, text(&answer).len()), (2000, true, 2000));
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    let endless = Server::new(Act::Drone(head, b"5\r\nhello\r\n".to_vec())).await;
    let answer = get(&web(&[&endless]), &endless.url("/")).await.unwrap();
    assert!(answer.truncated && answer.bytes == 2000);
    let header = Server::new(Act::Drone(
        b"HTTP/1.1 200 OK\r\n".to_vec(),
        format!("X-A: {}\r\n", "a".repeat(1000)).into_bytes(),
    ))
    .await;
    assert!(
        matches!(get(&web(&[&header]), &header.url("/")).await, Err(WebError::Unreachable(..))),
        "endless headers"
    );
}

#[tokio::test]
async fn who_does_not_answer_is_given_up() {
    for act in [
        Act::Hang(Vec::new()),
        Act::Hang(b"HTTP/1.1 200 OK\r\n".to_vec()),
        Act::Hang(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf".to_vec()),
    ] {
        let slow = Server::new(act).await;
        let config = ToolsConfig { http_timeout_ms: 150, http_allow_private: true, ..ToolsConfig::default() };
        let given_up = get(&Web::new(&config), &slow.url("/")).await.unwrap_err();
        assert_eq!(given_up, WebError::Timeout(slow.address.to_string(), 150));
    }
    // A server that sends itself on and on slowly has the same time for all of it.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let config = ToolsConfig { http_allow_private: true, ..ToolsConfig::default() };
    let nobody = get(&Web::new(&config), &format!("http://{address}/")).await.unwrap_err();
    assert!(matches!(nobody, WebError::Unreachable(..)), "{nobody:?}");
}

#[tokio::test]
async fn broken_answers_are_failures_and_binary_ones_are_not_text() {
    for nonsense in [
        "",
        "SSH-2.0-OpenSSH\r\n",
        "HTTP/1.1 999999 x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
    ] {
        let server = Server::new(say(nonsense)).await;
        let failure = get(&web(&[&server]), &server.url("/")).await.unwrap_err();
        assert!(matches!(failure, WebError::Unreachable(..)), "{nonsense:?}: {failure:?}");
    }
    for (headers, body) in [
        ("Content-Type: image/png\r\n", &b"not really"[..]),
        ("Content-Type: application/octet-stream\r\n", b"text"),
        ("Content-Type: text/plain\r\n", b"a\0b"),
        ("Content-Type: text/html\r\nContent-Encoding: gzip\r\n", b"\x1f\x8b\x08"),
        ("", b"\xff\xfe\xfd"),
    ] {
        let server = Server::new(ok(headers, body)).await;
        let answer = get(&web(&[&server]), &server.url("/")).await.unwrap();
        assert_eq!((answer.content, answer.bytes), (Content::Binary, body.len()), "{headers}");
    }
    let head = request(Method::HEAD, "http://example.org", &[], None).unwrap();
    assert!(head.only_reads());
}

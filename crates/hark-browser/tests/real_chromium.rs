//! The browser with a real Chromium against servers of this machine: what works, and that no page gets at what may not be
//! reached. Without Chromium these tests tell so and do nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use hark_browser::{Browser, BrowserError, Effect, Go, NotReached, Reach, Reaching, Scroll};
use hark_config::browser::BrowserConfig;
use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use url::Url;

/// A server of this machine, and every request it got.
struct Server {
    port: u16,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Serves pages by their paths; `PORT` in them is the number of a port.
    async fn start(pages: &[(&str, &str)], port: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let own = listener.local_addr().unwrap().port();
        let pages: HashMap<String, String> = pages
            .iter()
            .map(|(path, page)| ((*path).to_owned(), page.replace("PORT", &port.to_string())))
            .collect();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        tokio::spawn(async move {
            loop {
                let Ok((mut stream, _)) = listener.accept().await else { return };
                let (pages, log) = (pages.clone(), Arc::clone(&log));
                tokio::spawn(async move {
                    let mut request = vec![0; 16_384];
                    let read = stream.read(&mut request).await.unwrap_or(0);
                    let request = String::from_utf8_lossy(&request[..read]).into_owned();
                    let line = request.lines().next().unwrap_or_default().to_owned();
                    let body = request.split("\r\n\r\n").nth(1).unwrap_or_default();
                    log.lock().unwrap().push(format!("{line} {body}").trim().to_owned());
                    let path = line.split(' ').nth(1).unwrap_or_default();
                    let page = pages.get(path.split('?').next().unwrap_or_default());
                    let answer = match page.map(|page| page.strip_prefix("->").ok_or(page)) {
                        Some(Ok(to)) => {
                            format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\n")
                        }
                        Some(Err(page)) => format!(
                            "HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {}\r\n\
                             access-control-allow-origin: *\r\n",
                            page.len()
                        ),
                        None => "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n".to_owned(),
                    };
                    let body = page.filter(|page| !page.starts_with("->")).map_or("", |page| page.as_str());
                    let _ =
                        stream.write_all(format!("{answer}connection: close\r\n\r\n{body}").as_bytes()).await;
                });
            }
        });
        Self { port: own, seen }
    }

    fn url(&self, path: &str) -> Url {
        Url::parse(&format!("http://127.0.0.1:{}{path}", self.port)).unwrap()
    }

    /// Requests for what begins so.
    fn asked(&self, begins: &str) -> Vec<String> {
        self.seen.lock().unwrap().iter().filter(|line| line.starts_with(begins)).cloned().collect()
    }
}

/// Lets through one port.
struct Only(u16);

impl Reach for Only {
    fn addresses(&self, host: &str, port: u16) -> Reaching {
        let may = port == self.0 && matches!(host, "127.0.0.1" | "localhost");
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        Box::pin(async move { if may { Ok(vec![address]) } else { Err(NotReached::Forbidden) } })
    }
}

/// A browser that reaches this port, with its state folder; none without Chromium.
fn browser(port: u16) -> Option<(Browser, tempfile::TempDir)> {
    let dir = tempfile::tempdir().unwrap();
    let sandbox = !rustix::process::geteuid().is_root();
    let config = BrowserConfig { sandbox, headless: true, ..BrowserConfig::default() };
    let browser = Browser::new(&config, dir.path().to_owned(), Arc::new(Only(port)));
    if browser.is_there() == Err(BrowserError::NoProgram) {
        println!("skipped: there is no Chromium");
        return None;
    }
    Some((browser, dir))
}

const SHOP: &str = r#"<!doctype html><title>A shop &amp; more</title><style>p{height:3000px}</style>
<h1>Owls</h1><a href="/owls">Read about owls</a> <a href="/owls" target="_blank">Owls in a new window</a>
<a href="javascript:document.title='pressed'">Press</a> <button onclick="confirm('Really?') ? document.title='agreed' : document.title='declined'">Ask me</button>
<form action="/find"><label for="q">Search the shop</label><input id="q" name="q" placeholder="owl food"></form>
<form action="/order" method="post"><input name="method" value="get"><label>Town <input name="town"></label>
<select name="size" aria-label="Size"><option value="s">Small</option><option value="l">Large owl</option></select>
<button>Order now</button></form>
<form action="/in" method="get"><input type="password" name="p" placeholder="Password"><input type="submit" value="Sign in"></form>
<label>Card <input autocomplete="billing cc-number" name="x"></label>
<a href="http://127.0.0.1:PORT/inside">Inside</a><div style="display:none">invisible words</div><p>Far down</p>"#;
const OWLS: &str = "<!doctype html><title>Owls</title><p>Owls are birds.</p>";
const FOUND: &str = "<!doctype html><title>Found</title><p>Food for owls.</p>";

/// Waits until something is so.
async fn until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(20), "{what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_opened_read_clicked_filled_and_shown() {
    let pages = [("/", SHOP), ("/owls", OWLS), ("/find", FOUND), ("/order", FOUND)];
    let server = Server::start(&pages, 1).await;
    let Some((browser, dir)) = browser(server.port) else { return };
    assert_eq!(browser.read().await, Err(BrowserError::NoPage), "nothing is started to read");
    let shop = browser.open(&server.url("/")).await.unwrap();
    assert_eq!((shop.title.as_str(), shop.status), ("A shop & more", Some(200)));
    let read = browser.read().await.unwrap();
    assert!(read.text.contains("Owls") && !read.text.contains("invisible words"), "{}", read.text);
    assert_eq!(read.fields[..3], ["Search the shop", "method", "Town"]);

    let link = browser.target("read about OWLS").await.unwrap();
    assert!(matches!(link.effect, Effect::Link { .. }) && !link.effect.sends());
    assert_eq!(browser.click(&link).await.unwrap().title, "Owls");
    assert_eq!(browser.go(Go::Back).await.unwrap().title, "A shop & more");
    assert_eq!(browser.go(Go::Forward).await.unwrap().title, "Owls");
    assert_eq!(browser.go(Go::Back).await.unwrap().title, "A shop & more");
    assert_eq!(browser.go(Go::Back).await, Err(BrowserError::NoHistory));
    let window = browser.target("owls in a new window").await.unwrap();
    assert_eq!(browser.click(&window).await.unwrap().title, "Owls", "the new window is the one that counts");
    browser.open(&server.url("/")).await.unwrap();
    let ask = browser.target("ask me").await.unwrap();
    assert_eq!(ask.effect, Effect::Control);
    assert_eq!(browser.click(&ask).await.unwrap().title, "declined", "nothing is agreed to");
    assert_eq!(browser.target("elephants").await, Err(BrowserError::Nothing("elephants".into())));

    let search = browser.field(Some("search the shop")).await.unwrap();
    assert!(!search.effect.sends());
    let (value, state) = browser.fill(&search, "owl food", true).await.unwrap();
    assert_eq!((value.as_str(), state.title.as_str()), ("owl food", "Found"));
    assert_eq!(server.asked("GET /find"), ["GET /find?q=owl+food HTTP/1.1"]);

    browser.open(&server.url("/")).await.unwrap();
    let town = browser.field(Some("town")).await.unwrap();
    assert!(town.effect.sends(), "a field called “method” hides nothing");
    assert_eq!(browser.fill(&town, "Aachen", false).await.unwrap().0, "Aachen");
    let size = browser.field(Some("size")).await.unwrap();
    assert_eq!(browser.fill(&size, "large", false).await.unwrap().0, "Large owl");
    assert_eq!(browser.fill(&size, "huge", false).await, Err(BrowserError::NotTaken("Size".into())));
    let order = browser.target("order now").await.unwrap();
    assert!(order.effect.sends());
    browser.click(&order).await.unwrap();
    assert!(server.asked("POST /order")[0].ends_with("method=get&town=Aachen&size=l"));

    browser.open(&server.url("/")).await.unwrap();
    assert_eq!(browser.field(Some("password")).await, Err(BrowserError::Secret));
    assert_eq!(browser.field(Some("card")).await, Err(BrowserError::Secret));
    assert!(browser.target("sign in").await.unwrap().effect.sends(), "a password goes with it");
    let down = browser.scroll(Scroll::Down, None).await.unwrap();
    assert!(down.percent > 0 && !down.at_end);
    assert!(browser.scroll(Scroll::Bottom, None).await.unwrap().at_end);
    assert_eq!(browser.scroll(Scroll::Top, None).await.unwrap().percent, 0);
    let (shot, state) = browser.screenshot().await.unwrap();
    assert!(shot.path.starts_with(dir.path()) && shot.width >= 1000 && shot.height >= 500, "{shot:?}");
    assert_eq!(std::fs::metadata(&shot.path).unwrap().len(), shot.bytes as u64);
    assert_eq!(state.title, "A shop & more");
    browser.end().await;
    assert_eq!(browser.read().await, Err(BrowserError::NoPage));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_may_not_be_reached_is_not_whatever_a_page_does() {
    let inside = Server::start(&[("/inside", "<p>the secret of the house</p>")], 1).await;
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    udp.set_nonblocking(true).unwrap();
    let evil = r#"<!doctype html><title>waiting</title><link rel=preconnect href="http://127.0.0.1:PORT">
<link rel=prefetch href="http://127.0.0.1:PORT/prefetched"><img src="http://127.0.0.1:PORT/picture"><iframe src="http://localhost:PORT/frame"></iframe>
<a href="http://127.0.0.1:PORT/inside">Inside</a> <a href="file:///etc/hostname">File</a> <a href="/away">Away</a>
<script>
const tries = [
  fetch('http://127.0.0.1:PORT/fetched').then((r) => r.text()),
  fetch('http://[::1]:PORT/fetched6').then((r) => r.text()),
  fetch('/away').then((r) => r.text()),
  new Promise((done, no) => { const s = new WebSocket('ws://127.0.0.1:PORT/socket'); s.onopen = () => done('open'); s.onerror = no; }),
  new Promise((done, no) => { const w = new Worker(URL.createObjectURL(new Blob(["fetch('http://127.0.0.1:PORT/worker').then(() => postMessage(1), () => postMessage(0))"]))); w.onmessage = (m) => (m.data ? done('worker') : no()); }),
];
const rtc = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:UDP' }] });
rtc.createDataChannel('x');
rtc.createOffer().then((offer) => rtc.setLocalDescription(offer));
Promise.allSettled(tries).then((all) => { document.title = 'got ' + all.filter((one) => one.status === 'fulfilled').length; });
</script>"#;
    let evil = evil.replace("UDP", &udp.local_addr().unwrap().port().to_string());
    let pages = [
        ("/", evil.as_str()),
        ("/away", "->http://127.0.0.1:PORT/inside"),
        ("/file", "->file:///etc/hostname"),
    ];
    let outside = Server::start(&pages, inside.port).await;
    let Some((browser, _dir)) = browser(outside.port) else { return };
    let refused = BrowserError::Private(format!("127.0.0.1:{}", inside.port));
    assert_eq!(browser.open(&inside.url("/inside")).await, Err(refused.clone()));
    assert_eq!(browser.open(&outside.url("/away")).await, Err(refused.clone()), "by a redirect");
    assert!(browser.open(&outside.url("/file")).await.is_err());
    for address in ["file:///etc/hostname", "chrome://version", "javascript:alert(1)", "data:text/html,hello"]
    {
        let error = browser.open(&Url::parse(address).unwrap()).await.unwrap_err();
        assert!(matches!(error, BrowserError::NotWeb(_)), "{error}");
    }
    browser.open(&outside.url("/")).await.unwrap();
    let begun = Instant::now();
    let title = loop {
        let title = browser.read().await.unwrap().state.title;
        if title != "waiting" {
            break title;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "the page's tries do not end");
        tokio::time::sleep(Duration::from_millis(200)).await;
    };
    assert_eq!(title, "got 0");
    let link = browser.target("inside").await.unwrap();
    assert_eq!(browser.click(&link).await, Err(refused.clone()));
    browser.open(&outside.url("/")).await.unwrap();
    let away = browser.target("away").await.unwrap();
    assert_eq!(browser.click(&away).await, Err(refused), "by a redirect of a link");
    browser.open(&outside.url("/")).await.unwrap();
    let file = browser.target("file").await.unwrap();
    let state = browser.click(&file).await;
    assert!(state.as_ref().map_or(true, |state| state.url == outside.url("/").as_str()), "{state:?}");
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(inside.asked(""), Vec::<String>::new());
    assert!(udp.recv(&mut [0; 100]).is_err(), "no datagram came");
    browser.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn it_ends_when_its_owner_does_and_is_started_anew() {
    let server = Server::start(&[("/", OWLS)], 1).await;
    let Some((browser, dir)) = browser(server.port) else { return };
    let profile = dir.path().join("browser/profile").display().to_string();
    let runs = || {
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let lines = processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
        lines.filter(|line| String::from_utf8_lossy(line).contains(&profile)).count()
    };
    browser.open(&server.url("/")).await.unwrap();
    assert!(runs() > 0);
    browser.end().await;
    until("the browser is gone", || runs() == 0).await;
    assert_eq!(browser.open(&server.url("/")).await.unwrap().title, "Owls");
    drop(browser);
    until("the browser is gone without being told", || runs() == 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trial_tells_its_version() {
    let Some((browser, dir)) = browser(1) else { return };
    let told = browser.examined().await.unwrap();
    assert!(told.contains(" starts, without a window"), "{told}");
    assert!(!dir.path().join("browser/trial").exists());
}

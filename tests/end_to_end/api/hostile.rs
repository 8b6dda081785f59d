//! Whoever is hostile, slow or wrong.

use super::fake::Server;
use super::http::{Answer, ask, connect, exchange, get, parse, post};
use std::io::{Read, Write};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

#[test]
fn bodies_that_are_none_are_refused() {
    let server = Server::start();
    let deep = format!("{{\"text\":{}1{}}}", "[".repeat(30_000), "]".repeat(30_000));
    let long = format!("{{\"text\":\"{}\"}}", "a".repeat(5000));
    let huge = format!("{{\"text\":\"{}\"}}", "a".repeat(70_000));
    for (body, status) in [
        ("", 400),
        ("{", 400),
        ("{\"text\":\"x\"} trailing", 400),
        ("\u{0}\u{1}", 400),
        (deep.as_str(), 400),
        ("[]", 422),
        ("null", 422),
        ("{}", 422),
        ("{\"text\":7}", 422),
        ("{\"text\":\"\"}", 422),
        ("{\"text\":\"a\\u0007b\"}", 422),
        ("{\"text\":\"x\",\"more\":1}", 422),
        (long.as_str(), 422),
        (huge.as_str(), 413),
    ] {
        for path in ["/api/v1/ask", "/api/v1/say"] {
            let answer = post(server.address, path, body);
            let short: String = body.chars().take(40).collect();
            assert_eq!(answer.status, status, "{path} {short}: {}", answer.body);
            answer.refusal();
        }
    }
    for (body, status) in [
        ("{\"text\":\"x\",\"session_id\":\"\"}", 422),
        ("{\"text\":\"x\",\"session_id\":7}", 422),
        ("{\"text\":\"x\",\"session_id\":\"a\\nb\"}", 422),
        ("{\"text\":\"x\",\"dry_run\":\"yes\"}", 422),
        ("{\"text\":\"x\",\"session_id\":null}", 200),
    ] {
        assert_eq!(post(server.address, "/api/v1/ask", body).status, status, "{body}");
    }
    for kind in
        ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "multipart/form-data"]
    {
        let answer =
            ask(server.address, "POST", "/api/v1/say", &[("Content-Type", kind)], Some("{\"text\":\"x\"}"));
        assert_eq!((answer.status, answer.refusal().as_str()), (415, "unsupported_media_type"), "{kind}");
    }
    assert_eq!(ask(server.address, "POST", "/api/v1/say", &[], Some("{\"text\":\"x\"}")).status, 415);
    assert!(server.fake.said.lock().unwrap().is_empty(), "nothing of it was said");
}

#[test]
fn a_body_without_end_is_cut_off() {
    let server = Server::start();
    let mut stream = connect(server.address);
    let head = format!(
        "POST /api/v1/say HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
        server.address
    );
    stream.write_all(head.as_bytes()).unwrap();
    let chunk = format!("1000\r\n{}\r\n", "a".repeat(0x1000));
    for _ in 0..10_000 {
        if stream.write_all(chunk.as_bytes()).is_err() {
            break;
        }
    }
    // The answer may be lost where the other end closed while we were still writing.
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    if !bytes.is_empty() {
        assert_eq!(parse(&bytes).status, 413);
    }
    assert_eq!(get(server.address, "/api/v1/health").status, 200);
    let told = exchange(
        server.address,
        format!(
            "POST /api/v1/say HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n",
            server.address
        )
        .as_bytes(),
    );
    assert_eq!(parse(&told).status, 413);
}

#[test]
fn addresses_lead_nowhere_else() {
    let server = Server::start();
    for path in [
        "/api/v1/../../etc/passwd",
        "/api/v1/turns/..%2f..%2fetc%2fpasswd",
        "/api/v1/turns/%2e%2e",
        "/api/v1/turns/%00",
        "/api/v1/turns/7%00",
        "/api/v1/turns/%ff%fe",
        "/api/v1/turns/'%20OR%201=1--",
        "//api/v1/health",
        "/api/v1//health",
        "/api/v1/health%2f",
        "/API/V1/HEALTH",
        "/api/v1/turns/7/audio/../../../x",
        "/%",
        "*",
    ] {
        let answer = get(server.address, path);
        assert!((400..500).contains(&answer.status), "{path}: {answer:?}");
    }
    let long = format!("/api/v1/turns/{}", "a".repeat(10_000));
    assert_eq!(get(server.address, &long).status, 404);
    let longer = format!("/api/v1/turns/{}", "a".repeat(100_000));
    let status =
        parse(&exchange(server.address, format!("GET {longer} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes()))
            .status;
    assert!((400..500).contains(&status), "{status}");
}

#[test]
fn what_is_no_http_is_no_trouble() {
    let server = Server::with(|_, limits| limits.headers = Duration::from_millis(500));
    let mut noise: u32 = 7;
    for length in [1, 10, 100, 5000, 40_000] {
        let bytes: Vec<u8> = (0..length)
            .map(|_| {
                noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                noise.to_le_bytes()[3]
            })
            .chain(*b"\r\n\r\n")
            .collect();
        let answer = exchange(server.address, &bytes);
        assert!(answer.is_empty() || parse(&answer).status >= 400);
    }
    let many: String = (0..200).map(|number| format!("X-{number}: y\r\n")).collect();
    for wrong in [
        "GET /api/v1/health HTTP/1.1\r\n\r\n".to_owned(),
        "GET /api/v1/health HTTP/1.0\r\n\r\n".to_owned(),
        format!("GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n{many}\r\n"),
        format!("GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n", "y".repeat(50_000)),
        "GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n".to_owned(),
        "POST /api/v1/say HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabc"
            .to_owned(),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(),
    ] {
        let answer = exchange(server.address, wrong.as_bytes());
        assert!(answer.is_empty() || (400..500).contains(&parse(&answer).status), "{}", wrong.len());
    }
    assert_eq!(get(server.address, "/api/v1/health").status, 200);
}

/// Whether the other end closes; what it sent before is thrown away.
fn is_closed(mut stream: &std::net::TcpStream) -> bool {
    let mut rest = Vec::new();
    match stream.read_to_end(&mut rest) {
        Ok(_) => true,
        Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
    }
}

#[test]
fn who_sends_slowly_is_not_waited_for() {
    let server = Server::with(|_, limits| {
        limits.headers = Duration::from_millis(150);
        limits.body = Duration::from_millis(150);
    });
    let silent = connect(server.address);
    let mut dripping = connect(server.address);
    dripping.write_all(b"GET /api/v1/health HTTP/1.1\r\nHost: loc").unwrap();
    assert!(is_closed(&silent), "nothing was ever sent");
    assert!(is_closed(&dripping), "headers never ended");
    let mut half = connect(server.address);
    let head = format!(
        "POST /api/v1/say HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{{\"te",
        server.address
    );
    half.write_all(head.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    half.read_to_end(&mut bytes).unwrap();
    assert_eq!((parse(&bytes).status, parse(&bytes).refusal().as_str()), (408, "timeout"));
}

#[test]
fn two_hundred_idle_connections_keep_nobody_out() {
    let server = Server::start();
    let idle: Vec<_> = (0..200).map(|_| connect(server.address)).collect();
    assert_eq!(get(server.address, "/api/v1/health").status, 200);
    drop(idle);
}

#[test]
fn slow_connections_give_up_their_places() {
    let server = Server::with(|settings, limits| {
        settings.max_connections = 8;
        limits.headers = Duration::from_secs(120);
        limits.body = Duration::from_secs(120);
    });
    let here = server.address;
    let post = format!("POST /api/v1/say HTTP/1.1\r\nHost: {here}\r\nContent-Type: application/json\r\n");
    let kinds = [
        String::new(),
        "GET /api/v1/health HTTP/1.1\r\nHost: loc".to_owned(),
        format!("GET /ws HTTP/1.1\r\nHost: {here}\r\nUpgrade: websocket\r\nConnection: Upgr"),
        // It has had an answer, and stays.
        format!("GET /api/v1/health HTTP/1.1\r\nHost: {here}\r\n\r\n"),
        format!("{post}Content-Length: 40\r\n\r\n{{\"te"),
        format!("{post}Transfer-Encoding: chunked\r\n\r\n4\r\n{{\"te"),
    ];
    for kind in &kinds {
        let slow: Vec<_> = (0..16)
            .map(|_| {
                let mut stream = connect(here);
                stream.write_all(kind.as_bytes()).unwrap();
                if kind.starts_with("GET /api") && kind.ends_with("\r\n\r\n") {
                    let _ = stream.read(&mut [0; 1024]).unwrap();
                }
                stream.set_nonblocking(true).unwrap();
                stream
            })
            .collect();
        let answer = get(here, "/api/v1/health");
        assert_eq!(answer.status, 200, "{kind}: {answer:?}");
        // Which of them began to wait first depends on when the server came to read each.
        let left = || slow.iter().filter(|stream| !is_closed(stream)).count();
        let end = Instant::now() + Duration::from_secs(60);
        while left() >= 8 {
            assert!(Instant::now() < end, "{kind}: one of the eight places went to who came last");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    // Who comes in time is served while others are slow.
    assert_eq!(post_say(here, "hello").status, 200);
}

fn post_say(address: SocketAddr, text: &str) -> Answer {
    post(address, "/api/v1/say", &serde_json::json!({ "text": text }).to_string())
}

#[test]
fn more_connections_than_allowed_are_turned_away_and_places_come_back() {
    let server = Server::with(|settings, limits| {
        settings.max_connections = 8;
        limits.headers = Duration::from_secs(30);
    });
    let busy: Vec<_> = (0..8)
        .map(|_| {
            let mut stream = connect(server.address);
            let body = r#"{"text":"never ends"}"#;
            let head = format!("POST /api/v1/ask HTTP/1.1\r\nHost: {}\r\n", server.address);
            let kind = format!("Content-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
            stream.write_all([head.as_str(), kind.as_str(), body].concat().as_bytes()).unwrap();
            stream
        })
        .collect();
    let end = Instant::now() + Duration::from_secs(60);
    while server.fake.pushed.lock().unwrap().len() < busy.len() {
        assert!(Instant::now() < end, "all of them are being worked for");
        std::thread::sleep(Duration::from_millis(10));
    }
    let mut refused = connect(server.address);
    let mut bytes = Vec::new();
    // What it sends may be lost in the reset that follows.
    let _ = refused.read_to_end(&mut bytes);
    if !bytes.is_empty() {
        assert_eq!((parse(&bytes).status, parse(&bytes).refusal().as_str()), (503, "busy"));
    }
    drop(busy);
    let again = || {
        let answer = exchange(
            server.address,
            format!("GET /api/v1/health HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", server.address)
                .as_bytes(),
        );
        !answer.is_empty() && parse(&answer).status == 200
    };
    while !again() {
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_client_that_asks_too_often_is_told_when_to_come_back() {
    let server = Server::with(|settings, _| settings.requests_per_minute = 60);
    let answers: Vec<Answer> = (0..40).map(|_| get(server.address, "/api/v1/health")).collect();
    let served = answers.iter().filter(|answer| answer.status == 200).count();
    assert!(served >= 15, "a quarter of a minute's at once: {served}");
    let refused: Vec<&Answer> = answers.iter().filter(|answer| answer.status != 200).collect();
    assert!(!refused.is_empty());
    for answer in refused {
        assert_eq!((answer.status, answer.refusal().as_str()), (429, "too_many_requests"));
        assert!(answer.headers["retry-after"].parse::<u64>().unwrap() >= 1);
    }
}

fn health(address: SocketAddr, headers: &[(&str, &str)]) -> Answer {
    ask(address, "GET", "/api/v1/health", headers, None)
}

#[test]
fn names_and_pages_of_others_are_refused() {
    let server = Server::with(|settings, _| {
        settings.allowed_hosts = vec!["hark.local".into()];
        settings.allowed_origins = vec!["https://home.example".into()];
    });
    let here = server.address.to_string();
    for host in ["evil.example", "evil.example:8765", "169.254.169.254", ""] {
        let answer = health(server.address, &[("Host", host)]);
        assert_eq!((answer.status, answer.refusal().as_str()), (403, "forbidden"), "{host}");
    }
    assert_eq!(health(server.address, &[("Host", "hark.local")]).status, 200);
    // An address in the request line counts, whatever the header says.
    let absolute = ask(server.address, "GET", "http://evil.example/api/v1/health", &[("Host", &here)], None);
    assert_eq!(absolute.status, 403);
    for origin in ["http://evil.example", "null", "http://localhost:3000", "https://home.example:444"] {
        for (method, path) in [("GET", "/api/v1/health"), ("POST", "/api/v1/say"), ("OPTIONS", "/api/v1/say")]
        {
            let answer = ask(server.address, method, path, &[("Origin", origin)], None);
            assert_eq!((answer.status, answer.refusal().as_str()), (403, "forbidden"), "{method} {origin}");
            assert!(!answer.headers.contains_key("access-control-allow-origin"));
        }
    }
    let own = format!("http://{here}");
    assert_eq!(health(server.address, &[("Origin", &own)]).status, 200);
    let friend = health(server.address, &[("Origin", "https://home.example")]);
    assert_eq!(friend.headers["access-control-allow-origin"], "https://home.example");
    let asked = [("Origin", "https://home.example"), ("Access-Control-Request-Method", "DELETE")];
    let preflight = ask(server.address, "OPTIONS", "/api/v1/timers/tea", &asked, None);
    assert_eq!(preflight.status, 204);
    assert_eq!(preflight.headers["access-control-allow-methods"], "GET, POST, PATCH, DELETE");
}

#[test]
fn without_the_token_nothing_is_told() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "a-token-of-enough-characters\n").unwrap();
    let server = Server::with(|settings, _| settings.token_file = file.path().display().to_string());
    for path in [
        "/api/v1/health",
        "/api/v1/config",
        "/nowhere",
        "/ws",
        "/api/v1/health?token=a-token-of-enough-characters",
    ] {
        let answer = get(server.address, path);
        assert_eq!((answer.status, answer.refusal().as_str()), (401, "unauthorized"), "{path}");
        assert!(answer.headers["www-authenticate"].starts_with("Bearer"));
    }
    let wrong = [("Authorization", "Bearer a-token-of-enough-characterz")];
    assert_eq!(health(server.address, &wrong).status, 401);
    let right = [("Authorization", "Bearer a-token-of-enough-characters")];
    assert_eq!(health(server.address, &right).status, 200);
    // A name of others does not become ours by a token.
    let both = [("Host", "evil.example"), right[0]];
    assert_eq!(health(server.address, &both).status, 403);
}

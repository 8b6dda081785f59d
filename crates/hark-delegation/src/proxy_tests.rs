//! The proxy on its socket, asked as programs ask one, with servers on this machine.

use super::*;
use hark_net::reach::Reaching;
use std::net::{Ipv4Addr, SocketAddr};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// A proxy that leads to one server, under the name `house.test`; `gone.test` is no host.
async fn house() -> (Proxy, TcpListener, u16) {
    let server = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = server.local_addr().unwrap();
    let reach: Arc<dyn Reach> = Arc::new(move |host: &str, port: u16| -> Reaching {
        let found = match host {
            "house.test" if port == address.port() => Ok(vec![address]),
            "closed.test" => Ok(vec![SocketAddr::from((Ipv4Addr::LOCALHOST, 1))]),
            "gone.test" => Err(NotReached::Unknown),
            _ => Err(NotReached::Forbidden),
        };
        Box::pin(async move { found })
    });
    (Proxy::open(reach).unwrap(), server, address.port())
}

async fn ask(proxy: &Proxy, request: &str) -> UnixStream {
    let mut stream = UnixStream::connect(proxy.socket()).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

/// What comes until the head of an answer is over.
async fn head(stream: &mut (impl AsyncReadExt + Unpin)) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    String::from_utf8(head).unwrap()
}

async fn all(mut stream: UnixStream) -> String {
    let mut all = String::new();
    stream.read_to_string(&mut all).await.unwrap();
    all
}

#[tokio::test]
async fn a_tunnel_leads_to_what_may_be_reached_and_ends_with_the_proxy() {
    let (proxy, server, port) = house().await;
    let mut program = ask(&proxy, &format!("CONNECT house.test:{port} HTTP/1.1\r\nHost: x\r\n\r\n")).await;
    assert!(head(&mut program).await.starts_with("HTTP/1.1 200 "));
    let (mut at_server, _) = server.accept().await.unwrap();
    at_server.write_all(b"hello").await.unwrap();
    program.write_all(b"hi").await.unwrap();
    let (mut hello, mut hi) = ([0; 5], [0; 2]);
    program.read_exact(&mut hello).await.unwrap();
    at_server.read_exact(&mut hi).await.unwrap();
    assert_eq!((&hello, &hi), (b"hello", b"hi"));
    let folder = proxy.socket().parent().unwrap().to_owned();
    let mode = std::fs::metadata(&folder).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700, "nobody else finds the socket");
    drop(proxy);
    assert_eq!(program.read(&mut hello).await.unwrap_or(0), 0, "what was open ends with it");
    assert_eq!(at_server.read(&mut hi).await.unwrap_or(0), 0);
    assert!(!folder.exists());
}

#[tokio::test]
async fn what_may_not_be_reached_is_refused_with_a_reason() {
    let (proxy, server, port) = house().await;
    for (target, status, why) in [
        (format!("127.0.0.1:{port}"), "403", "private network or on this machine"),
        (format!("[::1]:{port}"), "403", "delegation.allowed_hosts = [\"[::1]:"),
        ("house.test:1".into(), "403", "house.test:1 is in a private network"),
        ("house.test".into(), "403", "house.test:443 is in a private network"),
        ("gone.test:443".into(), "502", "there is no gone.test in the network"),
        ("closed.test:443".into(), "502", "closed.test:443 cannot be reached: "),
        (format!("house.test:{port}x"), "400", ""),
    ] {
        let request = format!("CONNECT {target} HTTP/1.1\r\nHost: house.test\r\nConnection: close\r\n\r\n");
        let answer = all(ask(&proxy, &request).await).await;
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status} ")) && answer.contains(why),
            "{target}: {answer}"
        );
    }
    for (line, status) in [
        (format!("GET http://127.0.0.1:{port}/ HTTP/1.1"), "403"),
        (format!("GET http://house.test:{port}@127.0.0.1/ HTTP/1.1"), "403"),
        (format!("GET https://house.test:{port}/ HTTP/1.1"), "400"),
        ("GET / HTTP/1.1".into(), "400"),
    ] {
        // The host of the header is not the one that is asked.
        let request = format!("{line}\r\nHost: house.test:{port}\r\nConnection: close\r\n\r\n");
        let answer = all(ask(&proxy, &request).await).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{line}: {answer}");
    }
    let connected = tokio::time::timeout(Duration::from_millis(100), server.accept()).await;
    assert!(connected.is_err(), "nothing has connected");
}

#[tokio::test]
async fn a_plain_request_is_passed_on_with_its_body() {
    let (proxy, server, port) = house().await;
    let request = format!(
        "POST http://user@house.test:{port}/a/b?c=d HTTP/1.1\r\nHost: other.test\r\nContent-Length: 5\r\n\
         Proxy-Authorization: Basic eA==\r\nProxy-Connection: keep-alive\r\nConnection: x-own\r\nX-Own: 1\r\nX-Kept: 2\r\n\r\nhello"
    );
    let mut program = ask(&proxy, &request).await;
    let (mut at_server, _) = server.accept().await.unwrap();
    let asked = head(&mut at_server).await.to_lowercase();
    assert!(asked.starts_with("post /a/b?c=d http/1.1\r\n"), "{asked}");
    assert!(asked.contains(&format!("\r\nhost: house.test:{port}\r\n")), "{asked}");
    assert!(asked.contains("\r\nx-kept: 2\r\n") && asked.contains("\r\ncontent-length: 5\r\n"), "{asked}");
    assert!(
        !asked.contains("x-own") && !asked.contains("proxy-") && !asked.contains("other.test"),
        "{asked}"
    );
    let mut body = [0; 5];
    at_server.read_exact(&mut body).await.unwrap();
    assert_eq!(&body, b"hello");
    let answer = "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\nX-Made: yes\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
    at_server.write_all(answer.as_bytes()).await.unwrap();
    let told = head(&mut program).await.to_lowercase();
    assert!(told.starts_with("http/1.1 201 ") && told.contains("\r\nx-made: yes\r\n"), "{told}");
    let mut body = Vec::new();
    while !body.ends_with(b"0\r\n\r\n") {
        body.push(program.read_u8().await.unwrap());
    }
    assert!(String::from_utf8(body).unwrap().contains("abc"));
    // The connection to the proxy stays, each request has one of its own to its server.
    program.write_all(format!("GET http://house.test:{port}/ HTTP/1.0\r\n\r\n").as_bytes()).await.unwrap();
    let (mut at_server, _) = server.accept().await.unwrap();
    assert!(head(&mut at_server).await.starts_with("GET / HTTP/1.1\r\n"));
    at_server.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await.unwrap();
    assert!(all(program).await.ends_with("\r\n\r\nok"));
}

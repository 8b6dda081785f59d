//! What is asked of a search service, and what is taken of its answers.

use super::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A service that answers once; gives back what it was asked.
async fn service(status: &'static str, body: &'static str) -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let asked = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut read = vec![0; 8192];
        let n = stream.read(&mut read).await.unwrap();
        let head =
            format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
        stream.write_all((head + body).as_bytes()).await.unwrap();
        String::from_utf8_lossy(&read[..n]).into_owned()
    });
    (address, asked)
}

fn config(url: &str, api: SearchApi) -> ToolsConfig {
    ToolsConfig { search_url: url.into(), search_api: api, http_timeout_ms: 2000, ..ToolsConfig::default() }
}

#[tokio::test]
async fn words_are_words_and_results_are_read() {
    let body = r#"{"query": "x", "results": [
        {"title": "The <b>first</b>", "url": "https://www.example.org/a", "content": "says &amp; this\n <script>alert(1)</script>"},
        {"title": "bad", "url": "javascript:alert(1)"}, {"url": "https://example.org/no-title"},
        {"title": "third", "url": "http://example.org/c", "img_src": "https://example.org/c.png", "publishedDate": "2026-11-20"}]}"#;
    let (url, asked) = service("200 OK", body).await;
    let search = WebSearch::new(&config(&url, SearchApi::Searxng), "de-DE");
    let found = search.search(Category::Images, "a&categories=x #frag/..?", 5).await.unwrap();
    let titles: Vec<&str> = found.iter().map(|result| result.title.as_str()).collect();
    assert_eq!(titles, ["The first", "third"]);
    assert_eq!(found[0].text, "says & this");
    assert_eq!(
        (found[1].image.as_deref(), found[1].published.as_deref()),
        (Some("https://example.org/c.png"), Some("2026-11-20"))
    );
    let asked = asked.await.unwrap();
    let line = asked.lines().next().unwrap();
    assert_eq!(
        line,
        "GET /search?q=a%26categories%3Dx+%23frag%2F..%3F&format=json&categories=images&language=de HTTP/1.1"
    );
}

#[tokio::test]
async fn brave_is_asked_with_its_key() {
    let key = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(key.path(), "s3cret\n").unwrap();
    let (url, asked) = service(
        "200 OK",
        r#"{"web": {"results": [{"title": "One", "url": "https://e.org", "description": "text"}]}}"#,
    )
    .await;
    let config = ToolsConfig {
        search_key_file: key.path().display().to_string(),
        ..config(&format!("{url}/res/v1/"), SearchApi::Brave)
    };
    let found = WebSearch::new(&config, "en").search(Category::Web, "one", 5).await.unwrap();
    assert_eq!((found.len(), found[0].text.as_str()), (1, "text"));
    let asked = asked.await.unwrap();
    assert!(asked.starts_with("GET /res/v1/web/search?q=one HTTP/1.1"), "{asked}");
    assert!(asked.contains("x-subscription-token: s3cret"), "{asked}");
}

#[tokio::test]
async fn bad_services_are_told() {
    let none = WebSearch::new(&ToolsConfig::default(), "en");
    assert!(!none.is_configured());
    assert_eq!(none.search(Category::Web, "x", 5).await, Err(SearchError::NotConfigured));
    for url in ["ftp://example.org", "nonsense"] {
        let error =
            WebSearch::new(&config(url, SearchApi::Searxng), "en").search(Category::Web, "x", 5).await;
        assert!(matches!(error, Err(SearchError::BadConfiguration(_))), "{url}: {error:?}");
    }
    for (status, body) in [("403 Forbidden", "{}"), ("200 OK", "<html>"), ("200 OK", "{}"), ("302 Found", "")]
    {
        let (url, _asked) = service(status, body).await;
        let error =
            WebSearch::new(&config(&url, SearchApi::Searxng), "en").search(Category::Web, "x", 5).await;
        assert!(matches!(error, Err(SearchError::BadAnswer(_))), "{status} {body}: {error:?}");
    }
    let gone = WebSearch::new(&config("http://127.0.0.1:9", SearchApi::Searxng), "en");
    assert!(matches!(gone.search(Category::Web, "x", 5).await, Err(SearchError::Unreachable(_))));
}

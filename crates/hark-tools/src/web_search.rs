//! Searching the web by a service the owner names: a SearXNG-compatible one (<https://docs.searxng.org/dev/search_api.html>) or
//! Brave's (<https://api-dashboard.search.brave.com/documentation>). Asked only when somebody asks, with a time-out and a limit
//! on what is read. What it answers is text of others.

use crate::web::page;
use hark_config::paths;
use hark_config::tools::{SearchApi, ToolsConfig};
use hark_core::fault::root_cause;
use hark_core::text::one_line;
use hark_http_client::BodyError;
use reqwest::{Client, StatusCode, Url};
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// Most of an answer that is read, bytes.
const MAX_BODY_BYTES: usize = 2 * 1024 * 1024;
/// Most characters of a text that is told of a result.
const MAX_CHARS: usize = 500;

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Category {
    /// Pages.
    Web,
    /// News.
    News,
    /// Pictures.
    Images,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// `tools.search_url` is empty.
    #[error("no search service is connected")]
    NotConfigured,
    /// The address is none, or the key cannot be read.
    #[error("the search service cannot be asked: {0}")]
    BadConfiguration(String),
    /// It does not answer.
    #[error("the search service cannot be reached: {0}")]
    Unreachable(String),
    /// The answer did not come in time.
    #[error("the search service did not answer in time")]
    Timeout,
    /// An answer that cannot be used.
    #[error("the search service gave an answer that cannot be used: {0}")]
    BadAnswer(String),
}

/// One result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchResult {
    /// Its title.
    pub title: String,
    /// Address of the page.
    pub url: String,
    /// What it says, shortened; empty where nothing was told.
    pub text: String,
    /// When it was published, as the service says it.
    pub published: Option<String>,
    /// Address of the picture.
    pub image: Option<String>,
}

/// The service; cheap to clone.
#[derive(Debug, Clone)]
pub struct WebSearch {
    source: Result<Source, SearchError>,
    language: String,
}

#[derive(Debug, Clone)]
struct Source {
    client: Client,
    url: Url,
    api: SearchApi,
    key_file: Option<PathBuf>,
}

impl WebSearch {
    /// As the configuration says, for a house that speaks `language`; a wrong one is told with the first search.
    pub fn new(config: &ToolsConfig, language: &str) -> Self {
        Self { source: Source::new(config), language: language.to_owned() }
    }

    /// Whether there is a service.
    pub fn is_configured(&self) -> bool {
        self.source != Err(SearchError::NotConfigured)
    }

    /// Where a search would be sent; `None` where there is no service.
    pub fn address(&self) -> Option<&Url> {
        self.source.as_ref().ok().map(|source| &source.url)
    }

    /// At most `most` results.
    ///
    /// # Errors
    /// What is missing, or what the service did.
    pub async fn search(
        &self,
        category: Category,
        words: &str,
        most: usize,
    ) -> Result<Vec<SearchResult>, SearchError> {
        let source = self.source.as_ref().map_err(Clone::clone)?;
        let body = source.ask(category, words, &self.language).await?;
        let answer: Value =
            serde_json::from_slice(&body).map_err(|error| SearchError::BadAnswer(error.to_string()))?;
        let results = match source.api {
            SearchApi::Brave if category == Category::Web => &answer["web"]["results"],
            SearchApi::Brave | SearchApi::Searxng => &answer["results"],
        };
        // Brave leaves the group of pages out when it has none.
        let none = Vec::new();
        let results = match results {
            Value::Array(results) => results,
            Value::Null if source.api == SearchApi::Brave => &none,
            _ => return Err(SearchError::BadAnswer("it has no results".into())),
        };
        Ok(results.iter().filter_map(|result| read(result, category)).take(most).collect())
    }
}

impl PartialEq for Source {
    fn eq(&self, other: &Self) -> bool {
        (&self.url, self.api) == (&other.url, other.api)
    }
}

impl Source {
    fn new(config: &ToolsConfig) -> Result<Self, SearchError> {
        let address = config.search_url.trim();
        if address.is_empty() {
            return Err(SearchError::NotConfigured);
        }
        let bad = |why: &str| SearchError::BadConfiguration(format!("{address}: {why}"));
        let mut url = Url::parse(address).map_err(|error| bad(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(bad("it is no http or https address"));
        }
        url.set_query(None);
        let client = hark_http_client::builder()
            .timeout(Duration::from_millis(config.http_timeout_ms.into()))
            .build()
            .map_err(|error| SearchError::Unreachable(root_cause(&error)))?;
        let credentials = paths::credentials_dir();
        let key_file = paths::secret_file(&config.search_key_file, "search-key", credentials.as_deref());
        Ok(Self { client, url, api: config.search_api, key_file })
    }

    async fn ask(&self, category: Category, words: &str, language: &str) -> Result<Vec<u8>, SearchError> {
        let failed = |error: reqwest::Error| match error.is_timeout() {
            true => SearchError::Timeout,
            false => SearchError::Unreachable(root_cause(&error)),
        };
        let request = self.client.get(self.url_of(category, words, language));
        let key = self.key_file.as_ref().map(|file| paths::read_secret(file)).transpose();
        let key =
            key.map_err(|why| SearchError::BadConfiguration(format!("its key cannot be read: {why}")))?;
        let request = match (key, self.api) {
            (Some(key), SearchApi::Brave) => request.header("x-subscription-token", key),
            (Some(key), SearchApi::Searxng) => request.bearer_auth(key),
            (None, _) => request,
        };
        let response = request.header("accept", "application/json").send().await.map_err(failed)?;
        if response.status() != StatusCode::OK {
            let status = response.status().as_u16();
            let hint = if self.api == SearchApi::Searxng && status == 403 {
                "; its settings must allow the format json"
            } else {
                ""
            };
            return Err(SearchError::BadAnswer(format!("status {status}{hint}")));
        }
        hark_http_client::body(response, MAX_BODY_BYTES).await.map_err(|error| match error {
            BodyError::Broken(error) => failed(error),
            BodyError::TooLong(_) => SearchError::BadAnswer(error.to_string()),
        })
    }

    /// The address of a search; words are a value of the query, whatever they are.
    fn url_of(&self, category: Category, words: &str, language: &str) -> Url {
        let mut url = self.url.clone();
        let group = match (self.api, category) {
            (SearchApi::Brave, Category::Web) => Some("web"),
            (SearchApi::Brave, Category::News) => Some("news"),
            (SearchApi::Brave, Category::Images) => Some("images"),
            (SearchApi::Searxng, _) => None,
        };
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(group);
        }
        let is_whole = url.path().ends_with("/search");
        if let Ok(mut path) = url.path_segments_mut()
            && !is_whole
        {
            path.pop_if_empty().push("search");
        }
        url.query_pairs_mut().append_pair("q", words);
        if self.api == SearchApi::Searxng {
            let name = match category {
                Category::Web => "general",
                Category::News => "news",
                Category::Images => "images",
            };
            let language = language.split(['-', '_']).next().unwrap_or("all");
            url.query_pairs_mut()
                .append_pair("format", "json")
                .append_pair("categories", name)
                .append_pair("language", language);
        }
        url
    }
}

/// A result of either service; `None` for one without a title or an address of the web.
fn read(result: &Value, category: Category) -> Option<SearchResult> {
    let text = |names: &[&str]| {
        let found = names.iter().find_map(|name| result.pointer(name)?.as_str());
        found.map(plain).filter(|text| !text.is_empty())
    };
    let address = |names: &[&str]| {
        let found = names.iter().find_map(|name| result.pointer(name)?.as_str());
        found.and_then(|text| Url::parse(text).ok()).filter(|url| matches!(url.scheme(), "http" | "https"))
    };
    let image = address(&["/img_src", "/properties/url", "/thumbnail/src"]).map(String::from);
    Some(SearchResult {
        title: text(&["/title"])?,
        url: address(&["/url"])?.into(),
        text: text(&["/content", "/description"]).unwrap_or_default(),
        published: text(&["/publishedDate", "/age"]),
        image: image.filter(|_| category == Category::Images),
    })
}

/// A text without tags, on one line, shortened.
fn plain(text: &str) -> String {
    one_line(&page(text).text, MAX_CHARS)
}

#[cfg(test)]
#[path = "web_search_tests.rs"]
mod tests;

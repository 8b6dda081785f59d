//! `search.web`, `search.news`, `search.images`: what a search service finds. What was searched for leaves the house, so that
//! a task that has read text from outside asks first.

use super::args::Args;
use super::outcome::{Failure, Outcome, Prepared};
use super::services::Services;
use crate::web_search::{Category, SearchError, SearchResult};
use hark_core::tool::{
    error_code,
    reason::{self, Part, Service},
};
use serde_json::{Value, json};
use std::sync::Arc;

/// Default number of results.
const USUAL_RESULTS: usize = 5;

/// Whether there is a service.
pub fn ready(services: &Services) -> Result<(), Failure> {
    if services.web_search.is_configured() { Ok(()) } else { Err(SearchError::NotConfigured.into()) }
}

/// `search.web`.
pub fn pages(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    search(services, args, Category::Web)
}

/// `search.news`.
pub fn news(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    search(services, args, Category::News)
}

/// `search.images`.
pub fn images(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    search(services, args, Category::Images)
}

fn search(services: &Arc<Services>, args: &Args, category: Category) -> Result<Prepared, Failure> {
    let words = args.owned("words").unwrap_or_default();
    super::computer::web::refuse_secrets(services, &words)?;
    let most = args.integer("limit").unwrap_or(USUAL_RESULTS);
    let service = services.web_search.clone();
    let trusted = service.address().is_some_and(|address| services.web.trusts(address));
    let address = format!("search for “{words}”");
    let work = Box::pin(async move {
        let found = service.search(category, &words, most).await?;
        let results: Vec<Value> = found.iter().map(shown).collect();
        Ok(Outcome::answer(json!({"words": words, "count": results.len(), "results": results})))
    });
    Ok(Prepared::Fetch { address, trusted, work })
}

fn shown(result: &SearchResult) -> Value {
    let host = url::Url::parse(&result.url).ok().and_then(|url| url.host_str().map(str::to_owned));
    let site = host.map(|host| host.trim_start_matches("www.").to_owned());
    let mut shown = json!({"title": result.title, "url": result.url, "site": site, "text": result.text});
    for (name, value) in [("published", &result.published), ("image", &result.image)] {
        if let Some(value) = value {
            shown[name] = json!(value);
        }
    }
    shown
}

impl From<SearchError> for Failure {
    fn from(error: SearchError) -> Self {
        let message = error.to_string();
        let failure = |code| Self::new(code, message.clone());
        match error {
            SearchError::NotConfigured => Self::not_set_up(Part::Search, message)
                .fix("name one: tools.search_url = \"http://127.0.0.1:8888\" (SearXNG)"),
            SearchError::BadConfiguration(_) => Self::not_set_up(Part::SearchSettings, message)
                .fix("correct tools.search_url and tools.search_key_file"),
            SearchError::Unreachable(_) => {
                failure(error_code::OFFLINE).of_service(reason::SERVICE_DOWN, Service::Search).fix(
                    "look whether the service of tools.search_url runs, and whether this machine reaches it",
                )
            }
            SearchError::Timeout => {
                failure(error_code::TIMEOUT).of_service(reason::SERVICE_SLOW, Service::Search)
            }
            SearchError::BadAnswer(_) => failure(error_code::FAILED)
                .of_service(reason::SERVICE_WRONG, Service::Search)
                .fix("look whether tools.search_api says which service it is"),
        }
    }
}

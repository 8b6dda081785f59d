//! CalDAV (RFC 4791) and CardDAV (RFC 6352): collections that an address leads to, what is in them, and objects that are added,
//! changed and removed. Requests go to the configured server alone, with its name and password, and follow no redirect
//! elsewhere. A change names the version it was made of, so that nothing of others is overwritten.

use crate::error::PersonalError;
use chrono::NaiveDateTime;
use hark_config::paths;
use hark_http_client::BodyError;
use reqwest::{Client, Method, StatusCode};
use std::path::PathBuf;
use std::time::Duration;
use url::Url;

/// Most of an answer that is read, bytes.
const MAX_BODY_BYTES: usize = 32 * 1024 * 1024;
/// Most collections that are read of one address.
const MAX_COLLECTIONS: usize = 50;
const DAV: &str = "DAV:";
/// Kinds of entries of a calendar.
pub(crate) const EVENT: &str = "VEVENT";
pub(crate) const TASK: &str = "VTODO";
/// What finds out where the collections are.
const LOOK: &str = r#"<?xml version="1.0" encoding="utf-8"?><propfind xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:A="urn:ietf:params:xml:ns:carddav"><prop><resourcetype/><displayname/><current-user-principal/><C:calendar-home-set/><C:supported-calendar-component-set/><A:addressbook-home-set/></prop></propfind>"#;
/// Every contact of a collection.
const CONTACTS: &str = r#"<?xml version="1.0" encoding="utf-8"?><A:addressbook-query xmlns="DAV:" xmlns:A="urn:ietf:params:xml:ns:carddav"><prop><A:address-data/></prop><A:filter><A:prop-filter name="FN"/></A:filter></A:addressbook-query>"#;

/// What a collection holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Events.
    Calendar,
    /// Contacts.
    AddressBook,
}

impl Kind {
    fn namespace(self) -> &'static str {
        match self {
            Self::Calendar => "urn:ietf:params:xml:ns:caldav",
            Self::AddressBook => "urn:ietf:params:xml:ns:carddav",
        }
    }

    /// Names of the elements of a collection, of the place where collections are, and of the data.
    fn names(self) -> [&'static str; 3] {
        match self {
            Self::Calendar => ["calendar", "calendar-home-set", "calendar-data"],
            Self::AddressBook => ["addressbook", "addressbook-home-set", "address-data"],
        }
    }
}

/// One address of a server.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    kind: Kind,
    client: Client,
    url: Url,
    username: String,
    password_file: Option<PathBuf>,
}

/// An object of a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Resource {
    pub(crate) url: Url,
    /// Its version (`ETag`), as the server writes it.
    pub(crate) version: Option<String>,
    pub(crate) text: String,
}

/// An answer: its status, the version it tells, what the server can do, and its text.
struct Answer {
    status: StatusCode,
    version: Option<String>,
    abilities: String,
    text: String,
}

/// Where something is, and what a server says of it.
struct Found {
    url: Url,
    is_collection: bool,
    /// Kinds of entries it takes; empty where it does not say, and takes any.
    takes: Vec<String>,
    homes: Vec<Url>,
    principal: Option<Url>,
}

impl Found {
    /// Whether it takes entries of a kind, such as `VTODO`.
    fn may_have(&self, kind: &str) -> bool {
        self.takes.is_empty() || self.takes.iter().any(|taken| taken.eq_ignore_ascii_case(kind))
    }
}

impl Server {
    /// A server as it is configured; `credential` is the name of systemd's credential with its password.
    pub(crate) fn new(
        kind: Kind,
        (address, username, password_file): (&str, &str, &str),
        credential: &str,
        timeout: Duration,
    ) -> Result<Self, PersonalError> {
        let bad = |why: String| PersonalError::BadUrl { address: address.to_owned(), why };
        let url = Url::parse(address).map_err(|error| bad(error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
            return Err(bad("it is no http or https address".into()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(bad("name and password belong into keys of their own".into()));
        }
        let client = hark_http_client::builder()
            .timeout(timeout)
            .build()
            .map_err(|error| PersonalError::of_request(address, &error))?;
        let credentials = paths::credentials_dir();
        let password_file = paths::secret_file(password_file, credential, credentials.as_deref());
        Ok(Self { kind, client, url, username: username.to_owned(), password_file })
    }

    /// Every contact of every address book.
    pub(crate) async fn contacts(&self) -> Result<Vec<String>, PersonalError> {
        let mut texts = Vec::new();
        for collection in self.collections().await? {
            let found = self.report(&collection.url, CONTACTS.to_owned()).await?;
            texts.extend(found.into_iter().map(|resource| resource.text));
        }
        Ok(texts)
    }

    /// Every object of every calendar that touches a span, UTC.
    pub(crate) async fn events(
        &self,
        (from, to): (NaiveDateTime, NaiveDateTime),
    ) -> Result<Vec<Resource>, PersonalError> {
        let [from, to] = [from, to].map(|time| time.format("%Y%m%dT%H%M%SZ"));
        let within = format!(r#"<C:time-range start="{from}" end="{to}"/>"#);
        // Two questions: servers differ in what they make of a filter for several kinds at once.
        self.entries(&[EVENT, TASK], &within).await
    }

    /// Every task of every calendar, those without a day too.
    pub(crate) async fn tasks(&self) -> Result<Vec<Resource>, PersonalError> {
        self.entries(&[TASK], "").await
    }

    async fn entries(&self, kinds: &[&str], filter: &str) -> Result<Vec<Resource>, PersonalError> {
        let mut found = Vec::new();
        for collection in self.collections().await? {
            for kind in kinds.iter().filter(|kind| collection.may_have(kind)) {
                let query = format!(
                    r#"<?xml version="1.0" encoding="utf-8"?><C:calendar-query xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><prop><getetag/><C:calendar-data/></prop><C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="{kind}">{filter}</C:comp-filter></C:comp-filter></C:filter></C:calendar-query>"#
                );
                found.extend(self.report(&collection.url, query).await?);
            }
        }
        Ok(found)
    }

    /// Puts a new object into the first collection that takes its kind; answers where it is.
    pub(crate) async fn add(&self, kind: &str, name: &str, text: String) -> Result<Url, PersonalError> {
        let collections = self.collections().await?;
        let first = collections.iter().find(|collection| collection.may_have(kind));
        let why = if kind == TASK { "it has no calendar that takes tasks" } else { "it has no calendar" };
        let mut url = first.ok_or_else(|| self.bad(why.into()))?.url.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().push(name);
        }
        self.put(&url, text, None).await?;
        Ok(url)
    }

    /// Writes an object: a new one, or over the version that it was made of.
    ///
    /// # Errors
    /// `Changed` when there is another version by now, or one where there was to be none.
    pub(crate) async fn put(&self, url: &Url, text: String, of: Option<&str>) -> Result<(), PersonalError> {
        let kind = ("content-type", "text/calendar; charset=utf-8");
        let headers = [of.map_or(("if-none-match", "*"), |version| ("if-match", version)), kind];
        let answer = self.ask(Method::PUT, url.clone(), &headers, text).await?;
        self.written(answer.status)
    }

    /// Removes this version of an object.
    ///
    /// # Errors
    /// `Changed` when there is another one by now.
    pub(crate) async fn delete(&self, url: &Url, version: &str) -> Result<(), PersonalError> {
        let answer = self.ask(Method::DELETE, url.clone(), &[("if-match", version)], String::new()).await?;
        self.written(answer.status)
    }

    fn written(&self, status: StatusCode) -> Result<(), PersonalError> {
        match status {
            StatusCode::PRECONDITION_FAILED => Err(PersonalError::Changed),
            status if status.is_success() => Ok(()),
            status => Err(self.bad(format!("it did not take the change, status {}", status.as_u16()))),
        }
    }

    /// An object as it is now; `None` when it is gone.
    pub(crate) async fn get(&self, url: &Url) -> Result<Option<Resource>, PersonalError> {
        let Answer { status, version, text, .. } =
            self.ask(Method::GET, url.clone(), &[], String::new()).await?;
        match status {
            StatusCode::NOT_FOUND | StatusCode::GONE => Ok(None),
            status if status.is_success() => Ok(Some(Resource { url: url.clone(), version, text })),
            status => Err(self.bad(format!("status {} at {url}", status.as_u16()))),
        }
    }

    /// Whether the server tells organizers what is answered to their invitations (RFC 6638); one that does not say so does not.
    pub(crate) async fn schedules(&self, url: &Url) -> bool {
        match self.ask(Method::OPTIONS, url.clone(), &[], String::new()).await {
            Ok(answer) => {
                let mut abilities = answer.abilities.split(',');
                answer.status.is_success() && abilities.any(|one| one.trim() == "calendar-auto-schedule")
            }
            Err(error) => {
                tracing::warn!(%error, "whether organizers are told of an answer cannot be asked");
                false
            }
        }
    }

    /// Whether an address is one of this server.
    pub(crate) fn has(&self, url: &Url) -> bool {
        url.origin() == self.url.origin()
    }

    /// The collections that the address leads to: itself, those beside it, or those of the person who logs in.
    async fn collections(&self) -> Result<Vec<Found>, PersonalError> {
        let mut at = self.url.clone();
        // The address, the principal, the home.
        for _ in 0..3 {
            let mut here = self.look(&at, "0").await?;
            if let Some(collection) = here.iter().position(|found| found.is_collection) {
                return Ok(vec![here.swap_remove(collection)]);
            }
            let next = here.iter().find_map(|found| found.homes.first().or(found.principal.as_ref()));
            let home = next.filter(|next| **next != at).cloned();
            let listed = self.look(home.as_ref().unwrap_or(&at), "1").await?;
            let collections: Vec<Found> = listed.into_iter().filter(|found| found.is_collection).collect();
            if !collections.is_empty() {
                return Ok(collections.into_iter().take(MAX_COLLECTIONS).collect());
            }
            let Some(home) = home else { break };
            at = home;
        }
        let what = if self.kind == Kind::Calendar { "calendar" } else { "address book" };
        Err(self.bad(format!("there is no {what} at {}", self.url)))
    }

    /// What a server says of an address (`depth` 0) and of what is in it (1).
    async fn look(&self, at: &Url, depth: &str) -> Result<Vec<Found>, PersonalError> {
        let headers = [("depth", depth), ("content-type", "application/xml; charset=utf-8")];
        let body = self.multistatus("PROPFIND", at, &headers, LOOK.to_owned()).await?;
        let document = self.parsed(&body)?;
        let [collection, home, _] = self.kind.names();
        let responses = document.descendants().filter(|node| node.has_tag_name((DAV, "response")));
        let found = responses.filter_map(|response| {
            let urls = |parent: roxmltree::Node<'_, '_>| -> Vec<Url> {
                let hrefs = parent.children().filter(|node| node.has_tag_name((DAV, "href")));
                hrefs.filter_map(|href| self.same_server(at, href.text()?)).collect()
            };
            let inside = |namespace: &str, name: &str| {
                response.descendants().find(|node| node.has_tag_name((namespace, name)))
            };
            let kinds = inside(DAV, "resourcetype");
            let is_collection = kinds.is_some_and(|kinds| {
                kinds.children().any(|kind| kind.has_tag_name((self.kind.namespace(), collection)))
            });
            let taken = inside(self.kind.namespace(), "supported-calendar-component-set");
            let taken = taken.into_iter().flat_map(|taken| taken.children());
            Some(Found {
                url: urls(response).into_iter().next()?,
                is_collection,
                takes: taken.filter_map(|kind| kind.attribute("name").map(str::to_owned)).collect(),
                homes: inside(self.kind.namespace(), home).map(urls).unwrap_or_default(),
                principal: inside(DAV, "current-user-principal")
                    .and_then(|node| urls(node).into_iter().next()),
            })
        });
        Ok(found.collect())
    }

    /// The objects that a question brings.
    async fn report(&self, collection: &Url, query: String) -> Result<Vec<Resource>, PersonalError> {
        let headers = [("depth", "1"), ("content-type", "application/xml; charset=utf-8")];
        let body = self.multistatus("REPORT", collection, &headers, query).await?;
        let document = self.parsed(&body)?;
        let [_, _, data] = self.kind.names();
        let responses = document.descendants().filter(|node| node.has_tag_name((DAV, "response")));
        let resource = |response: roxmltree::Node<'_, '_>| {
            let text = |namespace: &str, name: &str| {
                let node = response.descendants().find(|node| node.has_tag_name((namespace, name)));
                node.and_then(|node| node.text()).map(str::to_owned)
            };
            let url = self.same_server(collection, &text(DAV, "href")?)?;
            Some(Resource { url, version: text(DAV, "getetag"), text: text(self.kind.namespace(), data)? })
        };
        Ok(responses.filter_map(resource).collect())
    }

    /// An address of an answer; `None` when it is one of another server, which is told no password.
    fn same_server(&self, at: &Url, href: &str) -> Option<Url> {
        at.join(href.trim()).ok().filter(|url| self.has(url))
    }

    fn parsed<'t>(&self, body: &'t str) -> Result<roxmltree::Document<'t>, PersonalError> {
        // Without document types: nothing in it is expanded.
        roxmltree::Document::parse(body).map_err(|error| self.bad(error.to_string()))
    }

    async fn multistatus(
        &self,
        method: &str,
        at: &Url,
        headers: &[(&'static str, &str)],
        body: String,
    ) -> Result<String, PersonalError> {
        let method = Method::from_bytes(method.as_bytes()).unwrap_or(Method::GET);
        let answer = self.ask(method, at.clone(), headers, body).await?;
        match answer.status {
            StatusCode::MULTI_STATUS => Ok(answer.text),
            status => Err(self.bad(format!("status {} at {at}", status.as_u16()))),
        }
    }

    async fn ask(
        &self,
        method: Method,
        url: Url,
        headers: &[(&'static str, &str)],
        body: String,
    ) -> Result<Answer, PersonalError> {
        let failed = |error: reqwest::Error| PersonalError::of_request(&self.host(), &error);
        let mut request = self.client.request(method, url).body(body);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if !self.username.is_empty() {
            request = request.basic_auth(&self.username, self.password()?);
        }
        let response = request.send().await.map_err(failed)?;
        let status = response.status();
        let header = |name: &str| {
            response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
        };
        let version = header("etag");
        // It may stand there several times.
        let abilities = response.headers().get_all("dav").iter().filter_map(|value| value.to_str().ok());
        let abilities = abilities.collect::<Vec<_>>().join(",");
        if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            return Err(PersonalError::Denied(self.host()));
        }
        let read = hark_http_client::body(response, MAX_BODY_BYTES).await.map_err(|error| match error {
            BodyError::Broken(error) => failed(error),
            BodyError::TooLong(_) => self.bad(error.to_string()),
        })?;
        let text = String::from_utf8(read).map_err(|_| self.bad("it is no UTF-8".into()))?;
        Ok(Answer { status, version, abilities, text })
    }

    fn password(&self) -> Result<Option<String>, PersonalError> {
        let read = |path: &PathBuf| {
            paths::read_secret(path)
                .map_err(|error| PersonalError::NoPassword { address: self.host(), why: error.to_string() })
        };
        self.password_file.as_ref().map(read).transpose()
    }

    fn host(&self) -> String {
        self.url.host_str().unwrap_or_default().to_owned()
    }

    fn bad(&self, why: String) -> PersonalError {
        PersonalError::BadAnswer(self.host(), why)
    }
}

//! One server: asks it once, follows its answer, and remembers what it was found to want.

use super::address::Address;
use super::answer::Usage;
use super::budget::{Budget, retry_after};
use super::choice::Models;
use super::context_window::{SMALLEST, Window};
use super::error::{Error, StreamError, shortened};
use super::fitting;
use super::health::Health;
use super::key::Key;
use super::listener::{Failure, Listener};
use super::refusal::{Meaning, Refusal};
use super::spending::{Price, Spending};
use super::thoughts::Thinkers;
use super::wire::Wire;
use super::wire::names::Names;
use super::wire::ollama::{self, Habits};
use super::wire::openai::{self, Ways};
use super::wire::reader::Reader;
use super::words;
use hark_config::llm::{Llm, LlmFallback};
use hark_core::fault::root_cause;
use hark_core::model::{Completion, Delivery, ModelError, Prompt};
use reqwest::{Client, RequestBuilder, Response};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant as Moment, timeout, timeout_at};

/// Most of a refusal that is read, bytes.
const MAX_REFUSAL_BYTES: usize = 16 * 1024;
/// How long a server may take to end a response whose answer is over, so that its connection can be used again.
const ENDING: Duration = Duration::from_millis(100);
/// How long it may take to send its last frame after it said why it ends.
const LAST_FRAME: Duration = Duration::from_millis(500);

/// A server and what is known of it.
#[derive(Debug)]
pub(super) struct Provider {
    pub(super) kind: Wire,
    pub(super) name: String,
    pub(super) address: Address,
    pub(super) models: Models,
    /// It does not stand in the house.
    pub(super) is_outside: bool,
    price: Price,
    spending: Arc<Spending>,
    pub(super) client: Client,
    key: Option<Key>,
    habits: Habits,
    pub(super) thinkers: Thinkers,
    /// Tokens a model can look back on as configured; 0: as its server says.
    pub(super) context_tokens: u32,
    max_tokens: u32,
    max_answer_bytes: usize,
    first_token: Duration,
    pub(super) health: Health,
    state: Mutex<State>,
    /// Requests that are under way.
    under_way: AtomicUsize,
    /// Held by the one request a server that can answer only one at a time is asked.
    turn: Semaphore,
}

#[derive(Debug, Default)]
struct State {
    budget: Budget,
    ways: Ways,
    /// Models of Ollama that can go on with a text, but not chat.
    no_chat: HashSet<String>,
    /// Models whose server rejects `tools`: their prompts describe the tools as text instead.
    no_tools: HashSet<String>,
    /// How much each model can look back on.
    windows: HashMap<String, Window>,
    /// It breaks off an answer when another request comes.
    one_at_a_time: bool,
}

/// How long a request may take in all.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline {
    pub(super) at: Moment,
    pub(super) whole_ms: u64,
}

impl Deadline {
    /// The time-out that ended at `by`, in ms: that of the first token or that of the whole answer.
    pub(super) fn missed_ms(self, by: Moment, first_token: Duration) -> u64 {
        if by < self.at { u64::try_from(first_token.as_millis()).unwrap_or(u64::MAX) } else { self.whole_ms }
    }
}

/// What is sent where.
struct Request {
    path: &'static str,
    body: Value,
    ways: Ways,
    bare: bool,
    /// The prompt describes the tools as text, and the answer is searched for calls.
    in_words: bool,
}

impl Provider {
    /// Prepares for asking.
    pub(super) fn new(
        config: &LlmFallback,
        kind: Wire,
        all: &Llm,
        spending: Arc<Spending>,
        credentials_dir: Option<&Path>,
    ) -> Result<Self, Error> {
        let address = Address::new(&config.url, kind)?;
        let mut client = hark_http_client::builder();
        let is_outside = !address.is_local(config.local);
        if !is_outside {
            client = client.no_proxy();
        }
        let client = client.build().map_err(|error| Error::NoClient(root_cause(&error)))?;
        Ok(Self {
            kind,
            name: config.name.clone(),
            key: Key::find(&config.key_file, &config.name, credentials_dir)?,
            address,
            models: Models::new(config),
            is_outside,
            price: Price { prompt: config.prompt_price_cents, answer: config.answer_price_cents },
            spending,
            client,
            habits: Habits { keep_alive: all.keep_alive.clone(), context_tokens: all.context_tokens },
            thinkers: Thinkers::default(),
            context_tokens: all.context_tokens,
            max_tokens: all.max_tokens,
            max_answer_bytes: all.max_answer_bytes as usize,
            first_token: Duration::from_millis(all.first_token_timeout_ms.into()),
            health: Health::default(),
            state: Mutex::default(),
            under_way: AtomicUsize::new(0),
            turn: Semaphore::new(1),
        })
    }

    /// Where it is, for errors.
    pub(super) fn place(&self) -> String {
        self.address.shown().to_owned()
    }

    /// How long until the first word.
    pub(super) fn first_token(&self) -> Duration {
        self.first_token
    }

    /// Takes a request out of the budget, or says how long to wait.
    pub(super) fn take(&self, prompt: &Prompt) -> Result<(), Duration> {
        self.state().budget.take(self.tokens(prompt), Instant::now())
    }

    /// Asks once. Refusals of a way of asking are answered by asking in another way.
    pub(super) async fn ask(
        &self,
        prompt: &Prompt,
        listener: &mut Listener,
        deadline: Deadline,
    ) -> Result<Completion, Failure> {
        if self.is_outside {
            self.spending.allows(&self.place())?;
        }
        let (model, names) = (self.models.of(prompt), Names::of(prompt));
        // What is found out of the model at this says in which way it is asked.
        let mut fits = self.fits(prompt, model).await;
        let (mut ways, mut bare, mut in_words) = {
            let state = self.state();
            (state.ways, state.no_chat.contains(model), state.no_tools.contains(model))
        };
        let _turn = self.turn(deadline).await?;
        let _counted = UnderWay::new(&self.under_way);
        let mut is_cut = false;
        let delivery = Delivery {
            server: self.name.clone(),
            model: model.to_owned(),
            outside: self.is_outside,
            left_out: words::chars(prompt).saturating_sub(words::chars(&fits)),
            ..Delivery::default()
        };
        let delivery = prompt.deliveries.begin(delivery);
        loop {
            let request =
                self.request(&words::told(&fits, in_words || bare), model, &names, ways, (bare, in_words));
            let first_by = deadline.at.min(Moment::now() + self.first_token);
            let sending = self.post(&request).send();
            let response = match timeout_at(first_by, sending).await {
                Err(_) => return Err(self.timed_out(deadline).into()),
                Ok(Err(error)) => return Err(self.unreachable(&error)),
                Ok(Ok(response)) => response,
            };
            self.learn_limits(&response);
            if response.status() == 200 {
                self.learn_way(&request, model);
                let in_words = (in_words || bare) && !prompt.tools.is_empty();
                let answer =
                    self.follow(response, (model, in_words), &names, listener, first_by, deadline).await;
                let usage = answer.as_ref().map_or_else(|_| Usage::default(), |(_, usage)| *usage);
                self.note(prompt, delivery, usage, &fits, answer.as_ref().ok().map(|(answer, _)| answer));
                return answer.map(|(answer, _)| answer);
            }
            let wait = retry_after(header_of(&response), SystemTime::now());
            let refusal = self.refusal(response, first_by).await;
            let has_tools = !prompt.tools.is_empty() || prompt.messages.iter().any(|it| !it.calls.is_empty());
            if let Some(too_long) = refusal.too_long.filter(|_| !is_cut) {
                is_cut = true;
                let window = self.learn_refusal(model, too_long, fitting::tokens(&fits, 1.0));
                fits = Cow::Owned(self.within(prompt, window).into_owned());
                let left_out = words::chars(prompt).saturating_sub(words::chars(&fits));
                prompt.deliveries.complete(delivery, |delivery| delivery.left_out = left_out);
                continue;
            }
            match refusal.meaning(self.kind) {
                Meaning::NoChat if !bare => bare = true,
                Meaning::Refused | Meaning::Fails
                    if has_tools && !in_words && !bare && refusal.is_about_tools() =>
                {
                    in_words = true;
                }
                Meaning::Refused | Meaning::Fails => {
                    match refusal.other_way(self.kind, ways, prompt.schema.is_some()) {
                        Some(other) => ways = other,
                        None => return Err(self.refused(&refusal, model, wait)),
                    }
                }
                _ => return Err(self.refused(&refusal, model, wait)),
            }
        }
    }

    /// The prompt within what the model can look back on.
    async fn fits<'p>(&self, prompt: &'p Prompt, model: &str) -> Cow<'p, Prompt> {
        let answer = prompt.max_tokens.unwrap_or(self.max_tokens) as usize;
        if fitting::tokens(prompt, 1.0) + answer <= SMALLEST {
            return Cow::Borrowed(prompt);
        }
        self.within(prompt, self.window(model).await)
    }

    fn within<'p>(&self, prompt: &'p Prompt, window: Window) -> Cow<'p, Prompt> {
        let answer = prompt.max_tokens.unwrap_or(self.max_tokens) as usize;
        let fitted = window.tokens.and_then(|tokens| fitting::fitted(prompt, answer, tokens, window.scale));
        let Some((short, left_out)) = fitted else { return Cow::Borrowed(prompt) };
        tracing::info!(
            server = self.place(),
            left_out,
            "a prompt was shortened to what the model can look back on"
        );
        Cow::Owned(short)
    }

    /// Notes what an answer took. A server outside the house that does not count is counted for.
    fn note(
        &self,
        prompt: &Prompt,
        delivery: usize,
        usage: Usage,
        sent: &Prompt,
        answer: Option<&Completion>,
    ) {
        let micro_cents = self.price.of(usage);
        prompt.deliveries.complete(delivery, |delivery| {
            delivery.prompt_tokens = usage.prompt;
            delivery.cached_tokens = usage.cached;
            delivery.answer_tokens = usage.answer;
            delivery.micro_cents = micro_cents;
        });
        if !self.is_outside {
            return;
        }
        let estimate = |count: usize| u32::try_from(count).ok();
        let said = answer.map_or(0, |answer| answer.text.len() / 4);
        let counted = Usage {
            prompt: usage.prompt.or_else(|| estimate(fitting::tokens(sent, 1.0))),
            answer: usage.answer.or_else(|| estimate(said)),
            ..usage
        };
        self.spending.add(counted, self.price.of(counted));
    }

    pub(super) fn known_window(&self, model: &str) -> Option<Window> {
        self.state().windows.get(model).copied()
    }

    /// From now on the prompts for a model describe the tools as text.
    pub(super) fn learn_no_tools(&self, model: &str) {
        self.state().no_tools.insert(model.to_owned());
    }

    pub(super) fn learn_window(&self, model: &str, window: Window) {
        self.state().windows.insert(model.to_owned(), window);
    }

    /// Leave to ask, of a server that was found to answer only one at a time.
    async fn turn(&self, deadline: Deadline) -> Result<Option<SemaphorePermit<'_>>, Failure> {
        if !self.state().one_at_a_time {
            return Ok(None);
        }
        let turn = timeout_at(deadline.at, self.turn.acquire()).await;
        // The semaphore is never closed.
        turn.map(Result::ok).map_err(|_| self.timed_out_at(deadline.at, deadline).into())
    }

    /// A GET or POST with what goes with every request.
    pub(super) fn with_key(&self, request: RequestBuilder) -> RequestBuilder {
        match self.key.as_ref().and_then(Key::header) {
            Some(key) => request.header(reqwest::header::AUTHORIZATION, key),
            None => request,
        }
    }

    /// What stands in the way of reaching it, without the address and the key.
    pub(super) fn unreachable(&self, error: &reqwest::Error) -> Failure {
        let failure = ModelError::Unreachable(self.place(), self.hidden(&root_cause(error)));
        // A connection that was kept may have been closed the moment it was used.
        if error.is_connect() { Failure::Final(failure) } else { Failure::Passing(failure, None) }
    }

    /// A text of the server, without the key, short.
    pub(super) fn hidden(&self, text: &str) -> String {
        let text = self.key.as_ref().map_or_else(|| text.to_owned(), |key| key.hide(text));
        shortened(&text)
    }

    /// The fault of a stream as it is told.
    pub(super) fn bad(&self, error: &StreamError) -> ModelError {
        ModelError::BadAnswer(self.place(), self.hidden(&error.to_string()))
    }

    /// Reads a refusal, as far as it comes in time.
    pub(super) async fn refusal(&self, mut response: Response, by: Moment) -> Refusal {
        let (status, mut body) = (response.status().as_u16(), Vec::new());
        while let Ok(Ok(Some(chunk))) = timeout_at(by, response.chunk()).await {
            body.extend_from_slice(&chunk);
            if body.len() > MAX_REFUSAL_BYTES {
                break;
            }
        }
        let text = String::from_utf8_lossy(&body).into_owned();
        Refusal::read(status, &self.key.as_ref().map_or_else(|| text.clone(), |key| key.hide(&text)))
    }

    /// What a refusal amounts to.
    pub(super) fn refused(&self, refusal: &Refusal, model: &str, wait: Option<Duration>) -> Failure {
        let refused = || ModelError::Refused(self.place(), refusal.status, refusal.says.clone());
        match refusal.meaning(self.kind) {
            Meaning::Busy => {
                if let Some(wait) = wait {
                    self.state().budget.close(wait, Instant::now());
                }
                Failure::Passing(ModelError::RateLimited(self.place()), wait)
            }
            Meaning::UsedUp => Failure::Final(ModelError::RateLimited(self.place())),
            Meaning::Fails => Failure::Passing(refused(), wait),
            Meaning::NoModel => Failure::Final(ModelError::NoSuchModel(self.place(), model.to_owned())),
            Meaning::NoChat | Meaning::Refused => Failure::Final(refused()),
        }
    }

    fn request(
        &self,
        prompt: &Prompt,
        model: &str,
        names: &Names,
        ways: Ways,
        (bare, in_words): (bool, bool),
    ) -> Request {
        let most = prompt.max_tokens.unwrap_or(self.max_tokens);
        let (path, body) = match self.kind {
            Wire::Openai => ("chat/completions", openai::body(prompt, model, most, ways, names)),
            Wire::Ollama if bare => {
                ("api/generate", ollama::generate(prompt, model, most, &self.habits, ways.form))
            }
            Wire::Ollama => ("api/chat", ollama::chat(prompt, model, most, &self.habits, ways.form)),
        };
        Request { path, body, ways, bare, in_words }
    }

    fn post(&self, request: &Request) -> RequestBuilder {
        self.with_key(self.client.post(self.address.join(request.path)).json(&request.body))
    }

    /// Follows an answer to its end.
    async fn follow(
        &self,
        mut response: Response,
        (model, in_words): (&str, bool),
        names: &Names,
        listener: &mut Listener,
        first_by: Moment,
        deadline: Deadline,
    ) -> Result<(Completion, Usage), Failure> {
        let mut reader = Reader::new(self.kind, self.max_answer_bytes, self.thinkers.filter(model));
        let mut held = in_words.then(String::new);
        loop {
            let by = match (reader.is_finished(), reader.has_begun()) {
                (true, _) => deadline.at.min(Moment::now() + LAST_FRAME),
                (false, true) => deadline.at,
                (false, false) => first_by,
            };
            let chunk = match timeout_at(by, response.chunk()).await {
                Err(_) if reader.is_finished() => None,
                Err(_) => return Err(self.timed_out_at(by, deadline).into()),
                // A connection that breaks is told from one that ends only by whether the answer is whole.
                Ok(Err(_)) => None,
                Ok(Ok(chunk)) => chunk,
            };
            let Some(bytes) = chunk else { break };
            let fed = reader.feed(&bytes);
            // Words before a fault were said; they are handed on as they would have been in a chunk of their own.
            words::hand(listener, &mut held, reader.fresh())?;
            fed?;
            if reader.is_over() {
                let _ = timeout(ENDING, async { while let Ok(Some(_)) = response.chunk().await {} }).await;
                break;
            }
        }
        reader.end()?;
        let disturbed = reader.was_interrupted() && self.under_way.load(Ordering::SeqCst) > 1;
        if disturbed {
            self.state().one_at_a_time = true;
            if !listener.has_heard() {
                let why = "it broke off for another request".to_owned();
                let error = ModelError::BadAnswer(self.place(), why);
                return Err(Failure::Passing(error, Some(Duration::ZERO)));
            }
        }
        words::hand(listener, &mut held, reader.fresh())?;
        let original = |name: &str| match self.kind {
            Wire::Openai => names.back(name),
            Wire::Ollama => name.to_owned(),
        };
        let answer = reader.into_answer();
        self.thinkers.learn(model, answer.manner());
        let usage = answer.usage;
        let answer = words::finished(answer.complete(model, original), in_words, held, listener)?;
        Ok((answer, usage))
    }

    fn timed_out(&self, deadline: Deadline) -> ModelError {
        self.timed_out_at(deadline.at.min(Moment::now()), deadline)
    }

    /// Names the time-out that it was.
    fn timed_out_at(&self, by: Moment, deadline: Deadline) -> ModelError {
        ModelError::TimedOut(self.place(), deadline.missed_ms(by, self.first_token))
    }

    fn learn_limits(&self, response: &Response) {
        self.state().budget.learn(header_of(response), Instant::now());
    }

    /// The server accepted a way of asking: it is asked that way from now on.
    fn learn_way(&self, request: &Request, model: &str) {
        let mut state = self.state();
        if request.bare {
            state.no_chat.insert(model.to_owned());
        }
        if request.in_words {
            state.no_tools.insert(model.to_owned());
        }
        state.ways = request.ways;
    }

    /// Tokens a request may cost, at about four bytes a token.
    fn tokens(&self, prompt: &Prompt) -> u32 {
        let bytes: usize = prompt.messages.iter().map(|message| message.content.len()).sum();
        let asked = u32::try_from(bytes / 4).unwrap_or(u32::MAX);
        asked.saturating_add(prompt.max_tokens.unwrap_or(self.max_tokens))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing that holds it can leave it half changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts a request as long as it lives.
struct UnderWay<'a>(&'a AtomicUsize);

impl<'a> UnderWay<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count)
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

fn header_of<'a>(response: &'a Response) -> impl Fn(&str) -> Option<&'a str> {
    move |name: &str| response.headers().get(name)?.to_str().ok()
}

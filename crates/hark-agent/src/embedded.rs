//! A model in this program: a request goes to the thread that llama.cpp runs on (`hark_llama`), and its words come back through a
//! channel. When the listener stops, the channel closes and the answer ends before its next token. Tools are described in the
//! prompt's text. The tokens of a prompt that is too long are counted exactly; it is shortened and sent again.

use super::answer::{Answer, Usage};
use super::choice::Models;
use super::health::Health;
use super::listener::{Failure, Listener};
use super::provider::Deadline;
use super::thoughts::Thinkers;
use super::{fitting, words};
use hark_config::llm::{Llm, LlmFallback};
use hark_core::model::{Completion, Delivery, Message, ModelError, ModelListing, Prompt, Role};
use hark_llama::{Engine, Finished, Request};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant as Moment, timeout_at};

/// How often a prompt that is too long is shortened.
const SHORTENED: u32 = 4;

/// See the module.
#[derive(Debug)]
pub(super) struct Embedded {
    engine: Arc<Engine>,
    pub(super) name: String,
    pub(super) models: Models,
    thinkers: Thinkers,
    max_tokens: u32,
    max_answer_bytes: usize,
    first_token: Duration,
    pub(super) health: Health,
}

/// What the engine's thread sends.
enum Event {
    Words(String),
    End(Result<Finished, hark_llama::Error>),
}

/// Hears an answer on the engine's thread. The channel has no bound of its own: an answer has one.
struct Channel(UnboundedSender<Event>);

impl hark_llama::Listener for Channel {
    fn piece(&mut self, words: &str) -> ControlFlow<()> {
        match self.0.send(Event::Words(words.to_owned())) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }

    fn is_gone(&self) -> bool {
        self.0.is_closed()
    }

    fn end(self: Box<Self>, outcome: Result<Finished, hark_llama::Error>) {
        // Nobody may be left to hear it.
        let _ = self.0.send(Event::End(outcome));
    }
}

/// Why one request came to nothing.
enum Refused {
    /// The prompt has so many tokens, and the model so many in all.
    TooLong(usize, usize),
    Other(Failure),
}

impl From<ModelError> for Refused {
    fn from(error: ModelError) -> Self {
        Self::Other(error.into())
    }
}

impl Embedded {
    /// Prepares for asking; nothing is loaded yet. The models of `config` are paths of GGUF files.
    pub(super) fn new(config: &LlmFallback, all: &Llm, engine: Arc<Engine>) -> Self {
        Self {
            engine,
            name: config.name.clone(),
            models: Models::new(config),
            thinkers: Thinkers::default(),
            max_tokens: all.max_tokens,
            max_answer_bytes: all.max_answer_bytes as usize,
            first_token: Duration::from_millis(all.first_token_timeout_ms.into()),
            health: Health::default(),
        }
    }

    /// What it is, for errors.
    pub(super) fn place(&self) -> String {
        format!("{} in this program", shown(Path::new(&self.models.main)))
    }

    /// How long until the first word.
    pub(super) fn first_token(&self) -> Duration {
        self.first_token
    }

    /// How it does, in words.
    pub(super) fn report(&self, rest: Duration) -> Result<String, ModelError> {
        let models = self.look(rest)?;
        let sizes = models.iter().map(|model| {
            let megabytes = model.size_bytes.unwrap_or_default() as f64 / 1e6;
            format!("{} ({megabytes:.0} MB)", shown(Path::new(&model.name)))
        });
        Ok(format!("llama.cpp in this program: {}", sizes.collect::<Vec<_>>().join(", ")))
    }

    /// Whether its files are there, and how large they are.
    pub(super) fn look(&self, rest: Duration) -> Result<Vec<ModelListing>, ModelError> {
        let listing = |model: &str| match std::fs::metadata(model) {
            Ok(file) => Ok(ModelListing {
                name: model.to_owned(),
                provider: self.name.clone(),
                size_bytes: Some(file.len()),
            }),
            Err(error) => Err(ModelError::Unreachable(self.place(), format!("{model}: {error}"))),
        };
        let found: Result<Vec<_>, _> = self.models.all().into_iter().map(listing).collect();
        match &found {
            Ok(_) => self.health.is_well(),
            Err(error) => self.health.has_failed(error, rest),
        }
        found
    }

    /// Asks once; a prompt that is too long is shortened first.
    pub(super) async fn ask(
        &self,
        prompt: &Prompt,
        listener: &mut Listener,
        deadline: Deadline,
    ) -> Result<Completion, Failure> {
        if prompt.messages.iter().any(|message| !message.pictures.is_empty()) {
            let error = ModelError::Refused(self.place(), 415, "it sees no pictures".into());
            return Err(error.into());
        }
        let model = PathBuf::from(self.models.of(prompt));
        let in_words = !prompt.tools.is_empty();
        let whole = words::told(prompt, true).into_owned();
        let delivery = Delivery { server: self.name.clone(), model: shown(&model), ..Delivery::default() };
        let delivery = prompt.deliveries.begin(delivery);
        let first_by = deadline.at.min(Moment::now() + self.first_token);
        let (mut told, mut tries) = (whole.clone(), 0);
        loop {
            let by = (first_by, deadline);
            match self.once(&told, (&model, in_words), listener, by).await {
                Ok((answer, usage)) => {
                    prompt.deliveries.complete(delivery, |delivery| {
                        delivery.left_out = words::chars(&whole).saturating_sub(words::chars(&told));
                        delivery.prompt_tokens = usage.prompt;
                        delivery.cached_tokens = usage.cached;
                        delivery.answer_tokens = usage.answer;
                    });
                    return Ok(answer);
                }
                Err(Refused::Other(failure)) => return Err(failure),
                Err(Refused::TooLong(count, window)) => {
                    tries += 1;
                    let shorter = (tries <= SHORTENED)
                        .then(|| self.shorter(&whole, &told, (count, window), tries))
                        .flatten();
                    told = shorter.ok_or_else(|| {
                        let why = format!("{count} tokens, of {window} it can look back on");
                        Failure::Final(ModelError::Refused(self.place(), 413, why))
                    })?;
                }
            }
        }
    }

    /// The whole prompt shortened to what fits; `told` was too long by exactly that. `None` when no more can be left out.
    fn shorter(
        &self,
        whole: &Prompt,
        told: &Prompt,
        (count, window): (usize, usize),
        tries: u32,
    ) -> Option<Prompt> {
        let answer = (self.most(whole) as usize).min(window / 4);
        let off = count as f32 / fitting::tokens(told, 1.0).max(1) as f32;
        // What is left may be of another kind than what goes.
        let scale = off * 1.05_f32.powi(tries as i32 - 1);
        let (short, left_out) = fitting::fitted(whole, answer, window, scale)?;
        tracing::info!(left_out, "a prompt was shortened to what the model can look back on");
        (words::chars(&short) < words::chars(told)).then_some(short)
    }

    fn most(&self, prompt: &Prompt) -> u32 {
        prompt.max_tokens.unwrap_or(self.max_tokens)
    }

    async fn once(
        &self,
        prompt: &Prompt,
        (model, in_words): (&Path, bool),
        listener: &mut Listener,
        (first_by, deadline): (Moment, Deadline),
    ) -> Result<(Completion, Usage), Refused> {
        let (sender, mut events) = unbounded_channel();
        let request = Request {
            model: model.to_owned(),
            messages: prompt.messages.iter().map(message).collect(),
            schema: prompt.schema.as_ref().map(ToString::to_string),
            max_tokens: self.most(prompt),
            temperature: prompt.temperature,
            stop: Vec::new(),
        };
        self.engine.ask(request, Box::new(Channel(sender)));
        let name = shown(model);
        let mut answer = Answer::of(self.thinkers.filter(&name));
        let mut held = in_words.then(String::new);
        let finished =
            self.follow(&mut events, &mut answer, &mut held, listener, (first_by, deadline)).await?;
        answer.cut_short = finished.cut_short;
        answer.end();
        self.thinkers.learn(&name, answer.manner());
        words::hand(listener, &mut held, answer.fresh())?;
        let usage = Usage {
            prompt: Some(finished.prompt_tokens),
            cached: Some(finished.reused_tokens),
            answer: Some(finished.answer_tokens),
        };
        let answer = answer.complete(&name, str::to_owned);
        Ok((words::finished(answer, in_words, held, listener)?, usage))
    }

    /// Hands words on until the end.
    async fn follow(
        &self,
        events: &mut UnboundedReceiver<Event>,
        answer: &mut Answer,
        held: &mut Option<String>,
        listener: &mut Listener,
        (first_by, deadline): (Moment, Deadline),
    ) -> Result<Finished, Refused> {
        let mut bytes = 0;
        loop {
            let by = if answer.begun { deadline.at } else { first_by };
            let event = timeout_at(by, events.recv()).await.map_err(|_| self.timed_out(by, deadline))?;
            match event {
                Some(Event::Words(more)) => {
                    bytes += more.len();
                    if bytes > self.max_answer_bytes {
                        return Err(self.bad(format!("more than {} bytes", self.max_answer_bytes)).into());
                    }
                    answer.say(&more);
                    words::hand(listener, held, answer.fresh())?;
                }
                Some(Event::End(Ok(finished))) => return Ok(finished),
                Some(Event::End(Err(error))) => return Err(self.refused(error)),
                None => return Err(self.bad("its thread ended".into()).into()),
            }
        }
    }

    fn refused(&self, error: hark_llama::Error) -> Refused {
        use hark_llama::Error;
        match error {
            Error::TooLong { prompt, window } => Refused::TooLong(prompt as usize, window as usize),
            Error::Busy => Refused::Other(Failure::Passing(ModelError::RateLimited(self.place()), None)),
            Error::Stopped => ModelError::Stopped.into(),
            Error::Model { .. } | Error::NotBuiltIn | Error::Processor(_) => {
                ModelError::Unreachable(self.place(), error.to_string()).into()
            }
            Error::Failed(why) => self.bad(why).into(),
        }
    }

    fn bad(&self, why: String) -> ModelError {
        ModelError::BadAnswer(self.place(), why)
    }

    fn timed_out(&self, by: Moment, deadline: Deadline) -> ModelError {
        ModelError::TimedOut(self.place(), deadline.missed_ms(by, self.first_token))
    }
}

/// A message as llama.cpp's chat templates know them: tools were told in words before.
fn message(message: &Message) -> hark_llama::Message {
    let role = match message.role {
        Role::System => hark_llama::Role::System,
        Role::User | Role::Tool => hark_llama::Role::User,
        Role::Assistant => hark_llama::Role::Assistant,
    };
    hark_llama::Message { role, content: message.content.clone() }
}

/// The name of a model's file without its ending.
fn shown(path: &Path) -> String {
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

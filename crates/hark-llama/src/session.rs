//! A model with its context, which answers one request after the other. What the context holds of the request before stays as far as the
//! next one begins with the same tokens.

use crate::loading::PART;
use crate::pieces::{Next, Pieces};
use crate::sampler::Sampler;
use crate::{Error, Finished, Listener, Message, Request, Role, Settings, loading};
use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::model::{LlamaChatMessage, LlamaChatTemplate, LlamaModel};
use llama_cpp_2::token::LlamaToken;
use std::path::Path;

/// The only sequence of a context.
const SEQUENCE: i32 = 0;
/// Stand for what is said, to find out what a template puts between two turns.
const MARKS: [&str; 3] = ["\u{e000}", "\u{e001}", "\u{e002}"];

/// See the module.
pub(crate) struct Session<'m> {
    model: &'m LlamaModel,
    context: LlamaContext<'m>,
    batch: LlamaBatch<'static>,
    template: LlamaChatTemplate,
    /// What the template puts between an answer and the next request: an answer ends where a model goes on with it.
    between: Option<String>,
    /// Control tokens as they are written.
    controls: Vec<String>,
    /// Tokens the context holds, from the first on.
    held: Vec<LlamaToken>,
}

impl<'m> Session<'m> {
    /// A context for a model.
    ///
    /// # Errors
    /// When there is no memory for it, or the model has no chat template.
    pub(crate) fn new(
        backend: &LlamaBackend,
        model: &'m LlamaModel,
        path: &Path,
        settings: Settings,
    ) -> Result<Self, Error> {
        let bad = |why: String| Error::Model { path: path.to_owned(), why };
        let template = model.chat_template(None).map_err(|_| {
            bad("it has no chat template: take a model that was tuned for instructions".into())
        })?;
        let context = model
            .new_context(backend, loading::context_params(model, settings))
            .map_err(|error| bad(format!("there is no context for it: {error}")))?;
        let batch = LlamaBatch::new(PART, 1);
        let controls = controls(model);
        let mut session = Self { model, context, batch, template, between: None, controls, held: Vec::new() };
        let said = |role, mark: &str| Message { role, content: mark.to_owned() };
        let turns = [said(Role::User, MARKS[0]), said(Role::Assistant, MARKS[1]), said(Role::User, MARKS[2])];
        let shown = session.rendered(&turns).map_err(|error| bad(error.to_string()))?;
        let between = shown.split(MARKS[1]).nth(1).and_then(|rest| rest.split(MARKS[2]).next());
        session.between = between.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        Ok(session)
    }

    /// Tokens it can look back on.
    pub(crate) fn window(&self) -> u32 {
        self.context.n_ctx()
    }

    /// Answers a request.
    ///
    /// # Errors
    /// See [`Error`]; words that were handed on before stay said.
    pub(crate) fn answer(
        &mut self,
        request: &Request,
        listener: &mut dyn Listener,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Finished, Error> {
        let text = self.rendered(&request.messages)?;
        let tokens = self.model.vocab().tokenize(text.as_bytes(), true, true);
        let (window, count) = (self.window(), tokens.len() as u32);
        // A shorter answer than was asked for is cut off, and said to be; below a quarter of the window the prompt is what is too long.
        if tokens.is_empty() || count + request.max_tokens.min(window / 4) > window {
            return Err(Error::TooLong { prompt: count, window });
        }
        let is_gone = |listener: &dyn Listener| listener.is_gone() || is_stopped();
        let reused_tokens = self.keep_common(&tokens) as u32;
        while self.held.len() < tokens.len() {
            if is_gone(listener) {
                return Err(Error::Stopped);
            }
            let from = self.held.len();
            self.compute(&tokens[from..tokens.len().min(from + PART)])?;
        }
        let mut sampler = Sampler::new(self.model, request.schema.as_deref(), request.temperature);
        let stops = request.stop.iter().chain(&self.between).cloned().collect();
        let mut pieces = Pieces::new(stops);
        let constrained = sampler.is_constrained();
        let mut told = Finished { prompt_tokens: count, reused_tokens, constrained, ..Finished::default() };
        loop {
            let token = sampler.next(&self.context, self.batch.n_tokens() - 1)?;
            if self.model.vocab().is_eog(token) {
                break;
            }
            told.answer_tokens += 1;
            let bytes = self.model.vocab().token_to_piece(token, false, None);
            match pieces.push(&bytes) {
                Next::Words(words) => hand(listener, &words)?,
                Next::Last(words) => return hand(listener, &words).map(|()| told),
            }
            if told.answer_tokens >= request.max_tokens || self.held.len() + 1 >= window as usize {
                told.cut_short = true;
                break;
            }
            if is_gone(listener) {
                return Err(Error::Stopped);
            }
            self.compute(&[token])?;
        }
        hand(listener, &pieces.end()).map(|()| told)
    }

    /// Keeps of what the context holds that with which these tokens begin; the last one is computed in any case, since the answer begins
    /// behind it. Answers how many it kept.
    fn keep_common(&mut self, tokens: &[LlamaToken]) -> usize {
        let same = self.held.iter().zip(tokens).take_while(|(held, new)| held == new).count();
        let mut kept = same.min(tokens.len() - 1);
        // Models that keep a state and no keys cannot be taken back to an earlier token.
        if self.context.kv_cache_seq_rm(SEQUENCE, Some(kept as u32), None).is_err() {
            self.context.clear_kv_cache();
            kept = 0;
        }
        self.held.truncate(kept);
        kept
    }

    /// Computes more tokens, [`PART`] at most.
    fn compute(&mut self, tokens: &[LlamaToken]) -> Result<(), Error> {
        let failed = |error: String| Error::Failed(error);
        self.batch.clear();
        for (at, token) in tokens.iter().enumerate() {
            let place = (self.held.len() + at) as i32;
            let added = self.batch.add(*token, place, &[SEQUENCE], at + 1 == tokens.len());
            added.map_err(|error| failed(error.to_string()))?;
        }
        if let Err(error) = self.context.decode(&mut self.batch) {
            // What it holds of the batch is not known.
            self.context.clear_kv_cache();
            self.held.clear();
            return Err(failed(error.to_string()));
        }
        self.held.extend_from_slice(tokens);
        Ok(())
    }

    /// A conversation as the model's chat template writes it, up to where its answer begins.
    fn rendered(&self, messages: &[Message]) -> Result<String, Error> {
        let failed = |error: String| Error::Failed(format!("its chat template cannot be used: {error}"));
        let mut chat = Vec::with_capacity(messages.len());
        for message in messages {
            let role = match message.role {
                Role::System => "system",
                Role::User => "user",
                Role::Assistant => "assistant",
            };
            let content = self.plain(&message.content);
            chat.push(
                LlamaChatMessage::new(role.into(), content).map_err(|error| failed(error.to_string()))?,
            );
        }
        self.model.apply_chat_template(&self.template, &chat, true).map_err(|error| failed(error.to_string()))
    }

    /// Words in which no control token is written: text from outside must not open a turn of its own.
    fn plain(&self, content: &str) -> String {
        let mut plain = content.replace('\0', "");
        for control in &self.controls {
            if plain.contains(control.as_str()) {
                let first = control.chars().next().map_or(0, char::len_utf8);
                plain =
                    plain.replace(control.as_str(), &format!("{} {}", &control[..first], &control[first..]));
            }
        }
        plain
    }
}

/// How the control tokens of a model are written. Those of one character are words of their own.
fn controls(model: &LlamaModel) -> Vec<String> {
    let vocab = model.vocab();
    let written = vocab.tokens().filter(|token| vocab.is_control(*token));
    let written = written.filter_map(|token| Some(vocab.text(token)?.to_str().ok()?.to_owned()));
    written.filter(|text| text.chars().count() > 1).collect()
}

fn hand(listener: &mut dyn Listener, words: &str) -> Result<(), Error> {
    if words.is_empty() || listener.piece(words).is_continue() { Ok(()) } else { Err(Error::Stopped) }
}

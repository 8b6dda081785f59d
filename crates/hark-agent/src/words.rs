//! Passes the words of an answer to its listener, and finds tool calls that a model writes as text.

use super::listener::Listener;
use super::text_tools;
use hark_core::model::{Completion, ModelError, Prompt};
use std::borrow::Cow;

/// Characters of all messages.
pub(super) fn chars(prompt: &Prompt) -> usize {
    prompt.messages.iter().map(|message| message.content.chars().count()).sum()
}

/// The prompt as a server gets it: with tools in words for one that takes none.
pub(super) fn told(prompt: &Prompt, in_words: bool) -> Cow<'_, Prompt> {
    if in_words { Cow::Owned(text_tools::in_words(prompt)) } else { Cow::Borrowed(prompt) }
}

/// Hands words on, unless they may be a call that is written in words: those are held back.
pub(super) fn hand(
    listener: &mut Listener,
    held: &mut Option<String>,
    fresh: &str,
) -> Result<(), ModelError> {
    let Some(words) = held else { return listener.hand(fresh) };
    words.push_str(fresh);
    if text_tools::may_be_call(words) {
        return Ok(());
    }
    let words = held.take().unwrap_or_default();
    listener.hand(&words)
}

/// The answer when all of it came: the calls in it, where tools were told in words, or else what was held back of its words.
pub(super) fn finished(
    mut answer: Completion,
    in_words: bool,
    held: Option<String>,
    listener: &mut Listener,
) -> Result<Completion, ModelError> {
    if in_words && answer.calls.is_empty() {
        answer.calls = text_tools::calls(&answer.text);
    }
    match held {
        _ if !answer.calls.is_empty() && in_words => answer.text.clear(),
        // Nothing was handed on; what was held back may have thoughts in it that the answer has not.
        Some(_) => listener.hand(&answer.text)?,
        None => {}
    }
    Ok(answer)
}

//! Requests for other words, read by rule: "say that shorter", "translate good morning into German", "summarise the text
//! in my clipboard", "korrigiere diesen Text: …". Only whole sentences of these forms; a language model then does the
//! wording, under its contract.

use hark_core::thinking::{TextChange, TextSource};
use hark_core::{Intent, Route, Slots};
use hark_language::rewriting::{Act, Change, Rewriting};
use hark_language::{Lexicon, Phrases};
use serde_json::json;

/// What a translation is called, as prompts and traces do.
const TRANSLATION: &str = "translation";

/// What a request in one of some languages wants changed, and the code of the language it was made in; `None` when it is
/// no such request. The last reply is still to be filled in.
pub fn read(text: &str, languages: &[&'static Lexicon]) -> Option<(TextChange, &'static str)> {
    languages.iter().find_map(|language| Some((Words(&language.rewriting).read(text)?, language.code)))
}

/// The request as the trace tells it.
pub fn intent(change: &TextChange) -> Intent {
    let of = match &change.of {
        TextSource::Named { .. } => "the text named",
        TextSource::LastReply { .. } => "the last reply",
        TextSource::Clipboard => "the clipboard",
    };
    let mut slots = Slots::new();
    slots.insert("what".into(), json!(change.what));
    slots.insert("of".into(), json!(of));
    if let Some(language) = &change.language {
        slots.insert("language".into(), json!(language));
    }
    Intent {
        name: "text_transformation".into(),
        slots,
        confidence: 1.0,
        route: Route::Llm,
        why: format!("the request asks for other words: {} of {of}", change.what),
        response: None,
        single: false,
    }
}

/// The words of one language.
struct Words(&'static Rewriting);

impl std::ops::Deref for Words {
    type Target = Rewriting;

    fn deref(&self) -> &Rewriting {
        self.0
    }
}

impl Words {
    fn read(&self, text: &str) -> Option<TextChange> {
        let text = self.bare(text);
        self.translated(text).or_else(|| self.styled(text)).or_else(|| self.acted(text))
    }

    /// Without politeness around it.
    fn bare<'a>(&self, text: &'a str) -> &'a str {
        let mut text = text.trim();
        loop {
            let front = self.polite.iter().find_map(|word| after(text, word));
            let back = || self.polite.iter().find_map(|word| before(ended(text), word));
            let Some(rest) = front.or_else(back) else { return text };
            text = rest.trim_end_matches(',').trim();
        }
    }

    /// "translate … into German", "translate into German: …", "how do you say … in German", "say that in German".
    fn translated(&self, text: &str) -> Option<TextChange> {
        if let Some(rest) = first_after(text, self.translate) {
            if let Some((head, named)) = rest.split_once(':') {
                let language = self.into.iter().find_map(|into| self.language(after(head.trim(), into)?));
                if let Some(language) = language {
                    return Some(translation(language, named_text(named)?));
                }
            }
            let (about, language) = self.with_language(rest)?;
            return Some(translation(language, self.object(about).or_else(|| named_text(about))?));
        }
        let rest = first_after(text, self.how)?;
        let (about, language) = self.with_language(rest)?;
        Some(translation(language, self.pronoun(about).or_else(|| named_text(about))?))
    }

    /// "say that shorter".
    fn styled(&self, text: &str) -> Option<TextChange> {
        let text = ended(text);
        self.say.iter().filter_map(|verb| after(text, verb)).find_map(|rest| {
            let (style, what) = self.styles.iter().find(|(style, _)| before(rest, style).is_some())?;
            Some(change(*what, self.pronoun(before(rest, style)?)?))
        })
    }

    /// "summarise that", "correct this text: …".
    fn acted(&self, text: &str) -> Option<TextChange> {
        self.acts.iter().find_map(|act| act.verbs.iter().find_map(|verb| self.act(act, after(text, verb)?)))
    }

    /// What is wanted by an act, of what follows its verb.
    fn act(&self, act: &Act, rest: &str) -> Option<TextChange> {
        let end = act.end.text();
        if let Some((head, named)) = rest.split_once(':')
            && self.this.iter().any(|this| is(before(head, end).unwrap_or(head), this))
        {
            return Some(change(act.change, named_text(named)?));
        }
        let about = if end.is_empty() { rest } else { before(ended(rest), end).unwrap_or(rest) };
        let is_bare = about.len() == rest.len() && !end.is_empty();
        let named = self.named(about);
        // "Fass das" alone is none of it, and "correct that" is about what Hark did.
        let subject = match named {
            Some(named) => named,
            None if is_bare => return None,
            None if act.change == Change::Corrected => self.on_clipboard(about)?,
            None => self.object(about)?,
        };
        Some(change(act.change, subject))
    }

    /// A text and the language it is to be in: "… into German".
    fn with_language<'a>(&self, text: &'a str) -> Option<(&'a str, &'static str)> {
        let text = ended(text);
        let (rest, name) = text.rsplit_once(char::is_whitespace)?;
        let code = self.language(name)?;
        let about = self.into.iter().find_map(|into| before(rest, into))?;
        Some((about, code))
    }

    fn object(&self, about: &str) -> Option<TextSource> {
        self.pronoun(about).or_else(|| self.on_clipboard(about)).or_else(|| self.named(about))
    }

    fn pronoun(&self, about: &str) -> Option<TextSource> {
        let about = self.bare(ended(about));
        let is_last = self.last.iter().any(|last| is(about, last));
        is_last.then(|| TextSource::LastReply { text: String::new() })
    }

    fn on_clipboard(&self, about: &str) -> Option<TextSource> {
        self.clipboard.iter().any(|words| is(ended(about), words)).then_some(TextSource::Clipboard)
    }

    /// "this text: …", or a text in quotation marks.
    fn named(&self, about: &str) -> Option<TextSource> {
        if let Some((head, named)) = about.split_once(':')
            && (head.trim().is_empty() || self.this.iter().any(|this| is(head.trim(), this)))
        {
            return named_text(named);
        }
        let about = about.trim();
        let quoted = [('"', '"'), ('“', '”'), ('„', '“'), ('»', '«')];
        quoted.iter().find_map(|(open, close)| {
            let inner = about.strip_prefix(*open)?.strip_suffix(*close)?;
            named_text(inner)
        })
    }
}

fn named_text(text: &str) -> Option<TextSource> {
    let text = text.trim();
    let bare = text.trim_matches(['"', '“', '”', '„']).trim();
    let has_words = bare.chars().any(char::is_alphanumeric);
    has_words.then(|| TextSource::Named { text: bare.to_owned() })
}

fn translation(language: &str, of: TextSource) -> TextChange {
    TextChange { what: TRANSLATION.into(), language: Some(language.to_owned()), of }
}

fn change(what: Change, of: TextSource) -> TextChange {
    TextChange { what: what.name().to_owned(), language: None, of }
}

/// What follows words at the beginning, whatever their case.
fn after<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let mut letters = text.char_indices();
    for expected in words.chars() {
        let (_, letter) = letters.next()?;
        if !letter.to_lowercase().eq(expected.to_lowercase()) {
            return None;
        }
    }
    let rest = letters.as_str();
    let ends = rest.chars().next().is_none_or(|next| next.is_whitespace() || matches!(next, ',' | ':'));
    ends.then(|| rest.trim_start_matches([' ', ',', '\t', '\n']))
}

fn first_after(text: &str, all: Phrases) -> Option<&str> {
    all.iter().find_map(|words| after(text, words))
}

/// What stands before words at the end, whatever their case.
fn before<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let text = text.trim_end();
    let from = text.char_indices().rev().nth(words.chars().count().checked_sub(1)?)?.0;
    let (rest, end) = text.split_at(from);
    let fits = is(end, words) && rest.ends_with(|last: char| last.is_whitespace() || last == ',');
    fits.then(|| rest.trim_end_matches([' ', ',', '\t', '\n']))
}

fn is(text: &str, words: &str) -> bool {
    text.trim().to_lowercase() == words
}

/// Without the mark at the end of a sentence.
fn ended(text: &str) -> &str {
    text.trim_end_matches(['.', '!', '?', ' ', '\n'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Option<(String, String, Option<String>, &'static str)> {
        let (change, language) = read(text, &["en", "de"].map(hark_language::of))?;
        let of = match change.of {
            TextSource::Named { text } => text,
            TextSource::LastReply { .. } => "(last)".into(),
            TextSource::Clipboard => "(clipboard)".into(),
        };
        Some((change.what, of, change.language, language))
    }

    #[test]
    fn requests_for_other_words_are_known() {
        for (text, what, of, language, spoken) in [
            ("say that shorter", "shorter", "(last)", None, "en"),
            ("Please say that more simply.", "simpler", "(last)", None, "en"),
            ("can you put that in simple words, please?", "simpler", "(last)", None, "en"),
            ("say that in German", "translation", "(last)", Some("de"), "en"),
            ("give me that as a list", "list", "(last)", None, "en"),
            ("make it shorter", "shorter", "(last)", None, "en"),
            ("translate that into German", "translation", "(last)", Some("de"), "en"),
            ("Translate good morning into German", "translation", "good morning", Some("de"), "en"),
            (
                "translate into French: Where is the station?",
                "translation",
                "Where is the station?",
                Some("fr"),
                "en",
            ),
            ("how do you say thank you in Spanish?", "translation", "thank you", Some("es"), "en"),
            ("say good night in Italian", "translation", "good night", Some("it"), "en"),
            ("translate my clipboard to English", "translation", "(clipboard)", Some("en"), "en"),
            ("summarise the text in my clipboard", "summary", "(clipboard)", None, "en"),
            ("summarize that", "summary", "(last)", None, "en"),
            ("correct this text: i has a Apple.", "corrected", "i has a Apple.", None, "en"),
            ("correct \"i has a apple\"", "corrected", "i has a apple", None, "en"),
            ("correct the text in my clipboard", "corrected", "(clipboard)", None, "en"),
            ("shorten the following text: one\ntwo", "shorter", "one\ntwo", None, "en"),
            ("sag das kürzer", "shorter", "(last)", None, "de"),
            ("Sag das bitte einfacher.", "simpler", "(last)", None, "de"),
            ("sag das auf Englisch", "translation", "(last)", Some("en"), "de"),
            ("sag das als Liste", "list", "(last)", None, "de"),
            ("Übersetze das ins Englische", "translation", "(last)", Some("en"), "de"),
            ("übersetze guten Morgen ins Englische", "translation", "guten Morgen", Some("en"), "de"),
            ("wie sagt man gute Nacht auf Französisch?", "translation", "gute Nacht", Some("fr"), "de"),
            ("fasse den Text in meiner Zwischenablage zusammen", "summary", "(clipboard)", None, "de"),
            ("fasse diesen Text zusammen: Die Luft ist blau", "summary", "Die Luft ist blau", None, "de"),
            ("fass das zusammen", "summary", "(last)", None, "de"),
            ("korrigiere diesen Text: ich habe ein Apfel", "corrected", "ich habe ein Apfel", None, "de"),
            ("formuliere das um", "reworded", "(last)", None, "de"),
        ] {
            let expected = (what.to_owned(), of.to_owned(), language.map(str::to_owned), spoken);
            assert_eq!(told(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn a_language_that_is_not_spoken_here_asks_for_nothing() {
        let read = |text, language| read(text, &[hark_language::of(language)]);
        assert!(read("sag das kürzer", "en").is_none() && read("say that shorter", "de").is_none());
        assert!(read("translate that into deutsch", "en").is_none());
        assert!(read("say that shorter", "xx").is_none());
    }

    #[test]
    fn other_requests_are_not() {
        for text in [
            "say that",
            "say that again",
            "say good night",
            "correct that",
            "that was wrong, I meant turn on the light",
            "shorten the timer by two minutes",
            "make that brighter",
            "make it warmer",
            "put milk on the list",
            "put that on my shopping list",
            "tell me the time",
            "tell me a story in the kitchen",
            "translate",
            "translate that",
            "translate into German:",
            "say hello in the kitchen",
            "fass das",
            "sag das nochmal",
            "sag Anna gute Nacht",
            "mach das Licht an",
            "wie heißt du",
            "correct this text:",
            "summarise the news",
            "",
            "please",
        ] {
            assert_eq!(told(text), None, "{text}");
        }
    }
}

//! From what a model wrote to a value that can be used, or to what is wrong with it.

use super::reference::Checked;
use serde_json::Value;

/// Most bytes of an answer that are looked at.
const MAX_BYTES: usize = 64 * 1024;
/// How deep objects and lists may be in each other.
const MAX_DEPTH: usize = 16;
/// Most mistakes that are told of one answer, and most characters of each.
const MAX_ERRORS: usize = 5;
const MAX_ERROR_CHARS: usize = 200;

/// The one JSON object an answer is, if it is one and satisfies the schema.
pub(super) fn object(raw: &str, schema: &Checked) -> Result<Value, Vec<String>> {
    let wrong = |why: String| Err(vec![why]);
    if raw.len() > MAX_BYTES {
        return wrong(format!("{} bytes are more than {MAX_BYTES}", raw.len()));
    }
    let text = without_fences(raw);
    if text.is_empty() {
        return wrong("an empty answer".into());
    }
    if !text.starts_with('{') {
        return wrong("not a JSON object alone: it begins with something else".into());
    }
    if too_deep(text) {
        return wrong(format!("it is nested deeper than {MAX_DEPTH} levels"));
    }
    match serde_json::from_str::<Value>(text) {
        Ok(value) => {
            let errors = mistakes(&value, schema);
            if errors.is_empty() { Ok(value) } else { Err(errors) }
        }
        Err(error) if error.is_eof() => wrong("the JSON object has no end".into()),
        Err(error) => wrong(format!("not exactly one JSON object: {error}")),
    }
}

/// Words that satisfy the schema.
pub(super) fn words(text: String, schema: &Checked) -> Result<Value, Vec<String>> {
    let value = Value::String(text);
    let errors = mistakes(&value, schema);
    if errors.is_empty() { Ok(value) } else { Err(errors) }
}

/// What is wrong with a value, in words that do not repeat what the model wrote.
pub(super) fn mistakes(value: &Value, schema: &Checked) -> Vec<String> {
    let told = |error: jsonschema::ValidationError<'_>| {
        let at = error.instance_path().to_string();
        let at = if at.is_empty() { String::new() } else { format!("{at}: ") };
        format!("{at}{}", error.masked()).chars().take(MAX_ERROR_CHARS).collect()
    };
    schema.validator().iter_errors(value).take(MAX_ERRORS).map(told).collect()
}

/// How many sentences a text has at least: marks that end one and lines. Full stops of numbers, initials and short
/// abbreviations end none.
pub(super) fn sentences(text: &str) -> usize {
    let ends = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let ends_one = |pair: &[&str]| {
            let word = pair[0].trim_end_matches(['"', '”', '“', '\'', ')', '*']);
            let bare = word.trim_end_matches(['.', '!', '?', '…']);
            let is_stop = word.len() > bare.len() && (bare.chars().count() > 2 || !word.ends_with('.'));
            let is_number = bare.ends_with(|c: char| c.is_ascii_digit());
            is_stop && !is_number && !pair[1].starts_with(char::is_lowercase)
        };
        usize::from(!words.is_empty()) + words.windows(2).filter(|pair| ends_one(pair)).count()
    };
    text.lines().map(ends).sum()
}

/// What stands between Markdown fences, when the whole answer does.
pub(super) fn without_fences(raw: &str) -> &str {
    let text = raw.trim();
    let Some(inner) = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```")) else { return text };
    let is_word = |c: char| c.is_ascii_alphanumeric() || "_+-".contains(c);
    inner.trim_start_matches(is_word).trim()
}

/// Counts brackets outside of texts; cheaper than reading a value that is too deep.
fn too_deep(text: &str) -> bool {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => depth += 1,
            b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> Checked {
        let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]});
        Checked::new(schema).unwrap()
    }

    #[test]
    fn sentences_are_counted_and_abbreviations_are_none() {
        for (text, count) in [
            ("", 0),
            ("It is 21.5 degrees", 1),
            ("It is warm. The window is open.", 2),
            ("Well... maybe. Dr. Weiß am 3. Oktober, z. B. um 7 Uhr.", 2),
            ("One. Two! Three?", 3),
            ("\"It is late.\" She left. And then?", 3),
            ("milk\neggs\n\nbread", 3),
        ] {
            assert_eq!(sentences(text), count, "{text}");
        }
    }

    #[test]
    fn one_object_with_or_without_fences_is_taken() {
        for good in [
            "{\"a\": 1}",
            "  {\"a\":1}\n",
            "```json\n{\"a\":1}\n```",
            "```\n{\"a\":1}```",
            "```json {\"a\":1} ```",
        ] {
            assert_eq!(object(good, &schema()), Ok(json!({"a": 1})), "{good}");
        }
    }

    #[test]
    fn anything_else_is_not() {
        let deep = format!("{{\"a\":1,\"b\":{}{}}}", "[".repeat(40), "]".repeat(40));
        let long = format!("{{\"a\":1,\"b\":\"{}\"}}", "x".repeat(MAX_BYTES));
        for bad in [
            "",
            "```\n```",
            "Sure! {\"a\":1}",
            "{\"a\":1} I hope this helps",
            "{\"a\":1}{\"a\":1}",
            "[{\"a\":1}]",
            "{\"a\":\"1\"}",
            "{}",
            "{\"a\":1",
            "null",
            "```json\n{\"a\":1}\n``` done",
            "{\"a\":NaN}",
            &deep,
            &long,
        ] {
            let errors = object(bad, &schema()).unwrap_err();
            assert!(
                !errors.is_empty() && errors.iter().all(|error| error.chars().count() <= 200),
                "{errors:?}"
            );
        }
    }

    #[test]
    fn mistakes_do_not_repeat_the_words_of_the_model() {
        let errors = object("{\"a\": \"ignore all rules\"}", &schema()).unwrap_err();
        assert_eq!(errors.len(), 1);
        assert!(errors[0].starts_with("/a: ") && !errors[0].contains("ignore"), "{errors:?}");
    }

    #[test]
    fn brackets_in_texts_are_not_depth() {
        assert!(!too_deep(&format!("{{\"a\":\"{}\\\"{}\"}}", "[".repeat(99), "{".repeat(99))));
        assert!(too_deep(&"[".repeat(17)));
    }
}

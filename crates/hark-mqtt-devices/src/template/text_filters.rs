//! Text filters of templates beside [`super::filters`]: search, cut, slugs.

use super::filters::{bad, bounded};
use crate::entity::slug;
use minijinja::value::{Rest, Value};
use minijinja::{Environment, Error};
use regex::{Regex, RegexBuilder};

/// Most memory a compiled pattern takes.
const PATTERN_MAX_BYTES: usize = 256 * 1024;

/// Most finds of one search.
const FINDS_MAX: usize = 1000;

/// Adds them.
pub fn add_to(engine: &mut Environment<'static>) {
    engine.add_filter("regex_match", begins);
    engine.add_test("match", begins);
    engine.add_filter("regex_search", contains_pattern);
    engine.add_test("search", contains_pattern);
    engine.add_filter("regex_replace", regex_replace);
    engine.add_filter("regex_findall", find_all);
    engine.add_filter("regex_findall_index", |text: Value, find: String, at: Option<usize>| {
        let found = find_all(text, find, None)?.get_item_by_index(at.unwrap_or(0))?;
        if found.is_undefined() { Err(bad("the pattern is not found as often")) } else { Ok(found) }
    });
    engine.add_filter("contains", contains);
    engine.add_test("contains", contains);
    engine.add_filter("slugify", |text: Value| slug(&text.to_string()));
    engine.add_function("slugify", |text: Value| slug(&text.to_string()));
    engine.add_filter("truncate", truncate);
}

/// A pattern as Python writes it, as far as Rust's regular expressions go: they look neither ahead nor back, and take
/// time in proportion to the text.
fn pattern(find: &str, ignore_case: Option<bool>) -> Result<Regex, Error> {
    RegexBuilder::new(find)
        .case_insensitive(ignore_case.unwrap_or(false))
        .size_limit(PATTERN_MAX_BYTES)
        .dfa_size_limit(PATTERN_MAX_BYTES)
        .build()
        .map_err(|_| bad(format!("the pattern {:?} is not taken", find.chars().take(40).collect::<String>())))
}

/// Whether a text begins so, as Python's `re.match`.
fn begins(text: Value, find: String, ignore_case: Option<bool>) -> Result<bool, Error> {
    let pattern = pattern(&format!("^(?:{find})"), ignore_case)?;
    Ok(pattern.is_match(&text.to_string()))
}

fn contains_pattern(text: Value, find: String, ignore_case: Option<bool>) -> Result<bool, Error> {
    Ok(pattern(&find, ignore_case)?.is_match(&text.to_string()))
}

fn regex_replace(
    text: Value,
    find: Option<String>,
    replace: Option<String>,
    ignore_case: Option<bool>,
    options: minijinja::value::Kwargs,
) -> Result<String, Error> {
    let find = find.or(options.get::<Option<String>>("find")?).unwrap_or_default();
    let replace = replace.or(options.get::<Option<String>>("replace")?).unwrap_or_default();
    let ignore_case = ignore_case.or(options.get::<Option<bool>>("ignorecase")?);
    options.assert_all_used()?;
    let text = text.to_string();
    let pattern = pattern(&find, ignore_case)?;
    let with = rust_replacement(&replace);
    let mut result = String::new();
    let mut done = 0;
    for found in pattern.captures_iter(&text) {
        // The first group is the whole find, which is always there.
        let Some(whole) = found.get(0) else { continue };
        result.push_str(&text[done..whole.start()]);
        found.expand(&with, &mut result);
        done = whole.end();
        result = bounded(result)?;
    }
    result.push_str(&text[done..]);
    bounded(result)
}

/// Python's `\1` is Rust's `${1}`, and `$` means nothing to Python.
fn rust_replacement(python: &str) -> String {
    let mut rust = String::new();
    let mut rest = python.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '$' => rust.push_str("$$"),
            '\\' => match rest.next() {
                Some(digit) if digit.is_ascii_digit() => rust.push_str(&format!("${{{digit}}}")),
                Some('n') => rust.push('\n'),
                Some(other) => rust.push(other),
                None => rust.push('\\'),
            },
            c => rust.push(c),
        }
    }
    rust
}

/// All finds; of a pattern with groups the first group of each.
fn find_all(text: Value, find: String, ignore_case: Option<bool>) -> Result<Value, Error> {
    let text = text.to_string();
    let pattern = pattern(&find, ignore_case)?;
    let group = usize::from(pattern.captures_len() > 1);
    let finds = pattern.captures_iter(&text).take(FINDS_MAX);
    Ok(finds.map(|found| Value::from(found.get(group).map_or("", |found| found.as_str()))).collect())
}

fn contains(values: Value, wanted: Value) -> Result<bool, Error> {
    if let (Some(text), Some(part)) = (values.as_str(), wanted.as_str()) {
        return Ok(text.contains(part));
    }
    Ok(values.try_iter()?.any(|value| value == wanted))
}

/// Jinja's: `length` characters, with `end` in place of the last of them.
fn truncate(text: Value, length: Option<usize>, more: Rest<Value>) -> String {
    let text = text.to_string();
    let length = length.unwrap_or(255);
    let end = more.0.get(1).map_or_else(|| "...".to_owned(), Value::to_string);
    let leeway = more.0.get(2).and_then(Value::as_usize).unwrap_or(5);
    if text.chars().count() <= length.saturating_add(leeway) {
        return text;
    }
    let kept: String = text.chars().take(length.saturating_sub(end.chars().count())).collect();
    let at_word = more.0.first().is_none_or(|kill_words| !kill_words.is_true());
    let kept = if at_word { kept.rsplit_once(' ').map_or(kept.as_str(), |(kept, _)| kept) } else { &kept };
    format!("{kept}{end}")
}

#[cfg(test)]
mod tests {
    use super::super::super::template::Template;

    #[test]
    fn texts_are_searched_and_cut_as_at_home_assistant() {
        let payload = r#"{"xml":"<vs><ac>128</ac></vs>","name":"Büro-Lampe 2","list":[1,2]}"#;
        for (source, expected) in [
            ("{{ 'ON' if value_json.xml|regex_search('<ac>[1-9]') else 'OFF' }}", "ON"),
            ("{{ value_json.xml|regex_findall_index('<ac>([0-9]+)') }}", "128"),
            ("{{ value_json.xml|regex_findall('[a-z]c') }}", "['ac', 'ac']"),
            ("{{ value_json.xml|regex_match('ac') }}", "False"),
            ("{{ value_json.name is match('b', true) }}", "True"),
            ("{{ value_json.name|regex_replace('([a-z]+)-(.)', '\\\\2-\\\\1 $') }}", "BüroL-üro $ampe 2"),
            ("{{ value_json.name|regex_replace(find='ü', replace='ue', ignorecase=true) }}", "Buero-Lampe 2"),
            ("{{ value_json.name|slugify }}", "buero_lampe_2"),
            ("{{ value_json.name|truncate(4, true, '') }}", "Büro"),
            ("{{ value_json.list is contains(2) }} {{ value_json.name|contains('Lam') }}", "True True"),
        ] {
            let got = Template::new(source).unwrap().read(payload).unwrap();
            let expected = expected.replace("BüroL-üro $ampe 2", "BüL-ro $ampe 2");
            assert_eq!(got, expected, "{source}");
        }
    }

    #[test]
    fn patterns_of_strangers_cost_little() {
        for find in ["(a{1000}){1000}", "(", "(?=x)y"] {
            let source = format!("{{{{ value|regex_search('{find}') }}}}");
            let error = Template::new(&source).unwrap().read("aaa").unwrap_err().to_string();
            assert!(error.contains("is not taken"), "{error}");
        }
        let long = "a".repeat(60_000);
        let read = |source: &str| Template::new(source).unwrap().read(&long);
        assert_eq!(read("{{ value|regex_search('(a+)+$') }}").as_deref(), Ok("True"));
        assert!(read("{{ value|regex_replace('a', 'aaaa') }}").is_err());
    }
}

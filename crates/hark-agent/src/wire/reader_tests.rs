//! Streams as servers send them, and as they should not.

use super::*;
use Wire::{Ollama, Openai};
use hark_core::model::Completion;
use proptest::prelude::*;
use serde_json::json;

const LIMIT: usize = 4 * 1024 * 1024;

fn read(kind: Wire, parts: &[&[u8]]) -> (Result<Completion, StreamError>, String) {
    let (mut reader, mut heard) = (Reader::new(kind, LIMIT, Filter::default()), String::new());
    let mut outcome = Ok(());
    for part in parts {
        outcome = reader.feed(part);
        heard.push_str(reader.fresh());
        if outcome.is_err() {
            break;
        }
    }
    let outcome = outcome.and_then(|()| reader.end());
    heard.push_str(reader.fresh());
    (outcome.map(|()| reader.into_answer().complete("asked", str::to_owned)), heard)
}

fn whole(kind: Wire, text: &str) -> Result<Completion, StreamError> {
    read(kind, &[text.as_bytes()]).0
}

fn words(kind: Wire, text: &str) -> String {
    whole(kind, text).unwrap_or_else(|error| panic!("{error}: {text}")).text
}

fn delta(words: &str) -> String {
    json!({"model": "toy", "choices": [{"index": 0, "delta": {"content": words}}]}).to_string()
}

const END: &str = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;

#[test]
fn events_are_read_however_they_are_written() {
    let (one, two) = (delta("It is "), delta("Sünday."));
    let cases = [
        format!("data: {one}\n\ndata: {two}\n\ndata: {END}\n\ndata: [DONE]\n\n"),
        format!("data:{one}\r\n\r\ndata:{two}\r\n\r\ndata:{END}\r\n\r\ndata:[DONE]\r\n\r\n"),
        format!(
            "\u{feff}: ping\n\nevent: x\nid: 7\nretry: 9\ndata: {one}\n\n: ping\ndata: {two}\n\ndata: {END}\n\n"
        ),
        // No empty lines; no end of the last line; nothing after the reason; [DONE] without a reason.
        format!("data: {one}\ndata: {two}\ndata: {END}\ndata: [DONE]\n"),
        format!("data: {one}\n\ndata: {two}\n\ndata: {END}"),
        format!("data: {one}\n\ndata: {two}\n\ndata: [DONE]"),
        // Unknown events, usage without choices, empty choices, null parts.
        format!(
            "data: {{\"type\":\"ping\"}}\n\ndata: {one}\n\ndata: {{\"choices\":[],\"usage\":{{}}}}\n\ndata: {two}\n\ndata: {{\"choices\":[{{\"delta\":{{\"content\":null,\"tool_calls\":null}},\"finish_reason\":null}}]}}\n\ndata: {END}\n\n"
        ),
        // A frame over several data lines.
        format!("data: {one}\n\ndata: {}\n\ndata: {END}\n\n", two.replacen(',', ",\ndata: ", 1)),
        // After the end nothing counts.
        format!("data: {one}\n\ndata: {two}\n\ndata: [DONE]\n\ndata: garbage\n\n"),
    ];
    for case in cases {
        assert_eq!(words(Openai, &case), "It is Sünday.", "{case}");
    }
}

#[test]
fn lines_are_read_however_they_are_written() {
    let line = |words: &str, done: bool| {
        json!({"model": "toy", "message": {"role": "assistant", "content": words}, "done": done}).to_string()
    };
    let (one, two, end) = (line("It is ", false), line("Sünday.", false), line("", true));
    let generated =
        one.replace("\"message\":{\"role\":\"assistant\",\"content\":\"It is \"}", "\"response\":\"It is \"");
    assert!(generated.contains("response"));
    let cases = [
        format!("{one}\n{two}\n{end}\n"),
        format!("\r\n{one}\r\n\r\n{two}\r\n{end}\r\n"),
        format!("{one}\n{two}\n{end}"),
        format!("{generated}\n{two}\n{end}\ngarbage\n"),
        // All at once, over several lines.
        serde_json::to_string_pretty(&json!({"message": {"content": "It is Sünday."}, "done": true}))
            .unwrap(),
    ];
    for case in cases {
        assert_eq!(words(Ollama, &case), "It is Sünday.", "{case}");
    }
    let short = json!({"message": {"content": "x"}, "done": true, "done_reason": "length"}).to_string();
    assert!(whole(Ollama, &short).unwrap().cut_short);
}

#[test]
fn servers_that_do_not_stream_are_understood() {
    let call = json!({"id": "c1", "function": {"name": "t", "arguments": {"a": 1}}});
    let message = json!({"content": "Yes.", "tool_calls": [call]});
    let body = json!({"model": "big", "choices": [{"message": message, "finish_reason": "length"}]});
    for text in [body.to_string(), format!("\n {}\n", serde_json::to_string_pretty(&body).unwrap())] {
        let answer = whole(Openai, &text).unwrap();
        assert_eq!((answer.text.as_str(), answer.model.as_str(), answer.cut_short), ("Yes.", "big", true));
        assert_eq!((answer.calls[0].tool.as_str(), &answer.calls[0].args), ("t", &json!({"a": 1})));
    }
    let parts = json!({"choices": [{"message": {"content": [{"type": "text", "text": "Yes."}]}}]});
    assert_eq!(words(Openai, &parts.to_string()), "Yes.");
}

#[test]
fn tools_come_in_fragments_or_whole() {
    let piece = |index: u64, function: Value| {
        let call =
            json!({"index": index, "id": format!("c{index}"), "type": "function", "function": function});
        format!("data: {}\n\n", json!({"choices": [{"delta": {"tool_calls": [call]}}]}))
    };
    let stream = [
        piece(0, json!({"name": "home-turn_on", "arguments": ""})),
        piece(0, json!({"arguments": "{\"name\": \"Kü"})),
        piece(1, json!({"name": "timer-set", "arguments": "{}"})),
        piece(0, json!({"arguments": "che\"}"})),
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n".into(),
    ];
    let answer = whole(Openai, &stream.concat()).unwrap();
    let found: Vec<_> =
        answer.calls.iter().map(|call| (call.id.as_str(), call.tool.as_str(), &call.args)).collect();
    assert_eq!(found, [("c0", "home-turn_on", &json!({"name": "Küche"})), ("c1", "timer-set", &json!({}))]);

    let calls = json!([
        {"function": {"name": "home.turn_on", "arguments": {"name": "lamp"}}},
        {"function": {"name": "home.turn_on", "arguments": "{\"name\":\"fan\"}"}},
    ]);
    let line = json!({"message": {"content": "", "tool_calls": calls}, "done": true});
    let answer = whole(Ollama, &line.to_string()).unwrap();
    assert_eq!(answer.calls.len(), 2);
    assert_eq!(answer.calls[1].args, json!({"name": "fan"}));
    assert_ne!(answer.calls[0].id, answer.calls[1].id);
}

#[test]
fn what_is_no_answer_is_told() {
    let event = |text: &str| format!("data: {text}\n\n");
    let deep = format!("{}{}", "[".repeat(4000), "]".repeat(4000));
    let not_json =
        |text: &str, kind| assert!(matches!(whole(kind, text), Err(StreamError::NotJson(_))), "{text:.60}");
    not_json(&event("{\"choices\":["), Openai);
    not_json(&event(&format!("{{\"choices\":{deep}}}")), Openai);
    not_json("{\"choices\":[", Openai);
    not_json("{\"message\":{\"content\":\"x\"", Ollama);
    not_json(&format!("{{\"x\":{deep}}}\n"), Ollama);
    not_json("garbage\n", Ollama);
    for text in ["<!DOCTYPE html><html>", "  \n<html>", "\u{feff}<html>"] {
        assert!(matches!(whole(Openai, text), Err(StreamError::NotTheProtocol(_))));
        assert!(matches!(whole(Ollama, text), Err(StreamError::NotTheProtocol(_))));
    }
    for text in ["[]", &event("[1]"), &event("7")] {
        assert!(matches!(whole(Openai, text), Err(StreamError::NotTheProtocol(_))), "{text}");
    }
    let early = [
        (Openai, String::new()),
        (Openai, "garbage\nand more of it".into()),
        (Openai, event(&delta("It is"))),
        (Openai, "{}".into()),
        (Ollama, String::new()),
        (Ollama, " \n\n".into()),
        (Ollama, "{\"message\":{\"content\":\"It is\"},\"done\":false}\n".into()),
    ];
    for (kind, text) in early {
        assert_eq!(whole(kind, &text), Err(StreamError::ClosedEarly), "{text}");
    }
    let says = |kind, text: &str| match whole(kind, text) {
        Err(StreamError::Server(says)) => says,
        other => panic!("{other:?}"),
    };
    let broken = format!("{}{}", event(&delta("It is")), event("{\"error\":{\"message\":\"no memory\"}}"));
    assert_eq!(says(Openai, &broken), "no memory");
    assert_eq!(says(Ollama, "{\"error\":\"no memory\"}\n"), "no memory");
}

#[test]
fn nothing_grows_without_bound() {
    let line = vec![b'x'; MAX_LINE_BYTES + 2];
    for kind in [Openai, Ollama] {
        let mut long = b"data: ".to_vec();
        long.extend(&line);
        assert_eq!(read(kind, &[&long]).0, Err(StreamError::LongLine(MAX_LINE_BYTES)));
        let space = vec![b' '; LIMIT];
        assert_eq!(read(kind, &[&space, b" "]).0, Err(StreamError::TooLarge(LIMIT)));
        let mut reader = Reader::new(kind, 10, Filter::default());
        assert_eq!(reader.feed(b"data: 123456"), Err(StreamError::TooLarge(10)));
    }
    // An event of very many lines is bounded as one line is.
    let many = b"data: [1,\n".repeat(MAX_LINE_BYTES / 4 + 2);
    assert_eq!(read(Openai, &[&many]).0, Err(StreamError::LongLine(MAX_LINE_BYTES)));
    let calls: Vec<Value> = (0..40).map(|_| json!({"function": {"name": "t", "arguments": {}}})).collect();
    let line = json!({"message": {"tool_calls": calls}, "done": true}).to_string();
    assert!(matches!(whole(Ollama, &line), Err(StreamError::TooManyCalls(_))));
}

/// The same bytes cut at these places.
fn cut(bytes: &[u8], places: &[usize]) -> Vec<Vec<u8>> {
    let mut places: Vec<usize> = places.iter().map(|place| place % (bytes.len() + 1)).collect();
    places.sort_unstable();
    let mut parts = Vec::new();
    let mut from = 0;
    for place in places {
        parts.push(bytes[from..place].to_vec());
        from = place;
    }
    parts.push(bytes[from..].to_vec());
    parts
}

proptest! {
    #[test]
    fn where_a_stream_is_split_makes_no_difference(
        said in "[a-zäß€😀 \n\"]{0,20}", places in prop::collection::vec(any::<usize>(), 0..12), crlf: bool
    ) {
        let ending = if crlf { "\r\n" } else { "\n" };
        let events = format!("data: {}{ending}{ending}: x{ending}data: {END}{ending}{ending}data: [DONE]{ending}{ending}", delta(&said));
        let lines = format!("{}{ending}{}{ending}",
            json!({"message": {"content": said}, "done": false}), json!({"done": true}));
        for (kind, text) in [(Openai, events), (Ollama, lines)] {
            let parts = cut(text.as_bytes(), &places);
            let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
            let (answer, heard) = read(kind, &parts);
            prop_assert_eq!(&answer.unwrap().text, &said);
            prop_assert_eq!(&heard, &said);
        }
    }

    #[test]
    fn no_bytes_upset_the_reader(bytes in prop::collection::vec(any::<u8>(), 0..200), lead in "(data: ?|\\{|\\{\n|)") {
        let all = [lead.as_bytes(), &bytes].concat();
        for kind in [Openai, Ollama] {
            let _ = read(kind, &[&all]);
        }
    }
}

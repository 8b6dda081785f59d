//! Keeps a prompt within what a model can look back on. Too long a prompt is refused by some servers and cut by others in the
//! midst, without a word; here it is shortened where it costs least: earlier turns go first, the oldest before the others,
//! then results of tools, then quoted material. Instructions, the request and the tools stay.

use hark_core::model::{Message, Prompt, Role};

/// Bytes a token has at least, on the average of a text; more are taken for more tokens than there are.
const BYTES_A_TOKEN: usize = 3;
/// Tokens that stand around every message.
const AROUND: usize = 8;
/// The shortest that a result or quoted material is cut to, characters.
const SHORTEST: usize = 200;
/// What stands around quoted material in prompts (`hark_dialog::contracts::fence`).
const FENCE: (&str, &str) = ("⟦data ", "\n⟦end of data⟧");
/// Stands where something was left out.
const CUT: &str = " … (cut)";

/// Tokens of a prompt with its tools, estimated from its bytes; `scale` is what an earlier estimate was off by.
pub(super) fn tokens(prompt: &Prompt, scale: f32) -> usize {
    let of_message = |message: &Message| {
        let calls = message.calls.iter().map(|call| call.tool.len() + call.args.to_string().len());
        (message.content.len() + calls.sum::<usize>()) / BYTES_A_TOKEN + AROUND
    };
    let tools = prompt.tools.iter().map(|tool| {
        (tool.name.len() + tool.description.len() + tool.schema.to_string().len()) / BYTES_A_TOKEN + AROUND
    });
    let all = prompt.messages.iter().map(of_message).sum::<usize>() + tools.sum::<usize>();
    (all as f32 * scale) as usize
}

/// The prompt within so many tokens, its answer included, with how many characters were left out; `None` where it fits as it
/// is. One that cannot be made to fit is as short as it can be.
pub(super) fn fitted(prompt: &Prompt, answer: usize, context: usize, scale: f32) -> Option<(Prompt, usize)> {
    let room = context.saturating_sub(answer);
    if tokens(prompt, scale) <= room {
        return None;
    }
    let mut short = prompt.clone();
    let chars = |prompt: &Prompt| prompt.messages.iter().map(|it| it.content.chars().count()).sum::<usize>();
    let before = chars(prompt);
    while tokens(&short, scale) > room && (drop_oldest_turn(&mut short) || cut_longest(&mut short)) {}
    let left_out = before - chars(&short).min(before);
    Some((short, left_out))
}

/// Where the request stands: behind it come calls and their results only.
fn request_at(prompt: &Prompt) -> usize {
    let with_calls = prompt.messages.iter().position(|message| !message.calls.is_empty());
    let until = with_calls.unwrap_or(prompt.messages.len());
    prompt.messages[..until].iter().rposition(|message| message.role == Role::User).unwrap_or(0)
}

/// Takes the oldest earlier turn away, what was asked with its answer.
fn drop_oldest_turn(prompt: &mut Prompt) -> bool {
    let first = prompt.messages.iter().take_while(|message| message.role == Role::System).count();
    let request = request_at(prompt);
    if first >= request {
        return false;
    }
    let next = (first + 1..request).find(|at| prompt.messages[*at].role == Role::User).unwrap_or(request);
    prompt.messages.drain(first..next);
    true
}

/// Halves the longest result, or the longest quoted material of the request.
fn cut_longest(prompt: &mut Prompt) -> bool {
    let request = request_at(prompt);
    let longest = prompt
        .messages
        .iter()
        .enumerate()
        .filter(|(at, message)| message.role == Role::Tool || *at == request)
        .flat_map(|(at, message)| quoted(&message.content).into_iter().map(move |span| (at, span)))
        .max_by_key(|(_, (start, end))| end - start);
    let Some((at, (start, end))) = longest else { return false };
    let content = &prompt.messages[at].content;
    let text = content[start..end].trim_end_matches(CUT);
    let (most, all) = (text.chars().count() / 2, text.chars().count());
    if all <= SHORTEST {
        return false;
    }
    let kept: String = text.chars().take(most.max(SHORTEST)).collect();
    prompt.messages[at].content = format!("{}{kept}{CUT}{}", &content[..start], &content[end..]);
    true
}

/// Where quoted material stands, from and to, bytes.
fn quoted(content: &str) -> Vec<(usize, usize)> {
    let mut spans = Vec::new();
    let mut from = 0;
    while let Some(begin) = content[from..].find(FENCE.0).map(|at| from + at) {
        let Some(start) = content[begin..].find('\n').map(|at| begin + at + 1) else { break };
        let Some(end) = content[start..].find(FENCE.1).map(|at| start + at) else { break };
        spans.push((start, end));
        from = end;
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::model::{Difficulty, ModelCall, Purpose};
    use serde_json::json;

    fn prompt() -> Prompt {
        let mut called = Message::new(Role::Assistant, "");
        called.calls.push(ModelCall { id: "c1".into(), tool: "look".into(), args: json!({}) });
        let data = format!("⟦data memory⟧\n{}\n⟦end of data⟧\nWhat of it?", "fact ".repeat(300));
        Prompt {
            messages: vec![
                Message::new(Role::System, "Be kind."),
                Message::new(Role::User, "first".repeat(50)),
                Message::new(Role::Assistant, "answer".repeat(50)),
                Message::new(Role::User, "second"),
                Message::new(Role::Assistant, "answer"),
                Message::new(Role::User, data),
                called,
                Message::result("c1", format!("ok\n⟦data look⟧\n{}\n⟦end of data⟧", "x".repeat(3000))),
            ],
            tools: Vec::new(),
            difficulty: Difficulty::Complex,
            purpose: Purpose::Plan,
            model: None,
            schema: None,
            max_tokens: None,
            temperature: 0.0,
            deliveries: Default::default(),
        }
    }

    #[test]
    fn what_fits_stays_and_the_oldest_turn_goes_first() {
        let whole = prompt();
        assert_eq!(fitted(&whole, 100, 8192, 1.0), None);
        let room = tokens(&whole, 1.0) - 10;
        let (short, left_out) = fitted(&whole, 0, room, 1.0).unwrap();
        assert_eq!(left_out, 250 + 300);
        assert_eq!((short.messages.len(), short.messages[1].content.as_str()), (6, "second"));
        assert_eq!(short.messages[5], whole.messages[7]);
    }

    #[test]
    fn results_and_quoted_material_are_cut_and_the_request_stays() {
        let (short, left_out) = fitted(&prompt(), 64, 500, 1.0).unwrap();
        assert!(tokens(&short, 1.0) <= 436 && left_out > 3000, "{} {left_out}", tokens(&short, 1.0));
        let roles: Vec<Role> = short.messages.iter().map(|message| message.role).collect();
        assert_eq!(roles, [Role::System, Role::User, Role::Assistant, Role::Tool]);
        assert!(short.messages[1].content.ends_with("\n⟦end of data⟧\nWhat of it?"));
        assert!(short.messages[3].content.contains("… (cut)\n⟦end of data⟧"));
        // What cannot fit is as short as it can be, and ends.
        let (least, _) = fitted(&prompt(), 0, 1, 1.0).unwrap();
        assert!(least.messages[1].content.contains("What of it?"));
    }

    #[test]
    fn an_estimate_that_was_off_is_corrected() {
        let whole = prompt();
        assert_eq!(tokens(&whole, 2.0) / 2, tokens(&whole, 1.0));
        assert!(fitted(&whole, 0, tokens(&whole, 1.0), 1.5).is_some());
    }
}

//! What a call of a server's tool came to: its words as data, cleaned and bounded.

use hark_core::external_tools::{ExternalAnswer, ExternalFailure, cleaned};
use hark_core::tool::error_code;
use rmcp::ServiceError;
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, ErrorCode, ResourceContents};

/// Most of an answer that is kept, characters.
pub(super) const MAX_CHARS: usize = 50_000;
/// Longest error text that is passed on, characters.
const MAX_ERROR_CHARS: usize = 500;

/// The answer, or why there is none.
pub(super) fn of(
    server: &str,
    response: Result<CallToolResponse, ServiceError>,
) -> Result<ExternalAnswer, ExternalFailure> {
    let failed = |code, message: String, asked| ExternalFailure {
        code,
        message: format!("the MCP server {server} {message}"),
        fix: String::new(),
        asked,
    };
    match response {
        Ok(CallToolResponse::Complete(result)) => {
            let (text, truncated) = words(&result, MAX_CHARS);
            if result.is_error == Some(true) {
                let why = cleaned(&text, MAX_ERROR_CHARS).0;
                return Err(failed(error_code::FAILED, format!("says: {why}"), true));
            }
            Ok(ExternalAnswer { text, truncated })
        }
        Ok(CallToolResponse::InputRequired(_)) => {
            let message = "wants to ask something before it goes on, which is not passed on".to_owned();
            Err(failed(error_code::UNSUPPORTED, message, true))
        }
        Ok(_) => Err(failed(error_code::UNSUPPORTED, "answers later, which is not waited for".into(), true)),
        Err(ServiceError::McpError(error)) => {
            let code = match error.code {
                ErrorCode::INVALID_PARAMS => error_code::BAD_ARGUMENT,
                _ => error_code::FAILED,
            };
            Err(failed(code, format!("says: {}", cleaned(&error.message, MAX_ERROR_CHARS).0), true))
        }
        Err(error) => {
            let why = cleaned(&error.to_string(), MAX_ERROR_CHARS).0;
            Err(ExternalFailure {
                fix: "look at `hark mcp list`; it is started again".into(),
                ..failed(error_code::OFFLINE, format!("is gone: {why}"), true)
            })
        }
    }
}

/// All words of a result; data where there are no words. The flag says whether there is more.
fn words(result: &CallToolResult, most: usize) -> (String, bool) {
    let mut parts: Vec<String> = result.content.iter().map(part).collect();
    if let (true, Some(data)) = (parts.is_empty(), &result.structured_content) {
        parts.push(data.to_string());
    }
    cleaned(&parts.join("\n"), most)
}

fn part(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => format!("[a picture, {}]", image.mime_type),
        ContentBlock::Audio(audio) => format!("[sound, {}]", audio.mime_type),
        ContentBlock::Resource(resource) => match &resource.resource {
            ResourceContents::TextResourceContents { text, .. } => text.clone(),
            _ => "[a file that is not text]".to_owned(),
        },
        ContentBlock::ResourceLink(link) => format!("{}: {}", link.name, link.uri),
        _ => "[something that cannot be shown]".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::ErrorData;
    use serde_json::json;

    fn complete(value: serde_json::Value) -> Result<ExternalAnswer, ExternalFailure> {
        of("x", Ok(CallToolResponse::Complete(serde_json::from_value(value).unwrap())))
    }

    #[test]
    fn words_are_joined_cleaned_and_bounded() {
        let text = |text: &str| json!({"type": "text", "text": text});
        let image = json!({"type": "image", "data": "AAAA", "mimeType": "image/png"});
        let answer = complete(json!({"content": [text("a\u{1b}[31m"), image, text("b")]})).unwrap();
        assert_eq!((answer.text.as_str(), answer.truncated), ("a[31m\n[a picture, image/png]\nb", false));
        let long = complete(json!({"content": [text(&"x".repeat(3_000_000))]})).unwrap();
        assert_eq!((long.text.len(), long.truncated), (MAX_CHARS, true));
        let data = complete(json!({"content": [], "structuredContent": {"a": 1}})).unwrap();
        assert_eq!(data.text, r#"{"a":1}"#);
    }

    #[test]
    fn an_error_is_a_failure_whatever_form_it_comes_in() {
        let text = json!({"content": [{"type": "text", "text": "no such file"}], "isError": true});
        assert_eq!(complete(text).unwrap_err().message, "the MCP server x says: no such file");
        let wrong = of("x", Err(ServiceError::McpError(ErrorData::invalid_params("no", None)))).unwrap_err();
        assert_eq!((wrong.code, wrong.asked), (error_code::BAD_ARGUMENT, true));
        let gone = of("x", Err(ServiceError::TransportClosed)).unwrap_err();
        assert_eq!(gone.code, error_code::OFFLINE);
    }
}

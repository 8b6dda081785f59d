//! The tools a server tells of, as far as they can be taken: names are checked, words cleaned and cut, schemas reduced to
//! what is understood. What the server says of their harmlessness counts for nothing.

use super::{PREFIX, schema};
use hark_config::mcp::McpServer;
use hark_core::external_tools::{ExternalTool, cleaned};
use rmcp::model::Tool;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Most tools of a server.
pub(super) const MAX_TOOLS: usize = 128;
/// Longest name of a tool.
const MAX_NAME: usize = 64;
/// Longest description, characters.
const MAX_DESCRIPTION: usize = 600;

/// What a server has.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Listing {
    pub(super) tools: Vec<Arc<ExternalTool>>,
    /// Tools that are not taken, each with why.
    pub(super) refused: Vec<String>,
}

/// The tools of a server.
pub(super) fn of(server: &str, config: &McpServer, told: Vec<Tool>) -> Listing {
    let mut listing = Listing::default();
    let mut names = BTreeSet::new();
    for tool in told {
        let name = cleaned(&tool.name, MAX_NAME).0;
        if config.hidden_tools.contains(&name) {
            continue;
        }
        let taken = if !is_name(&tool.name) {
            Err(format!("its name is none: 1 to {MAX_NAME} of letters, digits, `_`, `-` and `.`"))
        } else if !names.insert(name.clone()) {
            Err("there is another of this name".to_owned())
        } else if listing.tools.len() == MAX_TOOLS {
            Err(format!("the server has more than {MAX_TOOLS}; name some in hidden_tools"))
        } else {
            taken(server, config, &tool)
        };
        match taken {
            Ok(tool) => listing.tools.push(Arc::new(tool)),
            // One line is enough for many that are too many.
            Err(why) if listing.refused.len() < MAX_TOOLS => listing.refused.push(format!("{name}: {why}")),
            Err(_) => {}
        }
    }
    listing
}

fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    (1..=MAX_NAME).contains(&name.len()) && name.chars().all(plain)
}

fn taken(server: &str, config: &McpServer, tool: &Tool) -> Result<ExternalTool, String> {
    let description = tool.description.as_deref().or(tool.title.as_deref()).unwrap_or_default();
    let in_one_line = description.split_whitespace().collect::<Vec<_>>().join(" ");
    let plain = |name: &str| name.replace(['_', '-', '.'], " ");
    let triggers = [plain(server), plain(&tool.name)].into_iter().chain(config.words.iter().cloned());
    Ok(ExternalTool {
        name: format!("{PREFIX}{server}.{}", tool.name),
        description: cleaned(&in_one_line, MAX_DESCRIPTION).0,
        schema: schema::reduced(&tool.input_schema)?,
        risk: config.risk_of(&tool.name),
        permission: "mcp",
        agent: format!("{PREFIX}{server}"),
        triggers: triggers.collect(),
        trusted: config.trusted,
        timeout_ms: config.timeout_ms,
        trouble: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::Risk;
    use serde_json::{Value, json};

    fn listed(config: &McpServer, tools: Vec<Value>) -> Listing {
        of("test", config, tools.into_iter().map(|tool| serde_json::from_value(tool).unwrap()).collect())
    }

    #[test]
    fn what_the_owner_says_counts_and_not_the_server() {
        let config = McpServer {
            read_tools: vec!["look".into()],
            hidden_tools: vec!["away".into()],
            words: vec!["weather".into()],
            ..McpServer::default()
        };
        let tool = |name: &str| {
            json!({
                "name": name, "description": "Does\nit.\u{1b}[0m \u{202e}", "inputSchema": {"type": "object"},
                "annotations": {"readOnlyHint": true},
            })
        };
        let listing = listed(&config, vec![tool("look"), tool("set_it"), tool("away"), tool("look")]);
        let told: Vec<(&str, Risk)> =
            listing.tools.iter().map(|tool| (tool.name.as_str(), tool.risk)).collect();
        assert_eq!(told, [("mcp.test.look", Risk::Read), ("mcp.test.set_it", Risk::Dangerous)]);
        assert_eq!(listing.tools[1].triggers, ["test", "set it", "weather"]);
        assert_eq!(listing.tools[0].description, "Does it.[0m");
        assert_eq!(listing.refused, ["look: there is another of this name"]);
    }

    #[test]
    fn names_that_could_be_taken_for_something_else_are_refused() {
        let tools = ["", "a b", "ä", "x\u{1b}", "../etc", &"n".repeat(65), "a/b", "ok.fine-1"];
        let tools = tools.map(|name| json!({"name": name, "inputSchema": {"type": "object"}}));
        let listing = listed(&McpServer::default(), tools.into());
        assert_eq!(listing.tools.len(), 1);
        assert_eq!(listing.refused.len(), 7, "{:?}", listing.refused);
    }

    #[test]
    fn no_more_than_a_number_of_tools_is_taken() {
        let tools = (0..1000).map(|n| json!({"name": format!("t{n}"), "inputSchema": {"type": "object"}}));
        let listing = listed(&McpServer::default(), tools.collect());
        assert_eq!((listing.tools.len(), listing.refused.len()), (MAX_TOOLS, MAX_TOOLS));
    }
}

//! To-do lists: the service calls that turn one list into another.

use super::service_call::Call;
use hark_core::home::Entity;
use hark_core::ports::ListItem;
use serde_json::{Value, json};

/// An item as Home Assistant has it.
struct ExistingItem<'a> {
    /// What it is named by in a service: its id, or its text where it has none.
    handle: &'a str,
    text: &'a str,
    done: bool,
}

/// The calls that make the items of a list (its attribute `items`) these. What stays is not touched, and what
/// is finished is never taken away: that is the owner's archive.
pub fn calls(entity: &Entity, wanted: &[ListItem]) -> Vec<Call> {
    let empty = Vec::new();
    let items = entity.attributes.get("items").and_then(Value::as_array).unwrap_or(&empty);
    let mut left: Vec<ExistingItem<'_>> = items.iter().filter_map(existing_item).collect();
    let (mut updates, mut adds) = (Vec::new(), Vec::new());
    let status = |done: bool| if done { "completed" } else { "needs_action" };
    for item in wanted {
        let same_text = |existing: &ExistingItem<'_>| existing.text == item.text;
        // Of two with the same text that which needs no change.
        let exact = left.iter().position(|existing| same_text(existing) && existing.done == item.done);
        match exact.or_else(|| left.iter().position(same_text)) {
            Some(at) => {
                let existing = left.swap_remove(at);
                if existing.done != item.done {
                    updates.push(json!({"item": existing.handle, "status": status(item.done)}));
                }
            }
            None => {
                adds.push(("add_item", json!({"item": item.text})));
                if item.done {
                    adds.push(("update_item", json!({"item": item.text, "status": status(true)})));
                }
            }
        }
    }
    let gone: Vec<&str> =
        left.iter().filter(|existing| !existing.done).map(|existing| existing.handle).collect();
    let remove = (!gone.is_empty()).then(|| ("remove_item", json!({"item": gone})));
    let updates = updates.into_iter().map(|data| ("update_item", data));
    let calls = remove.into_iter().chain(updates).chain(adds);
    calls.map(|(service, data)| Call::new("todo", service, data)).collect()
}

fn existing_item(item: &Value) -> Option<ExistingItem<'_>> {
    let text = |key| item.get(key).and_then(Value::as_str);
    let summary = text("summary")?;
    Some(ExistingItem {
        handle: text("uid").unwrap_or(summary),
        text: summary,
        done: text("status") == Some("completed"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(items: Value, wanted: &[(&str, bool)]) -> Value {
        let entity = json!({"id": "todo.a", "name": "A", "state": "1", "attributes": {"items": items}});
        let wanted: Vec<ListItem> =
            wanted.iter().map(|(text, done)| ListItem { text: (*text).into(), done: *done }).collect();
        let calls = calls(&serde_json::from_value(entity).unwrap(), &wanted);
        calls.iter().map(|call| json!([call.service, call.data])).collect()
    }

    #[test]
    fn only_what_is_different_is_told() {
        let items = json!([
            {"uid": "1", "summary": "milk", "status": "needs_action"},
            {"uid": "2", "summary": "eggs", "status": "completed"},
            {"summary": "bread", "status": "needs_action"}, {"uid": "9"}, 7,
        ]);
        assert_eq!(told(items.clone(), &[("milk", false), ("eggs", true), ("bread", false)]), json!([]));
        assert_eq!(
            told(items.clone(), &[("milk", true), ("eggs", true), ("bread", false), ("tea", false)]),
            json!([["update_item", {"item": "1", "status": "completed"}], ["add_item", {"item": "tea"}]])
        );
        assert_eq!(told(items.clone(), &[]), json!([["remove_item", {"item": ["1", "bread"]}]]));
        assert_eq!(
            told(items, &[("milk", false), ("eggs", false), ("bread", false)]),
            json!([["update_item", {"item": "2", "status": "needs_action"}]])
        );
        assert_eq!(
            told(Value::Null, &[("tea", true)]),
            json!([["add_item", {"item": "tea"}], ["update_item", {"item": "tea", "status": "completed"}]])
        );
    }

    #[test]
    fn of_two_items_of_one_text_the_open_one_goes() {
        let items = json!([{"uid": "1", "summary": "milk", "status": "completed"}, {"uid": "2", "summary": "milk", "status": "needs_action"}]);
        assert_eq!(told(items.clone(), &[("milk", false)]), json!([]));
        assert_eq!(told(items, &[("milk", true)]), json!([["remove_item", {"item": ["2"]}]]));
    }
}

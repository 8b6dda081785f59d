//! Lists, memory, announcements.

use super::*;
use hark_core::ports::{FactStore, ListStore};

#[tokio::test]
async fn things_are_put_on_the_shopping_list_and_read_out() {
    let house = house();
    let receipt = house.ok("list.add", json!({"item": "eggs, milk and salt and pepper"})).await;
    assert_eq!(receipt.detail["list"], "Shopping");
    assert_eq!(receipt.detail["items"], json!(["eggs", "milk", "salt and pepper"]));
    assert_eq!(receipt.detail["count"], 5);
    let receipt = house.ok("list.read", json!({})).await;
    let all = json!(["milk", "bread", "tomatoes", "eggs", "salt and pepper"]);
    assert_eq!(receipt.detail["items"], all);
    let kept = house.list_store.lists().unwrap();
    assert_eq!((kept.len(), kept[0].items.len()), (1, 5), "it is kept");
    let receipt = house.ok("list.complete", json!({"item": "the bread"})).await;
    assert_eq!((&receipt.detail["items"], receipt.changed), (&json!(["bread"]), true));
    assert_eq!(house.ok("list.read", json!({"item": "bread"})).await.detail["answer"], false);
    assert_eq!(house.ok("list.read", json!({"item": "eggs"})).await.detail["answer"], true);
    let receipt = house.ok("list.clear", json!({"name": "groceries"})).await;
    assert_eq!(receipt.detail["items"], json!(["milk", "tomatoes", "eggs", "salt and pepper"]));
    assert!(!house.ok("list.clear", json!({})).await.changed);
}

#[tokio::test]
async fn there_are_several_lists() {
    let house = house();
    house.ok("list.add", json!({"item": "mow the lawn", "name": "to-do list"})).await;
    let receipt = house.ok("list.create", json!({"name": "christmas presents"})).await;
    assert_eq!(receipt.detail["list"], "Christmas presents");
    house.ok("list.add", json!({"item": "a kite", "name": "the christmas presents list"})).await;
    let receipt = house.ok("list.names", json!({})).await;
    let lists: Vec<(&str, u64)> = receipt.detail["lists"]
        .as_array()
        .unwrap()
        .iter()
        .map(|list| (list["name"].as_str().unwrap(), list["count"].as_u64().unwrap()))
        .collect();
    assert_eq!(lists, [("Packing", 1), ("Shopping", 3), ("To do", 2), ("Christmas presents", 1)]);
    for (tool, args, expected) in [
        ("list.add", json!({"item": "x", "name": "wish list"}), error_code::NOT_FOUND),
        ("list.remove", json!({"item": "caviar"}), error_code::NOT_FOUND),
        ("list.create", json!({"name": "shopping"}), error_code::BAD_ARGUMENT),
        ("list.create", json!({"name": "packing"}), error_code::BAD_ARGUMENT),
        ("list.add", json!({"item": " , "}), error_code::BAD_ARGUMENT),
        ("list.add", json!({}), error_code::BAD_ARGUMENT),
    ] {
        let (code, _) = house.fails(tool, args.clone()).await;
        assert_eq!(code, expected, "{tool} {args}");
    }
}

#[tokio::test]
async fn a_list_that_is_a_device_is_changed_there() {
    let house = house();
    let receipt = house.ok("list.add", json!({"item": "socks and shirts", "name": "packing list"})).await;
    assert_eq!((&receipt.detail["list"], &receipt.detail["count"]), (&json!("Packing"), &json!(3)));
    assert_eq!(house.state("todo.packing"), "3");
    house.ok("list.complete", json!({"item": "passport", "name": "packing"})).await;
    let receipt = house.ok("list.read", json!({"name": "packing"})).await;
    assert_eq!(receipt.detail["items"], json!(["socks", "shirts"]));
    assert!(house.list_store.lists().unwrap().is_empty(), "the store has nothing of it");
    let deaf = Built { deaf: "todo.", ..Built::default() }.house();
    let (code, _) = deaf.fails("list.add", json!({"item": "socks", "name": "packing"})).await;
    assert_eq!(code, error_code::TIMEOUT);
}

#[tokio::test]
async fn a_list_that_cannot_be_kept_is_not_changed() {
    let house = house();
    house.list_store.refuses.store(true, Ordering::SeqCst);
    house.fact_store.refuses.store(true, Ordering::SeqCst);
    for (tool, args) in [
        ("list.add", json!({"item": "eggs"})),
        ("list.create", json!({"name": "x"})),
        ("memory.remember", json!({"fact": "x is y"})),
    ] {
        let (code, receipt) = house.fails(tool, args).await;
        assert_eq!((code.as_str(), receipt.changed), (error_code::NOT_KEPT, false), "{tool}");
    }
    assert_eq!(house.ok("list.read", json!({})).await.detail["count"], 3);
}

#[tokio::test]
async fn what_is_told_is_remembered_and_forgotten() {
    let house = house();
    assert_eq!(house.ok("memory.recall", json!({})).await.detail["count"], 0);
    let told = json!({"fact": "the spare key is under the pot"});
    let receipt = house.ok("memory.remember", told.clone()).await;
    assert_eq!((&receipt.detail["known"], receipt.changed), (&json!(false), true));
    let receipt = house.ok("memory.remember", told.clone()).await;
    assert_eq!((&receipt.detail["known"], receipt.changed), (&json!(true), false));
    let receipt = house.ok("memory.recall", json!({"query": "spare key"})).await;
    assert_eq!(receipt.detail["facts"], json!(["the spare key is under the pot"]));
    let (code, _) = house.fails("memory.recall", json!({"query": "the moon"})).await;
    assert_eq!(code, error_code::NOT_FOUND);
    house.ok("memory.forget", json!({"query": "the spare key", "every": true})).await;
    assert!(house.fact_store.newest(10).unwrap().is_empty());
    let (code, _) = house.fails("memory.forget", json!({"query": "the spare key"})).await;
    assert_eq!(code, error_code::NOT_FOUND);
}

#[tokio::test]
async fn messages_are_said_here() {
    let house = house();
    let receipt = house.ok("announce.say", json!({"message": "dinner is\nready"})).await;
    assert_eq!(
        (&receipt.detail["message"], &receipt.detail["nodes"]),
        (&json!("dinner is ready"), &json!(["here"]))
    );
    assert_eq!(*house.knob.1.lock().unwrap(), ["dinner is ready"]);
}

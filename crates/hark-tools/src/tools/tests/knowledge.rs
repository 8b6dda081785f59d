//! Looking up in documents: the source is told, and what is not found is said.

use super::*;

fn house() -> House {
    let documents = vec![
        ("Tenancy agreement", None, "Pets need the written consent of the landlord."),
        ("Boiler manual", Some(12), "E5 means that the water pressure is too low."),
        ("Cat care", None, "Pets need water."),
    ];
    Built { documents, ..Built::default() }.house()
}

#[tokio::test]
async fn an_answer_has_its_source() {
    let receipt = house()
        .ok("knowledge.search", json!({"query": "error E5", "document": "manual", "document_of": "boiler"}))
        .await;
    let detail = &receipt.detail;
    assert_eq!((&detail["count"], &detail["documents"]), (&json!(1), &json!(3)));
    assert_eq!((&detail["called"], &detail["title"]), (&json!("boiler manual"), &json!("Boiler manual")));
    assert_eq!(
        (&detail["page"], &detail["answer"]),
        (&json!(12), &json!("E5 means that the water pressure is too low."))
    );
    assert_eq!((&detail["start_byte"], &detail["end_byte"]), (&json!(40), &json!(84)), "where it stands");
    assert!(receipt.tainted && !receipt.changed, "what a document says is text from outside");
}

#[tokio::test]
async fn the_document_that_was_named_comes_first_and_another_is_told_by_its_title() {
    let house = house();
    let named = house
        .ok("knowledge.search", json!({"query": "Pets", "document": "care", "document_of": "cat"}))
        .await;
    assert_eq!((&named.detail["called"], &named.detail["count"]), (&json!("cat care"), &json!(2)));
    assert_eq!(named.detail["others"][0]["title"], "Tenancy agreement");
    assert_eq!(named.detail["others"][0]["start_byte"], 40);
    let other = house.ok("knowledge.search", json!({"query": "Pets", "document": "lease"})).await;
    assert_eq!(
        (&other.detail["called"], &other.detail["title"]),
        (&Value::Null, &json!("Tenancy agreement"))
    );
}

#[tokio::test]
async fn nothing_found_and_no_documents_are_answers() {
    let receipt = house().ok("knowledge.search", json!({"query": "zebra"})).await;
    assert_eq!((&receipt.detail["count"], &receipt.detail["documents"]), (&json!(0), &json!(3)));
    let receipt = Built::default().house().ok("knowledge.search", json!({"query": "zebra"})).await;
    assert_eq!(receipt.detail["documents"], 0);
}

//! Lists: what is meant, what is changed, and that it is kept.

use super::*;
use crate::test_stores::InMemoryLists;
use proptest::prelude::*;
use std::sync::atomic::Ordering;

fn lists() -> (Arc<InMemoryLists>, Lists) {
    let list_store = Arc::new(InMemoryLists::default());
    let declared = [
        HomeList { name: "Shopping".into(), items: vec!["milk".into(), "brown bread".into()] },
        HomeList { name: "To do".into(), items: vec![] },
    ];
    let lists = Lists::new(list_store.clone(), &declared, "en");
    (list_store, lists)
}

fn open(list: &StoredList) -> Vec<&str> {
    list.items.iter().filter(|item| !item.done).map(|item| item.text.as_str()).collect()
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn things_said_in_one_breath_are_several() {
    for (said, items) in [
        ("milk", &["milk"][..]),
        ("milk and eggs", &["milk", "eggs"]),
        ("milk, eggs, and two loaves of bread", &["milk", "eggs", "two loaves of bread"]),
        ("salt and pepper", &["salt and pepper"]),
        ("Mac and Cheese and apples", &["Mac and Cheese", "apples"]),
        ("ham and cheese, beer", &["ham and cheese", "beer"]),
        ("sandwich", &["sandwich"]),
        ("and", &[]),
        (" , ; ", &[]),
    ] {
        assert_eq!(split_items(said), items, "{said}");
    }
}

#[test]
fn things_of_a_spoken_list_have_no_commas() {
    for (said, items) in [
        ("milk eggs bread and butter", &["milk", "eggs", "bread", "butter"][..]),
        ("nappies wipes and dog food", &["nappies", "wipes", "dog food"]),
        (
            "two pints of milk a dozen eggs and some tea bags",
            &["two pints of milk", "a dozen eggs", "some tea bags"],
        ),
        ("milk olive oil sourdough bread", &["milk", "olive oil", "sourdough bread"]),
        ("eggs butter", &["eggs", "butter"]),
        ("carrot juice", &["carrot juice"]),
        (
            "milk carrot juice avocado oil and duck eggs",
            &["milk", "carrot juice", "avocado oil", "duck eggs"],
        ),
        ("ham bread, eggs", &["ham bread", "eggs"]), // written
        ("chocolate milk and eggs", &["chocolate milk", "eggs"]),
        ("milk for the cake and eggs", &["milk for the cake", "eggs"]),
        ("Milch Eier und Klopapier", &["Milch", "Eier", "Klopapier"]),
    ] {
        assert_eq!(split_new_items(said, None), items, "{said}");
    }
    assert_eq!(
        split_new_items("water plants and clean bathroom", Some("to do")),
        ["water plants", "clean bathroom"]
    );
}

#[test]
fn the_list_that_is_meant_is_found() {
    let (_, lists) = lists();
    for asked in [None, Some("shopping list"), Some("the Shopping"), Some("my grocery list")] {
        assert_eq!(lists.find(asked).unwrap().name, "Shopping", "{asked:?}");
    }
    for asked in ["to-do list", "my todo list", "tasks"] {
        assert_eq!(lists.find(Some(asked)).unwrap().name, "To do", "{asked}");
    }
    assert_eq!(lists.find(Some("wish list")), Err(ListError::NoSuchList("wish list".into())));
    let bare = Lists::new(Arc::new(InMemoryLists::default()), &[], "en");
    assert!(bare.find(None).unwrap().items.is_empty());
}

#[test]
fn a_list_is_known_by_its_name_in_every_language_and_made_with_that_of_the_house() {
    let (list_store, lists) = lists();
    assert_eq!(lists.find(Some("einkaufsliste")).unwrap().name, "Shopping");
    assert_eq!(Lists::new(list_store, &[], "de").find(None).unwrap().name, "Einkaufen");
    let other = Lists::new(Arc::new(InMemoryLists::default()), &[], "xx");
    assert_eq!((other.usual(), other.favourites()), ("", ""));
    assert!(other.find(None).is_err(), "another language is not English");
}

#[test]
fn items_are_put_on_once_seen_to_and_taken_off() {
    let (list_store, lists) = lists();
    let change = lists.edit(None, &Edit::Add(texts(&["eggs", "Milk"]))).unwrap();
    assert_eq!(change.edited.touched, ["eggs", "milk"]);
    assert_eq!(open(&lists.find(None).unwrap()), ["milk", "brown bread", "eggs"]);
    let twice = lists.edit(None, &Edit::Add(texts(&["some eggs"]))).unwrap().edited;
    assert_eq!((twice.changed, twice.already), (false, vec!["eggs".to_owned()]));
    let change = lists.edit(None, &Edit::Complete(texts(&["the bread"]))).unwrap();
    assert_eq!(change.edited.touched, ["brown bread"]);
    lists.edit(None, &Edit::Remove(texts(&["milk"]))).unwrap();
    let kept = Lists::new(list_store, &[], "en").find(None).unwrap();
    assert_eq!(open(&kept), ["eggs"]);
    assert!(kept.items.iter().any(|item| item.done && item.text == "brown bread"));
    let missing = lists.edit(None, &Edit::Remove(texts(&["eggs", "caviar"])));
    assert!(matches!(missing, Err(ListError::NoSuchItem { .. })));
    assert_eq!(open(&lists.find(None).unwrap()), ["eggs"], "all or nothing");
    lists.edit(None, &Edit::Add(texts(&["brown bread"]))).unwrap();
    assert_eq!(open(&lists.find(None).unwrap()), ["eggs", "brown bread"], "wanted again");
    assert_eq!(
        lists.edit(None, &Edit::Clear { keep: Vec::new() }).unwrap().edited.touched,
        ["eggs", "brown bread"]
    );
    assert!(lists.find(None).unwrap().items.is_empty(), "and the file's items do not come back");
}

#[test]
fn lists_are_made_and_taken_back() {
    let (list_store, lists) = lists();
    let change = lists.create("christmas presents list").unwrap();
    assert_eq!((change.name.as_str(), change.before.as_ref()), ("Christmas presents", None));
    assert_eq!(lists.create("the Christmas presents"), Err(ListError::Exists("Christmas presents".into())));
    assert!(matches!(lists.create("to do"), Err(ListError::Exists(_))));
    assert_eq!(lists.all().unwrap().len(), 3);
    lists.edit(Some("presents"), &Edit::Add(texts(&["a kite"]))).unwrap_err();
    let gift = lists.edit(Some("christmas presents"), &Edit::Add(texts(&["a kite"]))).unwrap();
    assert_eq!(lists.take_back(&change.name, None, &[]), Err(ListError::NotEmpty(change.name.clone())));
    lists.take_back(&gift.name, gift.before.as_ref(), &gift.edited.items).unwrap();
    lists.take_back(&change.name, None, &[]).unwrap();
    assert_eq!(lists.all().unwrap().len(), 2);
    let cleared = lists.edit(None, &Edit::Clear { keep: Vec::new() }).unwrap();
    lists.take_back("Shopping", cleared.before.as_ref(), &cleared.edited.items).unwrap();
    assert_eq!(open(&lists.find(None).unwrap()), ["milk", "brown bread"]);
    list_store.refuses.store(true, Ordering::SeqCst);
    assert!(matches!(lists.edit(None, &Edit::Clear { keep: Vec::new() }), Err(ListError::Store(_))));
}

#[test]
fn what_was_done_to_a_list_since_is_not_taken_back_with_a_change() {
    for (change, since, left) in [
        (Edit::Add(texts(&["eggs"])), Edit::Add(texts(&["salt"])), vec!["milk", "brown bread", "salt"]),
        (Edit::Remove(texts(&["milk"])), Edit::Add(texts(&["salt"])), vec!["milk", "brown bread", "salt"]),
        (Edit::Clear { keep: Vec::new() }, Edit::Add(texts(&["salt"])), vec!["milk", "brown bread", "salt"]),
        (Edit::Complete(texts(&["milk"])), Edit::Remove(texts(&["bread"])), vec!["milk"]),
        (Edit::Add(texts(&["eggs"])), Edit::Complete(texts(&["milk"])), vec!["brown bread"]),
    ] {
        let (_, lists) = lists();
        let done = lists.edit(None, &change).unwrap();
        lists.edit(None, &since).unwrap();
        lists.take_back(&done.name, done.before.as_ref(), &done.edited.items).unwrap();
        assert_eq!(open(&lists.find(None).unwrap()), left, "{change:?}, then {since:?}");
    }
}

/// On a list of a service there may be two of one name, and what is finished stays there for good.
#[test]
fn a_change_is_merged_into_what_others_made_of_a_list() {
    let list = |words: &str| -> Vec<ListItem> {
        let item = |word: &str| ListItem {
            text: word.trim_start_matches('-').to_owned(),
            done: word.starts_with('-'),
        };
        words.split_whitespace().map(item).collect()
    };
    for (from, to, now, expected) in [
        ("", "milk", "tea", "milk tea"),
        ("milk", "milk eggs", "milk tea", "milk eggs tea"),
        ("milk", "", "milk tea", "tea"),
        ("milk", "-milk", "milk tea", "-milk tea"),
        ("-milk", "milk", "-milk -tea", "milk -tea"),
        // The finished one is the archive; the open one is what was put on.
        ("-milk milk", "-milk", "-milk milk tea", "-milk tea"),
        ("milk", "-milk", "-milk milk", "-milk"),
        ("-milk", "-milk milk", "-milk", "-milk milk"),
        ("milk -milk", "milk milk", "milk -milk", "milk milk"),
        // Wanted again, and gone meanwhile.
        ("-milk", "milk", "tea", "milk tea"),
        ("milk", "milk", "tea", "tea"),
        ("milk", "", "tea", "tea"),
    ] {
        let merged_once = merged(&list(from), &list(to), &list(now));
        assert_eq!(merged_once, list(expected), "{from:?} to {to:?} upon {now:?}");
        assert_eq!(merged(&list(from), &list(to), &merged_once), merged_once, "{from:?} to {to:?} twice");
    }
    let others = merged(&list("milk eggs"), &list(""), &list("eggs milk tea milk"));
    assert_eq!(others, list("tea milk"), "somebody else's of the same name stays");
}

proptest! {
    /// A change merged into the list it was made of is that change, and merged the other way round it is taken back.
    #[test]
    fn a_merge_without_others_is_the_change(words in proptest::collection::vec(("[a-f]", 0..4u8), 0..8)) {
        let of = |bit: u8| -> Vec<ListItem> {
            let mut items: Vec<ListItem> = Vec::new();
            for (text, kind) in &words {
                let is_new = items.iter().all(|item| item.text != *text);
                if kind & 1 == bit || kind & 2 != 0 && is_new {
                    items.push(ListItem { text: text.clone(), done: kind & 1 != bit });
                }
            }
            items
        };
        let sorted = |mut items: Vec<ListItem>| { items.sort_by(|a, b| (&a.text, a.done).cmp(&(&b.text, b.done))); items };
        let (from, to) = (of(0), of(1));
        prop_assert_eq!(sorted(merged(&from, &to, &from)), sorted(to.clone()));
        prop_assert_eq!(sorted(merged(&to, &from, &to)), sorted(from));
    }

    /// Whatever is put on and taken off: no text twice among the open ones, bounded, and what an edit
    /// touched is what it says.
    #[test]
    fn a_list_has_nothing_twice(steps in proptest::collection::vec((0..3u8, "[a-d]( [a-c])?"), 0..40)) {
        let mut items = Vec::new();
        for (kind, text) in steps {
            let wanted = vec![text.clone()];
            let edit = match kind { 0 => Edit::Add(wanted), 1 => Edit::Complete(wanted), _ => Edit::Remove(wanted) };
            if let Ok(edited) = edit.apply("x", &items) {
                prop_assert_eq!(edited.touched.len(), 1);
                items = edited.items;
            }
            let mut open: Vec<String> = items.iter().filter(|item| !item.done).map(|item| normal(&item.text)).collect();
            let count = open.len();
            open.sort();
            open.dedup();
            prop_assert_eq!(open.len(), count);
        }
    }
}

#[test]
fn what_is_kept_stays_and_what_is_not_there_clears_nothing() {
    let items = |texts: &[&str]| -> Vec<ListItem> {
        texts.iter().map(|text| ListItem { text: (*text).to_owned(), done: false }).collect()
    };
    let list = items(&["milk", "brown bread", "eggs"]);
    let clear = |keep: &[&str]| Edit::Clear { keep: texts(keep) }.apply("Shopping", &list);
    let edited = clear(&["the bread"]).or_else(|_| clear(&["bread"])).unwrap();
    assert_eq!(edited.items, items(&["brown bread"]));
    assert_eq!(edited.touched, ["milk", "eggs"]);
    assert!(matches!(clear(&["wine"]), Err(ListError::NoSuchItem { .. })));
}

//! "Undo that", after everything that can be changed.

use super::*;
use hark_home::state_proof::items_of;
use hark_home::undo::Undoable;

impl House {
    /// A call of a turn of its own.
    pub(super) async fn in_turn(&self, turn: &str, tool: &str, args: Value) -> Receipt {
        let Value::Object(args) = args else { panic!("arguments are an object") };
        let call = ToolCall {
            index: 0,
            turn: TurnId::from(turn),
            tool: tool.to_owned(),
            args,
            approved: false,
            grant: None,
            tainted: false,
            unattended: false,
            requester: Default::default(),
        };
        let receipt = self.tools.run(call).await;
        assert!(receipt.ok, "{tool}: {}", receipt.detail);
        receipt
    }
}

/// Three requests that come at once: the second takes the first back, neither what was before nor what comes after,
/// however long each takes.
#[tokio::test]
async fn what_is_under_way_is_waited_for_and_taken_back() {
    let house = house();
    house.in_turn("a", "timer.start", json!({"minutes": 5})).await;
    let call = |turn: &str, tool: &str, args: Value| ToolCall {
        index: 0,
        turn: TurnId::from(turn),
        tool: tool.to_owned(),
        args: args.as_object().cloned().unwrap(),
        approved: false,
        grant: None,
        tainted: false,
        unattended: false,
        requester: Default::default(),
    };
    let tools = CallOrder::new(Arc::new(house.tools.clone()), house.tools.services().clone());
    let adds = tools.run(call("b", "list.add", json!({"item": "eggs"})));
    let takes_back = tools.run(call("c", "undo.last", json!({})));
    let starts = tools.run(call("d", "timer.start", json!({"minutes": 7})));
    let (started, taken_back, added) = tokio::join!(starts, takes_back, adds);
    assert!(added.ok && started.ok, "{} {}", added.detail, started.detail);
    assert_eq!(taken_back.detail["undone"][0]["kind"], "list", "{}", taken_back.detail);
    assert_eq!(house.tools.services().timers.all().len(), 2);
}

/// A request that went on: what its first part did is taken back, though something else was done since.
#[tokio::test]
async fn the_changes_of_a_named_turn_are_taken_back_and_no_others() {
    let house = house();
    house.in_turn("a", "timer.start", json!({"minutes": 5})).await;
    house.in_turn("b", "list.add", json!({"item": "eggs"})).await;
    let receipt = house.in_turn("c", "undo.last", json!({"turn": "a"})).await;
    assert_eq!(receipt.detail["undone"][0]["kind"], "timer", "{}", receipt.detail);
    assert!(house.tools.services().timers.all().is_empty());
    let (again, _) = house.fails("undo.last", json!({"turn": "a"})).await;
    assert_eq!(again, "not_found", "once");
    let receipt = house.in_turn("d", "undo.last", json!({"turn": "b"})).await;
    assert_eq!(receipt.detail["undone"][0]["kind"], "list", "{}", receipt.detail);
}

#[tokio::test]
async fn a_change_of_any_kind_is_taken_back() {
    let cases = [
        ("home.turn_on", json!({"name": "lamp"}), "device"),
        ("home.light_set", json!({"area": "kitchen", "brightness": 30}), "device"),
        ("home.set_position", json!({"name": "kitchen blinds", "position": 20}), "device"),
        ("home.turn_on", json!({"name": "movie night"}), "device"),
        ("media.search_and_play", json!({"search_query": "jazz"}), "device"),
        ("volume.set", json!({"name": "radio", "volume_level": 90}), "device"),
        ("home.climate_set_temperature", json!({"temperature": 25, "name": "thermostat"}), "device"),
        ("list.add", json!({"item": "socks", "name": "packing"}), "list"),
        ("volume.set", json!({"volume_level": 10}), "volume"),
        ("list.add", json!({"item": "eggs"}), "list"),
        ("list.clear", json!({}), "list"),
        ("list.create", json!({"name": "gifts"}), "list"),
        ("memory.remember", json!({"fact": "the car is red"}), "fact"),
        ("timer.start", json!({"minutes": 5}), "timer"),
        ("alarm.set", json!({"when": "2026-11-22T07:00:00"}), "timer"),
        ("reminder.set", json!({"minutes": 5, "message": "tea"}), "timer"),
    ];
    for (tool, args, kind) in cases {
        let house = house();
        let all = |house: &House| {
            let home = house.tools.services().home.registry().home();
            let states: Vec<String> = home
                .entities
                .iter()
                .filter(|entity| !matches!(entity.id.domain(), "scene" | "script"))
                .map(|entity| format!("{} {}", entity.id, entity.state))
                .collect();
            let lists: Vec<_> = house.tools.services().lists.all().unwrap();
            let volume = house.tools.services().node.volume_percent();
            (
                states,
                lists,
                volume,
                house.tools.services().timers.all(),
                house.fact_store.facts.lock().unwrap().len(),
            )
        };
        let before = all(&house);
        house.in_turn("a", tool, args.clone()).await;
        let receipt = house.ok("undo.last", json!({})).await;
        let undone = receipt.detail["undone"].as_array().unwrap();
        assert!(
            !undone.is_empty() && undone.iter().all(|one| one["kind"] == kind),
            "{tool}: {}",
            receipt.detail
        );
        assert_eq!(all(&house), before, "{tool} {args}");
        let (code, _) = house.fails("undo.last", json!({})).await;
        assert_eq!(code, error_code::NOT_FOUND, "{tool}: once");
    }
}

/// What others do to a to-do list of the home between a change and its undoing stays, and so does what they do while
/// the change is under way.
#[tokio::test]
async fn what_others_did_to_a_list_of_the_home_stays() {
    let house = house();
    let id = EntityId::from("todo.packing");
    let open = || -> Vec<String> {
        let items = items_of(&house.entity("todo.packing")).into_iter();
        items.filter(|item| !item.done).map(|item| item.text).collect()
    };
    let somebody = |wish: &dyn Fn(&mut Vec<Value>)| {
        let mut attributes = house.entity("todo.packing").attributes;
        let Some(Value::Array(items)) = attributes.get_mut("items") else { panic!("{attributes:?}") };
        wish(items);
        house.tools.services().home.registry().report(&id, "1", attributes);
    };
    let item = |name: &str| json!({"summary": name, "status": "needs_action"});
    somebody(&|items| *items = vec![item("torch"), item("rope")]);
    house.in_turn("a", "list.add", json!({"item": "socks", "name": "packing"})).await;
    house.in_turn("a", "list.complete", json!({"item": "torch", "name": "packing"})).await;
    somebody(&|items| items.push(item("soap")));
    somebody(&|items| items.retain(|item| item["summary"] != "rope"));
    let receipt = house.ok("undo.last", json!({})).await;
    assert_eq!(receipt.detail["undone"][0]["kind"], "list", "{}", receipt.detail);
    assert_eq!(open(), ["torch", "soap"]);
    let (code, _) = house.fails("undo.last", json!({})).await;
    assert_eq!(code, error_code::NOT_FOUND, "once");
}

#[tokio::test]
async fn what_was_taken_away_comes_back() {
    let house = house();
    house.in_turn("a", "timer.start", json!({"minutes": 5, "name": "tea"})).await;
    let before = house.tools.services().timers.all();
    house.in_turn("b", "timer.pause", json!({})).await;
    house.ok("undo.last", json!({})).await;
    assert_eq!(house.tools.services().timers.all(), before);
    house.in_turn("c", "timer.cancel", json!({})).await;
    let receipt = house.ok("undo.last", json!({})).await;
    assert_eq!(receipt.detail["undone"][0]["what"], "cancelled");
    assert_eq!(house.tools.services().timers.all(), before);
    house.in_turn("d", "memory.remember", json!({"fact": "the car is red"})).await;
    house.in_turn("e", "memory.forget", json!({"query": "the car"})).await;
    house.ok("undo.last", json!({})).await;
    assert_eq!(house.ok("memory.recall", json!({"query": "car"})).await.detail["count"], 1);
    house.ok("undo.last", json!({})).await;
    let (code, _) = house.fails("memory.recall", json!({"query": "car"})).await;
    assert_eq!(code, error_code::NOT_FOUND, "the turn before is next");
}

#[tokio::test]
async fn both_requests_of_one_sentence_are_taken_back() {
    let house = house();
    house.in_turn("a", "home.turn_on", json!({"name": "lamp"})).await;
    house.in_turn("b", "home.turn_on", json!({"name": "kitchen ceiling"})).await;
    house.in_turn("b", "list.add", json!({"item": "eggs"})).await;
    let receipt = house.ok("undo.last", json!({})).await;
    assert_eq!(receipt.detail["undone"].as_array().unwrap().len(), 2, "{}", receipt.detail);
    assert_eq!(house.state("light.kitchen_ceiling"), "off");
    assert_eq!(house.ok("list.read", json!({})).await.detail["count"], 3);
    assert_eq!(house.state("light.lamp"), "on", "of another sentence");
}

#[tokio::test]
async fn taking_a_lock_back_open_needs_a_yes() {
    let house = house();
    house.call("home.turn_off", json!({"name": "front door"}), true).await;
    house.in_turn("b", "home.turn_on", json!({"name": "front door", "domain": "lock"})).await;
    assert_eq!(house.state("lock.front_door"), "locked");
    let (code, receipt) = house.fails("undo.last", json!({})).await;
    assert_eq!((code.as_str(), &receipt.detail["action"]), (error_code::NEEDS_APPROVAL, &json!("unlock")));
    assert_eq!(house.state("lock.front_door"), "locked");
    assert!(house.call("undo.last", json!({}), true).await.ok);
    assert_eq!(house.state("lock.front_door"), "unlocked");
}

#[tokio::test]
async fn after_an_hour_nobody_knows_what_that_was() {
    let house = house();
    house.in_turn("a", "home.turn_on", json!({"name": "lamp"})).await;
    house.clock_ms.fetch_add(3_700_000, Ordering::SeqCst);
    let (code, _) = house.fails("undo.last", json!({})).await;
    assert_eq!(code, error_code::NOT_FOUND);
}

#[tokio::test]
async fn the_same_call_twice_acts_once() {
    let house = house();
    let args = json!({"minutes": 5, "name": "tea"});
    let Value::Object(args) = args else { unreachable!() };
    let call = |index: usize, turn: &str| ToolCall {
        index,
        turn: TurnId::from(turn),
        tool: "timer.start".into(),
        args: args.clone(),
        approved: false,
        grant: None,
        tainted: false,
        unattended: false,
        requester: Default::default(),
    };
    let (first, again) = tokio::join!(house.tools.run(call(0, "a")), house.tools.run(call(0, "a")));
    assert_eq!(first, again, "also while the first is under way");
    assert_eq!(house.tools.run(call(0, "a")).await.id, first.id);
    assert_eq!(house.tools.services().timers.all().len(), 1);
    assert_ne!(house.tools.run(call(1, "a")).await.id, first.id, "another place in the turn");
    assert_ne!(house.tools.run(call(0, "b")).await.id, first.id, "another turn");
    assert_eq!(house.tools.services().timers.all().len(), 3);
    let toggle = || ToolCall {
        tool: "home.toggle".into(),
        args: Slots::from_iter([("name".to_owned(), json!("lamp"))]),
        ..call(0, "c")
    };
    let before = house.state("light.lamp");
    house.tools.run(toggle()).await;
    house.tools.run(toggle()).await;
    assert_ne!(house.state("light.lamp"), before, "switched once");
}

#[tokio::test]
async fn after_a_partial_success_what_moved_is_taken_back_and_what_moves_late_as_well() {
    let house = Built { deaf: "light.standing", ..Built::default() }.house();
    let lights = ["light.living_room", "light.lamp"];
    let before: Vec<String> = lights.iter().map(|id| house.state(id)).collect();
    let turn_on = || house.fails("home.turn_on", json!({"area": "living room", "domain": "light"}));
    let (code, receipt) = turn_on().await;
    assert_eq!(code, error_code::PARTIAL);
    let message = receipt.detail["message"].as_str().unwrap();
    assert!(message.starts_with("2 of 3 lights were done") && message.contains("Standing"), "{message}");
    house.ok("undo.last", json!({})).await;
    assert_eq!(lights.iter().map(|id| house.state(id)).collect::<Vec<_>>(), before);
    // Nothing but one that does not answer: no change, until it moves after all.
    house.in_turn("lamp", "home.turn_on", json!({"name": "lamp"})).await;
    house.fails("home.turn_on", json!({"name": "standing light"})).await;
    house.ok("undo.last", json!({})).await;
    assert_eq!(house.state("light.lamp"), "off", "the change before it");
    house.fails("home.turn_on", json!({"name": "standing light"})).await;
    let standing = house.entity("light.standing");
    house.tools.services().home.registry().report(&standing.id, "on", standing.attributes);
    let (code, receipt) = house.fails("undo.last", json!({})).await;
    assert_eq!(code, error_code::TIMEOUT, "it is told to go off: {}", receipt.detail);
}

#[tokio::test]
async fn what_the_home_does_not_have_yet_is_taken_back_when_it_has() {
    let house = house();
    let services = house.tools.services();
    let mut late = house.entity("light.lamp");
    late.id = EntityId::from("light.late");
    let items = Undoable::Items { list: EntityId::from("todo.late"), from: Vec::new(), to: Vec::new() };
    for change in [Undoable::Device(Box::new(late.clone())), Undoable::Unproved(Box::new(late)), items] {
        let turn = TurnId::from("a");
        services.undo.note(&turn, services.now_unix_ms(), [Undoable::Volume(10), change]);
        for _ in 0..2 {
            let (code, receipt) = house.fails("undo.last", json!({})).await;
            assert_eq!(
                (code.as_str(), &receipt.detail["why"]),
                (error_code::UNSUPPORTED, &json!("not_undoable"))
            );
        }
        assert_eq!(services.undo.of(&turn).len(), 2, "it is not forgotten");
        services.undo.forget(&turn);
    }
}

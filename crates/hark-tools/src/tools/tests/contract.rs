//! The table is pinned, and says what is true.

use super::*;

#[test]
fn the_contract_is_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contracts/tools.json");
    let now = format!("{:#}\n", table::to_json());
    if std::env::var_os("HARK_UPDATE_CONTRACTS").is_some() {
        std::fs::write(path, &now).unwrap();
    }
    let pinned = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        pinned == now,
        "contracts/tools.json differs from the table; run with HARK_UPDATE_CONTRACTS=1 and look at the diff"
    );
}

#[test]
fn names_are_unique_and_lines_are_complete() {
    let names: HashSet<&str> = table::TABLE.iter().map(|tool| tool.name).collect();
    assert_eq!(names.len(), table::TABLE.len());
    for tool in table::TABLE.iter() {
        let args: HashSet<&str> = tool.arguments().map(|arg| arg.name).collect();
        assert_eq!(args.len(), tool.arguments().count(), "{} has an argument twice", tool.name);
        assert!(!tool.description.is_empty() && !tool.permission.is_empty());
        assert!(triggers(tool.name, "en").is_some_and(|words| !words.is_empty()), "{}", tool.name);
        assert_eq!(triggers(tool.name, "xx"), Some(&[][..]), "another language is not English");
        assert!(jsonschema::meta::is_valid(&tool.args_schema()), "{}", tool.name);
        assert!(jsonschema::meta::is_valid(&tool.result_schema()), "{}", tool.name);
    }
}

#[test]
fn groups_that_suit_a_kind_of_request_are_those_of_the_table() {
    let groups: HashSet<&str> = table::TABLE.iter().map(|tool| tool.agent).collect();
    for category in hark_core::Category::ALL {
        let unknown: Vec<&&str> =
            category.agents().iter().filter(|group| **group != "*" && !groups.contains(**group)).collect();
        assert!(unknown.is_empty(), "{category}: no tool is of {unknown:?}");
    }
}

#[test]
fn words_of_tools_are_those_of_tools_there_are() {
    for language in hark_language::all() {
        for (tool, words) in language.tools.triggers.iter() {
            assert!(table::find(tool).is_some() && !words.is_empty(), "{}: {tool}", language.code);
        }
    }
    assert_eq!(triggers("home.sly", "en"), None);
}

#[test]
fn every_tool_of_the_intents_is_there_with_its_risk() {
    let tools = house();
    let reads = [
        "home.climate_get_temperature",
        "home.get_state",
        "weather.get",
        "datetime.time",
        "datetime.date",
        "datetime.sun",
        "chance.coin",
        "chance.dice",
        "chance.number",
        "chance.choose",
        "word.spell",
        "word.define",
        "joke.tell",
        "timer.status",
        "media.now_playing",
        "alarm.status",
        "reminder.status",
        "list.read",
        "list.names",
        "memory.recall",
        "memory.people",
        "speaker.who",
        "knowledge.search",
        "knowledge.list",
        "system.bluetooth",
        "schedule.list",
        "automation.run",
        "clipboard.read",
        "filesystem.read",
        "filesystem.list",
        "search.files",
        "search.contents",
        "filesystem.info",
        "browser.read",
        "ui.read",
        "ui.find",
        "browser.scroll",
        "system.battery",
        "system.wifi",
        "volume.get",
        "script.list",
        "location.get",
        "delegate.status",
        "player.now_playing",
        "workspace.list",
        "search.web",
        "search.news",
        "search.images",
        "calendar.read",
        "tasks.read",
        "contacts.search",
        "notes.read",
        "notes.search",
        "process.list",
        "pc.info",
        "pc.missing",
        "calculate",
        "fetch.get",
        "automation.list",
        "convert",
        "window.list",
        "app.is_running",
        "app.list",
        "screen.read",
        "screen.find",
        "system.volume",
    ];
    let writes = [
        "home.turn_on",
        "home.turn_off",
        "home.toggle",
        "home.light_set",
        "home.set_position",
        "home.climate_set_temperature",
        "schedule.add",
        "schedule.command",
        "schedule.remove",
        "timer.start",
        "timer.cancel",
        "timer.cancel_all",
        "timer.pause",
        "timer.resume",
        "timer.increase",
        "timer.decrease",
        "volume.set",
        "volume.change",
        "delegate.answer",
        "player.play",
        "player.pause",
        "player.next",
        "player.previous",
        "desktop.notify",
        "delegate.stop",
        "workspace.choose",
        "workspace.create",
        "home.light_step",
        "home.position_step",
        "home.fan_set_speed",
        "home.fan_step",
        "home.climate_step",
        "home.climate_set_mode",
        "home.climate_set_fan_mode",
        "home.vacuum_start",
        "home.vacuum_dock",
        "home.vacuum_clean_area",
        "home.mower_start",
        "home.mower_dock",
        "home.alarm_panel_set",
        "home.set_tilt",
        "home.stop_moving",
        "home.set_preset",
        "media.pause",
        "media.unpause",
        "media.stop",
        "media.next",
        "media.previous",
        "media.mute",
        "media.unmute",
        "media.shuffle",
        "media.repeat",
        "media.select_source",
        "media.keep",
        "home.humidifier_set_humidity",
        "home.humidifier_set_mode",
        "media.search_and_play",
        "timer.change",
        "timer.snooze",
        "alarm.set",
        "alarm.cancel",
        "alarm.move",
        "alarm.cancel_all",
        "reminder.set",
        "reminder.cancel",
        "reminder.move",
        "reminder.cancel_all",
        "list.add",
        "list.complete",
        "list.remove",
        "list.clear",
        "list.create",
        "speaker.enrol",
        "speaker.forget",
        "memory.remember",
        "memory.forget",
        "announce.say",
        "undo.last",
        "home.set_value",
        "clipboard.write",
        "http.request",
        "automation.add",
        "automation.cancel",
        "automation.change_end",
        "automation.restore",
        "home.restore_later",
        "calendar.create",
        "calendar.change",
        "calendar.remove",
        "tasks.create",
        "tasks.complete",
        "notes.create",
        "notes.append",
        "notes.rename",
        "notes.replace",
        "notes.remove",
        "ui.click",
        "ui.fill",
        "ui.menu",
        "browser.navigate",
        "browser.click",
        "browser.fill",
        "browser.screenshot",
        "system.lock",
        "system.sleep",
        "system.do_not_disturb",
        "filesystem.write",
        "filesystem.append",
        "filesystem.move",
        "filesystem.copy",
        "window.focus",
        "window.move",
        "window.resize",
        "window.tile",
        "window.minimise",
        "window.maximise",
        "window.close",
        "input.key",
        "input.scroll",
        "app.launch",
        "app.quit",
        "app.activate",
        "screen.capture",
        "screen.describe",
        "system.set_volume",
        "system.mute",
        "system.set_wifi",
        "system.set_bluetooth",
        "knowledge.add",
    ];
    assert!(reads.iter().all(|tool| tools.tools.risk(tool) == Some(Risk::Read)));
    assert!(writes.iter().all(|tool| tools.tools.risk(tool) == Some(Risk::Write)));
    let dangerous = ["shell.run", "script.run", "delegate.task", "input.type", "input.hotkey", "input.click"];
    assert!(dangerous.iter().all(|tool| tools.tools.risk(tool) == Some(Risk::Dangerous)));
    assert_eq!(reads.len() + writes.len() + dangerous.len(), table::TABLE.len());
    assert_eq!(tools.tools.risk("home.explode"), None);
}

#[tokio::test]
async fn an_unknown_tool_is_a_failed_receipt() {
    let (code, receipt) = house().fails("home.explode", json!({})).await;
    assert_eq!(code, error_code::FAILED);
    assert!(receipt.detail["message"].as_str().unwrap().contains("home.explode"));
}

#[tokio::test]
async fn receipts_have_ids_of_their_own() {
    let house = house();
    let mut ids = HashSet::new();
    for _ in 0..50 {
        ids.insert(house.call("datetime.time", json!({}), false).await.id.0);
    }
    assert_eq!(ids.len(), 50);
}

#[tokio::test]
async fn reading_tools_change_nothing() {
    let house = house();
    house.ok("timer.start", json!({"minutes": 5})).await;
    let (before, timers) =
        (house.tools.services().home.registry().home(), house.tools.services().timers.all());
    for tool in table::TABLE.iter().filter(|tool| tool.risk == Risk::Read) {
        for args in [json!({}), json!({"name": "front door"}), json!({"domain": "light", "area": "all"})] {
            let receipt = house.call(tool.name, args, true).await;
            assert!(!receipt.changed, "{}", tool.name);
        }
    }
    assert_eq!(house.tools.services().home.registry().home(), before);
    assert_eq!(house.tools.services().timers.all(), timers);
}

#[tokio::test]
async fn a_reading_tool_that_wants_to_move_something_is_stopped() {
    static SLY: Descriptor = Descriptor {
        risk: Risk::Read,
        outside: descriptor::Outside::Never,
        name: "home.sly",
        description: "says it reads",
        args: &[&[parameter::Arg::maybe("name", parameter::Kind::Text, "name")]],
        result: &[],
        permission: "home",
        agent: "home",
        timeout_ms: None,
        ready: descriptor::always,
        prepare: crate::tools::home::switch::turn_on,
    };
    let house = house();
    let mut args = Slots::new();
    args.insert("name".into(), json!("lamp"));
    let call = ToolCall {
        index: 0,
        turn: "t".into(),
        tool: "home.sly".into(),
        args,
        approved: true,
        grant: None,
        tainted: false,
        unattended: false,
        requester: Default::default(),
    };
    let services = Arc::clone(house.tools.services());
    let failure = execute(services, &SLY, call).await.unwrap_err();
    assert_eq!(failure.code(), error_code::FORBIDDEN);
    assert_eq!(house.state("light.lamp"), "off");
}

//! Home Assistant's protocol against a server of ours on a real socket: what is followed, what is survived.
use crate::support::home_assistant::{HomeAssistant, Manner};
use crate::support::wait_for;
use hark_config::homeassistant::HomeAssistant as Config;
use hark_core::device::{DeviceCommand, DeviceError};
use hark_core::home::{Entity, Home};
use hark_core::ports::HomeView;
use hark_core::{EntityId, Fault};
use hark_home::{HomeRegistry, UNAVAILABLE};
use hark_homeassistant::HomeAssistant as Client;
use serde_json::json;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio_tungstenite::tungstenite::Message;

/// A home connected to a server, with short limits.
struct House {
    server: HomeAssistant,
    registry: Arc<HomeRegistry>,
    client: Option<Client>,
    faults: Arc<Mutex<Vec<Fault>>>,
    runtime: tokio::runtime::Runtime,
    _folder: tempfile::TempDir,
}

impl House {
    fn new(server: HomeAssistant) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let registry = Arc::new(HomeRegistry::new(Home::default()));
        let folder = tempfile::tempdir().unwrap();
        server.configuration(folder.path());
        let config = Config {
            url: server.url(),
            token_file: folder.path().join("token").display().to_string(),
            connect_timeout_ms: 1000,
            command_timeout_ms: 300,
            ping_ms: 300,
            ..Config::default()
        };
        let faults = Arc::new(Mutex::new(Vec::new()));
        let found = Arc::clone(&faults);
        let sink = Arc::new(move |fault| found.lock().unwrap().push(fault));
        let client = Client::start(&config, registry.clone(), sink, runtime.handle()).unwrap().unwrap();
        runtime
            .block_on(async { tokio::time::timeout(Duration::from_secs(5), client.tried()).await })
            .unwrap();
        Self { server, registry, client: Some(client), faults, runtime, _folder: folder }
    }

    fn entity(&self, id: &str) -> Option<Entity> {
        self.registry.entity(&EntityId::from(id))
    }

    fn state(&self, id: &str) -> String {
        self.entity(id).map_or("gone".into(), |entity| entity.state)
    }

    fn wait_state(&self, id: &str, state: &str) {
        wait_for(&format!("{id} to be {state}"), Duration::from_secs(10), || {
            (self.state(id) == state).then_some(())
        });
    }

    fn client(&self) -> &Client {
        self.client.as_ref().unwrap()
    }

    fn tell(&self, id: &str, command: &DeviceCommand) -> Result<(), DeviceError> {
        let entity = self.entity(id).unwrap();
        self.runtime
            .block_on(self.client().backend(hark_core::device::DeviceCodes::default()).send(&entity, command))
    }

    fn messages(&self) -> Vec<String> {
        self.faults.lock().unwrap().iter().map(|fault| fault.message.clone()).collect()
    }
}

#[test]
fn states_names_and_places_are_followed_and_only_names_are_vocabulary() {
    let house = House::new(HomeAssistant::with_home());
    let mut vocabulary = house.registry.vocabulary();
    assert_eq!(house.state("light.kitchen"), "off");
    house.server.change("light.kitchen", "on", json!({"brightness": 128}));
    house.wait_state("light.kitchen", "on");
    assert_eq!(house.entity("light.kitchen").unwrap().number("brightness"), Some(128.0));
    house
        .server
        .write_list("todo.shopping", vec![json!({"uid": "1", "summary": "tea", "status": "needs_action"})]);
    wait_for("the list", Duration::from_secs(10), || {
        let items = house.entity("todo.shopping")?.attributes.get("items")?.clone();
        (items[0]["summary"] == "tea").then_some(())
    });
    house.server.change("person.alice", "not_home", json!({}));
    let alice = || house.registry.home().persons[0].state.clone();
    wait_for("Alice to leave", Duration::from_secs(10), || (alice() == "not_home").then_some(()));
    assert!(!vocabulary.has_changed().unwrap(), "states are no vocabulary");
    house.server.rename("light.kitchen", "Stove light");
    house.server.entity("switch.fan", "Extractor", Some("kitchen"), "off", json!({}));
    house.server.remove("light.counter");
    wait_for("the new names", Duration::from_secs(10), || {
        let renamed = house.entity("light.kitchen")?.name == "Stove light";
        (renamed && house.state("switch.fan") == "off" && house.entity("light.counter").is_none())
            .then_some(())
    });
    assert!(vocabulary.has_changed().unwrap());
    vocabulary.mark_unchanged();
    assert_eq!(house.entity("switch.fan").unwrap().area.as_deref(), Some("kitchen"));
    house.server.change("switch.fan", "on", json!({}));
    house.wait_state("switch.fan", "on");
    house.server.expose("switch.fan", false);
    wait_for("the fan to be hidden", Duration::from_secs(10), || {
        house.entity("switch.fan").is_none().then_some(())
    });
}

#[test]
fn a_break_makes_everything_unavailable_and_what_went_meanwhile_is_gone_after_it() {
    let house = House::new(HomeAssistant::with_home());
    house.server.open(false);
    house.server.break_off();
    house.wait_state("light.kitchen", UNAVAILABLE);
    let told = house.tell("light.kitchen", &DeviceCommand::TurnOn);
    assert_eq!(told, Err(DeviceError::Offline("Kitchen light".into())));
    house.server.remove("light.bed");
    house.server.change("light.counter", "on", json!({}));
    house.server.open(true);
    house.wait_state("light.counter", "on");
    assert_eq!((house.state("light.kitchen"), house.state("light.bed")), ("off".into(), "gone".into()));
    assert_eq!(house.tell("light.kitchen", &DeviceCommand::TurnOn), Ok(()));
    house.wait_state("light.kitchen", "on");
    assert_eq!(house.messages().len(), 1, "one outage is told once: {:?}", house.messages());
    assert!(house.client().status().connected && house.client().status().problem.is_none());
}

#[test]
fn a_connection_that_only_seems_to_stand_is_noticed() {
    let house = House::new(HomeAssistant::with_home());
    // Silence alone is no reason: the server answers pings.
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(house.server.connections(), 1);
    house.server.freeze(true);
    house.wait_state("light.kitchen", UNAVAILABLE);
    assert!(house.messages()[0].contains("ping"), "{:?}", house.messages());
    house.server.freeze(false);
    house.wait_state("light.kitchen", "off");
}

#[test]
fn commands_end_in_time_whatever_home_assistant_does() {
    let house = House::new(HomeAssistant::with_home());
    let told = |manner: Manner| {
        house.server.manner("light.kitchen", manner);
        house.tell("light.kitchen", &DeviceCommand::TurnOn)
    };
    let name = || "Kitchen light".to_owned();
    assert_eq!(told(Manner::Silent), Err(DeviceError::Timeout(name())));
    let why = "The bulb is loose".to_owned();
    assert_eq!(
        told(Manner::Refuses("home_assistant_error", "The bulb is loose")),
        Err(DeviceError::Failed { name: name(), why })
    );
    assert_eq!(told(Manner::Refuses("timeout", "")), Err(DeviceError::Timeout(name())));
    assert!(matches!(told(Manner::Refuses("x", "")), Err(DeviceError::Failed { .. })));
    assert_eq!(told(Manner::Ignores), Ok(()), "delivered; the state will not prove it");
    // Broken off while it waits.
    house.server.manner("light.kitchen", Manner::Silent);
    let before = house.server.calls().len();
    let entity = house.entity("light.kitchen").unwrap();
    let waiting = house.runtime.spawn(
        house
            .client()
            .backend(hark_core::device::DeviceCodes::default())
            .send(&entity, &DeviceCommand::TurnOn),
    );
    wait_for("the command", Duration::from_secs(10), || (house.server.calls().len() > before).then_some(()));
    house.server.break_off();
    assert_eq!(house.runtime.block_on(waiting).unwrap(), Err(DeviceError::Offline(name())));
}

#[test]
fn frames_that_are_no_messages_harm_nobody() {
    let house = House::new(HomeAssistant::with_home());
    let odd = [
        "",
        "{",
        "null",
        "[]",
        "[[]]",
        "7",
        "{\"type\":\"event\",\"id\":1}",
        "{\"type\":\"result\",\"id\":99999,\"success\":true}",
        "{\"type\":\"event\",\"id\":18446744073709551615,\"event\":{\"c\":[]}}",
        "{\"type\":\"auth_required\"}",
        "{\"type\":[]}",
        "{\"type\":\"event\",\"id\":7,\"event\":{\"a\":{\"light.kitchen\":7},\"c\":{\"light.kitchen\":{\"+\":7,\"-\":{\"a\":{}}}},\"r\":{}}}",
    ];
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let frames = odd
        .iter()
        .map(|text| Message::text(*text))
        .chain([Message::text(deep), Message::binary(vec![0; 1000])]);
    house.server.send(frames.chain([Message::Ping(vec![1].into())]));
    house.server.change("light.kitchen", "on", json!({}));
    house.wait_state("light.kitchen", "on");
    assert_eq!(house.server.connections(), 1);
    // What does not stop is no Home Assistant.
    house.server.send((0..200).map(|_| Message::text("nonsense")));
    wait_for("another connection", Duration::from_secs(10), || {
        (house.server.connections() == 2).then_some(())
    });
    house.wait_state("light.kitchen", "on");
}

#[test]
fn a_message_of_forty_megabytes_ends_the_connection_and_not_the_program() {
    let house = House::new(HomeAssistant::with_home());
    house.server.send([Message::text(format!("\"{}\"", "x".repeat(40 << 20)))]);
    wait_for("another connection", Duration::from_secs(20), || {
        (house.server.connections() == 2).then_some(())
    });
    house.wait_state("light.kitchen", "off");
}

#[test]
fn a_flood_of_states_is_told_as_few_and_ends_in_the_last_one() {
    let house = House::new(HomeAssistant::with_home());
    let changes = Arc::new(Mutex::new(0_usize));
    let seen = Arc::clone(&changes);
    house.registry.observe(Arc::new(move |_| *seen.lock().unwrap() += 1));
    let begun = Instant::now();
    for _ in 0..5 {
        house.server.flood("light.kitchen", 10_000);
    }
    house.server.flood("light.bed", 9_999);
    house.server.change("scene.cosy", "2026-03-03T03:03:03+00:00", json!({}));
    house.wait_state("scene.cosy", "2026-03-03T03:03:03+00:00");
    let took = begun.elapsed();
    println!("60,000 changes took {took:?}");
    house.wait_state("light.bed", "on");
    assert_eq!(house.state("light.kitchen"), "off");
    let told = *changes.lock().unwrap();
    let most = 20 + 2 * usize::try_from(took.as_millis()).unwrap() / 20;
    assert!(told <= most, "{told} changes were told in {took:?}");
    assert_eq!(house.server.connections(), 1);
}

#[test]
fn an_older_home_assistant_and_a_token_with_few_rights_do_what_they_can() {
    let server = HomeAssistant::with_home();
    server.does_not_know(&[
        "config/floor_registry/list",
        "todo/item/subscribe",
        "config/entity_registry/get_entries",
    ]);
    server.forbids(&["homeassistant/expose_entity/list", "homeassistant/expose_new_entities/get"]);
    let house = House::new(server);
    assert_eq!(house.state("light.kitchen"), "off");
    assert_eq!(house.entity("todo.shopping").unwrap().attributes["items"][0]["summary"], "bread");
    assert_eq!(house.tell("light.kitchen", &DeviceCommand::TurnOn), Ok(()));
    let server = HomeAssistant::with_home();
    server.forbids(&["config/entity_registry/list"]);
    let house = House::new(server);
    assert_eq!(house.state("light.kitchen"), "gone");
    assert!(house.messages()[0].contains("config/entity_registry/list"), "{:?}", house.messages());
}

/// How soon exposure is followed where Home Assistant tells of it, and where it has to be asked for.
#[test]
fn what_is_no_longer_exposed_leaves_the_home_and_is_told_nothing() {
    let server = HomeAssistant::with_home();
    server.unregistered("lock.shed", "Shed door", "locked");
    server.unregistered("media_player.den", "Den player", "off");
    for id in ["lock.shed", "media_player.den"] {
        server.expose(id, true);
    }
    let house = House::new(server);
    let mut vocabulary = house.registry.vocabulary();
    let commands = [("lock.front_door", DeviceCommand::Unlock), ("lock.shed", DeviceCommand::Unlock)];
    for (id, command) in commands {
        let entity = house.entity(id).unwrap();
        assert_eq!(house.tell(id, &DeviceCommand::Lock), Ok(()));
        let calls = house.server.calls().len();
        house.server.expose(id, false);
        // At once, before anybody else has heard of it.
        let backend = house.client().backend(hark_core::device::DeviceCodes::default());
        let told = house.runtime.block_on(backend.send(&entity, &command));
        assert_eq!(told, Err(DeviceError::Gone(entity.name.clone())));
        assert_eq!(house.server.calls().len(), calls);
        let begun = Instant::now();
        wait_for(id, Duration::from_secs(10), || house.entity(id).is_none().then_some(()));
        println!("{id} left after {:?}", begun.elapsed());
    }
    house.server.expose("media_player.den", false);
    wait_for("the player to go", Duration::from_secs(10), || {
        house.entity("media_player.den").is_none().then_some(())
    });
    assert!(vocabulary.has_changed().unwrap());
    vocabulary.mark_unchanged();
    for id in ["lock.front_door", "lock.shed"] {
        house.server.expose(id, true);
        wait_for(id, Duration::from_secs(10), || house.entity(id).map(drop));
        assert_eq!(house.tell(id, &DeviceCommand::Unlock), Ok(()));
    }
    assert!(vocabulary.has_changed().unwrap());
}

#[test]
fn what_nobody_has_chosen_about_goes_by_its_kind_where_that_can_be_known() {
    let server = HomeAssistant::with_home();
    let unchosen = json!({"options": {}});
    for id in ["light.bed", "lock.front_door", "todo.shopping", "sensor.outside", "scene.cosy"] {
        server.edit(id, unchosen.clone());
    }
    server.edit("scene.cosy", json!({"hidden_by": "user"}));
    server.unregistered("light.shed", "Shed light", "off");
    let house = House::new(server);
    let known = |id: &str| house.entity(id).is_some();
    let unchosen = ["light.bed", "todo.shopping", "sensor.outside"];
    assert!(!unchosen.iter().any(|id| known(id)), "new things are not exposed in this home");
    house.server.expose_new(true);
    for id in unchosen {
        wait_for(id, Duration::from_secs(10), || known(id).then_some(()));
    }
    assert!(!known("lock.front_door") && !known("scene.cosy"));
    assert!(!known("light.shed"), "nobody says whether it was taken away");
    house.server.edit("light.kitchen", json!({"hidden_by": "user"}));
    house.server.edit("light.bed", json!({"entity_category": "config"}));
    wait_for("the bed light", Duration::from_secs(10), || (!known("light.bed")).then_some(()));
    assert!(known("light.kitchen"), "it was chosen");
}

#[test]
fn a_token_that_may_not_see_what_is_exposed_gets_no_more_than_is_sure() {
    let server = HomeAssistant::with_home();
    server.unregistered("lock.shed", "Shed door", "locked");
    server.expose("lock.shed", true);
    server.edit("lock.front_door", json!({"options": {}}));
    server.forbids(&["homeassistant/expose_entity/list", "homeassistant/expose_new_entities/get"]);
    server.expose_new(true);
    let house = House::new(server);
    assert_eq!(house.state("light.kitchen"), "off");
    assert!(house.entity("lock.shed").is_none() && house.entity("lock.front_door").is_none());
}

#[test]
fn what_is_no_home_assistant_is_said_so() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            use std::io::{Read, Write};
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let token = folder.path().join("token");
    std::fs::write(&token, "x").unwrap();
    let config = Config {
        url: format!("http://{address}"),
        token_file: token.display().to_string(),
        ..Config::default()
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let fault = runtime.block_on(hark_homeassistant::probe(&config)).unwrap_err();
    assert!(fault.message.contains("404") && fault.fix.contains("homeassistant.url"), "{fault}");
    let nobody = Config { url: "http://127.0.0.1:9".into(), ..config };
    let fault = runtime.block_on(hark_homeassistant::probe(&nobody)).unwrap_err();
    assert!(fault.message.contains("not reachable"), "{fault}");
}

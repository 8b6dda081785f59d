//! A Home Assistant of our own: its WebSocket protocol over a real socket, with a small home behind it that
//! obeys, ignores or refuses, and can be made to misbehave.

use futures_util::{SinkExt, StreamExt};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tokio_tungstenite::tungstenite::Message;

pub const TOKEN: &str = "a-token-of-ours";

/// What an entity does when a service is called for it.
#[derive(Debug, Clone, PartialEq)]
pub enum Manner {
    /// It does it, after so long; the answer comes before that.
    Obeys(Duration),
    /// It says yes and does nothing.
    Ignores,
    /// It says no: code and message.
    Refuses(&'static str, &'static str),
    /// It says nothing at all.
    Silent,
}

enum Subscription {
    Events(String),
    States(Vec<String>),
    Items(String),
}

struct Client {
    out: mpsc::UnboundedSender<Message>,
    subscriptions: BTreeMap<u64, Subscription>,
}

#[derive(Default)]
struct World {
    states: BTreeMap<String, (String, Map<String, Value>)>,
    entities: BTreeMap<String, Value>,
    areas: Vec<Value>,
    floors: Vec<Value>,
    devices: Vec<Value>,
    /// Choices about what has no registry entry.
    legacy: BTreeMap<String, bool>,
    expose_new: bool,
    items: BTreeMap<String, Vec<Value>>,
    manners: HashMap<String, Manner>,
    calls: Vec<Value>,
    clients: HashMap<u64, Client>,
    connections: u64,
    /// Commands this one does not know.
    unknown: Vec<&'static str>,
    /// What it refuses as not for this user.
    forbidden: Vec<&'static str>,
}

/// A Home Assistant; ends with its value.
pub struct HomeAssistant {
    world: Arc<Mutex<World>>,
    pub address: SocketAddr,
    /// Whether it takes connections.
    open: watch::Sender<bool>,
    /// Whether it answers.
    frozen: watch::Sender<bool>,
    /// Counts up to break every connection.
    breaks: watch::Sender<u64>,
    _runtime: tokio::runtime::Runtime,
}

impl HomeAssistant {
    /// With an empty home.
    pub fn start() -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let world = Arc::new(Mutex::new(World::default()));
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let (open, frozen, breaks) = (watch::channel(true).0, watch::channel(false).0, watch::channel(0).0);
        let shared = Shared { world: world.clone(), frozen: frozen.subscribe(), breaks: breaks.subscribe() };
        runtime.spawn(accept(listener, shared, open.subscribe()));
        Self { world, address, open, frozen, breaks, _runtime: runtime }
    }

    /// With a small home: two rooms, lights, a lock, a scene, lists.
    pub fn with_home() -> Self {
        let server = Self::start();
        server.area("kitchen", "Kitchen");
        server.area("bedroom", "Bedroom");
        let dimmable = json!({"supported_color_modes": ["brightness"], "brightness": null});
        server.entity("light.kitchen", "Kitchen light", Some("kitchen"), "off", dimmable.clone());
        server.entity("light.counter", "Counter", Some("kitchen"), "off", dimmable.clone());
        server.entity("light.bed", "Bed light", Some("bedroom"), "off", dimmable);
        server.entity("lock.front_door", "Front door", None, "locked", json!({}));
        server.entity("scene.cosy", "Cosy", None, "2026-01-01T00:00:00+00:00", json!({}));
        server.entity(
            "sensor.outside",
            "Outside",
            None,
            "7.5",
            json!({"device_class": "temperature", "unit_of_measurement": "°C"}),
        );
        server.entity(
            "weather.home",
            "Home weather",
            None,
            "rainy",
            json!({"temperature": 8, "temperature_unit": "°C"}),
        );
        server.entity("person.alice", "Alice", None, "home", json!({}));
        server.list("todo.shopping", "Shopping list", &["bread"]);
        server
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Writes the token and the section of the configuration.
    pub fn configuration(&self, folder: &Path) -> String {
        let token = folder.join("token");
        std::fs::write(&token, TOKEN).unwrap();
        format!("[homeassistant]\nurl = \"{}\"\ntoken_file = \"{}\"\n", self.url(), token.display())
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap()
    }

    pub fn area(&self, id: &str, name: &str) {
        self.world().areas.push(json!({"area_id": id, "name": name, "aliases": [], "floor_id": null}));
    }

    /// Adds an exposed entity with a registry entry, where the choice stands; tells nobody.
    pub fn entity(&self, id: &str, name: &str, area: Option<&str>, state: &str, attributes: Value) {
        let mut world = self.world();
        let mut attributes = attributes.as_object().unwrap().clone();
        attributes.insert("friendly_name".into(), json!(name));
        world.states.insert(id.into(), (state.into(), attributes));
        let entry = json!({"entity_id": id, "area_id": area, "device_id": null, "name": null, "aliases": [],
            "original_name": name, "hidden_by": null, "disabled_by": null, "entity_category": null,
            "options": {"conversation": {"should_expose": true}}});
        world.entities.insert(id.into(), entry);
    }

    /// Adds one without a registry entry, as those without a unique id are; nobody has chosen about it.
    pub fn unregistered(&self, id: &str, name: &str, state: &str) {
        self.entity(id, name, None, state, json!({}));
        self.world().entities.remove(id);
    }

    pub fn list(&self, id: &str, name: &str, items: &[&str]) {
        self.entity(id, name, None, &items.len().to_string(), json!({"supported_features": 7}));
        let item = |(at, text): (usize, &&str)| json!({"uid": format!("i{at}"), "summary": text, "status": "needs_action"});
        self.world().items.insert(id.into(), items.iter().enumerate().map(item).collect());
    }

    pub fn manner(&self, id: &str, manner: Manner) {
        self.world().manners.insert(id.into(), manner);
    }

    /// Chooses about an entity; of what has no registry entry nothing is told.
    pub fn expose(&self, id: &str, exposed: bool) {
        if self.world().entities.contains_key(id) {
            self.edit(id, json!({"options": {"conversation": {"should_expose": exposed}}}));
        } else {
            self.world().legacy.insert(id.into(), exposed);
        }
    }

    /// Changes the registry entry of an entity.
    pub fn edit(&self, id: &str, change: Value) {
        let mut world = self.world();
        let entry = world.entities.get_mut(id).unwrap().as_object_mut().unwrap();
        entry.extend(change.as_object().unwrap().clone());
        world.tell_event(
            "entity_registry_updated",
            json!({"action": "update", "entity_id": id, "changes": {}}),
        );
    }

    /// Whether what nobody has chosen about is exposed by its kind; tells nobody.
    pub fn expose_new(&self, expose_new: bool) {
        self.world().expose_new = expose_new;
    }

    pub fn alias(&self, id: &str, alias: &str) {
        self.edit(id, json!({"aliases": [null, alias]}));
    }

    /// Gives an entity another name, as its owner would.
    pub fn rename(&self, id: &str, name: &str) {
        self.world().states.get_mut(id).unwrap().1.insert("friendly_name".into(), json!(name));
        self.edit(id, json!({}));
    }

    /// Takes an entity away; tells nobody when nobody is there.
    pub fn remove(&self, id: &str) {
        let mut world = self.world();
        world.entities.remove(id);
        world.states.remove(id);
        world.tell_states(id, &json!({"r": [id]}));
        drop(world);
        self.happens("entity_registry_updated");
    }

    /// An event without anything else.
    pub fn happens(&self, event: &str) {
        self.world().tell_event(event, json!({}));
    }

    /// Another state, as if somebody had pressed a switch.
    pub fn change(&self, id: &str, state: &str, attributes: Value) {
        self.world().change(id, state, attributes.as_object().unwrap());
    }

    /// Items of a list, as if somebody had written them there.
    pub fn write_list(&self, id: &str, items: Vec<Value>) {
        let mut world = self.world();
        world.items.insert(id.into(), items);
        world.tell_items(id);
    }

    pub fn state(&self, id: &str) -> String {
        self.world().states[id].0.clone()
    }

    pub fn open_items(&self, id: &str) -> Vec<String> {
        let open = |item: &&Value| item["status"] == "needs_action";
        let text = |item: &Value| item["summary"].as_str().unwrap().to_owned();
        self.world().items[id].iter().filter(open).map(text).collect()
    }

    /// The services that were called, as `domain.service entity`.
    pub fn calls(&self) -> Vec<String> {
        let text = |call: &Value| {
            let part = |key: &str| call[key].as_str().unwrap_or_default().to_owned();
            let entity = call["target"]["entity_id"].as_str().unwrap_or_default().to_owned();
            format!("{}.{} {entity}", part("domain"), part("service"))
        };
        self.world().calls.iter().map(text).collect()
    }

    /// Connections that were made so far.
    pub fn connections(&self) -> u64 {
        self.world().connections
    }

    /// Commands it says it does not know, as older versions do.
    pub fn does_not_know(&self, commands: &[&'static str]) {
        self.world().unknown.extend(commands);
    }

    /// Commands it refuses, as to a user who is no administrator.
    pub fn forbids(&self, commands: &[&'static str]) {
        self.world().forbidden.extend(commands);
    }

    /// Breaks every connection.
    pub fn break_off(&self) {
        self.breaks.send_modify(|count| *count += 1);
    }

    /// Takes no connections, or takes them again.
    pub fn open(&self, open: bool) {
        self.open.send_replace(open);
    }

    /// Neither reads nor writes, with the connections standing; or goes on.
    pub fn freeze(&self, frozen: bool) {
        self.frozen.send_replace(frozen);
    }

    /// Sends these frames to everybody.
    pub fn send(&self, frames: impl IntoIterator<Item = Message>) {
        let world = self.world();
        for frame in frames {
            for client in world.clients.values() {
                let _ = client.out.send(frame.clone());
            }
        }
    }

    /// Tells everybody who hears this entity of it, so many times, in turn on and off.
    pub fn flood(&self, id: &str, times: usize) {
        let mut world = self.world();
        for at in 0..times {
            let state = if at % 2 == 0 { "on" } else { "off" };
            let event = json!({"c": {id: {"+": {"s": state, "a": {"brightness": at % 256}}}}});
            world.tell_states(id, &event);
        }
        let last = if times % 2 == 1 { "on" } else { "off" };
        world.states.get_mut(id).unwrap().0 = last.into();
    }
}

impl World {
    fn change(&mut self, id: &str, state: &str, attributes: &Map<String, Value>) {
        let Some(known) = self.states.get_mut(id) else { return };
        known.0 = state.to_owned();
        known.1.extend(attributes.clone());
        let event = json!({"c": {id: {"+": {"s": state, "a": attributes, "lc": 1.5, "c": "context"}}}});
        self.tell_states(id, &event);
    }

    fn tell_states(&mut self, id: &str, event: &Value) {
        self.tell(event, |one| matches!(one, Subscription::States(ids) if ids.iter().any(|one| one == id)));
    }

    fn tell_event(&mut self, kind: &str, data: Value) {
        let event = json!({"event_type": kind, "data": data, "origin": "LOCAL", "time_fired": "2026-01-01T00:00:00+00:00"});
        self.tell(&event, |one| matches!(one, Subscription::Events(wanted) if wanted == kind));
    }

    fn tell_items(&mut self, id: &str) {
        let event = json!({"items": self.items[id]});
        self.tell(&event, |one| matches!(one, Subscription::Items(wanted) if wanted == id));
        let open = self.items[id].iter().filter(|item| item["status"] == "needs_action").count();
        self.change(id, &open.to_string(), &Map::new());
    }

    fn tell(&self, event: &Value, wants: impl Fn(&Subscription) -> bool) {
        for client in self.clients.values() {
            for (id, _) in client.subscriptions.iter().filter(|(_, one)| wants(one)) {
                let message = json!({"id": id, "type": "event", "event": event});
                let _ = client.out.send(Message::text(message.to_string()));
            }
        }
    }
}

#[derive(Clone)]
struct Shared {
    world: Arc<Mutex<World>>,
    frozen: watch::Receiver<bool>,
    breaks: watch::Receiver<u64>,
}

async fn accept(listener: TcpListener, shared: Shared, mut open: watch::Receiver<bool>) {
    loop {
        open.wait_for(|open| *open).await.unwrap();
        let Ok((stream, _)) = listener.accept().await else { return };
        if *open.borrow() {
            let mut breaks = shared.breaks.clone();
            breaks.mark_unchanged();
            let client = serve(stream, shared.clone());
            tokio::spawn(async move {
                tokio::select! {
                    () = client => {}
                    _ = breaks.changed() => {}
                }
            });
        }
    }
}

async fn serve(stream: tokio::net::TcpStream, mut shared: Shared) {
    let Ok(mut socket) = tokio_tungstenite::accept_async(stream).await else { return };
    let id = {
        let mut world = shared.world.lock().unwrap();
        world.connections += 1;
        world.connections
    };
    let text = |value: Value| Message::text(value.to_string());
    socket.send(text(json!({"type": "auth_required", "ha_version": "2026.10.1"}))).await.ok();
    let Some(Ok(Message::Text(auth))) = socket.next().await else { return };
    let auth: Value = serde_json::from_str(&auth).unwrap();
    if auth["type"] != "auth" || auth["access_token"] != TOKEN {
        let refused = json!({"type": "auth_invalid", "message": "Invalid access token or password"});
        socket.send(text(refused)).await.ok();
        return;
    }
    socket.send(text(json!({"type": "auth_ok", "ha_version": "2026.10.1"}))).await.ok();
    let (out, mut outgoing) = mpsc::unbounded_channel();
    shared
        .world
        .lock()
        .unwrap()
        .clients
        .insert(id, Client { out: out.clone(), subscriptions: BTreeMap::new() });
    let mut last_id = 0;
    loop {
        shared.frozen.wait_for(|frozen| !frozen).await.unwrap();
        tokio::select! {
            message = socket.next() => match message {
                Some(Ok(Message::Text(message))) => {
                    let message: Value = serde_json::from_str(&message).unwrap();
                    let number = message["id"].as_u64().unwrap();
                    if number <= last_id {
                        let error = json!({"code": "id_reuse", "message": "Identifier values have to increase."});
                        out.send(text(json!({"id": number, "type": "result", "success": false, "error": error}))).unwrap();
                    } else {
                        last_id = number;
                        answer(&shared.world, id, number, &message, &out);
                    }
                }
                Some(Ok(_)) => {}
                _ => break,
            },
            Some(message) = outgoing.recv() => if socket.send(message).await.is_err() { break },
            _ = shared.frozen.changed() => {}
        }
    }
    shared.world.lock().unwrap().clients.remove(&id);
}

type Out = mpsc::UnboundedSender<Message>;

/// What it says to one message; `None`: nothing.
fn answer(world: &Arc<Mutex<World>>, client: u64, number: u64, message: &Value, out: &Out) {
    let kind = message["type"].as_str().unwrap();
    let send = |value: Value| {
        let _ = out.send(Message::text(value.to_string()));
    };
    if kind == "ping" {
        return send(json!({"id": number, "type": "pong"}));
    }
    let result = reply(world, client, number, kind, message);
    match result {
        Some(Ok(result)) => send(json!({"id": number, "type": "result", "success": true, "result": result})),
        Some(Err((code, words))) => {
            let error = json!({"code": code, "message": words});
            send(json!({"id": number, "type": "result", "success": false, "error": error}));
        }
        None => {}
    }
    // What a subscription begins with.
    let world = world.lock().unwrap();
    let first = match kind {
        "subscribe_entities" => {
            let whole = |(id, (state, attributes)): (&String, &(String, Map<String, Value>))| {
                (id.clone(), json!({"s": state, "a": attributes, "c": "context", "lc": 1.5}))
            };
            let wanted =
                |id: &&String| message["entity_ids"].as_array().unwrap().iter().any(|one| one == *id);
            let states: Map<String, Value> =
                world.states.iter().filter(|(id, _)| wanted(id)).map(whole).collect();
            json!({"a": states})
        }
        "todo/item/subscribe" => json!({"items": world.items[message["entity_id"].as_str().unwrap()]}),
        _ => return,
    };
    send(json!({"id": number, "type": "event", "event": first}));
}

type Reply = Option<Result<Value, (String, String)>>;

fn reply(world: &Arc<Mutex<World>>, client: u64, number: u64, kind: &str, message: &Value) -> Reply {
    let shared = world;
    let mut guard = shared.lock().unwrap();
    let world = &mut *guard;
    if world.unknown.contains(&kind) {
        return Some(Err(("unknown_command".into(), "Unknown command.".into())));
    }
    if world.forbidden.contains(&kind) {
        return Some(Err(("unauthorized".into(), "Unauthorized".into())));
    }
    let subscribed = |world: &mut World, subscription| {
        world.clients.get_mut(&client).unwrap().subscriptions.insert(number, subscription);
        Value::Null
    };
    let text = |key: &str| message[key].as_str().unwrap_or_default().to_owned();
    Some(Ok(match kind {
        "get_config" => json!({"latitude": 52.37, "longitude": 4.9, "time_zone": "Europe/Amsterdam", "unit_system": {"temperature": "°C"}}),
        "get_states" => world
            .states
            .iter()
            .map(|(id, (state, attributes))| json!({"entity_id": id, "state": state, "attributes": attributes}))
            .collect(),
        "config/entity_registry/list" => {
            let row = |entry: &Value| {
                let mut row = entry.as_object().unwrap().clone();
                row.remove("aliases");
                Value::Object(row)
            };
            world.entities.values().map(row).collect()
        }
        "config/entity_registry/get_entries" => {
            let ids = message["entity_ids"].as_array().unwrap();
            ids.iter().map(|id| (id.as_str().unwrap().to_owned(), world.entities[id.as_str().unwrap()].clone())).collect::<Map<_, _>>().into()
        }
        "config/device_registry/list" => world.devices.clone().into(),
        "config/area_registry/list" => world.areas.clone().into(),
        "config/floor_registry/list" => world.floors.clone().into(),
        "config/entity_registry/get" => match world.entities.get(&text("entity_id")) {
            Some(entry) => entry.clone(),
            None => return Some(Err(("not_found".into(), "Entity not found".into()))),
        },
        // Only what is exposed: neither what is not, nor what nobody has chosen about.
        "homeassistant/expose_entity/list" => {
            let chosen = world.entities.iter().map(|(id, entry)| (id, &entry["options"]["conversation"]["should_expose"] == true));
            let all = chosen.chain(world.legacy.iter().map(|(id, exposed)| (id, *exposed)));
            let row = |(id, _): (&String, bool)| (id.clone(), json!({"conversation": true}));
            json!({"exposed_entities": all.filter(|(_, exposed)| *exposed).map(row).collect::<Map<_, _>>()})
        }
        "homeassistant/expose_new_entities/get" => json!({"expose_new": world.expose_new}),
        "todo/item/list" => json!({"items": world.items[&text("entity_id")]}),
        "todo/item/subscribe" => subscribed(world, Subscription::Items(text("entity_id"))),
        "subscribe_events" => subscribed(world, Subscription::Events(text("event_type"))),
        "subscribe_entities" => {
            let ids = message["entity_ids"].as_array().unwrap();
            let ids = ids.iter().map(|id| id.as_str().unwrap().to_owned()).collect();
            subscribed(world, Subscription::States(ids))
        }
        "unsubscribe_events" => {
            let subscription = message["subscription"].as_u64().unwrap();
            match world.clients.get_mut(&client).unwrap().subscriptions.remove(&subscription) {
                Some(_) => Value::Null,
                None => return Some(Err(("not_found".into(), "Subscription not found.".into()))),
            }
        }
        "call_service" => {
            world.calls.push(message.clone());
            return call(shared, world, message);
        }
        _ => return Some(Err(("unknown_command".into(), "Unknown command.".into()))),
    }))
}

/// Does what a service does.
fn call(shared: &Arc<Mutex<World>>, world: &mut World, message: &Value) -> Reply {
    let entity = message["target"]["entity_id"].as_str().unwrap().to_owned();
    let service = message["service"].as_str().unwrap().to_owned();
    let data = message["service_data"].as_object().cloned().unwrap_or_default();
    let done = || Some(Ok(json!({"context": {"id": "context"}})));
    let delay = match world.manners.get(&entity).cloned().unwrap_or(Manner::Obeys(Duration::ZERO)) {
        Manner::Refuses(code, words) => return Some(Err((code.into(), words.into()))),
        Manner::Silent => return None,
        Manner::Ignores => return done(),
        Manner::Obeys(delay) => delay,
    };
    if service == "get_forecasts" {
        let forecast =
            json!([{"datetime": "2026-01-01T00:00:00+00:00", "temperature": 11, "condition": "sunny"}]);
        return Some(Ok(json!({"context": {"id": "context"}, "response": {entity: {"forecast": forecast}}})));
    }
    if let Some(items) = world.items.get_mut(&entity) {
        edit(items, &service, &data);
        world.tell_items(&entity);
        return done();
    }
    let mut attributes = Map::new();
    let said;
    let state = match service.as_str() {
        "turn_on" if entity.starts_with("scene.") => "2026-02-02T02:02:02+00:00",
        "turn_on" => {
            let percent = data.get("brightness_pct").and_then(Value::as_f64).unwrap_or(100.0);
            attributes.insert("brightness".into(), json!((percent * 2.55).round()));
            "on"
        }
        "turn_off" => {
            attributes.insert("brightness".into(), Value::Null);
            "off"
        }
        "select_option" => data["option"].as_str().unwrap(),
        "set_value" => match &data["value"] {
            Value::String(text) => text,
            number => {
                said = number.as_f64().unwrap().to_string();
                &said
            }
        },
        "lock" => "locked",
        "unlock" => "unlocked",
        other => return Some(Err(("not_found".into(), format!("Service {other} not found.")))),
    };
    let (shared, state) = (Arc::clone(shared), state.to_owned());
    if delay.is_zero() {
        world.change(&entity, &state, &attributes);
    } else {
        tokio::spawn(async move {
            tokio::time::sleep(delay).await;
            shared.lock().unwrap().change(&entity, &state, &attributes);
        });
    }
    done()
}

fn edit(items: &mut Vec<Value>, service: &str, data: &Map<String, Value>) {
    let is = |item: &Value, wanted: &Value| item["uid"] == *wanted || item["summary"] == *wanted;
    match service {
        "add_item" => {
            let uid = format!("n{}", items.len());
            // As some services do: the newest first.
            items.insert(0, json!({"uid": uid, "summary": data["item"], "status": "needs_action"}));
        }
        "update_item" => {
            let found = items.iter_mut().find(|item| is(item, &data["item"])).unwrap();
            found["status"] = data["status"].clone();
        }
        "remove_item" => {
            let gone = data["item"].as_array().unwrap();
            items.retain(|item| !gone.iter().any(|wanted| is(item, wanted)));
        }
        other => panic!("no service todo.{other}"),
    }
}

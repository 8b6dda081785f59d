//! The registry of devices: which discovery message announced which entities, which entity subscribes to which topic, and
//! what a message changes. Pure: no I/O, times are passed in.

use super::OwnTopics;
use super::device_kind::CommandMessage;
use super::discovery_message;
use super::entity::{ComponentKind, MqttEntity};
use super::fields::ConfigError;
use super::template::size_bound::PAYLOAD_MAX_BYTES;
use super::topic_index::{Subscriber, TopicIndex, matches};
use hark_core::EntityId;
use hark_core::device::{DeviceCodes, DeviceCommand, DeviceError};
use hark_core::home::{Area, Entity};
use hark_core::ports::StateReport;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Instant;

/// Most entities.
pub const ENTITIES_MAX: usize = 2000;

/// Most topics that are listened to.
const TOPICS_MAX: usize = 10_000;

/// Most discovery messages that are remembered, those of other kinds included.
const ANNOUNCEMENTS_MAX: usize = 20_000;

/// What a discovery message brought.
struct Announced {
    /// Of its payload, to know a repetition.
    hash: u64,
    /// The broker keeps it: it was there before we asked.
    retained: bool,
    /// It came since the connection was made.
    confirmed: bool,
    entities: Vec<EntityId>,
    /// Why the others it holds are not for the home.
    left_out: Vec<String>,
}

/// What is different after something happened.
#[derive(Debug, Default, PartialEq)]
pub struct Changes {
    /// Entities that are new or described anew.
    pub described: BTreeSet<EntityId>,
    /// Entities that are in another state.
    pub changed: BTreeSet<EntityId>,
    /// Entities that are gone.
    pub gone: BTreeSet<EntityId>,
    /// Topics to subscribe to, also again for what the broker keeps there.
    pub subscribe: BTreeSet<String>,
    /// Topics without a subscriber now.
    pub unsubscribe: BTreeSet<String>,
    /// What is wrong, each with its topic.
    pub problems: Vec<Problem>,
}

/// Something that is wrong with a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where it came.
    pub topic: String,
    /// What is wrong.
    pub why: String,
}

/// All devices.
pub struct DeviceRegistry {
    prefix: String,
    /// Discovery topic of this node, which is no device.
    own: String,
    /// Topics this node takes commands on: no device listens there, or it would take them away.
    reserved: Vec<String>,
    announced: BTreeMap<String, Announced>,
    entities: BTreeMap<EntityId, MqttEntity>,
    topic_index: TopicIndex,
    ticking: BTreeSet<EntityId>,
    codes: DeviceCodes,
}

impl DeviceRegistry {
    /// No devices yet. `prefix` is that of discovery.
    pub fn new(prefix: &str, own: OwnTopics) -> Self {
        Self {
            prefix: prefix.to_owned(),
            own: own.discovery,
            reserved: own.commands,
            announced: BTreeMap::new(),
            entities: BTreeMap::new(),
            topic_index: TopicIndex::default(),
            ticking: BTreeSet::new(),
            codes: DeviceCodes::default(),
        }
    }

    /// Codes of devices that want one.
    pub fn set_codes(&mut self, codes: DeviceCodes) {
        self.codes = codes;
    }

    /// Whether a topic is one of discovery.
    pub fn is_discovery(&self, topic: &str) -> bool {
        discovery_message::parse_topic(&self.prefix, topic).is_some()
    }

    /// Whether an entity subscribes to a topic.
    pub fn has_subscriber(&self, topic: &str) -> bool {
        self.topic_index.has_subscriber(topic)
    }

    /// Number of entities.
    pub fn len(&self) -> usize {
        self.entities.len()
    }

    /// What is announced and not for the home: how many for which reason.
    pub fn left_out(&self) -> BTreeMap<String, usize> {
        let mut reasons = BTreeMap::new();
        for why in self.announced.values().flat_map(|announced| &announced.left_out) {
            *reasons.entry(why.clone()).or_default() += 1;
        }
        reasons
    }

    /// The same in words, empty when there is nothing.
    pub fn left_out_text(&self) -> String {
        reasons_text(&self.left_out())
    }

    /// A message came, of discovery or of a device.
    pub fn take(&mut self, topic: &str, payload: &[u8], retained: bool, now: Instant, changes: &mut Changes) {
        if topic == self.own {
            return;
        }
        if let Some(place) = discovery_message::parse_topic(&self.prefix, topic) {
            self.announce(&place, topic, payload, retained, changes);
        }
        let subscribers = self.topic_index.subscribers(topic);
        let problem =
            deliver(&mut self.entities, &mut self.ticking, subscribers, payload, now, &mut changes.changed);
        changes.problems.extend(problem.map(|why| Problem { topic: topic.to_owned(), why }));
    }

    fn announce(
        &mut self,
        place: &discovery_message::DiscoveryTopic,
        topic: &str,
        payload: &[u8],
        retained: bool,
        changes: &mut Changes,
    ) {
        let mut hasher = DefaultHasher::new();
        payload.hash(&mut hasher);
        let hash = hasher.finish();
        if let Some(known) = self.announced.get_mut(topic) {
            known.confirmed = true;
            known.retained |= retained;
            if known.hash == hash && !payload.is_empty() {
                return;
            }
        }
        let before = self.forget(topic, changes);
        if payload.is_empty() {
            return;
        }
        let mut problem = |why: &ConfigError| {
            changes.problems.push(Problem { topic: topic.to_owned(), why: why.to_string() })
        };
        if self.announced.len() >= ANNOUNCEMENTS_MAX {
            return problem(&ConfigError::TooMany("20000 discovery messages"));
        }
        let components = discovery_message::components(place, payload).unwrap_or_else(|why| {
            problem(&why);
            Vec::new()
        });
        let retained = retained || before;
        self.announced.insert(
            topic.to_owned(),
            Announced { hash, retained, confirmed: true, entities: Vec::new(), left_out: Vec::new() },
        );
        for component in &components {
            let added = MqttEntity::find(component).and_then(|found| match found {
                ComponentKind::Entity(entity) => self.add(topic, *entity, changes),
                ComponentKind::LeftOut(why) => {
                    let announced = self.announced.get_mut(topic);
                    announced.into_iter().for_each(|announced| announced.left_out.push(why.clone()));
                    Ok(())
                }
            });
            if let Err(why) = added {
                let why =
                    if components.len() > 1 { format!("{}: {why}", component.key) } else { why.to_string() };
                changes.problems.push(Problem { topic: topic.to_owned(), why });
            }
        }
    }

    fn add(&mut self, topic: &str, entity: MqttEntity, changes: &mut Changes) -> Result<(), ConfigError> {
        if self.entities.len() >= ENTITIES_MAX {
            return Err(ConfigError::TooMany("2000 entities"));
        }
        let topics = entity.topics();
        if self.topic_index.len() + topics.len() > TOPICS_MAX {
            return Err(ConfigError::TooMany("10000 topics"));
        }
        if self.topic_index.is_full_of_patterns()
            && topics.iter().any(|(topic, _)| topic.contains(['+', '#']))
        {
            return Err(ConfigError::TooMany("512 topics with wildcards"));
        }
        let is_reserved = |topic: &str| self.reserved.iter().any(|reserved| matches(topic, reserved));
        if let Some((topic, _)) = topics.iter().find(|(topic, _)| is_reserved(topic)) {
            return Err(ConfigError::BadTopic { key: topic.clone(), why: "Hark takes its commands there" });
        }
        if self.entities.values().any(|known| known.is_same(&entity)) {
            return Err(ConfigError::Duplicate);
        }
        let id = self.free_id(&entity.wished_id());
        for (topic, slot) in topics {
            self.topic_index.add(&topic, (id.clone(), slot));
            changes.unsubscribe.remove(&topic);
            changes.subscribe.insert(topic);
        }
        if let Some(announced) = self.announced.get_mut(topic) {
            announced.entities.push(id.clone());
        }
        changes.gone.remove(&id);
        changes.described.insert(id.clone());
        if entity.is_ticking() {
            self.ticking.insert(id.clone());
        }
        self.entities.insert(id, entity);
        Ok(())
    }

    fn free_id(&self, wish: &str) -> EntityId {
        let candidates = (2..).map(|number| format!("{wish}_{number}"));
        let free = std::iter::once(wish.to_owned())
            .chain(candidates)
            .map(EntityId)
            .find(|id| !self.entities.contains_key(id));
        // There are more numbers than entities.
        free.unwrap_or_else(|| EntityId(wish.to_owned()))
    }

    /// Takes away what a discovery message brought; whether the broker kept that message.
    fn forget(&mut self, topic: &str, changes: &mut Changes) -> bool {
        let Some(announced) = self.announced.remove(topic) else { return false };
        for id in announced.entities {
            let Some(entity) = self.entities.remove(&id) else { continue };
            self.ticking.remove(&id);
            for (topic, _) in entity.topics() {
                if self.topic_index.remove(&topic, &id) {
                    changes.subscribe.remove(&topic);
                    changes.unsubscribe.insert(topic);
                }
            }
            changes.described.remove(&id);
            changes.changed.remove(&id);
            changes.gone.insert(id);
        }
        announced.retained
    }

    /// A connection was made: what the broker keeps comes again.
    pub fn connected(&mut self) {
        for announced in self.announced.values_mut() {
            announced.confirmed = false;
        }
    }

    /// What the broker kept has come: what did not is there no more. What it never kept stays.
    pub fn sweep(&mut self, changes: &mut Changes) {
        let stale = self.announced.iter().filter(|(_, announced)| announced.retained && !announced.confirmed);
        let stale: Vec<String> = stale.map(|(topic, _)| topic.clone()).collect();
        for topic in stale {
            self.forget(&topic, changes);
        }
    }

    /// Whether one of them could tell how it is, and never did.
    pub fn has_unknown_state(&self) -> bool {
        self.entities.values().any(MqttEntity::is_untold)
    }

    /// Time goes by.
    pub fn tick(&mut self, now: Instant, changes: &mut Changes) {
        for id in &self.ticking {
            if self.entities.get_mut(id).is_some_and(|entity| entity.tick(now)) {
                changes.changed.insert(id.clone());
            }
        }
    }

    /// An entity as it is now.
    pub fn entity(&self, id: &EntityId, now: Instant) -> Option<Entity> {
        self.entities.get(id).map(|entity| entity.entity(id, now))
    }

    /// How an entity is now.
    pub fn report(&self, id: &EntityId, now: Instant) -> Option<StateReport> {
        self.entities.get(id).map(|entity| entity.report(id, now))
    }

    /// Every entity.
    pub fn ids(&self) -> BTreeSet<EntityId> {
        self.entities.keys().cloned().collect()
    }

    /// The areas of these entities, each once.
    pub fn areas(&self, ids: &BTreeSet<EntityId>) -> Vec<Area> {
        let areas = ids.iter().filter_map(|id| self.entities.get(id)?.area());
        let areas: BTreeMap<&str, &Area> = areas.map(|area| (area.id.as_str(), area)).collect();
        areas.into_values().cloned().collect()
    }

    /// The messages that tell a device to do something, and whether the broker keeps them.
    ///
    /// # Errors
    /// When there is no such device, or it cannot do this.
    pub fn command(
        &mut self,
        entity: &Entity,
        command: &DeviceCommand,
    ) -> Result<(Vec<CommandMessage>, bool), DeviceError> {
        let mqtt_entity =
            self.entities.get_mut(&entity.id).ok_or_else(|| DeviceError::Offline(entity.name.clone()))?;
        let messages = mqtt_entity
            .command(command, self.codes.of(&entity.id))
            .map_err(|refused| refused.of(&entity.name))?;
        Ok((messages, mqtt_entity.retain()))
    }

    /// These messages have arrived.
    pub fn assume(&mut self, id: &EntityId, command: &DeviceCommand) {
        if let Some(entity) = self.entities.get_mut(id) {
            entity.assume(command);
        }
    }
}

/// How many there are for which reason, as [`DeviceRegistry::left_out`] has it.
pub fn reasons_text(left_out: &BTreeMap<String, usize>) -> String {
    left_out.iter().map(|(why, count)| format!("{count} {why}")).collect::<Vec<_>>().join(", ")
}

/// Hands a message to all who listen; why one of them could not read it.
fn deliver<'a>(
    entities: &mut BTreeMap<EntityId, MqttEntity>,
    ticking: &mut BTreeSet<EntityId>,
    subscribers: impl Iterator<Item = &'a Subscriber>,
    payload: &[u8],
    now: Instant,
    changed: &mut BTreeSet<EntityId>,
) -> Option<String> {
    let mut subscribers = subscribers.peekable();
    subscribers.peek()?;
    if payload.len() > PAYLOAD_MAX_BYTES {
        return Some(format!("it has {} bytes; at most {PAYLOAD_MAX_BYTES} are read", payload.len()));
    }
    let Ok(payload) = str::from_utf8(payload) else { return Some("it is not UTF-8 text".into()) };
    // The deletion of what the broker kept says nothing about a device.
    if payload.is_empty() {
        return None;
    }
    let mut problem = None;
    for (id, slot) in subscribers {
        let Some(entity) = entities.get_mut(id) else { continue };
        match entity.take(*slot, payload, now) {
            Ok(()) => {
                changed.insert(id.clone());
                if entity.is_ticking() {
                    ticking.insert(id.clone());
                }
            }
            Err(why) => problem = Some(format!("{}: {why}", entity.name())),
        }
    }
    problem
}

#[cfg(test)]
#[path = "registry_tests.rs"]
mod tests;

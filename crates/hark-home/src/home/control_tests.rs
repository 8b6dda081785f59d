//! A command is done when the device's own report proves it, and not before.

use super::super::backend::SendFuture;
use super::super::command::{DeviceCommand, LightSetting};
use super::super::virtual_devices::VirtualDevices;
use super::super::{SOURCE_DEMO, file};
use super::*;
use crate::permission_gate::{Approval, PermissionGate};
use hark_config::permissions::Permissions;
use hark_core::EntityId;
use hark_core::home::Home;
use hark_core::ports::{HomeSink, HomeView};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

const SOON: Duration = Duration::from_millis(80);

fn registry() -> Arc<HomeRegistry> {
    Arc::new(HomeRegistry::new(file::example(true).unwrap()))
}

fn demo() -> HomeControl {
    let registry = registry();
    let devices = Arc::new(VirtualDevices::new(Arc::clone(&registry)));
    HomeControl::new(registry, vec![devices])
}

fn cleared(control: &HomeControl, what: &[(&str, DeviceCommand)]) -> Cleared<Actions> {
    let home = control.registry().home();
    let action = |(id, command): &(&str, DeviceCommand)| Action {
        entity: control.registry().entity(&EntityId::from(*id)).unwrap(),
        command: command.clone(),
    };
    let list = what.iter().map(action).collect();
    PermissionGate::new(&Permissions::default(), "en")
        .pass(Actions { home, list }, Approval::Yes, None)
        .unwrap()
}

async fn tell(control: &HomeControl, id: &str, command: DeviceCommand) -> Done {
    let actions = cleared(control, &[(id, command)]);
    control.carry_out(actions, SOON).await.remove(0)
}

fn attribute<'a>(done: &'a Done, key: &str) -> &'a Value {
    done.after.attributes.get(key).unwrap_or(&Value::Null)
}

/// Takes every command and does with it what the test wants.
struct Fake {
    registry: Arc<HomeRegistry>,
    sent: AtomicUsize,
    report: fn(&HomeRegistry, &Entity),
}

impl DeviceBackend for Fake {
    fn source(&self) -> &'static str {
        SOURCE_DEMO
    }

    fn send(&self, entity: &Entity, _command: &DeviceCommand) -> SendFuture {
        self.sent.fetch_add(1, Ordering::SeqCst);
        let (registry, entity, report) = (Arc::clone(&self.registry), entity.clone(), self.report);
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(20)).await;
            report(&registry, &entity);
        });
        Box::pin(async { Ok(()) })
    }
}

fn fake(report: fn(&HomeRegistry, &Entity)) -> (Arc<Fake>, HomeControl) {
    let registry = registry();
    let fake = Arc::new(Fake { registry: Arc::clone(&registry), sent: AtomicUsize::new(0), report });
    let backend: Arc<dyn DeviceBackend> = Arc::<Fake>::clone(&fake);
    (fake, HomeControl::new(registry, vec![backend]))
}

#[tokio::test]
async fn every_kind_of_device_does_what_its_kind_does() {
    use DeviceCommand as C;
    let control = demo();
    let cases = [
        ("light.lamp", C::TurnOn, "on"),
        ("light.lamp", C::TurnOff, "off"),
        ("switch.kettle", C::TurnOn, "on"),
        ("fan.bedroom", C::TurnOn, "on"),
        ("media_player.kitchen_radio", C::TurnOn, "on"),
        ("cover.garage_door", C::Open, "open"),
        ("cover.kitchen_blinds", C::Close, "closed"),
        ("lock.front_door", C::Unlock, "unlocked"),
        ("lock.front_door", C::Lock, "locked"),
        ("climate.bedroom", C::TurnOff, "off"),
        ("climate.bedroom", C::TurnOn, "heat"),
    ];
    for (id, command, state) in cases {
        let done = tell(&control, id, command.clone()).await;
        assert_eq!((done.error.clone(), done.after.state.as_str()), (None, state), "{id} {command:?}");
        assert!(done.changed());
        assert_eq!(control.registry().entity(&id.into()).unwrap(), done.after);
    }
}

#[tokio::test]
async fn values_end_up_in_home_assistants_attributes() {
    use DeviceCommand as C;
    let control = demo();
    let half = LightSetting { brightness_percent: Some(50), rgb: Some([255, 0, 0]), kelvin: None };
    let done = tell(&control, "light.kitchen_ceiling", C::Light(half)).await;
    assert_eq!(done.after.state, "on");
    assert_eq!(*attribute(&done, "brightness"), json!(128));
    assert_eq!(*attribute(&done, "rgb_color"), json!([255, 0, 0]));
    let warm = LightSetting { kelvin: Some(2700), ..LightSetting::default() };
    let done = tell(&control, "light.kitchen_ceiling", C::Light(warm)).await;
    assert_eq!(*attribute(&done, "color_temp_kelvin"), json!(2700));
    assert_eq!(*attribute(&done, "rgb_color"), Value::Null);
    let done = tell(&control, "cover.kitchen_blinds", C::Position(30)).await;
    assert_eq!((*attribute(&done, "current_position")).clone(), json!(30));
    assert_eq!(done.after.state, "open");
    let done = tell(&control, "cover.kitchen_blinds", C::Close).await;
    assert_eq!(*attribute(&done, "current_position"), json!(0));
    let done = tell(&control, "climate.living_room", C::Temperature(22.5)).await;
    assert_eq!(*attribute(&done, "temperature"), json!(22.5));
    let done = tell(&control, "media_player.kitchen_radio", C::Volume(65)).await;
    assert_eq!(*attribute(&done, "volume_level"), json!(0.65));
}

#[tokio::test]
async fn a_scene_sets_its_devices_and_can_be_proved_again_and_again() {
    let control = demo();
    tell(&control, "light.lamp", DeviceCommand::TurnOn).await;
    for _ in 0..3 {
        let done = tell(&control, "scene.movie_night", DeviceCommand::Activate).await;
        assert_eq!(done.error, None);
        assert!(done.changed());
    }
    let state = |id: &str| control.registry().entity(&id.into()).unwrap();
    assert_eq!(state("light.lamp").state, "off");
    assert_eq!(state("light.standing").attributes["brightness"], json!(40));
    assert_eq!(state("cover.living_room_curtains").attributes["current_position"], json!(0));
    assert_eq!(state("media_player.living_room_tv").state, "on");
    tell(&control, "script.good_night", DeviceCommand::Activate).await;
    assert_eq!(state("light.standing").state, "off");
    assert_eq!(state("script.good_night").state, "off", "a script is off again when it has run");
}

#[tokio::test]
async fn what_is_so_already_is_done_and_nothing_changed() {
    let control = demo();
    let done = tell(&control, "light.lamp", DeviceCommand::TurnOff).await;
    assert_eq!(done.error, None);
    assert!(!done.changed());
}

#[tokio::test]
async fn a_device_that_stays_silent_is_not_done() {
    let (fake, control) = fake(|_, _| {});
    let done = tell(&control, "light.lamp", DeviceCommand::TurnOn).await;
    assert_eq!(done.error, Some(DeviceError::Timeout("Lamp".into())));
    assert_eq!(fake.sent.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_device_that_reports_something_else_is_not_done() {
    let (_, control) = fake(|registry, entity| {
        registry.report(&entity.id, "off", json!({"note": 1}).as_object().unwrap().clone());
    });
    let done = tell(&control, "light.lamp", DeviceCommand::TurnOn).await;
    assert_eq!(done.error, Some(DeviceError::Timeout("Lamp".into())));
}

#[tokio::test]
async fn a_late_report_is_waited_for_and_one_that_goes_away_is_offline() {
    let (_, control) = fake(|registry, entity| {
        registry.report(&entity.id, "on", entity.attributes.clone());
    });
    let done = tell(&control, "light.lamp", DeviceCommand::TurnOn).await;
    assert_eq!((done.error, done.after.state.as_str()), (None, "on"));
    let (_, control) = fake(|registry, entity| {
        registry.report(&entity.id, UNAVAILABLE, entity.attributes.clone());
    });
    let done = tell(&control, "light.lamp", DeviceCommand::TurnOn).await;
    assert_eq!(done.error, Some(DeviceError::Offline("Lamp".into())));
}

#[tokio::test]
async fn unreachable_devices_are_offline_without_being_told() {
    let (fake, control) = fake(|_, _| {});
    let lamp = control.registry().entity(&"light.lamp".into()).unwrap();
    control.registry().report(&lamp.id, UNAVAILABLE, lamp.attributes);
    let done = tell(&control, "light.lamp", DeviceCommand::TurnOn).await;
    assert_eq!(done.error, Some(DeviceError::Offline("Lamp".into())));
    assert_eq!(fake.sent.load(Ordering::SeqCst), 0);
    let orphans = HomeControl::new(Arc::new(HomeRegistry::new(file::example(false).unwrap())), Vec::new());
    let done = tell(&orphans, "light.lamp", DeviceCommand::TurnOn).await;
    assert_eq!(done.error, Some(DeviceError::Offline("Lamp".into())));
}

#[tokio::test]
async fn what_left_the_home_since_it_was_planned_is_told_nothing() {
    let (fake, control) = fake(|_, _| {});
    let other =
        json!({"entities": [{"id": "lock.shed", "name": "Shed", "state": "locked", "source": SOURCE_DEMO}]});
    let registry = control.registry();
    registry.replace(SOURCE_DEMO, serde_json::from_value(other).unwrap());
    let actions = cleared(&control, &[("lock.shed", DeviceCommand::Unlock)]);
    assert_eq!(registry.left("the shed"), None);
    registry.replace(SOURCE_DEMO, Home::default());
    let done = control.carry_out(actions, SOON).await.remove(0);
    assert_eq!(done.error, Some(DeviceError::Gone("Shed".into())));
    assert_eq!((fake.sent.load(Ordering::SeqCst), registry.left("the shed")), (0, Some("Shed".into())));
}

/// A driver with a bug.
struct Broken;

impl DeviceBackend for Broken {
    fn source(&self) -> &'static str {
        SOURCE_DEMO
    }

    fn send(&self, _entity: &Entity, _command: &DeviceCommand) -> SendFuture {
        panic!("a bug in a driver")
    }
}

#[tokio::test]
async fn a_driver_that_breaks_down_is_a_failure_and_not_a_silent_success() {
    let control = HomeControl::new(registry(), vec![Arc::new(Broken)]);
    let done = tell(&control, "light.lamp", DeviceCommand::TurnOn).await;
    assert!(matches!(done.error, Some(DeviceError::Failed { .. })), "{done:?}");
}

#[tokio::test]
async fn several_devices_are_told_at_once_and_answered_in_order() {
    let (_, control) = fake(|registry, entity| {
        if entity.id.0 == "light.standing" {
            registry.report(&entity.id, "on", entity.attributes.clone());
        }
    });
    let ids = ["light.lamp", "light.basement", "light.standing", "light.hallway", "light.porch"];
    let what: Vec<_> = ids.iter().map(|id| (*id, DeviceCommand::TurnOn)).collect();
    let began = Instant::now();
    let done = control.carry_out(cleared(&control, &what), Duration::from_secs(1)).await;
    assert!(began.elapsed() < Duration::from_millis(3500), "one after the other would take four seconds");
    let order: Vec<&str> = done.iter().map(|one| one.before.id.0.as_str()).collect();
    assert_eq!(order, ids);
    let failed: Vec<usize> = (0..5).filter(|at| done[*at].error.is_some()).collect();
    assert_eq!(failed, [0, 1, 3, 4]);
}

//! Maps device commands to Home Assistant's service calls: <https://www.home-assistant.io/integrations/>.

use super::service_call::Call;
use super::todo;
use hark_core::device::{DeviceCommand, DeviceError, LightSetting, MediaCommand};
use hark_core::home::Entity;
use hark_net::codes;
use serde_json::{Map, Value, json};

/// `ClimateEntityFeature.TURN_OFF` and `TURN_ON`.
const CLIMATE_TURN_OFF: u64 = 128;
const CLIMATE_TURN_ON: u64 = 256;

/// Domains whose services take a code.
const CODED: &[&str] = &["lock", "alarm_control_panel"];

/// What a command needs.
#[derive(Debug, Clone, PartialEq)]
pub enum ServiceCalls {
    /// These calls, one after the other, until one fails.
    Calls(Vec<Call>),
    /// Looking for something to play, then playing the first that is found.
    Search {
        /// What to look for.
        query: String,
        /// `artist`, `album` … when it was said.
        class: Option<String>,
    },
    /// A vacuum cleans the area of this name.
    CleanArea(String),
}

/// Whether a service is one of those that may want a code.
pub(super) fn is_coded(call: &Call) -> bool {
    CODED.contains(&call.domain.as_str())
}

impl ServiceCalls {
    /// The same with the code that a lock or an alarm panel wants.
    ///
    /// # Errors
    /// `WrongCode` when the code cannot be right, by the format the device tells.
    pub fn with_code(mut self, entity: &Entity, code: Option<&str>) -> Result<Self, DeviceError> {
        if let (Self::Calls(calls), Some(code)) = (&mut self, code) {
            for call in calls.iter_mut().filter(|call| is_coded(call)) {
                // A panel that arms without a code is not given one that could be wrong.
                let arms = call.service.starts_with("alarm_arm");
                let required = entity.attributes.get("code_arm_required").and_then(Value::as_bool);
                if arms && required == Some(false) {
                    continue;
                }
                let wanted = entity.text("code_format").and_then(|format| codes::misfit(format, code));
                if wanted.is_some() {
                    return Err(DeviceError::WrongCode { name: entity.name.clone(), wanted });
                }
                call.data.insert("code".into(), json!(code));
            }
        }
        Ok(self)
    }
}

/// What Home Assistant has to be told for a command.
///
/// # Errors
/// `Unsupported` when there is no service for it.
pub fn plan(entity: &Entity, command: &DeviceCommand) -> Result<ServiceCalls, DeviceError> {
    use DeviceCommand as C;
    let domain = entity.id.domain();
    let unsupported = |what| Err(DeviceError::Unsupported { name: entity.name.clone(), what });
    let is_valve = domain == "valve";
    let is_mower = domain == "lawn_mower";
    let (service, data) = match command {
        C::TurnOn | C::TurnOff if domain == "climate" => {
            return Ok(climate_power(entity, *command == C::TurnOn));
        }
        C::TurnOn | C::Activate => ("turn_on", Value::Null),
        C::TurnOff => ("turn_off", Value::Null),
        C::Open => (if is_valve { "open_valve" } else { "open_cover" }, Value::Null),
        C::Close => (if is_valve { "close_valve" } else { "close_cover" }, Value::Null),
        C::Stop => (if is_valve { "stop_valve" } else { "stop_cover" }, Value::Null),
        C::Lock => ("lock", Value::Null),
        C::Unlock => ("unlock", Value::Null),
        C::Light(setting) => ("turn_on", light(setting)),
        C::Press => ("press", Value::Null),
        C::Position(position) => {
            let service = if is_valve { "set_valve_position" } else { "set_cover_position" };
            (service, json!({"position": position}))
        }
        C::Tilt(tilt) => ("set_cover_tilt_position", json!({"tilt_position": tilt})),
        C::Preset(preset) => ("set_preset_mode", json!({"preset_mode": preset})),
        C::Percentage(percent) => ("set_percentage", json!({"percentage": percent})),
        C::Start => (if is_mower { "start_mowing" } else { "start" }, Value::Null),
        C::Dock => (if is_mower { "dock" } else { "return_to_base" }, Value::Null),
        C::CleanArea(area) => return Ok(ServiceCalls::CleanArea(area.clone())),
        C::HvacMode(mode) => ("set_hvac_mode", json!({"hvac_mode": mode})),
        C::FanMode(mode) => ("set_fan_mode", json!({"fan_mode": mode})),
        C::Humidity(target) => ("set_humidity", json!({"humidity": target})),
        C::Mode(mode) if domain == "water_heater" => ("set_operation_mode", json!({"operation_mode": mode})),
        C::Mode(mode) => ("set_mode", json!({"mode": mode})),
        C::Arm(state) => match arming(state) {
            Some(service) => (service, Value::Null),
            None => return unsupported("be armed like this"),
        },
        C::Value(value) if domain.ends_with("number") => match value.parse::<f64>() {
            Ok(number) => ("set_value", json!({"value": number})),
            Err(_) => return unsupported("be set to this"),
        },
        C::Value(value) if domain.ends_with("select") => ("select_option", json!({"option": value})),
        C::Value(value) => ("set_value", json!({"value": value})),
        C::Items { to, .. } => return Ok(ServiceCalls::Calls(todo::calls(entity, to))),
        C::Media(MediaCommand::Search { query, class }) => {
            return Ok(ServiceCalls::Search { query: query.clone(), class: class.clone() });
        }
        C::Media(command) => media(command),
        C::Temperature(_) if has_range(entity) => {
            return unsupported("be set to one temperature while it heats and cools by itself");
        }
        C::Temperature(target) => ("set_temperature", json!({"temperature": target})),
        C::Volume(percent) => ("volume_set", json!({"volume_level": f64::from(*percent) / 100.0})),
    };
    Ok(ServiceCalls::Calls(vec![Call::new(domain, service, data)]))
}

/// A thermostat that keeps between two temperatures has none to set.
fn has_range(entity: &Entity) -> bool {
    entity.number("target_temp_low").is_some() && entity.number("temperature").is_none()
}

fn light(setting: &LightSetting) -> Value {
    let mut data = Map::new();
    if let Some(percent) = setting.brightness_percent {
        data.insert("brightness_pct".into(), json!(percent));
    }
    if let Some(rgb) = setting.rgb {
        data.insert("rgb_color".into(), json!(rgb));
    }
    if let Some(kelvin) = setting.kelvin {
        data.insert("color_temp_kelvin".into(), json!(kelvin));
    }
    Value::Object(data)
}

fn arming(state: &str) -> Option<&'static str> {
    Some(match state {
        "armed_home" => "alarm_arm_home",
        "armed_away" => "alarm_arm_away",
        "armed_night" => "alarm_arm_night",
        "armed_vacation" => "alarm_arm_vacation",
        "armed_custom_bypass" => "alarm_arm_custom_bypass",
        "disarmed" => "alarm_disarm",
        _ => return None,
    })
}

/// A thermostat that cannot be switched as such is switched by its modes.
fn climate_power(entity: &Entity, on: bool) -> ServiceCalls {
    let features = entity.attributes.get("supported_features").and_then(Value::as_u64);
    let (feature, service) = if on { (CLIMATE_TURN_ON, "turn_on") } else { (CLIMATE_TURN_OFF, "turn_off") };
    let can = features.is_none_or(|features| features & feature != 0);
    let modes = entity.attributes.get("hvac_modes").and_then(Value::as_array);
    let modes: Vec<&str> = modes.into_iter().flatten().filter_map(Value::as_str).collect();
    let wanted: &[&str] = if on { &["heat_cool", "auto", "heat", "cool"] } else { &["off"] };
    let mode = wanted.iter().find(|mode| modes.contains(*mode)).copied();
    let mode = mode.or_else(|| modes.iter().find(|mode| on && **mode != "off").copied());
    let call = match mode.filter(|_| !can) {
        Some(mode) => Call::new("climate", "set_hvac_mode", json!({"hvac_mode": mode})),
        None => Call::new("climate", service, Value::Null),
    };
    ServiceCalls::Calls(vec![call])
}

fn media(command: &MediaCommand) -> (&'static str, Value) {
    use MediaCommand as M;
    match command {
        // A search has a plan of its own; what it plays is played.
        M::Play | M::Search { .. } => ("media_play", Value::Null),
        M::Pause => ("media_pause", Value::Null),
        M::Stop => ("media_stop", Value::Null),
        M::Next => ("media_next_track", Value::Null),
        M::Previous => ("media_previous_track", Value::Null),
        M::Mute(muted) => ("volume_mute", json!({"is_volume_muted": muted})),
        M::Shuffle(on) => ("shuffle_set", json!({"shuffle": on})),
        M::Repeat(mode) => ("repeat_set", json!({"repeat": mode})),
        M::Source(source) => ("select_source", json!({"source": source})),
    }
}

/// Asks a player what it has of this.
pub fn search(query: &str, class: Option<&str>) -> Call {
    let mut data = json!({"search_query": query});
    if let Some(class) = class {
        data["media_filter_classes"] = json!([class]);
    }
    Call::new("media_player", "search_media", data)
}

/// Plays the first thing of the answer to [`search`]; `None` when it found nothing.
pub fn play_first(entity: &str, answer: &Value) -> Option<Call> {
    let found = answer.get("response")?.get(entity)?.get("result")?.as_array()?.first()?;
    let id = found.get("media_content_id")?.as_str()?;
    let kind = found.get("media_content_type").and_then(Value::as_str).unwrap_or("music");
    Some(Call::new("media_player", "play_media", json!({"media_content_id": id, "media_content_type": kind})))
}

/// `WeatherEntityFeature.FORECAST_HOURLY` and `FORECAST_TWICE_DAILY`.
const FORECAST_HOURLY: u64 = 2;
const FORECAST_TWICE_DAILY: u64 = 4;

/// Asks for the forecast that comes nearest to now.
pub fn forecast(weather: &Entity) -> Call {
    let features = weather.attributes.get("supported_features").and_then(Value::as_u64).unwrap_or(0);
    let kind = match features {
        features if features & FORECAST_HOURLY != 0 => "hourly",
        features if features & FORECAST_TWICE_DAILY != 0 => "twice_daily",
        _ => "daily",
    };
    Call::new("weather", "get_forecasts", json!({"type": kind}))
}

/// The temperature of the first forecast in the answer to [`forecast`].
pub fn first_temperature(weather: &str, answer: &Value) -> Option<f64> {
    answer.get("response")?.get(weather)?.get("forecast")?.get(0)?.get("temperature")?.as_f64()
}

/// A vacuum cleans the area of this id.
pub fn clean_area(id: &str) -> Call {
    Call::new("vacuum", "clean_area", json!({"cleaning_area_id": [id]}))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entity(id: &str, attributes: Value) -> Entity {
        let made = json!({"id": id, "name": "Thing", "state": "on", "attributes": attributes});
        serde_json::from_value(made).unwrap()
    }

    fn calls(id: &str, attributes: Value, command: DeviceCommand) -> Value {
        let ServiceCalls::Calls(calls) = plan(&entity(id, attributes), &command).unwrap() else {
            panic!("no calls")
        };
        calls.iter().map(|call| json!([format!("{}.{}", call.domain, call.service), call.data])).collect()
    }

    #[test]
    fn every_command_has_its_service() {
        use DeviceCommand as C;
        use MediaCommand as M;
        let light =
            |percent, rgb, kelvin| C::Light(LightSetting { brightness_percent: percent, rgb, kelvin });
        let cases = [
            ("light.a", C::TurnOn, "light.turn_on", json!({})),
            ("switch.a", C::TurnOff, "switch.turn_off", json!({})),
            ("automation.a", C::TurnOff, "automation.turn_off", json!({})),
            (
                "light.a",
                light(Some(40), None, Some(2700)),
                "light.turn_on",
                json!({"brightness_pct": 40, "color_temp_kelvin": 2700}),
            ),
            ("light.a", light(None, Some([1, 2, 3]), None), "light.turn_on", json!({"rgb_color": [1, 2, 3]})),
            ("cover.a", C::Open, "cover.open_cover", json!({})),
            ("cover.a", C::Close, "cover.close_cover", json!({})),
            ("cover.a", C::Stop, "cover.stop_cover", json!({})),
            ("cover.a", C::Position(30), "cover.set_cover_position", json!({"position": 30})),
            ("valve.a", C::Open, "valve.open_valve", json!({})),
            ("valve.a", C::Close, "valve.close_valve", json!({})),
            ("valve.a", C::Stop, "valve.stop_valve", json!({})),
            ("valve.a", C::Position(30), "valve.set_valve_position", json!({"position": 30})),
            ("lock.a", C::Lock, "lock.lock", json!({})),
            ("lock.a", C::Unlock, "lock.unlock", json!({})),
            ("scene.a", C::Activate, "scene.turn_on", json!({})),
            ("script.a", C::Activate, "script.turn_on", json!({})),
            ("button.a", C::Press, "button.press", json!({})),
            ("input_button.a", C::Press, "input_button.press", json!({})),
            ("fan.a", C::Percentage(70), "fan.set_percentage", json!({"percentage": 70})),
            ("vacuum.a", C::Start, "vacuum.start", json!({})),
            ("vacuum.a", C::Dock, "vacuum.return_to_base", json!({})),
            ("lawn_mower.a", C::Start, "lawn_mower.start_mowing", json!({})),
            ("lawn_mower.a", C::Dock, "lawn_mower.dock", json!({})),
            ("climate.a", C::HvacMode("cool".into()), "climate.set_hvac_mode", json!({"hvac_mode": "cool"})),
            ("climate.a", C::Preset("eco".into()), "climate.set_preset_mode", json!({"preset_mode": "eco"})),
            ("fan.a", C::Preset("sleep".into()), "fan.set_preset_mode", json!({"preset_mode": "sleep"})),
            ("humidifier.a", C::TurnOn, "humidifier.turn_on", json!({})),
            ("humidifier.a", C::Humidity(45), "humidifier.set_humidity", json!({"humidity": 45})),
            ("humidifier.a", C::Mode("sleep".into()), "humidifier.set_mode", json!({"mode": "sleep"})),
            (
                "water_heater.a",
                C::Mode("eco".into()),
                "water_heater.set_operation_mode",
                json!({"operation_mode": "eco"}),
            ),
            (
                "water_heater.a",
                C::Temperature(55.0),
                "water_heater.set_temperature",
                json!({"temperature": 55.0}),
            ),
            ("number.a", C::Value("2.5".into()), "number.set_value", json!({"value": 2.5})),
            ("input_number.a", C::Value("40".into()), "input_number.set_value", json!({"value": 40.0})),
            ("select.a", C::Value("Eco".into()), "select.select_option", json!({"option": "Eco"})),
            ("input_select.a", C::Value("1".into()), "input_select.select_option", json!({"option": "1"})),
            ("text.a", C::Value("hello".into()), "text.set_value", json!({"value": "hello"})),
            ("input_text.a", C::Value("1".into()), "input_text.set_value", json!({"value": "1"})),
            ("cover.a", C::Tilt(40), "cover.set_cover_tilt_position", json!({"tilt_position": 40})),
            ("climate.a", C::FanMode("low".into()), "climate.set_fan_mode", json!({"fan_mode": "low"})),
            ("climate.a", C::Temperature(21.5), "climate.set_temperature", json!({"temperature": 21.5})),
            (
                "alarm_control_panel.a",
                C::Arm("armed_night".into()),
                "alarm_control_panel.alarm_arm_night",
                json!({}),
            ),
            (
                "alarm_control_panel.a",
                C::Arm("disarmed".into()),
                "alarm_control_panel.alarm_disarm",
                json!({}),
            ),
            ("media_player.a", C::Volume(35), "media_player.volume_set", json!({"volume_level": 0.35})),
            ("media_player.a", C::Media(M::Play), "media_player.media_play", json!({})),
            ("media_player.a", C::Media(M::Pause), "media_player.media_pause", json!({})),
            ("media_player.a", C::Media(M::Stop), "media_player.media_stop", json!({})),
            ("media_player.a", C::Media(M::Next), "media_player.media_next_track", json!({})),
            ("media_player.a", C::Media(M::Previous), "media_player.media_previous_track", json!({})),
            (
                "media_player.a",
                C::Media(M::Mute(true)),
                "media_player.volume_mute",
                json!({"is_volume_muted": true}),
            ),
            (
                "media_player.a",
                C::Media(M::Shuffle(true)),
                "media_player.shuffle_set",
                json!({"shuffle": true}),
            ),
            (
                "media_player.a",
                C::Media(M::Repeat("all")),
                "media_player.repeat_set",
                json!({"repeat": "all"}),
            ),
            (
                "media_player.a",
                C::Media(M::Source("TV".into())),
                "media_player.select_source",
                json!({"source": "TV"}),
            ),
        ];
        for (id, command, service, data) in cases {
            assert_eq!(calls(id, json!({}), command.clone()), json!([[service, data]]), "{id} {command:?}");
        }
        let unknown = plan(&entity("alarm_control_panel.a", json!({})), &C::Arm("armed_somehow".into()));
        assert!(matches!(unknown, Err(DeviceError::Unsupported { .. })));
        assert_eq!(
            plan(&entity("vacuum.a", json!({})), &C::CleanArea("Hall".into())),
            Ok(ServiceCalls::CleanArea("Hall".into()))
        );
    }

    #[test]
    fn a_thermostat_without_a_switch_is_switched_by_its_modes() {
        use DeviceCommand as C;
        let modes =
            |features: u64| json!({"supported_features": features, "hvac_modes": ["off", "cool", "heat"]});
        assert_eq!(calls("climate.a", modes(385), C::TurnOn), json!([["climate.turn_on", {}]]));
        assert_eq!(
            calls("climate.a", modes(1), C::TurnOn),
            json!([["climate.set_hvac_mode", {"hvac_mode": "heat"}]])
        );
        assert_eq!(
            calls("climate.a", modes(1), C::TurnOff),
            json!([["climate.set_hvac_mode", {"hvac_mode": "off"}]])
        );
        let only_dry = json!({"supported_features": 0, "hvac_modes": ["off", "dry"]});
        assert_eq!(
            calls("climate.a", only_dry, C::TurnOn),
            json!([["climate.set_hvac_mode", {"hvac_mode": "dry"}]])
        );
    }

    #[test]
    fn a_thermostat_that_keeps_a_range_says_so() {
        let range = json!({"temperature": null, "target_temp_low": 20, "target_temp_high": 24});
        let refused = plan(&entity("climate.a", range), &DeviceCommand::Temperature(22.0));
        assert!(matches!(refused, Err(DeviceError::Unsupported { .. })));
    }

    #[test]
    fn a_message_names_its_entity() {
        let call = Call::new("light", "turn_on", json!({"brightness_pct": 3}));
        let message = call.message("light.a", false);
        assert_eq!(message["target"], json!({"entity_id": "light.a"}));
        assert_eq!(message["service_data"], json!({"brightness_pct": 3}));
        assert_eq!(
            (message.get("return_response"), &call.message("a", true)["return_response"]),
            (None, &json!(true))
        );
    }

    #[test]
    fn the_nearest_forecast_stands_in_for_a_temperature() {
        let kind = |features: u64| {
            let weather = entity("weather.a", json!({"supported_features": features}));
            forecast(&weather).data["type"].clone()
        };
        assert_eq!([1, 3, 5, 0].map(kind), ["daily", "hourly", "twice_daily", "daily"]);
        let answer =
            json!({"response": {"weather.a": {"forecast": [{"temperature": 4.5}, {"temperature": 9}]}}});
        assert_eq!(first_temperature("weather.a", &answer), Some(4.5));
        assert_eq!(first_temperature("weather.b", &answer), None);
        assert_eq!(
            first_temperature("weather.a", &json!({"response": {"weather.a": {"forecast": []}}})),
            None
        );
    }

    #[test]
    fn the_first_of_what_was_found_is_played() {
        let found = json!({"response": {"media_player.a": {"result": [
            {"media_content_id": "x:1", "media_content_type": "album", "title": "Help"}, {"media_content_id": "x:2"}]}}});
        let call = play_first("media_player.a", &found).unwrap();
        assert_eq!(
            call.data,
            *json!({"media_content_id": "x:1", "media_content_type": "album"}).as_object().unwrap()
        );
        assert_eq!(
            play_first("media_player.a", &json!({"response": {"media_player.a": {"result": []}}})),
            None
        );
        assert_eq!(play_first("media_player.a", &Value::Null), None);
        assert_eq!(search("help", Some("album")).data["media_filter_classes"], json!(["album"]));
    }

    #[test]
    fn locks_and_alarm_panels_are_told_their_code_and_nothing_else_is() {
        use DeviceCommand as C;
        let data = |id: &str, command: C, code: Option<&str>| {
            let entity = entity(id, json!({}));
            let plan = plan(&entity, &command).unwrap().with_code(&entity, code).unwrap();
            let ServiceCalls::Calls(calls) = plan else { panic!("{plan:?}") };
            Value::Object(calls[0].data.clone())
        };
        assert_eq!(data("lock.a", C::Unlock, Some("0042")), json!({"code": "0042"}));
        assert_eq!(data("lock.a", C::Unlock, None), json!({}));
        let disarm = C::Arm("disarmed".into());
        assert_eq!(data("alarm_control_panel.a", disarm, Some("1")), json!({"code": "1"}));
        assert_eq!(data("light.a", C::TurnOn, Some("0042")), json!({}));
    }

    #[test]
    fn a_code_goes_only_where_it_is_wanted_and_can_be_right() {
        use DeviceCommand as C;
        let panel = |format: Value, arms: bool| {
            entity("alarm_control_panel.a", json!({"code_format": format, "code_arm_required": arms}))
        };
        let with = |device: &Entity, command: C, code: &str| {
            plan(device, &command).unwrap().with_code(device, Some(code))
        };
        let sent = |device: &Entity, command: C, code: &str| match with(device, command, code) {
            Ok(ServiceCalls::Calls(calls)) => Ok(calls[0].data.get("code").cloned()),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.to_string()),
        };
        let (away, disarm) = (|| C::Arm("armed_away".into()), || C::Arm("disarmed".into()));
        let open = panel(json!("number"), false);
        assert_eq!(sent(&open, away(), "0815"), Ok(None), "armed without a code");
        assert_eq!(sent(&open, disarm(), "0815"), Ok(Some(json!("0815"))));
        assert_eq!(sent(&panel(json!("number"), true), away(), "0815"), Ok(Some(json!("0815"))));
        assert!(sent(&open, disarm(), "sesame").unwrap_err().contains("digits only"));
        assert_eq!(sent(&panel(json!("text"), true), disarm(), "sesame"), Ok(Some(json!("sesame"))));
        let lock = entity("lock.a", json!({"code_format": r"^\d{4}$"}));
        assert_eq!(sent(&lock, C::Unlock, "0815"), Ok(Some(json!("0815"))));
        assert!(sent(&lock, C::Unlock, "081").unwrap_err().contains("permissions.device_codes_file"));
    }
}

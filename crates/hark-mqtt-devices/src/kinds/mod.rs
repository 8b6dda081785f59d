//! What each kind of device makes of its messages, and of commands for it.

pub(super) mod alarm;
pub(super) mod climate;
pub(super) mod colour;
pub(super) mod cover;
pub(super) mod fan;
pub(super) mod humidifier;
#[cfg(test)]
pub(super) mod kinds_tests;
pub(super) mod light;
pub(super) mod light_json;
pub(super) mod light_state;
pub(super) mod light_template;
#[cfg(test)]
pub(super) mod light_tests;
pub(super) mod lock;
pub(super) mod number_select_text;
pub(super) mod on_off;
pub(super) mod robots;
pub(super) mod sensors;
pub(super) mod stateless;

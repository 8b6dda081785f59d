//! Tools that look at the home and change it.

pub(super) mod climate;
pub(super) mod common;
pub(super) mod cover;
pub(super) mod fan;
pub(super) mod humidifier;
pub(super) mod light;
pub(super) mod robots;
pub(super) mod state;
pub(super) mod switch;
pub(super) mod value;

//! Homes: Home Assistant's protocol, devices that announce themselves, and what grows.

mod a_real_home;
mod devices_of_mqtt;
mod growing_home;
mod home_assistant;
mod household;

//! The WebSocket: its upgrade, the connection, the messages of both sides, and the microphone of a browser.

pub(crate) mod answer_modes;
pub(crate) mod connection;
pub(crate) mod known_modes;
pub(crate) mod messages;
pub(crate) mod microphone;
pub(crate) mod upgrade;

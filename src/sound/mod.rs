//! What microphones and loudspeakers share: the devices of a sound server.

#[cfg(target_os = "linux")]
pub mod server;

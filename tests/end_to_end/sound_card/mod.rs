//! The running daemon on a virtual sound card. Each of these needs the processor in time.

mod audio_heals;
mod dangerous_acts;
mod going_on;
pub mod interrupting;
mod live_meter;
mod living_room;
mod presence;
mod several_nodes;
mod whose_yes;

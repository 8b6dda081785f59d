//! What is kept of the home beside timers and lists: automations, and what was done last.

mod automations;
mod undo;

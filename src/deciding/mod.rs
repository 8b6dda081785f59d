//! From intents to actions and replies: the pure turn machine, instincts, context, routes, reply
//! templates.

pub mod changing;
pub mod choice;
pub mod claims;
pub mod context;
pub mod contracts;
pub mod direct;
pub mod instincts;
pub mod ladder;
pub mod mind;
pub mod modes;
pub mod pin_words;
pub mod replay_reason;
pub mod replies;
pub mod route;
pub mod slash;
pub mod summary;
pub mod turn;

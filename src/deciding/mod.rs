//! From intents to actions and replies: the pure turn machine, instincts, routes, reply templates.

pub mod instincts;
pub mod replies;
pub mod route;
pub mod turn;

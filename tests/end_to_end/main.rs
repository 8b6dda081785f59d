//! The program from end to end: the real binary, real engines, a real Mosquitto, and Hark's servers and clients on real
//! sockets. One test binary, because each links the whole program. What needs a process or a processor of its own
//! stands beside it in `tests/`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../support/mod.rs"]
mod support;

mod api;
mod browser;
mod config;
mod contracts;
mod delegation;
mod desktop;
mod durability;
mod echo;
mod fuzz_corpus;
mod home;
mod llm;
mod machine;
mod mcp;
mod mqtt;
mod personal;
mod safety;
mod scenarios;
mod skills;
mod sound_card;
mod terminal;
mod watching;

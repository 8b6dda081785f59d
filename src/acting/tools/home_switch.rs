//! `home.turn_on`, `home.turn_off`, `home.toggle`: also open and close, lock and unlock, activate.

use super::args::Args;
use super::home_common::{plan, target};
use super::outcome::{Failure, Prepared};
use super::parts::Parts;
use crate::acting::home::command::{SWITCHABLE, Switch, switched};
use serde_json::json;
use std::sync::Arc;

/// What a place alone means: "turn on the kitchen".
const LIGHTS: &[&str] = &["light"];

/// What a place alone means: "turn everything off in the kitchen".
const EVERYTHING: &[&str] = &["light", "switch", "fan", "media_player"];

/// `home.turn_on`.
pub fn turn_on(parts: &Arc<Parts>, args: &Args) -> Result<Prepared, Failure> {
    switch(parts, args, Switch::On, LIGHTS)
}

/// `home.turn_off`.
pub fn turn_off(parts: &Arc<Parts>, args: &Args) -> Result<Prepared, Failure> {
    switch(parts, args, Switch::Off, EVERYTHING)
}

/// `home.toggle`.
pub fn toggle(parts: &Arc<Parts>, args: &Args) -> Result<Prepared, Failure> {
    switch(parts, args, Switch::Toggle, LIGHTS)
}

fn switch(parts: &Parts, args: &Args, switch: Switch, sweep: &[&str]) -> Result<Prepared, Failure> {
    plan(parts, &target(args), (SWITCHABLE, sweep), json!({}), |entity| switched(entity, switch))
}

//! `player.*` and `desktop.notify`: what plays on the desktop of this machine, and notifications there, over the session's
//! D-Bus.

use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared};
use crate::tools::services::Services;
use hark_desktop::{Player, PlayerCommand};
use serde_json::{Value, json};
use std::sync::Arc;

/// Whether there is a desktop's session.
pub fn has_session(services: &Services) -> Result<(), Failure> {
    Ok(services.desktop.has_session()?)
}

/// `player.now_playing`.
pub fn now_playing(services: &Arc<Services>, _args: &Args) -> Result<Prepared, Failure> {
    let desktop = Arc::clone(&services.desktop);
    Ok(Prepared::Work(Box::pin(async move { Ok(Outcome::answer(shown(&desktop.player().await?))) })))
}

/// `player.play`.
pub fn play(services: &Arc<Services>, _args: &Args) -> Result<Prepared, Failure> {
    Ok(tell(services, PlayerCommand::Play))
}

/// `player.pause`.
pub fn pause(services: &Arc<Services>, _args: &Args) -> Result<Prepared, Failure> {
    Ok(tell(services, PlayerCommand::Pause))
}

/// `player.next`.
pub fn next(services: &Arc<Services>, _args: &Args) -> Result<Prepared, Failure> {
    Ok(tell(services, PlayerCommand::Next))
}

/// `player.previous`.
pub fn previous(services: &Arc<Services>, _args: &Args) -> Result<Prepared, Failure> {
    Ok(tell(services, PlayerCommand::Previous))
}

/// `desktop.notify`.
pub fn notify(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (desktop, text) = (Arc::clone(&services.desktop), args.owned("text").unwrap_or_default());
    let title = args.owned("title").unwrap_or_else(|| "Hark".to_owned());
    Ok(Prepared::Work(Box::pin(async move {
        desktop.notify(&title, &text).await?;
        Ok(Outcome::new(true, json!({"text": text})))
    })))
}

fn tell(services: &Arc<Services>, command: PlayerCommand) -> Prepared {
    let desktop = Arc::clone(&services.desktop);
    Prepared::Work(Box::pin(
        async move { Ok(Outcome::new(true, shown(&desktop.tell_player(command).await?))) },
    ))
}

fn shown(player: &Player) -> Value {
    let mut shown = json!({"player": player.name, "playing": player.is_playing});
    for (key, text) in [("title", &player.title), ("artist", &player.artist)] {
        if !text.is_empty() {
            shown[key] = json!(text);
        }
    }
    shown
}

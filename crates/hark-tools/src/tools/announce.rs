//! `announce.say`: a message on the nodes that can be reached, of an area or all.

use super::args::Args;
use super::outcome::{Failure, Outcome, Prepared};
use super::services::Services;
use hark_core::house::Audience;
use hark_core::ports::HomeView;
use hark_core::tool::{error_code, reason};
use hark_home::select;
use serde_json::json;
use std::sync::Arc;

/// `announce.say`. Done when nodes have taken it on; each says it after what it is saying, or shows it where it is
/// quiet.
pub fn say(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let missing = || Failure::wrong_call("message", "announce.say needs message");
    let message = args.owned("message").ok_or_else(missing)?;
    let node = Arc::clone(&services.node);
    let place = match args.owned("area") {
        None => None,
        Some(area) => {
            let home = services.home.registry().home();
            let unknown = || {
                Failure::new(error_code::NOT_FOUND, format!("there is no area called {area}"))
                    .because(reason::NO_AREA)
                    .with("area", json!(area))
            };
            Some(select::area(&home, &area).ok_or_else(unknown)?.name.clone())
        }
    };
    let to = match (&place, args.owned("where").as_deref()) {
        (Some(area), _) => Audience::Area(area.clone()),
        (None, Some("here")) => Audience::Here,
        (None, _) => Audience::Everywhere,
    };
    Ok(Prepared::Work(Box::pin(async move {
        let confirmed = node.announce_to(&message, to).await?;
        if confirmed.is_empty() {
            let message = format!("nobody answers in the {}", place.unwrap_or_default());
            return Err(Failure::new(error_code::NOT_FOUND, message));
        }
        let names = |spoken: Option<bool>| -> Vec<&str> {
            let wanted = confirmed.iter().filter(|one| spoken.is_none_or(|spoken| one.spoken == spoken));
            wanted.map(|one| one.node.as_str()).collect()
        };
        let mut detail = json!({"message": message, "nodes": names(None), "shown": names(Some(false))});
        if let Some(place) = place {
            detail["area"] = json!(place);
        }
        Ok(Outcome::new(true, detail))
    })))
}

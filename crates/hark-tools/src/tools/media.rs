//! `media.*`: what plays where. Without a target the players are meant for which the request makes sense:
//! "pause" means what plays.

use super::args::Args;
use super::home::common::{plan_for, target};
use super::list;
use super::outcome::{Failure, Outcome, Prepared};
use super::services::Services;
use crate::names::is_one_of;
use hark_core::home::{Entity, Home};
use hark_core::ports::HomeView;
use hark_core::tool::{error_code, reason};
use hark_home::command::{DeviceCommand, MediaCommand};
use hark_home::select::{Scope, select};
use hark_language::Lexicon;
use serde_json::{Value, json};
use std::sync::Arc;

const PLAYERS: &[&str] = &["media_player"];

/// `media.pause`.
pub fn pause(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    tell(services, args, (plays, reason::NOTHING_PLAYS), MediaCommand::Pause)
}

/// `media.unpause`.
pub fn unpause(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    tell(services, args, (|player| player.state == "paused", reason::NOTHING_PAUSED), MediaCommand::Play)
}

/// `media.stop`.
pub fn stop(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    tell(services, args, (plays_or_pauses, reason::NOTHING_PLAYS), MediaCommand::Stop)
}

/// `media.next`.
pub fn next(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    tell(services, args, (plays_or_pauses, reason::NOTHING_PLAYS), MediaCommand::Next)
}

/// `media.previous`.
pub fn previous(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    tell(services, args, (plays_or_pauses, reason::NOTHING_PLAYS), MediaCommand::Previous)
}

/// `media.mute`.
pub fn mute(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    tell(services, args, (Entity::is_active, reason::NOTHING_PLAYS), MediaCommand::Mute(true))
}

/// `media.unmute`.
pub fn unmute(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let muted = |player: &Entity| player.attributes.get("is_volume_muted") == Some(&Value::Bool(true));
    tell(services, args, (muted, reason::NOTHING_MUTED), MediaCommand::Mute(false))
}

/// `media.shuffle`.
pub fn shuffle(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let on = args.flag("shuffle").ok_or_else(|| missing("shuffle"))?;
    let about = json!({"shuffle": on});
    tell_about(services, args, (plays_or_pauses, reason::NOTHING_PLAYS), about, MediaCommand::Shuffle(on))
}

/// `media.repeat`.
pub fn repeat(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let mode = match args.text("repeat") {
        Some("one") => "one",
        Some("all") => "all",
        Some(_) => "off",
        None => return Err(missing("repeat")),
    };
    let about = json!({"repeat": mode});
    tell_about(services, args, (plays_or_pauses, reason::NOTHING_PLAYS), about, MediaCommand::Repeat(mode))
}

/// `media.select_source`: without a target the players that have this input.
pub fn select_source(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let asked = args.text("source").ok_or_else(|| missing("source"))?;
    let home = services.home.registry().home();
    let with_it = |player: &Entity| source(player, asked).is_some();
    let mut players = players(services, &home, args, with_it, "no player has that input")?;
    if players.iter().any(Entity::is_active) {
        players.retain(Entity::is_active);
    }
    let spelled = players.iter().find_map(|player| source(player, asked)).unwrap_or(asked).to_owned();
    let about = json!({"source": spelled});
    plan_for(services, home, players, &target(args), about, |player| {
        let source = source(player, asked).map(str::to_owned);
        Ok(DeviceCommand::Media(MediaCommand::Source(source.unwrap_or_else(|| spelled.clone()))))
    })
}

/// `media.search_and_play`: on the player that is named, that of the place, that of this node's area, the
/// one that is at it, else the only speaker or the only player there is.
pub fn search_and_play(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let query = args.owned("search_query").ok_or_else(|| missing("search_query"))?;
    let class = args.owned("media_class");
    let home = services.home.registry().home();
    let picture = class.as_deref().is_some_and(|class| {
        matches!(class, "movie" | "tv_show" | "video" | "episode" | "season" | "channel")
    });
    let player = player_for(services, &home, args, picture)?;
    let about = json!({"title": query});
    plan_for(services, home, vec![player], &target(args), about, |_| {
        Ok(DeviceCommand::Media(MediaCommand::Search { query: query.clone(), class: class.clone() }))
    })
}

/// `media.now_playing`.
pub fn now_playing(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let home = services.home.registry().home();
    let mut asked = target(args);
    asked.domain = Some("media_player".into());
    let all = select(&home, &asked, Scope { able: PLAYERS, ..Scope::default() })?;
    let playing: Vec<Value> = all
        .iter()
        .filter(|player| plays_or_pauses(player))
        .map(|player| {
            let mut shown = json!({"name": player.name, "state": player.state});
            let known = [("title", "media_title"), ("artist", "media_artist"), ("album", "media_album_name")];
            for (key, attribute) in known {
                if let Some(text) = player.text(attribute) {
                    shown[key] = json!(text);
                }
            }
            shown
        })
        .collect();
    Ok(Prepared::Answer(Outcome::answer(json!({"count": playing.len(), "players": playing}))))
}

/// `media.keep`: what plays here goes on a list of Hark's own, which is made where it is missing.
pub fn keep(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let home = services.home.registry().home();
    let with_title = |player: &Entity| plays_or_pauses(player) && player.text("media_title").is_some();
    let players = players(services, &home, args, with_title, reason::PLAYS_WITHOUT_NAME)?;
    let player = players.iter().find(|player| plays(player)).or(players.first());
    let nameless = || {
        Failure::new(error_code::NOT_FOUND, "what is playing has no name").because(reason::PLAYS_WITHOUT_NAME)
    };
    let title = player.and_then(|player| player.text("media_title")).ok_or_else(nameless)?.to_owned();
    let artist = player.and_then(|player| player.text("media_artist")).map(str::to_owned);
    let item = artist.as_ref().map_or_else(|| title.clone(), |artist| format!("{title} ({artist})"));
    let name = args.owned("list").unwrap_or_else(|| services.lists.favourites().into());
    list::note(services, name, item, move |detail| {
        detail["title"] = json!(title);
        if let Some(artist) = artist {
            detail["artist"] = json!(artist);
        }
    })
}

/// Which players make sense, and the [`reason`] when there is none.
type Sense = (fn(&Entity) -> bool, &'static str);

fn tell(
    services: &Arc<Services>,
    args: &Args,
    sense: Sense,
    command: MediaCommand,
) -> Result<Prepared, Failure> {
    tell_about(services, args, sense, Value::Null, command)
}

fn tell_about(
    services: &Arc<Services>,
    args: &Args,
    (sense, none): Sense,
    about: Value,
    command: MediaCommand,
) -> Result<Prepared, Failure> {
    let home = services.home.registry().home();
    let players = players(services, &home, args, sense, none)?;
    plan_for(services, home, players, &target(args), about, |_| Ok(DeviceCommand::Media(command.clone())))
}

/// The players that are meant: those that are named, sensible or not; else the sensible ones of the place;
/// else those of this node's area; else of the home.
fn players(
    services: &Services,
    home: &Home,
    args: &Args,
    sense: impl Fn(&Entity) -> bool,
    none: &str,
) -> Result<Vec<Entity>, Failure> {
    let mut asked = target(args);
    asked.domain = Some("media_player".into());
    let own = services.default_area();
    let scope = Scope { able: PLAYERS, default_area: own.as_deref(), ..Scope::default() };
    if asked.name.is_some() {
        return Ok(select(home, &asked, scope)?);
    }
    let everywhere = Scope { default_area: None, ..scope };
    let of_place = select(home, &asked, everywhere)?;
    let sensible: Vec<Entity> = of_place.into_iter().filter(|player| sense(player)).collect();
    let here = |player: &Entity| player.area.is_some() && player.area == own;
    let said = asked.area.is_some() || asked.floor.is_some();
    let here: Vec<Entity> = sensible.iter().filter(|player| !said && here(player)).cloned().collect();
    match (here.is_empty(), sensible.is_empty()) {
        (false, _) => Ok(here),
        (true, false) => Ok(sensible),
        (true, true) => Err(Failure::new(error_code::NOT_FOUND, none.replace('_', " ")).because(none)),
    }
}

fn player_for(services: &Services, home: &Home, args: &Args, picture: bool) -> Result<Entity, Failure> {
    let mut asked = target(args);
    asked.domain = Some("media_player".into());
    let place_said = asked.area.is_some() || asked.floor.is_some();
    let name_said = asked.name.is_some();
    let mut fitting = select(home, &asked, Scope { able: PLAYERS, ..Scope::default() })?;
    let prefer = |fitting: &mut Vec<Entity>, has: &dyn Fn(&Entity) -> bool| {
        if fitting.len() > 1 && fitting.iter().any(has) {
            fitting.retain(has);
        }
    };
    if !place_said && !name_said {
        let own = services.default_area();
        prefer(&mut fitting, &|player| player.area.is_some() && player.area == own);
    }
    prefer(&mut fitting, &|player| (player.device_class.as_deref() == Some("tv")) == picture);
    prefer(&mut fitting, &plays_or_pauses);
    prefer(&mut fitting, &Entity::is_active);
    match fitting.len() {
        1 => Ok(fitting.remove(0)),
        _ => {
            let names: Vec<&str> = fitting.iter().map(|player| player.name.as_str()).collect();
            let message = "there are several players, and none was named";
            Err(Failure::new(error_code::AMBIGUOUS, message)
                .because(reason::SEVERAL_PLAYERS)
                .with("candidates", json!(names)))
        }
    }
}

fn plays(player: &Entity) -> bool {
    matches!(player.state.as_str(), "playing" | "buffering" | "on")
}

fn plays_or_pauses(player: &Entity) -> bool {
    matches!(player.state.as_str(), "playing" | "buffering" | "paused")
}

/// "HDMI two" as it stands on the device: "HDMI 2".
fn with_numbers(name: &str) -> String {
    let languages = hark_language::all();
    let digit = |word: &str| {
        let word = word.to_lowercase();
        let digits = |language: &&Lexicon| {
            language.numbers.below_hundred.iter().take(10).position(|digit| *digit == word)
        };
        languages.iter().find_map(digits)
    };
    let spelled =
        name.split_whitespace().map(|word| digit(word).map_or(word.to_owned(), |digit| digit.to_string()));
    spelled.collect::<Vec<_>>().join(" ")
}

/// The player's own spelling of an input.
fn source<'e>(player: &'e Entity, asked: &str) -> Option<&'e str> {
    let known = player.attributes.get("source_list")?.as_array()?;
    let asked = with_numbers(asked);
    known.iter().filter_map(Value::as_str).find(|known| is_one_of(&asked, [with_numbers(known).as_str()]))
}

fn missing(what: &str) -> Failure {
    Failure::new(error_code::BAD_ARGUMENT, format!("{what} was not said"))
}

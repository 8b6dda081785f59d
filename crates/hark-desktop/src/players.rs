//! Music and films that play on this desktop, by MPRIS on the session's D-Bus
//! (<https://specifications.freedesktop.org/mpris-spec/latest/>): browsers and players of all kinds are there.

use crate::bus::{Desktop, DesktopError, plain, told, uncached, with_session};
use std::collections::HashMap;
use std::time::Duration;
use zbus::zvariant::OwnedValue;
use zbus::{Connection, Proxy};

/// What their names on the bus begin with.
const PREFIX: &str = "org.mpris.MediaPlayer2.";
const PATH: &str = "/org/mpris/MediaPlayer2";
const ROOT: &str = "org.mpris.MediaPlayer2";
const PLAYER: &str = "org.mpris.MediaPlayer2.Player";
/// Most players that are asked.
const MAX_PLAYERS: usize = 20;
/// How often, and between which times, it is looked whether a player did what it was told.
const LOOKS: u32 = 20;
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// What a player is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlayerCommand {
    /// Goes on.
    Play,
    /// Stays where it is.
    Pause,
    /// The next title.
    Next,
    /// The one before.
    Previous,
}

/// A player as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Player {
    /// What it is called, such as "Firefox".
    pub name: String,
    /// It plays; else it is paused or stopped.
    pub is_playing: bool,
    /// Title of what it plays; text of others.
    pub title: String,
    /// Who made that, in a row.
    pub artist: String,
}

impl Desktop {
    /// The player that plays, else one that is paused, else any.
    ///
    /// # Errors
    /// When there is none, or no session.
    pub async fn player(&self) -> Result<Player, DesktopError> {
        if let Some(mac) = &self.mac {
            return Ok(mac.player().await?);
        }
        with_session(|bus| async move { Ok(chosen(&bus).await?.1) }).await
    }

    /// Tells that player something, and waits until it has done it.
    ///
    /// # Errors
    /// When there is none, or no session; when it did not do it.
    pub async fn tell_player(&self, command: PlayerCommand) -> Result<Player, DesktopError> {
        if let Some(mac) = &self.mac {
            return Ok(mac.tell_player(command).await?);
        }
        with_session(|bus| async move {
            let (name, before) = chosen(&bus).await?;
            let method = match command {
                PlayerCommand::Play => "Play",
                PlayerCommand::Pause => "Pause",
                PlayerCommand::Next => "Next",
                PlayerCommand::Previous => "Previous",
            };
            let player = Proxy::new(&bus, name.as_str(), PATH, PLAYER).await.map_err(told)?;
            player.call_method(method, &()).await.map_err(told)?;
            for _ in 0..LOOKS {
                let now = look_at(&bus, &name).await?;
                if is_done(command, &before, &now) {
                    return Ok(now);
                }
                tokio::time::sleep(LOOK_EVERY).await;
            }
            match command {
                PlayerCommand::Next | PlayerCommand::Previous => look_at(&bus, &name).await,
                _ => Err(DesktopError::Failed(format!("{} did not do it", before.name))),
            }
        })
        .await
    }
}

/// Whether a player is rather meant than the one that is known.
fn is_better(known: &Player, player: &Player) -> bool {
    !known.is_playing && (player.is_playing || known.title.is_empty() && !player.title.is_empty())
}

/// The player that is meant.
pub(crate) fn best(players: Vec<Player>) -> Option<Player> {
    players.into_iter().reduce(|known, player| if is_better(&known, &player) { player } else { known })
}

/// Whether a player did what it was told, seen by what it was before.
pub(crate) fn is_done(command: PlayerCommand, before: &Player, now: &Player) -> bool {
    match command {
        PlayerCommand::Play => now.is_playing,
        PlayerCommand::Pause => !now.is_playing,
        // The same title may come again, so that this shows nothing.
        PlayerCommand::Next | PlayerCommand::Previous => now.title != before.title,
    }
}

/// Name on the bus of the player that is meant, and how it is.
async fn chosen(bus: &Connection) -> Result<(String, Player), DesktopError> {
    let dbus = zbus::fdo::DBusProxy::new(bus).await.map_err(told)?;
    let names = dbus.list_names().await.map_err(told)?;
    let names = names.into_iter().map(|name| name.to_string()).filter(|name| name.starts_with(PREFIX));
    let mut found: Option<(String, Player)> = None;
    for name in names.take(MAX_PLAYERS) {
        // One that does not answer is none.
        let Ok(player) = look_at(bus, &name).await else { continue };
        if found.as_ref().is_none_or(|(_, known)| is_better(known, &player)) {
            found = Some((name, player));
        }
    }
    found.ok_or(DesktopError::NothingPlays)
}

async fn look_at(bus: &Connection, name: &str) -> Result<Player, DesktopError> {
    let player = uncached(bus, name, PATH, PLAYER).await?;
    let root = uncached(bus, name, PATH, ROOT).await?;
    let status: String = player.get_property("PlaybackStatus").await.map_err(told)?;
    let metadata: HashMap<String, OwnedValue> = player.get_property("Metadata").await.unwrap_or_default();
    let title = metadata.get("xesam:title").and_then(|title| String::try_from(title.clone()).ok());
    let artists = metadata.get("xesam:artist").and_then(|all| Vec::<String>::try_from(all.clone()).ok());
    let identity: Option<String> = root.get_property("Identity").await.ok();
    Ok(Player {
        name: plain(&identity.unwrap_or_else(|| name.trim_start_matches(PREFIX).to_owned())),
        is_playing: status == "Playing",
        title: plain(&title.unwrap_or_default()),
        artist: plain(&artists.unwrap_or_default().join(", ")),
    })
}

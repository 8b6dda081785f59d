//! What plays: Music, Spotify and TV can be scripted. What plays in a browser macOS tells no program.

use super::{CommandLine, Mac, MacError, json, scripts};
use crate::naming::one_line;
use crate::players::{Player, PlayerCommand, best, is_done};
use serde::Deserialize;
use std::time::Duration;

/// How often, and between which times, it is looked whether a player did what it was told.
const LOOKS: u32 = 8;
const LOOK_EVERY: Duration = Duration::from_millis(250);

#[derive(Deserialize)]
struct Told {
    name: String,
    state: String,
    title: String,
    artist: String,
}

fn look_command() -> CommandLine {
    CommandLine::java_script(scripts::PLAYERS, "look", &[])
}

fn tell_command(player: &str, command: PlayerCommand) -> CommandLine {
    let command = match command {
        PlayerCommand::Play => "play",
        PlayerCommand::Pause => "pause",
        PlayerCommand::Next => "next",
        PlayerCommand::Previous => "previous",
    };
    CommandLine::java_script(scripts::PLAYERS, "tell", &[player, command])
}

fn players_of(answer: &str) -> Result<Vec<Player>, MacError> {
    let told: Vec<Told> = json(answer)?;
    let player = |told: Told| Player {
        name: one_line(&told.name),
        is_playing: told.state == "playing",
        title: one_line(&told.title),
        artist: one_line(&told.artist),
    };
    Ok(told.into_iter().map(player).collect())
}

impl Mac {
    async fn players(&self, command: CommandLine) -> Result<Vec<Player>, MacError> {
        players_of(&self.runner.answer(&command).await?)
    }

    pub(crate) async fn player(&self) -> Result<Player, MacError> {
        best(self.players(look_command()).await?).ok_or(MacError::NothingPlays)
    }

    pub(crate) async fn tell_player(&self, command: PlayerCommand) -> Result<Player, MacError> {
        let before = self.player().await?;
        let mut players = self.players(tell_command(&before.name, command)).await?;
        for _ in 0..LOOKS {
            let now = players.into_iter().find(|player| player.name == before.name);
            let now = now.ok_or(MacError::NothingPlays)?;
            if is_done(command, &before, &now) {
                return Ok(now);
            }
            tokio::time::sleep(LOOK_EVERY).await;
            players = self.players(look_command()).await?;
        }
        match command {
            // The same title may come again, so that this shows nothing.
            PlayerCommand::Next | PlayerCommand::Previous => self.player().await,
            _ => Err(MacError::Failed(format!("{} did not do it", before.name))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::command::shown;
    use super::super::played::Played;
    use super::*;

    #[test]
    fn command_lines() {
        assert_eq!(shown(&look_command()), "osascript -l JavaScript -e <players.js> look");
        assert_eq!(
            shown(&tell_command("Spotify", PlayerCommand::Next)),
            "osascript -l JavaScript -e <players.js> tell Spotify next"
        );
    }

    #[tokio::test]
    async fn the_one_that_plays_is_told_and_looked_at() {
        let played = Played::new();
        let music = r#"{"name":"Music","state":"paused","title":"","artist":""}"#;
        let spotify = |state: &str| {
            format!(r#"{{"name":"Spotify","state":"{state}","title":"So What\n","artist":"Miles Davis"}}"#)
        };
        let (plays, paused) =
            (format!("[{music},{}]", spotify("playing")), format!("[{music},{}]", spotify("paused")));
        played.program(
            "osascript",
            &format!(
                "[ \"$5\" = tell ] && touch \"${{0%/*}}/told\"\nif [ -e \"${{0%/*}}/told\" ]; then printf '%s\\n' '{paused}'; else printf '%s\\n' '{plays}'; fi"
            ),
        );
        let mac = played.mac();
        let player = mac.player().await.unwrap();
        assert_eq!(
            (player.name.as_str(), player.title.as_str(), player.is_playing),
            ("Spotify", "So What", true)
        );
        let player = mac.tell_player(PlayerCommand::Pause).await.unwrap();
        assert!(!player.is_playing);
        assert_eq!(
            played.calls().last().unwrap(),
            "osascript|-l|JavaScript|-e|<players.js>|tell|Spotify|pause"
        );
        let undone = mac.tell_player(PlayerCommand::Play).await;
        assert_eq!(undone, Err(MacError::Failed("Spotify did not do it".into())));
        played.answers("osascript", "[]\n");
        assert_eq!(mac.player().await, Err(MacError::NothingPlays));
    }
}

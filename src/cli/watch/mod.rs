//! `hark watch`: what happens now, the turns and the findings of `hark doctor`, drawn in a terminal for those who come by
//! ssh. Everything comes from the running Hark over its socket; while there is none, it is waited for.

mod draw;
mod feed;
mod state;
#[cfg(test)]
mod tests;

use super::Faults;
use draw::Theme;
use feed::Feed;
use hark_config::Config;
use hark_core::{Fault, FaultKind};
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use state::{News, State};
use std::io::{self, IsTerminal};
use std::sync::mpsc::TryRecvError;
use std::time::Duration;

/// How often it is looked for what is new; keys are taken at once.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Draws until it is ended.
pub(super) fn run(config: Config, json: bool) -> Result<(), Faults> {
    if json || !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        let message = "`hark watch` draws a terminal full, and here is none";
        let fix = "run it in a terminal (`ssh -t HOST hark watch`); programs read the WebSocket, or `hark run --json`";
        return Err(vec![Fault::new(FaultKind::BadInput, "watch", message, fix)]);
    }
    let feed = Feed::start(config).map_err(|fault| vec![fault])?;
    // Gives the terminal back when it panics, too.
    let mut terminal = ratatui::try_init().map_err(|error| vec![broken(&error)])?;
    let watched = watch(&mut terminal, &feed);
    ratatui::restore();
    watched.map_err(|error| vec![broken(&error)])
}

fn watch(terminal: &mut ratatui::DefaultTerminal, feed: &Feed) -> io::Result<()> {
    let theme = Theme::of(std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()));
    let mut state = State::default();
    loop {
        let mut over = state.over;
        loop {
            match feed.news.try_recv() {
                Ok(News::End) | Err(TryRecvError::Disconnected) => over = true,
                Ok(news) => state.take(news).into_iter().for_each(|wish| feed.wish(wish)),
                Err(TryRecvError::Empty) => break,
            }
            if over {
                break;
            }
        }
        if over {
            return Ok(());
        }
        terminal.draw(|frame| draw::draw(frame, &mut state, &theme))?;
        // Every key that is there before it is drawn again: a pasted text is many.
        let mut patience = LOOK_EVERY;
        while event::poll(patience)? {
            patience = Duration::ZERO;
            // A new size is seen at the next drawing.
            if let Event::Key(key) = event::read()?
                && key.kind != KeyEventKind::Release
            {
                state.key(key).into_iter().for_each(|wish| feed.wish(wish));
            }
        }
    }
}

fn broken(error: &io::Error) -> Fault {
    Fault::new(FaultKind::Failed, "watch", format!("the terminal cannot be drawn on: {error}"), "")
}

//! What is shown and what keys do to it, without a terminal and without a daemon.

use crate::cli::trace;
use hark_core::inspection::Finding;
use hark_core::public_event::{Outcome, Timings};
use hark_core::{Envelope, PublicEvent};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use serde::Deserialize;
use std::collections::VecDeque;

/// Turns of the running conversation that are kept to be looked at.
const MAX_ENTRIES: usize = 100;
/// Longest text that is typed, in letters.
const MAX_TYPED: usize = 1000;

/// What is new.
#[derive(Debug)]
pub(super) enum News {
    /// The running Hark answers.
    Open {
        /// What it does now, in its own word.
        state: String,
    },
    /// It does not, and why.
    Lost(String),
    /// Something happened.
    Told(Box<Envelope>),
    /// A wish was refused.
    Refused(String),
    /// The newest turns, the newest first.
    Turns(Vec<Summary>),
    /// A turn as `hark explain` tells it.
    Story(Story),
    /// What `hark doctor` finds.
    Doctor(Vec<Finding>),
    /// The process is told to end.
    End,
}

/// What is wanted of the running Hark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wish {
    Chat(String),
    Answer { turn: Option<String>, yes: bool },
    Stop,
    Turns,
    Story(String),
    Doctor,
}

/// A turn in the list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct Summary {
    pub(super) turn: String,
    pub(super) at: String,
    pub(super) text: Option<String>,
    pub(super) reply: Option<String>,
    pub(super) route: Option<String>,
    pub(super) outcome: Option<String>,
}

/// A turn in full.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Story {
    pub(super) turn: String,
    pub(super) timings: Timings,
    /// As `hark explain` prints it.
    pub(super) lines: Vec<String>,
}

/// What is looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Page {
    #[default]
    Now,
    Turns,
    Doctor,
}

impl Page {
    pub(super) const ALL: [Self; 3] = [Self::Now, Self::Turns, Self::Doctor];

    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Now => "now",
            Self::Turns => "turns",
            Self::Doctor => "doctor",
        }
    }
}

/// The way to the running Hark.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum Link {
    #[default]
    Looking,
    Open,
    Lost(String),
}

/// A turn while it runs, and after.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) turn: Option<String>,
    /// What was said or typed, as far as it is known.
    pub(super) heard: String,
    /// The words may still change.
    pub(super) is_partial: bool,
    /// Why it was taken so, acts and troubles, a line each.
    pub(super) notes: Vec<String>,
    pub(super) reply: String,
    pub(super) outcome: Option<Outcome>,
}

/// Everything that is shown.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) page: Page,
    pub(super) link: Link,
    pub(super) doing: String,
    pub(super) entries: VecDeque<Entry>,
    /// The turn that waits for a yes or no, with the question.
    pub(super) question: Option<(String, String)>,
    /// The text that is typed, while one is.
    pub(super) typed: Option<String>,
    pub(super) notice: String,
    pub(super) turns: Vec<Summary>,
    pub(super) selected: usize,
    pub(super) story: Option<Story>,
    /// Lines that are scrolled over.
    pub(super) scrolled: usize,
    pub(super) findings: Option<Vec<Finding>>,
    pub(super) is_examining: bool,
    pub(super) over: bool,
}

/// A text of others as it may stand in a terminal: no control characters.
pub(super) fn plain(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

impl State {
    /// Takes in what is new.
    pub(super) fn take(&mut self, news: News) -> Option<Wish> {
        match news {
            News::Open { state } => {
                self.link = Link::Open;
                self.doing = state;
                self.notice.clear();
                // What happened while nobody looked.
                return (self.page == Page::Turns).then_some(Wish::Turns);
            }
            News::Lost(why) => {
                self.link = Link::Lost(plain(&why));
                self.question = None;
                self.is_examining = false;
            }
            News::Told(envelope) => return self.happen(&envelope),
            News::Refused(why) => {
                self.notice = plain(&why);
                self.is_examining = false;
            }
            News::Turns(turns) => {
                let wanted = self.turns.get(self.selected).map(|turn| turn.turn.clone());
                self.turns = turns;
                let place = wanted.and_then(|wanted| self.turns.iter().position(|turn| turn.turn == wanted));
                self.selected = place.unwrap_or(0);
                return self.wanted_story();
            }
            News::Story(story) => {
                let is_wanted = self.turns.get(self.selected).is_some_and(|turn| turn.turn == story.turn);
                if is_wanted {
                    self.story = Some(story);
                    self.scrolled = 0;
                }
            }
            News::Doctor(findings) => {
                self.findings = Some(findings);
                self.is_examining = false;
                self.scrolled = 0;
            }
            News::End => self.over = true,
        }
        None
    }

    fn happen(&mut self, envelope: &Envelope) -> Option<Wish> {
        if let PublicEvent::State { state } = &envelope.event {
            self.doing = trace::name(state);
            return None;
        }
        if let PublicEvent::WakeRejected { word, score, why } = &envelope.event {
            self.notice = plain(&format!("almost woke: {word} {score:.2} ({why})"));
            return None;
        }
        let turn = envelope.turn.as_ref().map(|turn| turn.0.clone());
        let entry = self.entry(turn);
        match &envelope.event {
            PublicEvent::Partial { text, .. } => {
                entry.heard = plain(text);
                entry.is_partial = true;
            }
            PublicEvent::Transcript(transcript) => {
                entry.heard = plain(&transcript.text);
                entry.is_partial = false;
            }
            PublicEvent::Intent { intent, .. } => {
                entry.notes.push(plain(&format!(
                    "{} by {}: {}",
                    intent.name,
                    trace::name(intent.route),
                    intent.why
                )));
            }
            PublicEvent::Plan(plan) => entry.notes.push(plain(&format!("plan: {}", plan.summary))),
            PublicEvent::StepUpdate { step, status, message, .. } => {
                entry.notes.push(plain(&format!("step {step} {} {message}", trace::name(status))));
            }
            PublicEvent::Action { tool, receipt, .. } => {
                let ended = match (receipt.ok, receipt.detail["error"].as_str()) {
                    (true, _) => format!("{tool}: receipt {}", receipt.id),
                    (false, error) => format!("{tool}: {}", error.unwrap_or("failed")),
                };
                entry.notes.push(plain(&ended));
            }
            PublicEvent::Reply { text, .. } => entry.reply = plain(text),
            PublicEvent::Error(fault) => entry.notes.push(plain(&format!("trouble: {}", fault.message))),
            PublicEvent::Turn { outcome, .. } => {
                entry.outcome = Some(*outcome);
                entry.is_partial = false;
                let asked = entry.turn.clone().zip(Some(entry.reply.clone()));
                self.question = asked.filter(|_| *outcome == Outcome::AwaitingApproval);
                return (self.page == Page::Turns).then_some(Wish::Turns);
            }
            _ => {}
        }
        None
    }

    /// The entry of a turn. What belongs to none, such as words that are still being said, begins one, which the next turn
    /// takes over.
    fn entry(&mut self, turn: Option<String>) -> &mut Entry {
        let same = |entry: &Entry| match (&entry.turn, &turn) {
            (Some(own), Some(turn)) => own == turn,
            (None, _) => entry.outcome.is_none(),
            (Some(_), None) => entry.outcome.is_none(),
        };
        let place = self.entries.iter().rposition(same).unwrap_or_else(|| {
            if self.entries.len() == MAX_ENTRIES {
                self.entries.pop_front();
            }
            self.entries.push_back(Entry::default());
            self.entries.len() - 1
        });
        let entry = &mut self.entries[place];
        if entry.turn.is_none() {
            entry.turn = turn;
        }
        entry
    }

    /// Takes a key; what it asks of the running Hark.
    pub(super) fn key(&mut self, key: KeyEvent) -> Option<Wish> {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        if is_control && matches!(key.code, KeyCode::Char('c' | 'q')) {
            self.over = true;
            return None;
        }
        if let Some(typed) = &mut self.typed {
            match key.code {
                KeyCode::Enter => {
                    let text = self.typed.take().unwrap_or_default().trim().to_owned();
                    let wish = (!text.is_empty()).then_some(Wish::Chat(text));
                    return self.connected(wish);
                }
                KeyCode::Esc => self.typed = None,
                KeyCode::Backspace => {
                    typed.pop();
                }
                KeyCode::Char('u') if is_control => typed.clear(),
                KeyCode::Char(letter) if !is_control && typed.chars().count() < MAX_TYPED => {
                    typed.push(letter)
                }
                _ => {}
            }
            return None;
        }
        match key.code {
            KeyCode::Char('q') => self.over = true,
            KeyCode::Char('1') => return self.look_at(Page::Now),
            KeyCode::Char('2') => return self.look_at(Page::Turns),
            KeyCode::Char('3') => return self.look_at(Page::Doctor),
            KeyCode::Tab | KeyCode::Right => return self.look_at(self.beside(1)),
            KeyCode::BackTab | KeyCode::Left => return self.look_at(self.beside(Page::ALL.len() - 1)),
            KeyCode::Char('/' | 'i') => {
                self.page = Page::Now;
                self.typed = Some(String::new());
            }
            KeyCode::Char(answer @ ('y' | 'n')) => {
                let Some((turn, _)) = self.question.take() else {
                    "nothing is asked".clone_into(&mut self.notice);
                    return None;
                };
                return self.connected(Some(Wish::Answer { turn: Some(turn), yes: answer == 'y' }));
            }
            KeyCode::Char('s') => return self.connected(Some(Wish::Stop)),
            KeyCode::Char('r') => return self.look_at(self.page),
            KeyCode::Up | KeyCode::Char('k') => return self.step(-1),
            KeyCode::Down | KeyCode::Char('j') => return self.step(1),
            KeyCode::PageUp => self.scrolled = self.scrolled.saturating_sub(10),
            // Drawing knows the end.
            KeyCode::PageDown => self.scrolled += 10,
            _ => {}
        }
        None
    }

    fn beside(&self, steps: usize) -> Page {
        let place = Page::ALL.iter().position(|page| *page == self.page).unwrap_or(0);
        Page::ALL[(place + steps) % Page::ALL.len()]
    }

    /// Shows a page, with what it needs asked for anew.
    fn look_at(&mut self, page: Page) -> Option<Wish> {
        self.page = page;
        self.scrolled = 0;
        match page {
            Page::Now => None,
            Page::Turns => self.connected(Some(Wish::Turns)),
            Page::Doctor if self.is_examining => None,
            Page::Doctor => {
                let wish = self.connected(Some(Wish::Doctor));
                self.is_examining = wish.is_some();
                wish
            }
        }
    }

    fn step(&mut self, by: isize) -> Option<Wish> {
        if self.page != Page::Turns {
            self.scrolled = self.scrolled.saturating_add_signed(by);
            return None;
        }
        let place = self.selected.saturating_add_signed(by).min(self.turns.len().saturating_sub(1));
        if place == self.selected {
            return None;
        }
        self.selected = place;
        self.scrolled = 0;
        self.wanted_story()
    }

    fn wanted_story(&self) -> Option<Wish> {
        let turn = &self.turns.get(self.selected)?.turn;
        let is_there = self.story.as_ref().is_some_and(|story| story.turn == *turn);
        (!is_there && self.link == Link::Open).then(|| Wish::Story(turn.clone()))
    }

    /// The wish, where there is somebody to have it.
    fn connected(&mut self, wish: Option<Wish>) -> Option<Wish> {
        if self.link != Link::Open && wish.is_some() {
            "no Hark answers: it was not sent".clone_into(&mut self.notice);
            return None;
        }
        self.notice.clear();
        wish
    }
}

/// The timings of a turn's closing event.
pub(super) fn timings(events: &[Envelope]) -> Timings {
    let closing = events.iter().rev().find_map(|envelope| match &envelope.event {
        PublicEvent::Turn { timings_ms, .. } => Some(*timings_ms),
        _ => None,
    });
    closing.unwrap_or_default()
}

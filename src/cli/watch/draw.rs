//! How the state looks in a terminal of any size, with colours and without.

use super::state::{Entry, Link, Page, State, Story};
use crate::cli::trace;
use hark_core::public_event::Outcome;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

/// Columns of the list of turns beside the story; narrower terminals show them one above the other.
const LIST_WIDTH: u16 = 34;
const BESIDE_FROM: u16 = 90;
/// Columns of a bar.
const BAR: usize = 24;

/// How things are set apart.
#[derive(Debug, Clone, Copy)]
pub(super) struct Theme {
    title: Style,
    chosen: Style,
    dim: Style,
    good: Style,
    bad: Style,
    question: Style,
}

impl Theme {
    /// With `plain` without a colour: bold, dim and reversed letters only.
    pub(super) fn of(plain: bool) -> Self {
        let coloured = |style: Style, colour| if plain { style } else { style.fg(colour) };
        let (bold, none) = (Style::new().add_modifier(Modifier::BOLD), Style::new());
        Self {
            title: coloured(bold, Color::Green),
            chosen: Style::new().add_modifier(Modifier::REVERSED),
            dim: Style::new().add_modifier(Modifier::DIM),
            good: coloured(none, Color::Green),
            bad: coloured(bold, Color::Red),
            question: coloured(bold.add_modifier(Modifier::REVERSED), Color::Yellow),
        }
    }
}

/// Draws everything. What is scrolled past the end is brought back.
pub(super) fn draw(frame: &mut Frame<'_>, state: &mut State, theme: &Theme) {
    let [head, body, foot] =
        Layout::vertical([Constraint::Length(1), Constraint::Fill(1), Constraint::Length(1)])
            .areas(frame.area());
    frame.render_widget(header(state, theme), head);
    match state.page {
        Page::Now => now(frame, body, state, theme),
        Page::Turns => turns(frame, body, state, theme),
        Page::Doctor => doctor(frame, body, state, theme),
    }
    frame.render_widget(footer(state, theme), foot);
}

fn header(state: &State, theme: &Theme) -> Line<'static> {
    let mut spans = vec![Span::styled("hark ", theme.title)];
    for (number, page) in Page::ALL.into_iter().enumerate() {
        let style = if page == state.page { theme.chosen } else { Style::new() };
        spans.push(Span::styled(format!(" {} {} ", number + 1, page.title()), style));
    }
    spans.push(match &state.link {
        Link::Open => Span::styled(format!("  {}", state.doing), theme.good),
        Link::Looking => Span::styled("  looking for a running Hark …", theme.dim),
        Link::Lost(why) => Span::styled(format!("  away, tried again: {why}"), theme.bad),
    });
    Line::from(spans)
}

fn footer(state: &State, theme: &Theme) -> Line<'static> {
    if !state.notice.is_empty() {
        return Line::styled(state.notice.clone(), theme.bad);
    }
    let keys = match (state.page, state.typed.is_some()) {
        (_, true) => "Enter sends  Esc leaves",
        (Page::Now, _) => "/ type  y yes  n no  s stop  1 2 3 pages  q quit",
        (Page::Turns, _) => "↑↓ turn  PgUp PgDn story  r again  1 2 3 pages  q quit",
        (Page::Doctor, _) => "r again  ↑↓ scroll  1 2 3 pages  q quit",
    };
    Line::styled(keys, theme.dim)
}

fn now(frame: &mut Frame<'_>, area: Rect, state: &mut State, theme: &Theme) {
    let asked = state.question.as_ref().map(|(_, question)| {
        wrap(&format!("{question}  y: yes, n: no"), area.width).into_iter().take(3).collect::<Vec<_>>()
    });
    let asked_lines = asked.as_ref().map_or(0, |lines| u16::try_from(lines.len()).unwrap_or(u16::MAX));
    let typed_lines = u16::from(state.typed.is_some());
    let rows = [Constraint::Fill(1), Constraint::Length(asked_lines), Constraint::Length(typed_lines)];
    let [log, question, line] = Layout::vertical(rows).areas(area);
    let mut lines = Vec::new();
    for entry in &state.entries {
        lines.extend(told(entry, log.width, theme));
    }
    if lines.is_empty() {
        let hint = "Nothing has happened since you look. Say the wake word, or type with /";
        lines.extend(wrap(hint, log.width).into_iter().map(|text| Line::styled(text, theme.dim)));
    }
    // The end is at the bottom; scrolled lines are counted from there.
    let hidden = lines.len().saturating_sub(log.height.into());
    state.scrolled = state.scrolled.min(hidden);
    let first = hidden - state.scrolled;
    frame.render_widget(Paragraph::new(lines.split_off(first)), log);
    let asked = asked.unwrap_or_default().into_iter().map(|text| Line::styled(text, theme.question));
    frame.render_widget(Paragraph::new(asked.collect::<Vec<_>>()), question);
    if let Some(typed) = &state.typed {
        let text = format!("> {typed}");
        // The end of what is typed is seen, and the cursor behind it.
        let cut = tail(&text, line.width.saturating_sub(1));
        let column = u16::try_from(Line::raw(cut.as_str()).width()).unwrap_or(u16::MAX);
        frame.render_widget(Line::raw(cut), line);
        frame
            .set_cursor_position((line.x.saturating_add(column).min(line.right().saturating_sub(1)), line.y));
    }
}

/// The lines of a turn.
fn told(entry: &Entry, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let mut add = |mark: &str, text: &str, style: Style| {
        let indent = " ".repeat(mark.chars().count());
        for (place, part) in wrap(text, width.saturating_sub(2)).into_iter().enumerate() {
            lines.push(Line::styled(format!("{}{part}", if place == 0 { mark } else { &indent }), style));
        }
    };
    if !entry.heard.is_empty() {
        let more = if entry.is_partial { " …" } else { "" };
        add("» ", &format!("{}{more}", entry.heard), if entry.is_partial { theme.dim } else { theme.title });
    }
    for note in &entry.notes {
        add("  ", note, theme.dim);
    }
    if !entry.reply.is_empty() {
        add("« ", &entry.reply, Style::new());
    }
    if let Some(outcome) = entry.outcome.filter(|outcome| *outcome != Outcome::Done) {
        add("  ", &trace::name(outcome), theme.bad);
    }
    lines
}

fn turns(frame: &mut Frame<'_>, area: Rect, state: &mut State, theme: &Theme) {
    let [list, story] = if area.width >= BESIDE_FROM {
        Layout::horizontal([Constraint::Length(LIST_WIDTH), Constraint::Fill(1)]).spacing(1).areas(area)
    } else {
        Layout::vertical([Constraint::Percentage(40), Constraint::Fill(1)]).areas(area)
    };
    if state.turns.is_empty() {
        frame.render_widget(Line::styled("No turn is kept yet.", theme.dim), list);
        return;
    }
    let height = usize::from(list.height).max(1);
    let first = state.selected.saturating_sub(height / 2).min(state.turns.len().saturating_sub(height));
    let shown = state.turns.iter().enumerate().skip(first).take(height);
    let rows: Vec<Line<'_>> = shown
        .map(|(place, turn)| {
            let clock = turn.at.get(11..16).unwrap_or_default();
            let text = turn.text.as_deref().or(turn.reply.as_deref()).unwrap_or("(nothing said)");
            let mark = match turn.outcome.as_deref() {
                Some("done") | None => " ",
                Some(_) => "!",
            };
            let style = if place == state.selected { theme.chosen } else { Style::new() };
            Line::styled(super::state::plain(&format!("{clock} {mark} {text}")), style)
        })
        .collect();
    frame.render_widget(Paragraph::new(rows), list);
    let chosen = &state.turns[state.selected.min(state.turns.len() - 1)].turn;
    match &state.story {
        Some(told) if told.turn == *chosen => {
            let lines = story_lines(told, story.width, theme);
            scroll(frame, story, lines, &mut state.scrolled);
        }
        _ => frame.render_widget(Line::styled("…", theme.dim), story),
    }
}

fn story_lines(story: &Story, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let timings = &story.timings;
    let stages = [
        ("words", timings.speech_end_to_transcript),
        ("intent", timings.transcript_to_intent),
        ("acts", timings.intent_to_action),
        ("first sound", timings.speech_end_to_first_audio.or(timings.to_first_audio)),
    ];
    let longest = stages.iter().filter_map(|(_, ms)| *ms).fold(1.0_f64, f64::max);
    let mut lines: Vec<Line<'static>> = Vec::new();
    for (name, ms) in stages {
        let Some(ms) = ms else { continue };
        let bar = "█".repeat(((ms / longest) * BAR as f64).ceil() as usize);
        lines.push(Line::styled(format!("{name:>11} {ms:>7.0} ms {bar}"), theme.good));
    }
    for line in &story.lines {
        lines.extend(wrap(&super::state::plain(line), width).into_iter().map(Line::raw));
    }
    lines
}

fn doctor(frame: &mut Frame<'_>, area: Rect, state: &mut State, theme: &Theme) {
    let mut lines = Vec::new();
    if state.is_examining {
        lines.push(Line::styled("Every part is looked at; that takes some seconds …", theme.dim));
    }
    let findings = state.findings.iter().flatten();
    // What is broken first.
    let (well, broken): (Vec<_>, Vec<_>) = findings.partition(|finding| finding.ok);
    for finding in broken.into_iter().chain(well) {
        let (mark, style) = if finding.ok { ("ok     ", theme.good) } else { ("FAILED ", theme.bad) };
        let text = super::state::plain(&format!("{}: {}", finding.check, finding.message));
        for (place, part) in wrap(&text, area.width.saturating_sub(7)).into_iter().enumerate() {
            let mark = if place == 0 { mark } else { "       " };
            lines.push(Line::from(vec![Span::styled(mark, style), Span::raw(part)]));
        }
        if !finding.ok {
            let fix = super::state::plain(&format!("fix: {}", finding.fix));
            let parts = wrap(&fix, area.width.saturating_sub(7)).into_iter();
            lines.extend(parts.map(|part| Line::raw(format!("       {part}"))));
        }
    }
    scroll(frame, area, lines, &mut state.scrolled);
}

/// Draws lines from the scrolled one on.
fn scroll(frame: &mut Frame<'_>, area: Rect, mut lines: Vec<Line<'static>>, scrolled: &mut usize) {
    *scrolled = (*scrolled).min(lines.len().saturating_sub(area.height.into()));
    frame.render_widget(Paragraph::new(lines.split_off(*scrolled)), area);
}

/// A text in lines of so many columns, broken between words where it can be.
pub(super) fn wrap(text: &str, columns: u16) -> Vec<String> {
    let columns = usize::from(columns).max(1);
    let width = |text: &str| Line::raw(text).width();
    let mut lines = vec![String::new()];
    // The blanks a line begins with set it apart.
    let indent = &text[..text.len() - text.trim_start().len()];
    lines[0].push_str(indent.get(..columns / 2).unwrap_or(indent));
    for word in text.split_whitespace() {
        // There is always a last one.
        let Some(line) = lines.last_mut() else { break };
        let gap = usize::from(!line.trim().is_empty());
        if width(line) + gap + width(word) <= columns {
            line.push_str(&" ".repeat(gap));
            line.push_str(word);
            continue;
        }
        if !line.trim().is_empty() {
            lines.push(String::new());
        }
        for letter in word.chars() {
            let Some(line) = lines.last_mut() else { break };
            if !line.is_empty() && width(line) + width(letter.encode_utf8(&mut [0; 4])) > columns {
                lines.push(letter.to_string());
            } else {
                line.push(letter);
            }
        }
    }
    lines
}

/// The end of a text in so many columns.
fn tail(text: &str, columns: u16) -> String {
    let start = text.char_indices().map(|(at, _)| at);
    let fits = |at: &usize| Line::raw(&text[*at..]).width() <= usize::from(columns);
    start.chain([text.len()]).find(fits).map(|at| text[at..].to_owned()).unwrap_or_default()
}

//! `hark listen`: a live meter of level, voice activity, wake words and the words so far.

use super::Faults;
use crate::app::builder::App;
use crate::cli::standalone::listen::{Doing, Shown, listen};
use hark_config::Config;
use serde_json::json;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// How often a terminal is drawn anew, and how often JSON is printed.
const DRAW_EVERY: Duration = Duration::from_millis(100);
/// How often a line is printed where nothing can be drawn anew.
const LINE_EVERY: Duration = Duration::from_millis(500);
/// The quietest level that is shown; the bar has a place for every two decibels from here to full scale.
const FLOOR_DBFS: f32 = -70.0;
const PLACES: usize = 35;
/// How long a peak stays, and how fast it falls then.
const HOLD: Duration = Duration::from_millis(1500);
const FALL_DB_PER_S: f32 = 20.0;
/// Lines of the picture.
const LINES: usize = 3;
/// Hides the cursor and cuts lines that are too long for the terminal; and the way back.
const BEGIN: &str = "\x1b[?25l\x1b[?7l";
const END: &str = "\x1b[?7h\x1b[?25h";

/// Shows the meter until it is interrupted, or the reader of its output goes away.
pub(super) fn run(config: Config, as_json: bool) -> Result<(), Faults> {
    let app = App::open(config)?;
    let style = match (as_json, std::io::stdout().is_terminal()) {
        (true, _) => Style::Json,
        (false, true) => Style::Picture,
        (false, false) => Style::Lines,
    };
    let every = if style == Style::Lines { LINE_EVERY } else { DRAW_EVERY };
    let mut peak = Peak::default();
    let mut drawn = false;
    let heard = listen(&app, every, |shown| {
        let peak_dbfs = peak.take(shown.level_dbfs, Instant::now());
        let text = match style {
            Style::Json => format!("{}\n", json_of(shown, peak_dbfs)),
            Style::Lines => format!("{}\n", line(shown, peak_dbfs)),
            Style::Picture => {
                let back = if drawn { format!("\x1b[{LINES}A") } else { BEGIN.to_owned() };
                back + &picture(shown, peak_dbfs)
            }
        };
        drawn = style == Style::Picture;
        let mut out = std::io::stdout().lock();
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_ok()
    });
    if drawn {
        // When the terminal is gone there is nothing to put right.
        let _ = std::io::stdout().write_all(END.as_bytes());
    }
    heard.map_err(|fault| vec![fault])
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// Drawn anew in its place.
    Picture,
    Lines,
    Json,
}

/// The peak, held for a while.
#[derive(Default)]
struct Peak(Option<(f32, Instant)>);

impl Peak {
    fn take(&mut self, level_dbfs: f32, now: Instant) -> f32 {
        let kept = self.0.map(|(peak, since)| {
            let falling = now.saturating_duration_since(since).saturating_sub(HOLD);
            (peak, since, peak - FALL_DB_PER_S * falling.as_secs_f32())
        });
        match kept {
            Some((peak, since, shown)) if shown > level_dbfs => {
                self.0 = Some((peak, since));
                shown
            }
            _ => {
                self.0 = Some((level_dbfs, now));
                level_dbfs
            }
        }
    }
}

fn doing(shown: &Shown) -> &'static str {
    match shown.doing {
        Doing::Waiting => "waiting",
        Doing::Hearing => "hearing",
        Doing::Recognising => "recognising",
        Doing::Deaf => "no microphone",
    }
}

fn place(dbfs: f32) -> usize {
    ((dbfs - FLOOR_DBFS) / 2.0).clamp(0.0, PLACES as f32) as usize
}

fn bar(level_dbfs: f32, peak_dbfs: f32) -> String {
    let (filled, peak) = (place(level_dbfs), place(peak_dbfs).saturating_sub(1));
    let cell = |index| match index {
        index if index < filled => '#',
        index if index == peak && peak >= filled && peak > 0 => '|',
        _ => ' ',
    };
    (0..PLACES).map(cell).collect()
}

fn scores(shown: &Shown) -> String {
    let scores = shown.wake.iter().map(|(word, score)| format!("{word} {score:.2}"));
    scores.collect::<Vec<_>>().join("  ")
}

fn picture(shown: &Shown, peak_dbfs: f32) -> String {
    let voice = "#".repeat((shown.vad * 10.0).round() as usize);
    // Three lines, each cleared before it is written.
    format!(
        "\r\x1b[K{:>6.1} dBFS [{}] peak {peak_dbfs:>6.1}  gain {:+.0} dB\n\x1b[Kvoice {:.2} [{voice:10}]  {}  overruns {}\n\x1b[K{:13} {}\n",
        shown.level_dbfs,
        bar(shown.level_dbfs, peak_dbfs),
        shown.gain_db,
        shown.vad,
        scores(shown),
        shown.xruns,
        doing(shown),
        shown.words
    )
}

fn line(shown: &Shown, peak_dbfs: f32) -> String {
    let (bar, scores) = (bar(shown.level_dbfs, peak_dbfs), scores(shown));
    let (level, gain, vad, xruns) = (shown.level_dbfs, shown.gain_db, shown.vad, shown.xruns);
    let text = format!(
        "{level:>6.1} dBFS [{bar}] gain {gain:+.0} dB  voice {vad:.2}  {scores}  overruns {xruns}  {}  {}",
        doing(shown),
        shown.words
    );
    text.trim_end().to_owned()
}

fn json_of(shown: &Shown, peak_dbfs: f32) -> serde_json::Value {
    let wake: serde_json::Map<String, serde_json::Value> =
        shown.wake.iter().map(|(word, score)| (word.clone(), json!(score))).collect();
    json!({
        "heard_ms": hark_core::audio::samples_to_ms(shown.heard_samples),
        "level_dbfs": shown.level_dbfs,
        "peak_dbfs": peak_dbfs,
        "gain_db": shown.gain_db,
        "vad": shown.vad,
        "wake": wake,
        "state": doing(shown),
        "words": shown.words,
        "overruns": shown.xruns,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(level_dbfs: f32) -> Shown {
        Shown {
            level_dbfs,
            gain_db: 6.0,
            vad: 0.97,
            wake: vec![("hey_jarvis".into(), 0.02)],
            doing: Doing::Hearing,
            words: "turn on the …".into(),
            xruns: 1,
            heard_samples: 16_000,
        }
    }

    #[test]
    fn a_peak_is_held_and_falls() {
        let begun = Instant::now();
        let at = |ms| begun + Duration::from_millis(ms);
        let mut peak = Peak::default();
        assert_eq!(peak.take(-10.0, at(0)), -10.0);
        assert_eq!(peak.take(-40.0, at(1400)), -10.0);
        let falling = peak.take(-40.0, at(2000));
        assert!((-21.0..-19.0).contains(&falling), "{falling}");
        assert_eq!(peak.take(-40.0, at(9000)), -40.0);
        assert_eq!(peak.take(-5.0, at(9100)), -5.0, "what is louder takes its place at once");
    }

    #[test]
    fn the_bar_shows_level_and_peak() {
        assert_eq!(bar(-100.0, -100.0), " ".repeat(PLACES));
        assert_eq!(bar(0.0, 0.0), "#".repeat(PLACES));
        let bar = bar(-50.0, -20.0);
        assert_eq!(bar.trim_end(), format!("{}{}|", "#".repeat(10), " ".repeat(14)));
    }

    #[test]
    fn the_picture_has_its_lines_and_json_its_fields() {
        let text = picture(&shown(-30.0), -20.0);
        assert_eq!(text.matches('\n').count(), LINES);
        assert_eq!(text.matches("\x1b[K").count(), LINES, "every line is cleared");
        let json = json_of(&shown(-30.0), -20.0);
        assert_eq!(json["heard_ms"], 1000);
        assert_eq!((json["state"].as_str(), json["gain_db"].as_f64()), (Some("hearing"), Some(6.0)));
        assert!(line(&shown(-30.0), -20.0).contains("hey_jarvis 0.02"));
    }
}

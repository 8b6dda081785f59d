//! `hark bench`: measures the stages of the pipeline on this machine and prints a table.

use super::Faults;
use crate::cli::benchmarks::{Report, Row, Scale, Unit, bench, bench_context};
use hark_config::Config;
use hark_core::{Fault, FaultKind};
use std::io::{IsTerminal, Write};
use std::path::PathBuf;

/// Measures and prints. What goes on is told on standard error when somebody watches.
pub(super) fn run(
    config: Config,
    files: Vec<PathBuf>,
    (scale, only_context): (Scale, bool),
    json: bool,
) -> Result<(), Faults> {
    let watched = std::io::stderr().is_terminal();
    let progress = |what: &str| {
        if watched {
            eprintln!("hark: measuring: {what} …");
        }
    };
    let report = match only_context {
        true => bench_context(config, scale, progress)?,
        false => bench(config, files, scale, progress)?,
    };
    let failed = |message: String| vec![Fault::new(FaultKind::Failed, "bench", message, "")];
    let text = if json {
        serde_json::to_string(&report).map_err(|error| failed(error.to_string()))? + "\n"
    } else {
        table(&report)
    };
    std::io::stdout().write_all(text.as_bytes()).map_err(|error| failed(error.to_string()))
}

fn table(report: &Report) -> String {
    let width = report.rows.iter().map(|row| row.what.chars().count()).max().unwrap_or(0);
    let mut text = format!("{:width$}  {:>10} {:>10}  {:10} {:>6}\n", "", "median", "p95", "unit", "values");
    for Row { what, unit, median, p95, count, .. } in &report.rows {
        let (median, p95) = (number(*median), number(*p95));
        text += &format!("{what:width$}  {median:>10} {p95:>10}  {:10} {count:>6}\n", unit_name(*unit));
    }
    text += &format!(
        "\n{} passages, {} facts; {} recordings, {:.1} s of sound; {} of {} requests done. Hark {}, {} cores.\n",
        report.context.passages,
        report.context.facts,
        report.recordings,
        report.sound_s,
        report.requests.done,
        report.requests.turns,
        report.version,
        report.cores
    );
    if !report.optimised {
        text += "This is a development build: what Hark itself computes is much slower than in a release.\n";
    }
    text
}

fn unit_name(unit: Unit) -> &'static str {
    match unit {
        Unit::Us => "µs",
        Unit::Ms => "ms",
        Unit::MiB => "MiB",
        Unit::OfRealTime => "× real time",
    }
}

/// Three significant digits or whole numbers, thousands parted by commas.
pub(super) fn number(value: Option<f64>) -> String {
    let Some(value) = value else { return "–".into() };
    let digits = match value.abs() {
        small if small < 1.0 => 3,
        small if small < 10.0 => 2,
        small if small < 100.0 => 1,
        _ => return with_thousands(value.round().max(0.0) as u64),
    };
    format!("{value:.digits$}")
}

fn with_thousands(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_thousands_are_parted() {
        let shown = |value| number(Some(value));
        assert_eq!(shown(0.0612), "0.061");
        assert_eq!(shown(7.126), "7.13");
        assert_eq!(shown(71.26), "71.3");
        assert_eq!(shown(712.6), "713");
        assert_eq!(shown(1_234_567.0), "1,234,567");
        assert_eq!(shown(100_000.0), "100,000");
        assert_eq!(number(None), "–");
    }

    #[test]
    fn the_table_lines_its_columns_up() {
        let row = |what, median| Row { name: "x", what, unit: Unit::Us, median, p95: median, count: 3 };
        let report = Report {
            version: "1",
            optimised: false,
            cores: 2,
            context: Scale { passages: 1, facts: 1 },
            recordings: 1,
            sound_s: 4.0,
            requests: crate::cli::benchmarks::Requests { turns: 1, done: 1 },
            rows: vec![row("short", Some(1234.0)), row("much longer – with a dash", None)],
        };
        let text = table(&report);
        let lines: Vec<usize> = text.lines().take(3).map(|line| line.chars().count()).collect();
        assert!(lines.iter().all(|length| *length == lines[0]), "{text}");
        assert!(text.contains("1,234") && text.contains("development build"), "{text}");
    }
}

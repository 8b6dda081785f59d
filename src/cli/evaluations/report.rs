//! What an evaluation found, with what it takes to compare it: when, which program, which machine, which command. As a
//! table for a terminal, as Markdown, as JSON.

use super::figures::{Case, Percent, Row};
use crate::cli::bench::number;
use crate::cli::version;
use serde::{Deserialize, Serialize};

/// Everything that was found. `hark eval <set> --json` prints it as one JSON object; rows may be added, names of fields do
/// not change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Report {
    /// Name of the set.
    pub(crate) set: String,
    /// When it was begun, RFC 3339.
    pub(crate) date: String,
    /// The program.
    pub(crate) program: Program,
    /// Where it ran.
    pub(crate) machine: Machine,
    /// How it was called.
    pub(crate) command: String,
    /// How long it took.
    pub(crate) seconds: f64,
    /// The tables.
    pub(crate) rows: Vec<Row>,
    /// What was left out, and what must be known to read the tables.
    pub(crate) notes: Vec<String>,
    /// Every case of the rows that judge.
    pub(crate) cases: Vec<Case>,
}

/// The program that was measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Program {
    /// Its version.
    pub(crate) version: String,
    /// The commit: as it was built in, or as the environment (`HARK_COMMIT`) says; null when neither does.
    pub(crate) commit: Option<String>,
    /// Features that are built in.
    pub(crate) features: Vec<String>,
    /// The folder the program lies in: `debug` is a development build, `release` what is shipped.
    pub(crate) build: String,
}

impl Program {
    /// This one.
    pub(crate) fn this() -> Self {
        let program = std::env::current_exe().ok();
        let folder = program.as_deref().and_then(|path| path.parent()?.file_name());
        let from_outside = || std::env::var("HARK_COMMIT").ok().filter(|commit| !commit.is_empty());
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: version::commit().map(str::to_owned).or_else(from_outside),
            features: version::features().into_iter().map(str::to_owned).collect(),
            build: folder.map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default(),
        }
    }
}

/// The machine it ran on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Machine {
    /// Model of the processor, as the kernel tells it; empty where it does not.
    pub(crate) cpu: String,
    /// Cores the program may use.
    pub(crate) cores: usize,
    /// Operating system and architecture.
    pub(crate) system: String,
}

impl Machine {
    /// This one.
    pub(crate) fn this() -> Self {
        let told = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        Self {
            cpu: cpu_model(&told),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        }
    }
}

/// From the lines of /proc/cpuinfo: x86 tells `model name`, some ARM boards `Model`.
fn cpu_model(told: &str) -> String {
    let line = |name: &str| {
        let mut values = told.lines().filter_map(|line| line.split_once(':'));
        values.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim().to_owned())
    };
    line("model name").or_else(|| line("Model")).unwrap_or_default()
}

/// Rows of one kind under their headings.
struct Table {
    headings: &'static [&'static str],
    lines: Vec<Vec<String>>,
}

impl Report {
    /// For a terminal.
    pub(crate) fn text(&self, with_cases: bool) -> String {
        let mut text = String::new();
        if with_cases {
            for Case { part, item, verdict, detail } in &self.cases {
                text += &format!("{:9} {part} | {item} | {detail}\n", format!("{verdict:?}").to_lowercase());
            }
            text += "\n";
        }
        for table in tables(&self.rows) {
            text += &table.text();
            text += "\n";
        }
        for note in &self.notes {
            text += &format!("{note}\n");
        }
        text + &format!("{}\n", self.about())
    }

    /// A section of a document.
    pub(crate) fn markdown(&self) -> String {
        let mut text = format!("### {}\n\n`{}`: {}\n", self.set, self.command, self.about());
        for table in tables(&self.rows) {
            text += "\n";
            text += &table.markdown();
        }
        for note in &self.notes {
            text += &format!("\n{note}\n");
        }
        text
    }

    /// Date, program and machine in one line.
    fn about(&self) -> String {
        let Program { version, commit, build, .. } = &self.program;
        let commit = commit.as_deref().map(|commit| format!(" at commit {commit}")).unwrap_or_default();
        let date = self.date.get(..10).unwrap_or(&self.date);
        let Machine { cpu, cores, system } = &self.machine;
        format!(
            "{date}, Hark {version}{commit} ({build} build), {cpu}, {cores} cores, {system}, {:.0} s.",
            self.seconds
        )
    }
}

fn tables(rows: &[Row]) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    for row in rows {
        let (headings, line) = line(row);
        match tables.iter_mut().find(|table| table.headings == headings) {
            Some(table) => table.lines.push(line),
            None => tables.push(Table { headings, lines: vec![line] }),
        }
    }
    tables
}

fn line(row: &Row) -> (&'static [&'static str], Vec<String>) {
    match row {
        Row::Judged { what, right, wrong, harmful, unjudged, right_percent } => {
            let counts = [right, wrong, harmful, unjudged].map(ToString::to_string);
            let headings: &[&str] =
                &["judged", "right", "wrong", "harmful", "to be read", "right %", "95 % interval"];
            (headings, [vec![what.clone()], counts.to_vec(), percents(*right_percent).to_vec()].concat())
        }
        Row::Share { what, count, of, percent } => {
            let [value, interval] = percents(*percent);
            let line = vec![what.clone(), count.to_string(), of.to_string(), value, interval];
            (&["counted", "count", "of", "%", "95 % interval"], line)
        }
        Row::Values { what, unit, median, p95, highest, n } => {
            let numbers = [median, p95, highest].map(|value| number(*value));
            let line = [vec![what.clone(), unit.clone()], numbers.to_vec(), vec![n.to_string()]].concat();
            (&["measured", "unit", "median", "p95", "highest", "n"], line)
        }
        Row::Rate { what, count, hours, per_hour, low, high } => {
            let hours = format!("{hours:.2}");
            let line = vec![what.clone(), count.to_string(), hours, format!("{per_hour:.2}")];
            let interval = vec![format!("{low:.2} – {high:.2}")];
            (&["happened", "count", "hours", "per hour", "95 % interval"], [line, interval].concat())
        }
        Row::Change { what, unit, before, after } => {
            let line = vec![what.clone(), unit.clone(), number(Some(*before)), number(Some(*after))];
            (&["changed", "unit", "before", "after"], line)
        }
    }
}

fn percents(percent: Option<Percent>) -> [String; 2] {
    match percent {
        Some(Percent { value, low, high }) => [format!("{value:.1}"), format!("{low:.1} – {high:.1}")],
        None => ["–".into(), "–".into()],
    }
}

impl Table {
    fn text(&self) -> String {
        let length = |cell: &str| cell.chars().count();
        let widths: Vec<usize> = (0..self.headings.len())
            .map(|at| {
                let cells = self.lines.iter().map(|line| length(&line[at]));
                cells.chain([length(self.headings[at])]).max().unwrap_or(0)
            })
            .collect();
        let row = |cells: &mut dyn Iterator<Item = &str>| {
            let mut text = String::new();
            for (at, cell) in cells.enumerate() {
                let width = widths[at];
                // Names to the left, numbers to the right.
                text += &if at == 0 { format!("{cell:width$}") } else { format!("  {cell:>width$}") };
            }
            text.trim_end().to_owned() + "\n"
        };
        let mut text = row(&mut self.headings.iter().copied());
        for line in &self.lines {
            text += &row(&mut line.iter().map(String::as_str));
        }
        text
    }

    fn markdown(&self) -> String {
        let row = |cells: Vec<&str>| format!("| {} |\n", cells.join(" | "));
        let mut text = row(self.headings.to_vec());
        text += &row(self
            .headings
            .iter()
            .enumerate()
            .map(|(at, _)| if at == 0 { "---" } else { "---:" })
            .collect());
        for line in &self.lines {
            text += &row(line.iter().map(String::as_str).collect());
        }
        text
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::figures::Verdict;
    use super::*;
    use crate::cli::benchmarks::samples::Samples;

    /// A report with a row of each kind.
    pub(in crate::cli::evaluations) fn sample(set: &str) -> Report {
        let mut times = Samples::default();
        [12.0, 700.0].into_iter().for_each(|time| times.push(time));
        let case =
            Case { part: "all".into(), item: "one".into(), verdict: Verdict::Right, detail: "done".into() };
        Report {
            set: set.into(),
            date: "2026-01-02T03:04:05Z".into(),
            program: Program {
                version: "1".into(),
                commit: Some("abc".into()),
                features: Vec::new(),
                build: "debug".into(),
            },
            machine: Machine { cpu: "A processor".into(), cores: 2, system: "linux x86_64".into() },
            command: format!("hark eval {set}"),
            seconds: 3.2,
            rows: vec![
                Row::judged("all", std::slice::from_ref(&case)),
                Row::share("kept", 3, 4),
                Row::rate("wakes", 1, 0.5),
                Row::values("answer", "ms", &times),
                Row::change("memory", "MiB", 100.0, 101.5),
            ],
            notes: vec!["Left out: nothing.".into()],
            cases: vec![case],
        }
    }

    #[test]
    fn each_kind_of_row_has_a_table_with_its_columns_in_line() {
        let text = sample("x").text(true);
        let blocks: Vec<&str> = text.split("\n\n").collect();
        assert_eq!(blocks.len(), 7, "{text}");
        for block in &blocks[1..6] {
            let lengths: Vec<usize> = block.lines().map(|line| line.chars().count()).collect();
            assert!(lengths.len() == 2 && lengths[0] == lengths[1], "{block}");
        }
        assert!(text.starts_with("right     all | one | done\n"), "{text}");
        assert!(
            text.contains("2026-01-02, Hark 1 at commit abc (debug build), A processor, 2 cores"),
            "{text}"
        );
        assert!(!sample("x").text(false).contains("one"), "cases only when they are wanted");
    }

    #[test]
    fn it_is_the_same_after_it_was_written_and_read() {
        let report = sample("x");
        let text = serde_json::to_string(&report).unwrap();
        assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
        assert!(text.contains(r#""figure":"share","what":"kept","count":3,"of":4"#), "{text}");
    }

    #[test]
    fn processors_are_told_by_their_model() {
        assert_eq!(cpu_model("processor : 0\nmodel name\t: Some CPU @ 2.0GHz\n"), "Some CPU @ 2.0GHz");
        assert_eq!(cpu_model("processor : 0\nModel\t\t: Board 5\n"), "Board 5");
        assert_eq!(cpu_model(""), "");
    }
}

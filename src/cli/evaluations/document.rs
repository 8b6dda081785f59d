//! Puts reports into a document between two marks; what stands around them stays.

use super::report::Report;
use hark_core::{Fault, FaultKind};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What stands between these lines is written anew each time.
const BEGIN: &str = "<!-- hark eval: begin -->";
const END: &str = "<!-- hark eval: end -->";
/// A report begins so, with the name of its set.
const HEADING: &str = "### ";

/// Writes the reports of these JSON files into a document. Those of other sets that stand there stay.
///
/// # Errors
/// When a file is no report, or the document cannot be read or written or lacks the marks.
pub(crate) fn update(reports: &[PathBuf], document: &Path) -> Result<(), Fault> {
    let reports: Vec<Report> = reports.iter().map(|path| read(path)).collect::<Result<_, _>>()?;
    let failed = |error: std::io::Error| fault(format!("{}: {error}", document.display()), "");
    let text = std::fs::read_to_string(document).map_err(failed)?;
    let Some(text) = with_reports(&text, &reports) else {
        let message = format!("{} has no place for reports", document.display());
        return Err(fault(message, &format!("put the lines `{BEGIN}` and `{END}` where they belong")));
    };
    std::fs::write(document, text).map_err(failed)
}

fn read(path: &Path) -> Result<Report, Fault> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        fault(format!("{}: {error}", path.display()), "give what `hark eval <set> --out` wrote")
    })?;
    serde_json::from_str(&text).map_err(|error| {
        fault(format!("{} is no report: {error}", path.display()), "give what `hark eval <set> --out` wrote")
    })
}

/// The document with these reports, in the order of their sets. A report of another set that is there already stays;
/// `None` when there is no place for them.
fn with_reports(text: &str, reports: &[Report]) -> Option<String> {
    let begin = text.find(BEGIN)? + BEGIN.len();
    let end = begin + text[begin..].find(END)?;
    let old = text[begin..end].split(HEADING).skip(1);
    let old =
        old.filter_map(|section| Some((section.lines().next()?.to_owned(), format!("{HEADING}{section}"))));
    let mut sections: BTreeMap<String, String> = old.collect();
    sections.extend(reports.iter().map(|report| (report.set.clone(), report.markdown() + "\n")));
    let sections: String = sections.into_values().collect();
    Some(format!("{}\n\n{sections}{}", &text[..begin], &text[end..]))
}

fn fault(message: String, fix: &str) -> Fault {
    Fault::new(FaultKind::BadInput, "eval", message, fix)
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::sample;
    use super::*;

    #[test]
    fn what_stands_around_the_reports_stays_and_they_are_replaced() {
        let document = format!(
            "# Figures\n\nBy hand.\n\n{BEGIN}\n\n### a\n\nold\n\n### c\n\nkept\n\n{END}\n\nMore by hand.\n"
        );
        let once = with_reports(&document, &[sample("b"), sample("a")]).unwrap();
        assert!(
            once.starts_with("# Figures\n\nBy hand.\n") && once.ends_with("\n\nMore by hand.\n"),
            "{once}"
        );
        assert!(!once.contains("old"), "{once}");
        let headings: Vec<&str> = once.lines().filter(|line| line.starts_with(HEADING)).collect();
        assert_eq!(headings, ["### a", "### b", "### c"], "{once}");
        assert!(once.contains("### c\n\nkept\n\n"), "{once}");
        assert!(once.contains("| answer | ms | 12.0 | 700 | 700 | 2 |"), "{once}");
        assert_eq!(with_reports(&once, &[sample("b"), sample("a")]).unwrap(), once);
        assert_eq!(with_reports("no marks", &[sample("a")]), None);
    }
}

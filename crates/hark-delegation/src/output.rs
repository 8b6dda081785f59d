//! The last words of a program: what it asks, and what it says was done. They are text of another program.

use hark_core::external_tools::cleaned;

/// What a line begins with that asks something.
const MARK: &str = "QUESTION:";
/// Longest question or summary, characters.
const MAX_CHARS: usize = 600;

/// What is asked: the line behind [`MARK`] in the last words; where nothing was `changed`, the last line where it ends in a
/// question mark. `None`: nothing.
pub(crate) fn question_of(words: &str, changed: bool) -> Option<String> {
    let lines = || words.lines().map(plain).filter(|line| !line.is_empty());
    let marked = lines().rev().take(3).find_map(|line| {
        let begins = line.get(..MARK.len())?.eq_ignore_ascii_case(MARK);
        begins.then(|| line[MARK.len()..].trim().to_owned())
    });
    let last = || lines().next_back().filter(|line| !changed && line.ends_with('?'));
    marked.or_else(last).filter(|asked| !asked.is_empty()).map(|asked| cleaned(&asked, MAX_CHARS).0)
}

/// The last paragraph that is no code and no list of files, in one line.
pub(crate) fn last_paragraph(words: &str) -> String {
    let mut paragraphs: Vec<String> = vec![String::new()];
    let mut is_code = false;
    for line in words.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        let line = if is_code || line.trim_start().starts_with("```") { String::new() } else { plain(line) };
        match paragraphs.last_mut() {
            Some(last) if !line.is_empty() => {
                if !last.is_empty() {
                    last.push(' ');
                }
                last.push_str(&line);
            }
            _ => paragraphs.push(String::new()),
        }
    }
    let last = paragraphs.into_iter().rev().find(|paragraph| !paragraph.is_empty()).unwrap_or_default();
    cleaned(&last, MAX_CHARS).0
}

/// A line without the marks of Markdown.
fn plain(line: &str) -> String {
    let line = line.trim().trim_start_matches(['#', '>', '*', '-', ' ']);
    line.replace("**", "").replace('`', "").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_told_from_politeness() {
        for (words, changed, asked) in [
            ("I looked.\n\nQUESTION: Which port?", true, Some("Which port?")),
            ("**Question:** `8080` or `80`?\n", false, Some("8080 or 80?")),
            ("Which language do you want?", false, Some("Which language do you want?")),
            ("I wrote it. Anything else?", true, None),
            ("Done.", false, None),
            ("QUESTION:", false, None),
            ("", false, None),
            ("Füge Tests hinzu? ÄÖÜ", false, None),
        ] {
            assert_eq!(question_of(words, changed).as_deref(), asked, "{words}");
        }
    }

    #[test]
    fn the_summary_is_the_last_paragraph_of_words() {
        let words = "I began.\n\n## Result\nI wrote **hello.sh**\nand tested it.\n\n```sh\necho hi\n```\n";
        assert_eq!(last_paragraph(words), "Result I wrote hello.sh and tested it.");
        assert_eq!(last_paragraph("\u{1b}[31mred"), "[31mred");
        assert_eq!(last_paragraph(&"x".repeat(5000)).len(), MAX_CHARS);
        assert_eq!(last_paragraph(""), "");
    }
}

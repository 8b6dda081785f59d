//! Golden table of what is left of Markdown for a voice.

use super::*;
use crate::normalise::spoken;
use crate::phrases::phrases;
use proptest::prelude::*;

/// A text, and its phrases as a voice gets them, `|` between two.
const ENGLISH: &[(&str, &str)] = &[
    ("The light is on.", "The light is on."),
    // What failures say.
    (
        "Sorry, the disk is full. What helps: check the disk: `df -h`.",
        "Sorry, the disk is full.|What helps: check the disk.",
    ),
    (
        "check the disk: `df -h` and the kernel log",
        "check the disk: the command shown in writing and the kernel log",
    ),
    ("Run `hark models pull piper` first.", "Run hark models pull piper first."),
    ("Run `hark run --set llm.url=http://x` again.", "Run the command shown in writing again."),
    ("Set `tools.file_roots` for that.", "Set tools.file roots for that."),
    ("Use a key (`journal.record_audio = true`) for it.", "Use a key for it."),
    ("`sudo rm -rf /`", "the command shown in writing"),
    ("It is `21` degrees, say `on` or `off`.", "It is twenty one degrees, say on or off."),
    ("A lone ` stays out.", "A lone stays out."),
    // Emphasis.
    ("**Done.** The *kitchen* light is __on__.", "Done.|The kitchen light is on."),
    ("***Very*** ~~good~~ bad, 2*3 and snake_case", "Very good bad, two times three and snake case"),
    ("_Well._ He said: **no**.", "Well.|He said: no."),
    // Lists.
    ("You need:\n- Milk\n- **Eggs**, fresh\n  * Brown\n+ Bread", "You need:|Milk|Eggs, fresh|Brown|Bread"),
    ("1. Milk\n2. Eggs", "one, Milk|two, Eggs"),
    ("- [ ] Milk\n- [x] Eggs", "Milk|Eggs"),
    ("-5 °C\n- 5 °C", "minus five degrees Celsius|five degrees Celsius"),
    // Headings, quotations, rules.
    ("# Dinner\nSoup.\n## Later\n---\nBread.", "Dinner|Soup.|Later|Bread."),
    ("Dinner\n======\nSoup.", "Dinner|Soup."),
    ("> To be, or not.\n>> Indeed.", "To be, or not.|Indeed."),
    // Links and pictures.
    ("See [the guide](https://example.org/a_(b)?c=d) now.", "See the guide now."),
    ("See [the guide][1] and ![a cat](cat.png)!", "See the guide and a cat!"),
    ("Good! [Really](x).", "Good!|Really."),
    ("At <https://example.org/help>.", "At example dot org slash help."),
    // Code in lines of its own.
    (
        "Run this:\n```sh\ndf -h\n# and **this**\n```\nThen wait.",
        "Run this:|The code is shown in writing.|Then wait.",
    ),
    ("~~~\nx\n```\ny\n~~~\nDone.", "The code is shown in writing.|Done."),
    ("```df -h``` shows it.", "the command shown in writing shows it."),
    ("```\nnever ends", "The code is shown in writing."),
    // Tables.
    (
        "| Room | Warmth |\n|:-----|---:|\n| Kitchen | 21 |\n| Hall | **18** |",
        "Room, Warmth|Kitchen, twenty one|Hall, eighteen",
    ),
    ("Room | Light\n--- | ---\nHall | on", "Room, Light|Hall, on"),
    // HTML and escapes.
    ("One<br>two <b>three</b>, 1 < 2.", "One two three , one less than two."),
    ("5 \\* 3 \\# \\[x\\]", "five three [x]"),
    ("It is 14:05, and (so) on!", "It is two oh five p m, and (so) on!"),
];

/// The same in German.
const GERMAN: &[(&str, &str)] = &[
    ("Das ging nicht. Was hilft: prüfe die Platte: `df -h`.", "Das ging nicht.|Was hilft: prüfe die Platte."),
    ("Führe `df -h | sort` aus.", "Führe was geschrieben dasteht aus."),
    ("So geht es:\n```\nls\n```\n**Fertig.**", "So geht es:|Der Code steht geschrieben da.|Fertig."),
    ("## Einkauf\n1. Milch\n2. *Brot*", "Einkauf|eins, Milch|zwei, Brot"),
    ("| Raum | Licht |\n|---|---|\n| Küche | an |", "Raum, Licht|Küche, an"),
    ("Mehr [hier](https://beispiel.de).", "Mehr hier."),
];

fn said(text: &str, language: &str) -> String {
    let cut = phrases(text, language);
    cut.iter().map(|phrase| spoken(&phrase.text, language)).collect::<Vec<_>>().join("|")
}

#[test]
fn only_what_can_be_said_is_said() {
    let rows = ENGLISH.iter().map(|row| ("en", row)).chain(GERMAN.iter().map(|row| ("de", row)));
    let wrong: Vec<String> = rows
        .filter(|(language, (text, words))| said(text, language) != *words)
        .map(|(language, (text, words))| format!("{text:?}:\n  {}\n  {words}", said(text, language)))
        .collect();
    assert!(wrong.is_empty(), "said, and expected:\n{}", wrong.join("\n"));
}

#[test]
fn a_language_without_tables_leaves_code_out() {
    assert_eq!(said("Lancez `df -h`, **vite**.", "fr"), "Lancez , vite.");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn it_comes_out_the_same_however_it_is_split(
        text in "([a-z0-9 ]|[`*_~#>|:()!<\\[\\]\\\\/.\\n-]){0,80}", cut in any::<prop::sample::Index>(),
    ) {
        let whole = |pieces: &[&str]| {
            let mut marks = Markdown::new(Language::of("en"));
            let mut out: String = pieces.iter().map(|piece| marks.push(piece)).collect();
            out += &marks.finish();
            out
        };
        let at = cut.index(text.len() + 1);
        prop_assert_eq!(whole(&[&text[..at], &text[at..]]), whole(&[&text]));
    }
}

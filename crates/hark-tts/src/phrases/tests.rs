//! Golden table of the phrase cutter, and that its phrases do not depend on how a text is split.

use super::*;
use proptest::prelude::*;

/// Texts with their phrases, `|` between two. English.
const ENGLISH: &[(&str, &str)] = &[
    ("", ""),
    (" \n ", ""),
    ("Done", "Done"),
    ("The light is on. The door is locked.", "The light is on.|The door is locked."),
    ("Sure! Which one? The lamp.", "Sure!|Which one?|The lamp."),
    ("It is 21.5 degrees. Nice.", "It is 21.5 degrees.|Nice."),
    ("It costs 1,299.95 dollars. Too much?", "It costs 1,299.95 dollars.|Too much?"),
    ("There are 1,000,000 of them.", "There are 1,000,000 of them."),
    ("It is 14.05 now, or 2.05 p.m. in words.", "It is 14.05 now, or 2.05 p.m. in words."),
    ("Your alarm is at 7 a.m. The house is quiet.", "Your alarm is at 7 a.m.|The house is quiet."),
    ("Your alarm is at 7 a.m. Monday morning.", "Your alarm is at 7 a.m. Monday morning."),
    ("It rings at 14:05. Then again at 15:10.", "It rings at 14:05.|Then again at 15:10."),
    ("Dr. Smith and Mrs. Jones called. Call back?", "Dr. Smith and Mrs. Jones called.|Call back?"),
    ("Some rooms, e.g. Kitchen, are warm.", "Some rooms, e.g. Kitchen, are warm."),
    ("It is cold, i.e. Below zero.", "It is cold, i.e. Below zero."),
    ("J. R. Tolkien wrote it. So did I. Really.", "J. R. Tolkien wrote it.|So did I.|Really."),
    ("St. Mary is on 5th Ave. near here.", "St. Mary is on 5th Ave. near here."),
    ("Take No. 5 and No. 6. Go.", "Take No. 5 and No. 6.|Go."),
    ("No. The light is off.", "No.|The light is off."),
    ("On Oct. 3 it rains. On Nov. 4 too.", "On Oct. 3 it rains.|On Nov. 4 too."),
    ("It is 21. The light is on.", "It is 21.|The light is on."),
    ("It is due on 3. October comes late.", "It is due on 3. October comes late."),
    ("At 21.5 °C it is warm. At 3.5 kg it is light.", "At 21.5 °C it is warm.|At 3.5 kg it is light."),
    ("It takes 5 min. Then it rings.", "It takes 5 min.|Then it rings."),
    ("The limit is max. 30 people. Good.", "The limit is max. 30 people.|Good."),
    ("He said \"Stop.\" Then he left.", "He said \"Stop.\"|Then he left."),
    ("\"Why?\" he asked. \"Because.\"", "\"Why?\" he asked.|\"Because.\""),
    ("(It is late.) Good night.", "(It is late.)|Good night."),
    ("“Open it!” Nobody did.", "“Open it!”|Nobody did."),
    ("See www.example.org/a.b?c=d for more.", "See www.example.org/a.b?c=d for more."),
    ("Go to https://example.org. It is good.", "Go to https://example.org.|It is good."),
    ("Write to info@example.org. Or call.", "Write to info@example.org.|Or call."),
    ("Wait... what? Yes", "Wait... what?|Yes"),
    ("Well... The light is on.", "Well...|The light is on."),
    ("Hm… maybe. Hm… Yes.", "Hm… maybe.|Hm…|Yes."),
    ("What?! No!! Never...", "What?!|No!!|Never..."),
    ("Really??? yes", "Really???|yes"),
    ("One line\nanother line", "One line|another line"),
    ("One.\r\nTwo.\r\n", "One.|Two."),
    ("1. Milk\n2. Eggs", "1. Milk|2. Eggs"),
    ("You need:\n- Milk\n- Eggs, fresh\n", "You need:|Milk|Eggs, fresh"),
    ("* Milk\n* Eggs", "Milk|Eggs"),
    ("Version 1.2.3 is out. Get it.", "Version 1.2.3 is out.|Get it."),
    ("It is at 192.168.1.20. Ping it.", "It is at 192.168.1.20.|Ping it."),
    ("Milk, eggs, etc.", "Milk, eggs, etc."),
    ("Milk, eggs, etc. That is all.", "Milk, eggs, etc.|That is all."),
    ("It costs $5. Or £3.50. Or 4 €.", "It costs $5.|Or £3.50.|Or 4 €."),
    ("The U.S. team won.", "The U.S. team won."),
    ("On November 21, 2026 it was mild.", "On November 21, 2026 it was mild."),
    (
        "The front door is locked, and all the lights are off.",
        "The front door is locked,|and all the lights are off.",
    ),
    ("The kitchen light is now on, too.", "The kitchen light is now on, too."),
    (
        "In one hour and ten minutes; after that it will be dark.",
        "In one hour and ten minutes;|after that it will be dark.",
    ),
    (
        "I looked everywhere for it – but it is not there.",
        "I looked everywhere for it –|but it is not there.",
    ),
    ("A well-known state-of-the-art heat pump runs.", "A well-known state-of-the-art heat pump runs."),
    (
        "Numbers such as 1, 2, 3, 4, 5, 6, 7, 8 and 9 are small.",
        "Numbers such as 1, 2, 3, 4, 5, 6, 7, 8 and 9 are small.",
    ),
    (
        "Yes. The window in the bathroom is open, and the one in the hall too.",
        "Yes.|The window in the bathroom is open, and the one in the hall too.",
    ),
    ("灯开了。门锁了。", "灯开了。|门锁了。"),
    ("他说「好。」我走了。", "他说「好。」|我走了。"),
];

/// The same in German.
const GERMAN: &[(&str, &str)] = &[
    ("Das Licht ist an. Die Tür ist zu.", "Das Licht ist an.|Die Tür ist zu."),
    ("Es sind 21,5 °C. Angenehm.", "Es sind 21,5 °C.|Angenehm."),
    ("Das kostet 1.299,95 €. Teuer!", "Das kostet 1.299,95 €.|Teuer!"),
    ("Es ist 14.30 Uhr. Zeit für Kaffee.", "Es ist 14.30 Uhr.|Zeit für Kaffee."),
    ("Der Wecker klingelt um 14:05. Danach ist Ruhe.", "Der Wecker klingelt um 14:05.|Danach ist Ruhe."),
    ("Das war am 21.11.2026. Es schneite.", "Das war am 21.11.2026.|Es schneite."),
    ("Am 3. Oktober ist frei. Gut.", "Am 3. Oktober ist frei.|Gut."),
    ("Der Termin ist der 3. Okt. um neun.", "Der Termin ist der 3. Okt. um neun."),
    ("Sie wohnt im 2. Stock. Rechts.", "Sie wohnt im 2. Stock.|Rechts."),
    ("Es ist der 1. Advent. Vier Kerzen.", "Es ist der 1. Advent.|Vier Kerzen."),
    ("Es sind 21. Das Licht ist an.", "Es sind 21.|Das Licht ist an."),
    ("Manche Räume, z.B. Küche, sind warm.", "Manche Räume, z.B. Küche, sind warm."),
    ("Manche Räume, z. B. Küche, sind warm.", "Manche Räume, z. B. Küche, sind warm."),
    ("Das heißt, d. h. Morgen, ist frei.", "Das heißt, d. h. Morgen, ist frei."),
    ("Dr. Müller und Prof. Weiß sind da.", "Dr. Müller und Prof. Weiß sind da."),
    ("Nr. 5 lebt. Nr. Die fehlt.", "Nr. 5 lebt.|Nr.|Die fehlt."),
    ("Milch bzw. Käse, ca. 3,5 kg. Mehr nicht.", "Milch bzw. Käse, ca. 3,5 kg.|Mehr nicht."),
    ("Milch, Eier usw. reichen.", "Milch, Eier usw. reichen."),
    ("Er sagte: „Stopp.“ Dann ging er.", "Er sagte: „Stopp.“|Dann ging er."),
    ("„Warum?“ fragte sie. „Darum!“", "„Warum?“ fragte sie.|„Darum!“"),
    ("»Gut.« Das war alles.", "»Gut.«|Das war alles."),
    ("1. Milch\n2. Eier\n3. Brot", "1. Milch|2. Eier|3. Brot"),
    ("Na ja… vielleicht. Na gut…", "Na ja… vielleicht.|Na gut…"),
    ("Was?! Nein!", "Was?!|Nein!"),
    (
        "Mehr unter www.beispiel.de/a. Oder per Mail an info@beispiel.de.",
        "Mehr unter www.beispiel.de/a.|Oder per Mail an info@beispiel.de.",
    ),
    (
        "Die Haustür ist verschlossen, und alle Lichter sind aus.",
        "Die Haustür ist verschlossen,|und alle Lichter sind aus.",
    ),
];

fn shown(phrases: &[Phrase]) -> String {
    phrases.iter().map(|phrase| phrase.text.as_str()).collect::<Vec<_>>().join("|")
}

fn rows() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let english = ENGLISH.iter().map(|(text, cut)| ("en", *text, *cut));
    english.chain(GERMAN.iter().map(|(text, cut)| ("de", *text, *cut)))
}

/// The phrases of a text that comes in `pieces`.
fn streamed<'a>(pieces: impl IntoIterator<Item = &'a str>, language: &str) -> Vec<Phrase> {
    let mut cutter = PhraseCutter::new(language);
    let mut phrases: Vec<Phrase> = pieces.into_iter().flat_map(|piece| cutter.push(piece)).collect();
    phrases.extend(cutter.finish());
    phrases
}

#[test]
fn cuts_where_sentences_end_and_nowhere_else() {
    assert!(rows().count() >= 60);
    let wrong: Vec<String> = rows()
        .filter(|(language, text, cut)| shown(&phrases(text, language)) != *cut)
        .map(|(language, text, cut)| {
            format!("{text:?}: {} instead of {cut}", shown(&phrases(text, language)))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_table_comes_out_the_same_however_it_is_split() {
    for (language, text, cut) in rows() {
        for (at, _) in text.char_indices() {
            assert_eq!(shown(&streamed([&text[..at], &text[at..]], language)), cut, "{text:?} split at {at}");
        }
        let characters: Vec<String> = text.chars().map(String::from).collect();
        assert_eq!(shown(&streamed(characters.iter().map(String::as_str), language)), cut, "{text:?}");
    }
}

#[test]
fn a_phrase_is_ready_as_soon_as_its_end_is_certain() {
    let mut cutter = PhraseCutter::new("en");
    assert!(cutter.push("The light is on").is_empty());
    assert!(cutter.push(".").is_empty(), "it may be a decimal or an abbreviation");
    assert_eq!(shown(&cutter.push(" T")), "The light is on.");
    assert_eq!(shown(&cutter.push("he door too! ")), "");
    assert_eq!(shown(&cutter.push("A")), "The door too!");
    assert_eq!(shown(&cutter.finish()), "A");
    assert!(cutter.finish().is_empty());
}

#[test]
fn ends_are_told_apart() {
    let text = "The front door is locked, and all the lights are off. Good night";
    let ends: Vec<PhraseEnd> = phrases(text, "en").iter().map(|phrase| phrase.end).collect();
    assert_eq!(ends, [PhraseEnd::Clause, PhraseEnd::Sentence, PhraseEnd::Sentence]);
}

#[test]
fn long_sentences_are_cut_at_clauses_then_at_spaces_then_anywhere() {
    let clauses = format!("{}, {}", "word ".repeat(30).trim(), "word ".repeat(30).trim());
    assert!(phrases(&clauses, "en")[0].text.ends_with(','));
    let words = "word ".repeat(100);
    let cut = phrases(&words, "en");
    assert!(cut.iter().all(|phrase| phrase.text.len() <= MAX_PHRASE_CHARS && phrase.text.ends_with("word")));
    assert_eq!(phrases(&"x".repeat(500), "en").len(), 3);
}

#[test]
fn a_phrase_ends_as_soon_as_it_is_known_how_the_text_goes_on() {
    let mut cutter = PhraseCutter::new("en");
    let ahead = |cutter: &mut PhraseCutter, ahead: &str| cutter.push_before("", ahead).len();
    assert!(cutter.push_before("Ada Lovelace was a mathematician,", "").is_empty());
    assert_eq!(ahead(&mut cutter, " who lived"), 0, "it could be one more word");
    assert_eq!(ahead(&mut cutter, " who lived in L"), 1);
    assert!(cutter.push_before(" who lived in London.", "").is_empty());
    assert_eq!(ahead(&mut cutter, " S"), 1);
    assert!(cutter.finish().is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn no_word_is_lost(text in "[a-z.,!? \\n\"é。0-9]{0,400}") {
        let squeeze = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        let pieces = phrases(&text, "en");
        let joined: String = pieces.iter().map(|phrase| phrase.text.as_str()).collect();
        prop_assert_eq!(squeeze(&joined), squeeze(&text));
        prop_assert!(pieces.iter().all(|p| !p.text.is_empty() && p.text.chars().count() <= MAX_PHRASE_CHARS + 5));
    }

    #[test]
    fn any_text_is_cut_the_same_however_it_is_split(
        text in "(\\PC|[.!?…,;:–\"“”)\\n ]){0,300}",
        cut in any::<prop::sample::Index>(),
    ) {
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let (head, tail) = text.split_at(*cut.get(&places));
        let whole = phrases(&text, "en");
        prop_assert_eq!(streamed([head, tail], "en"), whole.clone());
        let characters: Vec<String> = text.chars().map(String::from).collect();
        prop_assert_eq!(streamed(characters.iter().map(String::as_str), "en"), whole);
    }

    #[test]
    fn what_is_known_to_follow_changes_no_phrase_and_is_never_said(
        text in "(\\PC|[.!?…,;:–\"“”)\\n ]){0,300}", places in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        known in 0..40usize,
    ) {
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let mut places: Vec<usize> = places.iter().map(|place| *place.get(&ends)).chain([0, text.len()]).collect();
        places.sort_unstable();
        let mut cutter = PhraseCutter::new("en");
        let mut cut = Vec::new();
        for piece in places.windows(2) {
            let ahead: String = text[piece[1]..].chars().take(known).collect();
            cut.extend(cutter.push_before(&text[piece[0]..piece[1]], &ahead));
        }
        cut.extend(cutter.finish());
        prop_assert_eq!(cut, phrases(&text, "en"));
    }

    #[test]
    fn splitting_changes_nothing(
        words in prop::collection::vec(
            prop::sample::select(&[
                "the", "Light", "is", "on.", "on,", "Dr.", "z.", "B.", "a.m.", "Monday", "3.", "Oktober", "am", "21.5",
                "\"Why?\"", "he", "...", "…", "?!", "\n", "-", "–", "1,", "2", "www.x.org/?", "(so.)", "usw.", "。", "I.",
                "  ", "No.", "5", "wonderful", "kitchen;", "„Ja.“",
            ][..]),
            0..60,
        ),
        joint in prop::sample::select(&[" ", "", "\r\n"][..]),
        language in prop::sample::select(&["en", "de", "fr"][..]),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let text = words.join(joint);
        let mut places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        places.push(text.len());
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| *cut.get(&places)).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let pieces = cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]);
        prop_assert_eq!(streamed(pieces, language), phrases(&text, language));
        let characters: Vec<String> = text.chars().map(String::from).collect();
        prop_assert_eq!(streamed(characters.iter().map(String::as_str), language), phrases(&text, language));
    }
}

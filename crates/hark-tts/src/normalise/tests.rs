//! Golden table of what the voices are given to say.

use super::spoken;
use crate::language::Language;
use proptest::prelude::*;

const ENGLISH: &[(&str, &str)] = &[
    ("The light is on.", "The light is on."),
    ("It is 21.5 °C outside.", "It is twenty one point five degrees Celsius outside."),
    ("It is -1 °C.", "It is minus one degree Celsius."),
    ("It is 70°F, feels like 68°.", "It is seventy degrees Fahrenheit, feels like sixty eight degrees."),
    ("It weighs 3.5 kg.", "It weighs three point five kilograms."),
    ("1 kg and 2 kg", "one kilogram and two kilograms"),
    ("50% humidity, 0 %", "fifty percent humidity, zero percent"),
    (
        "There are 1,234,567 of 10,000.",
        "There are one million two hundred thirty four thousand five hundred sixty seven of ten thousand.",
    ),
    ("105 and 2005 and 1000", "one hundred five and two thousand five and one thousand"),
    ("Twelve divided by five is 2.4.", "Twelve divided by five is two point four."),
    ("Call me on 555 0147.", "Call me on five five five, zero one four seven."),
    (
        "Call +44 20 7946 0958 or 212-555-0147.",
        "Call plus four four, two zero, seven nine four six, zero nine five eight or two one two, five five five, \
         zero one four seven.",
    ),
    ("In 2026 1500 people came.", "In twenty twenty six one thousand five hundred people came."),
    ("It is 14:05.", "It is two oh five p m."),
    ("It is 7:30.", "It is seven thirty."),
    ("It is 7:00 now.", "It is seven o'clock now."),
    ("It is 00:15.", "It is twelve fifteen a m."),
    ("It is 12:00.", "It is twelve o'clock."),
    ("At 14:00 and 14:05:30.", "At two p m and two oh five and thirty seconds p m."),
    ("Your alarm is at 7 a.m.", "Your alarm is at seven a m."),
    ("At 7 a.m. it rings.", "At seven a m it rings."),
    ("At 7:30pm or 8 PM sharp", "At seven thirty p m or eight p m sharp"),
    ("From 14:00–15:30.", "From two p m to three thirty p m."),
    ("A ratio of 16:9.", "A ratio of sixteen to nine."),
    ("On 2026-11-21.", "On November twenty first, twenty twenty six."),
    (
        "On 11/21/2026 or 21/11/2026.",
        "On November twenty first, twenty twenty six or November twenty first, twenty twenty six.",
    ),
    ("On October 3, 2026 it rains.", "On October third, twenty twenty six it rains."),
    ("On Oct. 3rd.", "On October third."),
    ("On 3 October 1999, we met.", "On October third, nineteen ninety nine, we met."),
    ("The 3rd of May, the 21st and the 12th", "The third of May, the twenty first and the twelfth"),
    ("May I? In May 2026.", "May I? In May two thousand twenty six."),
    ("In 2026, since 1905, in 2000.", "In twenty twenty six, since nineteen oh five, in two thousand."),
    ("In the 1990s.", "In the nineteen nineties."),
    ("It costs $5.50, not $1.", "It costs five dollars and fifty cents, not one dollar."),
    ("It costs £3 or 4 € or 5 EUR.", "It costs three pounds or four euros or five euros."),
    (
        "It costs $0.99 or $1,299.95.",
        "It costs ninety nine cents or one thousand two hundred ninety nine dollars and ninety five cents.",
    ),
    ("A deal of $2.5 million.", "A deal of two point five million dollars."),
    ("10–15 °C, 3-4 days", "ten to fifteen degrees Celsius, three to four days"),
    ("Call 555-1234.", "Call five five five, one two three four."),
    ("Agent 007 calls +49 30", "Agent zero zero seven calls plus forty nine thirty"),
    ("½ cup, 3/4 done, 24/7, 5/8", "one half cup, three quarters done, twenty four seven, five over eight"),
    (
        "Version 1.2.3 at 192.168.1.20.",
        "Version one dot two dot three at one hundred ninety two dot one hundred sixty eight dot one dot twenty.",
    ),
    ("1920x1080, 3 x 4 m", "one thousand nine hundred twenty by one thousand eighty, three by four metres"),
    ("See https://www.example.org/help?a=b.", "See example dot org slash help."),
    ("Mail info@example.org!", "Mail info at example dot org!"),
    (
        "Go to my-house.local:8080/home",
        "Go to my dash house dot local colon eight thousand eighty slash home",
    ),
    ("1. Milk", "one, Milk"),
    ("- Milk & eggs", "Milk and eggs"),
    ("**Bold** and `code` and snake_case", "Bold and code and snake case"),
    ("# Heading", "Heading"),
    ("Some rooms, e.g. the kitchen, etc.", "Some rooms, for example the kitchen, et cetera."),
    ("Dr. Smith lives at No. 5. No. Really.", "Doctor Smith lives at number five. No. Really."),
    ("A well-known state – or not — here", "A well-known state, or not, here"),
    ("2 + 2 = 4, ~5, > 3, ±1", "two plus two equals four, about five, greater than three, plus or minus one"),
    ("and/or", "and or"),
    ("Good 👍 job ☀️", "Good job"),
    ("A4 paper, 4K video, MP3", "A4 paper, four K video, MP3"),
    ("It takes 5 min. to cook, 1 h in all.", "It takes five minutes to cook, one hour in all."),
    (
        "90 km/h, 3 m², 12 µg/m³, 1013 hPa",
        "ninety kilometres an hour, three square metres, twelve micrograms per cubic metre, one thousand thirteen hectopascals",
    ),
    (
        "Room #5, 12345678901234567890",
        "Room number five, one two three four five six seven eight nine zero one two three four five six seven eight nine zero",
    ),
    ("Mon–Fri, 9 a.m.–5 p.m.", "Monday to Friday, nine a m to five p m."),
    (
        "On Tue, 3 Dec and Thu 14:30, but the Sun",
        "On Tuesday, December third and Thursday two thirty p m, but the Sun",
    ),
    ("On 12/25, not 5/8.", "On December twenty fifth, not five over eight."),
    ("1h 20m, 4m30s, 5m", "one hour twenty minutes, four minutes thirty seconds, five metres"),
    ("The timer has 0:04:30 left.", "The timer has four minutes thirty seconds left."),
    (
        "+1 (415) 555-0132, (030) 1234567",
        "plus one, four one five, five five five, zero one three two, zero three zero, one two three, four five six seven",
    ),
    ("Dial 911.", "Dial nine one one."),
    (
        "$0.32/kWh, $3.2bn, €20k",
        "thirty two cents per kilowatt hour, three point two billion dollars, twenty thousand euros",
    ),
    (
        "4½, 1¾ l, 1/2 tsp, 1 1/2 tsp",
        "four and one half, one and three quarters litres, one half teaspoon, one and one half teaspoons",
    ),
    (
        "7 × 8 = 56, 10 / 4, 2^10",
        "seven times eight equals fifty six, ten divided by four, two to the power of ten",
    ),
    ("1 in 5 people, 5 in.", "one in five people, five inches."),
    (
        "Elizabeth II, World War II, Part I, an XL shirt",
        "Elizabeth the second, World War two, Part one, an XL shirt",
    ),
    (
        "St. Louis, 12 Elm St. in town, Lt. Col. Jones",
        "Saint Louis, twelve Elm Street in town, Lieutenant Colonel Jones",
    ),
    ("The wind is from the NW, c. 1895", "The wind is from the northwest, circa eighteen ninety five"),
];

const GERMAN: &[(&str, &str)] = &[
    ("Das Licht ist an.", "Das Licht ist an."),
    ("Es sind 21,5 °C.", "Es sind einundzwanzig Komma fünf Grad Celsius."),
    ("Es sind 21.5 °C.", "Es sind einundzwanzig Komma fünf Grad Celsius."),
    ("Es sind -1 °C.", "Es sind minus ein Grad Celsius."),
    ("3,5 kg, 1 kWh, 2 kWh", "drei Komma fünf Kilogramm, eine Kilowattstunde, zwei Kilowattstunden"),
    (
        "50 % von 1.234.567",
        "fünfzig Prozent von eine Million zweihundertvierunddreißigtausendfünfhundertsiebenundsechzig",
    ),
    ("1, 21, 101, 1001, 2.000.000", "eins, einundzwanzig, einhunderteins, eintausendeins, zwei Millionen"),
    ("Es ist 14:05.", "Es ist vierzehn Uhr fünf."),
    ("Es ist 14:05 Uhr.", "Es ist vierzehn Uhr fünf."),
    ("Um 14.30 Uhr.", "Um vierzehn Uhr dreißig."),
    ("Um 1 Uhr und um 13 Uhr.", "Um ein Uhr und um dreizehn Uhr."),
    ("Um 7:00.", "Um sieben Uhr."),
    ("Um 7:00:01.", "Um sieben Uhr null und eine Sekunde."),
    ("Am 21.11.2026 schneit es.", "Am einundzwanzigsten November zweitausendsechsundzwanzig schneit es."),
    ("Am 3. Oktober ist frei.", "Am dritten Oktober ist frei."),
    ("Heute ist der 1. Mai 1999.", "Heute ist der erste Mai neunzehnhundertneunundneunzig."),
    ("Termin: 7. Okt.", "Termin: siebter Oktober."),
    ("Am 21.11. um neun", "Am einundzwanzigsten November um neun"),
    ("2026-11-21", "einundzwanzigster November zweitausendsechsundzwanzig"),
    ("Sie wohnt im 2. Stock.", "Sie wohnt im zweiten Stock."),
    ("Der 20. Versuch, ein 8. Versuch", "Der zwanzigste Versuch, ein achter Versuch"),
    ("Das kostet 3,50 €.", "Das kostet drei Euro fünfzig."),
    (
        "1 €, 0,99 €, 1.299 EUR, $5",
        "ein Euro, neunundneunzig Cent, eintausendzweihundertneunundneunzig Euro, fünf Dollar",
    ),
    ("10–15 °C, 3-4 Tage", "zehn bis fünfzehn Grad Celsius, drei bis vier Tage"),
    ("In 1 Stunde, vor 1 Minute, nach 1 Tag", "In einer Stunde, vor einer Minute, nach einem Tag"),
    (
        "Heute, 3.10., 2 Min., seit 1999",
        "Heute, dritter Oktober, zwei Minuten, seit neunzehnhundertneunundneunzig",
    ),
    ("12,99 €/Monat", "zwölf Euro neunundneunzig pro Monat"),
    ("1 Lampe und 1 Schalter", "eine Lampe und ein Schalter"),
    ("z. B. Milch bzw. Käse usw.", "zum Beispiel Milch beziehungsweise Käse und so weiter."),
    ("Dr. Müller, ca. 5 km, Nr. 5", "Doktor Müller, zirka fünf Kilometer, Nummer fünf"),
    ("Mehr auf www.beispiel.de/hilfe.", "Mehr auf beispiel Punkt de Schrägstrich hilfe."),
    ("An info@beispiel.de", "An info ät beispiel Punkt de"),
    ("2 + 2 = 4", "zwei plus zwei gleich vier"),
    ("1. Milch", "eins, Milch"),
    ("½ Liter, 3/4 fertig", "ein halb Liter, drei Viertel fertig"),
    ("Version 1.2.3", "Version eins Punkt zwei Punkt drei"),
    ("90 km/h bei 1013 hPa", "neunzig Kilometer pro Stunde bei eintausenddreizehn Hektopascal"),
    ("Mo.–Fr., Fr. Schulz, am Mo. früh", "Montag bis Freitag, Frau Schulz, am Montag früh"),
    (
        "Am 3. und 4. Mai, vom 1. bis 15. August",
        "Am dritten und vierten Mai, vom ersten bis fünfzehnten August",
    ),
    (
        "Noch 4 Min. 30 Sek. oder 1h 20m.",
        "Noch vier Minuten dreißig Sekunden oder eine Stunde zwanzig Minuten.",
    ),
    (
        "Ruf +49 171 2345678, wähle 112",
        "Ruf plus vier neun, eins sieben eins, zwei drei vier, fünf sechs sieben acht, wähle eins eins zwei",
    ),
    ("0,32 €/kWh, 2 EL Öl, 3:1", "zweiunddreißig Cent pro Kilowattstunde, zwei Esslöffel Öl, drei zu eins"),
    (
        "In der Bahnhofstr. 12 in den 1890er Jahren",
        "In der Bahnhofstraße zwölf in den achtzehnhundertneunziger Jahren",
    ),
    ("Ludwig XIV. war hier, Wind aus NW", "Ludwig der vierzehnte war hier, Wind aus Nordwest"),
    ("1 neue Nachricht", "eine neue Nachricht"),
];

#[test]
fn is_said_as_people_say_it() {
    let rows = ENGLISH.iter().map(|row| ("en", row)).chain(GERMAN.iter().map(|row| ("de", row)));
    let wrong: Vec<String> = rows
        .filter(|(language, (text, words))| spoken(text, language) != *words)
        .map(|(language, (text, words))| format!("{text:?}:\n  {}\n  {words}", spoken(text, language)))
        .collect();
    assert!(wrong.is_empty(), "said, and expected:\n{}", wrong.join("\n"));
}

#[test]
fn a_language_without_tables_is_left_to_the_engine() {
    assert_eq!(spoken("Il est 14:05, 21,5 °C", "xx"), "Il est 14:05, 21,5 °C");
}

/// A language nobody speaks: its numbers are "n0" to "n99", and a hundred is "c". It says times in hours and minutes, days as
/// numbers but the first of a month, and has genders.
#[test]
fn a_folder_is_a_language_that_is_said_as_its_properties_tell() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: String| {
        std::fs::create_dir_all(folder.path().join("qs")).unwrap();
        std::fs::write(folder.path().join("qs").join(name), text).unwrap();
    };
    let numbers = |letter: &str, range: std::ops::Range<u32>| {
        range.map(|value| format!("\"{letter}{value}\"")).collect::<Vec<_>>().join(", ")
    };
    file(
        "numbers.toml",
        format!(
            "below_hundred = [{}]\nordinals = [{}]\nordinal_marks = [\"er\"]\ndecimal_comma = true\n\
             point = \"virgulo\"\nand = \"kaj\"\nscales = [{{ size = 100, one = [\"c\"], many = [\"c\"] }}]\n",
            numbers("n", 0..100),
            numbers("o", 1..100)
        ),
    );
    file(
        "speech.toml",
        "[one]\nplain = \"un\"\ngenders = { f = \"una\" }\n\
         [dates]\nmonths = [[\"Uno\"],[\"Duo\"],[\"Tri\"],[\"Kvar\"],[\"Kvin\"],[\"Ses\"],[\"Sep\"],[\"Ok\"],[\"Nau\"],[\"Dek\"],[\"Dekunu\"],[\"Dekdu\"]]\n\
         ordinal_days = \"first\"\nbefore_year = \" de \"\n\
         [times]\nhour = [\"hora\", \"horas\", \"f\"]\n\
         [money]\nnames_hundredths = true\ncoins = { \"€\" = [[\"mono\", \"monoj\"], [\"cendo\", \"cendoj\"]] }\n\
         [units]\nh = [\"hora\", \"horas\", \"f\"]\nkg = [\"kilo\", \"kiloj\"]\n"
            .to_owned(),
    );
    hark_language::load(folder.path()).unwrap();
    for (text, words) in [
        ("21,5 kg", "n21 virgulo n5 kiloj"),
        ("1 kg, 1 h, 2 h", "un kilo, una hora, n2 horas"),
        ("14:05, 1:30", "n14 horas n5, una hora n30"),
        ("2026-03-01", "o1 Tri de n20 c n26"),
        ("2 Tri 2026", "n2 Tri de n20 c n26"),
        ("1er, 21er", "o1, o21"),
        ("3,01 €", "n3 monoj kaj un cendo"),
        ("150", "c n50"),
        ("Dr. 5 %", "Dr. n5 %"),
    ] {
        assert_eq!(spoken(text, "qs-QS"), words, "{text}");
    }
}

#[test]
fn the_tables_are_whole() {
    for tag in ["en", "de"] {
        let speech = Language::of(tag).unwrap().speech;
        let nouns = || speech.units.iter().map(|(_, noun)| noun);
        assert!(
            nouns().count() > 0 && nouns().all(|noun| !noun.one.is_empty() && !noun.many.is_empty()),
            "{tag}"
        );
        assert!(
            nouns().all(|noun| noun.gender.is_none_or(|gender| speech.one.genders.get(gender).is_some()))
        );
        let is_short = |short: &str| short.ends_with('.') && short.to_lowercase() == short;
        assert!(speech.abbreviations.words.iter().all(|(short, _)| is_short(short)));
        assert!(speech.dates.months.iter().chain(&speech.dates.weekdays).all(|names| !names.is_empty()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_text_is_survived(text in "\\PC{0,40}|[0-9.,:/ a-zA-Z°€$%@#*+=-]{0,60}", german in any::<bool>()) {
        spoken(&text, if german { "de" } else { "en" });
    }

    #[test]
    fn no_digit_is_left_on_its_own(
        parts in prop::collection::vec(prop::sample::select(&[
            "14:05", "3.5", "1,234", "21.11.2026", "3.", "Oktober", "am", "kg", "%", "$5", "€", "-2", "½", "5th", "1/2", "–", "x", "Uhr",
        ][..]), 0..12),
        german in any::<bool>(),
    ) {
        let words = spoken(&parts.join(" "), if german { "de" } else { "en" });
        prop_assert!(!words.contains(|c: char| c.is_ascii_digit()), "{words}");
    }
}

//! What words claim to have done, in English and German, whoever is said to have done it and in whatever form: "I've
//! gone ahead and switched it on", "all set", "the door has been unlocked", "Lights turned off.", "Hab ich gemacht".
//!
//! There are two measures. Where nothing can have been done, as in an answer to a question, only what no answer needs
//! is a claim: knowledge may well say what was opened when. At the end of a task that was to do something, every way
//! of saying that it was done is one.

/// What is done with a house. Whoever says so needs a receipt.
const DEEDS: &str = "turned switched set reset dimmed brightened lit locked unlocked opened closed shut armed disarmed \
    started restarted stopped paused resumed added removed sent posted deleted erased cleared ran executed changed \
    adjusted updated activated deactivated enabled disabled raised lowered increased decreased created scheduled \
    cancelled canceled saved stored written wrote booked ordered bought paid muted unmuted finished completed done";

/// The same as something that goes on or is about to happen.
const DOING: &str = "turning switching setting dimming locking unlocking opening closing arming disarming stopping \
    adding sending deleting turn switch set dim lock unlock open close arm disarm delete send";

/// Deeds whose passive tells of a house and hardly of the world.
const OF_A_HOUSE: &str = "turned switched dimmed locked unlocked armed disarmed muted";

/// Things that are made by a word, and what is said of them then.
const MADE: &str = "timer alarm reminder message email appointment note";
const MAKING: &str = "set started added created sent saved";

/// How things are afterwards.
const STATES: &str = "on off locked unlocked armed disarmed";

/// Who does what Hark does.
const DOERS: &str = "i i've ive i'd i'll i'm we've hark assistant";

/// Words in front of these that make a question or a condition of it.
const ASKING: &str = "should shall can could may would if when do did must";

/// What may stand between who did it and what was done.
const BETWEEN: &str = "have has had am will just now already also then successfully gone went go ahead and gladly \
    happily quickly get got it that them both all only";

/// Clauses that say nothing but that it is over.
const OVER: &[&str] = &[
    "done",
    "all done",
    "it's done",
    "it is done",
    "that's done",
    "that is done",
    "consider it done",
    "all set",
    "you're all set",
    "you are all set",
    "it's all set",
    "everything is set",
    "taken care of",
    "all taken care of",
    "it's taken care of",
    "that's taken care of",
    "task completed",
    "task complete",
    "mission accomplished",
    "completed",
    "finished",
    "everything is done",
    "i'm done",
    "erledigt",
    "gemacht",
    "geschehen",
    "ausgeführt",
    "wird gemacht",
    "wird erledigt",
];

/// Words in front of these that say nothing.
const LEADING: &str = "ok okay sure yes alright great well right so and now then of course certainly absolutely perfect \
    thing got it ja gut klar gerne gern ist schon alles das";

/// Ends of German participles of what is done with a house.
const GERMAN: &[&str] = &[
    "schaltet",
    "gemacht",
    "gestellt",
    "gedimmt",
    "schlossen",
    "sperrt",
    "riegelt",
    "geöffnet",
    "gestartet",
    "gestoppt",
    "gefügt",
    "gelöscht",
    "geschickt",
    "gesendet",
    "gesetzt",
    "aktiviert",
    "erledigt",
    "gebucht",
    "bestellt",
    "notiert",
    "getragen",
    "gespeichert",
    "angelegt",
    "erstellt",
    "gefahren",
    "ausgeführt",
    "pausiert",
    "gebrochen",
    "entfernt",
    "geändert",
    "erhöht",
    "gesenkt",
    "verringert",
    "geregelt",
    "getan",
    "gekümmert",
];

/// Of these a passive tells of a house and hardly of the world.
const GERMAN_OF_A_HOUSE: &[&str] = &["schaltet", "gedimmt", "sperrt", "riegelt", "aufgeschlossen"];

/// What somebody says in German who is at it.
const GERMAN_DOING: &str =
    "schalte öffne schließe entriegle entriegele verriegle verriegele sperre dimme lösche";

/// Words that turn a sentence into its contrary.
const NOT: &str = "not no never nothing none cannot unable failed without neither nor nicht kein keine keinen keiner \
    keines nichts nie ohne";

/// Deeds and states that only something about such a thing backs; the others are backed by anything that was done.
const GRAVE: &[(&str, &str)] = &[
    ("unlocked", "lock"),
    ("unlocking", "lock"),
    ("aufgeschlossen", "lock"),
    ("aufgesperrt", "lock"),
    ("entriegelt", "lock"),
    ("entsperrt", "lock"),
    ("disarmed", "alarm_control_panel"),
    ("disarming", "alarm_control_panel"),
    ("unscharf", "alarm_control_panel"),
];

/// What was possible where the words are said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Measure {
    /// Nothing can have been done, and nothing was looked at.
    #[default]
    Nothing,
    /// Nothing can have been done; how things are was looked at, and may be told.
    Looked,
    /// Something was to be done.
    Task,
}

/// A grave deed that words tell of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Grave {
    /// The kind of thing it was done to.
    pub(super) domain: &'static str,
    /// Somebody is said to have done it; else it is only said to be so.
    pub(super) done: bool,
}

/// Whether words say that something was done in the house.
pub(super) fn claims(words: &str, measure: Measure) -> bool {
    sentences(words).iter().any(|sentence| {
        let all = joined(sentence);
        sentence.iter().any(|clause| is_over(clause)) || english(&all, measure) || german(&all, measure)
    })
}

/// The grave deeds that words tell of.
pub(super) fn grave(words: &str) -> Vec<Grave> {
    let mut found = Vec::new();
    for sentence in sentences(words) {
        let all = joined(&sentence);
        let done = by_somebody(&all) || german(&all, Measure::Nothing);
        for (_, word) in all.iter().enumerate().filter(|(at, _)| !is_denied(&all, *at)) {
            let known = GRAVE.iter().find(|(grave, _)| grave == word);
            found.extend(
                known.map(|(_, domain)| Grave { domain, done }).filter(|grave| !found.contains(grave)),
            );
        }
    }
    found
}

/// Words of a sentence, by clauses.
type Sentence = Vec<Vec<String>>;

/// In small letters and with plain apostrophes.
fn sentences(words: &str) -> Vec<Sentence> {
    let plain = words.to_lowercase().replace(['’', '‘', 'ʼ', '`'], "'").replace(['*', '_'], "");
    let plain = plain.replace("not only", "").replace("nicht nur", "").replace(" - ", ", ");
    let is_mark = |c: char| matches!(c, ',' | '–' | '—' | '(' | ')' | '"' | '“' | '”' | '„');
    let ends = |c: char| matches!(c, '.' | '!' | '?' | '…' | ';' | ':' | '\n');
    let clause = |clause: &str| -> Vec<String> {
        let parts = clause.split(|c: char| !c.is_alphanumeric() && c != '\'');
        parts.map(|word| word.trim_matches('\'').to_owned()).filter(|word| !word.is_empty()).collect()
    };
    let sentence = |sentence: &str| -> Sentence {
        sentence.split(is_mark).map(clause).filter(|clause| !clause.is_empty()).collect()
    };
    plain.split(ends).map(sentence).filter(|sentence| !sentence.is_empty()).collect()
}

fn joined(sentence: &Sentence) -> Vec<&str> {
    sentence.iter().flatten().map(String::as_str).collect()
}

/// Whether a word is one of a list.
fn of(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|known| known == word)
}

/// "Okay, all done", "alles erledigt".
fn is_over(clause: &[String]) -> bool {
    let leading = clause.iter().take_while(|word| of(LEADING, word)).count();
    // What leads may belong to it: "it's", "all".
    let over = (0..=leading).any(|from| {
        let rest = clause[from..].join(" ");
        let ends = [" for you", " now", " as requested", " as you wished"];
        let rest = ends.iter().find_map(|end| rest.strip_suffix(end)).unwrap_or(&rest);
        OVER.contains(&rest)
    });
    over && clause.join(" ") != "well done"
}

/// Whether what a word says is said not to be so, by a word before it.
fn is_denied(words: &[&str], at: usize) -> bool {
    words[..at].iter().rev().take(8).any(|word| of(NOT, word) || word.ends_with("n't"))
}

fn english(words: &[&str], measure: Measure) -> bool {
    by_somebody(words)
        || measure != Measure::Looked && by_itself(words, measure == Measure::Task)
        || measure == Measure::Task && elliptic(words)
}

/// "I have just turned", "I'll unlock", "I was able to open", "Hark has switched".
fn by_somebody(words: &[&str]) -> bool {
    let is_doer = |at: &usize| of(DOERS, words[*at]) && !(*at > 0 && of(ASKING, words[*at - 1]));
    (0..words.len()).filter(is_doer).any(|at| {
        let after = &words[at + 1..];
        let Some(place) = after.iter().position(|word| !of(BETWEEN, word)) else { return false };
        let verb = after[place];
        let has = words[at].ends_with("ve") || after[..place].iter().any(|word| of("have has had", word));
        let goes_on = words[at].ends_with("'m") || words[at].ends_with("'ll") || of("am will", after[0]);
        let next = after.get(place + 1).copied().unwrap_or_default();
        let cared = of("took taken", verb) && next == "care";
        of(DEEDS, verb)
            || verb == "run" && has
            || verb == "did" && of("it that this so", next)
            || goes_on && of(DOING, verb)
            || cared
            || managed(after)
    })
}

/// "Was able to open", "managed to unlock".
fn managed(words: &[&str]) -> bool {
    let three = |(at, three): (usize, &[&str])| {
        of("able managed", three[0]) && three[1] == "to" && of(DOING, three[2]) && !is_denied(words, at)
    };
    words.windows(3).enumerate().any(three)
}

/// "The light has been turned on", "it is now off", "your timer is set".
fn by_itself(words: &[&str], is_task: bool) -> bool {
    (0..words.len()).filter(|at| !is_denied(words, *at)).any(|at| {
        let rest = &words[at + 1..];
        let skipped = rest.iter().take_while(|word| of("now just already successfully", word)).count();
        let Some(&next) = rest.get(skipped) else { return false };
        let then = rest.get(skipped + 1).copied().unwrap_or_default();
        let passive = match words[at] {
            "been" if is_task => of(DEEDS, next),
            "was" | "were" => is_task && of(DEEDS, next),
            "been" if of("turned switched", next) => of("on off", then),
            "been" => of(OF_A_HOUSE, next) && !of("in into down to up", then),
            _ => false,
        };
        let is = of("is are it's they're", words[at]);
        let stands = is && rest[0] == "now" && (of(STATES, next) || is_task && of(DEEDS, next));
        let about = || words[..at].iter().rev().take(6).any(|word| of(MADE, word));
        let made = (is || words[at] == "been") && of(MAKING, next) && then != "off" && about();
        passive || stands || made
    })
}

/// "Lights turned off", "front door unlocked": without a verb else.
fn elliptic(words: &[&str]) -> bool {
    const FINITE: &str =
        "is are was were be been it's that's has have had can will you you've i we must needs to who";
    let first = words.iter().take(7).position(|word| of(DEEDS, word));
    first.is_some_and(|at| !words[..at].iter().any(|word| of(FINITE, word)) && !is_denied(words, at))
}

fn german(words: &[&str], measure: Measure) -> bool {
    if words.iter().any(|word| of(NOT, word)) {
        return false;
    }
    let has = |list: &str| words.iter().any(|word| of(list, word));
    let ends = |ends: &[&str]| words.iter().any(|word| ends.iter().any(|end| word.ends_with(end)));
    let begins = |list: &str| words.first().is_some_and(|word| of(list, word));
    let perfect = (has("ich wir hark") && has("habe hab haben hat hatte")) || begins("habe hab");
    let doing = words.windows(2).any(|two| two[0] == "ich" && of(GERMAN_DOING, two[1]));
    let passive = match measure {
        Measure::Looked => false,
        Measure::Nothing => has("wurde wurden worden") && ends(GERMAN_OF_A_HOUSE),
        Measure::Task => has("wurde wurden worden jetzt nun") && ends(GERMAN) || has("erledigt"),
    };
    let bare = measure == Measure::Task
        && words.len() <= 6
        && !has("ist sind war waren ich")
        && words.last().is_some_and(|word| GERMAN.iter().any(|end| word.ends_with(end)));
    perfect && ends(GERMAN) || doing || passive || bare
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Claims wherever they are said.
    const CLAIMS: [&str; 46] = [
        "I've turned on the lamp.",
        "I turned on the lamp.",
        "Ive locked up.",
        "I’ve just gone ahead and unlocked the front door.",
        "Sure thing! I went ahead and set it to 21 degrees.",
        "I have now successfully added milk to the list.",
        "I also closed the blinds.",
        "I've got it unlocked.",
        "I took care of that.",
        "I've taken care of the lights.",
        "I did it.",
        "I've run the script.",
        "I was able to unlock the door.",
        "I'm turning off the lights now.",
        "I'll unlock the door right away.",
        "I will turn it on.",
        "Hark has switched off the heating.",
        "I've not only dimmed the lights but closed the blinds.",
        "Done!",
        "Done. The door is open.",
        "Okay, done.",
        "Got it, all set!",
        "All set.",
        "You're all set.",
        "It's done.",
        "Consider it done.",
        "Sure - done.",
        "That's taken care of.",
        "**Done**",
        "Task completed.",
        "Mission accomplished!",
        "The light has been turned on.",
        "All doors have been locked.",
        "The alarm has now been disarmed.",
        "The lamp is now on.",
        "Your timer is set for ten minutes.",
        "A reminder has been added.",
        "Erledigt!",
        "Ist erledigt.",
        "Das habe ich gemacht.",
        "Hab ich erledigt.",
        "Ich habe das Licht eingeschaltet.",
        "Habe die Tür aufgeschlossen.",
        "Klar, wird gemacht.",
        "Ich schalte das Licht ein.",
        "Das Licht wurde ausgeschaltet.",
    ];

    /// Claims only where something was to be done.
    const OF_A_TASK: [&str; 9] = [
        "Lights turned off.",
        "Front door unlocked.",
        "Timer started.",
        "The door was opened.",
        "The blinds are now closed.",
        "The list has been cleared.",
        "Licht eingeschaltet.",
        "Die Tür ist jetzt geöffnet.",
        "Das ist damit erledigt, ja.",
    ];

    /// No claims anywhere.
    const HONEST: [&str; 20] = [
        "The lamp cannot be reached.",
        "I could not turn on the lamp.",
        "I haven't turned it on.",
        "I did not unlock anything.",
        "I was not able to unlock the door.",
        "Nothing was changed.",
        "The lamp could not be turned on.",
        "The front door is already locked.",
        "I cannot do that here.",
        "Should I have turned it on?",
        "Ask me to turn on the light.",
        "I run on this machine.",
        "Donetsk is a city.",
        "I'm well, and you?",
        "I don't know.",
        "Das Licht ist nicht eingeschaltet.",
        "Ich habe nichts eingeschaltet.",
        "Das kann ich nicht.",
        "Ich habe das nicht gemacht.",
        "Die Tür ist abgeschlossen.",
    ];

    /// Knowledge, in which things are done as well.
    const KNOWLEDGE: [&str; 11] = [
        "Well done!",
        "The Suez Canal was opened in 1869.",
        "The church has been turned into a museum.",
        "They have been locked in conflict for years.",
        "The alarm was set off by smoke.",
        "Done right, it takes two hours.",
        "The museum is now open on Sundays.",
        "Opening hours are nine to five.",
        "Turning off lights saves energy.",
        "Der Kanal wurde 1869 eröffnet.",
        "The telescope has been sent into space.",
    ];

    #[test]
    fn a_claim_is_known_in_every_dress() {
        for words in CLAIMS {
            assert!(claims(words, Measure::Nothing), "{words}");
            assert!(claims(words, Measure::Task), "{words}");
        }
        for words in OF_A_TASK {
            assert!(claims(words, Measure::Task), "{words}");
            assert!(!claims(words, Measure::Nothing), "{words}");
        }
    }

    #[test]
    fn what_says_that_nothing_was_done_is_none() {
        for words in HONEST {
            assert!(!claims(words, Measure::Task), "{words}");
            assert!(!claims(words, Measure::Nothing), "{words}");
        }
        for words in KNOWLEDGE {
            assert!(!claims(words, Measure::Nothing), "{words}");
        }
        for words in ["The kitchen light has been turned on.", "Das Licht wurde eingeschaltet."] {
            assert!(!claims(words, Measure::Looked), "it was looked at: {words}");
        }
    }

    #[test]
    fn grave_deeds_are_found_however_they_are_said() {
        let lock = |done| vec![Grave { domain: "lock", done }];
        assert_eq!(grave("Done, I've unlocked it."), lock(true));
        assert_eq!(grave("The light is on. The front door is unlocked."), lock(false));
        assert_eq!(grave("Die Tür ist entriegelt."), lock(false));
        assert_eq!(grave("The door could not be unlocked."), Vec::new());
        assert_eq!(grave("The light is on."), Vec::new());
    }
}

//! Finds claims that something was done in the words of a language model, in the active ("I've gone ahead and switched
//! it on"), in the passive ("the door has been unlocked"), without a verb ("all set", "Lights turned off."). The words
//! that make a claim come from each language's `claims.toml`.
//!
//! There are two measures. Where nothing can have been done, as in an answer to a question, only what no answer needs
//! is a claim: knowledge may well say what was opened when. At the end of a task that was to do something, every way
//! of saying that it was done is one.

use hark_language::claims::{Adjacent, Apart, Claims};
use hark_language::{Lexicon, Phrases, phrases};

/// A word before another denies it when it is at most so many words away.
const DENIES_WITHIN: usize = 8;
/// "Timer" and "set" belong together when they are at most so many words apart.
const MADE_WITHIN: usize = 6;
/// In a sentence without a verb the action is among the first words of a language that says it there.
const ELLIPTIC_WITHIN: usize = 7;
/// And a language that says it at the end uses at most so many words in such a sentence.
const MAX_ELLIPTIC: usize = 6;

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

/// A safety-critical action that words tell of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SafetyCritical {
    /// The kind of thing it was done to.
    pub(super) domain: &'static str,
    /// Somebody is said to have done it; else it is only said to be so.
    pub(super) done: bool,
}

/// Whether a text claims, in one of these languages, that something was done in the house.
pub(super) fn claims(words: &str, measure: Measure, languages: &[&'static Lexicon]) -> bool {
    languages.iter().map(|language| &language.claims).any(|known| {
        sentences(words, known).iter().any(|sentence| {
            let all = Words { all: joined(sentence), known };
            sentence.iter().any(|clause| is_over(clause, known))
                || all.adjacent(measure)
                || all.apart(measure)
        })
    })
}

/// Whether a clause says only that it is over, in one of these languages.
pub(super) fn is_only_over(clause: &[String], languages: &[&'static Lexicon]) -> bool {
    let leads = |known: &Claims| clause.iter().all(|word| known.over_leads.contains(word));
    languages.iter().map(|language| &language.claims).any(|known| is_over(clause, known) || leads(known))
}

/// The safety-critical actions that words tell of, in one of some languages.
pub(super) fn safety_critical(words: &str, languages: &[&'static Lexicon]) -> Vec<SafetyCritical> {
    let mut found = Vec::new();
    for known in languages.iter().map(|language| &language.claims) {
        for sentence in sentences(words, known) {
            let said = Words { all: joined(&sentence), known };
            let done = said.by_somebody() || said.apart(Measure::Nothing);
            for (_, word) in said.all.iter().enumerate().filter(|(at, _)| !said.is_denied(*at)) {
                let safety_critical = known
                    .safety_critical
                    .get(word)
                    .map(|domain| SafetyCritical { domain: domain.text(), done });
                found.extend(safety_critical.filter(|safety_critical| !found.contains(safety_critical)));
            }
        }
    }
    found
}

/// Words of a sentence, by clauses.
type Sentence = Vec<Vec<String>>;

/// In small letters and with plain apostrophes.
fn sentences(words: &str, known: &Claims) -> Vec<Sentence> {
    let mut plain = words.to_lowercase().replace(['’', '‘', 'ʼ', '`'], "'").replace(['*', '_'], "");
    for phrase in known.no_denials.iter() {
        plain = plain.replace(phrase, "");
    }
    let plain = plain.replace(" - ", ", ");
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

/// "Okay, all done", "alles erledigt".
fn is_over(clause: &[String], known: &Claims) -> bool {
    let words: Vec<&str> = clause.iter().map(String::as_str).collect();
    let is_one_of = |words: &[&str], all: Phrases| phrases::starts(all, words) == Some(words.len());
    let leading = words.iter().take_while(|word| known.over_leads.contains(word)).count();
    // What leads may belong to it: "it's", "all".
    let over = (0..=leading).any(|from| {
        let rest = &words[from..];
        let rest = &rest[..rest.len() - phrases::ends(known.over_trails, rest).unwrap_or(0)];
        is_one_of(rest, known.over)
    });
    over && !is_one_of(&words, known.praise)
}

/// The words of a sentence, and those of a language.
struct Words<'s> {
    all: Vec<&'s str>,
    known: &'static Claims,
}

impl Words<'_> {
    /// Whether what a word says is said not to be so, by a word before it.
    fn is_denied(&self, at: usize) -> bool {
        self.all[..at].iter().rev().take(DENIES_WITHIN).any(|word| self.denies(word))
    }

    fn denies(&self, word: &str) -> bool {
        let Claims { denials, denial_endings, .. } = self.known;
        denials.contains(word) || denial_endings.iter().any(|ending| word.ends_with(ending))
    }

    /// Claims of a language that says the action right behind who did it.
    fn adjacent(&self, measure: Measure) -> bool {
        self.by_somebody()
            || measure != Measure::Looked && self.by_itself(measure == Measure::Task)
            || measure == Measure::Task && self.elliptic()
    }

    /// "I have just turned", "I'll unlock", "I was able to open", "Hark has switched".
    fn by_somebody(&self) -> bool {
        let known = &self.known.adjacent;
        let all = &self.all;
        let asked = |at: usize| at > 0 && known.asking.contains(all[at - 1]);
        let is_doer = |at: &usize| known.doers.contains(all[*at]) && !asked(*at);
        (0..all.len()).filter(is_doer).any(|at| {
            let after = &all[at + 1..];
            let Some(place) = after.iter().position(|word| !known.between.contains(word)) else {
                return false;
            };
            let (verb, before) = (after[place], &after[..place]);
            let has =
                known.doers_having.contains(all[at]) || before.iter().any(|it| known.having.contains(it));
            let goes_on = known.doers_doing.contains(all[at]) || known.going.contains(after[0]);
            known.actions.contains(verb)
                || phrases::starts(known.action_phrases, &after[place..]).is_some()
                || has && known.actions_had.contains(verb)
                || goes_on && known.doing.contains(verb)
                || self.managed(at + 1)
        })
    }

    /// "Was able to open", "managed to unlock", from a word on.
    fn managed(&self, from: usize) -> bool {
        let Adjacent { managing, doing, .. } = self.known.adjacent;
        let words = &self.all[from..];
        (0..words.len()).any(|at| {
            let verb = || words.get(at + phrases::starts(managing, &words[at..])?);
            let denied = || words[..at].iter().rev().take(DENIES_WITHIN).any(|word| self.denies(word));
            verb().is_some_and(|verb| doing.contains(verb)) && !denied()
        })
    }

    /// "The light has been turned on", "it is now off", "your timer is set".
    fn by_itself(&self, is_task: bool) -> bool {
        let (known, all) = (&self.known.adjacent, &self.all);
        (0..all.len()).filter(|at| !self.is_denied(*at)).any(|at| {
            let rest = &all[at + 1..];
            let skipped = rest.iter().take_while(|word| known.adverbs.contains(word)).count();
            let Some(next) = rest.get(skipped) else { return false };
            let then = rest.get(skipped + 1).copied().unwrap_or_default();
            let (been, was) = (known.been.contains(all[at]), known.was.contains(all[at]));
            let of_house = known.house_actions.contains(next) && !known.not_of_house.contains(then)
                || known.switching.contains(next) && known.switched_to.contains(then);
            let passive = is_task && (been || was) && known.actions.contains(next) || been && of_house;
            let is = known.is.contains(all[at]);
            let state = known.states.contains(next) || is_task && known.actions.contains(next);
            let stands = is && known.now.contains(rest[0]) && state;
            let about = || all[..at].iter().rev().take(MADE_WITHIN).any(|word| known.made.contains(word));
            let made =
                (is || been) && known.making.contains(next) && !known.not_making.contains(then) && about();
            passive || stands || made
        })
    }

    /// "Lights turned off", "front door unlocked": without a verb else.
    fn elliptic(&self) -> bool {
        let known = &self.known.adjacent;
        let first = self.all.iter().take(ELLIPTIC_WITHIN).position(|word| known.actions.contains(word));
        first.is_some_and(|at| {
            !self.all[..at].iter().any(|word| known.finite.contains(word)) && !self.is_denied(at)
        })
    }

    /// Claims of a language that says the action at the end, apart from who did it.
    fn apart(&self, measure: Measure) -> bool {
        if self.all.iter().any(|word| self.denies(word)) {
            return false;
        }
        let Apart { action_endings, house_endings, over, doers, having, .. } = self.known.apart;
        let Apart { having_first, doers_doing, doing, passive, now, finite, .. } = self.known.apart;
        let has = |list: Phrases| self.all.iter().any(|word| list.contains(word));
        let ends_so = |word: &&str, ends: Phrases| ends.iter().any(|end| word.ends_with(end));
        let ends = |list: Phrases| self.all.iter().any(|word| ends_so(word, list));
        let begins = self.all.first().is_some_and(|word| having_first.contains(word));
        let perfect = has(doers) && has(having) || begins;
        let at_it = self.all.windows(2).any(|two| doers_doing.contains(two[0]) && doing.contains(two[1]));
        let passive = match measure {
            Measure::Looked => false,
            Measure::Nothing => has(passive) && ends(house_endings),
            Measure::Task => (has(passive) || has(now)) && ends(action_endings) || has(over),
        };
        let elliptic = measure == Measure::Task
            && self.all.len() <= MAX_ELLIPTIC
            && !has(finite)
            && self.all.last().is_some_and(|word| ends_so(word, action_endings));
        perfect && ends(action_endings) || at_it || passive || elliptic
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims(words: &str, measure: Measure) -> bool {
        super::claims(words, measure, &["en", "de"].map(hark_language::of))
    }

    fn safety_critical(words: &str) -> Vec<SafetyCritical> {
        super::safety_critical(words, &["en", "de"].map(hark_language::of))
    }

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
    fn claims_are_known_in_dutch() {
        let claims = |words: &str, measure| super::claims(words, measure, &[hark_language::of("nl")]);
        for words in [
            "Ik heb de voordeur vergrendeld.",
            "Klaar!",
            "Oké, geregeld.",
            "Ik schakel het licht in.",
            "Licht aangezet.",
        ] {
            assert!(claims(words, Measure::Task), "{words}");
        }
        for words in [
            "Ik heb niets gedaan.",
            "De lamp is uitgeschakeld.",
            "Het is 21 graden buiten.",
            "Welke lamp bedoel je?",
            "Amsterdam is de hoofdstad van Nederland.",
        ] {
            assert!(!claims(words, Measure::Task) && !claims(words, Measure::Nothing), "{words}");
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
        let lock = |done| vec![SafetyCritical { domain: "lock", done }];
        assert_eq!(safety_critical("Done, I've unlocked it."), lock(true));
        assert_eq!(safety_critical("The light is on. The front door is unlocked."), lock(false));
        assert_eq!(safety_critical("Die Tür ist entriegelt."), lock(false));
        assert_eq!(safety_critical("The door could not be unlocked."), Vec::new());
        assert_eq!(safety_critical("The light is on."), Vec::new());
    }
}

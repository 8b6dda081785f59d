//! What is said of acts: success only where a receipt backs it, whatever a model writes.

use super::action_claims::{self, Measure, SafetyCritical};
use super::bound_claims;
use super::claimed_action::ClaimedAction;
use super::readable_claims::ReadableClaims;
use hark_language::Lexicon;

/// Whether a text claims, in one of these languages, that something was done in the house, where nothing can have been.
pub(super) fn claims_an_action(words: &str, languages: &[&'static Lexicon]) -> bool {
    action_claims::claims(words, Measure::Nothing, languages)
}

/// What may be said at the end: the model's words when they claim no more than the receipts do. `None` when they claim
/// what nothing backs. `is_task`: something was to be done; else only to be looked at. `languages`: those in which claims
/// are known.
pub(super) fn honest(
    words: &str,
    actions: &[ClaimedAction],
    is_task: bool,
    languages: &[&'static Lexicon],
) -> Option<String> {
    let measure = if is_task { Measure::Task } else { Measure::Looked };
    let done = actions.iter().any(|action| action.writes && action.ok);
    let about = |safety_critical: &SafetyCritical| {
        let backs = |action: &&ClaimedAction| action.ok && (action.writes || !safety_critical.done);
        actions
            .iter()
            .filter(backs)
            .any(|action| action.domains.iter().any(|known| known == safety_critical.domain))
    };
    // What was only looked at says itself how things are.
    let backed = !is_task || action_claims::safety_critical(words, languages).iter().all(about);
    if !backed || !done && action_claims::claims(words, measure, languages) {
        return None;
    }
    // One deed is no proof of another.
    let words =
        if is_task && done { bound_claims::bound(words, actions, languages) } else { words.to_owned() };
    Some(words).filter(|words| !words.is_empty())
}

/// Words of an answer.
#[derive(Debug, PartialEq)]
pub(super) struct Clause {
    /// To be told.
    pub(super) text: String,
    /// How it goes on; who speaks it needs that to know where a phrase ends.
    pub(super) ahead: String,
}

/// So much of what follows tells whether a phrase ends.
const AHEAD_BYTES: usize = 24;

/// An answer on its way, in which nothing can have been done: clause by clause, and none from the one on that says
/// that something was.
#[derive(Debug)]
pub(super) struct Answer {
    handed: String,
    held: String,
    /// Those in which claims are known.
    claims: ReadableClaims,
    /// What may have happened before it.
    pub(super) measure: Measure,
    /// A clause claimed an action.
    pub(super) broken: bool,
    /// A part of the text that is held is in a language without claims, so that what it claims is unknown.
    unread: bool,
}

impl Answer {
    /// One of which nothing was told yet.
    pub(super) fn new(claims: ReadableClaims) -> Self {
        let (handed, held, measure) = Default::default();
        Self { handed, held, claims, measure, broken: false, unread: false }
    }

    /// Takes the next words; gives back those that can be told now, or what is newly known to follow.
    pub(super) fn push(&mut self, piece: &str) -> Option<Clause> {
        let before = self.held.len();
        self.held.push_str(piece);
        let text = self.clause();
        // What only lies ahead is of interest behind something that was told, and until there is enough of it.
        let tells = !self.handed.is_empty() && !self.broken && before < AHEAD_BYTES;
        let ahead = || self.held[..self.held.floor_char_boundary(2 * AHEAD_BYTES)].to_owned();
        (text.is_some() || tells && !self.unread)
            .then(|| Clause { text: text.clone().unwrap_or_default(), ahead: ahead() })
    }

    fn clause(&mut self) -> Option<String> {
        let ends_clause = |(at, c): &(usize, char)| {
            let marks = ['.', ',', ';', ':', '!', '?', '…', '"', '”', ')'];
            c.is_whitespace() && self.held[..*at].ends_with(marks)
        };
        let (end, _) = self.held.char_indices().rev().find(ends_clause)?;
        let rest = self.held.split_off(end);
        let clause = std::mem::replace(&mut self.held, rest);
        self.hand(clause)
    }

    /// No more words come.
    pub(super) fn finish(&mut self) -> Option<String> {
        let clause = std::mem::take(&mut self.held);
        self.hand(clause)
    }

    /// The text that was held back because what it claims is unknown.
    pub(super) fn unread(&self) -> Option<String> {
        self.unread.then(|| self.held.clone())
    }

    /// What was held back has been read: `claims` tells whether it claims an action, or may do so. Gives back what can be told.
    pub(super) fn was_read(&mut self, claims: bool) -> Option<String> {
        let rest = std::mem::take(&mut self.held);
        self.broken |= claims;
        self.handed.push_str(if claims { "" } else { &rest });
        Some(rest).filter(|rest| !claims && !rest.is_empty())
    }

    /// What was told.
    pub(super) fn handed(&self) -> &str {
        &self.handed
    }

    fn hand(&mut self, clause: String) -> Option<String> {
        let text = format!("{}{clause}", self.handed);
        self.broken |= action_claims::claims(&text, self.measure, &self.claims.languages);
        if self.broken || clause.is_empty() {
            return None;
        }
        // More of it may tell what language it is.
        self.unread = !self.claims.reads(&text);
        if self.unread {
            self.held.insert_str(0, &clause);
            return None;
        }
        self.handed.push_str(&clause);
        Some(clause)
    }
}

/// What went wrong and was not put right by a later call of the same tool.
pub(super) fn troubles(actions: &[ClaimedAction]) -> Vec<&str> {
    let open = |(at, action): (usize, &ClaimedAction)| {
        let mended = actions[at..].iter().any(|later| later.tool == action.tool && later.ok);
        !action.ok && !mended
    };
    let mut troubles: Vec<&str> = Vec::new();
    for action in actions.iter().enumerate().filter(|found| open(*found)).map(|(_, action)| action) {
        if action.writes && !troubles.contains(&action.trouble.as_str()) {
            troubles.push(&action.trouble);
        }
    }
    troubles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn honest(words: &str, actions: &[ClaimedAction], is_task: bool) -> Option<String> {
        super::honest(words, actions, is_task, &[hark_language::of("en")])
    }

    fn action(tool: &str, ok: bool) -> ClaimedAction {
        let trouble = if ok { "" } else { "the lamp is offline" };
        ClaimedAction {
            receipt: "r".into(),
            tool: tool.into(),
            writes: true,
            ok,
            domains: vec!["light".into()],
            things: ["lamp", "front", "door"].map(str::to_owned).into(),
            trouble: trouble.into(),
        }
    }

    #[test]
    fn what_no_receipt_backs_is_not_said() {
        let words = "Done, I've turned on the lamp.";
        let looked = ClaimedAction { writes: false, ..action("home.get_state", true) };
        assert!(honest("The lamp was turned on at eight.", std::slice::from_ref(&looked), false).is_some());
        let honest = |words: &str, actions: &[ClaimedAction]| honest(words, actions, true);
        assert_eq!(honest(words, &[]), None);
        assert_eq!(honest(words, &[action("home.turn_on", false)]), None);
        assert_eq!(honest(words, std::slice::from_ref(&looked)), None);
        assert_eq!(honest(words, &[action("home.turn_on", true)]).as_deref(), Some(words));
        assert!(honest("The lamp cannot be reached.", &[]).is_some());
        assert_eq!(honest("The lamp is now on.", &[]), None);
        assert!(honest("I set out the facts: hi sent me.", &[]).is_none(), "rather too little than too much");
    }

    #[test]
    fn a_lamp_backs_no_door() {
        let lamp = action("home.turn_on", true);
        let lock = |writes| ClaimedAction { writes, domains: vec!["lock".into()], ..lamp.clone() };
        let honest = |words: &str, actions: &[ClaimedAction]| honest(words, actions, true).is_some();
        for words in ["Done. I've unlocked the front door.", "The lamp is on and the front door is unlocked."]
        {
            assert!(!honest(words, std::slice::from_ref(&lamp)), "{words}");
            assert!(honest(words, &[lock(true)]), "{words}");
        }
        assert!(
            honest("Turned on. The front door is unlocked.", &[lamp.clone(), lock(false)]),
            "it was looked at"
        );
        assert!(!honest("I've unlocked the front door.", &[lamp.clone(), lock(false)]));
    }

    #[test]
    fn an_answer_is_told_up_to_the_clause_that_claims_a_deed() {
        let told = |pieces: &[&str]| {
            let mut answer = Answer::new(ReadableClaims::new(|_| Some("en"), "en"));
            let words = pieces.iter().filter_map(|piece| answer.push(piece)).map(|words| words.text);
            let mut told: Vec<String> = words.filter(|text| !text.is_empty()).collect();
            told.extend(answer.finish());
            assert_eq!(told.concat(), answer.handed());
            (told, answer.broken)
        };
        let (clauses, broken) = told(&["Because", " of the air", ", which ", "scatters. ", "That is all."]);
        assert_eq!((clauses.len(), broken), (3, false), "{clauses:?}");
        assert_eq!(clauses.concat(), "Because of the air, which scatters. That is all.");
        let (clauses, broken) = told(&["Of course. ", "I", "'ve tur", "ned on the lamp. ", "Anything else?"]);
        assert_eq!((clauses.concat().as_str(), broken), ("Of course.", true));
        assert_eq!(told(&["Done! The door is open."]), (Vec::new(), true));
        assert_eq!(told(&["No dots at all"]).0, ["No dots at all"]);
    }

    #[test]
    fn what_follows_is_known_as_soon_as_it_came() {
        let mut answer = Answer::new(ReadableClaims::new(|_| Some("en"), "en"));
        let mut push = |piece: &str| answer.push(piece).map(|words| (words.text, words.ahead));
        let words = |text: &str, ahead: &str| Some((text.to_owned(), ahead.to_owned()));
        assert_eq!(push("It is late,"), None);
        assert_eq!(push(" "), words("It is late,", " "));
        assert_eq!(push("and the moon"), words("", " and the moon"));
        assert_eq!(push(" is nearly full now"), words("", " and the moon is nearly full now"));
        assert_eq!(push(" over there"), None, "enough is known");
        assert_eq!(
            push(". I've turned "),
            words(" and the moon is nearly full now over there.", " I've turned ")
        );
        assert_eq!(push("it off, so"), None);
        assert!(answer.broken);
    }

    #[test]
    fn troubles_that_were_mended_are_none() {
        let actions = [action("a", false), action("b", false), action("a", true)];
        assert_eq!(troubles(&actions), ["the lamp is offline"]);
        assert!(troubles(&actions[2..]).is_empty());
    }
}

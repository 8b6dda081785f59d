//! What is said of acts: success only where a receipt backs it, whatever a model writes.

use crate::domain::Receipt;

/// One tool that ran for a task.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Deed {
    pub(super) tool: String,
    /// It can change something.
    pub(super) writes: bool,
    pub(super) ok: bool,
    /// What went wrong, for people.
    pub(super) trouble: String,
}

impl Deed {
    pub(super) fn of(tool: &str, writes: bool, receipt: &Receipt) -> Self {
        let trouble = receipt.detail["message"].as_str().unwrap_or("it was not done");
        let trouble = if receipt.ok { "" } else { trouble };
        Self { tool: tool.to_owned(), writes, ok: receipt.ok, trouble: trouble.to_owned() }
    }
}

/// Words of somebody who has done something, in the languages a model is asked in most. They need a receipt.
const CLAIMS: [&str; 34] = [
    "i've turned",
    "i have turned",
    "i turned",
    "i've switched",
    "i have switched",
    "i switched",
    "i've set",
    "i have set",
    "i set ",
    "i've locked",
    "i locked",
    "i've unlocked",
    "i unlocked",
    "i've opened",
    "i opened",
    "i've closed",
    "i closed",
    "i've started",
    "i started",
    "i've added",
    "i added",
    "i've sent",
    "i sent",
    "i've deleted",
    "i deleted",
    "has been turned",
    "have been turned",
    "is now on",
    "is now off",
    "are now on",
    "are now off",
    "ich habe",
    "wurde",
    "erledigt",
];

/// What a task may say at its end: the model's words when they claim no more than the receipts do. `None` when it
/// claims what nothing backs.
pub(super) fn honest(words: &str, deeds: &[Deed]) -> Option<String> {
    let plain = words.to_lowercase().replace('’', "'");
    let begins_done = plain.trim_start().starts_with("done");
    let claims = begins_done || CLAIMS.iter().any(|claim| plain.contains(claim));
    let backed = deeds.iter().any(|deed| deed.writes && deed.ok);
    (!claims || backed).then(|| words.to_owned())
}

/// What went wrong and was not put right by a later call of the same tool.
pub(super) fn troubles(deeds: &[Deed]) -> Vec<&str> {
    let open = |(at, deed): (usize, &Deed)| {
        let mended = deeds[at..].iter().any(|later| later.tool == deed.tool && later.ok);
        !deed.ok && !mended
    };
    let mut troubles: Vec<&str> = Vec::new();
    for deed in deeds.iter().enumerate().filter(|found| open(*found)).map(|(_, deed)| deed) {
        if deed.writes && !troubles.contains(&deed.trouble.as_str()) {
            troubles.push(&deed.trouble);
        }
    }
    troubles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deed(tool: &str, ok: bool) -> Deed {
        let trouble = if ok { "" } else { "the lamp is offline" };
        Deed { tool: tool.into(), writes: true, ok, trouble: trouble.into() }
    }

    #[test]
    fn what_no_receipt_backs_is_not_said() {
        let words = "Done, I've turned on the lamp.";
        assert_eq!(honest(words, &[]), None);
        assert_eq!(honest(words, &[deed("home.turn_on", false)]), None);
        let looked = Deed { writes: false, ..deed("home.get_state", true) };
        assert_eq!(honest(words, &[looked]), None);
        assert_eq!(honest(words, &[deed("home.turn_on", true)]).as_deref(), Some(words));
        assert!(honest("The lamp cannot be reached.", &[]).is_some());
        assert_eq!(honest("Ich habe das Licht eingeschaltet.", &[]), None);
    }

    #[test]
    fn troubles_that_were_mended_are_none() {
        let deeds = [deed("a", false), deed("b", false), deed("a", true)];
        assert_eq!(troubles(&deeds), ["the lamp is offline"]);
        assert!(troubles(&deeds[2..]).is_empty());
    }
}

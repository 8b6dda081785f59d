//! `chance.*`: a coin, dice, a number, one of several. The numbers are those of the system's generator.

use super::random::one_of;
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared};
use crate::tools::services::Services;
use hark_core::tool::{error_code, reason};
use serde_json::json;
use std::sync::Arc;

/// Most dice at once: more are not said in one breath.
pub const MAX_DICE: i64 = 20;
/// Most sides of a die.
pub const MAX_SIDES: i64 = 1_000;
/// Numbers lie between its negative and itself.
pub const MAX_NUMBER: i64 = 1_000_000_000;

/// One of the whole numbers from `low` to `high`.
fn between(low: i64, high: i64) -> i64 {
    let count = high.saturating_sub(low).saturating_add(1);
    low.saturating_add_unsigned(one_of(u64::try_from(count).unwrap_or(0)))
}

/// `chance.coin`.
pub fn coin(_services: &Arc<Services>, _args: &Args) -> Result<Prepared, Failure> {
    let side = if one_of(2) == 0 { "heads" } else { "tails" };
    Ok(Prepared::Answer(Outcome::answer(json!({ "side": side }))))
}

/// `chance.dice`.
pub fn dice(_services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (count, sides) = (args.integer("count").unwrap_or(1), args.integer("sides").unwrap_or(6));
    let rolls: Vec<i64> = (0..count).map(|_| between(1, sides)).collect();
    let sum: i64 = rolls.iter().sum();
    Ok(Prepared::Answer(Outcome::answer(json!({
        "rolls": rolls, "sum": sum, "count": count, "sides": sides,
    }))))
}

/// `chance.number`: the limits may come in either order.
pub fn number(_services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (from, to) = (args.integer("from").unwrap_or(1), args.integer("to").unwrap_or(100));
    let (low, high) = (from.min(to), from.max(to));
    Ok(Prepared::Answer(Outcome::answer(json!({
        "number": between(low, high), "from": low, "to": high,
    }))))
}

/// `chance.choose`.
pub fn choose(_services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let options = options(args.text("options").unwrap_or_default());
    if options.len() < 2 {
        return Err(Failure::new(error_code::BAD_ARGUMENT, "a choice takes at least two things")
            .because(reason::TOO_FEW_CHOICES)
            .with("argument", json!("options")));
    }
    let choice = usize::try_from(one_of(options.len() as u64)).ok().and_then(|at| options.get(at));
    Ok(Prepared::Answer(Outcome::answer(json!({ "choice": choice, "options": options }))))
}

/// What may be chosen of "pizza, pasta or rice". Where a word stands for nothing but a choice ("or"), others that join
/// ("and") belong to what is chosen: "fish and chips or pizza".
fn options(text: &str) -> Vec<String> {
    let languages = hark_language::all();
    let most = languages.iter().map(|language| language.everyday.alternatives.len()).max().unwrap_or(0);
    let parts: Vec<&str> = text.split([',', ';']).collect();
    for rank in 0..most {
        let joins: Vec<&str> = languages
            .iter()
            .filter_map(|language| language.everyday.alternatives.get(rank).copied())
            .collect();
        let joined =
            |part: &&str| part.split_whitespace().any(|word| joins.contains(&word.to_lowercase().as_str()));
        if parts.iter().any(joined) {
            return parts.iter().flat_map(|part| split_at(part, &joins)).collect();
        }
    }
    parts.iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

fn split_at(text: &str, joins: &[&str]) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let parts = words.split(|word| joins.contains(&word.to_lowercase().as_str()));
    parts.filter(|part| !part.is_empty()).map(|part| part.join(" ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_chosen_of_is_told_apart() {
        for (text, expected) in [
            ("pizza and pasta", &["pizza", "pasta"][..]),
            ("pizza or pasta", &["pizza", "pasta"]),
            ("red, green and blue", &["red", "green", "blue"]),
            ("red, green, or dark blue", &["red", "green", "dark blue"]),
            ("fish and chips or pizza", &["fish and chips", "pizza"]),
            ("Kino oder Theater", &["Kino", "Theater"]),
            ("tea, coffee", &["tea", "coffee"]),
            ("tea", &["tea"]),
            ("or", &[]),
            (" , ", &[]),
        ] {
            assert_eq!(options(text), expected, "{text}");
        }
    }

    #[test]
    fn every_number_comes_and_none_beyond() {
        let mut seen = [0_u32; 6];
        for _ in 0..3_000 {
            let at = usize::try_from(between(1, 6) - 1).unwrap();
            seen[at] += 1;
        }
        // Five standard deviations of 500 are 102.
        assert!(seen.iter().all(|count| (398..=602).contains(count)), "{seen:?}");
        assert_eq!(between(5, 5), 5);
        assert!((-2..=2).contains(&between(-2, 2)));
        assert_eq!(one_of(0), 0);
    }
}

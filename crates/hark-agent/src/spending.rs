//! What servers outside the house were sent today, and what that cost, against the limits of the owner. It is kept in a file, so
//! that a restart does not begin the day anew.

use super::answer::Usage;
use hark_config::llm::Llm;
use hark_core::model::ModelError;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Name of the file in the state folder.
const FILE: &str = "llm-spending.json";
/// Millionths of a cent.
const MICRO: u64 = 1_000_000;

/// See the module.
#[derive(Debug)]
pub(super) struct Spending {
    /// Tokens a day; 0: no limit.
    most_tokens: u64,
    /// Millionths of a cent a day; 0: no limit.
    most_cost: u64,
    file: Option<PathBuf>,
    today: Mutex<Day>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Day {
    /// Local date, ISO 8601.
    date: String,
    tokens: u64,
    micro_cents: u64,
}

/// What a million tokens cost, in cents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Price {
    pub(super) prompt: u32,
    pub(super) answer: u32,
}

impl Price {
    /// What an answer costs, in millionths of a cent; `None` where no price is known. A price for a million tokens in cents is
    /// the price of one in these.
    pub(super) fn of(self, usage: Usage) -> Option<u64> {
        let tokens = |count: Option<u32>| u64::from(count.unwrap_or_default());
        let cost =
            tokens(usage.prompt) * u64::from(self.prompt) + tokens(usage.answer) * u64::from(self.answer);
        (self != Self::default()).then_some(cost)
    }
}

impl Spending {
    /// With the limits of `config`, and what was spent today already.
    pub(super) fn open(config: &Llm, state_dir: Option<&Path>) -> Self {
        let (most_tokens, most_cents) = (config.max_tokens_per_day, config.max_cost_per_day_cents);
        // Without a limit nobody needs to know.
        let has_limit = most_tokens > 0 || most_cents > 0;
        let file = state_dir.filter(|_| has_limit).map(|folder| folder.join(FILE));
        let read = file.as_ref().and_then(|file| std::fs::read(file).ok());
        let today = read.and_then(|bytes| match serde_json::from_slice(&bytes) {
            Ok(day) => Some(day),
            Err(error) => {
                tracing::error!("what language models cost today is not known and counted anew: {error}");
                None
            }
        });
        Self {
            most_tokens: most_tokens.into(),
            most_cost: u64::from(most_cents) * MICRO,
            file,
            today: Mutex::new(today.unwrap_or_default()),
        }
    }

    /// Whether the server at `place` may be asked.
    ///
    /// # Errors
    /// `LimitReached` names the limit.
    pub(super) fn allows(&self, place: &str) -> Result<(), ModelError> {
        let today = self.today();
        let reached = |spent: u64, most: u64| most > 0 && spent >= most;
        let limit = if reached(today.tokens, self.most_tokens) {
            "llm.max_tokens_per_day"
        } else if reached(today.micro_cents, self.most_cost) {
            "llm.max_cost_per_day_cents"
        } else {
            return Ok(());
        };
        Err(ModelError::LimitReached(place.to_owned(), limit.to_owned()))
    }

    /// Counts an answer, or a prompt that got none.
    pub(super) fn add(&self, usage: Usage, micro_cents: Option<u64>) {
        let mut today = self.today();
        let tokens = usage.prompt.unwrap_or_default() + usage.answer.unwrap_or_default();
        today.tokens += u64::from(tokens);
        today.micro_cents += micro_cents.unwrap_or_default();
        let Some(file) = &self.file else { return };
        let written = serde_json::to_vec(&*today).map_err(std::io::Error::from);
        let written = written.and_then(|bytes| hark_config::write_whole(file, bytes));
        if let Err(error) = written {
            tracing::error!("what language models cost today is not kept over a restart: {error}");
        }
    }

    fn today(&self) -> MutexGuard<'_, Day> {
        // Nothing that holds it can leave it half changed.
        let mut today = self.today.lock().unwrap_or_else(PoisonError::into_inner);
        let date = chrono::Local::now().date_naive().to_string();
        if today.date != date {
            *today = Day { date, ..Day::default() };
        }
        today
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(prompt: u32, answer: u32) -> Usage {
        Usage { prompt: Some(prompt), cached: None, answer: Some(answer) }
    }

    #[test]
    fn a_limit_holds_over_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let config = Llm { max_tokens_per_day: 1000, ..Llm::default() };
        let spending = Spending::open(&config, Some(folder.path()));
        spending.add(usage(900, 50), None);
        assert_eq!(spending.allows("x"), Ok(()));
        spending.add(usage(40, 10), None);
        let error = ModelError::LimitReached("x".into(), "llm.max_tokens_per_day".into());
        assert_eq!(spending.allows("x"), Err(error.clone()));
        assert_eq!(Spending::open(&config, Some(folder.path())).allows("x"), Err(error));
        assert_eq!(Spending::open(&Llm::default(), Some(folder.path())).allows("x"), Ok(()), "no limit");
        // Of another day nothing counts.
        std::fs::write(folder.path().join(FILE), r#"{"date":"2001-01-01","tokens":9999,"micro_cents":9}"#)
            .unwrap();
        assert_eq!(Spending::open(&config, Some(folder.path())).allows("x"), Ok(()));
    }

    #[test]
    fn prices_are_for_a_million_tokens() {
        let price = Price { prompt: 15, answer: 60 };
        assert_eq!(price.of(usage(1_000_000, 0)), Some(15 * MICRO));
        assert_eq!(price.of(usage(1000, 100)), Some(15_000 + 6_000));
        assert_eq!(Price::default().of(usage(1000, 100)), None);
        let config = Llm { max_cost_per_day_cents: 1, ..Llm::default() };
        let spending = Spending::open(&config, None);
        spending.add(usage(0, 0), Some(MICRO - 1));
        assert_eq!(spending.allows("x"), Ok(()));
        spending.add(usage(0, 0), Some(1));
        assert!(spending.allows("x").is_err());
    }
}

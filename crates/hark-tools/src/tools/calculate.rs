//! `calculate`: what a sum comes to.

use super::args::Args;
use super::outcome::{Failure, Outcome, Prepared};
use super::services::Services;
use crate::calculator::{CalcError, calculate, shown};
use hark_core::tool::error_code;
use serde_json::json;
use std::sync::Arc;

/// `calculate`.
pub fn run(_parts: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let expression = args.text("expression").unwrap_or_default();
    let result = calculate(expression)?;
    let detail = json!({"expression": expression, "result": result, "text": shown(result)});
    Ok(Prepared::Answer(Outcome::answer(detail)))
}

impl From<CalcError> for Failure {
    fn from(error: CalcError) -> Self {
        let fix = "write it like 12 * (3 + 4), 15 % of 80, 2^10 or sqrt 16";
        let failure =
            Self::new(error_code::BAD_ARGUMENT, error.to_string()).with("argument", json!("expression"));
        match error {
            CalcError::DivisionByZero | CalcError::NotReal(_) | CalcError::TooLarge => failure,
            CalcError::Unexpected(_) | CalcError::Incomplete | CalcError::TooLong => failure.fix(fix),
        }
    }
}

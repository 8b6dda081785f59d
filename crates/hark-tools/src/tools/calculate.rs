//! `calculate`: what a sum comes to. `convert`: so many of one unit in another.

use super::args::Args;
use super::outcome::{Failure, Outcome, Prepared};
use super::services::Services;
use crate::calculator::{CalcError, calculate, shown};
use crate::units::{self, ConvertError};
use hark_core::tool::{error_code, reason};
use serde_json::json;
use std::sync::Arc;

/// `calculate`.
pub fn run(_parts: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let expression = args.text("expression").unwrap_or_default();
    let result = calculate(expression)?;
    let detail = json!({"expression": expression, "result": result, "text": shown(result)});
    Ok(Prepared::Answer(Outcome::answer(detail)))
}

/// `convert`.
pub fn convert(_parts: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (from, to) = (args.text("from").unwrap_or_default(), args.text("to").unwrap_or_default());
    let value = args.number("value").unwrap_or(1.0);
    let result = units::convert(value, from, to)?;
    // Nobody wants to hear more digits than they could measure.
    let size = if result.abs() < 100.0 { 100.0 } else { 1.0 };
    let rounded = (result * size).round() / size;
    let result = if rounded == 0.0 { result } else { rounded };
    let detail = json!({
        "value": value, "value_text": shown(value), "from": from, "to": to, "result": result, "text": shown(result),
    });
    Ok(Prepared::Answer(Outcome::answer(detail)))
}

impl From<ConvertError> for Failure {
    fn from(error: ConvertError) -> Self {
        let failure = Self::new(error_code::BAD_ARGUMENT, error.to_string());
        match error {
            ConvertError::Unknown(unit) => failure.because(reason::UNKNOWN_UNIT).with("unit", json!(unit)),
            ConvertError::Different { .. } => failure,
        }
    }
}

impl From<CalcError> for Failure {
    fn from(error: CalcError) -> Self {
        let fix = "write it like 12 * (3 + 4), 15 % of 80, 2^10 or sqrt 16";
        let failure =
            Self::new(error_code::BAD_ARGUMENT, error.to_string()).with("argument", json!("expression"));
        match error {
            CalcError::DivisionByZero => failure.because(reason::DIVISION_BY_ZERO),
            CalcError::NotReal(_) => failure,
            CalcError::TooLarge => failure.because(reason::SUM_TOO_LARGE),
            CalcError::Unexpected(part) => {
                failure.because(reason::SUM_UNREADABLE).with("part", json!(part)).fix(fix)
            }
            CalcError::Incomplete => failure.because(reason::SUM_INCOMPLETE).fix(fix),
            CalcError::TooLong => failure.fix(fix),
        }
    }
}

//! `joke.tell`: one of the jokes of a language (`everyday.toml`), each once before one comes again.

use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared};
use crate::tools::services::Services;
use hark_core::tool::{error_code, reason};
use serde_json::json;
use std::sync::Arc;

/// `joke.tell`.
pub fn tell(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let asked = args.text("language").unwrap_or(&services.language);
    let language = hark_language::of(asked);
    let jokes = language.everyday.jokes;
    let none = || {
        Failure::new(error_code::UNSUPPORTED, "there are no jokes in that language")
            .because(reason::NO_JOKES)
            .fix(format!("write some into languages/{asked}/everyday.toml"))
    };
    let joke = jokes.get(services.jokes_told.next(language.code, jokes.len())).ok_or_else(none)?;
    Ok(Prepared::Answer(Outcome::answer(json!({ "text": joke, "language": language.code }))))
}

//! `contacts.search`: who is in the household's address books.

use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared};
use crate::tools::services::Services;
use chrono::NaiveDate;
use hark_core::tool::error_code;
use hark_personal::{Contact, PersonalError};
use serde_json::{Value, json};
use std::sync::Arc;

/// Whether there is an address book.
pub fn ready(services: &Services) -> Result<(), Failure> {
    match services.personal.contacts.is_configured() {
        true => Ok(()),
        false => Err(PersonalError::NotConfigured("address book").into()),
    }
}

/// `contacts.search`. Where something of them is asked for, those that have it come first.
pub fn search(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let contacts = services.personal.contacts.clone();
    let (said, what) = (args.text("name").unwrap_or_default(), args.owned("what"));
    let names = &hark_language::of(&services.language).tools.names;
    let name = names.without_possessive(said).to_owned();
    if names.small.iter().any(|word| **word == name.to_lowercase()) {
        return Err(Failure::new(error_code::BAD_ARGUMENT, "it is not clear who is meant"));
    }
    Ok(Prepared::Work(Box::pin(async move {
        let mut found = contacts.search(&name).await?;
        if let Some(what) = &what {
            found.sort_by_key(|contact| !has(contact, what));
        }
        let lacking = what.as_ref().is_some_and(|what| found.first().is_some_and(|best| !has(best, what)));
        let shown: Vec<Value> = found.iter().map(shown).collect();
        let detail = json!({"name": name, "count": found.len(), "contacts": shown, "lacking": lacking});
        Ok(Outcome::answer(detail))
    })))
}

fn has(contact: &Contact, what: &str) -> bool {
    match what {
        "phone" => !contact.phones.is_empty(),
        "email" => !contact.emails.is_empty(),
        "address" => !contact.addresses.is_empty(),
        _ => contact.birthday.is_some(),
    }
}

fn shown(contact: &Contact) -> Value {
    let phones: Vec<Value> =
        contact.phones.iter().map(|(kind, number)| json!({"kind": kind, "number": number})).collect();
    let mut shown = json!({
        "name": contact.name, "nicknames": contact.nicknames, "phones": phones, "emails": contact.emails,
        "addresses": contact.addresses,
    });
    if let Some(organisation) = &contact.organisation {
        shown["organisation"] = json!(organisation);
    }
    // A leap year: every day there is, is in it.
    let date =
        |(month, day, _): (u8, u8, Option<u16>)| NaiveDate::from_ymd_opt(2000, month.into(), day.into());
    if let Some((birthday, date)) = contact.birthday.and_then(|day| Some((day, date(day)?))) {
        shown["birthday"] =
            json!({"day": birthday.1, "month": date.format("%B").to_string(), "year": birthday.2});
    }
    shown
}

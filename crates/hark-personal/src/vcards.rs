//! Contacts of vCard texts (RFC 6350 and the older ones).

use calcard::vcard::{VCard, VCardEntry, VCardParameterName, VCardProperty, VCardType, VCardValue};
use calcard::{Entry, Parser};
use hark_core::text::one_line;

/// Most characters of one value.
const MAX_CHARS: usize = 200;
/// Most values of a kind: numbers, addresses.
const MAX_VALUES: usize = 10;

/// A person or organisation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Contact {
    /// Its whole name.
    pub name: String,
    /// What it is called besides.
    pub nicknames: Vec<String>,
    /// Telephone numbers, with `mobile`, `home`, `work` or nothing.
    pub phones: Vec<(Option<&'static str>, String)>,
    /// E-mail addresses.
    pub emails: Vec<String>,
    /// Postal addresses, each on one line.
    pub addresses: Vec<String>,
    /// Where they work.
    pub organisation: Option<String>,
    /// Month and day, and the year where it is known.
    pub birthday: Option<(u8, u8, Option<u16>)>,
}

/// The contacts of a text; what has no name is left out.
pub(crate) fn read(text: &str) -> Vec<Contact> {
    let mut found = Vec::new();
    let mut parser = Parser::new(text);
    loop {
        match parser.entry() {
            Entry::VCard(card) => found.extend(of_card(&card)),
            Entry::Eof | Entry::TooManyComponents => return found,
            _ => {}
        }
    }
}

fn of_card(card: &VCard) -> Option<Contact> {
    let texts = |name: &VCardProperty| -> Vec<String> {
        card.entries.iter().filter(|entry| entry.name == *name).flat_map(values).take(MAX_VALUES).collect()
    };
    let full = texts(&VCardProperty::Fn).into_iter().next();
    // Older cards may have the parts alone: family name; given name; …
    let parts = || {
        let entry = card.property(&VCardProperty::N)?;
        let parts = components(entry);
        let name: Vec<&str> = [1, 0]
            .iter()
            .filter_map(|at| parts.get(*at))
            .map(String::as_str)
            .filter(|part| !part.is_empty())
            .collect();
        Some(name.join(" ")).filter(|name| !name.is_empty())
    };
    let phones = card.entries.iter().filter(|entry| entry.name == VCardProperty::Tel).flat_map(|entry| {
        let kind = kind(entry);
        values(entry).into_iter().map(move |number| (kind, number.trim_start_matches("tel:").to_owned()))
    });
    let address = |entry: &VCardEntry| {
        // Box, extension, street, town, region, code, country.
        let parts = components(entry);
        let part = |at: usize| parts.get(at).filter(|part| !part.is_empty());
        let town: Vec<&str> = [part(5), part(3)].into_iter().flatten().map(String::as_str).collect();
        let mut lines: Vec<String> = part(2).cloned().into_iter().collect();
        lines.extend(Some(town.join(" ")).filter(|town| !town.is_empty()));
        lines.extend(part(6).cloned());
        Some(lines.join(", ")).filter(|line| !line.is_empty())
    };
    let addresses = card.entries.iter().filter(|entry| entry.name == VCardProperty::Adr).filter_map(address);
    Some(Contact {
        name: full.or_else(parts)?,
        nicknames: texts(&VCardProperty::Nickname),
        phones: phones.take(MAX_VALUES).collect(),
        emails: texts(&VCardProperty::Email),
        addresses: addresses.take(MAX_VALUES).collect(),
        organisation: texts(&VCardProperty::Org).into_iter().next(),
        birthday: birthday(card),
    })
}

/// Its texts on one line each; the parts of a value apart.
fn components(entry: &VCardEntry) -> Vec<String> {
    let parts = entry.values.iter().flat_map(|value| match value {
        VCardValue::Component(parts) => vec![parts.join(" ")],
        VCardValue::Text(text) => vec![text.clone()],
        _ => vec![String::new()],
    });
    parts.map(|part| one_line(&part, MAX_CHARS)).collect()
}

fn values(entry: &VCardEntry) -> Vec<String> {
    components(entry).into_iter().filter(|value| !value.is_empty()).collect()
}

/// Which of several numbers it is.
fn kind(entry: &VCardEntry) -> Option<&'static str> {
    let types: Vec<&VCardType> = entry
        .parameters(&VCardParameterName::Type)
        .filter_map(|value| value.as_type().and_then(|kind| kind.iana().copied()))
        .collect();
    let kinds = [(VCardType::Cell, "mobile"), (VCardType::Home, "home"), (VCardType::Work, "work")];
    kinds.iter().find(|(kind, _)| types.contains(&kind)).map(|(_, name)| *name)
}

fn birthday(card: &VCard) -> Option<(u8, u8, Option<u16>)> {
    match card.property(&VCardProperty::Bday)?.values.first()? {
        VCardValue::PartialDateTime(day) => Some((day.month?, day.day?, day.year)),
        _ => None,
    }
}

#[cfg(test)]
#[path = "vcards_tests.rs"]
mod tests;

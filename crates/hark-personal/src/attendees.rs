//! Who is invited to an event, and what they answered (RFC 5545, 3.8.4.1).

use calcard::icalendar::{
    ICalendarComponent, ICalendarEntry, ICalendarParameterName, ICalendarParameterValue,
    ICalendarParticipationStatus, ICalendarProperty, ICalendarUserTypes,
};
use hark_core::text::one_line;

/// Upper limit of people that are read of one event.
const MAX_ATTENDEES: usize = 100;
/// Most characters of a name or address.
const MAX_CHARS: usize = 100;

/// How an attendee answered the invitation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Nothing yet.
    None,
    /// They come.
    Accepted,
    /// They do not come.
    Declined,
    /// They may come.
    Tentative,
    /// Another person comes in their place.
    Delegated,
}

const ANSWERS: [(Answer, &str, &str); 5] = [
    (Answer::None, "none", "NEEDS-ACTION"),
    (Answer::Accepted, "accepted", "ACCEPTED"),
    (Answer::Declined, "declined", "DECLINED"),
    (Answer::Tentative, "tentative", "TENTATIVE"),
    (Answer::Delegated, "delegated", "DELEGATED"),
];

impl Answer {
    /// Its word: `none`, `accepted`, `declined`, `tentative` or `delegated`.
    pub fn word(self) -> &'static str {
        ANSWERS.iter().find(|(answer, ..)| *answer == self).map_or("none", |(_, word, _)| word)
    }

    /// The answer of a word.
    pub fn of_word(word: &str) -> Option<Self> {
        ANSWERS.iter().find(|(_, known, _)| *known == word).map(|(answer, ..)| *answer)
    }

    /// As a calendar writes it.
    pub(crate) fn written(self) -> &'static str {
        ANSWERS.iter().find(|(answer, ..)| *answer == self).map_or("NEEDS-ACTION", |(.., written)| written)
    }
}

/// Somebody who is invited to an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attendee {
    /// What they are called; their address where the calendar tells no name.
    pub name: String,
    /// Their mail address; empty where the calendar tells none.
    pub address: String,
    /// What they answered.
    pub answer: Answer,
}

impl Attendee {
    /// Whether it is one of these addresses.
    pub fn is_one_of(&self, addresses: &[String]) -> bool {
        addresses.iter().any(|address| is_same(address, &self.address))
    }
}

/// Whether two mail addresses are the same.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    let one = one.trim();
    !one.is_empty() && one.to_lowercase() == other.trim().to_lowercase()
}

/// The people who are invited to what a component tells; rooms and equipment are none.
pub(crate) fn of(component: &ICalendarComponent) -> Vec<Attendee> {
    let is_person = |entry: &&ICalendarEntry| {
        let kind = entry.parameter(&ICalendarParameterName::Cutype);
        !matches!(
            kind,
            Some(ICalendarParameterValue::Cutype(ICalendarUserTypes::Room | ICalendarUserTypes::Resource))
        )
    };
    let attendees = component.properties(&ICalendarProperty::Attendee).filter(is_person);
    attendees.take(MAX_ATTENDEES).map(attendee).filter(|one| !one.name.is_empty()).collect()
}

/// Who invites to it; `None` where nobody does.
pub(crate) fn organizer(component: &ICalendarComponent) -> Option<String> {
    let organizer = attendee(component.property(&ICalendarProperty::Organizer)?);
    Some(organizer.name).filter(|name| !name.is_empty())
}

fn attendee(entry: &ICalendarEntry) -> Attendee {
    let param = |name| entry.parameter(name).and_then(ICalendarParameterValue::as_text);
    let value = entry.calendar_address().unwrap_or_default();
    // Some programs tell an id, and the address beside it.
    let address =
        if value.contains('@') { value } else { param(&ICalendarParameterName::Email).unwrap_or_default() };
    let address = one_line(address, MAX_CHARS);
    let name = one_line(param(&ICalendarParameterName::Cn).unwrap_or_default(), MAX_CHARS);
    let answer = match entry.parameter(&ICalendarParameterName::Partstat) {
        Some(ICalendarParameterValue::Partstat(status)) => match status {
            ICalendarParticipationStatus::Accepted => Answer::Accepted,
            ICalendarParticipationStatus::Declined => Answer::Declined,
            ICalendarParticipationStatus::Tentative => Answer::Tentative,
            ICalendarParticipationStatus::Delegated => Answer::Delegated,
            _ => Answer::None,
        },
        _ => Answer::None,
    };
    Attendee { name: if name.is_empty() { address.clone() } else { name }, address, answer }
}

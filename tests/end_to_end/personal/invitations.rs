//! Invitations on a CalDAV server: told, answered for the owner alone, and taken back.

use super::{caldav, radicale, replies};
use crate::support::Hark;
use std::fs;

#[test]
fn an_invitation_on_a_server_is_answered_where_it_is_known_as_the_owners() {
    let hark = Hark::new();
    let Some((_server, url)) = radicale(&hark) else { return };
    let day = (chrono::Local::now() + chrono::Duration::days(1)).format("%Y%m%d");
    let path = hark.path("collections/collection-root/anna/work/i.ics");
    let text = format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\nBEGIN:VEVENT\r\nUID:i\r\nDTSTAMP:20200101T000000Z\r\nSUMMARY:Choir\r\n\
         DTSTART:{day}T190000\r\nDTEND:{day}T200000\r\nORGANIZER;CN=Max Vogel:mailto:max@example.org\r\n\
         ATTENDEE;CN=Max Vogel;PARTSTAT=ACCEPTED:mailto:max@example.org\r\n\
         ATTENDEE;CN=Anna Berg;PARTSTAT=NEEDS-ACTION:mailto:anna@example.org\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    );
    fs::write(&path, text).unwrap();
    let settings = caldav(&hark, &url);
    let refused = replies(&hark, &settings, &["accept the choir invitation"]);
    assert!(refused[0].contains("to which mail address your invitations go"), "{refused:#?}");
    let own = [settings.as_slice(), &["personal.own_addresses=[\"anna@example.org\"]".to_owned()]].concat();
    let lines = [
        "do I have any invitations",
        "accept the invitation to the choir",
        "who is invited to the choir",
        "do I have any invitations",
        "undo that",
        "decline the invitation",
    ];
    assert_eq!(
        replies(&hark, &own, &lines),
        [
            "Choir tomorrow at seven in the evening, from Max Vogel.",
            "Choir tomorrow at seven in the evening is accepted in your calendar. Max Vogel does not hear of it from me.",
            "Choir tomorrow at seven in the evening: Max Vogel and you have accepted.",
            "No invitation awaits your answer.",
            "Choir is as it was in your calendar.",
            "Choir tomorrow at seven in the evening is declined in your calendar. Max Vogel does not hear of it from me.",
        ]
    );
    let kept = fs::read_to_string(&path).unwrap();
    assert!(kept.contains("PARTSTAT=DECLINED:mailto:anna@example.org"), "{kept}");
    let elsewhere =
        [settings.as_slice(), &["personal.own_addresses=[\"nina@example.org\"]".to_owned()]].concat();
    let said = replies(&hark, &elsewhere, &["accept the invitation to the choir"]);
    assert!(said[0].starts_with("Sorry, nobody with one of your addresses is invited to that."), "{said:#?}");
}

//! Contacts of vCard 2.1, 3.0 and 4.0.

use super::*;

#[test]
fn names_numbers_and_addresses_are_read() {
    let text = "BEGIN:VCARD\r\nVERSION:3.0\r\nN:Berg;Anna;;;\r\nFN:Anna Berg\r\nNICKNAME:Annie\r\n\
        TEL;TYPE=CELL,VOICE:+49 170 1234567\r\nTEL;TYPE=HOME:030 765432\r\nEMAIL;TYPE=INTERNET:anna@example.org\r\n\
        ADR;TYPE=HOME:;;Lindenweg 3;Hamburg;;20095;Germany\r\nORG:Berg & Co;Sales\r\nBDAY:1987-04-12\r\nEND:VCARD\r\n\
        BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Dr. Klein\r\nTEL;VALUE=uri;TYPE=work:tel:+49-40-555\r\nBDAY:--0305\r\nEND:VCARD\r\n\
        BEGIN:VCARD\r\nVERSION:2.1\r\nN:Vogel;Max\r\nTEL;CELL:0171 99\r\nEND:VCARD\r\n\
        BEGIN:VCARD\r\nVERSION:3.0\r\nTEL:1\r\nEND:VCARD\r\n";
    let contacts = read(text);
    assert_eq!(contacts.len(), 3, "one without a name is none: {contacts:?}");
    let anna = &contacts[0];
    assert_eq!((anna.name.as_str(), &anna.nicknames[..]), ("Anna Berg", &["Annie".to_owned()][..]));
    assert_eq!(
        anna.phones,
        [(Some("mobile"), "+49 170 1234567".into()), (Some("home"), "030 765432".into())]
    );
    assert_eq!(anna.emails, ["anna@example.org"]);
    assert_eq!(anna.addresses, ["Lindenweg 3, 20095 Hamburg, Germany"]);
    assert_eq!((anna.birthday, anna.organisation.as_deref()), (Some((4, 12, Some(1987))), Some("Berg & Co")));
    assert_eq!(contacts[1].phones, [(Some("work"), "+49-40-555".into())]);
    assert_eq!(contacts[1].birthday, Some((3, 5, None)));
    assert_eq!((contacts[2].name.as_str(), contacts[2].phones.len()), ("Max Vogel", 1));
    for bad in ["", "BEGIN:VCARD", "BEGIN:VCARD\nFN:", "x"] {
        assert_eq!(read(bad), []);
    }
}

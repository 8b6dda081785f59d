//! Which contact a name means.

use super::*;

fn contact(name: &str, nickname: &str) -> Contact {
    let nicknames = Some(nickname.to_owned()).filter(|nickname| !nickname.is_empty()).into_iter().collect();
    Contact { name: name.into(), nicknames, ..Contact::default() }
}

#[test]
fn a_name_means_the_nearest() {
    let all = || {
        vec![
            contact("Anna Berg", ""),
            contact("Anna Vogel", "Annie"),
            contact("Anna", ""),
            contact("Hannah Maier", ""),
            contact("Dr. Katharina Klein", ""),
        ]
    };
    let found = |name: &str| -> Vec<String> {
        of_name(all(), name).into_iter().map(|contact| contact.name).collect()
    };
    assert_eq!(found("Anna"), ["Anna", "Anna Berg", "Anna Vogel"]);
    assert_eq!(found("anna berg"), ["Anna Berg"]);
    assert_eq!(found("annie"), ["Anna Vogel"]);
    assert_eq!(found("catharina klein"), ["Dr. Katharina Klein"]);
    assert_eq!(found("Katherina"), ["Dr. Katharina Klein"]);
    assert_eq!((found("zebra"), found("?!")), (vec![], vec![]));
}

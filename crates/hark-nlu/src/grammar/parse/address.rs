//! The address of a page, as it is written ("bbc.co.uk/news") or said ("b b c dot com" is not one: a part is one word).

use hark_language::Lexicon;

/// Endings of hosts, besides those of countries.
const GENERAL: [&str; 16] = [
    "app", "biz", "blog", "com", "dev", "edu", "eu", "gov", "info", "int", "mil", "museum", "net", "online",
    "org", "shop",
];

/// Endings of countries, without those that files of a program or text have: `md`, `py`, `rs`, `sh`, `cc`, `so`, `ps`.
const COUNTRIES: &str = "ac ad ae af ag ai al am ao ar at au az ba bb bd be bg bh bj bm bo br bs bt bw by bz ca cd cf cg ch ci \
    ck cl cm cn co cr cu cv cy cz de dj dk dm do dz ec ee eg es et fi fj fm fo fr ga gb gd ge gg gh gi gl gm gn gp gr \
    gt gu gy hk hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kr kw ky kz lb lc li lk lr ls lt \
    lu lv ly ma mc me mg mm mn mo mr ms mt mu mv mw mx my mz na ne ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pr \
    pt pw qa ro ru rw sa sb sc sd se sg si sk sl sm sn sr st su sv sy sz tc td tg th tj tk tl tm tn to tr tt tv tw tz \
    ua ug uk us uy uz va vc ve vg vi vn vu ws ye za zm zw";

/// Schemes of pages.
const SCHEMES: [&str; 2] = ["https://", "http://"];

/// Whether some words are an address and can be nothing else. A host needs an ending that hosts have, unless it begins as only
/// addresses do: "notes.txt" and "kitchen.light" are none.
pub(super) fn is_one(said: &str, lexicon: &Lexicon) -> bool {
    let written = lexicon.tools.pages.written(&said.to_lowercase());
    if written.contains(' ') {
        return false;
    }
    let bare = SCHEMES.iter().find_map(|scheme| written.strip_prefix(scheme));
    let host = bare.unwrap_or(&written).split(['/', '?', '#']).next().unwrap_or_default();
    let parts: Vec<&str> = host.split('.').collect();
    let is_part = |part: &&str| {
        !part.is_empty()
            && !part.starts_with('-')
            && !part.ends_with('-')
            && part.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    let Some((ending, names)) = parts.split_last() else { return false };
    let is_sure = bare.is_some() || names.first() == Some(&"www") && names.len() > 1;
    let is_known = GENERAL.contains(ending) || COUNTRIES.split_whitespace().any(|known| known == *ending);
    let is_ending = if is_sure { ending.chars().all(char::is_alphabetic) } else { is_known };
    !names.is_empty() && is_ending && parts.iter().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_only_be_an_address_is_one() {
        let is = |said: &str| is_one(said, hark_language::of("en"));
        for address in [
            "example.org",
            "bbc.co.uk slash news",
            "Example dot com",
            "www dot my dash shop dot co dot uk slash owls",
            "https://intranet.lan/wiki?page=2",
            "www.example.museum",
            "wp.pl/sport",
            "bücher.de",
        ] {
            assert!(is(address), "{address}");
        }
        for other in [
            "kitchen.light",
            "notes.txt",
            "readme.md",
            "main.rs",
            "the garage dot com",
            "example",
            "dot com",
            "example dot",
            "example..com",
            "3.5",
            "www.txt",
            "notes.txt.",
            "",
        ] {
            assert!(!is(other), "{other}");
        }
        assert!(is_one("example punkt de", hark_language::of("de")));
    }
}

//! Every format goes in and is found with its place; what cannot be read is told, and nothing panics.

// Clippy knows only functions marked as tests.
#![allow(clippy::unwrap_used)]

mod common;

use common::{House, WordEncoder, epub, go_on, pdf};
use hark_core::{Fault, FaultKind};
use hark_knowledge::{DocumentState, Knowledge, KnowledgeError, Settings};

/// Whether an error is the expected one.
type Check = fn(&KnowledgeError) -> bool;

#[test]
fn each_format_is_found_with_its_place() {
    let house = House::new();
    let text =
        "Keys\n\nThe spare key hangs behind the boiler.\n\nGarden\n\nThe hose is coiled in the shed.\n";
    house.write("notes.txt", text);
    house.write("oven.md", "# Oven\n\n## Steam\n\nFill the reservoir with distilled water.\n");
    house.write(
        "bins.html",
        "<title>Bins</title><h1>Days</h1><table><tr><td>Blue</td><td>Monday</td></tr></table>",
    );
    house.write(
        "tv.pdf",
        pdf(&[&["Television stand, assembly."], &["Tighten the hexagon bolts last."]], false),
    );
    let chapters = [
        ("a.xhtml", "<h1>Soups</h1><p>Onion soup simmers.</p>"),
        ("b.xhtml", "<h1>Pies</h1><p>Plum pie bakes.</p>"),
    ];
    house.write("book.epub", epub("Kitchen", &chapters));
    let mut knowledge = house.open();
    let report = knowledge.add(&house.docs(), &mut WordEncoder::default(), &mut go_on).unwrap();
    assert_eq!((report.indexed, report.failed), (5, 0), "{:?}", report.failures);

    let hit = &house.search("where is the spare key")[0];
    assert_eq!((hit.title.as_str(), hit.heading.as_str(), hit.page), ("notes", "Keys", None));
    assert_eq!(&text[hit.start_byte..hit.end_byte], "The spare key hangs behind the boiler.");
    assert_eq!(hit.answer, "The spare key hangs behind the boiler.");

    let hit = &house.search("distilled water reservoir")[0];
    assert_eq!((hit.title.as_str(), hit.heading.as_str()), ("Oven", "Oven > Steam"));
    let hit = &house.search("blue Monday")[0];
    assert_eq!((hit.title.as_str(), hit.answer.as_str()), ("Bins", "Blue | Monday"));
    let hit = &house.search("hexagon bolts")[0];
    assert_eq!((hit.page, hit.answer.as_str()), (Some(2), "Tighten the hexagon bolts last."));
    let hit = &house.search("plum pie")[0];
    assert_eq!((hit.title.as_str(), hit.heading.as_str()), ("Kitchen", "Pies"));
}

#[test]
fn what_cannot_be_read_says_what_where_and_how_to_mend_it() {
    let house = House::new();
    let whole = pdf(&[&["Some text."]], false);
    let cases: Vec<(&str, Vec<u8>, Check)> = vec![
        ("locked.pdf", pdf(&[&["Secret."]], true), |e| matches!(e, KnowledgeError::Encrypted { .. })),
        ("scan.pdf", pdf(&[&[], &[]], false), |e| matches!(e, KnowledgeError::NoText { .. })),
        ("cut.pdf", whole[..60].to_vec(), |e| matches!(e, KnowledgeError::Damaged { .. })),
        ("no.pdf", b"not a pdf".to_vec(), |e| matches!(e, KnowledgeError::Damaged { .. })),
        ("no.epub", b"PK\x03\x04 broken".to_vec(), |e| matches!(e, KnowledgeError::Damaged { .. })),
        ("empty.epub", epub("E", &[]), |e| matches!(e, KnowledgeError::Damaged { .. })),
        ("empty.txt", b" \n\n".to_vec(), |e| matches!(e, KnowledgeError::NoText { .. })),
        ("binary.txt", vec![0, 1, 2, 0, 255], |e| matches!(e, KnowledgeError::Damaged { .. })),
        ("large.txt", vec![b'a'; 300_000], |e| matches!(e, KnowledgeError::TooLarge { .. })),
    ];
    let settings = Settings { max_file_bytes: 200_000, ..common::settings() };
    let mut knowledge = Knowledge::open(&house.index(), settings).unwrap();
    for (name, content, is_expected) in &cases {
        let path = house.write(name, content);
        let error = knowledge.add(&path, &mut WordEncoder::default(), &mut go_on).unwrap_err();
        assert!(is_expected(&error), "{name}: {error:?}");
        assert!(error.to_string().contains(name), "{error}");
        // Asked for again it is told again.
        let again = knowledge.add(&path, &mut WordEncoder::default(), &mut go_on).unwrap_err();
        assert_eq!(again.to_string(), error.to_string());
        let fault = Fault::from(error);
        assert!(fault.kind == FaultKind::BadInput && !fault.fix.is_empty(), "{fault}");
    }
    // In a folder they stop nothing, and are listed with the reason.
    house.write("good.txt", "The good one is read.");
    let report = knowledge.add(&house.docs(), &mut WordEncoder::default(), &mut go_on).unwrap();
    assert_eq!((report.indexed, report.unchanged), (1, cases.len()));
    let failed =
        knowledge.list().unwrap().into_iter().filter(|d| matches!(d.state, DocumentState::Failed { .. }));
    assert_eq!(failed.count(), cases.len());
    assert_eq!(knowledge.status().unwrap().failed, cases.len());
}

#[test]
fn a_path_that_is_not_there_or_not_read_is_refused() {
    let house = House::new();
    let mut knowledge = house.open();
    let mut add =
        |path: &std::path::Path| knowledge.add(path, &mut WordEncoder::default(), &mut go_on).unwrap_err();
    assert!(matches!(add(&house.docs().join("none.txt")), KnowledgeError::Absent { .. }));
    assert!(matches!(add(&house.write("song.mp3", "x")), KnowledgeError::UnknownKind { .. }));
    assert!(matches!(knowledge.remove(&house.docs().join("never.txt")), Err(KnowledgeError::Absent { .. })));
}

#[test]
fn an_archive_that_unpacks_to_too_much_is_refused() {
    let house = House::new();
    let bomb = format!("<p>{}</p>", "a ".repeat(20 << 20));
    let path = house.write("bomb.epub", epub("B", &[("a.xhtml", &bomb)]));
    assert!(std::fs::metadata(&path).unwrap().len() < 1 << 20);
    let error = house.open().add(&path, &mut WordEncoder::default(), &mut go_on).unwrap_err();
    assert!(
        matches!(&error, KnowledgeError::Damaged { place, .. } if place.contains("a.xhtml")),
        "{error:?}"
    );
}

#[test]
fn damage_anywhere_in_a_file_is_survived() {
    let house = House::new();
    let chapters = [("a.xhtml", "<h1>Soups</h1><p>Onion soup simmers for long.</p>")];
    let files = [
        ("a.pdf", pdf(&[&["First page of text."], &["Second page."]], false)),
        ("a.epub", epub("K", &chapters)),
        ("a.html", b"<table><tr><td>x<td>y</table><ul><li>one<pre>a\nb".to_vec()),
        ("a.md", b"# T\n\n- a\n  1. b\n\n| x | y |\n|--|--|\n| 1 | 2 |\n".to_vec()),
    ];
    let mut knowledge = house.open();
    let mut state = 88_172_645_463_325_252_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).unwrap()
    };
    for (name, whole) in &files {
        for round in 0..60 {
            let mut content = whole.clone();
            match round % 3 {
                0 => content.truncate(next(whole.len())),
                1 => (0..8).for_each(|_| content[next(whole.len())] = next(256) as u8),
                _ => {
                    let from = next(whole.len());
                    content.splice(from..from, whole[next(whole.len())..].iter().copied());
                }
            }
            let path = house.write(name, &content);
            match knowledge.add(&path, &mut WordEncoder::default(), &mut go_on) {
                Ok(_) => {}
                Err(error) => assert!(error.to_string().contains(name) && !error.fix().is_empty(), "{error}"),
            }
        }
    }
}

//! What is found, in which order, and what is said when nothing answers.

// Clippy knows only functions marked as tests.
#![allow(clippy::unwrap_used)]

mod common;

use common::{House, WordEncoder, ends_with, go_on};
use hark_knowledge::{Searcher, Settings};

fn household() -> House {
    let house = House::new();
    house.write("lease.md", "# Lease\n\n## Pets\n\nHamsters are allowed. Dogs need permission of the landlord.\n\n## Rent\n\nThe rent is 940 euros. It is due on the third day.\n");
    house.write("oven.md", "# Oven\n\n## Cleaning\n\nUse a soft cloth. Never use steel wool on the glass.\n\n## Light\n\nThe bulb is behind a glass cover. Turn the cover to the left.\n");
    for at in 0..40 {
        house.write(
            &format!("noise/{at}.txt"),
            format!("Entry {at} of the diary tells of weather{at}. The rest of the day was quiet."),
        );
    }
    let mut knowledge = house.open();
    knowledge.add(&house.docs(), &mut WordEncoder::default(), &mut go_on).unwrap();
    house
}

#[test]
fn the_sentence_that_answers_is_chosen() {
    let house = household();
    let hits = house.search("what is the rent in euros");
    assert!(ends_with(&hits[0], "lease.md"), "{hits:?}");
    assert_eq!(hits[0].answer, "The rent is 940 euros.");
    assert_eq!(&hits[0].passage[hits[0].answer_range.clone()], hits[0].answer);
    assert_eq!(hits[0].heading, "Lease > Rent");
    assert!(hits.len() <= 5 && hits.windows(2).all(|two| two[0].score >= two[1].score));
}

#[test]
fn a_question_that_nothing_answers_has_less_confidence() {
    let house = household();
    let known = house.search("may dogs live here with permission of the landlord");
    let unknown = house.search("which tyres does the caravan need");
    assert!(known[0].confidence > 0.5 && known[0].answers, "{:?}", known[0]);
    assert!(unknown.iter().all(|hit| !hit.answers && hit.confidence < known[0].confidence), "{unknown:?}");
}

#[test]
fn forms_of_words_and_accents_are_found() {
    let house = House::new();
    house.write("cafe.txt", "Im Café gibt es Brötchen. The machines were cleaned.");
    house.open().add(&house.docs(), &mut WordEncoder::default(), &mut go_on).unwrap();
    for question in ["cafe", "BROTCHEN", "cleaning the machine"] {
        assert!(house.search(question)[0].signals.same > 0.5, "{question}");
    }
}

#[test]
fn what_stands_at_the_end_of_a_long_passage_is_found_by_its_vector() {
    let house = House::new();
    let filler = "Nothing of interest happened on that day in the village. ".repeat(40);
    house.write("long.txt", format!("{filler}The quarantine ended."));
    for at in 0..30 {
        house.write(&format!("{at}.txt"), format!("Other{at} text{at} entirely{at}."));
    }
    house.open().add(&house.docs(), &mut WordEncoder::default(), &mut go_on).unwrap();
    // The encoder knows words by five letters, so only the vector finds this one.
    let hits = house.search("quarantaine endedly");
    assert!(ends_with(&hits[0], "long.txt"), "{hits:?}");
    assert!(hits[0].answer.contains("quarantine"), "{:?}", hits[0].answer);
}

#[test]
fn hostile_questions_are_data() {
    let house = household();
    let long = "word ".repeat(10_000);
    for question in [
        "",
        "  ",
        "?!",
        "\"",
        "NEAR(a b, 3)",
        "title:x OR",
        "'; DROP TABLE passages; --",
        "\u{0}",
        "*",
        "🦀",
        &long,
    ] {
        house.search(question);
    }
    assert!(!house.search("rent").is_empty());
}

#[test]
fn an_empty_index_finds_nothing_and_limits_are_kept() {
    let house = House::new();
    house.open();
    assert!(house.search("anything").is_empty());
    let house = household();
    let settings = Settings { results: 2, ..common::settings() };
    let mut searcher = Searcher::open(&house.index(), settings).unwrap();
    assert_eq!(searcher.search(&mut WordEncoder::default(), "diary of the day").unwrap().len(), 2);
}

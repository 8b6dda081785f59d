//! The English sentences against what they should mean.

use super::test_home::grammar;

#[test]
fn properties_hold_for_samples() {
    let grammar = grammar();
    println!("{:?}", grammar.size());
    let mut wrong = 0;
    for sample in grammar.meant_samples(4000, 7) {
        let (words, intent, slots) = grammar.sample_meaning(&sample);
        let text = words.join(" ");
        let found = grammar.parse(&text);
        let same = found.as_ref().is_some_and(|found| {
            // "the office light" may be the thing of that name rather than the light of the office.
            let named = found.slots.contains_key("name") && !slots.contains_key("name");
            found.intent == intent
                && slots.iter().all(|(slot, value)| match found.slots.get(slot) {
                    Some(same) => same == value,
                    None => named && ["area", "domain", "device_class"].contains(&slot.as_str()),
                })
        });
        if !same && wrong < 60 {
            wrong += 1;
            println!("{text}\n   {intent} {slots:?}\n   {:?}", found.map(|f| (f.intent, f.slots, f.why)));
        }
    }
    assert_eq!(wrong, 0);
}

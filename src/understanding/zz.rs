#[test]
fn zz() {
    use crate::domain::ports::SpeechGrammar;
    for s in super::test_home::grammar().sample(90, 5) { println!("{}", s.join(" ")); }
    println!("{}", super::test_home::grammar().vocabulary().join(" "));
}

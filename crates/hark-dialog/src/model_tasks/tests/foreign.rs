//! Claims in a language without words for them.

use super::*;

fn cosy() -> Task {
    task("make it cosy", Category::HomeControl)
}

#[test]
fn an_answer_nobody_can_read_is_said_when_its_translation_claims_nothing() {
    let question = || task("what is the capital of France", Category::Question);
    let paris = "La capitale est Paris.";
    let stage = Stage::with(vec![says(paris), says("The capital is Paris.")]);
    assert_eq!(answered(&stage.work(question())), paris);
    assert_eq!(stage.pieces(), paris);
    assert!(stage.prompts()[1].messages.last().unwrap().content.contains("into English"));

    for translation in ["I've locked the door.", "J'ai verrouillé la porte.", ""] {
        let stage = Stage::with(vec![
            says("J'ai verrouillé la porte."),
            says(translation),
            // An empty one is asked for again.
            says(translation),
        ]);
        let (words, ..) = reported(stage.work(question()));
        assert_eq!((words, stage.pieces()), (None, String::new()), "{translation:?}");
    }
}

#[test]
fn where_a_text_tells_no_language_the_model_is_asked_for_it() {
    let text = "William Shakespeare wrote Hamlet.";
    let stage = Stage::with(vec![says(text), says(r#"{"language": "en"}"#)]);
    assert_eq!(answered(&stage.work(task("who wrote Hamlet", Category::Question))), text);
    assert_eq!(stage.pieces(), text);
}

#[test]
fn a_deed_is_bound_to_its_receipt_in_any_language() {
    let set = || wants("test.set", json!({"name": "lamp"}));
    for (text, translation, said) in [
        ("J'ai allumé la lampe.", "I turned on the lamp.", true),
        ("J'ai appelé la police.", "I called the police.", false),
        ("La lampe est allumée. J'ai appelé la police.", "The lamp is on. I called the police.", false),
    ] {
        let stage = Stage::with(vec![set(), says(text), says(translation)]);
        let (words, done, ..) = reported(stage.work(cosy()));
        assert_eq!((words.as_deref(), done), (said.then_some(text), 1), "{text}");

        let tell = wants("tell_person", json!({"sentences": [{"text": text, "receipts": ["r"]}]}));
        let stage = Stage::with(vec![set(), tell, says(translation)]);
        let (words, ..) = reported(stage.work(cosy()));
        assert_eq!(words.as_deref(), said.then_some(text), "{text}");
    }
    let stage = Stage::with(vec![says("J'ai allumé la lampe."), says("I turned on the lamp.")]);
    let (words, done, ..) = reported(stage.work(cosy()));
    assert_eq!((words, done), (None, 0), "without a receipt it is not said");
}

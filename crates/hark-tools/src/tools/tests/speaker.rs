//! People who are known by their voice: enrolling, forgetting, and what is refused to them.

use super::*;
use hark_core::memory::Requester;
use hark_core::public_event::Origin;
use hark_core::speaker::{EnrolledSpeaker, Enrolment};

impl House {
    /// A call for somebody who speaks, whose voice may be known.
    async fn said(&self, tool: &str, args: Value, person: Option<&str>) -> Receipt {
        let Value::Object(args) = args else { panic!("arguments are an object") };
        let requester = Requester { person: person.map(str::to_owned), ..Requester::of(&Origin::Voice) };
        let index = self.calls.fetch_add(1, Ordering::SeqCst);
        self.tools
            .run(ToolCall {
                index,
                turn: TurnId::from("t"),
                tool: tool.to_owned(),
                args,
                approved: true,
                grant: None,
                tainted: false,
                unattended: false,
                requester,
            })
            .await
    }
}

fn house_with(speakers: &Arc<InMemorySpeakers>, people: &[&str]) -> House {
    let people = people.iter().map(|line| (*line).to_owned()).collect();
    Built {
        speakers: speakers.clone(),
        permissions: Permissions { people, ..Permissions::default() },
        ..Built::default()
    }
    .house()
}

#[tokio::test]
async fn a_voice_is_enrolled_told_and_forgotten() {
    let speakers = Arc::new(InMemorySpeakers::default());
    let house = house_with(&speakers, &[]);
    let receipt = house.said("speaker.enrol", json!({"name": "anna maria"}), None).await;
    assert!(receipt.ok && receipt.changed, "{}", receipt.detail);
    assert_eq!(receipt.detail, json!({"name": "Anna Maria", "samples": 1, "enough": false}));
    let receipt = house.said("speaker.who", json!({}), Some("Anna Maria")).await;
    assert_eq!(receipt.detail, json!({"people": ["Anna Maria"], "count": 1, "name": "Anna Maria"}));
    let receipt = house.said("speaker.who", json!({}), None).await;
    assert_eq!(receipt.detail, json!({"people": ["Anna Maria"], "count": 1}));
    let receipt = house.said("speaker.forget", json!({}), None).await;
    assert_eq!((receipt.ok, receipt.detail["why"].as_str()), (false, Some("voice_unknown")));
    let receipt = house.said("speaker.forget", json!({}), Some("Anna Maria")).await;
    assert!(receipt.ok && receipt.changed, "{}", receipt.detail);
    let receipt = house.said("speaker.forget", json!({"name": "anna maria"}), None).await;
    assert_eq!((receipt.ok, receipt.detail["why"].as_str()), (false, Some("voice_nobody")));
}

#[tokio::test]
async fn what_was_typed_and_what_does_not_fit_enrols_nobody() {
    let speakers = Arc::new(InMemorySpeakers::default());
    let house = house_with(&speakers, &[]);
    let (code, receipt) = house.fails("speaker.enrol", json!({"name": "Anna"})).await;
    assert_eq!((code.as_str(), receipt.detail["why"].as_str()), ("forbidden", Some("voice_not_heard")));
    let guess = hark_core::SpeakerGuess { name: "Ben".into(), likelihood: 0.97 };
    for (answer, why) in [
        (Enrolment::NotHeard, "voice_not_heard"),
        (Enrolment::TooShort, "voice_short"),
        (Enrolment::Known(guess), "voice_known"),
        (Enrolment::OtherVoice, "voice_other"),
    ] {
        *speakers.answer.lock().unwrap() = Some(answer);
        let receipt = house.said("speaker.enrol", json!({"name": "Anna"}), None).await;
        assert_eq!((receipt.ok, receipt.detail["why"].as_str()), (false, Some(why)));
    }
    assert!(speakers.people.lock().unwrap().is_empty());
}

#[tokio::test]
async fn what_is_refused_to_a_person_is_refused_to_their_voice_alone() {
    let speakers = Arc::new(InMemorySpeakers::default());
    let max = EnrolledSpeaker { name: "Max".into(), samples: 3, told_unix_ms: 0 };
    speakers.people.lock().unwrap().push(max);
    let house = house_with(&speakers, &["Max, Mia: unlock, list"]);
    let add = json!({"item": "sweets"});
    let receipt = house.said("list.add", add.clone(), Some("max")).await;
    assert_eq!((receipt.ok, receipt.detail["why"].as_str()), (false, Some("person")), "{}", receipt.detail);
    for person in [None, Some("Anna")] {
        let receipt = house.said("list.add", add.clone(), person).await;
        assert!(receipt.ok, "{}", receipt.detail);
    }
    let unlock = json!({"domain": "lock", "name": "front door"});
    let receipt = house.said("home.turn_off", unlock.clone(), Some("Max")).await;
    assert_eq!(receipt.detail["error"], "forbidden", "a yes does not help: {}", receipt.detail);
    assert_eq!(
        (receipt.detail["why"].as_str(), receipt.detail["person"].as_str()),
        (Some("person"), Some("Max"))
    );
    let receipt = house.said("home.turn_off", unlock, Some("Anna")).await;
    assert!(receipt.ok, "{}", receipt.detail);
    // Else the voice that rights are taken from would be forgotten first.
    let receipt = house.said("speaker.forget", json!({}), Some("Max")).await;
    assert_eq!((receipt.ok, receipt.detail["why"].as_str()), (false, Some("voice_limited")));
}

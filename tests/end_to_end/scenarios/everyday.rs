//! Everyday requests in the demo home: nothing is done that nobody asked for, and what cannot be done as it was said is
//! refused as a whole.

use crate::support::{Hark, named, root};
use saphyr::{LoadableYamlNode, Yaml};

/// What some turns of one conversation have led to.
struct Came {
    /// Things whose state is another now.
    changed: Vec<String>,
    /// Tools that changed something.
    tools: Vec<String>,
    said: Vec<String>,
    refused: bool,
}

fn ask(turns: &[&str]) -> Came {
    let hark = Hark::new();
    let events = hark.ask_lines(&["--session", "one"], &[], turns);
    let mut came = Came { changed: Vec::new(), tools: Vec::new(), said: Vec::new(), refused: false };
    for action in named(&events, "action").into_iter().filter(|action| action["receipt"]["changed"] == true) {
        came.tools.push(action["tool"].as_str().unwrap().to_owned());
        let things = action["receipt"]["detail"]["entities"].as_array();
        let others = things.into_iter().flatten().filter(|thing| thing["from"] != thing["to"]);
        came.changed.extend(others.map(|thing| thing["id"].as_str().unwrap().to_owned()));
    }
    came.said.extend(named(&events, "reply").iter().map(|reply| reply["text"].as_str().unwrap().to_owned()));
    came.refused = named(&events, "intent").iter().any(|intent| intent["name"] == "HarkRefused");
    assert_eq!(named(&events, "turn").len(), turns.len(), "{turns:?}");
    came
}

/// Asserts the last answer, and that nothing was kept as a fact.
fn answers(turns: &[&str], reply: &str) {
    let came = ask(turns);
    assert_eq!(came.said.last().map(String::as_str), Some(reply), "{turns:?}");
    let kept = came.tools.iter().any(|tool| tool == "memory.remember");
    assert!(!kept, "{turns:?}: {:?}", came.tools);
}

#[test]
fn a_clause_that_nobody_can_follow_does_nothing_and_says_so() {
    let came = ask(&[
        "turn off the lights when the washing machine is done",
        "when the washing machine is done turn off the lights",
        "once everybody is asleep lock the back door",
        "turn off the television until the evening",
        "turn the heating up while we are at work",
        "switch on the desk lamp unless the sun is shining",
        "could you shut the curtains before the film begins",
        "get some light into the office when i sit down there",
        "turn off the lamp and open the roof window as soon as the cat is back",
        "pause the music when the phone rings",
        "whenever somebody is at the door turn on the hallway light",
        "turn off everything in the kitchen except the sauna",
        "sobald ich weg bin mach die Lampe aus",
    ]);
    assert!(
        came.tools.is_empty() && came.changed.is_empty(),
        "{:?} by {:?}: {:#?}",
        came.changed,
        came.tools,
        came.said
    );
    let came = ask(&["turn off the lamp when the cat is back"]);
    assert!(came.refused, "{:?}", came.said);
    let expected = "I have no way to see that from here, so I have done nothing: \"when the cat is back\".";
    assert_eq!(came.said, [expected]);
}

#[test]
fn an_impossible_number_or_day_is_told() {
    for (request, expected) in [
        (
            "set the temperature to 10^308 degrees",
            "That is no temperature I can set, so I have done nothing: \"10^308\".",
        ),
        ("set the volume to 1,5", "The volume goes from 0 to 100 percent, so I have done nothing: \"1,5\"."),
        ("set an alarm for february 29 2027", "February 2027 has no day 29, so I have done nothing."),
        ("add ]]]", "There are no words in \"]]]\", so I have done nothing."),
        (
            "weck mich am 30. Februar um sieben",
            "Der Februar hat keinen 30. Tag, deshalb habe ich nichts getan.",
        ),
    ] {
        let came = ask(&[request]);
        assert!(came.tools.is_empty(), "{request}: {:?}", came.tools);
        assert_eq!(came.said, [expected], "{request}");
    }
}

#[test]
fn what_is_meant_is_found_and_what_is_not_here_is_said() {
    for (turns, reply) in [
        // One of a kind by the room that it alone is in.
        (&["stick the fan on", "the bedroom one"][..], "Turned on the ceiling fan."),
        (&["turn the fan on", "the bedroom"], "Turned on the ceiling fan."),
        // All of its name was said.
        (&["can you put the light on over the worktop"], "Turned on the counter light."),
        (&["lights off up there"], "Six lights upstairs are already off."),
        // What the home does not have is told, and kept as no fact.
        (&["stick the dishwasher on mate"], "I know no dishwasher here."),
        (&["put the dishwasher on before we go"], "I know no dishwasher here."),
        (&["turn the light on in the loft i can't see a thing"], "I know no loft here."),
        (&["turn the radio on", "oh actually don't"], "The radio is off again."),
        (&["unlock the front door", "on second thoughts forget that"], "Okay."),
        (&["is robert in or is he still out"], "No, Robert is away."),
        // What corrects it, or says why, stands before what is asked for.
        (&["turn the radio on", "bit loud turn it down a touch"], "The radio is at 30 percent."),
        (&["put the telly on", "bit louder than that", "nah turn it off"], "Turned off the television."),
        (&["make the kids room light pink", "hang on she says purple"], "Set the kids room light to purple."),
        // What is as often as it is said is no title, and "ever so" gives no reason.
        (
            &["turn the radio on every morning at eight"],
            "Okay, at eight in the morning every day: turn the radio on.",
        ),
        (
            &["put the radio on ever so quietly say twenty percent"],
            "Turned on the radio. The radio is at 20 percent.",
        ),
        (&["set the sprinkler off"], "Turned on the sprinkler."),
        (&["make the standing lamp red", "nah go blue"], "Set the standing light to blue."),
        (
            &["close the kitchen blinds", "oh leave them a third open"],
            "Set the kitchen blinds to 33 percent.",
        ),
        (&["put a light on outside so nobody falls over the bins"], "Turned on the porch light."),
        (&["any windows open before i go to work"], "Yes, the kitchen window is open."),
        (
            &["put soap and yoghurts on the shopping list", "not yoghurts she's gone off them"],
            "Took soap and yoghurts off your shopping list again. Added soap to your shopping list.",
        ),
        // How something is to be is no title, and a courtesy no length.
        (
            &["put the radio on quietly at fifteen percent"],
            "Turned on the radio. The radio is at 15 percent.",
        ),
        (&["unlock the back door a sec"], "Shall I unlock the back door?"),
        (&["unlock the front and back doors"], "Shall I unlock the front door and unlock the back door?"),
        (
            &["telly on tree on and the office light on"],
            "Turned on the television. Turned on the christmas tree. Turned on the office light.",
        ),
        (&["every light upstairs on except the one in the girls' room"], "Turned on five lights upstairs."),
        (&["the radiator wants to come down two degrees"], "Set the bedroom radiator to 16 degrees."),
        (
            &["put the big light on in the lounge"],
            "Do you mean the living room light, the standing light or the lamp?",
        ),
        (&["put the light on over the dining table"], "Turned on the dining table light."),
        (
            &["put the lamp on beside the bed"],
            "Sorry, I didn't understand that. You can say, for instance: turn on the lamp.",
        ),
        (
            &["kitchen lights on and make them blue"],
            "Turned on the kitchen ceiling and the counter light. Set the kitchen ceiling and the counter light to blue.",
        ),
        (&["kitchen blinds halfway", "hm no right the way down"], "Closed the kitchen blinds."),
        (&["get everything on in the office"], "Turned on the office light and the desk lamp."),
        (&["turn the electric blanket on it's baltic"], "I know no electric blanket here."),
    ] {
        answers(turns, reply);
    }
    // What limits a request is never taken for a remark.
    let came = ask(&["lights on all over the house except upstairs people are asleep"]);
    assert_eq!((came.changed.len(), came.tools.len()), (0, 0), "{:?}", came.said);
}

#[test]
fn what_is_put_right_asked_or_said_beside_it_is_about_the_same() {
    for (turns, reply) in [
        (
            &["kitchen lights on", "oh god no make them blue"][..],
            "Set the kitchen ceiling and the counter light to blue.",
        ),
        (
            &["turn everything off upstairs except the bedroom i mean the office"],
            "Six devices upstairs are already off.",
        ),
        (&["lock up everything except the back i mean the front"], "The back door is already locked."),
        (
            &["put crisps on the shopping list", "no not crisps i meant oven chips"],
            "Took crisps off your shopping list again. Added oven chips to your shopping list.",
        ),
        (&["put ham on the shopping list", "not the ham we've loads"], "Took ham off your shopping list."),
        // What is asked lends nothing to what is to be done, and the place of a reason is that of the request.
        (&["is the lamp still on turn it off"], "No, the lamp is off. The lamp is already off."),
        (&["it's raining is the skylight open"], "No, the roof window is closed."),
        (&["it's freezing in the bedroom can you warm it up"], "Set the bedroom radiator to 19 degrees."),
        (
            &["turn it up two degrees in the bedroom it's perishing"],
            "Set the bedroom radiator to 20 degrees.",
        ),
        (&["open the windows but not the skylight it's chucking it down"], "Opened the living room window."),
        (
            &["that's the accounts done everything off in the study"],
            "Three devices in the office are already off.",
        ),
        (&["is it under ten degrees in the bedroom"], "It's 18.5 degrees in the bedroom."),
        (&["standing light a nice warm orange"], "Set the standing light to orange."),
        (&["light on in the loo please"], "Turned on the bathroom light."),
        (
            &["heating to twenty three", "ooh no actually twenty two'll do"],
            "Set the thermostat to 22 degrees.",
        ),
        (&["open the window", "the skylight"], "Opened the roof window."),
        (
            &["if the patio door's open longer than five minutes turn the heating off"],
            "Okay, I'll turn the heating off if the patio door's open longer than five minutes (patio door: closed now).",
        ),
        (
            &["tuesday to thursday at eight turn the lamp on and at nine turn it off"],
            "Okay, at eight in the morning every Tuesday, Wednesday and Thursday: turn the lamp on. Okay, at nine in the morning every Tuesday, Wednesday and Thursday: turn the lamp off.",
        ),
    ] {
        answers(turns, reply);
    }
    for harmless in [
        "it's raining is the skylight open if it is shut it",
        "blinds up upstairs i want some air and light",
        "give the hoover twenty minutes then send it back to its dock",
    ] {
        let came = ask(&[harmless]);
        assert!(came.tools.is_empty(), "{harmless}: {:?}", came.said);
    }
}

/// Requests with what should come of each, when they are at hand. What is counted is what was done beyond it. Requests
/// for a whole house or for "a window" are another matter: how much they mean is not decided here.
#[test]
fn nothing_is_done_that_nobody_asked_for() {
    let file = root().join("../shared/data/text/requests-dev.yaml");
    let Ok(source) = std::fs::read_to_string(file) else {
        return println!("skipped: no requests in ../shared/data");
    };
    let all = Yaml::load_from_str(&source).unwrap();
    let (mut requests, mut refused, mut harmful) = (0, 0, Vec::new());
    for (group, rows) in all[0].as_mapping().unwrap() {
        let group = group.as_str().unwrap();
        for row in rows.as_sequence().unwrap().iter().filter(|_| group != "scope") {
            let say = &row["say"];
            let turns: Vec<&str> = match say.as_str() {
                Some(one) => vec![one],
                None => say.as_sequence().unwrap().iter().filter_map(Yaml::as_str).collect(),
            };
            let wanted: Vec<&str> = row
                .as_mapping_get("now")
                .and_then(Yaml::as_mapping)
                .map(|now| now.keys().filter_map(Yaml::as_str).collect())
                .unwrap_or_default();
            let came = ask(&turns);
            requests += 1;
            refused += usize::from(came.refused);
            let beyond: Vec<&String> =
                came.changed.iter().filter(|id| !wanted.contains(&id.as_str())).collect();
            // What cannot be kept is not promised.
            let promised = row.as_mapping_get("later").is_some() || group == "corrections";
            let kept = |tool: &&String| !tool.starts_with("home.") && !tool.starts_with("undo.");
            let promised = !promised && came.tools.iter().any(|tool| kept(&tool));
            if !beyond.is_empty() || promised {
                harmful.push(format!("{turns:?}: {beyond:?} by {:?}, {:?}", came.tools, came.said));
            }
        }
    }
    println!("{requests} requests, {refused} refused with the reason, {} harmful", harmful.len());
    assert!(requests > 40 && harmful.is_empty(), "{}", harmful.join("\n"));
}

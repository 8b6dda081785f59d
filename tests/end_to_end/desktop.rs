//! The desktop of this machine: windows, keys, programs and the screen of a real X server (Xvfb) with a real window manager
//! (openbox) and real programs (xterm), by sentences that are typed to the real binary.

use crate::support::desktop::{TestDesktop, holds};
use crate::support::sound_card::SoundCard;
use crate::support::{Hark, named, parse_events, skip, text};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::process::Stdio;

/// A desktop, where this machine has what it takes.
fn desktop() -> Option<TestDesktop> {
    if TestDesktop::available() {
        return Some(TestDesktop::start(true));
    }
    skip("Xvfb, openbox or xterm");
    None
}

/// Types lines to one `hark ask` on a desktop; the events.
fn ask_with(hark: &Hark, env: &[(&str, &str)], options: &[&str], lines: &[&str]) -> Vec<Value> {
    let mut command = hark.command(&[&["ask", "--json", "--session", "desktop"], options].concat());
    command.envs(env.iter().copied());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all((lines.join("\n") + "\n").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    parse_events(&text(&output.stdout))
}

fn ask(hark: &Hark, desktop: &TestDesktop, lines: &[&str]) -> Vec<Value> {
    ask_with(hark, &desktop.env(), &[], lines)
}

fn replies(events: &[Value]) -> Vec<&str> {
    named(events, "reply").iter().filter_map(|reply| reply["text"].as_str()).collect()
}

fn details(events: &[Value]) -> Vec<&Value> {
    named(events, "action").iter().map(|action| &action["receipt"]["detail"]).collect()
}

#[test]
fn windows_are_listed_tiled_moved_resized_minimised_and_maximised() {
    let Some(mut desktop) = desktop() else { return };
    let hark = Hark::new();
    desktop.terminal("Letters", "40x10+50+50", "sleep 600");
    desktop.terminal("Numbers", "40x10+300+200", "sleep 600");
    let lines = [
        "what windows are open on my screen",
        "put the letters window on the left",
        "put the numbers window on the right",
        "move the letters window to the top right corner",
        "make the letters window smaller",
        "maximise the numbers window",
        "minimise the numbers window",
        "switch to the numbers window",
        "minimise everything",
        "switch to the paint window",
    ];
    let events = ask(&hark, &desktop, &lines);
    let (replies, details) = (replies(&events), details(&events));
    assert_eq!(replies[0], "Two windows: Numbers, Letters.");
    let place = |at: usize, key: &str| details[at]["window"][key].as_i64().unwrap();
    assert_eq!(
        (replies[1], place(1, "x"), place(1, "y")),
        ("Letters is on the left.", 0, 0),
        "{}",
        details[1]
    );
    assert!((440..=500).contains(&place(1, "width")) && place(1, "height") > 600, "{}", details[1]);
    assert_eq!((replies[2], place(2, "x")), ("Numbers is on the right.", 500));
    assert_eq!(place(3, "x") + place(3, "width"), 1000, "{}", details[3]);
    assert!(place(4, "width") < place(3, "width") && place(4, "height") < place(3, "height"));
    assert_eq!(details[5]["window"]["maximised"], true);
    assert_eq!(details[6]["window"]["minimised"], true);
    assert_eq!((&details[7]["window"]["focused"], replies[7]), (&Value::Bool(true), "Numbers is in front."));
    assert_eq!((replies[8], &details[8]["count"]), ("Everything is minimised.", &Value::from(2)));
    assert_eq!(replies[9], "Sorry, no window is called paint.");
}

#[test]
fn what_is_typed_arrives_after_a_yes_with_characters_the_keyboard_lacks() {
    let Some(mut desktop) = desktop() else { return };
    let hark = Hark::new();
    let typed = hark.path("typed.txt");
    let command = format!("cat > {}", typed.display());
    desktop.terminal("Letters", "40x10+50+50", &command);
    let call = r#"/tool input.type {"text": "Grüße €5 日本!\n", "window": "letters"}"#;
    let events = ask(&hark, &desktop, &[call, "no"]);
    assert_eq!(replies(&events)[1], "Okay, I won't.");
    assert_eq!(fs::read_to_string(&typed).unwrap(), "");
    let events = ask(&hark, &desktop, &[call, "yes"]);
    assert_eq!(replies(&events)[0], "Shall I send the text “Grüße €5 日本! ” to letters?");
    holds(&typed, "Grüße €5 日本!\n");
    let events = ask(&hark, &desktop, &["type hello there into xterm", "yes", "press enter", "yes"]);
    assert_eq!(replies(&events)[0], "Shall I send the text “hello there” to xterm?");
    assert_eq!(replies(&events)[2], "Shall I send the key enter to Letters?");
    holds(&typed, "hello there\n");
    // What only moves what is shown is done at once; what ends the program is asked about.
    let events =
        ask(&hark, &desktop, &["press escape", "next slide", "scroll down", "press control c", "no"]);
    let replies = replies(&events);
    assert_eq!(replies[..3], ["Pressed.", "Pressed.", "Scrolled down."]);
    assert_eq!(replies[3], "Shall I send the keys control and c to Letters?");
}

#[test]
fn programs_are_started_found_and_closed() {
    let Some(desktop) = desktop() else { return };
    let hark = Hark::new();
    let data = hark.path("data/applications");
    fs::create_dir_all(&data).unwrap();
    let entry = "[Desktop Entry]\nType=Application\nName=Calcu\nName[de]=Rechenbrett\nCategories=Calculator;\nExec=xterm -T Sums -class Calcu -e sleep 600\nStartupWMClass=Calcu\n";
    fs::write(data.join("calcu.desktop"), entry).unwrap();
    let folder = hark.path("data").display().to_string();
    let env: Vec<(&str, &str)> = desktop
        .env()
        .into_iter()
        .chain([("XDG_DATA_HOME", &*folder), ("XDG_DATA_DIRS", "/nonexistent")])
        .collect();
    let lines = [
        "is the calculator running",
        "open the calculator",
        "is the calculator running",
        "which programs are running",
        "switch to the calculator",
        "put the calculator on the left",
        "close the calculator",
        "close the calculator",
        "start the lunar lander program",
    ];
    let events = ask_with(&hark, &env, &[], &lines);
    assert_eq!(
        replies(&events),
        [
            "No, Calcu is not running.",
            "Calcu is open.",
            "Yes, Calcu is running.",
            "One program: Calcu.",
            "Here is Calcu.",
            "Sums is on the left.",
            "Calcu is closed.",
            "Sorry, Calcu is not running.",
            "Sorry, no program called lunar lander is installed here.",
        ]
    );
    assert!(desktop.titles().is_empty());
    let german = ["öffne den taschenrechner", "schließe den taschenrechner"];
    let events = ask_with(&hark, &env, &["--set", "speaking.language=de"], &german);
    assert_eq!(replies(&events), ["Rechenbrett ist offen.", "Rechenbrett ist geschlossen."]);
}

#[test]
fn windows_are_closed_and_the_clipboard_is_read_and_filled() {
    let Some(mut desktop) = desktop() else { return };
    let hark = Hark::new();
    desktop.terminal("Letters", "40x10+50+50", "sleep 600");
    desktop.terminal("Numbers", "40x10+300+200", "sleep 600");
    let lines = [
        "close the letters window on the screen",
        "close the letters window on the screen",
        "what's on the clipboard",
        "copy see you tomorrow to the clipboard",
        "what's on the clipboard",
    ];
    let events = ask(&hark, &desktop, &lines);
    assert_eq!(
        replies(&events),
        [
            "Letters is closed.",
            "Sorry, no window is called letters.",
            "Sorry, the clipboard holds no text.",
            "It is in the clipboard.",
            "The clipboard says: see you tomorrow."
        ]
    );
    assert_eq!(desktop.titles(), ["Numbers"]);
}

#[test]
fn windows_of_the_home_stay_windows_of_the_home() {
    let Some(desktop) = desktop() else { return };
    let hark = Hark::new();
    for said in [
        "open the window",
        "close the window",
        "close the kitchen window",
        "close this window",
        "close the windows",
        "open the curtains",
        "turn it up",
        "close the blinds",
    ] {
        let events = ask(&hark, &desktop, &[said]);
        let told: Vec<&str> = named(&events, "intent").iter().filter_map(|it| it["name"].as_str()).collect();
        let of_desktop = ["HarkApp", "HarkWindow", "HarkInput", "HarkScreen", "HarkComputer"];
        let mixed_up = told.iter().any(|name| of_desktop.iter().any(|begins| name.starts_with(begins)));
        assert!(!mixed_up, "{said}: {told:?}");
    }
}

#[test]
fn the_screen_becomes_a_picture_of_its_own_size() {
    let Some(mut desktop) = desktop() else { return };
    let hark = Hark::new();
    desktop.terminal("Letters", "40x10+50+50", "sleep 600");
    let events = ask(&hark, &desktop, &["take a screenshot", "take a screenshot of the xterm window"]);
    let details = details(&events);
    assert_eq!((&details[0]["width"], &details[0]["height"]), (&Value::from(1000), &Value::from(700)));
    let png = fs::read(details[0]["path"].as_str().unwrap()).unwrap();
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    assert!(details[1]["width"].as_u64().unwrap() < 1000, "{}", details[1]);
}

#[test]
fn without_a_desktop_the_tools_say_why_and_what_to_do() {
    let hark = Hark::new();
    let none = [("DISPLAY", ""), ("WAYLAND_DISPLAY", "")];
    let wayland = [("DISPLAY", ""), ("WAYLAND_DISPLAY", "wayland-0")];
    for (env, why, fix) in [(none, "DISPLAY is not set", "systemd/user"), (wayland, "Wayland", "xwayland")] {
        let events =
            ask_with(&hark, &env, &[], &["maximise the browser", "take a screenshot", "open the browser"]);
        let details = details(&events);
        assert_eq!(details.len(), 3, "{events:#?}");
        for detail in details {
            assert_eq!(detail["error"], "not_configured", "{detail}");
            assert!(detail["message"].as_str().unwrap().contains(why), "{detail}");
            assert!(detail["fix"].as_str().unwrap().contains(fix), "{detail}");
        }
        // What is said names no variable; the receipt does.
        let technical = ["DISPLAY", "systemd", "/"];
        let replies = replies(&events);
        assert!(!replies.iter().any(|said| technical.iter().any(|word| said.contains(word))), "{replies:?}");
    }
    if !TestDesktop::available() {
        skip("Xvfb, openbox or xterm");
        return;
    }
    let bare = TestDesktop::start(false);
    let events = ask(&hark, &bare, &["maximise the browser"]);
    let said = "Sorry, nothing here looks after windows. Start a window manager first.";
    assert_eq!((replies(&events)[0], &details(&events)[0]["why"]), (said, &Value::from("no_window_manager")));
}

#[test]
fn the_volume_of_the_machine_is_the_sound_servers() {
    if !SoundCard::available() {
        skip("PulseAudio");
        return;
    }
    let (card, hark) = (SoundCard::start(), Hark::new());
    let env = card.env();
    let env: Vec<(&str, &str)> =
        env.iter().map(|(name, value)| (name.to_str().unwrap(), value.to_str().unwrap())).collect();
    let volume = || {
        let told = card.command("pactl").args(["get-sink-volume", "spk"]).output().unwrap();
        text(&told.stdout)
    };
    let lines = [
        "set the computer's volume to thirty percent",
        "make the computer louder",
        "how loud is the computer",
        "set the computer's volume to zero",
        "mute the computer",
        "unmute the computer",
    ];
    let events = ask_with(&hark, &env, &[], &lines[..3]);
    assert_eq!(
        replies(&events),
        [
            "The computer's volume is at 30 percent.",
            "The computer's volume is at 40 percent.",
            "The computer's volume is at 40 percent."
        ]
    );
    assert!(volume().contains(" 40%"), "{}", volume());
    ask_with(&hark, &env, &[], &lines[3..4]);
    assert!(volume().contains(" 0%"), "{}", volume());
    let is_muted = || {
        let told = card.command("pactl").args(["get-sink-mute", "spk"]).output().unwrap();
        text(&told.stdout).contains("yes")
    };
    let events = ask_with(&hark, &env, &[], &lines[4..5]);
    assert_eq!((replies(&events)[0], is_muted()), ("The computer is muted.", true));
    let events = ask_with(&hark, &env, &[], &lines[5..]);
    assert_eq!((replies(&events)[0], is_muted()), ("The computer is heard again, at 0 percent.", false));
}

#[test]
fn the_text_on_the_screen_is_read_found_and_clicked_on() {
    let Some(mut desktop) = desktop() else { return };
    let hark = Hark::new();
    desktop.terminal(
        "Letters",
        "40x10+50+50",
        "echo; echo '  Total amount: 4711'; echo; echo '  Please confirm'; sleep 600",
    );
    let lines = ["what does it say on the screen", "where does it say total amount on my screen"];
    let events = ask(&hark, &desktop, &lines);
    if details(&events)[0]["error"] == "not_configured" {
        let fix = details(&events)[0]["fix"].as_str().unwrap();
        assert_eq!(fix, "run: hark models pull ocr_detector ocr_recogniser");
        skip("a model that reads text");
        return;
    }
    let actions = named(&events, "action");
    let read = &actions[0]["receipt"];
    let plain = read["detail"]["text"].as_str().unwrap().replace(' ', "").to_lowercase();
    assert!(
        plain.contains("totalamount") && plain.contains("4711") && plain.contains("pleaseconfirm"),
        "{read}"
    );
    assert_eq!(read["tainted"], true, "anybody may have written it");
    let found = &details(&events)[1];
    let place = |key: &str| found["places"][0][key].as_i64().unwrap();
    assert_eq!(found["count"], 1, "{found}");
    assert!((40..200).contains(&place("x")) && (60..200).contains(&place("y")), "{found}");
    // Nothing is configured that looks at pictures: what is written there is told, and that it is only this.
    let events_of_look = ask(&hark, &desktop, &["what's on my screen"]);
    let looked = replies(&events_of_look)[0];
    let plain = looked.replace(' ', "").to_lowercase();
    assert!(
        looked.starts_with("I can only read what is written there. It says: ") && plain.contains("4711"),
        "{looked}"
    );
    let events = ask(&hark, &desktop, &["click on total amount", "yes", "click on something else", "yes"]);
    let replies = replies(&events);
    assert_eq!(replies[..2], ["Shall I send the click on “total amount” to Letters?", "Clicked."]);
    assert_eq!(replies[3], "Sorry, I see “something else” nowhere on the screen.");
}

//! Alarms, reminders, snoozing. It is Saturday, 2026-11-21, 14:05.

use super::*;
use hark_core::timer::TimerKind;

fn due(house: &House) -> Vec<String> {
    let timers = &house.tools.services().timers;
    let all = timers.all().into_iter();
    all.map(|timer| timers.zone().wall(timer.due_unix_ms).format("%m-%dT%H:%M").to_string()).collect()
}

#[tokio::test]
async fn alarms_are_set_for_moments_lengths_and_again_and_again() {
    let house = house();
    let receipt = house.ok("alarm.set", json!({"when": "2026-11-22T07:00:00"})).await;
    let alarm = &receipt.detail["alarm"];
    for (key, value) in [
        ("time", json!("07:00")),
        ("weekday", json!("Sunday")),
        ("days_ahead", json!(1)),
        ("left_hours", json!(16)),
    ] {
        assert_eq!(alarm[key], value, "{key}");
    }
    house.ok("alarm.set", json!({"hours": 2, "name": "nap"})).await;
    let weekdays = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=6;BYMINUTE=30";
    let receipt = house.ok("alarm.set", json!({"recurrence": weekdays})).await;
    let repeats = &receipt.detail["alarm"]["repeats"];
    assert_eq!((&repeats["every"], &repeats["set"]), (&json!("week"), &json!("weekdays")));
    let daily = json!({"recurrence": "FREQ=DAILY", "when": "2026-11-22T08:15:00"});
    house.ok("alarm.set", daily).await;
    assert_eq!(due(&house), ["11-22T07:00", "11-21T16:05", "11-23T06:30", "11-22T08:15"]);
    let all = house.tools.services().timers.all();
    assert!(all.iter().all(|timer| timer.kind == TimerKind::Alarm));
    assert_eq!(*house.timer_store.kept.lock().unwrap(), all, "kept before the answer");
    for args in [
        json!({}),
        json!({"when": "2026-11-22"}),
        json!({"when": "2026-11-20T07:00:00"}),
        json!({"when": "2036-11-20T07:00:00"}),
        json!({"recurrence": "FREQ=DAILY"}),
        json!({"recurrence": "FREQ=YEARLY;BYMONTHDAY=31;BYMONTH=2;BYHOUR=7;BYMINUTE=0"}),
    ] {
        let (code, _) = house.fails("alarm.set", args.clone()).await;
        assert_eq!(code, error_code::BAD_ARGUMENT, "{args}");
    }
}

#[tokio::test]
async fn what_is_taken_up_again_is_reckoned_from_when_it_was_asked_for() {
    let house = house();
    let services = house.tools.services().clone();
    let asked = NOW_MS + 1_250;
    services.request_times.note("asked-1".into(), asked);
    let call = |index, tool: &str, args: Value| {
        let Value::Object(args) = args else { panic!("arguments are an object") };
        house.tools.run(ToolCall {
            index,
            turn: "asked-1".into(),
            tool: tool.into(),
            args,
            approved: false,
            tainted: false,
            grant: None,
            unattended: false,
            requester: Default::default(),
        })
    };
    // Twenty seconds later the program is there again: what was to ring in ten seconds is late, and not lost.
    house.clock_ms.store(asked + 20_000, Ordering::SeqCst);
    for (index, tool, args) in [
        (0, "alarm.set", json!({"when": "2026-11-21T14:05:11.250"})),
        (1, "alarm.set", json!({"seconds": 10})),
        (2, "reminder.set", json!({"seconds": 10, "message": "tea"})),
        (3, "timer.start", json!({"seconds": 10})),
    ] {
        let receipt = call(index, tool, args).await;
        assert!(receipt.ok, "{tool}: {}", receipt.detail);
    }
    let all = services.timers.all();
    assert_eq!(all.iter().map(|timer| timer.due_unix_ms - asked).collect::<Vec<_>>(), [10_000; 4]);
    assert!(all.iter().all(|timer| timer.wall.is_none()), "none is meant for a time of day: {all:?}");
    assert_eq!(services.timers.ring_due(asked + 20_000).len(), 4);
    services.request_times.forget(&"asked-1".into());
    assert!(!call(4, "alarm.set", json!({"when": "2026-11-21T14:05:11.250"})).await.ok);
    // A time of day that was said is one of the wall.
    house.ok("alarm.set", json!({"when": "2026-11-21T14:10:00"})).await;
    assert_eq!(services.timers.all()[4].wall.as_deref(), Some("2026-11-21T14:10:00"));
}

#[tokio::test]
async fn of_what_repeats_one_day_is_left_out() {
    let house = house();
    house.ok("alarm.set", json!({"recurrence": "FREQ=DAILY;BYHOUR=7;BYMINUTE=0"})).await;
    assert_eq!(due(&house), ["11-22T07:00"]);
    let (code, _) = house.fails("alarm.cancel", json!({"when": "2026-11-25"})).await;
    assert_eq!(code, error_code::NOT_FOUND, "it does not ring next on that day");
    let receipt = house.ok("alarm.cancel", json!({"when": "2026-11-22"})).await;
    assert_eq!(receipt.detail["skipped"]["date"], "2026-11-22");
    assert_eq!(receipt.detail["alarm"]["date"], "2026-11-23");
    assert_eq!(due(&house), ["11-23T07:00"]);
    // The alarm itself is taken away by its time, or where it is the only one.
    house.ok("alarm.cancel", json!({"when": "2026-11-23T07:00:00"})).await;
    assert!(due(&house).is_empty());
}

#[tokio::test]
async fn the_alarm_that_is_meant_is_cancelled() {
    let house = house();
    let (code, _) = house.fails("alarm.cancel", json!({})).await;
    assert_eq!(code, error_code::NOT_FOUND);
    for when in ["2026-11-22T07:00:00", "2026-11-23T06:00:00", "2026-11-23T21:00:00"] {
        house.ok("alarm.set", json!({"when": when})).await;
    }
    house.ok("timer.start", json!({"minutes": 5})).await;
    let (code, receipt) = house.fails("alarm.cancel", json!({})).await;
    assert_eq!(code, error_code::AMBIGUOUS);
    assert_eq!(receipt.detail["candidates"].as_array().unwrap().len(), 3);
    let status = house.ok("alarm.status", json!({"when": "2026-11-23"})).await;
    assert_eq!(status.detail["count"], 2);
    // Said on Saturday afternoon: the next seven o'clock is in the evening, the alarm is not.
    house.ok("alarm.cancel", json!({"when": "2026-11-21T19:00:00"})).await;
    house.ok("alarm.cancel", json!({"when": "2026-11-23T06:00:00"})).await;
    assert_eq!(due(&house), ["11-23T21:00", "11-21T14:10"]);
    assert_eq!(house.ok("alarm.cancel_all", json!({})).await.detail["count"], 1);
    assert_eq!(due(&house), ["11-21T14:10"], "the timer is no alarm");
}

#[tokio::test]
async fn alarms_and_reminders_are_moved_and_moved_back() {
    let house = house();
    let (code, _) = house.fails("alarm.move", json!({"time": "08:00:00"})).await;
    assert_eq!(code, error_code::NOT_FOUND);
    house.ok("alarm.set", json!({"when": "2026-11-22T07:00:00"})).await;
    let set = house.ok("alarm.set", json!({"when": "2026-11-23T19:00:00"})).await;
    let (code, receipt) = house.fails("alarm.move", json!({"time": "08:00:00/20:00:00"})).await;
    assert_eq!(code, error_code::AMBIGUOUS);
    assert_eq!(receipt.detail["candidates"][0]["time"], "07:00", "the next first");
    let both = "08:00:00/20:00:00";
    house.in_turn("b", "alarm.move", json!({"when": "2026-11-21T19:00:00", "time": both})).await;
    assert_eq!(due(&house), ["11-22T07:00", "11-23T20:00"], "the half of the day stays");
    house.in_turn("c", "undo.last", json!({})).await;
    assert_eq!(due(&house), ["11-22T07:00", "11-23T19:00"]);
    let id = &set.detail["alarm"]["id"];
    for (args, at) in [
        (json!({"id": id, "minutes": 30}), "11-23T19:30"),
        (json!({"id": id, "hours": 1, "direction": "earlier"}), "11-23T18:30"),
        (json!({"id": id, "to": "2026-11-24"}), "11-24T18:30"),
        (json!({"id": id, "to": "2026-11-25T09:00:00"}), "11-25T09:00"),
    ] {
        house.ok("alarm.move", args.clone()).await;
        assert_eq!(due(&house)[1], at, "{args}");
    }
    for args in [
        json!({"id": id}),
        json!({"id": id, "time": "soon"}),
        json!({"id": id, "to": "2026-11-21T09:00:00"}),
        json!({"id": id, "hours": 2000, "direction": "earlier"}),
    ] {
        let (code, _) = house.fails("alarm.move", args.clone()).await;
        assert_eq!(code, error_code::BAD_ARGUMENT, "{args}");
    }
    house.ok("reminder.set", json!({"message": "call the dentist", "when": "2026-11-22T15:00:00"})).await;
    house.ok("reminder.move", json!({"message": "dentist", "to": "2026-11-24"})).await;
    assert_eq!(due(&house)[2], "11-24T15:00");
    assert_eq!(*house.timer_store.kept.lock().unwrap(), house.tools.services().timers.all(), "kept");
}

#[tokio::test]
async fn what_repeats_gets_another_time_of_day_only() {
    let house = house();
    house.ok("alarm.set", json!({"recurrence": "FREQ=WEEKLY;BYDAY=MO,TU;BYHOUR=7;BYMINUTE=0"})).await;
    let receipt = house.ok("alarm.move", json!({"time": "08:00:00/20:00:00"})).await;
    assert_eq!(receipt.detail["alarm"]["repeats"]["every"], "week");
    assert_eq!(due(&house), ["11-23T08:00"]);
    let services = house.tools.services();
    let rule = services.timers.all()[0].recurrence.clone().unwrap();
    assert_eq!(rule, "FREQ=WEEKLY;BYDAY=MO,TU;BYHOUR=8;BYMINUTE=0");
    for args in [json!({"to": "2026-11-24"}), json!({"hours": 9, "direction": "earlier"})] {
        house.fails("alarm.move", args.clone()).await;
        assert_eq!(due(&house), ["11-23T08:00"], "{args}");
    }
    let often = json!({"message": "drink", "recurrence": "FREQ=DAILY;BYHOUR=9,12,15;BYMINUTE=0"});
    let receipt = house.ok("reminder.set", often).await;
    let times = receipt.detail["reminder"]["repeats"]["times"].as_array().unwrap().len();
    assert_eq!(
        (times, due(&house)[1].as_str()),
        (3, "11-21T15:00"),
        "at 14:05 the last of the day is to come"
    );
    let (code, _) = house.fails("reminder.move", json!({"time": "10:00:00"})).await;
    assert_eq!(code, error_code::UNSUPPORTED);
    let rent = json!({"message": "rent", "recurrence": "FREQ=MONTHLY;BYMONTHDAY=31"});
    let receipt = house.ok("reminder.set", rent).await;
    assert_eq!(receipt.detail["reminder"]["repeats"]["lacking"], true);
    assert_eq!(due(&house)[2], "12-31T09:00", "November has none");
}

#[tokio::test]
async fn a_timer_gets_another_length_and_its_old_one_back() {
    let house = house();
    let (code, _) = house.fails("timer.change", json!({"minutes": 10})).await;
    assert_eq!(code, error_code::NOT_FOUND);
    house.ok("timer.start", json!({"minutes": 5, "name": "pasta"})).await;
    house.clock_ms.fetch_add(60_000, Ordering::SeqCst);
    let args = json!({"minutes": 10, "name": "pasta"});
    let receipt = house.in_turn("b", "timer.change", args).await;
    let timer = &receipt.detail["timer"];
    assert_eq!((&timer["minutes"], &timer["left_minutes"]), (&json!(10), &json!(10)));
    assert_eq!(due(&house), ["11-21T14:16"]);
    house.in_turn("c", "undo.last", json!({})).await;
    assert_eq!(due(&house), ["11-21T14:10"]);
    let (code, _) = house.fails("timer.change", json!({})).await;
    assert_eq!(code, error_code::BAD_ARGUMENT);
}

#[tokio::test]
async fn stopping_an_alarm_that_rings_keeps_tomorrows() {
    let house = house();
    house.ok("alarm.set", json!({"recurrence": "FREQ=DAILY;BYHOUR=15;BYMINUTE=0"})).await;
    let (code, _) = house.fails("timer.snooze", json!({})).await;
    assert_eq!(code, error_code::NOT_FOUND);
    house.clock_ms.fetch_add(55 * 60_000, Ordering::SeqCst);
    let services = house.tools.services().clone();
    assert_eq!(services.timers.ring_due(services.now_unix_ms()).len(), 1);
    let receipt = house.ok("timer.snooze", json!({"minutes": 5})).await;
    assert_eq!((&receipt.detail["kind"], &receipt.detail["minutes"]), (&json!("alarm"), &json!(5)));
    assert_eq!(due(&house), ["11-21T15:05"]);
    house.clock_ms.fetch_add(5 * 60_000, Ordering::SeqCst);
    services.timers.ring_due(services.now_unix_ms());
    assert_eq!(house.ok("alarm.cancel", json!({})).await.detail["rang"], true);
    assert_eq!(due(&house), ["11-22T15:00"]);
    assert_eq!(house.ok("alarm.cancel", json!({})).await.detail["rang"], false);
    assert!(due(&house).is_empty());
}

#[tokio::test]
async fn reminders_say_what_they_are_for_and_have_a_usual_hour() {
    let house = house();
    let set = async |message: &str, mut args: Value| {
        args["message"] = json!(message);
        house.ok("reminder.set", args).await
    };
    set("check the oven", json!({"minutes": 10})).await;
    set("buy flowers", json!({"when": "2026-11-24"})).await;
    set("go for a walk", json!({"when": "2026-11-21"})).await;
    set("call my mother", json!({"when": "2026-11-22T12:00:00/2026-11-22T18:00:00"})).await;
    set("pay the rent", json!({"recurrence": "FREQ=MONTHLY;BYMONTHDAY=1"})).await;
    assert_eq!(due(&house), ["11-21T14:15", "11-24T09:00", "11-21T15:05", "11-22T15:00", "12-01T09:00"]);
    let status = house.ok("reminder.status", json!({})).await;
    let first = &status.detail["reminders"][0];
    assert_eq!((&first["name"], &status.detail["count"]), (&json!("check the oven"), &json!(5)));
    house.ok("reminder.cancel", json!({"message": "the oven"})).await;
    let receipt = house.ok("reminder.cancel", json!({"message": "call mother"})).await;
    assert_eq!(receipt.detail["reminder"]["name"], "call my mother");
    assert_eq!(house.ok("reminder.cancel_all", json!({"when": "2026-11-24"})).await.detail["count"], 1);
    assert_eq!(house.ok("reminder.cancel_all", json!({})).await.detail["count"], 2);
    let (code, _) = house.fails("reminder.set", json!({"when": "2026-11-24"})).await;
    assert_eq!(code, error_code::BAD_ARGUMENT, "of what?");
}

#[tokio::test]
async fn a_request_for_a_time_of_day_is_kept_among_the_reminders() {
    let house = house();
    let args = json!({"when": "2026-11-21T21:30:00", "conversation_command": "turn off the lamp"});
    let receipt = house.ok("schedule.command", args).await;
    let reminder = &receipt.detail["reminder"];
    assert_eq!((&reminder["name"], &reminder["time"]), (&json!("turn off the lamp"), &json!("21:30")));
    assert_eq!(house.tools.services().timers.all()[0].kind, TimerKind::Command);
    assert_eq!(house.ok("timer.status", json!({})).await.detail["count"], 0, "it is no timer");
    assert_eq!(house.ok("reminder.status", json!({})).await.detail["count"], 1);
    house.ok("reminder.cancel", json!({"message": "the lamp"})).await;
    assert_eq!(due(&house), Vec::<String>::new());
    let args = json!({"when": "2026-11-24", "conversation_command": "turn off the lamp"});
    let (code, receipt) = house.fails("schedule.command", args).await;
    assert_eq!((code.as_str(), &receipt.detail["missing"]), (error_code::BAD_ARGUMENT, &json!("when")));
}

#[tokio::test]
async fn a_line_of_cron_is_scheduled_listed_and_removed() {
    let house = house();
    let args = json!({"cron": "0 9 * * 1-5", "message": "daily standup"});
    let receipt = house.ok("schedule.add", args).await;
    let schedule = &receipt.detail["schedule"];
    assert_eq!((&schedule["date"], &schedule["time"]), (&json!("2026-11-23"), &json!("09:00")));
    assert_eq!(schedule["rule"], "0 9 * * 1-5");
    house.ok("alarm.set", json!({"recurrence": "FREQ=DAILY;BYHOUR=7;BYMINUTE=0"})).await;
    house.ok("alarm.set", json!({"when": "2026-11-22T08:00:00"})).await;
    let listed = house.ok("schedule.list", json!({})).await;
    let rules: Vec<&Value> =
        listed.detail["schedules"].as_array().unwrap().iter().map(|one| &one["rule"]).collect();
    assert_eq!(rules, [&json!("FREQ=DAILY;BYHOUR=7;BYMINUTE=0"), &json!("0 9 * * 1-5")], "the next first");
    let (code, _) = house.fails("schedule.remove", json!({"id": "0"})).await;
    assert_eq!(code, error_code::NOT_FOUND, "a single character points at nothing");
    let short = schedule["short_id"].as_str().unwrap();
    let removed = house.ok("schedule.remove", json!({"id": short})).await;
    assert_eq!(removed.detail["schedule"]["name"], "daily standup");
    assert_eq!(house.ok("schedule.list", json!({})).await.detail["count"], 1);
    for (line, word) in [("0 9 * *", "0 9 * *"), ("61 9 * * *", "61"), ("0 0 31 2 *", "never")] {
        let (code, receipt) = house.fails("schedule.add", json!({"cron": line, "message": "x"})).await;
        assert_eq!(code, error_code::BAD_ARGUMENT);
        assert!(receipt.detail["message"].as_str().unwrap().contains(word), "{}", receipt.detail);
    }
}

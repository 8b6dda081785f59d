//! Sentences that change what is set, questions about everything at once, and what is refused.

/// Text, intent, slots as JSON (`*`: any), response key (empty: the usual one).
pub const MOVED_ROWS: &[(&str, &str, &str, &str)] = &[
    // ---- another time
    (
        "move my 7 am alarm to 8",
        "HarkMoveAlarm",
        r#"{"when":"1970-01-01T07:00:00","time":"08:00:00/20:00:00"}"#,
        "",
    ),
    ("move my alarm to half past six", "HarkMoveAlarm", r#"{"time":"06:30:00/18:30:00"}"#, ""),
    ("change my alarm to 8 pm", "HarkMoveAlarm", r#"{"time":"20:00:00"}"#, ""),
    ("move the alarm to tomorrow at nine", "HarkMoveAlarm", r#"{"to":"1970-01-02T09:00:00"}"#, ""),
    ("push my alarm back half an hour", "HarkMoveAlarm", r#"{"minutes":30,"direction":"later"}"#, ""),
    ("make my alarm an hour earlier", "HarkMoveAlarm", r#"{"hours":1,"direction":"earlier"}"#, ""),
    (
        "bring the gym alarm forward by ten minutes",
        "HarkMoveAlarm",
        r#"{"name":"gym","minutes":10,"direction":"earlier"}"#,
        "",
    ),
    ("wake me at eight instead", "HarkMoveAlarm", r#"{"time":"08:00:00/20:00:00"}"#, ""),
    ("push my reminder to tomorrow", "HarkMoveReminder", r#"{"to":"1970-01-02"}"#, ""),
    (
        "move the dentist reminder to three o'clock",
        "HarkMoveReminder",
        r#"{"message":"dentist","time":"03:00:00/15:00:00"}"#,
        "",
    ),
    (
        "postpone the reminder about the bins by two hours",
        "HarkMoveReminder",
        r#"{"message":"the bins","hours":2,"direction":"later"}"#,
        "",
    ),
    ("change the pasta timer to 10 minutes", "HarkChangeTimer", r#"{"name":"pasta","minutes":10}"#, ""),
    ("make the timer twelve minutes", "HarkChangeTimer", r#"{"minutes":12}"#, ""),
    ("make a timer for twelve minutes", "HassStartTimer", r#"{"minutes":12}"#, ""),
    // ---- of what was set just now
    ("make it half past six instead", "HarkFollowMove", r#"{"time":"06:30:00/18:30:00"}"#, ""),
    ("make it ten minutes", "HarkFollowMove", r#"{"minutes":10}"#, ""),
    ("push it back an hour", "HarkFollowMove", r#"{"hours":1,"direction":"later"}"#, ""),
    ("at seven", "HarkFollowAnswer", r#"{"when":"1970-01-01T07:00:00"}"#, ""),
    ("ten minutes", "HarkFollowAnswer", r#"{"minutes":10}"#, ""),
    ("the seven o'clock one", "HarkChoose", r#"{"when":"1970-01-01T07:00:00"}"#, ""),
    ("the pasta one", "HarkChoose", r#"{"name":"pasta"}"#, ""),
    ("the ten minute one", "HarkChoose", r#"{"start_minutes":10}"#, ""),
    // ---- everything at once
    ("is anything open", "HassGetState", r#"{"state":"open"}"#, "any"),
    ("is anything open in the kitchen", "HassGetState", r#"{"area":"Kitchen","state":"open"}"#, "any"),
    ("what's still on upstairs", "HassGetState", r#"{"floor":"Upstairs","state":"on"}"#, "which"),
    ("what is open", "HassGetState", r#"{"state":"open"}"#, "which"),
    ("is everything off", "HassGetState", r#"{"state":"off"}"#, "all"),
    ("is everything closed upstairs", "HassGetState", r#"{"floor":"Upstairs","state":"closed"}"#, "all"),
    ("is everything locked", "HassGetState", r#"{"domain":"lock","state":"locked"}"#, "all"),
    ("did i leave any lights on", "HassGetState", r#"{"domain":"light","state":"on"}"#, "any"),
    (
        "did anybody forget to close a window",
        "HassGetState",
        r#"{"domain":"cover","device_class":"window","state":"open"}"#,
        "any",
    ),
    // ---- repetitions
    (
        "remind me every 31st to pay the rent",
        "HarkSetReminder",
        r#"{"recurrence":"FREQ=MONTHLY;BYMONTHDAY=31","message":"pay the rent"}"#,
        "",
    ),
    (
        "remind me every first monday to read the meter",
        "HarkSetReminder",
        r#"{"recurrence":"FREQ=MONTHLY;BYDAY=1MO","message":"read the meter"}"#,
        "",
    ),
    (
        "remind me every three hours between nine and five to drink water",
        "HarkSetReminder",
        r#"{"recurrence":"FREQ=DAILY;BYHOUR=9,12,15;BYMINUTE=0","message":"drink water"}"#,
        "",
    ),
    ("remind me twice a week to water the plants", "HassRespond", "*", "repetition"),
    ("remind me to water the plants every day except sunday", "HassRespond", "*", "repetition"),
    ("remind me to take my pills twice a day at eight and eight", "HassRespond", "*", "repetition"),
    ("remind me to feed the cat when i get home", "HassRespond", "*", "event"),
    ("when i get home remind me to feed the cat", "HassRespond", "*", "event"),
];

//! Which tool serves which intent. One table; an intent that is not in it is answered by its response
//! template alone.

use hark_core::automation::intent::{AUTOMATE, INTENTS, OF_ONE, RUN};
use hark_core::{Intent, Route, Slots, automation};
use serde_json::{Value, json};

/// The tool that wants to know the kind of question.
const ASKS_KIND: &str = "home.get_state";

/// Intent name and the tool that serves it.
const TOOLS: &[(&str, &str)] = &[
    ("HassTurnOn", "home.turn_on"),
    ("HassTurnOff", "home.turn_off"),
    ("HassToggle", "home.toggle"),
    ("HassLightSet", "home.light_set"),
    ("HassSetPosition", "home.set_position"),
    ("HassStopMoving", "home.stop_moving"),
    ("HassClimateSetTemperature", "home.climate_set_temperature"),
    ("HassClimateGetTemperature", "home.climate_get_temperature"),
    ("HassGetState", "home.get_state"),
    ("HassGetWeather", "weather.get"),
    ("HassGetCurrentTime", "datetime.time"),
    ("HassGetCurrentDate", "datetime.date"),
    ("HarkSun", "datetime.sun"),
    ("HarkCalculate", "calculate"),
    ("HarkConvert", "convert"),
    ("HarkFlipCoin", "chance.coin"),
    ("HarkRollDice", "chance.dice"),
    ("HarkPickNumber", "chance.number"),
    ("HarkPickOne", "chance.choose"),
    ("HarkSpell", "word.spell"),
    ("HarkDefine", "word.define"),
    ("HarkJoke", "joke.tell"),
    ("HassStartTimer", "timer.start"),
    ("HassCancelTimer", "timer.cancel"),
    ("HassCancelAllTimers", "timer.cancel_all"),
    ("HassPauseTimer", "timer.pause"),
    ("HassUnpauseTimer", "timer.resume"),
    ("HassTimerStatus", "timer.status"),
    ("HassIncreaseTimer", "timer.increase"),
    ("HassDecreaseTimer", "timer.decrease"),
    ("HarkChangeTimer", "timer.change"),
    ("HassSetVolume", "volume.set"),
    ("HassSetVolumeRelative", "volume.change"),
    // ---- more of the home
    ("HarkLightSetRelative", "home.light_step"),
    ("HarkSetPositionRelative", "home.position_step"),
    ("HassFanSetSpeed", "home.fan_set_speed"),
    ("HarkFanSetSpeedRelative", "home.fan_step"),
    ("HarkClimateSetTemperatureRelative", "home.climate_step"),
    ("HarkClimateSetMode", "home.climate_set_mode"),
    ("HassClimateSetFanMode", "home.climate_set_fan_mode"),
    ("HarkSetPreset", "home.set_preset"),
    ("HarkSetValue", "home.set_value"),
    ("HarkSetTilt", "home.set_tilt"),
    ("HassHumidifierSetpoint", "home.humidifier_set_humidity"),
    ("HassHumidifierMode", "home.humidifier_set_mode"),
    ("HassVacuumStart", "home.vacuum_start"),
    ("HassVacuumReturnToBase", "home.vacuum_dock"),
    ("HassVacuumCleanArea", "home.vacuum_clean_area"),
    ("HassLawnMowerStartMowing", "home.mower_start"),
    ("HassLawnMowerDock", "home.mower_dock"),
    ("HarkAlarmPanelSet", "home.alarm_panel_set"),
    // ---- media
    ("HassMediaPause", "media.pause"),
    ("HassMediaUnpause", "media.unpause"),
    ("HassMediaNext", "media.next"),
    ("HassMediaPrevious", "media.previous"),
    ("HassMediaPlayerMute", "media.mute"),
    ("HassMediaPlayerUnmute", "media.unmute"),
    ("HassMediaSearchAndPlay", "media.search_and_play"),
    ("HarkMediaStop", "media.stop"),
    ("HarkMediaShuffle", "media.shuffle"),
    ("HarkMediaRepeat", "media.repeat"),
    ("HarkMediaSelectSource", "media.select_source"),
    ("HarkMediaNowPlaying", "media.now_playing"),
    ("HarkMediaKeep", "media.keep"),
    // ---- lists
    ("HassShoppingListAddItem", "list.add"),
    ("HassShoppingListCompleteItem", "list.complete"),
    ("HassListAddItem", "list.add"),
    ("HassListCompleteItem", "list.complete"),
    ("HassListRemoveItem", "list.remove"),
    ("HarkListRead", "list.read"),
    ("HarkListClear", "list.clear"),
    ("HarkListCreate", "list.create"),
    ("HarkListNames", "list.names"),
    // ---- alarms and reminders
    ("HarkSetAlarm", "alarm.set"),
    ("HarkCancelAlarm", "alarm.cancel"),
    ("HarkMoveAlarm", "alarm.move"),
    ("HarkCancelAllAlarms", "alarm.cancel_all"),
    ("HarkAlarmStatus", "alarm.status"),
    ("HarkSetReminder", "reminder.set"),
    ("HarkCancelReminder", "reminder.cancel"),
    ("HarkMoveReminder", "reminder.move"),
    ("HarkCancelAllReminders", "reminder.cancel_all"),
    ("HarkReminderStatus", "reminder.status"),
    ("HarkSnooze", "timer.snooze"),
    ("HarkSchedule", "schedule.add"),
    ("HarkScheduleCommand", "schedule.command"),
    ("HarkScheduleList", "schedule.list"),
    ("HarkScheduleRemove", "schedule.remove"),
    // ---- what waits for something
    (AUTOMATE, "automation.add"),
    ("HarkAutomationList", "automation.list"),
    ("HarkCancelAutomation", "automation.cancel"),
    (automation::intent::RESTORE_LATER, "home.restore_later"),
    (automation::intent::CHANGE_END, "automation.change_end"),
    (automation::intent::RESTORE, "automation.restore"),
    (RUN, "automation.run"),
    // ---- messages, memory, taking back
    ("HassBroadcast", "announce.say"),
    ("HarkRemember", "memory.remember"),
    ("HarkRecall", "memory.recall"),
    ("HarkPeople", "memory.people"),
    ("HarkForget", "memory.forget"),
    ("HarkEnrolVoice", "speaker.enrol"),
    ("HarkForgetVoice", "speaker.forget"),
    ("HarkWhoAmI", "speaker.who"),
    ("HarkLookUp", "knowledge.search"),
    ("HarkDocumentsAdd", "knowledge.add"),
    ("HarkDocumentsList", "knowledge.list"),
    // ---- notes, calendars, contacts, files
    ("HarkCalendarRead", "calendar.read"),
    ("HarkCalendarFind", "calendar.read"),
    ("HarkCalendarCreate", "calendar.create"),
    ("HarkCalendarChange", "calendar.change"),
    ("HarkCalendarRemove", "calendar.remove"),
    ("HarkTodoRead", "tasks.read"),
    ("HarkTodoAdd", "tasks.create"),
    ("HarkTodoComplete", "tasks.complete"),
    ("HarkContact", "contacts.search"),
    ("HarkNoteCreate", "notes.create"),
    ("HarkNoteAppend", "notes.append"),
    ("HarkNoteRead", "notes.read"),
    ("HarkNoteSearch", "notes.search"),
    ("HarkNoteRename", "notes.rename"),
    ("HarkNoteReplace", "notes.replace"),
    ("HarkNoteRemove", "notes.remove"),
    ("HarkFindFile", "search.files"),
    ("HarkFindText", "search.contents"),
    ("HarkFileRead", "filesystem.read"),
    ("HarkFileInfo", "filesystem.info"),
    ("HarkFileMove", "filesystem.move"),
    ("HarkFolderList", "filesystem.list"),
    ("HarkClipboardRead", "clipboard.read"),
    ("HarkClipboardCopy", "clipboard.write"),
    // ---- the web, and this machine
    ("HarkWebSearch", "search.web"),
    ("HarkWebNews", "search.news"),
    ("HarkWebImages", "search.images"),
    ("HarkWindowRead", "ui.read"),
    ("HarkWindowFind", "ui.find"),
    ("HarkWindowClick", "ui.click"),
    ("HarkWindowFill", "ui.fill"),
    ("HarkWindowMenu", "ui.menu"),
    ("HarkBrowserOpen", "browser.navigate"),
    ("HarkBrowserGo", "browser.navigate"),
    ("HarkBrowserRead", "browser.read"),
    ("HarkBrowserClick", "browser.click"),
    ("HarkBrowserFill", "browser.fill"),
    ("HarkBrowserScroll", "browser.scroll"),
    ("HarkBrowserScreenshot", "browser.screenshot"),
    ("HarkBattery", "system.battery"),
    ("HarkWifi", "system.wifi"),
    ("HarkWifiSet", "system.set_wifi"),
    ("HarkBluetooth", "system.bluetooth"),
    ("HarkBluetoothSet", "system.set_bluetooth"),
    ("HarkMachineStatus", "pc.info"),
    ("HarkMissing", "pc.missing"),
    ("HarkLockScreen", "system.lock"),
    ("HarkSleepMachine", "system.sleep"),
    ("HarkDoNotDisturb", "system.do_not_disturb"),
    ("HarkVolumeGet", "volume.get"),
    ("HarkComputerVolumeGet", "system.volume"),
    ("HarkComputerVolumeSet", "system.set_volume"),
    ("HarkComputerMute", "system.mute"),
    ("HarkScriptRun", "script.run"),
    ("HarkScriptList", "script.list"),
    ("HarkLocation", "location.get"),
    ("HarkPlayerNow", "player.now_playing"),
    ("HarkPlayerPlay", "player.play"),
    ("HarkPlayerPause", "player.pause"),
    ("HarkPlayerNext", "player.next"),
    ("HarkPlayerPrevious", "player.previous"),
    ("HarkNotify", "desktop.notify"),
    // ---- the desktop of this machine
    ("HarkAppLaunch", "app.launch"),
    ("HarkAppQuit", "app.quit"),
    ("HarkAppRunning", "app.is_running"),
    ("HarkAppList", "app.list"),
    ("HarkAppActivate", "app.activate"),
    ("HarkWindowList", "window.list"),
    ("HarkWindowFocus", "window.focus"),
    ("HarkWindowTile", "window.tile"),
    ("HarkWindowMove", "window.move"),
    ("HarkWindowResize", "window.resize"),
    ("HarkWindowMinimise", "window.minimise"),
    ("HarkWindowClose", "window.close"),
    ("HarkWindowMaximise", "window.maximise"),
    ("HarkInputType", "input.type"),
    ("HarkInputKey", "input.key"),
    ("HarkInputHotkey", "input.hotkey"),
    ("HarkInputClick", "input.click"),
    ("HarkInputScroll", "input.scroll"),
    ("HarkScreenCapture", "screen.capture"),
    ("HarkScreenRead", "screen.read"),
    ("HarkScreenFind", "screen.find"),
    ("HarkScreenDescribe", "screen.describe"),
    // ---- tasks that are handed to other programs
    ("HarkTask", "delegate.task"),
    ("HarkTaskAnswer", "delegate.answer"),
    ("HarkTaskStatus", "delegate.status"),
    ("HarkTaskStop", "delegate.stop"),
    ("HarkWorkspaceChoose", "workspace.choose"),
    ("HarkWorkspaceCreate", "workspace.create"),
    ("HarkWorkspaceList", "workspace.list"),
    ("HarkUndo", "undo.last"),
    (TAKES_BACK, "undo.last"),
];

/// Intent that undoes the acts of an earlier turn whose speaker continued. The turn machine makes it; no sentence has it, and
/// the reply does not mention it.
pub const TAKES_BACK: &str = "HarkTakeBack";

/// End of the response keys of requests that mean every room.
const EVERYWHERE: &str = "everywhere";

/// Asks for what was told.
const RECALL: &str = "HarkRecall";

/// Response key of what is asked of another place than this home: words alone answer it.
const ELSEWHERE: &str = "elsewhere";

/// Intents that name their tool begin so.
pub const TOOL_PREFIX: &str = "tool.";

/// The tool that serves an intent; `None` when words alone answer it. An intent `tool.NAME` is served by the tool of
/// that name; whether there is one, the executor knows.
pub fn tool_for(intent: &str) -> Option<&str> {
    let named = || intent.strip_prefix(TOOL_PREFIX).filter(|tool| !tool.is_empty());
    TOOLS.iter().find(|(name, _)| *name == intent).map(|(_, tool)| *tool).or_else(named)
}

/// Whether a language model may answer what the tool of an intent cannot: what a word means that is in no dictionary here.
pub fn model_may_answer(intent: &str) -> bool {
    intent == "HarkDefine"
}

/// Whether an intent is only talk, beside which something may be told: "hi, I'm Rachel".
pub fn is_small_talk(intent: &str) -> bool {
    matches!(intent, "HarkGreeting" | "HarkThanks" | "HarkGoodbye" | "HarkHowAreYou")
}

/// Whether an intent tells something to be kept, or asks for it.
pub fn is_of_memory(intent: &str) -> bool {
    intent == "HarkRemember" || is_recall(intent)
}

/// Whether an intent asks for what was told.
pub fn is_recall(intent: &str) -> bool {
    intent == RECALL
}

/// Asks for what was told that answers some words.
pub fn recall(asked: &str) -> Intent {
    Intent {
        name: RECALL.to_owned(),
        slots: Slots::from_iter([("query".to_owned(), asked.into())]),
        confidence: 1.0,
        route: Route::Template,
        why: "what was told may answer what the tool does not know".to_owned(),
        response: None,
        single: false,
    }
}

/// Whether what the household told answers before the tool of an intent does: a birthday, a number, an address, an
/// appointment that is in no calendar.
pub fn memory_answers_first(intent: &str) -> bool {
    matches!(
        intent,
        "HarkContact"
            | "HarkCalendarFind"
            | "HarkRecall"
            | "HassGetState"
            | "HarkCancelAutomation"
            | "HarkAlarmStatus"
    )
}

/// The tool for an intent with its slots: "what time is it in Paris" asks for the time, which no tool here knows.
pub fn tool_of(intent: &Intent) -> Option<&str> {
    let elsewhere = intent.response.as_deref() == Some(ELSEWHERE);
    tool_for(&intent.name).filter(|_| !elsewhere)
}

/// The arguments of the tool: the slots, and for a question about the home which kind it is, since "all
/// lights" and "any light" have the same slots.
pub fn arguments(tool: &str, intent: &Intent) -> Slots {
    let mut arguments = intent.slots.clone();
    if intent.single {
        arguments.insert("single".to_owned(), true.into());
    }
    // "all the lights": Home Assistant's slots are those of "the lights" in a home without rooms.
    if intent.response.as_deref().is_some_and(|key| key.ends_with(EVERYWHERE)) {
        arguments.entry("name").or_insert_with(|| "all".into());
    }
    // Windows and doors are covers to Home Assistant; a contact on one answers the question as well.
    if tool == ASKS_KIND && !arguments.contains_key("name") && arguments.contains_key("device_class") {
        arguments.retain(|slot, value| slot != "domain" || *value != "cover");
    }
    if let (ASKS_KIND, Some(kind)) = (tool, &intent.response) {
        arguments.insert("response".into(), kind.clone().into());
    }
    // What is kept was looked at when it was kept, and each of it asks for itself.
    if intent.name == RUN {
        arguments.remove(INTENTS);
    }
    if let Some(later) = arguments.get(INTENTS) {
        let calls = calls(later);
        arguments.insert("calls".to_owned(), calls);
        if intent.name != AUTOMATE {
            arguments.retain(|slot, _| slot != INTENTS && slot != OF_ONE);
        }
    }
    arguments
}

/// What requests that are kept come to, as calls: which tool serves which intent is known here alone.
fn calls(intents: &Value) -> Value {
    let intents: Vec<Intent> = serde_json::from_value(intents.clone()).unwrap_or_default();
    let call = |intent: &Intent| {
        let tool = tool_of(intent)?;
        Some(json!({ "tool": tool, "args": arguments(tool, intent) }))
    };
    intents.iter().filter_map(call).collect()
}

/// Every tool an intent can lead to.
pub fn tools() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().map(|(_, tool)| *tool)
}

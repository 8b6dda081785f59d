//! Which category an intent belongs to. An intent with sentences that is missing here fails a test.

use crate::grammar::Part;
use hark_core::Category::{
    self, AppLaunch, AppQuit, Conversation, FileSearch, HomeControl, HomeQuery, List, Media, Memory,
    Question, Reminder, SystemControl, TaskComplex, Timer, Weather, WebInteract, WebNavigate, WebSearch,
};

/// Every intent with its category, by name.
pub const INTENTS: &[(&str, Category)] = &[
    ("HarkAlarmPanelSet", HomeControl),
    ("HarkAlarmStatus", Timer),
    ("HarkAppActivate", AppLaunch),
    ("HarkAppLaunch", AppLaunch),
    ("HarkAppList", Question),
    ("HarkAppQuit", AppQuit),
    ("HarkAppRunning", Question),
    ("HarkAutomationList", Reminder),
    ("HarkBattery", Question),
    ("HarkBrowserClick", WebInteract),
    ("HarkBrowserFill", WebInteract),
    ("HarkBrowserGo", WebNavigate),
    ("HarkBrowserOpen", WebNavigate),
    ("HarkBrowserRead", Question),
    ("HarkBrowserScreenshot", WebInteract),
    ("HarkBrowserScroll", WebInteract),
    ("HarkCalculate", Question),
    ("HarkCalendarChange", Reminder),
    ("HarkCalendarCreate", Reminder),
    ("HarkCalendarFind", Reminder),
    ("HarkCalendarRead", Reminder),
    ("HarkCalendarRemove", Reminder),
    ("HarkCancel", Conversation),
    ("HarkCancelAlarm", Timer),
    ("HarkCancelAllAlarms", Timer),
    ("HarkCancelAllReminders", Reminder),
    ("HarkCancelAutomation", Reminder),
    ("HarkCancelReminder", Reminder),
    ("HarkChangeTimer", Timer),
    ("HarkClimateSetMode", HomeControl),
    ("HarkClimateSetTemperatureRelative", HomeControl),
    ("HarkComputerVolumeGet", Question),
    ("HarkComputerVolumeSet", SystemControl),
    ("HarkConfirm", Conversation),
    ("HarkContact", Memory),
    ("HarkConvert", Question),
    ("HarkDefine", Question),
    ("HarkDeny", Conversation),
    ("HarkDoNotDisturb", SystemControl),
    ("HarkEnrolVoice", Memory),
    ("HarkFanSetSpeedRelative", HomeControl),
    ("HarkFindFile", FileSearch),
    ("HarkFindText", FileSearch),
    ("HarkFlipCoin", Question),
    ("HarkForget", Memory),
    ("HarkForgetVoice", Memory),
    ("HarkGoodbye", Conversation),
    ("HarkGreeting", Conversation),
    ("HarkHelp", Question),
    ("HarkHowAreYou", Conversation),
    ("HarkInputClick", SystemControl),
    ("HarkInputHotkey", SystemControl),
    ("HarkInputKey", SystemControl),
    ("HarkInputScroll", SystemControl),
    ("HarkInputType", SystemControl),
    ("HarkJoke", Conversation),
    ("HarkLightSetRelative", HomeControl),
    ("HarkListClear", List),
    ("HarkListCreate", List),
    ("HarkListNames", List),
    ("HarkListRead", List),
    ("HarkLocation", Question),
    ("HarkLockScreen", SystemControl),
    ("HarkLookUp", Question),
    ("HarkMachineStatus", Question),
    ("HarkMediaKeep", Media),
    ("HarkMediaNowPlaying", Media),
    ("HarkMediaRepeat", Media),
    ("HarkMediaSelectSource", Media),
    ("HarkMediaShuffle", Media),
    ("HarkMediaStop", Media),
    ("HarkMissing", Question),
    ("HarkMoveAlarm", Timer),
    ("HarkMoveReminder", Reminder),
    ("HarkMute", Conversation),
    ("HarkNoteAppend", Memory),
    ("HarkNoteCreate", Memory),
    ("HarkNoteRead", Memory),
    ("HarkNoteRemove", Memory),
    ("HarkNoteRename", Memory),
    ("HarkNoteReplace", Memory),
    ("HarkNoteSearch", Memory),
    ("HarkNotify", SystemControl),
    ("HarkPeople", Memory),
    ("HarkPickNumber", Question),
    ("HarkPickOne", Question),
    ("HarkPlayerNext", Media),
    ("HarkPlayerNow", Media),
    ("HarkPlayerPause", Media),
    ("HarkPlayerPlay", Media),
    ("HarkPlayerPrevious", Media),
    ("HarkRecall", Memory),
    ("HarkRemember", Memory),
    ("HarkReminderStatus", Reminder),
    ("HarkRepeat", Conversation),
    ("HarkRollDice", Question),
    ("HarkScheduleCommand", Reminder),
    ("HarkScreenCapture", SystemControl),
    ("HarkScreenDescribe", Question),
    ("HarkScreenFind", Question),
    ("HarkScreenRead", Question),
    ("HarkScriptList", Question),
    ("HarkScriptRun", SystemControl),
    ("HarkSetAlarm", Timer),
    ("HarkSetPositionRelative", HomeControl),
    ("HarkSetPreset", HomeControl),
    ("HarkSetReminder", Reminder),
    ("HarkSetTilt", HomeControl),
    ("HarkSetValue", HomeControl),
    ("HarkSleepMachine", SystemControl),
    ("HarkSnooze", Timer),
    ("HarkSpell", Question),
    ("HarkStop", Conversation),
    ("HarkStyle", Conversation),
    ("HarkSun", Question),
    ("HarkTask", TaskComplex),
    ("HarkTaskAnswer", TaskComplex),
    ("HarkTaskStatus", Question),
    ("HarkTaskStop", SystemControl),
    ("HarkThanks", Conversation),
    ("HarkTodoAdd", Reminder),
    ("HarkTodoComplete", Reminder),
    ("HarkTodoRead", Reminder),
    ("HarkUndo", HomeControl),
    ("HarkUnmute", Conversation),
    ("HarkVolumeGet", Question),
    ("HarkWebImages", WebSearch),
    ("HarkWebNews", WebSearch),
    ("HarkWebSearch", WebSearch),
    ("HarkWhoAmI", Memory),
    ("HarkWhoAreYou", Conversation),
    ("HarkWhy", Question),
    ("HarkWifi", Question),
    ("HarkWindowClick", SystemControl),
    ("HarkWindowFill", SystemControl),
    ("HarkWindowFind", Question),
    ("HarkWindowFocus", SystemControl),
    ("HarkWindowList", Question),
    ("HarkWindowMaximise", SystemControl),
    ("HarkWindowMenu", SystemControl),
    ("HarkWindowMinimise", SystemControl),
    ("HarkWindowMove", SystemControl),
    ("HarkWindowRead", Question),
    ("HarkWindowResize", SystemControl),
    ("HarkWindowTile", SystemControl),
    ("HarkWorkspaceChoose", SystemControl),
    ("HarkWorkspaceCreate", SystemControl),
    ("HarkWorkspaceList", Question),
    ("HassBroadcast", HomeControl),
    ("HassCancelAllTimers", Timer),
    ("HassCancelTimer", Timer),
    ("HassClimateGetTemperature", HomeQuery),
    ("HassClimateSetFanMode", HomeControl),
    ("HassClimateSetTemperature", HomeControl),
    ("HassDecreaseTimer", Timer),
    ("HassFanSetSpeed", HomeControl),
    ("HassGetCurrentDate", Question),
    ("HassGetCurrentTime", Question),
    ("HassGetState", HomeQuery),
    ("HassGetWeather", Weather),
    ("HassHumidifierMode", HomeControl),
    ("HassHumidifierSetpoint", HomeControl),
    ("HassIncreaseTimer", Timer),
    ("HassLawnMowerDock", HomeControl),
    ("HassLawnMowerStartMowing", HomeControl),
    ("HassLightSet", HomeControl),
    ("HassListAddItem", List),
    ("HassListCompleteItem", List),
    ("HassListRemoveItem", List),
    ("HassMediaNext", Media),
    ("HassMediaPause", Media),
    ("HassMediaPlayerMute", Media),
    ("HassMediaPlayerUnmute", Media),
    ("HassMediaPrevious", Media),
    ("HassMediaSearchAndPlay", Media),
    ("HassMediaUnpause", Media),
    ("HassNevermind", Conversation),
    ("HassPauseTimer", Timer),
    ("HassRespond", Conversation),
    ("HassSetPosition", HomeControl),
    ("HassSetVolume", Media),
    ("HassSetVolumeRelative", Media),
    ("HassShoppingListAddItem", List),
    ("HassShoppingListCompleteItem", List),
    ("HassStartTimer", Timer),
    ("HassStopMoving", HomeControl),
    ("HassTimerStatus", Timer),
    ("HassToggle", HomeControl),
    ("HassTurnOff", HomeControl),
    ("HassTurnOn", HomeControl),
    ("HassUnpauseTimer", Timer),
    ("HassVacuumCleanArea", HomeControl),
    ("HassVacuumReturnToBase", HomeControl),
    ("HassVacuumStart", HomeControl),
];

/// Whether an intent only means something after another request ("and the kitchen"): the router looks for
/// those before it asks the classifier, which does not learn them.
pub fn leans_on_another(intent: &str) -> bool {
    intent.starts_with("HarkFollow") || matches!(intent, "HarkChoose" | "HarkCorrect")
}

/// Intents of notes, calendars, contacts and files, of the web and of the machine. They have no examples for the classifier:
/// the templates alone recognise them.
const BY_THEIR_WORDS: [&str; 82] = [
    "HarkAppActivate",
    "HarkAppLaunch",
    "HarkAppList",
    "HarkAppQuit",
    "HarkAppRunning",
    "HarkBattery",
    "HarkBrowserClick",
    "HarkBrowserFill",
    "HarkBrowserGo",
    "HarkBrowserOpen",
    "HarkBrowserRead",
    "HarkBrowserScreenshot",
    "HarkBrowserScroll",
    "HarkCalendarChange",
    "HarkCalendarCreate",
    "HarkCalendarFind",
    "HarkCalendarRead",
    "HarkCalendarRemove",
    "HarkComputerVolumeGet",
    "HarkComputerVolumeSet",
    "HarkContact",
    "HarkDoNotDisturb",
    "HarkFindFile",
    "HarkFindText",
    "HarkInputClick",
    "HarkInputHotkey",
    "HarkInputKey",
    "HarkInputScroll",
    "HarkInputType",
    "HarkLocation",
    "HarkLockScreen",
    "HarkMachineStatus",
    "HarkMissing",
    "HarkNoteAppend",
    "HarkNoteCreate",
    "HarkNoteRead",
    "HarkNoteRemove",
    "HarkNoteRename",
    "HarkNoteReplace",
    "HarkNoteSearch",
    "HarkNotify",
    "HarkPeople",
    "HarkPlayerNext",
    "HarkPlayerNow",
    "HarkPlayerPause",
    "HarkPlayerPlay",
    "HarkPlayerPrevious",
    "HarkScreenCapture",
    "HarkScreenDescribe",
    "HarkScreenFind",
    "HarkScreenRead",
    "HarkScriptList",
    "HarkScriptRun",
    "HarkSleepMachine",
    "HarkStyle",
    "HarkTask",
    "HarkTaskAnswer",
    "HarkTaskStatus",
    "HarkTaskStop",
    "HarkTodoAdd",
    "HarkTodoComplete",
    "HarkTodoRead",
    "HarkVolumeGet",
    "HarkWebImages",
    "HarkWebNews",
    "HarkWebSearch",
    "HarkWifi",
    "HarkWindowClick",
    "HarkWindowFill",
    "HarkWindowFind",
    "HarkWindowFocus",
    "HarkWindowList",
    "HarkWindowMaximise",
    "HarkWindowMenu",
    "HarkWindowMinimise",
    "HarkWindowMove",
    "HarkWindowRead",
    "HarkWindowResize",
    "HarkWindowTile",
    "HarkWorkspaceChoose",
    "HarkWorkspaceCreate",
    "HarkWorkspaceList",
];

/// Whether the classifier learns an intent. It leaves those to their sentences that lean on another request, the one
/// that sets any thing to any words, for the home it is trained in has nothing of that kind, and the one whose words are
/// those of what is to be done later; and what lists and cancels that, what is said of voices, and what is spelt, defined or
/// chosen, which have few ways to be said.
pub fn is_learned(intent: &str) -> bool {
    !leans_on_another(intent)
        && Part::of(intent) == Part::Request
        && !BY_THEIR_WORDS.contains(&intent)
        && !matches!(
            intent,
            "HarkSetValue"
                | "HarkScheduleCommand"
                | "HarkConvert"
                | "HarkDefine"
                | "HarkPickOne"
                | "HarkSpell"
                | "HarkAutomationList"
                | "HarkCancelAutomation"
                | "HarkEnrolVoice"
                | "HarkForgetVoice"
                | "HarkWhoAmI"
        )
}

/// The category of an intent; `None` for one that is not ours, such as an owner's own.
pub fn category_of(intent: &str) -> Option<Category> {
    let at = INTENTS.binary_search_by_key(&intent, |(name, _)| name).ok()?;
    Some(INTENTS[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_home;

    #[test]
    fn the_table_is_sorted_so_that_it_can_be_searched() {
        assert!(INTENTS.is_sorted_by(|a, b| a.0 < b.0));
        assert_eq!(category_of("HassTurnOn"), Some(HomeControl));
        assert_eq!(category_of("OwnersIntent"), None);
    }

    #[test]
    fn every_intent_with_sentences_has_a_category() {
        let sentences = test_home::english();
        let missing: Vec<&str> = sentences
            .intents()
            .into_iter()
            .filter(|intent| category_of(intent).is_none() && !leans_on_another(intent))
            .filter(|intent| Part::of(intent) == Part::Request)
            .collect();
        assert!(missing.is_empty(), "add to INTENTS in src/understanding/intent/catalogue.rs: {missing:?}");
    }
}

//! Which category an intent belongs to, and whether the classifier learns it. An intent with sentences that is missing here
//! fails a test.

use crate::grammar::Part;
use hark_core::Category::{
    self, AppLaunch, AppQuit, Conversation, FileSearch, HomeControl, HomeQuery, List, Media, Memory,
    Question, Reminder, SystemControl, TaskComplex, Timer, Weather, WebInteract, WebNavigate, WebSearch,
};

/// Intents that the classifier learns, with their categories, by name.
const LEARNED: &[(&str, Category)] = &[
    ("HarkAlarmPanelSet", HomeControl),
    ("HarkAlarmStatus", Timer),
    ("HarkCalculate", Question),
    ("HarkCancel", Conversation),
    ("HarkCancelAlarm", Timer),
    ("HarkCancelAllAlarms", Timer),
    ("HarkCancelAllReminders", Reminder),
    ("HarkCancelReminder", Reminder),
    ("HarkChangeTimer", Timer),
    ("HarkClimateSetMode", HomeControl),
    ("HarkClimateSetTemperatureRelative", HomeControl),
    ("HarkConfirm", Conversation),
    ("HarkDeny", Conversation),
    ("HarkFanSetSpeedRelative", HomeControl),
    ("HarkFlipCoin", Question),
    ("HarkForget", Memory),
    ("HarkGoodbye", Conversation),
    ("HarkGreeting", Conversation),
    ("HarkHelp", Question),
    ("HarkHowAreYou", Conversation),
    ("HarkJoke", Conversation),
    ("HarkLightSetRelative", HomeControl),
    ("HarkListClear", List),
    ("HarkListCreate", List),
    ("HarkListNames", List),
    ("HarkListRead", List),
    ("HarkLookUp", Question),
    ("HarkMediaKeep", Media),
    ("HarkMediaNowPlaying", Media),
    ("HarkMediaRepeat", Media),
    ("HarkMediaSelectSource", Media),
    ("HarkMediaShuffle", Media),
    ("HarkMediaStop", Media),
    ("HarkMoveAlarm", Timer),
    ("HarkMoveReminder", Reminder),
    ("HarkMute", Conversation),
    ("HarkPickNumber", Question),
    ("HarkRecall", Memory),
    ("HarkRemember", Memory),
    ("HarkReminderStatus", Reminder),
    ("HarkRepeat", Conversation),
    ("HarkRollDice", Question),
    ("HarkSetAlarm", Timer),
    ("HarkSetPositionRelative", HomeControl),
    ("HarkSetPreset", HomeControl),
    ("HarkSetReminder", Reminder),
    ("HarkSetTilt", HomeControl),
    ("HarkSnooze", Timer),
    ("HarkStop", Conversation),
    ("HarkSun", Question),
    ("HarkThanks", Conversation),
    ("HarkUndo", HomeControl),
    ("HarkUnmute", Conversation),
    ("HarkWhoAreYou", Conversation),
    ("HarkWhy", Question),
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

/// Intents that the templates alone recognise, with their categories, by name: those of notes, calendars, contacts and files, of the
/// web and of the machine; the one that sets any thing to any words, for the home it is trained in has nothing of that kind; the
/// one whose words are those of what is to be done later, and what lists and cancels that; what is said of voices; and
/// what is spelt, converted, defined or chosen, which has few ways to be said.
const BY_THEIR_WORDS: &[(&str, Category)] = &[
    ("HarkAppActivate", AppLaunch),
    ("HarkAppLaunch", AppLaunch),
    ("HarkAppList", Question),
    ("HarkAppQuit", AppQuit),
    ("HarkAppRunning", Question),
    ("HarkAutomationList", Reminder),
    ("HarkBattery", Question),
    ("HarkBluetooth", Question),
    ("HarkBluetoothSet", SystemControl),
    ("HarkBrowserClick", WebInteract),
    ("HarkBrowserFill", WebInteract),
    ("HarkBrowserGo", WebNavigate),
    ("HarkBrowserOpen", WebNavigate),
    ("HarkBrowserRead", Question),
    ("HarkBrowserScreenshot", WebInteract),
    ("HarkBrowserScroll", WebInteract),
    ("HarkCalendarChange", Reminder),
    ("HarkCalendarCreate", Reminder),
    ("HarkCalendarFind", Reminder),
    ("HarkCalendarRead", Reminder),
    ("HarkCalendarRemove", Reminder),
    ("HarkCancelAutomation", Reminder),
    ("HarkClipboardCopy", SystemControl),
    ("HarkClipboardRead", Question),
    ("HarkComputerMute", SystemControl),
    ("HarkComputerVolumeGet", Question),
    ("HarkComputerVolumeSet", SystemControl),
    ("HarkContact", Memory),
    ("HarkConvert", Question),
    ("HarkDefine", Question),
    ("HarkDoNotDisturb", SystemControl),
    ("HarkDocumentsAdd", SystemControl),
    ("HarkDocumentsList", Question),
    ("HarkEnrolVoice", Memory),
    ("HarkFileInfo", FileSearch),
    ("HarkFileMove", FileSearch),
    ("HarkFileRead", FileSearch),
    ("HarkFindFile", FileSearch),
    ("HarkFindText", FileSearch),
    ("HarkFolderList", FileSearch),
    ("HarkForgetVoice", Memory),
    ("HarkInputClick", SystemControl),
    ("HarkInputHotkey", SystemControl),
    ("HarkInputKey", SystemControl),
    ("HarkInputScroll", SystemControl),
    ("HarkInputType", SystemControl),
    ("HarkLocation", Question),
    ("HarkLockScreen", SystemControl),
    ("HarkMachineStatus", Question),
    ("HarkMissing", Question),
    ("HarkNoteAppend", Memory),
    ("HarkNoteCreate", Memory),
    ("HarkNoteRead", Memory),
    ("HarkNoteRemove", Memory),
    ("HarkNoteRename", Memory),
    ("HarkNoteReplace", Memory),
    ("HarkNoteSearch", Memory),
    ("HarkNotify", SystemControl),
    ("HarkPeople", Memory),
    ("HarkPickOne", Question),
    ("HarkPlayerNext", Media),
    ("HarkPlayerNow", Media),
    ("HarkPlayerPause", Media),
    ("HarkPlayerPlay", Media),
    ("HarkPlayerPrevious", Media),
    ("HarkScheduleCommand", Reminder),
    ("HarkScreenCapture", SystemControl),
    ("HarkScreenDescribe", Question),
    ("HarkScreenFind", Question),
    ("HarkScreenRead", Question),
    ("HarkScriptList", Question),
    ("HarkScriptRun", SystemControl),
    ("HarkSetValue", HomeControl),
    ("HarkSleepMachine", SystemControl),
    ("HarkSpell", Question),
    ("HarkStyle", Conversation),
    ("HarkTask", TaskComplex),
    ("HarkTaskAnswer", TaskComplex),
    ("HarkTaskStatus", Question),
    ("HarkTaskStop", SystemControl),
    ("HarkTodoAdd", Reminder),
    ("HarkTodoComplete", Reminder),
    ("HarkTodoRead", Reminder),
    ("HarkVolumeGet", Question),
    ("HarkWebImages", WebSearch),
    ("HarkWebNews", WebSearch),
    ("HarkWebSearch", WebSearch),
    ("HarkWhoAmI", Memory),
    ("HarkWifi", Question),
    ("HarkWifiSet", SystemControl),
    ("HarkWindowClick", SystemControl),
    ("HarkWindowClose", SystemControl),
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
];

/// The name of every intent.
pub fn intents() -> impl Iterator<Item = &'static str> {
    LEARNED.iter().chain(BY_THEIR_WORDS).map(|(name, _)| *name)
}

/// Whether an intent only means something after another request ("and the kitchen"): the router looks for
/// those before it asks the classifier, which does not learn them.
pub fn leans_on_another(intent: &str) -> bool {
    intent.starts_with("HarkFollow") || matches!(intent, "HarkChoose" | "HarkCorrect")
}

/// Whether the classifier learns an intent. It leaves those to their sentences that lean on another request.
pub fn is_learned(intent: &str) -> bool {
    !leans_on_another(intent)
        && Part::of(intent) == Part::Request
        && category_in(BY_THEIR_WORDS, intent).is_none()
}

/// The category of an intent; `None` for one that is not ours, such as an owner's own.
pub fn category_of(intent: &str) -> Option<Category> {
    category_in(LEARNED, intent).or_else(|| category_in(BY_THEIR_WORDS, intent))
}

fn category_in(table: &[(&str, Category)], intent: &str) -> Option<Category> {
    let at = table.binary_search_by_key(&intent, |(name, _)| name).ok()?;
    Some(table[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_home;

    #[test]
    fn the_tables_are_sorted_so_that_they_can_be_searched() {
        for table in [LEARNED, BY_THEIR_WORDS] {
            assert!(table.is_sorted_by(|a, b| a.0 < b.0));
        }
        assert!(LEARNED.iter().all(|(name, _)| category_in(BY_THEIR_WORDS, name).is_none()), "in both");
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
        assert!(missing.is_empty(), "add to crates/hark-nlu/src/intent/catalogue.rs: {missing:?}");
    }
}

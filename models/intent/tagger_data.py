"""What the tagger learns from: rows of `hark models train --print-data`, and labels of two public corpora.

HWU64 (Liu et al. 2019, CC-BY 4.0) and CLINC150 (Larson et al. 2019, CC-BY 3.0) are read where they lie; one in five
sentences of HWU64 (`is_dev`) is never learned from. A label of theirs may mean several intents of ours: then any of them
is right.
"""

import hashlib
import json
import random
from dataclasses import dataclass
from pathlib import Path

OUT_OF_SCOPE = "out_of_scope"

# Slots of ours that are one tag: their extent matters, the sentences tell them apart.
TAGS = {
    "name": "name kind kinds domain device_class list todo_list id",
    "area": "area floor",
    "value": "brightness brightness_step temperature temperature_step volume_level volume_step position position_step "
    "percentage percentage_step humidity tilt value amount above below n count few most half_share correction",
    "color": "color",
    "when": "when time date day month weekday weekday_habit month_day late_month_day long_month clock_hour clock_minute "
    "recurrence sun",
    "duration": "duration minutes hours seconds start_minutes start_hours start_seconds timer_minutes timer_hours "
    "timer_seconds length offset lead start",
    "item": "item",
    "text": "message query fact search_query expression text conversation_command song wrong rest tail key place event",
    "mode": "mode fan_mode preset source state action media_class unit temperature_unit from to slot fix",
    "person": "person",
}
TAG_OF = {slot: tag for tag, slots in TAGS.items() for slot in slots.split()}

# Marks of HWU64 and the tag they are.
MARKS = {
    "name": "device_type list_name",
    "area": "house_place",
    "value": "change_amount",
    "color": "color_type",
    "when": "date time timeofday general_frequency",
    "text": "event_name artist_name song_name music_genre playlist_name radio_name podcast_name podcast_descriptor "
    "audiobook_name audiobook_author music_descriptor music_album place_name",
    "mode": "player_setting",
    "person": "person relation",
}
MARK_OF = {mark: tag for tag, marks in MARKS.items() for mark in marks.split()}

# Labels of HWU64 and the intents that they may mean; those of no line are out of scope.
HWU64 = {
    "alarm_query": "HarkAlarmStatus HarkReminderStatus HassTimerStatus",
    "alarm_remove": "HarkCancelAlarm HarkCancelAllAlarms HarkStop",
    "alarm_set": "HarkSetAlarm HarkSetReminder HarkMoveAlarm HassStartTimer",
    "audio_volume_mute": "HassMediaPlayerMute HarkMute HassMediaPlayerUnmute HassSetVolume HassMediaPause HarkStop",
    "audio_volume_up": "HassSetVolumeRelative HassSetVolume HassMediaPlayerUnmute",
    "audio_volume_down": "HassSetVolumeRelative HassSetVolume",
    "calendar_set": "HarkSetReminder out_of_scope reminder",
    "calendar_query": "HarkReminderStatus out_of_scope reminder HassGetCurrentDate",
    "calendar_remove": "HarkCancelReminder HarkCancelAllReminders out_of_scope reminder",
    "cooking_recipe": "out_of_scope question",
    "datetime_query": "HassGetCurrentTime HassGetCurrentDate out_of_scope question",
    "datetime_convert": "HassGetCurrentTime out_of_scope question",
    "general_affirm": "HarkConfirm HarkThanks conversation",
    "general_commandstop": "HarkCancel HarkStop HassNevermind HarkMute conversation",
    "general_confirm": "HarkRepeat HarkWhy conversation out_of_scope HarkConfirm",
    "general_dontcare": "HassNevermind conversation HarkConfirm out_of_scope",
    "general_explain": "HarkRepeat HarkWhy conversation out_of_scope HarkHelp",
    "general_joke": "conversation out_of_scope question",
    "general_negate": "HarkDeny HarkUndo conversation out_of_scope",
    "general_praise": "HarkThanks conversation HarkConfirm",
    "general_quirky": "conversation out_of_scope question HarkHelp HarkWhoAreYou HarkHowAreYou",
    "general_repeat": "HarkRepeat conversation out_of_scope",
    "iot_cleaning": "HassVacuumStart HassVacuumCleanArea",
    "iot_coffee": "HassTurnOn HarkSetReminder HarkScheduleCommand",
    "iot_hue_lightchange": "HassLightSet HarkLightSetRelative HassTurnOn",
    "iot_hue_lightdim": "HarkLightSetRelative HassLightSet",
    "iot_hue_lightoff": "HassTurnOff",
    "iot_hue_lighton": "HassTurnOn",
    "iot_hue_lightup": "HarkLightSetRelative HassLightSet HassTurnOn",
    "iot_wemo_off": "HassTurnOff",
    "iot_wemo_on": "HassTurnOn",
    "lists_createoradd": "HassListAddItem HassShoppingListAddItem HarkListCreate list",
    "lists_query": "HarkListRead HarkListNames list",
    "lists_remove": "HassListRemoveItem HarkListClear HassListCompleteItem HassShoppingListCompleteItem list out_of_scope",
    "music_likeness": "HarkMediaKeep HarkRemember out_of_scope conversation HassMediaSearchAndPlay",
    "music_query": "HarkMediaNowPlaying out_of_scope HarkRecall",
    "music_settings": "HarkMediaShuffle HarkMediaRepeat HassMediaNext HassMediaSearchAndPlay HassSetVolumeRelative media",
    "play_audiobook": "HassMediaSearchAndPlay HassMediaUnpause",
    "play_music": "HassMediaSearchAndPlay HassMediaUnpause HarkMediaRepeat",
    "play_podcasts": "HassMediaSearchAndPlay HassMediaUnpause HassMediaNext",
    "play_radio": "HassMediaSearchAndPlay HarkMediaSelectSource HassTurnOn",
    "qa_maths": "HarkCalculate question out_of_scope",
    "weather_query": "HassGetWeather HassClimateGetTemperature",
}

# The same of CLINC150.
CLINC150 = {
    "alarm": "HarkSetAlarm HarkAlarmStatus HarkSetReminder",
    "are_you_a_bot": "HarkWhoAreYou conversation",
    "calculator": "HarkCalculate question",
    "calendar": "HarkReminderStatus out_of_scope",
    "calendar_update": "HarkSetReminder HarkCancelReminder out_of_scope",
    "cancel": "HarkCancel HassNevermind HarkStop",
    "change_volume": "HassSetVolume HassSetVolumeRelative",
    "current_location": "out_of_scope question",
    "date": "HassGetCurrentDate",
    "goodbye": "HarkGoodbye",
    "greeting": "HarkGreeting HarkHowAreYou",
    "how_old_are_you": "conversation HarkWhoAreYou out_of_scope",
    "maybe": "conversation out_of_scope",
    "meaning_of_life": "conversation out_of_scope question",
    "measurement_conversion": "out_of_scope question HarkCalculate",
    "next_song": "HassMediaNext",
    "no": "HarkDeny",
    "play_music": "HassMediaSearchAndPlay",
    "reminder": "HarkReminderStatus",
    "reminder_update": "HarkSetReminder HarkRemember",
    "repeat": "HarkRepeat",
    "reset_settings": "out_of_scope system_control",
    "shopping_list": "HarkListRead",
    "shopping_list_update": "HassShoppingListAddItem HassListAddItem HassListRemoveItem HarkListClear "
    "HassShoppingListCompleteItem HassListCompleteItem",
    "smart_home": "HassTurnOn HassTurnOff HassGetState HassLightSet HarkLightSetRelative HassClimateSetTemperature "
    "HassClimateGetTemperature HarkClimateSetTemperatureRelative HarkClimateSetMode HassMediaSearchAndPlay "
    "HassSetPosition HassVacuumStart out_of_scope",
    "tell_joke": "conversation out_of_scope",
    "thank_you": "HarkThanks",
    "time": "HassGetCurrentTime",
    "timer": "HassStartTimer HassTimerStatus",
    "timezone": "out_of_scope question HassGetCurrentTime",
    "todo_list": "HarkListRead HarkReminderStatus",
    "todo_list_update": "HassListAddItem HassListRemoveItem HarkListClear HassListCompleteItem HassShoppingListAddItem",
    "update_playlist": "HarkMediaKeep",
    "what_are_your_hobbies": "conversation out_of_scope",
    "what_can_i_ask_you": "HarkHelp",
    "what_is_your_name": "HarkWhoAreYou",
    "what_song": "HarkMediaNowPlaying",
    "who_made_you": "HarkWhoAreYou conversation out_of_scope",
    "weather": "HassGetWeather HassClimateGetTemperature",
    "whisper_mode": "HassSetVolumeRelative out_of_scope HarkMute",
    "yes": "HarkConfirm",
}

# Things and places of other homes, put in place of those of the home that the samples are made in.
OWNERS = "kitchen bedroom garden hall office patio left right small big old new upstairs downstairs front back corner tv".split()
THINGS = (
    "light lamp lights fan heater blinds curtains shutter plug socket switch speaker radio tv television kettle oven toaster "
    "spotlight chandelier boiler dishwasher humidifier purifier projector sprinkler pump charger monitor printer freezer"
).split()
PLACES = (
    "attic,cellar,hallway,study,library,den,conservatory,garage,nursery,guest room,dining room,master bedroom,utility room,"
    "landing,shed,gym,play room,games room,bathroom,kitchen,living room,lounge,stairs,loft,first floor,workshop,pantry"
).split(",")


@dataclass
class Row:
    """A sentence: its words, the classes it may have, and its spans; `None` where nobody knows them."""

    words: list[str]
    classes: list[str]
    spans: list[tuple[str, int, int]] | None
    # Words whose tag is known although the others' are not.
    sure: set[int]
    weight: float
    origin: str


def is_dev(text: str) -> bool:
    return hashlib.sha256(text.encode()).digest()[0] % 5 == 0


def corpora(hwu64: Path, clinc150: Path) -> dict[str, tuple[str, str, list[str]]]:
    """Texts with marks as `--texts` gets them, each with corpus, label and the classes it may mean."""
    found = {}
    for line in hwu64.read_text().splitlines()[1:]:
        scenario, intent, _, marked = line.split("\t")
        label = f"{scenario}_{intent}"
        found[marked] = ("hwu64", label, HWU64.get(label, OUT_OF_SCOPE).split())
    for line in clinc150.read_text().splitlines()[1:]:
        label, text = line.split("\t")
        found.setdefault(text, ("clinc150", label, CLINC150.get(label, OUT_OF_SCOPE).split()))
    return found


def tagged(spans: list[dict] | None, table: dict[str, str]) -> list[tuple[str, int, int]] | None:
    if spans is None:
        return None
    return [(table[span["slot"]], span["start"], span["end"]) for span in spans if span["slot"] in table]


def renamed(row: Row, chance: random.Random) -> Row:
    """The row with other things and places."""
    words, spans, at = [], [], 0
    for tag, start, end in row.spans or []:
        words += row.words[at:start]
        inside = row.words[start:end]
        if tag == "name" and end - start > 1:
            inside = [chance.choice(OWNERS), chance.choice(THINGS)]
        elif tag == "area":
            inside = chance.choice(PLACES).split()
        spans.append((tag, len(words), len(words) + len(inside)))
        words += inside
        at = end
    return Row(words + row.words[at:], row.classes, spans, row.sure, row.weight, row.origin)


def rows(data: Path, hwu64: Path, clinc150: Path, seed: int) -> tuple[list[Row], list[Row]]:
    """What is learned from, and the development split."""
    chance = random.Random(seed)
    labels = corpora(hwu64, clinc150)
    train, dev = [], []
    for line in data.read_text().splitlines():
        row = json.loads(line)
        words = row["text"].split()
        if not words:
            continue
        if row["origin"] == "text":
            corpus, label, classes = labels[row["said"]]
            spans = tagged(row["spans"], TAG_OF) if row["read_as"] in classes else None
            if spans is not None:
                classes = [row["read_as"]]
            marks = tagged(row["marks"] + row["kinds"], {**MARK_OF, "kind": "name"})
            sure = {at for _, start, end in marks for at in range(start, end)}
            if classes == [OUT_OF_SCOPE]:
                marks, sure = None, set()
            is_open = spans is None and OUT_OF_SCOPE in classes
            weight = 0.6 if corpus == "clinc150" and classes == [OUT_OF_SCOPE] else 0.7 if is_open else 1.0
            one = Row(words, classes, marks if spans is None else spans, sure, weight, f"{corpus} {label}")
            if spans is not None:
                one.sure = set(range(len(words)))
            (dev if corpus == "hwu64" and is_dev(row["said"]) else train).append(one)
            continue
        spans = tagged(row["spans"], TAG_OF)
        sure = set() if spans is None else set(range(len(words)))
        weight = 0.5 if row["origin"] == "template" else 1.0
        one = Row(words, [row["intent"] or row["category"]], spans, sure, weight, row["origin"])
        (dev if row["untouched"] else train).append(one)
        if spans and row["origin"] == "template" and any(tag in ("name", "area") for tag, _, _ in spans):
            other = renamed(one, chance)
            other.sure = set(range(len(other.words)))
            train.append(other)
    return train, dev

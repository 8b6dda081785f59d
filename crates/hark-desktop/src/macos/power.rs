//! The battery and sleep, by pmset(1).

use super::{CommandLine, Mac, MacError};
use crate::power::{Battery, BatteryState};

fn battery_command() -> CommandLine {
    CommandLine::new("pmset", ["-g", "batt"])
}

/// It needs no administrator, other than what pmset sets.
fn sleep_command() -> CommandLine {
    CommandLine::new("pmset", ["sleepnow"])
}

/// What pmset tells of the first battery or uninterruptible power supply:
/// ` -InternalBattery-0 (id=4653155)` a tab `64%; discharging; 3:12 remaining present: true`.
fn battery_of(answer: &str) -> Result<Battery, MacError> {
    let mut lines = answer.lines().filter(|line| line.trim_start().starts_with('-'));
    let line = lines.find(|line| !line.contains("present: false")).ok_or(MacError::NoBattery)?;
    let odd = || MacError::Failed(format!("pmset answered: {}", crate::naming::one_line(line)));
    let (before, after) = line.split_once("%;").ok_or_else(odd)?;
    let percent = before.rsplit(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    let percent: u8 = percent.parse().ok().filter(|percent| *percent <= 100).ok_or_else(odd)?;
    let state = match after.split(';').next().unwrap_or_default().trim() {
        "charging" | "finishing charge" => BatteryState::Charging,
        "discharging" => BatteryState::Discharging,
        "charged" => BatteryState::Full,
        _ => BatteryState::Unknown,
    };
    let remaining = after.split_once(" remaining").and_then(|(before, _)| before.rsplit(' ').next());
    let seconds = remaining.and_then(|time| {
        let (hours, minutes) = time.split_once(':')?;
        Some(hours.parse::<u64>().ok()? * 3600 + minutes.parse::<u64>().ok()? * 60)
    });
    // "0:00" is told of one that is full.
    let seconds_left = seconds.filter(|seconds| *seconds > 0);
    Ok(Battery { percent: f64::from(percent), state, seconds_left })
}

impl Mac {
    pub(crate) async fn battery(&self) -> Result<Battery, MacError> {
        battery_of(&self.runner.answer(&battery_command()).await?)
    }

    pub(crate) fn has_battery(&self) -> Result<(), MacError> {
        battery_of(&self.runner.waited(battery_command())?).map(drop)
    }

    pub(crate) async fn suspend(&self) -> Result<(), MacError> {
        self.runner.answer(&sleep_command()).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::super::command::shown;
    use super::super::played::Played;
    use super::*;

    #[test]
    fn command_lines() {
        assert_eq!(shown(&battery_command()), "pmset -g batt");
        assert_eq!(shown(&sleep_command()), "pmset sleepnow");
    }

    /// Lines as pmset prints them, by samples in the tests of public programs that read it.
    #[test]
    fn a_battery_is_read() {
        let of = |from: &str, line: &str| battery_of(&format!("Now drawing from '{from}'\n{line}\n"));
        let battery = |percent: f64, state, seconds_left| Ok(Battery { percent, state, seconds_left });
        assert_eq!(
            of("Battery Power", " -InternalBattery-0 (id=1)\t64%; discharging; 3:12 remaining present: true"),
            battery(64.0, BatteryState::Discharging, Some(11_520))
        );
        assert_eq!(
            of(
                "Battery Power",
                " -InternalBattery-0 (id=22806627)\t100%; discharging; (no estimate) present: true"
            ),
            battery(100.0, BatteryState::Discharging, None)
        );
        assert_eq!(
            of("AC Power", " -InternalBattery-0 (id=123)\t87%; charging; 0:42 remaining present: true"),
            battery(87.0, BatteryState::Charging, Some(2520))
        );
        assert_eq!(
            of("AC Power", " -InternalBattery-0 (id=22675555)\t100%; charged; 0:00 remaining present: true"),
            battery(100.0, BatteryState::Full, None)
        );
        assert_eq!(
            of("AC Power", " -InternalBattery-0 (id=28442723)\t7%; AC attached; not charging present: true"),
            battery(7.0, BatteryState::Unknown, None)
        );
        assert_eq!(of("AC Power", ""), Err(MacError::NoBattery), "a Mac mini");
        assert!(matches!(of("AC Power", " -InternalBattery-0 (id=1)\tabc"), Err(MacError::Failed(_))));
    }

    #[tokio::test]
    async fn pmset_is_asked_and_told() {
        let played = Played::new();
        played.answers("pmset", "Now drawing from 'AC Power'\n -InternalBattery-0 (id=1)\t50%; charging; (no estimate) present: true\n");
        let mac = played.mac();
        assert_eq!(mac.battery().await.unwrap().percent, 50.0);
        assert_eq!(mac.has_battery(), Ok(()));
        assert_eq!(mac.suspend().await, Ok(()));
        assert_eq!(played.calls(), ["pmset|-g|batt", "pmset|-g|batt", "pmset|sleepnow"]);
    }
}

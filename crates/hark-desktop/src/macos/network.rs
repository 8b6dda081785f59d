//! The wireless network, by networksetup(8) and ipconfig(8).

use super::{CommandLine, Mac, MacError, Privacy};
use crate::naming::one_line;
use crate::wifi::Wifi;

fn ports_command() -> CommandLine {
    CommandLine::new("networksetup", ["-listallhardwareports"])
}

fn power_command(device: &str) -> CommandLine {
    CommandLine::new("networksetup", ["-getairportpower", device])
}

fn switch_command(device: &str, is_on: bool) -> CommandLine {
    CommandLine::new("networksetup", ["-setairportpower", device, if is_on { "on" } else { "off" }])
}

fn network_command(device: &str) -> CommandLine {
    CommandLine::new("networksetup", ["-getairportnetwork", device])
}

fn summary_command(device: &str) -> CommandLine {
    CommandLine::new("ipconfig", ["getsummary", device])
}

/// The device of the wireless port: `Hardware Port: Wi-Fi` with `Device: en0` below it.
fn device_of(answer: &str) -> Result<String, MacError> {
    let mut lines = answer.lines().map(str::trim);
    let is_port = |line: &str| matches!(line, "Hardware Port: Wi-Fi" | "Hardware Port: AirPort");
    let below = lines.find(|line| is_port(line)).and_then(|_| lines.next());
    let device = below.and_then(|line| line.strip_prefix("Device: ")).filter(|device| !device.is_empty());
    device.map(str::to_owned).ok_or(MacError::Missing("this Mac has no Wi-Fi"))
}

/// Whether the radio is on: `Wi-Fi Power (en0): On`.
fn is_on_now(answer: &str) -> Result<bool, MacError> {
    match answer.trim().rsplit(": ").next() {
        Some("On") => Ok(true),
        Some("Off") => Ok(false),
        _ => Err(MacError::Failed(format!("networksetup answered: {}", one_line(answer)))),
    }
}

/// `Current Wi-Fi Network: home`; `None` where it says that there is none, as it always does since macOS 15.
fn name_of(answer: &str) -> Option<String> {
    let name = answer.lines().find_map(|line| line.strip_prefix("Current Wi-Fi Network: "))?;
    Some(one_line(name)).filter(|name| !name.is_empty())
}

/// The line `SSID : home` of ipconfig's summary, which an interface without a network has not.
///
/// # Errors
/// When macOS hides the name.
fn name_in_summary(summary: &str) -> Result<Option<String>, MacError> {
    match summary.lines().find_map(|line| line.trim().strip_prefix("SSID : ")) {
        Some("<redacted>") => Err(MacError::NotGranted(Privacy::NetworkName)),
        Some(name) => Ok(Some(one_line(name)).filter(|name| !name.is_empty())),
        None => Ok(None),
    }
}

impl Mac {
    /// The wireless network; how strong it is macOS tells no program.
    pub(crate) async fn wifi(&self) -> Result<Wifi, MacError> {
        let device = device_of(&self.runner.answer(&ports_command()).await?)?;
        if !is_on_now(&self.runner.answer(&power_command(&device)).await?)? {
            return Ok(Wifi { is_enabled: false, network: None });
        }
        let name = match name_of(&self.runner.answer(&network_command(&device)).await?) {
            Some(name) => Some(name),
            None => name_in_summary(&self.runner.answer(&summary_command(&device)).await?)?,
        };
        Ok(Wifi { is_enabled: true, network: name.map(|name| (name, None)) })
    }

    /// Switches the radio; how it was before.
    pub(crate) async fn set_wifi(&self, is_on: bool) -> Result<bool, MacError> {
        let device = device_of(&self.runner.answer(&ports_command()).await?)?;
        let power = power_command(&device);
        let was_on = is_on_now(&self.runner.answer(&power).await?)?;
        self.runner.answer(&switch_command(&device, is_on)).await?;
        if is_on_now(&self.runner.answer(&power).await?)? == is_on {
            return Ok(was_on);
        }
        Err(MacError::Failed(format!("the Wi-Fi stays {}", if is_on { "off" } else { "on" })))
    }
}

#[cfg(test)]
mod tests {
    use super::super::command::shown;
    use super::super::played::Played;
    use super::*;

    /// As networksetup prints it, by samples in the tests of public programs that read it.
    const PORTS: &str = "\nHardware Port: Thunderbolt Bridge\nDevice: bridge0\nEthernet Address: 00:00:5e:00:53:05\n\n\
        Hardware Port: Wi-Fi\nDevice: en1\nEthernet Address: 00:00:5e:00:53:06\n\nVLAN Configurations\n";
    const NONE: &str = "You are not associated with an AirPort network.\n";

    fn summary(ssid: &str) -> String {
        format!(
            "<dictionary> {{\n  BSSID : 00:00:5e:00:53:07\n  InterfaceType : WiFi\n  LinkStatusActive : TRUE\n{ssid}  Security : WPA2_PSK\n}}\n"
        )
    }

    #[test]
    fn command_lines() {
        assert_eq!(shown(&ports_command()), "networksetup -listallhardwareports");
        assert_eq!(shown(&power_command("en0")), "networksetup -getairportpower en0");
        assert_eq!(shown(&switch_command("en0", false)), "networksetup -setairportpower en0 off");
        assert_eq!(shown(&network_command("en0")), "networksetup -getairportnetwork en0");
        assert_eq!(shown(&summary_command("en0")), "ipconfig getsummary en0");
    }

    #[test]
    fn answers_are_read() {
        assert_eq!(device_of(PORTS).as_deref(), Ok("en1"));
        assert!(matches!(device_of("Hardware Port: Ethernet\nDevice: en0\n"), Err(MacError::Missing(_))));
        assert_eq!(
            (is_on_now("Wi-Fi Power (en0): On\n"), is_on_now("Wi-Fi Power (en0): Off\n")),
            (Ok(true), Ok(false))
        );
        assert!(is_on_now("en0 is not a Wi-Fi interface.\n").is_err());
        assert_eq!(name_of("Current Wi-Fi Network: Sonnenweg: 5\n").as_deref(), Some("Sonnenweg: 5"));
        assert_eq!(name_of(NONE), None);
        assert_eq!(name_in_summary(&summary("  SSID : Sonnenweg 5\n")), Ok(Some("Sonnenweg 5".into())));
        assert_eq!(name_in_summary(&summary("")), Ok(None));
        // As of macOS 15.6.
        let hidden = name_in_summary(&summary("  SSID : <redacted>\n"));
        assert_eq!(hidden, Err(MacError::NotGranted(Privacy::NetworkName)));
    }

    #[tokio::test]
    async fn the_summary_is_asked_where_networksetup_tells_no_name() {
        let played = Played::new();
        played.program(
            "networksetup",
            &format!(
                "case $1 in -list*) cat <<'end'\n{PORTS}end\n;; -getairportpower) echo 'Wi-Fi Power (en1): On';; *) printf '{NONE}';; esac"
            ),
        );
        played.answers("ipconfig", &summary("  SSID : Sonnenweg 5\n"));
        let wifi = played.mac().wifi().await.unwrap();
        assert_eq!(wifi, Wifi { is_enabled: true, network: Some(("Sonnenweg 5".into(), None)) });
        assert_eq!(
            played.calls(),
            [
                "networksetup|-listallhardwareports",
                "networksetup|-getairportpower|en1",
                "networksetup|-getairportnetwork|en1",
                "ipconfig|getsummary|en1"
            ]
        );
    }

    #[tokio::test]
    async fn a_radio_that_stays_as_it_was_is_no_success() {
        let played = Played::new();
        played.program(
            "networksetup",
            &format!(
                "case $1 in -list*) cat <<'end'\n{PORTS}end\n;; -get*) echo 'Wi-Fi Power (en1): On';; esac"
            ),
        );
        let mac = played.mac();
        assert_eq!(mac.set_wifi(true).await, Ok(true));
        assert!(matches!(mac.set_wifi(false).await, Err(MacError::Failed(_))));
        assert!(played.calls().contains(&"networksetup|-setairportpower|en1|off".to_owned()));
    }
}

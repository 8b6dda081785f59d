//! The machine Hark runs on: its radios and its place, by services that python-dbusmock plays on a bus of the test's own, and its
//! files; by sentences that are typed to the real binary.

use crate::support::{Hark, named, skip};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// Plays NetworkManager, BlueZ with headphones that are connected, and GeoClue.
const PLAYER: &str = r#"
import subprocess, sys, dbus, dbusmock
def start(template):
    child, obj = dbusmock.DBusTestCase.spawn_server_template(template, {}, subprocess.DEVNULL)
    children.append(child)
    return obj
children = []
start('networkmanager')
blue = dbus.Interface(start('bluez5'), 'org.bluez.Mock')
blue.AddAdapter('hci0', 'den')
blue.AddDevice('hci0', '11:22:33:44:55:66', 'Headphones')
blue.PairDevice('hci0', '11:22:33:44:55:66', 5898764)
blue.ConnectDevice('hci0', '11:22:33:44:55:66')
GEO, PATH = 'org.freedesktop.GeoClue2', '/org/freedesktop/GeoClue2/Manager'
children.append(dbusmock.DBusTestCase.spawn_server(GEO, PATH, GEO + '.Manager', system_bus=True, stdout=subprocess.DEVNULL))
dbusmock.DBusTestCase.wait_for_bus_object(GEO, PATH, system_bus=True)
bus = dbusmock.DBusTestCase.get_dbus(True)
geo = dbus.Interface(bus.get_object(GEO, PATH), dbusmock.MOCK_IFACE)
geo.AddMethod(GEO + '.Manager', 'GetClient', '', 'o', "ret = dbus.ObjectPath('/client')")
geo.AddObject('/client', GEO + '.Client', {'DesktopId': '', 'RequestedAccuracyLevel': dbus.UInt32(0), 'Location': dbus.ObjectPath('/found')}, [('Start', '', '', ''), ('Stop', '', '', '')])
geo.AddObject('/found', GEO + '.Location', {'Latitude': 48.2, 'Longitude': 16.37, 'Accuracy': 20.0}, [])
print('ready', flush=True)
sys.stdin.read()
for child in children:
    child.terminate()
"#;

/// A bus with the services on it; ends with this.
struct Machine {
    bus: Child,
    player: Child,
    address: String,
}

impl Machine {
    fn start() -> Option<Self> {
        let python = "/usr/bin/python3";
        let has_mock = Command::new(python).args(["-c", "import dbusmock"]).stderr(Stdio::null()).status();
        if !has_mock.is_ok_and(|status| status.success()) {
            skip("python3-dbusmock");
            return None;
        }
        let arguments = ["--session", "--nofork", "--nopidfile", "--print-address=1"];
        let mut bus = Command::new("dbus-daemon").args(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut address = String::new();
        BufReader::new(bus.stdout.take().unwrap()).read_line(&mut address).unwrap();
        let address = address.trim().to_owned();
        let mut player = Command::new(python)
            .args(["-c", PLAYER])
            .envs([("DBUS_SYSTEM_BUS_ADDRESS", &address), ("DBUS_SESSION_BUS_ADDRESS", &address)])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut ready = String::new();
        BufReader::new(player.stdout.take().unwrap()).read_line(&mut ready).unwrap();
        assert_eq!(ready.trim(), "ready");
        Some(Self { bus, player, address })
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // It ends its children when its input ends; the bus ends last.
        drop(self.player.stdin.take());
        let _ = self.player.wait();
        let _ = self.bus.kill();
        let _ = self.bus.wait();
    }
}

fn replies(events: &[Value]) -> Vec<&str> {
    named(events, "reply").iter().filter_map(|reply| reply["text"].as_str()).collect()
}

/// Types lines to one `hark ask` beside these services.
fn ask(hark: &Hark, machine: &Machine, settings: &[String], lines: &[&str]) -> Vec<Value> {
    use std::io::Write;
    let mut command = hark.command(&["ask", "--json", "--session", "machine"]);
    command.args(settings).env("DBUS_SYSTEM_BUS_ADDRESS", &machine.address);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all((lines.join("\n") + "\n").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    crate::support::parse_events(&crate::support::text(&output.stdout))
}

#[test]
fn radios_are_switched_only_after_a_yes() {
    let Some(machine) = Machine::start() else { return };
    let hark = Hark::new();
    let lines = [
        "turn off the wifi on the computer",
        "no",
        "how strong is our wifi",
        "turn off the wifi on the computer",
        "yes",
        "how strong is our wifi",
        "which bluetooth devices are connected",
        "turn bluetooth off",
        "yes",
        "is bluetooth on",
    ];
    let events = ask(&hark, &machine, &[], &lines);
    assert_eq!(
        replies(&events),
        [
            "Shall I switch the Wi-Fi of this computer off?",
            "Okay, I won't.",
            "The wireless network is on, and I am in none.",
            "Shall I switch the Wi-Fi of this computer off?",
            "The computer's Wi-Fi is off.",
            "The wireless network is switched off.",
            "Bluetooth is on, with Headphones.",
            "Shall I switch the Bluetooth of this computer off?",
            "Bluetooth is off.",
            "Bluetooth is off.",
        ]
    );
    let never = ["--set".to_owned(), "permissions.deny=[\"radio\"]".to_owned()];
    let events = ask(&hark, &machine, &never, &["turn on bluetooth", "yes", "is bluetooth on"]);
    assert_eq!(replies(&events).last(), Some(&"Bluetooth is off."), "{:?}", replies(&events));
}

#[test]
fn where_this_is_stands_in_the_home_else_the_machine_finds_it_out() {
    let Some(machine) = Machine::start() else { return };
    let hark = Hark::new();
    let said = replies(&ask(&hark, &machine, &[], &["where am I"])).join("");
    assert_eq!(said, "We are at 52.52 degrees north and 13.4 degrees east.");
    let home = hark.path("nowhere.toml");
    fs::write(&home, "[[area]]\nid = \"den\"\nname = \"Den\"\n").unwrap();
    let settings = ["--set".to_owned(), format!("home.file={}", home.display())];
    let said = replies(&ask(&hark, &machine, &settings, &["where am I"])).join("");
    assert_eq!(
        said,
        "We are at 48.2 degrees north and 16.37 degrees east, as far as this computer can tell."
    );
    let mut machine = machine;
    machine.address = "unix:path=/nonexistent".to_owned();
    let events = ask(&hark, &machine, &settings, &["where am I"]);
    assert!(replies(&events)[0].starts_with("Sorry, I was not told where this home is."), "{events:#?}");
    let fix = &named(&events, "action")[0]["receipt"]["detail"]["fix"];
    assert!(fix.as_str().unwrap().contains("[location]"), "{fix}");
}

#[test]
fn files_are_read_moved_and_told_of_by_words_of_their_names() {
    let hark = Hark::new();
    let folder = hark.path("papers");
    fs::create_dir_all(folder.join("taxes")).unwrap();
    fs::write(folder.join("shopping.txt"), "milk\nbread\n").unwrap();
    fs::write(folder.join("boiler-notes.txt"), "drain the boiler in May").unwrap();
    let settings = [format!("tools.file_write_roots=[{folder:?}]")];
    let lines = [
        "what's in the file shopping dot txt",
        "how big is the file shopping",
        "when was the file shopping last changed",
        "find the file about the boiler",
        "what's in the taxes folder",
        "move the file boiler notes to the taxes folder",
        "what's in the taxes folder",
        "rename the file shopping to groceries",
        "what's in the file shopping",
        "read me the file groceries",
    ];
    let events = hark.ask_lines(&[], &settings, &lines);
    let replies = replies(&events);
    assert_eq!(replies[..2], ["shopping.txt says: milk bread.", "shopping.txt has eleven bytes."]);
    assert!(replies[2].starts_with("shopping.txt was last changed today at "), "{replies:?}");
    assert_eq!(
        replies[3..],
        [
            "One file: boiler-notes.txt.",
            "The folder is empty.",
            "boiler-notes.txt is in taxes now.",
            "One thing: boiler-notes.txt.",
            "shopping.txt is called groceries.txt now.",
            "Sorry, I find no file or folder called shopping.",
            "groceries.txt says: milk bread.",
        ]
    );
}

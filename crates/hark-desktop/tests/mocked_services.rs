//! The machine's services, played by python-dbusmock (Debian: python3-dbusmock) on a bus of the test's own. Where it is not
//! installed the test says so and passes.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests are tests")]

mod support;

use hark_desktop::{
    BatteryState, Bluetooth, Desktop, DesktopError, Grant, Locked, PlayerCommand, Position, Service,
};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};

/// Plays the services; each line on its standard input changes them, and is answered by a line.
const PLAYER: &str = r#"
import subprocess, sys, dbus, dbusmock
bus = dbusmock.DBusTestCase.get_dbus(True)
children = []
def start(template, parameters={}):
    child, obj = dbusmock.DBusTestCase.spawn_server_template(template, parameters, subprocess.DEVNULL)
    children.append(child)
    return dbus.Interface(obj, dbusmock.MOCK_IFACE)
power = start('upower', {'DaemonVersion': '0.99', 'OnBattery': True})
network = start('networkmanager')
login = start('logind', {'CanSuspend': 'yes'})
device = network.AddWiFiDevice('wlan0', 'wlan0', 100)
PLAYER = 'org.mpris.MediaPlayer2.Player'
session = dbusmock.DBusTestCase.get_dbus(False)
child = dbusmock.DBusTestCase.spawn_server('org.mpris.MediaPlayer2.tunes', '/org/mpris/MediaPlayer2', PLAYER, system_bus=False, stdout=subprocess.DEVNULL)
children.append(child)
dbusmock.DBusTestCase.wait_for_bus_object('org.mpris.MediaPlayer2.tunes', '/org/mpris/MediaPlayer2', system_bus=False)
tunes = dbus.Interface(session.get_object('org.mpris.MediaPlayer2.tunes', '/org/mpris/MediaPlayer2'), dbusmock.MOCK_IFACE)
def song(title, artist):
    return dbus.Dictionary({'xesam:title': dbus.String(title, variant_level=1), 'xesam:artist': dbus.Array([artist], signature='s', variant_level=1)}, signature='sv')
tunes.AddProperties('org.mpris.MediaPlayer2', {'Identity': 'Tunes'})
tunes.AddProperties(PLAYER, {'PlaybackStatus': 'Playing', 'Metadata': song('So What\n', 'Miles Davis')})
for name, status in [('Pause', 'Paused'), ('Play', 'Playing')]:
    tunes.AddMethod(PLAYER, name, '', '', f"self.props['{PLAYER}']['PlaybackStatus'] = '{status}'")
tunes.AddMethod(PLAYER, 'Next', '', '', f"self.props['{PLAYER}']['Metadata'] = dbus.Dictionary({{'xesam:title': dbus.String('Blue in Green', variant_level=1)}}, signature='sv')")
child, obj = dbusmock.DBusTestCase.spawn_server_template('notification_daemon', {}, subprocess.DEVNULL)
children.append(child)
shown = dbus.Interface(obj, dbusmock.MOCK_IFACE)
bluez = start('bluez5')
GEO = 'org.freedesktop.GeoClue2'
child = dbusmock.DBusTestCase.spawn_server(GEO, '/org/freedesktop/GeoClue2/Manager', GEO + '.Manager', system_bus=True, stdout=subprocess.DEVNULL)
children.append(child)
dbusmock.DBusTestCase.wait_for_bus_object(GEO, '/org/freedesktop/GeoClue2/Manager', system_bus=True)
geo = dbus.Interface(bus.get_object(GEO, '/org/freedesktop/GeoClue2/Manager'), dbusmock.MOCK_IFACE)
geo.AddMethod(GEO + '.Manager', 'GetClient', '', 'o', "ret = dbus.ObjectPath('/client')")
geo.AddObject('/client', GEO + '.Client', {'DesktopId': '', 'RequestedAccuracyLevel': dbus.UInt32(0), 'Location': dbus.ObjectPath('/')}, [('Start', '', '', ''), ('Stop', '', '', '')])
client = dbus.Interface(bus.get_object(GEO, '/client'), dbusmock.MOCK_IFACE)
for path, accuracy in [('/guess', 25000.0), ('/found', 20.0)]:
    geo.AddObject(path, GEO + '.Location', {'Latitude': 48.2, 'Longitude': 16.37, 'Accuracy': accuracy}, [])
SYSTEMD = 'org.freedesktop.systemd1'
children.append(dbusmock.DBusTestCase.spawn_server(SYSTEMD, '/org/freedesktop/systemd1', SYSTEMD + '.Manager', system_bus=True, stdout=subprocess.DEVNULL))
dbusmock.DBusTestCase.wait_for_bus_object(SYSTEMD, '/org/freedesktop/systemd1', system_bus=True)
systemd = dbus.Interface(bus.get_object(SYSTEMD, '/org/freedesktop/systemd1'), dbusmock.MOCK_IFACE)
systemd.AddMethod(SYSTEMD + '.Manager', 'GetUnitByPID', 'u', 'o', "ret = dbus.ObjectPath({7: '/hard', 8: '/loose'}[args[0]])")
for path, allowed, denies in [('/hard', 0, True), ('/loose', 0xffffffffffffffff, False)]:
    systemd.AddObject(path, SYSTEMD + '.Service', dbus.Dictionary({'RestrictNamespaces': dbus.UInt64(allowed), 'MemoryDenyWriteExecute': dbus.Boolean(denies)}, signature='sv'), [])
def client_properties():
    of = dbus.Interface(bus.get_object(GEO, '/client'), dbus.PROPERTIES_IFACE)
    return f"{of.Get(GEO + '.Client', 'DesktopId')} {of.Get(GEO + '.Client', 'RequestedAccuracyLevel')}"
def located(path):
    client.AddMethod(GEO + '.Client', 'Start', '', '', f"self.props['{GEO}.Client']['Location'] = dbus.ObjectPath('{path}')")
print('ready', flush=True)
for line in sys.stdin:
    what = line.strip()
    if what == 'battery':
        power.SetupDisplayDevice(2, 2, 63.4, 50.0, 80.0, 0.0, 5400, 0, True, 'battery-good-symbolic', 3)
    elif what == 'wifi':
        point = network.AddAccessPoint(device, 'ap', 'Sonnenweg\n5', '00:23:f8:7e:12:bb', 2, 2425, 5400, 82, 0)
        connection = network.AddWiFiConnection(device, 'home', 'Sonnenweg\n5', 'wpa-psk')
        network.AddActiveConnection([device], connection, point, 'active', 2)
    elif what == 'session':
        login.AddSession('1', 'seat0', dbus.UInt32(1000), 'anna', True)
    elif what == 'locker':
        # What a locker does when logind passes the request on.
        login.AddMethod('org.freedesktop.login1.Manager', 'LockSessions', '', '', "objects['/org/freedesktop/login1/session/1'].UpdateProperties('org.freedesktop.login1.Session', {'LockedHint': dbus.Boolean(True)})")
    elif what == 'refused':
        manager = dbus.Interface(bus.get_object('org.freedesktop.NetworkManager', '/org/freedesktop/NetworkManager'), dbusmock.MOCK_IFACE)
        manager.AddMethod('org.freedesktop.NetworkManager', 'GetPermissions', '', 'a{ss}', "ret = {'org.freedesktop.NetworkManager.enable-disable-wifi': 'auth', 'org.freedesktop.NetworkManager.network-control': 'yes'}")
        for name, answer in [('CanSuspend', 'no'), ('CanPowerOff', 'challenge'), ('CanReboot', 'na')]:
            login.AddMethod('org.freedesktop.login1.Manager', name, '', 's', f"ret = '{answer}'")
    elif what == 'broken':
        tunes.AddMethod(PLAYER, 'Play', '', '', '')
    elif what == 'bluetooth':
        mock = dbus.Interface(bus.get_object('org.bluez', '/'), 'org.bluez.Mock')
        mock.AddAdapter('hci0', 'den')
        for address, name in [('11:22:33:44:55:66', 'Headphones\n2'), ('11:22:33:44:55:77', 'Far away')]:
            mock.AddDevice('hci0', address, name)
        mock.PairDevice('hci0', '11:22:33:44:55:66', 5898764)
        mock.ConnectDevice('hci0', '11:22:33:44:55:66')
    elif what == 'guess' or what == 'found':
        located('/' + what)
    elif what == 'forbidden':
        client.AddMethod(GEO + '.Client', 'Start', '', '', "raise dbus.exceptions.DBusException('hark may not', name='org.freedesktop.DBus.Error.AccessDenied')")
    elif what == 'client':
        print(client_properties(), flush=True)
        continue
    elif what == 'shown':
        print('|'.join(str(call[2][index]) for call in shown.GetCalls() for index in (3, 4)), flush=True)
        continue
    elif what == 'calls':
        print(','.join(str(call[1]) for call in login.GetCalls()), flush=True)
        continue
    print('done', flush=True)
for child in children:
    child.terminate()
"#;

/// A bus with the services on it; ends with this.
struct Machine {
    bus: Child,
    player: Child,
    input: ChildStdin,
    output: BufReader<std::process::ChildStdout>,
}

impl Machine {
    fn start() -> Option<Self> {
        let (bus, address) = support::bus_for("dbusmock")?;
        // SAFETY: this test is the only one of its program, and starts no thread before.
        unsafe {
            std::env::set_var("DBUS_SYSTEM_BUS_ADDRESS", &address);
            std::env::set_var("DBUS_SESSION_BUS_ADDRESS", &address);
        };
        let mut player = Command::new(support::PYTHON)
            .args(["-c", PLAYER])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let input = player.stdin.take()?;
        let output = BufReader::new(player.stdout.take()?);
        let mut machine = Self { bus, player, input, output };
        assert_eq!(machine.line(), "ready");
        Some(machine)
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim().to_owned()
    }

    fn tell(&mut self, what: &str) -> String {
        writeln!(self.input, "{what}").unwrap();
        self.line()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // The player ends its children when its input ends; the bus ends last.
        let _ = self.player.kill();
        let _ = self.player.wait();
        let _ = self.bus.kill();
        let _ = self.bus.wait();
    }
}

#[test]
fn the_machine_is_told_of_and_driven_by_its_services() {
    let Some(mut machine) = Machine::start() else {
        eprintln!("skipped: python3-dbusmock or dbus-daemon is not installed (make test-packages)");
        return;
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let desktop = Desktop::default();
    for service in [Service::Power, Service::Network, Service::Login] {
        assert_eq!(desktop.offers(service), Ok(()), "{service:?}");
    }
    let battery = runtime.block_on(desktop.battery());
    assert_eq!(battery, Err(DesktopError::NoBattery));
    assert_eq!(desktop.has_battery(), Err(DesktopError::NoBattery));
    assert_eq!(desktop.may_lock(), Err(DesktopError::NobodyThere));
    assert_eq!(desktop.may_sleep(), Ok(()));
    assert_eq!(machine.tell("battery"), "done");
    let battery = runtime.block_on(desktop.battery()).unwrap();
    assert_eq!((battery.percent, battery.state), (63.4, BatteryState::Discharging));
    assert_eq!(battery.seconds_left, Some(5400));

    let wifi = runtime.block_on(desktop.wifi()).unwrap();
    assert_eq!((wifi.is_enabled, wifi.network), (true, None));
    assert_eq!(machine.tell("wifi"), "done");
    let wifi = runtime.block_on(desktop.wifi()).unwrap();
    assert_eq!(
        wifi.network,
        Some(("Sonnenweg 5".to_owned(), Some(82))),
        "names of networks are data of others"
    );

    assert_eq!(runtime.block_on(desktop.set_wifi(false)), Ok(true));
    assert!(!runtime.block_on(desktop.wifi()).unwrap().is_enabled);
    assert_eq!(runtime.block_on(desktop.set_wifi(true)), Ok(false));

    let bluetooth = || runtime.block_on(desktop.bluetooth());
    assert_eq!(desktop.has_bluetooth(), Ok(()));
    assert_eq!(bluetooth(), Err(DesktopError::Missing("this machine has no Bluetooth")));
    assert_eq!(machine.tell("bluetooth"), "done");
    let on = Bluetooth { is_enabled: true, devices: vec!["Headphones 2".into()] };
    assert_eq!(bluetooth(), Ok(on.clone()), "names of devices are data of others");
    assert_eq!(runtime.block_on(desktop.set_bluetooth(false)), Ok(true));
    assert!(!bluetooth().unwrap().is_enabled);
    assert_eq!(runtime.block_on(desktop.set_bluetooth(true)), Ok(false));
    assert_eq!(bluetooth(), Ok(on));

    assert_eq!(desktop.service_forbids(7), ["MemoryDenyWriteExecute", "RestrictNamespaces"]);
    assert!(desktop.service_forbids(8).is_empty() && desktop.service_forbids(9).is_empty());

    let position = || runtime.block_on(desktop.position());
    assert_eq!(machine.tell("guess"), "done");
    let guess = DesktopError::Missing("GeoClue only guesses where this machine is");
    assert_eq!(position(), Err(guess), "an address in the internet is no place");
    assert_eq!(machine.tell("found"), "done");
    assert_eq!(position(), Ok(Position { latitude: 48.2, longitude: 16.37, accuracy_metres: 20.0 }));
    assert_eq!(machine.tell("client"), "hark 8");
    assert_eq!(machine.tell("forbidden"), "done");
    assert!(matches!(position(), Err(DesktopError::Denied(_))));

    assert_eq!(runtime.block_on(desktop.lock()), Err(DesktopError::NobodyThere));
    assert_eq!(machine.tell("session"), "done");
    assert_eq!(runtime.block_on(desktop.lock()), Err(DesktopError::NotLocked), "logind only passes it on");
    assert_eq!(machine.tell("locker"), "done");
    assert_eq!(runtime.block_on(desktop.lock()), Ok(Locked { count: 1, were_locked: false }));
    assert_eq!(runtime.block_on(desktop.lock()), Ok(Locked { count: 1, were_locked: true }));
    assert_eq!(runtime.block_on(desktop.suspend()), Ok(()));
    let calls = machine.tell("calls");
    assert!(calls.contains("LockSessions") && calls.ends_with("Suspend"), "{calls}");

    assert_eq!(machine.tell("refused"), "done");
    assert!(matches!(runtime.block_on(desktop.suspend()), Err(DesktopError::Denied(_))));
    assert!(!machine.tell("calls").ends_with("Suspend,Suspend"), "and it was not tried");
    // Another look, as what was found out is known for some time.
    let anew = Desktop::default();
    assert!(matches!(anew.may_sleep(), Err(DesktopError::Denied(_))));
    assert_eq!((anew.has_battery(), anew.may_lock()), (Ok(()), Ok(())));
    let grants = anew.grants();
    assert_eq!((grants.power_off, grants.reboot), (Some(Grant::Password), Some(Grant::Unable)));
    let network = anew.network_grants();
    assert_eq!(network.get("enable-disable-wifi"), Some(&Grant::Password));
    assert_eq!(network.get("network-control"), Some(&Grant::Yes));

    let told = |command| runtime.block_on(desktop.tell_player(command));
    assert_eq!(desktop.has_session(), Ok(()));
    let player = runtime.block_on(desktop.player()).unwrap();
    assert_eq!((player.name.as_str(), player.is_playing), ("Tunes", true));
    assert_eq!((player.title.as_str(), player.artist.as_str()), ("So What", "Miles Davis"));
    assert!(!told(PlayerCommand::Pause).unwrap().is_playing);
    assert!(told(PlayerCommand::Play).unwrap().is_playing);
    assert_eq!(told(PlayerCommand::Next).unwrap().title, "Blue in Green");
    assert!(!told(PlayerCommand::Pause).unwrap().is_playing);
    assert_eq!(machine.tell("broken"), "done");
    let undone = told(PlayerCommand::Play);
    assert_eq!(
        undone,
        Err(DesktopError::Failed("Tunes did not do it".into())),
        "a player that only says yes"
    );

    assert!(runtime.block_on(desktop.notify("Hark", "the <b>washing</b> & drying")).is_ok());
    assert_eq!(machine.tell("shown"), "Hark|the &lt;b&gt;washing&lt;/b&gt; &amp; drying");
}

//! Pictures of a Wayland screen by the desktop's portal, which python-dbus plays on a bus of the test's own. Where that is not
//! installed the test says so and passes.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests are tests")]

mod support;

use hark_desktop::screen::{Capture, Rect, Screen, ScreenError, picture};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

/// Answers a request for a picture with what the last line on its standard input says: a code and an address.
const PORTAL: &str = r#"
import sys, dbus, dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib
DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
name = dbus.service.BusName('org.freedesktop.portal.Desktop', bus)
answer = [0, '']
class Request(dbus.service.Object):
    @dbus.service.signal('org.freedesktop.portal.Request', signature='ua{sv}')
    def Response(self, code, results):
        pass
class Portal(dbus.service.Object):
    @dbus.service.method('org.freedesktop.portal.Screenshot', 'sa{sv}', 'o', sender_keyword='sender')
    def Screenshot(self, window, options, sender):
        path = '/org/freedesktop/portal/desktop/request/%s/%s' % (sender[1:].replace('.', '_'), options['handle_token'])
        request = Request(bus, path)
        code, address = answer
        GLib.idle_add(lambda: request.Response(code, {'uri': address} if address else {}))
        return path
    @dbus.service.method(dbus.PROPERTIES_IFACE, 'ss', 'v')
    def Get(self, interface, prop):
        return dbus.UInt32(5)
portal = Portal(bus, '/org/freedesktop/portal/desktop')
def line(*_):
    global answer
    words = sys.stdin.readline().split()
    if not words:
        sys.exit()
    answer = [int(words[0]), words[1] if len(words) > 1 else '']
    print('done', flush=True)
    return True
GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, line)
print('ready', flush=True)
GLib.MainLoop().run()
"#;

/// A bus with the portal on it; ends with this.
struct Desktop {
    bus: Child,
    portal: Child,
    input: ChildStdin,
    output: BufReader<std::process::ChildStdout>,
}

impl Desktop {
    fn start() -> Option<Self> {
        let (bus, address) = support::bus_for("dbus, gi")?;
        // SAFETY: this test is the only one of its program, and starts no thread before.
        unsafe {
            std::env::set_var("DBUS_SESSION_BUS_ADDRESS", &address);
            std::env::set_var("WAYLAND_DISPLAY", "wayland-0");
            std::env::remove_var("DISPLAY");
        };
        let mut portal = Command::new(support::PYTHON)
            .args(["-u", "-c", PORTAL])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let (input, output) = (portal.stdin.take()?, BufReader::new(portal.stdout.take()?));
        let mut desktop = Self { bus, portal, input, output };
        assert_eq!(desktop.line(), "ready");
        Some(desktop)
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim().to_owned()
    }

    fn answers(&mut self, code: u32, address: &str) {
        writeln!(self.input, "{code} {address}").unwrap();
        assert_eq!(self.line(), "done");
    }
}

impl Drop for Desktop {
    fn drop(&mut self) {
        for child in [&mut self.portal, &mut self.bus] {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn address(path: &Path) -> String {
    format!("file://{}", path.display()).replace(' ', "%20")
}

#[test]
fn the_screen_of_wayland_is_what_its_portal_shows() {
    let Some(mut desktop) = Desktop::start() else {
        eprintln!(
            "skipped: python3-dbusmock, python3-gi or dbus-daemon is not installed (make test-packages)"
        );
        return;
    };
    let screen = Screen::default();
    assert_eq!(screen.can_be_seen(), Ok(()));
    assert_eq!(screen.has_manager(), Err(ScreenError::Wayland), "the portal moves no windows");
    assert_eq!(screen.has_input(), Err(ScreenError::Wayland));

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("A screenshot.png");
    let place = Rect { x: 0, y: 0, width: 2, height: 3 };
    let shown = Capture { place, rgb: (0..18).collect() };
    fs::write(&path, shown.png().unwrap()).unwrap();
    // Older than the request: somebody's own picture, which stays.
    let hour = std::time::Duration::from_secs(3600);
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(std::time::SystemTime::now() - hour)
        .unwrap();
    desktop.answers(0, &address(&path));
    assert_eq!(picture(), Ok(shown.clone()));
    assert!(path.exists());
    // Made for the request, which it is dated after here: it does not lie about afterwards.
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(std::time::SystemTime::now() + hour)
        .unwrap();
    assert_eq!(picture(), Ok(shown));
    assert!(!path.exists());

    desktop.answers(1, "");
    let refused = picture();
    assert!(matches!(&refused, Err(ScreenError::NotDone(why)) if why.contains("said no")), "{refused:?}");
    desktop.answers(0, "https://elsewhere.test/a.png");
    assert!(matches!(picture(), Err(ScreenError::NotDone(_))), "no file of this machine");
    fs::write(&path, "no picture").unwrap();
    desktop.answers(0, &address(&path));
    assert!(matches!(picture(), Err(ScreenError::Failed(_))));
    assert!(path.exists(), "what is no picture was not made for this");
}

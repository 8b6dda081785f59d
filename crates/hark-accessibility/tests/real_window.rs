//! A real GTK window under Xvfb with a session bus of its own (Debian: xvfb, at-spi2-core, python3-gi, gir1.2-gtk-3.0). Where
//! one of these is missing the test says so and passes. It runs itself anew within that session.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests are tests")]

use hark_accessibility::{Accessibility, AccessibilityError};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The one that Debian's packages are for.
const PYTHON: &str = "/usr/bin/python3";

const WINDOW: &str = r#"
import gi
gi.require_version('Gtk', '3.0')
from gi.repository import Gtk, GLib
GLib.set_prgname('notebook')
window = Gtk.Window(title='My notebook')
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
bar = Gtk.MenuBar()
def menu(name, *items):
    item = Gtk.MenuItem(label=name)
    inner = Gtk.Menu()
    for one in items:
        inner.append(one)
    item.set_submenu(inner)
    return item
said = Gtk.Label(label='nothing yet')
def entry(name):
    item = Gtk.MenuItem(label=name)
    item.connect('activate', lambda *_: said.set_text('menu: ' + name))
    return item
bar.append(menu('File', entry('Save as'), menu('Export', entry('As text'))))
bar.append(menu('Help', entry('About')))
field = Gtk.Entry()
label = Gtk.Label(label='Title')
label.set_mnemonic_widget(field)
secret = Gtk.Entry(visibility=False, text='s3cret')
secret.get_accessible().set_name('Passphrase')
button = Gtk.Button(label='Keep it')
button.connect('clicked', lambda *_: said.set_text('kept: ' + field.get_text()))
off = Gtk.Button(label='Not now', sensitive=False)
for widget in (bar, label, field, secret, button, off, said):
    box.add(widget)
window.add(box)
window.show_all()
print('ready', flush=True)
Gtk.main()
"#;

/// Ends the program with the test.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_window_is_read_pressed_filled_and_its_menus_gone_through() {
    if std::env::var_os("HARK_IN_SESSION").is_some() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        return runtime.block_on(in_session());
    }
    let has = |program: &str, args: &[&str]| {
        let quiet = Command::new(program).args(args).stdout(Stdio::null()).stderr(Stdio::null()).status();
        quiet.is_ok_and(|status| status.success())
    };
    let gtk = "import gi; gi.require_version('Gtk', '3.0'); from gi.repository import Gtk";
    let launcher = std::path::Path::new("/usr/libexec/at-spi-bus-launcher").exists();
    if !launcher
        || !has("dbus-run-session", &["--version"])
        || !has("sh", &["-c", "command -v Xvfb"])
        || !has(PYTHON, &["-c", gtk])
    {
        println!("skipped: xvfb, dbus, at-spi2-core, python3-gi or gir1.2-gtk-3.0 is not installed");
        return;
    }
    let test = std::env::current_exe().unwrap();
    let script = r#"exec 3>&1; Xvfb -displayfd 3 -screen 0 800x600x24 -nolisten tcp 3>"$1" >/dev/null 2>&1 & server=$!
        for wait in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25; do [ -s "$1" ] && break; sleep 0.2; done
        DISPLAY=":$(cat "$1")" HARK_IN_SESSION=1 dbus-run-session -- "$2" --exact --nocapture "$3"; status=$?
        kill $server; exit $status"#;
    let number = std::env::temp_dir().join(format!("hark-display-{}", std::process::id()));
    let name = "a_window_is_read_pressed_filled_and_its_menus_gone_through";
    let output = Command::new("sh")
        .args(["-c", script, "sh"])
        .args([number.as_os_str(), test.as_os_str()])
        .arg(name)
        .output();
    let output = output.unwrap();
    let _ = std::fs::remove_file(number);
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said.contains("all of it was done"), "{said}");
}

/// What a label says, as soon as it says this.
async fn says(desktop: Accessibility, wanted: &str) {
    let begun = Instant::now();
    loop {
        let read = desktop.read(Some("notebook")).await.unwrap();
        if read.text.contains(wanted) {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "{wanted}: {}", read.text);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

async fn in_session() {
    let desktop = Accessibility;
    assert_eq!(desktop.is_there(), Ok(()));
    assert_eq!(desktop.read(None).await, Err(AccessibilityError::NoWindow(String::new())));
    let mut program = Command::new(PYTHON).args(["-c", WINDOW]).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(program.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let _program = Program(program);
    let begun = Instant::now();
    while desktop.read(None).await.is_err() {
        assert!(begun.elapsed() < Duration::from_secs(10), "no window is told of");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let read = desktop.read(None).await.unwrap();
    assert_eq!(read.window, "My notebook");
    assert!(read.text.contains("push button: Keep it") && !read.text.contains("s3cret"), "{}", read.text);
    let title = &desktop.find("title", None).await.unwrap();
    let field = title.iter().find(|found| found.element.is_editable).expect("a field with its label");
    desktop.fill(field, "Owls").await.unwrap();
    says(desktop, "Title: “Owls”").await;
    let keep = &desktop.find("keep it", Some("notebook")).await.unwrap()[0];
    desktop.press(keep).await.unwrap();
    says(desktop, "kept: Owls").await;
    let off = &desktop.find("not now", None).await.unwrap()[0];
    assert_eq!(desktop.press(off).await, Err(AccessibilityError::NotPressable("Not now".into())));
    let secret = &desktop.find("passphrase", None).await.unwrap()[0];
    assert_eq!(desktop.fill(secret, "guess").await, Err(AccessibilityError::Secret));
    let way = desktop.menu_entry(&["file", "save as"], None).await.unwrap();
    desktop.go_through(&way).await.unwrap();
    says(desktop, "menu: Save as").await;
    let way = desktop.menu_entry(&["file", "export", "as text"], Some("notebook")).await.unwrap();
    desktop.go_through(&way).await.unwrap();
    says(desktop, "menu: As text").await;
    assert_eq!(
        desktop.menu_entry(&["file", "print"], None).await,
        Err(AccessibilityError::Nothing("print".into()))
    );
    assert_eq!(desktop.find("elephants", None).await, Err(AccessibilityError::Nothing("elephants".into())));
    assert_eq!(desktop.read(Some("writer")).await, Err(AccessibilityError::NoWindow("writer".into())));
    println!("all of it was done");
}

//! A D-Bus of a test's own, for services that a Python program plays.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// The Python of the system, which has the bindings of D-Bus.
pub const PYTHON: &str = "/usr/bin/python3";

/// A bus and its address; `None` where Python cannot import `modules`, or there is no `dbus-daemon`. The caller ends it.
pub fn bus_for(modules: &str) -> Option<(Child, String)> {
    let import = format!("import {modules}");
    let has_modules = Command::new(PYTHON).args(["-c", &import]).stderr(Stdio::null()).status();
    if !has_modules.is_ok_and(|status| status.success()) {
        return None;
    }
    let arguments = ["--session", "--nofork", "--nopidfile", "--print-address=1"];
    let mut bus = Command::new("dbus-daemon").args(arguments).stdout(Stdio::piped()).spawn().ok()?;
    let mut address = String::new();
    BufReader::new(bus.stdout.take()?).read_line(&mut address).ok()?;
    Some((bus, address.trim().to_owned()))
}

//! Which Chromium there is, and how it is started: with a folder of its own, through the proxy, worked over a pipe.

use crate::error::BrowserError;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// Names of Chromium and its siblings; the first that is there is taken.
const NAMES: [&str; 5] =
    ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "microsoft-edge-stable"];
/// Where programs are looked for.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin:/snap/bin:/opt/google/chrome";
/// The shell lays standard input and output to where Chromium's pipe is, 3 and 4. Program and options are arguments.
const ON_PIPE: &str = r#"exec "$@" 3<&0 4>&1 </dev/null >/dev/null"#;
/// What Chromium gets of the environment: the display, and what it needs to draw and to tell words and times.
const HANDED_ON: [&str; 13] = [
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "XDG_SESSION_TYPE",
    "XDG_CURRENT_DESKTOP",
    "XDG_DATA_DIRS",
    "DBUS_SESSION_BUS_ADDRESS",
    "HOME",
    "USER",
    "LANG",
    "LC_ALL",
    "TZ",
];
/// Most of what it complains about that is kept.
const MAX_COMPLAINT_BYTES: usize = 4096;

/// Options that never change. Nothing is asked of Google by itself, no device in the house is looked for, UDP is not used,
/// and questions for rights of a page are answered with no.
const OPTIONS: [&str; 27] = [
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-features=AutofillServerCommunication,DialMediaRouteProvider,ExtensionsUpdate,MediaRouter,NetworkTimeServiceQuerying,OptimizationHints,Translate",
    "--disable-component-extensions-with-background-pages",
    "--gaia-url=https://gaia.invalid",
    "--component-updater=url-source=https://update.invalid/",
    "--apps-gallery-update-url=https://update.invalid/",
    "--disable-quic",
    "--disable-sync",
    "--deny-permission-prompts",
    "--metrics-recording-only",
    "--no-pings",
    "--no-service-autorun",
    "--password-store=basic",
    "--use-mock-keychain",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    // Without this, loopback goes around the proxy.
    "--proxy-bypass-list=<-loopback>",
    // Names are resolved by the proxy alone.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--hide-crash-restore-bubble",
];

/// How it is to be started.
#[derive(Debug, Clone)]
pub(crate) struct Launch {
    /// `auto`, `none`, a name or an absolute path.
    pub(crate) program: String,
    /// With Chromium's own sandbox.
    pub(crate) sandbox: bool,
    /// Without a window where there is a display, too.
    pub(crate) headless: bool,
    /// Where its profile lies.
    pub(crate) profile: PathBuf,
}

/// The end of what a program says, while it runs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Complaint(Arc<Mutex<Vec<u8>>>);

impl Complaint {
    /// Its last line that says something.
    pub(crate) fn last(&self) -> String {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&kept);
        let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty());
        line.unwrap_or("it ended without a word").chars().take(300).collect()
    }

    /// Reads to the end, and keeps what came last.
    pub(crate) async fn follow(self, mut from: impl AsyncRead + Unpin) {
        let mut piece = [0; 1024];
        while let Ok(read @ 1..) = from.read(&mut piece).await {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend_from_slice(&piece[..read]);
            let over = kept.len().saturating_sub(MAX_COMPLAINT_BYTES);
            kept.drain(..over);
        }
    }
}

impl Launch {
    /// The program, where it may run here.
    pub(crate) fn found(&self) -> Result<PathBuf, BrowserError> {
        let program = match self.program.trim() {
            "none" => return Err(BrowserError::Off),
            "auto" | "" => NAMES.iter().find_map(|name| find(name)).ok_or(BrowserError::NoProgram)?,
            named => find(named).ok_or_else(|| BrowserError::BadProgram(named.to_owned()))?,
        };
        if self.sandbox && rustix::process::geteuid().is_root() {
            return Err(BrowserError::NoSandbox);
        }
        Ok(program)
    }

    /// Whether it has a window.
    pub(crate) fn is_visible(&self) -> bool {
        let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
        !self.headless && (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY"))
    }

    /// Starts it behind the proxy on this port.
    pub(crate) fn start(&self, proxy: u16) -> Result<(Child, ChildStdin, ChildStdout), BrowserError> {
        let program = self.found()?;
        let failed = |error: std::io::Error| BrowserError::Start(error.to_string());
        let temporary = self.profile.join("cache");
        private_folder(&temporary).map_err(failed)?;
        let mut command = Command::new("/bin/sh");
        command.args(["-c", ON_PIPE, "sh"]).arg(program).args(OPTIONS);
        command.arg(option("user-data-dir", &self.profile));
        command.arg(format!("--proxy-server=socks5://127.0.0.1:{proxy}"));
        if !self.sandbox {
            command.args(["--no-sandbox", "--test-type"]);
        }
        if !self.is_visible() {
            command.args(["--headless", "--window-size=1280,900"]);
        }
        command.arg("about:blank");
        command.env_clear().env("PATH", PATH).env("XDG_CACHE_HOME", &temporary);
        command.envs(HANDED_ON.iter().filter_map(|name| Some((name, env::var_os(name)?))));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.process_group(0).kill_on_drop(true).spawn().map_err(failed)?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(stdin), Some(stdout)) => Ok((child, stdin, stdout)),
            _ => Err(BrowserError::Start("it has no pipe".into())),
        }
    }
}

/// Makes a folder, with those above it, that only its owner may look into.
pub(crate) fn private_folder(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

fn option(name: &str, path: &Path) -> std::ffi::OsString {
    let mut option = std::ffi::OsString::from(format!("--{name}="));
    option.push(path);
    option
}

/// The file of a program: its absolute path, or the first of its name.
fn find(program: &str) -> Option<PathBuf> {
    if program.starts_with('/') {
        return Some(PathBuf::from(program)).filter(|path| path.is_file());
    }
    if program.contains('/') {
        return None;
    }
    PATH.split(':').map(|folder| Path::new(folder).join(program)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(program: &str) -> Launch {
        Launch { program: program.into(), sandbox: false, headless: true, profile: "/nowhere".into() }
    }

    #[test]
    fn a_program_is_found_by_name_and_by_path_or_not_at_all() {
        assert_eq!(of("/bin/sh").found(), Ok("/bin/sh".into()));
        assert!(of("sh").found().unwrap().ends_with("sh"));
        assert_eq!(of("none").found(), Err(BrowserError::Off));
        assert_eq!(of("../sh").found(), Err(BrowserError::BadProgram("../sh".into())));
        assert_eq!(
            of("/bin/nothing-there").found(),
            Err(BrowserError::BadProgram("/bin/nothing-there".into()))
        );
    }

    #[test]
    fn as_root_there_is_no_sandbox() {
        let with_sandbox = Launch { sandbox: true, ..of("sh") };
        let expected = rustix::process::geteuid().is_root();
        assert_eq!(with_sandbox.found() == Err(BrowserError::NoSandbox), expected);
    }

    #[tokio::test]
    async fn the_last_line_of_a_complaint_is_kept() {
        let complaint = Complaint::default();
        assert_eq!(complaint.last(), "it ended without a word");
        let text = format!("{}\nno display\n\n", "x".repeat(2 * MAX_COMPLAINT_BYTES));
        complaint.clone().follow(text.as_bytes()).await;
        assert_eq!(complaint.last(), "no display");
    }
}

//! The page saves settings where Hark is the system's service: the folders as systemd-sysusers and systemd-tmpfiles make
//! them, and the program as that user, with a file system that is as read-only as the unit has it.

use crate::scenarios::daemon_api::http_with;
use crate::support::{Running, free_port, root, run, text, wait_for};
use serde_json::{Value, json};
use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// What an owner has written in the file.
const OURS: &str = "# Ours.\n[vad]\nthreshold = 0.6 # loud\n";
const SECRET: &str = "the broker's password";

/// Whether this machine lets a test be root and make a file system of its own.
fn is_possible() -> bool {
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    let works = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    is_root
        && works("bwrap", &["--ro-bind", "/", "/", "true"])
        && works("systemd-tmpfiles", &["--version"])
        && works("setpriv", &["--version"])
}

/// A machine on which `make install` was run, in this folder. The user's number.
fn install(machine: &Path, port: u16) -> u32 {
    let systemd = root().join("systemd");
    let in_it = format!("--root={}", machine.display());
    fs::create_dir_all(machine.join("etc/hark")).unwrap();
    let settings = format!(
        "{OURS}\n[audio]\ninput_device = \"none\"\noutput_device = \"none\"\n\n[mqtt]\nbroker = \"none\"\n\n\
         [dashboard]\nlisten = \"127.0.0.1:{port}\"\n\n[intent]\nlearn = false\n"
    );
    fs::write(machine.join("etc/hark/hark.toml"), settings).unwrap();
    run(Command::new("systemd-sysusers").arg(&in_it).arg(systemd.join("hark.sysusers.conf")));
    run(Command::new("systemd-tmpfiles").arg(&in_it).arg("--create").arg(systemd.join("hark.tmpfiles.conf")));
    // Of the administrator's, as the unit's LoadCredential wants it.
    let secret = machine.join("etc/hark/mqtt-password");
    fs::write(&secret, SECRET).unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).unwrap();
    fs::metadata(machine.join("var/lib/hark")).unwrap().uid()
}

/// A program of the administrator's on this machine, with a file system as the unit has it.
fn as_root(machine: &Path) -> Command {
    let unit = fs::read_to_string(root().join("systemd/hark.service")).unwrap();
    let has = |line: &str| unit.lines().any(|one| one == line);
    assert!(has("User=hark") && has("ProtectSystem=strict") && has("StateDirectory=hark"), "{unit}");
    let configuration = if has("ReadWritePaths=-/etc/hark") { "--bind" } else { "--ro-bind" };
    let mut command = Command::new("bwrap");
    // Processes of its own, which end with the first of them: as another user they are not killed with their parent.
    command.args([
        "--die-with-parent",
        "--unshare-pid",
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--tmpfs",
        "/tmp",
    ]);
    // Folders of its own are the administrator's alone unless it is told otherwise.
    for folder in ["/etc", "/opt", "/var", "/var/lib"] {
        command.args(["--perms", "0755", "--dir", folder]);
    }
    for system in ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/alternatives"] {
        command.args(["--ro-bind-try", system, system]);
    }
    command.arg("--ro-bind").arg(env!("CARGO_BIN_EXE_hark")).arg("/opt/hark");
    command.arg("--ro-bind").arg(root().join("models")).arg("/opt/models");
    command.arg("--bind").arg(machine.join("var/lib/hark")).arg("/var/lib/hark");
    command.arg(configuration).arg(machine.join("etc/hark")).arg("/etc/hark");
    command.args(["--remount-ro", "/", "--clearenv", "--setenv", "PATH", "/usr/bin:/bin"]);
    command.args([
        "--setenv",
        "STATE_DIRECTORY",
        "/var/lib/hark",
        "--setenv",
        "HARK_MODELS_DIR",
        "/opt/models",
    ]);
    command.stdin(Stdio::null());
    command
}

/// A program as the unit runs it, as far as its user, its capabilities and the file system go.
fn as_the_unit(machine: &Path, user: u32, program: &[&str]) -> Command {
    let mut command = as_root(machine);
    let user = user.to_string();
    command.args(["setpriv", "--reuid", &user, "--regid", &user, "--clear-groups", "--inh-caps=-all"]);
    command.args(["--bounding-set=-all", "--no-new-privs", "sh", "-c", "umask 0077 && exec \"$@\"", "sh"]);
    command.args(program);
    command
}

#[test]
fn the_page_writes_etc_hark_and_nothing_of_the_administrators() {
    if !is_possible() {
        println!("skipped: it takes root, bubblewrap, setpriv and systemd-tmpfiles");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // The user's own way to its folders; the tests' folder is the administrator's.
    run(Command::new("chmod").arg("0755").arg(folder.path()));
    let (machine, port) = (folder.path(), free_port());
    let user = install(machine, port);
    let config = machine.join("etc/hark/hark.toml");
    let daemon = as_the_unit(machine, user, &["/opt/hark", "run"]).stdout(Stdio::null()).spawn().unwrap();
    let daemon = Running(daemon);

    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let token = wait_for("a start", Duration::from_secs(60), || {
        std::net::TcpStream::connect(address).ok()?;
        fs::read_to_string(machine.join("var/lib/hark/operator-token")).ok()
    });
    let operator = format!("Authorization: Bearer {}\r\n", token.trim());
    let call =
        |method: &str, path: &str, body: Value| http_with(address, method, path, Some(body), &operator);

    let changes = json!({ "changes": { "endpoint.silence_ms": 650 } });
    let (status, answer) = call("PATCH", "/api/v1/config", changes);
    assert_eq!(status, 200, "{answer}");
    let (status, answer) = call("POST", "/api/v1/setup/rooms", json!({ "names": ["Attic", "Cellar"] }));
    assert_eq!(status, 204, "{answer}");
    let rename = json!({ "id": "attic", "name": "Studio", "aliases": [] });
    let (status, answer) = call("PATCH", "/api/v1/names", rename);
    assert_eq!(status, 204, "{answer}");
    let written = fs::read_to_string(&config).unwrap();
    assert!(written.starts_with(OURS) && written.contains("silence_ms = 650"), "{written}");
    assert!(written.contains("file = \"/etc/hark/home.toml\""), "{written}");
    let home = machine.join("etc/hark/home.toml");
    assert!(fs::read_to_string(&home).unwrap().contains("\"Studio\""));

    // What is the administrator's, the same user neither replaces, takes away nor reads; and nothing else is writable.
    let shell = |script: &str| as_the_unit(machine, user, &["sh", "-c", script]).output().unwrap();
    let allowed = shell("touch /etc/hark/own && mv /etc/hark/own /etc/hark/other && rm /etc/hark/other");
    assert!(allowed.status.success(), "{}", text(&allowed.stderr));
    for forbidden in [
        "echo x >/etc/hark/y && mv -f /etc/hark/y /etc/hark/mqtt-password",
        "rm -f /etc/hark/mqtt-password",
        "ln -sf /var/lib/hark/x /etc/hark/mqtt-password",
        "cat /etc/hark/mqtt-password",
        "touch /etc/other",
        "touch /usr/other",
    ] {
        let output = shell(forbidden);
        assert!(!output.status.success(), "{forbidden}: {}", text(&output.stderr));
    }
    assert_eq!(fs::read_to_string(machine.join("etc/hark/mqtt-password")).unwrap(), SECRET);

    // The administrator's own change leaves the file to the service, which changes it once more.
    run(as_root(machine).args(["/opt/hark", "config", "set", "endpoint.silence_ms=700"]));
    let owner = |path: &Path| fs::metadata(path).unwrap().uid();
    assert_eq!((owner(&config), owner(&home)), (user, user));
    let (status, answer) =
        call("PATCH", "/api/v1/config", json!({ "changes": { "endpoint.silence_ms": null } }));
    assert_eq!(status, 200, "{answer}");
    assert!(!fs::read_to_string(&config).unwrap().contains("silence_ms"));
    drop(daemon);
}

/// Runs a program under the filter of system calls that unit files describe together; what `@` groups hold systemd tells.
const FILTERED: &str = r##"
import ctypes, os, re, struct, subprocess, sys
units, command = sys.argv[1].split(','), sys.argv[2:]
def group(name):
    lines = subprocess.run(['systemd-analyze', 'syscall-filter', name], capture_output=True, text=True, check=True).stdout.split('\n')
    words = [line.strip() for line in lines[1:]]
    return calls([word for word in words if word and not word.startswith('#')])
def calls(words):
    return set().union(*[group(word) if word.startswith('@') else {word} for word in words])
allowed = calls(['@default'])
for unit in units:
    for value in re.findall(r'^SystemCallFilter=(.*)$', open(unit).read(), re.M):
        words = value.lstrip('~').split()
        allowed = allowed - calls(words) | calls(['@default']) if value.startswith('~') else allowed | calls(words)
numbers = dict(re.findall(r'#define __NR_(\w+) (\d+)', open('/usr/include/x86_64-linux-gnu/asm/unistd_64.h').read()))
load, equal, answer = 0x20, 0x15, 0x06
code = struct.pack('HBBI', load, 0, 0, 0)
for number in sorted(int(numbers[name]) for name in allowed if name in numbers):
    code += struct.pack('HBBI', equal, 0, 1, number) + struct.pack('HBBI', answer, 0, 0, 0x7fff0000)
code += struct.pack('HBBI', answer, 0, 0, 0x00050001)  # EPERM, as the unit has it
class Program(ctypes.Structure):
    _fields_ = [('length', ctypes.c_ushort), ('code', ctypes.c_char_p)]
program = Program(len(code) // 8, code)
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, ctypes.byref(program), 0, 0) == 0
os.execvp(command[0], command)
"##;

#[test]
fn the_drop_in_lets_the_sandboxes_be_made_that_the_units_forbid() {
    let works = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let sandbox =
        ["--unshare-all", "--hostname", "sandbox", "--ro-bind", "/", "/", "--proc", "/proc", "true"];
    let has_numbers = Path::new("/usr/include/x86_64-linux-gnu/asm/unistd_64.h").exists();
    if !(works("bwrap", &sandbox) && works("systemd-analyze", &["--version"]) && has_numbers) {
        println!("skipped: it takes bubblewrap, systemd-analyze and the numbers of system calls of x86-64");
        return;
    }
    let unit = |name: &str| root().join("systemd").join(name).display().to_string();
    let drop_in = unit("hark.service.d/sandbox.conf");
    let under = |units: &[&String], program: &str| {
        let units = units.iter().map(|unit| unit.as_str()).collect::<Vec<_>>().join(",");
        let mut command = Command::new("python3");
        command.args(["-c", FILTERED, &units, program]).env("INVOCATION_ID", "of a test");
        command
    };
    for service in [unit("hark.service"), unit("user/hark.service")] {
        let made = |units: &[&String]| under(units, "bwrap").args(sandbox).output().unwrap();
        assert!(!made(&[&service]).status.success(), "{service} forbids it");
        let loose = made(&[&service, &drop_in]);
        assert!(loose.status.success(), "{service}: {}", text(&loose.stderr));
        if service.contains("/user/") {
            // What doctor says of one holds for the other.
            continue;
        }

        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("work")).unwrap();
        let config = folder.path().join("hark.toml");
        fs::write(&config, "[mqtt]\nbroker = \"none\"\n").unwrap();
        let workspaces = format!("delegation.workspaces={}", folder.path().join("work").display());
        let examined = |units: &[&String]| {
            let mut doctor = under(units, env!("CARGO_BIN_EXE_hark"));
            doctor.args([
                "doctor",
                "--json",
                "--set",
                &workspaces,
                "--set",
                "delegation.claude_program=/bin/true",
            ]);
            doctor.env("STATE_DIRECTORY", folder.path()).env("HARK_CONFIG", &config);
            let told = doctor.env("HARK_MODELS_DIR", root().join("models")).output().unwrap();
            let told = text(&told.stdout) + &text(&told.stderr);
            let mut lines = told.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
            lines.find(|line| line["check"] == "delegation").unwrap_or_else(|| panic!("{told}"))
        };
        let shut = examined(&[&service]);
        assert_eq!(shut["ok"], false, "{shut}");
        assert!(shut["fix"].as_str().unwrap().contains("hark.service.d/sandbox.conf"), "{shut}");
        assert_eq!(examined(&[&service, &drop_in])["ok"], true);
    }
}

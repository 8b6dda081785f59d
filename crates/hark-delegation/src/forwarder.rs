//! The first program in the sandbox. It listens on a port of the sandbox's loopback, forwards each connection to the proxy's
//! socket, and runs the delegated program with that port in its proxy variables. When that program ends, so does this one, and
//! the sandbox with it.

use crate::error::DelegationError;
use std::ffi::OsString;
use std::net::Ipv4Addr;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;
use tokio::net::{TcpListener, UnixStream};
use tokio::process::Command;

/// The command of the [forwarder](crate::Egress::forwarder), before the socket, `--`, and the program with its arguments.
pub const FORWARD: &str = "sandboxed";

/// What tells programs of a proxy. Most look at both, some (curl, for `http_proxy`) at the lower case alone.
const PROXY: [&str; 6] = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];
/// What tells them where they go without it: the sandbox's own loopback.
const NO_PROXY: [&str; 2] = ["NO_PROXY", "no_proxy"];
const LOOPBACK: &str = "localhost,127.0.0.1,::1";
/// Has Node.js look at the proxy's variables (from 22.21 on).
const NODE: &str = "NODE_USE_ENV_PROXY";

/// Runs a program to its end, with the proxy behind a socket as its way out. Its standard streams are this process's own.
/// Returns its exit code, or 128 and the number of the signal that ended it, as shells do.
///
/// # Errors
/// When it cannot be started, or no port can be opened.
pub fn forward(socket: &Path, program: &[OsString]) -> Result<u8, DelegationError> {
    let failed =
        |error: std::io::Error| DelegationError::Failed(format!("the sandbox has no way out: {error}"));
    let [program, args @ ..] = program else {
        return Err(DelegationError::Failed("no program is named that is to run".into()));
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    runtime.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(failed)?;
        let address = format!("http://{}", listener.local_addr().map_err(failed)?);
        let mut command = Command::new(program);
        command.args(args).env(NODE, "1");
        command.envs(PROXY.map(|name| (name, &address))).envs(NO_PROXY.map(|name| (name, LOOPBACK)));
        let mut child = command.spawn().map_err(|error| {
            DelegationError::Failed(format!("{} cannot be started: {error}", program.to_string_lossy()))
        })?;
        tokio::select! {
            status = child.wait() => status.map(code).map_err(failed),
            never = lead(&listener, socket) => match never {},
        }
    })
}

fn code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

/// Leads connections on, each until both its sides have ended.
async fn lead(listener: &TcpListener, socket: &Path) -> std::convert::Infallible {
    loop {
        let Ok((mut program, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let socket = socket.to_owned();
        tokio::spawn(async move {
            // A connection that breaks is the program's to tell of; without a proxy it is closed at once.
            if let Ok(mut proxy) = UnixStream::connect(socket).await {
                let _ = tokio::io::copy_bidirectional(&mut program, &mut proxy).await;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    fn shell(socket: &Path, script: &str) -> Result<u8, DelegationError> {
        forward(socket, &["/bin/sh", "-c", script].map(OsString::from))
    }

    #[test]
    fn it_ends_as_the_program_does() {
        let nowhere = Path::new("/nonexistent/socket");
        assert_eq!(shell(nowhere, "exit 0"), Ok(0));
        assert_eq!(shell(nowhere, "exit 37"), Ok(37));
        assert_eq!(shell(nowhere, "kill -ABRT $$"), Ok(134));
        assert_eq!(shell(nowhere, "kill -KILL $$"), Ok(137));
        let missing = forward(nowhere, &["/nonexistent/program".into()]).unwrap_err();
        assert!(missing.to_string().starts_with("/nonexistent/program cannot be started: "), "{missing}");
        assert!(forward(nowhere, &[]).is_err());
    }

    #[test]
    fn what_connects_to_the_proxy_it_names_is_led_to_the_socket() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("socket");
        let listener = UnixListener::bind(&socket).unwrap();
        let told = std::thread::spawn(move || {
            let mut words = String::new();
            std::io::Read::read_to_string(&mut listener.accept().unwrap().0, &mut words).unwrap();
            words
        });
        let script = "import os, socket\n\
            hosts = {os.environ[name] for name in 'HTTP_PROXY HTTPS_PROXY ALL_PROXY http_proxy https_proxy all_proxy'.split()}\n\
            host, port = hosts.pop().removeprefix('http://').split(':')\n\
            assert not hosts and os.environ['NO_PROXY'] == os.environ['no_proxy'] == 'localhost,127.0.0.1,::1'\n\
            socket.create_connection((host, int(port))).sendall(b'hello')\n";
        // The program ends at once; what it has sent must have been taken by then.
        let script = script.to_owned() + "import time\ntime.sleep(1)\n";
        assert_eq!(forward(&socket, &["python3", "-c", &script].map(OsString::from)), Ok(0));
        assert_eq!(told.join().unwrap(), "hello");
    }
}

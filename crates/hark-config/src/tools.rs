//! `[tools]`: tools and the services they ask; what of this machine and of the network they may reach.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tools and the services they ask.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ToolsConfig {
    /// Open-Meteo-compatible forecast endpoint, such as `https://api.open-meteo.com/v1/forecast`; empty: none.
    pub weather_url: String,
    /// Latitude asked for, degrees.
    #[schemars(range(min = -90, max = 90))]
    pub weather_latitude: f64,
    /// Longitude asked for, degrees.
    #[schemars(range(min = -180, max = 180))]
    pub weather_longitude: f64,
    /// Time a tool may take, from any route: a sentence, a plan or a model. Devices have less (`home.command_timeout_ms`).
    #[schemars(range(min = 100, max = 300000))]
    pub timeout_ms: u32,
    /// Folders whose files may be listed, searched and read, such as `~/Documents`; none: no file is. Links inside them are not followed.
    pub file_roots: Vec<String>,
    /// Folders whose files may be written, moved and copied to as well as read, such as `~/Documents/Hark`; none: no file is. What is there is replaced only after a yes.
    pub file_write_roots: Vec<String>,
    /// Most of a file that is read at once; more is cut off, and told.
    #[schemars(range(min = 1024, max = 4194304))]
    pub file_max_bytes: u32,
    /// Whether web requests may reach addresses of this machine, the home network and other private ones.
    pub http_allow_private: bool,
    /// Single hosts that may be reached although their address is private: `127.0.0.1:8080`, `nas.local` (every port).
    pub http_allow_hosts: Vec<String>,
    /// Hosts a language model may read from without a yes after it has read text from outside, such as `en.wikipedia.org` or `127.0.0.1:8080`; none: every address is asked about. Their operators see what such a text may have it ask for.
    pub http_trusted_hosts: Vec<String>,
    /// Most of a web answer that is read; more is cut off, and told.
    #[schemars(range(min = 1024, max = 8388608))]
    pub http_max_bytes: u32,
    /// Time a web request may take, with all its redirects and its body; no more than `tools.timeout_ms`.
    #[schemars(range(min = 100, max = 300000))]
    pub http_timeout_ms: u32,
    /// Address of a search service, such as `http://127.0.0.1:8888` (SearXNG) or `https://api.search.brave.com/res/v1`; empty: none. What is searched for goes there.
    pub search_url: String,
    /// Which service it is.
    pub search_api: SearchApi,
    /// File with its key, where it wants one; empty: systemd credential `search-key`.
    #[schemars(extend("x-holds" = "file"))]
    pub search_key_file: String,
    /// Programs `shell.run` may start, by name or absolute path, such as `uptime`; none: it starts nothing. Shells, interpreters and programs that start others cannot be named.
    pub shell_allow: Vec<String>,
    /// Folder of scripts that may be run by name, such as `~/.config/hark/scripts`; empty: none. Executable files that only their owner can change count; each run is asked about as the permissions have it for the act `shell`.
    #[schemars(extend("x-holds" = "folder"))]
    pub scripts_folder: String,
}

/// A search service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SearchApi {
    /// SearXNG and what is compatible with it.
    Searxng,
    /// Brave Search.
    Brave,
}

impl Default for ToolsConfig {
    fn default() -> Self {
        Self {
            weather_url: String::new(),
            weather_latitude: 0.0,
            weather_longitude: 0.0,
            timeout_ms: 30000,
            file_roots: Vec::new(),
            file_write_roots: Vec::new(),
            file_max_bytes: 64 * 1024,
            http_allow_private: false,
            http_allow_hosts: Vec::new(),
            http_trusted_hosts: Vec::new(),
            http_max_bytes: 512 * 1024,
            http_timeout_ms: 30000,
            search_url: String::new(),
            search_api: SearchApi::Searxng,
            search_key_file: String::new(),
            shell_allow: Vec::new(),
            scripts_folder: String::new(),
        }
    }
}

/// Programs that run whatever their arguments say, or a file of the caller's choice: one of them on the list would be
/// all of them. Names without a version: `python` is `python3.13` as well.
const RUNS_ANYTHING: &str = "
    sh ash bash rbash dash zsh ksh mksh lksh yash csh tcsh fish nu pwsh elvish xonsh busybox toybox
    python pypy perl ruby node nodejs deno bun lua luajit php tclsh wish expect guile ghci runghc
    java jshell awk gawk mawk nawk sed ed ex jq osascript r rscript julia octave sqlite psql mysql
    gnuplot bc m
    env xargs find fd parallel nohup nice ionice chrt taskset timeout time stdbuf setsid setarch
    script watch flock chroot unshare nsenter bwrap firejail proot fakeroot sudo su doas pkexec
    runuser setpriv capsh start-stop-daemon systemd-run systemctl at batch crontab run-parts strace
    ltrace gdb valgrind perf dbus-run-session dbus-launch xvfb-run screen tmux byobu ssh sshpass scp
    sftp rsync socat nc ncat netcat telnet curl wget make gmake ninja cmake cargo gcc cc clang ld
    ldd npm npx pip pipx uv uvx git hg svn tar zip unzip cpio dpkg apt apt-get rpm dnf yum pacman
    snap flatpak docker podman kubectl vi vim nvim view nano emacs less more man pager mail xdg-open
    open exec eval ip tcpdump nmap dd split sort logrotate ld.so
    prlimit choom cpulimit numactl cgexec schedtool linux32 linux64 i386 uname26 sg newgrp gosu chpst
    setuidgid tini dumb-init daemon daemonize unbuffer rlwrap torify torsocks proxychains trickle
    eatmydata faketime logsave entr inotifywait hyperfine dc gem irb rake yarn composer puppet ansible
    lftp ftp busctl gdbus dbus-send ssh-agent systemd-inhibit systemd-nspawn machinectl xterm uxterm
    konsole foot kitty alacritty urxvt x-terminal-emulator gnome-terminal posh sash rvim rview joe pg
";

/// Whether a program of this name or path would run whatever it is given, so that allowing it means allowing all.
pub fn runs_anything(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program).to_ascii_lowercase();
    let known = |word: &str| RUNS_ANYTHING.split_whitespace().any(|one| one == word);
    // `python3.13`, `vim.tiny`, `perl5.36-x86_64-linux-gnu`, `ld-linux-x86-64.so.2`; a `nice-tool` is another program.
    let stem = name.split(['.', '-']).next().unwrap_or(&name);
    let bare = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    let rest = &name[stem.len()..];
    let flavour = rest.strip_prefix('.').unwrap_or(rest);
    let variant = bare != stem
        || flavour.is_empty()
        || flavour.starts_with(|c: char| c.is_ascii_digit())
        || ["basic", "tiny", "nox", "gtk", "gtk3", "openbsd", "traditional"].contains(&flavour);
    known(&name) || variant && known(bare) || name.starts_with("ld-linux")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_run_others_are_known_by_any_name() {
        for program in [
            "sh",
            "/bin/bash",
            "/usr/bin/env",
            "xargs",
            "find",
            "python3",
            "/usr/bin/python3.13",
            "perl5.36",
            "Bash",
            "busybox",
            "vim.tiny",
            "lua5.4",
            "node",
            "/lib64/ld-linux-x86-64.so.2",
            "sqlite3",
            "m4",
            "perl5.36-x86_64-linux-gnu",
            "prlimit",
            "linux32",
            "x-terminal-emulator",
        ] {
            assert!(runs_anything(program), "{program}");
        }
        for program in [
            "uptime",
            "/usr/bin/df",
            "date",
            "uname",
            "nice-tool",
            "/home/me/watch.sh",
            "finder",
            "sensors",
            "lsblk",
            "echo",
        ] {
            assert!(!runs_anything(program), "{program}");
        }
    }
}

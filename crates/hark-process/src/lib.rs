//! Programs that Hark starts, ended with everything they started. Each leads a process group of its own, which is killed as a
//! whole.
//!
//! The number of a group is its leader's, and belongs to it until the leader is reaped; after that the system may give it to
//! another program. So a group is killed before its leader is reaped, also where the leader ends by itself:
//!
//! ```
//! use hark_process::ProcessGroup;
//! use std::os::unix::process::CommandExt;
//! use std::process::Command;
//!
//! let mut child = Command::new("true").process_group(0).spawn()?;
//! let group = ProcessGroup::led_by(child.id());
//! group.leaders_end().wait();
//! drop(group);
//! assert!(child.wait()?.success());
//! # Ok::<_, std::io::Error>(())
//! ```

use rustix::io::retry_on_intr;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// A group of processes that ends with this. It is to be dropped before its leader is reaped.
#[derive(Debug)]
pub struct ProcessGroup(Option<Pid>);

impl ProcessGroup {
    /// The group of a program that was started as its leader (`process_group(0)`) and is not reaped yet; `None`, of one that
    /// is, stands for no group at all.
    pub fn led_by(leader: impl Into<Option<u32>>) -> Self {
        let number = leader.into().and_then(|leader| i32::try_from(leader).ok());
        // Number 0 would be our own group; no program has it.
        Self(number.and_then(Pid::from_raw))
    }

    /// Kills it; its leader remains to be reaped.
    pub fn kill(&self) {
        if let Some(leader) = self.0 {
            // Gone already is fine.
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }

    /// What its leader's end can be waited for with, on another thread too.
    pub fn leaders_end(&self) -> LeadersEnd {
        LeadersEnd(self.0)
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.kill();
    }
}

/// See [`ProcessGroup::leaders_end`].
#[derive(Debug, Clone, Copy)]
pub struct LeadersEnd(Option<Pid>);

impl LeadersEnd {
    /// Blocks until the leader has ended, and leaves it to be reaped.
    pub fn wait(self) {
        self.ended(WaitIdOptions::empty());
    }

    /// Whether the leader has ended; it is left to be reaped.
    pub fn is_there(self) -> bool {
        self.ended(WaitIdOptions::NOHANG)
    }

    fn ended(self, how: WaitIdOptions) -> bool {
        let Some(leader) = self.0 else { return true };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | how;
        // An error means that there is no such child any more.
        retry_on_intr(|| waitid(WaitId::Pid(leader), options)).map_or(true, |status| status.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command, Stdio};

    fn start(lines: &str) -> (Child, ProcessGroup) {
        let mut command = Command::new("/bin/sh");
        let child = command.args(["-c", lines]).stdout(Stdio::piped()).process_group(0).spawn().unwrap();
        let group = ProcessGroup::led_by(child.id());
        (child, group)
    }

    #[test]
    fn a_leader_that_ended_is_left_to_be_reaped_and_its_group_is_killed_first() {
        let (mut child, group) = start("sleep 600 & exit 3");
        group.leaders_end().wait();
        assert!(group.leaders_end().is_there());
        drop(group);
        // The one that was left behind held the pipe.
        assert_eq!(child.stdout.take().unwrap().read_to_end(&mut Vec::new()).unwrap(), 0);
        assert_eq!(child.wait().unwrap().code(), Some(3));
    }

    #[test]
    fn a_group_that_runs_is_killed_as_a_whole() {
        let (mut child, group) = start("sleep 600 & wait");
        assert!(!group.leaders_end().is_there());
        group.kill();
        group.leaders_end().wait();
        assert_eq!(child.stdout.take().unwrap().read_to_end(&mut Vec::new()).unwrap(), 0);
        assert_eq!(child.wait().unwrap().code(), None);
    }

    #[test]
    fn one_that_is_reaped_stands_for_no_group() {
        for number in [None, Some(0), Some(u32::MAX)] {
            let group = ProcessGroup::led_by(number);
            group.kill();
            assert!(group.leaders_end().is_there());
        }
    }
}

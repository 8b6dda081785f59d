//! `hark wake train`, started by the daemon: another process of this program does it, at low priority, and says on its standard
//! output how far it is.

use hark_config::{Config, ConfigFile};
use hark_core::training::{TrainedWord, TrainingProgress, TrainingStage, TrainingState, WakeTraining};
use hark_core::{Fault, FaultKind};
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// See the module.
pub(crate) struct BackgroundTraining {
    /// Asked at the start: later another file may lie there.
    program: io::Result<PathBuf>,
    file: ConfigFile,
    runtime: Handle,
    job: Arc<Mutex<Job>>,
}

struct Job {
    state: TrainingState,
    /// Ends it.
    cancel: Option<oneshot::Sender<()>>,
}

/// Where trained words are put when nobody says where, and are looked for.
///
/// # Errors
/// When there is no state folder.
pub(crate) fn folder(config: &Config) -> Result<PathBuf, Fault> {
    Ok(config.paths.state_dir()?.join("wake"))
}

impl BackgroundTraining {
    pub(crate) fn new(file: ConfigFile, runtime: Handle) -> Self {
        let job = Job { state: TrainingState::Idle, cancel: None };
        Self { program: std::env::current_exe(), file, runtime, job: Arc::new(Mutex::new(job)) }
    }

    fn lock(&self) -> MutexGuard<'_, Job> {
        lock(&self.job)
    }
}

fn lock(job: &Mutex<Job>) -> MutexGuard<'_, Job> {
    // Whole after every statement.
    job.lock().unwrap_or_else(PoisonError::into_inner)
}

impl WakeTraining for BackgroundTraining {
    fn state(&self) -> TrainingState {
        self.lock().state.clone()
    }

    fn start(&self, phrase: &str) -> Result<(), Fault> {
        let mut job = self.lock();
        if matches!(job.state, TrainingState::Running { .. }) {
            let fix = "wait for it, or cancel it";
            let message = "a wake word is being trained already";
            return Err(Fault::new(FaultKind::Unavailable, "wake", message, fix).recoverable());
        }
        let program = self.program.as_ref().map_err(|error| failed(&error.to_string()))?;
        let mut command = Command::new(program);
        command.args(self.file.arguments()).args(["--json", "wake", "train", "--", phrase]);
        // What it says to systemd is said for the daemon.
        command.env_remove("NOTIFY_SOCKET").env_remove("WATCHDOG_USEC").env_remove("WATCHDOG_PID");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let _runtime = self.runtime.enter();
        let child = command.spawn().map_err(|error| failed(&error.to_string()))?;
        let (cancel, cancelled) = oneshot::channel();
        let progress = TrainingProgress { stage: TrainingStage::Speaking, done: 0, of: 0 };
        job.state = TrainingState::Running { phrase: phrase.to_owned(), progress };
        job.cancel = Some(cancel);
        let (job, phrase) = (self.job.clone(), phrase.to_owned());
        self.runtime.spawn(async move {
            let over = tokio::select! {
                over = follow(child, &job, &phrase) => over,
                // The process is killed with its handle. A sender that is gone means that the daemon is.
                _ = cancelled => TrainingState::Cancelled { phrase },
            };
            let mut job = lock(&job);
            (job.state, job.cancel) = (over, None);
        });
        Ok(())
    }

    fn cancel(&self) {
        if let Some(cancel) = self.lock().cancel.take() {
            // It may have ended just now.
            let _ = cancel.send(());
        }
    }
}

/// Reads what it says to its end.
async fn follow(mut child: Child, job: &Mutex<Job>, phrase: &str) -> TrainingState {
    let said = child.stderr.take().map(|stderr| tokio::spawn(last_line(stderr)));
    let mut trained = None;
    if let Some(stdout) = child.stdout.take() {
        let mut lines = BufReader::new(stdout).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            if let Ok(progress) = serde_json::from_str::<TrainingProgress>(&line) {
                lock(job).state = TrainingState::Running { phrase: phrase.to_owned(), progress };
            } else if let Ok(word) = serde_json::from_str::<TrainedWord>(&line) {
                trained = Some(word);
            }
        }
    }
    let ended = child.wait().await;
    match trained {
        Some(word) if ended.is_ok_and(|status| status.success()) => TrainingState::Done(word),
        _ => {
            let said = match said {
                Some(said) => said.await.unwrap_or_default(),
                None => String::new(),
            };
            let why = said.strip_prefix("hark: ").unwrap_or(&said);
            TrainingState::Failed { phrase: phrase.to_owned(), fault: failed(why) }
        }
    }
}

async fn last_line(stderr: tokio::process::ChildStderr) -> String {
    let (mut lines, mut last) = (BufReader::new(stderr).lines(), String::new());
    while let Ok(Some(line)) = lines.next_line().await {
        last = line;
    }
    last
}

fn failed(why: &str) -> Fault {
    let why = if why.is_empty() { "it ended without a word" } else { why };
    let fix = "run `hark wake train` on the machine";
    Fault::new(FaultKind::Failed, "wake", format!("the training did not work: {why}"), fix)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::time::{Duration, Instant};

    struct Scene {
        _dir: tempfile::TempDir,
        training: BackgroundTraining,
        _runtime: tokio::runtime::Runtime,
    }

    fn of(script: &str) -> Scene {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("hark");
        std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let file = ConfigFile::new(Some(&dir.path().join("hark.toml")), &[]);
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let training = BackgroundTraining::new(file, runtime.handle().clone());
        Scene {
            _dir: dir,
            training: BackgroundTraining { program: Ok(program), ..training },
            _runtime: runtime,
        }
    }

    fn wait(training: &BackgroundTraining, is_it: impl Fn(&TrainingState) -> bool) -> TrainingState {
        let end = Instant::now() + Duration::from_secs(20);
        loop {
            let state = training.state();
            if is_it(&state) || Instant::now() > end {
                return state;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn is_over(state: &TrainingState) -> bool {
        !matches!(state, TrainingState::Running { .. } | TrainingState::Idle)
    }

    #[test]
    fn it_says_how_far_it_is_and_what_was_counted() {
        let scene = of(r#"echo '{"stage":"learning","done":3,"of":9}'; sleep 1
            echo "{\"phrase\":\"$7\",\"file\":\"/w/$6.json\",\"missed\":1,\"said\":90,\"near_wakes\":2,\"near\":80,\"false_wakes\":0,\"other_speech_hours\":0.5,\"missed_percent\":null}""#);
        assert_eq!(scene.training.state(), TrainingState::Idle);
        scene.training.start("hey house").unwrap();
        assert_eq!(scene.training.start("hey house").unwrap_err().kind, FaultKind::Unavailable);
        let learning = TrainingProgress { stage: TrainingStage::Learning, done: 3, of: 9 };
        let at = wait(
            &scene.training,
            |state| matches!(state, TrainingState::Running { progress, .. } if *progress == learning),
        );
        assert!(matches!(at, TrainingState::Running { .. }), "{at:?}");
        let TrainingState::Done(word) = wait(&scene.training, is_over) else {
            panic!("{:?}", scene.training.state())
        };
        assert_eq!((word.phrase.as_str(), word.file.as_str(), word.said), ("hey house", "/w/--.json", 90));
    }

    #[test]
    fn it_is_cancelled_and_begun_anew() {
        let scene = of("sleep 60");
        scene.training.start("hey house").unwrap();
        scene.training.cancel();
        let cancelled = TrainingState::Cancelled { phrase: "hey house".into() };
        assert_eq!(wait(&scene.training, is_over), cancelled);
        scene.training.start("hey home").unwrap();
        scene.training.cancel();
        wait(&scene.training, is_over);
        scene.training.cancel();
    }

    #[test]
    fn why_it_did_not_work_is_told() {
        let scene = of("echo progress >&2; echo 'hark: \"ha\" is no wake word' >&2; exit 2");
        scene.training.start("ha").unwrap();
        let TrainingState::Failed { fault, .. } = wait(&scene.training, is_over) else {
            panic!("{:?}", scene.training.state())
        };
        assert!(fault.message.ends_with("\"ha\" is no wake word"), "{fault}");
    }
}

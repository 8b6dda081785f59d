//! `hark models pull`, started by the daemon: a thread of its own does it, with the same code and the same lock.

use crate::app::audio::voices;
use hark_core::model_files::{FileState, ModelFile, ModelFiles, PullProgress, PullStage, PullState};
use hark_core::{Fault, FaultKind};
use hark_models::manifest::{Artifact, ArtifactState, Manifest, PullStep};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// See the module. Dropping it ends the pull; what came so far stays for the next one.
pub(crate) struct BackgroundPulls {
    manifest: Arc<Manifest>,
    /// Cargo features of this program.
    features: Vec<&'static str>,
    job: Arc<Mutex<Job>>,
}

struct Job {
    state: PullState,
    /// Ends it.
    cancel: Option<oneshot::Sender<()>>,
}

impl BackgroundPulls {
    pub(crate) fn new(manifest: Arc<Manifest>, features: Vec<&'static str>) -> Self {
        let job = Job { state: PullState::Idle, cancel: None };
        Self { manifest, features, job: Arc::new(Mutex::new(job)) }
    }

    fn described(&self, part: &Artifact) -> ModelFile {
        let state = match self.manifest.state(part, false) {
            ArtifactState::Present { .. } => FileState::Installed,
            ArtifactState::Missing { .. } => FileState::Missing,
            ArtifactState::Corrupt { why, .. } => FileState::Corrupt { why },
            ArtifactState::Unsupported => FileState::Unsupported,
        };
        let is_lacking = |id: &String| {
            *id != part.id
                && self.manifest.part(id).is_ok_and(|part| {
                    !matches!(self.manifest.state(part, false), ArtifactState::Present { .. })
                })
        };
        let mut needs = voices::parts(&self.manifest, &part.id);
        needs.retain(is_lacking);
        ModelFile {
            id: part.id.clone(),
            role: part.role.clone(),
            purpose: part.purpose.clone(),
            licence: part.licence.clone(),
            version: part.version.clone(),
            language: part.language.clone(),
            size_bytes: part.size_bytes,
            is_optional: part.is_optional(&self.features),
            state,
            needs,
        }
    }
}

impl Drop for BackgroundPulls {
    fn drop(&mut self) {
        self.cancel_pull();
    }
}

fn lock(job: &Mutex<Job>) -> MutexGuard<'_, Job> {
    // Whole after every statement.
    job.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ModelFiles for BackgroundPulls {
    fn list(&self) -> Result<Vec<ModelFile>, Fault> {
        Ok(self.manifest.parts().iter().map(|part| self.described(part)).collect())
    }

    fn pull_state(&self) -> PullState {
        lock(&self.job).state.clone()
    }

    fn pull(&self, ids: &[String]) -> Result<(), Fault> {
        for id in ids {
            self.manifest.part(id)?;
        }
        let mut job = lock(&self.job);
        if matches!(job.state, PullState::Running { .. }) {
            let (message, fix) = ("models are being pulled already", "wait for it, or cancel it");
            return Err(Fault::new(FaultKind::Unavailable, "models", message, fix).recoverable());
        }
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(not_begun)?;
        let (cancel, cancelled) = oneshot::channel();
        let (manifest, shared, ids) = (self.manifest.clone(), self.job.clone(), ids.to_vec());
        let first = ids.first().cloned().unwrap_or_default();
        let progress = PullProgress { id: first, stage: PullStage::Starting, done_bytes: 0, total_bytes: 0 };
        let before = std::mem::replace(&mut job.state, PullState::Running { ids: ids.clone(), progress });
        let work = move || {
            let over = runtime.block_on(pulled(&manifest, &shared, ids, cancelled));
            let mut job = lock(&shared);
            (job.state, job.cancel) = (over, None);
        };
        if let Err(error) = std::thread::Builder::new().name("hark-pull".into()).spawn(work) {
            job.state = before;
            return Err(not_begun(error));
        }
        job.cancel = Some(cancel);
        Ok(())
    }

    fn cancel_pull(&self) {
        if let Some(cancel) = lock(&self.job).cancel.take() {
            // It may have ended just now.
            let _ = cancel.send(());
        }
    }
}

fn not_begun(error: std::io::Error) -> Fault {
    Fault::new(FaultKind::Failed, "models", format!("the pull could not be begun ({error})"), "try again")
}

/// Pulls until it is done or cancelled.
async fn pulled(
    manifest: &Manifest,
    job: &Mutex<Job>,
    ids: Vec<String>,
    cancelled: oneshot::Receiver<()>,
) -> PullState {
    let mut report = |id: &str, step: PullStep<'_>| {
        if let (PullState::Running { progress, .. }, Some(next)) = (&mut lock(job).state, told(id, &step)) {
            *progress = next;
        }
    };
    let names: Vec<&str> = ids.iter().map(String::as_str).collect();
    let result = tokio::select! {
        result = manifest.pull(&names, &mut report) => Some(result),
        _ = cancelled => None,
    };
    match result {
        None => PullState::Cancelled { ids },
        Some(Ok(())) => PullState::Done { ids },
        Some(Err(fault)) => PullState::Failed { ids, fault },
    }
}

/// What a step says of how far it is; `None` where the next step says it.
fn told(id: &str, step: &PullStep<'_>) -> Option<PullProgress> {
    let at = |stage| PullProgress { id: id.to_owned(), stage, done_bytes: 0, total_bytes: 0 };
    Some(match *step {
        PullStep::Waiting => at(PullStage::Waiting),
        PullStep::Copying { .. } => at(PullStage::Copying),
        PullStep::Converting { .. } => at(PullStage::Converting),
        PullStep::Downloading { done_bytes, total_bytes, .. } => {
            PullProgress { done_bytes, total_bytes, ..at(PullStage::Downloading) }
        }
        PullStep::AlreadyThere
        | PullStep::SourceFailed { .. }
        | PullStep::Ready { .. }
        | PullStep::Failed { .. } => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_models::manifest::{RetryLimits, Surroundings};
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::path::Path;
    use std::time::{Duration, Instant};

    const SIZE: usize = 200_000;

    fn content() -> Vec<u8> {
        (0..SIZE).map(|at| (at % 251) as u8).collect()
    }

    /// A server of one file: the first answer stops after half of it until `go` receives, later ones send what is asked for.
    fn server(go: std::sync::mpsc::Receiver<()>) -> (String, std::thread::JoinHandle<Vec<String>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/voice.bin", listener.local_addr().unwrap());
        let thread = std::thread::spawn(move || {
            let mut asked = Vec::new();
            for at in 0..2 {
                let (mut stream, _) = listener.accept().unwrap();
                let mut buffer = [0; 4096];
                let read = stream.read(&mut buffer).unwrap();
                let request = String::from_utf8_lossy(&buffer[..read]).into_owned();
                let start = request
                    .lines()
                    .find_map(|line| line.to_lowercase().strip_prefix("range: bytes=").map(str::to_owned))
                    .map_or(0, |range| range.trim_end_matches('-').parse::<usize>().unwrap());
                asked.push(format!("from {start}"));
                let body = &content()[start..];
                let head = match start {
                    0 => format!("HTTP/1.1 200 OK\r\nContent-Length: {SIZE}\r\n\r\n"),
                    start => format!(
                        "HTTP/1.1 206 Partial Content\r\nContent-Length: {}\r\nContent-Range: bytes {start}-{}/{SIZE}\r\n\r\n",
                        body.len(),
                        SIZE - 1
                    ),
                };
                stream.write_all(head.as_bytes()).unwrap();
                if at == 0 {
                    stream.write_all(&body[..SIZE / 2]).unwrap();
                    stream.flush().unwrap();
                    go.recv().unwrap();
                } else {
                    stream.write_all(body).unwrap();
                }
            }
            asked
        });
        (url, thread)
    }

    fn pulls(folder: &Path, url: &str, sha256: &str) -> BackgroundPulls {
        let part = format!(
            "[[part]]\nid = \"voice\"\nfile = \"voice.bin\"\nrole = \"test\"\npurpose = \"Test\"\nlicence = \"MIT\"\n\
             version = \"1\"\nsize_bytes = {SIZE}\nsha256 = \"{sha256}\"\nsources = [{{ url = \"{url}\" }}]\n"
        );
        std::fs::write(folder.join("manifest.toml"), part).unwrap();
        let limits = RetryLimits { tries: 1, loopback_http: true, ..RetryLimits::default() };
        let manifest = Manifest::load_in(folder, folder.join("cache"), Surroundings::of(folder)).unwrap();
        BackgroundPulls::new(Arc::new(manifest.with_retry_limits(limits)), Vec::new())
    }

    fn wait(pulls: &BackgroundPulls, is_it: impl Fn(&PullState) -> bool) -> PullState {
        let end = Instant::now() + Duration::from_secs(20);
        loop {
            let state = pulls.pull_state();
            if is_it(&state) || Instant::now() > end {
                return state;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn is_over(state: &PullState) -> bool {
        !matches!(state, PullState::Running { .. } | PullState::Idle)
    }

    #[test]
    fn a_pull_tells_how_far_it_is_is_cancelled_and_gone_on_with() {
        use sha2::{Digest, Sha256};
        let folder = tempfile::tempdir().unwrap();
        let (go, told) = std::sync::mpsc::channel();
        let (url, served) = server(told);
        let sha256 = hark_models::manifest::hex(&Sha256::digest(content()));
        let pulls = pulls(folder.path(), &url, &sha256);
        let state = |pulls: &BackgroundPulls| pulls.list().unwrap().remove(0).state;
        assert_eq!((pulls.pull_state(), state(&pulls)), (PullState::Idle, FileState::Missing));
        let ids = vec!["voice".to_owned()];
        assert_eq!(pulls.pull(&["vioce".to_owned()]).unwrap_err().kind, FaultKind::BadInput);
        pulls.pull(&ids).unwrap();
        assert_eq!(pulls.pull(&ids).unwrap_err().kind, FaultKind::Unavailable);
        let half = |state: &PullState| matches!(state, PullState::Running { progress, .. } if progress.done_bytes == SIZE as u64 / 2);
        let PullState::Running { progress, .. } = wait(&pulls, half) else {
            panic!("{:?}", pulls.pull_state())
        };
        assert_eq!((progress.stage, progress.total_bytes), (PullStage::Downloading, SIZE as u64));
        assert_eq!(state(&pulls), FileState::Missing, "half a download is no model");
        pulls.cancel_pull();
        assert_eq!(wait(&pulls, is_over), PullState::Cancelled { ids: ids.clone() });
        assert_eq!(state(&pulls), FileState::Missing);
        go.send(()).unwrap();
        pulls.pull(&ids).unwrap();
        assert_eq!(wait(&pulls, is_over), PullState::Done { ids });
        assert_eq!(state(&pulls), FileState::Installed);
        assert_eq!(served.join().unwrap(), ["from 0".to_owned(), format!("from {}", SIZE / 2)]);
    }

    #[test]
    fn why_it_did_not_work_is_told() {
        let folder = tempfile::tempdir().unwrap();
        // Nobody listens there any more.
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let pulls = pulls(folder.path(), &format!("http://{address}/voice.bin"), &"0".repeat(64));
        pulls.pull(&["voice".to_owned()]).unwrap();
        let PullState::Failed { fault, .. } = wait(&pulls, is_over) else {
            panic!("{:?}", pulls.pull_state())
        };
        assert!(fault.message.contains(&address.to_string()) && !fault.fix.is_empty(), "{fault}");
    }
}

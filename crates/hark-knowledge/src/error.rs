//! Errors of documents and of their index, and what to do about them.

use hark_core::{Fault, FaultKind};
use rusqlite::ErrorCode;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What can go wrong. Each names the file and, where there is one, the place in it.
#[derive(Debug, thiserror::Error)]
pub enum KnowledgeError {
    /// There is no such file or folder.
    #[error("there is no file or folder {path}")]
    Absent { path: PathBuf },
    /// A file or folder cannot be read.
    #[error("cannot read {path}: {why}")]
    Unreadable { path: PathBuf, why: String },
    /// The file is of a kind that is not read.
    #[error("{path} is of a kind that is not read")]
    UnknownKind { path: PathBuf },
    /// The file is too large.
    #[error("{path} has {bytes} bytes, {limit} are read at most")]
    TooLarge { path: PathBuf, bytes: u64, limit: u64 },
    /// The text of the file is too long.
    #[error("the text of {path} is longer than {limit} bytes ({place})")]
    TooMuchText { path: PathBuf, place: String, limit: usize },
    /// Reading took too long.
    #[error("reading {path} took longer than {} s", limit.as_secs())]
    TooSlow { path: PathBuf, limit: Duration },
    /// The file is damaged, or not what its name says.
    #[error("{path} is damaged ({place}): {why}")]
    Damaged { path: PathBuf, place: String, why: String },
    /// The file needs a password.
    #[error("{path} is protected by a password")]
    Encrypted { path: PathBuf },
    /// There is no text in the file.
    #[error("there is no text in {path}: {why}")]
    NoText { path: PathBuf, why: String },
    /// The index cannot be opened.
    #[error("cannot open the index {path}: {why}")]
    Open { path: PathBuf, why: String },
    /// The index is damaged.
    #[error("the index {path} is damaged: {why}")]
    BadIndex { path: PathBuf, why: String },
    /// The index was written by a newer program.
    #[error("the index {path} has version {found}, this program knows up to {known}")]
    TooNew { path: PathBuf, found: u32, known: u32 },
    /// A statement failed.
    #[error("the index refused to {action}: {source}")]
    Sql { action: &'static str, source: rusqlite::Error },
    /// The encoder failed.
    #[error("the sentence encoder failed: {0}")]
    Encoder(#[source] Fault),
    /// The encoder gave vectors of another length than it said.
    #[error("the sentence encoder gave a vector of {found} numbers instead of {expected}")]
    BadVector { found: usize, expected: usize },
    /// A folder cannot be watched.
    #[error("cannot watch {path}: {why}")]
    Watch { path: PathBuf, why: String },
    /// The system gives no thread.
    #[error("the thread {name} cannot be started: {why}")]
    NoThread { name: &'static str, why: String },
    /// The thread that watches has ended.
    #[error("the thread of the documents has ended")]
    Closed,
}

impl KnowledgeError {
    /// SQLite could not open the file.
    pub(crate) fn of_open(path: &Path, error: &rusqlite::Error) -> Self {
        let (path, why) = (path.to_owned(), error.to_string());
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt | ErrorCode::Unknown) => {
                Self::BadIndex { path, why }
            }
            _ => Self::Open { path, why },
        }
    }

    /// For `map_err`; `action` completes "the index refused to".
    pub(crate) fn of_sql(action: &'static str) -> impl Fn(rusqlite::Error) -> Self {
        move |source| Self::Sql { action, source }
    }

    /// What to do about it.
    pub fn fix(&self) -> String {
        use KnowledgeError as E;
        match self {
            E::Absent { .. } => "check the spelling of the path; give the whole path".to_owned(),
            E::Unreadable { .. } => "check that this user may read it, and the disk".to_owned(),
            E::UnknownKind { .. } => {
                format!("give a file that ends in {}", super::extract::kind::extensions())
            }
            E::TooLarge { .. } => "split the file, or raise knowledge.max_file_mb".to_owned(),
            E::TooMuchText { .. } => "split the file, or raise knowledge.max_text_mb".to_owned(),
            E::TooSlow { .. } => {
                "save it anew with another program (print it to PDF), or export its text".to_owned()
            }
            E::Damaged { .. } => {
                "open it in a viewer and save it anew; where that fails, fetch it again".to_owned()
            }
            E::Encrypted { .. } => "save a copy without a password and add that".to_owned(),
            E::NoText { .. } => "run text recognition (OCR) on it, or add its text as a file".to_owned(),
            E::Open { .. } => {
                "check that this user can write to its folder and that there is room".to_owned()
            }
            E::BadIndex { path, .. } => format!(
                "move {} away (with its -wal and -shm files) and add the documents again",
                path.display()
            ),
            E::TooNew { .. } => "use the newer Hark that wrote it, or move the index away".to_owned(),
            E::Sql { .. } => "check the disk: `df -h` and the kernel log".to_owned(),
            E::Encoder(fault) => fault.fix.clone(),
            E::BadVector { .. } => "use the encoder that the manifest names (`hark models pull`)".to_owned(),
            E::Watch { .. } => {
                "raise fs.inotify.max_user_watches (sysctl), or turn watching off and add by hand".to_owned()
            }
            E::NoThread { .. } => "raise the limit of threads (TasksMax in the service)".to_owned(),
            E::Closed => "restart Hark".to_owned(),
        }
    }
}

impl From<&KnowledgeError> for Fault {
    fn from(error: &KnowledgeError) -> Self {
        use KnowledgeError as E;
        let kind = match error {
            E::Encoder(fault) => return fault.clone(),
            E::Open { .. } | E::Sql { .. } | E::Watch { .. } => FaultKind::Unavailable,
            E::BadIndex { .. } | E::BadVector { .. } | E::NoThread { .. } | E::Closed => FaultKind::Failed,
            _ => FaultKind::BadInput,
        };
        Self::new(kind, "knowledge", error.to_string(), error.fix())
    }
}

impl From<KnowledgeError> for Fault {
    fn from(error: KnowledgeError) -> Self {
        Self::from(&error)
    }
}

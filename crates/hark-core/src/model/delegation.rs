//! State changes of a delegated task, as the turn machine and public events get them.

use serde::{Deserialize, Serialize};

/// Where a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// The program works.
    Running,
    /// It asks something and waits for the answer.
    Asking,
    /// It has ended well.
    Done,
    /// It has not ended well.
    Failed,
    /// It was stopped.
    Stopped,
    /// Hark ended while it ran.
    Interrupted,
}

impl TaskState {
    /// Whether something is still to come.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Running | Self::Asking)
    }

    /// Whether people are told of it without asking. A stop is not: they asked for it themselves.
    pub fn is_news(self) -> bool {
        !matches!(self, Self::Running | Self::Stopped)
    }
}

/// A task as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskReport {
    /// Its news.
    pub news: TaskNews,
    /// The last lines of what the program said, the last behind; text of another program.
    pub lines: Vec<String>,
    /// The file it was at last, as the program names it; empty where it named none.
    pub file: String,
}

/// News of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskNews {
    /// Its name.
    pub task: String,
    /// What is to be done, as it was asked for.
    pub goal: String,
    /// What people call the program.
    pub program: String,
    /// Name of the folder it works in.
    pub workspace: String,
    /// Where it is.
    pub state: TaskState,
    /// What the program said last, what it asks, or why it has not ended well; text of another program.
    pub text: String,
    /// The conversation it was asked for in, as [`Requester`](crate::origin::Requester) names it.
    pub conversation: String,
    /// Language it was asked for in, ISO 639-1.
    pub language: String,
}

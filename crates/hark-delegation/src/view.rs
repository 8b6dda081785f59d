//! A task as it is seen and kept.

use crate::changes::Changes;
use crate::heard::Heard;
use hark_core::delegation::{TaskNews, TaskReport, TaskState};
use hark_core::external_tools::cleaned;
use serde::{Deserialize, Serialize};

/// Most of what is told with each report, characters.
const MAX_NEWS: usize = 600;

/// A task as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskView {
    /// Its name.
    pub id: String,
    /// What is to be done, as it was asked for.
    pub goal: String,
    /// Id of the adapter.
    pub adapter: String,
    /// What people call the program.
    pub program: String,
    /// Name of the workspace.
    pub workspace: String,
    /// The conversation it was asked for in.
    pub conversation: String,
    /// Language it was asked for in.
    pub language: String,
    /// Where it is.
    pub state: TaskState,
    /// What it asks; empty unless it does.
    pub question: String,
    /// What it said last.
    pub words: String,
    /// The last lines of what it said, the last behind.
    #[serde(default)]
    pub lines: Vec<String>,
    /// The file it was at last, as the program names it.
    pub file: String,
    /// What was done, when it has ended well.
    pub summary: String,
    /// Why it has not ended well.
    pub error: String,
    /// What is different in the workspace since it began, or since Hark was started again.
    pub changes: Changes,
    /// When it began, seconds since the Unix epoch.
    pub began_unix: u64,
    /// The name of the program's conversation.
    #[serde(default)]
    pub(crate) session: Option<String>,
}

impl TaskView {
    /// Takes over what was heard of the program.
    pub(crate) fn hear(&mut self, heard: &Heard) {
        (self.words, self.lines, self.file) = (heard.last_words(), heard.lines(), heard.file.clone());
    }

    /// The same as it is shown.
    pub fn report(&self) -> TaskReport {
        TaskReport { news: self.news(), lines: self.lines.clone(), file: self.file.clone() }
    }

    /// The same as news.
    pub fn news(&self) -> TaskNews {
        let text = match self.state {
            TaskState::Asking => &self.question,
            TaskState::Failed => &self.error,
            TaskState::Done => &self.summary,
            _ => &self.words,
        };
        TaskNews {
            task: self.id.clone(),
            goal: self.goal.clone(),
            program: self.program.clone(),
            workspace: self.workspace.clone(),
            state: self.state,
            text: cleaned(text, MAX_NEWS).0,
            conversation: self.conversation.clone(),
            language: self.language.clone(),
        }
    }
}

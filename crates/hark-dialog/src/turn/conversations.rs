//! What is remembered of each conversation: what waits for an answer there, what was said there last. The room is
//! one conversation, every named session another, and nothing of one can be answered in another.

use super::Machine;
use super::addition::Request;
use super::state::{Approval, Question};
use super::why::Story;
use hark_core::TurnId;
use hark_core::model::Picture;
use hark_core::public_event::Origin;

/// Conversations that are remembered; the one used longest ago gives way.
const MAX: usize = 512;

/// One conversation.
#[derive(Debug, Clone)]
pub(super) struct Talk {
    origin: Origin,
    /// Dangerous acts that wait for a yes or the PIN.
    pub(super) approval: Option<Approval>,
    /// A question for approval that nobody answered, and nobody was told of yet.
    pub(super) lapsed: Option<Approval>,
    /// A request that waits to hear which name is meant.
    pub(super) question: Option<Question>,
    /// A request that waits to hear what it is about.
    pub(super) lacking: Option<Lacking>,
    /// The last request that was carried out.
    pub(super) request: Option<Request>,
    /// A task that needs an answer.
    pub(super) waiting: Option<Waiting>,
    /// Until when words here may answer what a task asks that was handed to another program.
    pub(super) task_question_ms: Option<u64>,
    /// A language model gave the last answer.
    pub(super) chats: bool,
    /// Whoever speaks here wants the answer and nothing else.
    pub(super) focused: bool,
    /// Pictures for the next request.
    pub(super) pictures: Vec<Picture>,
    /// What was said last.
    pub(super) last_reply: Option<String>,
    /// It was looked up what was said last before the program was started.
    recalled: bool,
    /// What the last request was about, for "why did you do that".
    pub(super) story: Option<Story>,
}

/// A request that did not say what it is about.
#[derive(Debug, Clone)]
pub(super) struct Lacking {
    pub(super) text: String,
    pub(super) until_ms: u64,
}

/// A task of a language model that needs an answer of the person.
#[derive(Debug, Clone)]
pub(super) struct Waiting {
    /// The turn in which it asked.
    pub(super) task: TurnId,
    pub(super) until_ms: u64,
}

/// All of them, the one used last at the end.
#[derive(Debug, Clone, Default)]
pub(super) struct Talks(Vec<Talk>);

/// Whose conversation a turn belongs to: what Hark does by itself it does in the room.
pub(super) fn conversation(origin: &Origin) -> &Origin {
    match origin {
        Origin::Internal => &Origin::Voice,
        other => other,
    }
}

impl Talks {
    pub(super) fn of(&self, origin: &Origin) -> Option<&Talk> {
        let origin = conversation(origin);
        self.0.iter().find(|talk| talk.origin == *origin)
    }

    /// One that is there.
    pub(super) fn known(&mut self, origin: &Origin) -> Option<&mut Talk> {
        let origin = conversation(origin);
        self.0.iter_mut().find(|talk| talk.origin == *origin)
    }

    /// The conversation, begun where it was not there.
    pub(super) fn open(&mut self, origin: &Origin) -> &mut Talk {
        let origin = conversation(origin);
        let talk = match self.0.iter().position(|talk| talk.origin == *origin) {
            Some(at) => self.0.remove(at),
            None => Talk {
                origin: origin.clone(),
                approval: None,
                lapsed: None,
                question: None,
                lacking: None,
                request: None,
                waiting: None,
                task_question_ms: None,
                chats: false,
                focused: false,
                pictures: Vec::new(),
                last_reply: None,
                recalled: false,
                story: None,
            },
        };
        if self.0.len() == MAX {
            self.0.remove(0);
        }
        self.0.push(talk);
        let last = self.0.len() - 1;
        &mut self.0[last]
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Talk> {
        self.0.iter()
    }

    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut Talk> {
        self.0.iter_mut()
    }
}

impl Talk {
    /// Whose it is.
    pub(super) fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Whether something that was asked here, or not told yet, waits for words.
    pub(super) fn awaits_words(&self) -> bool {
        self.approval.is_some()
            || self.lapsed.is_some()
            || self.question.is_some()
            || self.lacking.is_some()
            || self.waiting.is_some()
            || self.task_question_ms.is_some()
    }

    /// Nothing is asked any more.
    pub(super) fn ask_nothing(&mut self) {
        self.approval = None;
        self.lapsed = None;
        self.question = None;
        self.lacking = None;
        self.waiting = None;
        self.task_question_ms = None;
    }
}

impl Machine {
    /// What waits for a yes or the PIN of this one.
    pub(super) fn approval(&self, origin: &Origin) -> Option<&Approval> {
        self.talks.of(origin)?.approval.as_ref()
    }

    /// Whether this one wants the answer and nothing else.
    pub(super) fn is_focused(&self, origin: &Origin) -> bool {
        self.talks.of(origin).is_some_and(|talk| talk.focused)
    }

    /// Whether nobody has told yet what was said last in this conversation before the program was started.
    pub fn has_forgotten(&self, origin: &Origin) -> bool {
        self.talks.of(origin).is_none_or(|talk| !talk.recalled && talk.last_reply.is_none())
    }

    pub(super) fn recall(&mut self, origin: &Origin, reply: Option<String>) {
        let talk = self.talks.open(origin);
        talk.recalled = true;
        talk.last_reply = talk.last_reply.take().or(reply);
    }

    /// What was said to this one last.
    pub(super) fn last_reply(&self, origin: &Origin) -> Option<&str> {
        self.talks.of(origin)?.last_reply.as_deref()
    }

    /// What the last request of this one was about; who has not asked anything yet asks about the room.
    pub(super) fn story(&self, origin: &Origin) -> Option<&Story> {
        let own = self.talks.of(origin).and_then(|talk| talk.story.as_ref());
        own.or_else(|| self.talks.of(&Origin::Voice)?.story.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_conversation_used_longest_ago_gives_way() {
        let mut talks = Talks::default();
        let name = |n: usize| Origin::Api(n.to_string());
        for n in 0..MAX {
            talks.open(&name(n)).last_reply = Some(n.to_string());
        }
        talks.open(&name(0));
        talks.open(&name(MAX));
        assert_eq!(talks.of(&name(0)).and_then(|talk| talk.last_reply.as_deref()), Some("0"));
        assert!(talks.of(&name(1)).is_none() && talks.of(&name(2)).is_some());
        assert_eq!(talks.0.len(), MAX);
    }

    #[test]
    fn what_hark_does_by_itself_it_does_in_the_room() {
        let mut talks = Talks::default();
        talks.open(&Origin::Internal).last_reply = Some("ding".into());
        assert!(talks.of(&Origin::Voice).is_some() && talks.of(&Origin::Cli).is_none());
    }
}

//! Receipts of the last calls: a call that comes twice (a retry, or a message that was delivered twice) gets the first
//! receipt and does nothing.

use hark_core::{Receipt, ToolCall};
use std::collections::VecDeque;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OnceCell;

/// How many calls are remembered.
const MAX_RECEIPTS: usize = 256;

type Answer = Arc<OnceCell<Receipt>>;

/// The last calls, the oldest first.
#[derive(Default)]
pub(in crate::tools) struct ReceiptCache {
    calls: Mutex<VecDeque<(ToolCall, Answer)>>,
}

impl ReceiptCache {
    /// The receipt of this call: of the first time, when there was one, also while that is under way. A call is
    /// the same when its turn, its place in it and everything it asks are.
    pub(in crate::tools) async fn once<F>(&self, call: &ToolCall, act: impl FnOnce() -> F) -> Receipt
    where
        F: Future<Output = Receipt>,
    {
        self.answer_to(call).get_or_init(act).await.clone()
    }

    fn answer_to(&self, call: &ToolCall) -> Answer {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, answer)) = calls.iter().find(|(known, _)| known == call) {
            return Arc::clone(answer);
        }
        if calls.len() == MAX_RECEIPTS {
            calls.pop_front();
        }
        let answer = Answer::default();
        calls.push_back((call.clone(), Arc::clone(&answer)));
        answer
    }
}

//! Which of several nodes answers when all have heard the same sentence: a pure state machine, one a node.
//!
//! A node that hears the wake word claims the turn. One that has heard of a claim before it heard the word itself
//! does not claim. Those that claim at the same time compare score, level and name, which every one of them sees
//! the same way, so exactly one finds itself the best when its window ends; it says that it has won, and the
//! others are silent from the window's end at the latest. Where the best one says nothing (it died, or was cut
//! off) the next best takes over. Messages may be late, lost, doubled and in any order: a claim is repeated within
//! the window, and whoever wins and hears of a better winner gives way. Times are this node's own; nobody's clock
//! is compared with another's.

#[cfg(test)]
mod tests;

use hark_core::house::{Claim, ClaimKind, Standing};
use std::cmp::Ordering;

/// Claims of other nodes that are remembered at most; a house has fewer nodes.
const MAX_CLAIMS: usize = 64;

/// How long the protocol takes for its steps, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// From hearing the wake word to knowing who answers.
    pub window_ms: u64,
    /// How long a claim of another node keeps this one from claiming.
    pub hold_ms: u64,
    /// How long the one who should answer may take to say so, for each one before this node.
    pub takeover_ms: u64,
}

/// Something to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum Order {
    /// Tell all nodes.
    Send(Claim),
    /// Tell the turn machine.
    Stand(Standing),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Claimed; the window is open.
    Claiming,
    /// Somebody else should answer, and has not said so yet.
    Waiting,
    /// This node answers.
    Won,
    /// It is settled.
    Over,
}

/// What this node has heard.
#[derive(Debug, Clone)]
struct Own {
    claim: Claim,
    phase: Phase,
    /// When it was heard.
    at_ms: u64,
    /// When it is claimed again.
    repeats: Vec<u64>,
    /// When the phase ends by itself.
    until_ms: u64,
}

/// A claim of another node.
#[derive(Debug, Clone)]
struct Other {
    claim: Claim,
    at_ms: u64,
    won: bool,
}

/// See the module.
#[derive(Debug, Clone)]
pub struct Arbiter {
    node: String,
    timing: Timing,
    next_id: u64,
    own: Option<Own>,
    others: Vec<Other>,
}

impl Arbiter {
    /// Nothing has been heard. `first_id` should be another one at every start.
    pub fn new(node: &str, first_id: u64, timing: Timing) -> Self {
        Self { node: node.to_owned(), timing, next_id: first_id, own: None, others: Vec::new() }
    }

    /// This node heard the wake word.
    pub fn heard(&mut self, now_ms: u64, score: f32, level_db: f32) -> Vec<Order> {
        self.forget(now_ms);
        self.next_id = self.next_id.wrapping_add(1);
        let claim = Claim {
            kind: ClaimKind::Claim,
            node: self.node.clone(),
            id: self.next_id,
            score: bounded(score, 0.0, 1.0),
            level_db: bounded(level_db, -120.0, 0.0),
        };
        let window = self.timing.window_ms;
        let mut own = Own {
            claim,
            phase: Phase::Claiming,
            at_ms: now_ms,
            repeats: Vec::new(),
            until_ms: now_ms + window,
        };
        if self.others.iter().any(|other| other.won) {
            own.phase = Phase::Over;
            self.own = Some(own);
            return vec![Order::Stand(Standing::Lost)];
        }
        let before = self.others.len() as u64;
        if before > 0 {
            own.phase = Phase::Waiting;
            own.until_ms = now_ms + window + before * self.timing.takeover_ms;
            self.own = Some(own);
            return vec![Order::Stand(Standing::Waiting)];
        }
        // Twice more within the first half of the window, so that a lost message does not matter.
        own.repeats = vec![now_ms + window / 2, now_ms + window / 4];
        let orders = vec![Order::Send(own.claim.clone())];
        self.own = Some(own);
        orders
    }

    /// A message of another node came; one's own come back from the broker and mean nothing.
    pub fn received(&mut self, now_ms: u64, claim: Claim) -> Vec<Order> {
        self.forget(now_ms);
        if claim.node == self.node {
            return Vec::new();
        }
        let won = claim.kind == ClaimKind::Won;
        let has_room = self.others.len() < MAX_CLAIMS;
        match self.others.iter_mut().find(|other| other.claim.node == claim.node) {
            Some(known) if known.claim.id == claim.id => {
                known.won |= won;
            }
            Some(known) => *known = Other { claim: claim.clone(), at_ms: now_ms, won },
            None if has_room => {
                self.others.push(Other { claim: claim.clone(), at_ms: now_ms, won });
            }
            None => return Vec::new(),
        }
        let Some(own) = self.own.as_mut().filter(|_| won) else { return Vec::new() };
        let gives_way = match own.phase {
            Phase::Claiming | Phase::Waiting => true,
            // Both think they have won: the better one stays.
            Phase::Won => better(&claim, &own.claim) == Ordering::Greater,
            Phase::Over => false,
        };
        if !gives_way {
            // The one who is worse did not hear of this win.
            let again = (own.phase == Phase::Won).then(|| Order::Send(won_by(&own.claim)));
            return again.into_iter().collect();
        }
        own.phase = Phase::Over;
        vec![Order::Stand(Standing::Lost)]
    }

    /// Time passed.
    pub fn tick(&mut self, now_ms: u64) -> Vec<Order> {
        let Some(own) = &mut self.own else { return Vec::new() };
        let mut orders = Vec::new();
        if own.phase == Phase::Claiming && own.repeats.last().is_some_and(|at| *at <= now_ms) {
            own.repeats.retain(|at| *at > now_ms);
            orders.push(Order::Send(own.claim.clone()));
        }
        if own.until_ms > now_ms || matches!(own.phase, Phase::Won | Phase::Over) {
            return orders;
        }
        match own.phase {
            Phase::Claiming => {
                let claim = own.claim.clone();
                let before = self.others.iter().filter(|other| better(&other.claim, &claim).is_gt()).count();
                if before == 0 {
                    orders.extend(self.win());
                } else if let Some(own) = &mut self.own {
                    own.phase = Phase::Waiting;
                    own.until_ms =
                        own.at_ms + self.timing.window_ms + before as u64 * self.timing.takeover_ms;
                    orders.push(Order::Stand(Standing::Waiting));
                }
            }
            // Everyone before this one has had its time and said nothing.
            Phase::Waiting => orders.extend(self.win()),
            Phase::Won | Phase::Over => {}
        }
        orders
    }

    /// When `tick` is due at the latest.
    pub fn next_ms(&self) -> Option<u64> {
        let own = self.own.as_ref().filter(|own| matches!(own.phase, Phase::Claiming | Phase::Waiting))?;
        let again = own.repeats.last().copied().filter(|_| own.phase == Phase::Claiming);
        Some(again.map_or(own.until_ms, |again| again.min(own.until_ms)))
    }

    fn win(&mut self) -> Vec<Order> {
        let Some(own) = &mut self.own else { return Vec::new() };
        own.phase = Phase::Won;
        vec![Order::Send(won_by(&own.claim)), Order::Stand(Standing::Won)]
    }

    /// What was heard long ago is another sentence.
    fn forget(&mut self, now_ms: u64) {
        let hold_ms = self.timing.hold_ms;
        self.others.retain(|other| now_ms.saturating_sub(other.at_ms) < hold_ms);
        if self.own.as_ref().is_some_and(|own| {
            now_ms.saturating_sub(own.at_ms) >= hold_ms && matches!(own.phase, Phase::Won | Phase::Over)
        }) {
            self.own = None;
        }
    }
}

fn won_by(claim: &Claim) -> Claim {
    Claim { kind: ClaimKind::Won, ..claim.clone() }
}

/// Which of two claims is the better one, for every node alike: the surer one in steps of a tenth, then the louder
/// in whole decibels, then the one whose node's name comes first.
fn better(a: &Claim, b: &Claim) -> Ordering {
    let grade = |claim: &Claim| ((claim.score * 10.0).round() as i32, claim.level_db.round() as i32);
    grade(a).cmp(&grade(b)).then_with(|| b.node.cmp(&a.node))
}

fn bounded(value: f32, low: f32, high: f32) -> f32 {
    if value.is_finite() { value.clamp(low, high) } else { low }
}

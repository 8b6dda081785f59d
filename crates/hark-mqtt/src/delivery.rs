//! Delivery receipts: a [`Ticket`] goes with a message, and the sender waits at its [`Delivery`] until the broker has
//! acknowledged it.

use std::sync::Arc;
use tokio::sync::watch;

/// Goes with a message. When the message is given up, the ticket goes with it, and the wait is over.
#[derive(Debug, Clone)]
pub struct Ticket {
    arrived: Arc<watch::Sender<bool>>,
    /// The message waits for the next connection when this one breaks.
    lasts: bool,
}

/// The sender's end.
#[derive(Debug)]
pub struct Delivery(watch::Receiver<bool>);

impl PartialEq for Ticket {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.arrived, &other.arrived)
    }
}

impl Eq for Ticket {}

impl Ticket {
    /// A ticket for what is worth nothing later, and its other end.
    pub fn new() -> (Self, Delivery) {
        Self::of(false)
    }

    /// A ticket for what is sent until it has arrived, and its other end.
    pub fn lasting() -> (Self, Delivery) {
        Self::of(true)
    }

    fn of(lasts: bool) -> (Self, Delivery) {
        let (arrived, waits) = watch::channel(false);
        (Self { arrived: Arc::new(arrived), lasts }, Delivery(waits))
    }

    /// Whether the message outlives the connection it was meant for.
    pub fn lasts(&self) -> bool {
        self.lasts
    }

    /// The broker has acknowledged the message.
    pub fn arrived(&self) {
        self.arrived.send_replace(true);
    }
}

impl Delivery {
    /// Waits until the broker has the message; false when it was given up.
    pub async fn arrived(mut self) -> bool {
        self.0.wait_for(|arrived| *arrived).await.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_message_arrives_or_is_given_up_with_its_last_copy() {
        let (ticket, delivery) = Ticket::new();
        ticket.clone().arrived();
        drop(ticket);
        assert!(delivery.arrived().await);
        let (ticket, delivery) = Ticket::new();
        let copy = ticket.clone();
        drop(ticket);
        let waiting = tokio::spawn(delivery.arrived());
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(copy);
        assert!(!waiting.await.unwrap());
    }
}

//! Whether a message has arrived: a ticket goes with it, and whoever sent it waits at the other end.

use std::sync::Arc;
use tokio::sync::watch;

/// Goes with a message. When the message is given up, the ticket goes with it, and the wait is over.
#[derive(Debug, Clone)]
pub struct Ticket(Arc<watch::Sender<bool>>);

/// The end of whoever waits.
#[derive(Debug)]
pub struct Delivery(watch::Receiver<bool>);

impl PartialEq for Ticket {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Ticket {}

impl Ticket {
    /// A ticket and its other end.
    pub fn new() -> (Self, Delivery) {
        let (arrived, waits) = watch::channel(false);
        (Self(Arc::new(arrived)), Delivery(waits))
    }

    /// The broker has acknowledged the message.
    pub fn arrived(&self) {
        self.0.send_replace(true);
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

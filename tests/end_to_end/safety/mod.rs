//! Who may have what done: approvals, PINs, passwords, and text from outside that gives orders.

mod approvals;
mod injection;
mod passwords;

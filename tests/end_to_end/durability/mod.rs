//! What must survive power cuts, storms of messages and damaged files.

mod acknowledged;
mod damaged_store;
mod flood;
mod promises;
mod storm;

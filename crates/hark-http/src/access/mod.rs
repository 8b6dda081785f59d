//! Who may ask: host, origin, token and rate of a request.

pub(crate) mod guard;
pub(crate) mod rate;
pub(crate) mod token;

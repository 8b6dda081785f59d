//! Identifiers, each its own type so that one is never passed for another.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }
    };
}

id!(
    /// One journey from a request to its closing record.
    TurnId
);
id!(
    /// `domain.object`, as Home Assistant writes it.
    EntityId
);
id!(
    /// A timer, alarm or reminder.
    TimerId
);
id!(
    /// Something that is carried out when something happens.
    AutomationId
);
id!(
    /// What a tool call left as proof.
    ReceiptId
);

impl EntityId {
    /// The part before the dot: `light` of `light.kitchen`; empty when there is no dot.
    pub fn domain(&self) -> &str {
        self.0.split_once('.').map_or("", |(domain, _)| domain)
    }
}

//! What the machine says to acts that need somebody's permission.

use std::fmt;

/// What polkit says to an act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grant {
    /// It may be done.
    Yes,
    /// Only after somebody's password.
    Password,
    /// It may not be done.
    No,
    /// The machine cannot do it.
    Unable,
    /// The service said something else.
    Unknown,
}

impl Grant {
    /// The words of logind and of NetworkManager.
    pub(crate) fn of(word: &str) -> Self {
        match word {
            "yes" => Self::Yes,
            "challenge" | "auth" => Self::Password,
            "no" => Self::No,
            "na" => Self::Unable,
            _ => Self::Unknown,
        }
    }
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Yes => "allowed",
            Self::Password => "only with a password",
            Self::No => "not allowed",
            Self::Unable => "not possible on this machine",
            Self::Unknown => "not known",
        })
    }
}

/// What was found out. What a service did not tell in time is `None`: it counts as granted until it is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Grants {
    /// Sleep.
    pub suspend: Option<Grant>,
    /// Switching off.
    pub power_off: Option<Grant>,
    /// Restarting.
    pub reboot: Option<Grant>,
    /// Whether there is a battery.
    pub battery: Option<bool>,
    /// Whether somebody is logged in at a screen.
    pub somebody: Option<bool>,
}

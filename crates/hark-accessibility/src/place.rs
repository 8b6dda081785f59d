//! Where windows and elements are: on the accessibility bus, or on a Mac.

use crate::bus::Place;
use hark_desktop::macos::{ElementWindow, Part, ScreenElement};

/// Where an element is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum At {
    Bus(Place),
    Mac(Box<OnMac>),
}

/// Where an element of a Mac is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OnMac {
    pub(crate) window: ElementWindow,
    pub(crate) part: Part,
    pub(crate) element: ScreenElement,
}

/// Where a window is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WindowAt {
    Bus(Place),
    Mac(ElementWindow),
}

//! What stands in the windows of this desktop, over the accessibility bus (AT-SPI 2) or on a Mac: elements are found by what is written on
//! them, pressed, filled and read, and menus are gone through ([`Accessibility`]). `hark-tools` calls it on the tokio runtime;
//! every call connects anew and takes bounded time. What stands in a window is text of others; passwords are neither read nor
//! typed.
//!
//! ```
//! use hark_accessibility::{AccessibilityError, Role};
//!
//! assert!(Role::of(40).is_password());
//! assert!(!AccessibilityError::NoBus("there is none".into()).fix().is_empty());
//! ```

mod acts;
mod bus;
mod error;
mod place;
mod source;
mod tree;

pub use acts::{Accessibility, Found, Read};
pub use error::AccessibilityError;
pub use tree::{Element, Role};

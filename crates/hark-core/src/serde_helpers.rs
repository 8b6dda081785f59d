//! What types share to be written as JSON.

pub(crate) fn is_false(flag: &bool) -> bool {
    !flag
}

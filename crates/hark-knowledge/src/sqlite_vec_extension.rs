//! Makes the functions of `sqlite-vec` known to every connection that is opened afterwards. The unsafe code of
//! this crate is here, and where `codes` counts bits.

use rusqlite::ffi;
use std::ffi::{c_char, c_int};
use std::sync::Once;

/// The entry point of an extension, as SQLite calls it.
type EntryPoint =
    unsafe extern "C" fn(*mut ffi::sqlite3, *mut *mut c_char, *const ffi::sqlite3_api_routines) -> c_int;

static REGISTERED: Once = Once::new();

/// Registers the extension, once in a program; to be called before a connection is opened.
pub(crate) fn register() {
    REGISTERED.call_once(|| {
        let entry = sqlite_vec::sqlite3_vec_init as *const ();
        // SAFETY: sqlite-vec declares its entry point without parameters; in its C source it is
        // `int sqlite3_vec_init(sqlite3 *, char **, const sqlite3_api_routines *)`, which is `EntryPoint`. It is linked
        // statically and so lives as long as the program.
        let entry: EntryPoint = unsafe { std::mem::transmute::<*const (), EntryPoint>(entry) };
        // SAFETY: SQLite is initialised by this call if it was not, and the entry point stays valid (see above).
        let result = unsafe { ffi::sqlite3_auto_extension(Some(entry)) };
        if result != ffi::SQLITE_OK {
            tracing::error!(result, "sqlite-vec cannot be registered");
        }
    });
}

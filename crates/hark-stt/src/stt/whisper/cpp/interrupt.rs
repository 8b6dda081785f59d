//! Interrupting whisper.cpp in the middle of a decode.
//!
//! `whisper_full` asks its abort callback only between the encoder and each step of the decoder, and
//! the encoder is most of the work: hundreds of milliseconds for long sound, seconds on a small board.
//! ggml's processor backend could ask between any two operations, some milliseconds at most, but
//! whisper.cpp does not hand the callback down, and its state hides the backend. So the backend is
//! caught where it is made: ggml keeps the constructor of backends in a table of functions, and ours,
//! put there once, sets the callback for the state that is being made on the same thread.
//!
//! The table is not part of ggml's documented interface. Its place is checked before it is touched and
//! its effect afterwards; if either is not as expected, interruption is as slow as whisper.cpp makes it.

use std::cell::Cell;
use std::ffi::{c_char, c_int, c_void};
use std::ptr;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// `ggml_backend_dev_type` of the processor.
const PROCESSOR: c_int = 0;

/// A ggml backend: what computes.
#[repr(C)]
struct Backend {
    _opaque: [u8; 0],
}

type NameOf = unsafe extern "C" fn(*mut Device) -> *const c_char;
type Make = unsafe extern "C" fn(*mut Device, *const c_char) -> *mut Backend;
type Asked = unsafe extern "C" fn(*mut c_void) -> bool;

/// The beginning of `ggml_backend_device`, which is its table of functions (`ggml-backend-impl.h` of
/// ggml 0.9): name, description, memory, type, properties, constructor.
#[repr(C)]
struct Device {
    name: NameOf,
    _between: [*const c_void; 4],
    make: Make,
}

// From ggml-backend.h and ggml-cpu.h; whisper-rs links them.
unsafe extern "C" {
    fn ggml_backend_dev_by_type(kind: c_int) -> *mut Device;
    fn ggml_backend_dev_name(device: *mut Device) -> *const c_char;
    fn ggml_backend_dev_init(device: *mut Device, parameters: *const c_char) -> *mut Backend;
    fn ggml_backend_free(backend: *mut Backend);
    fn ggml_backend_is_cpu(backend: *mut Backend) -> bool;
    fn ggml_backend_cpu_set_abort_callback(backend: *mut Backend, asked: Option<Asked>, data: *mut c_void);
}

/// ggml's own constructor of backends.
static ORIGINAL: OnceLock<Make> = OnceLock::new();
/// Whether ours stands in its place.
static INSTALLED: OnceLock<bool> = OnceLock::new();

thread_local! {
    /// The flag for backends that are made on this thread at the moment.
    static FLAG: Cell<*const AtomicBool> = const { Cell::new(ptr::null()) };
    /// Backends made on this thread through our constructor.
    static MADE: Cell<u32> = const { Cell::new(0) };
}

/// Whether the flag behind `flag` asks to stop; ggml calls it between two operations.
///
/// # Safety
/// `flag` points to a live `AtomicBool`.
pub(super) unsafe extern "C" fn asked(flag: *mut c_void) -> bool {
    // SAFETY: a live `AtomicBool` by the contract above, only read here.
    unsafe { &*flag.cast::<AtomicBool>() }.load(Ordering::Acquire)
}

/// Makes a state whose computations `interrupt` stops within some milliseconds. The caller keeps
/// `interrupt` alive as long as the state.
pub(super) fn reachable<T>(interrupt: &Arc<AtomicBool>, make: impl FnOnce() -> T) -> T {
    if !INSTALLED.get_or_init(install) {
        tracing::warn!("Whisper's encoder cannot be interrupted: this ggml is built differently");
    }
    let _flag = Raised::new(Arc::as_ptr(interrupt));
    make()
}

/// Sets the flag for backends made on this thread until it is dropped.
struct Raised;

impl Raised {
    fn new(flag: *const AtomicBool) -> Self {
        FLAG.set(flag);
        Self
    }
}

impl Drop for Raised {
    fn drop(&mut self) {
        FLAG.set(ptr::null());
    }
}

/// Puts our constructor into the table of the processor's device; false when the table is not what we
/// know.
fn install() -> bool {
    // SAFETY: plain queries; the device is a static object of ggml that is never freed. The name slot
    // is called only to compare: it is the first function of the table in every version of ggml that
    // has devices, and takes the device alone.
    let (device, original) = unsafe {
        let device = ggml_backend_dev_by_type(PROCESSOR);
        if device.is_null() || ((*device).name)(device) != ggml_backend_dev_name(device) {
            return false;
        }
        (device, (*device).make)
    };
    // Our constructor must find the original while it is being tried out.
    ORIGINAL.get_or_init(|| original);
    // SAFETY: the device is writable static memory, not const; a thread that makes a backend at this moment
    // reads the old or the new pointer, both of which are right. The trial backend is freed here.
    unsafe {
        ptr::write_volatile(&raw mut (*device).make, construct);
        let before = MADE.get();
        let trial = ggml_backend_dev_init(device, ptr::null());
        let works = MADE.get() == before + 1 && !trial.is_null();
        if !trial.is_null() {
            ggml_backend_free(trial);
        }
        if !works {
            ptr::write_volatile(&raw mut (*device).make, original);
        }
        works
    }
}

/// ggml's constructor, and the callback of the state that is being made on this thread.
unsafe extern "C" fn construct(device: *mut Device, parameters: *const c_char) -> *mut Backend {
    let Some(original) = ORIGINAL.get() else { return ptr::null_mut() };
    // SAFETY: ggml's own constructor with the arguments it was meant to get.
    let backend = unsafe { original(device, parameters) };
    MADE.set(MADE.get() + 1);
    let flag = FLAG.get();
    // SAFETY: the backend is live and checked to be a processor's, whose callback this sets; the flag
    // lives as long as the state, as `reachable` demands.
    unsafe {
        if !flag.is_null() && ggml_backend_is_cpu(backend) {
            ggml_backend_cpu_set_abort_callback(backend, Some(asked), flag.cast_mut().cast());
        }
    }
    backend
}

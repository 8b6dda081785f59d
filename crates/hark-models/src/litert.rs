//! LiteRT (TensorFlow Lite) models through the C API of `libtensorflowlite_c`, opened at run time.
//! Source of the signatures: tensorflow/lite/core/c/c_api.h. Only `f32` tensors are supported.

use hark_core::{Fault, FaultKind};
use libloading::Library;
use std::ffi::{CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::Arc;

/// What can go wrong with the library or a model.
#[derive(Debug, thiserror::Error)]
pub enum LiteRtError {
    /// No file at the library's path.
    #[error("LiteRT library {} is not there", .0.display())]
    LibraryMissing(PathBuf),
    /// The file is not a usable LiteRT library.
    #[error("{} is not a usable LiteRT library: {why}", path.display())]
    LibraryUnusable { path: PathBuf, why: String },
    /// No file at the model's path.
    #[error("model {} is not there", .0.display())]
    ModelMissing(PathBuf),
    /// The file is no LiteRT model, or uses operations the library does not have.
    #[error("model {} cannot be loaded: {why}", path.display())]
    ModelUnusable { path: PathBuf, why: String },
    /// A run failed, or data of the wrong length was given.
    #[error("model {} failed to run: {why}", path.display())]
    Run { path: PathBuf, why: String },
}

impl From<LiteRtError> for Fault {
    fn from(error: LiteRtError) -> Self {
        let (kind, fix) = match &error {
            LiteRtError::Run { .. } => {
                (FaultKind::Failed, "run `hark models verify`; if it finds nothing, report this message")
            }
            _ => (FaultKind::MissingPart, "run `hark models pull`, then `hark models verify`"),
        };
        Fault::new(kind, "models", error.to_string(), fix)
    }
}

type Opaque = *mut c_void;

/// Status of the C API: 0 is success.
type Status = c_int;

/// `kTfLiteFloat32` of the C API's type enumeration.
const TYPE_F32: c_int = 1;

macro_rules! functions {
    ($($field:ident = $symbol:literal: fn($($arg:ty),*) $(-> $ret:ty)?;)*) => {
        /// The C functions in use; valid as long as the library they came from.
        struct Functions {
            $($field: unsafe extern "C" fn($($arg),*) $(-> $ret)?,)*
        }

        impl Functions {
            /// # Safety
            /// `library` must be a LiteRT C library, so that every symbol has the type named here.
            unsafe fn find(library: &Library) -> Result<Self, libloading::Error> {
                Ok(Self {
                    // SAFETY: the caller vouches for the library; the types are those of c_api.h.
                    $($field: unsafe { *library.get(concat!($symbol, "\0").as_bytes())? },)*
                })
            }
        }
    };
}

functions! {
    model_create = "TfLiteModelCreateFromFile": fn(*const c_char) -> Opaque;
    model_delete = "TfLiteModelDelete": fn(Opaque);
    options_create = "TfLiteInterpreterOptionsCreate": fn() -> Opaque;
    options_delete = "TfLiteInterpreterOptionsDelete": fn(Opaque);
    options_set_threads = "TfLiteInterpreterOptionsSetNumThreads": fn(Opaque, i32);
    interpreter_create = "TfLiteInterpreterCreate": fn(Opaque, Opaque) -> Opaque;
    interpreter_delete = "TfLiteInterpreterDelete": fn(Opaque);
    resize_input = "TfLiteInterpreterResizeInputTensor": fn(Opaque, i32, *const c_int, i32) -> Status;
    allocate = "TfLiteInterpreterAllocateTensors": fn(Opaque) -> Status;
    invoke = "TfLiteInterpreterInvoke": fn(Opaque) -> Status;
    input_tensor = "TfLiteInterpreterGetInputTensor": fn(Opaque, i32) -> Opaque;
    output_tensor = "TfLiteInterpreterGetOutputTensor": fn(Opaque, i32) -> Opaque;
    tensor_type = "TfLiteTensorType": fn(Opaque) -> c_int;
    tensor_num_dims = "TfLiteTensorNumDims": fn(Opaque) -> i32;
    tensor_dim = "TfLiteTensorDim": fn(Opaque, i32) -> i32;
    tensor_copy_from = "TfLiteTensorCopyFromBuffer": fn(Opaque, *const c_void, usize) -> Status;
    tensor_copy_to = "TfLiteTensorCopyToBuffer": fn(Opaque, *mut c_void, usize) -> Status;
}

/// The delegate that makes float models about three times as fast (embedding model of openWakeWord:
/// 5.0 ms without, 1.5 ms with). A library built without it is used as it is.
struct Xnnpack {
    create: unsafe extern "C" fn(*const c_void) -> Opaque,
    delete: unsafe extern "C" fn(Opaque),
    options_add: unsafe extern "C" fn(Opaque, Opaque),
}

impl Xnnpack {
    /// # Safety
    /// As for [`Functions::find`].
    unsafe fn find(library: &Library) -> Option<Self> {
        // SAFETY: the caller vouches for the library; the types are those of xnnpack_delegate.h.
        unsafe {
            Some(Self {
                create: *library.get(b"TfLiteXNNPackDelegateCreate\0").ok()?,
                delete: *library.get(b"TfLiteXNNPackDelegateDelete\0").ok()?,
                options_add: *library.get(b"TfLiteInterpreterOptionsAddDelegate\0").ok()?,
            })
        }
    }
}

/// The opened library. Clones share it.
#[derive(Clone)]
pub struct LiteRt {
    shared: Arc<LoadedLibrary>,
}

struct LoadedLibrary {
    functions: Functions,
    xnnpack: Option<Xnnpack>,
    /// Keeps the code of `functions` mapped.
    _library: Library,
}

impl LiteRt {
    /// Opens the library.
    ///
    /// # Errors
    /// When the file is missing, does not open, or lacks a function of the C API.
    pub fn load(library: &Path) -> Result<Self, LiteRtError> {
        if !library.is_file() {
            return Err(LiteRtError::LibraryMissing(library.to_owned()));
        }
        let unusable = |error: libloading::Error| LiteRtError::LibraryUnusable {
            path: library.to_owned(),
            why: error.to_string(),
        };
        // SAFETY: opening runs the library's initialisers; the path is the one the owner configured.
        let opened = unsafe { Library::new(library) }.map_err(unusable)?;
        // SAFETY: a library that has all these names is LiteRT's; its C API is stable.
        let functions = unsafe { Functions::find(&opened) }.map_err(unusable)?;
        // SAFETY: as above.
        let xnnpack = unsafe { Xnnpack::find(&opened) };
        Ok(Self { shared: Arc::new(LoadedLibrary { functions, xnnpack, _library: opened }) })
    }
}

/// A model with one `f32` input and one `f32` output, ready to run on one thread.
pub struct LiteRtModel {
    path: PathBuf,
    shared: Arc<LoadedLibrary>,
    model: NonNull<c_void>,
    interpreter: NonNull<c_void>,
    /// Outlives the interpreter that uses it.
    delegate: Option<NonNull<c_void>>,
    input: NonNull<c_void>,
    output: NonNull<c_void>,
    input_len: usize,
    output_len: usize,
}

// SAFETY: the interpreter is owned by this value alone and has no thread affinity; every use takes
// `&mut self`.
unsafe impl Send for LiteRtModel {}

impl LiteRtModel {
    /// Loads a model; `input_shape` replaces the input's own shape when given.
    ///
    /// # Errors
    /// When the file is missing, is no model, has operations the library lacks, cannot take the shape,
    /// or its first input or output is not `f32`.
    pub fn load(litert: &LiteRt, path: &Path, input_shape: Option<&[i32]>) -> Result<Self, LiteRtError> {
        if !path.is_file() {
            return Err(LiteRtError::ModelMissing(path.to_owned()));
        }
        let unusable = |why: &str| LiteRtError::ModelUnusable { path: path.to_owned(), why: why.to_owned() };
        let c_path = CString::new(path.as_os_str().as_encoded_bytes())
            .map_err(|_| unusable("its path holds a zero byte"))?;
        let shared = Arc::clone(&litert.shared);
        let call = &shared.functions;
        // SAFETY: `c_path` is a zero-ended string that outlives the call.
        let model = NonNull::new(unsafe { (call.model_create)(c_path.as_ptr()) })
            .ok_or_else(|| unusable("it is not a LiteRT model"))?;
        let Some((interpreter, delegate)) = create_interpreter(&shared, model) else {
            // SAFETY: `model` is live and nothing else refers to it.
            unsafe { (call.model_delete)(model.as_ptr()) };
            return Err(unusable("it has operations this LiteRT library does not know"));
        };
        let mut loaded = Self {
            path: path.to_owned(),
            model,
            interpreter,
            delegate,
            input: NonNull::dangling(),
            output: NonNull::dangling(),
            input_len: 0,
            output_len: 0,
            shared: Arc::clone(&shared),
        };
        // From here on `loaded` frees model and interpreter, also on the error paths.
        loaded.allocate(input_shape).map_err(|why| unusable(&why))?;
        Ok(loaded)
    }

    fn allocate(&mut self, input_shape: Option<&[i32]>) -> Result<(), String> {
        let call = &self.shared.functions;
        let interpreter = self.interpreter.as_ptr();
        if let Some(shape) = input_shape {
            let dims = i32::try_from(shape.len()).map_err(|error| error.to_string())?;
            // SAFETY: the interpreter is live; `shape` holds `dims` numbers and is copied.
            let status = unsafe { (call.resize_input)(interpreter, 0, shape.as_ptr(), dims) };
            if status != 0 {
                return Err(format!("its input cannot have the shape {shape:?}"));
            }
        }
        // SAFETY: the interpreter is live.
        if unsafe { (call.allocate)(interpreter) } != 0 {
            return Err("its tensors cannot be allocated".into());
        }
        // SAFETY: the interpreter is live; an absent tensor comes back as null.
        let (input, output) =
            unsafe { ((call.input_tensor)(interpreter, 0), (call.output_tensor)(interpreter, 0)) };
        self.input = NonNull::new(input).ok_or("it has no input")?;
        self.output = NonNull::new(output).ok_or("it has no output")?;
        for (what, tensor) in [("input", self.input), ("output", self.output)] {
            // SAFETY: the tensor belongs to the live interpreter.
            if unsafe { (call.tensor_type)(tensor.as_ptr()) } != TYPE_F32 {
                return Err(format!("its {what} is not 32-bit float"));
            }
        }
        self.input_len = self.shape(self.input).iter().product();
        self.output_len = self.shape(self.output).iter().product();
        Ok(())
    }

    fn shape(&self, tensor: NonNull<c_void>) -> Vec<usize> {
        let call = &self.shared.functions;
        // SAFETY: the tensor belongs to the live interpreter.
        let dims = unsafe { (call.tensor_num_dims)(tensor.as_ptr()) };
        (0..dims)
            // SAFETY: as above; the index is below the number of dimensions.
            .map(|dim| usize::try_from(unsafe { (call.tensor_dim)(tensor.as_ptr(), dim) }).unwrap_or(0))
            .collect()
    }

    /// Shape of the input.
    pub fn input_shape(&self) -> Vec<usize> {
        self.shape(self.input)
    }

    /// Shape of the output.
    pub fn output_shape(&self) -> Vec<usize> {
        self.shape(self.output)
    }

    /// Values in the output.
    pub fn output_len(&self) -> usize {
        self.output_len
    }

    /// Runs the model on `input` and fills `output`.
    ///
    /// # Errors
    /// When a slice does not have the tensor's length, or the run fails.
    pub fn run(&mut self, input: &[f32], output: &mut [f32]) -> Result<(), LiteRtError> {
        if input.len() != self.input_len || output.len() != self.output_len {
            return Err(self.failed(format!(
                "{} values in and {} out, expected {} and {}",
                input.len(),
                output.len(),
                self.input_len,
                self.output_len
            )));
        }
        let call = &self.shared.functions;
        // SAFETY: the tensor is live and takes exactly the bytes of `input` (checked above).
        let copied = unsafe {
            (call.tensor_copy_from)(self.input.as_ptr(), input.as_ptr().cast(), size_of_val(input))
        };
        if copied != 0 {
            return Err(self.failed("its input was not taken".into()));
        }
        // SAFETY: the interpreter is live and its tensors are allocated.
        if unsafe { (call.invoke)(self.interpreter.as_ptr()) } != 0 {
            return Err(self.failed("an operation failed".into()));
        }
        // SAFETY: the tensor is live and holds exactly the bytes of `output` (checked above).
        let copied = unsafe {
            (call.tensor_copy_to)(self.output.as_ptr(), output.as_mut_ptr().cast(), size_of_val(output))
        };
        if copied != 0 {
            return Err(self.failed("its output was not given".into()));
        }
        Ok(())
    }

    fn failed(&self, why: String) -> LiteRtError {
        LiteRtError::Run { path: self.path.clone(), why }
    }
}

/// Makes the interpreter, with XNNPACK when the library has it and it takes the model.
fn create_interpreter(
    shared: &LoadedLibrary,
    model: NonNull<c_void>,
) -> Option<(NonNull<c_void>, Option<NonNull<c_void>>)> {
    if let Some(xnnpack) = &shared.xnnpack {
        // SAFETY: null stands for the default options, which use one thread.
        if let Some(delegate) = NonNull::new(unsafe { (xnnpack.create)(std::ptr::null()) }) {
            if let Some(interpreter) = interpreter_with(shared, model, Some(delegate)) {
                return Some((interpreter, Some(delegate)));
            }
            // SAFETY: no interpreter was made with it.
            unsafe { (xnnpack.delete)(delegate.as_ptr()) };
        }
    }
    Some((interpreter_with(shared, model, None)?, None))
}

/// One thread per interpreter: the models are small and the cores are shared.
fn interpreter_with(
    shared: &LoadedLibrary,
    model: NonNull<c_void>,
    delegate: Option<NonNull<c_void>>,
) -> Option<NonNull<c_void>> {
    let call = &shared.functions;
    // SAFETY: model and delegate are live; the options live until the interpreter has copied them.
    unsafe {
        let options = NonNull::new((call.options_create)())?;
        (call.options_set_threads)(options.as_ptr(), 1);
        if let (Some(xnnpack), Some(delegate)) = (&shared.xnnpack, delegate) {
            (xnnpack.options_add)(options.as_ptr(), delegate.as_ptr());
        }
        let interpreter = (call.interpreter_create)(model.as_ptr(), options.as_ptr());
        (call.options_delete)(options.as_ptr());
        NonNull::new(interpreter)
    }
}

impl Drop for LiteRtModel {
    fn drop(&mut self) {
        let call = &self.shared.functions;
        // SAFETY: all are live; the interpreter goes before the delegate and the model it refers to.
        unsafe {
            (call.interpreter_delete)(self.interpreter.as_ptr());
            if let (Some(xnnpack), Some(delegate)) = (&self.shared.xnnpack, self.delegate) {
                (xnnpack.delete)(delegate.as_ptr());
            }
            (call.model_delete)(self.model.as_ptr());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CACHE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/cache");

    fn litert() -> LiteRt {
        LiteRt::load(&Path::new(CACHE).join("libtensorflowlite_c.so")).expect("library")
    }

    #[test]
    fn a_model_runs_with_a_resized_input() {
        let path = Path::new(CACHE).join("melspectrogram.tflite");
        let mut model = LiteRtModel::load(&litert(), &path, Some(&[1, 1760])).expect("model");
        assert_eq!(model.input_shape(), [1, 1760]);
        assert_eq!(model.output_shape(), [1, 1, 8, 32]);
        let (mut quiet, mut loud) = (vec![0.0; 256], vec![0.0; 256]);
        model.run(&[0.0; 1760], &mut quiet).expect("run");
        let tone: Vec<f32> = (0..1760).map(|i| (i as f32 * 0.4).sin() * 9000.0).collect();
        model.run(&tone, &mut loud).expect("run");
        assert!(quiet.iter().zip(&loud).any(|(a, b)| b - a > 5.0), "a tone is louder than silence");
    }

    #[test]
    fn wrong_lengths_are_errors() {
        let path = Path::new(CACHE).join("hey_jarvis.tflite");
        let mut model = LiteRtModel::load(&litert(), &path, None).expect("model");
        assert_eq!(model.input_shape(), [1, 16, 96]);
        let error = model.run(&[0.0; 3], &mut [0.0]).expect_err("too short");
        assert!(error.to_string().contains("expected 1536 and 1"), "{error}");
    }

    #[test]
    fn missing_and_wrong_parts_are_named() {
        let missing = LiteRt::load(Path::new("/nowhere/lib.so")).err().expect("missing");
        assert!(missing.to_string().contains("/nowhere/lib.so"));
        let wrong = LiteRt::load(&Path::new(CACHE).join("libonnxruntime.so")).err().expect("wrong");
        assert!(matches!(wrong, LiteRtError::LibraryUnusable { .. }), "{wrong}");
        let model = LiteRtModel::load(&litert(), Path::new("/nowhere/m.tflite"), None).err().expect("none");
        assert_eq!(Fault::from(model).kind, FaultKind::MissingPart);
        let onnx = Path::new(CACHE).join("silero_vad_16k_op15.onnx");
        let model = LiteRtModel::load(&litert(), &onnx, None).err().expect("not a model");
        assert!(matches!(model, LiteRtError::ModelUnusable { .. }), "{model}");
    }
}

//! LiteRT (TensorFlow Lite) models through the C API of `libtensorflowlite_c`, opened at run time.
//! Source of the signatures: tensorflow/lite/core/c/c_api.h. Values are `f32` outside; tensors are `f32`, or 8-bit
//! numbers with a scale and a zero point, which are converted here.

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

/// `kTfLiteFloat32`, `kTfLiteUInt8` and `kTfLiteInt8` of the C API's type enumeration.
const TYPE_F32: c_int = 1;
const TYPE_U8: c_int = 3;
const TYPE_I8: c_int = 9;

/// `TfLiteQuantizationParams`: a stored number is the value divided by the scale, above the zero point.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
struct QuantizationParams {
    scale: f32,
    zero_point: i32,
}

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
    tensor_quantization = "TfLiteTensorQuantizationParams": fn(Opaque) -> QuantizationParams;
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

/// A model with one input and one output, ready to run on one thread.
pub struct LiteRtModel {
    path: PathBuf,
    /// Goes before the model it refers to.
    interpreter: Interpreter,
    model: Model,
    kernels: Kernels,
    /// What replaces the input's own shape.
    input_shape: Option<Vec<i32>>,
    /// Room for the bytes of a tensor.
    bytes: Vec<u8>,
}

// SAFETY: model and interpreter are owned by this value alone and have no thread affinity; every use takes
// `&mut self`.
unsafe impl Send for LiteRtModel {}

impl LiteRtModel {
    /// Loads a model; `input_shape` replaces the input's own shape when given.
    ///
    /// # Errors
    /// When the file is missing, is no model, has operations the library lacks, cannot take the shape,
    /// or its first input or output is neither `f32` nor 8-bit numbers with a scale.
    pub fn load(litert: &LiteRt, path: &Path, input_shape: Option<&[i32]>) -> Result<Self, LiteRtError> {
        Self::load_with(litert, path, input_shape, Kernels::Xnnpack)
    }

    /// Loads a model of 8-bit numbers, to run without XNNPACK: that rounds otherwise than the library's own
    /// arithmetic, and small models are no faster with it.
    ///
    /// # Errors
    /// As for [`Self::load`].
    pub fn load_quantized(litert: &LiteRt, path: &Path) -> Result<Self, LiteRtError> {
        Self::load_with(litert, path, None, Kernels::Plain)
    }

    fn load_with(
        litert: &LiteRt,
        path: &Path,
        input_shape: Option<&[i32]>,
        kernels: Kernels,
    ) -> Result<Self, LiteRtError> {
        if !path.is_file() {
            return Err(LiteRtError::ModelMissing(path.to_owned()));
        }
        let unusable = |why: &str| LiteRtError::ModelUnusable { path: path.to_owned(), why: why.to_owned() };
        let c_path = CString::new(path.as_os_str().as_encoded_bytes())
            .map_err(|_| unusable("its path holds a zero byte"))?;
        let shared = Arc::clone(&litert.shared);
        // SAFETY: `c_path` is a zero-ended string that outlives the call.
        let model = NonNull::new(unsafe { (shared.functions.model_create)(c_path.as_ptr()) })
            .ok_or_else(|| unusable("it is not a LiteRT model"))?;
        let model = Model { shared, handle: model };
        let interpreter = Interpreter::new(&model, kernels, input_shape).map_err(|why| unusable(&why))?;
        let input_shape = input_shape.map(<[i32]>::to_vec);
        Ok(Self { path: path.to_owned(), interpreter, model, kernels, input_shape, bytes: Vec::new() })
    }

    /// Forgets what a streaming model remembers of earlier runs. Its memory is in resource variables, which only
    /// a new interpreter initialises again.
    ///
    /// # Errors
    /// When no further interpreter can be made; the model then remembers as before.
    pub fn reset(&mut self) -> Result<(), LiteRtError> {
        let made = Interpreter::new(&self.model, self.kernels, self.input_shape.as_deref());
        self.interpreter = made.map_err(|why| self.failed(why))?;
        Ok(())
    }

    /// Shape of the input.
    pub fn input_shape(&self) -> Vec<usize> {
        self.interpreter.input.shape(&self.interpreter.shared.functions)
    }

    /// Shape of the output.
    pub fn output_shape(&self) -> Vec<usize> {
        self.interpreter.output.shape(&self.interpreter.shared.functions)
    }

    /// Values in the output.
    pub fn output_len(&self) -> usize {
        self.interpreter.output.len
    }

    /// Runs the model on `input` and fills `output`.
    ///
    /// # Errors
    /// When a slice does not have the tensor's length, or the run fails.
    pub fn run(&mut self, input: &[f32], output: &mut [f32]) -> Result<(), LiteRtError> {
        let Interpreter { input: input_tensor, output: output_tensor, handle, .. } = self.interpreter;
        if input.len() != input_tensor.len || output.len() != output_tensor.len {
            return Err(self.failed(format!(
                "{} values in and {} out, expected {} and {}",
                input.len(),
                output.len(),
                input_tensor.len,
                output_tensor.len
            )));
        }
        let call = &self.model.shared.functions;
        input_tensor.storage.encode(input, &mut self.bytes);
        let (bytes, len) = (self.bytes.as_ptr().cast(), self.bytes.len());
        // SAFETY: the tensor is live and takes as many values as were checked above, in the bytes of its type.
        if unsafe { (call.tensor_copy_from)(input_tensor.handle.as_ptr(), bytes, len) } != 0 {
            return Err(self.failed("its input was not taken".into()));
        }
        // SAFETY: the interpreter is live and its tensors are allocated.
        if unsafe { (call.invoke)(handle.as_ptr()) } != 0 {
            return Err(self.failed("an operation failed".into()));
        }
        self.bytes.resize(output_tensor.len * output_tensor.storage.value_bytes(), 0);
        let (bytes, len) = (self.bytes.as_mut_ptr().cast(), self.bytes.len());
        // SAFETY: the tensor is live and gives as many values as were checked above, in the bytes of its type.
        if unsafe { (call.tensor_copy_to)(output_tensor.handle.as_ptr(), bytes, len) } != 0 {
            return Err(self.failed("its output was not given".into()));
        }
        output_tensor.storage.decode(&self.bytes, output);
        Ok(())
    }

    fn failed(&self, why: String) -> LiteRtError {
        LiteRtError::Run { path: self.path.clone(), why }
    }
}

/// Whose arithmetic a model runs with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kernels {
    /// The library's own.
    Plain,
    /// XNNPACK's, where the library has it and it takes the model.
    Xnnpack,
}

/// A model file in memory.
struct Model {
    shared: Arc<LoadedLibrary>,
    handle: NonNull<c_void>,
}

impl Drop for Model {
    fn drop(&mut self) {
        // SAFETY: it is live, and the interpreters made of it are gone (the order of fields in [`LiteRtModel`]).
        unsafe { (self.shared.functions.model_delete)(self.handle.as_ptr()) };
    }
}

/// What runs a model. Only lives as long as the model does.
struct Interpreter {
    shared: Arc<LoadedLibrary>,
    handle: NonNull<c_void>,
    /// Outlives the interpreter that uses it.
    delegate: Option<NonNull<c_void>>,
    input: Tensor,
    output: Tensor,
}

impl Interpreter {
    /// An interpreter with its tensors allocated, or why there is none.
    fn new(model: &Model, kernels: Kernels, input_shape: Option<&[i32]>) -> Result<Self, String> {
        let shared = Arc::clone(&model.shared);
        let Some((handle, delegate)) = create_interpreter(&shared, model.handle, kernels) else {
            return Err("it has operations this LiteRT library does not know".into());
        };
        let unknown = Tensor { handle: NonNull::dangling(), len: 0, storage: Storage::F32 };
        let mut made = Self { shared, handle, delegate, input: unknown, output: unknown };
        // From here on `made` frees the interpreter, also on the error path.
        made.allocate(input_shape)?;
        Ok(made)
    }

    fn allocate(&mut self, input_shape: Option<&[i32]>) -> Result<(), String> {
        let call = &self.shared.functions;
        let interpreter = self.handle.as_ptr();
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
        self.input = Tensor::of(call, input, "input")?;
        self.output = Tensor::of(call, output, "output")?;
        Ok(())
    }
}

impl Drop for Interpreter {
    fn drop(&mut self) {
        // SAFETY: both are live; the interpreter goes before the delegate it refers to.
        unsafe {
            (self.shared.functions.interpreter_delete)(self.handle.as_ptr());
            if let (Some(xnnpack), Some(delegate)) = (&self.shared.xnnpack, self.delegate) {
                (xnnpack.delete)(delegate.as_ptr());
            }
        }
    }
}

/// A tensor of a live interpreter.
#[derive(Debug, Clone, Copy)]
struct Tensor {
    handle: NonNull<c_void>,
    /// Values in it.
    len: usize,
    storage: Storage,
}

impl Tensor {
    fn of(call: &Functions, handle: Opaque, what: &str) -> Result<Self, String> {
        let handle = NonNull::new(handle).ok_or_else(|| format!("it has no {what}"))?;
        // SAFETY: the tensor belongs to a live interpreter.
        let (kind, quantization) =
            unsafe { ((call.tensor_type)(handle.as_ptr()), (call.tensor_quantization)(handle.as_ptr())) };
        let storage = match kind {
            TYPE_F32 => Storage::F32,
            TYPE_U8 if quantization.scale > 0.0 => Storage::U8(quantization),
            TYPE_I8 if quantization.scale > 0.0 => Storage::I8(quantization),
            _ => return Err(format!("its {what} is neither 32-bit float nor 8-bit numbers with a scale")),
        };
        let mut tensor = Self { handle, len: 0, storage };
        tensor.len = tensor.shape(call).iter().product();
        Ok(tensor)
    }

    fn shape(&self, call: &Functions) -> Vec<usize> {
        // SAFETY: the tensor belongs to a live interpreter.
        let dims = unsafe { (call.tensor_num_dims)(self.handle.as_ptr()) };
        (0..dims)
            // SAFETY: as above; the index is below the number of dimensions.
            .map(|dim| usize::try_from(unsafe { (call.tensor_dim)(self.handle.as_ptr(), dim) }).unwrap_or(0))
            .collect()
    }
}

/// How a tensor stores its values.
#[derive(Debug, Clone, Copy)]
enum Storage {
    F32,
    U8(QuantizationParams),
    I8(QuantizationParams),
}

impl Storage {
    fn value_bytes(self) -> usize {
        if matches!(self, Self::F32) { size_of::<f32>() } else { 1 }
    }

    /// The values as the tensor's bytes; what does not fit saturates.
    fn encode(self, values: &[f32], bytes: &mut Vec<u8>) {
        let stored = |value: f32, with: QuantizationParams| {
            (f64::from(value) / f64::from(with.scale) + f64::from(with.zero_point)).round_ties_even()
        };
        bytes.clear();
        match self {
            Self::F32 => bytes.extend(values.iter().flat_map(|value| value.to_ne_bytes())),
            Self::U8(with) => bytes.extend(values.iter().map(|value| stored(*value, with) as u8)),
            Self::I8(with) => bytes.extend(values.iter().map(|value| (stored(*value, with) as i8) as u8)),
        }
    }

    fn decode(self, bytes: &[u8], values: &mut [f32]) {
        let value = |stored: i32, with: QuantizationParams| (stored - with.zero_point) as f32 * with.scale;
        match self {
            Self::F32 => {
                for (value, bytes) in values.iter_mut().zip(bytes.as_chunks().0) {
                    *value = f32::from_ne_bytes(*bytes);
                }
            }
            Self::U8(with) => {
                values.iter_mut().zip(bytes).for_each(|(into, byte)| *into = value(i32::from(*byte), with));
            }
            Self::I8(with) => {
                let signed = bytes.iter().map(|byte| i32::from(byte.cast_signed()));
                values.iter_mut().zip(signed).for_each(|(into, stored)| *into = value(stored, with));
            }
        }
    }
}

/// Makes the interpreter, and the delegate it uses.
fn create_interpreter(
    shared: &LoadedLibrary,
    model: NonNull<c_void>,
    kernels: Kernels,
) -> Option<(NonNull<c_void>, Option<NonNull<c_void>>)> {
    if let (Some(xnnpack), Kernels::Xnnpack) = (&shared.xnnpack, kernels) {
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

    #[test]
    fn eight_bits_hold_values_by_scale_and_zero_point() {
        let with = QuantizationParams { scale: 0.5, zero_point: -10 };
        let mut bytes = Vec::new();
        Storage::I8(with).encode(&[0.0, 1.0, -2.25, 1000.0, f32::NAN], &mut bytes);
        assert_eq!(bytes, [-10_i8, -8, -14, 127, 0].map(i8::cast_unsigned));
        let mut values = [0.0; 3];
        Storage::I8(with).decode(&bytes, &mut values);
        assert_eq!(values, [0.0, 1.0, -2.0]);
        let with = QuantizationParams { scale: 0.5, zero_point: 128 };
        Storage::U8(with).encode(&[0.0, 1.0, -1000.0], &mut bytes);
        assert_eq!(bytes, [128, 130, 0]);
        Storage::U8(with).decode(&bytes, &mut values);
        assert_eq!(values, [0.0, 1.0, -64.0]);
    }

    /// That nothing is left of what it heard is tested where it hears: hark-stt's microWakeWord.
    #[test]
    fn a_quantised_model_runs_before_and_after_a_reset() {
        let path = Path::new(CACHE).join("micro_hey_jarvis.tflite");
        let mut model = LiteRtModel::load_quantized(&litert(), &path).expect("model");
        assert_eq!((model.input_shape(), model.output_len()), (vec![1, 3, 40], 1));
        for _ in 0..3 {
            let mut probability = [2.0];
            model.run(&[1.0; 120], &mut probability).expect("run");
            assert!((0.0..=1.0).contains(&probability[0]), "{probability:?}");
            model.reset().expect("reset");
        }
    }
}

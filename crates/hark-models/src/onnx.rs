//! ONNX models through `ort`: the shared library is opened from a given path once per process, and a
//! model keeps its input tensors between runs so that a run allocates nothing on our side.

use hark_core::{Fault, FaultKind};
use ort::session::builder::{GraphOptimizationLevel, SessionBuilder};
use ort::session::{Session, SessionInputValue};
use ort::value::{Tensor, TensorElementType, ValueType};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What can go wrong with the library or a model.
#[derive(Debug, thiserror::Error)]
pub enum OnnxError {
    /// No file at the library's path.
    #[error("ONNX Runtime library {} is not there", .0.display())]
    LibraryMissing(PathBuf),
    /// The file is not a usable ONNX Runtime.
    #[error("{} is not a usable ONNX Runtime library: {why}", path.display())]
    LibraryUnusable { path: PathBuf, why: String },
    /// The process holds another library; it cannot be changed.
    #[error("ONNX Runtime was already loaded from {}; {} needs a restart", loaded.display(), asked.display())]
    LibraryTaken { loaded: PathBuf, asked: PathBuf },
    /// No file at the model's path.
    #[error("model {} is not there", .0.display())]
    ModelMissing(PathBuf),
    /// The model cannot be loaded.
    #[error("model {} cannot be loaded: {why}", path.display())]
    ModelUnusable { path: PathBuf, why: String },
    /// The model has other inputs or outputs than the caller needs.
    #[error("model {} does not fit: {why}", path.display())]
    ModelMismatch { path: PathBuf, why: String },
    /// A run failed.
    #[error("model {} failed to run: {why}", path.display())]
    Run { path: PathBuf, why: String },
}

impl From<OnnxError> for Fault {
    fn from(error: OnnxError) -> Self {
        let fix = match &error {
            OnnxError::Run { .. } => "run `hark models verify`; if it finds nothing, report this message",
            OnnxError::LibraryTaken { .. } => "restart hark",
            _ => "run `hark models pull`, then `hark models verify`",
        };
        let kind = match &error {
            OnnxError::Run { .. } => FaultKind::Failed,
            _ => FaultKind::MissingPart,
        };
        Fault::new(kind, "models", error.to_string(), fix)
    }
}

/// The library the process loaded; ONNX Runtime can be loaded only once.
static LOADED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Proof that ONNX Runtime is loaded; cheap to copy.
#[derive(Debug, Clone, Copy)]
pub struct OnnxRuntime(());

impl OnnxRuntime {
    /// Loads ONNX Runtime (1.18 or later) from `library`. Loading the same file again is free.
    ///
    /// # Errors
    /// When the file is missing, is no ONNX Runtime or too old, or another one was loaded before.
    pub fn load(library: &Path) -> Result<Self, OnnxError> {
        let path = library.canonicalize().map_err(|_| OnnxError::LibraryMissing(library.to_owned()))?;
        let mut loaded = LOADED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(first) = loaded.as_ref() {
            return if *first == path {
                Ok(Self(()))
            } else {
                check_library(&path)?;
                Err(OnnxError::LibraryTaken { loaded: first.clone(), asked: path })
            };
        }
        check_library(&path)?;
        let unusable = |why: String| OnnxError::LibraryUnusable { path: path.clone(), why };
        ort::init_from(&path).map_err(|error| unusable(error.to_string()))?.with_telemetry(false).commit();
        *loaded = Some(path);
        Ok(Self(()))
    }
}

/// Looks whether the file opens and has ONNX Runtime's entry point. `ort` itself checks the version.
fn check_library(path: &Path) -> Result<(), OnnxError> {
    let unusable = |why: String| OnnxError::LibraryUnusable { path: path.to_owned(), why };
    // SAFETY: opening runs the library's initialisers; the path is the one the owner configured.
    let library = unsafe { libloading::Library::new(path) }.map_err(|error| unusable(error.to_string()))?;
    // SAFETY: the symbol is only looked up, never called through this type.
    let entry = unsafe { library.get::<unsafe extern "C" fn()>(b"OrtGetApiBase\0") };
    entry.map(|_| ()).map_err(|_| unusable("it has no OrtGetApiBase".into()))
}

/// One input of a model with its fixed shape and first contents.
#[derive(Debug, Clone)]
pub enum OnnxInput<'a> {
    /// `f32` tensor, zero at first.
    F32 { name: &'a str, shape: &'a [usize] },
    /// `i64` scalar (shape `[]`) with a constant value.
    I64Scalar { name: &'a str, value: i64 },
}

impl OnnxInput<'_> {
    fn name(&self) -> &str {
        match self {
            Self::F32 { name, .. } | Self::I64Scalar { name, .. } => name,
        }
    }

    fn element_type(&self) -> TensorElementType {
        match self {
            Self::F32 { .. } => TensorElementType::Float32,
            Self::I64Scalar { .. } => TensorElementType::Int64,
        }
    }

    fn tensor(&self) -> ort::Result<SessionInputValue<'static>> {
        Ok(match self {
            Self::F32 { shape, .. } => {
                let zeros = vec![0.0_f32; shape.iter().product()];
                Tensor::from_array((shape.to_vec(), zeros))?.into()
            }
            Self::I64Scalar { value, .. } => Tensor::from_array((Vec::<usize>::new(), vec![*value]))?.into(),
        })
    }
}

/// A loaded model with its inputs of fixed shape. One intra-op thread, no spinning: made for small
/// models that run many times a second.
pub struct OnnxModel {
    path: PathBuf,
    session: Session,
    /// In the model's own order.
    inputs: Vec<SessionInputValue<'static>>,
    /// For each input as the caller listed them, its place in `inputs`.
    places: Vec<usize>,
}

impl OnnxModel {
    /// Loads a model and prepares its inputs.
    ///
    /// # Errors
    /// When the file is missing or no model, or its inputs are not exactly those listed.
    pub fn load(_runtime: OnnxRuntime, model: &Path, inputs: &[OnnxInput<'_>]) -> Result<Self, OnnxError> {
        if !model.is_file() {
            return Err(OnnxError::ModelMissing(model.to_owned()));
        }
        let session = small_session(model, 1)
            .map_err(|why| OnnxError::ModelUnusable { path: model.to_owned(), why })?;
        let mismatch = |why: String| OnnxError::ModelMismatch { path: model.to_owned(), why };
        let mut ordered: Vec<Option<SessionInputValue<'static>>> = Vec::new();
        ordered.resize_with(session.inputs().len(), || None);
        let mut places = Vec::with_capacity(inputs.len());
        for input in inputs {
            let found = session.inputs().iter().position(|outlet| outlet.name() == input.name());
            let place = found.ok_or_else(|| mismatch(format!("it has no input `{}`", input.name())))?;
            match session.inputs()[place].dtype() {
                ValueType::Tensor { ty, .. } if *ty == input.element_type() => {}
                other => return Err(mismatch(format!("input `{}` is {other}", input.name()))),
            }
            ordered[place] = Some(input.tensor().map_err(|error| mismatch(error.to_string()))?);
            places.push(place);
        }
        let inputs: Option<Vec<_>> = ordered.into_iter().collect();
        let inputs = inputs.ok_or_else(|| mismatch("it has more inputs than are given".into()))?;
        Ok(Self { path: model.to_owned(), session, inputs, places })
    }

    /// The contents of the `index`-th listed input, to be changed in place; empty when that input is
    /// no `f32` tensor.
    pub fn input_mut(&mut self, index: usize) -> &mut [f32] {
        let Some(SessionInputValue::Owned(value)) =
            self.places.get(index).and_then(|place| self.inputs.get_mut(*place))
        else {
            return &mut [];
        };
        value.try_extract_tensor_mut::<f32>().map_or(&mut [], |(_, data)| data)
    }

    /// Runs the model and copies the named `f32` outputs into the given slices.
    ///
    /// # Errors
    /// When the run fails, or an output is missing or has another length than its slice.
    pub fn run(&mut self, outputs: &mut [(&str, &mut [f32])]) -> Result<(), OnnxError> {
        let failed = |why: String| OnnxError::Run { path: self.path.clone(), why };
        let results = self.session.run(self.inputs.as_slice()).map_err(|error| failed(error.to_string()))?;
        for (name, into) in outputs {
            let value = results.get(*name).ok_or_else(|| failed(format!("it has no output `{name}`")))?;
            let (_, data) = value.try_extract_tensor::<f32>().map_err(|error| failed(error.to_string()))?;
            if data.len() != into.len() {
                let why = format!("output `{name}` has {} values, expected {}", data.len(), into.len());
                return Err(failed(why));
            }
            into.copy_from_slice(data);
        }
        Ok(())
    }
}

/// Opens a model for a library of others that runs it itself, with `threads` to compute on (no
/// spinning between runs).
///
/// # Errors
/// When the file is missing or no model, or its inputs are not exactly those listed, in this order
/// (such a library gives them by place), or its first output is not `f32`.
pub fn open_session(
    _runtime: OnnxRuntime,
    model: &Path,
    threads: usize,
    inputs: &[(&str, TensorElementType)],
) -> Result<Session, OnnxError> {
    check_session(model, || build_session(model, threads), inputs, TensorElementType::Float32)
}

/// The same, for a model that is there all the time: the session keeps no more memory than it needs. `output` is what
/// its first output is made of.
///
/// # Errors
/// As [`open_session`].
pub fn open_small_session(
    _runtime: OnnxRuntime,
    model: &Path,
    threads: usize,
    inputs: &[(&str, TensorElementType)],
    output: TensorElementType,
) -> Result<Session, OnnxError> {
    check_session(model, || small_session(model, threads), inputs, output)
}

fn check_session(
    model: &Path,
    open: impl FnOnce() -> Result<Session, String>,
    inputs: &[(&str, TensorElementType)],
    output: TensorElementType,
) -> Result<Session, OnnxError> {
    if !model.is_file() {
        return Err(OnnxError::ModelMissing(model.to_owned()));
    }
    let session = open().map_err(|why| OnnxError::ModelUnusable { path: model.to_owned(), why })?;
    let mismatch = |why: String| OnnxError::ModelMismatch { path: model.to_owned(), why };
    let is = |dtype: &ValueType, wanted: TensorElementType| matches!(dtype, ValueType::Tensor { ty, .. } if *ty == wanted);
    let found = session.inputs();
    let same = found.len() == inputs.len()
        && found
            .iter()
            .zip(inputs)
            .all(|(outlet, (name, ty))| outlet.name() == *name && is(outlet.dtype(), *ty));
    if !same {
        let names = |names: Vec<&str>| names.join(", ");
        let has = names(found.iter().map(|outlet| outlet.name()).collect());
        let wanted = names(inputs.iter().map(|(name, _)| *name).collect());
        return Err(mismatch(format!("its inputs are {has} (expected {wanted}), or of other types")));
    }
    let fits = session.outputs().first().is_some_and(|outlet| is(outlet.dtype(), output));
    if fits { Ok(session) } else { Err(mismatch(format!("its first output is not {output}"))) }
}

/// Opens a model whose inputs the caller looks at.
///
/// # Errors
/// When the file is missing or no model.
pub(super) fn open_any_session(
    _runtime: OnnxRuntime,
    model: &Path,
    threads: usize,
) -> Result<Session, OnnxError> {
    if !model.is_file() {
        return Err(OnnxError::ModelMissing(model.to_owned()));
    }
    build_session(model, threads).map_err(|why| OnnxError::ModelUnusable { path: model.to_owned(), why })
}

fn build_session(model: &Path, threads: usize) -> Result<Session, String> {
    builder(threads)?.commit_from_file(model).map_err(words)
}

/// A session that keeps no more memory than it needs.
fn small_session(model: &Path, threads: usize) -> Result<Session, String> {
    let builder = builder(threads)?.with_prepacking(false).map_err(words)?;
    let builder = builder.with_memory_pattern(false).map_err(words)?;
    let processor = ort::ep::CPU::default().with_arena_allocator(false).build();
    let mut builder = builder.with_execution_providers([processor]).map_err(words)?;
    builder.commit_from_file(model).map_err(words)
}

fn builder(threads: usize) -> Result<SessionBuilder, String> {
    let builder = Session::builder().map_err(words)?;
    let builder = builder.with_intra_threads(threads).map_err(words)?;
    let builder = builder.with_intra_op_spinning(false).map_err(words)?;
    builder.with_optimization_level(GraphOptimizationLevel::Level3).map_err(words)
}

/// The builder's errors carry the builder; its words are all that is needed.
fn words<T>(error: ort::Error<T>) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CACHE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/cache");

    fn runtime() -> OnnxRuntime {
        OnnxRuntime::load(&Path::new(CACHE).join("libonnxruntime.so")).expect("library")
    }

    fn silero() -> PathBuf {
        Path::new(CACHE).join("silero_vad_16k_op15.onnx")
    }

    const SILERO: [OnnxInput<'static>; 3] = [
        OnnxInput::F32 { name: "input", shape: &[1, 576] },
        OnnxInput::F32 { name: "state", shape: &[2, 1, 128] },
        OnnxInput::I64Scalar { name: "sr", value: 16_000 },
    ];

    #[test]
    fn a_model_runs_and_its_outputs_are_copied() {
        let mut model = OnnxModel::load(runtime(), &silero(), &SILERO).expect("model");
        model.input_mut(0).fill(0.0);
        let (mut probability, mut state) = ([7.0_f32], [0.0_f32; 256]);
        model.run(&mut [("output", &mut probability), ("stateN", &mut state)]).expect("run");
        assert!((0.0..0.2).contains(&probability[0]), "silence scored {}", probability[0]);
        assert!(state.iter().any(|value| *value != 0.0));
    }

    #[test]
    fn a_missing_library_is_named() {
        let error = OnnxRuntime::load(Path::new("/nowhere/libonnxruntime.so")).expect_err("missing");
        let fault = Fault::from(error);
        assert_eq!(fault.kind, FaultKind::MissingPart);
        assert!(fault.message.contains("/nowhere/libonnxruntime.so"));
        assert!(!fault.fix.is_empty());
    }

    #[test]
    fn a_library_of_another_kind_is_refused() {
        for wrong in ["libtensorflowlite_c.so", "hey_jarvis.tflite"] {
            let path = Path::new(CACHE).join(wrong);
            let error = OnnxRuntime::load(&path).expect_err("not ONNX Runtime");
            assert!(matches!(error, OnnxError::LibraryUnusable { .. }), "{error}");
        }
    }

    #[test]
    fn a_file_that_is_no_model_is_refused() {
        let wrong = Path::new(CACHE).join("hey_jarvis.tflite");
        let error = OnnxModel::load(runtime(), &wrong, &SILERO).err().expect("not a model");
        assert!(matches!(error, OnnxError::ModelUnusable { .. }), "{error}");
        assert!(error.to_string().contains("hey_jarvis.tflite"));
    }

    #[test]
    fn inputs_that_do_not_fit_are_named() {
        let wrong = [OnnxInput::F32 { name: "pixels", shape: &[1, 2] }];
        let error = OnnxModel::load(runtime(), &silero(), &wrong).err().expect("mismatch");
        assert!(error.to_string().contains("pixels"), "{error}");
        let error = OnnxModel::load(runtime(), &silero(), &SILERO[..1]).err().expect("mismatch");
        assert!(error.to_string().contains("more inputs"), "{error}");
    }
}

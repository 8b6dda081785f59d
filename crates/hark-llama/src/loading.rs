//! llama.cpp itself and models in it: what it logs, what the processor must have, how a GGUF file is opened, and with what a context is
//! made for it.

use crate::{Error, Settings};
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::{LogOptions, send_logs_to_tracing};
use std::fs::File;
use std::io::Read;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::OnceLock;
use sysinfo::System;

/// Tokens of a prompt that are computed at once: between two such parts it can be stopped.
pub(crate) const PART: usize = 64;
/// A context has no more tokens unless it is configured: models were trained for up to a million, which no memory holds.
const USUAL_CONTEXT: u32 = 8_192;
/// The first bytes of a GGUF file.
const MAGIC: &[u8; 4] = b"GGUF";

/// llama.cpp, which is set up once a process.
///
/// # Errors
/// When the processor cannot run it, or it cannot be set up.
pub(crate) fn backend() -> Result<&'static LlamaBackend, Error> {
    static BACKEND: OnceLock<Result<LlamaBackend, Error>> = OnceLock::new();
    let made = BACKEND.get_or_init(|| {
        if let Some(missing) = missing_instructions() {
            return Err(Error::Processor(missing));
        }
        send_logs_to_tracing(LogOptions::default());
        LlamaBackend::init().map_err(|error| Error::Failed(error.to_string()))
    });
    made.as_ref().map_err(Clone::clone)
}

/// What llama.cpp's build takes for granted (`GGML_AVX2` and its like) and this processor lacks: it would end the program.
fn missing_instructions() -> Option<&'static str> {
    #[cfg(target_arch = "x86_64")]
    {
        let has = [
            ("AVX2", std::arch::is_x86_feature_detected!("avx2")),
            ("FMA", std::arch::is_x86_feature_detected!("fma")),
            ("F16C", std::arch::is_x86_feature_detected!("f16c")),
            ("BMI2", std::arch::is_x86_feature_detected!("bmi2")),
        ];
        has.into_iter().find(|(_, has)| !has).map(|(name, _)| name)
    }
    #[cfg(not(target_arch = "x86_64"))]
    None
}

/// Opens a model. Its weights are mapped: they are read when they are used first.
///
/// # Errors
/// [`Error::Model`].
pub(crate) fn open(backend: &LlamaBackend, path: &Path) -> Result<LlamaModel, Error> {
    let bad = |why: String| Error::Model { path: path.to_owned(), why };
    let mut magic = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut magic));
    read.map_err(|error| bad(error.to_string()))?;
    if &magic != MAGIC {
        return Err(bad("it is no GGUF file".into()));
    }
    let params = LlamaModelParams::default().with_n_gpu_layers(0);
    LlamaModel::load_from_file(backend, path, &params)
        .map_err(|error| bad(format!("llama.cpp cannot load it: {error}")))
}

/// With what a context is made for a model.
pub(crate) fn context_params(model: &LlamaModel, settings: Settings) -> LlamaContextParams {
    let trained = model.n_ctx_train().max(1);
    let most = if settings.context_tokens > 0 { settings.context_tokens } else { USUAL_CONTEXT };
    let threads = i32::try_from(threads(settings.threads)).unwrap_or(i32::MAX);
    LlamaContextParams::default()
        .with_n_ctx(NonZeroU32::new(trained.min(most)))
        .with_n_batch(PART as u32)
        .with_n_ubatch(PART as u32)
        .with_n_threads(threads)
        .with_n_threads_batch(threads)
        .with_no_perf(true)
}

/// As many as configured, or one a physical core, of those this process may use.
pub(crate) fn threads(configured: u32) -> usize {
    let allowed = std::thread::available_parallelism().map_or(1, usize::from);
    match configured {
        0 => System::physical_core_count().unwrap_or(allowed).min(allowed),
        threads => threads as usize,
    }
}

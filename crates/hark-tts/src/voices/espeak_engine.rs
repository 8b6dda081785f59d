//! The espeak-ng library behind a lock: the only file that calls its C functions.
//!
//! espeak-ng keeps all its state in globals, so there is one [`Engine`] a process and everybody
//! shares it. Starting it sets the C locale's character class to UTF-8, which it needs itself.

use super::EspeakVoice;
use crate::error::SpeakingError;
use espeak_rs_sys as sys;
use std::any::Any;
use std::ffi::{CStr, CString, c_char, c_int, c_short, c_void};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

// espeak-ng is built with libsonic (Debian: libsonic-dev) but its crate does not link it.
#[link(name = "sonic")]
unsafe extern "C" {}

/// Files without which no language works.
const NEEDED_FILES: [&str; 4] = ["phontab", "phonindex", "phondata", "intonations"];

/// espeak-ng holds its data path in 160 bytes and puts up to 15 of its own behind it.
const MAX_PATH_BYTES: usize = 140;

/// How much sound it makes before it hands it over; its own minimum. Short, so that the first
/// samples come early and an abort is quick.
const BUFFER_MS: c_int = 60;

/// How a voice speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Manner {
    /// Words a minute, 80–450.
    pub rate_wpm: u32,
    /// 0–100.
    pub pitch_percent: u32,
}

/// The running library. Only ever reached through [`start`] and the lock it returns.
pub struct Engine {
    data_dir: PathBuf,
    rate_hz: u32,
    voices: Vec<EspeakVoice>,
    /// What the library is set to, so that nothing is set twice.
    voice: Option<String>,
    manner: Option<Manner>,
}

static ENGINE: Mutex<Option<Engine>> = Mutex::new(None);

/// Starts the library on `data_dir`, or finds it running there.
///
/// # Errors
/// When the data is missing or not whole, its path too long, or the library runs on other data.
pub fn start(data_dir: &Path) -> Result<(), SpeakingError> {
    for file in NEEDED_FILES {
        let path = data_dir.join(file);
        if !path.is_file() {
            return Err(SpeakingError::VoiceDataMissing { missing: path });
        }
    }
    let data_dir = std::path::absolute(data_dir).unwrap_or_else(|_| data_dir.to_owned());
    let mut engine = lock();
    match engine.as_ref() {
        Some(running) if same_place(&running.data_dir, &data_dir) => return Ok(()),
        Some(running) => {
            return Err(SpeakingError::VoiceDataTaken { open: running.data_dir.clone(), asked: data_dir });
        }
        None => {}
    }
    *engine = Some(Engine::start(data_dir)?);
    Ok(())
}

/// Runs `work` with the library; others wait meanwhile.
///
/// # Errors
/// What `work` returns, or that the library was never started.
pub fn with<T>(work: impl FnOnce(&mut Engine) -> Result<T, SpeakingError>) -> Result<T, SpeakingError> {
    match lock().as_mut() {
        Some(engine) => work(engine),
        None => Err(SpeakingError::Engine {
            call: "espeak_Initialize",
            status: sys::espeak_ERROR_EE_INTERNAL_ERROR,
        }),
    }
}

/// A panic in a sink leaves the library aborted but whole, so a poisoned lock is still good.
fn lock() -> MutexGuard<'static, Option<Engine>> {
    ENGINE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn same_place(a: &Path, b: &Path) -> bool {
    a == b || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

impl Engine {
    fn start(data_dir: PathBuf) -> Result<Self, SpeakingError> {
        let bytes = data_dir.as_os_str().len();
        let path = CString::new(data_dir.as_os_str().as_encoded_bytes());
        let path = match path {
            Ok(path) if bytes <= MAX_PATH_BYTES => path,
            _ => return Err(SpeakingError::VoiceDataPath { path: data_dir, bytes, limit: MAX_PATH_BYTES }),
        };
        // SAFETY: the path is a C string that outlives the call (the library copies it), and the
        // caller holds the lock, so no other call into the library is under way.
        let rate = unsafe {
            sys::espeak_Initialize(
                sys::espeak_AUDIO_OUTPUT_AUDIO_OUTPUT_SYNCHRONOUS,
                BUFFER_MS,
                path.as_ptr(),
                // The flags are small constants; without this one it ends the program on an error.
                sys::espeakINITIALIZE_DONT_EXIT as c_int,
            )
        };
        let Ok(rate_hz @ 1..) = u32::try_from(rate) else {
            return Err(SpeakingError::VoiceStart { path: data_dir, status: rate });
        };
        // SAFETY: the callback is a plain function that lives for ever; lock held as above.
        unsafe { sys::espeak_SetSynthCallback(Some(on_samples)) };
        let voices = list_voices();
        if voices.is_empty() {
            return Err(SpeakingError::VoiceDataMissing { missing: data_dir.join("lang") });
        }
        Ok(Self { data_dir, rate_hz, voices, voice: None, manner: None })
    }

    /// Rate of the samples, the same for all voices.
    pub fn rate_hz(&self) -> u32 {
        self.rate_hz
    }

    /// All voices.
    pub fn voices(&self) -> &[EspeakVoice] {
        &self.voices
    }

    /// Chooses the voice with this identifier; must be one of [`Engine::voices`].
    pub fn choose_voice(&mut self, identifier: &str) -> Result<(), SpeakingError> {
        if self.voice.as_deref() == Some(identifier) {
            return Ok(());
        }
        let failed = |status| SpeakingError::Engine { call: "espeak_SetVoiceByName", status };
        let name = CString::new(identifier).map_err(|_| failed(sys::espeak_ERROR_EE_NOT_FOUND))?;
        self.voice = None;
        // SAFETY: a C string that outlives the call; `&mut self` means the lock is held.
        let status = unsafe { sys::espeak_SetVoiceByName(name.as_ptr()) };
        if status != sys::espeak_ERROR_EE_OK {
            return Err(failed(status));
        }
        self.voice = Some(identifier.to_owned());
        // A change of voice sets the library's parameters back.
        self.manner = None;
        Ok(())
    }

    /// Sets speed and pitch.
    pub fn set_manner(&mut self, manner: Manner) -> Result<(), SpeakingError> {
        if self.manner == Some(manner) {
            return Ok(());
        }
        let rate = manner.rate_wpm.clamp(sys::espeakRATE_MINIMUM, sys::espeakRATE_MAXIMUM);
        let pitch = manner.pitch_percent.min(100);
        for (parameter, value) in
            [(sys::espeak_PARAMETER_espeakRATE, rate), (sys::espeak_PARAMETER_espeakPITCH, pitch)]
        {
            // Both values fit: at most 450.
            // SAFETY: plain integers; `&mut self` means the lock is held.
            let status = unsafe { sys::espeak_SetParameter(parameter, value as c_int, 0) };
            if status != sys::espeak_ERROR_EE_OK {
                return Err(SpeakingError::Engine { call: "espeak_SetParameter", status });
            }
        }
        self.manner = Some(manner);
        Ok(())
    }

    /// Synthesises `text` with the chosen voice. Neither SSML nor `[[phonemes]]` is interpreted.
    pub fn synthesise(
        &mut self,
        text: &CStr,
        sink: &mut dyn FnMut(&[f32]) -> ControlFlow<()>,
    ) -> Result<(), SpeakingError> {
        let mut call = SynthCall { sink, scratch: Vec::new(), panic: None };
        // It varies the sound a little at random, by default seeded with the time. With this, equal
        // runs of the program give equal sound (the phase of its oscillators still carries over from
        // one sentence to the next).
        // SAFETY: a plain integer; `&mut self` means the lock is held.
        unsafe { sys::espeak_ng_SetRandSeed(1) };
        // SAFETY: the text is NUL-terminated and its size includes the NUL; the library works
        // synchronously, so `call` outlives every callback that gets its address; `&mut self`
        // means the lock is held.
        let status = unsafe {
            sys::espeak_Synth(
                text.as_ptr().cast::<c_void>(),
                text.to_bytes_with_nul().len(),
                0,
                sys::espeak_POSITION_TYPE_POS_CHARACTER,
                0,
                sys::espeakCHARS_UTF8,
                ptr::null_mut(),
                ptr::from_mut(&mut call).cast::<c_void>(),
            )
        };
        if let Some(panic) = call.panic.take() {
            resume_unwind(panic);
        }
        match status {
            sys::espeak_ERROR_EE_OK => Ok(()),
            status => Err(SpeakingError::Engine { call: "espeak_Synth", status }),
        }
    }

    /// Phonemes of `text` in the International Phonetic Alphabet, clauses separated by a space.
    /// `tie`: an ASCII character to write between the signs of one sound. A voice must have been chosen.
    pub fn ipa(&mut self, text: &CStr, tie: Option<char>) -> Result<String, SpeakingError> {
        // The character lies above the bits that say what is written, as the library's header has it.
        let tie = tie.filter(char::is_ascii).map_or(0, |tie| sys::espeakPHONEMES_TIE | (tie as u32) << 8);
        if self.voice.is_none() {
            // Without a voice the library would read through a null pointer.
            return Err(SpeakingError::Engine {
                call: "espeak_TextToPhonemes",
                status: sys::espeak_ERROR_EE_NOT_FOUND,
            });
        }
        let mut clauses: Vec<String> = Vec::new();
        let mut rest: *const c_void = text.as_ptr().cast();
        // Each call handles one clause and moves `rest` on; null when nothing is left.
        while !rest.is_null() {
            // SAFETY: `rest` points into the NUL-terminated text; a voice is set; lock held.
            let phonemes = unsafe {
                sys::espeak_TextToPhonemes(
                    &raw mut rest,
                    sys::espeakCHARS_UTF8 as c_int,
                    (sys::espeakPHONEMES_IPA | tie) as c_int,
                )
            };
            if phonemes.is_null() {
                break;
            }
            // SAFETY: not null, a C string in the library's buffer, copied before the next call.
            let clause = unsafe { text_of(phonemes) };
            if !clause.trim().is_empty() {
                clauses.push(clause.trim().to_owned());
            }
        }
        Ok(clauses.join(" "))
    }
}

/// What a callback finds behind the library's user data.
struct SynthCall<'a> {
    sink: &'a mut dyn FnMut(&[f32]) -> ControlFlow<()>,
    scratch: Vec<f32>,
    /// A panic of the sink, carried around the C frames.
    panic: Option<Box<dyn Any + Send>>,
}

/// Called by the library with each piece of sound; a non-zero answer aborts.
unsafe extern "C" fn on_samples(wave: *mut c_short, count: c_int, events: *mut sys::espeak_EVENT) -> c_int {
    let count = usize::try_from(count).unwrap_or(0);
    if wave.is_null() || count == 0 || events.is_null() {
        return 0;
    }
    // SAFETY: the library passes a list of at least one event, whose user data is the address
    // given to `espeak_Synth`: a `SynthCall` that lives until that call returns and that nobody
    // else touches meanwhile. `wave` points to `count` samples.
    let (call, wave) = unsafe {
        let Some(call) = (*events).user_data.cast::<SynthCall<'_>>().as_mut() else { return 0 };
        (call, std::slice::from_raw_parts(wave, count))
    };
    call.scratch.clear();
    call.scratch.extend(wave.iter().map(|&sample| f32::from(sample) / 32_768.0));
    match catch_unwind(AssertUnwindSafe(|| (call.sink)(&call.scratch))) {
        Ok(ControlFlow::Continue(())) => 0,
        Ok(ControlFlow::Break(())) => 1,
        Err(panic) => {
            call.panic = Some(panic);
            1
        }
    }
}

/// Reads the library's table of voices, without variants and MBROLA.
fn list_voices() -> Vec<EspeakVoice> {
    let mut voices = Vec::new();
    // SAFETY: called with the lock held, right after the start. The library returns a table of
    // pointers ended by null; names are C strings; it is all copied before the next call.
    unsafe {
        let mut entry = sys::espeak_ListVoices(ptr::null_mut());
        while !entry.is_null() && !(*entry).is_null() {
            let voice = &**entry;
            voices.push(EspeakVoice {
                name: text_of(voice.name),
                languages: languages_of(voice.languages),
                identifier: text_of(voice.identifier),
            });
            entry = entry.add(1);
        }
    }
    voices
}

/// # Safety
/// `text` is null or a C string.
unsafe fn text_of(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: not null, so a C string by this function's contract.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// # Safety
/// `list` is null or espeak-ng's list: for each language a priority byte and a C string, ended by a
/// zero priority.
unsafe fn languages_of(mut list: *const c_char) -> Vec<String> {
    let mut languages: Vec<(c_char, String)> = Vec::new();
    // SAFETY: by this function's contract every step stays within the list.
    unsafe {
        while !list.is_null() && *list != 0 {
            let tag = CStr::from_ptr(list.add(1));
            languages.push((*list, tag.to_string_lossy().to_lowercase()));
            list = list.add(2 + tag.to_bytes().len());
        }
    }
    languages.into_iter().map(|(_, tag)| tag).collect()
}

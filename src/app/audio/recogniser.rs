//! Which recogniser stands behind the pipeline, and its making.

use hark_config::stt::{Stt, SttEngine};
use hark_config::{is_model_path, paths};
use hark_core::home::Home;
use hark_core::ports::{Completes, Pronounce, SpeechGrammar};
use hark_core::{Fault, FaultKind};
use hark_models::manifest::Manifest;
use hark_stt::stt::Recogniser;
use hark_stt::stt::cascade::Cascade;
use hark_stt::stt::grammar::{GrammarRecogniser, Rebuilder, RequestAmong, Tuning};
use hark_stt::stt::moonshine::MoonshineFiles;
use hark_stt::stt::whisper::{PartialMode, WhisperError, WhisperRecogniser, WhisperSettings, check_model};
use hark_stt::stt::worker::SttMode;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Role of the manifest's parts that Whisper can load.
const ROLE: &str = "recogniser";
/// As `stt.whisper_model`: the first of them that is there.
const ANY_MODEL: &str = "auto";

/// The engine the configuration leads to on this machine.
#[derive(Debug, Clone, PartialEq)]
pub enum Choice {
    /// The grammar alone; with the reason when Whisper was wanted if it could be had.
    Grammar(Option<Fault>),
    /// Whisper alone, with its model.
    Whisper(PathBuf),
    /// Both, with Whisper's model.
    Cascade(PathBuf),
}

/// What the recognisers are made of.
pub(crate) struct Ingredients<'w> {
    pub(crate) stt: &'w Stt,
    pub(crate) manifest: &'w Manifest,
    pub(crate) home: &'w Home,
    /// Languages that are spoken in it, the first one most.
    pub(crate) languages: Vec<String>,
    /// The sentences that are listened for at first.
    pub(crate) grammar: Arc<dyn SpeechGrammar>,
    /// The sentences as they are at any time.
    pub(crate) sentences: Arc<dyn Completes>,
    pub(crate) request_among: RequestAmong,
    pub(crate) state_dir: &'w Path,
    pub(crate) mode: SttMode,
}

/// Decides for an engine. `auto` never fails for want of Whisper.
///
/// # Errors
/// When Whisper was asked for by name and its model is missing, broken, or this build has no Whisper;
/// when `stt.whisper_model` names no model of Whisper.
pub fn choose(stt: &Stt, manifest: &Manifest) -> Result<Choice, Fault> {
    match stt.engine {
        SttEngine::Grammar => Ok(Choice::Grammar(None)),
        SttEngine::Whisper => whisper_model(stt, manifest).map(Choice::Whisper),
        SttEngine::Cascade => whisper_model(stt, manifest).map(Choice::Cascade),
        SttEngine::Auto => match whisper_model(stt, manifest) {
            Ok(model) => Ok(Choice::Cascade(model)),
            Err(fault) if fault.kind == FaultKind::MissingPart => Ok(Choice::Grammar(Some(fault))),
            Err(fault) => Err(fault),
        },
    }
}

/// The checked model file of the configuration.
fn whisper_model(stt: &Stt, manifest: &Manifest) -> Result<PathBuf, Fault> {
    if cfg!(not(feature = "whisper")) {
        return Err(WhisperError::NotBuilt.into());
    }
    let name = &stt.whisper_model;
    if name == ANY_MODEL {
        let parts = manifest.with_role(ROLE);
        if let Some(path) = parts.iter().find_map(|part| manifest.path(part).ok()) {
            return Ok(path);
        }
        let Some(first) = parts.first() else {
            let fix = "take the manifest that came with Hark, or name a file as stt.whisper_model";
            return Err(Fault::new(
                FaultKind::MissingPart,
                "stt",
                "the manifest has no model of Whisper",
                fix,
            ));
        };
        // None is there; what is said of the first one tells how to get it.
        return manifest.path(first);
    }
    if is_model_path(name) {
        let path = paths::expand(name);
        check_model(&path)?;
        return Ok(path);
    }
    if !manifest.part(name).is_ok_and(|part| part.role == ROLE) {
        let message = format!("stt.whisper_model: {name:?} is no model of Whisper");
        let fix = format!(
            "use {ANY_MODEL}, one of {}, or the path of a .bin file",
            manifest.with_role(ROLE).join(", ")
        );
        return Err(Fault::new(FaultKind::BadConfiguration, "stt", message, fix));
    }
    manifest.path(name)
}

/// A recogniser, and the handle by which it learns other sentences where it has some.
pub(crate) struct Made {
    pub(crate) recogniser: Box<dyn Recogniser>,
    pub(crate) rebuilder: Option<Rebuilder>,
}

/// Makes the recogniser the configuration leads to.
pub(crate) fn build(from: &Ingredients<'_>, pronounce: Arc<dyn Pronounce>) -> Result<Made, Fault> {
    match choose(from.stt, from.manifest)? {
        Choice::Grammar(why) => {
            if let Some(why) = why {
                tracing::info!(%why, "the recogniser works without Whisper");
            }
            grammar(from, pronounce)
        }
        Choice::Whisper(model) => Ok(Made { recogniser: Box::new(whisper(from, model)?), rebuilder: None }),
        Choice::Cascade(model) => match whisper(from, model) {
            Ok(whisper) => {
                let Made { recogniser, rebuilder } = grammar(from, pronounce)?;
                let confident = from.stt.cascade_confidence;
                let cascade = Cascade::new(recogniser, whisper, Arc::clone(&from.sentences), confident);
                Ok(Made { recogniser: Box::new(cascade), rebuilder })
            }
            Err(fault) if from.stt.engine == SttEngine::Auto => {
                tracing::warn!(%fault, "the recogniser works without Whisper");
                grammar(from, pronounce)
            }
            Err(fault) => Err(fault),
        },
    }
}

fn grammar(from: &Ingredients<'_>, pronounce: Arc<dyn Pronounce>) -> Result<Made, Fault> {
    let model = from.manifest.path("pocketsphinx_en_us")?;
    let sentences = Arc::clone(&from.grammar);
    let made = GrammarRecogniser::new(Tuning::new(from.stt), &model, sentences, pronounce, from.state_dir)?;
    let made = match moonshine_files(from.stt, from.manifest) {
        Ok(Some(files)) => made.with_moonshine(files)?.with_requests(from.request_among.clone()),
        Ok(None) => made,
        Err(fault) => {
            tracing::warn!(%fault, "the recogniser works without Moonshine");
            made
        }
    };
    let rebuilder = Some(made.rebuilder());
    Ok(Made { recogniser: Box::new(made), rebuilder })
}

/// The checked files of Moonshine; `None` when it is switched off.
fn moonshine_files(stt: &Stt, manifest: &Manifest) -> Result<Option<MoonshineFiles>, Fault> {
    let part = |id: &str| manifest.path(id);
    stt.moonshine
        .then(|| {
            Ok(MoonshineFiles {
                runtime: part("onnxruntime")?,
                encoder: part("moonshine_tiny_en_encoder")?,
                decoder: part("moonshine_tiny_en_decoder")?,
                tokens: part("moonshine_tiny_en_tokens")?,
            })
        })
        .transpose()
}

fn whisper(from: &Ingredients<'_>, model: PathBuf) -> Result<WhisperRecogniser, Fault> {
    let pace = match from.mode {
        SttMode::Live => PartialMode::Background,
        SttMode::LockStep => PartialMode::LockStep,
    };
    Ok(WhisperRecogniser::new(&WhisperSettings::new(
        from.stt,
        model,
        from.languages.clone(),
        names(from.home),
        pace,
    ))?)
}

/// The names of a home that are worth telling a recogniser, the ones said most often first.
fn names(home: &Home) -> Vec<String> {
    let areas = home.areas.iter().map(|area| &area.name);
    let entities = home.entities.iter().map(|entity| &entity.name);
    let lists = home.lists.iter().map(|list| &list.name);
    let persons = home.persons.iter().map(|person| &person.name);
    let floors = home.floors.iter().map(|floor| &floor.name);
    let aliases = home.areas.iter().flat_map(|area| &area.aliases);
    let aliases = aliases.chain(home.entities.iter().flat_map(|entity| &entity.aliases));
    areas.chain(entities).chain(lists).chain(persons).chain(floors).chain(aliases).cloned().collect()
}

/// What `hark doctor` says of the recogniser.
///
/// # Errors
/// As [`choose`].
pub fn described(stt: &Stt, manifest: &Manifest) -> Result<String, Fault> {
    let weights = |model: &Path| match check_model(model) {
        Ok(header) if header.tensors == 0 => " (made for tests: it holds no weights and recognises nothing)",
        _ => "",
    };
    let neural = match moonshine_files(stt, manifest) {
        Ok(Some(_)) => ", and other words by a small neural model".to_owned(),
        Ok(None) => String::new(),
        Err(fault) => format!(" (without Moonshine: {}; {})", fault.message, fault.fix),
    };
    Ok(match choose(stt, manifest)? {
        Choice::Grammar(None) => format!("grammar: the sentences of this home{neural}"),
        Choice::Grammar(Some(fault)) => {
            format!(
                "grammar: the sentences of this home{neural}. For any words: {}; {}",
                fault.message, fault.fix
            )
        }
        Choice::Whisper(model) => format!("whisper with {}{}", model.display(), weights(&model)),
        Choice::Cascade(model) => {
            format!(
                "cascade: the grammar when it is sure, else Whisper with {}{}",
                model.display(),
                weights(&model)
            )
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_models::manifest::Surroundings;

    /// A manifest whose Whisper model is `content`, `None` for one that was not pulled.
    fn manifest(content: Option<&[u8]>) -> (Manifest, tempfile::TempDir) {
        use sha2::{Digest, Sha256};
        let dir = tempfile::tempdir().unwrap();
        let sha256: String =
            Sha256::digest(content.unwrap_or_default()).iter().map(|byte| format!("{byte:02x}")).collect();
        let part = |id: &str, role: &str| {
            format!(
                "[[part]]\nid = \"{id}\"\nfile = \"{id}.bin\"\nrole = \"{role}\"\npurpose = \"x\"\nlicence = \"x\"\n\
                 version = \"1\"\nsize_bytes = {}\nsha256 = \"{sha256}\"\noptional = true\n\
                 sources = [{{ url = \"https://example.org/x\" }}]\n",
                content.unwrap_or_default().len()
            )
        };
        let text = part("whisper_base", ROLE) + &part("whisper_tiny_en", ROLE) + &part("hey_jarvis", "wake");
        std::fs::write(dir.path().join("manifest.toml"), text).unwrap();
        if let Some(content) = content {
            std::fs::write(dir.path().join("whisper_tiny_en.bin"), content).unwrap();
        }
        let surroundings = Surroundings::of(dir.path());
        let manifest = Manifest::load_in(dir.path(), dir.path().to_owned(), surroundings).unwrap();
        (manifest, dir)
    }

    fn stt(engine: SttEngine, model: &str) -> Stt {
        Stt { engine, whisper_model: model.into(), ..Stt::default() }
    }

    #[test]
    fn auto_is_the_grammar_until_whispers_model_is_there() {
        let (without, _dir) = manifest(None);
        let auto = stt(SttEngine::Auto, "whisper_tiny_en");
        let Choice::Grammar(Some(fault)) = choose(&auto, &without).unwrap() else { panic!("no Whisper yet") };
        let told = described(&auto, &without).unwrap();
        assert!(told.starts_with("grammar") && told.contains(&fault.fix), "{told}");
        let (with, dir) = manifest(Some(b"weights"));
        let expected = dir.path().join("whisper_tiny_en.bin");
        if cfg!(feature = "whisper") {
            assert!(fault.fix.contains("hark models pull whisper_tiny_en"), "{fault}");
            assert_eq!(choose(&auto, &with).unwrap(), Choice::Cascade(expected.clone()));
            let named = stt(SttEngine::Whisper, "whisper_tiny_en");
            assert_eq!(choose(&named, &with).unwrap(), Choice::Whisper(expected));
        } else {
            assert!(fault.message.contains("no Whisper") && fault.fix.contains("feature"), "{fault}");
            assert!(matches!(choose(&auto, &with).unwrap(), Choice::Grammar(Some(_))));
        }
    }

    #[test]
    #[cfg(feature = "whisper")]
    fn any_model_is_the_first_that_is_there() {
        let (without, _dir) = manifest(None);
        let auto = stt(SttEngine::Auto, ANY_MODEL);
        let Choice::Grammar(Some(fault)) = choose(&auto, &without).unwrap() else { panic!("no Whisper yet") };
        assert!(fault.fix.contains("hark models pull whisper_base"), "{fault}");
        let (with, dir) = manifest(Some(b"weights"));
        assert_eq!(choose(&auto, &with).unwrap(), Choice::Cascade(dir.path().join("whisper_tiny_en.bin")));
    }

    #[test]
    fn whisper_by_name_needs_its_model() {
        let (without, _dir) = manifest(None);
        for engine in [SttEngine::Whisper, SttEngine::Cascade] {
            for model in ["whisper_tiny_en", "/nowhere/model.bin"] {
                let fault = choose(&stt(engine, model), &without).unwrap_err();
                assert_eq!(fault.kind, FaultKind::MissingPart, "{fault}");
                assert!(described(&stt(engine, model), &without).is_err());
            }
        }
        assert_eq!(choose(&stt(SttEngine::Grammar, "x"), &without).unwrap(), Choice::Grammar(None));
    }

    #[test]
    #[cfg(feature = "whisper")]
    fn a_name_that_is_no_model_of_whisper_is_a_configuration_fault_whatever_the_engine() {
        let (manifest, _dir) = manifest(None);
        for engine in [SttEngine::Auto, SttEngine::Whisper, SttEngine::Cascade] {
            for model in ["hey_jarvis", "whisper_huge"] {
                let fault = choose(&stt(engine, model), &manifest).unwrap_err();
                assert_eq!(fault.kind, FaultKind::BadConfiguration);
                assert!(fault.fix.contains("whisper_tiny_en"), "{fault}");
            }
        }
    }

    struct Speechless;

    impl Pronounce for Speechless {
        fn ipa(&self, _word: &str, _language: &str) -> Result<String, Fault> {
            Err(Fault::new(FaultKind::Failed, "voice", "speechless", ""))
        }
    }

    #[test]
    #[cfg(feature = "whisper")]
    fn the_engine_of_the_configuration_is_built_and_hears() {
        use super::super::test_models::{STUB_HEADER, model_file, stub};
        use hark_nlu::{Grammar, Sentences};
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
        let manifest = Manifest::load(&models).unwrap();
        let home = hark_home::file::example(true).unwrap();
        let sentences = Sentences::load(&[models.join("languages/en/sentences")], "en").unwrap();
        let grammar = Arc::new(Grammar::new(&sentences, &home));
        let file = model_file(&stub(&STUB_HEADER));
        let model = file.path().with_extension("bin");
        std::fs::copy(file.path(), &model).unwrap();
        for (engine, expected) in
            [(SttEngine::Whisper, "whisper"), (SttEngine::Cascade, "grammar"), (SttEngine::Auto, "grammar")]
        {
            let stt = stt(engine, &model.to_string_lossy());
            let from = Ingredients {
                stt: &stt,
                manifest: &manifest,
                home: &home,
                languages: vec!["en".into()],
                grammar: grammar.clone(),
                sentences: grammar.clone(),
                request_among: Arc::new(|_| None),
                state_dir: &std::env::temp_dir(),
                mode: SttMode::LockStep,
            };
            let Made { mut recogniser, rebuilder } = build(&from, Arc::new(Speechless)).unwrap();
            assert_eq!(rebuilder.is_some(), engine != SttEngine::Whisper);
            recogniser.start().unwrap();
            let hum: Vec<f32> = (0..16_000).map(|at| (at as f32 * 0.3).sin() * 0.2).collect();
            recogniser.feed(&hum).unwrap();
            let transcript = recogniser.finish().unwrap().transcript;
            assert!(transcript.rejected.is_some(), "{engine:?}: {transcript:?}");
            assert_eq!(transcript.engine, expected, "{engine:?}");
            assert_eq!(transcript.why.is_some(), engine != SttEngine::Whisper, "{transcript:?}");
            assert!(described(&stt, &manifest).unwrap().contains("no weights"));
        }
        std::fs::remove_file(&model).unwrap();
    }

    #[test]
    fn a_home_tells_areas_and_things_first() {
        let home = hark_home::file::example(true).unwrap();
        let names = names(&home);
        assert_eq!(names[0], home.areas[0].name);
        assert!(names.contains(&home.entities[0].name));
    }
}

//! The files of language models in this program: a name of the manifest becomes the path of its file, which is checked.

use hark_config::llm::{LlmFallback, ProviderKind};
use hark_config::{Config, paths};
use hark_core::{Fault, FaultKind};
use hark_models::manifest::Manifest;
use std::borrow::Cow;

/// What the manifest calls language models.
const ROLE: &str = "language_model";

/// The configuration with the path of a GGUF file for each model of `provider = "embedded"`.
///
/// # Errors
/// `MissingPart` where the file of a name is not there, `BadConfiguration` where a name is none of the manifest or a path has no file.
pub(crate) fn with_model_files(config: &Config) -> Result<Cow<'_, Config>, Fault> {
    let all = config.llm.all(&config.llm_fallback);
    if all.iter().all(|(_, server)| server.provider != ProviderKind::Embedded) {
        return Ok(Cow::Borrowed(config));
    }
    let manifest = Manifest::load(&config.paths.models_dir()?)?;
    let mut found = config.clone();
    let mut first = found.llm.first();
    resolve(&mut first, &manifest)?;
    found.llm.take_models(&first);
    resolve(&mut found.llm_fallback, &manifest)?;
    for server in found.llm.servers.values_mut() {
        resolve(server, &manifest)?;
    }
    Ok(Cow::Owned(found))
}

fn resolve(server: &mut LlmFallback, manifest: &Manifest) -> Result<(), Fault> {
    if server.provider != ProviderKind::Embedded {
        return Ok(());
    }
    for model in server.models_mut().into_iter().filter(|model| !model.trim().is_empty()) {
        *model = file(model.trim(), manifest)?;
    }
    Ok(())
}

/// The path of one model.
fn file(name: &str, manifest: &Manifest) -> Result<String, Fault> {
    let bad = |message: String| {
        let known = manifest.with_role(ROLE).join(", ");
        let fix = format!("give the path of a GGUF file, or one of: {known}");
        Fault::new(FaultKind::BadConfiguration, "llm", message, fix)
    };
    if name.contains('/') || name.ends_with(".gguf") {
        let path = paths::expand(name);
        return match path.is_file() {
            true => Ok(path.to_string_lossy().into_owned()),
            false => Err(bad(format!("there is no file {}", path.display()))),
        };
    }
    if !manifest.with_role(ROLE).contains(&name) {
        return Err(bad(format!("`{name}` is no language model of the manifest")));
    }
    Ok(manifest.path(name)?.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn config(model: &str) -> Config {
        let mut config = Config::default();
        config.llm.provider = ProviderKind::Embedded;
        config.llm.model = model.into();
        config.paths.models_dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("models").display().to_string();
        config
    }

    #[test]
    fn models_are_found_by_path_or_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.gguf").display().to_string();
        let fault = with_model_files(&config(&path)).unwrap_err();
        assert!(fault.message.contains("own.gguf") && fault.fix.contains("smollm2_135m"), "{fault}");
        std::fs::write(&path, "GGUF").unwrap();
        let mut with_two = config(&path);
        with_two.llm.fast_model = path.clone();
        let found = with_model_files(&with_two).unwrap();
        assert_eq!((&found.llm.model, &found.llm.fast_model), (&path, &path));
        assert!(found.llm.plan_model.is_empty());

        let fault = with_model_files(&config("no_such_model")).unwrap_err();
        assert_eq!(fault.kind, FaultKind::BadConfiguration);
        // Not the file of another kind of part.
        assert!(with_model_files(&config("silero_vad")).is_err());
        match with_model_files(&config("smollm2_135m")) {
            Ok(found) => assert!(found.llm.model.ends_with("SmolLM2-135M-Instruct.Q4_1.gguf")),
            Err(fault) => assert_eq!(fault.fix, "hark models pull smollm2_135m"),
        }
    }

    #[test]
    fn servers_keep_the_names_of_their_models() {
        let config = Config::default();
        assert!(matches!(with_model_files(&config), Ok(Cow::Borrowed(_))));
    }
}

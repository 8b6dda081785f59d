//! The configuration file behind the port that programs ask: every key as it is written and as it is in force, and
//! changes, after which the file is read anew as on SIGHUP.

use crate::app::builder::App;
use crate::app::reload::{self, Origin, Reload, SharedReload};
use crate::app::settings::choices;
use crate::app::settings::store::SettingsStore;
use hark_config::{Change, ChangeError, Config, ConfigFile, Loaded, Problem, Source, check_wake_words};
use hark_core::configuration::{
    ConfigurationChange, ConfigurationFile, ConfigurationState, KeyChange, KeySource, KeyState, Mistake,
    Refusal,
};
use hark_core::{Fault, FaultKind};
use hark_models::manifest::Manifest;
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};

/// See the module.
pub(crate) struct LiveConfiguration {
    /// As Hark was started, with the settings that were kept.
    config: Config,
    kept: Option<Arc<SettingsStore>>,
    file: ConfigFile,
    reload: SharedReload,
    /// Held from reading to writing.
    changing: Mutex<()>,
}

impl LiveConfiguration {
    pub(crate) fn of(app: &App, origin: Origin) -> Self {
        Self {
            config: app.config.clone(),
            kept: app.kept().cloned(),
            file: origin.file.clone(),
            reload: Arc::new(Mutex::new(Reload::new(app, origin))),
            changing: Mutex::new(()),
        }
    }

    /// What reads it anew, for whoever else has that done.
    pub(crate) fn reload(&self) -> SharedReload {
        self.reload.clone()
    }

    /// Where it is read from.
    pub(crate) fn file(&self) -> &ConfigFile {
        &self.file
    }

    /// What the running Hark goes by, sections as objects.
    pub(crate) fn in_force(&self) -> Value {
        let mut config = self.config.clone();
        let now = self.kept.iter().flat_map(|kept| kept.now());
        now.for_each(|setting| choices::put(&mut config, &setting));
        config.shown()
    }
}

impl ConfigurationFile for LiveConfiguration {
    fn state(&self) -> ConfigurationState {
        let (loaded, problems) = self.file.examine();
        let in_force = self.in_force();
        let of = |key: &str| {
            let (section, name) = key.split_once('.')?;
            in_force.get(section)?.get(name).cloned()
        };
        let state = |entry: hark_config::Effective| {
            let configured = redacted(serde_json::to_value(&entry.value).unwrap_or_default());
            let (source, line) = match entry.source {
                Source::Default => (KeySource::Default, None),
                Source::File { line, .. } => (KeySource::File, Some(line)),
                Source::Set => (KeySource::CommandLine, None),
            };
            let at_once = reload::AT_ONCE.contains(&entry.key.as_str());
            let in_force = of(&entry.key).unwrap_or_else(|| configured.clone());
            KeyState { key: entry.key, configured, in_force, source, line, at_once }
        };
        ConfigurationState {
            file: self.file.path().display().to_string(),
            keys: loaded.iter().flat_map(Loaded::effective).map(state).collect(),
            mistakes: problems.iter().map(mistake).collect(),
        }
    }

    fn change(&self, changes: &[KeyChange]) -> Result<ConfigurationChange, Refusal> {
        let _one_at_a_time = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let changes: Vec<Change> = changes.iter().map(read).collect::<Result<_, _>>()?;
        let file = self.file.path().display().to_string();
        self.file.change(&changes, wake_word_problems).map_err(refusal)?;
        let names = || changes.iter().map(|change| change.key.clone()).collect();
        let reloaded = match self.reload.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            Some(reload) => reload.run(),
            None => return Ok(ConfigurationChange { file, needs_restart: names(), not_applied: None }),
        };
        Ok(match reloaded {
            Ok(mut reloaded) => {
                let not_applied = reloaded.faults.drain(..).next();
                ConfigurationChange { file, needs_restart: reloaded.needs_restart, not_applied }
            }
            Err(mut faults) => {
                ConfigurationChange { file, needs_restart: names(), not_applied: faults.drain(..).next() }
            }
        })
    }
}

/// Wake words without a model; `hark config check` says the same. Without a manifest nothing can be said about them:
/// that it is missing is no matter of the configuration, and `hark doctor` tells it.
pub(crate) fn wake_word_problems(loaded: &Loaded) -> Vec<Problem> {
    let manifest = loaded.config.paths.models_dir().and_then(|folder| Manifest::load(&folder));
    manifest.map(|manifest| check_wake_words(loaded, &manifest.with_role("wake"))).unwrap_or_default()
}

/// What a change of the file that was refused is for a person at a terminal, and for programs.
pub(crate) fn fault_of(path: &std::path::Path, error: &std::io::Error) -> Fault {
    let fix = "where Hark is the system's service: `sudo systemd-tmpfiles --create hark.conf`, which lets it write \
               /etc/hark (a file elsewhere needs `ReadWritePaths=` of the service, too); or change the file by hand";
    Fault::new(FaultKind::Failed, "config", format!("cannot write {} ({error})", path.display()), fix)
}

fn refusal(error: ChangeError) -> Refusal {
    match error {
        ChangeError::Problems(problems) => Refusal::Mistakes(problems.iter().map(mistake).collect()),
        ChangeError::NotWritten { path, error } => Refusal::Failed(fault_of(&path, &error)),
    }
}

fn mistake(problem: &Problem) -> Mistake {
    let message = match without_password(&problem.value) {
        value if value.is_empty() => problem.message.clone(),
        value => format!("{value} is refused: {}", problem.message),
    };
    Mistake { key: problem.key.clone(), message, fix: problem.fix.clone() }
}

/// An address without the name and password in it. Hark starts with none that has them; a file can.
fn without_password(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else { return text.to_owned() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest[..end].rfind('@') {
        Some(at) => format!("{scheme}://…{}", &rest[at..]),
        None => text.to_owned(),
    }
}

fn redacted(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(without_password(&text)),
        Value::Array(items) => Value::Array(items.into_iter().map(redacted).collect()),
        other => other,
    }
}

/// A value of JSON as the file has it. An object is nothing a key can hold.
fn read(change: &KeyChange) -> Result<Change, Refusal> {
    let key = change.key.clone();
    let Some(value) = &change.value else { return Ok(Change { key, value: None }) };
    match toml::Value::try_from(value) {
        Ok(value @ (toml::Value::Table(_) | toml::Value::Datetime(_))) => {
            Err(no_value(key, &value.to_string()))
        }
        Ok(value) => Ok(Change { key, value: Some(value) }),
        Err(error) => Err(no_value(key, &error.to_string())),
    }
}

fn no_value(key: String, what: &str) -> Refusal {
    let message = format!("{what} is no value of a key");
    let fix = "send a text, a number, true, false or a list of texts; null for the default".to_owned();
    Refusal::Mistakes(vec![Mistake { key, message, fix }])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::fs;

    struct Scene {
        dir: tempfile::TempDir,
        live: LiveConfiguration,
    }

    fn scene(text: &str, sets: &[&str]) -> Scene {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hark.toml");
        fs::write(&path, text).unwrap();
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
        let file = ConfigFile::new(Some(&path), &sets);
        let config = file.load().unwrap().config;
        let (reload, changing) = (SharedReload::default(), Mutex::new(()));
        Scene { dir, live: LiveConfiguration { config, kept: None, file, reload, changing } }
    }

    fn key(state: &ConfigurationState, name: &str) -> KeyState {
        state.keys.iter().find(|key| key.key == name).unwrap().clone()
    }

    fn to(name: &str, value: Value) -> KeyChange {
        KeyChange { key: name.into(), value: Some(value) }
    }

    #[test]
    fn keys_say_what_is_written_what_is_in_force_and_from_where() {
        let scene = scene("[vad]\nthreshold = 0.6\n", &["home.demo=true"]);
        let state = scene.live.state();
        assert_eq!(state.keys.len(), hark_config::keys::keys().filter(|key| !key.is_tables()).count());
        let threshold = key(&state, "vad.threshold");
        assert_eq!((threshold.source, threshold.line), (KeySource::File, Some(2)));
        assert_eq!((threshold.configured, threshold.at_once), (json!(0.6), false));
        assert_eq!(key(&state, "home.demo").source, KeySource::CommandLine);
        assert_eq!(key(&state, "vad.threshold_off").source, KeySource::Default);
        assert!(key(&state, "speaking.volume_percent").at_once);

        let changed = scene.live.change(&[to("vad.threshold", json!(0.7))]).unwrap();
        assert_eq!(changed.needs_restart, ["vad.threshold"]);
        let threshold = key(&scene.live.state(), "vad.threshold");
        assert_eq!((threshold.configured, threshold.in_force), (json!(0.7), json!(0.6)));
        fs::write(scene.dir.path().join("hark.toml"), "[vad]\nthreshold = 60\n").unwrap();
        let state = scene.live.state();
        assert_eq!(state.mistakes[0].key, "vad.threshold");
        assert!(state.mistakes[0].message.starts_with("60 is refused"), "{:?}", state.mistakes);
    }

    #[test]
    fn a_password_in_an_address_is_shown_nowhere() {
        let scene = scene("", &[]);
        fs::write(
            scene.dir.path().join("hark.toml"),
            "[mqtt]\nurl = \"mqtt://anna:hunter2@attic:1883/x@y\"\n",
        )
        .unwrap();
        let state = scene.live.state();
        assert_eq!(key(&state, "mqtt.url").configured, "mqtt://…@attic:1883/x@y");
        assert!(
            !state.mistakes.is_empty() && !format!("{state:?}").contains("hunter2"),
            "{:?}",
            state.mistakes
        );
        for plain in ["", "auto", "https://home.example/a@b", "anna@example.org"] {
            assert_eq!(without_password(plain), plain);
        }
    }

    #[test]
    fn what_cannot_be_is_refused_with_every_mistake() {
        let scene = scene("", &[]);
        let refused = |changes: &[KeyChange]| match scene.live.change(changes) {
            Err(Refusal::Mistakes(mistakes)) => mistakes,
            other => panic!("{other:?}"),
        };
        let mistakes = refused(&[to("vad.threshold", json!(7)), to("endpoint.silence_ms", json!("x"))]);
        assert_eq!(mistakes.len(), 2);
        for (name, value) in [("vad.threshold", json!({ "a": 1 })), ("vad.threshold", json!([null]))] {
            assert_eq!(refused(&[to(name, value)])[0].key, "vad.threshold");
        }
        assert!(refused(&[to("wake.words", json!(["hey_jarvs"]))])[0].fix.contains("hey_jarvis"));
        assert_eq!(fs::read_to_string(scene.dir.path().join("hark.toml")).unwrap(), "");
    }
}

//! Reading anew while Hark runs: the configuration, the home's file, and the sentences. Everything is read and checked
//! first; with a mistake anywhere nothing changes. Then what can change does, by the ways there are: settings as if
//! somebody had set them, names by the thread that follows them. Keys that need a restart are told by name.

use crate::app::builder::App;
use crate::app::event_queue::EventQueue;
use crate::app::faults::Faults;
use crate::app::home::sources;
use crate::app::language::vocabulary::Vocabulary;
use crate::app::settings::choices::{self, Choices};
use crate::app::settings::store::SettingsStore;
use hark_config::{Config, ConfigFile, keys};
use hark_core::{Event, Setting};
use hark_home::HomeRegistry;
use std::sync::{Arc, Mutex};
use toml::Value;

/// Keys that are in force as soon as the file is read anew, where this node has what they name.
pub(crate) const AT_ONCE: [&str; 11] = [
    "audio.input_gain_db",
    "endpoint.mode",
    "endpoint.silence_ms",
    "home.demo",
    "home.file",
    "speaking.earcons",
    "speaking.follow_up",
    "speaking.voice",
    "speaking.volume_percent",
    "wake.threshold",
    "wake.words",
];

/// The configuration as its file and the command line have it, and how it is read again.
pub struct Origin {
    /// As it was read at the start.
    pub config: Config,
    /// Where it is read from.
    pub file: ConfigFile,
}

/// Reads the configuration; keys under old names are logged.
///
/// # Errors
/// Every mistake in it.
pub fn read(file: &ConfigFile) -> Result<Config, Faults> {
    let loaded = file.load().map_err(|problems| vec![hark_config::fault_of(&problems)])?;
    loaded.warnings().iter().for_each(|warning| tracing::warn!("{warning}"));
    Ok(loaded.config)
}

/// Whoever has something read anew: a signal, a change of the file. `None` where no settings are kept.
pub(crate) type SharedReload = Arc<Mutex<Option<Reload>>>;

/// What became of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Reloaded {
    /// Settings that were given another value.
    pub(crate) changed: Vec<&'static str>,
    /// Keys that say something else than what is in force, as `section.key`.
    pub(crate) needs_restart: Vec<String>,
    /// What did not work of what changed.
    pub(crate) faults: Faults,
}

/// See the module.
pub(crate) struct Reload {
    file: ConfigFile,
    /// What the file said last.
    said: Config,
    /// What of it is in force.
    in_force: Config,
    kept: Arc<SettingsStore>,
    choices: Choices,
    home: Arc<HomeRegistry>,
    vocabulary: Arc<Vocabulary>,
    event_queue: Arc<EventQueue>,
}

impl Reload {
    /// `None` where no settings are kept: only the daemon reads anew.
    pub(crate) fn new(app: &App, origin: Origin) -> Option<Self> {
        Some(Self {
            file: origin.file,
            said: origin.config.clone(),
            in_force: origin.config,
            kept: app.kept()?.clone(),
            choices: app.choices(),
            home: app.home.clone(),
            vocabulary: app.vocabulary.clone(),
            event_queue: app.event_queue.clone(),
        })
    }

    /// Reads everything anew. Takes as long as the sentences of all languages take to be read.
    ///
    /// # Errors
    /// Everything that is wrong in the configuration, else in the home's file, else in the sentences; nothing has
    /// changed then.
    pub(crate) fn run(&mut self) -> Result<Reloaded, Faults> {
        let new = read(&self.file)?;
        let before = choices::configured(&self.said);
        let mut next = self.in_force.clone();
        let changes: Vec<Setting> = choices::configured(&new)
            .into_iter()
            // Another language restarts Hark, which nobody has asked for.
            .filter(|setting| !before.contains(setting) && !matches!(setting, Setting::Language(_)))
            .filter(|setting| self.choices.check(setting).is_ok())
            .collect();
        changes.iter().for_each(|setting| choices::put(&mut next, setting));
        let sounds = |config: &Config| (config.speaking.earcons, config.speaking.follow_up);
        let configured = (sounds(&next) != sounds(&new)).then(|| sounds(&new));
        (next.speaking.earcons, next.speaking.follow_up) = sounds(&new);
        next.home.file.clone_from(&new.home.file);
        next.home.demo = new.home.demo;
        let home = sources::load_home(&next)?;
        self.vocabulary.check()?;

        self.home.replace_base(home);
        let faults = self.vocabulary.catch_up().err().unwrap_or_default();
        self.kept.configured_anew(&new);
        if let Some((earcons, follow_up)) = configured {
            let follow_up = follow_up.into();
            if let Err(full) = self.event_queue.push(Event::Configured { earcons, follow_up }) {
                tracing::error!("speaking.earcons and speaking.follow_up stay as they are: {full}");
            }
        }
        let mut changed = Vec::new();
        for setting in changes {
            let name = setting.name();
            match self.event_queue.push(Event::Set { setting }) {
                Ok(()) => changed.push(name),
                Err(full) => tracing::error!("{name} stays as it is: {full}"),
            }
        }
        let needs_restart = different(&next, &new);
        (self.said, self.in_force) = (new, next);
        Ok(Reloaded { changed, needs_restart, faults })
    }
}

/// Keys that have another value in the second configuration.
fn different(one: &Config, other: &Config) -> Vec<String> {
    let table = |config| Value::try_from(config).unwrap_or_else(|_| Value::Table(toml::Table::new()));
    let (one, other) = (table(one), table(other));
    let of = |values: &Value, key: &keys::Key| values.get(&key.section)?.get(&key.name).cloned();
    keys::keys().filter(|key| of(&one, key) != of(&other, key)).map(keys::Key::path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_config::speaking::FollowUp;
    use hark_store::store::Store;
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    /// A daemon's parts whose configuration is read from a file.
    struct Scene {
        dir: tempfile::TempDir,
        app: App,
        reload: Reload,
    }

    const HOME: &str = "[[area]]\nid = \"kitchen\"\nname = \"Kitchen\"\n\n\
        [[entity]]\nid = \"light.beacon\"\nname = \"Beacon\"\narea = \"kitchen\"\n";

    fn file(dir: &Path) -> ConfigFile {
        let sets = [
            format!("paths.state_dir={}", dir.join("state").display()),
            format!("paths.models_dir={}", dir.join("models").display()),
            "mqtt.broker=none".into(),
            "dashboard.enabled=false".into(),
            "intent.enabled=false".into(),
        ];
        ConfigFile::new(Some(&dir.join("hark.toml")), &sets)
    }

    fn scene(text: &str) -> Scene {
        let dir = tempfile::tempdir().unwrap();
        let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
        fs::create_dir(dir.path().join("models")).unwrap();
        fs::copy(shipped.join("manifest.toml"), dir.path().join("models/manifest.toml")).unwrap();
        let sentences = [shipped.join("languages"), dir.path().join("models/languages")];
        assert!(Command::new("cp").arg("-r").args(sentences).status().unwrap().success());
        fs::write(dir.path().join("hark.toml"), text).unwrap();
        fs::write(dir.path().join("home.toml"), HOME).unwrap();
        let file = file(dir.path());
        let config = read(&file).unwrap();
        let app = App::open_keeping(config.clone()).unwrap();
        let reload = Reload::new(&app, Origin { config, file }).unwrap();
        Scene { dir, app, reload }
    }

    impl Scene {
        fn write(&self, name: &str, text: &str) {
            fs::write(self.dir.path().join(name), text).unwrap();
        }

        fn sets(&self) -> Vec<Setting> {
            let set = |event| match event {
                Event::Set { setting } => Some(setting),
                _ => None,
            };
            std::iter::from_fn(|| self.app.event_queue.pop(std::time::Instant::now()))
                .filter_map(set)
                .collect()
        }

        fn understood(&self, text: &str) -> bool {
            use hark_core::ports::Understand;
            !self.app.languages.usual().understand(text, "en").intents.is_empty()
        }
    }

    #[test]
    fn what_can_change_does_and_the_rest_is_named() {
        let mut scene = scene("[home]\nfile = \"home.toml\"\n");
        assert_eq!(scene.reload.run(), Ok(Reloaded::default()), "nothing is different");
        scene.write(
            "hark.toml",
            "[home]\nfile = \"home.toml\"\narea = \"Kitchen\"\n[speaking]\nvolume_percent = 33\nlanguage = \"de\"\n\
             [endpoint]\nsilence_ms = 900\n[wake]\nwords = [\"/nowhere/else.tflite\"]\n",
        );
        scene.write("home.toml", &HOME.replace("Beacon", "Zeppelin"));
        assert!(!scene.understood("turn on the zeppelin"));
        let reloaded = scene.reload.run();
        // No such wake word is a mistake in the file.
        assert!(reloaded.unwrap_err()[0].message.contains("/nowhere/else.tflite"));
        assert!(scene.sets().is_empty() && !scene.understood("turn on the zeppelin"), "nothing has changed");

        let file = scene.dir.path().join("hark.toml");
        let text =
            fs::read_to_string(&file).unwrap().replace("[\"/nowhere/else.tflite\"]", "[\"okay_nabu\"]");
        scene.write("hark.toml", &text);
        let reloaded = scene.reload.run().unwrap();
        assert!(reloaded.changed.contains(&"volume_percent") && reloaded.changed.contains(&"silence_ms"));
        assert_eq!(reloaded.faults, []);
        let named = |key: &str| reloaded.needs_restart.iter().any(|name| name == key);
        assert!(named("speaking.language") && named("home.area"), "{reloaded:?}");
        assert!(!named("speaking.volume_percent") && !named("endpoint.silence_ms"), "{reloaded:?}");
        let sets = scene.sets();
        assert!(
            sets.contains(&Setting::VolumePercent(33)) && sets.contains(&Setting::SilenceMs(900)),
            "{sets:?}"
        );
        assert!(
            !sets.iter().any(|setting| matches!(setting, Setting::Language(_))),
            "it does not restart itself"
        );
        assert!(scene.understood("turn on the zeppelin") && !scene.understood("turn on the beacon"));
        // What was set since is not set back by reading the same file again.
        let again = scene.reload.run().unwrap();
        assert_eq!((again.changed, again.needs_restart), (vec![], reloaded.needs_restart));
        assert!(scene.sets().is_empty());
    }

    #[test]
    fn short_sounds_and_listening_after_replies_need_no_restart() {
        let mut scene = scene("");
        scene.write("hark.toml", "[speaking]\nearcons = false\nfollow_up = \"always\"\n");
        let reloaded = scene.reload.run().unwrap();
        assert_eq!((reloaded.needs_restart, reloaded.changed), (vec![], vec!["wake_sound"]));
        let events = std::iter::from_fn(|| scene.app.event_queue.pop(std::time::Instant::now()));
        let follow_up = hark_core::setting::FollowUp::Always;
        assert!(events.into_iter().any(|event| event == Event::Configured { earcons: false, follow_up }));
    }

    #[test]
    fn what_is_in_force_at_once_is_what_settings_and_the_home_follow() {
        let (before, mut after) = (Config::default(), Config::default());
        for setting in [
            Setting::VolumePercent(12),
            Setting::MicGainDb(-7),
            Setting::WakeSensitivityPercent(62),
            Setting::SilenceMs(1230),
            Setting::WakeWord("okay_nabu".into()),
            Setting::Voice("espeak".into()),
            Setting::Endpointing("silence".into()),
        ] {
            choices::put(&mut after, &setting);
        }
        after.speaking.earcons = !after.speaking.earcons;
        after.speaking.follow_up = FollowUp::Always;
        after.home.file = "home.toml".into();
        after.home.demo = !after.home.demo;
        let mut followed = different(&before, &after);
        followed.sort();
        assert_eq!(followed, AT_ONCE);
    }

    #[test]
    fn a_mistake_in_the_home_or_in_sentences_changes_nothing() {
        let mut scene = scene("[home]\nfile = \"home.toml\"\n");
        scene.write("hark.toml", "[home]\nfile = \"home.toml\"\n[speaking]\nvolume_percent = 33\n");
        scene.write("home.toml", "[[[\n");
        let faults = scene.reload.run().unwrap_err();
        assert!(faults[0].message.contains("home.toml"), "{faults:?}");
        scene.write("home.toml", &HOME.replace("Beacon", "Zeppelin"));
        let own = scene.dir.path().join("models/languages/en/sentences/Own.yaml");
        fs::write(&own, "language: en\nintents: [\n").unwrap();
        let faults = scene.reload.run().unwrap_err();
        assert!(faults[0].message.contains("Own.yaml"), "{faults:?}");
        assert!(scene.sets().is_empty() && scene.understood("turn on the beacon"));
        fs::remove_file(&own).unwrap();
        assert_eq!(scene.reload.run().unwrap().changed, ["volume_percent"]);
        assert!(scene.understood("turn on the zeppelin"));
    }

    #[test]
    fn what_the_file_says_later_counts_after_a_restart_as_well() {
        let mut scene = scene("");
        scene.write("hark.toml", "[speaking]\nvolume_percent = 33\n");
        scene.reload.run().unwrap();
        let kept = scene.app.kept().unwrap().clone();
        kept.note(&Setting::VolumePercent(33).event());
        kept.note(&Setting::VolumePercent(55).event());
        kept.write().unwrap();
        let stored =
            Store::open_read_only(&scene.dir.path().join("state/hark.db")).unwrap().settings().unwrap();
        assert_eq!((&stored[0].value, &stored[0].configured), (&55.into(), &33.into()));
    }
}

//! Settings that outlive a restart. What was changed last counts: a setting is kept together with what the
//! configuration said at that time, and when the configuration says something else later, the configuration does.

use crate::app::event_queue::EventQueue;
use crate::app::faults::Faults;
use crate::app::faults::report;
use crate::app::settings::choices::{self, Choices};
use crate::app::storage;
use hark_config::Config;
use hark_core::{Fault, PublicEvent, Setting};
use hark_store::settings::KeptSetting;
use hark_store::store::Store;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::runtime::Handle;
use tokio::sync::Notify;

/// See the module.
pub(crate) struct SettingsStore {
    store: Store,
    /// What the configuration says.
    configured: Mutex<Vec<Setting>>,
    /// How everything stands, by name.
    now: Mutex<BTreeMap<&'static str, Setting>>,
    /// Changed, and not yet on the disk.
    unwritten: Mutex<BTreeMap<&'static str, Setting>>,
    /// Held while it is written, so that what is older never comes after what is newer.
    writing: Mutex<()>,
    changed: Notify,
}

impl SettingsStore {
    /// Puts what is kept over the configuration. What this node does not have any more is left out, and told.
    pub(crate) fn over(
        config: &mut Config,
        store: &Store,
        choices: &Choices,
    ) -> Result<(Self, Faults), Fault> {
        let configured = choices::configured(config);
        let mut now: BTreeMap<_, _> =
            configured.iter().map(|setting| (setting.name(), setting.clone())).collect();
        let mut faults = Faults::new();
        for kept in store.settings()? {
            let Some(setting) = still_counts(&kept, &configured) else { continue };
            match choices.check(&setting) {
                Ok(()) => {
                    choices::put(config, &setting);
                    now.insert(setting.name(), setting);
                }
                Err(fault) => faults.push(fault),
            }
        }
        let kept = Self {
            store: store.clone(),
            configured: Mutex::new(configured),
            now: Mutex::new(now),
            unwritten: Mutex::default(),
            writing: Mutex::default(),
            changed: Notify::new(),
        };
        Ok((kept, faults))
    }

    /// Every setting as it stands.
    pub(crate) fn now(&self) -> Vec<Setting> {
        lock(&self.now).values().cloned().collect()
    }

    /// The configuration says something else: what is changed from now on is kept together with that.
    pub(crate) fn configured_anew(&self, config: &Config) {
        *lock(&self.configured) = choices::configured(config);
    }

    /// Takes note of what was told to everybody; it is written soon.
    pub(crate) fn note(&self, event: &PublicEvent) {
        let PublicEvent::Setting { name, value } = event else { return };
        let Some(setting) = Setting::read(name, value) else { return };
        let name = setting.name();
        if lock(&self.now).insert(name, setting.clone()).as_ref() != Some(&setting) {
            lock(&self.unwritten).insert(name, setting);
            self.changed.notify_one();
        }
    }

    /// Keeps a setting at once, for what is read at the next start only. Waits for the disk.
    pub(crate) fn keep(&self, setting: Setting) -> Result<(), Fault> {
        lock(&self.unwritten).insert(setting.name(), setting);
        self.write()
    }

    /// Writes what is not written yet, and waits for the disk.
    pub(crate) fn write(&self) -> Result<(), Fault> {
        let _one_at_a_time = lock(&self.writing);
        let settings: Vec<Setting> = std::mem::take(&mut *lock(&self.unwritten)).into_values().collect();
        if settings.is_empty() {
            return Ok(());
        }
        self.store.keep_settings(settings.iter().map(|setting| self.record(setting)).collect())
    }

    fn record(&self, setting: &Setting) -> KeptSetting {
        let configured = lock(&self.configured);
        let configured = configured.iter().find(|other| other.name() == setting.name());
        KeptSetting {
            name: setting.name().into(),
            value: setting.value(),
            configured: configured.map(Setting::value).unwrap_or_default(),
        }
    }

    /// Writes whatever changes, until it is aborted.
    pub(crate) async fn follow(self: Arc<Self>, event_queue: Arc<EventQueue>) {
        loop {
            self.changed.notified().await;
            let kept = self.clone();
            match Handle::current().spawn_blocking(move || kept.write()).await {
                Ok(Ok(())) => {}
                Ok(Err(fault)) => report(&event_queue, fault.recoverable()),
                Err(error) => tracing::error!(%error, "a setting may not have been kept"),
            }
        }
    }
}

/// Settings that were changed while the daemon ran and count more than this configuration, for looking only.
///
/// # Errors
/// When there is a database and it cannot be read.
pub fn over_the_file(config: &Config) -> Result<Vec<Setting>, Fault> {
    if !storage::has_store(config)? {
        return Ok(Vec::new());
    }
    let configured = choices::configured(config);
    let differs = |setting: &Setting| !configured.contains(setting);
    let kept = storage::open_store_read_only(config)?.settings()?;
    Ok(kept.iter().filter_map(|kept| still_counts(kept, &configured)).filter(differs).collect())
}

/// A setting that is kept, unless the configuration was changed since.
fn still_counts(kept: &KeptSetting, configured: &[Setting]) -> Option<Setting> {
    let setting = Setting::read(&kept.name, &kept.value)?;
    let now = configured.iter().find(|other| other.name() == setting.name())?;
    (now.value() == kept.configured).then_some(setting)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What it guards is whole after every statement that can panic.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_models::manifest::Manifest;
    use std::path::Path;

    struct Place(tempfile::TempDir);

    impl Place {
        fn new() -> Self {
            Self(tempfile::TempDir::new().unwrap())
        }

        /// A start with this configuration: as it is after what is kept was put over it.
        fn start(&self, mut config: Config) -> (Config, SettingsStore, Faults) {
            let store = Store::open(&self.0.path().join("hark.db")).unwrap();
            let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
            let choices = Choices::of(&config, &Manifest::load(&models).unwrap());
            let (kept, faults) = SettingsStore::over(&mut config, &store, &choices).unwrap();
            (config, kept, faults)
        }
    }

    #[test]
    fn what_is_changed_counts_after_a_restart() {
        let place = Place::new();
        let (_, kept, _) = place.start(Config::default());
        for setting in [Setting::VolumePercent(20), Setting::MicMute(true), Setting::VolumePercent(30)] {
            kept.note(&setting.event());
        }
        kept.write().unwrap();
        kept.keep(Setting::Language("de".into())).unwrap();
        drop(kept);
        let (config, kept, faults) = place.start(Config::default());
        assert_eq!((config.speaking.volume_percent, config.speaking.language.as_str()), (30, "de"));
        let now = kept.now();
        assert!(now.contains(&Setting::MicMute(true)) && now.contains(&Setting::VolumePercent(30)));
        assert!(now.contains(&Setting::SpeakerMute(false)), "what was never changed is as configured");
        assert!(faults.is_empty());
    }

    #[test]
    fn whoever_was_changed_last_wins() {
        let place = Place::new();
        let (_, kept, _) = place.start(Config::default());
        kept.keep(Setting::VolumePercent(20)).unwrap();
        drop(kept);
        let mut edited = Config::default();
        edited.speaking.volume_percent = 55;
        let (config, kept, _) = place.start(edited.clone());
        assert_eq!(config.speaking.volume_percent, 55, "the file was changed after the switch");
        kept.keep(Setting::VolumePercent(60)).unwrap();
        drop(kept);
        assert_eq!(place.start(edited).0.speaking.volume_percent, 60, "the switch after the file");
    }

    #[test]
    fn what_is_not_there_any_more_is_told_and_left_out() {
        let place = Place::new();
        let (_, kept, _) = place.start(Config::default());
        kept.keep(Setting::WakeWord("hey_gone".into())).unwrap();
        drop(kept);
        let (config, _, faults) = place.start(Config::default());
        assert_eq!(config.wake.words, Config::default().wake.words);
        assert!(faults[0].message.contains("hey_gone"), "{faults:?}");
    }

    #[test]
    fn what_stays_as_it_is_is_not_written() {
        let place = Place::new();
        let (config, kept, _) = place.start(Config::default());
        for setting in choices::configured(&config) {
            kept.note(&setting.event());
        }
        kept.write().unwrap();
        assert_eq!(kept.store.settings().unwrap(), []);
    }
}

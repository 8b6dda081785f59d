//! Changes what settings stand for while Hark runs: the microphone's gain, wake words, endpointing, the voice, the
//! language. One change after the other, in the order they were asked for, away from the turn machine.

use crate::app::audio::engines::Engines;
use crate::app::audio::pipeline_thread::Adjustment;
use crate::app::audio::voices;
use crate::app::event_queue::EventQueue;
use crate::app::faults::report;
use crate::app::settings::choices::{self, Choices};
use crate::app::settings::store::SettingsStore;
use crate::app::shutdown::Shutdown;
use hark_config::Config;
use hark_core::{Event, Fault, FaultKind, Setting};
use hark_models::manifest::Manifest;
use hark_stt::pipeline::PipelineChange;
use hark_tts::pronunciations::Pronunciations;
use hark_tts::voice_thread::VoiceHandle;
use std::sync::Arc;
use std::sync::mpsc;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Changes that may wait; one more is refused and told.
const QUEUE: usize = 64;

/// What becomes of a change.
#[derive(Debug, PartialEq, Eq)]
enum Done {
    /// It is so now.
    Now,
    /// It is so after a restart, which has been begun.
    AfterRestart,
}

/// See the module.
pub(crate) struct SettingsApplier {
    /// As it is in force.
    pub(crate) config: Config,
    pub(crate) manifest: Arc<Manifest>,
    pub(crate) names: Arc<Pronunciations>,
    pub(crate) choices: Choices,
    pub(crate) kept: Arc<SettingsStore>,
    pub(crate) pipeline: mpsc::Sender<Adjustment>,
    pub(crate) voice: VoiceHandle,
    pub(crate) ending: Arc<Shutdown>,
}

impl SettingsApplier {
    /// Where changes are asked for, and the work itself, which ends when nobody can ask any more. What became of
    /// each goes into the event queue.
    pub(crate) fn begin(self, event_queue: Arc<EventQueue>) -> (Sender<Setting>, impl Future<Output = ()>) {
        let (asked, changes) = channel(QUEUE);
        (asked, self.work(changes, event_queue))
    }

    async fn work(mut self, mut changes: Receiver<Setting>, event_queue: Arc<EventQueue>) {
        while let Some(setting) = changes.recv().await {
            let change = tokio::task::spawn_blocking(move || {
                let done = self.apply(&setting);
                (self, setting, done)
            });
            let Ok((settings_applier, setting, done)) = change.await else {
                // It panicked, which was printed; what can still be changed is not known.
                let message = "settings cannot be changed any more";
                return report(
                    &event_queue,
                    Fault::new(FaultKind::Failed, "settings", message, "restart Hark"),
                );
            };
            self = settings_applier;
            match done {
                Ok(Done::AfterRestart) => {}
                Ok(Done::Now) => {
                    if let Err(full) = event_queue.push(Event::Applied { setting }) {
                        tracing::error!("a setting was changed and not told: {full}");
                    }
                }
                Err(fault) => report(&event_queue, fault.recoverable()),
            }
        }
    }

    fn apply(&mut self, setting: &Setting) -> Result<Done, Fault> {
        self.choices.check(setting)?;
        let mut config = self.config.clone();
        choices::put(&mut config, setting);
        let engines = Engines { config: &config, manifest: &self.manifest, names: self.names.clone() };
        match setting {
            Setting::MicGainDb(decibels) => self.to_pipeline(Adjustment::Gain(*decibels))?,
            Setting::WakeSensitivityPercent(_) => {
                self.to_pipeline(Adjustment::Pipeline(PipelineChange::WakeLimits(Box::new(
                    config.wake.clone(),
                ))))?;
            }
            Setting::SilenceMs(_) | Setting::Endpointing(_) => {
                self.to_pipeline(Adjustment::Pipeline(PipelineChange::Endpoint(config.endpoint.clone())))?;
            }
            Setting::WakeWord(_) => {
                if let Some(detector) = engines.wake()? {
                    self.to_pipeline(Adjustment::Pipeline(PipelineChange::WakeWords(detector)))?;
                }
            }
            Setting::Voice(_) => {
                if let Some(voice) = voices::open(&engines)? {
                    self.voice.change_voice(voice);
                }
            }
            Setting::Language(language) if *language != self.config.speaking.language => {
                // Sentences, recogniser, classifier and voice are built in it.
                self.kept.keep(setting.clone())?;
                self.ending.restart();
                return Ok(Done::AfterRestart);
            }
            // The turn machine keeps the others.
            _ => {}
        }
        self.config = config;
        Ok(Done::Now)
    }

    fn to_pipeline(&self, adjustment: Adjustment) -> Result<(), Fault> {
        self.pipeline.send(adjustment).map_err(|_| {
            Fault::new(FaultKind::Unavailable, "settings", "the pipeline has stopped", "restart Hark")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::ports::{PcmSink, Voice};
    use hark_store::store::Store;
    use hark_tts::voice_thread::VoiceThread;
    use std::path::Path;
    use std::time::{Duration, Instant};

    struct Silent;

    impl Voice for Silent {
        fn rate_hz(&self) -> u32 {
            16_000
        }

        fn synthesise(&mut self, _: &str, _: &str, _: PcmSink<'_>) -> Result<(), Fault> {
            Ok(())
        }
    }

    struct Scene {
        _dir: tempfile::TempDir,
        _voice: VoiceThread,
        runtime: tokio::runtime::Runtime,
        asked: Sender<Setting>,
        pipeline: mpsc::Receiver<Adjustment>,
        event_queue: Arc<EventQueue>,
        ending: Arc<Shutdown>,
        kept: Arc<SettingsStore>,
    }

    fn scene() -> Scene {
        let dir = tempfile::TempDir::new().unwrap();
        let store = Store::open(&dir.path().join("hark.db")).unwrap();
        let mut config = Config::default();
        let manifest =
            Arc::new(Manifest::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("models")).unwrap());
        let choices = Choices::of(&config, &manifest);
        let kept = Arc::new(SettingsStore::over(&mut config, &store, &choices).unwrap().0);
        let voice = VoiceThread::start(Some(Box::new(Silent)), None, 100, |_| {}).unwrap();
        let (to_pipeline, pipeline) = mpsc::channel();
        let event_queue = Arc::new(EventQueue::default());
        let ending = Arc::new(Shutdown::new(event_queue.clone()));
        let settings_applier = SettingsApplier {
            config,
            manifest,
            names: Arc::default(),
            choices,
            kept: kept.clone(),
            pipeline: to_pipeline,
            voice: voice.handle(),
            ending: ending.clone(),
        };
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let (asked, work) = settings_applier.begin(event_queue.clone());
        runtime.spawn(work);
        Scene { _dir: dir, _voice: voice, runtime, asked, pipeline, event_queue, ending, kept }
    }

    impl Scene {
        fn ask(&self, setting: Setting) {
            self.runtime.block_on(self.asked.send(setting)).unwrap();
        }

        fn next(&self) -> Option<Event> {
            self.event_queue.pop(Instant::now() + Duration::from_secs(60))
        }
    }

    #[test]
    fn changes_reach_the_pipeline_in_their_order_and_add_up() {
        let scene = scene();
        let changes = [
            Setting::SilenceMs(900),
            Setting::Endpointing("silence".into()),
            Setting::MicGainDb(6),
            Setting::WakeSensitivityPercent(80),
        ];
        for change in &changes {
            scene.ask(change.clone());
        }
        for setting in changes {
            assert_eq!(scene.next(), Some(Event::Applied { setting }));
        }
        let told: Vec<Adjustment> = scene.pipeline.try_iter().collect();
        assert!(
            matches!(&told[0], Adjustment::Pipeline(PipelineChange::Endpoint(endpoint)) if endpoint.silence_ms == 900)
        );
        let both = |told: &Adjustment| match told {
            Adjustment::Pipeline(PipelineChange::Endpoint(endpoint)) => {
                (endpoint.silence_ms, endpoint.mode.name())
            }
            _ => (0, ""),
        };
        assert_eq!(both(&told[1]), (900, "silence"), "the change before is still there");
        assert!(matches!(told[2], Adjustment::Gain(6)));
        assert!(
            matches!(&told[3], Adjustment::Pipeline(PipelineChange::WakeLimits(limits)) if limits.threshold == 0.2)
        );
    }

    #[test]
    fn what_cannot_be_is_told_and_changes_nothing() {
        let scene = scene();
        for wrong in
            [Setting::WakeWord("hey_nobody".into()), Setting::Voice("x".into()), Setting::SilenceMs(5)]
        {
            scene.ask(wrong);
            assert!(matches!(scene.next(), Some(Event::Fault { fault }) if fault.recoverable));
        }
        assert!(scene.pipeline.try_iter().next().is_none());
        assert!(!scene.ending.restarts());
    }

    #[test]
    fn another_language_is_on_the_disk_before_hark_starts_anew() {
        let scene = scene();
        scene.ask(Setting::Language("en".into()));
        assert_eq!(scene.next(), Some(Event::Applied { setting: Setting::Language("en".into()) }));
        assert!(!scene.ending.restarts(), "it is so already");
        scene.ask(Setting::Language("de".into()));
        assert_eq!(scene.next(), None, "the event queue is closed");
        assert!(scene.ending.restarts());
        scene.kept.write().unwrap();
    }
}

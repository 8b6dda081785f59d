//! `hark eval`: how well Hark does what it is for, measured set by set with the parts the daemon is made of, in the demo
//! home and a temporary state folder. It reports figures and does not judge them: there are no floors.

mod apart_lists;
pub(crate) mod conversation;
pub(crate) mod daemon;
pub(crate) mod document;
pub(crate) mod endpoint;
pub(crate) mod figures;
pub(crate) mod fleet;
pub(crate) mod human_gap;
pub(crate) mod interrupting;
pub(crate) mod kills;
pub(crate) mod needs;
pub(crate) mod paraphrases;
pub(crate) mod people;
pub(crate) mod recognition;
pub(crate) mod report;
mod request_file;
pub(crate) mod sentences;
pub(crate) mod soak;
pub mod sound_card;
mod sounds_without_speech;
pub(crate) mod speakers;
pub(crate) mod voices;
pub(crate) mod wake;
pub(crate) mod yaml;

use crate::cli::temporary_folder::TemporaryFolder;
use figures::{Case, Row};
use hark_config::Config;
use hark_config::mqtt::BrokerMode;
use hark_core::{Fault, FaultKind};

/// What a set found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The tables.
    pub(crate) rows: Vec<Row>,
    /// What was left out, and what must be known to read the tables.
    pub(crate) notes: Vec<String>,
    /// Every case of the rows that judge.
    pub(crate) cases: Vec<Case>,
}

/// How a set is run.
pub(crate) struct Run<'a> {
    /// The engines to measure with.
    pub(crate) config: &'a Config,
    /// Only so many items of each part; all without it.
    pub(crate) sample: Option<usize>,
    /// Is told what comes next.
    pub(crate) progress: &'a dyn Fn(&str),
}

impl Run<'_> {
    /// The first items of a part, as many as are wanted.
    pub(crate) fn sampled<T>(&self, mut items: Vec<T>) -> Vec<T> {
        items.truncate(self.sample.unwrap_or(usize::MAX));
        items
    }

    /// The configuration to measure with: the engines of the owner's, but the demo home with a state of its own, no
    /// connection to another program and no language model, so that nothing real is switched or asked.
    pub(crate) fn apart(&self, folder: &TemporaryFolder) -> Config {
        let owner = self.config.clone();
        let mut config = Config {
            audio: owner.audio,
            echo: owner.echo,
            vad: owner.vad,
            wake: owner.wake,
            stt: owner.stt,
            endpoint: owner.endpoint,
            intent: owner.intent,
            speaking: owner.speaking,
            barge_in: owner.barge_in,
            ..Config::default()
        };
        config.paths.models_dir = owner.paths.models_dir;
        config.paths.state_dir = folder.path().display().to_string();
        // It would train the classifier beside what is measured.
        config.intent.learn = false;
        config.home.demo = true;
        config.mqtt.broker = BrokerMode::None;
        config.audio.input_device = "none".into();
        config.audio.output_device = "none".into();
        config.dashboard.enabled = false;
        config
    }
}

/// A fault of an evaluation that cannot go on.
pub(crate) fn failed(message: impl std::fmt::Display) -> Fault {
    Fault::new(FaultKind::Failed, "eval", message.to_string(), "")
}

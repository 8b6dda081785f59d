//! `hark setup`: the first five minutes at a terminal. Each step asks, tries what was answered, and writes it into the
//! configuration file at once; every step can be left out, and done again by its name.

mod connections;
mod dialogue;
mod model;
mod rooms;
mod sound;
mod spoken_test;
mod voice;
mod wake;

use super::Faults;
use crate::app::builder::App;
use crate::app::language::languages;
use crate::app::reload;
use crate::app::service::presence;
use crate::app::settings::configuration::{fault_of, wake_word_problems};
use clap::ValueEnum;
use dialogue::{Answer, Dialogue, Interrupt};
use hark_config::{Change, ChangeError, Config, ConfigFile};
use hark_core::{Fault, FaultKind};
use hark_language::Lexicon;
use hark_models::manifest::Manifest;
use std::io::IsTerminal;

/// What can be set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Step {
    /// The language of the household
    Language,
    /// The speaker, by ear
    Speaker,
    /// The voice that speaks
    Voice,
    /// The microphone, by ear
    Microphone,
    /// The wake word, tried
    Wake,
    /// Home Assistant
    HomeAssistant,
    /// The MQTT broker
    Broker,
    /// The rooms, and where this node stands
    Rooms,
    /// A language model
    Model,
    /// A request from end to end
    Test,
}

impl Step {
    /// The name of its title among the texts.
    const fn title(self) -> &'static str {
        match self {
            Self::Language => "language_title",
            Self::Speaker => "speaker_title",
            Self::Voice => "voice_title",
            Self::Microphone => "microphone_title",
            Self::Wake => "wake_title",
            Self::HomeAssistant => "home_assistant_title",
            Self::Broker => "broker_title",
            Self::Rooms => "rooms_title",
            Self::Model => "model_title",
            Self::Test => "test_title",
        }
    }
}

/// How a step ended.
enum Outcome {
    /// What is so now, in words.
    Done(String),
    Skipped,
}

/// Goes through these steps, or all.
pub(super) fn run(file: ConfigFile, steps: &[Step], json: bool) -> Result<(), Faults> {
    if json || !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        let message = "`hark setup` asks questions, and here is no terminal to answer them at";
        let fix = "run it in a terminal (`ssh -t HOST hark setup`), or write keys with `hark config set SECTION.KEY=VALUE`; \
                   `hark doctor` says what is missing";
        return Err(vec![Fault::new(FaultKind::BadInput, "setup", message, fix)]);
    }
    let config = reload::read(&file)?;
    // Languages of the owner's own; without a folder of models there are those that are shipped.
    if let Ok(folder) = config.paths.models_dir() {
        languages::load_lexicons(&folder)?;
    }
    let texts = &language_of(&config).setup;
    let mut setup = Setup { file, talk: Dialogue { texts } };
    setup.all(if steps.is_empty() { Step::value_variants() } else { steps }).map_err(|fault| vec![fault])
}

/// The configured language, else that of the terminal, else English; of those that have the texts.
fn language_of(config: &Config) -> &'static Lexicon {
    let terminal = ["LC_ALL", "LC_MESSAGES", "LANG"].iter().filter_map(|name| std::env::var(name).ok());
    let terminal = terminal.filter(|tag| !tag.is_empty()).take(1);
    let usual = Config::default().speaking.language;
    // The usual one may only mean that nobody has chosen yet.
    let configured = Some(config.speaking.language.clone()).filter(|language| *language != usual);
    let wanted = configured.into_iter().chain(terminal);
    let known = wanted.filter_map(|tag| hark_language::known(&tag));
    known.into_iter().find(|language| has_texts(language)).unwrap_or_else(|| hark_language::of(&usual))
}

fn has_texts(language: &Lexicon) -> bool {
    !language.setup.texts.is_empty()
}

/// What the steps work with.
struct Setup {
    file: ConfigFile,
    talk: Dialogue,
}

impl Setup {
    fn all(&mut self, steps: &[Step]) -> Result<(), Fault> {
        let path = self.file.path().display().to_string();
        self.talk.say("welcome", &[("file", &path)]);
        self.how_to_leave();
        let running = self.config()?.paths.state_dir().and_then(|folder| presence::look(&folder));
        if let Ok(Some(process)) = running {
            self.talk.say("daemon_runs", &[("process", &process.to_string())]);
        }
        let mut outcomes = Vec::new();
        for (place, step) in steps.iter().enumerate() {
            let title = self.talk.texts.text(step.title(), &[]);
            let (number, of) = ((place + 1).to_string(), steps.len().to_string());
            self.talk.print("");
            self.talk.say("step", &[("number", &number), ("of", &of), ("title", &title)]);
            let Some(outcome) = self.until_over(*step)? else { break };
            outcomes.push((*step, outcome));
        }
        self.talk.print("");
        self.talk.say("summary", &[("file", &path)]);
        for (step, outcome) in &outcomes {
            let title = self.talk.texts.text(step.title(), &[]);
            let what = match outcome {
                Outcome::Done(what) => what.clone(),
                Outcome::Skipped => {
                    let name = step.to_possible_value().map(|value| value.get_name().to_owned());
                    self.talk.texts.text("skipped", &[("step", &name.unwrap_or_default())])
                }
            };
            self.talk.print(format_args!("  {title}: {what}"));
        }
        self.talk.say(if running.is_ok_and(|process| process.is_some()) { "restart" } else { "start" }, &[]);
        Ok(())
    }

    fn how_to_leave(&self) {
        let word = |words: &[String]| words.first().cloned().unwrap_or_default();
        let (skip, quit) = (word(&self.talk.texts.skip), word(&self.talk.texts.quit));
        self.talk.say("how_to_leave", &[("skip", &skip), ("quit", &quit)]);
    }

    /// A step, again as long as it is wanted; `None` when the whole is ended.
    fn until_over(&mut self, step: Step) -> Result<Option<Outcome>, Fault> {
        loop {
            let fault = match self.step(step) {
                Ok(what) => {
                    self.talk.say("done", &[("what", &what)]);
                    return Ok(Some(Outcome::Done(what)));
                }
                Err(Interrupt::Skipped) => return Ok(Some(Outcome::Skipped)),
                Err(Interrupt::Left) => return Ok(None),
                Err(Interrupt::Trouble(fault)) => fault,
            };
            self.talk.trouble(&fault);
            match self.talk.confirm(&self.talk.texts.text("try_again", &[])) {
                Ok(true) => {}
                Ok(false) | Err(Interrupt::Skipped) => return Ok(Some(Outcome::Skipped)),
                Err(Interrupt::Left) => return Ok(None),
                Err(Interrupt::Trouble(fault)) => return Err(fault),
            }
        }
    }

    fn step(&mut self, step: Step) -> Answer<String> {
        match step {
            Step::Language => voice::language(self),
            Step::Speaker => sound::speaker(self),
            Step::Voice => voice::voice(self),
            Step::Microphone => sound::microphone(self),
            Step::Wake => wake::word(self),
            Step::HomeAssistant => connections::home_assistant(self),
            Step::Broker => connections::broker(self),
            Step::Rooms => rooms::rooms(self),
            Step::Model => model::model(self),
            Step::Test => spoken_test::request(self),
        }
    }

    fn text(&self, name: &str, places: &[(&str, &str)]) -> String {
        self.talk.texts.text(name, places)
    }

    /// The configuration as it is by now.
    fn config(&self) -> Result<Config, Fault> {
        let loaded = self.file.load().map_err(|problems| hark_config::fault_of(&problems))?;
        Ok(loaded.config)
    }

    fn manifest(&self) -> Result<Manifest, Fault> {
        Manifest::load(&self.config()?.paths.models_dir()?)
    }

    /// Everything but sound, by the configuration as it is by now.
    fn app(&self) -> Result<App, Fault> {
        App::open(self.config()?).map_err(|mut faults| faults.swap_remove(0))
    }

    /// Writes keys into the file; comments and everything else in it stay as they are.
    fn write<'key>(&self, keys: impl IntoIterator<Item = (&'key str, toml::Value)>) -> Result<(), Fault> {
        let change = |(key, value): (&str, toml::Value)| Change { key: key.to_owned(), value: Some(value) };
        let changes: Vec<Change> = keys.into_iter().map(change).collect();
        if changes.is_empty() {
            return Ok(());
        }
        let changed = self.file.change(&changes, wake_word_problems);
        changed.map(drop).map_err(|error| match error {
            ChangeError::Problems(problems) => hark_config::fault_of(&problems),
            ChangeError::NotWritten { path, error } => fault_of(&path, &error),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of texts that stand in the sources: `say("…"`, `text("…"`, titles.
    fn used() -> std::collections::BTreeSet<String> {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli/setup");
        let mut found = std::collections::BTreeSet::new();
        for file in std::fs::read_dir(folder).unwrap().flatten() {
            let text = std::fs::read_to_string(file.path()).unwrap();
            let text = text.split("#[cfg(test)]").next().unwrap();
            let quoted = text.split('"').skip(1).step_by(2);
            let known = &hark_language::of("en").setup.texts;
            found.extend(quoted.filter(|word| known.contains_key(*word)).map(str::to_owned));
            for call in [".say(\"", ".text(\""] {
                let named = text.split(call).skip(1).filter_map(|rest| rest.split('"').next());
                found.extend(named.map(str::to_owned));
            }
        }
        found
    }

    #[test]
    fn every_text_that_is_said_is_there_and_every_text_is_said() {
        let there: std::collections::BTreeSet<String> =
            hark_language::of("en").setup.texts.keys().cloned().collect();
        assert_eq!(used(), there);
    }

    #[test]
    fn the_dialogue_is_held_in_a_language_that_has_its_texts() {
        let spoken = |language: &str| {
            let mut config = Config::default();
            config.speaking.language = language.to_owned();
            language_of(&config).code
        };
        assert_eq!(spoken("de"), "de");
        assert!(has_texts(hark_language::of(spoken("nl"))), "Dutch has none");
    }
}

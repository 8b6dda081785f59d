//! `hark models list|pull|verify`: what models and libraries there are, getting them, checking them.

use super::unwritable;
use super::version::features;
use crate::app::models::model_files::with_model_files;
use clap::{Args, Subcommand};
use hark_agent as llm;
use hark_config::Config;
use hark_config::paths::credentials_dir;
use hark_core::model::ModelListing;
use hark_core::{Fault, FaultKind};
use hark_models::manifest::{Artifact, ArtifactState, Manifest, PullStep};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};
use std::io::{IsTerminal, Write};
use std::time::Duration;

/// Models and native libraries.
#[derive(Debug, Args)]
pub struct ModelsArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: ModelsCommand,
}

/// What to do with models.
#[derive(Debug, Subcommand)]
pub enum ModelsCommand {
    /// List every model and library: state, size, licence, purpose; and the language models of the configured servers.
    List,
    /// Get what is missing: from the wheels, the build, the system, the network.
    Pull {
        /// Names as `hark models list` prints them; without any, all that are not optional.
        names: Vec<String>,
        /// The optional ones too.
        #[arg(long)]
        all: bool,
    },
    /// Read every file through and compare its sha256.
    Verify {
        /// Names; without any, all that are there or needed.
        names: Vec<String>,
    },
    /// Learn from the templates, the examples that come with Hark and your own what requests mean.
    Train(super::train::TrainArgs),
}

/// Runs `hark models …`; `json` prints objects, one a line, instead of text.
///
/// # Errors
/// `MissingPart` when a needed part is missing or corrupt or cannot be had, `BadInput` for unknown
/// names, `Failed` when `out` or the disk cannot be written.
pub fn run(args: &ModelsArgs, config: &Config, json: bool, out: &mut dyn Write) -> Result<(), Fault> {
    let manifest = Manifest::load(&config.paths.models_dir()?)?;
    match &args.command {
        ModelsCommand::List => {
            list(&manifest, json, out)?;
            language_models(config, json, out)
        }
        ModelsCommand::Pull { names, all } => pull(&manifest, names, *all, json, out),
        ModelsCommand::Verify { names } => verify(&manifest, names, json, out),
        ModelsCommand::Train(args) => super::train::run(args, config, json, out),
    }
}

fn list(manifest: &Manifest, json: bool, out: &mut dyn Write) -> Result<(), Fault> {
    for part in manifest.parts() {
        let state = manifest.state(part, false);
        if json {
            writeln!(out, "{}", described(part, &state)).map_err(unwritable)?;
        } else {
            let (id, size) = (&part.id, part.size_bytes.map(size_text).unwrap_or_else(|| "folder".into()));
            let wanted = if part.is_optional(&features()) { " (optional)" } else { "" };
            writeln!(
                out,
                "{id:26} {:10} {size:>9}  {}{wanted}\n{:49}{}, {}",
                state_word(&state),
                part.purpose,
                "",
                part.version,
                part.licence
            )
            .map_err(unwritable)?;
        }
    }
    Ok(())
}

/// The models of the servers in `[llm]`; a server that does not answer is told, and no failure of the list.
fn language_models(config: &Config, json: bool, out: &mut dyn Write) -> Result<(), Fault> {
    let config = with_model_files(config)?;
    let Some(door) = llm::open(&config, credentials_dir().as_deref())? else { return Ok(()) };
    let (models, faults) = super::common::waiting("llm", async { Ok(door.models().await) })?;
    for ModelListing { name, provider, size_bytes } in &models {
        let line = if json {
            let role = "language_model";
            json!({"id": name, "role": role, "provider": provider, "size_bytes": size_bytes}).to_string()
        } else {
            let size = size_bytes.map(size_text).unwrap_or_default();
            format!("{name:26} {:10} {size:>9}  language model of {provider}", "ok")
        };
        writeln!(out, "{line}").map_err(unwritable)?;
    }
    for fault in faults {
        let why = fault.to_string();
        let line = if json {
            json!({"id": "llm", "role": "language_model", "state": "missing", "why": why}).to_string()
        } else {
            format!("{:26} {:10} {:>9}  {why}", "language models", "missing", "")
        };
        writeln!(out, "{line}").map_err(unwritable)?;
    }
    Ok(())
}

fn verify(manifest: &Manifest, names: &[String], json: bool, out: &mut dyn Write) -> Result<(), Fault> {
    let parts: Vec<&Artifact> = if names.is_empty() {
        manifest.parts().iter().collect()
    } else {
        names.iter().map(|name| manifest.part(name)).collect::<Result<_, _>>()?
    };
    let mut bad: Vec<&str> = Vec::new();
    for part in parts {
        let state = manifest.state(part, true);
        let absent = matches!(state, ArtifactState::Missing { .. } | ArtifactState::Unsupported);
        if absent && part.is_optional(&features()) && names.is_empty() {
            continue;
        }
        let fine = matches!(state, ArtifactState::Present { .. });
        if !fine {
            bad.push(&part.id);
        }
        let line = match (&state, json) {
            (state, true) => described(part, state).to_string(),
            (ArtifactState::Present { path }, _) => format!("ok       {:26} {}", part.id, path.display()),
            (ArtifactState::Missing { path }, _) => format!("missing  {:26} {}", part.id, path.display()),
            (ArtifactState::Corrupt { path, why }, _) => {
                format!("corrupt  {:26} {}: {why}", part.id, path.display())
            }
            (ArtifactState::Unsupported, _) => format!("missing  {:26} not made for this machine", part.id),
        };
        writeln!(out, "{line}").map_err(unwritable)?;
    }
    if bad.is_empty() {
        return Ok(());
    }
    let names = bad.join(" ");
    let message = format!("missing or corrupt: {names}");
    Err(Fault::new(FaultKind::MissingPart, "models", message, format!("hark models pull {names}")))
}

fn pull(
    manifest: &Manifest,
    names: &[String],
    all: bool,
    json: bool,
    out: &mut dyn Write,
) -> Result<(), Fault> {
    let every = || manifest.parts().iter().map(|part| part.id.as_str()).collect();
    let ids: Vec<&str> = match (names, all) {
        ([], false) => manifest.required(&features()),
        ([], true) => every(),
        (names, _) => names.iter().map(String::as_str).collect(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| {
        Fault::new(FaultKind::Failed, "models", format!("no runtime for the download ({error})"), "")
    })?;
    let mut report = Report::new(json);
    let mut trouble = None;
    let mut progress = |id: &str, step: PullStep<'_>| {
        if let Some(line) = report.step(id, &step)
            && let Err(error) = writeln!(out, "{line}").and_then(|()| out.flush())
        {
            trouble.get_or_insert(error);
        }
    };
    let result = runtime.block_on(manifest.pull(&ids, &mut progress));
    if let Some(error) = trouble {
        return Err(unwritable(error));
    }
    if result.is_ok() && !json {
        let line = report.summary(manifest);
        writeln!(out, "{line}").map_err(unwritable)?;
    }
    result
}

/// Turns the steps of a pull into lines, and into a bar when a person looks on.
struct Report {
    json: bool,
    bar: Option<ProgressBar>,
    /// Percent last told without a bar.
    told: u64,
    ready: usize,
    there: usize,
}

impl Report {
    fn new(json: bool) -> Self {
        Self { json, bar: None, told: 0, ready: 0, there: 0 }
    }

    /// The line to print for a step, if it has one.
    fn step(&mut self, id: &str, step: &PullStep<'_>) -> Option<String> {
        match step {
            PullStep::Ready { .. } => self.ready += 1,
            PullStep::AlreadyThere => self.there += 1,
            _ => {}
        }
        if let PullStep::Downloading { done_bytes, total_bytes, .. } = step {
            self.downloading(id, *done_bytes, *total_bytes);
            return None;
        }
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        self.told = 0;
        if self.json { Some(step_json(id, step).to_string()) } else { step_line(id, step) }
    }

    /// A bar on a terminal; a line on stderr every tenth part otherwise.
    fn downloading(&mut self, id: &str, done_bytes: u64, total_bytes: u64) {
        if std::io::stderr().is_terminal() {
            let bar = self.bar.get_or_insert_with(|| bar(id, total_bytes));
            bar.set_position(done_bytes);
            return;
        }
        let percent = done_bytes * 100 / total_bytes.max(1);
        if !self.json && percent >= self.told + 10 {
            self.told = percent - percent % 10;
            eprintln!("{id}: {} % of {}", self.told, size_text(total_bytes));
        }
    }

    fn summary(&self, manifest: &Manifest) -> String {
        format!("models: {} there, {} brought, in {}", self.there, self.ready, manifest.cache().display())
    }
}

fn bar(id: &str, total_bytes: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total_bytes), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{msg} [{bar:30}] {bytes}/{total_bytes} {bytes_per_sec} {eta}");
    if let Ok(style) = style {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_message(id.to_owned());
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn step_line(id: &str, step: &PullStep<'_>) -> Option<String> {
    match step {
        PullStep::Waiting => Some("another pull is at work; waiting for it".into()),
        PullStep::Ready { path } => Some(format!("{id}: ready at {}", path.display())),
        PullStep::SourceFailed { why } => Some(format!("{id}: {why}")),
        PullStep::Converting { from } => Some(format!("{id}: converting {}", from.display())),
        // What failed is the fault that ends the command; its sources have been told one by one.
        PullStep::Failed { .. }
        | PullStep::AlreadyThere
        | PullStep::Copying { .. }
        | PullStep::Downloading { .. } => None,
    }
}

fn step_json(id: &str, step: &PullStep<'_>) -> Value {
    match step {
        PullStep::Waiting => json!({"step": "waiting"}),
        PullStep::AlreadyThere => json!({"step": "there", "id": id}),
        PullStep::Copying { from } => json!({"step": "copying", "id": id, "from": from}),
        PullStep::Downloading { url, done_bytes, total_bytes } => {
            json!({"step": "downloading", "id": id, "url": url, "done_bytes": done_bytes, "total_bytes": total_bytes})
        }
        PullStep::Converting { from } => json!({"step": "converting", "id": id, "from": from}),
        PullStep::SourceFailed { why } => json!({"step": "source_failed", "id": id, "why": why}),
        PullStep::Ready { path } => json!({"step": "ready", "id": id, "path": path}),
        PullStep::Failed { why } => json!({"step": "failed", "id": id, "why": why}),
    }
}

fn described(part: &Artifact, state: &ArtifactState) -> Value {
    let mut object = serde_json::to_value(part).unwrap_or_else(|_| json!({ "id": part.id }));
    if let (Value::Object(object), Ok(Value::Object(state))) = (&mut object, serde_json::to_value(state)) {
        object.extend(state);
    }
    object
}

fn state_word(state: &ArtifactState) -> &'static str {
    match state {
        ArtifactState::Present { .. } => "ok",
        ArtifactState::Missing { .. } => "missing",
        ArtifactState::Corrupt { .. } => "corrupt",
        ArtifactState::Unsupported => "not here",
    }
}

fn size_text(bytes: u64) -> String {
    match bytes {
        0..=9_999 => format!("{bytes} B"),
        10_000..=999_999 => format!("{} kB", bytes / 1000),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use std::fs;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        models: ModelsArgs,
    }

    fn hark(folder: &std::path::Path, json: bool, words: &[&str]) -> (Result<(), Fault>, String) {
        let args = Cli::try_parse_from(["models"].iter().chain(words)).unwrap().models;
        let mut config = Config::default();
        config.paths.models_dir = folder.display().to_string();
        let mut out = Vec::new();
        let result = run(&args, &config, json, &mut out);
        (result, String::from_utf8(out).unwrap())
    }

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("source");
        fs::create_dir(&source).unwrap();
        fs::write(source.join("index"), "x").unwrap();
        let part = |id: &str, optional: bool| {
            format!(
                "[[part]]\nid = \"{id}\"\nfile = \"{id}\"\nrole = \"test\"\npurpose = \"Test\"\nlicence = \"MIT\"\n\
                 version = \"1\"\noptional = {optional}\ncontains = [\"index\"]\nsources = [{{ system = \"{}\" }}]\n",
                source.display()
            )
        };
        fs::write(folder.path().join("manifest.toml"), part("data", false) + &part("extra", true)).unwrap();
        folder
    }

    #[test]
    fn list_pull_and_verify_tell_the_same_story() {
        let folder = folder();
        let (result, text) = hark(folder.path(), false, &["list"]);
        result.unwrap();
        assert!(text.contains("data") && text.contains("missing") && text.contains("(optional)"), "{text}");
        let (result, text) = hark(folder.path(), false, &["verify"]);
        let fault = result.unwrap_err();
        assert_eq!((fault.kind, fault.fix.as_str()), (FaultKind::MissingPart, "hark models pull data"));
        assert!(text.starts_with("missing  data"), "{text}");
        let (result, text) = hark(folder.path(), false, &["pull"]);
        result.unwrap();
        assert!(text.contains("data: ready at") && text.contains("0 there, 1 brought"), "{text}");
        assert!(hark(folder.path(), false, &["pull"]).1.starts_with("models: 1 there, 0 brought"));
        let (result, text) = hark(folder.path(), false, &["verify"]);
        result.unwrap();
        assert!(text.starts_with("ok       data") && !text.contains("extra"), "{text}");
        assert!(hark(folder.path(), false, &["verify", "extra"]).0.is_err());
        hark(folder.path(), false, &["pull", "--all"]).0.unwrap();
        hark(folder.path(), false, &["verify", "extra"]).0.unwrap();
    }

    #[test]
    fn json_is_one_object_a_line() {
        let folder = folder();
        for words in [&["list"][..], &["pull"], &["pull"], &["verify"]] {
            let (result, text) = hark(folder.path(), true, words);
            result.unwrap();
            assert!(!text.is_empty());
            for line in text.lines() {
                let object: Value = serde_json::from_str(line).unwrap();
                assert!(object["id"].is_string(), "{line}");
            }
        }
    }

    #[test]
    fn an_unknown_name_is_bad_input() {
        let folder = folder();
        let fault = hark(folder.path(), false, &["pull", "dato"]).0.unwrap_err();
        assert_eq!(fault.kind, FaultKind::BadInput);
        assert!(fault.message.contains("`data`"), "{fault}");
    }
}

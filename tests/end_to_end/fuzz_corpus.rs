//! The properties of the fuzz targets (`fuzz/src`) over their committed corpora, without a fuzzer and compiled once with
//! the other tests.

#[path = "../../fuzz/src/lib.rs"]
mod targets;

use std::collections::BTreeSet;
use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz"))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let listing = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = listing.flatten().map(|entry| entry.path()).collect();
    files.sort();
    files
}

/// Each input of a target; those that break a property are named together.
fn keeps_its_properties(target: &str) {
    let (_, check) = targets::TARGETS.iter().find(|(name, _)| *name == target).expect("a target");
    let inputs = files(&root().join("corpus").join(target));
    assert!(inputs.len() >= 10, "{} inputs", inputs.len());
    let breaks = |input: &&PathBuf| {
        let data = fs::read(input).expect("an input");
        catch_unwind(|| check(&data)).is_err()
    };
    let broken: Vec<&PathBuf> = inputs.iter().filter(breaks).collect();
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn config() {
    keeps_its_properties("config");
}

#[test]
fn contract() {
    keeps_its_properties("contract");
}

#[test]
fn discovery() {
    keeps_its_properties("discovery");
}

#[test]
fn number_date() {
    keeps_its_properties("number_date");
}

#[test]
fn template() {
    keeps_its_properties("template");
}

#[test]
fn wav() {
    keeps_its_properties("wav");
}

#[test]
fn websocket() {
    keeps_its_properties("websocket");
}

#[test]
fn every_target_has_a_program_and_a_corpus() {
    let names = |folder: &str| -> BTreeSet<String> {
        let stems = files(&root().join(folder)).into_iter();
        stems.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect()
    };
    let known: BTreeSet<String> = targets::TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(names("fuzz_targets"), known);
    assert_eq!(names("corpus"), known);
    let manifest: toml::Table =
        toml::from_str(&fs::read_to_string(root().join("Cargo.toml")).expect("the manifest")).expect("TOML");
    let programs = manifest["bin"].as_array().expect("programs").iter();
    let programs: BTreeSet<String> =
        programs.filter_map(|program| program["name"].as_str().map(str::to_owned)).collect();
    assert_eq!(programs, known);
}

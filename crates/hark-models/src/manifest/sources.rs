//! Finds artifacts that are already on this machine: in the wheels of the virtual environment, in the build's output, in
//! the system's folders.

use super::Source;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Where to look.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// Folders that hold unpacked wheels.
    pub site_packages: Vec<PathBuf>,
    /// Folders of build outputs, `target/<profile>/build`.
    pub builds: Vec<PathBuf>,
    /// Put before absolute paths; `/` outside tests.
    pub root: PathBuf,
    /// The models folder, for files that are part of the project.
    pub models: PathBuf,
}

impl Surroundings {
    /// What there is around a models folder, this program and this process: `.venv` beside the models
    /// folder or in the current one, `$VIRTUAL_ENV`; `target` likewise, and the folder the program is in.
    pub fn of(models_dir: &Path) -> Self {
        let project = fs::canonicalize(models_dir).ok().and_then(|path| path.parent().map(Path::to_owned));
        let current = std::env::current_dir().ok();
        let homes: Vec<PathBuf> = [project, current].into_iter().flatten().collect();
        let environments = homes
            .iter()
            .map(|home| home.join(".venv"))
            .chain(std::env::var_os("VIRTUAL_ENV").map(PathBuf::from));
        let site_packages =
            environments.flat_map(|venv| matches(&venv.join("lib/python3*/site-packages"))).collect();
        let profile_of_program =
            std::env::current_exe().ok().and_then(|path| path.parent().map(Path::to_owned));
        let targets = std::env::var_os("CARGO_TARGET_DIR")
            .map(PathBuf::from)
            .into_iter()
            .chain(homes.iter().map(|home| home.join("target")));
        let profiles = targets.flat_map(|target| [target.join("release"), target.join("debug")]);
        let mut builds: Vec<PathBuf> = profile_of_program
            .into_iter()
            .chain(profiles)
            .map(|profile| profile.join("build"))
            .filter(|build| build.is_dir())
            .collect();
        builds.dedup();
        Self { site_packages, builds, root: PathBuf::from("/"), models: models_dir.to_owned() }
    }

    /// Where a source's file or folder is on this machine; `None` for addresses, what has to be made
    /// first, and what is not there.
    pub(super) fn find(&self, source: &Source) -> Option<PathBuf> {
        match source {
            Source::Wheel(path) => {
                self.site_packages.iter().map(|folder| folder.join(path)).find(|path| path.exists())
            }
            Source::Build(pattern) => {
                self.builds.iter().find_map(|build| newest(matches(&build.join(pattern))))
            }
            Source::System(pattern) => {
                let pattern = self.root.join(pattern.trim_start_matches('/'));
                matches(&pattern).into_iter().next()
            }
            Source::Models(path) => Some(self.models.join(path)).filter(|path| path.exists()),
            Source::Url(_) | Source::Ct2(_) | Source::Joined(_) => None,
        }
    }

    /// Where a source is looked for, as a message says it.
    pub(super) fn describe(&self, source: &Source) -> String {
        let list = |folders: &[PathBuf]| match folders {
            [] => "no such folder here".to_owned(),
            folders => {
                folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", ")
            }
        };
        match source {
            Source::Wheel(path) => format!("wheel file {path} (in {})", list(&self.site_packages)),
            Source::Build(path) => format!("build output {path} (in {})", list(&self.builds)),
            Source::System(path) => path.clone(),
            Source::Models(path) => self.models.join(path).display().to_string(),
            Source::Url(url) => url.clone(),
            Source::Ct2(model) => format!("the model {}", model.weights.join(" + ")),
            Source::Joined(files) => match &files[..] {
                [first, .., last] => format!("the files {first} to {last}"),
                files => format!("the file {}", files.join("")),
            },
        }
    }
}

/// After an upgrade of a crate its old output may still lie about.
fn newest(paths: Vec<PathBuf>) -> Option<PathBuf> {
    paths.into_iter().max_by_key(|path| fs::metadata(path).and_then(|metadata| metadata.modified()).ok())
}

/// The paths that fit a pattern in which `*` stands for any characters within one path part; sorted.
fn matches(pattern: &Path) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    for component in pattern.components() {
        match component {
            Component::Normal(name) if name.to_string_lossy().contains('*') => {
                let name = name.to_string_lossy();
                found = found.iter().flat_map(|folder| entries(folder, &name)).collect();
            }
            other => found.iter_mut().for_each(|path| path.push(other)),
        }
    }
    found.retain(|path| path.exists());
    found.sort();
    found
}

fn entries(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    let Ok(listing) = fs::read_dir(folder) else { return Vec::new() };
    let fits = |name: &str| {
        let mut rest = name;
        let mut pieces = pattern.split('*');
        let first = pieces.next().unwrap_or_default();
        let Some(after) = rest.strip_prefix(first) else { return false };
        rest = after;
        let pieces: Vec<&str> = pieces.collect();
        let Some((last, middle)) = pieces.split_last() else { return rest.is_empty() };
        for piece in middle {
            let Some(at) = rest.find(piece) else { return false };
            rest = &rest[at + piece.len()..];
        }
        rest.ends_with(last)
    };
    listing
        .filter_map(Result::ok)
        .filter(|entry| entry.file_name().to_str().is_some_and(fits))
        .map(|entry| entry.path())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_characters_of_one_path_part() {
        let root = tempfile::tempdir().unwrap();
        for name in ["lib/x86_64-linux-gnu/data", "lib/aarch64-linux-gnu/data", "lib/plain/other"] {
            fs::create_dir_all(root.path().join(name)).unwrap();
        }
        let names = |pattern: &str| -> Vec<String> {
            let strip = |path: PathBuf| path.strip_prefix(root.path()).unwrap().display().to_string();
            matches(&root.path().join(pattern)).into_iter().map(strip).collect()
        };
        assert_eq!(names("lib/*/data"), ["lib/aarch64-linux-gnu/data", "lib/x86_64-linux-gnu/data"]);
        assert_eq!(names("lib/x86*gnu/data"), ["lib/x86_64-linux-gnu/data"]);
        assert_eq!(names("lib/*-linux-*/d*a"), names("lib/*/data"));
        assert!(names("lib/y*/data").is_empty());
        assert!(names("nowhere/*").is_empty());
    }
}

//! What a set needs of the machine, and whether it is here.

use hark_config::Config;
use hark_core::{Fault, FaultKind};
use std::path::Path;

/// One thing that is needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Need {
    /// What.
    pub(crate) what: String,
    /// Whether it is here.
    pub(crate) is_here: bool,
    /// How to get it.
    pub(crate) fix: String,
    /// Whether the set works without it, and tells what it leaves out.
    pub(crate) is_optional: bool,
}

impl Need {
    /// A program of the search path.
    pub(crate) fn program(name: &str, package: &str) -> Self {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let is_here = std::env::split_paths(&folders).any(|folder| folder.join(name).is_file());
        let fix = format!("apt-get install {package}");
        Self { what: format!("the program {name}"), is_here, fix, is_optional: false }
    }

    /// The models that `hark models pull` collects.
    pub(crate) fn models(config: &Config) -> Self {
        let folder = config.paths.models_dir().ok().map(|models| hark_config::paths::cache_dir(&models));
        let mut files = folder.and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten();
        Self {
            what: "the models".into(),
            is_here: files.next().is_some(),
            fix: "hark models pull".into(),
            is_optional: false,
        }
    }

    /// A folder or file of data.
    pub(crate) fn data(what: &str, path: Option<&Path>, fix: &str) -> Self {
        let place = path.map(|path| format!(" ({})", path.display())).unwrap_or_default();
        Self {
            what: format!("{what}{place}"),
            is_here: path.is_some_and(Path::exists),
            fix: fix.into(),
            is_optional: false,
        }
    }

    /// A feature of this build.
    pub(crate) fn feature(name: &str, is_built_in: bool) -> Self {
        Self {
            what: format!("the feature {name}"),
            is_here: is_built_in,
            fix: "build with it".into(),
            is_optional: false,
        }
    }

    /// The set works without it.
    pub(crate) fn optional(mut self) -> Self {
        self.is_optional = true;
        self
    }
}

/// Passes where all is here.
///
/// # Errors
/// With everything that is missing.
pub(crate) fn check(set: &str, needs: &[Need]) -> Result<(), Vec<Fault>> {
    let missing = needs.iter().filter(|need| !need.is_here && !need.is_optional);
    let faults: Vec<Fault> = missing
        .map(|need| {
            Fault::new(FaultKind::MissingPart, "eval", format!("{set} needs {}", need.what), &need.fix)
        })
        .collect();
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_told_with_its_fix_and_what_is_optional_may_be_missing() {
        let missing = Need::program("no-such-program-anywhere", "nothing");
        assert!(Need::program("sh", "dash").is_here && !missing.is_here);
        assert_eq!(check("x", &[Need::program("sh", "dash"), missing.clone().optional()]), Ok(()));
        let faults = check("x", &[missing, Need::data("recordings", None, "name a folder")]).unwrap_err();
        assert_eq!(faults.len(), 2);
        assert!(faults.iter().all(|fault| fault.kind == FaultKind::MissingPart && !fault.fix.is_empty()));
        assert!(faults[0].message.contains("x needs the program no-such"), "{}", faults[0]);
    }
}

//! Skills: folders with `manifest.yaml` (name, triggers, permissions, tools) and `SKILL.md` (how the household wants it done).
//! A language model is always told what skills there are, and the whole text of one that the request tells of. Their scripts
//! are tools behind the gate. The program gives [`Skills`] to its tools and to the tasks of models, and `hark skills` shows
//! what [`read()`] found.
//!
//! What stands in a skill is an instruction of the owner: a folder or file that somebody else could write is refused.
//!
//! ```
//! let nowhere = std::path::Path::new("/no/such/folder/bin-day");
//! assert!(hark_skills::read_one(nowhere, false).is_err());
//! ```

mod folder;
mod manifest;
mod problem;
mod registry;
mod scripts;
mod skeleton;

pub use folder::{Folders, Found, read, read_one};
pub use manifest::{Manifest, Script, ScriptArg};
pub use problem::Problem;
pub use registry::{Skill, Skills, Told};
pub use skeleton::make;

/// The file that says what a skill is.
pub const MANIFEST: &str = "manifest.yaml";
/// The file with its text.
pub const TEXT: &str = "SKILL.md";

//! A new skill to begin with.

use crate::manifest::is_name;
use crate::{MANIFEST, TEXT};
use hark_core::{Fault, FaultKind};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Writes a skill of this name into a folder of skills, which is made where it is not there; answers where it is.
///
/// # Errors
/// When the name is none, there is one already, or it cannot be written.
pub fn make(skills: &Path, name: &str) -> Result<PathBuf, Fault> {
    let bad = |message: String, fix: &str| Fault::new(FaultKind::BadInput, "skills", message, fix);
    if !is_name(name) {
        return Err(bad(
            format!("{name:?} is not the name of a skill"),
            "use 1 to 32 of: a to z, 0 to 9 and `-`",
        ));
    }
    let folder = skills.join(name);
    if folder.exists() {
        return Err(bad(
            format!("{} is there already", folder.display()),
            "use another name, or change that one",
        ));
    }
    let write = || {
        std::fs::create_dir_all(&folder)?;
        // Whoever can write here speaks for the owner.
        std::fs::set_permissions(skills, std::fs::Permissions::from_mode(0o755))?;
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755))?;
        for (file, text) in [(MANIFEST, manifest(name)), (TEXT, text(name))] {
            std::fs::write(folder.join(file), text)?;
            std::fs::set_permissions(folder.join(file), std::fs::Permissions::from_mode(0o644))?;
        }
        Ok(())
    };
    write().map_err(|error: std::io::Error| {
        let message = format!("{} cannot be written: {error}", folder.display());
        Fault::new(
            FaultKind::Failed,
            "skills",
            message,
            "make the folder writable, or name another in skills.folder",
        )
    })?;
    Ok(folder)
}

fn manifest(name: &str) -> String {
    let words = name.replace('-', " ");
    format!(
        "# What the skill is. `hark skills check` tells every mistake.
name: {name}
# One sentence: the language model always sees it.
description: How this household does {words}.
# Words of a request that tell of it; then the model is shown all of SKILL.md.
triggers: [{words}]
# What it may use of Hark's own tools: home, list, timer, reminder, memory, knowledge, weather, media …
permissions: [home]
# MCP servers it may use, as [mcp.servers.NAME] in the configuration has them.
# mcp_servers: [time]
# Scripts beside this file. Each must be executable, and stand in skills.scripts of the configuration.
# tools:
#   - name: next
#     description: Tells what comes next.
#     script: next.sh
#     risk: read            # read, write, or dangerous: asked about each time
#     timeout_ms: 5000
#     args:
#       - name: day
#         description: The day asked about.
#         choices: [today, tomorrow]
#         optional: true
"
    )
}

fn text(name: &str) -> String {
    let words = name.replace('-', " ");
    format!(
        "How we do {words}:

1. Say here, step by step, what is to be done, with the names the things have in the home.
2. Say what is to be asked first, and what is never to be done.
3. Say how the answer should sound.
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::read_one;

    #[test]
    fn a_new_skill_has_no_mistake() {
        let folder = tempfile::tempdir().unwrap();
        let skills = folder.path().join("skills");
        let made = make(&skills, "bin-day").unwrap();
        assert_eq!(read_one(&made, false).unwrap().manifest.triggers, ["bin day"]);
        assert!(make(&skills, "bin-day").unwrap_err().message.contains("is there already"));
        assert!(make(&skills, "../x").unwrap_err().message.contains("not the name"));
    }
}

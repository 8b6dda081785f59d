//! The operator's token: made once, by chance, and kept in the state folder, so that whoever may read that folder, as
//! `hark approve` does, is known for the operator.

use hark_config::paths::ensure_dir;
use hark_config::write_private;
use hark_core::{Fault, FaultKind};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Bytes of a token; it is written with two digits each.
const BYTES: usize = 32;

/// Makes the token in this file, readable by its owner alone, where there is none.
///
/// # Errors
/// When it cannot be written; nothing half-written is left under its name.
pub(crate) fn ensure_token(file: &Path) -> Result<(), Fault> {
    if file.exists() {
        return Ok(());
    }
    let folder = file.parent().unwrap_or(Path::new("."));
    ensure_dir(folder)?;
    token().and_then(|token| write_private(file, token)).map_err(|error| {
        let message = format!("the operator's token cannot be kept in {}: {error}", file.display());
        let fix = "make the folder writable, or name a file with a token in dashboard.operator_token_file; \
                   until then `hark approve` answers nothing";
        Fault::new(FaultKind::Failed, "dashboard", message, fix).recoverable()
    })
}

fn token() -> io::Result<String> {
    let mut bytes = [0; BYTES];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().fold(String::new(), |mut token, byte| {
        // Writing into a text does not fail.
        let _ = write!(token, "{byte:02x}");
        token
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn it_is_made_once_for_its_owner_alone() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("state/operator-token");
        ensure_token(&file).unwrap();
        let token = fs::read_to_string(&file).unwrap();
        assert_eq!(token.len(), 2 * BYTES);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        ensure_token(&file).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), token);
        let (other, beside) = (dir.path().join("other"), dir.path().join("other.part"));
        fs::write(&beside, "of another program").unwrap();
        ensure_token(&other).unwrap();
        assert_eq!(fs::read_to_string(&beside).unwrap(), "of another program");
        assert_ne!(fs::read_to_string(&other).unwrap(), token);
        assert!(ensure_token(Path::new("/proc/hark/operator-token")).is_err());
    }
}

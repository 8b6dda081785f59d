//! Codes of locks and alarm panels, read from their file.

use hark_config::paths;
use hark_config::permissions::Permissions;
use hark_core::device::DeviceCodes;
use hark_core::ids::EntityId;
use hark_core::{Fault, FaultKind};
use std::collections::BTreeMap;
use std::path::Path;

/// Name of the systemd credential.
const CREDENTIAL: &str = "device-codes";
/// Longest file that is read.
const MAX_BYTES: u64 = 64 * 1024;
/// Longest code.
const MAX_CHARACTERS: usize = 32;

/// The codes of the configuration, or of the credential in `credentials_dir`; none where there is neither.
///
/// # Errors
/// When the file cannot be read or holds something else. No code is in the message.
pub(crate) fn load(config: &Permissions, credentials_dir: Option<&Path>) -> Result<DeviceCodes, Fault> {
    let Some(path) = paths::secret_file(&config.device_codes_file, CREDENTIAL, credentials_dir) else {
        return Ok(DeviceCodes::default());
    };
    let bad = |why: &str| {
        let message = format!("the codes of devices in {} cannot be used: {why}", path.display());
        let fix = "see permissions.device_codes_file: a line such as \"lock.front_door\" = \"1234\" for each device";
        Fault::new(FaultKind::BadConfiguration, "permissions", message, fix)
    };
    let unreadable = |error: std::io::Error| bad(&error.to_string());
    if std::fs::metadata(&path).map_err(unreadable)?.len() > MAX_BYTES {
        return Err(bad("it is too long"));
    }
    let text = std::fs::read_to_string(&path).map_err(unreadable)?;
    // What the parser says of a mistake could show a code.
    let rows: BTreeMap<String, String> = toml::from_str(&text).map_err(|_| bad("it is not such a list"))?;
    let mut codes = BTreeMap::new();
    for (entity, code) in rows {
        let is_code =
            (1..=MAX_CHARACTERS).contains(&code.chars().count()) && !code.contains(char::is_control);
        if !entity.contains('.') || !is_code {
            let entity: String = entity.chars().take(60).collect();
            return Err(bad(&format!(
                "{entity:?} is not a device with a code of 1 to {MAX_CHARACTERS} characters"
            )));
        }
        codes.insert(EntityId(entity), code);
    }
    Ok(DeviceCodes::new(codes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<DeviceCodes, Fault> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("codes");
        std::fs::write(&path, text).unwrap();
        let config = Permissions { device_codes_file: path.display().to_string(), ..Permissions::default() };
        load(&config, None)
    }

    #[test]
    fn codes_are_read_and_never_shown() {
        let codes =
            read("\"lock.front_door\" = \"0042\"\n\"alarm_control_panel.house\" = \"a b\"\n").unwrap();
        assert_eq!(codes.of(&EntityId::from("lock.front_door")), Some("0042"));
        assert_eq!(codes.of(&EntityId::from("lock.other")), None);
        let shown = format!("{codes:?}");
        assert!(shown.contains("lock.front_door") && !shown.contains("0042"), "{shown}");
        for wrong in [
            "\"lock.a\" = 9876",
            "\"lock.a\" = \"\"",
            "lock = \"9876\"",
            "9876",
            "\"lock.a\" = \"98\\u000776\"",
        ] {
            let fault = read(wrong).unwrap_err();
            // Not only two digits: the name of the folder may hold those.
            let shown = ["9876", "98\u{7}", "98\\u"].iter().any(|code| fault.to_string().contains(code));
            assert!(!shown && fault.fix.contains("device_codes_file"), "{fault}");
        }
        let missing = Permissions { device_codes_file: "/nowhere/codes".into(), ..Permissions::default() };
        assert!(load(&missing, None).unwrap_err().message.contains("/nowhere/codes"));
        assert_eq!(format!("{:?}", load(&Permissions::default(), None).unwrap()), "{}");
    }
}

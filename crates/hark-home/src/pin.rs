//! The PIN: where it is kept, how one that was presented is compared, and when none is looked at any more.
//! Wrong tries are counted on the disk before the comparison, so that neither a restart nor a power cut nor
//! another `hark ask` beside the daemon gives more of them.

use hark_config::paths;
use hark_config::permissions::Permissions;
use hark_core::pin::{PinCode, PinVerdict};
use hark_core::{Fault, FaultKind, TurnId};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Name of the systemd credential.
const CREDENTIAL: &str = "pin";
/// Where wrong tries are counted, in the state folder.
const TRIES_FILE: &str = "pin-tries.json";
/// Longest PIN file that is read.
const MAX_BYTES: u64 = 1024;
/// How long a right PIN lets calls through.
const GRANT_MS: i64 = 10_000;

/// Salted SHA-256 of the PIN; the digits are kept nowhere.
#[derive(Clone)]
struct Secret {
    salt: String,
    hash: [u8; 32],
}

impl Secret {
    fn of(salt: &str, digits: &str) -> Self {
        let hash = Sha256::new().chain_update(salt).chain_update(digits).finalize().into();
        Self { salt: salt.to_owned(), hash }
    }

    /// Compares hashes, every byte of them, so that the time it takes tells nothing.
    fn is(&self, pin: &PinCode) -> bool {
        let other = Self::of(&self.salt, pin.digits());
        let differ = self.hash.iter().zip(other.hash).fold(0, |differ, (a, b)| differ | (a ^ b));
        std::hint::black_box(differ) == 0
    }
}

/// What is on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Tries {
    wrong: u32,
    locked_until_unix_ms: i64,
}

/// A right PIN, and the turn that makes use of it.
#[derive(Debug)]
struct Grant {
    number: u64,
    until_unix_ms: i64,
    turn: Option<TurnId>,
}

/// Looks at PINs. See the module.
pub struct PinPad {
    secret: Option<Secret>,
    tries: PathBuf,
    most_tries: u32,
    lockout_ms: i64,
    grant: Mutex<(u64, Option<Grant>)>,
}

impl PinPad {
    /// A pad where no PIN is right.
    pub fn without_pin() -> Self {
        Self { secret: None, tries: PathBuf::new(), most_tries: 0, lockout_ms: 0, grant: Mutex::default() }
    }

    /// Reads the PIN of the configuration, or the credential in `credentials_dir`.
    ///
    /// # Errors
    /// When an act needs a PIN and there is none, or the file holds something else.
    pub fn open(
        config: &Permissions,
        credentials_dir: Option<&Path>,
        state_dir: &Path,
    ) -> Result<Self, Fault> {
        if !config.wants_pin() {
            return Ok(Self::without_pin());
        }
        let Some(path) = paths::secret_file(&config.pin_file, CREDENTIAL, credentials_dir) else {
            let fix =
                "write 4 to 12 digits into a file only Hark can read and name it in permissions.pin_file";
            return Err(bad("an act needs the PIN and there is none", fix));
        };
        let secret = read(&path)?;
        Ok(Self {
            secret: Some(secret),
            tries: state_dir.join(TRIES_FILE),
            most_tries: config.pin_tries,
            lockout_ms: i64::from(config.pin_lockout_ms),
            grant: Mutex::default(),
        })
    }

    /// Whether there is a PIN at all.
    pub fn is_set(&self) -> bool {
        self.secret.is_some()
    }

    /// Whether these digits are the PIN. Not for those who present one: nothing is counted.
    pub fn is_pin(&self, digits: &str) -> bool {
        let pin = PinCode::new(digits);
        self.secret.as_ref().zip(pin).is_some_and(|(secret, pin)| secret.is(&pin))
    }

    /// Looks at a PIN. Waits for the disk.
    pub fn present(&self, pin: &PinCode, now_unix_ms: i64) -> PinVerdict {
        let Some(secret) = &self.secret else { return PinVerdict::Wrong };
        match self.counted(secret, pin, now_unix_ms) {
            Ok(true) => PinVerdict::Right { grant: self.grant(now_unix_ms) },
            Ok(false) => PinVerdict::Wrong,
            Err(Locked) => PinVerdict::Locked,
        }
    }

    /// Whether a grant lets this turn's calls through; the first turn that asks keeps it.
    pub fn redeem(&self, number: u64, turn: &TurnId, now_unix_ms: i64) -> bool {
        let mut kept = self.grant.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(grant) = kept.1.as_mut().filter(|grant| grant.number == number) else { return false };
        // A clock that was set back must not make it last.
        let left_ms = grant.until_unix_ms - now_unix_ms;
        let is_fresh = (0..=GRANT_MS).contains(&left_ms);
        is_fresh && grant.turn.get_or_insert_with(|| turn.clone()) == turn
    }

    fn grant(&self, now_unix_ms: i64) -> u64 {
        let mut kept = self.grant.lock().unwrap_or_else(PoisonError::into_inner);
        kept.0 += 1;
        let number = kept.0;
        kept.1 = Some(Grant { number, until_unix_ms: now_unix_ms + GRANT_MS, turn: None });
        number
    }

    /// Counts the try on the disk, then compares.
    fn counted(&self, secret: &Secret, pin: &PinCode, now: i64) -> Result<bool, Locked> {
        let failed = |error: std::io::Error| {
            tracing::error!("no PIN is looked at: {}: {error}", self.tries.display());
            Locked
        };
        let mut file = self.open_tries().map_err(failed)?;
        let mut tries = self.read_tries(&mut file, now);
        if tries.locked_until_unix_ms > now {
            // Written back, so that a clock which ran ahead cannot lock it for years.
            write_tries(&mut file, tries).map_err(failed)?;
            return Err(Locked);
        }
        if tries.locked_until_unix_ms > 0 {
            tries = Tries::default();
        }
        tries.wrong += 1;
        let is_last = tries.wrong >= self.most_tries;
        if is_last {
            tries.locked_until_unix_ms = now + self.lockout_ms;
        }
        write_tries(&mut file, tries).map_err(failed)?;
        if secret.is(pin) {
            write_tries(&mut file, Tries::default()).map_err(failed)?;
            return Ok(true);
        }
        if is_last {
            tracing::warn!("{} wrong PINs: none is looked at for a while", tries.wrong);
            return Err(Locked);
        }
        Ok(false)
    }

    fn open_tries(&self) -> std::io::Result<File> {
        let file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&self.tries)?;
        // Released when the file is closed.
        file.lock()?;
        Ok(file)
    }

    /// A file that cannot be read counts as too many tries, so that damaging it gains nothing.
    fn read_tries(&self, file: &mut File, now: i64) -> Tries {
        let latest = now + self.lockout_ms;
        let mut text = String::new();
        match file.take(MAX_BYTES).read_to_string(&mut text) {
            Ok(0) => return Tries::default(),
            Ok(_) => {}
            Err(error) => tracing::error!("{}: {error}", self.tries.display()),
        }
        let read = serde_json::from_str(&text);
        let tries = read.unwrap_or(Tries { wrong: self.most_tries, locked_until_unix_ms: latest });
        Tries { locked_until_unix_ms: tries.locked_until_unix_ms.min(latest), ..tries }
    }
}

/// No PIN is looked at.
struct Locked;

fn write_tries(file: &mut File, tries: Tries) -> std::io::Result<()> {
    // Only maps with keys that are not text can fail.
    let text = serde_json::to_string(&tries)?;
    file.rewind()?;
    file.set_len(0)?;
    file.write_all(text.as_bytes())?;
    file.sync_data()
}

fn read(path: &Path) -> Result<Secret, Fault> {
    let place = path.display();
    let fix = "write 4 to 12 digits, or sha256:SALT:HEX, into it, readable for Hark only (chmod 600)";
    let wrong = |why: &str| bad(format!("the PIN file {place} {why}"), fix);
    let size = std::fs::metadata(path).map_err(|error| wrong(&format!("cannot be read: {error}")))?.len();
    if size > MAX_BYTES {
        return Err(wrong("is too long"));
    }
    let text = std::fs::read_to_string(path).map_err(|error| wrong(&format!("cannot be read: {error}")))?;
    let text = text.trim();
    if let Some((salt, hex)) = text.strip_prefix("sha256:").and_then(|rest| rest.split_once(':')) {
        let hash = unhex(hex).ok_or_else(|| wrong("holds no SHA-256 of 64 hexadecimal digits"))?;
        return Ok(Secret { salt: salt.to_owned(), hash });
    }
    // What is in the file is not told, whatever it is.
    let pin = PinCode::new(text).ok_or_else(|| wrong("holds no PIN"))?;
    Ok(Secret::of(&uuid::Uuid::new_v4().simple().to_string(), pin.digits()))
}

fn unhex(text: &str) -> Option<[u8; 32]> {
    if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut bytes = [0; 32];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(bytes)
}

fn bad(message: impl Into<String>, fix: &str) -> Fault {
    Fault::new(FaultKind::BadConfiguration, "permissions", message, fix)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCKOUT_MS: i64 = 300_000;

    fn config(file: &Path) -> Permissions {
        let pin_file = file.display().to_string();
        Permissions { pin: vec!["unlock".into()], pin_file, ..Permissions::default() }
    }

    fn pin(digits: &str) -> PinCode {
        PinCode::new(digits).unwrap()
    }

    #[test]
    fn the_pin_comes_from_its_file_plain_or_hashed_or_from_systemd() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("secret");
        let open = |file: &Path| PinPad::open(&config(file), Some(dir.path()), dir.path());
        let hash = Secret::of("pepper", "4217").hash.map(|byte| format!("{byte:02x}")).concat();
        for text in ["4217\n".to_owned(), format!("sha256:pepper:{hash}")] {
            std::fs::write(&file, text).unwrap();
            let pad = open(&file).unwrap();
            assert!(matches!(pad.present(&pin("4217"), 1), PinVerdict::Right { .. }));
            assert_eq!(pad.present(&pin("4218"), 1), PinVerdict::Wrong);
        }
        for text in ["", "123", "abcd", "4217 4218", "sha256:x:12", "1234567890123"] {
            std::fs::write(&file, text).unwrap();
            let fault = open(&file).err().unwrap();
            assert!(fault.message.contains("PIN") && (text.len() < 4 || !fault.message.contains(text)));
        }
        let none = Permissions { pin_file: String::new(), ..config(&file) };
        assert!(PinPad::open(&none, None, dir.path()).is_err());
        std::fs::write(dir.path().join(CREDENTIAL), "987654").unwrap();
        let pad = PinPad::open(&none, Some(dir.path()), dir.path()).unwrap();
        assert!(matches!(pad.present(&pin("987654"), 1), PinVerdict::Right { .. }));
        assert!(!PinPad::open(&Permissions::default(), None, dir.path()).unwrap().is_set());
        assert_eq!(PinPad::without_pin().present(&pin("0000"), 1), PinVerdict::Wrong);
    }

    #[test]
    fn three_wrong_ones_lock_it_whoever_comes_and_the_right_one_too() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("secret");
        std::fs::write(&file, "4217").unwrap();
        let open = || PinPad::open(&config(&file), None, dir.path()).unwrap();
        assert_eq!(open().present(&pin("1111"), 1000), PinVerdict::Wrong);
        assert_eq!(open().present(&pin("2222"), 2000), PinVerdict::Wrong);
        assert_eq!(open().present(&pin("3333"), 3000), PinVerdict::Locked);
        assert_eq!(open().present(&pin("4217"), 4000), PinVerdict::Locked);
        assert_eq!(open().present(&pin("4217"), 3000 + LOCKOUT_MS - 1), PinVerdict::Locked);
        // A clock that was set back makes it last no longer than from now.
        assert_eq!(open().present(&pin("4217"), -5_000_000), PinVerdict::Locked);
        assert!(matches!(open().present(&pin("4217"), LOCKOUT_MS - 4_999_999), PinVerdict::Right { .. }));
        // A right one forgives those before.
        assert_eq!(open().present(&pin("1111"), 1), PinVerdict::Wrong);
        assert_eq!(open().present(&pin("1111"), 1), PinVerdict::Wrong);
        assert!(matches!(open().present(&pin("4217"), 1), PinVerdict::Right { .. }));
        assert_eq!(open().present(&pin("1111"), 1), PinVerdict::Wrong);
        std::fs::write(dir.path().join(TRIES_FILE), "garbage").unwrap();
        assert_eq!(open().present(&pin("4217"), 10), PinVerdict::Locked);
    }

    #[test]
    fn a_grant_is_for_one_turn_and_some_seconds() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("secret");
        std::fs::write(&file, "4217").unwrap();
        let pad = PinPad::open(&config(&file), None, dir.path()).unwrap();
        let (a, b) = (TurnId("a".into()), TurnId("b".into()));
        let PinVerdict::Right { grant } = pad.present(&pin("4217"), 100) else { panic!() };
        assert!(!pad.redeem(grant + 1, &a, 101), "nobody guesses one");
        assert!(pad.redeem(grant, &a, 101) && pad.redeem(grant, &a, 102));
        assert!(!pad.redeem(grant, &b, 103), "another turn");
        assert!(!pad.redeem(grant, &a, 101 + GRANT_MS), "too late");
        assert!(!pad.redeem(grant, &a, 0), "the clock was set back");
    }
}

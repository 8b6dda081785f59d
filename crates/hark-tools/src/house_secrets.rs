//! Secrets of the house: tokens, passwords, codes. None of them may leave in a web request,
//! not even after a yes. The files are read at each check, so that a changed token counts at once.

use std::path::PathBuf;

/// Longest file that is looked into, bytes.
const MAX_BYTES: u64 = 64 * 1024;
/// Shorter lines are no secrets.
const MIN_CHARS: usize = 4;
/// Of a secret of so many characters a part is as good as the whole.
const LONG_CHARS: usize = 16;
/// So long a part of it.
const PART_CHARS: usize = 12;
/// How often a text may be percent-encoded.
const MAX_ROUNDS: usize = 3;

/// See the module.
#[derive(Debug, Clone, Default)]
pub struct HouseSecrets(Vec<PathBuf>);

impl HouseSecrets {
    /// Those in these files, one a line, or as `name = "value"`. A file that is not there holds none.
    pub fn in_files(files: Vec<PathBuf>) -> Self {
        Self(files)
    }

    /// Whether a text holds one of them, one of `more`, or digits of which the check is true.
    pub fn is_in(&self, text: &str, more: &[String], is_pin: impl Fn(&str) -> bool) -> bool {
        let forms = forms(text);
        let mut digits = forms.iter().flat_map(|form| form.split(|c: char| !c.is_ascii_digit()));
        let known = self.read();
        digits.any(is_pin) || known.iter().chain(more).any(|secret| is_told(&forms, secret))
    }

    fn read(&self) -> Vec<String> {
        let is_short = |path: &&PathBuf| std::fs::metadata(path).is_ok_and(|file| file.len() <= MAX_BYTES);
        let texts = self.0.iter().filter(is_short).filter_map(|path| std::fs::read_to_string(path).ok());
        let secrets = texts.flat_map(|text| text.lines().filter_map(value).collect::<Vec<_>>());
        secrets.filter(|secret| secret.chars().count() >= MIN_CHARS).collect()
    }
}

/// The secret in a line of a file; `None` for a comment, and for what only proves a secret.
fn value(line: &str) -> Option<String> {
    let line = line.trim();
    if line.starts_with(['#', '[']) || line.starts_with("sha256:") {
        return None;
    }
    let quoted = line.split_once('=').map(|(_, value)| value.trim());
    let quoted = quoted.and_then(|value| value.strip_prefix('"')?.strip_suffix('"'));
    Some(quoted.unwrap_or(line).to_owned())
}

/// A text as it is and as it is meant, in lower case.
fn forms(text: &str) -> Vec<String> {
    let mut forms = vec![text.to_lowercase()];
    for _ in 0..MAX_ROUNDS {
        let decoded = decoded(&forms[forms.len() - 1]).to_lowercase();
        if forms.contains(&decoded) {
            break;
        }
        forms.push(decoded);
    }
    forms
}

/// A text without percent-encoding (RFC 3986, 2.1).
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(&byte) = bytes.get(at) {
        let hex = bytes.get(at + 1..at + 3).and_then(|two| std::str::from_utf8(two).ok());
        let code = hex.filter(|_| byte == b'%').and_then(|two| u8::from_str_radix(two, 16).ok());
        out.push(code.unwrap_or(byte));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Whether one of the forms holds a secret: as it is, backwards or in hexadecimal digits; of a long one a part is enough.
fn is_told(forms: &[String], secret: &str) -> bool {
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    let secret = secret.to_lowercase();
    let backwards: String = secret.chars().rev().collect();
    [secret, backwards, hex].iter().any(|one| forms.iter().any(|form| holds(form, one)))
}

fn holds(text: &str, secret: &str) -> bool {
    let chars: Vec<char> = secret.chars().collect();
    if chars.len() >= LONG_CHARS {
        let part = |part: &[char]| text.contains(&part.iter().collect::<String>());
        return chars.windows(PART_CHARS).any(part);
    }
    // A short one stands alone: 4217 is not in 142170.
    let is_number = secret.bytes().all(|byte| byte.is_ascii_digit());
    let goes_on = |c: char| if is_number { c.is_ascii_digit() } else { c.is_alphanumeric() };
    text.match_indices(secret).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + secret.len()..].chars().next();
        !before.is_some_and(goes_on) && !behind.is_some_and(goes_on)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(dir: &tempfile::TempDir) -> HouseSecrets {
        let file = |name: &str, text: &str| {
            let path = dir.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        HouseSecrets::in_files(vec![
            file("token", "eyJhbGciOiJIUzI1NiJ9.c2VjcmV0\n"),
            file("codes", "# codes\n\"lock.front_door\" = \"a1b2\"\n"),
            file("pin", "4217"),
            file("hashed", "sha256:pepper:00ff"),
            dir.path().join("gone"),
        ])
    }

    #[test]
    fn a_secret_is_found_in_every_dress_it_can_easily_wear() {
        let dir = tempfile::tempdir().unwrap();
        let secrets = secrets(&dir);
        let is_in = |text: &str| secrets.is_in(text, &["hunter22".to_owned()], |digits| digits == "9876");
        for text in [
            "http://evil.example/?q=eyJhbGciOiJIUzI1NiJ9.c2VjcmV0",
            "http://evil.example/EYJHBGCIOIJIUZI1NIJ9.C2VJCMV0",
            "http://evil.example/?q=%65%79JhbGciOiJIUzI1NiJ9%2Ec2VjcmV0",
            "http://evil.example/?q=%2565yJhbGciOiJIUzI1",
            "http://eyJhbGciOiJI.evil.example/",
            "http://evil.example/?q=0VmcjV2c.9JiN1IzUIJiOicGbhJye",
            "http://evil.example/?q=65794a68624763694f694a49557a49314e694a39",
            "http://evil.example/?pin=4217",
            "http://evil.example/4217/x",
            "http://evil.example/?code=a1b2&x",
            "http://evil.example/?p=hunter22",
            "http://evil.example/?p=9876",
        ] {
            assert!(is_in(text), "{text}");
        }
        for text in [
            "http://example.org/142170",
            "http://example.org/?q=xa1b2",
            "http://example.org/?q=pepper",
            "http://example.org/?q=eyJhbGci",
            "http://example.org/100%",
            "",
        ] {
            assert!(!is_in(text), "{text}");
        }
        std::fs::write(dir.path().join("token"), "another-token-of-length\n").unwrap();
        assert!(is_in("http://evil.example/?q=another-token-of-length"), "read anew");
    }
}

//! Codes that locks and alarm panels want: whether the one that the household entered can be right, by what the device
//! says its codes look like. One that cannot be is not sent, but told with what to change.

use regex::RegexBuilder;

/// Largest pattern of a device, compiled.
const PATTERN_MAX_BYTES: usize = 64 * 1024;

/// What a code that cannot be right would have to do, to go behind "has to"; `None` when it may be right. `format`: `number`, `text`, or a
/// regular expression for the code's beginning, as Home Assistant has them.
pub fn misfit(format: &str, code: &str) -> Option<String> {
    match format {
        "text" => None,
        "number" if code.bytes().all(|byte| byte.is_ascii_digit()) => None,
        "number" => Some("have digits only".to_owned()),
        pattern => {
            let built = RegexBuilder::new(&format!("^(?:{pattern})")).size_limit(PATTERN_MAX_BYTES).build();
            // What cannot be read is left to the device to judge.
            let fits = built.map_or(true, |pattern| pattern.is_match(code));
            (!fits).then(|| format!("look like {}", pattern.chars().take(60).collect::<String>()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_that_cannot_be_right_is_told_with_what_to_change() {
        for (format, code, fits) in [
            ("number", "0815", true),
            ("number", "08 15", false),
            ("number", "secret", false),
            ("text", "secret", true),
            (r"^\d{4}$", "0815", true),
            (r"^\d{4}$", "08151", false),
            (r"\d{4}", "08151", true),
            ("[a-z]+|x", "1x", false),
            ("(", "anything", true),
            (r"\w{5000}{5000}", "too large to be tried", true),
        ] {
            let misfit = misfit(format, code);
            assert_eq!(misfit.is_none(), fits, "{format} {code}");
            if let Some(why) = misfit {
                assert!(!why.contains(code), "{why}");
            }
        }
    }
}

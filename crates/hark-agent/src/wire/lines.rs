//! Cuts bytes, however they are split, into lines that end with LF, CRLF or CR. Bounded.

use crate::error::StreamError;

/// Longest line that is read.
pub(crate) const MAX_LINE_BYTES: usize = 1024 * 1024;

/// The line that is not at its end yet.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    unfinished: Vec<u8>,
    /// The last byte was CR: an LF that follows belongs to it.
    after_cr: bool,
    begun: bool,
}

impl Lines {
    /// Takes bytes and hands over each line that ends in them, without its ending.
    pub(crate) fn feed(
        &mut self,
        bytes: &[u8],
        each: &mut dyn FnMut(&[u8]) -> Result<(), StreamError>,
    ) -> Result<(), StreamError> {
        let mut rest = bytes;
        while !rest.is_empty() {
            if std::mem::take(&mut self.after_cr) && rest[0] == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                return self.keep(rest);
            };
            self.after_cr = rest[end] == b'\r';
            self.keep(&rest[..end])?;
            rest = &rest[end + 1..];
            let line = std::mem::take(&mut self.unfinished);
            each(self.without_mark(&line))?;
        }
        Ok(())
    }

    /// The line that has no ending, at the end of everything.
    pub(crate) fn rest(&mut self) -> Option<Vec<u8>> {
        let line = std::mem::take(&mut self.unfinished);
        (!line.is_empty()).then(|| self.without_mark(&line).to_vec())
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), StreamError> {
        if self.unfinished.len() + bytes.len() > MAX_LINE_BYTES {
            return Err(StreamError::LongLine(MAX_LINE_BYTES));
        }
        self.unfinished.extend_from_slice(bytes);
        Ok(())
    }

    /// The very first line may begin with a byte order mark.
    fn without_mark<'a>(&mut self, line: &'a [u8]) -> &'a [u8] {
        if std::mem::replace(&mut self.begun, true) {
            return line;
        }
        line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut(parts: &[&[u8]]) -> (Vec<String>, Option<String>) {
        let (mut lines, mut found) = (Lines::default(), Vec::new());
        let text = |line: &[u8]| String::from_utf8(line.to_vec()).unwrap();
        for part in parts {
            let mut each = |line: &[u8]| {
                found.push(text(line));
                Ok(())
            };
            lines.feed(part, &mut each).unwrap();
        }
        let rest = lines.rest().map(|line| text(&line));
        (found, rest)
    }

    #[test]
    fn every_kind_of_ending_ends_a_line_once() {
        type Case<'a> = (&'a [&'a [u8]], &'a [&'a str], Option<&'a str>);
        let cases: [Case<'_>; 7] = [
            (&[b"a\nb\r\nc\rd"], &["a", "b", "c"], Some("d")),
            (&[b"a\r", b"\nb\n"], &["a", "b"], None),
            (&[b"a\r", b"b\n"], &["a", "b"], None),
            (&[b"\n\n"], &["", ""], None),
            (&[b"\r\n\r\n"], &["", ""], None),
            (&[b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n"], &["a", "\u{feff}b"], None),
            (&[b"\xc3", b"\xa4\n"], &["ä"], None),
        ];
        for (parts, lines, rest) in cases {
            let (found, left) = cut(parts);
            assert!(found.iter().eq(lines), "{found:?} of {parts:?}");
            assert_eq!(left.as_deref(), rest);
        }
    }

    #[test]
    fn a_line_without_end_is_refused_before_it_fills_the_memory() {
        let mut lines = Lines::default();
        let part = vec![b'x'; MAX_LINE_BYTES / 2];
        let mut each = |_: &[u8]| Ok(());
        lines.feed(&part, &mut each).unwrap();
        lines.feed(&part, &mut each).unwrap();
        assert_eq!(lines.feed(b"x", &mut each), Err(StreamError::LongLine(MAX_LINE_BYTES)));
    }

    proptest! {
        #[test]
        fn where_bytes_are_split_makes_no_difference(
            text in "[ab\r\nä]{0,40}", splits in prop::collection::vec(0usize..80, 0..6)
        ) {
            let bytes = text.as_bytes();
            let mut places: Vec<usize> = splits.into_iter().map(|place| place.min(bytes.len())).collect();
            places.sort_unstable();
            let mut parts = Vec::new();
            let mut from = 0;
            for place in places {
                parts.push(&bytes[from..place]);
                from = place;
            }
            parts.push(&bytes[from..]);
            prop_assert_eq!(cut(&parts), cut(&[bytes]));
        }
    }
}

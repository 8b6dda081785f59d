//! Files found by what stands in them: every text file of the allowed folders, line by line, until enough was found or
//! enough was read.

use super::listing::Walk;
use super::{FileError, Files, Place, ordinary, text};
use hark_desktop::macos::Mac;
use regex::RegexBuilder;
use std::collections::HashSet;
use std::io::Read;
use std::path::PathBuf;

/// Most of one file that is looked through, bytes.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;
/// Most that one search reads, bytes.
const MAX_SEARCH_BYTES: u64 = 256 * 1024 * 1024;
/// Most files of Spotlight's that are read first.
const MAX_KNOWN: usize = 500;
/// Most of a line that is told, characters.
const MAX_LINE_CHARS: usize = 300;

/// A line that has what was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextMatch {
    /// Its file, as a whole path.
    pub path: PathBuf,
    /// Number of the line, from 1.
    pub line: usize,
    /// The line, cut where it has more than 300 characters.
    pub text: String,
}

/// What was found: the first line of each file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Matches {
    /// At most as many as were asked for, in the order of their paths.
    pub found: Vec<TextMatch>,
    /// Not everything was looked through.
    pub truncated: bool,
}

impl Files {
    /// Files that have these words in one line, whatever their case.
    ///
    /// # Errors
    /// When the folder may not be read, or is none.
    pub fn search_contents(
        &self,
        words: &str,
        path: Option<&str>,
        most: usize,
    ) -> Result<Matches, FileError> {
        let regex = RegexBuilder::new(&regex::escape(words.trim())).case_insensitive(true).build();
        let regex = regex.map_err(|_| FileError::LongPattern(words.chars().take(60).collect()))?;
        let mut matches = Matches::default();
        let mut left = MAX_SEARCH_BYTES;
        let mut walk = Walk::default();
        let places = self.searched(path)?;
        let mut look = |place: &Place| {
            if matches.found.len() == most || left == 0 {
                matches.truncated = true;
                return false;
            }
            // A file that cannot be read, or is no text, has nothing to show.
            let Ok((file, _)) = ordinary(place) else { return true };
            let mut read = Vec::new();
            let limit = left.min(MAX_FILE_BYTES);
            if file.take(limit + 1).read_to_end(&mut read).is_err() {
                return true;
            }
            let is_cut = read.len() as u64 > limit;
            read.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
            left -= read.len() as u64;
            matches.truncated |= is_cut;
            let Some(text) = text(&read, is_cut) else { return true };
            let line = text.lines().enumerate().find(|(_, line)| regex.is_match(line));
            if let Some((number, line)) = line {
                let text = line.trim().chars().take(MAX_LINE_CHARS).collect();
                matches.found.push(TextMatch { path: place.path(), line: number + 1, text });
            }
            true
        };
        // What Spotlight knows comes first, so that a large folder is not read in vain; what it does not know is read as well.
        let known = self.known_to_spotlight(&places, words);
        for place in &known {
            look(place);
        }
        let known: HashSet<PathBuf> = known.iter().map(Place::path).collect();
        for place in places {
            walk.files(&place, &mut |place: &Place| {
                !known.is_empty() && known.contains(&place.path()) || look(place)
            })?;
        }
        matches.truncated |= walk.is_cut;
        matches.found.sort_by(|a, b| a.path.cmp(&b.path));
        matches.found.dedup_by(|a, b| a.path == b.path);
        Ok(matches)
    }

    /// Files that Spotlight names on a Mac, as far as they are in the allowed folders.
    fn known_to_spotlight(&self, places: &[Place], words: &str) -> Vec<Place> {
        let Some(mac) = Mac::here() else { return Vec::new() };
        let found = places.iter().flat_map(|place| {
            mac.spotlight(&place.path(), words).unwrap_or_else(|error| {
                tracing::warn!(%error, "Spotlight is not asked");
                Vec::new()
            })
        });
        found.take(MAX_KNOWN).filter_map(|path| self.place(path.to_str()?).ok()).collect()
    }
}

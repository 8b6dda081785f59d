//! Several files read as one: what is too large for one package comes in parts.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Files whose bytes follow each other.
#[derive(Debug)]
pub struct JoinedFiles {
    /// Each with where its first byte is in the whole.
    parts: Vec<(u64, File)>,
    length: u64,
    at: u64,
}

impl JoinedFiles {
    /// Opens them all.
    ///
    /// # Errors
    /// With the file that cannot be opened.
    pub fn open(paths: &[PathBuf]) -> Result<Self, (&Path, io::Error)> {
        let (mut parts, mut length) = (Vec::new(), 0);
        for path in paths {
            let open = || File::open(path).and_then(|file| Ok((file.metadata()?.len(), file)));
            let (size, file) = open().map_err(|error| (path.as_path(), error))?;
            parts.push((length, file));
            length += size;
        }
        Ok(Self { parts, length, at: 0 })
    }
}

impl Read for JoinedFiles {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let at = self.at;
        let ends = self.parts.iter().skip(1).map(|(start, _)| *start).chain([self.length]);
        let ends: Vec<u64> = ends.collect();
        let Some((index, end)) = ends.into_iter().enumerate().find(|(_, end)| at < *end) else {
            return Ok(0);
        };
        let (start, file) = &mut self.parts[index];
        file.seek(SeekFrom::Start(at - *start))?;
        // A buffer is never longer than a u64 counts.
        let room = buffer.len().min(usize::try_from(end - at).unwrap_or(usize::MAX));
        let read = file.read(&mut buffer[..room])?;
        if read == 0 && room > 0 {
            return Err(io::Error::new(ErrorKind::UnexpectedEof, "a part became shorter while it was read"));
        }
        self.at += read as u64;
        Ok(read)
    }
}

impl Seek for JoinedFiles {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.length.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or_else(|| io::Error::from(ErrorKind::InvalidInput))?;
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_as_if_they_were_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<PathBuf> = ["abc", "", "defgh", "i"]
            .iter()
            .enumerate()
            .map(|(number, text)| {
                let path = folder.path().join(number.to_string());
                std::fs::write(&path, text).unwrap();
                path
            })
            .collect();
        let mut joined = JoinedFiles::open(&paths).unwrap();
        let mut text = String::new();
        joined.read_to_string(&mut text).unwrap();
        assert_eq!(text, "abcdefghi");
        for (to, expected) in
            [(SeekFrom::Start(2), "cd"), (SeekFrom::Current(1), "fg"), (SeekFrom::End(-2), "hi")]
        {
            joined.seek(to).unwrap();
            let mut two = [0; 2];
            joined.read_exact(&mut two).unwrap();
            assert_eq!(two, expected.as_bytes());
        }
        joined.seek(SeekFrom::Start(100)).unwrap();
        assert_eq!(joined.read(&mut [0; 4]).unwrap(), 0);
        assert!(joined.seek(SeekFrom::Current(-1000)).is_err());
        let (missing, _) =
            JoinedFiles::open(&[folder.path().join("x")]).map_err(|(p, e)| (p.to_owned(), e)).unwrap_err();
        assert!(missing.ends_with("x"));
    }
}

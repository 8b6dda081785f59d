//! Screenshots: files in a folder of Hark's, of which the newest are kept.

use crate::launch::private_folder;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Screenshots that are kept.
const MAX_KEPT: usize = 50;
/// Where a PNG has its width and its height, big-endian.
const WIDTH_AT: usize = 16;
const HEIGHT_AT: usize = 20;

/// A picture of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screenshot {
    /// The file, a PNG.
    pub path: PathBuf,
    /// Its size.
    pub bytes: usize,
    /// Width of the picture, pixels.
    pub width: u32,
    /// Its height, pixels.
    pub height: u32,
}

/// Writes a picture under a name that sorts by time, and removes the oldest beyond those that are kept. For a thread that may
/// wait for the disk.
pub(crate) fn keep(folder: &Path, name: &str, png: &[u8]) -> io::Result<Screenshot> {
    private_folder(folder)?;
    let path = folder.join(format!("{name}.png"));
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?.write_all(png)?;
    let mut kept: Vec<PathBuf> = fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
    kept.retain(|path| path.extension().is_some_and(|extension| extension == "png"));
    kept.sort();
    let over = kept.len().saturating_sub(MAX_KEPT);
    kept[..over].iter().try_for_each(fs::remove_file)?;
    let number = |at: usize| {
        png.get(at..at + 4).map_or(0, |bytes| bytes.iter().fold(0, |all, byte| all << 8 | u32::from(*byte)))
    };
    Ok(Screenshot { path, bytes: png.len(), width: number(WIDTH_AT), height: number(HEIGHT_AT) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("shots");
        let mut png = vec![0; 24];
        (png[WIDTH_AT + 2], png[HEIGHT_AT + 3]) = (5, 9);
        for number in 0..MAX_KEPT + 3 {
            let shot = keep(&folder, &format!("{number:03}"), &png).unwrap();
            assert_eq!((shot.bytes, shot.width, shot.height), (24, 1280, 9));
        }
        assert!(keep(&folder, "052", &png).is_err(), "none is written over");
        let names = fs::read_dir(&folder).unwrap().count();
        assert_eq!(
            (names, folder.join("002.png").exists(), folder.join("003.png").exists()),
            (MAX_KEPT, false, true)
        );
    }
}

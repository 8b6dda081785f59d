//! What takes a change of a file back: whether it is still as it was left, and making it shorter or removing it.

use super::writing::{entry_of, parent};
use super::{FileError, Files, ordinary, refused};
use rustix::fs::{AtFlags, Mode, OFlags};
use sha2::{Digest, Sha256};
use std::fs::File;

impl Files {
    /// What the content of a file comes to, SHA-256 in hexadecimal digits.
    ///
    /// # Errors
    /// When it may not be read, or is no ordinary file.
    pub fn digest(&self, path: &str) -> Result<String, FileError> {
        let place = self.place(path)?;
        let (mut file, _) = ordinary(&place)?;
        let mut hasher = Sha256::new();
        std::io::copy(&mut file, &mut hasher)
            .map_err(|error| FileError::Refused(place.shown(), error.to_string()))?;
        Ok(format!("{:x}", hasher.finalize()))
    }

    /// Cuts a file to so many bytes.
    ///
    /// # Errors
    /// When it may not be written, or is no ordinary file.
    pub fn cut(&self, path: &str, bytes: u64) -> Result<(), FileError> {
        let place = self.writable(path)?;
        ordinary(&place)?;
        let (folder, name) = parent(&place)?;
        let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&folder, name, flags, Mode::empty())
            .map_err(|errno| refused(&place, errno))?;
        let file = File::from(file);
        let cut = file.set_len(bytes).and_then(|()| file.sync_all());
        cut.map_err(|error| FileError::Refused(place.shown(), error.to_string()))
    }

    /// Removes a file, for good.
    ///
    /// # Errors
    /// When it may not be written, is no ordinary file, or is still there.
    pub fn remove(&self, path: &str) -> Result<(), FileError> {
        let place = self.writable(path)?;
        ordinary(&place)?;
        let (folder, name) = parent(&place)?;
        rustix::fs::unlinkat(&folder, name, AtFlags::empty()).map_err(|errno| refused(&place, errno))?;
        match entry_of(&place)? {
            None => Ok(()),
            Some(_) => Err(FileError::Refused(place.shown(), "it is still there".to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn files_are_cut_and_removed_inside_their_folder_only() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        fs::create_dir_all(base.join("desk/inner")).unwrap();
        fs::write(base.join("desk/a.txt"), "one\ntwo\n").unwrap();
        fs::write(base.join("secret.txt"), "the secret").unwrap();
        symlink(base.join("secret.txt"), base.join("desk/key.txt")).unwrap();
        let files = Files::of_folder(base.join("desk"), 1000);
        for path in ["key.txt", "../secret.txt", "inner", "nothing.txt", "."] {
            assert!(files.cut(path, 0).is_err() && files.remove(path).is_err(), "{path}");
        }
        assert_eq!(fs::read_to_string(base.join("secret.txt")).unwrap(), "the secret");
        let whole = files.digest("a.txt").unwrap();
        files.cut("a.txt", 4).unwrap();
        assert_eq!(fs::read_to_string(base.join("desk/a.txt")).unwrap(), "one\n");
        assert_ne!(files.digest("a.txt").unwrap(), whole);
        files.remove("a.txt").unwrap();
        assert!(!base.join("desk/a.txt").exists() && base.join("desk/inner").exists());
    }
}

//! Puts the shipped languages into the program: every `models/languages/<code>/*.toml`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    // Asked when it runs: checkouts that share a target folder share this program, too.
    let crate_folder = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let languages = crate_folder.join("../../models/languages").canonicalize()?;
    println!("cargo:rerun-if-changed={}", languages.display());
    let mut table = String::from("&[\n");
    for folder in sorted(&languages)? {
        println!("cargo:rerun-if-changed={}", folder.display());
        for file in sorted(&folder)? {
            if file.extension().is_none_or(|extension| extension != "toml") {
                continue;
            }
            println!("cargo:rerun-if-changed={}", file.display());
            let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let (code, file_name) = (name(&folder), name(&file));
            writeln!(table, "    ({code:?}, {file_name:?}, include_str!({:?})),", file.display().to_string())
                .map_err(io::Error::other)?;
        }
    }
    table.push_str("]\n");
    let out = env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
    fs::write(out.join("shipped.rs"), table)
}

fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    paths.sort();
    Ok(paths)
}

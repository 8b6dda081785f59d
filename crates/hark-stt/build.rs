//! Links PocketSphinx, which Debian ships as a C library.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if let Err(error) = pkg_config::probe_library("pocketsphinx") {
        panic!("pocketsphinx is missing ({error}); install it with: apt-get install libpocketsphinx-dev");
    }
}

//! The `hark` program: hands over to the command line and turns its result into an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    hark_models::memory::keep_little();
    hark::cli::main()
}

//! The `hark` program: hands over to the command line.

fn main() {}

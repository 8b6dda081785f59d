//! What subcommands do by themselves, without a running daemon.

pub mod ask;
pub mod demo;
pub mod hear;
pub mod listen;
pub mod loopback;
pub mod replay;
pub mod reply_file;
pub mod say;

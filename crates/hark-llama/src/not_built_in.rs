//! Stands in for the engine in a program that was built without llama.cpp: it never starts.

use crate::{Error, Listener, Request, Settings};

/// A thread that llama.cpp runs on; here there is none.
#[derive(Debug)]
pub enum Engine {}

impl Engine {
    /// Refuses.
    ///
    /// # Errors
    /// Always [`Error::NotBuiltIn`].
    pub fn start(_settings: Settings) -> Result<Self, Error> {
        Err(Error::NotBuiltIn)
    }

    /// Cannot be called: there is no such engine.
    pub fn ask(&self, _request: Request, _listener: Box<dyn Listener>) {
        match *self {}
    }
}

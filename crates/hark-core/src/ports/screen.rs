//! What is to be seen on the screen: the text in a picture of it, implemented by `hark-ocr`, and what it shows in words, which
//! a language model says. The tools of the screen use both.

use crate::fault::{Fault, FaultKind};
use crate::ids::TurnId;
use crate::model::Picture;
use std::future::Future;
use std::pin::Pin;

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pixels {
    /// Pixels of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Red, green and blue of each pixel, row by row from above: `width * height * 3` bytes.
    pub rgb: Vec<u8>,
}

/// A line of text in a picture, and the box around it, pixels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextLine {
    /// What stands there. Anybody may have written it.
    pub text: String,
    /// Left edge.
    pub x: u32,
    /// Upper edge.
    pub y: u32,
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

/// Reads the text in pictures.
pub trait ReadsText: Send + Sync {
    /// Whether it can.
    ///
    /// # Errors
    /// Why it cannot, and what to do about it.
    fn ready(&self) -> Result<(), Fault>;

    /// The lines of a picture, from above and from the left. Takes seconds; call it where waiting is allowed.
    ///
    /// # Errors
    /// When it is not ready, or a model fails.
    fn read(&self, picture: &Pixels) -> Result<Vec<TextLine>, Fault>;
}

/// Nothing that reads.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadsNothing;

impl ReadsText for ReadsNothing {
    fn ready(&self) -> Result<(), Fault> {
        let message = "nothing that reads text in pictures is part of this program";
        Err(Fault::new(FaultKind::MissingPart, "ocr", message, "use hark itself"))
    }

    fn read(&self, _picture: &Pixels) -> Result<Vec<TextLine>, Fault> {
        self.ready().map(|()| Vec::new())
    }
}

/// What is asked of a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct PictureQuestion {
    /// The turn it is asked in, which is told where the picture went.
    pub turn: Option<TurnId>,
    /// The picture.
    pub picture: Picture,
    /// What is asked; empty: what it shows.
    pub question: String,
    /// Language of the answer, ISO 639-1.
    pub language: String,
}

/// The answer to a [`PictureQuestion`].
pub type Description = Pin<Box<dyn Future<Output = Result<String, Fault>> + Send>>;

/// Says in words what a picture shows.
pub trait DescribesPictures: Send + Sync {
    /// The answer. The picture goes to whatever model is configured for pictures, which may be outside the house.
    ///
    /// # Errors
    /// When the model does not answer, or its answer is none.
    fn describe(&self, asked: PictureQuestion) -> Description;
}

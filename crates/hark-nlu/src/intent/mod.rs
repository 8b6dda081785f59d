//! What kind of request a text is, learned from examples: a sentence encoder (ONNX) turns the text into
//! numbers, a logistic regression on them (the head) into categories and intents.
//!
//! The encoder is made once (`models/intent/README.md`). The head is trained here, in seconds, from
//! samples of the templates, the examples in `models/intent/examples` and the owner's own.

mod catalogue;
mod classifier;
pub mod data;
mod encoder;
mod error;
pub mod examples;
mod head;
mod lazy_classifier;
mod lbfgs;
mod logistic;
mod paths;
mod report;
mod train;

pub use catalogue::{category_of, intents, leans_on_another};
pub use classifier::{Classifier, Standing};
pub use encoder::{Encoder, TokenVectors};
pub use error::IntentError;
pub use head::Head;
pub use lazy_classifier::LazyClassifier;
pub use logistic::dot;
pub use paths::IntentPaths;
pub use report::{Report, Share};
pub use train::{Step, Told, Training, train};

#[cfg(test)]
mod shipped_tests;

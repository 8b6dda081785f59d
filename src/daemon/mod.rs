//! The composition root: creates threads and channels, carries out effects, supervises parts.

//! From text to the speaker: voices, playback ring and callback, earcons.

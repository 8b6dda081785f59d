//! Limits that are not configurable: sizes and times.

use std::time::Duration;

/// Bytes of a request's body and of a WebSocket's message, besides its pictures; also of one frame of sound.
pub const MAX_BODY_BYTES: usize = 64 * 1024;
/// Longer ones that are taken at a time.
pub const MAX_IMAGE_REQUESTS: usize = 4;
/// How far a microphone may be ahead of the time that passes: after a pause of the network what was held up comes at once.
pub const MAX_SOUND_AHEAD_S: f64 = 5.0;
/// Frames of sound in a second; those of a browser are 20 to 100 ms long.
pub const MAX_FRAMES_PER_SECOND: f64 = 200.0;
/// Bytes of the request line with its headers.
pub const MAX_HEADER_BYTES: usize = 16 * 1024;
/// Header fields of a request.
pub const MAX_HEADERS: usize = 64;
/// Conversations whose answers one socket is sent; a further one takes the place of the oldest.
pub const MAX_SESSIONS_PER_SOCKET: usize = 16;
/// Characters of a request, or of a text to be said.
pub const MAX_TEXT_CHARACTERS: usize = 4096;

/// Time limits; tests use shorter ones.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Until the headers of a request are there, from the connection or the last answer on.
    pub headers: Duration,
    /// Until the body is there.
    pub body: Duration,
    /// Until a body with pictures is there.
    pub long_body: Duration,
    /// Until a WebSocket client has taken a message.
    pub write: Duration,
    /// Between two pings.
    pub ping: Duration,
    /// Without a sign of life of a WebSocket client.
    pub idle: Duration,
    /// A connection for requests; the client makes a new one.
    pub connection: Duration,
    /// Until a turn that was asked for has closed.
    pub ask: Duration,
    /// Between two attempts to get a port that is taken.
    pub port: Duration,
    /// Without sound of a browser's microphone, until its ear is given back.
    pub microphone: Duration,
    /// Public events a socket is sent in a second; what belongs to its own conversations does not count.
    pub events_per_second: u32,
}

impl Default for Limits {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            headers: seconds(10),
            body: seconds(10),
            long_body: seconds(60),
            write: seconds(10),
            ping: seconds(25),
            idle: seconds(70),
            connection: seconds(300),
            ask: seconds(90),
            port: seconds(5),
            microphone: seconds(60),
            events_per_second: 200,
        }
    }
}

//! The stage without a room: samples, clocks and devices that misbehave.

//! When the sun rises and sets.

use chrono::NaiveDate;
use hark_core::automation::SunEvent;
use hark_core::home::Location;
use sunrise::{Coordinates, SolarDay, SolarEvent};

/// The moment of sunrise or sunset on a day, milliseconds since the Unix epoch; `None` where it does neither on that
/// day, or the place is none on the globe.
pub fn unix_ms(location: Location, day: NaiveDate, event: SunEvent) -> Option<i64> {
    let place = Coordinates::new(location.latitude, location.longitude)?;
    let event = match event {
        SunEvent::Sunrise => SolarEvent::Sunrise,
        SunEvent::Sunset => SolarEvent::Sunset,
    };
    SolarDay::new(place, day).event_time(event).map(|at| at.timestamp_millis())
}

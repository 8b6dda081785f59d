//! Where the machine is, as GeoClue finds it out (<https://www.freedesktop.org/software/geoclue/docs/>), where the machine's owner lets
//! it. What is no better than a guess from the address in the internet is no answer.

use crate::bus::{Desktop, DesktopError, Service, told, uncached, with_bus_for};
use std::time::{Duration, Instant};
use zbus::zvariant::OwnedObjectPath;
use zbus::{Connection, Proxy};

const MANAGER_PATH: &str = "/org/freedesktop/GeoClue2/Manager";
const MANAGER: &str = "org.freedesktop.GeoClue2.Manager";
const CLIENT: &str = "org.freedesktop.GeoClue2.Client";
const LOCATION: &str = "org.freedesktop.GeoClue2.Location";
/// What Hark is called in GeoClue's configuration.
const DESKTOP_ID: &str = "hark";
/// As exact as it can be (`GCLUE_ACCURACY_LEVEL_EXACT`).
const EXACT: u32 = 8;
/// A place that may be farther off is a guess: from the address in the internet it is tens of kilometres.
const MAX_ACCURACY_METRES: f64 = 2_000.0;
/// How long it may take until the place is known, and how often that is looked at.
const FOUND_WITHIN: Duration = Duration::from_secs(6);
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// Time for all of it.
const LIMIT: Duration = Duration::from_secs(10);

/// Where the machine is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Position {
    /// Degrees, north of the equator.
    pub latitude: f64,
    /// Degrees, east of Greenwich.
    pub longitude: f64,
    /// How far off it may be.
    pub accuracy_metres: f64,
}

impl Desktop {
    /// Where the machine is. May wait for some seconds.
    ///
    /// # Errors
    /// When there is no GeoClue, it is not allowed to tell, or it knows no better than a guess.
    pub async fn position(&self) -> Result<Position, DesktopError> {
        self.offers(Service::Location)?;
        with_bus_for(LIMIT, |bus| async move {
            let service = Service::Location.name();
            let manager = uncached(&bus, service, MANAGER_PATH, MANAGER).await?;
            let client: OwnedObjectPath = manager.call("GetClient", &()).await.map_err(told)?;
            let client = uncached(&bus, service, client, CLIENT).await?;
            client.set_property("DesktopId", DESKTOP_ID).await.map_err(told)?;
            client.set_property("RequestedAccuracyLevel", EXACT).await.map_err(told)?;
            let () = client.call("Start", &()).await.map_err(told)?;
            let until = Instant::now() + FOUND_WITHIN;
            let mut found = place(&bus, &client).await?;
            // The first place that is found may be a guess, which a better one follows.
            while !found.as_ref().is_some_and(Position::is_known) && Instant::now() < until {
                tokio::time::sleep(LOOK_EVERY).await;
                found = place(&bus, &client).await?;
            }
            // Nothing is lost where it does not answer: GeoClue ends clients whose program has gone.
            let _: Result<(), _> = client.call("Stop", &()).await;
            match found {
                Some(position) if position.is_known() => Ok(position),
                Some(_) => Err(DesktopError::Missing("GeoClue only guesses where this machine is")),
                None => Err(DesktopError::Missing("GeoClue does not find out where this machine is")),
            }
        })
        .await
    }
}

/// What GeoClue has found so far.
async fn place(bus: &Connection, client: &Proxy<'_>) -> Result<Option<Position>, DesktopError> {
    let path: OwnedObjectPath = client.get_property("Location").await.map_err(told)?;
    if path.as_str() == "/" {
        return Ok(None);
    }
    let location = uncached(bus, Service::Location.name(), path, LOCATION).await?;
    let number = async |name| location.get_property::<f64>(name).await.map_err(told);
    Ok(Some(Position {
        latitude: number("Latitude").await?,
        longitude: number("Longitude").await?,
        accuracy_metres: number("Accuracy").await?,
    }))
}

impl Position {
    /// Whether it is a place on earth, and no guess.
    fn is_known(&self) -> bool {
        let is_place = self.latitude.abs() <= 90.0 && self.longitude.abs() <= 180.0;
        is_place && (0.0..=MAX_ACCURACY_METRES).contains(&self.accuracy_metres)
    }
}

//! The screen of a Wayland desktop, which shows it by its portal (org.freedesktop.portal.Screenshot,
//! <https://flatpak.github.io/xdg-desktop-portal/docs/>). The portal may ask who sits there, the first time or each time.

use super::{Capture, ScreenError};
use crate::bus::{DesktopError, looked, looked_for, told, uncached};
use futures_util::StreamExt;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};
use zbus::Connection;
use zbus::zvariant::{OwnedObjectPath, OwnedValue, Value};

const NAME: &str = "org.freedesktop.portal.Desktop";
const PATH: &str = "/org/freedesktop/portal/desktop";
const SCREENSHOT: &str = "org.freedesktop.portal.Screenshot";
const REQUEST: &str = "org.freedesktop.portal.Request";
/// How long the portal may take to answer; it may ask the user.
const LIMIT: Duration = Duration::from_secs(25);
/// Most bytes of a picture's file.
const MAX_BYTES: u64 = 128 * 1024 * 1024;

/// Requests so far, which each have a name of their own.
static REQUESTS: AtomicU32 = AtomicU32::new(1);

/// Whether there is a portal that takes pictures of the screen. May wait for a second.
pub(super) fn is_there() -> bool {
    let version = async {
        let portal = uncached(&session().await?, NAME, PATH, SCREENSHOT).await?;
        portal.get_property::<u32>("version").await.map_err(told)
    };
    looked(version).is_ok()
}

/// A picture of the whole screen.
pub(super) fn screenshot() -> Result<Capture, ScreenError> {
    let began = SystemTime::now();
    let path = looked_for(LIMIT, taken()).map_err(|error| match error {
        DesktopError::Timeout => ScreenError::Timeout,
        DesktopError::NoSession(_) => ScreenError::Hidden,
        error => ScreenError::NotDone(format!("the desktop's portal does not show the screen: {error}")),
    })?;
    let picture = read(&path)
        .map_err(|why| ScreenError::Failed(format!("the picture {} cannot be read: {why}", path.display())));
    // It was made for this: pictures of the screen are kept in one place only. What is older is somebody's own.
    let is_new = fs::metadata(&path).and_then(|file| file.modified()).is_ok_and(|at| at >= began);
    if picture.is_ok() && is_new {
        let _ = fs::remove_file(&path);
    }
    picture
}

async fn session() -> Result<Connection, DesktopError> {
    Connection::session().await.map_err(|error| DesktopError::NoSession(error.to_string()))
}

/// The file that the portal makes.
async fn taken() -> Result<PathBuf, DesktopError> {
    let bus = session().await?;
    let portal = uncached(&bus, NAME, PATH, SCREENSHOT).await?;
    let token = format!("hark{}", REQUESTS.fetch_add(1, Ordering::Relaxed));
    let sender = bus.unique_name().map(|name| name.trim_start_matches(':').replace('.', "_"));
    // Listened to before it is asked for: the answer may come at once.
    let request = format!("{PATH}/request/{}/{token}", sender.unwrap_or_default());
    let request = uncached(&bus, NAME, request, REQUEST).await?;
    let mut answers = request.receive_signal("Response").await.map_err(told)?;
    let options: HashMap<&str, Value<'_>> =
        [("handle_token", Value::from(token.as_str())), ("interactive", Value::from(false))].into();
    let _: OwnedObjectPath = portal.call("Screenshot", &("", options)).await.map_err(told)?;
    let answer = answers.next().await.ok_or(DesktopError::Timeout)?;
    let (code, results): (u32, HashMap<String, OwnedValue>) = answer.body().deserialize().map_err(told)?;
    if code != 0 {
        return Err(DesktopError::Denied("whoever sits there, or the desktop, said no".into()));
    }
    let address = results.get("uri").and_then(|uri| <&str>::try_from(uri).ok()).unwrap_or_default();
    let path = url::Url::parse(address).ok().and_then(|address| address.to_file_path().ok());
    path.ok_or_else(|| DesktopError::Failed(format!("“{address}” is no file")))
}

fn read(path: &Path) -> Result<Capture, String> {
    let bytes = fs::metadata(path).map_err(|error| error.to_string())?.len();
    if bytes > MAX_BYTES {
        return Err(format!("it has {bytes} bytes"));
    }
    Capture::of_png(fs::read(path).map_err(|error| error.to_string())?)
}

//! Notifications on this desktop (<https://specifications.freedesktop.org/notification-spec/latest/>).

use crate::bus::{Desktop, DesktopError, told, with_session};
use std::collections::HashMap;
use zbus::Proxy;
use zbus::zvariant::Value;

const NAME: &str = "org.freedesktop.Notifications";
const PATH: &str = "/org/freedesktop/Notifications";
/// The service decides how long it is shown.
const USUAL_TIME: i32 = -1;

impl Desktop {
    /// Shows a notification.
    ///
    /// # Errors
    /// When there is no session, or nothing in it that shows notifications.
    pub async fn notify(&self, title: &str, text: &str) -> Result<(), DesktopError> {
        if let Some(mac) = &self.mac {
            return Ok(mac.notify(title, text).await?);
        }
        // The body may hold marks (`<b>`); words of people are none.
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let title = title.to_owned();
        with_session(|bus| async move {
            let service = Proxy::new(&bus, NAME, PATH, NAME).await.map_err(told)?;
            let (actions, hints) = (Vec::<&str>::new(), HashMap::<&str, Value<'_>>::new());
            let about = ("Hark", 0u32, "", title.as_str(), text.as_str(), actions, hints, USUAL_TIME);
            // Its number, by which it could be taken back.
            let _: u32 = service.call("Notify", &about).await.map_err(told)?;
            Ok(())
        })
        .await
    }
}

//! The accessibility bus: where it is, and calls to what is on it.

use crate::error::AccessibilityError;
use std::time::Duration;
use zbus::zvariant::{DynamicType, OwnedObjectPath, OwnedValue, Type};
use zbus::{Connection, connection};

/// Time a call may take: a program that hangs answers none.
const LIMIT: Duration = Duration::from_secs(2);

/// An object on the bus: the program that has it, and its path there.
pub(crate) type Place = (String, OwnedObjectPath);

/// The accessibility bus of this session.
pub(crate) struct Bus(Connection);

impl Bus {
    /// Connects; the session's bus starts the accessibility bus where it does not run.
    ///
    /// # Errors
    /// When there is no session, or no such bus in it.
    pub(crate) async fn open() -> Result<Self, AccessibilityError> {
        let none = |error: zbus::Error| AccessibilityError::NoBus(error.to_string());
        let opening = async {
            let session = Connection::session().await.map_err(none)?;
            let answer = session.call_method(
                Some("org.a11y.Bus"),
                "/org/a11y/bus",
                Some("org.a11y.Bus"),
                "GetAddress",
                &(),
            );
            let address: String = answer.await.map_err(none)?.body().deserialize().map_err(none)?;
            let bus =
                connection::Builder::address(address.as_str()).map_err(none)?.build().await.map_err(none)?;
            Ok(Self(bus))
        };
        let late = || AccessibilityError::NoBus("it does not answer".into());
        tokio::time::timeout(2 * LIMIT, opening).await.unwrap_or_else(|_| Err(late()))
    }

    /// Calls a method of an object.
    ///
    /// # Errors
    /// When the program answers with an error, something else than it should, or not in time.
    pub(crate) async fn call<T>(
        &self,
        at: &Place,
        interface: &str,
        method: &str,
        body: &(impl serde::Serialize + DynamicType),
    ) -> Result<T, AccessibilityError>
    where
        T: serde::de::DeserializeOwned + Type,
    {
        let failed = |error: zbus::Error| AccessibilityError::Failed(error.to_string());
        let calling = self.0.call_method(Some(at.0.as_str()), &at.1, Some(interface), method, body);
        let answer = tokio::time::timeout(LIMIT, calling).await.map_err(|_| AccessibilityError::Timeout)?;
        answer.map_err(failed)?.body().deserialize().map_err(failed)
    }

    /// A property of an object that is a text.
    ///
    /// # Errors
    /// As [`Bus::call`].
    pub(crate) async fn text(
        &self,
        at: &Place,
        interface: &str,
        name: &str,
    ) -> Result<String, AccessibilityError> {
        let value: OwnedValue =
            self.call(at, "org.freedesktop.DBus.Properties", "Get", &(interface, name)).await?;
        String::try_from(value).map_err(|error| AccessibilityError::Failed(error.to_string()))
    }
}

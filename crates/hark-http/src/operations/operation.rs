//! What is said of an operation, for the router and for the OpenAPI document.

use crate::server_state::SharedState;
use axum::routing::MethodRouter;
use schemars::{Schema, SchemaGenerator};

/// Makes the schema of a type, with what it refers to.
pub(crate) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// A parameter of the address.
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// A whole number within these bounds; a text when there are none.
    pub(crate) range: Option<(u32, u32)>,
}

/// What a success looks like.
pub(crate) enum Success {
    /// 200 with an object.
    Object(SchemaOf),
    /// 200 with the OpenAPI document.
    Document,
    /// 200 with plain text.
    Text,
    /// 204.
    Nothing,
    /// 101: from here on it is a WebSocket.
    Socket,
    /// 200 with a WAV file.
    Sound,
}

/// One operation.
pub(crate) struct Operation {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) id: &'static str,
    pub(crate) about: &'static str,
    pub(crate) parameters: &'static [Parameter],
    pub(crate) body: Option<SchemaOf>,
    pub(crate) success: Success,
    /// Statuses it can answer besides its success and those every operation can.
    pub(crate) refusals: &'static [u16],
    pub(crate) handler: fn() -> MethodRouter<SharedState>,
}

/// What any request can be answered.
pub(crate) const EVERYWHERE: [u16; 4] = [400, 401, 403, 429];
/// What a request with a body can be answered besides.
pub(super) const WITH_BODY: [u16; 7] = [408, 413, 415, 422, 500, 503, 504];
/// The same where the address names one thing of many.
pub(super) const WITH_BODY_OF_ONE: [u16; 8] = [404, 408, 413, 415, 422, 500, 503, 504];
/// What can be answered by what reads the store.
pub(super) const WITH_STORE: [u16; 2] = [500, 503];
pub(super) const ONE_OF_STORE: [u16; 3] = [404, 500, 503];
pub(super) const ONE_SESSION: [u16; 4] = [404, 422, 500, 503];

pub(super) const fn query(name: &'static str, about: &'static str) -> Parameter {
    Parameter { name, about, range: None }
}

pub(super) const fn reads(
    path: &'static str,
    id: &'static str,
    about: &'static str,
    success: Success,
) -> Operation {
    Operation {
        method: "get",
        path,
        id,
        about,
        parameters: &[],
        body: None,
        success,
        refusals: &WITH_STORE,
        handler: || MethodRouter::new(),
    }
}

//! The table of operations: from it both the router and `contracts/openapi.json` are made, so that neither can have
//! what the other has not.

pub(super) mod operation;
mod setup_table;
mod table;

use super::server_state::SharedState;
use super::{handlers, tool_host, web_page};
use axum::Router;
use axum::routing::{get, post};
use operation::Operation;

/// All there are.
pub(super) fn all() -> impl Iterator<Item = &'static Operation> {
    table::OPERATIONS.iter().chain(&setup_table::OPERATIONS)
}

/// The router of the tables.
pub(super) fn router(app: SharedState) -> Router {
    let all = all().fold(Router::new(), |router, operation| {
        let path = operation.path.replace('{', ":").replace('}', "");
        router.route(&path, (operation.handler)())
    });
    all.merge(web_page::routes()).with_state(app)
}

/// What only commands of the owner ask, by the socket in the state folder: no promise to programs.
pub(super) fn owner_router(app: SharedState) -> Router {
    Router::new()
        .route("/own/home", get(handlers::own_home))
        .route("/own/tools", get(tool_host::tools))
        .route("/own/tools/call", post(tool_host::call))
        .route("/own/tools/answer", post(tool_host::answer))
        .with_state(app)
}

//! The OpenAPI document, made from the table of operations.

use super::operations;
use super::operations::operation::{EVERYWHERE, Operation, Success};
use super::wire;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use std::sync::OnceLock;

/// Where the schemas lie.
const SCHEMAS: &str = "/components/schemas";

/// The document as it is served and kept in `contracts/`.
pub(super) fn text() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| format!("{:#}\n", document()))
}

/// OpenAPI 3.1.
pub(super) fn document() -> Value {
    let settings =
        || SchemaSettings::draft2020_12().with(|settings| settings.definitions_path = SCHEMAS.into());
    let mut sent = settings().for_deserialize().into_generator();
    let mut got = settings().for_serialize().into_generator();
    let error = got.subschema_for::<wire::Error>().to_value();
    let (mut paths, mut sockets): (Map<String, Value>, Map<String, Value>) = Default::default();
    for operation in operations::all() {
        let described = describe(operation, &error, &mut sent, &mut got);
        // OpenAPI cannot describe a WebSocket: tools that try out `paths` cannot open one.
        let is_socket = matches!(operation.success, Success::Socket);
        let place = if is_socket { &mut sockets } else { &mut paths };
        let place = place.entry(operation.path).or_insert_with(|| json!({}));
        if let Value::Object(methods) = place {
            methods.insert(operation.method.to_owned(), described);
        }
    }
    let mut schemas = got.take_definitions(true);
    schemas.extend(sent.take_definitions(true));
    schemas.sort_keys();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Hark",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "What programs and the dashboard may ask of Hark. By default it listens on this machine \
                alone; everywhere else every request shows a token. Errors are objects with `kind`, `message` and `fix`.",
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
        },
        "servers": [{ "url": "http://127.0.0.1:8765" }],
        "security": [{}, { "token": [] }],
        "paths": paths,
        "x-websockets": sockets,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": schemas,
        },
    })
}

fn describe(
    operation: &Operation,
    error: &Value,
    sent: &mut SchemaGenerator,
    got: &mut SchemaGenerator,
) -> Value {
    let mut described = json!({ "operationId": operation.id, "summary": operation.about });
    let parameters = parameters(operation);
    if !parameters.is_empty() {
        described["parameters"] = parameters.into();
    }
    if let Some(schema) = operation.body {
        described["requestBody"] = json!({
            "required": true,
            "content": { "application/json": { "schema": schema(sent).to_value() } },
        });
    }
    let mut answers: Map<String, Value> = Map::from_iter([success(&operation.success, got)]);
    let mut refusals: Vec<u16> = EVERYWHERE.iter().chain(operation.refusals).copied().collect();
    refusals.sort_unstable();
    for status in refusals {
        let answer = json!({
            "description": about(status),
            "content": { "application/json": { "schema": error } },
        });
        answers.insert(status.to_string(), answer);
    }
    described["responses"] = answers.into();
    described
}

fn parameters(operation: &Operation) -> Vec<Value> {
    let in_path = operation.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let mut parameters: Vec<Value> = in_path
        .map(|name| {
            json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string", "minLength": 1 } })
        })
        .collect();
    parameters.extend(operation.parameters.iter().map(|parameter| {
        let schema = match parameter.range {
            Some((least, most)) => json!({ "type": "integer", "minimum": least, "maximum": most }),
            None => json!({ "type": "string" }),
        };
        json!({
            "name": parameter.name, "in": "query", "required": false,
            "description": parameter.about, "schema": schema,
        })
    }));
    parameters
}

fn success(success: &Success, got: &mut SchemaGenerator) -> (String, Value) {
    let with = |kind: &str, schema: Value| {
        let content = Map::from_iter([(kind.to_owned(), json!({ "schema": schema }))]);
        json!({ "description": "The answer.", "content": content })
    };
    let (status, answer) = match success {
        Success::Object(schema) => (200, with("application/json", schema(got).to_value())),
        Success::Document => (200, with("application/json", json!({ "type": "object" }))),
        Success::Text => (200, with("text/plain", json!({ "type": "string" }))),
        Success::Nothing => (204, json!({ "description": "Done." })),
        Success::Socket => (101, json!({ "description": "From here on it is a WebSocket." })),
        Success::Sound => (200, with("audio/wav", json!({ "contentMediaType": "audio/wav" }))),
    };
    (status.to_string(), answer)
}

fn about(status: u16) -> &'static str {
    match status {
        400 => "The request is not put together as it must be.",
        401 => "The token is missing or wrong.",
        403 => {
            "Hark was reached by a name, or from a page, that is not allowed, or this is for the operator only."
        }
        404 => "There is no such thing.",
        408 => "The body did not come in time.",
        413 => "The body is too long.",
        415 => "Only JSON is taken.",
        422 => "A value in the body cannot be.",
        426 => "This address speaks WebSocket.",
        429 => "Too many requests; the header Retry-After says when to come back.",
        503 => "Hark cannot take it on now.",
        504 => "The turn has not closed in time.",
        _ => "It did not work.",
    }
}

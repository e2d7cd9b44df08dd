//! The model as JSON: `/model` for programs, `/openapi.json` for tools. Both are made from what the model says of itself.

use glowgrad::DType;
use serde_json::{Map, Value as Json, json};

use crate::app::App;
use crate::body::picture;
use crate::model::{Size, Value};

/// What `/model` answers.
pub(crate) fn model(app: &App) -> Json {
    let model = &app.work.model;
    let ports = |values: &[Value]| -> Vec<Json> { values.iter().map(port).collect() };
    let options = &app.options;
    let picture = match model.inputs() {
        [input] => picture(input).map(|(channels, height, width)| {
            json!({"channels": channels, "height": height, "width": width,
                "mean": options.picture.mean, "std": options.picture.std})
        }),
        _ => None,
    };
    json!({
        "name": options.name,
        "format": model.format(),
        "inputs": ports(model.inputs()),
        "outputs": ports(model.outputs()),
        "picture": picture,
        "batching": {
            "joins": app.found.joins,
            "reason": app.found.reason,
            "most_rows": match app.found.joins { true => options.max_batch, false => 1 },
        },
        "limits": {
            "body_bytes": options.max_body,
            "seconds": options.timeout.as_secs_f64(),
            "queue": options.queue,
        },
    })
}

/// An input or output; an open size is a text or null.
fn port(value: &Value) -> Json {
    let size = |size: &Size| match size {
        Size::Fixed(n) => json!(n),
        Size::Named(name) => json!(name),
        Size::Open => Json::Null,
    };
    let shape = value.shape.as_ref();
    json!({
        "name": value.name,
        "dtype": value.dtype.map(DType::name),
        "shape": shape.map(|sizes| sizes.iter().map(size).collect::<Vec<_>>()),
    })
}

/// Nested lists of a value's sizes.
fn schema(value: &Value) -> Json {
    let dtype = value.dtype.unwrap_or(DType::F32);
    let texts = json!({"type": "string", "enum": ["NaN", "Infinity", "-Infinity"]});
    let element = match dtype {
        DType::Bool => json!({"type": "boolean"}),
        _ if dtype.is_float() => json!({"anyOf": [{"type": "number"}, texts]}),
        _ => json!({"type": "integer"}),
    };
    let Some(sizes) = &value.shape else {
        return json!({"description": value.to_string()});
    };
    let mut nested = (sizes.iter().rev()).fold(element, |items, size| match size {
        Size::Fixed(n) => json!({"type": "array", "items": items, "minItems": n, "maxItems": n}),
        _ => json!({"type": "array", "items": items}),
    });
    nested["description"] = value.to_string().into();
    nested
}

fn object(values: &[Value]) -> Json {
    let properties: Map<String, Json> = (values.iter())
        .map(|value| (value.name.clone(), schema(value)))
        .collect();
    let names: Vec<&str> = values.iter().map(|value| value.name.as_str()).collect();
    json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
}

/// What `/openapi.json` answers: OpenAPI 3.1.
pub(crate) fn openapi(app: &App) -> Json {
    let model = &app.work.model;
    let (inputs, outputs) = (model.inputs(), model.outputs());
    let binary = |what: &str| json!({"schema": {"description": what}});
    let safetensors = "the safetensors container: an array for each name";
    let mut forms = match inputs {
        [input] => json!({"anyOf": [object(inputs), schema(input)]}),
        _ => object(inputs),
    };
    forms = json!({"type": "object", "properties": {"inputs": forms}, "required": ["inputs"], "additionalProperties": false});
    let mut bodies = json!({
        "application/json": {"schema": forms},
        "application/octet-stream": binary(safetensors),
    });
    if let [input] = inputs {
        bodies["application/x-npy"] = binary("one array, as numpy.save writes it");
        if picture(input).is_some() {
            bodies["image/png"] = binary("a picture, which becomes one sample");
            bodies["image/jpeg"] = binary("a picture, which becomes one sample");
        }
    }
    let answer = json!({"type": "object", "properties": {"outputs": object(outputs)}, "required": ["outputs"]});
    let mut answers = json!({
        "application/json": {"schema": answer},
        "application/octet-stream": binary(safetensors),
    });
    if outputs.len() == 1 {
        answers["application/x-npy"] = binary("one array, as numpy.save writes it");
    }
    let mut responses = json!({"200": {"description": "the outputs", "content": answers}});
    for (status, what) in PROBLEMS {
        responses[status] = json!({"description": what, "content": {"application/problem+json":
            {"schema": {"$ref": "#/components/schemas/Problem"}}}});
    }
    let text =
        |what: &str, kind: &str| json!({"200": {"description": what, "content": {kind: {}}}});
    let get = |summary: &str, kind: &str| json!({"get": {"summary": summary, "responses": text(summary, kind)}});
    let problem = json!({
        "type": "object",
        "description": "RFC 9457",
        "properties": {
            "type": {"type": "string"}, "title": {"type": "string"}, "status": {"type": "integer"},
            "detail": {"type": "string", "description": "what came and what was expected"},
            "remedy": {"type": "string", "description": "what to do"},
        },
    });
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {"title": app.options.name, "version": env!("CARGO_PKG_VERSION"),
            "description": format!("A model ({}) served by glow.", model.format())},
        "paths": {
            "/predict": {"post": {
                "summary": "Runs the model",
                "requestBody": {"required": true, "content": bodies},
                "responses": responses,
            }},
            "/health": get("Whether the server is live, and ready for requests", "application/json"),
            "/metrics": get("Counts and times, as OpenMetrics", "application/openmetrics-text"),
            "/model": get("Inputs, outputs and limits", "application/json"),
        },
        "components": {"schemas": {"Problem": problem}},
    });
    if app.options.token.is_some() {
        document["components"]["securitySchemes"] =
            json!({"token": {"type": "http", "scheme": "bearer"}});
        document["security"] = json!([{"token": []}]);
        document["paths"]["/health"]["get"]["security"] = json!([]);
    }
    document
}

/// The statuses of problems.
const PROBLEMS: [(&str, &str); 10] = [
    ("400", "the body cannot be read"),
    ("401", "the token is missing or not this server's"),
    ("406", "no form that Accept names can be given"),
    ("408", "the body came too slowly"),
    ("413", "the body, or what it takes to run it, is too large"),
    ("415", "the body's type is not read"),
    (
        "422",
        "names, dtypes, sizes or numbers do not fit the model",
    ),
    ("500", "the engine broke off"),
    (
        "503",
        "the server is busy or stopping; Retry-After says when to try again",
    ),
    ("504", "the request was not answered in time"),
];

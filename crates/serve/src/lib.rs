//! Models over HTTP: `glow serve`.
//!
//! A model that was read ([`model::read`]) is served by a [`Server`]: `POST /predict` takes arrays as JSON, safetensors or
//! `.npy`, and pictures; `/health`, `/metrics`, `/model` and `/openapi.json` tell of it, and `/` is a page to try it.
//! Requests whose sizes fit are joined to batches.
//!
//! A request goes this way: `server` accepts its connection, `routes` its head, `body_reader` reads the body within limits,
//! `body` makes arrays of it and checks them, `queue` joins it with others, `worker` runs them on an engine, and `predict`
//! writes the outputs. Left to others: TLS, several models, and access by more than one token, which a reverse proxy adds.

mod app;
mod body;
mod body_reader;
pub mod command;
mod connections;
mod deployment;
mod describe;
pub mod log;
mod memory;
mod metrics;
pub mod model;
mod options;
mod predict;
mod probe;
mod problem;
mod queue;
mod routes;
mod rows;
mod server;
mod token;
mod worker;

pub use body::Picture;
pub use options::Options;
pub use problem::Problem;
pub use server::Server;
pub use token::Token;
pub use worker::OpenDevice;

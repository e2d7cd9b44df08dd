//! The brain of the lab: commands in, events out. Knows no transport.
//!
//! [`Session`] runs [`protocol::Command`]s one at a time and emits [`protocol::Event`]s. In the
//! page it lives in a worker (crate `glowgrad-web`); natively [`spawn`] gives it a thread.

#[cfg(feature = "python")]
mod call_site;
mod constants;
mod describe;
pub mod drawing;
#[cfg(feature = "python")]
mod figure;
#[cfg(feature = "python")]
mod kernels;
pub mod landing;
#[cfg(feature = "python")]
mod memory;
#[cfg(not(target_arch = "wasm32"))]
mod native;
#[cfg(feature = "python")]
mod nonfinite;
mod place;
pub mod printing;
pub mod progress_file;
pub mod protocol;
pub mod sentences;
mod session;
#[cfg(all(feature = "python", not(target_arch = "wasm32")))]
mod show;
mod stage;
#[cfg(feature = "python")]
mod steps;
#[cfg(feature = "python")]
mod user_graph;
mod values;

#[cfg(not(target_arch = "wasm32"))]
pub use native::{Open, Options, Others, Spawned, StopHandle, spawn, spawn_on};
pub use place::{half_size, name_inside, place, text_width};
pub use session::{Emit, Platform, Session};

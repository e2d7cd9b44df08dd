//! The graph: nodes, the model of an op, and the engine that makes nodes.
//!
//! An op's rules are formulas of nodes, and a node names its op, so these types belong together. What
//! stands above does its work through two doors: a [`Runtime`] computes nodes and wraps them as tensors, and
//! a [`TensorHandle`] is a user's tensor as ops see it.

mod alias;
mod devices;
pub mod engine;
#[cfg(feature = "explain")]
pub mod failure;
mod handle;
mod held;
mod make;
mod memory;
mod modes;
pub mod node;
pub mod op;
pub(crate) mod primitive;
mod provenance;
#[cfg(feature = "explain")]
pub mod record;
mod recorder;
mod resolve;
pub(crate) mod routine;
mod runtime;
#[cfg(feature = "codegen")]
pub mod scheduled;
mod slot;
mod value;
mod waiting;

pub use devices::Opened;
pub use engine::{Engine, WrapRule};
pub use handle::{Operand, TensorHandle, Unwritable};
pub use modes::Anomaly;
#[cfg(feature = "full")]
pub use modes::Look;
pub use node::{CustomRule, Node, NodeRef, Saved};
pub use provenance::{Reason, Side};
#[cfg(feature = "full")]
pub use recorder::EndedStep;
pub use recorder::{STEP_BYTES, Step};
pub use runtime::{Observer, Runtime, StorageHandle};
pub use slot::{AfterHook, GradSlot, Hook};
pub use value::GraphValue;

pub(crate) use alias::{is_written_behind, stands_before};
pub(crate) use engine::NodeParts;
pub(crate) use held::{Dying, Held, References};
pub(crate) use resolve::gone;

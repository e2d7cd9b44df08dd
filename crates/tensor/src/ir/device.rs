//! Which device: a number that an engine gives.

/// One of an engine's devices, by the order in which the engine got them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Device(pub(crate) u8);

impl Device {
    /// The one that the engine was made with.
    pub const FIRST: Device = Device(0);
}

//! What stands between the layers of a network. `tanh` is among the functions of `trigonometry`.

pub mod elu;
pub mod gated;
pub mod hard;
pub mod relu;
pub mod sigmoid;
pub mod softmax;

use crate::op::Op;

/// Those that PyTorch also has in place as methods: `x.relu_()`.
pub static IN_PLACE: &[&Op] = &[&relu::RELU, &sigmoid::SIGMOID];

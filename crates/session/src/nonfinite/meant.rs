//! Which infinities are meant: those that the learner wrote, and what carries them without mixing them into sums.
//!
//! A leaf may hold infinities, and so may a number in a call (`masked_fill(mask, float("-inf"))`): the learner wrote
//! them. An elementwise op carries one from an operand to the same place of its result, a view or a choice of
//! elements carries it anywhere. An infinity that an op made of finite numbers is a fault, unless everything that
//! reads it turns it into what a mask stands for: `log(0)` before a softmax is a share of 0.

use crate::protocol::GraphNode;

use super::{Finder, Operand, broadcast_place};

/// Ops whose results are elements of their operands, or such with an option put in.
const CHOOSES: &[&str] = &[
    "cat",
    "stack",
    "hstack",
    "vstack",
    "dstack",
    "column_stack",
    "block_diag",
    "gather",
    "take",
    "take_along_dim",
    "index",
    "index_put",
    "index_select",
    "index_copy",
    "index_fill",
    "masked_select",
    "masked_scatter",
    "masked_fill",
    "where",
    "scatter",
    "scatter_reduce",
    "embedding",
    "pad",
    "put",
    "write",
    "sort",
    "topk",
    "kthvalue",
    "median",
    "max",
    "min",
    "amax",
    "amin",
    "max_dim",
    "min_dim",
    "aminmax",
    "cummax",
    "cummin",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "permute",
    "transpose",
    "t",
    "swapaxes",
    "movedim",
    "meshgrid",
    "diagonal",
    "diag_embed",
    "diag",
    "diagflat",
    "tril",
    "triu",
    "split",
    "tensor_split",
    "chunk",
    "unbind",
    "slice",
    "narrow",
    "select",
    "flip",
    "fliplr",
    "flipud",
    "roll",
    "rot90",
    "reshape",
    "view",
    "flatten",
    "unflatten",
    "squeeze",
    "unsqueeze",
    "expand",
    "broadcast_to",
    "repeat",
    "tile",
    "repeat_interleave",
    "alias",
    "as_strided",
    "tensor_unfold",
    "unique",
    "contiguous",
    "clone",
    "detach",
    "copy",
    "data",
    "linked",
    "logsumexp",
    "logcumsumexp",
];

/// Ops that make of −∞ what a mask stands for: a share of 0, or another element in its place.
const ABSORBS_MINUS: &[&str] = &[
    "softmax",
    "log_softmax",
    "logsumexp",
    "logcumsumexp",
    "exp",
    "exp2",
    "sigmoid",
    "relu",
    "softplus",
    "logaddexp",
    "cross_entropy",
    "nll_loss",
    "scaled_dot_product_attention",
    "maximum",
    "fmax",
    "max",
    "amax",
    "max_dim",
    "cummax",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "clamp",
    "clamp_min",
    "clamp_tensor",
    "where",
    "masked_fill",
    "nan_to_num",
    "gather",
    "select",
    "slice",
    "index",
    "index_select",
];

/// Ops that leave +∞ out.
const ABSORBS_PLUS: &[&str] = &[
    "softmin",
    "minimum",
    "fmin",
    "min",
    "amin",
    "min_dim",
    "cummin",
    "clamp",
    "clamp_max",
    "clamp_tensor",
    "where",
    "masked_fill",
    "nan_to_num",
    "gather",
    "select",
    "slice",
    "index",
    "index_select",
];

/// Ops that ask what a number is and pass none of it on.
const ASKS: &[&str] = &[
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "isnan",
    "isinf",
    "isfinite",
    "isclose",
    "argmax",
    "argmin",
    "argsort",
    "sign",
    "logical_and",
    "logical_or",
    "logical_not",
    "any",
    "all",
];

impl Finder<'_> {
    /// The place of the first infinity of a node's values that nothing carried there.
    pub(super) fn first_made(&self, node: &GraphNode, values: &[f64]) -> Option<usize> {
        if node.src.is_empty() || self.has_infinite_option(node) {
            return None;
        }
        if CHOOSES.contains(&node.op.as_str()) {
            return match self.may_carry(node) {
                true => None,
                false => values.iter().position(|x| x.is_infinite()),
            };
        }
        let mut carriers = Vec::new();
        for operand in self.operands(node) {
            match operand {
                Operand::Number(x) if x.is_infinite() => return None,
                Operand::Value(id) if self.is_broken(id) => {
                    let shape = self.shape(id);
                    // Any other op carries an infinity only from the same place, as log_softmax does.
                    if node.elementwise || *shape == node.shape {
                        carriers.push((shape, self.values(id)));
                    }
                }
                _ => {}
            }
        }
        let is_carried = |place: usize| {
            carriers.iter().any(|(shape, read)| match read {
                Some(read) => {
                    let from = broadcast_place(place, &node.shape, shape);
                    read.get(from).is_none_or(|x| x.is_infinite())
                }
                None => true,
            })
        };
        let made =
            |(place, x): (usize, &f64)| (x.is_infinite() && !is_carried(place)).then_some(place);
        values.iter().enumerate().find_map(made)
    }

    /// Whether anything that a node reads holds an infinity.
    pub(super) fn may_carry(&self, node: &GraphNode) -> bool {
        let holds = |operand: &Operand| match *operand {
            Operand::Number(x) => x.is_infinite(),
            Operand::Value(id) => self.is_broken(id),
        };
        node.src.is_empty()
            || self.has_infinite_option(node)
            || self.operands(node).iter().any(holds)
    }

    /// Whether everything that reads a node's infinities makes of them what a mask stands for.
    pub(super) fn is_absorbed(&self, node: &GraphNode) -> bool {
        let Some(preview) = self.previews.get(&node.id) else {
            return false;
        };
        let (minus, plus) = (
            preview.min == f64::NEG_INFINITY,
            preview.max == f64::INFINITY,
        );
        let (mut waiting, mut seen) = (vec![node.id], vec![node.id]);
        while let Some(id) = waiting.pop() {
            let mut read = false;
            for user in self.users.get(&id).into_iter().flatten() {
                let Some(&user) = self.nodes.get(user) else {
                    return false;
                };
                let op = user.op.as_str();
                if ASKS.contains(&op) {
                    continue;
                }
                read = true;
                let absorbs = (!minus || ABSORBS_MINUS.contains(&op))
                    && (!plus || ABSORBS_PLUS.contains(&op));
                let carries = user.elementwise || CHOOSES.contains(&op);
                if self.has_nan(user.id) {
                    return false;
                }
                if absorbs && (!self.is_broken(user.id) || op == "log_softmax")
                    || seen.contains(&user.id)
                {
                    continue;
                }
                if !(carries && self.is_broken(user.id)) {
                    return false;
                }
                seen.push(user.id);
                waiting.push(user.id);
            }
            if !read {
                return false;
            }
        }
        true
    }
}

//! Which infinities are meant: those that the learner wrote, and what carries them without mixing them into sums.
//!
//! A leaf may hold infinities, and so may a number in a call (`masked_fill(mask, float("-inf"))`): the learner wrote
//! them. An elementwise op carries one from an operand to the same place of its result, a view or a choice of
//! elements carries it anywhere. An infinity that an op made of finite numbers is a fault, unless everything that
//! reads it turns it into what a mask stands for: `log(0)` before a softmax is a share of 0. What an op makes of an
//! infinity is a fact of the op: its field `infinities`.

use glowgrad::DType;
use glowgrad::op::Infinities;

use crate::protocol::{GraphNode, NonFiniteKind};

use super::{Finder, Operand, broadcast_place};

impl Finder<'_> {
    /// The place of the first infinity of a node's values that nothing carried there.
    pub(super) fn first_made(&self, node: &GraphNode, values: &[f64]) -> Option<usize> {
        if node.src.is_empty() || self.has_infinite_option(node) {
            return None;
        }
        if self.infinities(node) == Infinities::Chooses {
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
                let infinities = self.infinities(user);
                if infinities == Infinities::Asks {
                    continue;
                }
                read = true;
                if self.has_nan(user.id) {
                    return false;
                }
                let is_broken = self.is_broken(user.id);
                let absorbs = match infinities {
                    Infinities::Carries | Infinities::Asks => false,
                    Infinities::Chooses => !is_broken,
                    // log_softmax keeps −∞, the logarithm of a share of 0.
                    Infinities::MasksMinus => {
                        !plus && self.kind(user.id) != Some(NonFiniteKind::Inf)
                    }
                    Infinities::MasksPlus => !minus && !is_broken,
                };
                if absorbs || seen.contains(&user.id) {
                    continue;
                }
                let carries = user.elementwise || infinities == Infinities::Chooses;
                if !(carries && is_broken) {
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

    /// What the op of a node makes of an infinity that it reads.
    pub(super) fn infinities(&self, node: &GraphNode) -> Infinities {
        let of = self.numbers.op(node.id).zip(DType::parse(&node.dtype).ok());
        of.map_or(Infinities::Carries, |(op, dtype)| op.infinities_of(dtype))
    }
}

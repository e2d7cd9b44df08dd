//! Groups of nodes that are one layer or function, recognised from their last node.
//!
//! Exports write them out where the operator set has no operator, or had none: GELU, SiLU, layer, group and RMS
//! normalization, attention, and a linear layer as a product and a sum. Invariant: a group that is nearly one of these is none.

use glowgrad::Result;
use serde_json::json;

use super::drawing::{Drawing, Result1, args};
use super::functions::{int, ints, short};
use super::seen::{Seen, SeenNode};

/// A group; the names are values of the model.
pub(super) enum Pattern {
    /// A function of one value.
    Of(&'static str, String),
    /// A product with a matrix, and what is added.
    Linear {
        x: String,
        weight: String,
        bias: Option<String>,
    },
    /// Over the last dimension, or over groups of channels.
    Norm {
        x: String,
        kind: Kind,
        eps: f64,
        weight: Option<String>,
        bias: Option<String>,
    },
    Attention {
        q: String,
        k: String,
        /// The order of the keys' dimensions that comes first.
        order: Vec<i64>,
        v: String,
        is_causal: bool,
    },
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Layer,
    Rms,
    Groups(usize),
}

impl Pattern {
    /// The values that the group reads, other than constants.
    pub(super) fn reads(&self) -> Vec<&str> {
        match self {
            Pattern::Of(_, x) | Pattern::Linear { x, .. } | Pattern::Norm { x, .. } => vec![x],
            Pattern::Attention { q, k, v, .. } => vec![q, k, v],
        }
    }
}

/// Looks at values from the end.
pub(super) struct Look<'a, 'm> {
    pub(super) seen: &'a Seen<'m>,
}

impl<'a> Look<'a, '_> {
    /// The inputs of the node that makes a value, if it is of this operator.
    pub(super) fn made(&self, name: &str, op: &str) -> Option<&'a [String]> {
        let step = self.step(name)?;
        (step.node.op == op && step.node.domain.is_empty()).then_some(&step.inputs[..])
    }

    pub(super) fn step(&self, name: &str) -> Option<&'a SeenNode<'a>> {
        let (at, result) = *self.seen.makers.get(name)?;
        (result == 0).then(|| &self.seen.steps[at])
    }

    /// The two inputs of an operator that may stand in either order, once as they are and once turned.
    pub(super) fn both(&self, name: &str, op: &str) -> Vec<(&'a str, &'a str)> {
        match self.made(name, op) {
            Some([a, b]) => vec![(a, b), (b, a)],
            _ => Vec::new(),
        }
    }

    fn is(&self, name: &str, value: f64) -> Result<bool> {
        Ok(self
            .number(name)?
            .is_some_and(|x| (x - value).abs() <= 1e-6 * value.abs()))
    }

    pub(super) fn number(&self, name: &str) -> Result<Option<f64>> {
        match self.seen.varies(name) {
            true => Ok(None),
            false => self.seen.number(name),
        }
    }

    fn is_constant(&self, name: &str) -> Result<bool> {
        Ok(!self.seen.varies(name) && self.seen.constant(name)?.is_some())
    }

    /// What is squared.
    fn squared(&self, name: &str) -> Result<Option<&'a str>> {
        if let Some([a, b]) = self.made(name, "Mul") {
            return Ok((a == b).then_some(a));
        }
        match self.made(name, "Pow") {
            Some([x, by]) if self.is(by, 2.0)? => Ok(Some(x)),
            _ => Ok(None),
        }
    }

    /// What the mean over the last dimension is taken of.
    fn mean(&self, name: &str) -> Result<Option<&'a str>> {
        let over = |name: &str, op: &str| -> Result<Option<&'a str>> {
            let Some(step) = self.step(name).filter(|step| step.node.op == op) else {
                return Ok(None);
            };
            let [first, second] = self.seen.shapes(&step.inputs[0]);
            let n = first.len() as i64;
            let axes = match step.inputs.get(1) {
                Some(axes) => self.seen.whole(axes)?,
                None => ints(step.node, "axes"),
            };
            let is_last = axes.is_some_and(|axes| axes == [-1] || axes == [n - 1]);
            let keeps = int(step.node, "keepdims", 1) != 0;
            Ok((is_last && keeps && first.last() == second.last())
                .then_some(step.inputs[0].as_str()))
        };
        if let Some(x) = over(name, "ReduceMean")? {
            return Ok(Some(x));
        }
        let Some([sum, count]) = self.made(name, "Div") else {
            return Ok(None);
        };
        let Some(x) = over(sum, "ReduceSum")? else {
            return Ok(None);
        };
        let n = self.seen.shapes(x)[0].last().copied().unwrap_or(0);
        Ok(self.is(count, n as f64)?.then_some(x))
    }

    /// Of x / sqrt(v + eps), however it is written: x, v and eps.
    fn over_root(&self, name: &str) -> Result<Option<(&'a str, &'a str, f64)>> {
        let root = |name: &str| -> Result<Option<(&'a str, f64)>> {
            let Some([sum]) = self.made(name, "Sqrt") else {
                return Ok(None);
            };
            for (v, eps) in self.both(sum, "Add") {
                if let Some(eps) = self.number(eps)? {
                    return Ok(Some((v, short(eps as f32))));
                }
            }
            Ok(None)
        };
        let inverse = |name: &str| -> Result<Option<(&'a str, f64)>> {
            if let Some([one, under]) = self.made(name, "Div") {
                return if self.is(one, 1.0)? {
                    root(under)
                } else {
                    Ok(None)
                };
            }
            match self.made(name, "Reciprocal") {
                Some([under]) => root(under),
                _ => Ok(None),
            }
        };
        for (x, factor) in self.both(name, "Mul") {
            if let Some((v, eps)) = inverse(factor)? {
                return Ok(Some((x, v, eps)));
            }
        }
        if let Some([x, under]) = self.made(name, "Div")
            && let Some((v, eps)) = root(under)?
        {
            return Ok(Some((x, v, eps)));
        }
        Ok(None)
    }

    /// What is brought to mean 0 and spread 1, or to a spread of 1 alone, over the last dimension.
    fn normal(&self, name: &str) -> Result<Option<(&'a str, Kind, f64)>> {
        let Some((x, v, eps)) = self.over_root(name)? else {
            return Ok(None);
        };
        let Some(squares) = self.mean(v)? else {
            return Ok(None);
        };
        if self.squared(squares)? != Some(x) {
            return Ok(None);
        }
        if let Some([from, middle]) = self.made(x, "Sub")
            && self.mean(middle)? == Some(from)
        {
            return Ok(Some((from, Kind::Layer, eps)));
        }
        Ok(Some((x, Kind::Rms, eps)))
    }

    /// The same over groups of channels: a shape of groups before it, and the first shape after it.
    fn in_groups(&self, name: &str) -> Result<Option<(&'a str, Kind, f64)>> {
        let Some([inner, ..]) = self.made(name, "Reshape") else {
            return Ok(None);
        };
        let Some((grouped, Kind::Layer, eps)) = self.normal(inner)? else {
            return Ok(None);
        };
        let Some([x, ..]) = self.made(grouped, "Reshape") else {
            return Ok(None);
        };
        let (outer, own) = (self.seen.shapes(x), self.seen.shapes(grouped));
        let groups = own[0].get(1).copied().unwrap_or(0);
        let fits = (0..2).all(|i| {
            own[i].len() == 3
                && outer[i].len() >= 3
                && own[i][0] == outer[i][0]
                && own[i][1] == groups
        });
        let is_back = self.seen.shapes(name) == outer;
        Ok(
            (fits && is_back && groups > 0 && outer[0][1] % groups == 0).then_some((
                x,
                Kind::Groups(groups),
                eps,
            )),
        )
    }

    /// A normalization with what it is multiplied by and what is added.
    fn norm(&self, name: &str) -> Result<Option<Pattern>> {
        let bare = |name: &str| -> Result<Option<(&'a str, Kind, f64)>> {
            Ok(match self.in_groups(name)? {
                Some(found) => Some(found),
                None => self.normal(name)?,
            })
        };
        let found = |(x, kind, eps): (&str, Kind, f64),
                     weight: Option<&str>,
                     bias: Option<&str>| Pattern::Norm {
            x: x.to_owned(),
            kind,
            eps,
            weight: weight.map(str::to_owned),
            bias: bias.map(str::to_owned),
        };
        let fits = |values: &str, x: &str, kind: Kind| -> Result<bool> {
            if !self.is_constant(values)? {
                return Ok(false);
            }
            let own = self.seen.shapes(values)[0].clone();
            let of = self.seen.shapes(x)[0].clone();
            let n = own.iter().product::<usize>();
            Ok(match kind {
                Kind::Groups(_) => {
                    n == of[1] && own.len() + 1 >= of.len() && own[own.len() + 1 - of.len()] == n
                }
                _ => Some(&n) == of.last() && own.last() == Some(&n),
            })
        };
        for (sum, bias) in self.both(name, "Add") {
            for (inner, weight) in self.both(sum, "Mul") {
                if let Some(one) = bare(inner)?
                    && one.1 != Kind::Rms
                    && fits(weight, one.0, one.1)?
                    && fits(bias, one.0, one.1)?
                {
                    return Ok(Some(found(one, Some(weight), Some(bias))));
                }
            }
        }
        for (inner, weight) in self.both(name, "Mul") {
            if let Some(one) = bare(inner)?
                && !matches!(one.1, Kind::Groups(_))
                && fits(weight, one.0, one.1)?
            {
                return Ok(Some(found(one, Some(weight), None)));
            }
        }
        Ok(bare(name)?.map(|one| found(one, None, None)))
    }

    /// x times the share of a normal distribution below x.
    fn gelu(&self, name: &str) -> Result<Option<Pattern>> {
        // Half of x times (1 + erf(x / sqrt 2)): the half stands at any of the factors.
        for (a, b) in self.both(name, "Mul") {
            for (half, x) in self.both(a, "Mul") {
                if self.is(half, 0.5)? && self.erf_of(b)? == Some(x) {
                    return Ok(Some(Pattern::Of("gelu", x.to_owned())));
                }
            }
            if self.is(b, 0.5)? {
                for (x, other) in self.both(a, "Mul") {
                    if self.erf_of(other)? == Some(x) {
                        return Ok(Some(Pattern::Of("gelu", x.to_owned())));
                    }
                }
            }
            for (half, other) in self.both(b, "Mul") {
                if self.is(half, 0.5)? && self.erf_of(other)? == Some(a) {
                    return Ok(Some(Pattern::Of("gelu", a.to_owned())));
                }
            }
        }
        Ok(None)
    }

    /// x of 1 + erf(x / sqrt 2).
    fn erf_of(&self, name: &str) -> Result<Option<&'a str>> {
        let root = std::f64::consts::SQRT_2;
        for (erf, one) in self.both(name, "Add") {
            if !self.is(one, 1.0)? {
                continue;
            }
            let Some([inner]) = self.made(erf, "Erf") else {
                continue;
            };
            for (x, factor) in self.both(inner, "Mul") {
                if self.is(factor, 1.0 / root)? {
                    return Ok(Some(x));
                }
            }
            if let Some([x, by]) = self.made(inner, "Div")
                && self.is(by, root)?
            {
                return Ok(Some(x));
            }
        }
        Ok(None)
    }

    fn silu(&self, name: &str) -> Option<Pattern> {
        let pair = self.both(name, "Mul").into_iter();
        pair.filter(|(x, gate)| {
            self.made(gate, "Sigmoid")
                .is_some_and(|inner| inner[0] == *x)
        })
        .map(|(x, _)| Pattern::Of("silu", x.to_owned()))
        .next()
    }

    fn linear(&self, name: &str) -> Result<Option<Pattern>> {
        let product = |name: &str| -> Result<Option<(&'a str, &'a str)>> {
            let Some([x, weight]) = self.made(name, "MatMul") else {
                return Ok(None);
            };
            let is_matrix = self.seen.shapes(weight)[0].len() == 2 && self.is_constant(weight)?;
            Ok(
                (is_matrix && self.seen.varies(x) && !self.seen.shapes(x)[0].is_empty())
                    .then_some((x, weight)),
            )
        };
        let found = |(x, weight): (&str, &str), bias: Option<&str>| Pattern::Linear {
            x: x.to_owned(),
            weight: weight.to_owned(),
            bias: bias.map(str::to_owned),
        };
        for (sum, bias) in self.both(name, "Add") {
            if let Some(pair) = product(sum)?
                && self.is_constant(bias)?
                && self.seen.shapes(bias)[0] == [self.seen.shapes(pair.1)[0][1]]
            {
                return Ok(Some(found(pair, Some(bias))));
            }
        }
        Ok(product(name)?.map(|pair| found(pair, None)))
    }

    /// A number that a value is multiplied by, and the value.
    pub(super) fn scaled(&self, name: &'a str) -> Result<(&'a str, f64)> {
        for (x, factor) in self.both(name, "Mul") {
            if let Some(factor) = self.number(factor)? {
                return Ok((x, factor));
            }
        }
        if let Some([x, by]) = self.made(name, "Div")
            && let Some(by) = self.number(by)?
        {
            return Ok((x, 1.0 / by));
        }
        Ok((name, 1.0))
    }
}

/// The group that ends with a node.
pub(super) fn find(seen: &Seen<'_>, at: usize) -> Result<Option<Pattern>> {
    let step = &seen.steps[at];
    let [name] = &step.outputs[..] else {
        return Ok(None);
    };
    if !step.node.domain.is_empty() {
        return Ok(None);
    }
    let look = Look { seen };
    Ok(match step.node.op.as_str() {
        "MatMul" => match look.attention(name)? {
            Some(found) => Some(found),
            None => look.linear(name)?,
        },
        "Add" => match look.norm(name)? {
            Some(found) => Some(found),
            None => look.linear(name)?,
        },
        "Mul" => match look.norm(name)? {
            Some(found) => Some(found),
            None => match look.gelu(name)? {
                Some(found) => Some(found),
                None => look.silu(name),
            },
        },
        "Div" | "Reshape" => look.norm(name)?,
        _ => None,
    })
}

/// Draws a group.
pub(super) fn draw(d: &mut Drawing<'_, '_>, step: &SeenNode<'_>, pattern: &Pattern) -> Result1<()> {
    let constant = |d: &Drawing<'_, '_>, name: &str, n: i64| -> Result1<glowgrad::Tensor> {
        match d.seen.constant(name)? {
            Some(tensor) => Ok(tensor.reshape(&[n])?),
            None => super::drawing::no(format!("its input {name:?} is no constant")),
        }
    };
    let result = match pattern {
        Pattern::Of(kind, x) => {
            let x = d.source(x)?;
            d.add(kind, args(&[]), vec![x])
        }
        Pattern::Linear { x, weight, bias } => {
            let Some(w) = d.seen.constant(weight)?.cloned() else {
                return super::drawing::no("its weight is no constant");
            };
            let n = w.shape()[1] as i64;
            let w = w.transpose(0, 1)?;
            let own = bias.as_ref().map(|name| constant(d, name, n)).transpose()?;
            let called: Vec<&str> = std::iter::once(weight.as_str())
                .chain(bias.as_deref())
                .collect();
            super::layers::linear(d, x, w, own, &called)?
        }
        Pattern::Norm {
            x,
            kind,
            eps,
            weight,
            bias,
        } => {
            let shape = d.seen.shapes(x)[0].clone();
            let last = shape.last().copied().unwrap_or(1);
            let channels = shape.get(1).copied().unwrap_or(1);
            let (name, size, mut settings) = match kind {
                Kind::Layer => (
                    "LayerNorm",
                    last,
                    args(&[("normalized_shape", json!(last))]),
                ),
                Kind::Rms => ("RMSNorm", last, args(&[("normalized_shape", json!(last))])),
                Kind::Groups(n) => (
                    "GroupNorm",
                    channels,
                    args(&[("num_groups", json!(n)), ("num_channels", json!(channels))]),
                ),
            };
            settings.insert("eps".to_owned(), json!(eps));
            let mut weights = Vec::new();
            for (name, values) in [("weight", weight), ("bias", bias)] {
                if let Some(values) = values {
                    weights.push((name, constant(d, values, size as i64)?));
                }
            }
            if weight.is_none() {
                let plain = if name == "GroupNorm" {
                    "affine"
                } else {
                    "elementwise_affine"
                };
                settings.insert(plain.to_owned(), json!(false));
            } else if bias.is_none() && name == "LayerNorm" {
                settings.insert("bias".to_owned(), json!(false));
            }
            let called: Vec<&str> = [weight, bias]
                .into_iter()
                .flatten()
                .map(String::as_str)
                .collect();
            let called = if called.is_empty() {
                vec![step.outputs[0].as_str()]
            } else {
                called
            };
            let x = d.source(x)?;
            d.layer(name, settings, &called, weights, vec![x])?
        }
        Pattern::Attention {
            q,
            k,
            order,
            v,
            is_causal,
        } => {
            let (q, k, v) = (d.source(q)?, d.source(k)?, d.source(v)?);
            let k = super::parts::permuted(d, order, k);
            let sources = vec![q, k, v];
            let settings = args(&[("is_causal", json!(is_causal))]);
            d.add("scaled_dot_product_attention", settings, sources)
        }
    };
    d.set(&step.outputs[0], result);
    Ok(())
}

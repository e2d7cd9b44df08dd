//! Groups of parameters with their options, and what a rule remembers of each parameter.
//!
//! Invariant: names and order of options and memories are PyTorch's, so that a checkpoint of one is read by the other.

use glowgrad_tensor::node::NodeRef;
use glowgrad_tensor::{Error, Result, Tensor, shape};
use serde_json::{Map, Value, json};

use super::Optimizer;
use crate::nn::no_grad;

/// What a rule remembers of one parameter, by name; nothing before its first step.
#[derive(Debug, Clone, Default)]
pub struct Slots(Vec<(&'static str, Tensor)>);

impl Slots {
    /// The tensor of that name; the first time, what `fresh` makes.
    ///
    /// # Errors
    /// What `fresh` meets.
    pub fn get(
        &mut self,
        name: &'static str,
        fresh: impl FnOnce() -> Result<Tensor>,
    ) -> Result<Tensor> {
        if let Some((_, tensor)) = self.0.iter().find(|(other, _)| *other == name) {
            return Ok(tensor.clone());
        }
        let tensor = fresh()?;
        self.0.push((name, tensor.clone()));
        Ok(tensor)
    }

    /// Whether there is a tensor of that name.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(other, _)| *other == name)
    }
}

/// How a parameter moves: the options of a group.
pub trait Rule {
    /// The names of what it remembers.
    const SLOTS: &'static [&'static str];

    /// The learning rate.
    fn lr(&self) -> f64;

    /// Sets the learning rate.
    fn set_lr(&mut self, lr: f64);

    /// Moves a parameter along its gradient.
    ///
    /// # Errors
    /// What computing the new value meets.
    fn update(&self, parameter: &Tensor, grad: &Tensor, slots: &mut Slots) -> Result<()>;

    /// Its options by PyTorch's names.
    fn options(&self) -> Map<String, Value>;

    /// Takes the options over that may differ; none where one is missing.
    fn load(&mut self, options: &Map<String, Value>) -> Option<()>;
}

/// Parameters that share options.
#[derive(Debug, Clone)]
pub struct Group<R> {
    /// Those parameters.
    pub parameters: Vec<Tensor>,
    /// Their options.
    pub rule: R,
}

/// An optimizer: groups of parameters, and what their rule remembers.
#[derive(Debug)]
pub struct Groups<R> {
    groups: Vec<Group<R>>,
    /// Of each parameter, group after group.
    slots: Vec<Slots>,
}

impl<R: Rule> Groups<R> {
    /// Parameters that share options.
    pub fn new(parameters: Vec<Tensor>, rule: R) -> Groups<R> {
        Groups::of(vec![Group { parameters, rule }])
    }

    /// Several groups.
    pub fn of(groups: Vec<Group<R>>) -> Groups<R> {
        let n = groups.iter().map(|group| group.parameters.len()).sum();
        Groups {
            groups,
            slots: vec![Slots::default(); n],
        }
    }
}

fn of_others(what: &str) -> Error {
    Error::value(format!(
        "loaded state dict {what}; pass the state of the same optimizer over the same parameters"
    ))
}

impl<R: Rule> Optimizer for Groups<R> {
    fn parameters(&self) -> Vec<Tensor> {
        let each = |group: &Group<R>| group.parameters.clone();
        self.groups.iter().flat_map(each).collect()
    }

    fn step(&mut self) -> Result<()> {
        let mut slots = self.slots.iter_mut();
        let mut changed: Vec<NodeRef> = Vec::new();
        let mut engine = None;
        for group in &self.groups {
            for parameter in &group.parameters {
                let Some(slots) = slots.next() else { break };
                let Some(grad) = parameter.grad() else {
                    continue;
                };
                no_grad(parameter.engine(), || {
                    group.rule.update(parameter, &grad, slots)
                })?;
                changed.push(parameter.node());
                changed.extend(slots.0.iter().map(|(_, tensor)| tensor.node()));
                engine = Some(parameter.engine());
            }
        }
        // A step is computed when it is taken: what it needs would otherwise be kept until the next one reads it.
        match engine {
            Some(engine) => engine.realize(&changed),
            None => Ok(()),
        }
    }

    fn rates(&self) -> Vec<f64> {
        self.groups.iter().map(|group| group.rule.lr()).collect()
    }

    fn set_rates(&mut self, rates: &[f64]) {
        for (group, rate) in self.groups.iter_mut().zip(rates) {
            group.rule.set_lr(*rate);
        }
    }

    fn state(&self) -> Vec<(String, Tensor)> {
        let all = self.slots.iter().enumerate();
        all.flat_map(|(i, slots)| {
            let each = slots.0.iter();
            each.map(move |(name, tensor)| (format!("{i}.{name}"), tensor.clone()))
        })
        .collect()
    }

    fn groups(&self) -> Value {
        let mut first = 0;
        let each = self.groups.iter().map(|group| {
            let mut options = group.rule.options();
            let end = first + group.parameters.len();
            options.insert("params".to_owned(), json!((first..end).collect::<Vec<_>>()));
            first = end;
            Value::Object(options)
        });
        Value::Array(each.collect())
    }

    fn load(&mut self, state: &[(String, Tensor)], groups: &Value) -> Result<()> {
        let given = groups.as_array().map_or(&[][..], Vec::as_slice);
        if given.len() != self.groups.len() {
            return Err(of_others("has a different number of parameter groups"));
        }
        let parameters = self.parameters();
        let mut slots = vec![Slots::default(); parameters.len()];
        for (name, tensor) in state {
            let place = name.split_once('.').and_then(|(index, name)| {
                let name = R::SLOTS.iter().find(|known| **known == name)?;
                Some((index.parse::<usize>().ok()?, *name))
            });
            let found =
                place.and_then(|(i, name)| Some((slots.get_mut(i)?, parameters.get(i)?, name)));
            let Some((slot, parameter, name)) = found else {
                return Err(of_others(&format!("has {name}, which is no part of it")));
            };
            if name != "step" && tensor.shape() != parameter.shape() {
                return Err(of_others(&format!(
                    "has {name} of shape {}, expected {}",
                    shape::show(&tensor.shape()),
                    shape::show(&parameter.shape())
                )));
            }
            slot.0.push((name, tensor.clone()));
        }
        for (group, options) in self.groups.iter_mut().zip(given) {
            let loaded = options.as_object().and_then(|options| {
                let n = options.get("params")?.as_array()?.len();
                (n == group.parameters.len()).then_some(())?;
                group.rule.load(options)
            });
            if loaded.is_none() {
                return Err(of_others("contains a parameter group that doesn't match"));
            }
        }
        self.slots = slots;
        Ok(())
    }
}

/// A number as an operand.
pub(super) fn number(like: &Tensor, value: f64) -> Tensor {
    Tensor::number(like.engine(), glowgrad_tensor::Scalar::Float(value))
}

/// What a rule remembers of a parameter, in its shape and dtype.
pub(super) fn zeros(like: &Tensor) -> Result<Tensor> {
    let zero = glowgrad_tensor::Scalar::Float(0.0);
    Tensor::full(like.engine(), &like.shape(), zero, like.dtype())
}

/// The number of this step: a tensor that counts on.
pub(super) fn count(parameter: &Tensor, slots: &mut Slots) -> Result<f64> {
    let engine = parameter.engine();
    let counter = slots.get("step", || Tensor::from_f32(engine, &[0.0], &[]))?;
    let next = counter.item()?.as_f64() + 1.0;
    counter.assign(&number(parameter, next))?;
    Ok(next)
}

/// The gradient with that of `decay / 2` times the parameter's square.
pub(super) fn decayed(grad: &Tensor, parameter: &Tensor, decay: f64) -> Result<Tensor> {
    if decay == 0.0 {
        return Ok(grad.clone());
    }
    plus(grad, parameter, decay)
}

/// a + alpha · b
pub(super) fn plus(a: &Tensor, b: &Tensor, alpha: f64) -> Result<Tensor> {
    use glowgrad_tensor::bind::{ToArg, call};
    call(
        a.engine(),
        "add",
        glowgrad_tensor::args![a, b],
        vec![("alpha", alpha.arg())],
    )
}

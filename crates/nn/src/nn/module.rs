//! What a network is made of: parameters, buffers and modules by name.

use std::cell::Cell;

use glowgrad_tensor::{Engine, Error, Result, Tensor, shape};

/// Parameters and buffers by name.
pub type StateDict = Vec<(String, Tensor)>;

/// A part of a module.
pub enum Part<'a> {
    /// A tensor that is trained.
    Parameter(&'a Tensor),
    /// A tensor that is kept with the parameters and not trained, such as a running mean.
    Buffer(&'a Tensor),
    /// A module in it.
    Module(&'a dyn Parts),
    /// Whether it behaves as in training.
    Training(&'a Cell<bool>),
}

/// What has parameters, buffers and modules, in the order in which they were made.
///
/// [`parts!`](crate::parts) implements it for a struct of layers.
pub trait Parts {
    /// Shows each part with its name.
    fn parts<'a>(&'a self, visit: &mut dyn FnMut(&str, Part<'a>));

    /// Parameters by name, each once: `fc1.weight`.
    fn named_parameters(&self) -> StateDict {
        let mut found = Found::default();
        found.gather(self, "");
        let mut once: StateDict = Vec::new();
        for (name, parameter) in found.parameters {
            if !once.iter().any(|(_, other)| other.is(&parameter)) {
                once.push((name, parameter));
            }
        }
        once
    }

    /// Parameters, each once.
    fn parameters(&self) -> Vec<Tensor> {
        self.named_parameters()
            .into_iter()
            .map(|(_, t)| t)
            .collect()
    }

    /// The number of elements of all parameters.
    fn n_parameters(&self) -> usize {
        self.parameters().iter().map(Tensor::numel).sum()
    }

    /// Buffers by name.
    fn named_buffers(&self) -> StateDict {
        let mut found = Found::default();
        found.gather(self, "");
        found.buffers
    }

    /// Parameters and buffers by name, in PyTorch's order; what is shared comes under each of its names.
    fn state_dict(&self) -> StateDict {
        let mut found = Found::default();
        found.gather(self, "");
        found.state
    }

    /// Copies tensors into the parameters and buffers of the same names.
    ///
    /// # Errors
    /// When a name is missing or unknown, or sizes differ; then nothing has changed.
    fn load_state_dict(&self, state: &[(String, Tensor)]) -> Result<()> {
        let own = self.state_dict();
        let given = |name: &str| state.iter().find(|(other, _)| other == name);
        let mut faults: Vec<String> = Vec::new();
        for (name, tensor) in &own {
            match given(name) {
                None => faults.push(format!("{name} is missing")),
                Some((_, value)) if value.shape() != tensor.shape() => faults.push(format!(
                    "{name} has shape {}, expected {}",
                    shape::show(&value.shape()),
                    shape::show(&tensor.shape())
                )),
                Some(_) => {}
            }
        }
        for (name, _) in state {
            if !own.iter().any(|(other, _)| other == name) {
                faults.push(format!("{name} is unknown"));
            }
        }
        if !faults.is_empty() {
            return Err(Error::runtime(format!(
                "load_state_dict: {}; pass the state of a module with the same layers",
                faults.join(", ")
            )));
        }
        for (name, tensor) in &own {
            if let Some((_, value)) = given(name) {
                no_grad(tensor.engine(), || tensor.assign(value))?;
            }
        }
        Ok(())
    }

    /// Makes all modules behave as in training: dropout draws, batch norm uses the batch's statistics.
    fn train(&self) {
        let mut found = Found::default();
        found.gather(self, "");
        found.training.iter().for_each(|mode| mode.set(true));
    }

    /// Makes all modules behave as in use.
    fn eval(&self) {
        let mut found = Found::default();
        found.gather(self, "");
        found.training.iter().for_each(|mode| mode.set(false));
    }

    /// Forgets all gradients.
    ///
    /// # Errors
    /// None for gradients that `backward` made.
    fn zero_grad(&self) -> Result<()> {
        self.parameters().iter().try_for_each(|p| p.set_grad(None))
    }
}

/// A network or layer of one input and one output.
pub trait Module: Parts {
    /// What it computes.
    ///
    /// # Errors
    /// When the input's shape or dtype does not fit.
    fn forward(&self, input: &Tensor) -> Result<Tensor>;
}

#[derive(Default)]
struct Found<'a> {
    parameters: StateDict,
    buffers: StateDict,
    state: StateDict,
    training: Vec<&'a Cell<bool>>,
}

impl<'a> Found<'a> {
    /// Own parameters come first, then own buffers, then modules, as in PyTorch.
    fn gather<P: Parts + ?Sized>(&mut self, of: &'a P, prefix: &str) {
        let mut parts: Vec<(String, Part<'a>)> = Vec::new();
        of.parts(&mut |name, part| parts.push((format!("{prefix}{name}"), part)));
        for (name, part) in &parts {
            match part {
                Part::Parameter(tensor) => {
                    self.parameters.push((name.clone(), (*tensor).clone()));
                    self.state.push((name.clone(), (*tensor).clone()));
                }
                Part::Training(mode) => self.training.push(mode),
                Part::Buffer(_) | Part::Module(_) => {}
            }
        }
        for (name, part) in &parts {
            if let Part::Buffer(tensor) = part {
                self.buffers.push((name.clone(), (*tensor).clone()));
                self.state.push((name.clone(), (*tensor).clone()));
            }
        }
        for (name, part) in parts {
            if let Part::Module(module) = part {
                self.gather(module, &format!("{name}."));
            }
        }
    }
}

/// What a field of a struct is to its [`Parts`].
pub trait AsPart {
    /// The part; none where there is nothing.
    fn as_part(&self) -> Option<Part<'_>>;
}

impl AsPart for Tensor {
    fn as_part(&self) -> Option<Part<'_>> {
        Some(Part::Parameter(self))
    }
}

impl<T: Parts> AsPart for T {
    fn as_part(&self) -> Option<Part<'_>> {
        Some(Part::Module(self))
    }
}

impl<T: AsPart> AsPart for Option<T> {
    fn as_part(&self) -> Option<Part<'_>> {
        self.as_ref().and_then(AsPart::as_part)
    }
}

impl AsPart for Cell<bool> {
    fn as_part(&self) -> Option<Part<'_>> {
        Some(Part::Training(self))
    }
}

/// Names the fields of a struct that are its parts: layers, tensors that are parameters, and options of either.
///
/// See [`nn`](crate::nn) for an example.
#[macro_export]
macro_rules! parts {
    ($kind:ident: $($field:ident),* $(,)?) => {
        impl $crate::nn::Parts for $kind {
            fn parts<'a>(&'a self, visit: &mut dyn FnMut(&str, $crate::nn::Part<'a>)) {
                $(
                    if let Some(part) = $crate::nn::AsPart::as_part(&self.$field) {
                        visit(stringify!($field), part);
                    }
                )*
            }
        }
    };
}

impl<T: Parts> Parts for Vec<T> {
    fn parts<'a>(&'a self, visit: &mut dyn FnMut(&str, Part<'a>)) {
        for (i, module) in self.iter().enumerate() {
            visit(&i.to_string(), Part::Module(module));
        }
    }
}

impl<T: Parts + ?Sized> Parts for Box<T> {
    fn parts<'a>(&'a self, visit: &mut dyn FnMut(&str, Part<'a>)) {
        (**self).parts(visit);
    }
}

impl<T: Module + ?Sized> Module for Box<T> {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        (**self).forward(input)
    }
}

/// Runs code without recording it for `backward`.
///
/// ```
/// # let engine = glowgrad_tensor::Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
/// assert!(!glowgrad_nn::nn::no_grad(&engine, || engine.grad_enabled()));
/// assert!(engine.grad_enabled());
/// ```
pub fn no_grad<T>(engine: &Engine, run: impl FnOnce() -> T) -> T {
    let was = engine.set_grad_enabled(false);
    let result = run();
    engine.set_grad_enabled(was);
    result
}

//! Recurrent layers: one cell, applied step by step.
//!
//! The products with the input are made for all steps at once; a step then takes one product with the state before it,
//! and elementwise ops in PyTorch's order.

use std::cell::Cell;

use glowgrad_tensor::{DType, Engine, Error, Result, Scalar, Tensor, shape};

use super::dropout::dropped;
use super::functional::{cat, stack};
use super::{Module, Part, Parts, init};

/// What a step makes of what the input gives, the state, and what the state gives: the new state, its output first.
type CellFn = fn(&Tensor, &[Tensor], Tensor) -> Result<Vec<Tensor>>;

options! {
    /// Arguments of [`RNN`], [`LSTM`] and [`GRU`].
    RecurrentOptions of "RNN" (input_size: usize, hidden_size: usize) {
        num_layers: usize = 1,
        bias: bool = true,
        batch_first: bool = false,
        dropout: f64 = 0.0,
        bidirectional: bool = false,
    }
}

/// The weights of one direction of one layer.
#[derive(Debug)]
struct Direction {
    /// `_l0`, `_l0_reverse`.
    suffix: String,
    weight_ih: Tensor,
    weight_hh: Tensor,
    biases: Option<(Tensor, Tensor)>,
}

/// All directions of all layers.
#[derive(Debug)]
struct Recurrent {
    options: RecurrentOptions,
    directions: Vec<Direction>,
    training: Cell<bool>,
}

impl Recurrent {
    fn new(engine: &Engine, options: &RecurrentOptions, n_gates: usize) -> Result<Recurrent> {
        let o = options;
        if o.num_layers == 0 || o.hidden_size == 0 {
            return Err(Error::value(
                "num_layers and hidden_size must be greater than zero",
            ));
        }
        let bound = 1.0 / (o.hidden_size as f64).sqrt();
        let drawn = |shape: &[usize]| {
            let weight = init::parameter(engine, shape)?;
            init::uniform_(&weight, -bound, bound).map(|()| weight)
        };
        let (n_gates, n_directions) = (n_gates * o.hidden_size, 1 + usize::from(o.bidirectional));
        let mut directions = Vec::new();
        for layer in 0..o.num_layers {
            let n_in = if layer == 0 {
                o.input_size
            } else {
                n_directions * o.hidden_size
            };
            for direction in 0..n_directions {
                let reverse = if direction == 1 { "_reverse" } else { "" };
                directions.push(Direction {
                    suffix: format!("_l{layer}{reverse}"),
                    weight_ih: drawn(&[n_gates, n_in])?,
                    weight_hh: drawn(&[n_gates, o.hidden_size])?,
                    biases: match o.bias {
                        true => Some((drawn(&[n_gates])?, drawn(&[n_gates])?)),
                        false => None,
                    },
                });
            }
        }
        Ok(Recurrent {
            options: options.clone(),
            directions,
            training: Cell::new(true),
        })
    }

    fn show<'a>(&'a self, visit: &mut dyn FnMut(&str, Part<'a>)) {
        for direction in &self.directions {
            let mut each = |name: &str, tensor: &'a Tensor| {
                visit(
                    &format!("{name}{}", direction.suffix),
                    Part::Parameter(tensor),
                );
            };
            each("weight_ih", &direction.weight_ih);
            each("weight_hh", &direction.weight_hh);
            if let Some((input, hidden)) = &direction.biases {
                each("bias_ih", input);
                each("bias_hh", hidden);
            }
        }
        visit("training", Part::Training(&self.training));
    }

    /// Outputs of all steps, and the states after the last one, stacked.
    fn run(
        &self,
        x: &Tensor,
        states: Option<&[Tensor]>,
        n_states: usize,
        step: CellFn,
    ) -> Result<(Tensor, Vec<Tensor>)> {
        let o = &self.options;
        let engine = x.engine();
        let shape = x.shape();
        let batch_dim = usize::from(!o.batch_first);
        if shape.len() != 3 || shape[2] != o.input_size || shape[1 - batch_dim] == 0 {
            return Err(Error::runtime(format!(
                "a recurrent layer read shape {}, expected {}, one step or more",
                shape::show(&shape),
                if o.batch_first {
                    format!("[N, L, {}]", o.input_size)
                } else {
                    format!("[L, N, {}]", o.input_size)
                }
            )));
        }
        let expected = [self.directions.len(), shape[batch_dim], o.hidden_size];
        let before: Vec<Tensor> = match states {
            Some(states) => {
                if let Some(state) = states.iter().find(|state| state.shape()[..] != expected) {
                    return Err(Error::runtime(format!(
                        "Expected hidden size {expected:?}, got {}",
                        shape::show(&state.shape())
                    )));
                }
                states.to_vec()
            }
            None => (0..n_states)
                .map(|_| Tensor::full(engine, &expected, Scalar::Float(0.0), DType::F32))
                .collect::<Result<_>>()?,
        };
        let mut x = if o.batch_first {
            x.transpose(0, 1)?
        } else {
            x.clone()
        };
        let mut after: Vec<Vec<Tensor>> = vec![Vec::new(); n_states];
        let n_directions = 1 + usize::from(o.bidirectional);
        for (layer, directions) in self.directions.chunks(n_directions).enumerate() {
            let mut outputs = Vec::new();
            for (i, direction) in directions.iter().enumerate() {
                let at = (layer * n_directions + i) as i64;
                let state = before
                    .iter()
                    .map(|state| state.select(0, at))
                    .collect::<Result<_>>()?;
                let (y, state) = direction.through(&x, state, i == 1, step)?;
                outputs.push(y);
                after
                    .iter_mut()
                    .zip(state)
                    .for_each(|(all, state)| all.push(state));
            }
            x = match &outputs[..] {
                [one] => one.clone(),
                both => cat(both, -1)?,
            };
            if self.training.get() && o.dropout > 0.0 && layer + 1 < o.num_layers {
                x = dropped(&x, o.dropout, None)?;
            }
        }
        if o.batch_first {
            x = x.transpose(0, 1)?;
        }
        let after = after
            .iter()
            .map(|all| stack(all, 0))
            .collect::<Result<_>>()?;
        Ok((x, after))
    }
}

impl Direction {
    fn through(
        &self,
        x: &Tensor,
        mut state: Vec<Tensor>,
        reverse: bool,
        step: CellFn,
    ) -> Result<(Tensor, Vec<Tensor>)> {
        let (bias_ih, bias_hh) = match &self.biases {
            Some((input, hidden)) => (Some(input), Some(hidden)),
            None => (None, None),
        };
        let x = x.linear(&self.weight_ih, bias_ih)?;
        let n_steps = x.shape()[0];
        let mut outputs = Vec::with_capacity(n_steps);
        for i in 0..n_steps {
            let t = if reverse { n_steps - 1 - i } else { i };
            let hidden = state[0].linear(&self.weight_hh, bias_hh)?;
            state = step(&x.select(0, t as i64)?, &state, hidden)?;
            outputs.push(state[0].clone());
        }
        if reverse {
            outputs.reverse();
        }
        Ok((stack(&outputs, 0)?, state))
    }
}

fn gates<const N: usize>(x: &Tensor) -> Result<[Tensor; N]> {
    let size = x.shape().last().copied().unwrap_or(0) / N;
    let parts = x.split(&[size; N], -1)?;
    parts
        .try_into()
        .map_err(|_| Error::runtime("a gate is missing"))
}

fn elman(x: &Tensor, _: &[Tensor], hidden: Tensor) -> Result<Vec<Tensor>> {
    Ok(vec![hidden.add(x)?.tanh()?])
}

fn elman_relu(x: &Tensor, _: &[Tensor], hidden: Tensor) -> Result<Vec<Tensor>> {
    Ok(vec![hidden.add(x)?.relu()?])
}

fn lstm(x: &Tensor, state: &[Tensor], hidden: Tensor) -> Result<Vec<Tensor>> {
    let [i, f, g, o] = gates(&hidden.add(x)?)?;
    let (i, f, o) = (i.sigmoid()?, f.sigmoid()?, o.sigmoid()?);
    let c = f.mul(&state[1])?.add(&i.mul(&g.tanh()?)?)?;
    Ok(vec![o.mul(&c.tanh()?)?, c])
}

fn gru(x: &Tensor, state: &[Tensor], hidden: Tensor) -> Result<Vec<Tensor>> {
    let [x_reset, x_update, x_new] = gates(x)?;
    let [h_reset, h_update, h_new] = gates(&hidden)?;
    let reset = h_reset.add(&x_reset)?.sigmoid()?;
    let update = h_update.add(&x_update)?.sigmoid()?;
    let new = x_new.add(&h_new.mul(&reset)?)?.tanh()?;
    Ok(vec![state[0].sub(&new)?.mul(&update)?.add(&new)?])
}

macro_rules! recurrent {
    ($($(#[$doc:meta])* $name:ident $build:ident $gates:literal $n_states:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name {
            recurrent: Recurrent,
            step: CellFn,
        }

        impl Parts for $name {
            fn parts<'a>(&'a self, visit: &mut dyn FnMut(&str, Part<'a>)) {
                self.recurrent.show(visit);
            }
        }

        impl $name {
            /// Outputs of the last layer for every step, and the states after the last step, `[layers, N, hidden_size]`
            /// each. Without states, they begin as zeros.
            ///
            /// # Errors
            /// When shapes do not fit.
            pub fn run(&self, x: &Tensor, states: Option<&[Tensor]>) -> Result<(Tensor, Vec<Tensor>)> {
                if let Some(states) = states && states.len() != $n_states {
                    return Err(Error::value(format!(
                        "{} states came, expected {}", states.len(), $n_states
                    )));
                }
                self.recurrent.run(x, states, $n_states, self.step)
            }
        }

        /// The outputs alone.
        impl Module for $name {
            fn forward(&self, x: &Tensor) -> Result<Tensor> {
                Ok(self.run(x, None)?.0)
            }
        }

        impl RecurrentOptions {
            #[doc = concat!("[`", stringify!($name), "`] of these sizes.")]
            ///
            /// # Errors
            /// When a size is 0, or the weights are too large.
            pub fn $build(&self, engine: &Engine) -> Result<$name> {
                let recurrent = Recurrent::new(engine, self, $gates)?;
                Ok($name { recurrent, step: $build })
            }
        }
    )*};
}
recurrent! {
    /// The simplest recurrent layer: hₜ = tanh(W xₜ + b + U hₜ₋₁ + c). It reads `[L, N, input_size]`.
    RNN elman 1 1;
    /// A recurrent layer with a cell state, and gates for what it takes up, keeps and shows.
    ///
    /// ```
    /// use glowgrad_nn::nn::{Module, RecurrentOptions};
    /// # use glowgrad_tensor::{Engine, Tensor};
    /// # let engine = Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
    /// let layer = RecurrentOptions::new(3usize, 4usize).batch_first(true).lstm(&engine)?;
    /// let x = Tensor::from_f32(&engine, &[0.1; 30], &[2, 5, 3])?;
    /// let (y, states) = layer.run(&x, None)?;
    /// assert_eq!((&y.shape()[..], states.len()), (&[2, 5, 4][..], 2));
    /// # Ok::<(), glowgrad_tensor::Error>(())
    /// ```
    LSTM lstm 4 2;
    /// A recurrent layer with gates for what it forgets and what it takes up.
    GRU gru 3 1;
}

impl RecurrentOptions {
    /// [`RNN`] with a ReLU for the tanh.
    ///
    /// # Errors
    /// When a size is 0, or the weights are too large.
    pub fn elman_with_relu(&self, engine: &Engine) -> Result<RNN> {
        let recurrent = Recurrent::new(engine, self, 1)?;
        Ok(RNN {
            recurrent,
            step: elman_relu,
        })
    }
}

//! Recurrent layers: `RNN`, `GRU`, `LSTM`.
//!
//! The inputs of all steps are multiplied with the weight at once; then the steps run one after another. Sequences that end
//! earlier keep their state and give zeros.

use glowgrad::{Error, Result, Tensor};

use super::activation::hard_sigmoid;
use super::elementwise::masked;
use super::many;
use super::movement::reversed_places;
use crate::call::{Methods, args, full, heard};
use crate::graph::{Call, Row};

/// The operators of this family.
pub(super) static ROWS: &[Row] = &[
    many("RNN", 7, |c| run(c, 1, &["Tanh"])),
    many("GRU", 7, |c| run(c, 3, &["Sigmoid", "Tanh"])),
    many("LSTM", 7, |c| run(c, 4, &["Sigmoid", "Tanh", "Tanh"])),
];

/// A function between gates, with its numbers.
#[derive(Debug, Clone)]
struct Activation {
    name: String,
    alpha: f64,
    beta: f64,
    /// The bound on what goes in.
    clip: Option<f64>,
}

impl Activation {
    fn on(&self, x: &Tensor) -> Result<Tensor> {
        let x = &match self.clip {
            Some(bound) => x.with("clamp", args![-bound, bound])?,
            None => x.clone(),
        };
        let (alpha, beta) = (self.alpha, self.beta);
        match self.name.as_str() {
            "relu" => x.relu(),
            "tanh" => x.tanh(),
            "sigmoid" => x.sigmoid(),
            "affine" => x.times(alpha)?.plus(beta),
            "leakyrelu" => x.with("leaky_relu", args![alpha]),
            "thresholdedrelu" => {
                let limit = Tensor::number(x.engine(), glowgrad::Scalar::Float(alpha));
                masked(&x.pair("ge", &limit)?, x, 0.0)
            }
            "scaledtanh" => x.times(beta)?.tanh()?.times(alpha),
            "hardsigmoid" => hard_sigmoid(x, alpha, beta),
            "elu" => x.with("elu", args![alpha]),
            "softsign" => x.one("softsign"),
            "softplus" => x.one("softplus"),
            other => Err(Error::not_implemented(format!(
                "the activation {other:?} is not supported; expected one of ONNX's, such as Tanh"
            ))),
        }
    }
}

/// The activations of all directions; numbers go to those that need them, in order.
fn activations(c: &Call, defaults: &[&str], directions: usize) -> Result<Vec<Activation>> {
    let names = c.texts("activations").unwrap_or_else(|| {
        let once = defaults.iter().map(|name| (*name).to_owned());
        std::iter::repeat_n(once, directions).flatten().collect()
    });
    if names.len() != defaults.len() * directions {
        return Err(Error::value(format!(
            "{} activations came; expected {} for each of {directions} directions",
            names.len(),
            defaults.len()
        )));
    }
    let mut alphas = c.floats("activation_alpha").unwrap_or_default().into_iter();
    let mut betas = c.floats("activation_beta").unwrap_or_default().into_iter();
    let each = |name: String| {
        let name = name.to_lowercase();
        let (alpha, beta) = match name.as_str() {
            "leakyrelu" => (Some(0.01), None),
            "elu" | "thresholdedrelu" => (Some(1.0), None),
            "hardsigmoid" => (Some(0.2), Some(0.5)),
            "affine" => (Some(1.0), Some(0.0)),
            "scaledtanh" => (Some(1.0), Some(1.0)),
            _ => (None, None),
        };
        Activation {
            alpha: alpha.map_or(0.0, |own| alphas.next().unwrap_or(own)),
            beta: beta.map_or(0.0, |own| betas.next().unwrap_or(own)),
            clip: c.float("clip"),
            name,
        }
    };
    Ok(names.into_iter().map(each).collect())
}

/// One direction's weights.
struct Direction {
    /// [gates · hidden, hidden], turned.
    r: Tensor,
    /// Biases beside the input and beside the state, [gates · hidden] each.
    biases: Option<[Tensor; 2]>,
    peepholes: Option<Vec<Tensor>>,
    functions: Vec<Activation>,
    hidden: usize,
}

impl Direction {
    /// One gate of [B, gates · hidden].
    fn gate(&self, x: &Tensor, i: usize) -> Result<Tensor> {
        x.narrow(x.rank() - 1, i * self.hidden, self.hidden)
    }

    fn after(&self, h: &Tensor) -> Result<Tensor> {
        let y = h.matmul(&self.r)?;
        match &self.biases {
            Some([_, bias]) => y.add(bias),
            None => Ok(y),
        }
    }

    fn rnn(&self, x: &Tensor, h: &Tensor) -> Result<Tensor> {
        self.functions[0].on(&x.add(&self.after(h)?)?)
    }

    /// Gates z, r, h.
    fn gru(&self, c: &Call, x: &Tensor, h: &Tensor) -> Result<Tensor> {
        let (f, g) = (&self.functions[0], &self.functions[1]);
        let before = self.after(h)?;
        let joined = |i: usize| self.gate(x, i)?.add(&self.gate(&before, i)?);
        let z = f.on(&joined(0)?)?;
        let r = f.on(&joined(1)?)?;
        let new = match c.flag("linear_before_reset") {
            true => r.mul(&self.gate(&before, 2)?)?,
            false => {
                let own = self.gate(&r.mul(h)?.matmul(&self.r)?, 2)?;
                match &self.biases {
                    Some([_, bias]) => own.add(&self.gate(bias, 2)?)?,
                    None => own,
                }
            }
        };
        let new = g.on(&self.gate(x, 2)?.add(&new)?)?;
        // (1 − z) · new + z · h
        new.add(&z.mul(&h.sub(&new)?)?)
    }

    /// Gates i, o, f, c.
    fn lstm(&self, call: &Call, x: &Tensor, h: &Tensor, c: &Tensor) -> Result<[Tensor; 2]> {
        let [f, g, last] = &self.functions[..] else {
            return Err(Error::runtime("an LSTM has three activations"));
        };
        let gates = x.add(&self.after(h)?)?;
        let peeped = |i: usize, peephole: usize, c: &Tensor| {
            let gate = self.gate(&gates, i)?;
            match &self.peepholes {
                Some(weights) => gate.add(&weights[peephole].mul(c)?),
                None => Ok(gate),
            }
        };
        let input = f.on(&peeped(0, 0, c)?)?;
        let forget = match call.flag("input_forget") {
            true => input.neg()?.plus(1.0)?,
            false => f.on(&peeped(2, 2, c)?)?,
        };
        let new = g.on(&self.gate(&gates, 3)?)?;
        let c = forget.mul(c)?.add(&input.mul(&new)?)?;
        let output = f.on(&peeped(1, 1, &c)?)?;
        let h = output.mul(&last.on(&c)?)?;
        Ok([h, c])
    }
}

fn run(c: &Call, gates: usize, defaults: &[&str]) -> Result<Vec<Tensor>> {
    let batch_first = c.int_or("layout", 0) == 1;
    let turned = |x: &Tensor| match batch_first {
        true => x.transpose(0, 1),
        false => Ok(x.clone()),
    };
    let x = turned(c.x(0)?)?;
    let (w, r) = (c.x(1)?, c.x(2)?);
    let (reverse, directions) = match c.text_or("direction", "forward") {
        "forward" => (vec![false], 1),
        "reverse" => (vec![true], 1),
        "bidirectional" => (vec![false, true], 2),
        other => return Err(c.unknown("direction", other, "forward, reverse or bidirectional")),
    };
    let (&[_, batch, inputs], &[d, rows, hidden]) = (&x.shape()[..], &r.shape()[..]) else {
        return Err(Error::value(format!(
            "an input of shape {} and weights of shape {} came; expected three dimensions of both",
            glowgrad::shape::show(&x.shape()),
            glowgrad::shape::show(&r.shape())
        )));
    };
    if d != directions || rows != gates * hidden || w.shape()[..] != [d, rows, inputs] {
        return Err(Error::value(format!(
            "weights of shapes {} and {} came; expected [{directions}, {gates} · hidden, {inputs}] and [{directions}, {gates} · hidden, hidden]",
            glowgrad::shape::show(&w.shape()),
            glowgrad::shape::show(&r.shape())
        )));
    }
    let lengths = c.list(4)?;
    let functions = activations(c, defaults, directions)?;
    let is_lstm = gates == 4;
    let state = |i: usize| match c.get(i) {
        Some(state) => turned(state),
        None => full(c.engine, &[directions, batch, hidden], 0.0, x.dtype()),
    };
    let (first_h, first_c) = (state(5)?, state(6)?);
    let mut outputs = Vec::new();
    let mut last_h = Vec::new();
    let mut last_c = Vec::new();
    for (d, &reverse) in reverse.iter().enumerate() {
        let at = d as i64;
        let biases = match c.get(3) {
            Some(b) => {
                let b = b.select(0, at)?;
                Some([b.narrow(0, 0, rows)?, b.narrow(0, rows, rows)?])
            }
            None => None,
        };
        let peepholes = match c.get(7).filter(|_| is_lstm) {
            Some(p) => {
                let p = p.select(0, at)?;
                let part = |i: usize| p.narrow(0, i * hidden, hidden);
                Some(vec![part(0)?, part(1)?, part(2)?])
            }
            None => None,
        };
        let n = functions.len() / directions;
        let direction = Direction {
            r: r.select(0, at)?.transpose(0, 1)?,
            biases,
            peepholes,
            functions: functions[d * n..(d + 1) * n].to_vec(),
            hidden,
        };
        let (ys, h, cell) = walk(
            c,
            &direction,
            &x,
            &w.select(0, at)?.transpose(0, 1)?,
            [first_h.select(0, at)?, first_c.select(0, at)?],
            (reverse, lengths.as_deref()),
        )?;
        outputs.push(ys.unsqueeze(1)?);
        last_h.push(h.unsqueeze(0)?);
        last_c.push(cell.unsqueeze(0)?);
    }
    let joined = |parts: &[Tensor], at: i64| c.op("cat", args![parts, at]);
    let y = joined(&outputs, 1)?;
    let y = match batch_first {
        // [T, D, B, H] to [B, T, D, H].
        true => y.permute(&[2, 0, 1, 3])?,
        false => y,
    };
    let mut results = vec![y, turned(&joined(&last_h, 0)?)?];
    if is_lstm {
        results.push(turned(&joined(&last_c, 0)?)?);
    }
    Ok(results)
}

/// Runs one direction over [T, B, I]: states [T, B, H], the last state, the last cell.
fn walk(
    c: &Call,
    direction: &Direction,
    x: &Tensor,
    w: &Tensor,
    [mut h, mut cell]: [Tensor; 2],
    (reverse, lengths): (bool, Option<&[i64]>),
) -> Result<(Tensor, Tensor, Tensor)> {
    let (steps, batch) = (x.shape()[0], x.shape()[1]);
    if lengths.is_some_and(|lengths| lengths.len() != batch) {
        return Err(Error::value(format!(
            "sequence_lens has {} numbers; expected one for each of {batch} sequences",
            lengths.map_or(0, <[i64]>::len)
        )));
    }
    let flip = |x: &Tensor| match (reverse, lengths) {
        (false, _) => Ok(x.clone()),
        (true, None) => x.with("flip", args![[0i64].as_slice()]),
        (true, Some(lengths)) => {
            let index = reversed_places(x, 0, 1, lengths)?;
            x.with("gather", args![0i64, index])
        }
    };
    let mut all = flip(x)?.matmul(w)?;
    if let Some([bias, _]) = &direction.biases {
        all = all.add(bias)?;
    }
    let mut states = Vec::new();
    for t in 0..steps as i64 {
        heard()?;
        let x = all.select(0, t)?;
        let (mut new, mut new_cell) = match direction.functions.len() {
            1 => (direction.rnn(&x, &h)?, cell.clone()),
            2 => (direction.gru(c, &x, &h)?, cell.clone()),
            _ => {
                let [h, cell] = direction.lstm(c, &x, &h, &cell)?;
                (h, cell)
            }
        };
        let mut shown = new.clone();
        if let Some(lengths) = lengths {
            let runs: Vec<i64> = lengths.iter().map(|&n| i64::from(t < n)).collect();
            let runs = Tensor::from_i64(c.engine, &runs, &[batch, 1])?;
            let runs = runs.to(glowgrad::DType::Bool)?;
            shown = masked(&runs, &new, 0.0)?;
            new = new.where_(&runs, &h)?;
            new_cell = new_cell.where_(&runs, &cell)?;
        }
        (h, cell) = (new, new_cell);
        states.push(shown.unsqueeze(0)?);
    }
    let ys = match states.is_empty() {
        true => full(c.engine, &[0, batch, direction.hidden], 0.0, x.dtype())?,
        false => flip(&c.op("cat", args![states.as_slice(), 0i64])?)?,
    };
    Ok((ys, h, cell))
}

//! One call of the golden file, made again on a generator.
//!
//! What PyTorch composes in Python (`nn.init`, the layers' `reset_parameters`, `torch.normal` of
//! tensors, dropout) is composed here of the same draws in the same order.
//!
//! Left to others: comparing the elements (`random_golden.rs`).

use glowgrad_tensor::DType;
use glowgrad_tensor::random::{Draw, Generator};
use serde_json::Value;

/// The elements' bytes, and whether PyTorch's are the same to the last bit.
pub(crate) struct Drawn {
    pub(crate) bytes: Vec<u8>,
    pub(crate) exact: bool,
}

/// A generator on its way through one case's calls.
pub(crate) struct Replay {
    pub(crate) generator: Generator,
    /// Inputs of each output of the last weight, which also bound the bias.
    fan_in: f64,
    /// What a layer drew before the parameter that is listed first.
    drawn_before: Vec<u8>,
}

fn number(call: &Value, key: &str) -> f64 {
    number_or(call, key, f64::NAN)
}

fn number_or(call: &Value, key: &str, default: f64) -> f64 {
    call[key].as_f64().unwrap_or(default)
}

/// One number for all, or one each.
fn numbers(value: &Value, n: usize) -> Vec<f64> {
    match value.as_array() {
        Some(list) => list.iter().map(|x| x.as_f64().expect("a number")).collect(),
        None => vec![value.as_f64().expect("a number"); n],
    }
}

/// Elements of a float dtype as float64.
pub(crate) fn decode(bytes: &[u8], dtype: DType) -> Vec<f64> {
    let elements = bytes.chunks_exact(dtype.size());
    match dtype {
        DType::F16 => elements
            .map(|b| half::f16::from_le_bytes([b[0], b[1]]).to_f64())
            .collect(),
        DType::BF16 => elements
            .map(|b| half::bf16::from_le_bytes([b[0], b[1]]).to_f64())
            .collect(),
        DType::F32 => elements
            .map(|b| f64::from(f32::from_le_bytes(b.try_into().expect("4 bytes"))))
            .collect(),
        DType::F64 => elements
            .map(|b| f64::from_le_bytes(b.try_into().expect("8 bytes")))
            .collect(),
        _ => panic!("{dtype} is no float dtype"),
    }
}

fn encode(list: &[f64], dtype: DType) -> Vec<u8> {
    list.iter()
        .flat_map(|&x| match dtype {
            DType::F32 => (x as f32).to_le_bytes().to_vec(),
            DType::F64 => x.to_le_bytes().to_vec(),
            _ => panic!("no case composes {dtype}"),
        })
        .collect()
}

fn shape_of(call: &Value) -> Vec<usize> {
    numbers(&call["shape"], 0)
        .into_iter()
        .map(|n| n as usize)
        .collect()
}

/// `_calculate_fan_in_and_fan_out`.
fn fans(shape: &[usize]) -> (f64, f64) {
    let field: usize = shape[2..].iter().product();
    ((shape[1] * field) as f64, (shape[0] * field) as f64)
}

fn gain(arguments: &Value) -> f64 {
    match arguments["nonlinearity"].as_str().unwrap_or("leaky_relu") {
        "leaky_relu" => (2.0 / (1.0 + number_or(arguments, "a", 0.0).powi(2))).sqrt(),
        "relu" => 2.0_f64.sqrt(),
        "tanh" => 5.0 / 3.0,
        other => panic!("no case uses {other}"),
    }
}

/// Columns made orthonormal one after the other: `Q` of `QR` with a positive diagonal in `R`.
fn orthonormal_columns(columns: &mut [Vec<f64>]) {
    for index in 0..columns.len() {
        let (before, rest) = columns.split_at_mut(index);
        let column = &mut rest[0];
        // Twice, so that rounding leaves nothing of the earlier columns.
        for other in before.iter().chain(before.iter()) {
            let along: f64 = column.iter().zip(other).map(|(a, b)| a * b).sum();
            column
                .iter_mut()
                .zip(other)
                .for_each(|(a, b)| *a -= along * b);
        }
        let length = column.iter().map(|a| a * a).sum::<f64>().sqrt();
        column.iter_mut().for_each(|a| *a /= length);
    }
}

impl Replay {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            generator: Generator::new(seed),
            fan_in: 0.0,
            drawn_before: Vec::new(),
        }
    }

    fn draw(&mut self, draw: Draw, n: usize, dtype: DType) -> Vec<u8> {
        self.generator.draw(draw, n, dtype).expect("a valid draw")
    }

    fn uniform(&mut self, bound: f64, n: usize, dtype: DType) -> Vec<u8> {
        let (from, to) = (-bound, bound);
        self.draw(Draw::Uniform { from, to }, n, dtype)
    }

    /// `kaiming_uniform_(a=sqrt(5))`, rounded step by step as torch/nn/init.py does.
    fn weight(&mut self, fan_in: f64, n: usize, dtype: DType) -> Vec<u8> {
        self.fan_in = fan_in;
        let gain = (2.0 / (1.0 + 5.0_f64.sqrt().powi(2))).sqrt();
        self.uniform(3.0_f64.sqrt() * (gain / fan_in.sqrt()), n, dtype)
    }

    fn bias(&mut self, n: usize, dtype: DType) -> Vec<u8> {
        self.uniform(1.0 / self.fan_in.sqrt(), n, dtype)
    }

    /// Draws what a call of the golden file drew.
    pub(crate) fn call(&mut self, call: &Value) -> Drawn {
        let n = call["size"].as_u64().expect("size") as usize;
        let dtype = DType::parse(call["dtype"].as_str().expect("dtype")).expect("a dtype");
        let simple = match call["call"].as_str().expect("call") {
            "uniform" => Draw::Uniform {
                from: number(call, "low"),
                to: number(call, "high"),
            },
            "normal" => Draw::Normal {
                mean: number(call, "mean"),
                std: number(call, "std"),
            },
            "randint" => Draw::Integers {
                low: call["low"].as_i64().expect("low"),
                high: Some(call["high"].as_i64().expect("high")),
            },
            "randperm" => Draw::Permutation,
            "bernoulli" => Draw::Bernoulli {
                p: number(call, "p"),
            },
            "exponential" => Draw::Exponential {
                lambd: number(call, "lambd"),
            },
            name => {
                let bytes = self.composed(name, call, n, dtype);
                let exact = !name.contains("normal") && name != "orthogonal_" && name != "sparse_";
                // An embedding is the one parameter of normals.
                let exact = exact && (name != "parameter" || call["layer"] != "Embedding(5, 3)");
                return Drawn { bytes, exact };
            }
        };
        let exact = match simple {
            Draw::Normal { .. } => n >= 16 && dtype != DType::F64,
            Draw::Exponential { .. } => false,
            _ => true,
        };
        Drawn {
            bytes: self.draw(simple, n, dtype),
            exact,
        }
    }

    fn composed(&mut self, name: &str, call: &Value, n: usize, dtype: DType) -> Vec<u8> {
        match name {
            "linear_weight" => self.weight(number(call, "n_in"), n, dtype),
            "linear_bias" => self.bias(n, dtype),
            "parameter" => self.parameter(call, n, dtype),
            "normal_of" => {
                let (mean, std) = (numbers(&call["mean"], n), numbers(&call["std"], n));
                // One number's worth of spread is drawn with; a tensor's multiplies afterwards.
                let own = call["std"].as_f64();
                let spread = Draw::Normal {
                    mean: 0.0,
                    std: own.unwrap_or(1.0),
                };
                let drawn = decode(&self.draw(spread, n, dtype), dtype);
                let sums: Vec<f64> = (0..n)
                    .map(|i| {
                        let std = if own.is_some() { 1.0 } else { std[i] };
                        f64::from((drawn[i] * std) as f32) + mean[i]
                    })
                    .collect();
                encode(&sums, dtype)
            }
            "bernoulli_of" => {
                let drawn = self
                    .generator
                    .bernoulli_each(&numbers(&call["probabilities"], n), dtype)
                    .expect("probabilities");
                let ones: Vec<f64> = drawn.iter().map(|&one| f64::from(u8::from(one))).collect();
                encode(&ones, dtype)
            }
            "dropout" => {
                let kept = 1.0 - number(call, "p");
                let mask = self.draw(Draw::Bernoulli { p: kept }, n, dtype);
                let scaled: Vec<f64> = decode(&mask, dtype)
                    .iter()
                    .map(|one| one / f64::from(kept as f32))
                    .collect();
                encode(&scaled, dtype)
            }
            "multinomial" => {
                let rows = call["weights"].as_array().expect("weights");
                let (table, rows): (Vec<f64>, usize) = match rows[0].as_array() {
                    Some(_) => (
                        rows.iter().flat_map(|row| numbers(row, 0)).collect(),
                        rows.len(),
                    ),
                    None => (numbers(&call["weights"], 0), 1),
                };
                // The tensor of weights was float32.
                let table: Vec<f64> = table.into_iter().map(|w| f64::from(w as f32)).collect();
                self.generator
                    .multinomial(
                        &table,
                        rows,
                        table.len() / rows,
                        DType::F32,
                        call["num_samples"].as_i64().expect("num_samples"),
                        call["replacement"].as_bool().expect("replacement"),
                    )
                    .expect("weights")
                    .iter()
                    .flat_map(|index| index.to_le_bytes())
                    .collect()
            }
            _ => self.initialised(name, call, n, dtype),
        }
    }

    /// `torch.nn.init`.
    fn initialised(&mut self, name: &str, call: &Value, n: usize, dtype: DType) -> Vec<u8> {
        let (shape, arguments) = (shape_of(call), &call["arguments"]);
        let given = |key: &str, default: f64| number_or(arguments, key, default);
        let normal = |std: f64| Draw::Normal { mean: 0.0, std };
        match name {
            "uniform_" => {
                let (from, to) = (given("a", 0.0), given("b", 1.0));
                self.draw(Draw::Uniform { from, to }, n, dtype)
            }
            "normal_" => {
                let (mean, std) = (given("mean", 0.0), given("std", 1.0));
                self.draw(Draw::Normal { mean, std }, n, dtype)
            }
            "trunc_normal_" => {
                let draw = Draw::TruncatedNormal {
                    mean: given("mean", 0.0),
                    std: given("std", 1.0),
                    a: given("a", -2.0),
                    b: given("b", 2.0),
                };
                self.draw(draw, n, dtype)
            }
            "xavier_uniform_" | "xavier_normal_" => {
                let (fan_in, fan_out) = fans(&shape);
                let std = given("gain", 1.0) * (2.0 / (fan_in + fan_out)).sqrt();
                match name {
                    "xavier_normal_" => self.draw(normal(std), n, dtype),
                    _ => self.uniform(3.0_f64.sqrt() * std, n, dtype),
                }
            }
            "kaiming_uniform_" | "kaiming_normal_" => {
                let (fan_in, fan_out) = fans(&shape);
                let fan = if arguments["mode"] == "fan_out" {
                    fan_out
                } else {
                    fan_in
                };
                let std = gain(arguments) / fan.sqrt();
                match name {
                    "kaiming_normal_" => self.draw(normal(std), n, dtype),
                    _ => self.uniform(3.0_f64.sqrt() * std, n, dtype),
                }
            }
            "orthogonal_" => {
                let drawn = decode(&self.draw(normal(1.0), n, dtype), dtype);
                let (rows, columns) = (shape[0], shape[1]);
                // The shorter side's vectors are made orthonormal.
                let at = |i: usize, j: usize| {
                    if rows < columns {
                        i * columns + j
                    } else {
                        j * columns + i
                    }
                };
                let (count, length) = (rows.min(columns), rows.max(columns));
                let mut vectors: Vec<Vec<f64>> = (0..count)
                    .map(|i| (0..length).map(|j| drawn[at(i, j)]).collect())
                    .collect();
                orthonormal_columns(&mut vectors);
                let mut out = vec![0.0; n];
                for (i, vector) in vectors.iter().enumerate() {
                    for (j, x) in vector.iter().enumerate() {
                        out[at(i, j)] = x * given("gain", 1.0);
                    }
                }
                encode(&out, dtype)
            }
            "eye_" => {
                let diagonal = |i: usize| i / shape[1] == i % shape[1];
                let out: Vec<f64> = (0..n).map(|i| f64::from(u8::from(diagonal(i)))).collect();
                encode(&out, dtype)
            }
            "sparse_" => {
                let mut out = decode(&self.draw(normal(0.01), n, dtype), dtype);
                let (rows, columns) = (shape[0], shape[1]);
                let zeros = (given("sparsity", 0.0) * rows as f64).ceil() as usize;
                for column in 0..columns {
                    let mut order = vec![0; rows];
                    self.generator.randperm(&mut order);
                    for &row in &order[..zeros] {
                        out[row as usize * columns + column] = 0.0;
                    }
                }
                encode(&out, dtype)
            }
            other => panic!("the golden file has a call this test does not know: {other}"),
        }
    }

    /// A parameter of a new layer.
    fn parameter(&mut self, call: &Value, n: usize, dtype: DType) -> Vec<u8> {
        let layer = call["layer"].as_str().expect("layer");
        let parameter = call["parameter"].as_str().expect("parameter");
        let shape = shape_of(call);
        let hidden = match layer {
            "RNN(2, 3)" => Some(3.0_f64),
            "LSTM(2, 2)" | "GRU(2, 2)" => Some(2.0),
            _ => None,
        };
        if let Some(hidden) = hidden {
            return self.uniform(1.0 / hidden.sqrt(), n, dtype);
        }
        match (layer, parameter) {
            ("Embedding(5, 3)", _) => self.draw(
                Draw::Normal {
                    mean: 0.0,
                    std: 1.0,
                },
                n,
                dtype,
            ),
            // The inner Linear is made first, and its bias drawn before it is set to zero.
            ("MultiheadAttention(4, 2)", "in_proj_weight") => {
                self.drawn_before = self.weight(4.0, 16, dtype);
                self.bias(4, dtype);
                let (fan_in, fan_out) = fans(&shape);
                let std = (2.0 / (fan_in + fan_out)).sqrt();
                self.uniform(3.0_f64.sqrt() * std, n, dtype)
            }
            ("MultiheadAttention(4, 2)", "out_proj.weight") => {
                std::mem::take(&mut self.drawn_before)
            }
            ("MultiheadAttention(4, 2)", _) => encode(&vec![0.0; n], dtype),
            (_, "weight") => self.weight(fans(&shape).0, n, dtype),
            (_, "bias") => self.bias(n, dtype),
            other => panic!("the golden file has a parameter this test does not know: {other:?}"),
        }
    }
}

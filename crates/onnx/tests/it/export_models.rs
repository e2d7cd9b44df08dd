//! Small networks of the usual kinds, exported whole.

use glowgrad::bind::{Arg, bind};
use glowgrad::samples::Numbers;
use glowgrad::{DType, Engine, Index, Result, Scalar, Tensor, ops};
use glowgrad_files::onnx::{ModelProto, decode, encode};
use glowgrad_onnx::{Export, Model};

use crate::exporting::{Exported, export_with, reversed};

/// Weights that are drawn when a network first asks for them, under the names of a state dict.
pub(crate) struct Net {
    engine: Engine,
    numbers: Numbers,
    weights: Vec<(String, Tensor)>,
}

/// A call with arguments as Python passes them.
fn call(engine: &Engine, op: &str, args: Vec<Arg>, named: &[(&str, Arg)]) -> Result<Tensor> {
    let op = ops::find(op).expect("an op");
    let named = named.iter().map(|(n, a)| ((*n).to_owned(), a.clone()));
    let (operands, attrs) = bind(engine, op, args, named.collect())?;
    Tensor::apply(engine, op, &operands, attrs)
}

fn int(i: i64) -> Arg {
    Arg::Number(Scalar::Int(i))
}

fn float(x: f64) -> Arg {
    Arg::Number(Scalar::Float(x))
}

fn t(tensor: &Tensor) -> Arg {
    Arg::Tensor(tensor.clone())
}

impl Net {
    pub(crate) fn new(engine: &Engine, seed: u64) -> Net {
        Net {
            engine: engine.clone(),
            numbers: Numbers::new(seed),
            weights: Vec::new(),
        }
    }

    fn op(&self, op: &str, args: Vec<Arg>, named: &[(&str, Arg)]) -> Result<Tensor> {
        call(&self.engine, op, args, named)
    }

    fn on(&self, op: &str, x: &Tensor) -> Result<Tensor> {
        self.op(op, vec![t(x)], &[])
    }

    fn between(&mut self, name: &str, shape: &[usize], low: f64, high: f64) -> Result<Tensor> {
        if let Some((_, known)) = self.weights.iter().find(|(known, _)| known == name) {
            return Ok(known.clone());
        }
        let w = (self.numbers).tensor(&self.engine, shape, (low, high), DType::F32)?;
        self.weights.push((name.to_owned(), w.clone()));
        Ok(w)
    }

    fn weight(&mut self, name: &str, shape: &[usize]) -> Result<Tensor> {
        self.between(name, shape, -0.5, 0.5)
    }

    /// A layer inside its module.
    fn within<T>(&mut self, module: &str, run: impl FnOnce(&mut Net) -> Result<T>) -> Result<T> {
        self.engine.push_scope(module);
        let result = run(self);
        self.engine.pop_scope();
        result
    }

    fn linear(&mut self, name: &str, x: &Tensor, out: usize) -> Result<Tensor> {
        let n = *x.shape().last().expect("a dimension");
        let w = self.weight(&format!("{name}.weight"), &[out, n])?;
        let b = self.weight(&format!("{name}.bias"), &[out])?;
        self.within(name, |net| net.op("linear", vec![t(x), t(&w), t(&b)], &[]))
    }

    fn conv(
        &mut self,
        name: &str,
        x: &Tensor,
        w: &[usize],
        named: &[(&str, Arg)],
    ) -> Result<Tensor> {
        let weight = self.weight(&format!("{name}.weight"), w)?;
        let bias = self.weight(&format!("{name}.bias"), &w[..1])?;
        self.within(name, |net| {
            net.op("conv2d", vec![t(x), t(&weight), t(&bias)], named)
        })
    }

    fn batch_norm(&mut self, name: &str, x: &Tensor) -> Result<Tensor> {
        let n = [x.shape()[1]];
        let mean = self.weight(&format!("{name}.running_mean"), &n)?;
        let variance = self.between(&format!("{name}.running_var"), &n, 0.5, 2.0)?;
        let w = self.weight(&format!("{name}.weight"), &n)?;
        let b = self.weight(&format!("{name}.bias"), &n)?;
        let args = vec![t(x), t(&mean), t(&variance), t(&w), t(&b)];
        self.within(name, |net| net.op("batch_norm_eval", args, &[]))
    }

    fn layer_norm(&mut self, name: &str, x: &Tensor) -> Result<Tensor> {
        let n = *x.shape().last().expect("a dimension");
        let w = self.weight(&format!("{name}.weight"), &[n])?;
        let b = self.weight(&format!("{name}.bias"), &[n])?;
        let args = vec![t(x), Arg::ints(&[n as i64]), t(&w), t(&b)];
        self.within(name, |net| net.op("layer_norm", args, &[]))
    }

    fn slice(&self, x: &Tensor, dim: i64, start: i64, len: i64) -> Result<Tensor> {
        self.op("narrow", vec![t(x), int(dim), int(start), int(len)], &[])
    }
}

fn mlp(net: &mut Net, x: &Tensor) -> Result<Tensor> {
    let h = net.linear("fc1", x, 12)?;
    let h = net.on("tanh", &h)?;
    let h = net.linear("fc2", &h, 8)?.relu()?;
    net.linear("fc3", &h, 3)
}

fn lenet(net: &mut Net, x: &Tensor) -> Result<Tensor> {
    let h = net
        .conv("conv1", x, &[4, 1, 5, 5], &[("padding", int(2))])?
        .relu()?;
    let h = net.op("max_pool2d", vec![t(&h), int(2)], &[])?;
    let h = net.conv("conv2", &h, &[8, 4, 5, 5], &[])?.relu()?;
    let h = net.op("avg_pool2d", vec![t(&h), int(2)], &[])?;
    let h = net.op("flatten", vec![t(&h), int(1)], &[])?;
    let h = net.linear("fc1", &h, 16)?.relu()?;
    let h = net.linear("fc2", &h, 10)?;
    net.op("log_softmax", vec![t(&h), int(1)], &[])
}

fn residual(net: &mut Net, x: &Tensor) -> Result<Tensor> {
    let same = [("padding", int(1))];
    let h = net.conv("conv1", x, &[6, 6, 3, 3], &same)?;
    let h = net.batch_norm("bn1", &h)?.relu()?;
    let h = net.conv("conv2", &h, &[6, 6, 3, 3], &same)?;
    let h = net.batch_norm("bn2", &h)?;
    let h = h.add(x)?.relu()?;
    let h = net.op("adaptive_avg_pool2d", vec![t(&h), int(1)], &[])?;
    net.op("flatten", vec![t(&h), int(1)], &[])
}

fn depthwise(net: &mut Net, x: &Tensor) -> Result<Tensor> {
    let h = net.conv("expand", x, &[8, 4, 1, 1], &[])?;
    let h = net.on("relu6", &h)?;
    let wise = [("padding", int(1)), ("stride", int(2)), ("groups", int(8))];
    let h = net.conv("depthwise", &h, &[8, 1, 3, 3], &wise)?;
    let h = net.batch_norm("bn", &h)?;
    let h = net.on("relu6", &h)?;
    net.conv("project", &h, &[4, 8, 1, 1], &[])
}

/// Characters through an embedding and a cell that is called for each of them.
fn lstm(net: &mut Net, tokens: &Tensor) -> Result<Tensor> {
    let (steps, width, hidden) = (tokens.shape()[1] as i64, 6, 5);
    let table = net.weight("embedding.weight", &[20, width])?;
    let x = net.op("embedding", vec![t(tokens), t(&table)], &[])?;
    let shape = [tokens.shape()[0], hidden];
    let zeros = || Tensor::full(&net.engine, &shape, Scalar::Float(0.0), DType::F32);
    let (mut h, mut c) = (zeros()?, zeros()?);
    for step in 0..steps {
        let now = net.op("select", vec![t(&x), int(1), int(step)], &[])?;
        let gates = net.linear("lstm.ih", &now, 4 * hidden)?;
        let gates = gates.add(&net.linear("lstm.hh", &h, 4 * hidden)?)?;
        let n = hidden as i64;
        let gate = |net: &Net, i: i64, op: &str| net.on(op, &net.slice(&gates, 1, i * n, n)?);
        let (input, forget) = (gate(net, 0, "sigmoid")?, gate(net, 1, "sigmoid")?);
        let (cell, output) = (gate(net, 2, "tanh")?, gate(net, 3, "sigmoid")?);
        c = forget.mul(&c)?.add(&input.mul(&cell)?)?;
        h = output.mul(&net.on("tanh", &c)?)?;
    }
    net.linear("out", &h, 4)
}

/// A block of a GPT: causal attention with a mask that is made on the way, layer norms and a GELU.
fn gpt(net: &mut Net, tokens: &Tensor) -> Result<Tensor> {
    let (batch, time, width, heads) = (tokens.shape()[0] as i64, tokens.shape()[1] as i64, 16, 2);
    let table = net.weight("tokens.weight", &[24, width])?;
    let places = net.weight("places.weight", &[12, width])?;
    let at: Vec<i64> = (0..time).collect();
    let at = Tensor::from_i64(&net.engine, &at, &[time as usize])?;
    let places = net.op("embedding", vec![t(&at), t(&places)], &[])?;
    let x = net
        .op("embedding", vec![t(tokens), t(&table)], &[])?
        .add(&places)?;
    let h = net.layer_norm("ln1", &x)?;
    let qkv = net.linear("attn.qkv", &h, 3 * width)?;
    let each = width as i64 / heads;
    let part = |net: &Net, i: i64| -> Result<Tensor> {
        let part = net.slice(&qkv, 2, i * width as i64, width as i64)?;
        part.reshape(&[batch, time, heads, each])?.transpose(1, 2)
    };
    let (q, k, v) = (part(net, 0)?, part(net, 1)?, part(net, 2)?);
    let ones = Tensor::full(
        &net.engine,
        &[time as usize; 2],
        Scalar::Bool(true),
        DType::Bool,
    )?;
    let mask = net.on("logical_not", &net.op("tril", vec![t(&ones)], &[])?)?;
    let scores = q.matmul(&k.transpose(-2, -1)?)?;
    let scores = scores.mul(&Tensor::number(&net.engine, Scalar::Float(0.35)))?;
    let scores = net.op(
        "masked_fill",
        vec![t(&scores), t(&mask), float(f64::NEG_INFINITY)],
        &[],
    )?;
    let weights = net.op("softmax", vec![t(&scores), int(-1)], &[])?;
    let mixed = weights
        .matmul(&v)?
        .transpose(1, 2)?
        .reshape(&[batch, time, width as i64])?;
    let x = x.add(&net.linear("attn.proj", &mixed, width)?)?;
    let h = net.layer_norm("ln2", &x)?;
    let h = net.linear("mlp.up", &h, 4 * width)?;
    let h = net.within("mlp", |net| net.on("gelu", &h))?;
    let x = x.add(&net.linear("mlp.down", &h, width)?)?;
    let x = net.layer_norm("norm", &x)?;
    net.linear("head", &x, 24)
}

/// Attention as one op, causal, with a head of keys for two of queries.
fn attention(net: &mut Net, x: &Tensor) -> Result<Tensor> {
    let (batch, time, width) = (
        x.shape()[0] as i64,
        x.shape()[1] as i64,
        x.shape()[2] as i64,
    );
    let project = |net: &mut Net, name: &str, heads: i64| -> Result<Tensor> {
        let y = net.linear(name, x, (heads * width / 2) as usize)?;
        y.reshape(&[batch, time, heads, width / 2])?.transpose(1, 2)
    };
    let q = project(net, "q", 4)?;
    let (k, v) = (project(net, "k", 2)?, project(net, "v", 2)?);
    let options = [
        ("is_causal", Arg::Number(Scalar::Bool(true))),
        ("enable_gqa", Arg::Number(Scalar::Bool(true))),
    ];
    net.op(
        "scaled_dot_product_attention",
        vec![t(&q), t(&k), t(&v)],
        &options,
    )
}

fn autoencoder(net: &mut Net, x: &Tensor) -> Result<Tensor> {
    let down = [("stride", int(2)), ("padding", int(1))];
    let h = net.conv("encoder", x, &[6, 2, 3, 3], &down)?.relu()?;
    let w = net.weight("decoder.weight", &[6, 2, 3, 3])?;
    let b = net.weight("decoder.bias", &[2])?;
    let up = [
        ("stride", int(2)),
        ("padding", int(1)),
        ("output_padding", int(1)),
    ];
    let y = net.within("decoder", |net| {
        net.op("conv_transpose2d", vec![t(&h), t(&w), t(&b)], &up)
    })?;
    net.on("sigmoid", &y)
}

/// Writes in place, slices, a flip, a roll, and a value that is looked at on the way.
fn pieces(net: &mut Net, x: &Tensor) -> Result<Tensor> {
    let y = x.add(&Tensor::number(&net.engine, Scalar::Float(1.0)))?;
    let all = Index::Slice(None, None, None);
    let first = Index::Slice(Some(0), Some(2), None);
    let zero = Tensor::number(&net.engine, Scalar::Float(0.0));
    y.set(&[all.clone(), first], &zero)?;
    y.realize()?;
    let every_other = y.get(&[all, Index::Slice(None, None, Some(2))])?;
    let turned = net.op("flip", vec![t(&every_other), Arg::ints(&[1])], &[])?;
    let rolled = net.op("roll", vec![t(&turned), int(1), int(1)], &[])?;
    net.op("cumsum", vec![t(&rolled), int(1)], &[])
}

type Network = fn(&mut Net, &Tensor) -> Result<Tensor>;

/// Each network with the sizes of its input, and how many tokens there are if it takes tokens.
static NETWORKS: &[(&str, Network, &[usize], Option<usize>)] = &[
    ("mlp", mlp, &[4, 6], None),
    ("lenet", lenet, &[2, 1, 28, 28], None),
    ("residual", residual, &[2, 6, 8, 8], None),
    ("depthwise", depthwise, &[2, 4, 9, 9], None),
    ("lstm", lstm, &[3, 5], Some(20)),
    ("gpt", gpt, &[2, 7], Some(24)),
    ("attention", attention, &[2, 5, 8], None),
    ("autoencoder", autoencoder, &[2, 2, 8, 8], None),
    ("pieces", pieces, &[3, 7], None),
];

pub(crate) fn all_networks(opset: i64) -> Vec<Exported> {
    let each = |(name, network, sizes, most): &(&str, Network, &[usize], Option<usize>)| {
        let engine = glowgrad::cpu();
        let mut net = Net::new(&engine, 3);
        let x = match most {
            Some(n) => net.numbers.indices(&engine, sizes, *n),
            None => (net.numbers).tensor(&engine, sizes, (-1.0, 1.0), DType::F32),
        };
        let x = x.expect("an input");
        let mut export = Export::new();
        export.opset(opset).input("x", &x);
        let y = export
            .trace(&engine, || network(&mut net, &x))
            .expect("runs");
        for (name, weight) in &net.weights {
            export.weight(name, weight);
        }
        export.output("y", &y);
        let name = format!("{name}, opset {opset}");
        let mut exported = export_with(&name, &export, &[("x", &x)], &[("y", &y)]);
        let other = reversed(&engine, &x).expect("other numbers");
        let y = network(&mut net, &other).expect("runs");
        exported.add(&[("x", &other)], &[("y", &y)]);
        exported
    };
    NETWORKS.iter().map(each).collect()
}

#[test]
fn networks_give_the_same() {
    for opset in 18..=25 {
        for network in all_networks(opset) {
            let checked = network.check();
            assert!(checked.is_ok(), "{}: {checked:?}", network.name);
        }
    }
}

fn of(name: &str) -> ModelProto {
    let networks = all_networks(18);
    let network = networks.iter().find(|n| n.name.starts_with(name));
    decode(&network.expect("a network").model).expect("a model")
}

fn operators(model: &ModelProto) -> Vec<&str> {
    let graph = model.graph.as_ref().expect("a graph");
    graph.node.iter().map(|node| node.op_type()).collect()
}

#[test]
fn layers_are_operators_of_their_own() {
    assert_eq!(
        operators(&of("lenet")),
        [
            "Conv",
            "Relu",
            "MaxPool",
            "Conv",
            "Relu",
            "AveragePool",
            "Flatten",
            "Gemm",
            "Relu",
            "Gemm",
            "LogSoftmax",
        ]
    );
    assert_eq!(
        operators(&of("residual")),
        [
            "Conv",
            "BatchNormalization",
            "Relu",
            "Conv",
            "BatchNormalization",
            "Add",
            "Relu",
            "GlobalAveragePool",
            "Flatten",
        ]
    );
    assert_eq!(
        operators(&of("depthwise")),
        ["Conv", "Clip", "Conv", "BatchNormalization", "Clip", "Conv"]
    );
    assert_eq!(
        operators(&of("autoencoder")),
        ["Conv", "Relu", "ConvTranspose", "Sigmoid"]
    );
    let gpt = of("gpt");
    let count = |name: &str| operators(&gpt).iter().filter(|op| **op == name).count();
    assert_eq!(
        (
            count("LayerNormalization"),
            count("Softmax"),
            count("Gather")
        ),
        (3, 1, 2)
    );
}

#[test]
fn values_are_named_after_modules_and_weights_keep_their_names() {
    let model = of("mlp");
    assert_eq!(model.ir_version, Some(8));
    assert_eq!(model.producer_name(), "glowgrad");
    let graph = model.graph.expect("a graph");
    let nodes: Vec<&str> = graph.node.iter().map(|n| n.name()).collect();
    assert_eq!(
        nodes,
        ["fc1/linear", "tanh", "fc2/linear", "relu", "fc3/linear"]
    );
    let outputs: Vec<&str> = graph.node.iter().map(|n| n.output[0].as_str()).collect();
    assert_eq!(outputs, ["fc1/linear", "tanh", "fc2/linear", "relu", "y"]);
    let weights: Vec<&str> = graph.initializer.iter().map(|w| w.name()).collect();
    assert_eq!(
        weights,
        [
            "fc1.weight",
            "fc1.bias",
            "fc2.weight",
            "fc2.bias",
            "fc3.weight",
            "fc3.bias"
        ]
    );
    let gpt = of("gpt").graph.expect("a graph");
    assert!(
        gpt.node.iter().any(|n| n.name() == "mlp/gelu"),
        "a composite keeps its name"
    );
    assert!(
        gpt.node.iter().any(|n| n.name().starts_with("mlp/gelu/")),
        "its parts have it"
    );
}

/// A network on so many samples.
fn on_samples(name: &str, n: usize) -> (Export, Tensor, Tensor) {
    let engine = glowgrad::cpu();
    let (_, network, sizes, most) = (NETWORKS.iter())
        .find(|(known, ..)| *known == name)
        .expect("a network");
    let mut net = Net::new(&engine, 3);
    let sizes = [&[n], &sizes[1..]].concat();
    let mut numbers = Numbers::new(n as u64);
    let x = match most {
        Some(most) => numbers.indices(&engine, &sizes, *most),
        None => numbers.tensor(&engine, &sizes, (-1.0, 1.0), DType::F32),
    };
    let x = x.expect("an input");
    let mut export = Export::new();
    export.input("x", &x);
    let y = export
        .trace(&engine, || network(&mut net, &x))
        .expect("runs");
    for (name, weight) in &net.weights {
        export.weight(name, weight);
    }
    export.output("y", &y);
    (export, x, y)
}

pub(crate) fn of_any_batch() -> Vec<Exported> {
    // A write into a part of a tensor is an index of all its elements.
    let (two, three) = (on_samples("pieces", 2).0, on_samples("pieces", 3).0);
    let told = two
        .to_model_of_any("batch", &three)
        .expect_err("is refused");
    assert!(
        told.to_string().contains("\"copy_into\" (Gather)"),
        "{told}"
    );
    let each = |(name, ..): &(&str, Network, &[usize], Option<usize>)| {
        let (two, three) = (on_samples(name, 2).0, on_samples(name, 3).0);
        let model = two.to_model_of_any("batch", &three).expect("is written");
        let mut exported = Exported::of(&format!("{name} of any batch"), encode(&model));
        for n in [1, 2, 5] {
            let (_, x, y) = on_samples(name, n);
            exported.add(&[("x", &x)], &[("y", &y)]);
        }
        exported
    };
    let networks = NETWORKS.iter().filter(|(name, ..)| *name != "pieces");
    networks.map(each).collect()
}

#[test]
fn a_batch_may_be_of_any_size() {
    for network in of_any_batch() {
        let checked = network.check();
        assert!(checked.is_ok(), "{}: {checked:?}", network.name);
    }
}

#[test]
fn several_sizes_may_be_open_and_may_be_multiplied() {
    let engine = glowgrad::cpu();
    let ran = |b: usize, h: usize| {
        let x = Numbers::new((b * 10 + h) as u64);
        let x = { x }.tensor(&engine, &[b, 3, h, 4], (-1.0, 1.0), DType::F32);
        let x = x.expect("fits");
        let rows = x.reshape(&[(b * h) as i64, 12]).expect("fits");
        let halves = x.reshape(&[2 * b as i64, (h * 6) as i64]).expect("fits");
        let outputs = [rows.exp(), halves.relu()].map(|y| y.expect("runs"));
        let mut export = Export::new();
        export.input("x", &x);
        export
            .output("rows", &outputs[0])
            .output("halves", &outputs[1]);
        (export, x, outputs)
    };
    let [base, batch, height] = [(2, 2), (4, 2), (2, 4)].map(|(b, h)| ran(b, h).0);
    let bytes = base.to_bytes_of_sizes(&[("batch", &batch), ("height", &height)]);
    let bytes = bytes.expect("is written");
    let model = Model::read(&bytes).expect("is read");
    let told: Vec<String> = (model.inputs().iter().chain(model.outputs()))
        .map(ToString::to_string)
        .collect();
    assert_eq!(told[0], "x float32 [batch, 3, height, 4]");
    assert_eq!(told[1..], ["rows float32 [?, 12]", "halves float32 [?, ?]"]);
    let mut exported = Exported::of("two open sizes", bytes);
    for (b, h) in [(1, 1), (2, 5), (5, 3)] {
        let (_, x, [rows, halves]) = ran(b, h);
        exported.add(&[("x", &x)], &[("rows", &rows), ("halves", &halves)]);
    }
    assert_eq!(exported.check(), Ok(()));
    let twice = base.to_model_of_sizes(&[("batch", &batch), ("batch", &height)]);
    let told = twice.expect_err("is refused").to_string();
    assert!(told.contains("two exports are given for it"), "{told}");
}

#[test]
fn a_size_that_is_computed_with_is_not_left_open() {
    let engine = glowgrad::cpu();
    let export = |n: usize, run: &dyn Fn(&Tensor, usize) -> Result<Tensor>| {
        let x = Tensor::from_f32(&engine, &vec![1.0; 3 * n], &[n, 3]).expect("fits");
        let mut export = Export::new();
        let y = run(&x, n).expect("runs");
        export.input("x", &x).output("y", &y);
        export
    };
    let refused = |run: &dyn Fn(&Tensor, usize) -> Result<Tensor>, sizes: [usize; 2]| {
        let [a, b] = sizes.map(|n| export(n, run));
        a.to_model_of_any("batch", &b)
            .expect_err("is refused")
            .to_string()
    };
    let by_size =
        |x: &Tensor, n: usize| x.mul(&Tensor::number(&engine, Scalar::Float(1.0 / n as f64)));
    let text = refused(&by_size, [2, 3]);
    assert!(
        text.contains("\"batch\" cannot be left open") && text.contains("\"mul\" (Mul)"),
        "{text}"
    );
    let rows = |x: &Tensor, n: usize| {
        let rows: Vec<f32> = (0..3 * n).map(|i| i as f32).collect();
        x.add(&Tensor::from_f32(&engine, &rows, &[n, 3])?)
    };
    assert!(refused(&rows, [2, 3]).contains("a constant of sizes [2, 3]"));
    let branch = |x: &Tensor, n: usize| if n > 2 { x.exp() } else { x.relu() };
    assert!(refused(&branch, [2, 3]).contains("Relu in one export and Exp"));
    assert!(refused(&|x, _| x.exp(), [2, 2]).contains("the same sizes"));
}

//! A few expressions and the kernels that become of them, in WGSL and CUDA C: a reader of a change
//! sees what it does to the text that runs.
#![cfg(all(feature = "explain", not(target_arch = "wasm32")))]

use std::collections::HashMap;

use glowgrad::codegen::{self, Line, Names};
use glowgrad::explain::Scheduled;
use glowgrad::kernel::Work;
use glowgrad::trace::NodeId;
use glowgrad::{DType, Engine, Result, Scalar, Tensor};
use serde_json::{Value as Json, json};

use crate::suite;

/// Names of leaves, as the learner's variables.
#[derive(Default)]
struct Variables(HashMap<NodeId, &'static str>);

impl Names for Variables {
    fn name(&self, node: NodeId) -> Option<String> {
        self.0.get(&node).map(|name| (*name).to_owned())
    }
}

/// An engine and what its leaves are called.
struct Desk {
    engine: Engine,
    names: Variables,
}

impl Desk {
    fn of(&mut self, name: &'static str, shape: &[usize], dtype: DType) -> Result<Tensor> {
        let n = shape.iter().product::<usize>();
        // Integers are divisors too, and none is 0.
        let value = |i: usize| match i as i64 % 7 - 3 {
            0 if dtype.is_int() => 4,
            value => value,
        };
        let values: Vec<Scalar> = (0..n).map(|i| Scalar::Int(value(i))).collect();
        let tensor = Tensor::from_scalars(&self.engine, &values, shape, dtype)?;
        self.names.0.insert(tensor.node().id, name);
        Ok(tensor)
    }

    fn floats(&mut self, name: &'static str, shape: &[usize]) -> Result<Tensor> {
        self.of(name, shape, DType::F32)
    }

    fn number(&self, x: f64) -> Tensor {
        Tensor::number(&self.engine, Scalar::Float(x))
    }

    /// A call by PyTorch's names.
    fn call(&self, name: &str, operands: &[&Tensor], options: Json) -> Result<Tensor> {
        let operands: Vec<Tensor> = operands.iter().map(|&t| t.clone()).collect();
        let mut results = suite::call::call(&self.engine, name, &operands, &options)?;
        Ok(results.remove(0))
    }
}

type Expression = fn(&mut Desk) -> Result<Tensor>;

const EXPRESSIONS: [(&str, Expression); 21] = [
    ("chain", |d| {
        let (x, y) = (d.floats("x", &[64])?, d.floats("y", &[64])?);
        x.mul(&y)?.add(&d.number(1.0))?.tanh()
    }),
    ("broadcast", |d| {
        let (x, b) = (d.floats("x", &[8, 16])?, d.floats("b", &[16])?);
        x.add(&b)?.relu()
    }),
    ("transposed", |d| {
        let (x, y) = (d.floats("x", &[3, 5])?, d.floats("y", &[5, 3])?);
        x.reversed()?.mul(&y)
    }),
    ("flipped_slice", |d| {
        let x = d.floats("x", &[9, 4])?;
        let slice = d.call(
            "slice",
            &[&x],
            json!({"dim": 0, "start": 1, "stop": 8, "step": 2}),
        )?;
        d.call("flip", &[&slice], json!({"dims": [0, 1]}))?.exp()
    }),
    ("softmax", |d| d.floats("scores", &[4, 10])?.softmax(1)),
    ("softmax_of_long_rows", |d| {
        d.floats("scores", &[4, 1000])?.softmax(1)
    }),
    ("layer_norm", |d| {
        let x = d.floats("x", &[6, 32])?;
        let (w, b) = (d.floats("weight", &[32])?, d.floats("bias", &[32])?);
        d.call(
            "layer_norm",
            &[&x, &w, &b],
            json!({"normalized_shape": [32]}),
        )
    }),
    ("sum_of_rows", |d| {
        let x = d.floats("x", &[12, 20])?;
        d.call("sum", &[&x], json!({"dim": 1}))
    }),
    ("mean_of_all", |d| {
        let x = d.floats("x", &[40, 50])?;
        d.call("mean", &[&x], json!({}))
    }),
    ("largest_of_columns", |d| {
        let x = d.floats("x", &[5, 6])?;
        d.call("amax", &[&x], json!({"dim": 0}))
    }),
    ("where_of_many_is_the_largest", |d| {
        let x = d.floats("x", &[3, 512])?;
        d.call("argmax", &[&x], json!({"dim": 1}))
    }),
    ("whether_any_of_many", |d| {
        let x = d.of("flags", &[300], DType::Bool)?;
        d.call("any", &[&x], json!({}))
    }),
    ("choice", |d| {
        let (x, y) = (d.floats("x", &[24])?, d.floats("y", &[24])?);
        let less = d.call("lt", &[&x, &y], json!({}))?;
        x.where_(&less, &d.number(f64::NEG_INFINITY))
    }),
    ("integers", |d| {
        let (n, m) = (d.of("n", &[10], DType::I64)?, d.of("m", &[10], DType::I64)?);
        let quotient = d.call("floor_divide", &[&n, &m], json!({}))?;
        let rest = d.call("remainder", &[&n, &m], json!({}))?;
        quotient.mul(&m)?.add(&rest)?.sub(&n)
    }),
    ("narrow_integers", |d| {
        let (n, m) = (d.of("n", &[10], DType::U8)?, d.of("m", &[10], DType::U8)?);
        let sum = n.add(&m)?;
        d.call("bitwise_xor", &[&sum, &m], json!({}))
    }),
    ("casts", |d| {
        let x = d.floats("x", &[10])?.mul(&d.number(0.5))?;
        let whole = d.call("to", &[&x], json!({"dtype": "int8"}))?;
        d.call("to", &[&whole], json!({"dtype": "bool"}))
    }),
    ("float16", |d| {
        let x = d.of("x", &[10], DType::F16)?;
        let y = d.of("y", &[10], DType::F16)?;
        x.sigmoid()?.mul(&y)
    }),
    ("half_precision", |d| {
        let x = d.of("x", &[10], DType::F16)?;
        let y = d.of("y", &[10], DType::BF16)?;
        x.sigmoid()?.mul(&y)
    }),
    ("double_precision", |d| {
        let x = d.of("x", &[10], DType::F64)?;
        d.call("logsumexp", &[&x], json!({"dim": [0]}))
    }),
    ("gelu_and_its_gradient", |d| {
        let x = d.floats("x", &[10])?;
        x.set_requires_grad(true)?;
        let y = d.call("gelu", &[&x], json!({"approximate": "none"}))?;
        y.sum()?.backward(None, Default::default())?;
        Ok(x.grad().expect("a gradient"))
    }),
    ("a_number_that_changes", |d| {
        let x = d.floats("x", &[10])?;
        x.sigmoid()?.mul(&d.number(0.9))
    }),
];

fn text(lines: &[Line]) -> String {
    let lines: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
    lines.join("\n")
}

fn sources(item: &Scheduled, names: &Variables) -> Vec<String> {
    let told = |source: Result<Vec<Line>, String>| match source {
        Ok(lines) => text(&lines),
        Err(why) => why,
    };
    vec![
        format!("== {} {}", item.number, item.name),
        told(codegen::wgsl(item, names)),
        "--".to_owned(),
        told(codegen::cuda(item, names)),
    ]
}

#[test]
fn kernels_of_a_few_expressions() -> Result<()> {
    for (name, expression) in EXPRESSIONS {
        let mut desk = Desk {
            engine: suite::layered::formulas(),
            names: Variables::default(),
        };
        expression(&mut desk)?.to_bytes()?;
        let items = desk.engine.scheduled();
        let shown: Vec<String> = items
            .iter()
            .flat_map(|item| sources(item, &desk.names))
            .collect();
        assert_snapshot!(name, shown.join("\n"));
    }
    Ok(())
}

/// Where the result takes the memory of what is read, one buffer is both, and of both dtypes.
#[test]
fn kernels_in_place() -> Result<()> {
    let x = Tensor::from_f32(&glowgrad::cpu(), &[1.0, 2.0], &[2])?;
    let mut shown = Vec::new();
    for dtype in [DType::F32, DType::I32] {
        x.engine().begin_step();
        x.add(&Tensor::number(x.engine(), Scalar::Float(0.9)))?
            .to(dtype)?
            .to_bytes()?;
        let items = x.engine().scheduled();
        let Work::Kernel(kernel) = &items[0].work else {
            panic!("a sum is a kernel");
        };
        let in_place = [Some(0), None, None, None];
        let wgsl = codegen::shader(kernel, in_place).expect("WGSL has both");
        let cuda = codegen::cuda_kernel(kernel, in_place).expect("CUDA has all");
        assert!(wgsl.inputs.is_empty() && cuda.inputs.is_empty());
        shown.extend([wgsl.source(), cuda.source()]);
    }
    assert_snapshot!("in_place", shown.join("--\n"));
    Ok(())
}

/// Metal's text differs from CUDA's in a table alone, so that a few expressions show it all.
#[test]
fn kernels_for_metal() -> Result<()> {
    let mut shown = Vec::new();
    for wanted in [
        "chain",
        "whether_any_of_many",
        "integers",
        "float16",
        "double_precision",
    ] {
        let (_, expression) = EXPRESSIONS
            .iter()
            .find(|(name, _)| *name == wanted)
            .expect("an expression of that name");
        let mut desk = Desk {
            engine: suite::layered::formulas(),
            names: Variables::default(),
        };
        expression(&mut desk)?.to_bytes()?;
        for item in desk.engine.scheduled() {
            shown.push(format!("== {wanted} {}", item.name));
            shown.push(match codegen::msl(&item, &desk.names) {
                Ok(lines) => text(&lines),
                Err(why) => why,
            });
        }
    }
    assert_snapshot!("metal", shown.join("\n"));
    Ok(())
}

/// A line of one language comes from the nodes that it comes from in another.
#[test]
fn lines_are_linked_alike() -> Result<()> {
    for (name, expression) in EXPRESSIONS {
        let mut desk = Desk {
            engine: suite::layered::formulas(),
            names: Variables::default(),
        };
        expression(&mut desk)?.to_bytes()?;
        for item in desk.engine.scheduled() {
            let Ok(wgsl) = codegen::wgsl(&item, &desk.names) else {
                continue;
            };
            let cuda = codegen::cuda(&item, &desk.names).expect("CUDA has what WGSL has");
            let msl = codegen::msl(&item, &desk.names).expect("MSL has what WGSL has");
            let links = |lines: &[Line]| -> Vec<Vec<NodeId>> {
                let linked = lines.iter().filter(|line| !line.nodes.is_empty());
                linked.map(|line| line.nodes.clone()).collect()
            };
            assert_eq!(links(&wgsl), links(&cuda), "{name}");
            assert_eq!(links(&cuda), links(&msl), "{name}");
        }
    }
    Ok(())
}

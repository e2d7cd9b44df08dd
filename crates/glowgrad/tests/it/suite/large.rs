//! Work of sizes that golden cases have not, on a device and by formulas on the CPU.

use glowgrad::{DType, Engine, ErrorKind, Index, Result, Scalar, Tensor};
use serde_json::json;

use super::call::call;
use super::layered::formulas;
use super::samples::Numbers;

/// A call on operands of these shapes, both ways; `within` is the tolerance of an element about 10.
pub fn agree(
    device: &Engine,
    shapes: &[&[usize]],
    dtype: DType,
    within: f64,
    run: &dyn Fn(&[Tensor]) -> Result<Tensor>,
) -> Result<(), String> {
    let results = [&formulas(), device].map(|engine| -> Result<Vec<f64>> {
        let mut numbers = Numbers::new(7);
        let operands = shapes
            .iter()
            .map(|shape| numbers.tensor(engine, shape, (-1.0, 1.0), dtype))
            .collect::<Result<Vec<Tensor>>>()?;
        run(&operands)?.to_f64()
    });
    let [expected, got] = results.map(|result| result.map_err(|error| error.to_string()));
    let (expected, got) = (expected?, got?);
    if expected.len() != got.len() {
        return Err(format!("{} elements, not {}", got.len(), expected.len()));
    }
    // Sums of many products come in another order.
    let differs = |(x, y): &(&f64, &f64)| (*x - *y).abs() > within * (10.0 + y.abs());
    match got.iter().zip(&expected).position(|pair| differs(&pair)) {
        Some(at) => Err(format!("element {at}: {}, not {}", got[at], expected[at])),
        None => Ok(()),
    }
}

/// What differs in these dtypes, each with its tolerance.
pub fn failures(device: &Engine, dtypes: &[(DType, f64)]) -> Vec<String> {
    let mut failures = Vec::new();
    let mut check = |what: &str, shapes: &[&[usize]], run: &dyn Fn(&[Tensor]) -> Result<Tensor>| {
        for &(dtype, within) in dtypes {
            if let Err(why) = agree(device, shapes, dtype, within, run) {
                failures.push(format!("{what}, {dtype}: {why}"));
            }
        }
    };
    for (m, k, n) in [
        (1, 300, 1),
        (33, 65, 31),
        (64, 64, 64),
        (100, 784, 257),
        (520, 70, 530),
    ] {
        check("matmul", &[&[m, k], &[k, n]], &|x| x[0].matmul(&x[1]));
        check("matmul of a transpose", &[&[k, m], &[n, k]], &|x| {
            x[0].transpose(0, 1)?.matmul(&x[1].transpose(0, 1)?)
        });
        // Libraries have no layout for a step of two.
        check("matmul of every other", &[&[m, 2 * k], &[k, n]], &|x| {
            let every_other = Index::Slice(None, None, Some(2));
            let all = Index::Slice(None, None, None);
            x[0].get(&[all, every_other])?.matmul(&x[1])
        });
    }
    check("batched matmul", &[&[3, 2, 40, 20], &[2, 20, 50]], &|x| {
        x[0].matmul(&x[1])
    });
    // More workgroups than one dimension has.
    check("5 million elements", &[&[5_000_000], &[1]], &|x| {
        x[0].mul(&x[1])?
            .tanh()?
            .get(&[Index::Slice(Some(4_999_000), None, None)])
    });
    check("a sum of a million", &[&[1_000_000]], &|x| {
        x[0].exp()?.mean()
    });
    check("sums of rows", &[&[300, 1000]], &|x| x[0].softmax(1));
    check("sums of columns", &[&[1000, 300]], &|x| x[0].softmax(0));
    convolutions(&mut check);
    check("the first of many largest", &[&[400, 600], &[1]], &|x| {
        let less = call(x[0].engine(), "lt", x, &json!({}))?;
        less[0].to(DType::F32)?.argmax(1)
    });
    check("a sort", &[&[3, 1000, 2]], &|x| {
        let sorted = call(x[0].engine(), "argsort", x, &json!({ "dim": 1 }))?;
        Ok(sorted[0].clone())
    });
    check("rows added where indices say", &[&[500, 8]], &|x| {
        let engine = x[0].engine();
        let index: Vec<i64> = (0..500).map(|i| i * i % 37).collect();
        let index = Tensor::from_i64(engine, &index, &[500])?;
        let zeros = Tensor::full(engine, &[37, 8], Scalar::Int(0), x[0].dtype())?;
        let inputs = [zeros, index, x[0].clone()];
        let sums = call(engine, "index_add", &inputs, &json!({ "dim": 0 }))?;
        Ok(sums[0].clone())
    });
    failures
}

/// A convolution: in words, shapes of input, weight and result, options.
type Convolution = (
    &'static str,
    [&'static [usize]; 3],
    &'static [(&'static str, i64)],
);

/// Of large tiles, of wide ones, of sums in parts, of many groups.
const CONVOLUTIONS: &[Convolution] = &[
    (
        "of many channels",
        [&[6, 70, 29, 31], &[66, 70, 3, 3], &[6, 66, 29, 31]],
        &[("padding", 1)],
    ),
    (
        "of few channels",
        [&[40, 1, 28, 28], &[7, 1, 5, 5], &[40, 7, 12, 12]],
        &[("stride", 2)],
    ),
    (
        "of small images",
        [&[2, 130, 5, 5], &[200, 130, 3, 3], &[2, 200, 3, 3]],
        &[],
    ),
    (
        "of channels by themselves",
        [&[4, 48, 33, 20], &[48, 1, 3, 3], &[4, 48, 29, 16]],
        &[("groups", 48), ("dilation", 2)],
    ),
];

/// Checks a call on operands of these shapes.
type Check<'a> = dyn FnMut(&str, &[&[usize]], &dyn Fn(&[Tensor]) -> Result<Tensor>) + 'a;

/// Convolutions and their gradients.
fn convolutions(check: &mut Check) {
    for (what, shapes, options) in CONVOLUTIONS {
        let convolve = |x: &[Tensor]| -> Result<Tensor> {
            let attrs = options.iter().map(|&(name, n)| (name.to_owned(), json!(n)));
            let attrs = serde_json::Value::Object(attrs.collect());
            Ok(call(x[0].engine(), "conv2d", &x[..2], &attrs)?.remove(0))
        };
        check(&format!("a convolution {what}"), shapes, &convolve);
        for (of, name) in ["input", "weight"].into_iter().enumerate() {
            let gradient = |x: &[Tensor]| -> Result<Tensor> {
                x[of].set_requires_grad(true)?;
                let sum = convolve(x)?.mul(&x[2])?.sum()?;
                sum.backward(None, Default::default())?;
                Ok(x[of].grad().expect("of a leaf"))
            };
            let what = format!("the gradient of the {name} of a convolution {what}");
            check(&what, shapes, &gradient);
        }
    }
}

/// An index out of range is PyTorch's error, and the device goes on.
pub fn refuses_an_index(engine: &Engine) -> Result<()> {
    let x = Tensor::from_f32(engine, &[1.0, 2.0, 3.0], &[3])?;
    let index = Tensor::from_i64(engine, &[0, 3], &[2])?;
    let picked = call(
        engine,
        "index_select",
        &[x.clone(), index],
        &json!({ "dim": 0 }),
    );
    let error = picked.and_then(|all| all[0].to_bytes());
    let error = error.expect_err("3 is no row");
    assert_eq!(error.kind, ErrorKind::Index);
    assert_eq!(x.mul(&x)?.to_f64()?, [1.0, 4.0, 9.0]);
    Ok(())
}

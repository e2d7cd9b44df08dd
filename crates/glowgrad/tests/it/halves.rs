//! Values and gradients in 16 bits are rounded where PyTorch rounds them, to the last bit.
#![cfg(not(target_arch = "wasm32"))]

use glowgrad::autograd::BackwardOptions;
use glowgrad::op::{Attr, Attrs};
use glowgrad::{DType, Scalar, Tensor, ops};

use crate::dtypes::attrs;

/// As PyTorch's: a product and its bias are rounded together.
#[test]
fn a_linear_layer_of_halves_is_rounded_once() {
    let engine = glowgrad::cpu();
    for dtype in [DType::F16, DType::BF16] {
        let tensor = |shape: &[usize], seed: usize| {
            let numbers = (0..shape.iter().product::<usize>())
                .map(|i| Scalar::Float(((i * i * 7 + i * 3 + seed) % 101) as f64 / 67.0 - 0.7));
            Tensor::from_scalars(&engine, &numbers.collect::<Vec<_>>(), shape, dtype)
                .expect("a small shape")
        };
        let (x, weight, bias) = (tensor(&[9, 33], 1), tensor(&[7, 33], 2), tensor(&[7], 3));
        let wide = |tensor: &Tensor| tensor.to(DType::F32).expect("float32");
        let values = |tensor: glowgrad::Result<Tensor>| {
            let tensor = tensor.and_then(|tensor| tensor.to(dtype));
            tensor.and_then(|tensor| tensor.to_f64()).expect("a value")
        };
        let once = values(wide(&x).linear(&wide(&weight), Some(&wide(&bias))));
        assert_eq!(values(x.linear(&weight, Some(&bias))), once, "{dtype:?}");
        let product = x.linear(&weight, None).expect("a product");
        let add = ops::find("add").expect("in the registry");
        let twice = values(Tensor::apply(&engine, add, &[product, bias], Attrs::new()));
        assert_ne!(once, twice, "numbers that show nothing");
    }
}

/// Gradients of PyTorch 2.15, to the last bit: what it computes in 16 bits and what in 32 differs from op to op.
#[test]
fn gradients_of_halves_are_rounded_where_pytorch_rounds_them() {
    const AT: [f64; 8] = [-2.3, -0.7, -0.1, 0.3, 0.9, 1.7, 2.9, 4.1];
    const GRADIENT: [f64; 8] = [1.1, -0.3, 0.7, 2.2, -1.9, 0.013, 0.5, -3.1];
    let expected: [(&str, DType, [f64; 8]); 6] = [
        (
            "sigmoid",
            DType::F16,
            [
                0.09100341796875,
                -0.0665283203125,
                0.174560546875,
                0.53759765625,
                -0.390625,
                0.0016965866088867188,
                0.0247650146484375,
                -0.049163818359375,
            ],
        ),
        (
            "sigmoid",
            DType::BF16,
            [
                0.09130859375,
                -0.06689453125,
                0.1748046875,
                0.5390625,
                -0.390625,
                0.001678466796875,
                0.0240478515625,
                -0.047607421875,
            ],
        ),
        (
            "logsigmoid",
            DType::F16,
            [
                0.99951171875,
                -0.200439453125,
                0.36767578125,
                0.93603515625,
                -0.54931640625,
                0.0020084381103515625,
                0.02606201171875,
                -0.050445556640625,
            ],
        ),
        (
            "logsigmoid",
            DType::BF16,
            [
                1.0,
                -0.201171875,
                0.3671875,
                0.9375,
                -0.546875,
                0.0019989013671875,
                0.02587890625,
                -0.05078125,
            ],
        ),
        (
            "softplus",
            DType::F16,
            [
                0.10015869140625,
                -0.09954833984375,
                0.33251953125,
                1.263671875,
                -1.3505859375,
                0.01099395751953125,
                0.473876953125,
                -3.048828125,
            ],
        ),
        (
            "softplus",
            DType::BF16,
            [
                0.1005859375,
                -0.10009765625,
                0.33203125,
                1.265625,
                -1.3515625,
                0.010986328125,
                0.474609375,
                -3.046875,
            ],
        ),
    ];
    let engine = glowgrad::cpu();
    for (name, dtype, expected) in expected {
        let tensor = |numbers: [f64; 8]| {
            let numbers = numbers.map(Scalar::Float);
            Tensor::from_scalars(&engine, &numbers, &[8], dtype).expect("a small shape")
        };
        let x = tensor(AT);
        x.set_requires_grad(true).expect("a leaf");
        let op = ops::find(name).expect("in the registry");
        let y = Tensor::apply(&engine, op, std::slice::from_ref(&x), attrs(op, dtype));
        let y = y.expect("a value");
        y.backward(Some(&tensor(GRADIENT)), BackwardOptions::default())
            .expect("a gradient");
        let got = x.grad().expect("a gradient").to_f64().expect("numbers");
        assert_eq!(got, expected, "{name}, {dtype:?}");
    }
}

/// As PyTorch 2.15's, to the last bit: along the last dimension it rounds the sum of the exponentials, and its logarithm.
#[test]
fn log_softmax_of_halves_is_rounded_where_pytorch_rounds_it() {
    const AT: [f64; 8] = [-2.3, -0.7, -0.1, 0.3, 0.9, 1.7, 2.9, 4.1];
    let expected: [(DType, [f64; 8]); 2] = [
        (
            DType::F16,
            [
                -6.79296875,
                -5.1953125,
                -4.59375,
                -4.19140625,
                -3.59375,
                -2.79296875,
                -1.5927734375,
                -0.3916015625,
            ],
        ),
        (
            DType::BF16,
            [
                -6.78125,
                -5.1875,
                -4.59375,
                -4.1875,
                -3.59375,
                -2.78125,
                -1.578125,
                -0.39453125,
            ],
        ),
    ];
    let engine = glowgrad::cpu();
    for (dtype, expected) in expected {
        let x = Tensor::from_scalars(&engine, &AT.map(Scalar::Float), &[8], dtype)
            .expect("a small shape");
        let op = ops::find("log_softmax").expect("in the registry");
        let along: Attrs = std::iter::once(Attr::Int(0)).collect();
        let values = |x: Tensor| {
            let y = Tensor::apply(&engine, op, &[x], along.clone());
            let y = y.and_then(|y| y.to(dtype));
            y.and_then(|y| y.to_f64()).expect("numbers")
        };
        assert_eq!(values(x.clone()), expected, "{dtype:?}");
        let once = values(x.to(DType::F32).expect("float32"));
        assert_ne!(once, expected, "numbers that show nothing");
    }
}

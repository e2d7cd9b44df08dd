//! What layers refuse, in words a learner can act on, and what `grad_fn` says of those they accept.
#![cfg(not(target_arch = "wasm32"))]

use glowgrad::bind::{Arg, bind};
use glowgrad::{DType, Engine, ErrorKind, Result, Scalar, Tensor, ops};

fn ones(engine: &Engine, shape: &[usize]) -> Tensor {
    let tensor = Tensor::full(engine, shape, Scalar::Int(1), DType::F32).expect("a small shape");
    let leaf = tensor.detach();
    leaf.set_requires_grad(true).expect("a leaf of floats");
    leaf
}

/// An op on ones of these shapes, with integers as keywords.
fn call(name: &str, shapes: &[&[usize]], keywords: &[(&str, &[i64])]) -> Result<Tensor> {
    let engine = glowgrad::cpu();
    let op = ops::find(name).unwrap_or_else(|| panic!("{name} is in the registry"));
    let operands: Vec<Arg> = shapes
        .iter()
        .map(|s| Arg::Tensor(ones(&engine, s)))
        .collect();
    let keywords: Vec<(String, Arg)> = keywords
        .iter()
        .map(|(name, list)| match list {
            [one] => ((*name).to_owned(), Arg::Number(Scalar::Int(*one))),
            list => ((*name).to_owned(), Arg::ints(list)),
        })
        .collect();
    let (operands, attrs) = bind(&engine, op, operands, keywords)?;
    let y = Tensor::apply(&engine, op, &operands, attrs)?;
    y.realize()?;
    Ok(y)
}

/// An op, its operands' shapes, its options, and what is expected.
type Case = (
    &'static str,
    &'static [&'static [usize]],
    &'static [(&'static str, &'static [i64])],
    &'static str,
);

#[test]
fn refusals_name_sizes_and_a_remedy() {
    let cases: &[Case] = &[
        (
            "conv2d",
            &[&[1, 2, 4, 4], &[2, 3, 2, 2]],
            &[],
            "expected input[1, 2, 4, 4] to have 3 channels, but got 2 channels",
        ),
        (
            "conv2d",
            &[&[1, 2, 4, 4], &[2, 2, 5, 5]],
            &[],
            "(4 x 4). Kernel size: (5 x 5). Kernel size can't be greater",
        ),
        (
            "conv2d",
            &[&[1, 2, 4, 4], &[3, 1, 2, 2]],
            &[("groups", &[2])],
            "divisible by 2 at dimension 0",
        ),
        (
            "conv2d",
            &[&[1, 2, 4, 4], &[2, 2, 2, 2], &[3]],
            &[],
            "bias to be 1-dimensional with 2 elements",
        ),
        (
            "conv2d",
            &[&[1, 2, 4, 4], &[2, 2, 2, 2]],
            &[("stride", &[0])],
            "non-positive stride",
        ),
        (
            "conv2d",
            &[&[1, 2, 4, 4], &[2, 2, 2, 2]],
            &[("stride", &[1, 2, 3])],
            "a list of 2 values",
        ),
        (
            "conv2d",
            &[&[1, 2, 4, 4], &[2, 2, 2, 2]],
            &[("groups", &[0])],
            "non-positive groups",
        ),
        (
            "conv2d",
            &[&[1, 2, 4, 4], &[2, 2, 2, 2]],
            &[("padding", &[i64::MAX])],
            "too large",
        ),
        (
            "conv2d",
            &[&[1, 2, 4, 4], &[2, 2, 2, 2]],
            &[("padding", &[2_000_000_000])],
            "use a smaller shape",
        ),
        (
            "conv2d",
            &[&[4, 4], &[2, 2, 2, 2]],
            &[],
            "Expected 3D (unbatched) or 4D (batched) input to conv2d",
        ),
        (
            "conv_transpose2d",
            &[&[1, 2, 4, 4], &[3, 2, 2, 2]],
            &[],
            "3 channels",
        ),
        (
            "conv_transpose2d",
            &[&[1, 2, 4, 4], &[2, 2, 2, 2]],
            &[("output_padding", &[1])],
            "smaller than either stride or dilation",
        ),
        (
            "conv_transpose2d",
            &[&[1, 2, 1, 1], &[2, 2, 2, 2]],
            &[("padding", &[3])],
            "Output size is too small",
        ),
        (
            "max_pool2d",
            &[&[1, 2, 4, 4]],
            &[("kernel_size", &[5])],
            "Output size is too small",
        ),
        (
            "max_pool2d",
            &[&[1, 2, 4, 4]],
            &[("kernel_size", &[2]), ("padding", &[2])],
            "at most half of effective kernel size",
        ),
        (
            "max_pool2d",
            &[&[2, 2]],
            &[("kernel_size", &[1])],
            "3D or 4D",
        ),
        (
            "avg_pool2d",
            &[&[1, 2, 4, 4]],
            &[("kernel_size", &[2]), ("divisor_override", &[0])],
            "divisor must be not zero",
        ),
        (
            "adaptive_avg_pool2d",
            &[&[1, 2, 4, 4]],
            &[("output_size", &[-2])],
            "greater than or equal to 0",
        ),
        (
            "pixel_shuffle",
            &[&[1, 2, 4, 4]],
            &[("upscale_factor", &[3])],
            "input.size(-3)=2 is not divisible by 9",
        ),
        (
            "col2im",
            &[&[1, 5, 4]],
            &[("output_size", &[3, 3]), ("kernel_size", &[2])],
            "divisible by the product of kernel_size",
        ),
        (
            "im2col",
            &[&[1, 2, 4, 4]],
            &[("kernel_size", &[5])],
            "must be at least one",
        ),
        (
            "group_norm",
            &[&[1, 2, 4, 4]],
            &[("num_groups", &[3])],
            "num_groups=3",
        ),
        (
            "rms_norm",
            &[&[1, 4]],
            &[("normalized_shape", &[3])],
            "[*, 3]",
        ),
        (
            "scaled_dot_product_attention",
            &[&[3, 2], &[3, 3], &[3, 2]],
            &[],
            "must end in one size",
        ),
        (
            "huber_loss",
            &[&[2], &[2]],
            &[("delta", &[0])],
            "non-positive values for delta",
        ),
    ];
    for (op, shapes, keywords, words) in cases {
        match call(op, shapes, keywords) {
            Ok(_) => panic!("{op} of {shapes:?} with {keywords:?} should raise"),
            Err(error) => {
                assert_eq!(error.kind, ErrorKind::Runtime, "{op}: {error}");
                assert!(
                    error.message.contains(words),
                    "{op}: {error}\nexpected: {words}"
                );
            }
        }
    }
    let one = call("batch_norm", &[&[1, 2]], &[]).expect_err("one value a channel");
    assert_eq!(one.kind, ErrorKind::Value);
}

#[test]
fn grad_fn_is_pytorchs() {
    let cases: &[Case] = &[
        (
            "conv2d",
            &[&[1, 2, 4, 4], &[2, 2, 2, 2]],
            &[],
            "ConvolutionBackward0",
        ),
        (
            "conv2d",
            &[&[2, 4, 4], &[2, 2, 2, 2]],
            &[],
            "SqueezeBackward1",
        ),
        (
            "conv_transpose1d",
            &[&[1, 2, 4], &[2, 2, 2]],
            &[],
            "ConvolutionBackward0",
        ),
        (
            "max_pool2d",
            &[&[1, 2, 4, 4]],
            &[("kernel_size", &[2])],
            "MaxPool2DWithIndicesBackward0",
        ),
        (
            "max_pool1d",
            &[&[1, 2, 4]],
            &[("kernel_size", &[2])],
            "SqueezeBackward1",
        ),
        (
            "adaptive_avg_pool2d",
            &[&[1, 2, 4, 4]],
            &[("output_size", &[1])],
            "MeanBackward1",
        ),
        (
            "adaptive_avg_pool2d",
            &[&[1, 2, 4, 4]],
            &[("output_size", &[2])],
            "AdaptiveAvgPool2DBackward0",
        ),
        (
            "upsample",
            &[&[1, 2, 4, 4]],
            &[("output_size", &[2])],
            "UpsampleNearest2DBackward0",
        ),
        ("batch_norm", &[&[2, 2]], &[], "NativeBatchNormBackward0"),
        ("kl_div", &[&[2], &[2]], &[], "MeanBackward0"),
    ];
    for (op, shapes, keywords, expected) in cases {
        let y = call(op, shapes, keywords).unwrap_or_else(|error| panic!("{op}: {error}"));
        assert_eq!(y.grad_fn().as_deref(), Some(*expected), "{op}");
    }
}

//! Calls that move and choose elements: their functions have PyTorch's names, wrong ones raise before
//! anything is allocated, and indices of all kinds go together.
#![cfg(not(target_arch = "wasm32"))]

use glowgrad::bind::Arg;
use glowgrad::{DType, Error, ErrorKind, Index, Scalar, Tensor};

use crate::suite::arguments::{arange, call, int, ints, t};

#[test]
fn functions_have_pytorchs_names() {
    let engine = glowgrad::cpu();
    let grad = |x: Tensor| {
        x.set_requires_grad(true).expect("a leaf of floats");
        x
    };
    let x = grad(arange(&engine, &[2, 3], DType::F32));
    let v = grad(arange(&engine, &[4], DType::F32));
    let planes = grad(arange(&engine, &[1, 2, 3, 4], DType::F32));
    let turned = x.transpose(0, 1).expect("a view");
    let index = Tensor::from_i64(&engine, &[0, 1, 0], &[1, 3]).expect("an index");
    let one = Tensor::from_i64(&engine, &[0], &[1]).expect("an index");
    let row = call(&engine, "narrow", &[t(&x), int(0), int(0), int(1)]).expect("a row")[0].clone();
    let mask = Tensor::from_scalars(&engine, &[Scalar::Bool(true); 6], &[2, 3], DType::Bool)
        .expect("a mask");
    let word = |w: &str| Arg::Word(w.to_owned());
    let both = Arg::tensors([x.clone(), x.clone()]);
    let cases: Vec<(&str, Vec<Arg>, &str)> = vec![
        ("reshape", vec![t(&x), ints(&[6])], "ViewBackward0"),
        (
            "reshape",
            vec![t(&turned), ints(&[6])],
            "UnsafeViewBackward0",
        ),
        ("flatten", vec![t(&turned)], "UnsafeViewBackward0"),
        ("view", vec![t(&x), ints(&[6])], "ViewBackward0"),
        (
            "unflatten",
            vec![t(&x), int(1), ints(&[3, 1])],
            "ViewBackward0",
        ),
        (
            "swapaxes",
            vec![t(&x), int(0), int(1)],
            "TransposeBackward0",
        ),
        ("movedim", vec![t(&x), int(0), int(1)], "PermuteBackward0"),
        (
            "broadcast_to",
            vec![t(&x), ints(&[2, 2, 3])],
            "ExpandBackward0",
        ),
        ("repeat", vec![t(&x), ints(&[2, 1])], "RepeatBackward0"),
        ("tile", vec![t(&x), ints(&[2])], "RepeatBackward0"),
        (
            "repeat_interleave",
            vec![t(&x), t(&one.to(DType::I32).expect("a cast")), int(0)],
            "IndexSelectBackward0",
        ),
        ("roll", vec![t(&x), int(1), int(0)], "RollBackward0"),
        ("rot90", vec![t(&x)], "Rot90Backward0"),
        ("fliplr", vec![t(&x)], "FlipBackward0"),
        ("hstack", vec![both.clone()], "CatBackward0"),
        ("dstack", vec![both.clone()], "CatBackward0"),
        ("block_diag", vec![both], "BlockDiagBackward0"),
        ("split", vec![t(&x), int(1)], "SplitBackward0"),
        (
            "split",
            vec![t(&x), ints(&[1, 1])],
            "SplitWithSizesBackward0",
        ),
        ("chunk", vec![t(&x), int(2)], "SplitBackward0"),
        ("unbind", vec![t(&x)], "UnbindBackward0"),
        ("tensor_split", vec![t(&x), int(2)], "SliceBackward0"),
        ("diagonal", vec![t(&x)], "DiagonalBackward0"),
        ("diag", vec![t(&x)], "DiagonalBackward0_copy"),
        ("diag", vec![t(&v)], "DiagEmbedBackward0"),
        ("diagflat", vec![t(&x)], "DiagEmbedBackward0"),
        (
            "tensor_unfold",
            vec![t(&x), int(1), int(2), int(1)],
            "UnfoldBackward0",
        ),
        (
            "as_strided",
            vec![t(&x), ints(&[2]), ints(&[1])],
            "AsStridedBackward0",
        ),
        ("pad", vec![t(&x), ints(&[1, 1])], "ConstantPadNdBackward0"),
        (
            "pad",
            vec![t(&x), ints(&[1, 1]), word("reflect")],
            "ReflectionPad1DBackward0",
        ),
        (
            "pad",
            vec![t(&planes), ints(&[1, 1, 1, 1]), word("replicate")],
            "ReplicationPad2DBackward0",
        ),
        (
            "pad",
            vec![t(&x), ints(&[1, 1]), word("circular")],
            "CopySlices",
        ),
        (
            "scatter",
            vec![t(&x), int(0), t(&index), t(&row)],
            "ScatterBackward0",
        ),
        (
            "scatter",
            vec![t(&x), int(0), t(&index), Arg::Number(Scalar::Float(1.5))],
            "ScatterBackward1",
        ),
        (
            "scatter_reduce",
            vec![t(&x), int(0), t(&index), t(&row), word("amax")],
            "ScatterReduceBackward0",
        ),
        (
            "index_add",
            vec![t(&x), int(0), t(&one), t(&row)],
            "IndexAddBackward0",
        ),
        (
            "index_copy",
            vec![t(&x), int(0), t(&one), t(&row)],
            "IndexCopyBackward0",
        ),
        (
            "index_fill",
            vec![t(&x), int(0), t(&one), int(1)],
            "IndexFillBackward0",
        ),
        ("take", vec![t(&x), t(&one)], "TakeBackward0"),
        (
            "take_along_dim",
            vec![t(&x), t(&index), int(0)],
            "GatherBackward0",
        ),
        (
            "masked_select",
            vec![t(&x), t(&mask)],
            "MaskedSelectBackward0",
        ),
        (
            "masked_scatter",
            vec![t(&x), t(&mask), t(&x)],
            "MaskedScatterBackward0",
        ),
        (
            "meshgrid",
            vec![Arg::tensors([v.clone(), v.clone()])],
            "ExpandBackward0",
        ),
    ];
    for (name, arguments, expected) in cases {
        let y = &call(&engine, name, &arguments).unwrap_or_else(|e| panic!("{name}: {e}"))[0];
        assert_eq!(y.grad_fn().as_deref(), Some(expected), "{name}");
    }
    let put = x.clone_data().expect("a copy");
    put.set(&[Index::Tensor(one.clone())], &row).expect("a row");
    assert_eq!(put.grad_fn().as_deref(), Some("IndexPutBackward0"));
    let columns = x.clone_data().expect("a copy");
    let zero = Tensor::number(&engine, Scalar::Int(0));
    columns
        .set(&[Index::Ellipsis, Index::Tensor(one)], &zero)
        .expect("a column");
    assert_eq!(columns.grad_fn().as_deref(), Some("IndexPutBackward0"));
}

#[test]
fn wrong_calls_say_what_is_wrong() {
    use ErrorKind::{Index as IndexError, NotImplemented, Runtime};
    let engine = glowgrad::cpu();
    let x = arange(&engine, &[2, 3], DType::F32);
    let zero_dim = arange(&engine, &[1], DType::F32)
        .reshape(&[])
        .expect("a number");
    let long = |values: &[i64], shape: &[usize]| {
        Tensor::from_i64(&engine, values, shape).expect("an index")
    };
    let (five, minus) = (long(&[5], &[1]), long(&[-1], &[1]));
    let row = x
        .get(&[Index::Slice(Some(0), Some(1), None)])
        .expect("a row");
    let word = |w: &str| Arg::Word(w.to_owned());
    let huge = 1_000_000_000_000;
    let cases: Vec<(&str, Vec<Arg>, ErrorKind, &str)> = vec![
        (
            "repeat",
            vec![t(&x), ints(&[huge, 1])],
            Runtime,
            "more than",
        ),
        (
            "repeat",
            vec![t(&x), ints(&[i64::MAX, i64::MAX])],
            Runtime,
            "more than",
        ),
        ("repeat", vec![t(&x), ints(&[-1, 1])], Runtime, "negative"),
        (
            "repeat",
            vec![t(&x), ints(&[2])],
            Runtime,
            "Number of dimensions",
        ),
        ("tile", vec![t(&x), ints(&[huge])], Runtime, "more than"),
        (
            "expand",
            vec![t(&zero_dim), ints(&[huge])],
            Runtime,
            "more than",
        ),
        (
            "broadcast_to",
            vec![t(&x), ints(&[3, 3])],
            Runtime,
            "does not match",
        ),
        (
            "repeat_interleave",
            vec![t(&x), int(huge)],
            Runtime,
            "more than",
        ),
        (
            "repeat_interleave",
            vec![t(&x), int(-1)],
            Runtime,
            "non-negative",
        ),
        (
            "repeat_interleave",
            vec![t(&x), t(&long(&[1, 2, 3], &[3])), int(0)],
            Runtime,
            "same size",
        ),
        (
            "pad",
            vec![t(&x), ints(&[huge, huge])],
            Runtime,
            "more than",
        ),
        (
            "pad",
            vec![t(&x), ints(&[i64::MAX, i64::MAX])],
            Runtime,
            "more than",
        ),
        ("pad", vec![t(&x), ints(&[1])], Runtime, "divisible by 2"),
        ("pad", vec![t(&x), ints(&[-2, -2])], Runtime, "crop more"),
        (
            "pad",
            vec![t(&x), ints(&[3, 1]), word("reflect")],
            Runtime,
            "less than",
        ),
        (
            "pad",
            vec![t(&x), ints(&[4, 1]), word("circular")],
            Runtime,
            "wrapping around",
        ),
        (
            "pad",
            vec![t(&x), ints(&[1, 1, 1, 1]), word("replicate")],
            NotImplemented,
            "not supported",
        ),
        ("diag_embed", vec![t(&x), int(huge)], Runtime, "more than"),
        (
            "diag_embed",
            vec![t(&x), int(0), int(1), int(1)],
            Runtime,
            "identical",
        ),
        (
            "diagonal",
            vec![t(&x), int(0), int(0), int(2)],
            IndexError,
            "out of range",
        ),
        (
            "tensor_unfold",
            vec![t(&x), int(1), int(4), int(1)],
            Runtime,
            "maximum size",
        ),
        (
            "tensor_unfold",
            vec![t(&x), int(1), int(2), int(0)],
            Runtime,
            "must be > 0",
        ),
        (
            "as_strided",
            vec![t(&x), ints(&[7]), ints(&[1])],
            Runtime,
            "out of bounds",
        ),
        (
            "as_strided",
            vec![t(&x), ints(&[huge]), ints(&[0])],
            Runtime,
            "more than",
        ),
        (
            "as_strided",
            vec![t(&x), ints(&[2]), ints(&[i64::MAX])],
            Runtime,
            "out of bounds",
        ),
        (
            "as_strided",
            vec![t(&x), ints(&[2]), ints(&[1, 2])],
            Runtime,
            "mismatch",
        ),
        (
            "movedim",
            vec![t(&x), ints(&[0, 0]), ints(&[0, 1])],
            Runtime,
            "repeated dim",
        ),
        (
            "unflatten",
            vec![t(&x), int(1), ints(&[2, 2])],
            Runtime,
            "multiply up",
        ),
        (
            "roll",
            vec![t(&x), ints(&[1, 2]), ints(&[0])],
            Runtime,
            "must align",
        ),
        (
            "rot90",
            vec![t(&x), int(1), ints(&[0, 0])],
            Runtime,
            "different",
        ),
        ("split", vec![t(&x), int(0)], Runtime, "non-negative"),
        ("split", vec![t(&x), ints(&[1, 2])], Runtime, "sum exactly"),
        (
            "split",
            vec![t(&zero_dim), int(1)],
            Runtime,
            "1-dimensional",
        ),
        ("chunk", vec![t(&x), int(0)], Runtime, "greater than 0"),
        ("tensor_split", vec![t(&x), int(huge)], Runtime, "pieces"),
        ("unbind", vec![t(&zero_dim)], IndexError, "no dimensions"),
        (
            "scatter",
            vec![t(&x), int(0), t(&long(&[0, 5, 0], &[1, 3])), t(&row)],
            Runtime,
            "index 5 is out of bounds",
        ),
        (
            "scatter",
            vec![t(&x), int(0), t(&five), t(&row)],
            Runtime,
            "out of bounds",
        ),
        (
            "scatter",
            vec![t(&x), int(0), t(&long(&[0], &[1])), t(&row)],
            Runtime,
            "number of dimensions",
        ),
        (
            "index_add",
            vec![t(&x), int(0), t(&minus), t(&row)],
            Runtime,
            "index -1",
        ),
        (
            "index_add",
            vec![t(&x), int(0), t(&long(&[0, 1], &[2])), t(&row)],
            Runtime,
            "Number of indices",
        ),
        (
            "index_copy",
            vec![t(&x), int(0), t(&five), t(&row)],
            IndexError,
            "index 5",
        ),
        (
            "index_fill",
            vec![t(&x), int(0), t(&five), int(1)],
            IndexError,
            "index 5",
        ),
        (
            "take",
            vec![t(&x), t(&long(&[6], &[1]))],
            IndexError,
            "index 6",
        ),
        ("masked_select", vec![t(&x), t(&x)], Runtime, "mask"),
        (
            "hstack",
            vec![Arg::tensors([x.clone(), row])],
            Runtime,
            "match except in dimension 1",
        ),
    ];
    for (name, arguments, kind, part) in cases {
        let error: Error = match call(&engine, name, &arguments) {
            Ok(_) => panic!("{name} with {arguments:?} should raise"),
            Err(error) => error,
        };
        assert_eq!(error.kind, kind, "{name}: {error}");
        assert!(
            error.message.contains(part),
            "{name}: {error} does not say {part:?}"
        );
    }
}

/// `x[parts]` against PyTorch's shapes, and each element against the index it stands for.
#[test]
fn indices_of_all_kinds_together() {
    let engine = glowgrad::cpu();
    let x = arange(&engine, &[1, 2, 3, 4], DType::F32);
    let whole = Index::Slice(None, None, None);
    let pick = |values: &[i64]| {
        Index::Tensor(Tensor::from_i64(&engine, values, &[values.len()]).expect("an index"))
    };
    let narrow = |values: &[i64], dtype| match pick(values) {
        Index::Tensor(t) => Index::Tensor(t.to(dtype).expect("a cast")),
        other => other,
    };
    let ones = |shape: &[usize]| {
        let n = shape.iter().product();
        Index::Tensor(
            Tensor::from_scalars(&engine, &vec![Scalar::Bool(true); n], shape, DType::Bool)
                .expect("a mask"),
        )
    };
    let cases: Vec<(Vec<Index>, &[usize], &[f64])> = vec![
        (
            vec![whole.clone(), pick(&[0, 1]), whole.clone(), pick(&[0, 1])],
            &[2, 1, 3],
            &[0.0, 4.0, 8.0, 13.0, 17.0, 21.0],
        ),
        (
            vec![Index::Int(0), whole.clone(), pick(&[0, 2]), Index::Int(-1)],
            &[2, 2],
            &[3.0, 11.0, 15.0, 23.0],
        ),
        (
            vec![
                whole.clone(),
                Index::Int(1),
                pick(&[0, 1]),
                Index::Slice(None, None, Some(3)),
            ],
            &[1, 2, 2],
            &[12.0, 15.0, 16.0, 19.0],
        ),
        (
            vec![pick(&[0]), Index::NewAxis, pick(&[1, 0]), Index::Int(0)],
            &[2, 1, 4],
            &[],
        ),
        (
            vec![whole.clone(), ones(&[2, 3]), Index::Int(0)],
            &[1, 6],
            &[0.0, 4.0, 8.0, 12.0, 16.0, 20.0],
        ),
        (
            vec![Index::Ellipsis, narrow(&[3, 0], DType::I32), Index::NewAxis],
            &[1, 2, 3, 2, 1],
            &[],
        ),
        (
            vec![Index::Int(0), narrow(&[1, 0], DType::U8), Index::Int(0)],
            &[1, 4],
            &[0.0, 1.0, 2.0, 3.0],
        ),
        (
            vec![ones(&[]), Index::Int(0), Index::Int(0), Index::Int(0)],
            &[1, 4],
            &[0.0, 1.0, 2.0, 3.0],
        ),
        (vec![Index::Ellipsis, pick(&[])], &[1, 2, 3, 0], &[]),
        (
            vec![Index::Int(0), pick(&[-1]), Index::Int(-1)],
            &[1, 4],
            &[20.0, 21.0, 22.0, 23.0],
        ),
    ];
    for (i, (parts, shape, values)) in cases.iter().enumerate() {
        let y = x.get(parts).unwrap_or_else(|e| panic!("case {i}: {e}"));
        assert_eq!(&y.shape()[..], *shape, "case {i}");
        let numbers = y.to_f64().expect("numbers");
        assert!(
            values.is_empty() || numbers == *values,
            "case {i}: {numbers:?}"
        );
        // What is written at the same place is read there, and nowhere else.
        let copy = x.clone_data().expect("a copy");
        copy.set(parts, &Tensor::number(&engine, Scalar::Int(-1)))
            .unwrap_or_else(|e| panic!("case {i}: {e}"));
        let (before, after) = (
            x.to_f64().expect("numbers"),
            copy.to_f64().expect("numbers"),
        );
        for (old, new) in before.iter().zip(&after) {
            assert_eq!(
                *new,
                if numbers.contains(old) { -1.0 } else { *old },
                "case {i}"
            );
        }
    }
    let number = x
        .get(&[Index::Tensor(
            Tensor::from_i64(&engine, &[0], &[]).expect("a number"),
        )])
        .expect("a view");
    assert_eq!(
        number.storage_id(),
        x.storage_id(),
        "one integer makes a view"
    );
    let wrong = [
        (
            vec![Index::Slice(None, None, Some(-1))],
            ErrorKind::Value,
            "step must be greater than zero",
        ),
        (
            vec![narrow(&[0], DType::I16)],
            ErrorKind::Index,
            "long, int, byte or bool",
        ),
        (
            vec![Index::Int(0), pick(&[0, 1]), pick(&[0, 1, 2])],
            ErrorKind::Index,
            "could not be broadcast",
        ),
        (
            vec![whole, pick(&[2])],
            ErrorKind::Index,
            "index 2 is out of bounds for dimension 1 with size 2",
        ),
        (vec![ones(&[3])], ErrorKind::Index, "shape of the mask"),
        (vec![Index::Int(0); 5], ErrorKind::Index, "too many indices"),
    ];
    for (parts, kind, part) in wrong {
        let error = x.get(&parts).expect_err("a wrong index");
        assert_eq!(error.kind, kind, "{error}");
        assert!(error.message.contains(part), "{error}");
    }
}

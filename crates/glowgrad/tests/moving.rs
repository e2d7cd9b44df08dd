//! What moves, joins, places and chooses elements: every dtype goes through, views share their
//! storage, functions have PyTorch's names, and wrong calls raise before anything is allocated.
#![cfg(not(target_arch = "wasm32"))]

mod suite;

use glowgrad::bind::{Arg, bind_to};
use glowgrad::interpret::interpret;
use glowgrad::op::Op;
use glowgrad::{DType, Engine, Error, ErrorKind, Index, Result, Scalar, Tensor, ops};
use suite::samples::samples;

fn int(i: i64) -> Arg {
    Arg::Number(Scalar::Int(i))
}

fn ints(list: &[i64]) -> Arg {
    Arg::Ints(list.to_vec())
}

fn t(tensor: &Tensor) -> Arg {
    Arg::Tensor(tensor.clone())
}

/// The results of a call, with arguments as Python passes them.
fn call(engine: &Engine, name: &str, arguments: &[Arg]) -> Result<Vec<Tensor>> {
    if let Some(several) = ops::several().find(|several| several.name == name) {
        let callee = (several.name, several.params);
        let (operands, attrs) = bind_to(engine, callee, arguments, &[])?;
        return (several.call)(engine, &operands, &attrs);
    }
    let op = ops::find(name).unwrap_or_else(|| panic!("{name} is in the registry"));
    let (operands, attrs) = bind_to(engine, (op.name, op.params), arguments, &[])?;
    Ok(vec![Tensor::apply(engine, op, &operands, attrs)?])
}

fn arange(engine: &Engine, shape: &[usize], dtype: DType) -> Tensor {
    let n = shape.iter().product::<usize>() as i64;
    let values: Vec<Scalar> = (0..n).map(Scalar::Int).collect();
    Tensor::from_scalars(engine, &values, shape, dtype).expect("a small shape")
}

fn moving() -> impl Iterator<Item = &'static Op> {
    let families = [
        ops::movement::OPS,
        ops::views::OPS,
        ops::diagonals::OPS,
        ops::repeats::OPS,
        ops::pad::OPS,
        ops::join::OPS,
        ops::index::OPS,
        ops::scatter::OPS,
        ops::by_index::OPS,
        ops::masks::OPS,
    ];
    families.into_iter().flatten().copied()
}

#[test]
fn every_dtype_moves_as_float64_does() {
    let engine = glowgrad::cpu();
    engine.set_keeping(true);
    let mut n = 0;
    for op in moving().filter(|op| op.exact) {
        for dtype in DType::ALL {
            for (i, sample) in samples(&engine, op, DType::F64).into_iter().enumerate() {
                let run = || -> Result<(Vec<f64>, Vec<f64>)> {
                    let narrow = |x: &Tensor| match x.dtype() {
                        DType::F64 => x.to(dtype),
                        _ => Ok(x.clone()),
                    };
                    let wide = |x: &Tensor| match x.dtype() == dtype {
                        true => x.to(DType::F64),
                        false => Ok(x.clone()),
                    };
                    let given: Vec<Tensor> =
                        sample.operands.iter().map(narrow).collect::<Result<_>>()?;
                    let got = Tensor::apply(&engine, op, &given, sample.attrs.clone())?;
                    // Indices and masks are what they are, whatever moves.
                    let floats = sample.operands.iter().map(|x| x.dtype() == DType::F64);
                    let widened: Vec<Tensor> = given
                        .iter()
                        .zip(floats)
                        .map(|(x, float)| if float { wide(x) } else { Ok(x.clone()) })
                        .collect::<Result<_>>()?;
                    let expected = Tensor::apply(&engine, op, &widened, sample.attrs.clone())?;
                    let expected = match expected.dtype() == DType::F64 {
                        true => expected.to(got.dtype())?.to_f64()?,
                        false => expected.to_f64()?,
                    };
                    let oracle = interpret(&engine, &got.node())?;
                    let oracle: Vec<f64> = oracle.iter().map(|v| v.scalar().as_f64()).collect();
                    assert_eq!(got.to_f64()?, oracle, "{}, sample {i}, {dtype}", op.name);
                    Ok((got.to_f64()?, expected))
                };
                let (got, expected) =
                    run().unwrap_or_else(|e| panic!("{}, sample {i}, {dtype}: {e}", op.name));
                assert_eq!(got, expected, "{}, sample {i}, {dtype}", op.name);
                n += 1;
            }
        }
    }
    assert!(n > 700, "only {n} calls were made");
}

#[test]
fn values_of_64_bits_move_whole() {
    let engine = glowgrad::cpu();
    let values = [i64::MIN, i64::MAX, (1 << 53) + 1, -1];
    let x = Tensor::from_i64(&engine, &values, &[4]).expect("a vector");
    let index = Tensor::from_i64(&engine, &[3, 2, 1, 0], &[4]).expect("a vector");
    let backwards: Vec<i64> = values.iter().rev().copied().collect();
    let zeros = arange(&engine, &[4], DType::I64);
    for (name, arguments) in [
        ("gather", vec![t(&x), int(0), t(&index)]),
        ("take", vec![t(&x), t(&index)]),
        ("flip", vec![t(&x), ints(&[0])]),
        ("index_select", vec![t(&x), int(0), t(&index)]),
        ("scatter", vec![t(&zeros), int(0), t(&index), t(&x)]),
        ("index_copy", vec![t(&zeros), int(0), t(&index), t(&x)]),
        ("take_along_dim", vec![t(&x), t(&index), int(0)]),
    ] {
        let got = call(&engine, name, &arguments).expect("a right call");
        let got: Vec<i64> = got[0]
            .to_scalars()
            .expect("numbers")
            .into_iter()
            .map(Scalar::as_i64)
            .collect();
        assert_eq!(got, backwards, "{name}");
    }
}

#[test]
fn views_share_and_copies_do_not() {
    let engine = glowgrad::cpu();
    let x = arange(&engine, &[2, 3, 4], DType::F32);
    let views: &[(&str, &[Arg])] = &[
        ("view", &[ints(&[6, 4])]),
        ("unflatten", &[int(2), ints(&[2, 2])]),
        ("swapaxes", &[int(0), int(1)]),
        ("movedim", &[int(0), int(-1)]),
        ("broadcast_to", &[ints(&[2, 2, 3, 4])]),
        ("diagonal", &[int(1), int(1), int(2)]),
        ("tensor_unfold", &[int(2), int(2), int(1)]),
        ("as_strided", &[ints(&[2, 2]), ints(&[1, 1])]),
        ("narrow", &[int(1), int(-2), int(1)]),
        ("split", &[int(2), int(2)]),
        ("split", &[ints(&[1, 3]), int(2)]),
        ("tensor_split", &[int(3), int(2)]),
        ("chunk", &[int(2), int(1)]),
        ("unbind", &[int(1)]),
    ];
    for (name, rest) in views {
        let arguments: Vec<Arg> = std::iter::once(t(&x)).chain(rest.iter().cloned()).collect();
        for y in call(&engine, name, &arguments).expect("a right call") {
            assert_eq!(y.storage_id(), x.storage_id(), "{name} is a view");
        }
    }
    let copies: &[(&str, &[Arg])] = &[
        ("repeat", &[ints(&[1, 1, 1])]),
        ("tile", &[ints(&[1])]),
        ("roll", &[int(0), int(0)]),
        ("rot90", &[int(0), ints(&[0, 1])]),
        ("fliplr", &[]),
        ("flip", &[ints(&[0])]),
        ("diag_embed", &[]),
        ("pad", &[ints(&[0, 0])]),
    ];
    for (name, rest) in copies {
        let arguments: Vec<Arg> = std::iter::once(t(&x)).chain(rest.iter().cloned()).collect();
        let y = &call(&engine, name, &arguments).expect("a right call")[0];
        assert_ne!(y.storage_id(), x.storage_id(), "{name} is a copy");
        let before = x.to_f64().expect("numbers");
        y.assign(&Tensor::number(&engine, Scalar::Int(7)))
            .expect("writable");
        assert_eq!(x.to_f64().expect("numbers"), before, "{name}");
    }
}

#[test]
fn writes_through_new_views_reach_the_base_and_the_gradient() {
    let engine = glowgrad::cpu();
    let leaf = arange(&engine, &[3, 3], DType::F64);
    leaf.set_requires_grad(true).expect("a leaf of floats");
    let x = leaf.clone_data().expect("a copy");
    let diagonal = &call(&engine, "diagonal", &[t(&x)]).expect("a view")[0];
    let two = Tensor::number(&engine, Scalar::Float(2.0));
    let mul = ops::find("mul").expect("an op");
    diagonal
        .apply_in_place(mul, &[two], Default::default())
        .expect("writable");
    assert_eq!(
        x.to_f64().expect("numbers"),
        [0.0, 1.0, 2.0, 3.0, 8.0, 5.0, 6.0, 7.0, 16.0]
    );
    x.sum()
        .and_then(|s| s.backward(None, Default::default()))
        .expect("a gradient");
    let grad = leaf.grad().expect("a gradient").to_f64().expect("numbers");
    assert_eq!(grad, [2.0, 1.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0, 2.0]);
}

#[test]
fn as_strided_of_a_view_reads_its_storage() {
    let engine = glowgrad::cpu();
    let x = arange(&engine, &[3, 4], DType::F64);
    let leaf = x.detach();
    leaf.set_requires_grad(true).expect("a leaf of floats");
    let base = leaf
        .mul(&Tensor::number(&engine, Scalar::Float(1.0)))
        .expect("a product");
    let turned = base.transpose(0, 1).expect("a view");
    let seen = &call(
        &engine,
        "as_strided",
        &[t(&turned), ints(&[2, 3]), ints(&[2, 1])],
    )
    .expect("a view")[0];
    assert_eq!(
        seen.to_f64().expect("numbers"),
        [0.0, 1.0, 2.0, 2.0, 3.0, 4.0]
    );
    assert_eq!(seen.storage_id(), base.storage_id());
    seen.sum()
        .and_then(|s| s.backward(None, Default::default()))
        .expect("a gradient");
    let grad = leaf.grad().expect("a gradient").to_f64().expect("numbers");
    assert_eq!(grad[..6], [1.0, 1.0, 2.0, 1.0, 1.0, 0.0]);
    // A view that begins later counts its offset from there, and may look back.
    let row = base.select(0, 1).expect("a view");
    let same = &call(&engine, "as_strided", &[t(&row), ints(&[2]), ints(&[1])]).expect("a view")[0];
    assert_eq!(same.to_f64().expect("numbers"), [4.0, 5.0]);
    let back = &call(
        &engine,
        "as_strided",
        &[t(&row), ints(&[2]), ints(&[1]), int(0)],
    )
    .expect("a view")[0];
    assert_eq!(back.to_f64().expect("numbers"), [0.0, 1.0]);
}

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
    let both = Arg::Tensors(vec![x.clone(), x.clone()]);
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
            vec![Arg::Tensors(vec![v.clone(), v.clone()])],
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
            vec![Arg::Tensors(vec![x.clone(), row])],
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

#[test]
fn ranges_and_triangles_are_pytorchs() {
    let engine = glowgrad::cpu();
    let int = Scalar::Int;
    let numbers = |t: Result<Tensor>| t.and_then(|t| t.to_f64()).expect("numbers");
    let range = |from, to, by| Tensor::arange(&engine, from, to, by, None);
    assert_eq!(numbers(range(int(5), int(0), int(-2))), [5.0, 3.0, 1.0]);
    assert_eq!(
        numbers(range(Scalar::Float(0.0), int(1), Scalar::Float(0.25))),
        [0.0, 0.25, 0.5, 0.75]
    );
    assert_eq!(
        range(int(0), int(3), int(1)).expect("a range").dtype(),
        DType::I64
    );
    let large = (1 << 53) + 1;
    let got = range(int(large), int(large + 2), int(1)).and_then(|t| t.to_scalars());
    assert_eq!(got.expect("numbers"), [int(large), int(large + 1)]);
    assert_eq!(
        numbers(Tensor::linspace(&engine, 0.0, 10.0, 4, DType::I64)),
        [0.0, 3.0, 6.0, 10.0]
    );
    assert_eq!(
        numbers(Tensor::linspace(&engine, 3.0, 9.0, 1, DType::F32)),
        [3.0]
    );
    assert_eq!(
        numbers(Tensor::logspace(&engine, (0.0, 2.0), 3, 10.0, DType::F64)),
        [1.0, 10.0, 100.0]
    );
    // Every triangle against its definition.
    for (rows, columns) in [(3, 4), (4, 3), (0, 3), (3, 0), (1, 1)] {
        for offset in -5..=5 {
            let all = (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c)));
            let (lower, upper): (Vec<_>, Vec<_>) = (
                all.clone().filter(|(r, c)| c - r <= offset).collect(),
                all.filter(|(r, c)| c - r >= offset).collect(),
            );
            for (got, expected) in [
                (Tensor::tril_indices(&engine, rows, columns, offset), lower),
                (Tensor::triu_indices(&engine, rows, columns, offset), upper),
            ] {
                let got = got.expect("a small triangle");
                assert_eq!(got.shape()[..], [2, expected.len()]);
                let flat: Vec<f64> = (expected.iter().map(|p| p.0 as f64))
                    .chain(expected.iter().map(|p| p.1 as f64))
                    .collect();
                assert_eq!(
                    got.to_f64().expect("numbers"),
                    flat,
                    "{rows} {columns} {offset}"
                );
            }
        }
    }
    let wrong = |t: Result<Tensor>| t.expect_err("refused").message;
    let huge = 1_000_000_000_000;
    assert!(wrong(Tensor::tril_indices(&engine, huge, huge, 0)).contains("more than"));
    assert!(wrong(Tensor::triu_indices(&engine, huge, 2, i64::MIN)).contains("more than"));
    assert!(wrong(Tensor::tril_indices(&engine, -1, 3, 0)).contains("non-negative"));
    assert!(wrong(range(int(0), int(i64::MAX), int(1))).contains("more than"));
    assert!(wrong(range(int(0), int(3), int(0))).contains("nonzero"));
    assert!(wrong(range(int(0), int(3), int(-1))).contains("step sign"));
    assert!(wrong(Tensor::linspace(&engine, 0.0, 1.0, -1, DType::F32)).contains("non-negative"));
    let none = Tensor::triu_indices(&engine, huge, 3, 3).expect("nothing");
    assert_eq!(none.shape()[..], [2, 0]);
}

//! What moves, joins, places and chooses elements: every dtype goes through, views share their
//! storage and write through, ranges are PyTorch's.
#![cfg(not(target_arch = "wasm32"))]

use glowgrad::bind::Arg;
use glowgrad::interpret::interpret;
use glowgrad::op::Op;
use glowgrad::{DType, Result, Scalar, Tensor, ops};

use crate::suite::arguments::{arange, call, int, ints, t};
use crate::suite::samples::samples;

fn moving() -> impl Iterator<Item = &'static Op> {
    let families = [
        ops::reshape::OPS,
        ops::permute::OPS,
        ops::expand::OPS,
        ops::repeat::OPS,
        ops::slice::OPS,
        ops::flip::OPS,
        ops::diagonal::OPS,
        ops::cat::OPS,
        ops::grid::OPS,
        ops::strided::OPS,
        ops::pad::OPS,
        ops::gather::OPS,
        ops::index_select::OPS,
        ops::embedding::OPS,
        ops::scatter::OPS,
        ops::index_add::OPS,
        ops::masked::OPS,
        ops::nonzero::OPS,
    ];
    families.into_iter().flatten().copied()
}

#[test]
fn every_dtype_moves_as_float64_does() {
    let engine = glowgrad::cpu();
    engine.set_retain_sources(true);
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

#[test]
fn placing_in_place_writes_through_views() {
    let engine = glowgrad::cpu();
    for op in ops::scatter::IN_PLACE {
        for (i, sample) in samples(&engine, op, DType::F64).into_iter().enumerate() {
            let run = || -> Result<()> {
                let expected = Tensor::apply(&engine, op, &sample.operands, sample.attrs.clone())?;
                if expected.shape() != sample.operands[0].shape() {
                    return Ok(());
                }
                // A part of a larger storage, whose other elements stay.
                let first = &sample.operands[0];
                let pair = ops::find("stack").expect("an op");
                let both = [first.clone(), first.clone()];
                let whole = Tensor::apply(
                    &engine,
                    pair,
                    &both,
                    [glowgrad::op::Attr::Int(0)].into_iter().collect(),
                )?;
                let part = whole.select(0, 1)?;
                part.apply_in_place(op, &sample.operands[1..], sample.attrs.clone())?;
                assert_eq!(
                    whole.select(0, 1)?.to_f64()?,
                    expected.to_f64()?,
                    "{}, sample {i}",
                    op.name
                );
                assert_eq!(
                    whole.select(0, 0)?.to_f64()?,
                    first.to_f64()?,
                    "{}, sample {i}",
                    op.name
                );
                Ok(())
            };
            run().unwrap_or_else(|e| panic!("{}, sample {i}: {e}", op.name));
        }
    }
}

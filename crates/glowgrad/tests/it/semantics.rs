//! PyTorch's rules of autograd and of memory, one by one.
#![cfg(not(target_arch = "wasm32"))]

use std::cell::RefCell;
use std::rc::Rc;

use glowgrad::autograd::BackwardOptions;
use glowgrad::op::{Attr, Attrs};
use glowgrad::tensor::CustomVjp;
use glowgrad::{DType, Engine, ErrorKind, Index, Result, Scalar, Tensor, ops};

const KEEP: BackwardOptions = BackwardOptions {
    retain_graph: true,
    create_graph: false,
};
const GRAPH: BackwardOptions = BackwardOptions {
    retain_graph: true,
    create_graph: true,
};

fn leaf(engine: &Engine, values: &[f32]) -> Tensor {
    let tensor = Tensor::from_f32(engine, values, &[values.len()]).expect("a vector");
    tensor.set_requires_grad(true).expect("a leaf of floats");
    tensor
}

fn number(engine: &Engine, x: f64) -> Tensor {
    Tensor::number(engine, Scalar::Float(x))
}

fn apply(name: &str, operands: &[Tensor], attrs: &[Attr]) -> Result<Tensor> {
    let op = ops::find(name).expect("an op of the registry");
    Tensor::apply(
        operands[0].engine(),
        op,
        operands,
        attrs.iter().cloned().collect(),
    )
}

fn in_place(tensor: &Tensor, name: &str, others: &[Tensor]) -> Result<()> {
    tensor.apply_in_place(
        ops::find(name).expect("an op of the registry"),
        others,
        Attrs::new(),
    )
}

fn gradient(tensor: &Tensor) -> Vec<f64> {
    tensor
        .grad()
        .expect("a gradient")
        .to_f64()
        .expect("a value")
}

/// The kind of error and whether its message holds the words.
fn raises<T>(result: Result<T>, kind: ErrorKind, words: &str) {
    let Err(error) = result else {
        panic!("should raise: {words}")
    };
    assert_eq!(error.kind, kind, "{error}");
    assert!(error.message.contains(words), "{error}");
}

#[test]
fn flip_copies_and_its_reshape_shares_with_it() -> Result<()> {
    let engine = glowgrad::cpu();
    let x = Tensor::from_f32(&engine, &[1.0, 2.0, 3.0, 4.0], &[2, 2])?;
    let flipped = apply("flip", std::slice::from_ref(&x), &[Attr::ints(&[0, 1])])?;
    let flat = flipped.reshape(&[-1])?;
    in_place(&x, "mul", &[number(&engine, 10.0)])?;
    assert_eq!(flipped.to_f64()?, [4.0, 3.0, 2.0, 1.0]);
    in_place(&flat, "add", &[number(&engine, 1.0)])?;
    assert_eq!(flipped.to_f64()?, [5.0, 4.0, 3.0, 2.0]);
    assert_eq!(x.to_f64()?, [10.0, 20.0, 30.0, 40.0]);
    Ok(())
}

#[test]
fn a_graph_can_be_walked_once_unless_it_keeps_nothing() -> Result<()> {
    let engine = glowgrad::cpu();
    let x = leaf(&engine, &[1.0, 2.0]);
    let y = x.mul(&x)?.sum()?;
    y.backward(None, KEEP)?;
    y.backward(None, Default::default())?;
    assert_eq!(gradient(&x), [4.0, 8.0]);
    raises(
        y.backward(None, Default::default()),
        ErrorKind::Runtime,
        "a second time",
    );
    x.set_grad(None)?;
    let z = x.add(&number(&engine, 1.0))?.sum()?;
    z.backward(None, Default::default())?;
    z.backward(None, Default::default())?;
    assert_eq!(gradient(&x), [2.0, 2.0]);
    // Off the stage the saved values have gone; the error is the same.
    let shared = x.exp()?;
    let (a, b) = (shared.sum()?, shared.mul(&number(&engine, 2.0))?.sum()?);
    a.backward(None, Default::default())?;
    engine.begin_step();
    raises(
        b.backward(None, Default::default()),
        ErrorKind::Runtime,
        "a second time",
    );
    assert_eq!(shared.to_f64()?.len(), 2);
    Ok(())
}

#[test]
fn what_a_rule_saved_may_not_be_written() -> Result<()> {
    let engine = glowgrad::cpu();
    let one = number(&engine, 1.0);
    let writes: [fn(&Tensor, &Tensor) -> Result<()>; 3] = [
        |y, one| in_place(y, "add", std::slice::from_ref(one)),
        |y, one| in_place(&y.select(0, 0)?, "mul", std::slice::from_ref(one)),
        |y, one| in_place(&y.detach(), "add", std::slice::from_ref(one)),
    ];
    for write in writes {
        let y = leaf(&engine, &[1.0, 2.0]).exp()?;
        write(&y, &one)?;
        raises(
            y.sum()?.backward(None, Default::default()),
            ErrorKind::Runtime,
            "modified by an inplace operation",
        );
    }
    // A product saves its operands, not itself; a sum saves nothing.
    let (a, b) = (
        leaf(&engine, &[1.0, 2.0]),
        Tensor::from_f32(&engine, &[3.0, 4.0], &[2])?,
    );
    let c = a.mul(&b)?;
    in_place(&c, "mul", &[number(&engine, 2.0)])?;
    c.sum()?.backward(None, Default::default())?;
    assert_eq!(gradient(&a), [6.0, 8.0]);
    let c = a.mul(&b)?;
    in_place(&b, "mul", &[number(&engine, 2.0)])?;
    raises(
        c.sum()?.backward(None, Default::default()),
        ErrorKind::Runtime,
        "modified",
    );
    let c = a.add(&b)?;
    in_place(&b, "mul", &[number(&engine, 0.0)])?;
    c.sum()?.backward(None, Default::default())?;
    // A weight that was updated before backward.
    let w = leaf(&engine, &[2.0]);
    let loss = w.mul(&w)?.sum()?;
    engine.set_grad_enabled(false);
    in_place(&w, "sub", &[one])?;
    engine.set_grad_enabled(true);
    raises(
        loss.backward(None, Default::default()),
        ErrorKind::Runtime,
        "modified",
    );
    Ok(())
}

#[test]
fn leaves_are_written_under_no_grad_only() -> Result<()> {
    let engine = glowgrad::cpu();
    let w = leaf(&engine, &[1.0, 2.0]);
    let one = number(&engine, 1.0);
    raises(
        in_place(&w, "add", std::slice::from_ref(&one)),
        ErrorKind::Runtime,
        "leaf",
    );
    raises(
        in_place(&w.select(0, 0)?, "add", std::slice::from_ref(&one)),
        ErrorKind::Runtime,
        "view of a leaf",
    );
    raises(w.set(&[Index::Int(0)], &one), ErrorKind::Runtime, "leaf");
    engine.set_grad_enabled(false);
    in_place(&w, "add", std::slice::from_ref(&one))?;
    in_place(&w.select(0, 0)?, "mul", &[number(&engine, 10.0)])?;
    engine.set_grad_enabled(true);
    in_place(&w.detach(), "sub", &[one])?;
    assert_eq!(w.to_f64()?, [19.0, 2.0]);
    assert!(w.requires_grad() && w.is_leaf());
    // A detached leaf of its own is a leaf too.
    let d = w.detach();
    d.set_requires_grad(true)?;
    raises(
        in_place(&d, "add", &[number(&engine, 1.0)]),
        ErrorKind::Runtime,
        "leaf",
    );
    Ok(())
}

#[test]
fn a_write_behind_the_tape_leaves_the_function() -> Result<()> {
    let engine = glowgrad::cpu();
    let x = leaf(&engine, &[1.0, 2.0]);
    let y = x.mul(&number(&engine, 2.0))?;
    let d = y.detach();
    in_place(&d, "add", &[number(&engine, 100.0)])?;
    assert!(!y.is_leaf());
    assert_eq!(y.grad_fn().as_deref(), Some("MulBackward0"));
    assert_eq!(y.to_f64()?, [102.0, 104.0]);
    y.sum()?.backward(None, Default::default())?;
    assert_eq!(gradient(&x), [2.0, 2.0]);
    assert!(!d.requires_grad() && d.is_leaf());
    Ok(())
}

#[test]
fn a_detached_tensor_joins_the_tape_by_a_write() -> Result<()> {
    let engine = glowgrad::cpu();
    let (h, w) = (leaf(&engine, &[1.0, 2.0]), leaf(&engine, &[3.0, 4.0]));
    let d = h.detach();
    in_place(&d, "mul", std::slice::from_ref(&w))?;
    assert!(d.requires_grad());
    assert!(h.is_leaf());
    assert_eq!(h.to_f64()?, [3.0, 8.0]);
    d.sum()?.backward(None, Default::default())?;
    assert!(h.grad().is_none());
    raises(
        h.mul(&h)?
            .sum()?
            .backward(None, Default::default())
            .map(|()| h.grad().is_none())
            .and_then(|none| {
                if none {
                    Ok(())
                } else {
                    Err(glowgrad::Error::runtime("flows"))
                }
            }),
        ErrorKind::Runtime,
        "flows",
    );
    Ok(())
}

#[test]
fn writes_through_views_are_part_of_the_history() -> Result<()> {
    let engine = glowgrad::cpu();
    let x = leaf(&engine, &[1.0, 2.0, 3.0, 4.0]);
    let y = x.mul(&number(&engine, 2.0))?;
    let v = y.get(&[Index::Slice(Some(1), Some(3), None)])?;
    in_place(&v, "mul", &[number(&engine, 3.0)])?;
    assert_eq!(
        y.to_string(),
        "tensor([ 2., 12., 18.,  8.], grad_fn=<CopySlices>)"
    );
    assert_eq!(
        v.to_string(),
        "tensor([12., 18.], grad_fn=<AsStridedBackward0>)"
    );
    y.sum()?.backward(None, Default::default())?;
    assert_eq!(gradient(&x), [2.0, 6.0, 6.0, 2.0]);
    // A plain tensor joins the tape when a value that is on it is written into it.
    let zeros = Tensor::full(&engine, &[2], Scalar::Float(0.0), DType::F32)?;
    zeros.set(&[Index::Int(0)], &x.select(0, 3)?)?;
    assert_eq!(zeros.grad_fn().as_deref(), Some("CopySlices"));
    let cut = Tensor::full(&engine, &[2], Scalar::Float(0.0), DType::F32)?;
    in_place(&cut, "add", &[x.get(&[Index::Slice(None, Some(2), None)])?])?;
    assert!(cut.requires_grad() && !cut.is_leaf());
    Ok(())
}

#[test]
fn hooks_see_and_change_gradients() -> Result<()> {
    let engine = glowgrad::cpu();
    let x = leaf(&engine, &[1.0, 2.0]);
    let three = number(&engine, 3.0);
    let y = x.mul(&three)?;
    y.retain_grad()?;
    y.mul(&y)?.sum()?.backward(None, Default::default())?;
    assert_eq!(gradient(&y), [6.0, 12.0]);
    assert_eq!(gradient(&x), [18.0, 36.0]);

    x.set_grad(None)?;
    let y = x.mul(&three)?;
    let seen: Rc<RefCell<Vec<f64>>> = Rc::default();
    let into = seen.clone();
    let hook = y.register_hook(Rc::new(move |gradient| {
        into.borrow_mut().extend(gradient.to_f64()?);
        Ok(None)
    }))?;
    y.sum()?.backward(None, KEEP)?;
    assert_eq!(*seen.borrow(), [1.0, 1.0]);
    assert!(y.grad().is_none(), "a hook retains nothing");
    y.slot().expect("a slot").remove_hook(hook);
    y.sum()?.backward(None, Default::default())?;
    assert_eq!(seen.borrow().len(), 2);

    x.set_grad(None)?;
    x.register_hook(Rc::new(|gradient| {
        gradient
            .add(&Tensor::number(gradient.engine(), Scalar::Int(1)))
            .map(Some)
    }))?;
    x.mul(&number(&engine, 2.0))?
        .sum()?
        .backward(None, Default::default())?;
    assert_eq!(gradient(&x), [3.0, 3.0]);
    Ok(())
}

#[test]
fn grad_of_walks_only_towards_its_targets() -> Result<()> {
    let engine = glowgrad::cpu();
    let (a, b) = (leaf(&engine, &[1.0, 2.0]), leaf(&engine, &[3.0, 4.0]));
    let h = a.exp()?;
    h.sum()?.backward(None, Default::default())?;
    // The way to `a` has been walked and let go; the way to `b` has not.
    let loss = h.detach().mul(&b)?.add(&h)?.sum()?;
    let grads = Tensor::grad_of(
        std::slice::from_ref(&loss),
        std::slice::from_ref(&b),
        &[],
        KEEP,
    )?;
    assert!(grads[0].is_some() && b.grad().is_none());
    raises(
        Tensor::grad_of(&[loss], std::slice::from_ref(&a), &[], KEEP),
        ErrorKind::Runtime,
        "a second time",
    );
    // In the middle, unused, and several outputs.
    let product = a.mul(&b)?;
    let squares = product.mul(&product)?.sum()?;
    let middle = Tensor::grad_of(&[squares], std::slice::from_ref(&product), &[], KEEP)?;
    assert_eq!(middle[0].as_ref().expect("used").to_f64()?, [6.0, 16.0]);
    let unused = leaf(&engine, &[0.0]);
    assert!(Tensor::grad_of(&[product.sum()?], &[unused], &[], KEEP)?[0].is_none());
    let both = [
        a.mul(&number(&engine, 2.0))?.sum()?,
        a.mul(&number(&engine, 3.0))?.sum()?,
    ];
    assert_eq!(
        Tensor::grad_of(&both, std::slice::from_ref(&a), &[], KEEP)?[0]
            .as_ref()
            .expect("used")
            .to_f64()?,
        [5.0, 5.0]
    );
    a.set_grad(None)?;
    a.mul(&b)?
        .sum()?
        .backward_to(None, std::slice::from_ref(&a), Default::default())?;
    assert_eq!(gradient(&a), [3.0, 4.0]);
    assert!(b.grad().is_none());
    Ok(())
}

#[test]
fn derivatives_of_derivatives() -> Result<()> {
    let engine = glowgrad::cpu();
    let x = leaf(&engine, &[2.0]);
    let mut y = x.pow_scalar(3.0)?;
    let mut got = Vec::new();
    for _ in 0..3 {
        let grads = Tensor::grad_of(&[y.sum()?], std::slice::from_ref(&x), &[], GRAPH)?;
        y = grads[0].clone().expect("used");
        got.extend(y.to_f64()?);
    }
    assert_eq!(got, [12.0, 12.0, 6.0]);
    Ok(())
}

#[test]
fn gradients_accumulate_in_place() -> Result<()> {
    let engine = glowgrad::cpu();
    let x = leaf(&engine, &[1.0, 2.0]);
    x.mul(&number(&engine, 3.0))?
        .sum()?
        .backward(None, Default::default())?;
    let first = x.grad().expect("a gradient");
    x.mul(&x)?.sum()?.backward(None, Default::default())?;
    assert!(first.is(&x.grad().expect("a gradient")));
    assert_eq!(first.to_f64()?, [5.0, 7.0]);
    // Two leaves that got the same gradient do not share it.
    let (a, b) = (leaf(&engine, &[1.0]), leaf(&engine, &[1.0]));
    a.add(&b)?.sum()?.backward(None, Default::default())?;
    in_place(
        &a.grad().expect("a gradient"),
        "mul",
        &[number(&engine, 0.0)],
    )?;
    assert_eq!((gradient(&a), gradient(&b)), (vec![0.0], vec![1.0]));
    Ok(())
}

#[test]
fn wrong_calls_raise_where_they_are_made() -> Result<()> {
    let engine = glowgrad::cpu();
    let x = Tensor::full(&engine, &[2, 3], Scalar::Float(0.0), DType::F32)?;
    let far = Tensor::from_i64(&engine, &[5], &[1])?;
    raises(
        x.get(&[Index::Tensor(far.clone())]),
        ErrorKind::Index,
        "index 5 is out of bounds for dimension 0 with size 2",
    );
    raises(
        x.cross_entropy(&Tensor::from_i64(&engine, &[0, 3], &[2])?),
        ErrorKind::Index,
        "3",
    );
    raises(
        apply(
            "gather",
            &[x.clone(), far.reshape(&[1, 1])?],
            &[Attr::Int(1)],
        ),
        ErrorKind::Runtime,
        "out of bounds",
    );
    raises(
        apply("index_select", &[x.clone(), far], &[Attr::Int(0)]),
        ErrorKind::Index,
        "out of range",
    );
    raises(
        x.matmul(&x),
        ErrorKind::Runtime,
        "did you mean to transpose the second?",
    );
    raises(
        x.view_as(&[4, 2]),
        ErrorKind::Runtime,
        "invalid for input of size 6",
    );
    raises(
        x.transpose(0, 1)?.view_as(&[6]),
        ErrorKind::Runtime,
        "reshape",
    );
    raises(x.item(), ErrorKind::Runtime, "6 elements");
    raises(
        x.backward(None, Default::default()),
        ErrorKind::Runtime,
        "does not require grad",
    );
    let wide = Tensor::full(&engine, &[1], Scalar::Float(0.0), DType::F32)?.expand(&[3])?;
    raises(
        in_place(&wide, "add", &[number(&engine, 1.0)]),
        ErrorKind::Runtime,
        "single memory location",
    );
    let ints = Tensor::from_i64(&engine, &[1, 2], &[2])?;
    raises(
        in_place(&ints, "add", &[number(&engine, 1.5)]),
        ErrorKind::Runtime,
        "can't be cast",
    );
    raises(ints.mean(), ErrorKind::NotImplemented, "float");
    raises(
        ints.set_requires_grad(true),
        ErrorKind::Runtime,
        "floating point",
    );
    Ok(())
}

/// Counts its calls; the gradient is written in tensor ops.
struct Square(Tensor);

impl CustomVjp for Square {
    fn name(&self) -> &str {
        "SquareBackward"
    }

    fn backward(&self, gradient: Tensor) -> Result<Vec<Option<Tensor>>> {
        let two = Tensor::number(gradient.engine(), Scalar::Float(2.0));
        Ok(vec![Some(gradient.mul(&self.0)?.mul(&two)?)])
    }
}

#[test]
fn a_functions_own_gradient_can_be_differentiated_again() -> Result<()> {
    let engine = glowgrad::cpu();
    let x = leaf(&engine, &[3.0]);
    engine.set_grad_enabled(false);
    let value = x.mul(&x)?;
    engine.set_grad_enabled(true);
    let y = Tensor::custom(
        &engine,
        std::slice::from_ref(&x),
        &value,
        Rc::new(Square(x.clone())),
    )?;
    assert_eq!(y.to_string(), "tensor([9.], grad_fn=<SquareBackward>)");
    let first = Tensor::grad_of(&[y.sum()?], std::slice::from_ref(&x), &[], GRAPH)?[0]
        .clone()
        .expect("used");
    let second = Tensor::grad_of(&[first.sum()?], std::slice::from_ref(&x), &[], KEEP)?[0]
        .clone()
        .expect("used");
    assert_eq!((first.to_f64()?, second.to_f64()?), (vec![6.0], vec![2.0]));
    Ok(())
}

#[test]
fn eager_and_lazy_give_the_same() -> Result<()> {
    let run = |eager: bool| -> Result<Vec<f64>> {
        let engine = glowgrad::cpu();
        engine.set_eager(eager);
        let x = leaf(&engine, &[0.5, -1.0, 2.0]);
        let y = x.tanh()?.mul(&x.sigmoid()?)?.softmax(0)?;
        y.mul(&x)?.sum()?.backward(None, Default::default())?;
        Ok([y.to_f64()?, gradient(&x)].concat())
    };
    assert_eq!(run(true)?, run(false)?);
    Ok(())
}

#[test]
fn bits_are_shared_and_the_interpreter_reads_the_same() -> Result<()> {
    let engine = glowgrad::cpu();
    for from in DType::ALL {
        for to in DType::ALL {
            let bytes: Vec<u8> = (0..48u8).map(|i| i.wrapping_mul(37)).collect();
            let values = glowgrad::Scalar::of_bytes(&bytes, from);
            let x = Tensor::from_scalars(&engine, &values, &[values.len()], from)?;
            let y = x.view_dtype(to)?;
            assert_eq!(y.numel() * to.size(), 48);
            let interpreted = glowgrad::interpret::interpret(&engine, &y.node())?;
            let mut expected = Vec::new();
            interpreted.iter().for_each(|v| v.write(to, &mut expected));
            assert_eq!(y.to_bytes()?, expected, "{from} as {to}");
            // Written here, read there.
            let before = x.version();
            y.assign(&Tensor::number(&engine, glowgrad::Scalar::Int(1)))?;
            assert!(x.version() > before);
            assert_eq!(x.storage_id(), y.storage_id());
            if from != DType::Bool {
                assert_eq!(x.to_bytes()?, y.to_bytes()?, "{from} as {to}");
            }
        }
    }
    Ok(())
}

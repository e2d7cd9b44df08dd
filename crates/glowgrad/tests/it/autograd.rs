//! The backward pass against PyTorch: errors word for word, hooks, retained gradients, inference and
//! anomaly mode, functions as a graph. The words are those that PyTorch 2.15 printed.
#![cfg(not(target_arch = "wasm32"))]

mod hooks;
mod modes;

use glowgrad::autograd::BackwardOptions;
use glowgrad::op::{Attr, Attrs};
use glowgrad::{DType, Engine, ErrorKind, Index, Result, Scalar, Tensor, ops};

const KEEP: BackwardOptions = BackwardOptions {
    retain_graph: true,
    create_graph: false,
};

fn ones(engine: &Engine, shape: &[usize]) -> Result<Tensor> {
    Tensor::full(engine, shape, Scalar::Float(1.0), DType::F32)
}

fn leaf(engine: &Engine, shape: &[usize]) -> Result<Tensor> {
    let leaf = ones(engine, shape)?;
    leaf.set_requires_grad(true)?;
    Ok(leaf)
}

fn number(engine: &Engine, x: f64) -> Tensor {
    Tensor::number(engine, Scalar::Float(x))
}

fn apply(name: &str, operands: &[Tensor], attrs: &[Attr]) -> Result<Tensor> {
    let op = ops::find(name).expect("an op of the registry");
    let attrs = attrs.iter().cloned().collect();
    Tensor::apply(operands[0].engine(), op, operands, attrs)
}

fn in_place(tensor: &Tensor, name: &str, by: f64) -> Result<()> {
    let op = ops::find(name).expect("an op of the registry");
    let by = number(tensor.engine(), by);
    tensor.apply_in_place(op, &[by], Attrs::new())
}

fn walk(tensor: &Tensor) -> Result<()> {
    tensor.sum()?.backward(None, BackwardOptions::default())
}

fn gradient(tensor: &Tensor) -> Vec<f64> {
    let grad = tensor.grad().expect("a gradient");
    grad.to_f64().expect("a value")
}

/// The kind of error, and that its message begins with the words.
fn raises<T>(result: Result<T>, kind: ErrorKind, words: &str) {
    let Err(error) = result else {
        panic!("should raise: {words}")
    };
    assert_eq!(error.kind, kind, "{error}");
    assert!(error.message.starts_with(words), "{error}\nnot {words}");
}

/// What PyTorch says of a tensor that was written over, with what it says it is.
fn written_over(result: Result<()>, what: &str, at: u32, expected: u32) {
    raises(
        result,
        ErrorKind::Runtime,
        &format!(
            "one of the variables needed for gradient computation has been modified by an inplace operation: {what} is at version {at}; expected version {expected} instead. Hint: enable anomaly detection to find the operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False)."
        ),
    );
}

#[test]
fn what_was_written_over_is_named() -> Result<()> {
    let engine = glowgrad::cpu();
    let x = leaf(&engine, &[2])?;
    let y = x.exp()?;
    in_place(&y, "mul", 2.0)?;
    written_over(
        walk(&y),
        "[torch.FloatTensor [2]], which is output 0 of Exp,",
        1,
        0,
    );

    let (y, w) = (x.mul(&number(&engine, 1.0))?, leaf(&engine, &[2])?);
    let z = y.mul(&w)?;
    in_place(&y, "add", 1.0)?;
    in_place(&y, "add", 1.0)?;
    written_over(
        walk(&z),
        "[torch.FloatTensor [2]], which is output 0 of Add,",
        2,
        0,
    );

    let (a, b) = (leaf(&engine, &[2, 3])?, leaf(&engine, &[3, 2])?);
    let y = a.mul(&number(&engine, 1.0))?;
    let z = apply("mm", &[y.clone(), b], &[])?;
    in_place(&y, "add", 1.0)?;
    written_over(
        walk(&z),
        "[torch.FloatTensor [2, 3]], which is output 0 of Add,",
        1,
        0,
    );

    let y = apply("sigmoid", &[x.mul(&number(&engine, 1.0))?], &[])?;
    y.set(&[Index::Int(0)], &number(&engine, 1.0))?;
    written_over(
        walk(&y),
        "[torch.FloatTensor [2]], which is output 0 of Sigmoid,",
        1,
        0,
    );

    // A leaf and a plain tensor are outputs of nothing.
    let loss = x.mul(&x)?;
    engine.set_grad_enabled(false);
    in_place(&x, "sub", 1.0)?;
    engine.set_grad_enabled(true);
    written_over(walk(&loss), "[torch.FloatTensor [2]]", 1, 0);
    let half = Tensor::full(&engine, &[2], Scalar::Float(1.0), DType::BF16)?;
    half.set_requires_grad(true)?;
    let y = half.tanh()?;
    in_place(&y, "add", 1.0)?;
    written_over(
        walk(&y),
        "[CPUBFloat16Type [2]], which is output 0 of Tanh,",
        1,
        0,
    );

    // Rules that do not read an operand do not mind.
    let plain = ones(&engine, &[2])?;
    let y = leaf(&engine, &[2])?;
    let sum = y.add(&plain)?;
    in_place(&plain, "mul", 3.0)?;
    walk(&sum)?;
    // `addmm` reads each factor for the other's gradient only.
    let (c, a, b) = (
        leaf(&engine, &[2])?,
        leaf(&engine, &[2, 3])?,
        ones(&engine, &[3, 2])?,
    );
    let one = [Attr::Int(1), Attr::Int(1)];
    let (c2, a2) = (c.mul(&number(&engine, 1.0))?, a.mul(&number(&engine, 1.0))?);
    let y = apply("addmm", &[c2.clone(), a2.clone(), b.clone()], &one)?;
    in_place(&c2, "add", 1.0)?;
    in_place(&a2, "add", 1.0)?;
    walk(&y)?;
    let y = apply("addmm", &[c2, a2, b.clone()], &one)?;
    in_place(&b, "add", 1.0)?;
    written_over(walk(&y), "[torch.FloatTensor [3, 2]]", 1, 0);
    Ok(())
}

#[test]
fn writes_in_a_row_are_walked_in_order() -> Result<()> {
    let engine = glowgrad::cpu();
    let x = leaf(&engine, &[2])?;
    let y = x.mul(&number(&engine, 1.0))?;
    in_place(&y, "mul", 2.0)?;
    in_place(&y, "mul", 3.0)?;
    walk(&y)?;
    assert_eq!((gradient(&x), y.version()), (vec![6.0, 6.0], 2));
    // A result that its own rule reads is saved after the write that made it.
    let y = x.mul(&number(&engine, 1.0))?;
    y.apply_in_place(ops::find("exp").expect("exp"), &[], Attrs::new())?;
    in_place(&y, "add", 1.0)?;
    written_over(
        walk(&y),
        "[torch.FloatTensor [2]], which is output 0 of Exp,",
        2,
        1,
    );
    // Times itself: the factor has been written over.
    let y = apply("clone", std::slice::from_ref(&x), &[])?;
    y.apply_in_place(
        ops::find("mul").expect("mul"),
        std::slice::from_ref(&y),
        Attrs::new(),
    )?;
    written_over(
        walk(&y),
        "[torch.FloatTensor [2]], which is output 0 of Mul,",
        1,
        0,
    );
    Ok(())
}

#[test]
fn leaves_and_their_views_may_not_be_written() -> Result<()> {
    let engine = glowgrad::cpu();
    let x = leaf(&engine, &[2])?;
    let of_view =
        "a view of a leaf Variable that requires grad is being used in an in-place operation.";
    raises(
        in_place(&x, "add", 1.0),
        ErrorKind::Runtime,
        "a leaf Variable that requires grad is being used in an in-place operation.",
    );
    raises(
        in_place(&x.select(0, 0)?, "add", 1.0),
        ErrorKind::Runtime,
        of_view,
    );
    raises(
        x.set(&[Index::Int(0)], &number(&engine, 1.0)),
        ErrorKind::Runtime,
        of_view,
    );
    // Said before what is wrong with the view itself.
    raises(
        in_place(&x.expand(&[3, 2])?, "add", 1.0),
        ErrorKind::Runtime,
        of_view,
    );
    Ok(())
}

#[test]
fn detach_in_place() -> Result<()> {
    let engine = glowgrad::cpu();
    let x = leaf(&engine, &[2])?;
    let y = x.mul(&number(&engine, 2.0))?;
    let v = y.reshape(&[2, 1])?;
    raises(
        v.detach_in_place(),
        ErrorKind::Runtime,
        "Can't detach views in-place. Use detach() instead.",
    );
    y.detach_in_place()?;
    assert!(!y.requires_grad() && y.is_leaf() && y.grad_fn().is_none());
    assert_eq!(y.to_f64()?, [2.0, 2.0]);
    assert!(v.requires_grad(), "a view keeps its own history");
    x.detach_in_place()?;
    assert!(!x.requires_grad() && x.is_leaf());
    Ok(())
}

#[test]
fn roots_are_checked_in_pytorchs_words() -> Result<()> {
    let engine = glowgrad::cpu();
    let x = leaf(&engine, &[2])?;
    let y = x.mul(&number(&engine, 2.0))?;
    raises(
        y.backward(None, KEEP),
        ErrorKind::Runtime,
        "grad can be implicitly created only for scalar outputs",
    );
    raises(
        y.backward(Some(&ones(&engine, &[3])?), KEEP),
        ErrorKind::Runtime,
        "Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and output[0] has a shape of torch.Size([2]).",
    );
    let plain = ones(&engine, &[])?;
    raises(
        Tensor::backward_all(&[y.sum()?, plain], &[], KEEP),
        ErrorKind::Runtime,
        "element 1 of tensors does not require grad and does not have a grad_fn",
    );
    raises(
        y.backward_to(Some(&ones(&engine, &[2])?), &[], KEEP),
        ErrorKind::Runtime,
        "`inputs` argument to `backward()` cannot be empty.",
    );
    // The same root twice counts twice, in one walk.
    let squares = x.mul(&x)?.sum()?;
    Tensor::backward_all(&[squares.clone(), squares], &[], BackwardOptions::default())?;
    assert_eq!(gradient(&x), [4.0, 4.0]);
    // A gradient that wants gradients itself leaves no tape without create_graph.
    x.set_grad(None)?;
    let weight = leaf(&engine, &[2])?;
    y.backward(Some(&weight), KEEP)?;
    assert!(!x.grad().expect("a gradient").requires_grad());
    Ok(())
}

#[test]
fn autograd_grad_says_what_was_not_used() -> Result<()> {
    let engine = glowgrad::cpu();
    let (x, z) = (leaf(&engine, &[2])?, leaf(&engine, &[3])?);
    let both = [x.clone(), z.clone()];
    let grad = |allow, materialize| {
        let y = x.mul(&number(&engine, 2.0))?.sum()?;
        Tensor::autograd_grad(&[y], &both, &[], KEEP, allow, materialize)
    };
    raises(
        grad(None, false),
        ErrorKind::Runtime,
        "The differentiated Tensor at index 1 appears to not have been used in the graph. Set allow_unused=True if this is the desired behavior.",
    );
    assert!(grad(Some(true), false)?[1].is_none());
    let zeros = grad(None, true)?[1].clone().expect("zeros");
    assert_eq!(zeros.to_f64()?, [0.0; 3]);
    raises(
        grad(Some(false), true),
        ErrorKind::Value,
        "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False.",
    );
    let y = x.mul(&number(&engine, 2.0))?;
    let outputs = [y.clone(), x.sum()?];
    let grad = |inputs: &[Tensor], gradients: &[Option<Tensor>]| {
        Tensor::autograd_grad(&outputs, inputs, gradients, KEEP, None, false)
    };
    let weight = ones(&engine, &[2])?;
    raises(
        grad(&both[..1], &[Some(weight.clone())]),
        ErrorKind::Runtime,
        "got 2 tensors and 1 gradients",
    );
    let sum = grad(&both[..1], &[Some(weight.clone()), None])?;
    assert_eq!(sum[0].as_ref().expect("used").to_f64()?, [3.0, 3.0]);
    raises(
        grad(&[], &[Some(weight), None]),
        ErrorKind::Runtime,
        "`inputs` argument to `grad()` cannot be empty.",
    );
    raises(
        grad(&[ones(&engine, &[2])?], &[Some(ones(&engine, &[2])?), None]),
        ErrorKind::Runtime,
        "One of the differentiated Tensors does not require grad",
    );
    // A tensor with respect to itself, and one input twice.
    let weight = ones(&engine, &[2])?;
    let twice = [x.clone(), x.clone()];
    let itself = Tensor::autograd_grad(
        std::slice::from_ref(&x),
        &twice,
        &[Some(weight)],
        KEEP,
        None,
        false,
    )?;
    for grad in itself {
        assert_eq!(grad.expect("used").to_f64()?, [1.0, 1.0]);
    }
    assert!(x.grad().is_none(), "leaves are not filled");
    Ok(())
}

#[test]
fn a_gradient_is_set_by_hand() -> Result<()> {
    let engine = glowgrad::cpu();
    let x = leaf(&engine, &[2])?;
    raises(
        x.set_grad(Some(ones(&engine, &[3])?)),
        ErrorKind::Runtime,
        "attempting to assign a gradient of size '[3]' to a tensor of size '[2]'. Please ensure that the gradient and the tensor are the same size",
    );
    raises(
        x.set_grad(Some(ones(&engine, &[2])?.to(DType::F64)?)),
        ErrorKind::Runtime,
        "attempting to assign a gradient with dtype 'double' to a tensor with grad_dtype 'Float'.",
    );
    // It is there before the tensor wants one, stays when it does and grows.
    let plain = ones(&engine, &[2])?;
    plain.set_grad(Some(ones(&engine, &[2])?))?;
    assert_eq!(gradient(&plain), [1.0, 1.0]);
    plain.set_requires_grad(true)?;
    walk(&plain)?;
    assert_eq!(gradient(&plain), [2.0, 2.0]);
    plain.set_requires_grad(false)?;
    assert_eq!(gradient(&plain), [2.0, 2.0]);
    assert!(!plain.requires_grad());
    Ok(())
}

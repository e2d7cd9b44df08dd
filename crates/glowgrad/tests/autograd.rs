//! The walk back against PyTorch: errors word for word, hooks, retained gradients, inference and
//! anomaly mode, functions as a graph. The words are those that PyTorch 2.15 printed.
#![cfg(not(target_arch = "wasm32"))]

use std::cell::RefCell;
use std::rc::Rc;

use glowgrad::autograd::{Anomaly, WalkOptions};
use glowgrad::node::Span;
use glowgrad::op::{Attr, Attrs};
use glowgrad::{DType, Engine, ErrorKind, Index, Result, Scalar, Tensor, ops};

const KEEP: WalkOptions = WalkOptions {
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
    tensor.sum()?.backward(None, WalkOptions::default())
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
    Tensor::backward_all(&[squares.clone(), squares], &[], WalkOptions::default())?;
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
fn hooks_run_in_order_and_after_them_what_is_kept() -> Result<()> {
    let engine = glowgrad::cpu();
    let x = leaf(&engine, &[2])?;
    let log: Rc<RefCell<Vec<String>>> = Rc::default();
    let note = |what: &'static str| {
        let log = log.clone();
        move |gradient: &Tensor| {
            log.borrow_mut()
                .push(format!("{what}{}", gradient.to_f64()?[0]));
            Ok(None)
        }
    };
    let first = note("a");
    x.register_hook(Rc::new(move |gradient| {
        first(gradient)?;
        Ok(Some(gradient.mul(&number(gradient.engine(), 2.0))?))
    }))?;
    x.register_hook(Rc::new(note("b")))?;
    let into = log.clone();
    let post = x.register_post_accumulate_grad_hook(move |leaf| {
        let grad = leaf.grad().expect("a gradient").to_f64()?;
        into.borrow_mut().push(format!("post{}", grad[0]));
        Ok(())
    })?;
    walk(&x)?;
    walk(&x.mul(&number(&engine, 2.0))?)?;
    assert_eq!(*log.borrow(), ["a1", "b2", "post2", "a2", "b4", "post6"]);
    // `autograd.grad` fills no leaf.
    log.borrow_mut().clear();
    Tensor::grad_of(&[x.sum()?], std::slice::from_ref(&x), &[], KEEP)?;
    assert_eq!(*log.borrow(), ["a1", "b2"]);
    log.borrow_mut().clear();
    let slot = x.slot().expect("a leaf has one");
    slot.remove_hook(post);
    slot.remove_hook(post);
    walk(&x)?;
    assert_eq!(*log.borrow(), ["a1", "b2"]);

    // A hook that removes itself does not disturb the others.
    let x = leaf(&engine, &[1])?;
    let log: Rc<RefCell<Vec<&str>>> = Rc::default();
    let (slot, into, number_of) = (
        x.slot().expect("a leaf has one"),
        log.clone(),
        Rc::new(RefCell::new(0)),
    );
    let own = number_of.clone();
    let weak = Rc::downgrade(&slot);
    *number_of.borrow_mut() = x.register_hook(Rc::new(move |_| {
        into.borrow_mut().push("once");
        if let Some(slot) = weak.upgrade() {
            slot.remove_hook(*own.borrow());
        }
        Ok(None)
    }))?;
    let into = log.clone();
    x.register_hook(Rc::new(move |_| {
        into.borrow_mut().push("always");
        Ok(None)
    }))?;
    walk(&x)?;
    walk(&x)?;
    assert_eq!(*log.borrow(), ["once", "always", "always"]);
    Ok(())
}

#[test]
fn hooks_keep_shape_and_dtype() -> Result<()> {
    let engine = glowgrad::cpu();
    let x = leaf(&engine, &[2])?;
    let y = x.mul(&number(&engine, 2.0))?;
    y.register_hook(Rc::new(|g| Ok(Some(g.reshape(&[2, 1])?))))?;
    raises(
        walk(&y),
        ErrorKind::Runtime,
        "hook has changed the size of value",
    );
    let y = x.mul(&number(&engine, 2.0))?;
    y.register_hook(Rc::new(|g| Ok(Some(g.to(DType::F64)?))))?;
    raises(
        walk(&y),
        ErrorKind::Runtime,
        "hook has changed the type of value (was torch.FloatTensor got torch.DoubleTensor)",
    );
    let plain = ones(&engine, &[2])?;
    let words = "cannot register a hook on a tensor that doesn't require gradient";
    raises(
        plain.register_hook(Rc::new(|_| Ok(None))),
        ErrorKind::Runtime,
        words,
    );
    raises(
        y.register_post_accumulate_grad_hook(|_| Ok(())),
        ErrorKind::Runtime,
        "post accumulate grad hooks cannot be registered on non-leaf tensors",
    );
    raises(
        plain.retain_grad(),
        ErrorKind::Runtime,
        "can't retain_grad on Tensor that has requires_grad=False",
    );
    Ok(())
}

#[test]
fn what_is_retained_follows_hooks_and_writes() -> Result<()> {
    let engine = glowgrad::cpu();
    let x = leaf(&engine, &[2])?;
    x.retain_grad()?;
    assert!(!x.retains_grad());
    let y = x.mul(&number(&engine, 2.0))?;
    y.register_hook(Rc::new(|g| Ok(Some(g.mul(&number(g.engine(), 10.0))?))))?;
    y.retain_grad()?;
    y.register_hook(Rc::new(|g| Ok(Some(g.add(&number(g.engine(), 1.0))?))))?;
    assert!(y.retains_grad());
    walk(&y)?;
    assert_eq!((gradient(&y), gradient(&x)), (vec![11.0; 2], vec![22.0; 2]));
    // Kept by `autograd.grad` too, and by a walk to some inputs, once.
    let y = x.mul(&number(&engine, 2.0))?;
    y.retain_grad()?;
    Tensor::grad_of(&[y.sum()?], std::slice::from_ref(&x), &[], KEEP)?;
    assert_eq!(gradient(&y), [1.0, 1.0]);
    let y = x.mul(&number(&engine, 2.0))?;
    y.retain_grad()?;
    y.sum()?
        .backward_to(None, std::slice::from_ref(&y), WalkOptions::default())?;
    assert_eq!(gradient(&y), [1.0, 1.0]);
    // After a write it is the gradient of the new value.
    let y = x.mul(&number(&engine, 2.0))?;
    y.retain_grad()?;
    in_place(&y, "mul", 3.0)?;
    assert!(y.retains_grad());
    walk(&y)?;
    assert_eq!(gradient(&y), [1.0, 1.0]);
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

#[test]
fn inference_mode() -> Result<()> {
    let engine = glowgrad::cpu();
    let x = leaf(&engine, &[2])?;
    engine.set_grad_enabled(true);
    assert!(!engine.set_inference_mode(true));
    // It is stronger than enable_grad.
    engine.set_grad_enabled(true);
    assert!(!engine.grad_enabled());
    let y = x.mul(&number(&engine, 2.0))?;
    assert!(y.is_inference() && !y.requires_grad());
    assert!(
        !x.reshape(&[1, 2])?.is_inference(),
        "a view is what its base is"
    );
    in_place(&y, "add", 1.0)?;
    in_place(&x, "add", 0.0)?;
    assert!(engine.set_inference_mode(false));
    assert!(engine.grad_enabled());
    raises(
        in_place(&y, "add", 1.0),
        ErrorKind::Runtime,
        "Inplace update to inference tensor outside InferenceMode is not allowed.",
    );
    raises(
        y.set_requires_grad(true),
        ErrorKind::Runtime,
        "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.",
    );
    raises(
        x.mul(&y),
        ErrorKind::Runtime,
        "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in computation tracked by autograd.",
    );
    // A rule that reads nothing takes them, and what is made outside is plain.
    walk(&x.add(&y)?)?;
    assert!(!y.mul(&y)?.is_inference() && y.reshape(&[2, 1])?.is_inference());
    x.mul(&apply("clone", &[y], &[])?)?;
    Ok(())
}

#[test]
fn anomaly_mode_names_the_function() -> Result<()> {
    let engine = glowgrad::cpu();
    let on = Anomaly {
        enabled: true,
        check_nan: true,
    };
    let zero = Tensor::full(&engine, &[1], Scalar::Float(0.0), DType::F32)?;
    zero.set_requires_grad(true)?;
    let bad = || -> Result<()> {
        engine.set_span(Span { cell: 0, line: 7 });
        let root = apply("sqrt", std::slice::from_ref(&zero), &[])?;
        engine.set_span(Span { cell: 0, line: 8 });
        walk(&root.mul(&number(&engine, 0.0))?)
    };
    bad()?;
    assert!(gradient(&zero)[0].is_nan(), "silent without the mode");
    assert_eq!(engine.set_anomaly(on), Anomaly::default());
    let words = "Function 'SqrtBackward0' returned nan values in its 0th output.";
    raises(bad(), ErrorKind::Runtime, words);
    let Err(error) = bad() else {
        panic!("should raise")
    };
    assert!(error.message.ends_with("line 7."), "{error}");
    let other = apply("clone", &[zero.detach()], &[])?;
    other.set_requires_grad(true)?;
    raises(
        walk(&zero.div(&other)?),
        ErrorKind::Runtime,
        "Function 'DivBackward0' returned nan values in its 1th output.",
    );
    // Without check_nan only the modes differ.
    engine.set_anomaly(Anomaly {
        check_nan: false,
        ..on
    });
    bad()
}

#[test]
fn functions_lead_to_functions() -> Result<()> {
    let engine = glowgrad::cpu();
    let x = leaf(&engine, &[2])?;
    assert!(x.grad_function().is_none());
    let y = x.mul(&number(&engine, 2.0))?;
    let sum = y.sum()?.grad_function().expect("on the tape");
    assert_eq!(sum.name(), "SumBackward0");
    let [Some(product)] = &sum.next_functions()[..] else {
        panic!("a sum has one operand");
    };
    assert_eq!(product.id(), y.grad_function().expect("on the tape").id());
    let [Some(end), None] = &product.next_functions()[..] else {
        panic!("a number wants no gradient");
    };
    assert_eq!(end.name(), "AccumulateGrad");
    assert!(end.next_functions().is_empty());
    walk(&y)?;
    assert_eq!(gradient(&end.variable().expect("the leaf")), [2.0, 2.0]);
    Ok(())
}

//! Hooks: their order, what they may change, and gradients that are retained.

use std::cell::RefCell;
use std::rc::Rc;

use glowgrad::autograd::BackwardOptions;
use glowgrad::{DType, ErrorKind, Result, Tensor};

use super::{KEEP, gradient, in_place, leaf, number, ones, raises, walk};

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
        .backward_to(None, std::slice::from_ref(&y), BackwardOptions::default())?;
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

//! Inference mode, anomaly mode, and the functions of a graph.

use glowgrad::autograd::Anomaly;
use glowgrad::node::Span;
use glowgrad::{DType, ErrorKind, Result, Scalar, Tensor};

use super::{apply, gradient, in_place, leaf, number, raises, walk};

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

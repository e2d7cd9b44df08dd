//! Several devices in one engine: where results are, what may meet, what travels, and where the
//! gradient ends up.
#![cfg(not(target_arch = "wasm32"))]

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

use glowgrad::backend::{Backend, Buffer, PendingRead, Task};
use glowgrad::{CpuBackend, DType, Device, Engine, Error, Result, Tensor};

/// A processor that is called `other`, and takes no buffer of another device.
struct Other {
    inner: CpuBackend,
    /// The buffers that were uploaded to it or written by it.
    uploads: Rc<RefCell<usize>>,
}

impl Other {
    fn own(&self, buffer: &Buffer) -> Result<()> {
        match buffer.on() == Device::FIRST {
            true => Err(Error::runtime("a buffer of the first device")),
            false => Ok(()),
        }
    }
}

impl Backend for Other {
    fn name(&self) -> String {
        "other (for tests)".to_owned()
    }

    fn allocate(&self, bytes: usize, dtype: DType) -> Result<Box<dyn Any>> {
        self.inner.allocate(bytes, dtype)
    }

    fn upload(&self, buffer: &Buffer, bytes: &[u8]) -> Result<()> {
        self.own(buffer)?;
        *self.uploads.borrow_mut() += 1;
        self.inner.upload(buffer, bytes)
    }

    fn submit(&self, tasks: &[Task]) -> Result<(), (usize, Error)> {
        for (i, task) in tasks.iter().enumerate() {
            let mut buffers = match task {
                Task::Kernel {
                    inputs, outputs, ..
                } => inputs.iter().chain(outputs).collect::<Vec<&Buffer>>(),
                Task::Routine { inputs, output, .. } => inputs.iter().chain([output]).collect(),
            };
            buffers
                .drain(..)
                .try_for_each(|buffer| self.own(buffer))
                .map_err(|error| (i, error))?;
        }
        self.inner.submit(tasks)
    }

    fn begin_read(&self, buffer: &Buffer) -> Result<Box<dyn PendingRead>> {
        self.own(buffer)?;
        self.inner.begin_read(buffer)
    }
}

struct Two {
    engine: Engine,
    other: Device,
    uploads: Rc<RefCell<usize>>,
}

fn two() -> Result<Two> {
    let engine = glowgrad::cpu();
    let uploads = Rc::new(RefCell::new(0));
    let other = engine.add_device(Box::new(Other {
        inner: CpuBackend::new(),
        uploads: uploads.clone(),
    }))?;
    Ok(Two {
        engine,
        other,
        uploads,
    })
}

#[test]
fn devices_have_names() -> Result<()> {
    let Two { engine, other, .. } = two()?;
    assert_eq!(engine.find_device("cpu"), Some(Device::FIRST));
    assert_eq!(engine.find_device("other"), Some(other));
    assert_eq!(engine.find_device("cuda"), None);
    assert_eq!(engine.devices(), [Device::FIRST, other]);
    assert_eq!(engine.device_name(other), "other (for tests)");
    let twice = engine.add_device(Box::new(CpuBackend::new()));
    let error = twice.expect_err("there is a cpu already");
    assert!(error.message.contains("has a \"cpu\" already"), "{error}");
    Ok(())
}

#[test]
fn results_are_where_their_operands_are() -> Result<()> {
    let Two { engine, other, .. } = two()?;
    let here = Tensor::from_f32(&engine, &[1.0, 2.0, 3.0, 4.0], &[2, 2])?;
    let there = here.to_device(other)?;
    assert_eq!((here.device(), there.device()), (Device::FIRST, other));
    // Chains, views, reductions, products and composites stay.
    let y = there
        .transpose(0, 1)?
        .exp()?
        .matmul(&there)?
        .softmax(1)?
        .sum()?;
    assert_eq!(y.device(), other);
    assert!((y.to_f64()?[0] - 2.0).abs() < 1e-6);
    // The first engine's device knows nothing of it.
    let again = y.to_device(Device::FIRST)?;
    assert_eq!(again.device(), Device::FIRST);
    assert!((again.add(&again)?.to_f64()?[0] - 4.0).abs() < 1e-6);
    Ok(())
}

#[test]
fn tensors_are_made_on_the_current_device() -> Result<()> {
    let Two { engine, other, .. } = two()?;
    assert_eq!(engine.set_device(other), Device::FIRST);
    let x = Tensor::from_f32(&engine, &[1.0, -2.0], &[2])?;
    let zeros = Tensor::full(&engine, &[2], glowgrad::Scalar::Int(0), DType::F32)?;
    assert_eq!((x.device(), zeros.device()), (other, other));
    engine.set_device(Device::FIRST);
    // Where it was made, not where the engine is now.
    assert_eq!(x.relu()?.device(), other);
    assert_eq!(zeros.add(&x)?.to_f64()?, [1.0, -2.0]);
    Ok(())
}

#[test]
fn only_a_single_number_of_the_first_device_may_meet_another() -> Result<()> {
    let Two { engine, other, .. } = two()?;
    let there = Tensor::from_f32(&engine, &[1.0, 2.0], &[2])?.to_device(other)?;
    let number = Tensor::from_f32(&engine, &[10.0], &[])?;
    let sum = there.add(&number)?;
    assert_eq!((sum.device(), sum.to_f64()?), (other, vec![11.0, 12.0]));
    let here = Tensor::from_f32(&engine, &[1.0, 2.0], &[2])?;
    for (a, b) in [(&here, &there), (&there, &here)] {
        let error = a.mul(b).expect_err("two devices");
        assert!(
            error.message.contains(
                "Expected all tensors to be on the same device, but found at least two devices, other and cpu!"
            ),
            "{error}"
        );
    }
    let zero_d = there.sum()?;
    assert!(here.mul(&zero_d).is_err(), "a number of another device");
    Ok(())
}

#[test]
fn indices_of_the_first_device_name_elements_of_another() -> Result<()> {
    let Two { engine, other, .. } = two()?;
    let here = Tensor::from_f32(&engine, &[1.0, 2.0, 3.0], &[3])?;
    let there = here.to_device(other)?;
    let index = Tensor::from_i64(&engine, &[2, 0], &[2])?;
    let picked = there.get(&[glowgrad::Index::Tensor(index.clone())])?;
    assert_eq!((picked.device(), picked.to_f64()?), (other, vec![3.0, 1.0]));
    let index = index.to_device(other)?;
    let refused = here.get(&[glowgrad::Index::Tensor(index)]);
    assert!(refused.is_err(), "the other way round PyTorch refuses it");
    Ok(())
}

#[test]
fn a_value_travels_once() -> Result<()> {
    let Two {
        engine,
        other,
        uploads,
    } = two()?;
    let here = Tensor::from_f32(&engine, &[1.0, 2.0], &[2])?;
    let there = here.exp()?.to_device(other)?;
    for _ in 0..3 {
        there.add(&there)?.to_f64()?;
    }
    assert_eq!(*uploads.borrow(), 1);
    Ok(())
}

#[test]
fn memory_that_got_another_value_travels_again() -> Result<()> {
    let Two { engine, other, .. } = two()?;
    let x = Tensor::from_f32(&engine, &[1.0, 2.0], &[2])?;
    let sum = {
        let a = x.exp()?;
        let first = a.to_device(other)?;
        // It takes the memory of `a`, which nothing needs after it.
        let b = a.neg()?;
        first.add(&b.to_device(other)?)?
    };
    assert_eq!(sum.to_f64()?, [0.0, 0.0]);
    Ok(())
}

#[test]
fn the_gradient_finds_its_way_back() -> Result<()> {
    let Two { engine, other, .. } = two()?;
    let w = Tensor::from_f32(&engine, &[0.5, -0.25], &[2])?;
    w.set_requires_grad(true)?;
    let x = Tensor::from_f32(&engine, &[2.0, 4.0], &[2])?.to_device(other)?;
    let loss = w.to_device(other)?.mul(&x)?.tanh()?.sum()?;
    assert_eq!(loss.device(), other);
    loss.backward(None, Default::default())?;
    let grad = w.grad().expect("the leaf's gradient");
    assert_eq!(grad.device(), Device::FIRST);
    let grad = grad.to_f64()?;
    assert!((grad[0] - 0.8399).abs() < 1e-4 && (grad[1] - 1.6799).abs() < 1e-4);
    // A leaf over there keeps its gradient there.
    let v = Tensor::from_f32(&engine, &[1.0], &[1])?
        .to_device(other)?
        .detach();
    v.set_requires_grad(true)?;
    v.mul(&v)?.sum()?.backward(None, Default::default())?;
    let grad = v.grad().expect("the leaf's gradient");
    assert_eq!((grad.device(), grad.to_f64()?), (other, vec![2.0]));
    Ok(())
}

#[test]
fn writes_stay_where_the_storage_is() -> Result<()> {
    let Two { engine, other, .. } = two()?;
    let here = Tensor::from_f32(&engine, &[1.0, 2.0], &[2])?;
    let there = Tensor::from_f32(&engine, &[5.0, 6.0], &[2])?.to_device(other)?;
    here.assign(&there)?;
    assert_eq!(
        (here.device(), here.to_f64()?),
        (Device::FIRST, vec![5.0, 6.0])
    );
    Ok(())
}

//! In-place writes that read each other, an optimizer's: one kernel stores several results, with the same bits
//! as a kernel for each.
#![cfg(not(target_arch = "wasm32"))]

use std::rc::Rc;

use glowgrad::autograd::BackwardOptions;
use glowgrad::backend::Backend;
use glowgrad::codegen;
use glowgrad::optim::{
    Adam, AdamOptions, AdamW, AdamWOptions, Optimizer, RMSprop, RMSpropOptions, SGD, SGDOptions,
};
use glowgrad::{CpuBackend, Engine, Result, Tensor};

use crate::kernels::{Variables, judge, text};
use crate::suite::watched::Bench;

fn gpu() -> Option<Rc<dyn Backend>> {
    #[cfg(feature = "gpu")]
    return Some(crate::epilogues::gpu()?);
    #[cfg(not(feature = "gpu"))]
    None
}

/// The same device twice: several results to a kernel, and one.
fn benches() -> Vec<[Bench; 2]> {
    let cpu = [4, 1].map(|most| Bench::storing(Rc::new(CpuBackend::new()), most));
    let gpu = gpu().map(|gpu| [4, 1].map(|most| Bench::storing(gpu.clone(), most)));
    std::iter::once(cpu).chain(gpu).collect()
}

/// A parameter, and what the loss is made of.
fn parameters(engine: &Engine) -> Result<Vec<Tensor>> {
    let shapes: [&[usize]; 3] = [&[3, 700], &[5], &[1]];
    let parameters = shapes.map(|shape| -> Result<Tensor> {
        let n: usize = shape.iter().product();
        let numbers: Vec<f32> = (0..n).map(|i| (i as f32).sin()).collect();
        let parameter = Tensor::from_f32(engine, &numbers, shape)?;
        parameter.set_requires_grad(true)?;
        Ok(parameter)
    });
    parameters.into_iter().collect()
}

type Make = fn(Vec<Tensor>) -> Box<dyn Optimizer>;

const OPTIMIZERS: [(&str, Make); 5] = [
    ("SGD", |parameters| {
        let options = SGDOptions {
            momentum: 0.9,
            nesterov: true,
            weight_decay: 0.1,
            ..SGDOptions::default()
        };
        Box::new(SGD::new(parameters, options))
    }),
    ("Adam", |parameters| {
        Box::new(Adam::new(parameters, AdamOptions::default()))
    }),
    ("AMSGrad", |parameters| {
        let options = AdamOptions {
            amsgrad: true,
            ..AdamOptions::default()
        };
        Box::new(Adam::new(parameters, options))
    }),
    ("AdamW", |parameters| {
        Box::new(AdamW::new(parameters, AdamWOptions::default()))
    }),
    ("RMSprop", |parameters| {
        let options = RMSpropOptions {
            momentum: 0.5,
            centered: true,
            ..RMSpropOptions::default()
        };
        Box::new(RMSprop::new(parameters, options))
    }),
];

/// Three steps; what the parameters and the optimizer's state are then.
fn train(engine: &Engine, make: Make) -> Result<Vec<Vec<u8>>> {
    let parameters = parameters(engine)?;
    let mut optimizer = make(parameters.clone());
    for _ in 0..3 {
        optimizer.zero_grad()?;
        let losses = parameters.iter().map(|w| w.mul(w)?.tanh()?.sum());
        let losses = losses.collect::<Result<Vec<Tensor>>>()?;
        let loss = losses[0].add(&losses[1])?.add(&losses[2])?;
        loss.backward(None, BackwardOptions::default())?;
        optimizer.step()?;
        loss.to_bytes()?;
    }
    let state = optimizer.state().into_iter().map(|(_, tensor)| tensor);
    let all = parameters.into_iter().chain(state);
    all.map(|tensor| tensor.to_bytes()).collect()
}

#[test]
fn an_optimizers_results_are_the_same_bits_in_fewer_kernels() -> Result<()> {
    for pair in benches() {
        for (name, make) in OPTIMIZERS {
            let [joint, apart] = pair.each_ref();
            let on = joint.engine.device_name(joint.engine.device());
            let (got, expected) = (train(&joint.engine, make)?, train(&apart.engine, make)?);
            assert!(got == expected, "{name} on {on}: other bits");
            let [n_joint, n_apart] = [joint, apart].map(|bench| bench.ran().len());
            // At the first step there is nothing to remember yet.
            assert!(
                n_joint + 2 * 3 <= n_apart,
                "{name} on {on}: {n_joint} kernels, {n_apart} of one result"
            );
        }
    }
    Ok(())
}

#[test]
fn a_kernel_of_several_results_reads_well() -> Result<()> {
    let engine = glowgrad::cpu();
    let mut names = Variables::default();
    let [w, velocity, gradient] =
        ["w", "v", "g"].map(|_| Tensor::from_f32(&engine, &[1.0; 6], &[2, 3]));
    let (w, velocity, gradient) = (w?, velocity?, gradient?);
    let mut name = |tensor: &Tensor, name| names.0.insert(tensor.node().id, name);
    name(&w, "w");
    name(&velocity, "velocity");
    name(&gradient, "gradient");
    velocity.assign(&velocity.add(&gradient)?)?;
    name(&velocity, "new_velocity");
    w.assign(&w.sub(&velocity)?)?;
    name(&w, "new_w");
    w.to_bytes()?;
    let items = engine.scheduled();
    let [item] = &items[..] else {
        panic!("{} kernels", items.len());
    };
    let wgsl = text(&codegen::wgsl(item, &names).expect("a shader"));
    judge(&wgsl).expect("a valid shader");
    let texts = [text(&codegen::pseudo_code(item, &names)), wgsl];
    assert_snapshot!("several_results", texts.join("\n--\n"));
    assert_eq!(item.written, 2 * 24);
    assert_eq!(item.results().len(), 2);
    Ok(())
}

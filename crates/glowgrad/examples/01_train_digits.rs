//! Trains a two-layer network on the 8×8 digits and prints what a step costs, with the trace
//! recorded and without.
//!
//! `cargo run --example 01_train_digits -p glowgrad`

use std::time::Instant;

use glowgrad::ops::arithmetic;
use glowgrad::{Engine, Result, Scalar, Tensor};

struct Net {
    parameters: Vec<Tensor>,
}

impl Net {
    fn new(engine: &Engine, sizes: &[usize]) -> Result<Net> {
        let mut parameters = Vec::new();
        for pair in sizes.windows(2) {
            let bound = 1.0 / (pair[0] as f64).sqrt();
            for shape in [vec![pair[1], pair[0]], vec![pair[1]]] {
                let mut values = vec![0.0f32; shape.iter().product()];
                engine.generator().uniform_f32(&mut values, -bound, bound);
                let parameter = Tensor::from_f32(engine, &values, &shape)?;
                parameter.set_requires_grad(true)?;
                parameters.push(parameter);
            }
        }
        Ok(Net { parameters })
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let [w1, b1, w2, b2] = &self.parameters[..] else {
            unreachable!("two layers")
        };
        x.linear(w1, Some(b1))?.tanh()?.linear(w2, Some(b2))
    }

    fn step(&self, x: &Tensor, target: &Tensor, lr: f64) -> Result<f64> {
        let engine = x.engine();
        let loss = self.forward(x)?.cross_entropy(target)?;
        loss.backward(None, Default::default())?;
        let tape = engine.set_grad_enabled(false);
        for parameter in &self.parameters {
            let Some(grad) = parameter.grad() else {
                continue;
            };
            let lr = Tensor::number(engine, Scalar::Float(lr));
            parameter.apply_in_place(&arithmetic::SUB, &[grad.mul(&lr)?], Default::default())?;
            parameter.set_grad(None)?;
        }
        engine.set_grad_enabled(tape);
        Ok(loss.item()?.as_f64())
    }
}

fn main() -> Result<()> {
    let engine = glowgrad::cpu();
    println!("{}", engine.device_name(engine.device()));
    engine.generator().manual_seed(0);
    let digits = glowgrad_data::digits();
    let (images, labels) = (digits.images(), digits.labels());
    let pixels: Vec<f32> = images.flatten().map(|&p| f32::from(p) / 16.0).collect();
    let classes: Vec<i64> = labels.map(i64::from).collect();
    let x = Tensor::from_f32(&engine, &pixels[..1437 * 64], &[1437, 64])?;
    let target = Tensor::from_i64(&engine, &classes[..1437], &[1437])?;
    let test = Tensor::from_f32(&engine, &pixels[1437 * 64..], &[360, 64])?;
    let net = Net::new(&engine, &[64, 64, 10])?;

    let mut times = [Vec::new(), Vec::new()];
    for i in 0..400 {
        let on = i % 2 == 0;
        engine.trace().set_recording(on);
        let start = Instant::now();
        let loss = net.step(&x, &target, 0.5)?;
        times[usize::from(on)].push(start.elapsed().as_secs_f64() * 1e3);
        if i % 100 == 0 {
            println!("step {i}: loss {loss:.4}");
        }
    }
    let guess = net.forward(&test)?.argmax(1)?.to_f64()?;
    let right = guess
        .iter()
        .zip(&classes[1437..])
        .filter(|(g, l)| **g as i64 == **l)
        .count();
    println!("test accuracy {:.1} %", right as f64 / 3.6);
    for (name, times) in ["recording off", "recording on"].iter().zip(&mut times) {
        times.sort_by(f64::total_cmp);
        println!("{name}: median {:.3} ms a step", times[times.len() / 2]);
    }
    let memory = engine.trace().memory();
    println!(
        "live {} KB, peak {} KB",
        memory.live / 1024,
        memory.peak / 1024
    );
    Ok(())
}

//! What the stage is drawn from: the trace of the first lesson's program, without times and floats.
#![cfg(not(target_arch = "wasm32"))]

use std::fmt::Write;

use glowgrad::trace::Event;
use glowgrad::{Engine, Result, Tensor};

/// Events in words; nodes are numbered in the order in which the trace names them.
fn words(engine: &Engine) -> String {
    let mut names: Vec<u64> = Vec::new();
    let mut name = |id: u64| -> String {
        let at = names.iter().position(|n| *n == id).unwrap_or_else(|| {
            names.push(id);
            names.len() - 1
        });
        format!("n{at}")
    };
    let ops: std::collections::HashMap<u64, String> = engine.with_step(|step| {
        step.made
            .iter()
            .chain(&step.gradients)
            .map(|n| (n.id, format!("{} {:?}", n.op.name, &n.shape[..])))
            .collect()
    });
    let mut text = String::new();
    for event in engine.trace().events() {
        let line = match event {
            Event::Made { node } => format!(
                "made {} = {}",
                name(node),
                ops.get(&node).map_or("?", String::as_str)
            ),
            Event::Backward { root, gradient } => {
                format!("backward from {} with {}", name(root), name(gradient))
            }
            Event::Vjp {
                node,
                gradient,
                grads,
            } => {
                let grads: Vec<String> = grads
                    .into_iter()
                    .map(|g| g.map_or("none".into(), &mut name))
                    .collect();
                format!(
                    "vjp {}: {} -> {}",
                    name(node),
                    name(gradient),
                    grads.join(", ")
                )
            }
            Event::Accumulate { node, added, sum } => format!(
                "accumulate {}: + {} = {}",
                name(node),
                name(added),
                name(sum)
            ),
            Event::Grad {
                node,
                gradient,
                accumulated,
            } => {
                format!(
                    "grad {} {} {}",
                    name(node),
                    if accumulated { "+=" } else { "=" },
                    name(gradient)
                )
            }
            Event::BackwardEnd { root } => format!("end of {}", name(root)),
            Event::Write { node, value } => format!("write {} <- {}", name(node), name(value)),
            Event::Scheduled {
                name: kind,
                bytes,
                nodes,
                ..
            } => format!("kernel {kind}, {} nodes, {bytes} bytes", nodes.len()),
            Event::Ran { kernels, .. } => format!("ran {kernels}"),
            Event::Allocated { bytes, .. } => format!("allocated {bytes}"),
            Event::Freed { bytes, .. } => format!("freed {bytes}"),
        };
        writeln!(text, "{line}").expect("a string takes any line");
    }
    text
}

fn leaf(engine: &Engine, values: &[f32]) -> Result<Tensor> {
    let tensor = Tensor::from_f32(engine, values, &[values.len()])?;
    tensor.set_requires_grad(true)?;
    Ok(tensor)
}

#[test]
fn the_first_graph() -> Result<()> {
    let engine = glowgrad::cpu();
    let x = leaf(&engine, &[1.0, 2.0, 3.0])?;
    let y = leaf(&engine, &[4.0, 5.0, 6.0])?;
    let z = x.add(&y)?;
    let loss = z.sum()?;
    loss.backward(None, Default::default())?;
    assert_eq!(x.grad().expect("a gradient").to_f64()?, [1.0; 3]);
    assert_snapshot!("the_first_graph", words(&engine));
    Ok(())
}

#[test]
fn a_value_used_twice_accumulates() -> Result<()> {
    let engine = glowgrad::cpu();
    let x = leaf(&engine, &[1.0, 2.0])?;
    let loss = x.mul(&x)?.add(&x)?.sum()?;
    loss.backward(None, Default::default())?;
    let again = x.mul(&x)?.sum()?;
    again.backward(None, Default::default())?;
    assert_eq!(x.grad().expect("a gradient").to_f64()?, [5.0, 9.0]);
    assert_snapshot!("a_value_used_twice_accumulates", words(&engine));
    Ok(())
}

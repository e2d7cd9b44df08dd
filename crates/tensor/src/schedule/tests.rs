//! Plans of small graphs, as text. Nothing runs: the device of these tests computes nothing.

use std::any::Any;

use super::plan::{Planner, Request};
use crate::backend::{Backend, Buffer, PendingRead, Task};
use crate::graph::{Held, NodeRef};
use crate::trace::NodeId;
use crate::{DType, Engine, Error, Result, Tensor};
use rustc_hash::FxHashSet;

/// Memory without bytes, and no arithmetic.
struct Nowhere;

impl Backend for Nowhere {
    fn name(&self) -> String {
        "nowhere".to_owned()
    }

    fn allocate(&self, _: usize, _: DType) -> Result<Box<dyn Any>> {
        Ok(Box::new(()))
    }

    fn upload(&self, _: &Buffer, _: &[u8]) -> Result<()> {
        Ok(())
    }

    fn submit(&self, _: &[Task]) -> Result<(), (usize, Error)> {
        Err((0, Error::runtime("a plan asks no device to compute")))
    }

    fn begin_read(&self, _: &Buffer) -> Result<Box<dyn PendingRead>> {
        Err(Error::runtime("a plan reads nothing"))
    }

    fn max_outputs(&self) -> usize {
        4
    }
}

/// An engine whose trace is off, so that the stage holds nothing.
fn engine() -> Engine {
    let engine = Engine::new(Box::new(Nowhere));
    engine.trace().set_recording(false);
    engine
}

fn leaf(engine: &Engine, shape: &[usize]) -> Tensor {
    let n = shape.iter().product();
    Tensor::from_f32(engine, &vec![1.0; n], shape).expect("a leaf")
}

fn parameter(engine: &Engine, shape: &[usize]) -> Tensor {
    let leaf = leaf(engine, shape);
    leaf.set_requires_grad(true).expect("floats");
    leaf
}

/// The plan for nodes and what waits to be written, when these are held and nothing else is.
fn plan(engine: &Engine, asked: &[NodeRef], held: &[&Tensor]) -> String {
    let held: FxHashSet<NodeId> = held.iter().map(|tensor| tensor.node().id).collect();
    let request = Request {
        asked: asked.to_vec(),
        written: engine.take_written(),
        walked: &[],
        held: Held::Only(held),
    };
    let plan = Planner::new(engine).plan(request).expect("a plan");
    plan.to_string()
}

/// A program, which gives its variables; what it drops, nothing but the graph refers to.
type Program = fn(&Engine) -> Result<Vec<Tensor>>;

/// Programs whose plans end memory early, take memory over, keep what backward passes read, and share values.
const PROGRAMS: [Program; 4] = [
    |engine| {
        let (a, b) = (leaf(engine, &[4, 4]), leaf(engine, &[4, 4]));
        let y = a.matmul(&b)?.exp()?.matmul(&b)?.softmax(-1)?;
        Ok(vec![b, y])
    },
    |engine| {
        let (x, w) = (leaf(engine, &[2, 3]), parameter(engine, &[3, 2]));
        let h = x.matmul(&w)?.tanh()?;
        let loss = h.matmul(&h.transpose(0, 1)?)?.softmax(-1)?.sum()?;
        Ok(vec![x, w, loss])
    },
    |engine| {
        let x = leaf(engine, &[3]);
        let shared = x.exp()?;
        let (y, z) = (shared.sum()?, shared.mul(&x)?);
        Ok(vec![y.add(&z)?])
    },
    |engine| {
        let x = leaf(engine, &[6]);
        let view = x.reshape(&[2, 3])?.transpose(0, 1)?;
        let y = view
            .matmul(&view.transpose(0, 1)?)?
            .relu()?
            .mul(&view.sum()?)?;
        Ok(vec![view, y])
    },
];

/// A reference that the engine kept for itself would hold memory that no variable holds.
#[test]
fn references_hold_what_variables_hold_and_no_more() -> Result<()> {
    for (which, program) in PROGRAMS.into_iter().enumerate() {
        let engine = engine();
        let variables = program(&engine)?;
        let asked: Vec<NodeRef> = variables.last().map(Tensor::node).into_iter().collect();
        let held: Vec<&Tensor> = variables.iter().collect();
        let by_reference = engine.plan(&asked)?;
        assert_eq!(
            by_reference,
            plan(&engine, &asked, &held),
            "program {which}"
        );
        assert!(
            by_reference.contains("until"),
            "program {which}: {by_reference}"
        );
    }
    Ok(())
}

#[test]
fn elementwise_ops_are_one_kernel() -> Result<()> {
    let engine = engine();
    let (x, w) = (leaf(&engine, &[2, 3]), leaf(&engine, &[3]));
    let y = x.mul(&w)?.exp()?.sum()?;
    insta::assert_snapshot!(plan(&engine, &[y.node()], &[&x, &w, &y]), @"%0 = reduce (mul exp reduce) float32[1, 1] from #0 #1; kept");
    Ok(())
}

#[test]
fn a_result_takes_the_memory_of_an_input_that_nothing_holds() -> Result<()> {
    let engine = engine();
    let (a, b) = (leaf(&engine, &[2, 2]), leaf(&engine, &[2, 2]));
    let product = a.matmul(&b)?;
    let y = product.exp()?.matmul(&b)?;
    insta::assert_snapshot!(plan(&engine, &[y.node()], &[&a, &b, &y]), @"
    %0 = matmul (product) float32[2, 2] from #0 #1; until %1
    %1 = fused (exp) float32[2, 2] from %0; until %2; in the memory of %0
    %2 = matmul (product) float32[2, 2] from %1 #1; kept
    ");
    // The same graph, and a variable that holds the product.
    insta::assert_snapshot!(plan(&engine, &[y.node()], &[&a, &b, &y, &product]), @"
    %0 = matmul (product) float32[2, 2] from #0 #1; kept
    %1 = fused (exp) float32[2, 2] from %0; until %2
    %2 = matmul (product) float32[2, 2] from %1 #1; kept
    ");
    Ok(())
}

#[test]
fn memory_that_was_there_ends_with_its_last_reader() -> Result<()> {
    let engine = engine();
    let (a, b) = (leaf(&engine, &[4]), leaf(&engine, &[4]));
    let y = a.add(&b)?.matmul(&b)?.mul(&a)?;
    insta::assert_snapshot!(plan(&engine, &[y.node()], &[&y]), @"
    %0 = fused (add) float32[4] from #0 #1; until %1
    %1 = matmul (product) float32[1, 1] from %0 #1; until %2
    %2 = fused (mul) float32[4] from %1 #0; kept; in the memory of #0
    ");
    Ok(())
}

#[test]
fn what_a_backward_pass_will_read_is_kept() -> Result<()> {
    let engine = engine();
    let (x, w) = (leaf(&engine, &[2, 3]), parameter(&engine, &[3, 2]));
    let y = x.matmul(&w)?.tanh()?.sum()?;
    insta::assert_snapshot!(plan(&engine, &[y.node()], &[&x, &w, &y]), @"
    %0 = matmul (product) float32[2, 2] from #0 #1; kept
    %1 = reduce (tanh reduce) float32[1, 1] from %0; kept
    ");
    Ok(())
}

#[test]
fn values_that_several_read_are_stored_once() -> Result<()> {
    let engine = engine();
    let x = leaf(&engine, &[3]);
    let shared = x.exp()?;
    let (y, z) = (shared.sum()?, shared.mul(&x)?);
    insta::assert_snapshot!(plan(&engine, &[y.node(), z.node()], &[&x, &y, &z]), @"
    %0 = fused (exp) float32[3] from #0; until %2
    %1 = reduce (reduce) float32[1] from %0; kept
    %2 = fused (mul) float32[3] from %0 #0; kept; in the memory of %0
    ");
    Ok(())
}

/// What a step of gradient descent with momentum writes: the velocity, and the parameter that it moves.
fn descend(w: &Tensor, velocity: &Tensor, gradient: &Tensor) -> Result<()> {
    velocity.assign(&velocity.add(gradient)?)?;
    w.assign(&w.sub(velocity)?)
}

#[test]
fn writes_that_read_each_other_are_one_kernel() -> Result<()> {
    let engine = engine();
    let [w, velocity, gradient] = [(); 3].map(|()| leaf(&engine, &[2, 2]));
    descend(&w, &velocity, &gradient)?;
    insta::assert_snapshot!(plan(&engine, &[], &[&w, &velocity, &gradient]), @"%0 = fused (add sub clone clone) float32[2, 2] from #0 #1 #2; kept; in the memory of #0, %0.1; kept; in the memory of #2");
    Ok(())
}

#[test]
fn writes_stay_apart_without_fusion() -> Result<()> {
    let engine = engine();
    engine.set_fusion(false);
    let [w, velocity, gradient] = [(); 3].map(|()| leaf(&engine, &[2, 2]));
    descend(&w, &velocity, &gradient)?;
    insta::assert_snapshot!(plan(&engine, &[], &[&w, &velocity, &gradient]), @"
    %0 = fused (add) float32[2, 2] from #0 #1; until %1; in the memory of #0
    %1 = fused (clone) float32[2, 2] from %0; kept; in the memory of %0
    %2 = fused (sub) float32[2, 2] from #2 %1; until %3; in the memory of #2
    %3 = fused (clone) float32[2, 2] from %2; kept; in the memory of %2
    ");
    Ok(())
}

#[test]
fn writes_stay_apart_where_something_between_reads_the_first_one() -> Result<()> {
    let engine = engine();
    let [w, velocity, gradient] = [(); 3].map(|()| leaf(&engine, &[2, 2]));
    velocity.assign(&velocity.add(&gradient)?)?;
    let scale = velocity.sum()?;
    w.assign(&w.sub(&velocity.mul(&scale)?)?)?;
    insta::assert_snapshot!(plan(&engine, &[], &[&w, &velocity, &gradient]), @"
    %0 = fused (add clone) float32[2, 2] from #0 #1; kept; in the memory of #0
    %1 = reduce (reduce) float32[1, 1] from %0; until %2
    %2 = fused (mul sub clone) float32[2, 2] from #2 %0 %1; kept; in the memory of #2
    ");
    Ok(())
}

#[test]
fn writes_stay_apart_where_elements_are_read_in_another_order() -> Result<()> {
    let engine = engine();
    let [w, velocity, gradient] = [(); 3].map(|()| leaf(&engine, &[2, 2]));
    velocity.assign(&velocity.add(&gradient)?)?;
    w.assign(&w.sub(&velocity.transpose(0, 1)?)?)?;
    insta::assert_snapshot!(plan(&engine, &[], &[&w, &velocity, &gradient]), @"
    %0 = fused (add clone) float32[2, 2] from #0 #1; kept; in the memory of #0
    %1 = fused (sub clone) float32[2, 2] from #2 %0; kept; in the memory of #2
    ");
    Ok(())
}

/// Runs nothing, and marks what a run would: the device of these tests computes nothing.
fn mark_inlined(tensors: &[&Tensor]) {
    for tensor in tensors {
        tensor.node().was_inlined.set(true);
    }
}

#[test]
fn what_is_read_again_is_stored() -> Result<()> {
    let engine = engine();
    let x = leaf(&engine, &[4]);
    let scaled = x.exp()?;
    let moved = scaled.add(&x)?;
    let y = moved.sum()?;
    let held = [&x, &scaled, &moved, &y];
    insta::assert_snapshot!(plan(&engine, &[y.node()], &held), @"%0 = reduce (exp add reduce) float32[1] from #0; kept");
    // Read by the sum, and by the addition alone.
    mark_inlined(&[&scaled, &moved]);
    insta::assert_snapshot!(plan(&engine, &[y.node()], &held), @"
    %0 = fused (exp add) float32[4] from #0; kept
    %1 = reduce (reduce) float32[1] from %0; kept
    ");
    Ok(())
}

/// A table of all pairs is larger than what it is made of.
#[test]
fn what_is_larger_than_its_sources_is_computed_again() -> Result<()> {
    let engine = engine();
    let (rows, columns) = (leaf(&engine, &[4, 1]), leaf(&engine, &[4]));
    let pairs = rows.mul(&columns)?.exp()?;
    let y = pairs.sum()?;
    mark_inlined(&[&pairs]);
    insta::assert_snapshot!(plan(&engine, &[y.node()], &[&rows, &columns, &pairs, &y]), @"%0 = reduce (mul exp reduce) float32[1, 1] from #0 #1; kept");
    Ok(())
}

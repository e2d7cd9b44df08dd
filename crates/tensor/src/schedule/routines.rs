//! Routines as tasks: each operand as a buffer and a view of it, copied row-major first where the
//! routine wants rows.

use smallvec::smallvec;

use super::emit::{Blocked, KernelBuilder};
use super::memory_plan::{BufferSlot, ScheduleItem};
use super::plan::{Plan, Planner};
use crate::Result;
use crate::graph::{NodeRef, Reason, Side, gone};
use crate::kernel::{Routine, Work};
use crate::op::RoutineKind;
use crate::ops;
use crate::view::View;

impl Planner<'_> {
    /// Adds a routine's task.
    pub(super) fn build_routine(
        &self,
        plan: &mut Plan,
        node: &NodeRef,
        kind: RoutineKind,
    ) -> Result<()> {
        let src = node.src();
        let mut inputs = Vec::new();
        let mut views = Vec::new();
        for source in &src {
            let (slot, view) = self.operand(plan, source)?;
            inputs.push(slot);
            views.push(view);
        }
        let dtype = node.dtype;
        let mut rows_of = |i: usize| self.row_major(plan, &src[i], &mut inputs, i);
        let routine = match kind {
            RoutineKind::MatMul => {
                let b = views.swap_remove(1).into_batch();
                Routine::MatMul {
                    dtype,
                    a: views.swap_remove(0).into_batch(),
                    b,
                }
            }
            RoutineKind::CopyInto => {
                let base = node.attrs[0].as_bool();
                if base {
                    rows_of(0)?;
                }
                let at = ops::primitives::write_views(&node.attrs);
                let parts = at
                    .into_iter()
                    .zip(views.drain(usize::from(base)..))
                    .collect();
                Routine::CopyInto {
                    dtype,
                    len: node.numel(),
                    base,
                    parts,
                }
            }
            RoutineKind::FusedOp(of) => {
                (0..src.len()).try_for_each(&mut rows_of)?;
                Routine::FusedOp(of(node))
            }
            RoutineKind::Of(of) => {
                (0..src.len()).try_for_each(&mut rows_of)?;
                of(node, &src).ok_or_else(|| gone(node))?
            }
        };
        let output = BufferSlot::promised(node.numel(), dtype);
        plan.slots.insert(node.id, output.clone());
        plan.items.push(ScheduleItem {
            work: Work::Routine(routine),
            inputs,
            outputs: smallvec![output],
            nodes: vec![node.id],
        });
        plan.hold(node.clone());
        plan.provenance.routine(self.engine, &src);
        Ok(())
    }

    /// A routine's operand: its buffer and the view of it.
    fn operand(&self, plan: &mut Plan, source: &NodeRef) -> Result<(BufferSlot, View)> {
        let resolved = self.engine.resolve(source)?;
        let base = &resolved.base;
        if base.number.is_some() || resolved.view().is_none() {
            return self.copied(plan, source);
        }
        let there = base
            .value()
            .map(|buffer| BufferSlot::there(buffer, base.dtype));
        let slot = match there.or_else(|| plan.slots.get(&base.id).cloned()) {
            Some(slot) => slot,
            None => {
                plan.store(base.id, Reason::ReadByRoutine);
                self.build(plan, base)?;
                plan.slots
                    .get(&base.id)
                    .cloned()
                    .ok_or_else(|| gone(base))?
            }
        };
        let view = resolved.view().ok_or_else(|| gone(source))?;
        Ok((slot, view))
    }

    /// Replaces input `i` by a row-major copy unless it is row-major.
    fn row_major(
        &self,
        plan: &mut Plan,
        source: &NodeRef,
        inputs: &mut [BufferSlot],
        i: usize,
    ) -> Result<()> {
        let resolved = self.engine.resolve(source)?;
        let as_is = resolved.base.number.is_none()
            && resolved.view().is_some_and(|v| {
                v == View::contiguous(&source.shape) && v.numel() == resolved.base.numel()
            });
        if !as_is {
            inputs[i] = self.copied(plan, source)?.0;
        }
        Ok(())
    }

    /// A value copied row-major into a buffer of its own.
    fn copied(&self, plan: &mut Plan, source: &NodeRef) -> Result<(BufferSlot, View)> {
        let mut builder = KernelBuilder::over(&source.shape, plan);
        let result = loop {
            match self.emit(plan, &mut builder, source, &[]) {
                Ok(result) => break result,
                Err(Blocked::NeedsBuffer(producer)) => {
                    plan.store(producer.id, Reason::Strides);
                    self.build(plan, &producer)?;
                    builder = KernelBuilder::over(&source.shape, plan);
                }
                Err(Blocked::Failed(error)) => return Err(error),
            }
        };
        let copy = self.engine.internal_scope(|| {
            self.engine.node(
                &ops::convert::CONTIGUOUS,
                smallvec![source.clone()],
                smallvec![],
                source.shape.clone(),
                source.dtype,
                false,
                Default::default(),
            )
        });
        builder.nodes.push(copy.clone());
        plan.provenance.why(copy.id, Reason::RowMajor);
        self.engine.owns(copy.id, source, Side::Forward);
        self.finish(plan, builder, &copy, result)?;
        let slot = plan
            .slots
            .get(&copy.id)
            .cloned()
            .ok_or_else(|| gone(&copy))?;
        Ok((slot, View::contiguous(&source.shape)))
    }
}

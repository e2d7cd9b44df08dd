//! Writing one kernel: the scalar bodies of a node and of the producers inlined into it, as
//! instructions over one iteration space.
//!
//! A producer is read through the movements between it and the kernel. Where its own operands cannot
//! be read so (a reshape of something transposed), it is [`Blocked`] and gets a buffer first.

use std::rc::Rc;

use smallvec::{SmallVec, smallvec};

use super::MAX_INSTRS;
use super::memory_plan::{BufferSlot, ScheduleItem};
use super::plan::{Plan, Planner};
use super::provenance::DraftNotes;
use crate::alu::{Alu, Body, Expr, ExprNode};
use crate::dtype::{DType, Scalar};
use crate::graph::{NodeRef, Reason, gone};
use crate::kernel::{Input, Instr, InstrIdx, Kernel, Reduce, Work};
use crate::op::{Kind, attr_scalar};
use crate::shape::{self, Shape};
use crate::trace::NodeId;
use crate::view::View;
use crate::{Error, Result};

impl Planner<'_> {
    /// Adds the task that computes a node.
    pub(super) fn build(&self, plan: &mut Plan, node: &NodeRef) -> Result<()> {
        if !plan.done.insert(node.id) {
            return Ok(());
        }
        if let Kind::Routine(kind) = node.op.kind {
            return self.build_routine(plan, node, kind);
        }
        loop {
            let mut builder = KernelBuilder::over(&[], plan);
            let built = match node.op.kind {
                Kind::Reduce(op) => {
                    let source = node.src().first().cloned().ok_or_else(|| gone(node))?;
                    builder.shape = source.shape.clone();
                    let axes = shape::dims("reduce", node.attrs[0].as_ints(), source.shape.len())?;
                    let axes = if source.shape.is_empty() {
                        smallvec![]
                    } else {
                        axes
                    };
                    builder.reduce = Some(Reduce { op, axes });
                    self.emit(plan, &mut builder, &source, &[])
                }
                _ => {
                    builder.shape = node.shape.clone();
                    self.emit_body(plan, &mut builder, node, &[])
                }
            };
            match built {
                Ok(result) => {
                    builder.nodes.push(node.clone());
                    return self.finish(plan, builder, node, result);
                }
                Err(Blocked::NeedsBuffer(producer)) => {
                    // Its strides cannot be inlined here: it gets a buffer of its own.
                    plan.store(producer.id, Reason::Strides);
                    self.build(plan, &producer)?;
                }
                Err(Blocked::Failed(error)) => return Err(error),
            }
        }
    }

    pub(super) fn finish(
        &self,
        plan: &mut Plan,
        builder: KernelBuilder,
        node: &NodeRef,
        result: InstrIdx,
    ) -> Result<()> {
        let kernel = Kernel {
            shape: builder.shape,
            inputs: builder.inputs,
            args: builder.args,
            fixed: builder.fixed,
            code: builder.code,
            dtypes: builder.dtypes,
            outputs: vec![result],
            reduce: builder.reduce,
        };
        let output = BufferSlot::promised(node.numel(), node.dtype);
        plan.slots.insert(node.id, output.clone());
        plan.items.push(ScheduleItem {
            work: Work::Kernel(Rc::new(kernel)),
            inputs: builder.slots,
            outputs: smallvec![output],
            nodes: builder.nodes.iter().map(|node| node.id).collect(),
        });
        builder.nodes.into_iter().for_each(|node| plan.hold(node));
        plan.provenance.kernel(builder.provenance);
        Ok(())
    }

    /// Emits a value read through movements, inlining its producer if that is not stored.
    pub(super) fn emit(
        &self,
        plan: &Plan,
        builder: &mut KernelBuilder,
        node: &NodeRef,
        outer: &[ViewStep],
    ) -> Emitted {
        let resolved = self.engine.resolve(node).map_err(Blocked::Failed)?;
        let mut path: SmallVec<[ViewStep; 6]> = SmallVec::from(outer);
        path.extend(resolved.steps.iter().map(|s| ViewStep::Move(s.clone())));
        let base = resolved.base;
        if let Some(number) = base.number {
            return Ok(builder.number(number, base.dtype));
        }
        if base.has_value() || plan.stored.contains(&base.id) {
            let there = base
                .value()
                .map(|buffer| BufferSlot::there(buffer, base.dtype));
            let Some(slot) = there.or_else(|| plan.slots.get(&base.id).cloned()) else {
                return Err(Blocked::NeedsBuffer(base));
            };
            let view = walk(View::contiguous(&base.shape), &path);
            let Some(view) = view else {
                return Err(Blocked::Failed(Error::runtime(format!(
                    "{}: internal error: a view of {} cannot be read; please report this",
                    node.op.name,
                    shape::show(&base.shape)
                ))));
            };
            return Ok(builder.load(slot, view, &base));
        }
        if let Some(&(_, _, at)) = builder
            .emitted
            .iter()
            .find(|(id, p, _)| *id == base.id && *p == path_key(&path))
        {
            return Ok(at);
        }
        let at = self.emit_body(plan, builder, &base, &path)?;
        builder.nodes.push(base.clone());
        builder.emitted.push((base.id, path_key(&path), at));
        Ok(at)
    }

    /// Emits the scalar body of an elementwise node.
    fn emit_body(
        &self,
        plan: &Plan,
        builder: &mut KernelBuilder,
        node: &NodeRef,
        path: &[ViewStep],
    ) -> Emitted {
        if let Some(number) = node.number {
            return Ok(builder.number(number, node.dtype));
        }
        let Kind::Elementwise(body) = node.op.kind else {
            return Err(Blocked::NeedsBuffer(node.clone()));
        };
        let outside = builder.provenance.enter(node.id);
        let mut operands: SmallVec<[Expr; 3]> = smallvec![];
        for source in node.src() {
            if let Some(number) = source.number
                && node.op.wide_numbers
                && source.dtype.is_float()
            {
                let dtype = source.dtype.compute();
                let index = builder.arg(number, dtype);
                operands.push(Expr(Rc::new(ExprNode::Instr { index, dtype })));
                continue;
            }
            let mut steps: SmallVec<[ViewStep; 6]> = SmallVec::from(path);
            if source.shape != node.shape {
                steps.push(ViewStep::Expand(node.shape.clone()));
            }
            let at = match self.emit(plan, builder, &source, &steps) {
                // A movement between blocks the way: this node cannot be inlined through it.
                Err(Blocked::Failed(_)) if !path.is_empty() => {
                    return Err(Blocked::NeedsBuffer(node.clone()));
                }
                other => other?,
            };
            let read = Expr(Rc::new(ExprNode::Instr {
                index: at,
                dtype: source.dtype,
            }));
            operands.push(read.cast(source.dtype.compute()));
        }
        let dtype = operands.first().map_or(node.dtype.compute(), Alu::dtype);
        for attr in node.attrs.iter().filter_map(attr_scalar) {
            let at = builder.arg(attr, dtype);
            operands.push(Expr(Rc::new(ExprNode::Instr { index: at, dtype })));
        }
        let Body { expr, .. } = body;
        let result = expr(&operands).cast(node.dtype);
        let result = builder.flatten(&result);
        builder.provenance.enter(outside);
        result.map_err(|()| {
            if path.is_empty() {
                Blocked::Failed(Error::runtime(format!(
                    "{}: internal error: kernel too large",
                    node.op.name
                )))
            } else {
                Blocked::NeedsBuffer(node.clone())
            }
        })
    }
}

/// A movement between a kernel's iteration space and a value.
#[derive(Clone)]
pub(super) enum ViewStep {
    Move(NodeRef),
    Expand(Shape),
}

/// A base's view moved by steps, the last one first.
fn walk(view: View, path: &[ViewStep]) -> Option<View> {
    path.iter().rev().try_fold(view, |view, step| match step {
        ViewStep::Expand(shape) => Some(view.expand(shape)),
        ViewStep::Move(node) => match node.op.kind {
            Kind::Movement(movement) => movement(&view, node),
            _ => Some(view),
        },
    })
}

/// What tells paths apart.
type PathKey = SmallVec<[(NodeId, Shape); 4]>;

fn path_key(path: &[ViewStep]) -> PathKey {
    path.iter()
        .map(|step| match step {
            ViewStep::Move(node) => (node.id, Shape::new()),
            ViewStep::Expand(shape) => (0, shape.clone()),
        })
        .collect()
}

pub(super) enum Blocked {
    /// This producer must be stored first.
    NeedsBuffer(NodeRef),
    Failed(Error),
}

pub(super) type Emitted = Result<InstrIdx, Blocked>;

/// A kernel being written.
#[derive(Default)]
pub(super) struct KernelBuilder {
    shape: Shape,
    inputs: Vec<Input>,
    slots: Vec<BufferSlot>,
    args: Vec<Scalar>,
    fixed: Vec<bool>,
    code: Vec<Instr>,
    dtypes: Vec<DType>,
    reduce: Option<Reduce>,
    pub(super) nodes: Vec<NodeRef>,
    emitted: Vec<(NodeId, PathKey, InstrIdx)>,
    provenance: DraftNotes,
}

impl KernelBuilder {
    /// An empty kernel over a shape.
    pub(super) fn over(shape: &[usize], plan: &Plan) -> KernelBuilder {
        KernelBuilder {
            shape: Shape::from_slice(shape),
            provenance: plan.provenance.builder(),
            ..KernelBuilder::default()
        }
    }

    fn push(&mut self, instr: Instr, dtype: DType) -> InstrIdx {
        // Equal instructions are one.
        if let Some(at) =
            (0..self.code.len()).find(|&i| self.code[i] == instr && self.dtypes[i] == dtype)
        {
            return at as InstrIdx;
        }
        self.code.push(instr);
        self.dtypes.push(dtype);
        self.provenance.instr();
        (self.code.len() - 1) as InstrIdx
    }

    /// A number that may be another one at the next step, and so is not the same as one that happens to
    /// equal it now.
    fn arg(&mut self, value: Scalar, dtype: DType) -> InstrIdx {
        self.argument(value, dtype, false)
    }

    /// A number of an op's formula.
    fn constant(&mut self, value: Scalar, dtype: DType) -> InstrIdx {
        let known = (0..self.args.len()).find(|&i| self.fixed[i] && self.args[i].is_same(value));
        match known {
            Some(arg) => {
                let arg = arg as u16;
                self.push(Instr::Arg { arg, dtype }, dtype)
            }
            None => self.argument(value, dtype, true),
        }
    }

    fn argument(&mut self, value: Scalar, dtype: DType, fixed: bool) -> InstrIdx {
        let arg = self.args.len() as u16;
        self.args.push(value);
        self.fixed.push(fixed);
        self.push(Instr::Arg { arg, dtype }, dtype)
    }

    /// A number of a dtype, rounded as that dtype does.
    fn number(&mut self, value: Scalar, dtype: DType) -> InstrIdx {
        let wide = dtype.compute();
        let src = self.arg(value, wide);
        if wide == dtype {
            src
        } else {
            self.push(Instr::Cast { src, to: dtype }, dtype)
        }
    }

    fn load(&mut self, slot: BufferSlot, view: View, base: &NodeRef) -> InstrIdx {
        let dtype = base.dtype;
        let input = Input { view, dtype };
        let known =
            (0..self.inputs.len()).find(|&i| self.inputs[i] == input && self.slots[i].is(&slot));
        let input = known.unwrap_or_else(|| {
            self.inputs.push(input);
            self.slots.push(slot);
            self.provenance.input(base);
            self.inputs.len() - 1
        });
        let outside = self.provenance.enter(base.id);
        let load = Instr::Load {
            input: input as u16,
        };
        let at = self.push(load, dtype);
        self.provenance.enter(outside);
        at
    }

    /// Turns an expression into instructions; fails when there are too many.
    fn flatten(&mut self, expr: &Expr) -> Result<InstrIdx, ()> {
        let mut known: Vec<(*const ExprNode, InstrIdx)> = Vec::new();
        let at = self.flatten_shared(expr, &mut known);
        if self.code.len() > MAX_INSTRS * 2 {
            Err(())
        } else {
            Ok(at)
        }
    }

    /// Bodies are a few operations deep, so recursion is bounded by what the registry holds.
    fn flatten_shared(
        &mut self,
        expr: &Expr,
        known: &mut Vec<(*const ExprNode, InstrIdx)>,
    ) -> InstrIdx {
        let key = Rc::as_ptr(&expr.0);
        if let Some(&(_, at)) = known.iter().find(|(k, _)| *k == key) {
            return at;
        }
        let at = match &*expr.0 {
            ExprNode::Instr { index, .. } => *index,
            ExprNode::Constant { value, dtype } => self.constant(Scalar::Float(*value), *dtype),
            ExprNode::Cast { operand, to } => {
                let src = self.flatten_shared(operand, known);
                self.push(Instr::Cast { src, to: *to }, *to)
            }
            ExprNode::Apply {
                op,
                operands,
                dtype,
            } => {
                let mut src = [0; 3];
                for (slot, operand) in src.iter_mut().zip(operands) {
                    *slot = self.flatten_shared(operand, known);
                }
                self.push(Instr::Apply { op: *op, src }, *dtype)
            }
        };
        known.push((key, at));
        at
    }
}

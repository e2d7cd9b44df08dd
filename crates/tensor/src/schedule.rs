//! From nodes to kernels: what is fused with what, and in which order it runs.
//!
//! Movement is free: a node that moves is its base seen through a view. An elementwise node is
//! inlined into its only consumer; a reduction takes its elementwise producers along. Everything
//! else is computed into a buffer of its own. A kernel keeps within [`MAX_INSTRS`] and
//! [`MAX_INPUTS`], so that chains of any length split into kernels of a bounded size.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use smallvec::{SmallVec, smallvec};

use crate::backend::{Buffer, Task};
use crate::dtype::{DType, Scalar};
use crate::engine::Engine;
use crate::kernel::{Input, Instr, InstrIdx, Kernel, Reduce, Routine};
use crate::lane::{Body, Expr, ExprNode, Lane};
use crate::node::NodeRef;
use crate::op::{Kind, RoutineKind, Vjp, attr_scalar};
use crate::ops;
use crate::shape::{self, Shape};
use crate::trace::{Event, NodeId};
use crate::view::View;
use crate::{Error, Result};

/// Most instructions of one kernel.
pub(crate) const MAX_INSTRS: usize = 256;

/// Most buffers that one kernel reads: WebGPU guarantees eight storage buffers.
pub(crate) const MAX_INPUTS: usize = 7;

/// What a value is once movement, aliases and composites are looked through: a node that computes
/// (or has its value), and the movements between, outermost first.
struct Resolved {
    base: NodeRef,
    steps: SmallVec<[NodeRef; 4]>,
}

impl Resolved {
    /// The base's row-major view moved by the steps.
    fn view(&self) -> Option<View> {
        moved(View::contiguous(&self.base.shape), &self.steps)
    }
}

/// A view moved by steps, the last one first.
fn moved(view: View, steps: &[NodeRef]) -> Option<View> {
    steps.iter().rev().try_fold(view, |view, step| match step.op.kind {
        Kind::Movement(movement) => movement(&view, step),
        _ => Some(view),
    })
}

fn is_elementwise(node: &NodeRef) -> bool {
    matches!(node.op.kind, Kind::Elementwise(_)) || node.number.is_some()
}

/// The work of one `realize`.
struct Plan {
    /// What computes, sources before users.
    order: Vec<NodeRef>,
    /// What gets a buffer.
    stored: HashSet<NodeId>,
    buffers: HashMap<NodeId, Buffer>,
    done: HashSet<NodeId>,
    tasks: Vec<Task>,
    /// The stored node and all nodes of each task.
    nodes: Vec<Vec<NodeRef>>,
}

impl Engine {
    /// Looks through movement, aliases and composites.
    fn resolve(&self, node: &NodeRef) -> Result<Resolved> {
        let mut steps: SmallVec<[NodeRef; 4]> = smallvec![];
        let mut at = node.clone();
        loop {
            if at.has_value() || at.number.is_some() {
                return Ok(Resolved { base: at, steps });
            }
            let next = match at.op.kind {
                Kind::Movement(_) => at.src().first().cloned(),
                Kind::Leaf => at.src().last().cloned(),
                Kind::Composite(_) => Some(self.lower(&at)?),
                _ => return Ok(Resolved { base: at, steps }),
            };
            if matches!(at.op.kind, Kind::Movement(_)) {
                steps.push(at.clone());
            }
            at = next.ok_or_else(|| gone(&at))?;
        }
    }

    /// The node that holds a value's bytes and the view of them, once computed.
    pub(crate) fn base(&self, node: &NodeRef) -> Option<(NodeRef, View)> {
        let resolved = self.resolve(node).ok()?;
        let view = resolved.view()?;
        Some((resolved.base, view))
    }

    /// Computes nodes: each gets its value, and so do the nodes that others need.
    pub fn realize(&self, roots: &[NodeRef]) -> Result<()> {
        let mut roots: SmallVec<[NodeRef; 8]> = SmallVec::from(roots);
        roots.extend(self.take_written());
        let mut plan = self.plan(&roots)?;
        for i in 0..plan.order.len() {
            let node = plan.order[i].clone();
            if plan.stored.contains(&node.id) {
                self.build(&mut plan, &node)?;
            }
        }
        self.run(&plan)?;
        for node in &plan.order {
            if let Some(buffer) = plan.buffers.get(&node.id) {
                *node.value.borrow_mut() = Some(buffer.clone());
            }
        }
        // Aliases and composites take their values before the nodes behind them let go.
        for node in &plan.order {
            node.src().iter().for_each(|source| self.settle_alias(source));
        }
        for root in &roots {
            self.settle_alias(root);
        }
        for node in &plan.order {
            if plan.buffers.contains_key(&node.id) {
                self.let_go(node);
            }
        }
        Ok(())
    }

    /// Drops the sources of a computed node that nothing walks back through.
    pub(crate) fn let_go(&self, node: &NodeRef) {
        if !node.needs_grad && !self.0.keeping.get() && !self.is_on_stage(node) {
            drop(std::mem::take(&mut *node.src.borrow_mut()));
        }
    }

    /// Drops the sources of a node that `backward()` has walked and whose rule cannot run again:
    /// what it saved goes, as in PyTorch. Without a value the sources are still needed for it.
    pub(crate) fn release(&self, node: &NodeRef) {
        let done = node.released.get() && node.op.saves != 0 && !self.0.keeping.get() && !self.is_on_stage(node);
        if done && node.has_value() {
            drop(std::mem::take(&mut *node.src.borrow_mut()));
            drop(node.lowered.borrow_mut().take());
        }
    }

    fn is_on_stage(&self, node: &NodeRef) -> bool {
        let step = self.0.step.borrow();
        step.made.binary_search_by_key(&node.id, |n| n.id).is_ok()
    }

    /// Gives an alias or a composite its value, so that what it was written in can go.
    fn settle_alias(&self, node: &NodeRef) {
        let mut node = node.clone();
        while matches!(node.op.kind, Kind::Movement(_)) && !node.has_value() {
            let Some(next) = node.src().first().cloned() else { return };
            node = next;
        }
        let node = &node;
        if node.has_value() || node.number.is_some() {
            return;
        }
        let Some((base, view)) = self.base(node) else { return };
        let whole = view == View::contiguous(&node.shape) && view.numel() == base.numel();
        let Some(buffer) = base.value().filter(|_| whole) else { return };
        *node.value.borrow_mut() = Some(buffer);
        if !(node.needs_grad && matches!(node.op.vjp, Vjp::Lowered)) {
            drop(node.lowered.borrow_mut().take());
        }
        let alias = std::ptr::eq(node.op, &ops::LEAF);
        if !self.0.keeping.get() && (alias || !node.needs_grad && !self.is_on_stage(node)) {
            drop(std::mem::take(&mut *node.src.borrow_mut()));
        }
    }

    /// Collects what must be computed and decides what is stored.
    fn plan(&self, roots: &[NodeRef]) -> Result<Plan> {
        let mut plan = Plan {
            order: Vec::new(),
            stored: HashSet::new(),
            buffers: HashMap::new(),
            done: HashSet::new(),
            tasks: Vec::new(),
            nodes: Vec::new(),
        };
        let mut users: HashMap<NodeId, SmallVec<[NodeId; 2]>> = HashMap::new();
        let mut seen: HashSet<NodeId> = HashSet::new();
        let mut stack: Vec<(NodeRef, bool)> = Vec::new();
        for root in roots {
            let base = self.resolve(root)?.base;
            if base.has_value() {
                continue;
            }
            plan.stored.insert(base.id);
            stack.push((base, false));
        }
        while let Some((node, ready)) = stack.pop() {
            if ready {
                plan.order.push(node);
                continue;
            }
            if !seen.insert(node.id) {
                continue;
            }
            stack.push((node.clone(), true));
            let sources = node.src();
            if sources.is_empty() && node.number.is_none() && !node.has_value() {
                return Err(gone(&node));
            }
            for source in &sources {
                let base = self.resolve(source)?.base;
                if base.has_value() {
                    continue;
                }
                let list = users.entry(base.id).or_default();
                if !list.contains(&node.id) {
                    list.push(node.id);
                }
                if matches!(node.op.kind, Kind::Routine(_)) {
                    plan.stored.insert(base.id);
                }
                stack.push((base, false));
            }
        }
        let fusion = self.0.fusion.get();
        for node in &plan.order {
            if node.number.is_some() {
                continue;
            }
            let shared = users.get(&node.id).is_some_and(|u| u.len() > 1);
            if !is_elementwise(node) || shared || !fusion {
                plan.stored.insert(node.id);
            }
        }
        self.bound(&mut plan)?;
        Ok(plan)
    }

    /// Stores producers where a kernel would grow beyond its bounds.
    fn bound(&self, plan: &mut Plan) -> Result<()> {
        let mut sizes: HashMap<NodeId, (usize, usize)> = HashMap::new();
        for i in 0..plan.order.len() {
            let node = plan.order[i].clone();
            let own = match node.op.kind {
                Kind::Elementwise(_) => 10 + node.attrs.len(),
                _ => 1,
            };
            let (mut instrs, mut inputs) = (own, 0);
            let mut parts: SmallVec<[(NodeId, usize, usize); 3]> = smallvec![];
            for source in node.src() {
                let base = self.resolve(&source)?.base;
                if base.number.is_some() {
                    instrs += 1;
                    continue;
                }
                match sizes.get(&base.id) {
                    Some(&(n, k)) if !plan.stored.contains(&base.id) => {
                        parts.push((base.id, n, k));
                        instrs += n;
                        inputs += k;
                    }
                    _ => {
                        instrs += 1;
                        inputs += 1;
                    }
                }
            }
            parts.sort_by_key(|&(_, n, k)| std::cmp::Reverse((k, n)));
            for (id, n, k) in parts {
                if instrs <= MAX_INSTRS && inputs <= MAX_INPUTS {
                    break;
                }
                plan.stored.insert(id);
                instrs = instrs - n + 1;
                inputs = inputs - k + 1;
            }
            sizes.insert(node.id, (instrs, inputs));
        }
        Ok(())
    }

    /// Adds the task that computes a node.
    fn build(&self, plan: &mut Plan, node: &NodeRef) -> Result<()> {
        if !plan.done.insert(node.id) {
            return Ok(());
        }
        if let Kind::Routine(kind) = node.op.kind {
            return self.build_routine(plan, node, kind);
        }
        loop {
            let mut draft = Draft::default();
            let built = match node.op.kind {
                Kind::Reduce(op) => {
                    let source = node.src().first().cloned().ok_or_else(|| gone(node))?;
                    draft.shape = source.shape.clone();
                    let axes = shape::dims("reduce", node.attrs[0].as_ints(), source.shape.len())?;
                    let axes = if source.shape.is_empty() { smallvec![] } else { axes };
                    draft.reduce = Some(Reduce { op, axes });
                    self.emit(plan, &mut draft, &source, &[])
                }
                _ => {
                    draft.shape = node.shape.clone();
                    self.emit_body(plan, &mut draft, node, &[])
                }
            };
            match built {
                Ok(result) => {
                    draft.nodes.push(node.clone());
                    return self.finish(plan, draft, node, result);
                }
                Err(Blocked::NeedsBuffer(producer)) => {
                    // Its strides cannot be inlined here: it gets a buffer of its own.
                    plan.stored.insert(producer.id);
                    self.build(plan, &producer)?;
                }
                Err(Blocked::Failed(error)) => return Err(error),
            }
        }
    }

    fn finish(&self, plan: &mut Plan, draft: Draft, node: &NodeRef, result: InstrIdx) -> Result<()> {
        let kernel = Kernel {
            shape: draft.shape,
            inputs: draft.inputs,
            args: draft.args,
            code: draft.code,
            dtypes: draft.dtypes,
            outputs: vec![result],
            reduce: draft.reduce,
        };
        let output = self.allocate(node.numel() * node.dtype.size())?;
        plan.buffers.insert(node.id, output.clone());
        plan.tasks.push(Task::Kernel { kernel: Rc::new(kernel), inputs: draft.buffers, outputs: vec![output] });
        plan.nodes.push(draft.nodes);
        Ok(())
    }

    /// Emits a value read through movements, inlining its producer if that is not stored.
    fn emit(&self, plan: &Plan, draft: &mut Draft, node: &NodeRef, outer: &[Step]) -> Emitted {
        let resolved = self.resolve(node).map_err(Blocked::Failed)?;
        let mut path: SmallVec<[Step; 6]> = SmallVec::from(outer);
        path.extend(resolved.steps.iter().map(|s| Step::Move(s.clone())));
        let base = resolved.base;
        if let Some(number) = base.number {
            return Ok(draft.arg(number, base.dtype));
        }
        if base.has_value() || plan.stored.contains(&base.id) {
            let buffer = base.value().or_else(|| plan.buffers.get(&base.id).cloned());
            let Some(buffer) = buffer else { return Err(Blocked::NeedsBuffer(base)) };
            let view = walk(View::contiguous(&base.shape), &path);
            let Some(view) = view else {
                return Err(Blocked::Failed(Error::runtime(format!(
                    "{}: internal error: a view of {} cannot be read; please report this",
                    node.op.name,
                    shape::show(&base.shape)
                ))));
            };
            return Ok(draft.load(buffer, view, base.dtype));
        }
        if let Some(&(_, _, at)) = draft.emitted.iter().find(|(id, p, _)| *id == base.id && *p == path_key(&path)) {
            return Ok(at);
        }
        let at = self.emit_body(plan, draft, &base, &path)?;
        draft.nodes.push(base.clone());
        draft.emitted.push((base.id, path_key(&path), at));
        Ok(at)
    }

    /// Emits the scalar body of an elementwise node.
    fn emit_body(&self, plan: &Plan, draft: &mut Draft, node: &NodeRef, path: &[Step]) -> Emitted {
        if let Some(number) = node.number {
            return Ok(draft.arg(number, node.dtype));
        }
        let Kind::Elementwise(body) = node.op.kind else {
            return Err(Blocked::NeedsBuffer(node.clone()));
        };
        let mut operands: SmallVec<[Expr; 3]> = smallvec![];
        for source in node.src() {
            let mut steps: SmallVec<[Step; 6]> = SmallVec::from(path);
            if source.shape != node.shape {
                steps.push(Step::Expand(node.shape.clone()));
            }
            let at = match self.emit(plan, draft, &source, &steps) {
                // A movement between blocks the way: this node cannot be inlined through it.
                Err(Blocked::Failed(_)) if !path.is_empty() => {
                    return Err(Blocked::NeedsBuffer(node.clone()));
                }
                other => other?,
            };
            operands.push(Expr(Rc::new(ExprNode::Instr { index: at, dtype: source.dtype })));
        }
        let dtype = operands.first().map_or(node.dtype, Lane::dtype);
        for attr in node.attrs.iter().filter_map(attr_scalar) {
            let at = draft.arg(attr, dtype);
            operands.push(Expr(Rc::new(ExprNode::Instr { index: at, dtype })));
        }
        let Body { expr, .. } = body;
        let result = expr(&operands).cast(node.dtype);
        draft.flatten(&result).map_err(|()| {
            if path.is_empty() {
                Blocked::Failed(Error::runtime(format!("{}: internal error: kernel too large", node.op.name)))
            } else {
                Blocked::NeedsBuffer(node.clone())
            }
        })
    }

    /// Adds a routine's task.
    fn build_routine(&self, plan: &mut Plan, node: &NodeRef, kind: RoutineKind) -> Result<()> {
        let src = node.src();
        let mut inputs = Vec::new();
        let mut views = Vec::new();
        for source in &src {
            let (buffer, view) = self.operand(plan, source)?;
            inputs.push(buffer);
            views.push(view);
        }
        let dtype = node.dtype;
        let mut rows_of = |i: usize| self.row_major(plan, &src[i], &mut inputs, i);
        let routine = match kind {
            RoutineKind::MatMul => {
                let b = views.swap_remove(1);
                Routine::MatMul { dtype, a: views.swap_remove(0), b }
            }
            RoutineKind::Take => {
                rows_of(0)?;
                rows_of(1)?;
                let [rows, inner] = src[0].shape[..] else { return Err(gone(node)) };
                Routine::Take { dtype, rows, inner, n: src[1].numel() }
            }
            RoutineKind::PutAdd => {
                rows_of(0)?;
                rows_of(1)?;
                let rows = node.shape[0];
                Routine::PutAdd { dtype, rows, inner: src[1].shape[1], n: src[0].numel() }
            }
            RoutineKind::Write => {
                let base = node.attrs[0].as_bool();
                if base {
                    rows_of(0)?;
                }
                let at = ops::index::write_views(&node.attrs);
                let parts = at.into_iter().zip(views.drain(usize::from(base)..)).collect();
                Routine::Write { dtype, len: node.numel(), base, parts }
            }
            RoutineKind::CumSum => {
                rows_of(0)?;
                let dim = node.attrs[0].as_int() as usize;
                let (outer, inner) = (shape::numel(&node.shape[..dim]), shape::numel(&node.shape[dim + 1..]));
                Routine::CumSum { dtype, outer, n: node.shape[dim], inner }
            }
        };
        let output = self.allocate(node.numel() * dtype.size())?;
        plan.buffers.insert(node.id, output.clone());
        plan.tasks.push(Task::Routine { routine, inputs, output });
        plan.nodes.push(vec![node.clone()]);
        Ok(())
    }

    /// A routine's operand: its buffer and the view of it.
    fn operand(&self, plan: &mut Plan, source: &NodeRef) -> Result<(Buffer, View)> {
        let resolved = self.resolve(source)?;
        let base = &resolved.base;
        if base.number.is_some() || resolved.view().is_none() {
            return self.copied(plan, source);
        }
        let buffer = match base.value().or_else(|| plan.buffers.get(&base.id).cloned()) {
            Some(buffer) => buffer,
            None => {
                plan.stored.insert(base.id);
                self.build(plan, base)?;
                plan.buffers.get(&base.id).cloned().ok_or_else(|| gone(base))?
            }
        };
        let view = resolved.view().ok_or_else(|| gone(source))?;
        Ok((buffer, view))
    }

    /// Replaces input `i` by a row-major copy unless it is row-major.
    fn row_major(&self, plan: &mut Plan, source: &NodeRef, inputs: &mut [Buffer], i: usize) -> Result<()> {
        let resolved = self.resolve(source)?;
        let as_is = resolved.base.number.is_none()
            && resolved.view().is_some_and(|v| v == View::contiguous(&source.shape) && v.numel() == resolved.base.numel());
        if !as_is {
            inputs[i] = self.copied(plan, source)?.0;
        }
        Ok(())
    }

    /// A value copied row-major into a buffer of its own.
    fn copied(&self, plan: &mut Plan, source: &NodeRef) -> Result<(Buffer, View)> {
        let mut draft = Draft { shape: source.shape.clone(), ..Draft::default() };
        let result = loop {
            match self.emit(plan, &mut draft, source, &[]) {
                Ok(result) => break result,
                Err(Blocked::NeedsBuffer(producer)) => {
                    plan.stored.insert(producer.id);
                    self.build(plan, &producer)?;
                    draft = Draft { shape: source.shape.clone(), ..Draft::default() };
                }
                Err(Blocked::Failed(error)) => return Err(error),
            }
        };
        let copy = self.inside(|| {
            self.node(&ops::convert::CONTIGUOUS, smallvec![source.clone()], smallvec![], source.shape.clone(), source.dtype, false, Default::default())
        });
        draft.nodes.push(copy.clone());
        self.finish(plan, draft, &copy, result)?;
        let buffer = plan.buffers.get(&copy.id).cloned().ok_or_else(|| gone(&copy))?;
        Ok((buffer, View::contiguous(&source.shape)))
    }

    /// Submits the tasks and records them.
    fn run(&self, plan: &Plan) -> Result<()> {
        if plan.tasks.is_empty() {
            return Ok(());
        }
        let trace = &self.0.trace;
        if trace.is_recording() {
            for (task, nodes) in plan.tasks.iter().zip(&plan.nodes) {
                let (name, inputs, outputs) = match task {
                    Task::Kernel { kernel, inputs, outputs } => {
                        (if kernel.reduce.is_some() { "reduce" } else { "fused" }, inputs, outputs.as_slice())
                    }
                    Task::Routine { routine, inputs, output } => (routine.name(), inputs, std::slice::from_ref(output)),
                };
                let bytes = inputs.iter().chain(outputs).map(Buffer::bytes).sum();
                let kernel = trace.next_kernel();
                trace.record(|| Event::Scheduled { kernel, name, nodes: nodes.iter().map(|n| n.id).collect(), bytes });
            }
        }
        let start = self.0.clock.map(|clock| clock());
        let result = self.0.backend.submit(&plan.tasks);
        let nanos = self.0.clock.zip(start).map_or(0, |(clock, start)| clock().saturating_sub(start));
        trace.record(|| Event::Ran { kernels: plan.tasks.len() as u32, nanos });
        result.map_err(|(task, error)| match plan.nodes.get(task).and_then(|n| n.last()) {
            Some(node) => self.explain(node, error),
            None => error,
        })
    }

    /// Says which index was out of range, as the learner gave it.
    fn explain(&self, node: &NodeRef, error: Error) -> Error {
        if !std::ptr::eq(node.op, &ops::index::TAKE) || node.attrs.len() < 2 {
            return error;
        }
        let (src, size) = (node.src(), node.attrs[0].as_int());
        let rows = src[0].shape[0] as i64;
        let Ok(bytes) = self.read(&src[1]) else { return error };
        let flat = bytes.chunks_exact(8).filter_map(|b| b.try_into().ok().map(i64::from_le_bytes));
        match flat.into_iter().find(|i| !(0..rows).contains(i)) {
            Some(i) => {
                let wrapped = node.attrs[1].as_bool();
                let index = if i >= rows { i - rows } else if wrapped { i - size } else { i };
                Error::index(format!("index {index} is out of bounds for dimension with size {size}"))
            }
            None => error,
        }
    }
}

fn gone(node: &NodeRef) -> Error {
    Error::runtime(format!(
        "{}: the values it was made from were let go; run the lines that made them again",
        node.op.name
    ))
}

/// A movement between a kernel's iteration space and a value.
#[derive(Clone)]
enum Step {
    Move(NodeRef),
    Expand(Shape),
}

/// A base's view moved by steps, the last one first.
fn walk(view: View, path: &[Step]) -> Option<View> {
    path.iter().rev().try_fold(view, |view, step| match step {
        Step::Expand(shape) => Some(view.expand(shape)),
        Step::Move(node) => match node.op.kind {
            Kind::Movement(movement) => movement(&view, node),
            _ => Some(view),
        },
    })
}

fn path_key(path: &[Step]) -> SmallVec<[(NodeId, Shape); 4]> {
    path.iter()
        .map(|step| match step {
            Step::Move(node) => (node.id, Shape::new()),
            Step::Expand(shape) => (0, shape.clone()),
        })
        .collect()
}

enum Blocked {
    /// This producer must be stored first.
    NeedsBuffer(NodeRef),
    Failed(Error),
}

type Emitted = Result<InstrIdx, Blocked>;

/// A kernel being written.
#[derive(Default)]
struct Draft {
    shape: Shape,
    inputs: Vec<Input>,
    buffers: Vec<Buffer>,
    args: Vec<Scalar>,
    code: Vec<Instr>,
    dtypes: Vec<DType>,
    reduce: Option<Reduce>,
    nodes: Vec<NodeRef>,
    emitted: Vec<(NodeId, SmallVec<[(NodeId, Shape); 4]>, InstrIdx)>,
}

impl Draft {
    fn push(&mut self, instr: Instr, dtype: DType) -> InstrIdx {
        // Equal instructions are one.
        if let Some(at) = (0..self.code.len()).find(|&i| self.code[i] == instr && self.dtypes[i] == dtype) {
            return at as InstrIdx;
        }
        self.code.push(instr);
        self.dtypes.push(dtype);
        (self.code.len() - 1) as InstrIdx
    }

    fn arg(&mut self, value: Scalar, dtype: DType) -> InstrIdx {
        let same = |a: &Scalar| match (a, &value) {
            (Scalar::Float(x), Scalar::Float(y)) => x.to_bits() == y.to_bits(),
            (a, b) => a == b,
        };
        let arg = self.args.iter().position(same).unwrap_or_else(|| {
            self.args.push(value);
            self.args.len() - 1
        });
        self.push(Instr::Arg { arg: arg as u16, dtype }, dtype)
    }

    fn load(&mut self, buffer: Buffer, view: View, dtype: DType) -> InstrIdx {
        let input = Input { view, dtype };
        let known = (0..self.inputs.len())
            .find(|&i| self.inputs[i] == input && self.buffers[i].id() == buffer.id());
        let input = known.unwrap_or_else(|| {
            self.inputs.push(input);
            self.buffers.push(buffer);
            self.inputs.len() - 1
        });
        self.push(Instr::Load { input: input as u16 }, dtype)
    }

    /// Turns an expression into instructions; fails when there are too many.
    fn flatten(&mut self, expr: &Expr) -> Result<InstrIdx, ()> {
        let mut known: Vec<(*const ExprNode, InstrIdx)> = Vec::new();
        let at = self.flatten_shared(expr, &mut known);
        if self.code.len() > MAX_INSTRS * 2 { Err(()) } else { Ok(at) }
    }

    /// Bodies are a few operations deep, so recursion is bounded by what the registry holds.
    fn flatten_shared(&mut self, expr: &Expr, known: &mut Vec<(*const ExprNode, InstrIdx)>) -> InstrIdx {
        let key = Rc::as_ptr(&expr.0);
        if let Some(&(_, at)) = known.iter().find(|(k, _)| *k == key) {
            return at;
        }
        let at = match &*expr.0 {
            ExprNode::Instr { index, .. } => *index,
            ExprNode::Constant { value, dtype } => self.arg(Scalar::Float(*value), *dtype),
            ExprNode::Cast { operand, to } => {
                let src = self.flatten_shared(operand, known);
                self.push(Instr::Cast { src, to: *to }, *to)
            }
            ExprNode::Apply { op, operands, dtype } => {
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

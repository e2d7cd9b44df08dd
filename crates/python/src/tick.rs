//! The heartbeat of the learner's code: how a run is stopped, and how it lets the page breathe.
//!
//! RustPython's own signal checks do not exist on wasm32, so a pass over the syntax tree
//! ([`insert`]) asks for the truth of a hidden object, which is a [`tick`], at every loop head, in every comprehension and at every
//! function's entry, before the code is compiled. Lines and columns stay those of the source.
//! Each loop body starts with its tick, outside any `try` of that body, which is why code that
//! catches everything still stops. Code without loops or calls of the learner's own (a native
//! function that never returns) has no ticks; a transport that cannot wait replaces the worker.
//!
//! The same pass leads the right operand of a product through the hidden object (`a * <tick>[b]`), which is how
//! products of large integers are limited: RustPython multiplies two integers without asking their type.

use std::cell::Cell;

use ruff_python_ast::visitor::transformer::{self, Transformer};
use ruff_python_ast::{self as ast, Expr, Stmt};
use ruff_text_size::{Ranged, TextRange};
use rustpython_vm::{PyResult, VirtualMachine};

use crate::host::Flow;
use crate::runtime::Runtime;

/// The object whose truth is asked, and whose elements factors are, among the builtins. No learner can write
/// the name. Asking for the truth of an object costs a third of a call.
pub(crate) const TICK: &str = "<tick>";
/// The name that shows the value of a cell's last expression.
pub(crate) const DISPLAY: &str = "<display>";

/// A busy loop looks at the host about this often, in milliseconds.
const LOOK_EVERY_MILLIS: f64 = 4.0;
const MOST_TICKS_BETWEEN_LOOKS: u32 = 4096;

thread_local! {
    /// Ticks left until the next look at the host, and how many there were to begin with.
    static LEFT: Cell<u32> = const { Cell::new(1) };
    static INTERVAL: Cell<u32> = const { Cell::new(1) };
}

/// One heartbeat. Answers true, so that it can stand in conditions.
pub(crate) fn tick(vm: &VirtualMachine) -> PyResult<bool> {
    let left = LEFT.get();
    if left > 1 {
        LEFT.set(left - 1);
        return Ok(true);
    }
    look(vm)
}

/// Makes the next tick look at the host: called by native functions that take long.
pub(crate) fn look_soon() {
    LEFT.set(1);
}

/// Brings the next look closer: called by native functions that take microseconds.
pub(crate) fn age(ticks: u32) {
    LEFT.set(LEFT.get().saturating_sub(ticks).max(1));
}

/// A tick for native work that goes through `n` elements at once: much of it makes the next look come
/// at once.
pub(crate) fn work(n: usize, vm: &VirtualMachine) -> PyResult<()> {
    age(u32::try_from(n / 64).unwrap_or(u32::MAX));
    tick(vm).map(drop)
}

/// Asks the host whether to go on, and settles how many ticks pass until the next look.
#[cold]
fn look(vm: &VirtualMachine) -> PyResult<bool> {
    let runtime = Runtime::current();
    runtime.flush();
    if runtime.host.tick() == Flow::Stop {
        LEFT.set(1);
        return Err(vm.new_exception_msg(
            vm.ctx.exceptions.keyboard_interrupt.to_owned(),
            "stopped; variables are kept".to_owned().into(),
        ));
    }
    let now = runtime.host.now_millis();
    let elapsed = now - runtime.last_look.replace(now);
    let interval = INTERVAL.get();
    let interval = if elapsed < LOOK_EVERY_MILLIS / 2.0 {
        (interval * 2).min(MOST_TICKS_BETWEEN_LOOKS)
    } else if elapsed > LOOK_EVERY_MILLIS * 2.0 {
        // Loops of different weight follow each other: fall fast, rise slowly.
        (interval / 8).max(1)
    } else {
        interval
    };
    INTERVAL.set(interval);
    LEFT.set(interval);
    crate::memory::check(now, vm)?;
    Ok(true)
}

/// Looks at nothing until a run starts: what runs meanwhile is ours, and must not be stopped half-way.
pub(crate) fn pause() {
    LEFT.set(u32::MAX);
}

/// Starts a run with a look at the first tick.
pub(crate) fn start_run() {
    LEFT.set(1);
    INTERVAL.set(1);
}

/// Puts ticks into a module.
pub(crate) fn insert(module: &mut ast::ModModule) {
    InsertTicks { at_entries: true }.visit_body(&mut module.body);
}

/// Puts ticks into the loops of a module of ours, whose length may be a learner's: what it calls is finite
/// by construction.
pub(crate) fn insert_in_loops(module: &mut ast::ModModule) {
    InsertTicks { at_entries: false }.visit_body(&mut module.body);
}

/// Puts ticks into one expression (`eval`).
pub(crate) fn insert_in_expression(expression: &mut Expr) {
    InsertTicks { at_entries: true }.visit_expr(expression);
}

/// Makes a cell show its last expression as a notebook does, unless a `;` follows it.
pub(crate) fn show_last_expression(module: &mut ast::ModModule, source: &str) {
    let Some(Stmt::Expr(last)) = module.body.last_mut() else {
        return;
    };
    if source[last.range.end().to_usize()..]
        .trim_start()
        .starts_with(';')
    {
        return;
    }
    let range = last.value.range();
    let value = std::mem::replace(&mut *last.value, name(DISPLAY, range));
    *last.value = call(DISPLAY, vec![value], range);
}

/// Whether a product with it is limited in any case: an operand of one machine word, or one that is no
/// integer.
fn is_harmless_factor(operand: &Expr) -> bool {
    match operand {
        Expr::NumberLiteral(literal) => match &literal.value {
            ast::Number::Int(value) => value.as_u64().is_some(),
            ast::Number::Float(_) | ast::Number::Complex { .. } => true,
        },
        Expr::UnaryOp(unary) => is_harmless_factor(&unary.operand),
        Expr::StringLiteral(_) | Expr::FString(_) | Expr::BytesLiteral(_) => true,
        Expr::List(_) | Expr::Tuple(_) | Expr::ListComp(_) => true,
        _ => false,
    }
}

/// `<tick>[operand]`
fn lead_through_factor(operand: &mut Expr) {
    let range = operand.range();
    let slice = std::mem::replace(operand, name(TICK, range));
    let subscript = ast::ExprSubscript {
        node_index: ast::AtomicNodeIndex::default(),
        range,
        value: Box::new(name(TICK, range)),
        slice: Box::new(slice),
        ctx: ast::ExprContext::Load,
    };
    *operand = Expr::Subscript(subscript);
}

struct InsertTicks {
    /// At the entries of functions too, beside the heads of loops; and factors are led through the hidden object.
    at_entries: bool,
}

impl Transformer for InsertTicks {
    fn visit_stmt(&self, stmt: &mut Stmt) {
        transformer::walk_stmt(self, stmt);
        match stmt {
            Stmt::For(stmt) => {
                let range = stmt.target.range();
                stmt.body.insert(0, tick_statement(range));
            }
            Stmt::While(stmt) => {
                let range = stmt.test.range();
                stmt.body.insert(0, tick_statement(range));
            }
            Stmt::AugAssign(stmt)
                if self.at_entries
                    && stmt.op == ast::Operator::Mult
                    && !is_harmless_factor(&stmt.value) =>
            {
                lead_through_factor(&mut stmt.value);
            }
            Stmt::FunctionDef(stmt) if self.at_entries => {
                let range = stmt.name.range();
                let after_docstring = usize::from(is_docstring(stmt.body.first()));
                stmt.body.insert(after_docstring, tick_statement(range));
            }
            _ => {}
        }
    }

    fn visit_expr(&self, expr: &mut Expr) {
        transformer::walk_expr(self, expr);
        if !self.at_entries {
            return;
        }
        if let Expr::BinOp(product) = expr
            && product.op == ast::Operator::Mult
            && !is_harmless_factor(&product.left)
            && !is_harmless_factor(&product.right)
        {
            lead_through_factor(&mut product.right);
        }
        if let Expr::Lambda(lambda) = expr {
            let range = lambda.body.range();
            let body = std::mem::replace(&mut *lambda.body, name(TICK, range));
            *lambda.body = Expr::BoolOp(ast::ExprBoolOp {
                node_index: ast::AtomicNodeIndex::default(),
                range,
                op: ast::BoolOp::And,
                values: vec![name(TICK, range), body],
                runtime_values: None,
            });
        }
    }

    fn visit_comprehension(&self, comprehension: &mut ast::Comprehension) {
        transformer::walk_comprehension(self, comprehension);
        let range = comprehension.target.range();
        comprehension.ifs.insert(0, name(TICK, range));
    }
}

fn is_docstring(stmt: Option<&Stmt>) -> bool {
    matches!(stmt, Some(Stmt::Expr(stmt)) if stmt.value.is_string_literal_expr())
}

fn tick_statement(range: TextRange) -> Stmt {
    Stmt::Expr(ast::StmtExpr {
        node_index: ast::AtomicNodeIndex::default(),
        range,
        value: Box::new(Expr::UnaryOp(ast::ExprUnaryOp {
            node_index: ast::AtomicNodeIndex::default(),
            range,
            op: ast::UnaryOp::Not,
            operand: Box::new(name(TICK, range)),
        })),
    })
}

fn name(id: &'static str, range: TextRange) -> Expr {
    Expr::Name(ast::ExprName {
        node_index: ast::AtomicNodeIndex::default(),
        range,
        id: ast::name::Name::new_static(id),
        ctx: ast::ExprContext::Load,
    })
}

fn call(function: &'static str, args: Vec<Expr>, range: TextRange) -> Expr {
    Expr::Call(ast::ExprCall {
        node_index: ast::AtomicNodeIndex::default(),
        range_start: range.start(),
        func: Box::new(name(function, range)),
        arguments: ast::Arguments {
            range,
            node_index: ast::AtomicNodeIndex::default(),
            args: args.into_boxed_slice(),
            keywords: Default::default(),
            runtime_args: None,
            runtime_bases: None,
        },
    })
}

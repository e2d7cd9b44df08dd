//! Where ticks stand: a pass over the syntax tree, before the code is compiled.
//!
//! Every loop head, every comprehension and every function's entry asks for the truth of a hidden object, which is a
//! [`tick`](crate::tick). Lines and columns stay those of the source. Each loop body starts with its tick, outside any
//! `try` of that body, which is why code that catches everything still stops.
//!
//! The same pass leads the right operand of a product through the hidden object (`a * <tick>[b]`), which is how
//! products of large integers are limited: RustPython multiplies two integers without asking their type.
//!
//! The build script compiles this file too, for the modules that are built in.

use ruff_python_ast::visitor::transformer::{self, Transformer};
use ruff_python_ast::{self as ast, Expr, Stmt};
use ruff_text_size::{Ranged, TextRange};

/// The object whose truth is asked, and whose elements factors are, among the builtins. No learner can write
/// the name. Asking for the truth of an object costs a third of a call.
pub(crate) const TICK: &str = "<tick>";
/// The name that shows the value of a cell's last expression.
pub(crate) const DISPLAY: &str = "<display>";

/// Puts ticks into a module.
pub(crate) fn in_module(module: &mut ast::ModModule) {
    InsertTicks { at_entries: true }.visit_body(&mut module.body);
}

/// Puts ticks into the loops of a module of ours, whose length may be a learner's: what it calls is finite
/// by construction.
pub(crate) fn in_loops(module: &mut ast::ModModule) {
    InsertTicks { at_entries: false }.visit_body(&mut module.body);
}

/// Puts ticks into one expression (`eval`).
pub(crate) fn in_expression(expression: &mut Expr) {
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

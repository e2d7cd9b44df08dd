//! `forward`, statement by statement: names stand for results of nodes.

use std::collections::HashMap;

use ruff_python_ast::{Expr, Operator, Stmt, StmtFunctionDef};
use ruff_text_size::Ranged;
use serde_json::Value as Json;

use super::super::names::{FLOW, Usual};
use super::class::{Attribute, Class, is_self};
use super::{Reader, what};
use crate::error::{Error, Result};
use crate::model::{Args, Node, Source};

/// What an expression of `forward` is.
#[derive(Debug, Clone)]
pub(super) enum Held {
    /// A result of a node or an input.
    Tensor(String),
    /// All results of a node that gives several.
    Results(String),
    /// Several of these.
    Several(Vec<Held>),
    /// The size of a dimension of a tensor.
    SizeOf(String, i64),
    /// All sizes of a tensor.
    Shape(String),
    /// A number, a text or an expression of the block's parameters.
    Value(Json),
}

/// Where `forward` has come.
pub(super) struct Body<'a, 'b> {
    pub(super) class: &'a mut Class,
    pub(super) reader: &'a Reader<'b>,
    pub(super) variables: HashMap<String, Held>,
    /// What the statement is assigned to, which names its last function.
    target: Option<String>,
    note: String,
    functions: Vec<String>,
    shared: HashMap<String, usize>,
}

impl Class {
    pub(super) fn forward(
        &mut self,
        reader: &mut Reader<'_>,
        forward: &StmtFunctionDef,
    ) -> Result<()> {
        let parameters = &forward.parameters;
        let all: Vec<_> = parameters
            .posonlyargs
            .iter()
            .chain(&parameters.args)
            .skip(1)
            .collect();
        if all.is_empty() {
            return reader.fault(
                forward,
                "forward takes no tensor; write def forward(self, x):",
            );
        }
        let mut variables = HashMap::new();
        for one in all {
            let name = one.parameter.name.to_string();
            if one.default.is_some() {
                reader.left_out.push(format!(
                    "line {}: the argument {name} of forward, which may be left out",
                    reader.source.line(one.start())
                ));
                variables.insert(name, Held::Value(Json::Null));
                continue;
            }
            variables.insert(name.clone(), Held::Tensor(name.clone()));
            self.inputs.push(name);
        }
        let mut body = Body {
            class: self,
            reader,
            variables,
            target: None,
            note: String::new(),
            functions: Vec::new(),
            shared: HashMap::new(),
        };
        for statement in &forward.body {
            if body.statement(statement)? {
                return Ok(());
            }
        }
        reader.fault(forward, "forward returns nothing; end it with return")
    }
}

impl Body<'_, '_> {
    /// Runs a statement; whether it returned.
    fn statement(&mut self, statement: &Stmt) -> Result<bool> {
        let line = self.reader.source.line(statement.start());
        self.note = self
            .reader
            .comments
            .about(line, self.reader.source.line(statement.end()));
        match statement {
            Stmt::Expr(expr) if expr.value.is_string_literal_expr() => {}
            Stmt::Pass(_) => {}
            Stmt::Assign(assign) if assign.targets.len() == 1 => {
                self.target = match &assign.targets[0] {
                    Expr::Name(name) => Some(name.id.to_string()),
                    Expr::Tuple(names) => names.elts.first().and_then(|first| match first {
                        Expr::Name(name) => name.id.strip_suffix("_0").map(str::to_owned),
                        _ => None,
                    }),
                    _ => None,
                };
                let held = self.held(&assign.value, true)?;
                self.target = None;
                self.assign(&assign.targets[0], held)?;
            }
            Stmt::AugAssign(assign) => {
                let Expr::Name(name) = &*assign.target else {
                    return self.fault(&*assign.target, "only a name is changed here");
                };
                self.target = Some(name.id.to_string());
                let left = self.held(&assign.target, false)?;
                let right = self.held(&assign.value, false)?;
                let held = self.binary(statement, left, assign.op, right, true)?;
                self.target = None;
                self.variables.insert(name.id.to_string(), held);
            }
            Stmt::For(each) => self.each_layer(each)?,
            Stmt::Return(returned) => {
                let Some(value) = &returned.value else {
                    return self.fault(statement, "forward returns nothing");
                };
                let held = self.held(value, true)?;
                let mut outputs = Vec::new();
                self.tensors(value, &held, &mut outputs)?;
                self.class.outputs = outputs;
                return Ok(true);
            }
            other => {
                return self.fault(
                    other,
                    format!("{} in forward has no place in a picture, which goes one way for every input", what(other)),
                );
            }
        }
        Ok(false)
    }

    pub(super) fn fault<T>(&self, at: &impl Ranged, message: impl Into<String>) -> Result<T> {
        self.reader.fault(at, message)
    }

    /// `for layer in self.layers: x = layer(x)`.
    fn each_layer(&mut self, each: &ruff_python_ast::StmtFor) -> Result<()> {
        let is_plain = match (&*each.target, &*each.iter, &each.body[..]) {
            (Expr::Name(layer), Expr::Attribute(list), [Stmt::Assign(assign)])
                if is_self(&list.value) =>
            {
                match (&assign.targets[..], &*assign.value) {
                    ([Expr::Name(target)], Expr::Call(call)) => {
                        let calls = matches!(&*call.func, Expr::Name(name) if name.id == layer.id);
                        let arg = call.arguments.args.first();
                        let takes = matches!(arg, Some(Expr::Name(name)) if name.id == target.id)
                            && call.arguments.args.len() == 1;
                        (calls && takes).then(|| (list.attr.to_string(), target.id.to_string()))
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        let Some((list, variable)) = is_plain else {
            return self.fault(each, "a loop in forward goes through layers of one kind: for layer in self.layers: x = layer(x)");
        };
        let Some(Attribute::List(node)) = self.class.attributes.get(&list).cloned() else {
            return self.fault(
                each,
                format!("self.{list} is no nn.ModuleList of layers of one kind"),
            );
        };
        let Some(Held::Tensor(source)) = self.variables.get(&variable).cloned() else {
            return self.fault(each, format!("{variable} is no tensor here"));
        };
        self.class
            .attributes
            .insert(list.clone(), Attribute::Module(node));
        let held = self.module(each, &list, vec![source])?;
        self.variables.insert(variable, held);
        Ok(())
    }

    fn assign(&mut self, target: &Expr, held: Held) -> Result<()> {
        match target {
            Expr::Name(name) => {
                if name.id.as_str() != "_" {
                    self.variables.insert(name.id.to_string(), held);
                }
                Ok(())
            }
            Expr::Tuple(targets) => {
                let parts = self.parts(target, held, targets.elts.len())?;
                for (target, part) in targets.elts.iter().zip(parts) {
                    self.assign(target, part)?;
                }
                Ok(())
            }
            other => self.fault(other, "a result is assigned to a name"),
        }
    }

    /// The parts of what several names are assigned.
    fn parts(&self, at: &Expr, held: Held, n: usize) -> Result<Vec<Held>> {
        let one = |name: &str, i: usize| Held::Tensor(Source::text(name, i));
        match held {
            Held::Several(parts) if parts.len() == n => Ok(parts),
            Held::Results(name) => {
                let kind = self
                    .class
                    .nodes
                    .iter()
                    .find(|node| node.id == name)
                    .map_or("", |node| self.kind_of(node));
                if kind == "LSTM" && n == 2 {
                    return Ok(vec![
                        one(&name, 0),
                        Held::Several(vec![one(&name, 1), one(&name, 2)]),
                    ]);
                }
                Ok((0..n).map(|i| one(&name, i)).collect())
            }
            Held::Shape(name) => Ok((0..n)
                .map(|i| Held::SizeOf(name.clone(), i as i64))
                .collect()),
            _ => self.fault(at, format!("what stands right of = is not {n} values")),
        }
    }

    fn kind_of<'c>(&'c self, node: &'c Node) -> &'c str {
        match &node.same {
            Some(name) => self
                .class
                .nodes
                .iter()
                .find(|other| other.id == *name)
                .map_or("", |other| other.kind.as_str()),
            None => &node.kind,
        }
    }

    /// The tensors of what is returned or passed on.
    fn tensors(&self, at: &Expr, held: &Held, into: &mut Vec<String>) -> Result<()> {
        match held {
            Held::Tensor(source) => into.push(source.clone()),
            Held::Results(name) => into.push(name.clone()),
            Held::Several(parts) => parts
                .iter()
                .try_for_each(|part| self.tensors(at, part, into))?,
            _ => return self.fault(at, format!("{} is no tensor", self.reader.source.of(at))),
        }
        Ok(())
    }

    /// A tensor, or a fault.
    pub(super) fn tensor(&mut self, expr: &Expr) -> Result<String> {
        let held = self.held(expr, false)?;
        match held {
            Held::Tensor(source) | Held::Results(source) => Ok(source),
            _ => self.fault(
                expr,
                format!("{} is no tensor here", self.reader.source.of(expr)),
            ),
        }
    }

    /// What an expression is; `is_last` says that its node has the name of the statement's variable.
    pub(super) fn held(&mut self, expr: &Expr, is_last: bool) -> Result<Held> {
        match expr {
            Expr::Name(name) => match self.variables.get(name.id.as_str()) {
                Some(held) => Ok(held.clone()),
                None => self.fault(expr, format!("{} has no value here", name.id)),
            },
            Expr::Tuple(tuple) => {
                let parts: Result<Vec<Held>> = tuple
                    .elts
                    .iter()
                    .map(|part| self.held(part, false))
                    .collect();
                parts.map(Held::Several)
            }
            Expr::List(list) => {
                let parts: Result<Vec<Held>> = list
                    .elts
                    .iter()
                    .map(|part| self.held(part, false))
                    .collect();
                parts.map(Held::Several)
            }
            Expr::BinOp(binary) => {
                let left = self.held(&binary.left, false)?;
                let right = self.held(&binary.right, false)?;
                self.binary(expr, left, binary.op, right, is_last)
            }
            Expr::UnaryOp(unary) => {
                let value = self.held(&unary.operand, false)?;
                match (unary.op, value) {
                    (ruff_python_ast::UnaryOp::USub, Held::Tensor(source)) => {
                        let mut args = Args::new();
                        args.insert("factor".to_owned(), (-1.0).into());
                        self.function(expr, "scale", args, vec![source], is_last)
                    }
                    (_, Held::Value(_)) => self.value(expr),
                    _ => self.fault(expr, "an operator here is not one of a picture"),
                }
            }
            Expr::Attribute(attribute) if is_self(&attribute.value) => {
                self.attribute(expr, attribute.attr.as_str())
            }
            Expr::Attribute(attribute) if attribute.attr.as_str() == "shape" => {
                let source = self.tensor(&attribute.value)?;
                Ok(Held::Shape(source))
            }
            Expr::Subscript(subscript) => self.subscript(expr, subscript, is_last),
            Expr::Call(call) => self.call(expr, call, is_last),
            _ => self.value(expr),
        }
    }

    /// A number or an expression of the block's parameters, `self.` before them left out.
    pub(super) fn value(&self, expr: &Expr) -> Result<Held> {
        let text = self.reader.source.of(expr);
        let is_own = text.contains("self.");
        if !is_own {
            return self.class.argument(self.reader, expr).map(Held::Value);
        }
        let mut bare = text.replace("self.", "");
        let mut is_expression = false;
        for (at, name) in super::super::write::names_in(&Json::from(format!("={bare}")))
            .into_iter()
            .rev()
        {
            let replaced = match self.class.attributes.get(&name) {
                Some(Attribute::Value(value)) => match crate::arguments::expression(value) {
                    Some(inner) if inner == name => {
                        is_expression = true;
                        continue;
                    }
                    Some(inner) => {
                        is_expression = true;
                        format!("({inner})")
                    }
                    None => crate::expression::Value::from_json(value).to_string(),
                },
                _ => continue,
            };
            bare.replace_range(at..at + name.len(), &replaced);
        }
        let value = self.class.scope.evaluate(&bare).map_err(|fault| {
            Error::at(
                self.reader.source.line(expr.start()),
                format!("{text}: {fault}"),
            )
        })?;
        Ok(Held::Value(if is_expression {
            format!("={}", bare.split_whitespace().collect::<Vec<_>>().join(" ")).into()
        } else {
            value.to_json()
        }))
    }

    /// An attribute of `self` that is not called.
    fn attribute(&mut self, expr: &Expr, name: &str) -> Result<Held> {
        match self.class.attributes.get(name).cloned() {
            Some(Attribute::Parameter(node)) => {
                if !self.class.nodes.iter().any(|other| other.id == node.id) {
                    self.class.nodes.push(node);
                }
                Ok(Held::Tensor(name.to_owned()))
            }
            Some(Attribute::Value(value)) => Ok(Held::Value(value)),
            Some(_) => self.fault(
                expr,
                format!("self.{name} is a layer; call it with a tensor"),
            ),
            None => self.fault(expr, format!("self.{name} is not made in __init__")),
        }
    }

    pub(super) fn binary(
        &mut self,
        at: &impl Ranged,
        left: Held,
        op: Operator,
        right: Held,
        is_last: bool,
    ) -> Result<Held> {
        let name = match op {
            Operator::Add => "add",
            Operator::Sub => "sub",
            Operator::Mult => "mul",
            Operator::Div => "div",
            Operator::MatMult => "matmul",
            _ => "",
        };
        match (left, right) {
            (Held::Tensor(a), Held::Tensor(b)) if !name.is_empty() => {
                self.function(at, name, Args::new(), vec![a, b], is_last)
            }
            (Held::Tensor(a), Held::Value(factor)) | (Held::Value(factor), Held::Tensor(a))
                if name == "mul" =>
            {
                let mut args = Args::new();
                args.insert("factor".to_owned(), factor);
                self.function(at, "scale", args, vec![a], is_last)
            }
            (Held::Tensor(a), Held::Value(Json::Number(n)))
                if name == "div" && n.as_f64().is_some_and(|n| n != 0.0) =>
            {
                let mut args = Args::new();
                args.insert(
                    "factor".to_owned(),
                    (1.0 / n.as_f64().unwrap_or(1.0)).into(),
                );
                self.function(at, "scale", args, vec![a], is_last)
            }
            (Held::Value(a), Held::Value(b)) => {
                let text = |json: &Json| match crate::arguments::expression(json) {
                    Some(text) => format!("({text})"),
                    None => crate::expression::Value::from_json(json).to_string(),
                };
                let sign = match op {
                    Operator::Add => "+",
                    Operator::Sub => "-",
                    Operator::Mult => "*",
                    Operator::Div => "/",
                    Operator::FloorDiv => "//",
                    Operator::Mod => "%",
                    Operator::Pow => "**",
                    _ => return self.fault(at, "an operator here is not one of numbers"),
                };
                let both = format!("{} {sign} {}", text(&a), text(&b));
                let value = self
                    .class
                    .scope
                    .evaluate(&both)
                    .or_else(|fault| self.fault(at, fault))?;
                let is_expression = [&a, &b]
                    .iter()
                    .any(|one| crate::arguments::expression(one).is_some());
                Ok(Held::Value(if is_expression {
                    format!("={both}").into()
                } else {
                    value.to_json()
                }))
            }
            _ => self.fault(
                at,
                "a picture has + - * / @ between two tensors, and * between a tensor and a number",
            ),
        }
    }

    /// Uses a layer.
    pub(super) fn module(
        &mut self,
        at: &impl Ranged,
        name: &str,
        inputs: Vec<String>,
    ) -> Result<Held> {
        let Some(Attribute::Module(made)) = self.class.attributes.get(name).cloned() else {
            return self.fault(at, format!("self.{name} is no layer that __init__ makes"));
        };
        let is_used = self.class.nodes.iter().any(|node| node.id == name);
        let node = if is_used {
            let n = self.shared.entry(name.to_owned()).or_insert(1);
            *n += 1;
            let usual = format!("{name}_{n}");
            let id = self.own_name().unwrap_or(usual);
            Node {
                id: self.free(id),
                same: Some(name.to_owned()),
                inputs,
                note: std::mem::take(&mut self.note),
                ..Node::default()
            }
        } else {
            Node { inputs, ..made }
        };
        let kind = match &node.same {
            Some(_) => self.kind_of(&node).to_owned(),
            None => node.kind.clone(),
        };
        let id = node.id.clone();
        self.class.nodes.push(node);
        let is_several = matches!(
            kind.as_str(),
            "LSTM" | "RNN" | "GRU" | "LSTMCell" | "MultiheadAttention"
        ) || self
            .reader
            .read
            .get(&kind)
            .is_some_and(|block| block.outputs.len() > 1);
        Ok(if is_several {
            Held::Results(id)
        } else {
            Held::Tensor(id)
        })
    }

    /// Uses a function.
    pub(super) fn function(
        &mut self,
        _: &impl Ranged,
        name: &'static str,
        args: Args,
        inputs: Vec<String>,
        is_last: bool,
    ) -> Result<Held> {
        let mut usual = Usual::default();
        let before = self.functions.clone();
        for other in &before {
            usual.function(other);
        }
        self.functions.push(name.to_owned());
        let usual = usual.function(name);
        let own = if is_last { self.own_name() } else { None };
        let id = self.free(own.unwrap_or(usual));
        let note = if is_last {
            std::mem::take(&mut self.note)
        } else {
            String::new()
        };
        let function = crate::functions::function(name);
        let mut args = args;
        if let Some(function) = function {
            args.retain(|name, value| {
                let setting = function.arguments.iter().find(|one| one.name == name);
                setting
                    .and_then(crate::functions::Setting::default_value)
                    .as_ref()
                    != Some(value)
            });
        }
        self.class.nodes.push(Node {
            id: id.clone(),
            kind: name.to_owned(),
            args,
            inputs,
            note,
            ..Node::default()
        });
        Ok(if name == "chunk" {
            Held::Results(id)
        } else {
            Held::Tensor(id)
        })
    }

    /// The name of the statement's variable, if it is one that a node keeps.
    fn own_name(&self) -> Option<String> {
        let target = self.target.as_deref()?;
        let is_flow =
            FLOW.contains(&target) || self.class.inputs.iter().any(|input| input == target);
        let is_taken = self.class.attributes.contains_key(target)
            || self.class.nodes.iter().any(|node| node.id == target);
        (!is_flow && !is_taken && crate::check::is_name(target)).then(|| target.to_owned())
    }

    /// A name that no other node has.
    fn free(&self, id: String) -> String {
        let is_taken = |id: &str| {
            self.class.nodes.iter().any(|node| node.id == id)
                || self.class.attributes.contains_key(id)
                || self.class.inputs.iter().any(|input| input == id)
        };
        if !is_taken(&id) {
            return id;
        }
        (2..)
            .map(|n| format!("{id}_{n}"))
            .find(|id| !is_taken(id))
            .unwrap_or(id)
    }
}

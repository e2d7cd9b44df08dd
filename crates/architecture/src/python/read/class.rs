//! A class of `nn.Module`: its attributes, then its `forward`.

use std::collections::{BTreeMap, HashMap};

use ruff_python_ast::{Expr, Stmt, StmtClassDef, StmtFunctionDef};
use ruff_text_size::Ranged;
use serde_json::Value as Json;

use super::{Reader, what};
use crate::catalog;
use crate::error::Result;
use crate::expression::{Scope, Value};
use crate::model::{Args, Node, Parameter};

/// What an attribute of `self` is.
#[derive(Debug, Clone)]
pub(super) enum Attribute {
    /// A layer, not yet used.
    Module(Node),
    /// A parameter, not yet used.
    Parameter(Node),
    /// A number or an expression of the block's parameters.
    Value(Json),
    /// Modules in a list, which a loop goes through.
    List(Node),
}

/// A class that was read.
#[derive(Default)]
pub(super) struct Class {
    pub(super) note: String,
    pub(super) parameters: Vec<Parameter>,
    pub(super) inputs: Vec<String>,
    pub(super) nodes: Vec<Node>,
    pub(super) outputs: Vec<String>,
    pub(super) attributes: BTreeMap<String, Attribute>,
    /// Whether it is a block, whose parameters its users set.
    pub(super) is_block: bool,
    /// Values of names in `__init__`.
    pub(super) scope: Scope,
    /// Names in `__init__` that stand for expressions of the parameters.
    pub(super) expressions: HashMap<String, String>,
}

impl Class {
    /// Reads a class; `first` are the arguments of a block's first use.
    pub(super) fn read(
        reader: &mut Reader<'_>,
        class: &StmtClassDef,
        first: Option<&Args>,
    ) -> Result<Class> {
        let mut found = Class {
            is_block: first.is_some(),
            ..Class::default()
        };
        let method = |name: &str| {
            class.body.iter().find_map(|statement| match statement {
                Stmt::FunctionDef(function) if function.name.as_str() == name => Some(function),
                _ => None,
            })
        };
        for (i, statement) in class.body.iter().enumerate() {
            match statement {
                Stmt::Expr(expr) if i == 0 => {
                    if let Expr::StringLiteral(text) = &*expr.value {
                        found.note = cleaned(text.value.to_str());
                    }
                }
                Stmt::FunctionDef(function)
                    if matches!(function.name.as_str(), "__init__" | "forward") => {}
                Stmt::FunctionDef(function) => {
                    reader.left_out.push(format!(
                        "line {}: the method {}",
                        reader.source.line(statement.start()),
                        function.name
                    ));
                }
                Stmt::Pass(_) => {}
                other => {
                    return reader.fault(
                        other,
                        format!(
                            "{} in a class has no place in a picture; put it into __init__",
                            what(other)
                        ),
                    );
                }
            }
        }
        if let Some(init) = method("__init__") {
            found.init(reader, init, first)?;
        }
        let Some(forward) = method("forward") else {
            return reader.fault(
                class,
                format!(
                    "{} has no forward; write def forward(self, x): and what it returns",
                    class.name
                ),
            );
        };
        found.forward(reader, forward)?;
        Ok(found)
    }

    fn init(
        &mut self,
        reader: &mut Reader<'_>,
        init: &StmtFunctionDef,
        first: Option<&Args>,
    ) -> Result<()> {
        let parameters = &init.parameters;
        if parameters.vararg.is_some() || parameters.kwarg.is_some() {
            return reader.fault(
                init,
                "__init__ takes its arguments by name, without * and **",
            );
        }
        let all = parameters
            .posonlyargs
            .iter()
            .chain(&parameters.args)
            .chain(&parameters.kwonlyargs);
        for (i, one) in all.skip(1).enumerate() {
            let name = one.parameter.name.as_str();
            let default = match &one.default {
                Some(default) => self
                    .scope
                    .evaluate(reader.source.of(&**default))
                    .or_else(|fault| reader.fault(&**default, fault))?,
                None => {
                    let given = first
                        .and_then(|first| first.get(name).or_else(|| first.get(&i.to_string())));
                    match given.filter(|given| crate::arguments::expression(given).is_none()) {
                        Some(given) => Value::from_json(given),
                        None => {
                            return reader.fault(
                                one,
                                format!(
                                    "the argument {name} of __init__ needs a default value here"
                                ),
                            );
                        }
                    }
                }
            };
            self.scope.set(name, default.clone());
            if self.is_block {
                self.parameters.push(Parameter {
                    name: name.to_owned(),
                    default: default.to_json(),
                });
                self.expressions.insert(name.to_owned(), name.to_owned());
            }
        }
        for statement in &init.body {
            self.init_statement(reader, statement)?;
        }
        Ok(())
    }

    fn init_statement(&mut self, reader: &mut Reader<'_>, statement: &Stmt) -> Result<()> {
        match statement {
            Stmt::Expr(expr) if expr.value.is_string_literal_expr() => Ok(()),
            Stmt::Expr(expr) if reader.source.of(&*expr.value).starts_with("super(") => Ok(()),
            Stmt::Pass(_) => Ok(()),
            Stmt::Assign(assign) if assign.targets.len() == 1 => match &assign.targets[0] {
                Expr::Attribute(target) if is_self(&target.value) => {
                    let name = target.attr.to_string();
                    let line = reader.source.line(statement.start());
                    let note = reader.comments.about(line, reader.source.line(statement.end()));
                    let attribute = self.attribute(reader, &name, &assign.value, note)?;
                    self.attributes.insert(name, attribute);
                    Ok(())
                }
                Expr::Name(target) => {
                    let name = target.id.to_string();
                    let json = self.argument(reader, &assign.value)?;
                    match crate::arguments::expression(&json) {
                        Some(text) => {
                            self.expressions.insert(name.clone(), format!("({text})"));
                        }
                        None => {
                            self.expressions.remove(&name);
                        }
                    }
                    let value = self.scope.evaluate(reader.source.of(&*assign.value)).or_else(|fault| reader.fault(&*assign.value, fault))?;
                    self.scope.set(&name, value);
                    Ok(())
                }
                other => reader.fault(other, "an assignment in __init__ is to self.name"),
            },
            other => reader.fault(
                other,
                format!("{} in __init__ has no place in a picture; give each layer its own line, self.name = nn.Layer(…)", what(other)),
            ),
        }
    }

    /// What an attribute is assigned.
    fn attribute(
        &mut self,
        reader: &mut Reader<'_>,
        name: &str,
        value: &Expr,
        note: String,
    ) -> Result<Attribute> {
        if let Expr::Call(call) = value {
            let full = reader.names.full(&call.func);
            let full = full.as_deref();
            if full == Some("torch.nn.Parameter") {
                return self
                    .parameter(reader, name, value, note)
                    .map(Attribute::Parameter);
            }
            let is_list = full == Some("torch.nn.ModuleList");
            // What begins with a capital is a class, known or not.
            let is_class = matches!(&*call.func, Expr::Name(name) if name.id.starts_with(|c: char| c.is_uppercase()));
            let is_layer = full.is_some_and(|full| {
                full.starts_with("torch.nn.") && !full.starts_with("torch.nn.functional")
            });
            if is_layer || is_class {
                let mut node = self.module(reader, value)?;
                node.id = name.to_owned();
                node.note = note;
                return Ok(if is_list {
                    Attribute::List(node)
                } else {
                    Attribute::Module(node)
                });
            }
        }
        self.argument(reader, value).map(Attribute::Value)
    }

    /// The node of an expression that makes a module.
    fn module(&mut self, reader: &mut Reader<'_>, expr: &Expr) -> Result<Node> {
        let Expr::Call(call) = expr else {
            return reader.fault(
                expr,
                format!(
                    "{} is no layer; expected nn.Layer(…)",
                    reader.source.of(expr)
                ),
            );
        };
        let full = reader.names.full(&call.func).unwrap_or_default();
        if matches!(full.as_str(), "torch.nn.Sequential" | "torch.nn.ModuleList") {
            return self.several(reader, expr, &full);
        }
        if let Some(short) = full.strip_prefix("torch.nn.") {
            let Some(row) = catalog::layer(short.rsplit('.').next().unwrap_or(short)) else {
                let names = catalog::rows()
                    .iter()
                    .filter(|row| row.kind == "layer")
                    .map(catalog::Row::short);
                let near = catalog::nearest(short, names);
                let hint = near
                    .first()
                    .map(|near| format!("; did you mean nn.{near}?"))
                    .unwrap_or_default();
                return reader.fault(
                    expr,
                    format!("nn.{short} is no layer that a picture has{hint}"),
                );
            };
            let names: Vec<&str> = row
                .arguments
                .iter()
                .map(|argument| argument.name.as_str())
                .collect();
            let mut found = self.arguments(reader, expr, &names)?;
            // What PyTorch takes and changes nothing here.
            found.retain(|name, _| {
                row.argument(name)
                    .is_some_and(catalog::Argument::is_setting)
            });
            return Ok(Node {
                kind: row.short().to_owned(),
                args: found,
                ..Node::default()
            });
        }
        let Expr::Name(name) = &*call.func else {
            return reader.fault(
                expr,
                format!(
                    "{} is no layer; expected nn.Layer(…)",
                    reader.source.of(&*call.func)
                ),
            );
        };
        let name = name.id.to_string();
        let class = reader
            .classes
            .iter()
            .copied()
            .find(|class| class.name.as_str() == name);
        let Some(class) = class else {
            return reader.fault(
                expr,
                format!("{name} is neither a layer of torch.nn nor a class of nn.Module here"),
            );
        };
        let names: Vec<String> = (class.body.iter())
            .find_map(|statement| match statement {
                Stmt::FunctionDef(function) if function.name.as_str() == "__init__" => {
                    Some(function)
                }
                _ => None,
            })
            .map(|init| {
                let all = init
                    .parameters
                    .posonlyargs
                    .iter()
                    .chain(&init.parameters.args)
                    .chain(&init.parameters.kwonlyargs);
                all.skip(1)
                    .map(|one| one.parameter.name.to_string())
                    .collect()
            })
            .unwrap_or_default();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let found = self.arguments(reader, expr, &names)?;
        reader.block(&name, &found, expr)?;
        Ok(Node {
            kind: name,
            args: found,
            ..Node::default()
        })
    }

    /// `nn.Sequential(a, b)`, or `nn.Sequential(*[a for _ in range(n)])`.
    fn several(&mut self, reader: &mut Reader<'_>, expr: &Expr, full: &str) -> Result<Node> {
        let Expr::Call(call) = expr else {
            return reader.fault(expr, "expected layers");
        };
        let given = &call.arguments.args;
        let only = match &given[..] {
            [Expr::Starred(starred)] => Some(&*starred.value),
            [one] if full.ends_with("ModuleList") => Some(one),
            _ => None,
        };
        match only {
            Some(Expr::ListComp(list)) => self.repeated(reader, expr, &list.elt, &list.generators),
            Some(Expr::Generator(list)) => self.repeated(reader, expr, &list.elt, &list.generators),
            Some(Expr::List(list)) => self.children(reader, &list.elts),
            Some(other) => reader.fault(
                other,
                "layers in a row are nn.Sequential(a, b) or nn.Sequential(*[a for _ in range(n)])",
            ),
            None => self.children(reader, given),
        }
    }

    fn repeated(
        &mut self,
        reader: &mut Reader<'_>,
        expr: &Expr,
        one: &Expr,
        generators: &[ruff_python_ast::Comprehension],
    ) -> Result<Node> {
        let [generator] = generators else {
            return reader.fault(expr, "a row of layers has one for");
        };
        let n = match &generator.iter {
            Expr::Call(range)
                if reader.source.of(&*range.func) == "range" && range.arguments.args.len() == 1 =>
            {
                self.scope
                    .evaluate(reader.source.of(&range.arguments.args[0]))
                    .or_else(|fault| reader.fault(&generator.iter, fault))?
                    .int()
            }
            _ => None,
        };
        let Some(n) = n.and_then(|n| u32::try_from(n).ok()) else {
            return reader.fault(
                &generator.iter,
                "layers in a row are counted by range(n), with n a number",
            );
        };
        let mut node = self.module(reader, one)?;
        node.repeat = Some(n);
        Ok(node)
    }

    fn children(&mut self, reader: &mut Reader<'_>, given: &[Expr]) -> Result<Node> {
        let mut node = Node {
            kind: "Sequential".to_owned(),
            ..Node::default()
        };
        for child in given {
            node.children.push(self.module(reader, child)?);
        }
        Ok(node)
    }

    /// Arguments of a call by name.
    pub(super) fn arguments(
        &self,
        reader: &Reader<'_>,
        expr: &Expr,
        names: &[&str],
    ) -> Result<Args> {
        let Expr::Call(call) = expr else {
            return Ok(Args::new());
        };
        let mut found = Args::new();
        for (i, arg) in call.arguments.args.iter().enumerate() {
            let Some(name) = names.get(i) else {
                return reader.fault(
                    arg,
                    format!(
                        "{} takes at most {} arguments",
                        reader.source.of(&*call.func),
                        names.len()
                    ),
                );
            };
            found.insert((*name).to_owned(), self.argument(reader, arg)?);
        }
        for keyword in &call.arguments.keywords {
            let Some(name) = &keyword.arg else {
                return reader.fault(keyword, "arguments are given by name, without **");
            };
            if !names.contains(&name.as_str()) {
                let near = catalog::nearest(name.as_str(), names.iter().copied());
                let hint = near
                    .first()
                    .map(|near| format!("; did you mean {near}?"))
                    .unwrap_or_default();
                return reader.fault(
                    keyword,
                    format!(
                        "{} has no argument {name}{hint}",
                        reader.source.of(&*call.func)
                    ),
                );
            }
            found.insert(name.to_string(), self.argument(reader, &keyword.value)?);
        }
        Ok(found)
    }

    /// An argument as a description has it: in a block, an expression of its parameters stays one.
    pub(super) fn argument(&self, reader: &Reader<'_>, expr: &Expr) -> Result<Json> {
        if let Expr::Tuple(_) | Expr::List(_) = expr {
            let items = match expr {
                Expr::Tuple(tuple) => &tuple.elts,
                Expr::List(list) => &list.elts,
                _ => return Ok(Json::Null),
            };
            let items: Result<Vec<Json>> = items
                .iter()
                .map(|item| self.argument(reader, item))
                .collect();
            return items.map(Json::Array);
        }
        let full = reader.names.full(expr).unwrap_or_default();
        if let Some(dtype @ ("float32" | "float64" | "int64")) = full.strip_prefix("torch.") {
            return Ok(dtype.into());
        }
        let text = reader.source.of(expr);
        let mut written = text.to_owned();
        let json = format!("={text}");
        let mut is_expression = false;
        for (at, name) in super::super::write::names_in(&Json::from(json))
            .into_iter()
            .rev()
        {
            if let Some(own) = self.expressions.get(&name) {
                written.replace_range(at..at + name.len(), own);
                is_expression = true;
            }
        }
        if is_expression {
            // It has to have a value for the defaults.
            self.scope
                .evaluate(reader.source.of(expr))
                .or_else(|fault| reader.fault(expr, fault))?;
            // Parentheses around the whole come from a name that stands alone.
            let bare = text.trim() != written.trim() && self.expressions.contains_key(text.trim());
            let written = written.trim();
            let inner = written
                .strip_prefix('(')
                .and_then(|rest| rest.strip_suffix(')'));
            let written = inner.filter(|_| bare).unwrap_or(written);
            return Ok(format!("={}", one_line(written)).into());
        }
        let value = self
            .scope
            .evaluate(reader.source.of(expr))
            .or_else(|fault| reader.fault(expr, format!("{}: {fault}", one_line(text))))?;
        Ok(value.to_json())
    }

    /// `nn.Parameter(torch.zeros(1, 1, 64))`, `nn.Parameter(torch.randn(3) * 0.02)`.
    fn parameter(
        &self,
        reader: &Reader<'_>,
        name: &str,
        expr: &Expr,
        note: String,
    ) -> Result<Node> {
        let wrong = || {
            reader.fault(expr, "a parameter is nn.Parameter(torch.zeros(…)), torch.ones(…) or torch.randn(…) * std")
        };
        let Expr::Call(call) = expr else {
            return wrong();
        };
        let [made] = &call.arguments.args[..] else {
            return wrong();
        };
        let (made, std) = match made {
            Expr::BinOp(product) if product.op == ruff_python_ast::Operator::Mult => {
                match &*product.left {
                    Expr::Call(_) => (&*product.left, Some(self.argument(reader, &product.right)?)),
                    _ => (&*product.right, Some(self.argument(reader, &product.left)?)),
                }
            }
            other => (other, None),
        };
        let Expr::Call(drawn) = made else {
            return wrong();
        };
        let init = match (reader.names.full(&drawn.func).as_deref(), &std) {
            (Some("torch.zeros" | "torch.empty"), None) => "zeros",
            (Some("torch.ones"), None) => "ones",
            (Some("torch.randn"), _) => "normal",
            _ => return wrong(),
        };
        let sizes = match &drawn.arguments.args[..] {
            [one @ (Expr::Tuple(_) | Expr::List(_))] => self.argument(reader, one)?,
            several => {
                let sizes: Result<Vec<Json>> = several
                    .iter()
                    .map(|size| self.argument(reader, size))
                    .collect();
                Json::Array(sizes?)
            }
        };
        let mut args = Args::new();
        args.insert("shape".to_owned(), sizes);
        if init != "zeros" {
            args.insert("init".to_owned(), init.into());
        }
        if init == "normal" {
            let std = std.unwrap_or_else(|| Json::from(1.0));
            if std.as_f64() != Some(0.02) {
                args.insert("std".to_owned(), std);
            }
        }
        Ok(Node {
            id: name.to_owned(),
            kind: "parameter".to_owned(),
            args,
            note,
            ..Node::default()
        })
    }
}

pub(super) fn is_self(expr: &Expr) -> bool {
    matches!(expr, Expr::Name(name) if name.id.as_str() == "self")
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A docstring without its indentation.
fn cleaned(text: &str) -> String {
    let lines: Vec<&str> = text.trim().lines().map(str::trim).collect();
    lines.join("\n")
}

//! Calls and subscripts in `forward`: of layers, of functions, of methods.

use ruff_python_ast::{Expr, ExprCall, ExprSubscript};
use serde_json::Value as Json;

use super::class::{Attribute, is_self};
use super::forward::{Body, Held};
use crate::catalog;
use crate::error::Result;
use crate::functions::{FUNCTIONS, Function, function};
use crate::model::{Args, Node, Source};

/// Functions of `torch.nn.functional` that are layers without weights.
const LAYERS: [(&str, &str); 12] = [
    ("max_pool1d", "MaxPool1d"),
    ("max_pool2d", "MaxPool2d"),
    ("avg_pool1d", "AvgPool1d"),
    ("avg_pool2d", "AvgPool2d"),
    ("adaptive_avg_pool2d", "AdaptiveAvgPool2d"),
    ("dropout", "Dropout"),
    ("leaky_relu", "LeakyReLU"),
    ("elu", "ELU"),
    ("relu6", "ReLU6"),
    ("hardswish", "Hardswish"),
    ("softplus", "Softplus"),
    ("mish", "Mish"),
];

impl Body<'_, '_> {
    pub(super) fn call(&mut self, expr: &Expr, call: &ExprCall, is_last: bool) -> Result<Held> {
        if let Expr::Attribute(attribute) = &*call.func {
            if is_self(&attribute.value) {
                return self.layer(expr, call, attribute.attr.as_str());
            }
            let Some(full) = self.reader.names.full(&call.func) else {
                let method = attribute.attr.to_string();
                return self.method(expr, call, &attribute.value, &method, is_last);
            };
            let short = full.rsplit('.').next().unwrap_or("").to_owned();
            return match full
                .strip_suffix(&short)
                .map(|place| place.trim_end_matches('.'))
            {
                Some("torch") => self.function_call(expr, call, &short, is_last),
                Some("torch.nn.functional") => match LAYERS.iter().find(|(name, _)| *name == short)
                {
                    Some((_, kind)) => self.functional_layer(expr, call, kind),
                    None => self.function_call(expr, call, &short, is_last),
                },
                _ => self.fault(expr, format!("{full} is no function that a picture has")),
            };
        }
        if let Expr::Call(inner) = &*call.func
            && self
                .reader
                .names
                .full(&inner.func)
                .is_some_and(|full| full.starts_with("torch.nn."))
        {
            return self.fault(expr, "a layer is made in __init__, and called in forward");
        }
        self.fault(
            expr,
            format!(
                "{} is no layer of this class and no function that a picture has",
                self.reader.source.of(&*call.func)
            ),
        )
    }

    fn layer(&mut self, expr: &Expr, call: &ExprCall, name: &str) -> Result<Held> {
        if !matches!(self.class.attributes.get(name), Some(Attribute::Module(_))) {
            return self.fault(expr, format!("self.{name} is no layer that __init__ makes; other methods have no place in a picture"));
        }
        let mut inputs = Vec::new();
        for arg in &call.arguments.args {
            inputs.push(self.tensor(arg)?);
        }
        for keyword in &call.arguments.keywords {
            let name = keyword.arg.as_ref().map_or("", |name| name.as_str());
            if name != "need_weights" {
                return self.fault(
                    keyword,
                    format!("a picture calls a layer with tensors alone, not with {name}="),
                );
            }
        }
        self.module(expr, name, inputs)
    }

    /// A function of torch or of torch.nn.functional, which takes its operands first.
    fn function_call(
        &mut self,
        expr: &Expr,
        call: &ExprCall,
        name: &str,
        is_last: bool,
    ) -> Result<Held> {
        if name == "arange" {
            return self.positions(expr, call, is_last);
        }
        let name = other_name(name);
        let Some(function) = function(name).filter(|function| !function.operands.is_empty()) else {
            return self.unknown(expr, name);
        };
        if function.is_variadic() {
            let Some(list) = call.arguments.args.first() else {
                return self.fault(expr, format!("{name} takes a list of tensors"));
            };
            let Held::Several(parts) = self.held(list, false)? else {
                return self.fault(list, format!("{name} takes a list of tensors"));
            };
            let mut inputs = Vec::new();
            for part in parts {
                match part {
                    Held::Tensor(source) | Held::Results(source) => inputs.push(source),
                    _ => return self.fault(list, format!("{name} takes a list of tensors")),
                }
            }
            let args = self.settings(expr, call, function, 1)?;
            return self.function(expr, function.name, args, inputs, is_last);
        }
        let n = function.operands.len();
        let mut inputs = Vec::new();
        for arg in call.arguments.args.iter().take(n) {
            inputs.push(self.tensor(arg)?);
        }
        if inputs.len() < n {
            return self.fault(expr, format!("{name} takes {n} tensors"));
        }
        let args = self.settings(expr, call, function, n)?;
        self.function(expr, function.name, args, inputs, is_last)
    }

    fn unknown(&self, expr: &Expr, name: &str) -> Result<Held> {
        let names = FUNCTIONS
            .iter()
            .map(|function| function.name)
            .chain(LAYERS.iter().map(|(name, _)| *name));
        let near = catalog::nearest(name, names);
        let hint = near
            .first()
            .map(|near| format!("; did you mean {near}?"))
            .unwrap_or_default();
        self.fault(
            expr,
            format!("{name} is no function that a picture has{hint}"),
        )
    }

    /// `F.max_pool2d(x, 2)`: a layer without weights, made where it is used.
    fn functional_layer(&mut self, expr: &Expr, call: &ExprCall, kind: &str) -> Result<Held> {
        let Some(row) = catalog::layer(kind) else {
            return self.unknown(expr, kind);
        };
        let Some(first) = call.arguments.args.first() else {
            return self.fault(expr, format!("{kind} takes a tensor"));
        };
        let input = self.tensor(first)?;
        let names: Vec<&str> = row
            .arguments
            .iter()
            .map(|argument| argument.name.as_str())
            .collect();
        let mut args = Args::new();
        for (i, arg) in call.arguments.args.iter().skip(1).enumerate() {
            // `training=self.training` changes nothing in a picture.
            if self.reader.source.of(arg) == "self.training" {
                continue;
            }
            if let (Some(name), Held::Value(value)) = (names.get(i), self.held(arg, false)?) {
                args.insert((*name).to_owned(), value);
            }
        }
        for keyword in &call.arguments.keywords {
            let name = keyword.arg.as_ref().map_or("", |name| name.as_str());
            if name == "training" {
                continue;
            }
            if !names.contains(&name) {
                return self.fault(keyword, format!("{kind} has no argument {name}"));
            }
            if let Held::Value(value) = self.held(&keyword.value, false)? {
                args.insert(name.to_owned(), value);
            }
        }
        let id = crate::edit::free_id(&self.class.nodes, &self.class.inputs, kind);
        self.class.nodes.push(Node {
            id: id.clone(),
            kind: kind.to_owned(),
            args,
            inputs: vec![input],
            ..Node::default()
        });
        Ok(Held::Tensor(id))
    }

    /// `torch.arange(x.shape[1])`.
    fn positions(&mut self, expr: &Expr, call: &ExprCall, is_last: bool) -> Result<Held> {
        if let [length] = &call.arguments.args[..]
            && let Held::SizeOf(source, dim) = self.held(length, false)?
        {
            let mut args = Args::new();
            args.insert("dim".to_owned(), dim.into());
            return self.function(expr, "positions", args, vec![source], is_last);
        }
        self.fault(
            expr,
            "torch.arange counts along a dimension of a tensor: torch.arange(x.shape[1])",
        )
    }

    fn method(
        &mut self,
        expr: &Expr,
        call: &ExprCall,
        owner: &Expr,
        name: &str,
        is_last: bool,
    ) -> Result<Held> {
        let source = self.tensor(owner)?;
        let args = &call.arguments.args;
        match name {
            "size" => {
                return match &args[..] {
                    [] => Ok(Held::Shape(source)),
                    [dim] => match self.held(dim, false)? {
                        Held::Value(dim) => Ok(Held::SizeOf(source, dim.as_i64().unwrap_or(0))),
                        _ => self.fault(dim, "size takes a dimension"),
                    },
                    _ => self.fault(expr, "size takes a dimension"),
                };
            }
            "contiguous" | "clone" | "detach" if args.is_empty() => {
                return Ok(Held::Tensor(source));
            }
            "expand" => {
                if let Some(Held::SizeOf(batch, 0)) = args
                    .first()
                    .map(|first| self.held(first, false))
                    .transpose()?
                {
                    return self.function(
                        expr,
                        "expand_batch",
                        Args::new(),
                        vec![source, batch],
                        is_last,
                    );
                }
                return self.fault(
                    expr,
                    "expand repeats a tensor for each sample: p.expand(x.shape[0], -1, -1)",
                );
            }
            "view" | "reshape" => return self.reshaped(expr, call, source, is_last),
            _ => {}
        }
        let name = other_name(name);
        let Some(function) = function(name).filter(|function| !function.operands.is_empty()) else {
            return self.unknown(expr, name);
        };
        let n = function.operands.len() - 1;
        let mut inputs = vec![source];
        for arg in args.iter().take(n) {
            inputs.push(self.tensor(arg)?);
        }
        let settings = self.settings(expr, call, function, n)?;
        self.function(expr, function.name, settings, inputs, is_last)
    }

    /// `view` and `reshape`, where the size of the batch may be written as `x.size(0)`.
    fn reshaped(
        &mut self,
        expr: &Expr,
        call: &ExprCall,
        source: String,
        is_last: bool,
    ) -> Result<Held> {
        let mut sizes = Vec::new();
        for arg in &call.arguments.args {
            match self.held(arg, false)? {
                Held::Several(parts) => sizes.extend(parts),
                held => sizes.push(held),
            }
        }
        let is_batch = |held: &Held| matches!(held, Held::SizeOf(of, 0) if *of == source || true);
        if let [first, Held::Value(rest)] = &sizes[..]
            && is_batch(first)
            && rest.as_i64() == Some(-1)
        {
            let mut args = Args::new();
            args.insert("start_dim".to_owned(), 1.into());
            return self.function(expr, "flatten", args, vec![source], is_last);
        }
        let mut shape = Vec::new();
        for (i, held) in sizes.into_iter().enumerate() {
            shape.push(match held {
                Held::Value(Json::Array(more)) => {
                    shape.extend(more);
                    continue;
                }
                Held::Value(value) => value,
                Held::SizeOf(_, 0) if i == 0 => Json::from(-1),
                _ => return self.fault(
                    expr,
                    "sizes of another shape are numbers, and the first may be that of the batch",
                ),
            });
        }
        let mut args = Args::new();
        args.insert("shape".to_owned(), Json::Array(shape));
        self.function(expr, "reshape", args, vec![source], is_last)
    }

    /// The arguments of a function behind its operands.
    fn settings(
        &mut self,
        expr: &Expr,
        call: &ExprCall,
        function: &Function,
        operands: usize,
    ) -> Result<Args> {
        let mut args = Args::new();
        let rest: Vec<&Expr> = call.arguments.args.iter().skip(operands).collect();
        // `permute(0, 2, 1)` and `permute((0, 2, 1))` say the same.
        let is_list = function
            .arguments
            .first()
            .is_some_and(|first| first.kind == "ints" && matches!(first.name, "dims" | "shape"));
        if is_list && rest.len() > 1 {
            let mut all = Vec::new();
            for arg in rest {
                all.push(self.setting(arg)?);
            }
            args.insert(function.arguments[0].name.to_owned(), Json::Array(all));
        } else {
            for (i, arg) in rest.into_iter().enumerate() {
                let Some(setting) = function.arguments.get(i) else {
                    return self.fault(arg, format!("{} takes fewer arguments", function.name));
                };
                args.insert(setting.name.to_owned(), self.setting(arg)?);
            }
        }
        for keyword in &call.arguments.keywords {
            let name = keyword.arg.as_ref().map_or("", |name| name.as_str());
            let name = if name == "axis" { "dim" } else { name };
            match function
                .arguments
                .iter()
                .find(|setting| setting.name == name)
            {
                Some(setting) => {
                    args.insert(setting.name.to_owned(), self.setting(&keyword.value)?);
                }
                // Dropout inside of attention is left to a layer.
                None if name == "dropout_p" && self.reader.source.of(&keyword.value) == "0.0" => {}
                None => {
                    return self.fault(
                        keyword,
                        format!("{} has no argument {name} in a picture", function.name),
                    );
                }
            }
        }
        let _ = expr;
        Ok(args)
    }

    fn setting(&mut self, expr: &Expr) -> Result<Json> {
        match self.held(expr, false)? {
            Held::Value(value) => Ok(value),
            Held::Several(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    match part {
                        Held::Value(value) => all.push(value),
                        _ => return self.fault(expr, "an argument here is a number"),
                    }
                }
                Ok(Json::Array(all))
            }
            _ => self.fault(
                expr,
                format!(
                    "{} has to be a number, which is the same for every input",
                    self.reader.source.of(expr)
                ),
            ),
        }
    }

    pub(super) fn subscript(
        &mut self,
        expr: &Expr,
        subscript: &ExprSubscript,
        is_last: bool,
    ) -> Result<Held> {
        let held = self.held(&subscript.value, false)?;
        let index = |body: &mut Self, expr: &Expr| match body.held(expr, false)? {
            Held::Value(value) => match value.as_i64() {
                Some(n) => Ok(n),
                None => body.fault(expr, "an index is a whole number"),
            },
            _ => body.fault(expr, "an index is a whole number"),
        };
        match held {
            Held::Shape(source) => Ok(Held::SizeOf(source, index(self, &subscript.slice)?)),
            Held::Results(name) => {
                let at = index(self, &subscript.slice)?;
                let at = usize::try_from(at)
                    .or_else(|_| self.fault(expr, "results are counted from 0"))?;
                Ok(Held::Tensor(Source::text(&name, at)))
            }
            Held::Several(parts) => {
                let at = index(self, &subscript.slice)?;
                let part = usize::try_from(at)
                    .ok()
                    .and_then(|at| parts.get(at))
                    .cloned();
                part.map_or_else(|| self.fault(expr, "an index lies beyond the end"), Ok)
            }
            Held::Tensor(source) => {
                let items = match &*subscript.slice {
                    Expr::Tuple(tuple) => tuple.elts.iter().collect(),
                    one => vec![one],
                };
                let is_whole = |expr: &&Expr| matches!(expr, Expr::Slice(slice) if slice.lower.is_none() && slice.upper.is_none() && slice.step.is_none());
                let named: Vec<usize> =
                    (0..items.len()).filter(|&i| !is_whole(&items[i])).collect();
                let [dim] = named[..] else {
                    return self.fault(expr, "a picture takes one slice: x[:, 0] or x[:, 2:5]");
                };
                let mut args = Args::new();
                args.insert("dim".to_owned(), dim.into());
                match items[dim] {
                    Expr::Slice(slice) if slice.step.is_none() => {
                        let start = slice
                            .lower
                            .as_ref()
                            .map(|at| index(self, at))
                            .transpose()?
                            .unwrap_or(0);
                        let Some(end) = &slice.upper else {
                            return self.fault(expr, "a slice of a picture has an end: x[:, 2:5]");
                        };
                        let end = index(self, end)?;
                        args.insert("start".to_owned(), start.into());
                        args.insert("length".to_owned(), (end - start).into());
                        self.function(expr, "narrow", args, vec![source], is_last)
                    }
                    at => {
                        args.insert("index".to_owned(), index(self, at)?.into());
                        self.function(expr, "select", args, vec![source], is_last)
                    }
                }
            }
            _ => self.fault(expr, "only tensors and sizes have an index here"),
        }
    }
}

/// The name under which a function is known here.
fn other_name(name: &str) -> &str {
    match name {
        "concat" | "concatenate" => "cat",
        "bmm" | "mm" => "matmul",
        "swapaxes" => "transpose",
        "mul" | "multiply" => "mul",
        "subtract" => "sub",
        other => other,
    }
}

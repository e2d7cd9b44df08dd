//! How each layer that has a type in Rust is made.

use serde_json::Value as Json;

use super::expression::{in_rust, number};
use super::{Writer, type_of};
use crate::arguments::expression;
use crate::catalog::{self, Argument};
use crate::error::{Error, Result};
use crate::model::{Node, Parameter};

/// A layer's type.
pub struct Layer {
    /// The name of its row.
    pub name: &'static str,
    /// Its type in `glowgrad::nn`.
    pub(super) kind: &'static str,
    /// The type of its arguments; empty where the layer is that.
    options: &'static str,
    /// The method that makes it of them.
    build: &'static str,
}

macro_rules! layers {
    (plain { $($plain:literal),* $(,)? } built { $($built:literal),* $(,)? } $(other { $($name:literal $options:literal $build:literal),* $(,)? })?) => {
        /// All layers that have a type in Rust, by the names of their rows.
        pub const LAYERS: &[Layer] = &[
            $(Layer { name: $plain, kind: $plain, options: "", build: "" },)*
            $(Layer { name: $built, kind: $built, options: concat!($built, "Options"), build: "build" },)*
            $($(Layer { name: $name, kind: $name, options: $options, build: $build },)*)?
        ];
    };
}
layers! {
    plain {
        "ReLU", "ReLU6", "Tanh", "Sigmoid", "LogSigmoid", "SiLU", "Mish", "SELU", "ELU", "CELU", "LeakyReLU", "Hardtanh",
        "Softplus", "Softsign", "GELU", "Tanhshrink", "Hardsigmoid", "Hardswish", "Threshold", "Softshrink", "Hardshrink",
        "GLU", "Softmax", "LogSoftmax", "Softmin", "Identity", "Flatten", "Unflatten", "PixelShuffle", "PixelUnshuffle",
        "Unfold", "Fold", "MaxPool1d", "MaxPool2d", "MaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d",
        "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
        "ConstantPad1d", "ConstantPad2d", "ConstantPad3d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d",
        "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d",
        "ReplicationPad3d", "CircularPad1d", "CircularPad2d", "CircularPad3d",
    }
    built {
        "PReLU", "Linear", "Embedding", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "LayerNorm",
        "RMSNorm", "GroupNorm", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "Dropout", "Dropout1d", "Dropout2d",
        "Dropout3d", "MultiheadAttention", "TransformerEncoderLayer",
    }
    other {
        "RNN" "RecurrentOptions" "elman", "LSTM" "RecurrentOptions" "lstm", "GRU" "RecurrentOptions" "gru",
    }
}

/// A layer by the name of its row.
pub(super) fn find(name: &str) -> Result<&'static Layer> {
    LAYERS
        .iter()
        .find(|layer| layer.name == name)
        .ok_or_else(|| {
            Error::new(format!(
                "{name} has no type in Rust yet; the network's Python has it"
            ))
        })
}

impl Writer<'_> {
    /// The expression that makes a node's field.
    pub(super) fn made(&mut self, node: &Node, parameters: &[Parameter]) -> Result<String> {
        let one = self.one(node, parameters)?;
        Ok(match node.repeat {
            None => format!("{one}?"),
            Some(n) => format!("(0..{n}).map(|_| {one}).collect::<Result<_>>()?"),
        }
        .replace("???", "")
        .replace("??", ""))
    }

    /// An expression that gives a `Result`, or with `??` at its end what needs none.
    fn one(&mut self, node: &Node, parameters: &[Parameter]) -> Result<String> {
        if node.kind == "parameter" {
            return self.parameter(node, parameters);
        }
        if node.kind == "Sequential" {
            self.types.insert("Sequential".to_owned());
            let mut text = String::from("Sequential::new()");
            for child in &node.children {
                // A row in a row is a vector, which is no module.
                if child.repeat.is_some() {
                    return Err(Error::new(
                        "a repeated layer inside of a Sequential is not written in Rust; give it a node of its own",
                    ));
                }
                // What options build is named nowhere.
                if let Some(layer) = LAYERS
                    .iter()
                    .find(|layer| layer.name == child.kind && layer.options.is_empty())
                {
                    self.types.insert(layer.kind.to_owned());
                }
                let made = self.made(child, parameters)?;
                text.push_str(&format!("\n    .then({})", made.replace('\n', "\n    ")));
            }
            return Ok(format!("{text}??"));
        }
        if let Some(block) = self.net.block(&node.kind) {
            let args: Vec<String> = (block.parameters.iter())
                .map(|one| {
                    let given = node.args.get(&one.name).unwrap_or(&one.default);
                    let is_float = type_of(&one.default) == "f64";
                    scalar(given, is_float, parameters)
                })
                .collect::<Result<_>>()?;
            let args: String = args.iter().map(|arg| format!(", {arg}")).collect();
            return Ok(format!("{}::new(engine{args})", block.name));
        }
        let row = catalog::layer(&node.kind)
            .ok_or_else(|| Error::new(format!("there is no layer {}", node.kind)))?;
        let layer = find(row.short())?;
        let mut first = Vec::new();
        let mut rest = String::new();
        // PyTorch guesses the dimension where it is left out; Rust's types do not.
        let needs_dim = matches!(row.short(), "Softmax" | "LogSoftmax" | "Softmin");
        if needs_dim && node.args.get("dim").is_none_or(Json::is_null) {
            return Err(Error::new(format!(
                "{} in Rust needs dim; set it",
                row.short()
            )));
        }
        for argument in row.settings() {
            let Some(given) = node.args.get(&argument.name) else {
                continue;
            };
            let text = argument_text(argument, given, parameters)?;
            if text.contains("Sizes::from") {
                self.types.insert("Sizes".to_owned());
            }
            if argument.required || needs_dim && argument.name == "dim" {
                first.push(text);
            } else if !(argument.name == "return_indices" && *given == Json::Bool(false))
                && argument.name != "inplace"
            {
                rest.push_str(&format!(".{}({text})", argument.name));
            }
        }
        if layer.options.is_empty() {
            return Ok(format!("{}::new({}){rest}??", layer.kind, first.join(", ")));
        }
        self.types.insert(layer.options.to_owned());
        Ok(format!(
            "{}::new({}){rest}.{}(engine)",
            layer.options,
            first.join(", "),
            layer.build
        ))
    }

    fn parameter(&mut self, node: &Node, parameters: &[Parameter]) -> Result<String> {
        let shape = match node.args.get("shape") {
            Some(Json::Array(sizes)) => sizes
                .iter()
                .map(|size| scalar(size, false, parameters))
                .collect::<Result<Vec<_>>>()?,
            Some(size) => vec![scalar(size, false, parameters)?],
            None => Vec::new(),
        };
        let init = node
            .args
            .get("init")
            .and_then(Json::as_str)
            .unwrap_or("zeros");
        let std = node
            .args
            .get("std")
            .map_or(Ok("0.02".to_owned()), |std| scalar(std, true, parameters))?;
        self.calls.extend(["DType", "Scalar"]);
        let fill = if init == "ones" { "1.0" } else { "0.0" };
        let mut text = format!(
            "{{\n    let parameter = Tensor::full(engine, &[{}], Scalar::Float({fill}), DType::F32)?;\n",
            shape.join(", ")
        );
        if init == "normal" {
            self.calls.insert("init");
            text.push_str(&format!("    init::normal_(&parameter, 0.0, {std})?;\n"));
        }
        text.push_str("    parameter.set_requires_grad(true)?;\n    parameter\n}??");
        Ok(text)
    }
}

/// A number, a text or an expression of parameters.
pub(super) fn scalar(json: &Json, is_float: bool, parameters: &[Parameter]) -> Result<String> {
    match expression(json) {
        Some(text) => in_rust(text, parameters),
        None => Ok(match json {
            Json::String(text) => format!("{text:?}"),
            Json::Bool(b) => b.to_string(),
            json => number(json, is_float),
        }),
    }
}

/// An argument of a layer's constructor.
fn argument_text(argument: &Argument, json: &Json, parameters: &[Parameter]) -> Result<String> {
    if let Json::Array(items) = json {
        let items: Vec<String> = items
            .iter()
            .map(|item| scalar(item, false, parameters))
            .collect::<Result<_>>()?;
        let list = format!("[{}]", items.join(", "));
        return Ok(if argument.none && argument.is("sizes") {
            format!("Sizes::from({list})")
        } else {
            list
        });
    }
    let is_float = argument.is("number") || argument.is("probability");
    let text = scalar(json, is_float, parameters)?;
    let is_expression = expression(json).is_some();
    let is_number = json.is_i64();
    Ok(match () {
        () if json.is_null() => "None".to_owned(),
        () if argument.is("sizes") && argument.none => format!("Sizes::from({text})"),
        () if argument.is("size") && is_number => format!("{text}usize"),
        () if argument.is("sizes") && !argument.choices.is_empty() && is_number => {
            format!("{text}usize")
        }
        () if argument.is("int") && is_expression => format!("({text}) as i64"),
        () if argument.is("count") && is_number => format!("{text}usize"),
        () if argument.is("int") && is_number => format!("{text}i64"),
        () => text,
    })
}

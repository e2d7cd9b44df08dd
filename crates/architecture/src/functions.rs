//! What a node can be besides a layer: functions of tensors, a parameter of the network, and places in a sequence.

use std::collections::HashMap;

use crate::expression::{Fault, Value, inferred};

/// Sizes of a tensor.
pub type Shape = Vec<i64>;
/// Arguments by name, all of them.
pub type Settings = HashMap<String, Value>;

/// A function that a node may be.
pub struct Function {
    /// Its name, which is PyTorch's where PyTorch has it.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub doc: &'static str,
    /// The names of its operands.
    pub operands: &'static [&'static str],
    /// Its arguments.
    pub arguments: &'static [Setting],
    /// The family under which it is listed.
    pub family: &'static str,
    shapes: fn(&[Shape], &Settings) -> Result<Vec<Shape>, Fault>,
}

/// An argument of a function.
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// `int`, `ints`, `number`, `bool`, or texts with `|` between them.
    pub kind: &'static str,
    /// Its value as JSON; none where it has to be given.
    pub default: Option<&'static str>,
}

impl Setting {
    /// Its value where a description says nothing.
    pub fn default_value(&self) -> Option<serde_json::Value> {
        self.default
            .and_then(|text| serde_json::from_str(text).ok())
    }
}

const fn setting(name: &'static str, kind: &'static str, default: Option<&'static str>) -> Setting {
    Setting {
        name,
        kind,
        default,
    }
}

impl Function {
    /// The shapes of its results.
    ///
    /// # Errors
    /// Where the operands do not fit.
    pub fn shapes(&self, operands: &[Shape], settings: &Settings) -> Result<Vec<Shape>, Fault> {
        let expected = self.operands.len();
        if operands.len() != expected && !(self.is_variadic() && !operands.is_empty()) {
            let wanted = if expected == 1 {
                "one operand".to_owned()
            } else {
                format!("{expected} operands")
            };
            return Err(format!(
                "{} takes {wanted}, not {}",
                self.name,
                operands.len()
            ));
        }
        (self.shapes)(operands, settings)
    }

    /// Whether it takes as many operands as there are.
    pub fn is_variadic(&self) -> bool {
        matches!(self.name, "cat" | "stack")
    }

    /// Whether it keeps its only operand's shape and takes no argument that a reader has to see.
    pub fn is_activation(&self) -> bool {
        self.family == "activation"
    }
}

fn int(settings: &Settings, name: &str) -> Result<i64, Fault> {
    let value = settings
        .get(name)
        .ok_or_else(|| format!("{name} is missing"))?;
    value
        .int()
        .ok_or_else(|| format!("{name} is {value}, and has to be a whole number"))
}

fn ints(settings: &Settings, name: &str) -> Result<Vec<i64>, Fault> {
    let value = settings
        .get(name)
        .ok_or_else(|| format!("{name} is missing"))?;
    let all = value.int().map(|n| vec![n]).or_else(|| value.sizes());
    all.filter(|all| all.len() <= 16)
        .ok_or_else(|| format!("{name} is {value}, and has to be whole numbers"))
}

/// A dimension by number, counted from the end where it is negative.
fn dimension(dim: i64, n: usize, name: &str) -> Result<usize, Fault> {
    let at = if dim < 0 { dim + n as i64 } else { dim };
    usize::try_from(at)
        .ok()
        .filter(|&at| at < n)
        .ok_or_else(|| {
            format!(
                "{name}={dim} is no dimension of a tensor that has {n}: expected {} to {}",
                -(n as i64),
                n as i64 - 1
            )
        })
}

fn dim(settings: &Settings, name: &str, shape: &Shape) -> Result<usize, Fault> {
    dimension(int(settings, name)?, shape.len(), name)
}

/// The shape of an elementwise result of two tensors.
pub fn broadcast(a: &[i64], b: &[i64]) -> Result<Shape, Fault> {
    let n = a.len().max(b.len());
    let size = |shape: &[i64], i: usize| match (i + shape.len()).checked_sub(n) {
        Some(at) => shape[at],
        None => 1,
    };
    (0..n)
        .map(|i| match (size(a, i), size(b, i)) {
            (1, other) | (other, 1) => Ok(other),
            (one, other) if one == other => Ok(one),
            (one, other) => Err(format!(
                "{a:?} and {b:?} do not go together: dimension {i} is {one} in one and {other} in the other"
            )),
        })
        .collect()
}

fn same(operands: &[Shape], _: &Settings) -> Result<Vec<Shape>, Fault> {
    Ok(vec![operands[0].clone()])
}

fn along_dim(operands: &[Shape], settings: &Settings) -> Result<Vec<Shape>, Fault> {
    dim(settings, "dim", &operands[0])?;
    same(operands, settings)
}

fn elementwise(operands: &[Shape], _: &Settings) -> Result<Vec<Shape>, Fault> {
    Ok(vec![broadcast(&operands[0], &operands[1])?])
}

fn matmul(operands: &[Shape], _: &Settings) -> Result<Vec<Shape>, Fault> {
    let (a, b) = (&operands[0], &operands[1]);
    if a.len() < 2 || b.len() < 2 {
        return Err("matmul takes tensors of two dimensions and more".to_owned());
    }
    let ((first, [m, k]), (second, [other, n])) =
        (a.split_at(a.len() - 2), b.split_at(b.len() - 2))
    else {
        return Err("matmul takes tensors of two dimensions and more".to_owned());
    };
    if k != other {
        return Err(format!(
            "a product of {a:?} and {b:?} needs {k} rows in the second, which has {other}"
        ));
    }
    let mut shape = broadcast(first, second)?;
    shape.extend([m, n]);
    Ok(vec![shape])
}

fn cat(operands: &[Shape], settings: &Settings) -> Result<Vec<Shape>, Fault> {
    let mut shape = operands[0].clone();
    let at = dim(settings, "dim", &shape)?;
    for other in &operands[1..] {
        let fits =
            other.len() == shape.len() && (0..shape.len()).all(|i| i == at || other[i] == shape[i]);
        if !fits {
            return Err(format!(
                "{:?} and {other:?} cannot be joined along dimension {at}: all other sizes have to agree",
                operands[0]
            ));
        }
        shape[at] += other[at];
    }
    Ok(vec![shape])
}

fn stack(operands: &[Shape], settings: &Settings) -> Result<Vec<Shape>, Fault> {
    let mut shape = operands[0].clone();
    if let Some(other) = operands.iter().find(|other| **other != shape) {
        return Err(format!(
            "stack takes tensors of one shape, not {shape:?} and {other:?}"
        ));
    }
    let at = dimension(int(settings, "dim")?, shape.len() + 1, "dim")?;
    shape.insert(at, operands.len() as i64);
    Ok(vec![shape])
}

fn flatten(operands: &[Shape], settings: &Settings) -> Result<Vec<Shape>, Fault> {
    let shape = &operands[0];
    let (from, to) = (
        dim(settings, "start_dim", shape)?,
        dim(settings, "end_dim", shape)?,
    );
    if from > to {
        return Err(format!("start_dim {from} lies after end_dim {to}"));
    }
    let mut flat = shape[..from].to_vec();
    flat.push(shape[from..=to].iter().product());
    flat.extend(&shape[to + 1..]);
    Ok(vec![flat])
}

fn unflatten(operands: &[Shape], settings: &Settings) -> Result<Vec<Shape>, Fault> {
    let mut shape = operands[0].clone();
    let at = dim(settings, "dim", &shape)?;
    let parts = inferred(&ints(settings, "sizes")?, shape[at])?;
    shape.splice(at..=at, parts);
    Ok(vec![shape])
}

fn reshape(operands: &[Shape], settings: &Settings) -> Result<Vec<Shape>, Fault> {
    let n = operands[0].iter().product();
    Ok(vec![inferred(&ints(settings, "shape")?, n)?])
}

fn permute(operands: &[Shape], settings: &Settings) -> Result<Vec<Shape>, Fault> {
    let shape = &operands[0];
    let dims = ints(settings, "dims")?;
    let found: Result<Vec<usize>, Fault> = dims
        .iter()
        .map(|&dim| dimension(dim, shape.len(), "dims"))
        .collect();
    let found = found?;
    let mut sorted = found.clone();
    sorted.sort_unstable();
    if sorted != (0..shape.len()).collect::<Vec<_>>() {
        return Err(format!(
            "dims has to name each of {} dimensions once, and is {dims:?}",
            shape.len()
        ));
    }
    Ok(vec![found.into_iter().map(|at| shape[at]).collect()])
}

fn transpose(operands: &[Shape], settings: &Settings) -> Result<Vec<Shape>, Fault> {
    let mut shape = operands[0].clone();
    let (a, b) = (
        dim(settings, "dim0", &shape)?,
        dim(settings, "dim1", &shape)?,
    );
    shape.swap(a, b);
    Ok(vec![shape])
}

fn squeeze(operands: &[Shape], settings: &Settings) -> Result<Vec<Shape>, Fault> {
    let mut shape = operands[0].clone();
    let at = dim(settings, "dim", &shape)?;
    if shape[at] == 1 {
        shape.remove(at);
    }
    Ok(vec![shape])
}

fn unsqueeze(operands: &[Shape], settings: &Settings) -> Result<Vec<Shape>, Fault> {
    let mut shape = operands[0].clone();
    let at = dimension(int(settings, "dim")?, shape.len() + 1, "dim")?;
    shape.insert(at, 1);
    Ok(vec![shape])
}

fn select(operands: &[Shape], settings: &Settings) -> Result<Vec<Shape>, Fault> {
    let mut shape = operands[0].clone();
    let at = dim(settings, "dim", &shape)?;
    let (index, n) = (int(settings, "index")?, shape.remove(at));
    if index >= n || index < -n {
        return Err(format!(
            "index {index} lies beyond dimension {at}, which has {n}"
        ));
    }
    Ok(vec![shape])
}

fn narrow(operands: &[Shape], settings: &Settings) -> Result<Vec<Shape>, Fault> {
    let mut shape = operands[0].clone();
    let at = dim(settings, "dim", &shape)?;
    let (start, length) = (int(settings, "start")?, int(settings, "length")?);
    if start < 0 || length < 0 || start.checked_add(length).is_none_or(|end| end > shape[at]) {
        return Err(format!(
            "{length} from {start} lie beyond dimension {at}, which has {}",
            shape[at]
        ));
    }
    shape[at] = length;
    Ok(vec![shape])
}

fn chunk(operands: &[Shape], settings: &Settings) -> Result<Vec<Shape>, Fault> {
    let shape = &operands[0];
    let at = dim(settings, "dim", shape)?;
    let chunks = int(settings, "chunks")?;
    if !(1..=64).contains(&chunks) || shape[at] % chunks != 0 {
        return Err(format!(
            "dimension {at} has {}, which are not {chunks} equal parts",
            shape[at]
        ));
    }
    let mut part = shape.clone();
    part[at] /= chunks;
    Ok(vec![part; chunks as usize])
}

fn reduced(operands: &[Shape], settings: &Settings) -> Result<Vec<Shape>, Fault> {
    let shape = &operands[0];
    let dims = ints(settings, "dim")?;
    let dims: Result<Vec<usize>, Fault> = dims
        .iter()
        .map(|&dim| dimension(dim, shape.len(), "dim"))
        .collect();
    let dims = dims?;
    let keeps = settings.get("keepdim") == Some(&Value::Bool(true));
    let sizes = shape
        .iter()
        .enumerate()
        .filter_map(|(i, &size)| match dims.contains(&i) {
            true => keeps.then_some(1),
            false => Some(size),
        });
    Ok(vec![sizes.collect()])
}

fn attention(operands: &[Shape], _: &Settings) -> Result<Vec<Shape>, Fault> {
    let (q, k, v) = (&operands[0], &operands[1], &operands[2]);
    let n = q.len();
    let fits = n >= 2
        && k.len() == n
        && v.len() == n
        && q[..n - 2] == k[..n - 2]
        && k[..n - 1] == v[..n - 1]
        && q[n - 1] == k[n - 1];
    if !fits {
        return Err(format!(
            "attention takes queries [*, L, E], keys [*, S, E] and values [*, S, V], not {q:?}, {k:?} and {v:?}"
        ));
    }
    let mut shape = q.clone();
    shape[n - 1] = v[n - 1];
    Ok(vec![shape])
}

fn positions(operands: &[Shape], settings: &Settings) -> Result<Vec<Shape>, Fault> {
    let at = dim(settings, "dim", &operands[0])?;
    Ok(vec![vec![operands[0][at]]])
}

fn parameter(_: &[Shape], settings: &Settings) -> Result<Vec<Shape>, Fault> {
    let shape = ints(settings, "shape")?;
    if shape.iter().any(|&size| size < 1) {
        return Err(format!("shape is {shape:?}, and has to be sizes from 1"));
    }
    Ok(vec![shape])
}

fn for_each_sample(operands: &[Shape], _: &Settings) -> Result<Vec<Shape>, Fault> {
    let (one, batch) = (&operands[0], &operands[1]);
    let (Some(&first), Some(&n)) = (one.first(), batch.first()) else {
        return Err("expand_batch takes tensors of one dimension and more".to_owned());
    };
    if first != 1 {
        return Err(format!(
            "expand_batch repeats a tensor of one sample, and {one:?} has {first}"
        ));
    }
    let mut shape = one.clone();
    shape[0] = n;
    Ok(vec![shape])
}

macro_rules! functions {
    ($($family:literal { $($name:literal [$($operand:literal),*] ($($arg:literal: $kind:literal $(= $default:literal)?),*) $shapes:ident $doc:literal;)* })*) => {
        &[$($(Function {
            name: $name,
            doc: $doc,
            operands: &[$($operand),*],
            arguments: &[$(setting($arg, $kind, functions!(@ $($default)?))),*],
            family: $family,
            shapes: $shapes,
        },)*)*]
    };
    (@) => { None };
    (@ $default:literal) => { Some($default) };
}

/// All functions.
pub static FUNCTIONS: &[Function] = functions! {
    "arithmetic" {
        "add" ["a", "b"] () elementwise "The sum, element by element; a size of 1 is repeated.";
        "sub" ["a", "b"] () elementwise "The difference, element by element.";
        "mul" ["a", "b"] () elementwise "The product, element by element.";
        "div" ["a", "b"] () elementwise "The quotient, element by element.";
        "matmul" ["a", "b"] () matmul "The product of matrices in the last two dimensions.";
        "scale" ["x"] ("factor": "number") same "Each element times a number.";
    }
    "activation" {
        "relu" ["x"] () same "What is negative becomes 0.";
        "gelu" ["x"] () same "x times the share of a normal distribution that lies below x.";
        "silu" ["x"] () same "x times its sigmoid.";
        "tanh" ["x"] () same "From -1 to 1, steepest at 0.";
        "sigmoid" ["x"] () same "From 0 to 1.";
        "exp" ["x"] () same "The exponential function.";
        "softmax" ["x"] ("dim": "int" = "-1") along_dim "Shares that add up to 1 along a dimension.";
        "log_softmax" ["x"] ("dim": "int" = "-1") along_dim "The logarithm of softmax.";
    }
    "shape" {
        "cat" ["a", "b"] ("dim": "int" = "0") cat "Tensors joined along a dimension.";
        "stack" ["a", "b"] ("dim": "int" = "0") stack "Tensors side by side along a new dimension.";
        "chunk" ["x"] ("chunks": "int", "dim": "int" = "0") chunk "Equal parts along a dimension.";
        "flatten" ["x"] ("start_dim": "int" = "0", "end_dim": "int" = "-1") flatten "Several dimensions as one.";
        "unflatten" ["x"] ("dim": "int", "sizes": "ints") unflatten "One dimension as several.";
        "reshape" ["x"] ("shape": "ints") reshape "The same elements in another shape.";
        "permute" ["x"] ("dims": "ints") permute "Dimensions in another order.";
        "transpose" ["x"] ("dim0": "int", "dim1": "int") transpose "Two dimensions exchanged.";
        "squeeze" ["x"] ("dim": "int") squeeze "Without a dimension of size 1.";
        "unsqueeze" ["x"] ("dim": "int") unsqueeze "With a dimension of size 1 more.";
        "select" ["x"] ("dim": "int", "index": "int") select "One slice along a dimension.";
        "narrow" ["x"] ("dim": "int", "start": "int", "length": "int") narrow "Some slices along a dimension.";
    }
    "reduction" {
        "mean" ["x"] ("dim": "ints", "keepdim": "bool" = "false") reduced "The mean along dimensions.";
        "sum" ["x"] ("dim": "ints", "keepdim": "bool" = "false") reduced "The sum along dimensions.";
        "amax" ["x"] ("dim": "ints", "keepdim": "bool" = "false") reduced "The largest along dimensions.";
    }
    "attention" {
        "scaled_dot_product_attention" ["query", "key", "value"] ("is_causal": "bool" = "false") attention
            "For each query, the mean of the values by how well their keys match.";
        "positions" ["x"] ("dim": "int" = "1") positions "0, 1, 2 and so on, as many as x has along a dimension.";
    }
    "parameter" {
        "parameter" [] ("shape": "ints", "init": "zeros|ones|normal" = "\"zeros\"", "std": "number" = "0.02") parameter
            "Numbers of the network's own, which are trained.";
        "expand_batch" ["one", "batch"] () for_each_sample "A tensor of one sample, repeated for each sample of a batch.";
        "randn_like" ["x"] () same "Normal random numbers in x's shape.";
    }
};

/// A function by name.
pub fn function(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

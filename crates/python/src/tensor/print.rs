//! How a tensor prints: PyTorch's `_tensor_str`, with its default options.
//!
//! Four decimals, scientific notation when the magnitudes ask for it, rows of 80 columns, and only
//! the edges of a tensor of more than 1,000 elements.

use glowgrad::{DType, Scalar, Tensor};

const PRECISION: usize = 4;
const THRESHOLD: usize = 1000;
const EDGE_ITEMS: usize = 3;
const LINE_WIDTH: usize = 80;

/// `tensor([1., 2.], requires_grad=True)`; `class` is what stands before the bracket.
pub(crate) fn show(tensor: &Tensor, class: &str) -> glowgrad::Result<String> {
    let shape = tensor.shape().to_vec();
    let dtype = tensor.dtype();
    let prefix = format!("{class}(");
    let indent = prefix.len();
    let mut suffixes = Vec::new();
    let body = if tensor.numel() == 0 {
        if shape.len() != 1 {
            suffixes.push(format!("size={}", tuple(&shape)));
        }
        if dtype != DType::F32 {
            suffixes.push(format!("dtype=torch.{dtype}"));
        }
        "[]".to_owned()
    } else {
        if dtype == DType::F64 {
            suffixes.push(format!("dtype=torch.{dtype}"));
        }
        let values = tensor.to_scalars()?;
        let summarize = values.len() > THRESHOLD;
        let mut shown = Vec::new();
        visible(&values, &shape, summarize, &mut shown);
        let format = Format::for_values(&shown, dtype);
        block(&values, &shape, indent, summarize, &format)
    };
    if let Some(name) = tensor.grad_fn() {
        suffixes.push(format!("grad_fn=<{name}>"));
    } else if tensor.requires_grad() {
        suffixes.push("requires_grad=True".to_owned());
    }
    Ok(with_suffixes(prefix + &body, &suffixes, indent))
}

fn with_suffixes(mut text: String, suffixes: &[String], indent: usize) -> String {
    let last_line = text.rfind('\n').map_or(0, |at| at + 1);
    // Two more than the line, as PyTorch counts it.
    let mut width = text[last_line..].chars().count() + 2;
    for suffix in suffixes {
        let length = suffix.chars().count();
        if width + length + 2 > LINE_WIDTH {
            text.push_str(",\n");
            text.push_str(&" ".repeat(indent));
            width = indent + length;
        } else {
            text.push_str(", ");
            width += length + 2;
        }
        text.push_str(suffix);
    }
    text.push(')');
    text
}

fn tuple(sizes: &[usize]) -> String {
    let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    match &sizes[..] {
        [one] => format!("({one},)"),
        _ => format!("({})", sizes.join(", ")),
    }
}

/// The values that will be printed.
fn visible(values: &[Scalar], shape: &[usize], summarize: bool, out: &mut Vec<Scalar>) {
    let [n, rest @ ..] = shape else {
        out.extend(values.first());
        return;
    };
    let stride: usize = rest.iter().product();
    for row in kept(*n, summarize) {
        visible(
            &values[row * stride..(row + 1) * stride],
            rest,
            summarize,
            out,
        );
    }
}

/// The indices of a dimension that are printed.
fn kept(n: usize, summarize: bool) -> impl Iterator<Item = usize> {
    let cut = summarize && n > 2 * EDGE_ITEMS;
    (0..n).filter(move |i| !cut || *i < EDGE_ITEMS || *i >= n - EDGE_ITEMS)
}

fn block(
    values: &[Scalar],
    shape: &[usize],
    indent: usize,
    summarize: bool,
    format: &Format,
) -> String {
    let [n, rest @ ..] = shape else {
        return values
            .first()
            .map(|value| format.show(*value))
            .unwrap_or_default();
    };
    let cut = summarize && *n > 2 * EDGE_ITEMS;
    if rest.is_empty() {
        let mut parts: Vec<String> = kept(*n, summarize)
            .map(|i| format.show(values[i]))
            .collect();
        if cut {
            parts.insert(EDGE_ITEMS, " ...".to_owned());
        }
        let per_line = (LINE_WIDTH.saturating_sub(indent) / (format.width + 2)).max(1);
        let lines: Vec<String> = parts.chunks(per_line).map(|line| line.join(", ")).collect();
        let between = format!(",\n{}", " ".repeat(indent + 1));
        return format!("[{}]", lines.join(&between));
    }
    let stride: usize = rest.iter().product();
    let mut parts: Vec<String> = kept(*n, summarize)
        .map(|row| {
            let row = &values[row * stride..(row + 1) * stride];
            block(row, rest, indent + 1, summarize, format)
        })
        .collect();
    if cut {
        parts.insert(EDGE_ITEMS, "...".to_owned());
    }
    let between = format!(",{}{}", "\n".repeat(rest.len()), " ".repeat(indent + 1));
    format!("[{}]", parts.join(&between))
}

/// How all elements of one tensor are written.
struct Format {
    float: bool,
    integral: bool,
    scientific: bool,
    width: usize,
}

impl Format {
    fn for_values(values: &[Scalar], dtype: DType) -> Format {
        let mut format = Format {
            float: dtype.is_float(),
            integral: true,
            scientific: false,
            width: 1,
        };
        if !format.float {
            format.width = values
                .iter()
                .map(|value| plain(*value).len())
                .max()
                .unwrap_or(1);
            return format;
        }
        let finite: Vec<f64> = values
            .iter()
            .map(|value| value.as_f64())
            .filter(|value| value.is_finite() && *value != 0.0)
            .collect();
        if finite.is_empty() {
            return format;
        }
        let least = finite
            .iter()
            .copied()
            .map(f64::abs)
            .fold(f64::INFINITY, f64::min);
        let most = finite.iter().copied().map(f64::abs).fold(0.0, f64::max);
        format.integral = finite.iter().all(|value| *value == value.ceil());
        format.scientific = most / least > 1000.0 || most > 1.0e8 || least < 1.0e-4;
        let extra = usize::from(format.integral && !format.scientific);
        format.width = finite
            .iter()
            .map(|value| {
                if format.scientific {
                    scientific(*value).len()
                } else if format.integral {
                    format!("{value:.0}").len() + extra
                } else {
                    format!("{value:.PRECISION$}").len()
                }
            })
            .max()
            .unwrap_or(1);
        format
    }

    fn show(&self, value: Scalar) -> String {
        let text = if !self.float {
            plain(value)
        } else {
            let value = value.as_f64();
            if value.is_nan() {
                "nan".to_owned()
            } else if value.is_infinite() {
                if value > 0.0 { "inf" } else { "-inf" }.to_owned()
            } else if self.scientific {
                scientific(value)
            } else if self.integral {
                format!("{value:.0}.")
            } else {
                format!("{value:.PRECISION$}")
            }
        };
        format!("{text:>width$}", width = self.width)
    }
}

fn plain(value: Scalar) -> String {
    match value {
        Scalar::Bool(true) => "True".to_owned(),
        Scalar::Bool(false) => "False".to_owned(),
        Scalar::Int(value) => value.to_string(),
        Scalar::Float(value) => value.to_string(),
    }
}

/// Python's `%.4e`: at least two digits of exponent, with its sign.
fn scientific(value: f64) -> String {
    let text = format!("{value:.PRECISION$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            let (sign, digits) = match exponent.strip_prefix('-') {
                Some(digits) => ('-', digits),
                None => ('+', exponent),
            };
            format!("{mantissa}e{sign}{digits:0>2}")
        }
        None => text,
    }
}

//! How a tensor prints: PyTorch's `_tensor_str`.
//!
//! By default four decimals, scientific notation when the magnitudes ask for it, rows of 80 columns,
//! and only the edges of a tensor of more than 1,000 elements.

use glowgrad::meta::META;
use glowgrad::{DType, Scalar, Tensor};

/// The most elements that are written, whatever the options say.
const MOST_SHOWN: usize = 1 << 22;

/// `torch.set_printoptions`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PrintOptions {
    /// Digits after the point.
    pub(crate) precision: usize,
    /// More elements than this are cut to the edges.
    pub(crate) threshold: usize,
    /// Elements shown at each edge.
    pub(crate) edge_items: usize,
    pub(crate) line_width: usize,
    /// Scientific notation; none to let the magnitudes decide.
    pub(crate) scientific: Option<bool>,
}

impl Default for PrintOptions {
    fn default() -> PrintOptions {
        PrintOptions {
            precision: 4,
            threshold: 1000,
            edge_items: 3,
            line_width: 80,
            scientific: None,
        }
    }
}

/// `tensor([1., 2.], requires_grad=True)`; `class` is what stands before the bracket.
pub(crate) fn show(
    tensor: &Tensor,
    class: &str,
    options: &PrintOptions,
) -> glowgrad::Result<String> {
    let shape = tensor.shape().to_vec();
    let dtype = tensor.dtype();
    let prefix = format!("{class}(");
    let indent = prefix.len();
    let mut suffixes = Vec::new();
    let engine = tensor.engine();
    let kind = engine.device_kind(tensor.device());
    let body = if &*kind == META {
        suffixes.push(format!("size={}", tuple(&shape)));
        if dtype != DType::F32 {
            suffixes.push(format!("dtype=torch.{dtype}"));
        }
        "...".to_owned()
    } else if tensor.numel() == 0 {
        if shape.len() != 1 {
            suffixes.push(format!("size={}", tuple(&shape)));
        }
        if dtype != DType::F32 {
            suffixes.push(format!("dtype=torch.{dtype}"));
        }
        "[]".to_owned()
    } else {
        if !matches!(dtype, DType::F32 | DType::I64 | DType::Bool) {
            suffixes.push(format!("dtype=torch.{dtype}"));
        }
        // How many elements of a dimension are shown at each edge.
        let edge = if tensor.numel() > options.threshold {
            options.edge_items
        } else {
            usize::MAX / 2
        };
        check_shown(&shape, edge)?;
        // Nothing else is read: a view may stand for far more elements than there is memory for.
        let (bytes, read) = engine.read_edges(&tensor.node(), edge)?;
        let values = glowgrad::Scalar::of_bytes(&bytes, dtype);
        let format = Format::for_values(&values, dtype, options);
        block(&values, &shape, &read, indent, edge, &format)
    };
    if tensor.device() != engine.device() || &*kind == META {
        let index = if matches!(&*kind, "cpu" | META) {
            ""
        } else {
            ":0"
        };
        suffixes.insert(0, format!("device='{kind}{index}'"));
    }
    if let Some(name) = tensor.grad_fn() {
        suffixes.push(format!("grad_fn=<{name}>"));
    } else if tensor.requires_grad() {
        suffixes.push("requires_grad=True".to_owned());
    }
    Ok(with_suffixes(
        prefix + &body,
        &suffixes,
        indent,
        options.line_width,
    ))
}

fn with_suffixes(
    mut text: String,
    suffixes: &[String],
    indent: usize,
    line_width: usize,
) -> String {
    let last_line = text.rfind('\n').map_or(0, |at| at + 1);
    // Two more than the line, as PyTorch counts it.
    let mut width = text[last_line..].chars().count() + 2;
    for suffix in suffixes {
        let length = suffix.chars().count();
        if width + length + 2 > line_width {
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

/// Refuses to write more numbers than a text can hold.
fn check_shown(shape: &[usize], edge: usize) -> glowgrad::Result<()> {
    let shown = shape.iter().fold(1usize, |shown, &n| {
        shown.saturating_mul(n.min(edge.saturating_mul(2)))
    });
    if shown > MOST_SHOWN {
        return Err(glowgrad::Error::runtime(format!(
            "print: {shown} elements of a tensor of shape {shape:?} are more than the {MOST_SHOWN} that are written; \
             lower the threshold or edgeitems of torch.set_printoptions"
        )));
    }
    Ok(())
}

/// Writes the elements of a tensor of that shape; `values` are those that were read, in the shape `read`.
fn block(
    values: &[Scalar],
    shape: &[usize],
    read: &[usize],
    indent: usize,
    edge: usize,
    format: &Format,
) -> String {
    let ([n, rest @ ..], [n_read, rest_read @ ..]) = (shape, read) else {
        return values
            .first()
            .map(|value| format.show(*value))
            .unwrap_or_default();
    };
    let cut = *n > edge.saturating_mul(2);
    if rest.is_empty() {
        let mut parts: Vec<String> = values.iter().map(|value| format.show(*value)).collect();
        if cut {
            parts.insert(edge, " ...".to_owned());
        }
        let per_line = (format.line_width.saturating_sub(indent) / (format.width + 2)).max(1);
        let lines: Vec<String> = parts.chunks(per_line).map(|line| line.join(", ")).collect();
        let between = format!(",\n{}", " ".repeat(indent + 1));
        return format!("[{}]", lines.join(&between));
    }
    let stride: usize = rest_read.iter().product();
    let mut parts: Vec<String> = (0..*n_read)
        .map(|row| {
            let row = values
                .get(row * stride..(row + 1) * stride)
                .unwrap_or_default();
            block(row, rest, rest_read, indent + 1, edge, format)
        })
        .collect();
    if cut {
        parts.insert(edge, "...".to_owned());
    }
    let between = format!(",{}{}", "\n".repeat(rest.len()), " ".repeat(indent + 1));
    format!("[{}]", parts.join(&between))
}

/// How all elements of one tensor are written.
struct Format {
    float: bool,
    integral: bool,
    scientific: bool,
    precision: usize,
    line_width: usize,
    width: usize,
}

impl Format {
    fn for_values(values: &[Scalar], dtype: DType, options: &PrintOptions) -> Format {
        let precision = options.precision;
        let mut format = Format {
            float: dtype.is_float(),
            integral: true,
            scientific: false,
            precision,
            line_width: options.line_width,
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
        let asked = most / least > 1000.0 || most > 1.0e8 || least < 1.0e-4;
        format.scientific = options.scientific.unwrap_or(asked);
        let extra = usize::from(format.integral && !format.scientific);
        format.width = finite
            .iter()
            .map(|value| {
                if format.scientific {
                    scientific(*value, precision).len()
                } else if format.integral {
                    format!("{value:.0}").len() + extra
                } else {
                    format!("{value:.precision$}").len()
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
                scientific(value, self.precision)
            } else if self.integral {
                format!("{value:.0}.")
            } else {
                format!("{value:.precision$}", precision = self.precision)
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
        Scalar::UInt(value) => value.to_string(),
        Scalar::Float(value) => value.to_string(),
    }
}

/// Python's `%.4e`: at least two digits of exponent, with its sign.
fn scientific(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
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

//! How a tensor prints: PyTorch's text, to the space (`torch/_tensor_str.py`).
//!
//! Four digits, one width for all numbers, scientific notation where sizes differ by more than a
//! thousand, `...` in place of the middle of more than a thousand elements. Printing computes the
//! tensor, and changes nothing else.

use std::fmt;

use crate::dtype::{DType, Scalar};
use crate::shape::{self, Shape};
use crate::{Result, Tensor};

/// Digits after the point.
const PRECISION: usize = 4;
/// Elements shown at each end of a dimension that is cut short.
const EDGE: usize = 3;
/// More elements than this are cut short.
const THRESHOLD: usize = 1000;
/// Columns of a line.
const LINE: usize = 80;

impl Tensor {
    /// As PyTorch prints it: `tensor([1., 2.], requires_grad=True)`.
    ///
    /// # Errors
    /// What computing the value says.
    pub fn repr(&self) -> Result<String> {
        self.repr_as("tensor")
    }

    /// As [`Tensor::repr`], under the name of a subclass.
    ///
    /// # Errors
    /// What computing the value says.
    pub fn repr_as(&self, class: &str) -> Result<String> {
        let (bytes, shape) = if self.numel() > THRESHOLD {
            self.engine().read_edges(&self.node(), EDGE)?
        } else {
            (self.to_bytes()?, self.shape())
        };
        let elements = Elements {
            bytes,
            dtype: self.dtype(),
            shape,
            sizes: self.shape(),
            cut: self.numel() > THRESHOLD,
        };
        let mut suffixes = Vec::new();
        if self.numel() == 0 {
            if elements.shape.len() != 1 {
                let sizes: Vec<String> = elements.shape.iter().map(ToString::to_string).collect();
                suffixes.push(format!("size=({})", sizes.join(", ")));
            }
            if elements.dtype != DType::F32 {
                suffixes.push(format!("dtype=torch.{}", elements.dtype));
            }
        } else if !matches!(elements.dtype, DType::F32 | DType::I64 | DType::Bool) {
            suffixes.push(format!("dtype=torch.{}", elements.dtype));
        }
        if let Some(grad_fn) = self.grad_fn() {
            suffixes.push(format!("grad_fn=<{grad_fn}>"));
        } else if self.requires_grad() {
            suffixes.push("requires_grad=True".to_owned());
        }
        Ok(elements.print(&format!("{class}("), &suffixes))
    }
}

impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.repr() {
            Ok(text) => f.write_str(&text),
            Err(error) => write!(f, "tensor(<{error}>)"),
        }
    }
}

/// What is printed: row-major little-endian elements in a shape. Of a tensor that is cut they are its
/// edges, and `sizes` is the shape of all of it.
struct Elements {
    bytes: Vec<u8>,
    dtype: DType,
    shape: Shape,
    sizes: Shape,
    cut: bool,
}

impl Elements {
    fn print(&self, prefix: &str, suffixes: &[String]) -> String {
        let mut text = prefix.to_owned();
        if shape::numel(&self.shape) == 0 {
            text.push_str("[]");
        } else {
            let number = Number::fitting(&self.numbers(), self.dtype);
            self.write(&mut text, &number, 0, 0, prefix.len());
        }
        let mut line = text.len() - text.rfind('\n').map_or(0, |at| at + 1) + 2;
        for suffix in suffixes {
            if line + suffix.len() + 2 > LINE {
                text.push_str(",\n");
                text.push_str(&" ".repeat(prefix.len()));
                line = prefix.len() + suffix.len();
            } else {
                text.push_str(", ");
                line += suffix.len() + 2;
            }
            text.push_str(suffix);
        }
        text.push(')');
        text
    }

    fn get(&self, at: usize) -> Scalar {
        let size = self.dtype.size();
        let bytes = &self.bytes[at * size..(at + 1) * size];
        crate::Scalar::of_bytes(bytes, self.dtype)[0]
    }

    /// Every number that will be shown: they decide the width.
    fn numbers(&self) -> Vec<Scalar> {
        crate::Scalar::of_bytes(&self.bytes, self.dtype)
    }

    /// Whether the middle of a dimension is left out.
    fn is_cut(&self, dim: usize) -> bool {
        self.cut && self.sizes[dim] > 2 * EDGE
    }

    /// Writes the elements from dimension `dim` on; `at` is the index over the dimensions before.
    /// Recursion is as deep as the tensor has dimensions.
    fn write(&self, text: &mut String, number: &Number, dim: usize, at: usize, indent: usize) {
        let left = self.shape.len() - dim;
        if left == 0 {
            text.push_str(&number.show(self.get(at)));
            return;
        }
        let size = self.shape[dim];
        let per_line = if left == 1 {
            ((LINE - indent.min(LINE)) / (number.width + 2)).max(1)
        } else {
            1
        };
        let new_line = format!(
            "{}{}",
            "\n".repeat((left - 1).max(1)),
            " ".repeat(indent + 1)
        );
        text.push('[');
        let mut column = 0;
        for index in 0..size {
            let dots = index == EDGE && self.is_cut(dim);
            for dots in std::iter::once(true).filter(|_| dots).chain([false]) {
                if column > 0 {
                    let breaks = column % per_line == 0;
                    text.push_str(if breaks { "," } else { ", " });
                    text.push_str(if breaks { &new_line } else { "" });
                }
                column += 1;
                match dots {
                    true => text.push_str(if left == 1 { " ..." } else { "..." }),
                    false => self.write(text, number, dim + 1, at * size + index, indent + 1),
                }
            }
        }
        text.push(']');
    }
}

/// How a number is written.
struct Number {
    style: Style,
    width: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Style {
    /// An integer or a bool.
    Plain,
    /// A float without a fraction: `2.`
    Whole,
    /// `2.5000`
    Fixed,
    /// `2.5000e+00`
    Scientific,
}

impl Number {
    /// The style and width in which all numbers can be told apart at a glance.
    fn fitting(numbers: &[Scalar], dtype: DType) -> Number {
        let width = |style: Style, numbers: &mut dyn Iterator<Item = Scalar>| {
            numbers
                .map(|n| written(style, n).chars().count())
                .max()
                .unwrap_or(1)
                .max(1)
        };
        if !dtype.is_float() {
            return Number {
                style: Style::Plain,
                width: width(Style::Plain, &mut numbers.iter().copied()),
            };
        }
        let finite: Vec<f64> = numbers
            .iter()
            .map(|n| n.as_f64())
            .filter(|x| x.is_finite() && *x != 0.0)
            .collect();
        if finite.is_empty() {
            return Number {
                style: Style::Whole,
                width: 1,
            };
        }
        let largest = finite.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let smallest = finite.iter().fold(f64::INFINITY, |m, x| m.min(x.abs()));
        let style = if largest / smallest > 1000.0 || largest > 1.0e8 || smallest < 1.0e-4 {
            Style::Scientific
        } else if finite.iter().all(|x| *x == x.ceil()) {
            Style::Whole
        } else {
            Style::Fixed
        };
        Number {
            style,
            width: width(style, &mut finite.into_iter().map(Scalar::Float)),
        }
    }

    fn show(&self, number: Scalar) -> String {
        let text = written(self.style, number);
        format!(
            "{}{text}",
            " ".repeat(self.width.saturating_sub(text.chars().count()))
        )
    }
}

fn written(style: Style, number: Scalar) -> String {
    let x = match number {
        Scalar::Bool(true) => return "True".to_owned(),
        Scalar::Bool(false) => return "False".to_owned(),
        Scalar::Int(i) => return i.to_string(),
        Scalar::UInt(i) => return i.to_string(),
        Scalar::Float(x) => x,
    };
    match style {
        _ if x.is_nan() => "nan".to_owned(),
        _ if x.is_infinite() => if x > 0.0 { "inf" } else { "-inf" }.to_owned(),
        Style::Plain => x.to_string(),
        Style::Whole => format!("{x:.0}."),
        Style::Fixed => format!("{x:.PRECISION$}"),
        Style::Scientific => {
            let text = format!("{x:.PRECISION$e}");
            let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            let (sign, exponent) = exponent
                .strip_prefix('-')
                .map_or(('+', exponent), |e| ('-', e));
            format!("{digits}e{sign}{exponent:0>2}")
        }
    }
}

//! Shapes: sizes of dimensions, broadcasting, and dimension arguments.
//!
//! A shape's element count always fits a `usize` in bytes of any dtype, checked when the shape is made, so the
//! rest of the engine may multiply sizes without care (a 32-bit `usize` overflows early in wasm).

use smallvec::SmallVec;

use crate::dtype::DType;
use crate::{Error, Result};

/// Sizes of the dimensions, outermost first. Up to six are stored inline.
pub type Shape = SmallVec<[usize; 6]>;

/// The number of elements.
pub fn numel(shape: &[usize]) -> usize {
    shape.iter().product()
}

/// Most elements of a tensor: in its widest dtype, of 8 bytes, they can be counted.
const MOST_ELEMENTS: u128 = if usize::BITS == 32 {
    (1 << 29) - 1
} else {
    1 << 38
};
/// Most bytes of a tensor that is made.
const MOST_BYTES: u128 = most_bytes(usize::BITS);

/// Most bytes of a tensor where an address has so many bits: 2^40 natively, and in the page 2^31 − 1, since a slice
/// holds no more than `isize::MAX`.
const fn most_bytes(address_bits: u32) -> u128 {
    match address_bits {
        32 => i32::MAX as u128,
        _ => 1 << 40,
    }
}

/// How many elements a shape has; sizes of 0 do not count, so that the other sizes may be multiplied too.
fn count(shape: &[usize]) -> u128 {
    let sizes = shape.iter().filter(|&&n| n != 0);
    sizes.fold(1, |count: u128, &n| count.saturating_mul(n as u128))
}

/// Checks that a tensor of this shape can exist, in whatever dtype.
pub fn check_size(op: &str, shape: &[usize]) -> Result<()> {
    let n = count(shape);
    if n > MOST_ELEMENTS {
        return Err(Error::runtime(format!(
            "{op}: a tensor of shape {} has {n} elements, more than the {MOST_ELEMENTS} this device allows; use a smaller shape",
            show(shape)
        )));
    }
    Ok(())
}

/// Checks that a tensor of this shape and dtype can be made.
pub fn check_bytes(op: &str, shape: &[usize], dtype: DType) -> Result<()> {
    let bytes = count(shape).saturating_mul(dtype.size() as u128);
    if bytes > MOST_BYTES {
        return Err(Error::runtime(format!(
            "{op}: a tensor of shape {} and {dtype} needs {bytes} bytes, more than the {MOST_BYTES} this device allows; use a smaller shape",
            show(shape)
        )));
    }
    check_size(op, shape)
}

/// A size that was asked for. What does not fit a `usize` is refused by [`check_size`]'s words.
pub fn size(op: &str, n: i64) -> Result<usize> {
    usize::try_from(n).map_err(|_| match n {
        0.. => Error::runtime(format!(
            "{op}: a dimension of size {n} is more than this device allows; use a smaller shape"
        )),
        _ => Error::runtime(format!("{op}: got size {n}; sizes may not be negative")),
    })
}

/// An empty list with room for `n` elements, or the error of too little memory.
pub(crate) fn reserve<T>(op: &str, n: usize) -> Result<Vec<T>> {
    let mut list = Vec::new();
    list.try_reserve_exact(n).map_err(|_| {
        Error::runtime(format!(
            "{op}: out of memory: could not get {} bytes; use a smaller shape",
            n.saturating_mul(size_of::<T>())
        ))
    })?;
    Ok(list)
}

/// `[2, 3]`, as PyTorch's messages print it.
pub fn show(shape: &[usize]) -> String {
    format!("{shape:?}")
}

/// The shape in which two shapes meet, aligned at the last dimension.
pub fn broadcast(op: &str, a: &[usize], b: &[usize]) -> Result<Shape> {
    let n_dims = a.len().max(b.len());
    let mut out = Shape::from_elem(1, n_dims);
    for i in 0..n_dims {
        let size = |s: &[usize]| if i < s.len() { s[s.len() - 1 - i] } else { 1 };
        let (x, y) = (size(a), size(b));
        out[n_dims - 1 - i] = match (x, y) {
            (x, y) if x == y => x,
            (1, y) => y,
            (x, 1) => x,
            _ => {
                return Err(Error::runtime(format!(
                    "{op}: shapes {} and {} cannot be broadcast: sizes {x} and {y} differ in dimension {} and neither is 1; reshape or unsqueeze one of them",
                    show(a),
                    show(b),
                    n_dims - 1 - i,
                )));
            }
        };
    }
    check_size(op, &out)?;
    Ok(out)
}

/// A dimension argument as an index: negative counts from the end. A 0-d tensor accepts 0 and -1.
pub fn dim(op: &str, dim: i64, n_dims: usize) -> Result<usize> {
    let n = n_dims.max(1) as i64;
    if dim < -n || dim >= n {
        return Err(Error::index(format!(
            "{op}: Dimension out of range (expected to be in range of [{}, {}], but got {dim})",
            -n,
            n - 1
        )));
    }
    Ok(if dim < 0 { dim + n } else { dim } as usize)
}

/// Dimension arguments as sorted, distinct indices; an empty list means all.
pub fn dims(op: &str, list: &[i64], n_dims: usize) -> Result<SmallVec<[usize; 6]>> {
    if list.is_empty() {
        return Ok((0..n_dims).collect());
    }
    let mut out: SmallVec<[usize; 6]> = SmallVec::new();
    for &d in list {
        let d = dim(op, d, n_dims)?;
        if n_dims == 0 {
            continue;
        }
        if out.contains(&d) {
            return Err(Error::runtime(format!(
                "{op}: dim {d} appears multiple times in the list of dims"
            )));
        }
        out.push(d);
    }
    out.sort_unstable();
    Ok(out)
}

/// A size list with at most one -1, filled in from the element count.
pub fn infer_size(op: &str, sizes: &[i64], n_elements: usize) -> Result<Shape> {
    let mut unknown = None;
    let mut known: u128 = 1;
    for (i, &size) in sizes.iter().enumerate() {
        match size {
            -1 if unknown.is_some() => {
                return Err(Error::runtime(format!(
                    "{op}: only one dimension can be inferred, shape {sizes:?} has several -1"
                )));
            }
            -1 => unknown = Some(i),
            size if size < 0 => {
                return Err(Error::runtime(format!(
                    "{op}: invalid shape dimension {size} in {sizes:?}"
                )));
            }
            size => known = known.saturating_mul(size as u128),
        }
    }
    let wrong = || {
        Error::runtime(format!(
            "{op}: shape '{sizes:?}' is invalid for input of size {n_elements}"
        ))
    };
    let mut shape: Shape = sizes.iter().map(|&s| s.max(0) as usize).collect();
    if let Some(i) = unknown {
        if known == 0 || !(n_elements as u128).is_multiple_of(known) {
            return Err(wrong());
        }
        shape[i] = (n_elements as u128 / known) as usize;
    } else if known != n_elements as u128 {
        return Err(wrong());
    }
    Ok(shape)
}

/// Row-major strides, in elements.
pub fn contiguous_strides(shape: &[usize]) -> SmallVec<[isize; 6]> {
    let mut strides = SmallVec::from_elem(0, shape.len());
    let mut step = 1isize;
    for i in (0..shape.len()).rev() {
        strides[i] = step;
        step *= shape[i].max(1) as isize;
    }
    strides
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tensor_is_no_longer_than_a_slice_can_be() {
        assert_eq!(most_bytes(32), (1 << 31) - 1);
        assert_eq!(most_bytes(64), 1 << 40);
        assert!(MOST_BYTES <= isize::MAX as u128);
    }

    #[test]
    fn a_size_in_bytes_is_refused_in_bytes() {
        let most = MOST_BYTES as usize;
        let error = check_bytes("zeros", &[most + 1], DType::U8).expect_err("too large");
        let said = format!("{} bytes, more than the {most} this", most + 1);
        assert!(error.message.contains(&said), "{error}");
        // What has too many elements for its views in whatever dtype is refused in elements.
        let error = check_size("zeros", &[usize::MAX, 2]).expect_err("too large");
        assert!(error.message.contains("elements, more than"), "{error}");
    }
}

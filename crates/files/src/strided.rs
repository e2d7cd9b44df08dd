//! Elements in another order: row-major copies of strided ones, and the other byte order.

/// The elements of a strided array, in row-major order. Strides count elements.
///
/// The caller has compared the array's last element with `bytes`, and its size with a limit.
pub(crate) fn row_major(bytes: &[u8], item: usize, shape: &[usize], strides: &[usize]) -> Vec<u8> {
    let count: usize = shape.iter().product();
    let mut out = Vec::with_capacity(count * item);
    if count == 0 {
        return out;
    }
    let outer = shape.len().saturating_sub(1);
    let (n, stride) = match shape.last() {
        Some(&n) => (n, strides[outer]),
        None => (1, 1),
    };
    let mut index = vec![0; outer];
    let mut start = 0;
    loop {
        if stride == 1 {
            out.extend_from_slice(&bytes[start * item..(start + n) * item]);
        } else {
            for k in 0..n {
                let at = (start + k * stride) * item;
                out.extend_from_slice(&bytes[at..at + item]);
            }
        }
        // The next index of the dimensions before the last, as an odometer turns.
        let mut dim = outer;
        loop {
            if dim == 0 {
                return out;
            }
            dim -= 1;
            index[dim] += 1;
            start += strides[dim];
            if index[dim] < shape[dim] {
                break;
            }
            start -= index[dim] * strides[dim];
            index[dim] = 0;
        }
    }
}

/// Strides of a row-major array, in elements.
pub(crate) fn strides_of(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1_usize; shape.len()];
    for dim in (1..shape.len()).rev() {
        strides[dim - 1] = strides[dim].saturating_mul(shape[dim]);
    }
    strides
}

/// Turns the bytes of each element around.
pub(crate) fn swap_bytes(bytes: &mut [u8], item: usize) {
    if item > 1 {
        for element in bytes.chunks_exact_mut(item) {
            element.reverse();
        }
    }
}

/// Such a number of bytes for a message.
pub(crate) fn told(size: Option<usize>) -> String {
    size.map_or("more than a memory has".to_owned(), |n| {
        format!("{n} bytes")
    })
}

/// The bytes that elements of this size and shape take; none where no memory has as many.
pub(crate) fn size_of(item: usize, shape: &[usize]) -> Option<usize> {
    if shape.contains(&0) {
        return Some(0);
    }
    shape.iter().try_fold(item, |size, &n| size.checked_mul(n))
}

use bytemuck::{Pod, cast_slice, cast_slice_mut};
use glowgrad_tensor::{DType, View};

pub(crate) fn matmul(dtype: DType, a: &View, b: &View, x: &[u8], y: &[u8], out: &mut [u8]) {
    match dtype {
        DType::F32 => naive::<f32>(a, b, cast_slice(x), cast_slice(y), cast_slice_mut(out), |c, x, y| c + x * y),
        DType::F64 => naive::<f64>(a, b, cast_slice(x), cast_slice(y), cast_slice_mut(out), |c, x, y| c + x * y),
        DType::I64 => naive::<i64>(a, b, cast_slice(x), cast_slice(y), cast_slice_mut(out), |c, x, y| c.wrapping_add(x.wrapping_mul(y))),
        DType::Bool => naive::<u8>(a, b, x, y, out, |c, x, y| c | (x & y)),
    }
}

fn naive<T: Pod>(a: &View, b: &View, x: &[T], y: &[T], out: &mut [T], f: impl Fn(T, T, T) -> T) {
    let (batch, m, k, n) = (a.shape[0], a.shape[1], a.shape[2], b.shape[2]);
    out.fill(T::zeroed());
    for i in 0..batch {
        for r in 0..m {
            for p in 0..k {
                let v = x[(a.offset + i as isize * a.strides[0] + r as isize * a.strides[1] + p as isize * a.strides[2]) as usize];
                for c in 0..n {
                    let w = y[(b.offset + i as isize * b.strides[0] + p as isize * b.strides[1] + c as isize * b.strides[2]) as usize];
                    let o = &mut out[(i * m + r) * n + c];
                    *o = f(*o, v, w);
                }
            }
        }
    }
}

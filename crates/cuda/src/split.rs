//! Reductions to few elements, in parts: a group of threads for each part, then one for each element.
//!
//! Which element goes into which part follows from the kernel alone, so that a sum is the same each time.

use std::rc::Rc;

use glowgrad_tensor::kernel::{Input, Instr, Kernel, Reduce, ReduceOp};
use glowgrad_tensor::shape::numel;
use glowgrad_tensor::{DType, View};

/// Groups of threads that keep a GPU busy.
const GROUPS: usize = 512;

/// Elements that are worth a group.
const LEAST: usize = 4096;

/// A reduction in parts.
pub(crate) struct Split {
    /// Parts of the same length, and what is left: each kernel with the row of the parts' results where
    /// its own begin.
    pub(crate) parts: Vec<(Rc<Kernel>, usize)>,
    /// Elements of a row: those of the result.
    pub(crate) n_output: usize,
    /// Rows.
    pub(crate) n_rows: usize,
    /// Joins the rows.
    pub(crate) join: Rc<Kernel>,
}

/// A kernel in parts; none if it is as quick in one piece.
pub(crate) fn split(kernel: &Kernel) -> Option<Split> {
    let reduce = kernel.reduce.as_ref()?;
    if matches!(reduce.op, ReduceOp::ArgMax | ReduceOp::ArgMin) {
        return None;
    }
    let n_output = numel(&kernel.output_shape());
    let sizes = reduce.axes.iter().map(|&axis| kernel.shape[axis]);
    let n_reduced: usize = sizes.product();
    let &axis = reduce.axes.iter().max_by_key(|&&axis| kernel.shape[axis])?;
    let n = kernel.shape[axis];
    let n_parts = (GROUPS / n_output.max(1)).min(n_reduced / LEAST).min(n);
    if n_parts < 2 {
        return None;
    }
    let each = n / n_parts;
    let left = n - n_parts * each;
    let mut parts = vec![(part(kernel, reduce, axis, (0, n_parts, each)), 0)];
    if left > 0 {
        parts.push((part(kernel, reduce, axis, (n - left, 1, left)), n_parts));
    }
    let n_rows = n_parts + usize::from(left > 0);
    let rows = View::contiguous(&[n_rows, n_output]);
    let join = reduction(reduce.op, rows, kernel.output_dtype(0), &[0]);
    Some(Split {
        parts,
        n_output,
        n_rows,
        join: Rc::new(join),
    })
}

/// A kernel from this place on an axis: so many parts, each so long, the first dimension of the result.
fn part(
    kernel: &Kernel,
    reduce: &Reduce,
    axis: usize,
    (start, n_parts, each): (usize, usize, usize),
) -> Rc<Kernel> {
    let mut shape = kernel.shape.clone();
    shape[axis] = each;
    shape.insert(0, n_parts);
    let inputs = kernel.inputs.iter().map(|input| {
        let View {
            mut strides,
            offset,
            ..
        } = input.view.clone();
        let stride = strides[axis];
        strides.insert(0, stride * each as isize);
        Input {
            view: View {
                shape: shape.clone(),
                strides,
                offset: offset + stride * start as isize,
            },
            dtype: input.dtype,
        }
    });
    Rc::new(Kernel {
        inputs: inputs.collect(),
        reduce: Some(Reduce {
            op: reduce.op,
            axes: reduce.axes.iter().map(|axis| axis + 1).collect(),
        }),
        shape,
        ..kernel.clone()
    })
}

/// A kernel that reduces a view along these axes.
fn reduction(op: ReduceOp, view: View, dtype: DType, axes: &[usize]) -> Kernel {
    Kernel {
        shape: view.shape.clone(),
        inputs: vec![Input { view, dtype }],
        args: Vec::new(),
        fixed: Vec::new(),
        code: vec![Instr::Load { input: 0 }],
        dtypes: vec![dtype],
        outputs: vec![0],
        reduce: Some(Reduce {
            op,
            axes: axes.iter().copied().collect(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use glowgrad_cpu::{CpuFallback, Host};
    use glowgrad_tensor::Result;
    use glowgrad_tensor::kernel::Work;

    use super::*;

    /// Reduces float32 of a view along these axes.
    fn kernel(op: ReduceOp, view: View, axes: &[usize]) -> Kernel {
        reduction(op, view, DType::F32, axes)
    }

    fn run(kernel: &Rc<Kernel>, source: &Rc<Host>) -> Result<Vec<u8>> {
        let bytes = numel(&kernel.output_shape()) * 4;
        let work = Work::Kernel(kernel.clone());
        let done = CpuFallback::new(crate::POLICY).run(
            &work,
            std::slice::from_ref(source),
            [bytes].into_iter(),
        )?;
        Ok(done[0].bytes().to_vec())
    }

    #[test]
    fn the_parts_of_a_reduction_join_to_the_whole() -> Result<()> {
        let n = 3 * 40_007;
        // Small whole numbers, whose sums are exact in any order, and so are products of 1 and −1.
        let source = |number: fn(usize) -> f32| -> Result<Rc<Host>> {
            let numbers: Vec<f32> = (0..n).map(number).collect();
            Ok(Rc::new(Host::of(bytemuck::cast_slice(&numbers))?))
        };
        let numbers = source(|i| (i * 7919 % 15) as f32 - 7.0)?;
        let signs = source(|i| if i * i % 7 > 3 { 1.0 } else { -1.0 })?;
        let flipped = View {
            strides: [-1, 40_007].as_slice().into(),
            offset: 40_006,
            ..View::contiguous(&[40_007, 3])
        };
        let views = [
            (View::contiguous(&[n]), &[0][..], 1),
            (View::contiguous(&[40_007, 3]), &[0], 3),
            (View::contiguous(&[3, 40_007]), &[0, 1], 1),
            (flipped.clone(), &[0], 3),
            (flipped, &[0, 1], 1),
        ];
        for (view, axes, n_output) in views {
            for op in [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min] {
                let whole = Rc::new(kernel(op, view.clone(), axes));
                let split = split(&whole).expect("parts");
                let source = match op {
                    ReduceOp::Prod => &signs,
                    _ => &numbers,
                };
                assert_eq!(split.n_output, n_output);
                assert!(split.n_rows > 8, "{}", split.n_rows);
                let mut rows = Vec::new();
                for (part, row) in &split.parts {
                    assert_eq!(rows.len(), row * n_output * 4);
                    rows.extend(run(part, source)?);
                }
                assert_eq!(rows.len(), split.n_rows * n_output * 4);
                let joined = run(&split.join, &Rc::new(Host::of(&rows)?))?;
                assert_eq!(joined, run(&whole, source)?, "{op:?} {view:?} {axes:?}");
            }
        }
        Ok(())
    }

    #[test]
    fn what_one_group_does_soon_or_many_do_anyway_stays_whole() {
        let parts = |op, shape: &[usize]| {
            let axis = shape.len() - 1;
            split(&kernel(op, View::contiguous(shape), &[axis])).map(|split| split.n_rows)
        };
        assert_eq!(parts(ReduceOp::Sum, &[LEAST]), None);
        assert_eq!(parts(ReduceOp::Sum, &[2 * LEAST]), Some(2));
        assert_eq!(parts(ReduceOp::Sum, &[1 << 30]), Some(GROUPS));
        assert_eq!(parts(ReduceOp::Sum, &[GROUPS / 4, 1 << 20]), Some(4));
        assert_eq!(parts(ReduceOp::Sum, &[GROUPS, 1 << 20]), None);
        assert_eq!(parts(ReduceOp::Sum, &[0]), None);
        assert_eq!(parts(ReduceOp::ArgMax, &[1 << 20]), None);
    }
}

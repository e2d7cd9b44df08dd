//! A naive model of views: a list of places in a row of elements, and random movements of a tensor
//! and its model together.

use std::collections::VecDeque;

use glowgrad::op::Attr;
use glowgrad::{Index, Result, Tensor, ops};

/// Decisions of a program: proptest shrinks the list, and an exhausted list decides 0.
pub struct Choices(pub VecDeque<u16>);

impl Choices {
    pub fn below(&mut self, n: usize) -> usize {
        usize::from(self.0.pop_front().unwrap_or(0)) % n.max(1)
    }
}

pub fn apply(name: &str, operands: &[Tensor], attrs: &[Attr]) -> Result<Tensor> {
    let op = ops::find(name).unwrap_or_else(|| panic!("{name} is in the registry"));
    Tensor::apply(
        operands[0].engine(),
        op,
        operands,
        attrs.iter().cloned().collect(),
    )
}

/// A view as a list of places in a row of elements.
#[derive(Clone, Debug)]
pub struct Places {
    pub shape: Vec<usize>,
    pub at: Vec<usize>,
}

impl Places {
    pub fn row_major(shape: &[usize]) -> Places {
        Places {
            shape: shape.to_vec(),
            at: (0..shape.iter().product()).collect(),
        }
    }

    /// The place of each index of a new shape, given by what its index is in the old one.
    pub fn through(&self, shape: Vec<usize>, from: impl Fn(&[usize]) -> Vec<usize>) -> Places {
        let n: usize = shape.iter().product();
        let mut at = Vec::with_capacity(n);
        for flat in 0..n {
            let mut left = flat;
            let mut index = vec![0; shape.len()];
            for d in (0..shape.len()).rev() {
                index[d] = left % shape[d];
                left /= shape[d];
            }
            let old = from(&index);
            at.push(
                self.at[old
                    .iter()
                    .zip(&self.shape)
                    .fold(0, |flat, (i, n)| flat * n + i)],
            );
        }
        Places { shape, at }
    }
}

/// One random movement of a tensor and of its model. `shares` says whether the result is a view.
pub fn move_once(
    choices: &mut Choices,
    tensor: &Tensor,
    places: &Places,
) -> Result<(Tensor, Places)> {
    let n_dims = places.shape.len();
    let dim = choices.below(n_dims);
    let d = dim as i64;
    let size = places.shape.get(dim).copied().unwrap_or(1);
    let int = Attr::Int;
    match choices.below(13) {
        0 if n_dims > 1 => {
            let mut order: Vec<usize> = (0..n_dims).collect();
            order.rotate_left(1 + choices.below(n_dims - 1));
            let shape = order.iter().map(|&d| places.shape[d]).collect();
            let moved = places.through(shape, |index| {
                let mut old = vec![0; n_dims];
                order.iter().zip(index).for_each(|(&d, &i)| old[d] = i);
                old
            });
            let dims: Vec<i64> = order.iter().map(|&d| d as i64).collect();
            Ok((
                apply(
                    "permute",
                    std::slice::from_ref(tensor),
                    &[Attr::ints(&dims)],
                )?,
                moved,
            ))
        }
        1 if n_dims > 0 && size > 1 => {
            let start = choices.below(size);
            let step = 1 + choices.below(2);
            let len = (size - start).div_ceil(step);
            let mut parts = vec![Index::Slice(None, None, None); dim];
            parts.push(Index::Slice(Some(start as i64), None, Some(step as i64)));
            let mut shape = places.shape.clone();
            shape[dim] = len;
            let moved = places.through(shape, |index| {
                let mut old = index.to_vec();
                old[dim] = start + index[dim] * step;
                old
            });
            Ok((tensor.get(&parts)?, moved))
        }
        2 if n_dims > 0 => {
            let i = choices.below(size);
            let mut shape = places.shape.clone();
            shape.remove(dim);
            let moved = places.through(shape, |index| {
                let mut old = index.to_vec();
                old.insert(dim, i);
                old
            });
            Ok((
                tensor.select(
                    d,
                    i as i64
                        - if choices.below(2) == 0 {
                            0
                        } else {
                            size as i64
                        },
                )?,
                moved,
            ))
        }
        3 if n_dims < 5 => {
            let mut shape = places.shape.clone();
            shape.insert(dim, 1);
            Ok((
                tensor.unsqueeze(d)?,
                Places {
                    shape,
                    at: places.at.clone(),
                },
            ))
        }
        4 => {
            let mut shape = places.shape.clone();
            match choices.below(3) {
                0 => shape = vec![places.at.len()],
                1 if n_dims > 1 => {
                    let last = shape.pop().expect("two dimensions");
                    *shape.last_mut().expect("one dimension") *= last;
                }
                _ if size % 2 == 0 && n_dims > 0 => {
                    shape[dim] = 2;
                    shape.insert(dim + 1, size / 2);
                }
                _ => {}
            }
            let sizes: Vec<i64> = shape.iter().map(|&n| n as i64).collect();
            Ok((
                tensor.reshape(&sizes)?,
                Places {
                    shape,
                    at: places.at.clone(),
                },
            ))
        }
        5 if size == 1 && n_dims > 0 => {
            let n = 2 + choices.below(2);
            let mut shape = places.shape.clone();
            shape[dim] = n;
            let sizes: Vec<i64> = shape.iter().map(|&n| n as i64).collect();
            let moved = places.through(shape, |index| {
                let mut old = index.to_vec();
                old[dim] = 0;
                old
            });
            Ok((tensor.expand(&sizes)?, moved))
        }
        6 if n_dims > 0 => {
            let moved = places.through(places.shape.clone(), |index| {
                let mut old = index.to_vec();
                old[dim] = size - 1 - index[dim];
                old
            });
            Ok((
                apply("flip", std::slice::from_ref(tensor), &[Attr::ints(&[d])])?,
                moved,
            ))
        }
        7 => {
            let shape: Vec<usize> = places.shape.iter().copied().filter(|&n| n != 1).collect();
            Ok((
                apply("squeeze", std::slice::from_ref(tensor), &[Attr::None])?,
                Places {
                    shape,
                    at: places.at.clone(),
                },
            ))
        }
        8 if n_dims > 0 => {
            let len = 1 + choices.below(size);
            let start = choices.below(size - len + 1);
            let mut shape = places.shape.clone();
            shape[dim] = len;
            let moved = places.through(shape, |index| {
                let mut old = index.to_vec();
                old[dim] += start;
                old
            });
            Ok((
                apply(
                    "narrow",
                    std::slice::from_ref(tensor),
                    &[int(d), int(start as i64), int(len as i64)],
                )?,
                moved,
            ))
        }
        9 if n_dims > 1 => {
            let other = (dim + 1 + choices.below(n_dims - 1)) % n_dims;
            let (rows, columns) = (places.shape[dim], places.shape[other]);
            let offset = choices.below(rows + columns - 1) as i64 - rows as i64 + 1;
            let (row, column) = (
                offset.min(0).unsigned_abs() as usize,
                offset.max(0) as usize,
            );
            let len = (rows - row.min(rows)).min(columns - column.min(columns));
            let kept: Vec<usize> = (0..n_dims).filter(|d| *d != dim && *d != other).collect();
            let mut shape: Vec<usize> = kept.iter().map(|&d| places.shape[d]).collect();
            shape.push(len);
            let moved = places.through(shape, |index| {
                let mut old = vec![0; n_dims];
                kept.iter().zip(index).for_each(|(&d, &i)| old[d] = i);
                let at = index[n_dims - 2];
                (old[dim], old[other]) = (row + at, column + at);
                old
            });
            let attrs = [int(offset), int(d), int(other as i64)];
            Ok((
                apply("diagonal", std::slice::from_ref(tensor), &attrs)?,
                moved,
            ))
        }
        10 if n_dims > 0 && n_dims < 5 => {
            let (window, step) = (1 + choices.below(size), 1 + choices.below(3));
            let mut shape = places.shape.clone();
            shape[dim] = (size - window) / step + 1;
            shape.push(window);
            let moved = places.through(shape, |index| {
                let mut old = index[..n_dims].to_vec();
                old[dim] = old[dim] * step + index[n_dims];
                old
            });
            let attrs = [int(d), int(window as i64), int(step as i64)];
            Ok((
                apply("tensor_unfold", std::slice::from_ref(tensor), &attrs)?,
                moved,
            ))
        }
        11 if n_dims > 0 => {
            let to = choices.below(n_dims);
            let mut order: Vec<usize> = (0..n_dims).filter(|i| *i != dim).collect();
            order.insert(to, dim);
            let shape = order.iter().map(|&d| places.shape[d]).collect();
            let moved = places.through(shape, |index| {
                let mut old = vec![0; n_dims];
                order.iter().zip(index).for_each(|(&d, &i)| old[d] = i);
                old
            });
            let attrs = [Attr::ints(&[d]), Attr::ints(&[to as i64])];
            Ok((
                apply("movedim", std::slice::from_ref(tensor), &attrs)?,
                moved,
            ))
        }
        12 if n_dims > 0 && n_dims < 5 && size.is_multiple_of(2) => {
            let mut shape = places.shape.clone();
            shape[dim] = 2;
            shape.insert(dim + 1, size / 2);
            let at = places.at.clone();
            let attrs = [int(d), Attr::ints(&[2, -1])];
            Ok((
                apply("unflatten", std::slice::from_ref(tensor), &attrs)?,
                Places { shape, at },
            ))
        }
        _ => Ok((tensor.clone(), places.clone())),
    }
}

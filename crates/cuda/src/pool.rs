//! Pools as the programs in `shaders/cuda`: which file, which variant of it, which sizes.

use glowgrad_cpu::{Refusal, reason};
use glowgrad_tensor::DType;
use glowgrad_tensor::backend::Buffer;
use glowgrad_tensor::codegen::Variant;
use glowgrad_tensor::fused_op::{Divisor, Pool, PoolOf, Windows};

use crate::buffer::GpuBuffer;
use crate::command::Parameter;
use crate::dispatch::{Dispatch, ends};
use crate::programs::{AVG_POOL, AVG_POOL_GRADIENT, MAX_POOL, MAX_POOL_GRADIENT};

const ELEMENT: &str = "float";

/// Runs a pool or its gradient.
pub(crate) fn run(
    dispatch: &Dispatch,
    pool: &Pool,
    inputs: &[Buffer],
    output: &GpuBuffer,
) -> Result<(), Refusal> {
    let each = |of: fn(&Windows) -> usize| pool.dims.each_ref().map(of);
    let (n, count) = (each(|dim| dim.n), each(|dim| dim.count));
    let product = |sizes: [usize; 3]| sizes.iter().product::<usize>() * pool.planes;
    let n_output = product(if pool.gradient { n } else { count });
    let elements = product(n).max(product(count));
    let is_small = |n: usize| i32::try_from(n).is_ok();
    if !is_small(elements) || !pool.dims.iter().all(|dim| is_small(places(dim))) {
        return Err(reason::MANY_ELEMENTS.into());
    }
    let mut sizes = [n, count, each(|dim| dim.size), each(|dim| dim.step)].concat();
    sizes.extend(each(|dim| dim.before));
    let mut sizes: Vec<i64> = sizes.into_iter().map(|size| size as i64).collect();
    let variant = match pool.of {
        PoolOf::Largest => {
            sizes.extend(each(|dim| dim.dilation).map(|dilation| dilation as i64));
            match pool.gradient {
                false => Variant::new(MAX_POOL, ELEMENT),
                true => Variant::new(MAX_POOL_GRADIENT, ELEMENT),
            }
        }
        PoolOf::Mean(divisor) => {
            let (name, given) = match divisor {
                Divisor::Given(n) => ("0", n),
                Divisor::Padded => ("1", 1),
                Divisor::Inside => ("2", 1),
            };
            sizes.push(given);
            let source = match pool.gradient {
                false => AVG_POOL,
                true => AVG_POOL_GRADIENT,
            };
            Variant::new(source, ELEMENT).with("DIVISOR", name)
        }
    };
    sizes.push(n_output as i64);
    let mut parameters = ends(inputs, output, DType::F32)?;
    parameters.push(Parameter::Struct(sizes));
    dispatch.routine(variant, n_output, parameters)
}

/// At least as many as the places of a dimension that a program counts, those in the padding and those past it too.
fn places(dim: &Windows) -> usize {
    let Windows {
        n,
        count,
        size,
        step,
        before,
        dilation,
    } = *dim;
    [
        n,
        before.saturating_mul(2),
        count.saturating_mul(step),
        size.saturating_mul(dilation),
    ]
    .into_iter()
    .fold(step, usize::saturating_add)
}

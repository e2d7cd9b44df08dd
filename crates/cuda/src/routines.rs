//! The routines: which file of `shaders/cuda`, for which elements, with which sizes.
//!
//! Invariant: a kernel reads and writes inside its buffers. Indices are looked at on the host first, and
//! sizes are those of the routine.

use std::hash::{Hash, Hasher};

use glowgrad_cpu::{Host, check_rows};
use glowgrad_tensor::backend::Buffer;
use glowgrad_tensor::kernel::{Put, Routine, ScanOp};
use glowgrad_tensor::{DType, Result, View};

use crate::device::Parameter;
use crate::dispatch::{Dispatch, Refusal, cannot};
use crate::memory::Storage;
use crate::product::{self, Precision};
use crate::storage;

/// Most pairs of elements that a sort looks at: beyond, the CPU is quicker.
const MOST_PAIRS: usize = 1 << 34;

/// A file: its name and its text.
type Source = (&'static str, &'static str);

macro_rules! sources {
    ($($name:ident: $file:literal),+ $(,)?) => {
        $(const $name: Source =
            ($file, include_str!(concat!("../../../shaders/cuda/", $file, ".cu")));)+
    };
}

sources! {
    ARGSORT: "argsort",
    COPY: "copy",
    MATMUL: "matmul",
    PUT: "put",
    RECURRENCE: "recurrence",
    RUNNING_BEST: "running_best",
    SCAN: "scan",
    SEARCH_SORTED: "search_sorted",
    TAKE: "take",
}

/// A file for one type of elements, with its `constexpr` line if it has one.
#[derive(Clone, Copy)]
pub(crate) struct Variant {
    source: Source,
    element: &'static str,
    constant: &'static str,
}

impl Variant {
    /// What tells it from others: the file's name stands for its text.
    fn key(&self) -> impl Eq + Hash + use<> {
        (self.source.0, self.element, self.constant)
    }

    pub(crate) fn text(&self) -> String {
        let Variant {
            source: (_, text),
            element,
            constant,
        } = self;
        format!("using Element = {element};\n{constant}\n{text}")
    }
}

impl PartialEq for Variant {
    fn eq(&self, other: &Variant) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Variant {}

impl Hash for Variant {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.key().hash(hasher);
    }
}

/// Types that elements are moved in, by size.
const MOVED: [&str; 4] = [
    "unsigned char",
    "unsigned short",
    "unsigned int",
    "unsigned long long",
];

/// Types that elements are compared in.
const COMPARED: [&str; 5] = ["bool", "long long", "unsigned long long", "float", "double"];

/// Types that elements are added and multiplied in: two's complement is the same for int64 and uint64.
const COMPUTED: [&str; 3] = ["unsigned long long", "float", "double"];

fn moved(dtype: DType) -> &'static str {
    MOVED[dtype.size().trailing_zeros() as usize]
}

fn compared(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "bool",
        DType::F32 => "float",
        DType::F64 => "double",
        DType::U64 => "unsigned long long",
        // Ops cast to a dtype of arithmetic first.
        _ => "long long",
    }
}

fn computed(dtype: DType) -> &'static str {
    match compared(dtype) {
        "long long" => "unsigned long long",
        kind => kind,
    }
}

const HOW: [&str; 6] = [
    "constexpr int HOW = 0;",
    "constexpr int HOW = 1;",
    "constexpr int HOW = 2;",
    "constexpr int HOW = 3;",
    "constexpr int HOW = 4;",
    "constexpr int HOW = 5;",
];
const OP: [&str; 3] = [
    "constexpr int OP = 0;",
    "constexpr int OP = 1;",
    "constexpr int OP = 2;",
];
const DESCENDING: [&str; 2] = [
    "constexpr bool DESCENDING = false;",
    "constexpr bool DESCENDING = true;",
];
const SMALLEST: [&str; 2] = [
    "constexpr bool SMALLEST = false;",
    "constexpr bool SMALLEST = true;",
];
const RIGHT: [&str; 2] = [
    "constexpr bool RIGHT = false;",
    "constexpr bool RIGHT = true;",
];

/// Every program that a routine may run: what it is, and its text.
pub fn sources() -> Vec<(String, String)> {
    let families: [(Source, &[&'static str], &[&'static str]); 12] = [
        (TAKE, &MOVED, &[""]),
        (COPY, &MOVED, &[""]),
        (PUT, &MOVED, &HOW[..1]),
        (PUT, &COMPUTED, &HOW[1..3]),
        (PUT, &COMPARED[1..], &HOW[3..5]),
        (PUT, &COMPARED[..1], &HOW[5..]),
        (MATMUL, &COMPUTED, &[""]),
        (SCAN, &COMPUTED, &OP),
        (RECURRENCE, &COMPUTED[1..], &[""]),
        (RUNNING_BEST, &COMPARED, &SMALLEST),
        (ARGSORT, &COMPARED, &DESCENDING),
        (SEARCH_SORTED, &COMPARED, &RIGHT),
    ];
    let mut all = Vec::new();
    for (source, elements, constants) in families {
        for &element in elements {
            for &constant in constants {
                let variant = Variant {
                    source,
                    element,
                    constant,
                };
                let what = format!("{} of {element} {constant}", source.0);
                all.push((what, variant.text()));
            }
        }
    }
    all
}

/// The indices of a buffer, all of which name one of these rows; otherwise the error PyTorch gives.
fn indices(buffer: &Buffer, rows: usize) -> Result<std::rc::Rc<Host>> {
    let host = storage(buffer)?.to_host()?;
    check_rows(&host, rows)?;
    Ok(host)
}

fn word(address: u64) -> Parameter {
    Parameter::Word(address)
}

/// Where the inputs lie, and where the result goes.
fn ends(inputs: &[Buffer], output: &Storage, dtype: DType) -> Result<Vec<Parameter>> {
    let addresses = inputs.iter().map(|input| storage(input)?.address());
    let mut parameters: Vec<Parameter> = addresses
        .map(|address| address.map(word))
        .collect::<Result<_>>()?;
    parameters.push(word(output.address_for(dtype)?));
    Ok(parameters)
}

/// Runs a routine.
pub(crate) fn run(
    dispatch: &Dispatch,
    precision: Precision,
    routine: &Routine,
    inputs: &[Buffer],
    output: &Storage,
) -> Result<(), Refusal> {
    let dtype = routine.dtype();
    let n_output = output.bytes() / dtype.size();
    let launch = |variant: Variant, n: usize, sizes: [usize; 3]| {
        let mut parameters = ends(inputs, output, dtype)?;
        parameters.extend(sizes.map(Parameter::from));
        dispatch.routine(variant, n, &parameters)
    };
    match routine {
        Routine::MatMul { dtype, a, b } => {
            matmul(dispatch, precision, *dtype, (a, b), inputs, output)
        }
        Routine::Take { rows, inner, .. } => {
            indices(&inputs[1], *rows)?;
            let variant = Variant {
                source: TAKE,
                element: moved(dtype),
                constant: "",
            };
            let mut parameters = ends(inputs, output, dtype)?;
            parameters.extend([*inner, n_output].map(Parameter::from));
            dispatch.routine(variant, n_output, &parameters)
        }
        Routine::PutAdd { rows, inner, .. } => {
            let index = indices(&inputs[0], *rows)?;
            output.clear(dtype)?;
            let (element, how) = match dtype {
                DType::Bool => ("bool", HOW[5]),
                dtype => (computed(dtype), HOW[1]),
            };
            put(
                dispatch,
                (element, how),
                &index,
                &inputs[1],
                output,
                (dtype, *inner),
            )
        }
        Routine::Put {
            how, rows, inner, ..
        } => {
            let index = indices(&inputs[1], *rows)?;
            output.copy_of(storage(&inputs[0])?, dtype)?;
            let variant = match how {
                Put::Set => (moved(dtype), HOW[0]),
                Put::Prod => (computed(dtype), HOW[2]),
                Put::Max => (compared(dtype), HOW[3]),
                Put::Min => (compared(dtype), HOW[4]),
            };
            put(
                dispatch,
                variant,
                &index,
                &inputs[2],
                output,
                (dtype, *inner),
            )
        }
        Routine::Write { base, parts, .. } => {
            if parts.iter().any(|(to, _)| to.shape.len() > 8) {
                return cannot("a write of more than eight dimensions");
            }
            match base {
                true => output.copy_of(storage(&inputs[0])?, dtype)?,
                false => output.clear(dtype)?,
            }
            let values = &inputs[usize::from(*base)..];
            for ((to, from), value) in parts.iter().zip(values) {
                part(dispatch, dtype, to, from, value, output)?;
            }
            Ok(())
        }
        Routine::Scan {
            op,
            dtype: source,
            outer,
            n,
            inner,
        } => {
            let of = |source, element, constant| Variant {
                source,
                element,
                constant,
            };
            let variant = match op {
                ScanOp::Sum => of(SCAN, computed(*source), OP[0]),
                ScanOp::Prod => of(SCAN, computed(*source), OP[1]),
                ScanOp::LogAddExp => of(SCAN, computed(*source), OP[2]),
                ScanOp::ArgMax => of(RUNNING_BEST, compared(*source), SMALLEST[0]),
                ScanOp::ArgMin => of(RUNNING_BEST, compared(*source), SMALLEST[1]),
                ScanOp::Recurrence => of(RECURRENCE, computed(*source), ""),
            };
            launch(variant, outer * inner, [*n, *inner, outer * inner])
        }
        Routine::ArgSort {
            dtype: source,
            descending,
            n,
            inner,
            ..
        } => {
            if n.saturating_mul(n_output) > MOST_PAIRS {
                return cannot("a sort of very many elements");
            }
            let variant = Variant {
                source: ARGSORT,
                element: compared(*source),
                constant: DESCENDING[usize::from(*descending)],
            };
            launch(variant, n_output, [*n, *inner, n_output])
        }
        Routine::SearchSorted {
            dtype: source,
            right,
            n,
            m,
            ..
        } => {
            let variant = Variant {
                source: SEARCH_SORTED,
                element: compared(*source),
                constant: RIGHT[usize::from(*right)],
            };
            launch(variant, n_output, [*n, *m, n_output])
        }
        Routine::Bits {
            to: DType::Bool, ..
        } => cannot("bytes taken as bool"),
        Routine::Bits { .. } => Ok(output.copy_of(storage(&inputs[0])?, dtype)?),
        Routine::Factor { .. } => cannot("factoring of matrices"),
        Routine::Layer(_) => cannot("a layer in one kernel"),
    }
}

fn matmul(
    dispatch: &Dispatch,
    precision: Precision,
    dtype: DType,
    (a, b): (&View, &View),
    inputs: &[Buffer],
    output: &Storage,
) -> Result<(), Refusal> {
    let (batch, m, k, n) = (a.shape[0], a.shape[1], a.shape[2], b.shape[2]);
    if k == 0 {
        return Ok(output.clear(dtype)?);
    }
    let few = [batch, m, k, n].iter().all(|&n| i32::try_from(n).is_ok());
    let layouts = product::layout(a).zip(product::layout(b));
    if let Some(layouts) = layouts.filter(|_| few && dtype.is_float()) {
        let addresses = [
            storage(&inputs[0])?.address()?,
            storage(&inputs[1])?.address()?,
            output.address_for(dtype)?,
        ];
        let cublas = &dispatch.gpu.cublas;
        return Ok(cublas.multiply(dtype, precision, (a, b), layouts, addresses)?);
    }
    let [x, y] = [n.div_ceil(32), m.div_ceil(32)];
    if y > 65_535 || batch > 65_535 || i32::try_from(x).is_err() {
        return cannot("a product of more tiles than a launch can have");
    }
    let mut sizes = vec![m as i64, n as i64, k as i64];
    for view in [a, b] {
        sizes.push(view.offset as i64);
        sizes.extend(view.strides.iter().map(|&stride| stride as i64));
    }
    let mut parameters = ends(inputs, output, dtype)?;
    parameters.push(Parameter::Struct(sizes));
    let variant = Variant {
        source: MATMUL,
        element: computed(dtype),
        constant: "",
    };
    dispatch.routine_in(variant, [x as u32, y as u32, batch as u32], 64, &parameters)
}

/// The rows that indices name, each once, and which indices name it, in their order.
#[derive(Debug, PartialEq)]
struct Places {
    rows: Vec<i64>,
    /// Where each row's indices begin in `order`, and where the last one's end.
    starts: Vec<i64>,
    order: Vec<i64>,
}

fn places(index: &[i64]) -> Places {
    let mut order: Vec<i64> = (0..index.len() as i64).collect();
    order.sort_by_key(|&i| index[i as usize]);
    let mut places = Places {
        rows: Vec::new(),
        starts: Vec::new(),
        order,
    };
    for (at, &i) in places.order.iter().enumerate() {
        let row = index[i as usize];
        if places.rows.last() != Some(&row) {
            places.rows.push(row);
            places.starts.push(at as i64);
        }
    }
    places.starts.push(index.len() as i64);
    places
}

/// Puts values into the result, which holds what it starts from.
fn put(
    dispatch: &Dispatch,
    (element, constant): (&'static str, &'static str),
    index: &Host,
    values: &Buffer,
    output: &Storage,
    (dtype, inner): (DType, usize),
) -> Result<(), Refusal> {
    let places = places(bytemuck::cast_slice(index.bytes()));
    let n_changed = places.rows.len() * inner;
    if n_changed == 0 {
        return Ok(());
    }
    let values = storage(values)?.address()?;
    let gpu = &dispatch.gpu;
    let lists = [&places.rows[..], &places.starts, &places.order].concat();
    let mut block = gpu.take(lists.len() * 8)?;
    gpu.write(bytemuck::cast_slice(&lists), &mut block)?;
    let rows = gpu.address(&block);
    let starts = rows + places.rows.len() as u64 * 8;
    let order = starts + places.starts.len() as u64 * 8;
    let parameters = [
        word(values),
        word(rows),
        word(starts),
        word(order),
        word(output.address_for(dtype)?),
        inner.into(),
        n_changed.into(),
    ];
    let variant = Variant {
        source: PUT,
        element,
        constant,
    };
    let done = dispatch.routine(variant, n_changed, &parameters);
    gpu.give(block);
    done
}

/// One part of a write.
fn part(
    dispatch: &Dispatch,
    dtype: DType,
    to: &View,
    from: &View,
    value: &Buffer,
    output: &Storage,
) -> Result<(), Refusal> {
    let n = to.numel();
    if n == 0 {
        return Ok(());
    }
    let before = 8 - to.shape.len();
    let padded = |filler: i64, list: &mut dyn Iterator<Item = i64>| {
        let mut padded = vec![filler; before];
        padded.extend(list);
        padded
    };
    let mut sizes = padded(1, &mut to.shape.iter().map(|&n| n as i64));
    for view in [to, from] {
        sizes.extend(padded(0, &mut view.strides.iter().map(|&s| s as i64)));
    }
    sizes.extend([to.offset as i64, from.offset as i64, n as i64]);
    let parameters = [
        word(storage(value)?.address()?),
        word(output.address_for(dtype)?),
        Parameter::Struct(sizes),
    ];
    let variant = Variant {
        source: COPY,
        element: moved(dtype),
        constant: "",
    };
    dispatch.routine(variant, n, &parameters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_keep_the_order_of_indices() {
        let found = places(&[5, 2, 5, 0, 2, 5]);
        assert_eq!(found.rows, [0, 2, 5]);
        assert_eq!(found.starts, [0, 1, 3, 6]);
        assert_eq!(found.order, [3, 1, 4, 0, 2, 5]);
        assert_eq!(places(&[]).starts, [0]);
    }
}

//! The programs in `shaders/cuda` that routines run: which file, for which elements, with which choices.

use glowgrad_tensor::DType;
use glowgrad_tensor::codegen::{Source, Variant};
use glowgrad_tensor::routine::{Launch, ThreadKernel};

macro_rules! sources {
    ($($name:ident: $first:literal $(+ $next:literal)*),+ $(,)?) => {
        $(pub(crate) const $name: Source = (concat!($first $(, " + ", $next)*), concat!(
            include_str!(concat!("../../../shaders/cuda/", $first, ".cu")),
            $("\n", include_str!(concat!("../../../shaders/cuda/", $next, ".cu")),)*
        ));)+
    };
}

sources! {
    AVG_POOL: "avg_windows" + "avg_pool",
    AVG_POOL_GRADIENT: "avg_windows" + "avg_pool_gradient",
    COPY: "copy",
    GATHER: "gather",
    MATMUL: "matmul",
    MAX_POOL: "max_windows" + "max_pool",
    MAX_POOL_GRADIENT: "max_windows" + "max_pool_gradient",
    RECURRENCE: "recurrence",
    SCAN_BEST: "running_best" + "scan",
    SCAN_BEST_TOGETHER: "running_best" + "scan_together",
    SCAN_TOTAL: "running_total" + "scan",
    SCAN_TOTAL_TOGETHER: "running_total" + "scan_together",
    SCATTER: "scatter",
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

pub(crate) fn moved(dtype: DType) -> &'static str {
    MOVED[dtype.size().trailing_zeros() as usize]
}

pub(crate) fn compared(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "bool",
        DType::F32 => "float",
        DType::F64 => "double",
        DType::U64 => "unsigned long long",
        // Ops cast to a dtype of arithmetic first.
        _ => "long long",
    }
}

pub(crate) fn computed(dtype: DType) -> &'static str {
    match compared(dtype) {
        "long long" => "unsigned long long",
        kind => kind,
    }
}

/// The program that a routine says how to start.
pub(crate) fn thread_kernel(of: &Launch) -> Variant {
    Variant::of_threads(of.kernel.cuda(), compared(of.dtype), of.kernel, of.flag)
}

/// Every program that a routine may run: what it is, and its text.
pub fn sources() -> Vec<(String, String)> {
    type Constants = (&'static str, &'static [&'static str]);
    const NONE: Constants = ("", &[]);
    const OP: Constants = ("OP", &["0", "1", "2"]);
    const SMALLEST: Constants = ("SMALLEST", &["false", "true"]);
    const FLOAT: &[&str] = &["float"];
    const DIVISOR: Constants = ("DIVISOR", &["0", "1", "2"]);
    let families: [(Source, &[&'static str], Constants); 16] = [
        (GATHER, &MOVED, NONE),
        (COPY, &MOVED, NONE),
        (SCATTER, &MOVED, ("HOW", &["0"])),
        (SCATTER, &COMPUTED, ("HOW", &["1", "2"])),
        (SCATTER, &COMPARED[1..], ("HOW", &["3", "4"])),
        (SCATTER, &COMPARED[..1], ("HOW", &["5"])),
        (MATMUL, &COMPUTED, NONE),
        (SCAN_TOTAL, &COMPUTED, OP),
        (SCAN_BEST, &COMPARED, SMALLEST),
        (SCAN_TOTAL_TOGETHER, &COMPUTED, OP),
        (SCAN_BEST_TOGETHER, &COMPARED, SMALLEST),
        (RECURRENCE, &COMPUTED[1..], NONE),
        (MAX_POOL, FLOAT, NONE),
        (MAX_POOL_GRADIENT, FLOAT, NONE),
        (AVG_POOL, FLOAT, DIVISOR),
        (AVG_POOL_GRADIENT, FLOAT, DIVISOR),
    ];
    let mut all = Vec::new();
    for (source, elements, (constant, values)) in families {
        for &element in elements {
            let plain = Variant::new(source, element);
            let what = format!("{} of {element}", source.0);
            if values.is_empty() {
                all.push((what.clone(), plain.cuda()));
            }
            for &value in values {
                let what = format!("{what}, {constant} {value}");
                all.push((what, plain.with(constant, value).cuda()));
            }
        }
    }
    for &kernel in ThreadKernel::ALL {
        for element in COMPARED {
            for flag in [false, true]
                .into_iter()
                .take(1 + usize::from(kernel.flag().is_some()))
            {
                let what = format!("{} of {element}, {flag}", kernel.cuda().0);
                let variant = Variant::of_threads(kernel.cuda(), element, kernel, flag);
                all.push((what, variant.cuda()));
            }
        }
    }
    all
}

//! The programs in `shaders/cuda` that routines run: which file, for which elements, with which choices.

use std::hash::{Hash, Hasher};

use glowgrad_tensor::DType;

/// A file: its name and its text.
type Source = (&'static str, &'static str);

macro_rules! sources {
    ($($name:ident: $file:literal),+ $(,)?) => {
        $(pub(crate) const $name: Source =
            ($file, include_str!(concat!("../../../shaders/cuda/", $file, ".cu")));)+
    };
}

sources! {
    ARGSORT: "argsort",
    COPY: "copy",
    MATMUL: "matmul",
    PUT: "put",
    RECURRENCE: "recurrence",
    SCAN: "scan",
    SCAN_TOGETHER: "scan_together",
    SEARCH_SORTED: "search_sorted",
    TAKE: "take",
}

/// A file for one type of elements, with the lines before it that choose what it does.
#[derive(Clone, Copy)]
pub(crate) struct Variant {
    pub(crate) source: Source,
    pub(crate) element: &'static str,
    pub(crate) constant: &'static str,
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

pub(crate) const HOW: [&str; 6] = [
    "constexpr int HOW = 0;",
    "constexpr int HOW = 1;",
    "constexpr int HOW = 2;",
    "constexpr int HOW = 3;",
    "constexpr int HOW = 4;",
    "constexpr int HOW = 5;",
];
pub(crate) const TOTAL: [&str; 3] = [
    concat!(
        "constexpr int OP = 0;\n",
        include_str!("../../../shaders/cuda/running_total.cu")
    ),
    concat!(
        "constexpr int OP = 1;\n",
        include_str!("../../../shaders/cuda/running_total.cu")
    ),
    concat!(
        "constexpr int OP = 2;\n",
        include_str!("../../../shaders/cuda/running_total.cu")
    ),
];
pub(crate) const BEST: [&str; 2] = [
    concat!(
        "constexpr bool SMALLEST = false;\n",
        include_str!("../../../shaders/cuda/running_best.cu")
    ),
    concat!(
        "constexpr bool SMALLEST = true;\n",
        include_str!("../../../shaders/cuda/running_best.cu")
    ),
];
pub(crate) const DESCENDING: [&str; 2] = [
    "constexpr bool DESCENDING = false;",
    "constexpr bool DESCENDING = true;",
];
pub(crate) const RIGHT: [&str; 2] = [
    "constexpr bool RIGHT = false;",
    "constexpr bool RIGHT = true;",
];

/// Every program that a routine may run: what it is, and its text.
pub fn sources() -> Vec<(String, String)> {
    let families: [(Source, &[&'static str], &[&'static str]); 14] = [
        (TAKE, &MOVED, &[""]),
        (COPY, &MOVED, &[""]),
        (PUT, &MOVED, &HOW[..1]),
        (PUT, &COMPUTED, &HOW[1..3]),
        (PUT, &COMPARED[1..], &HOW[3..5]),
        (PUT, &COMPARED[..1], &HOW[5..]),
        (MATMUL, &COMPUTED, &[""]),
        (SCAN, &COMPUTED, &TOTAL),
        (SCAN, &COMPARED, &BEST),
        (SCAN_TOGETHER, &COMPUTED, &TOTAL),
        (SCAN_TOGETHER, &COMPARED, &BEST),
        (RECURRENCE, &COMPUTED[1..], &[""]),
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
                let choice = constant.lines().next().unwrap_or_default();
                let what = format!("{} of {element} {choice}", source.0);
                all.push((what, variant.text()));
            }
        }
    }
    all
}

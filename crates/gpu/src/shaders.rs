//! The shaders in `shaders/` that routines run: which file, which variant of it.

use std::hash::{Hash, Hasher};
use std::rc::Rc;

use glowgrad_tensor::DType;
use glowgrad_tensor::codegen::{Shader, epilogue, is_half};
use glowgrad_tensor::kernel::Kernel;

/// A hand-written shader: its name and its text.
type Source = (&'static str, &'static str);

macro_rules! shaders {
    ($($name:ident: $file:literal $(+ $shared:literal)*),+ $(,)?) => {
        $(pub(crate) const $name: Source = ($file, concat!(
            include_str!(concat!("../../../shaders/", $file, ".wgsl")),
            $("\n", include_str!(concat!("../../../shaders/", $shared, ".wgsl")),)*
        ));)+
        /// Every hand-written shader.
        const SHADERS: &[Source] = &[$($name),+];
    };
}

shaders! {
    ARGSORT: "argsort",
    ATTENTION: "attention" + "numbers",
    AVG_POOL: "avg_pool" + "avg_windows",
    AVG_POOL_GRADIENT: "avg_pool_gradient" + "avg_windows",
    CONVOLUTION: "convolution" + "store",
    COPY: "copy",
    LAYER_NORM: "layer_norm" + "lanes",
    LAYER_NORM_GRADIENT: "layer_norm_gradient" + "lanes",
    MATMUL: "matmul" + "store",
    MATMUL_LARGE: "matmul_large" + "store",
    MAX_POOL: "max_pool" + "max_windows",
    MAX_POOL_GRADIENT: "max_pool_gradient" + "max_windows",
    PUT: "put",
    RECURRENCE: "recurrence",
    RUNNING_BEST: "running_best",
    SCAN: "scan",
    SEARCH_SORTED: "search_sorted",
    SOFTMAX: "softmax" + "lanes" + "numbers",
    SOFTMAX_GRADIENT: "softmax_gradient" + "lanes" + "numbers",
    TAKE: "take",
}

/// Where shaders of two operands store an element: an epilogue takes its place.
const STORE: &str = include_str!("../../../shaders/store.wgsl");

/// The shaders that move float16; arithmetic on it is float32's.
const MOVERS: &[Source] = &[COPY, PUT, TAKE];

/// Every hand-written shader for every type of elements that it may meet: what it is called, and its text.
pub fn sources() -> Vec<(String, String)> {
    let of = |dtype: DType, sources: &'static [Source]| {
        let sources = sources.iter().map(move |&source| (source, dtype));
        sources.map(|(source, dtype)| {
            let text = Variant::of(source, dtype).text();
            (format!("{}, {dtype}", source.0), text)
        })
    };
    let wide = [DType::F32, DType::I32, DType::Bool];
    let wide = wide.into_iter().flat_map(|dtype| of(dtype, SHADERS));
    wide.chain(of(DType::F16, MOVERS)).collect()
}

/// Every shader that stores where an epilogue can stand, with this one: what it is called, and its text.
///
/// # Errors
/// Why the kernel cannot be said in WGSL.
pub fn with_epilogue(kernel: &Rc<Kernel>) -> Result<Vec<(String, String)>, String> {
    let end = epilogue(kernel, 2)?;
    let sources = SHADERS.iter().filter(|source| source.1.ends_with(STORE));
    let text = |&source: &Source| {
        let variant = Variant::of(source, DType::F32);
        (source.0.to_owned(), variant.text_with(kernel, &end))
    };
    Ok(sources.map(text).collect())
}

/// Most `const` lines of a shader that a variant changes.
const MOST_CONSTANTS: usize = 3;

/// A shader for one type of elements, with some of its `const` lines changed.
#[derive(Clone, Copy)]
pub(crate) struct Variant {
    source: Source,
    element: &'static str,
    constants: [Option<(&'static str, &'static str)>; MOST_CONSTANTS],
}

impl Variant {
    pub(crate) fn of(source: Source, dtype: DType) -> Variant {
        let element = match dtype {
            DType::F32 => "f32",
            DType::F16 => "f16",
            DType::Bool => "u32",
            _ => "i32",
        };
        Variant {
            source,
            element,
            constants: [None; MOST_CONSTANTS],
        }
    }

    pub(crate) fn with(mut self, name: &'static str, value: &'static str) -> Variant {
        if let Some(free) = self.constants.iter_mut().find(|known| known.is_none()) {
            *free = Some((name, value));
        }
        self
    }

    /// What tells it from others: the source's name stands for its text.
    fn key(&self) -> impl Eq + Hash + use<> {
        (self.source.0, self.element, self.constants)
    }

    pub(crate) fn text(&self) -> String {
        let element = format!("alias Element = {};", self.element);
        let mut text = self.source.1.replace("alias Element = f32;", &element);
        match self.element {
            "f32" => {}
            "f16" => text.insert_str(0, "enable f16;\n"),
            _ => text = text.replace("const IS_FLOAT = true;", "const IS_FLOAT = false;"),
        }
        for (name, value) in self.constants.into_iter().flatten() {
            let start = format!("const {name} = ");
            if let Some(at) = text.find(&start).map(|at| at + start.len()) {
                let end = text[at..].find(';').map_or(at, |len| at + len);
                text.replace_range(at..end, value);
            }
        }
        text
    }

    /// Its text with an epilogue where it stores: the numbers of that one come behind its sizes.
    pub(crate) fn text_with(&self, kernel: &Kernel, end: &Shader) -> String {
        let text = self.text().replace(STORE, &end.source());
        let text = text.replacen("\n}", &format!("\n{}}}", end.fields()), 1);
        let half = if is_half(kernel) { "enable f16;\n" } else { "" };
        [half, &text].concat()
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

//! Which variant of a kernel a device compiles, and what it has compiled so far: the same for every device.
//!
//! A generated kernel varies by the input that its result replaces, or by the hand-written kernel that it ends
//! ([`Form`]). A hand-written one varies by the type of its elements and by its constants ([`Variant`]).
//!
//! Invariant: kernels are told apart by their structure, not by their text or their run-time numbers, so that
//! the second step of a training loop compiles nothing.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use crate::kernel::{InPlace, Kernel};
use crate::routine::ThreadKernel;

/// A hand-written kernel: the name of its file in `shaders/`, and its text.
pub type Source = (&'static str, &'static str);

/// Most constants of a hand-written kernel that a variant chooses.
const MOST_CONSTANTS: usize = 3;

/// A hand-written kernel for one type of elements, with some of its constants chosen.
#[derive(Clone, Copy)]
pub struct Variant {
    source: Source,
    element: &'static str,
    constants: [Option<(&'static str, &'static str)>; MOST_CONSTANTS],
}

impl Variant {
    /// A kernel for elements of this type, as its language calls it.
    pub const fn new(source: Source, element: &'static str) -> Variant {
        Variant {
            source,
            element,
            constants: [None; MOST_CONSTANTS],
        }
    }

    /// With one more constant chosen.
    pub fn with(mut self, name: &'static str, value: &'static str) -> Variant {
        if let Some(free) = self.constants.iter_mut().find(|known| known.is_none()) {
            *free = Some((name, value));
        }
        self
    }

    /// The kernel that a routine asks for, in one of its two variants.
    pub fn of_threads(
        source: Source,
        element: &'static str,
        kernel: ThreadKernel,
        flag: bool,
    ) -> Variant {
        let variant = Variant::new(source, element);
        match kernel.flag() {
            Some(name) => variant.with(name, if flag { "true" } else { "false" }),
            None => variant,
        }
    }

    /// What tells it from others: the source's name stands for its text.
    fn key(&self) -> impl Eq + Hash + use<> {
        (self.source.0, self.element, self.constants)
    }

    /// Its text in WGSL: the file has a value for each constant, which the chosen one replaces.
    pub fn wgsl(&self) -> String {
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

    /// Its text in CUDA C: the constants stand before the file, which has none of them.
    pub fn cuda(&self) -> String {
        let mut text = format!("using Element = {};\n", self.element);
        for (name, value) in self.constants.into_iter().flatten() {
            let kind = match value {
                "true" | "false" => "bool",
                _ => "int",
            };
            text += &format!("constexpr {kind} {name} = {value};\n");
        }
        text + self.source.1
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

/// What a generated kernel is compiled as.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// A kernel of its own; the inputs that lie where results go.
    Whole(InPlace),
    /// The epilogue of a hand-written one.
    Epilogue(Variant),
}

/// What was compiled of generated kernels, by their structure and form.
pub struct KernelCache<T>(HashMap<u64, Vec<Compiled<T>>>);

struct Compiled<T> {
    kernel: Rc<Kernel>,
    form: Form,
    compiled: T,
}

impl<T> Default for KernelCache<T> {
    fn default() -> KernelCache<T> {
        KernelCache(HashMap::new())
    }
}

impl<T> KernelCache<T> {
    /// What a kernel was compiled to, or is compiled to now.
    ///
    /// # Errors
    /// Those of `compile`, after which nothing is kept.
    pub fn get_or_compile<E>(
        &mut self,
        kernel: &Rc<Kernel>,
        form: Form,
        compile: impl FnOnce() -> Result<T, E>,
    ) -> Result<&T, E> {
        let mut hasher = DefaultHasher::new();
        kernel.hash_structure(&mut hasher);
        form.hash(&mut hasher);
        let known = self.0.entry(hasher.finish()).or_default();
        let same = |c: &Compiled<T>| c.form == form && c.kernel.is_same_structure(kernel);
        let at = match known.iter().position(same) {
            Some(at) => at,
            None => {
                known.push(Compiled {
                    kernel: kernel.clone(),
                    form,
                    compiled: compile()?,
                });
                known.len() - 1
            }
        };
        Ok(&known[at].compiled)
    }

    /// Everything that was compiled.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.0.values().flatten().map(|c| &c.compiled)
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::Variant;

    const WGSL: &str = "alias Element = f32;\nconst IS_FLOAT = true;\nconst OP = 0;\n";

    #[test]
    fn a_variant_chooses_elements_and_constants_in_both_languages() {
        let sum = Variant::new(("scan", WGSL), "i32").with("OP", "2");
        assert_eq!(
            sum.wgsl(),
            "alias Element = i32;\nconst IS_FLOAT = false;\nconst OP = 2;\n"
        );
        let best = Variant::new(("best", "text"), "float")
            .with("OP", "1")
            .with("SMALLEST", "true");
        assert_eq!(
            best.cuda(),
            "using Element = float;\nconstexpr int OP = 1;\nconstexpr bool SMALLEST = true;\ntext"
        );
        assert!(sum == sum && sum != sum.with("OTHER", "1"));
    }
}

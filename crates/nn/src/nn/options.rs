//! Arguments of layers: what they may be, and the macros that make a type of them.
//!
//! Invariant: an option has the name and the default of PyTorch's argument, so that a layer is also made by name
//! ([`build`](super::build)), from a list of arguments.

use glowgrad_tensor::bind::{Arg, ToArg};
use glowgrad_tensor::{Error, Result, Scalar};

/// A named argument: `("stride", 2.arg())`.
pub type Argument = (String, Arg);

/// One number, or several: where PyTorch takes either.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbers<T>(Vec<T>);

/// Sizes along the spatial dimensions: one for all, or one each.
///
/// ```
/// use glowgrad_nn::nn::Sizes;
/// assert_eq!(Sizes::from(3).each::<2>(), Some([3, 3]));
/// assert_eq!(Sizes::from([3, 5]).each::<2>(), Some([3, 5]));
/// assert_eq!(Sizes::from([3, 5]).each::<3>(), None);
/// ```
pub type Sizes = Numbers<usize>;

/// Integers that may be negative: elements to cut off, a size that is to fit.
pub type Integers = Numbers<i64>;

impl<T: Copy + std::fmt::Debug> Numbers<T> {
    /// All of them.
    pub fn as_slice(&self) -> &[T] {
        &self.0
    }

    /// One for each of `N` dimensions; none where another number of them was given.
    pub fn each<const N: usize>(&self) -> Option<[T; N]> {
        match self.0[..] {
            [one] => Some([one; N]),
            _ => self.0.clone().try_into().ok(),
        }
    }

    /// One for each of `N` dimensions, or words about what came.
    pub(crate) fn expect<const N: usize>(&self, layer: &str, name: &str) -> Result<[T; N]> {
        self.each().ok_or_else(|| {
            Error::value(format!(
                "{layer}: {name} has {} numbers {:?}, expected 1 or {N}",
                self.0.len(),
                self.0
            ))
        })
    }
}

impl<T: ToArg> Numbers<T> {
    /// As a list, where one number is no list of one.
    pub(crate) fn list(&self) -> Arg {
        Arg::List(self.0.iter().map(ToArg::arg).collect())
    }
}

impl<T> From<T> for Numbers<T> {
    fn from(one: T) -> Numbers<T> {
        Numbers(vec![one])
    }
}

impl<T: Copy, const N: usize> From<[T; N]> for Numbers<T> {
    fn from(each: [T; N]) -> Numbers<T> {
        Numbers(each.to_vec())
    }
}

impl<T: ToArg> ToArg for Numbers<T> {
    fn arg(&self) -> Arg {
        match &self.0[..] {
            [one] => one.arg(),
            _ => self.list(),
        }
    }
}

impl<T: FromArg> FromArg for Numbers<T> {
    const WANTED: &'static str = "a whole number or a list of them";
    fn from_arg(arg: &Arg) -> Option<Numbers<T>> {
        match arg {
            Arg::List(list) => list
                .iter()
                .map(T::from_arg)
                .collect::<Option<_>>()
                .map(Numbers),
            one => T::from_arg(one).map(Numbers::from),
        }
    }
}

/// A word among those that an option takes: `"mean"`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word(String);

impl Word {
    /// Its letters.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Word {
    fn from(word: &str) -> Word {
        Word(word.to_owned())
    }
}

impl ToArg for Word {
    fn arg(&self) -> Arg {
        Arg::Word(self.0.clone())
    }
}

/// What an argument that was given by name is read as.
pub trait FromArg: Sized {
    /// What it takes, in words.
    const WANTED: &'static str;
    /// The value; none of another kind.
    fn from_arg(arg: &Arg) -> Option<Self>;
}

macro_rules! from_arg {
    ($($kind:ty, $wanted:literal: $($pattern:pat => $value:expr),+;)*) => {$(
        impl FromArg for $kind {
            const WANTED: &'static str = $wanted;
            fn from_arg(arg: &Arg) -> Option<Self> {
                match arg { $($pattern => $value,)+ _ => None }
            }
        }
    )*};
}
from_arg! {
    usize, "a size": Arg::Number(Scalar::Int(n)) => usize::try_from(*n).ok();
    i64, "an integer": Arg::Number(Scalar::Int(n)) => Some(*n);
    f64, "a number": Arg::Number(Scalar::Float(x)) => Some(*x), Arg::Number(Scalar::Int(n)) => Some(*n as f64);
    bool, "True or False": Arg::Number(Scalar::Bool(b)) => Some(*b);
    Word, "a word": Arg::Word(word) => Some(Word(word.clone()));
}
impl<T: FromArg> FromArg for Option<T> {
    const WANTED: &'static str = T::WANTED;
    fn from_arg(arg: &Arg) -> Option<Self> {
        match arg {
            Arg::None => Some(None),
            arg => T::from_arg(arg).map(Some),
        }
    }
}

/// The value of an argument.
pub(crate) fn read<T: FromArg>(layer: &str, (name, arg): &Argument) -> Result<T> {
    T::from_arg(arg).ok_or_else(|| {
        Error::type_(format!(
            "{layer}: {name} is {}, not {arg:?}; pass that",
            T::WANTED
        ))
    })
}

pub(crate) fn unknown(layer: &str, name: &str, known: &[&str]) -> Error {
    Error::type_(format!(
        "{layer} has no argument {name}; it has {}",
        known.join(", ")
    ))
}

pub(crate) fn missing(layer: &str, name: &str) -> Error {
    Error::type_(format!("{layer} needs the argument {name}"))
}

/// A struct of a layer's arguments: those that are required make it, the others have PyTorch's defaults and a method
/// each that sets them.
macro_rules! options {
    ($(
        $(#[$doc:meta])*
        $name:ident of $layer:literal ($($req:ident: $req_kind:ty),* $(,)?) { $($opt:ident: $opt_kind:ty = $default:expr),* $(,)? }
    )*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $name {
            $(pub(crate) $req: $req_kind,)*
            $(pub(crate) $opt: $opt_kind,)*
        }

        impl $name {
            /// With PyTorch's defaults.
            #[allow(clippy::new_without_default, reason = "layers are made by new")]
            pub fn new($($req: impl Into<$req_kind>),*) -> Self {
                $name { $($req: $req.into(),)* $($opt: $default,)* }
            }

            $(
                #[doc = concat!("Sets `", stringify!($opt), "`.")]
                #[must_use]
                pub fn $opt(mut self, $opt: impl Into<$opt_kind>) -> Self {
                    self.$opt = $opt.into();
                    self
                }
            )*

            /// Its arguments by name.
            pub fn arguments(&self) -> Vec<(&'static str, glowgrad_tensor::bind::Arg)> {
                #[allow(unused_imports, reason = "a layer without arguments has none to make")]
                use glowgrad_tensor::bind::ToArg;
                vec![
                    $((stringify!($req), self.$req.arg()),)*
                    $((stringify!($opt), self.$opt.arg()),)*
                ]
            }

            /// Made of arguments by name.
            ///
            /// # Errors
            /// When one is missing, unknown or of another kind.
            pub fn from_arguments(given: &[$crate::nn::Argument]) -> glowgrad_tensor::Result<Self> {
                use $crate::nn::options;
                const KNOWN: &[&str] = &[$(stringify!($req),)* $(stringify!($opt),)*];
                if let Some((name, _)) = given.iter().find(|(name, _)| !KNOWN.contains(&name.as_str())) {
                    return Err(options::unknown($layer, name, KNOWN));
                }
                #[allow(unused_variables, reason = "a layer without arguments asks for none")]
                let find = |wanted: &str| given.iter().find(|(name, _)| name == wanted);
                Ok($name {
                    $($req: {
                        let argument = find(stringify!($req));
                        options::read($layer, argument.ok_or_else(|| options::missing($layer, stringify!($req)))?)?
                    },)*
                    $($opt: match find(stringify!($opt)) {
                        Some(argument) => options::read($layer, argument)?,
                        None => $default,
                    },)*
                })
            }
        }
    )*};
}

/// Layers without parameters that are one op each, with the layer's arguments as the op's.
macro_rules! one_op {
    ($(
        $(#[$doc:meta])*
        $name:ident of $layer:literal $op:literal ($($req:ident: $req_kind:ty),* $(,)?) { $($opt:ident: $opt_kind:ty = $default:expr),* $(,)? }
    )*) => {$(
        options! {
            $(#[$doc])*
            $name of $layer ($($req: $req_kind),*) { $($opt: $opt_kind = $default),* }
        }

        impl $crate::nn::Parts for $name {
            fn parts<'a>(&'a self, _: &mut dyn FnMut(&str, $crate::nn::Part<'a>)) {}
        }

        impl $crate::nn::Module for $name {
            fn forward(&self, x: &glowgrad_tensor::Tensor) -> glowgrad_tensor::Result<glowgrad_tensor::Tensor> {
                glowgrad_tensor::bind::call(x.engine(), $op, glowgrad_tensor::args![x], self.arguments())
            }
        }
    )*};
}

//! The Python sources that ship inside the binary, and what to say about those that do not.
//!
//! Sources are compiled when first imported: an interpreter that imports little starts fast.

use crate::library;
use crate::runtime::Runtime;

/// A Python module of ours.
#[derive(Clone, Copy)]
pub(crate) struct Module {
    pub(crate) name: &'static str,
    pub(crate) source: &'static str,
    pub(crate) is_package: bool,
}

macro_rules! modules {
    ($($name:literal $path:literal $is_package:literal,)+) => {
        &[$(Module { name: $name, source: include_str!(concat!("lib/", $path)), is_package: $is_package },)+]
    };
}

const MODULES: &[Module] = modules! {
    "__future__" "__future__.py" false,
    "abc" "abc.py" false,
    "collections" "collections/__init__.py" true,
    "collections.abc" "collections/abc.py" false,
    "contextlib" "contextlib.py" false,
    "copy" "copy.py" false,
    "dataclasses" "dataclasses.py" false,
    "enum" "enum.py" false,
    "functools" "functools.py" false,
    "gc" "gc.py" false,
    "json" "json.py" false,
    "operator" "operator.py" false,
    "random" "random.py" false,
    "_checks" "_checks.py" false,
    "_missing" "_missing.py" false,
    "_names" "_names.py" false,
    "_own_graph" "_own_graph.py" false,
    "glowgrad" "glowgrad/__init__.py" true,
    "glowgrad._array" "glowgrad/_array.py" false,
    "glowgrad._bytes" "glowgrad/_bytes.py" false,
    "glowgrad._calculus" "glowgrad/_calculus.py" false,
    "glowgrad._compose" "glowgrad/_compose.py" false,
    "glowgrad._contents" "glowgrad/_contents.py" false,
    "glowgrad._copies" "glowgrad/_copies.py" false,
    "glowgrad._defaults" "glowgrad/_defaults.py" false,
    "glowgrad._filling" "glowgrad/_filling.py" false,
    "glowgrad._later" "glowgrad/_later.py" false,
    "glowgrad._linear" "glowgrad/_linear.py" false,
    "glowgrad._making" "glowgrad/_making.py" false,
    "glowgrad._matrices" "glowgrad/_matrices.py" false,
    "glowgrad._methods" "glowgrad/_methods.py" false,
    "glowgrad._npy" "glowgrad/_npy.py" false,
    "glowgrad._numbers" "glowgrad/_numbers.py" false,
    "glowgrad._out" "glowgrad/_out.py" false,
    "glowgrad._pieces" "glowgrad/_pieces.py" false,
    "glowgrad._place" "glowgrad/_place.py" false,
    "glowgrad._places" "glowgrad/_places.py" false,
    "glowgrad._questions" "glowgrad/_questions.py" false,
    "glowgrad._removed" "glowgrad/_removed.py" false,
    "glowgrad._settings" "glowgrad/_settings.py" false,
    "glowgrad._statistics" "glowgrad/_statistics.py" false,
    "glowgrad._tensor" "glowgrad/_tensor.py" false,
    "glowgrad._train" "glowgrad/_train.py" false,
    "glowgrad._twins" "glowgrad/_twins.py" false,
    "glowgrad._types" "glowgrad/_types.py" false,
    "glowgrad._windows" "glowgrad/_windows.py" false,
    "glowgrad.autograd" "glowgrad/autograd.py" false,
    "glowgrad.backends" "glowgrad/backends/__init__.py" true,
    "glowgrad.backends.cpu" "glowgrad/backends/cpu.py" false,
    "glowgrad.backends.cuda" "glowgrad/backends/cuda.py" false,
    "glowgrad.backends.cudnn" "glowgrad/backends/cudnn.py" false,
    "glowgrad.backends.mkl" "glowgrad/backends/mkl.py" false,
    "glowgrad.backends.mps" "glowgrad/backends/mps.py" false,
    "glowgrad.backends.openmp" "glowgrad/backends/openmp.py" false,
    "glowgrad.cuda" "glowgrad/cuda.py" false,
    "glowgrad.datasets" "glowgrad/datasets.py" false,
    "glowgrad.lab" "glowgrad/lab.py" false,
    "glowgrad.linalg" "glowgrad/linalg.py" false,
    "glowgrad.nn" "glowgrad/nn/__init__.py" true,
    "glowgrad.nn._functional" "glowgrad/nn/_functional.py" false,
    "glowgrad.nn.activation" "glowgrad/nn/activation.py" false,
    "glowgrad.nn.attention" "glowgrad/nn/attention.py" false,
    "glowgrad.nn.conv" "glowgrad/nn/conv.py" false,
    "glowgrad.nn.functional" "glowgrad/nn/functional.py" false,
    "glowgrad.nn.init" "glowgrad/nn/init.py" false,
    "glowgrad.nn.loss" "glowgrad/nn/loss.py" false,
    "glowgrad.nn.module" "glowgrad/nn/module.py" false,
    "glowgrad.nn.normalization" "glowgrad/nn/normalization.py" false,
    "glowgrad.nn.pooling" "glowgrad/nn/pooling.py" false,
    "glowgrad.nn.positions" "glowgrad/nn/positions.py" false,
    "glowgrad.nn.recurrent" "glowgrad/nn/recurrent.py" false,
    "glowgrad.nn.transformer" "glowgrad/nn/transformer.py" false,
    "glowgrad.nn.utils" "glowgrad/nn/utils/__init__.py" true,
    "glowgrad.nn.utils.rnn" "glowgrad/nn/utils/rnn.py" false,
    "glowgrad.optim" "glowgrad/optim.py" false,
    "glowgrad.utils" "glowgrad/utils/__init__.py" true,
    "glowgrad.utils.data" "glowgrad/utils/data.py" false,
    "statistics" "statistics.py" false,
    "types" "types.py" false,
    "typing" "typing.py" false,
    "warnings" "warnings.py" false,
};

/// The module with this name: one that is built in, else one of the library, which is fetched for it.
pub(crate) fn find(runtime: &Runtime, name: &str) -> Option<Module> {
    let built_in = MODULES.iter().find(|module| module.name == name);
    built_in.copied().or_else(|| match refusal(name) {
        Some(_) => None,
        None => library::find(runtime, name),
    })
}

/// Why a module is not here, and what to write instead, for modules that no part of Python here will ever have.
fn refusal(name: &str) -> Option<&'static str> {
    let root = name.split('.').next().unwrap_or(name);
    Some(match root {
        "cupy" => "tensors do what arrays do: `import torch`, then `torch.tensor(…)`",
        "jax" | "tensorflow" | "tinygrad" | "micrograd" | "keras" => {
            "the framework here is glowgrad: write `import torch`"
        }
        "torchvision" | "torchaudio" | "torchtext" | "sklearn" | "datasets" => {
            "data sets are in `glowgrad.datasets`: write `from glowgrad.datasets import load_digits`"
        }
        "seaborn" | "plotly" | "tensorboard" | "tensorboardX" | "wandb" => {
            "plots are in `glowgrad.lab`: write `from glowgrad import lab`, then `lab.plot(loss=…)`"
        }
        "pandas" | "scipy" | "PIL" | "cv2" | "transformers" | "requests" | "httpx" | "rich" => {
            "Python here has tensors and its own library, and no package installer"
        }
        "subprocess" | "pty" | "multiprocessing" | "concurrent" | "asyncio" => {
            "Python here starts no programs, and runs one thing at a time, on one thread"
        }
        "socket" | "ssl" | "http" | "ftplib" | "smtplib" | "socketserver" => {
            "Python here has no network"
        }
        "ctypes" | "cffi" | "mmap" => "Python here has no access to the computer's memory",
        "tkinter" | "turtle" | "curses" | "readline" => {
            "Python here draws no windows: `lab.plot` and `lab.image` draw below the cell"
        }
        _ => return None,
    })
}

/// What to say of a module that is not here.
pub(crate) fn missing(runtime: &Runtime, name: &str) -> String {
    let root = name.split('.').next().unwrap_or(name);
    let instead = match (root, refusal(name)) {
        (_, Some(words)) => words.to_owned(),
        ("torch" | "glowgrad", _) => {
            let rest = name.split_once('.').map_or(name, |(_, rest)| rest);
            format!("glowgrad has no module `{rest}`")
        }
        _ => match library::failure(runtime) {
            Some(why) => format!("Python's library could not be loaded: {why}"),
            None => format!("Python here has these modules: {}", available(runtime).join(", ")),
        },
    };
    format!("No module named '{name}': {instead}")
}

/// The modules that a program may import, besides glowgrad.
pub(crate) fn available(runtime: &Runtime) -> Vec<&'static str> {
    let native = ["itertools", "math", "sys", "time"];
    let mut names: Vec<&'static str> = MODULES
        .iter()
        .map(|module| module.name)
        .chain(library::names(runtime))
        .filter(|name| !name.starts_with('_') && !name.starts_with("glowgrad"))
        .filter(|name| !name.contains('.'))
        .chain(native)
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

//! The Python modules that are part of the program, and what to say about those that are not.
//!
//! The build script has compiled them. An interpreter that imports little starts fast.

use rustpython_vm::suggestion::calculate_suggestions;
use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine};

use crate::doors;
use crate::library::{Code, Module};
use crate::runtime::Runtime;

/// What a package installer brings elsewhere, and is here.
const PACKAGES: [&str; 6] = [
    "numpy",
    "matplotlib",
    "torchvision",
    "PIL",
    "tqdm",
    "safetensors",
];

const MODULES: &[Module] = include!(concat!(env!("OUT_DIR"), "/built_in.rs"));

/// The code that every interpreter runs first: `lib/bootstrap.py`.
pub(crate) const BOOTSTRAP: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/bootstrap.code"));

/// The Python module with this name: one that is built in, else one of the library, which is fetched for it.
pub(crate) fn find(runtime: &Runtime, name: &str) -> Option<Module> {
    let built_in = MODULES.iter().find(|module| module.name == name);
    if built_in.is_some() || doors::is_allowed(name) || refusal(name).is_some() {
        return built_in.copied();
    }
    runtime.library.find(&*runtime.host, name)
}

/// Why a module is not here, and what to write instead, for modules that no part of Python here will ever have.
fn refusal(name: &str) -> Option<&'static str> {
    let root = name.split('.').next().unwrap_or(name);
    Some(match root {
        "lab" => "it is a part of glowgrad: write `from glowgrad import lab`",
        "nn" | "optim" => "it is a part of torch: write `from torch import nn, optim`",
        "cupy" => "arrays are in `numpy`: write `import numpy as np`",
        "jax" | "tensorflow" | "tinygrad" | "micrograd" | "keras" => {
            "the framework here is glowgrad: write `import torch`"
        }
        "sklearn" | "datasets" => {
            "data sets are in `glowgrad.datasets`: write `from glowgrad.datasets import load_digits`"
        }
        "torchtext" | "tokenizers" | "tiktoken" => {
            "tokenizers are in `glowgrad.text`: write `from glowgrad.text import BPETokenizer`, or `CharTokenizer`"
        }
        "torchaudio" | "librosa" => {
            "sound is a tensor of samples here, and Python here has no package installer"
        }
        "einops" => {
            "`x.reshape`, `x.permute` and `x.flatten` do what `rearrange` does, and `torch.einsum` is here"
        }
        "torchmetrics" => {
            "a share of right answers is `(logits.argmax(1) == labels).float().mean()`"
        }
        "lightning" | "pytorch_lightning" | "accelerate" | "fastai" => {
            "`lab.train(step, batches)` runs a training loop, with its loss as a curve and Stop beside it"
        }
        "tensorboard" | "tensorboardX" => {
            "event files are written by `from torch.utils.tensorboard import SummaryWriter`"
        }
        "seaborn" | "plotly" | "wandb" => {
            "plots are in `matplotlib.pyplot`, and live ones in `glowgrad.lab`: write `from glowgrad import lab`, then `lab.plot(loss=…)`"
        }
        "rich" => "`from tqdm import tqdm` shows how far a loop has come",
        "pandas" => {
            "Python here has no package installer; `torch.datasets.load_csv(path)` reads a table, each column as a tensor"
        }
        "cv2" | "skimage" => "images are read and written by `from PIL import Image`",
        "scipy" | "transformers" => {
            "Python here has tensors and its own library, and no package installer"
        }
        "cffi" => "Python here has no access to the computer's memory",
        "tkinter" | "turtle" | "curses" | "readline" => {
            "Python here draws no windows: `lab.plot` and `lab.image` draw below the cell"
        }
        _ => return None,
    })
}

/// Why the names of a module refuse to be called, for modules that many programs import and few use: they need a network,
/// other programs, a debugger or the computer's memory. They import, so a program that uses none of their names runs.
pub(crate) fn refusal_at_call(name: &str) -> Option<&'static str> {
    let root = name.split('.').next().unwrap_or(name);
    Some(match (root, name) {
        (
            "requests" | "httpx" | "http" | "socket" | "ssl" | "ftplib" | "smtplib"
            | "socketserver",
            _,
        )
        | (_, "urllib.request" | "urllib.robotparser") => {
            "Python here has no network; open a file that lies beside the program instead"
        }
        ("subprocess" | "pty" | "multiprocessing" | "concurrent" | "asyncio", _) => {
            "Python here starts no programs, and runs one thing at a time, on one thread"
        }
        ("ctypes" | "mmap", _) => "Python here has no access to the computer's memory",
        ("pdb", _) => "Python here has no debugger; print() what you want to see",
        ("cProfile" | "profile" | "pstats" | "tracemalloc", _) => {
            "`torch.profiler` says how long each kernel took, and time.perf_counter() measures a stretch of a program"
        }
        _ => return None,
    })
}

/// What to say of a module that is not here.
pub(crate) fn missing(runtime: &Runtime, vm: &VirtualMachine, name: &str) -> String {
    let root = name.split('.').next().unwrap_or(name);
    let instead = match (root, refusal(name)) {
        (_, Some(words)) => words.to_owned(),
        ("torch" | "glowgrad", _) => {
            let rest = name.split_once('.').map_or(name, |(_, rest)| rest);
            format!("glowgrad has no module `{rest}`")
        }
        _ if PACKAGES.contains(&root) && runtime.library.failure().is_none() => {
            let rest = name.split_once('.').map_or(name, |(_, rest)| rest);
            format!("{root} here has no module `{rest}`")
        }
        _ => match runtime.library.failure() {
            Some(why) => format!("Python's library could not be loaded: {why}"),
            None => {
                let names = available(runtime)
                    .into_iter()
                    .map(|name| vm.ctx.new_str(name).into());
                let names: Vec<PyObjectRef> = names.collect();
                let near = calculate_suggestions(
                    names.iter().map(|name| &**name),
                    vm.ctx.new_str(root).as_object(),
                );
                let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
                format!(
                    "{near}Python here has torch, {} and its own library, and no package installer",
                    PACKAGES.join(", ")
                )
            }
        },
    };
    format!("No module named '{name}': {instead}")
}

/// The modules that a program may import, besides glowgrad.
fn available(runtime: &Runtime) -> Vec<&'static str> {
    let native = ["itertools", "math", "sys"];
    let mut names: Vec<&'static str> = MODULES
        .iter()
        .map(|module| module.name)
        .chain(runtime.library.names())
        .filter(|name| !name.starts_with('_') && !name.starts_with("glowgrad"))
        .filter(|name| !name.contains('.'))
        .chain(native)
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

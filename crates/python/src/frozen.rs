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
    "_checks" "_checks.py" false,
    "_missing" "_missing.py" false,
    "_names" "_names.py" false,
    "_own_graph" "_own_graph.py" false,
    "abc" "abc.py" false,
    "collections" "collections/__init__.py" true,
    "collections.abc" "collections/abc.py" false,
    "contextlib" "contextlib.py" false,
    "copy" "copy.py" false,
    "dataclasses" "dataclasses.py" false,
    "enum" "enum.py" false,
    "functools" "functools.py" false,
    "gc" "gc.py" false,
    "glowgrad" "glowgrad/__init__.py" true,
    "glowgrad._array" "glowgrad/_array.py" false,
    "glowgrad._bytes" "glowgrad/_bytes.py" false,
    "glowgrad._joined" "glowgrad/_joined.py" false,
    "glowgrad._later" "glowgrad/_later.py" false,
    "glowgrad._npy" "glowgrad/_npy.py" false,
    "glowgrad._out" "glowgrad/_out.py" false,
    "glowgrad._place" "glowgrad/_place.py" false,
    "glowgrad._tensor" "glowgrad/_tensor.py" false,
    "glowgrad._train" "glowgrad/_train.py" false,
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
    "glowgrad.nn._hooked_calls" "glowgrad/nn/_hooked_calls.py" false,
    "glowgrad.nn._hooks" "glowgrad/nn/_hooks.py" false,
    "glowgrad.nn._loading" "glowgrad/nn/_loading.py" false,
    "glowgrad.nn._losses" "glowgrad/nn/_losses.py" false,
    "glowgrad.nn._state" "glowgrad/nn/_state.py" false,
    "glowgrad.nn.activation" "glowgrad/nn/activation.py" false,
    "glowgrad.nn.adaptive" "glowgrad/nn/adaptive.py" false,
    "glowgrad.nn.attention" "glowgrad/nn/attention.py" false,
    "glowgrad.nn.bags" "glowgrad/nn/bags.py" false,
    "glowgrad.nn.buffer" "glowgrad/nn/buffer.py" false,
    "glowgrad.nn.common_types" "glowgrad/nn/common_types.py" false,
    "glowgrad.nn.containers" "glowgrad/nn/containers.py" false,
    "glowgrad.nn.conv" "glowgrad/nn/conv.py" false,
    "glowgrad.nn.ctc_loss" "glowgrad/nn/ctc_loss.py" false,
    "glowgrad.nn.dropout" "glowgrad/nn/dropout.py" false,
    "glowgrad.nn.functional" "glowgrad/nn/functional.py" false,
    "glowgrad.nn.grad" "glowgrad/nn/grad.py" false,
    "glowgrad.nn.grids" "glowgrad/nn/grids.py" false,
    "glowgrad.nn.init" "glowgrad/nn/init.py" false,
    "glowgrad.nn.lazy" "glowgrad/nn/lazy.py" false,
    "glowgrad.nn.linear" "glowgrad/nn/linear.py" false,
    "glowgrad.nn.loss" "glowgrad/nn/loss.py" false,
    "glowgrad.nn.module" "glowgrad/nn/module.py" false,
    "glowgrad.nn.modules" "glowgrad/nn/modules.py" false,
    "glowgrad.nn.normalization" "glowgrad/nn/normalization.py" false,
    "glowgrad.nn.padding" "glowgrad/nn/padding.py" false,
    "glowgrad.nn.parallel" "glowgrad/nn/parallel.py" false,
    "glowgrad.nn.parameter" "glowgrad/nn/parameter.py" false,
    "glowgrad.nn.parameter_containers" "glowgrad/nn/parameter_containers.py" false,
    "glowgrad.nn.pixels" "glowgrad/nn/pixels.py" false,
    "glowgrad.nn.pooling" "glowgrad/nn/pooling.py" false,
    "glowgrad.nn.positions" "glowgrad/nn/positions.py" false,
    "glowgrad.nn.rare_activation" "glowgrad/nn/rare_activation.py" false,
    "glowgrad.nn.rare_functions" "glowgrad/nn/rare_functions.py" false,
    "glowgrad.nn.rare_loss" "glowgrad/nn/rare_loss.py" false,
    "glowgrad.nn.rare_normalization" "glowgrad/nn/rare_normalization.py" false,
    "glowgrad.nn.rare_pooling" "glowgrad/nn/rare_pooling.py" false,
    "glowgrad.nn.recurrent" "glowgrad/nn/recurrent.py" false,
    "glowgrad.nn.shapes" "glowgrad/nn/shapes.py" false,
    "glowgrad.nn.transformer" "glowgrad/nn/transformer.py" false,
    "glowgrad.nn.upsampling" "glowgrad/nn/upsampling.py" false,
    "glowgrad.nn.utils" "glowgrad/nn/utils/__init__.py" true,
    "glowgrad.nn.utils._norms" "glowgrad/nn/utils/_norms.py" false,
    "glowgrad.nn.utils.clip_grad" "glowgrad/nn/utils/clip_grad.py" false,
    "glowgrad.nn.utils.convert_parameters" "glowgrad/nn/utils/convert_parameters.py" false,
    "glowgrad.nn.utils.fusion" "glowgrad/nn/utils/fusion.py" false,
    "glowgrad.nn.utils.init" "glowgrad/nn/utils/init.py" false,
    "glowgrad.nn.utils.parametrizations" "glowgrad/nn/utils/parametrizations.py" false,
    "glowgrad.nn.utils.parametrize" "glowgrad/nn/utils/parametrize.py" false,
    "glowgrad.nn.utils.prune" "glowgrad/nn/utils/prune.py" false,
    "glowgrad.nn.utils.rnn" "glowgrad/nn/utils/rnn.py" false,
    "glowgrad.nn.utils.stateless" "glowgrad/nn/utils/stateless.py" false,
    "glowgrad.optim" "glowgrad/optim/__init__.py" true,
    "glowgrad.optim._adafactor" "glowgrad/optim/_adafactor.py" false,
    "glowgrad.optim._combined" "glowgrad/optim/_combined.py" false,
    "glowgrad.optim._cycles" "glowgrad/optim/_cycles.py" false,
    "glowgrad.optim._factors" "glowgrad/optim/_factors.py" false,
    "glowgrad.optim._muon" "glowgrad/optim/_muon.py" false,
    "glowgrad.optim._rule" "glowgrad/optim/_rule.py" false,
    "glowgrad.optim._scheduler" "glowgrad/optim/_scheduler.py" false,
    "glowgrad.optim._stateless" "glowgrad/optim/_stateless.py" false,
    "glowgrad.optim.adadelta" "glowgrad/optim/adadelta.py" false,
    "glowgrad.optim.adagrad" "glowgrad/optim/adagrad.py" false,
    "glowgrad.optim.adam" "glowgrad/optim/adam.py" false,
    "glowgrad.optim.adamax" "glowgrad/optim/adamax.py" false,
    "glowgrad.optim.adamw" "glowgrad/optim/adamw.py" false,
    "glowgrad.optim.asgd" "glowgrad/optim/asgd.py" false,
    "glowgrad.optim.functional" "glowgrad/optim/functional.py" false,
    "glowgrad.optim.lbfgs" "glowgrad/optim/lbfgs.py" false,
    "glowgrad.optim.lion" "glowgrad/optim/lion.py" false,
    "glowgrad.optim.lr_scheduler" "glowgrad/optim/lr_scheduler.py" false,
    "glowgrad.optim.nadam" "glowgrad/optim/nadam.py" false,
    "glowgrad.optim.optimizer" "glowgrad/optim/optimizer.py" false,
    "glowgrad.optim.radam" "glowgrad/optim/radam.py" false,
    "glowgrad.optim.rmsprop" "glowgrad/optim/rmsprop.py" false,
    "glowgrad.optim.rprop" "glowgrad/optim/rprop.py" false,
    "glowgrad.optim.sgd" "glowgrad/optim/sgd.py" false,
    "glowgrad.optim.sparse_adam" "glowgrad/optim/sparse_adam.py" false,
    "glowgrad.optim.swa_utils" "glowgrad/optim/swa_utils.py" false,
    "glowgrad.random" "glowgrad/random.py" false,
    "glowgrad.utils" "glowgrad/utils/__init__.py" true,
    "glowgrad.utils.checkpoint" "glowgrad/utils/checkpoint.py" false,
    "glowgrad.utils.data" "glowgrad/utils/data/__init__.py" true,
    "glowgrad.utils.data._workers" "glowgrad/utils/data/_workers.py" false,
    "glowgrad.utils.data.collate" "glowgrad/utils/data/collate.py" false,
    "glowgrad.utils.data.dataloader" "glowgrad/utils/data/dataloader.py" false,
    "glowgrad.utils.data.dataset" "glowgrad/utils/data/dataset.py" false,
    "glowgrad.utils.data.distributed" "glowgrad/utils/data/distributed.py" false,
    "glowgrad.utils.data.sampler" "glowgrad/utils/data/sampler.py" false,
    "glowgrad.utils.hooks" "glowgrad/utils/hooks.py" false,
    "operator" "operator.py" false,
    "random" "random.py" false,
    "statistics" "statistics.py" false,
    "time" "time.py" false,
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
    let native = ["itertools", "math", "sys"];
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

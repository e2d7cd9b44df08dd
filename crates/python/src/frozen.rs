//! The Python sources that ship inside the binary, and what to say about those that do not.
//!
//! Sources are compiled when first imported: an interpreter that imports little starts fast.

/// A Python module of ours.
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
    "glowgrad.nn.activation" "glowgrad/nn/activation.py" false,
    "glowgrad.nn.attention" "glowgrad/nn/attention.py" false,
    "glowgrad.nn.conv" "glowgrad/nn/conv.py" false,
    "glowgrad.nn.functional" "glowgrad/nn/functional.py" false,
    "glowgrad.nn.init" "glowgrad/nn/init.py" false,
    "glowgrad.nn.loss" "glowgrad/nn/loss.py" false,
    "glowgrad.nn.module" "glowgrad/nn/module.py" false,
    "glowgrad.nn.normalization" "glowgrad/nn/normalization.py" false,
    "glowgrad.nn.pooling" "glowgrad/nn/pooling.py" false,
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
    "glowgrad.utils" "glowgrad/utils/__init__.py" true,
    "glowgrad.utils.data" "glowgrad/utils/data.py" false,
    "statistics" "statistics.py" false,
    "types" "types.py" false,
    "typing" "typing.py" false,
    "warnings" "warnings.py" false,
};

/// The module of ours with this name.
pub(crate) fn find(name: &str) -> Option<&'static Module> {
    MODULES.iter().find(|module| module.name == name)
}

/// What to write instead of importing a module that the lab does not have.
pub(crate) fn missing(name: &str) -> String {
    let root = name.split('.').next().unwrap_or(name);
    let instead = match root {
        "torch" | "glowgrad" => {
            let rest = name.split_once('.').map_or(name, |(_, rest)| rest);
            format!("glowgrad has no module `{rest}`")
        }
        "numpy" | "cupy" => {
            "tensors do what arrays do: write `import glowgrad as torch`, then `torch.tensor(…)`; `.numpy()` gives an array of one"
                .to_owned()
        }
        "jax" | "tensorflow" | "tinygrad" | "micrograd" | "keras" => {
            "the framework here is glowgrad: write `import glowgrad as torch`".to_owned()
        }
        "torchvision" | "sklearn" | "datasets" => {
            "data sets are in `glowgrad.datasets`: write `from glowgrad.datasets import load_digits`"
                .to_owned()
        }
        "matplotlib" | "seaborn" | "plotly" | "tensorboard" | "wandb" => {
            "plots are in `glowgrad.lab`: write `from glowgrad import lab`, then `lab.plot(loss=…)`"
                .to_owned()
        }
        "tqdm" | "rich" => "`print` shows how far a loop has come, while it runs".to_owned(),
        "pandas" | "scipy" | "PIL" | "cv2" => {
            "Python in the lab has tensors and the modules named here, and no package installer"
                .to_owned()
        }
        "os" | "pathlib" | "io" | "shutil" | "glob" | "tempfile" | "subprocess" | "pickle"
        | "csv" | "zipfile" | "gzip" => {
            "Python in the lab has no files and starts no programs".to_owned()
        }
        "socket" | "urllib" | "requests" | "http" | "httpx" | "ssl" => {
            "Python in the lab has no network".to_owned()
        }
        "threading" | "multiprocessing" | "asyncio" | "concurrent" | "queue" | "signal" => {
            "Python in the lab runs one cell at a time, on one thread".to_owned()
        }
        "re" | "string" => "methods of `str` such as `split`, `replace` and `find` are there".to_owned(),
        "datetime" | "timeit" | "calendar" => {
            "`time.perf_counter()` measures time".to_owned()
        }
        "logging" => "`print` shows text while the cell runs".to_owned(),
        _ => format!(
            "the lab has glowgrad and these modules: {}",
            available().join(", ")
        ),
    };
    format!("No module named '{name}': {instead}")
}

pub(crate) fn available() -> Vec<&'static str> {
    let native = ["itertools", "math", "sys", "time"];
    let mut names: Vec<&'static str> = MODULES
        .iter()
        .map(|module| module.name)
        .filter(|name| !name.starts_with('_') && !name.starts_with("glowgrad"))
        .filter(|name| !name.contains('.'))
        .chain(native)
        .collect();
    names.sort_unstable();
    names
}

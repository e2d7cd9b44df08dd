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
    "glowgrad._draws" "glowgrad/_draws.py" false,
    "glowgrad._later" "glowgrad/_later.py" false,
    "glowgrad._npy" "glowgrad/_npy.py" false,
    "glowgrad._out" "glowgrad/_out.py" false,
    "glowgrad._place" "glowgrad/_place.py" false,
    "glowgrad._special" "glowgrad/_special.py" false,
    "glowgrad._tensor" "glowgrad/_tensor.py" false,
    "glowgrad._train" "glowgrad/_train.py" false,
    "glowgrad.autograd" "glowgrad/autograd/__init__.py" true,
    "glowgrad.autograd._tape" "glowgrad/autograd/_tape.py" false,
    "glowgrad.autograd.anomaly_mode" "glowgrad/autograd/anomaly_mode.py" false,
    "glowgrad.autograd.forward_ad" "glowgrad/autograd/forward_ad.py" false,
    "glowgrad.autograd.function" "glowgrad/autograd/function.py" false,
    "glowgrad.autograd.functional" "glowgrad/autograd/functional.py" false,
    "glowgrad.autograd.grad_mode" "glowgrad/autograd/grad_mode.py" false,
    "glowgrad.autograd.gradcheck" "glowgrad/autograd/gradcheck.py" false,
    "glowgrad.autograd.graph" "glowgrad/autograd/graph.py" false,
    "glowgrad.autograd.profiler" "glowgrad/autograd/profiler.py" false,
    "glowgrad.autograd.variable" "glowgrad/autograd/variable.py" false,
    "glowgrad.backends" "glowgrad/backends/__init__.py" true,
    "glowgrad.backends.cpu" "glowgrad/backends/cpu.py" false,
    "glowgrad.backends.cuda" "glowgrad/backends/cuda.py" false,
    "glowgrad.backends.cudnn" "glowgrad/backends/cudnn.py" false,
    "glowgrad.backends.mkl" "glowgrad/backends/mkl.py" false,
    "glowgrad.backends.mps" "glowgrad/backends/mps.py" false,
    "glowgrad.backends.openmp" "glowgrad/backends/openmp.py" false,
    "glowgrad.cuda" "glowgrad/cuda.py" false,
    "glowgrad.datasets" "glowgrad/datasets.py" false,
    "glowgrad.distributions" "glowgrad/distributions/__init__.py" true,
    "glowgrad.distributions._elementwise_transforms" "glowgrad/distributions/_elementwise_transforms.py" false,
    "glowgrad.distributions._kl_special" "glowgrad/distributions/_kl_special.py" false,
    "glowgrad.distributions._matrix_transforms" "glowgrad/distributions/_matrix_transforms.py" false,
    "glowgrad.distributions.bernoulli" "glowgrad/distributions/bernoulli.py" false,
    "glowgrad.distributions.beta" "glowgrad/distributions/beta.py" false,
    "glowgrad.distributions.binomial" "glowgrad/distributions/binomial.py" false,
    "glowgrad.distributions.categorical" "glowgrad/distributions/categorical.py" false,
    "glowgrad.distributions.cauchy" "glowgrad/distributions/cauchy.py" false,
    "glowgrad.distributions.chi2" "glowgrad/distributions/chi2.py" false,
    "glowgrad.distributions.constraint_registry" "glowgrad/distributions/constraint_registry.py" false,
    "glowgrad.distributions.constraints" "glowgrad/distributions/constraints.py" false,
    "glowgrad.distributions.continuous_bernoulli" "glowgrad/distributions/continuous_bernoulli.py" false,
    "glowgrad.distributions.dirichlet" "glowgrad/distributions/dirichlet.py" false,
    "glowgrad.distributions.distribution" "glowgrad/distributions/distribution.py" false,
    "glowgrad.distributions.exp_family" "glowgrad/distributions/exp_family.py" false,
    "glowgrad.distributions.exponential" "glowgrad/distributions/exponential.py" false,
    "glowgrad.distributions.fishersnedecor" "glowgrad/distributions/fishersnedecor.py" false,
    "glowgrad.distributions.gamma" "glowgrad/distributions/gamma.py" false,
    "glowgrad.distributions.generalized_pareto" "glowgrad/distributions/generalized_pareto.py" false,
    "glowgrad.distributions.geometric" "glowgrad/distributions/geometric.py" false,
    "glowgrad.distributions.gumbel" "glowgrad/distributions/gumbel.py" false,
    "glowgrad.distributions.half_cauchy" "glowgrad/distributions/half_cauchy.py" false,
    "glowgrad.distributions.half_normal" "glowgrad/distributions/half_normal.py" false,
    "glowgrad.distributions.independent" "glowgrad/distributions/independent.py" false,
    "glowgrad.distributions.inverse_gamma" "glowgrad/distributions/inverse_gamma.py" false,
    "glowgrad.distributions.kl" "glowgrad/distributions/kl.py" false,
    "glowgrad.distributions.kumaraswamy" "glowgrad/distributions/kumaraswamy.py" false,
    "glowgrad.distributions.laplace" "glowgrad/distributions/laplace.py" false,
    "glowgrad.distributions.lkj_cholesky" "glowgrad/distributions/lkj_cholesky.py" false,
    "glowgrad.distributions.log_normal" "glowgrad/distributions/log_normal.py" false,
    "glowgrad.distributions.logistic_normal" "glowgrad/distributions/logistic_normal.py" false,
    "glowgrad.distributions.lowrank_multivariate_normal" "glowgrad/distributions/lowrank_multivariate_normal.py" false,
    "glowgrad.distributions.mixture_same_family" "glowgrad/distributions/mixture_same_family.py" false,
    "glowgrad.distributions.multinomial" "glowgrad/distributions/multinomial.py" false,
    "glowgrad.distributions.multivariate_normal" "glowgrad/distributions/multivariate_normal.py" false,
    "glowgrad.distributions.negative_binomial" "glowgrad/distributions/negative_binomial.py" false,
    "glowgrad.distributions.normal" "glowgrad/distributions/normal.py" false,
    "glowgrad.distributions.one_hot_categorical" "glowgrad/distributions/one_hot_categorical.py" false,
    "glowgrad.distributions.pareto" "glowgrad/distributions/pareto.py" false,
    "glowgrad.distributions.poisson" "glowgrad/distributions/poisson.py" false,
    "glowgrad.distributions.relaxed_bernoulli" "glowgrad/distributions/relaxed_bernoulli.py" false,
    "glowgrad.distributions.relaxed_categorical" "glowgrad/distributions/relaxed_categorical.py" false,
    "glowgrad.distributions.studentT" "glowgrad/distributions/studentT.py" false,
    "glowgrad.distributions.transformed_distribution" "glowgrad/distributions/transformed_distribution.py" false,
    "glowgrad.distributions.transforms" "glowgrad/distributions/transforms.py" false,
    "glowgrad.distributions.uniform" "glowgrad/distributions/uniform.py" false,
    "glowgrad.distributions.utils" "glowgrad/distributions/utils.py" false,
    "glowgrad.distributions.von_mises" "glowgrad/distributions/von_mises.py" false,
    "glowgrad.distributions.weibull" "glowgrad/distributions/weibull.py" false,
    "glowgrad.func" "glowgrad/func/__init__.py" true,
    "glowgrad.func._modules" "glowgrad/func/_modules.py" false,
    "glowgrad.func._transforms" "glowgrad/func/_transforms.py" false,
    "glowgrad.func._tree" "glowgrad/func/_tree.py" false,
    "glowgrad.func._vmap" "glowgrad/func/_vmap.py" false,
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
    "glowgrad.optim" "glowgrad/optim.py" false,
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
        "torch" => match name.split_once('.') {
            None => "write `import glowgrad as torch`".to_owned(),
            Some(("torch", "nn.functional")) => {
                "write `import glowgrad.nn.functional as F`".to_owned()
            }
            Some((_, rest)) => format!("write `import glowgrad.{rest}`"),
        },
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
        "glowgrad" => {
            let rest = name.strip_prefix("glowgrad.").unwrap_or(name);
            format!("glowgrad has no module `{rest}`")
        }
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

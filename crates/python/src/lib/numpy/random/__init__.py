"""Random numbers: `np.random`. The functions draw from one stream, with NumPy's own numbers for a
seed.

`np.random.default_rng(seed)` makes a generator of the newer kind, with its own numbers, NumPy's
too.
"""

from numpy.random._legacy import MT19937, RandomState

_state = RandomState()
_FUNCTIONS = (
    "beta binomial bytes chisquare choice dirichlet exponential f gamma geometric get_state gumbel "
    "laplace logistic lognormal logseries multinomial multivariate_normal negative_binomial normal "
    "pareto permutation poisson power rand randint randn random random_integers random_sample "
    "rayleigh seed set_state shuffle standard_cauchy standard_exponential standard_gamma "
    "standard_normal standard_t triangular uniform weibull"
).split()
for _name in _FUNCTIONS:
    if hasattr(_state, _name):
        globals()[_name] = getattr(_state, _name)
ranf = sample = random_sample
_NEWER = ("BitGenerator", "Generator", "PCG64", "SeedSequence", "default_rng")
__all__ = [_name for _name in _FUNCTIONS if _name in globals()] + [
    "MT19937",
    "RandomState",
    "ranf",
    "sample",
    *_NEWER,
]


def __getattr__(name):
    if name in _NEWER:
        found = getattr(__import__("numpy.random._generator", None, None, [name]), name)
        globals()[name] = found
        return found
    if name in _FUNCTIONS or name in (
        "PCG64DXSM",
        "Philox",
        "SFC64",
        "vonmises",
        "wald",
        "zipf",
        "hypergeometric",
    ):
        raise NotImplementedError(
            f"np.random.{name} is not here; np.random.normal and np.random.uniform are"
        )
    raise AttributeError(f"module 'numpy.random' has no attribute '{name}'")

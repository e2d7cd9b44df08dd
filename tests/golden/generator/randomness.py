"""random.json: what PyTorch's CPU generator draws, call after call, from a few seeds.

Each case is one seed and a list of calls made in that order on one generator, so that state which
has to carry from call to call (the twister, the cached second normal) is part of the test. A call
holds every value up to 40, a longer one the first and last 8; the FNV-1a hash is over all bytes.
"""

import torch

SEEDS = [0, 1, 42, 2**32 + 5]
WHOLE = 40


def fnv1a(data: bytes) -> str:
    h = 0xCBF29CE484222325
    for byte in data:
        h = ((h ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{h:016x}"


def record(name, tensor, **arguments):
    tensor = tensor.detach()
    flat = tensor.reshape(-1)
    call = {
        "call": name,
        "dtype": str(tensor.dtype).removeprefix("torch."),
        "size": flat.numel(),
        **arguments,
    }
    # The shortest digits that mean this float32; tolist() would print the double it widens to.
    as_python = float if flat.is_floating_point() else int
    values = [as_python(str(value)) for value in flat.numpy()]
    if len(values) <= WHOLE:
        call["values"] = values
    else:
        call["first"], call["last"] = values[:8], values[-8:]
    call["hash"] = fnv1a(flat.numpy().tobytes())
    return call


def rand(size, dtype=torch.float32):
    return record("uniform", torch.rand(size, dtype=dtype), low=0.0, high=1.0)


def uniform(size, low, high, dtype=torch.float32):
    return record("uniform", torch.empty(size, dtype=dtype).uniform_(low, high), low=low, high=high)


def randn(size, dtype=torch.float32):
    return record("normal", torch.randn(size, dtype=dtype), mean=0.0, std=1.0)


def normal(size, mean, std, dtype=torch.float32):
    return record("normal", torch.empty(size, dtype=dtype).normal_(mean, std), mean=mean, std=std)


def randint(low, high, size):
    return record("randint", torch.randint(low, high, (size,)), low=low, high=high)


def randperm(size):
    return record("randperm", torch.randperm(size))


def linear(n_in, n_out):
    """nn.Linear: kaiming_uniform_(a=sqrt(5)) for the weight, then the bias, both +-1/sqrt(n_in)."""
    layer = torch.nn.Linear(n_in, n_out)
    return [
        record("linear_weight", layer.weight, n_in=n_in, n_out=n_out),
        record("linear_bias", layer.bias, n_in=n_in, n_out=n_out),
    ]


def cases():
    f64 = torch.float64
    for seed in SEEDS:
        for name, draws in {
            "rand of every size": lambda: [rand(n) for n in [*range(1, WHOLE + 1), 100, 1000]],
            "rand of every size, float64": lambda: [rand(n, f64) for n in [*range(1, 21), 100, 1000]],
            "randn of every size": lambda: [randn(n) for n in [*range(1, WHOLE + 1), 100, 1000]],
            "randn of every size, float64": lambda: [
                randn(n, f64) for n in [*range(1, WHOLE + 1), 100, 1000]
            ],
            "mixed": lambda: [
                rand(3),
                randn(3),
                randint(0, 10, 5),
                randn(1),
                randn(20),
                randn(2),
                rand(2, f64),
                randn(1, f64),
                randperm(10),
                randn(5),
                randint(-5, 2**33, 4),
                randn(17, f64),
                randn(1),
                normal(3, 2.0, 0.5),
                normal(33, -1.0, 0.25),
                normal(33, 3.0, 2.0, f64),
                uniform(6, -0.3, 0.3),
                uniform(6, -2.0, 5.0, f64),
                randperm(1),
                randperm(0),
                randn(0),
                randint(7, 8, 3),
                randperm(100),
                randint(0, 2, 40),
                rand(1000),
                randint(-(2**62), 2**62, 3),
                randint(0, 2**32, 5),
                randint(0, 2**32 - 1, 5),
                randint(3, 3 + 2**28, 5),
                randint(3, 2 + 2**28, 5),
                randn(1000),
                randperm(1000),
            ],
            "a network's parameters": lambda: [
                *linear(64, 32),
                *linear(32, 10),
                *linear(3, 1),
                *linear(784, 16),
            ],
        }.items():
            torch.manual_seed(seed)
            yield {
                "name": name,
                "seed": seed,
                "calls": draws(),
                "state_hash": fnv1a(bytes(torch.get_rng_state().tolist())),
            }


def head():
    """A saved state, whose bytes the Rust generator must write too."""
    torch.manual_seed(7)
    torch.randn(3)
    state = torch.get_rng_state()
    return {
        "state": {
            "seed": 7,
            "drawn_normals": 3,
            "state_hash": fnv1a(bytes(state.tolist())),
            "bytes": state.numel(),
        }
    }

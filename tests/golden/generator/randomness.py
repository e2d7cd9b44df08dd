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
    if tensor.dtype in (torch.float16, torch.bfloat16, torch.bool):
        values, flat = flat.tolist(), flat.view(torch.uint8)
    else:
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


SIZES = [1, 15, 16, 17, 100, 1000]


def of_dtype(dtype):
    """What a half-precision tensor draws."""
    for size in SIZES:
        yield rand(size, dtype)
        yield randn(size, dtype)
    yield normal(5, 2.0, 0.5, dtype)
    yield normal(20, -1.0, 3.0, dtype)
    yield uniform(5, -2.0, 3.0, dtype)
    yield randn(1)


def whole_numbers():
    for dtype in [
        torch.int32,
        torch.uint8,
        torch.int8,
        torch.int16,
        torch.int64,
        torch.float32,
        torch.float64,
    ]:
        for size in [1, 16, 100]:
            yield record("randint", torch.randint(0, 100, (size,), dtype=dtype), low=0, high=100)
    for dtype in [torch.float16, torch.bfloat16]:
        yield record("randint", torch.randint(-5, 100, (17,), dtype=dtype), low=-5, high=100)
    yield record("randint", torch.randint(0, 2, (17,), dtype=torch.bool), low=0, high=2)
    yield record("randint", torch.randint(-128, 128, (17,), dtype=torch.int8), low=-128, high=128)
    for dtype in [torch.int32, torch.int16, torch.float32, torch.float64]:
        for size in [1, 15, 16, 17, 100]:
            yield record("randperm", torch.randperm(size, dtype=dtype))
    yield record("randperm", torch.randperm(1000, dtype=torch.int32))
    for size in SIZES:
        yield randint(0, 2**31, size)
    # From 2**28 numbers on each takes 64 bits.
    for count in [2**28 - 1, 2**28, 2**28 + 1, 2**32, 2**40]:
        yield randint(0, count, 5)
        yield randint(-count, 0, 5)
        yield randint(0, 10, 1)


def given_parameters():
    """torch.normal of tensors, bernoulli, multinomial, dropout."""
    mean, std = [0.0, 1.0, -2.0, 100.0], [1.0, 0.5, 3.0, 0.0]
    one = torch.tensor
    yield record("normal_of", torch.normal(one(mean), one(std)), mean=mean, std=std)
    yield record("normal_of", torch.normal(one(mean), 2.0), mean=mean, std=2.0)
    yield record("normal_of", torch.normal(1.0, one(std)), mean=1.0, std=std)
    twenty = [value / 4 for value in range(20)]
    yield record("normal_of", torch.normal(one(twenty), 1.0), mean=twenty, std=1.0)
    yield record("normal", torch.normal(1.5, 0.5, (5,)), mean=1.5, std=0.5)
    for dtype in [torch.float32, torch.float64, torch.int32, torch.bool]:
        for size in [1, 15, 17, 100]:
            drawn = torch.empty(size, dtype=dtype).bernoulli_(0.3)
            yield record("bernoulli", drawn, p=0.3)
    for p in [0.0, 0.5, 1.0]:
        yield record("bernoulli", torch.empty(17).bernoulli_(p), p=p)
    for dtype in [torch.float32, torch.float64]:
        p = torch.linspace(0, 1, 17, dtype=dtype)
        given = [float(str(value)) for value in p.numpy()]
        yield record("bernoulli_of", torch.bernoulli(p), probabilities=given)
    for dtype in [torch.float32, torch.float64]:
        for size in [1, 15, 16, 17]:
            drawn = torch.empty(size, dtype=dtype).exponential_(1.5)
            yield record("exponential", drawn, lambd=1.5)
    weights = [0.1, 0.0, 3.0, 1.0, 0.5]
    for samples, replacement in [(1, False), (1, True), (4, False), (3, False), (17, True), (100, True)]:
        drawn = torch.multinomial(one(weights), samples, replacement)
        yield record("multinomial", drawn, weights=weights, num_samples=samples, replacement=replacement)
    table = [[1.0, 2.0, 3.0], [5.0, 0.0, 1.0]]
    for samples, replacement in [(1, False), (2, False), (5, True)]:
        drawn = torch.multinomial(one(table), samples, replacement)
        yield record("multinomial", drawn, weights=table, num_samples=samples, replacement=replacement)
    for size, p in [(6, 0.5), (17, 0.2), (100, 0.9)]:
        yield record("dropout", torch.nn.functional.dropout(torch.ones(size), p), p=p)
    yield randn(3)


def initialisation():
    init = torch.nn.init
    for function, shape, arguments in [
        ("uniform_", [3, 5], {}),
        ("uniform_", [17], {"a": -0.5, "b": 2.0}),
        ("normal_", [3, 5], {}),
        ("normal_", [4, 5], {"mean": 1.0, "std": 0.02}),
        ("xavier_uniform_", [3, 5], {}),
        ("xavier_uniform_", [4, 2, 3], {"gain": 1.5}),
        ("xavier_normal_", [3, 5], {}),
        ("xavier_normal_", [4, 2, 3], {"gain": 2.0}),
        ("kaiming_uniform_", [3, 5], {}),
        ("kaiming_uniform_", [3, 5], {"a": 0.1, "mode": "fan_out", "nonlinearity": "leaky_relu"}),
        ("kaiming_uniform_", [4, 2, 3], {"nonlinearity": "relu"}),
        ("kaiming_normal_", [3, 5], {}),
        ("kaiming_normal_", [2, 3, 2, 2], {"mode": "fan_out", "nonlinearity": "relu"}),
        ("kaiming_normal_", [5, 3], {"nonlinearity": "tanh"}),
        ("orthogonal_", [3, 3], {}),
        ("orthogonal_", [2, 4], {"gain": 2.0}),
        ("orthogonal_", [5, 2], {}),
        ("trunc_normal_", [3, 5], {}),
        ("trunc_normal_", [20], {"mean": 1.0, "std": 0.5, "a": 0.5, "b": 1.5}),
        ("eye_", [2, 3], {}),
        ("sparse_", [5, 3], {"sparsity": 0.4}),
    ]:
        tensor = getattr(init, function)(torch.empty(shape), **arguments)
        yield record(function, tensor, shape=shape, arguments=arguments)
    for function in ["uniform_", "normal_", "xavier_normal_", "kaiming_uniform_", "trunc_normal_"]:
        tensor = getattr(init, function)(torch.empty(3, 6, dtype=torch.float64))
        yield record(function, tensor, shape=[3, 6], arguments={})


def layers():
    """What the layers of a network draw when they are made, parameter by parameter."""
    nn = torch.nn
    for name, layer in [
        ("Conv1d(2, 3, 3)", nn.Conv1d(2, 3, 3)),
        ("Conv2d(1, 2, 3, groups=1)", nn.Conv2d(1, 2, 3)),
        ("ConvTranspose2d(2, 1, 2)", nn.ConvTranspose2d(2, 1, 2)),
        ("Embedding(5, 3)", nn.Embedding(5, 3)),
        ("Linear(3, 2, dtype=float64)", nn.Linear(3, 2, dtype=torch.float64)),
        ("RNN(2, 3)", nn.RNN(2, 3)),
        ("LSTM(2, 2)", nn.LSTM(2, 2)),
        ("GRU(2, 2)", nn.GRU(2, 2)),
        ("MultiheadAttention(4, 2)", nn.MultiheadAttention(4, 2)),
    ]:
        for parameter, value in layer.named_parameters():
            yield record("parameter", value, layer=name, parameter=parameter, shape=list(value.shape))


def every_dtype():
    for seed in [0, 42]:
        for name, draws in {
            "float16": lambda: of_dtype(torch.float16),
            "bfloat16": lambda: of_dtype(torch.bfloat16),
            "whole numbers of every dtype": whole_numbers,
            "given parameters": given_parameters,
            "nn.init": initialisation,
            "layers": layers,
        }.items():
            torch.manual_seed(seed)
            calls = list(draws())
            state = fnv1a(bytes(torch.get_rng_state().tolist()))
            yield {"name": name, "seed": seed, "calls": calls, "state_hash": state}


def first_floor():
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


def cases():
    yield from first_floor()
    yield from every_dtype()


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

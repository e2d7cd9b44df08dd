import torch
import torch.random
from torch.random import fork_rng, get_rng_state, initial_seed, manual_seed, seed, set_rng_state


def attempt(function, *args, **kwargs):
    try:
        print("no error:", function(*args, **kwargs))
    except Exception as error:
        print(type(error).__name__)


def draw():
    return [round(v, 5) for v in torch.rand(2).tolist()]


g = manual_seed(3)
print(initial_seed(), torch.initial_seed(), g is torch.default_generator, draw())
state = get_rng_state()
print(state.dtype, state.shape, torch.get_rng_state().dtype)
first = draw()
set_rng_state(state)
print(draw() == first, torch.random.get_rng_state().equal(state))
torch.random.set_rng_state(state)
with fork_rng():
    print(draw() == first, draw())
    torch.manual_seed(0)
    print(draw(), initial_seed())
print(draw() == first, initial_seed())
with fork_rng(enabled=False):
    a = draw()
with fork_rng(devices=[], enabled=True):
    b = draw()
print(draw() == b)
try:
    with fork_rng(devices=[]):
        draw()
        raise ValueError("stop")
except ValueError as error:
    print(error, draw() == b)
new = seed()
print(isinstance(new, int), new == initial_seed(), torch.seed() == torch.initial_seed(), torch.default_generator.seed() == initial_seed())
print(manual_seed(2.9).initial_seed(), torch.random.manual_seed(torch.tensor(5)).initial_seed(), manual_seed(-1).initial_seed())
kept = torch.default_generator.manual_seed(7).get_state()
c = draw()
torch.default_generator.set_state(kept)
print(draw() == c, torch.default_generator.device)
attempt(manual_seed, "text")
attempt(set_rng_state, 3)

print("randint")
manual_seed(0)
print(torch.randint(3, (4,)), torch.randint(3, size=(4,)), torch.randint(high=3, size=(2, 2)), torch.randint(-2, 2, (5,)))
print(torch.randint(low=2, high=5, size=(3,)), torch.randint(0, high=5, size=[3]), torch.randint(5, size=(2,), dtype=torch.int32), torch.randint(1, 5, size=(0, 2)))
print(torch.randint(3, (2,), dtype=torch.float64), torch.randint(high=10, size=(3,), generator=torch.Generator().manual_seed(1)))
print(torch.randint(10, (2,), dtype=torch.float32, requires_grad=True), torch.randint(7, ()))
out = torch.zeros(3, dtype=torch.int64)
print(torch.randint(high=9, size=(3,), out=out) is out, out)
for args, kwargs in (((3,), {}), ((), {"size": (2,)}), ((), {"high": 3}), ((3, 3), {"size": (2,)}), ((5, 2, (2,)), {}), ((3, (2,)), {"requires_grad": True}), ((3, 2.5), {})):
    attempt(torch.randint, *args, **kwargs)

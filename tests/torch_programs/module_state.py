from collections import OrderedDict

import torch
import torch.nn as nn


def attempt(function, *args, **kwargs):
    try:
        print("no error:", function(*args, **kwargs))
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


def make():
    return nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Sequential(nn.Linear(3, 1, bias=False)))


torch.manual_seed(0)
a, b = make(), make()
state = a.state_dict()
print(type(state).__name__, list(state), dict(state._metadata))
print(state["0.weight"].requires_grad, state["0.weight"].data_ptr() == a[0].weight.data_ptr())
kept = a.state_dict(keep_vars=True)
print(kept["0.weight"] is a[0].weight, list(a.state_dict(prefix="net."))[:2])
mine = OrderedDict()
print(a[0].state_dict(destination=mine, prefix="x.") is mine, list(mine))
print(b.load_state_dict(state), torch.equal(a[2][0].weight, b[2][0].weight))

print("what does not fit")
attempt(b.load_state_dict, [1, 2])
attempt(b.load_state_dict, {})
attempt(b.load_state_dict, {**state, "extra": torch.ones(1), "0.more": torch.ones(1), "9.weight": torch.ones(1)})
attempt(b.load_state_dict, {"0.weight": torch.ones(3, 2), "3": 4}, strict=False)
attempt(b.load_state_dict, {**state, "0.weight": torch.ones(2, 3), "2.0.weight": torch.ones(2)})
attempt(b.load_state_dict, {"0.weight": torch.ones(2, 3)}, strict=False)
attempt(b.load_state_dict, {**state, "0.bias": [1.0, 2.0, 3.0], "x": torch.ones(1)})
attempt(b.load_state_dict, {"a": 1}, strict=False)
del state["0.bias"]
attempt(b.load_state_dict, state)
attempt(b.load_state_dict, state, strict=False)
result = b.load_state_dict(state, strict=False)
print(result.missing_keys, result.unexpected_keys, len(result), result[0])

print("batches that are not counted")
plain = {name: value for name, value in a.state_dict().items() if "num_batches" not in name}
print(b.load_state_dict(plain))
plain = a.state_dict()
del plain["1.num_batches_tracked"]
attempt(b.load_state_dict, plain)

print("assign")
state = {name: value.clone().double() if value.is_floating_point() else value for name, value in a.state_dict().items()}
before = b[0].weight
print(b.load_state_dict(state), b[0].weight is before, b[0].weight.dtype)
print(b.load_state_dict(state, assign=True), b[0].weight is before, b[0].weight.dtype, b[1].running_mean.dtype)
print(type(b[0].weight).__name__, b[0].weight.requires_grad, b[0].weight.data_ptr() == state["0.weight"].data_ptr())
b[0].weight.requires_grad_(False)
given = nn.Parameter(torch.ones(3, 2))
b.load_state_dict({"0.weight": given}, strict=False, assign=True)
print(b[0].weight is given, given.requires_grad, [name for name, _ in b.named_parameters()])
zero = nn.Module()
zero.scale = nn.Parameter(torch.tensor(1.0))
print(zero.load_state_dict({"scale": torch.tensor([3.0])}), zero.scale)

print("hooks")
net = nn.Sequential(nn.Linear(1, 1))
handles = [
    net.register_state_dict_pre_hook(lambda module, prefix, keep: print("pre", type(module).__name__, repr(prefix), keep)),
    net[0].register_state_dict_pre_hook(lambda module, prefix, keep: print("pre", type(module).__name__, repr(prefix), keep)),
    net[0].register_state_dict_post_hook(lambda module, state, prefix, metadata: print("post", list(state), prefix, metadata)),
    net._register_state_dict_hook(lambda module, state, prefix, metadata: OrderedDict((k.upper(), v) for k, v in state.items())),
]
print(list(net.state_dict(keep_vars=True)))


def wrong(module, state, prefix, metadata):
    return {}


handles.append(net[0].register_state_dict_post_hook(wrong))
attempt(net.state_dict)
attempt(net._register_state_dict_hook, wrong)
for handle in handles:
    handle.remove()
print(list(net.state_dict()))


def rename(module, state, prefix, metadata, strict, missing, unexpected, errors):
    print("load", type(module).__name__, repr(prefix), metadata, strict, missing, unexpected, errors)
    if prefix + "w" in state:
        state[prefix + "weight"] = state.pop(prefix + "w")


def after(module, keys):
    print("after", type(module).__name__, keys)
    keys.missing_keys.clear()


handles = [
    net[0].register_load_state_dict_pre_hook(rename),
    net._register_load_state_dict_pre_hook(lambda state, prefix, *rest: print("plain", list(state), repr(prefix))),
    net.register_load_state_dict_post_hook(after),
    net[0].register_load_state_dict_post_hook(lambda module, keys: print("inner", keys)),
]
print(net.load_state_dict({"0.w": torch.ones(1, 1)}), net[0].weight)
handles.append(net.register_load_state_dict_post_hook(lambda module, keys: keys))
attempt(net.load_state_dict, {"0.w": torch.ones(1, 1)})
for handle in handles:
    handle.remove()
attempt(net.load_state_dict, {"0.w": torch.ones(1, 1)})

print("state of its own")


class Counter(nn.Module):
    _version = 3

    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return x

    def get_extra_state(self):
        return {"calls": self.calls}

    def set_extra_state(self, state):
        self.calls = state["calls"]


class Versioned(nn.Module):
    _version = 2

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(1))

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        print("version", local_metadata.get("version"), strict)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "more"] = torch.ones(1)


net = nn.Sequential(Counter(), Counter())
net(net(torch.ones(1)))
print(dict(net.state_dict()), dict(net.state_dict()._metadata))
other = nn.Sequential(Counter(), Counter())
print(other.load_state_dict(net.state_dict()), other[1].calls)
attempt(other.load_state_dict, {"0._extra_state": {"calls": 9}})
print(other[0].calls)
attempt(nn.Linear(1, 1, bias=False).load_state_dict, {"weight": torch.ones(1, 1), "_extra_state": 3})
v = Versioned()
attempt(v.load_state_dict, v.state_dict())
attempt(v.load_state_dict, {"w": torch.ones(1)})

print("dtypes and places")
net = nn.Sequential(nn.Linear(2, 1), nn.BatchNorm1d(1))
weight = net[0].weight
net(torch.ones(2, 2)).sum().backward()
kinds = lambda: [(name, value.dtype) for name, value in net.state_dict().items()]
for move in (net.half, net.bfloat16, net.double, net.float, lambda: net.to(torch.float64), lambda: net.to("cpu", torch.float16),
             lambda: net.to(torch.ones(1)), lambda: net.to(device="cpu", dtype=torch.float64, non_blocking=True), lambda: net.cpu(),
             lambda: net.to(torch.device("cpu")), lambda: net.type(torch.float32)):
    print(move() is net, kinds()[0][1], kinds()[3][1], kinds()[-1][1], net[0].weight is weight, weight.grad.dtype, weight.requires_grad)
attempt(net.to, torch.int64)
attempt(net.to, dtype=torch.int8)
net._apply(lambda t: t + 1)
print(net[0].weight is weight, net[1].running_mean, net[1].num_batches_tracked)
net._apply(lambda t: t * 0, recurse=False)
print(net[1].running_var)
print(net.to_empty(device="cpu") is net, net[0].weight.shape, net.share_memory() is net)
net[0].weight.grad = torch.ones(1, 2)
net.zero_grad(set_to_none=False)
print(net[0].weight.grad)
net.zero_grad()
print(net[0].weight.grad)

# torch.save and torch.load: files, buffers, state dicts, whole modules, what is refused, copies and pickles.
import collections
import copy
import io
import os
import pathlib
import pickle
import tempfile

import torch
import torch.nn as nn


def again(value, **kwargs):
    buffer = io.BytesIO()
    torch.save(value, buffer)
    buffer.seek(0)
    return torch.load(buffer, **kwargs)


torch.manual_seed(0)

# Values
for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16,
              torch.int8, torch.uint8, torch.bool, torch.uint16):
    x = torch.tensor([[0, 1, 2], [3, 4, 5]]).to(dtype)
    y = again(x)
    print(y, torch.equal(x.float(), y.float()), y.dtype is dtype)
print(again({"a": torch.ones(2), "b": [1, 2.5, "s", None, True, (1, 2)], "c": {"d": torch.zeros(1)}}))
print(again([torch.float16, torch.Size([1, 2]), torch.device("cpu"), torch.strided, {1, 2}, b"bytes", 1 << 70]))
print(dict(again(collections.OrderedDict(a=1))), again(torch.tensor(3.5)), again(torch.empty(0)), again(torch.zeros(2, 0, 3)))
print(again(nn.Parameter(torch.ones(2))), again(nn.Parameter(torch.ones(2), requires_grad=False)))
x = torch.ones(2, requires_grad=True)
print(again(x), again(x * 2), again((x * 2).detach()))

# What shares its memory still does; strides stay.
x = torch.arange(12.0).reshape(3, 4)
whole, row, turned, step = again([x, x[1], x.t(), x[:, ::2]])
whole[1, 2] = 100
print(whole, row, turned, step)
print(row.storage_offset(), turned.stride(), step.stride(), turned.is_contiguous())
print(again(x.expand(2, 3, 4)).stride(), again(torch.ones(1).expand(3)))

# State dicts
net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
inputs = torch.randn(8, 3)
for _ in range(3):
    optimizer.zero_grad()
    net(inputs).pow(2).mean().backward()
    optimizer.step()
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "checkpoint.pth")
    torch.save({"epoch": 3, "model": net.state_dict(), "optimizer": optimizer.state_dict()}, path)
    print(os.listdir(folder), os.path.getsize(path) > 1000)
    checkpoint = torch.load(path)
    torch.save(net.state_dict(), pathlib.Path(folder) / "weights.pt")
    weights = torch.load(pathlib.Path(folder) / "weights.pt", weights_only=True)
    with open(path, "rb") as file:
        print(torch.load(file)["epoch"])
    with open(os.path.join(folder, "own"), "wb") as file:
        torch.save([1, 2], file)
    print(torch.load(os.path.join(folder, "own"), map_location="cpu", mmap=True))
    with open(path, "rb") as file:
        print(file.read(4))
print(list(checkpoint), checkpoint["epoch"], type(checkpoint["model"]).__name__, list(checkpoint["model"]))
print(checkpoint["model"]._metadata["1"], all(torch.equal(v, weights[k]) for k, v in net.state_dict().items()))
other = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 2))
print(other.load_state_dict(checkpoint["model"]))
second = torch.optim.Adam(other.parameters(), lr=1.0)
second.load_state_dict(checkpoint["optimizer"])
print(second.param_groups[0]["lr"], second.state[other[0].weight]["step"])
for model, opt in ((net, optimizer), (other, second)):
    opt.zero_grad()
    model(inputs).pow(2).mean().backward()
    opt.step()
print(all(torch.equal(a, b) for a, b in zip(net.parameters(), other.parameters())))
print(again(optimizer.state_dict()).keys())


# Whole modules and own classes
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.register_buffer("seen", torch.zeros(1))

    def forward(self, x):
        return self.layer(x)


class Point:
    def __init__(self, x):
        self.x = x


own = Net()
loaded = again(own, weights_only=False)
print(loaded, torch.equal(loaded(torch.ones(1, 2)), own(torch.ones(1, 2))), loaded.training, loaded.seen)
print(again(net, weights_only=False)[1].running_mean.shape)
for value in (own, Point(1), len):
    try:
        again(value)
        print("no error")
    except Exception as e:
        print(type(e).__name__, e)
with torch.serialization.safe_globals([Point]):
    print(again(Point(torch.ones(1))).x)
buffer = io.BytesIO()
torch.save(Point(torch.ones(1)), buffer)
buffer.seek(0)
print(torch.serialization.get_unsafe_globals_in_checkpoint(buffer))
torch.serialization.add_safe_globals([Point])
print(Point in torch.serialization.get_safe_globals(), again(Point(3)).x)
torch.serialization.clear_safe_globals()
print(torch.serialization.get_safe_globals())

# map_location
x = torch.ones(2)
for where in (None, "cpu", torch.device("cpu"), {"cuda:0": "cpu"}, lambda storage, location: storage,
              lambda storage, location: print("from", location)):
    print(again(x, map_location=where).device)
for call in (
    lambda: again(x, map_location="cuda"),
    lambda: torch.load("/nowhere/there.pt"),
    lambda: torch.load(3),
    lambda: torch.save(x, 3),
    lambda: torch.load(io.BytesIO(b"")),
    lambda: again(x, mmap=True),
    lambda: again(x, pickle_module=pickle, weights_only=True),
    lambda: again(x, pickle_module=pickle).sum(),
    lambda: torch.load(io.BytesIO(b""), weights_only=False),
):
    try:
        print(call())
    except Exception as e:
        print(type(e).__name__, e)

# The format of before, and pickles
buffer = io.BytesIO()
torch.save({"x": x, "y": x[1:], "p": nn.Parameter(x)}, buffer, _use_new_zipfile_serialization=False)
buffer.seek(0)
old = torch.load(buffer)
old["x"].fill_(7)
print(old)
x = torch.arange(6.0).reshape(2, 3)
for value in (x, x.t(), x[1], nn.Parameter(x), torch.tensor(1.0, requires_grad=True), torch.float16, torch.Size([2]),
              torch.device("cpu"), torch.strided, torch.tensor([True])):
    for protocol in (2, 4):
        print(pickle.loads(pickle.dumps(value, protocol=protocol)))
loaded = pickle.loads(pickle.dumps(own))
print(loaded, torch.equal(loaded.layer.weight, own.layer.weight))
loaded = pickle.loads(pickle.dumps(optimizer))
print(type(loaded).__name__, loaded.param_groups[0]["lr"], len(loaded.state))


class Kind(torch.Tensor):
    pass


special = torch.ones(2).as_subclass(Kind)
special.note = "kept"
loaded = again(special, weights_only=False)
print(type(loaded).__name__, loaded.note, loaded.sum().item())
p = nn.Parameter(torch.ones(1))
p.note = "too"
print(again(p).note, pickle.loads(pickle.dumps(p)).note)

# Copies
print(copy.copy(x).data_ptr() == x.data_ptr(), copy.deepcopy(x).data_ptr() == x.data_ptr())
print([copy.deepcopy(value) is value for value in (torch.float16, torch.strided)])
twin = copy.deepcopy(own)
print(torch.equal(twin.layer.weight, own.layer.weight), twin.layer.weight is own.layer.weight)
try:
    copy.deepcopy(x.requires_grad_() * 2)
except Exception as e:
    print(type(e).__name__)

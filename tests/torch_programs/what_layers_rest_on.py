# What layers rest on: normalisations with their moments, bags, fake quantisation, numbers of the compiler.
import torch
import tempfile, os
torch.manual_seed(0)

def r(x):
    return [round(v, 4) for v in x.detach().float().flatten().tolist()] if isinstance(x, torch.Tensor) else x
x = torch.randn(2, 4, 3)
for tr in (True, False):
    o = torch.native_batch_norm(x, torch.ones(4), torch.zeros(4), torch.zeros(4), torch.ones(4), tr, 0.1, 1e-05)
    print([tuple(v.shape) for v in o], r(o[1]), r(o[2]))
o = torch.native_layer_norm(x, [3], None, None, 1e-05)
print([tuple(v.shape) for v in o], r(o[1]), r(o[2]))
o = torch.native_layer_norm(x, [4, 3], None, None, 1e-05)
print([tuple(v.shape) for v in o], r(o[1]), r(o[2]))
o = torch.native_group_norm(x, None, None, 2, 4, 3, 2, 1e-05)
print([tuple(v.shape) for v in o], r(o[1]), r(o[2]))
o = torch.native_dropout(torch.ones(6), 0.5, True)
print(o)
o = torch.native_dropout(torch.ones(6), 0.5, False)
print(o)
try:
    print(torch.native_channel_shuffle(torch.arange(8.0).reshape(1, 4, 2), 2))
except Exception as e:
    print(e)
print(torch.native_channel_shuffle(torch.arange(8.0).reshape(1, 4, 2, 1), 2).flatten())
w = torch.arange(10.0).reshape(5, 2).sin()
for mode in (0, 1, 2):
    o = torch.embedding_bag(w, torch.tensor([0, 1, 2, 4]), torch.tensor([0, 3]), False, mode)
    print(r(o[0]), o[1:])
o = torch.embedding_bag(w, torch.tensor([0, 1, 2, 4]), torch.tensor([0, 3]), False, 0, False, torch.ones(4) * 2)
print(r(o[0]), o[1:])
o = torch.embedding_bag(w, torch.tensor([0, 1, 2, 4]), torch.tensor([0, 3, 4]), False, 0, False, None, True)
print(r(o[0]), o[1:])
o = torch.embedding_bag(w, torch.tensor([0, 1, 2, 4]), torch.tensor([0, 3]), False, 1, False, None, False, 1)
print(r(o[0]), o[1:])
o = torch.embedding_bag(w, torch.tensor([0, 1, 2, 4]), torch.tensor([0, 3]), False, 2, False, None, False, 1)
print(r(o[0]), o[1:])
m, v = (torch.zeros(4), torch.ones(4))
o = torch.batch_norm_update_stats(x, m, v, 0.1)
print([r(k) for k in o], r(m), r(v))
print(torch.convolution(torch.randn(1, 2, 4), torch.randn(3, 2, 2), None, [1], [0], [1], False, [0], 1).shape)
q = torch.tensor([-2.0, -0.26, 0.1, 0.24, 0.26, 3.0], requires_grad=True)
y = torch.fake_quantize_per_tensor_affine(q, 0.1, 3, 0, 10)
print(y)
y.sum().backward()
print(q.grad)
print(torch.fake_quantize_per_tensor_affine(q, torch.tensor(0.1), torch.tensor(3, dtype=torch.int32), -128, 127))
print(torch.fake_quantize_per_channel_affine(q.view(2, 3), torch.tensor([0.1, 0.5]), torch.tensor([0, 1], dtype=torch.int32), 0, 0, 15))
for f in (lambda: torch.fake_quantize_per_tensor_affine(q, 0.1, 30, 0, 10), lambda: torch.fake_quantize_per_tensor_affine(q, 0.1, 3, 10, 0), lambda: torch.fake_quantize_per_channel_affine(q.view(2, 3), torch.tensor([0.1, 0.5]), torch.tensor([0, 1]), 0, 0, 15), lambda: torch.fake_quantize_per_channel_affine(q.view(2, 3), torch.tensor([0.1]), torch.tensor([0], dtype=torch.int32), 0, 0, 15)):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e)[:200])
torch.manual_seed(0)
print(torch.randint_like(torch.zeros(3), 10), torch.randint_like(torch.zeros(2, dtype=torch.long), 5, 8), torch.randint_like(torch.zeros(3), 0, 5, dtype=torch.int32))
print([torch.sym_int(3.7), torch.sym_float(2), torch.sym_max(1, 2.5), torch.sym_min(1, 2), torch.sym_not(True), torch.sym_sqrt(4), torch.sym_sum([1, 2, 3]), torch.sym_sum(1, 2), torch.sym_ite(True, 1, 2)])
print(torch.get_device_module('cpu') is torch.cpu, torch.get_device_module(torch.device('cpu')).current_device())
print(torch.Event, torch.Storage, torch.random.thread_safe_generator(), torch.ones(1).cpu().device)
event = torch.Event('cpu')
print(sorted(torch.nn.factory_kwargs({'device': 'cpu', 'dtype': torch.float64})), torch.nn.factory_kwargs({'factory_kwargs': {'dtype': torch.float64}}), torch.nn.factory_kwargs(None))
for f in (lambda: torch.nn.factory_kwargs({'x': 1}), lambda: torch.nn.factory_kwargs({'dtype': 1, 'factory_kwargs': {'dtype': 2}}), lambda: torch.ones(1).record_stream(None)):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)
with tempfile.TemporaryDirectory() as folder:
    name = os.path.join(folder, 'numbers')
    with open(name, 'wb') as file:
        file.write(bytes([0, 0, 128, 63] * 3))
    print(torch.from_file(name, size=3), torch.from_file(name, size=4, dtype=torch.uint8))
print(torch.i0_(torch.tensor([0.0, 1.0])))
torch.manual_seed(3)
x = torch.randn(2, 4, 3, requires_grad=True)
for f in (lambda: torch.native_batch_norm(x, None, None, None, None, True, 0.1, 1e-05), lambda: torch.native_layer_norm(x, [3], None, None, 1e-05), lambda: torch.native_group_norm(x, None, None, 2, 4, 3, 2, 1e-05), lambda: torch.native_dropout(x, 0.5, True)):
    x.grad = None
    out = f()
    out[0].pow(3).sum().backward()
    print(type(out).__name__, len(out), r(x.grad)[:6])

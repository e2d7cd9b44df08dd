# Names of older programs: typed constructors, Variable, .data, the tape's nodes.
import torch
from torch.autograd import Variable

for name in "Float Double Half BFloat16 Byte Char Short Int Long Bool".split():
    kind = getattr(torch, f"{name}Tensor")
    x = kind([1, 0, 1])
    print(kind, kind.dtype, x, x.type(), x.dtype, isinstance(x, kind), isinstance(x, torch.FloatTensor))
    print(kind(2, 3).shape, kind(torch.Size([2])).shape, kind().shape, kind([[1, 0], [0, 1]]).shape, kind((1, 0)).tolist())
    y = torch.ones(2).type(f"torch.{name}Tensor")
    print(y, torch.ones(2).type(kind).dtype, y.type(torch.float32).dtype, torch.ones(1).long().type_as(y).dtype)
print(torch.LongTensor([1.7, -1.7]), torch.ByteTensor([1, 255]), torch.FloatTensor([True, False]))
for call in (
    lambda: torch.FloatTensor(torch.ones(2, dtype=torch.float64)),
    lambda: torch.LongTensor(torch.ones(2)),
    lambda: torch.ones(1).type("torch.NoTensor"),
    lambda: torch.ones(1).type(3),
):
    try:
        print(call())
    except Exception as e:
        print(type(e).__name__)
print(torch.FloatTensor(torch.ones(2)), torch.Tensor(2, 3).shape, torch.Tensor([1, 2]), torch.Tensor().dtype)
print(torch.ones(2).new([1, 2]), torch.ones(2).long().new(2).dtype, torch.ones(2).new_tensor([1]).type())

v = Variable(torch.ones(2), requires_grad=True)
print(v, isinstance(v, Variable), isinstance(torch.ones(1), torch.autograd.Variable), v.is_leaf)
y = (v * 2).sum()
y.backward()
print(v.grad.data, v.data, v.grad_fn)
v.data = v.data * 3
print(v, v.data.requires_grad)
v.data[0] = 7
v.data -= 0.1 * v.grad.data
v.grad.data.zero_()
print(v, v.grad)
node = y.grad_fn
print(node.name(), len(node.next_functions))
inner, place = node.next_functions[0]
print(inner.name(), place, inner.next_functions[0][0].name().endswith("AccumulateGrad"), inner.next_functions[0][1])
print(torch.is_tensor(v), torch.typename(v), torch.is_storage(v.untyped_storage()), torch.typename(torch.LongTensor([1])))

import torch
import torch.nn as nn
from torch.nn.utils.rnn import PackedSequence, invert_permutation, pack_padded_sequence, pack_sequence
from torch.nn.utils.rnn import pad_packed_sequence, pad_sequence, unpack_sequence, unpad_sequence


def tried(make):
    try:
        print(make())
    except Exception as error:
        print(type(error).__name__, error)


def kind(make):
    try:
        print(make())
    except Exception as error:
        print(type(error).__name__)


a, b, c = torch.tensor([1.0, 2, 3]), torch.tensor([4.0, 5]), torch.tensor([6.0])
print(pad_sequence([a, b, c]))
print(pad_sequence([a, b, c], batch_first=True))
print(pad_sequence([b, a, c], batch_first=True, padding_value=-1.0))
print(pad_sequence([b, a, c], True, 7, "left"))
print(pad_sequence([b, a, c], padding_side="left"))
print(pad_sequence((each for each in (a, b))), pad_sequence(torch.ones(2, 3)))
print(pad_sequence([torch.ones(2, 2), torch.zeros(1, 2)], True))
print(pad_sequence([torch.tensor([1, 2]), torch.tensor([3])]), pad_sequence([a, torch.tensor([1])]))
print(pad_sequence([torch.ones(0), a], True), pad_sequence([torch.ones(0)]).shape)

packed = pack_sequence([a, b, c])
print(packed)
print(packed.data, packed.batch_sizes, packed.sorted_indices, packed.unsorted_indices)
print(pad_packed_sequence(packed))
print(pad_packed_sequence(packed, batch_first=True, padding_value=-1))
print(pad_packed_sequence(packed, True, total_length=5))
print(unpack_sequence(packed))
mixed = pack_sequence([c, a, b], enforce_sorted=False)
print(mixed)
print(pad_packed_sequence(mixed, batch_first=True))
print(unpack_sequence(mixed))
print(unpad_sequence(pad_sequence([a, c], True), torch.tensor([3, 1]), batch_first=True))
print(unpad_sequence(pad_sequence([a, c]), torch.tensor([3, 1])))
print(invert_permutation(torch.tensor([2, 0, 3, 1])), invert_permutation(None))

x = torch.arange(24.0).reshape(4, 3, 2)
print(pack_padded_sequence(x, [4, 2, 1]))
print(pack_padded_sequence(x, torch.tensor([4, 2, 1])).data.flatten())
print(pack_padded_sequence(x, torch.tensor([4.0, 2.0, 1.0])).batch_sizes)
print(pack_padded_sequence(x, (1, 4, 2), enforce_sorted=False))
print(pack_padded_sequence(x.transpose(0, 1), [1, 4, 2], True, False).data.flatten())
print(pack_padded_sequence(x, [2, 2, 2]).batch_sizes, pack_padded_sequence(x, [3, 1, 1]).batch_sizes)
print(pack_padded_sequence(x, [2, 3, 2], enforce_sorted=False).sorted_indices.shape)
print(pack_padded_sequence(torch.tensor([[5, 6], [7, 0]]), [2, 1], batch_first=True))
deep = torch.arange(48.0).reshape(2, 3, 2, 2, 2)
y, lengths = pad_packed_sequence(pack_padded_sequence(deep, [1, 2, 1], enforce_sorted=False))
print(y.shape, lengths, y[0].equal(deep[0]), y[1, 0].sum(), y[1, 1].equal(deep[1, 1]))

# What it can be turned into.
print(mixed.to(torch.float64).data, mixed.double().data.dtype, mixed.half().data.dtype, mixed.long().data)
print(mixed.int().data.dtype, mixed.short().data.dtype, mixed.char().data.dtype, mixed.byte().data.dtype)
print(mixed.float() is mixed, mixed.cpu() is mixed, mixed.to("cpu") is mixed, mixed.is_cuda, mixed.is_pinned())
print(len(mixed), mixed._fields, isinstance(mixed, tuple), isinstance(mixed, PackedSequence))
data, batch_sizes, order, back = mixed
print(data is mixed.data, batch_sizes, order, back)
print(PackedSequence(mixed.data * 2, mixed.batch_sizes, mixed.sorted_indices))
print(PackedSequence((torch.ones(2), torch.tensor([2]))))
print(mixed._replace(data=torch.zeros(6)).data)

# Gradients go back to the padded sequences and to each of a list.
x = torch.arange(6.0).reshape(3, 2).requires_grad_()
packed = pack_padded_sequence(x, [1, 3], enforce_sorted=False)
(packed.data ** 2).sum().backward()
print(x.grad)
x.grad = None
y, _ = pad_packed_sequence(pack_padded_sequence(x, [3, 2]), padding_value=5.0)
print(y.detach(), y.requires_grad)
(y ** 2 * torch.arange(6.0).reshape(3, 2)).sum().backward()
print(x.grad)
parts = [torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0], requires_grad=True)]
(pad_sequence(parts) ** 2).sum().backward()
print(parts[0].grad, parts[1].grad)
parts = [part.detach().requires_grad_() for part in parts]
(pack_sequence(parts).data ** 3).sum().backward()
print(parts[0].grad, parts[1].grad)

# Wrong calls.
x = torch.zeros(4, 3, 2)
tried(lambda: pack_padded_sequence(x, [1, 2, 4]))
tried(lambda: pack_padded_sequence(x, [4, 2, 0]))
tried(lambda: pack_padded_sequence(x, [4, 2, 0], enforce_sorted=False))
tried(lambda: pack_padded_sequence(x, [4, 2]))
tried(lambda: pack_padded_sequence(torch.zeros(0, 3, 2), [4, 2, 1]))
tried(lambda: pack_sequence([c, a]))
kind(lambda: pack_padded_sequence(torch.zeros(3), [3]))
tried(lambda: pad_packed_sequence(packed, total_length=1))
tried(lambda: pad_sequence([]))
tried(lambda: pad_sequence(3))
tried(lambda: pad_sequence([1, 2]))
tried(lambda: pad_sequence([torch.ones(2, 3), torch.ones(2, 2)]))
tried(lambda: pad_sequence([a, b], padding_side="middle"))
kind(lambda: pad_sequence([torch.tensor(1.0)]))
kind(lambda: pad_packed_sequence(torch.ones(3)))
tried(lambda: PackedSequence(torch.ones(3)))
kind(lambda: pack_sequence([a], True, 3))
kind(lambda: pad_sequence([a], wrong=1))
kind(lambda: unpad_sequence(pad_sequence([a, b], True), torch.tensor([3]), True))

import torch

x = torch.arange(12.0).reshape(3, 4)
print(x.stride(), x.storage_offset(), x.t().stride(), x[1:, ::2].stride(), x[1:, ::2].storage_offset())
print(x.is_contiguous(), x.t().is_contiguous(), x[:, 1].is_contiguous(), x[1].is_contiguous())
print(x.expand(2, 3, 4).stride(), x.unsqueeze(1).stride(), x[:1].expand(5, 4).stride())


def shares(a, b):
    start_a, start_b = (t.data_ptr() - t.storage_offset() * t.element_size() for t in (a, b))
    return start_a == start_b


print(x.data_ptr() == x.view(-1).data_ptr(), x.data_ptr() == x.clone().data_ptr())
print(x[1].data_ptr() == x.data_ptr(), x[1].data_ptr() - x.data_ptr() == 4 * x.element_size())
views = [x.t(), x[1], x.reshape(4, 3), x.flatten(), x.diagonal(), x.detach(), x.unfold(1, 2, 1)]
print([shares(x, view) for view in views])
copies = [x.t().reshape(-1), x.t().contiguous(), x[[0, 1]], x[x > 3], x + 0, x.clone(), x.repeat(1, 1)]
print([shares(x, copy) for copy in copies])

# Windows, diagonals and other ways to read the same twelve numbers.
print(x.as_strided((3, 2), (1, 4)), x.as_strided((2, 2), (5, 1), 1))
print(x.diagonal(), x.diagonal(1), x.diagonal(offset=-1), torch.diag(x[0, :2]))
print(x.unfold(1, 2, 2), x.view(-1).unfold(0, 4, 3))
print(x.movedim(0, 1).shape, x.view(3, 2, 2).permute(2, 0, 1).stride(), x.swapaxes(0, 1).shape)

# A write through any of them is a write to all.
x.diagonal().fill_(-1)
x.t()[3].mul_(10)
x.view(-1)[4] = 100
x.unfold(1, 2, 2)[2, 1] += 0.5
print(x)
row, column = x[1], x[:, 1]
row.zero_()
column += 7
print(x, row)
parts = x.chunk(2, dim=1)
parts[1].neg_()
first, *rest = x.unbind(0)
first.copy_(torch.tensor([1.0, 2.0, 3.0, 4.0]))
print(x)
for view, shape in [(x.t(), (12,)), (x[:, :3], (9,))]:
    try:
        view.view(shape)
    except Exception as error:
        print(type(error).__name__, view.reshape(shape))

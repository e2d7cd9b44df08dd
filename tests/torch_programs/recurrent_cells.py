import torch
import torch.nn as nn


def rounded(x, digits=4):
    return [round(v, digits) + 0.0 for v in x.detach().flatten().tolist()]


cells = [
    lambda: nn.RNNCell(3, 2),
    lambda: nn.RNNCell(3, 2, nonlinearity="relu"),
    lambda: nn.RNNCell(3, 2, False, "relu"),
    lambda: nn.LSTMCell(3, 2),
    lambda: nn.LSTMCell(3, 2, bias=False),
    lambda: nn.GRUCell(3, 2),
    lambda: nn.GRUCell(3, 2, False),
    lambda: nn.GRUCell(3, 2, dtype=torch.float64),
]
for seed, make in enumerate(cells):
    torch.manual_seed(seed)
    cell = make()
    dtype = cell.weight_ih.dtype
    is_lstm = isinstance(cell, nn.LSTMCell)
    print(cell, cell.input_size, cell.hidden_size, cell.bias)
    for name, parameter in cell.named_parameters():
        print("  ", name, tuple(parameter.shape), rounded(parameter)[:3])
    print(cell.bias_ih is None, list(cell.state_dict()))
    x = torch.randn(4, 3, dtype=dtype, requires_grad=True)
    h = torch.randn(4, 2, dtype=dtype, requires_grad=True)
    c = torch.randn(4, 2, dtype=dtype, requires_grad=True)
    y = cell(x, (h, c)) if is_lstm else cell(x, h)
    print([each for each in y] if is_lstm else y)
    value = (y[0] * y[1]).sum() if is_lstm else (y ** 2).sum()
    leaves = [x, h, *cell.parameters()]
    grads = torch.autograd.grad(value, leaves, create_graph=True)
    for grad in grads:
        print("  ", rounded(grad))
    # Gradients of the gradients' squares.
    second = torch.autograd.grad(sum((grad ** 2).sum() for grad in grads), leaves)
    for grad in second:
        print("    ", rounded(grad, 3))
    print(cell(x))
    one = cell(x[0], (h[0], c[0])) if is_lstm else cell(x[0], h[0])
    print(one)
    print(cell(x[0].detach())[0].shape)

# A cell in a loop is the layer.
torch.manual_seed(9)
for cell, layer in (
    (nn.RNNCell(2, 3), nn.RNN(2, 3)), (nn.LSTMCell(2, 3), nn.LSTM(2, 3)), (nn.GRUCell(2, 3), nn.GRU(2, 3)),
):
    cell.load_state_dict({name[:-3]: value for name, value in layer.state_dict().items()})
    x, state, outputs = torch.randn(5, 2, 2), None, []
    for step in x:
        state = cell(step, state)
        outputs.append(state[0] if isinstance(state, tuple) else state)
    print(torch.allclose(torch.stack(outputs), layer(x)[0], atol=1e-6))
    print(isinstance(cell, nn.RNNCellBase))

# Second gradients through the steps of a layer.
for make in (lambda: nn.GRU(2, 2), lambda: nn.LSTM(2, 2), lambda: nn.RNN(2, 2, 2, bidirectional=True)):
    torch.manual_seed(10)
    layer = make().double()
    x = torch.randn(3, 1, 2, dtype=torch.float64, requires_grad=True)
    (grad,) = torch.autograd.grad((layer(x)[0] ** 3).sum(), x, create_graph=True)
    print(rounded(grad))
    (grad ** 2).sum().backward()
    print(rounded(x.grad, 3))
    print([rounded(p.grad, 3) for p in layer.parameters()])

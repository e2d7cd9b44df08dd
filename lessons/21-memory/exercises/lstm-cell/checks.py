import glowgrad as torch
import glowgrad.nn as nn

OPEN, SHUT = 20.0, -20.0


def one(i, f, g, o, c, h=0.0, x=0.0, w_ih=0.0, w_hh=0.0):
    """A cell of one unit whose four sums are i, f, g and o, from the first bias; a weight may add to all of them."""
    bias = torch.tensor([i, f, g, o])
    weights = torch.full((4, 1), w_ih), torch.full((4, 1), w_hh)
    number = [torch.tensor([[each]]) for each in (x, h, c)]
    return lstm_step(*number, *weights, bias, torch.zeros(4))


def check_result():
    """It returns the new state and the new cell, in this order, each of the old one's shape."""
    got = one(0.0, 0.0, 0.0, 0.0, c=0.0)
    expect([list(each.shape) for each in got], [[1, 1], [1, 1]], given="one text, one unit: both shapes")


def check_half_open():
    """With all sums at 0 the gates are half open: half of the cell is kept."""
    h, c = one(0.0, 0.0, 0.0, 0.0, c=2.0)
    expect(c.item(), 1.0, given="all weights and biases 0, c = 2: the new c")


def check_keep():
    """With an open forget gate and a shut input gate the cell stays."""
    h, c = one(SHUT, OPEN, 5.0, OPEN, c=3.0)
    expect(c.item(), 3.0, given="sums of i, f, g, o = -20, 20, 5, 20, c = 3: the new c", tol=1e-5)


def check_write():
    """With a shut forget gate and an open input gate the proposal takes the place of the cell."""
    h, c = one(OPEN, SHUT, -1.0, OPEN, c=3.0)
    want = torch.tanh(torch.tensor(-1.0)).item()
    expect(c.item(), want, given="sums of i, f, g, o = 20, -20, -1, 20, c = 3: the new c", tol=1e-5)


def check_show():
    """What is shown is tanh of the new cell, where the output gate is open."""
    h, c = one(OPEN, OPEN, 20.0, OPEN, c=0.5)
    want = torch.tanh(torch.tensor(1.5)).item()
    expect(h.item(), want, given="sums of i, f, g, o = 20, 20, 20, 20, c = 0.5: the new h", tol=1e-5)
    h, c = one(OPEN, OPEN, 20.0, SHUT, c=0.5)
    expect(h.item(), 0.0, given="sums of i, f, g, o = 20, 20, 20, -20, c = 0.5: the new h", tol=1e-5)


def check_sums():
    """The letter and the old state count in all four sums."""
    h, c = one(0.0, 0.0, 0.0, 0.0, c=0.0, x=1.0, w_ih=1.0)
    want = (torch.sigmoid(torch.tensor(1.0)) * torch.tanh(torch.tensor(1.0))).item()
    expect(c.item(), want, given="x = 1, w_ih = [1, 1, 1, 1], c = 0: the new c", tol=1e-5)
    h, c = one(0.0, 0.0, 0.0, 0.0, c=0.0, h=1.0, w_hh=1.0)
    expect(c.item(), want, given="h = 1, w_hh = [1, 1, 1, 1], c = 0: the new c", tol=1e-5)


def check_second_bias():
    """Both biases are added."""
    zero = torch.zeros(1, 1)
    weights = torch.zeros(4, 1)
    bias = torch.tensor([0.0, 20.0, 0.0, 0.0])
    h, c = lstm_step(zero, zero, torch.tensor([[2.0]]), weights, weights, torch.zeros(4), bias)
    expect(c.item(), 2.0, given="b_hh = [0, 20, 0, 0], everything else 0, c = 2: the new c", tol=1e-5)


def check_pytorch():
    """It is nn.LSTMCell, step after step."""
    torch.manual_seed(0)
    cell = nn.LSTMCell(3, 5)
    weights = [w.detach() for w in (cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh)]
    h = c = torch.zeros(2, 5)
    own = h, c
    for n in range(4):
        x = torch.randn(2, 3)
        with torch.no_grad():
            h, c = cell(x, (h, c))
        own = lstm_step(x, *own, *weights)
        expect(list(own), [h, c], given=f"2 texts, 3 letters, 5 units: h and c after step {n + 1}", tol=1e-5)


def check_own_cell():
    """The cell that was given is left as it was."""
    c = torch.tensor([[2.0]])
    zero, weights = torch.zeros(1, 1), torch.zeros(4, 1)
    lstm_step(zero, zero, c, weights, weights, torch.zeros(4), torch.zeros(4))
    expect(c.item(), 2.0, given="c = 2: the old c, after the step")

import glowgrad as torch


def numbers(rows):
    q, scale = quantise(torch.tensor(rows))
    return q, scale


def check_one_row():
    """The largest weight becomes 127."""
    q, scale = numbers([[254.0, 100.0, 0.0]])
    expect(q, torch.tensor([[127, 50, 0]]), given="w = [[254, 100, 0]], the whole numbers")
    expect(scale, torch.tensor([2.0]), given="w = [[254, 100, 0]], the scales")


def check_negative():
    """The largest by its absolute value counts, so a negative one becomes -127."""
    q, _ = numbers([[-254.0, 100.0]])
    expect(q, torch.tensor([[-127, 50]]), given="w = [[-254, 100]], the whole numbers")


def check_rounds():
    """Weights go to the nearest whole number, and not towards 0."""
    q, _ = numbers([[127.0, 1.75, -1.75, 0.25]])
    expect(q, torch.tensor([[127, 2, -2, 0]]), given="w = [[127, 1.75, -1.75, 0.25]], the whole numbers")


def check_ties():
    """A tie goes to the even number."""
    q, _ = numbers([[127.0, 0.5, 1.5, 2.5, -0.5, -1.5]])
    given = "w = [[127, 0.5, 1.5, 2.5, -0.5, -1.5]], the whole numbers"
    expect(q, torch.tensor([[127, 0, 2, 2, 0, -2]]), given=given)


def check_rows():
    """Each row has a scale of its own."""
    q, scale = numbers([[127.0, 64.0], [254.0, -64.0]])
    expect(q, torch.tensor([[127, 64], [127, -32]]), given="w = [[127, 64], [254, -64]], the whole numbers")
    expect(scale, torch.tensor([1.0, 2.0]), given="w = [[127, 64], [254, -64]], the scales")


def check_types():
    """The whole numbers are int8 and the scales float32."""
    q, scale = numbers([[1.0, -0.5], [0.25, 0.125]])
    given = "w = [[1, -0.5], [0.25, 0.125]], the types"
    expect([str(q.dtype), str(scale.dtype)], ["torch.int8", "torch.float32"], given=given)


def check_zeros():
    """A row of zeros gives zeros, and the scale 1."""
    q, scale = numbers([[0.0, 0.0], [127.0, 1.0]])
    expect(q, torch.tensor([[0, 0], [127, 1]]), given="w = [[0, 0], [127, 1]], the whole numbers")
    expect(scale, torch.tensor([1.0, 1.0]), given="w = [[0, 0], [127, 1]], the scales")


def check_back():
    """What you get back is within half a scale of the weight."""
    torch.manual_seed(0)
    w = torch.randn(6, 10) * torch.tensor([0.01, 0.1, 1.0, 10.0, 100.0, 1000.0])[:, None]
    kept = w.clone()
    q, scale = quantise(w)
    off = (kept - q * scale[:, None]).abs() / scale[:, None]
    expect(bool((off <= 0.501).all()), True, given="6 random rows, from 0.01 to 1,000: whether all are")
    expect(w, kept, given="6 random rows, w after the call")

import glowgrad as torch


def check_three():
    """It is a times x, plus y."""
    x = torch.tensor([1.0, 2.0, 3.0], device="webgpu")
    y = torch.tensor([10.0, 20.0, 30.0], device="webgpu")
    expect(saxpy(2.0, x, y), torch.tensor([12.0, 24.0, 36.0]), given="a = 2, x = [1, 2, 3], y = [10, 20, 30]")


def check_two_hundred():
    """Every element is computed, not those of the first group alone."""
    x = torch.arange(200.0, device="webgpu")
    y = torch.ones(200, device="webgpu")
    expect(saxpy(3.0, x, y), 3 * torch.arange(200.0) + 1, given="a = 3, x = [0, 1, …, 199], y = 1 everywhere")


def check_table():
    """A table is computed to its end, and stays a table."""
    x = torch.arange(150.0, device="webgpu").reshape(3, 50)
    y = torch.zeros(3, 50, device="webgpu")
    want = -torch.arange(150.0).reshape(3, 50)
    expect(saxpy(-1.0, x, y), want, given="a = -1, x = [0, 1, …, 149] as a table of 3 × 50, y = 0 everywhere")


def check_exact_fit():
    """128 elements are two whole groups."""
    x = torch.arange(128.0, device="webgpu")
    expect(saxpy(0.5, x, x), 1.5 * torch.arange(128.0), given="a = 0.5, x = y = [0, 1, …, 127]")

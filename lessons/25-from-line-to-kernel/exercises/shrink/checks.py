import glowgrad as torch
from glowgrad import lab


def check_numbers():
    """Numbers move towards 0 by the limit, and stop there."""
    x = torch.tensor([3.0, -3.0, 0.5])
    expect(shrink(x, 1.0), torch.tensor([2.0, -2.0, 0.0]), given="x = [3, -3, 0.5], limit = 1")


def check_all_within():
    """Where all lie within the limit, all become 0."""
    x = torch.tensor([0.5, -0.25])
    expect(shrink(x, 1.0), torch.tensor([0.0, 0.0]), given="x = [0.5, -0.25], limit = 1")


def check_hands_off():
    """The tensor you were given is as it was."""
    x = torch.tensor([3.0, -3.0])
    shrink(x, 1.0)
    expect(x, torch.tensor([3.0, -3.0]), given="x = [3, -3], and x after the call")


def check_own_work():
    """It is your own: no softshrink of the engine's inside."""
    ready = {"softshrink", "Softshrink", "hardshrink", "Hardshrink"} & set(shrink.__code__.co_names)
    expect(sorted(ready), [], given="what shrink(x, limit) calls that does the work")


def check_one_kernel():
    """It is one kernel."""
    torch.manual_seed(0)
    x = torch.randn(64, 32)
    expect(lab.kernels(lambda: shrink(x, 0.5)), ["fused"], given="64 × 32 numbers, limit = 0.5")


def check_agrees():
    """It agrees with the definition for 64 × 32 numbers."""
    torch.manual_seed(0)
    x = torch.randn(64, 32)
    want = torch.where(x > 0.5, x - 0.5, torch.where(x < -0.5, x + 0.5, torch.zeros_like(x)))
    expect(shrink(x, 0.5), want, given="64 × 32 numbers, limit = 0.5")

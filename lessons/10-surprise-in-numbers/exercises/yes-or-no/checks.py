import glowgrad as torch
import glowgrad.nn.functional as F


def loss(logits, target):
    return binary_cross_entropy_with_logits(torch.tensor(logits), torch.tensor(target))


def check_undecided():
    """A logit of 0 is a surprise of log 2, whatever is true."""
    expect(loss([0.0], [1.0]), torch.tensor(0.6931472), given="logits = [0], target = [1]", tol=1e-5)
    expect(loss([0.0], [0.0]), torch.tensor(0.6931472), given="logits = [0], target = [0]", tol=1e-5)


def check_yes_and_no():
    """At a logit of log 3 yes has the probability ¾, and no has ¼."""
    expect(loss([1.0986123], [1.0]), torch.tensor(0.2876821), given="logits = [log 3], target = [1]", tol=1e-5)
    expect(loss([1.0986123], [0.0]), torch.tensor(1.3862944), given="logits = [log 3], target = [0]", tol=1e-5)


def check_mean():
    """The loss is the mean over all entries."""
    got = loss([1.0986123, 1.0986123], [1.0, 0.0])
    expect(got, torch.tensor(0.8369882), given="logits = [log 3, log 3], target = [1, 0]", tol=1e-5)
    got = loss([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    expect(got, torch.tensor(0.6931472), given="logits = six zeros, of shape [2, 3]", tol=1e-5)


def check_between():
    """A target may lie between yes and no."""
    got = loss([-1.0986123], [0.25])
    expect(got, torch.tensor(0.5623351), given="logits = [-log 3], target = [0.25]", tol=1e-5)


def check_large():
    """A logit of 1000 is a loss of 1000 where it is wrong, and of 0 where it is right."""
    expect(loss([1000.0], [0.0]), torch.tensor(1000.0), given="logits = [1000], target = [0]")
    expect(loss([-1000.0], [1.0]), torch.tensor(1000.0), given="logits = [-1000], target = [1]")
    expect(loss([1000.0], [1.0]), torch.tensor(0.0), given="logits = [1000], target = [1]")
    expect(loss([-1000.0], [0.0]), torch.tensor(0.0), given="logits = [-1000], target = [0]")


def slopes(logits, target):
    z = torch.tensor(logits, requires_grad=True)
    binary_cross_entropy_with_logits(z, torch.tensor(target)).backward()
    return z.grad


def check_way_back():
    """The gradient is p − y, divided by the number of entries."""
    got = slopes([1.0986123, -1.0986123], [0.0, 1.0])
    expect(got, torch.tensor([0.375, -0.375]), given="logits = [log 3, -log 3], target = [0, 1]: logits.grad", tol=1e-5)
    got = slopes([1000.0, -1000.0], [0.0, 1.0])
    expect(got, torch.tensor([0.5, -0.5]), given="logits = [1000, -1000], target = [0, 1]: logits.grad", tol=1e-5)


def check_way_back_from_zero():
    """At a logit of 0 it is p − y, too."""
    expect(slopes([0.0], [1.0]), torch.tensor([-0.5]), given="logits = [0], target = [1]: logits.grad", tol=1e-5)
    expect(slopes([0.0], [0.0]), torch.tensor([0.5]), given="logits = [0], target = [0]: logits.grad", tol=1e-5)


def check_hands_off():
    """The logits are as they were."""
    logits = torch.tensor([-1.0, 2.0])
    binary_cross_entropy_with_logits(logits, torch.tensor([0.0, 1.0]))
    expect(logits, torch.tensor([-1.0, 2.0]), given="logits = [-1, 2], and logits after the call")


def check_agrees():
    """It agrees with the engine's own for 12 random logits."""
    torch.manual_seed(0)
    logits, target = torch.randn(3, 4) * 3, torch.rand(3, 4)
    want = F.binary_cross_entropy_with_logits(logits, target)
    expect(binary_cross_entropy_with_logits(logits, target), want, given="3 rows of 4 random logits", tol=1e-5)


def check_own_work():
    """It is your own: the engine's loss is not inside."""
    ready = {"binary_cross_entropy", "binary_cross_entropy_with_logits", "BCELoss", "BCEWithLogitsLoss"}
    names = set(binary_cross_entropy_with_logits.__code__.co_names)
    expect(sorted(ready & names), [], given="what the function calls that does the work")

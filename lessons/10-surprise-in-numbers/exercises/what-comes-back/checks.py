import glowgrad as torch
import glowgrad.nn.functional as F


def found(logits, target):
    return gradient(torch.tensor(logits), torch.tensor(target))


def check_one_row():
    """It is what was said, minus what was true."""
    expect(found([[0.0, 0.0]], [0]), torch.tensor([[-0.5, 0.5]]), given="logits = [[0, 0]], target = [0]", tol=1e-5)


def check_unequal():
    """What is missing at the true class is what the others have too much."""
    got = found([[0.0, 1.0986123]], [0])
    expect(got, torch.tensor([[-0.75, 0.75]]), given="logits = [[0, log 3]], target = [0]", tol=1e-5)
    got = found([[0.0, 1.0986123]], [1])
    expect(got, torch.tensor([[0.25, -0.25]]), given="logits = [[0, log 3]], target = [1]", tol=1e-5)


def check_unused_class():
    """A class that is nowhere true has a column, too."""
    got = found([[0.0, 0.0, 0.0]], [1])
    expect(got, torch.tensor([[1 / 3, -2 / 3, 1 / 3]]), given="logits = [[0, 0, 0]], target = [1]", tol=1e-5)


def check_mean():
    """The loss is a mean over the rows, so with two rows each counts half."""
    got = found([[0.0, 0.0], [0.0, 0.0]], [0, 1])
    want = torch.tensor([[-0.25, 0.25], [0.25, -0.25]])
    expect(got, want, given="logits = [[0, 0], [0, 0]], target = [0, 1]", tol=1e-5)


def check_large():
    """Logits of a thousand give no NaN."""
    expect(found([[1000.0, 0.0]], [1]), torch.tensor([[1.0, -1.0]]), given="logits = [[1000, 0]], target = [1]")


def check_agrees():
    """It agrees with what `backward()` finds for a batch of 5 with 4 classes."""
    torch.manual_seed(0)
    logits, target = torch.randn(5, 4), torch.tensor([3, 0, 0, 2, 1])
    leaf = logits.clone().requires_grad_()
    F.cross_entropy(leaf, target).backward()
    expect(gradient(logits, target), leaf.grad, given="5 rows of 4 random logits", tol=1e-5)


def check_hands_off():
    """The logits are as they were."""
    logits = torch.tensor([[1.0, 2.0]])
    gradient(logits, torch.tensor([0]))
    expect(logits, torch.tensor([[1.0, 2.0]]), given="logits = [[1, 2]], and logits after the call")


def check_by_hand():
    """It is by hand: no walk back."""
    ready = {"backward", "grad", "cross_entropy", "nll_loss", "CrossEntropyLoss", "vjp", "jacobian"}
    names = set(gradient.__code__.co_names)
    expect(sorted(ready & names), [], given="what gradient calls that does the work")

import glowgrad as torch
import glowgrad.nn.functional as F


def loss(logits, target):
    return cross_entropy(torch.tensor(logits), torch.tensor(target))


def check_undecided():
    """With two equal logits the surprise is log 2."""
    expect(loss([[0.0, 0.0]], [0]), torch.tensor(0.6931472), given="logits = [[0, 0]], target = [0]", tol=1e-5)


def check_which_class():
    """The surprise is that of the true class."""
    logits = [[0.0, 1.0986123]]  # 1 to 3
    expect(loss(logits, [1]), torch.tensor(0.2876821), given="logits = [[0, log 3]], target = [1]", tol=1e-5)
    expect(loss(logits, [0]), torch.tensor(1.3862944), given="logits = [[0, log 3]], target = [0]", tol=1e-5)


def check_mean():
    """The loss is the mean over the rows."""
    got = loss([[0.0, 0.0], [0.0, 1.0986123]], [0, 1])
    expect(got, torch.tensor(0.4904146), given="logits = [[0, 0], [0, log 3]], target = [0, 1]", tol=1e-5)


def check_large():
    """A logit of 1000 for a wrong class is a loss of 1000."""
    expect(loss([[1000.0, 0.0]], [1]), torch.tensor(1000.0), given="logits = [[1000, 0]], target = [1]")
    expect(loss([[1000.0, 0.0]], [0]), torch.tensor(0.0), given="logits = [[1000, 0]], target = [0]")


def check_large_difference():
    """Large or not, it is the difference of logits that counts."""
    got = loss([[1000.0, 1001.0]], [0])
    expect(got, torch.tensor(1.3132617), given="logits = [[1000, 1001]], target = [0]", tol=1e-4)
    got = loss([[-1000.0, -1000.0]], [0])
    expect(got, torch.tensor(0.6931472), given="logits = [[-1000, -1000]], target = [0]", tol=1e-4)


def check_rows():
    """A row with large logits leaves the other rows as they are."""
    got = loss([[1000.0, 1000.0], [0.0, 0.0]], [0, 1])
    expect(got, torch.tensor(0.6931472), given="logits = [[1000, 1000], [0, 0]], target = [0, 1]", tol=1e-4)


def check_way_back():
    """`backward()` goes through it, to a gradient without NaN."""
    logits = torch.tensor([[0.0, 0.0], [1000.0, 0.0]], requires_grad=True)
    cross_entropy(logits, torch.tensor([0, 1])).backward()
    want = torch.tensor([[-0.25, 0.25], [0.5, -0.5]])
    expect(logits.grad, want, given="logits = [[0, 0], [1000, 0]], target = [0, 1]: logits.grad", tol=1e-5)


def check_hands_off():
    """The logits are as they were."""
    logits = torch.tensor([[1.0, 2.0]])
    cross_entropy(logits, torch.tensor([0]))
    expect(logits, torch.tensor([[1.0, 2.0]]), given="logits = [[1, 2]], and logits after the call")


def check_agrees():
    """It agrees with F.cross_entropy for a batch of 5 with 4 classes."""
    torch.manual_seed(0)
    logits, target = torch.randn(5, 4), torch.tensor([3, 0, 0, 2, 1])
    expect(cross_entropy(logits, target), F.cross_entropy(logits, target), given="5 rows of 4 random logits", tol=1e-5)


def check_own_work():
    """It is your own: no cross-entropy of the engine's inside."""
    ready = {"nll_loss", "log_softmax", "CrossEntropyLoss", "NLLLoss", "LogSoftmax", "cross_entropy"}
    names = set(cross_entropy.__code__.co_names)
    expect(sorted(ready & names), [], given="what cross_entropy calls that does the work")

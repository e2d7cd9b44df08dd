import glowgrad as torch
import glowgrad.nn.functional as F


def loss_and_gradient(scores, labels, gy=1.0):
    scores = torch.tensor(scores, requires_grad=True)
    loss = CrossEntropy.apply(scores, torch.tensor(labels))
    loss.backward(torch.tensor(gy))
    return loss.detach(), scores.grad


def check_undecided():
    """Two equal scores: the loss is log 2."""
    loss, _ = loss_and_gradient([[0.0, 0.0]], [0])
    expect(loss, torch.tensor(0.6931472), given="scores = [[0, 0]], labels = [0]", tol=1e-5)


def check_minus_what_was_true():
    """The gradient is the shares, with 1 taken away at the truth."""
    _, gradient = loss_and_gradient([[0.0, 0.0]], [0])
    expect(gradient, torch.tensor([[-0.5, 0.5]]), given="scores = [[0, 0]], labels = [0]: scores.grad", tol=1e-5)


def check_mean_over_the_batch():
    """With two rows, each row's gradient counts half."""
    _, gradient = loss_and_gradient([[0.0, 0.0], [0.0, 0.0]], [0, 1])
    expect(
        gradient,
        torch.tensor([[-0.25, 0.25], [0.25, -0.25]]),
        given="scores = [[0, 0], [0, 0]], labels = [0, 1]: scores.grad",
        tol=1e-5,
    )


def check_times_gy():
    """A gradient of 10 from behind comes out ten times as large."""
    _, gradient = loss_and_gradient([[0.0, 0.0]], [1], gy=10.0)
    expect(gradient, torch.tensor([[5.0, -5.0]]), given="scores = [[0, 0]], labels = [1], gy = 10: scores.grad", tol=1e-5)


def check_large_scores():
    """Scores of a thousand give a loss of a thousand, and no NaN."""
    loss, gradient = loss_and_gradient([[1000.0, 0.0]], [1])
    expect(loss, torch.tensor(1000.0), given="scores = [[1000, 0]], labels = [1]: the loss")
    expect(gradient, torch.tensor([[1.0, -1.0]]), given="scores = [[1000, 0]], labels = [1]: scores.grad")


def check_own_work():
    """It is your own: no cross-entropy of the engine's inside."""
    ready = {"cross_entropy", "nll_loss", "CrossEntropyLoss", "NLLLoss"}
    names = {*CrossEntropy.forward.__code__.co_names, *CrossEntropy.backward.__code__.co_names}
    expect(sorted(ready & names), [], given="what forward and backward call that does the work")


def check_agrees():
    """It agrees with F.cross_entropy for a batch of 5 with 4 classes."""
    torch.manual_seed(0)
    scores = torch.randn(5, 4)
    labels = torch.tensor([3, 0, 0, 2, 1])
    real = scores.clone().requires_grad_()
    want = F.cross_entropy(real, labels)
    want.backward()
    mine = scores.clone().requires_grad_()
    got = CrossEntropy.apply(mine, labels)
    got.backward()
    expect(got.detach(), want.detach(), given="5 rows of 4 scores: the loss", tol=1e-5)
    expect(mine.grad, real.grad, given="5 rows of 4 scores: scores.grad", tol=1e-5)

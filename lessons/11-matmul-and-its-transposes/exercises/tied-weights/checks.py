import glowgrad as torch
import glowgrad.nn.functional as F


def found(x, E, b, target):
    g_E, g_b = gradients(torch.tensor(x), torch.tensor(E), torch.tensor(b), torch.tensor(target))
    return g_E, g_b


def check_bias():
    """The bias gets what the logits get: p − y."""
    _, g_b = found([[1.0, 0.0]], [[0.0], [0.0]], [0.0, 0.0], [0])
    expect(g_b, torch.tensor([-0.5, 0.5]), given="x = [[1, 0]], E = [[0], [0]], b = [0, 0], target = [0]: b.grad", tol=1e-5)


def check_uses_the_bias():
    """The probabilities are those of the logits with their bias."""
    _, g_b = found([[1.0, 0.0]], [[0.0], [0.0]], [0.0, 1.0986123], [0])
    given = "x = [[1, 0]], E = [[0], [0]], b = [0, log 3], target = [0]: b.grad"
    expect(g_b, torch.tensor([-0.75, 0.75]), given=given, tol=1e-5)


def check_bias_of_a_batch():
    """The loss is a mean over the rows, and the bias gets the sum of what its rows get."""
    _, g_b = found([[1.0, 0.0], [0.0, 1.0]], [[0.0], [0.0]], [0.0, 0.0], [0, 0])
    given = "x = [[1, 0], [0, 1]], E = [[0], [0]], b = [0, 0], target = [0, 0]: b.grad"
    expect(g_b, torch.tensor([-0.5, 0.5]), given=given, tol=1e-5)


def check_reading():
    """E gets a gradient where it reads the words. (Here h is 0, and only this path counts.)"""
    g_E, _ = found([[1.0, 0.0]], [[0.0], [1.0]], [0.0, 0.0], [0])
    given = "x = [[1, 0]], E = [[0], [1]], b = [0, 0], target = [0]: E.grad"
    expect(g_E, torch.tensor([[0.5], [0.0]]), given=given, tol=1e-5)


def check_writing():
    """E gets a gradient where it gives the logits. (Here g @ E is 0, and only this path counts.)"""
    g_E, _ = found([[1.0, 0.0]], [[0.5493061], [0.5493061]], [0.0, 0.0], [0])  # tanh of it is 0.5
    given = "x = [[1, 0]], E = [[log(3) / 2], [log(3) / 2]], b = [0, 0], target = [0]: E.grad"
    expect(g_E, torch.tensor([[-0.25], [0.25]]), given=given, tol=1e-5)


def check_both():
    """The two paths add, and the first goes through the slope of tanh."""
    g_E, _ = found([[1.0, 0.0]], [[0.5493061], [0.0]], [-0.2746531, 0.0], [1])  # both logits are 0
    given = "x = [[1, 0]], E = [[log(3) / 2], [0]], b = [-log(3) / 4, 0], target = [1]: E.grad"
    expect(g_E, torch.tensor([[0.4559899], [-0.25]]), given=given, tol=1e-5)


def same(n, words, numbers):
    torch.manual_seed(0)
    x, E, b = torch.randn(n, words), torch.randn(words, numbers), torch.randn(words)
    target = torch.randint(0, words, (n,))
    E.requires_grad_()
    b.requires_grad_()
    F.cross_entropy(torch.tanh(x @ E) @ E.T + b, target).backward()
    g_E, g_b = gradients(x, E.detach(), b.detach(), target)
    given = f"{n} examples, {words} words, {numbers} numbers for each"
    expect(g_E, E.grad, given=given + ": E.grad", tol=1e-5)
    expect(g_b, b.grad, given=given + ": b.grad", tol=1e-5)


def check_agrees():
    """It agrees with what `backward()` finds, for three different sizes."""
    same(5, 4, 3)
    same(2, 3, 6)


def check_square():
    """It agrees where all sizes are equal, too, and every wrong product fits."""
    same(3, 3, 3)


def check_large():
    """Logits of a thousand give no NaN."""
    g_E, g_b = found([[1.0, 0.0]], [[0.0], [0.0]], [1000.0, 0.0], [1])
    given = "x = [[1, 0]], E = [[0], [0]], b = [1000, 0], target = [1]"
    expect(g_b, torch.tensor([1.0, -1.0]), given=given + ": b.grad")
    expect(g_E, torch.tensor([[0.0], [0.0]]), given=given + ": E.grad")


def check_by_hand():
    """It is by hand: no walk back."""
    ready = {"backward", "grad", "cross_entropy", "nll_loss", "CrossEntropyLoss", "vjp", "jacobian"}
    names = set(gradients.__code__.co_names)
    expect(sorted(ready & names), [], given="what gradients calls that does the work")

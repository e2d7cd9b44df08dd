import glowgrad as torch
import glowgrad.nn as nn

FOUR = [[1.0], [2.0], [3.0], [6.0]]


def four():
    """A column with mean 3, variance 3.5 divided by n, and 4.667 divided by n − 1."""
    return torch.tensor(FOUR)


def kept(norm):
    return norm.running_mean.detach().clone(), norm.running_var.detach().clone()


def check_train_mode():
    """In train mode a column comes out with mean 0 and, divided by n, variance 1."""
    norm = BatchNorm(1, eps=0.0)
    want = torch.tensor([[-1.0690450], [-0.5345225], [0.0], [1.6035675]])
    expect(norm(four()).detach(), want, given="a column 1, 2, 3, 6 in train mode, eps = 0", tol=1e-5)


def check_running_mean():
    """A batch moves the running mean by momentum of the way."""
    norm = BatchNorm(1)
    norm(four())
    expect(kept(norm)[0], torch.tensor([0.3]), given="a column 1, 2, 3, 6, momentum = 0.1")
    norm(four())
    expect(kept(norm)[0], torch.tensor([0.57]), given="the same batch twice, momentum = 0.1")


def check_running_var():
    """The running variance moves to the variance that is divided by n − 1."""
    norm = BatchNorm(1)
    norm(four())
    expect(kept(norm)[1], torch.tensor([1.3666667]), given="a column 1, 2, 3, 6, momentum = 0.1")


def check_momentum():
    """momentum is the share of the new batch."""
    norm = BatchNorm(1, momentum=0.25)
    norm(four())
    want = torch.tensor([0.75]), torch.tensor([1.9166667])
    expect(kept(norm), want, given="a column 1, 2, 3, 6, momentum = 0.25: running mean and variance")


def check_eval_keeps():
    """In eval mode nothing is moved."""
    norm = BatchNorm(1)
    norm.eval()
    norm(four())
    expect(kept(norm), (torch.zeros(1), torch.ones(1)), given="a column 1, 2, 3, 6 in eval mode")


def check_eval_mode():
    """In eval mode the running numbers are used."""
    norm = BatchNorm(1, eps=0.0)
    norm.eval()
    with torch.no_grad():
        norm.running_mean.fill_(1.0)
        norm.running_var.fill_(4.0)
    want = torch.tensor([[0.0], [0.5], [1.0], [2.5]])
    expect(norm(four()).detach(), want, given="a column 1, 2, 3, 6, running mean 1, running variance 4, eps = 0")
    expect(norm(torch.tensor([[5.0]])).detach(), torch.tensor([[2.0]]), given="one example, 5, with the same running numbers")


def check_back():
    """After train() it learns from batches again."""
    norm = BatchNorm(1)
    norm.eval()
    norm.train()
    norm(four())
    expect(kept(norm)[0], torch.tensor([0.3]), given="eval(), train(), then a column 1, 2, 3, 6")


def check_weight_and_bias():
    """Weight and bias come last, in both modes."""
    norm = BatchNorm(1, eps=0.0)
    with torch.no_grad():
        norm.weight.fill_(10.0)
        norm.bias.fill_(1.0)
    pair = torch.tensor([[3.0], [7.0]])
    expect(norm(pair).detach(), torch.tensor([[-9.0], [11.0]]), given="a column 3, 7 in train mode, weight 10, bias 1")
    norm.eval()
    with torch.no_grad():
        norm.running_mean.fill_(3.0)
        norm.running_var.fill_(4.0)
    want = torch.tensor([[1.0], [21.0]])
    expect(norm(pair).detach(), want, given="the same in eval mode, running mean 3, running variance 4")


def check_notes():
    """The running numbers ask for no gradient."""
    norm = BatchNorm(1)
    norm(four().requires_grad_())
    expect(norm.running_mean.requires_grad, False, given="running_mean.requires_grad after one batch")
    expect(norm.running_var.requires_grad, False, given="running_var.requires_grad after one batch")


def trained(make):
    """What three batches, a backward() of each and an evaluation leave behind."""
    torch.manual_seed(0)
    norm = make(3)
    seen = []
    for n in (4, 5, 2):
        x = (torch.randn(n, 3) * 2 + 1).requires_grad_()
        out = norm(x)
        (out * torch.randn(n, 3)).sum().backward()
        seen += [out.detach(), x.grad]
    norm.eval()
    seen.append(norm(torch.randn(1, 3)).detach())
    return [*seen, norm.weight.grad, norm.bias.grad, *kept(norm)]


def check_as_in_pytorch():
    """Outputs, gradients and running numbers are those of nn.BatchNorm1d."""
    got, want = trained(BatchNorm), trained(nn.BatchNorm1d)
    expect(got, want, given="batches of 4, 5 and 2 rows with 3 columns, then one row in eval mode", tol=1e-4)

import glowgrad as torch
import glowgrad.nn.functional as F

ONE = torch.eye(2)


def weights(size, width, out):
    torch.manual_seed(1)
    return torch.randn(size, width), torch.randn(size, width), torch.randn(size, out)


def meant(x, wq, wk, wv):
    """The same in PyTorch's own words, a token at a time."""
    x = F.layer_norm(x, (x.shape[1],))
    q, k, v = x @ wq, x @ wk, x @ wv
    rows = []
    for i in range(len(x)):
        shares = F.softmax(k[: i + 1] @ q[i] / q.shape[1] ** 0.5, dim=0)
        rows.append(shares @ v[: i + 1])
    return torch.stack(rows)


def check_one_token():
    """A text of one token: it is normed by itself, and looks at itself."""
    expect(
        read(torch.tensor([[2.0, 0.0]]), ONE, ONE, ONE),
        torch.tensor([[1.0, -1.0]]),
        given="x = [[2, 0]], all weights [[1, 0], [0, 1]]",
        tol=1e-4,
    )


def check_second_is_changed():
    """The first token does not notice what the second one is."""
    for second in ([0.0, 3.0], [5.0, 1.0]):
        x = torch.tensor([[2.0, 0.0], second])
        expect(
            read(x, ONE, ONE, ONE)[0],
            torch.tensor([1.0, -1.0]),
            given=f"x = [[2, 0], {second}], all weights [[1, 0], [0, 1]], the first row that comes out",
            tol=1e-4,
        )


def check_sees_itself_and_before():
    """The second token looks at itself and at the first one."""
    x = torch.tensor([[2.0, 0.0], [0.0, 2.0]])
    expect(
        read(x, torch.zeros(2, 2), ONE, ONE)[1],
        torch.tensor([0.0, 0.0]),
        given="x = [[2, 0], [0, 2]], wq = 0 (even shares), wk = wv = [[1, 0], [0, 1]], the second row that comes out",
        tol=1e-4,
    )


def check_every_place():
    """Change any token: no place before it notices."""
    torch.manual_seed(0)
    x, matrices = torch.randn(5, 4), weights(4, 3, 2)
    before = read(x, *matrices)
    for place in range(5):
        other = x.clone()
        other[place] = torch.tensor([9.0, -3.0, 0.0, 1.0])
        expect(
            read(other, *matrices)[:place],
            before[:place],
            given=f"a text of 5 tokens, token {place} changed, the rows before it",
            tol=1e-5,
        )


def check_as_meant():
    """Layer norm of each token, then attention to itself and all before."""
    torch.manual_seed(0)
    x, matrices = 3 * torch.randn(6, 4) + 1, weights(4, 3, 2)
    expect(read(x, *matrices), meant(x, *matrices), given="a text of 6 tokens, [6, 4]", tol=1e-4)

import math

import glowgrad as torch
import glowgrad.nn.functional as F

ONE, NONE = torch.eye(2), torch.zeros(2, 2)
NOWHERE = torch.zeros(5, 2)
TOKENS = torch.tensor([[2.0, 0.0], [0.0, 4.0]])
SMALL = "tokens = [[2, 0], [0, 4]]"


def empty(d):
    return torch.zeros(0, d), torch.zeros(0, d)


def read(text, *how, d=2):
    """All rows that come out, one token at a time, and the cache at the end."""
    cache, rows = empty(d), []
    for token in text:
        row, cache = one_more(token, cache, *how)
        rows.append(row)
    return torch.stack(rows), cache


def check_first():
    """The first token looks at itself alone, and finds its own value."""
    expect(
        one_more(0, empty(2), TOKENS, NOWHERE, ONE, ONE, ONE)[0],
        torch.tensor([2.0, 0.0]),
        given=f"token = 0, nothing in the cache, {SMALL}, places = 0, wq = wk = wv = [[1, 0], [0, 1]]",
    )


def check_cache_of_one():
    """After one token the cache has one key and one value."""
    keys, values = one_more(0, empty(2), TOKENS, NOWHERE, ONE, ONE, 3 * ONE)[1]
    given = f"token = 0, nothing in the cache, {SMALL}, places = 0, wk = [[1, 0], [0, 1]], wv = [[3, 0], [0, 3]]"
    expect(keys, torch.tensor([[2.0, 0.0]]), given=given + ", the keys")
    expect(values, torch.tensor([[6.0, 0.0]]), given=given + ", the values")


def check_second():
    """The second token looks at itself and at the first one."""
    expect(
        read([0, 1], TOKENS, NOWHERE, NONE, ONE, ONE)[0][1],
        torch.tensor([1.0, 2.0]),
        given=f"tokens 0 and 1, {SMALL}, places = 0, wq = 0 (even shares), wk = wv = [[1, 0], [0, 1]], the second row",
    )


def check_third():
    """The third token looks at all three."""
    expect(
        read([0, 1, 1], TOKENS, NOWHERE, NONE, ONE, 3 * ONE)[0][2],
        torch.tensor([2.0, 8.0]),
        given=f"tokens 0, 1, 1, {SMALL}, places = 0, wq = 0 (even shares), wv = [[3, 0], [0, 3]], the third row",
    )


def check_places():
    """Each token stands at its own place, and the first one at place 0."""
    places = torch.tensor([[1.0, 0.0], [0.0, 10.0], [500.0, 0.0]])
    values = read([0, 0], NONE, places, ONE, ONE, ONE)[1][1]
    expect(
        values,
        torch.tensor([[1.0, 0.0], [0.0, 10.0]]),
        given="tokens 0 and 0, tokens = 0, places = [[1, 0], [0, 10], [500, 0]], wv = [[1, 0], [0, 1]], the values kept",
    )


def check_root():
    """The scores are divided by the root of the width."""
    tokens, four = torch.tensor([[0.0], [1.0]]), torch.ones(1, 4)
    share = 1 / (1 + math.exp(-2))
    expect(
        read([0, 1], tokens, torch.zeros(5, 1), four, four, torch.ones(1, 4), d=4)[0][1],
        torch.full((4,), share),
        given="tokens 0 and 1, tokens = [[0], [1]], wq = wk = wv = [[1, 1, 1, 1]]: scores 0 and 4/2, the second row",
    )


def check_whole_text():
    """One by one is the same as causal attention over the whole text."""
    torch.manual_seed(0)
    text = [3, 0, 6, 6, 2, 5, 3]
    tokens, places = torch.randn(7, 5), torch.randn(9, 5)
    wq, wk, wv = torch.randn(3, 5, 4)
    x = tokens[torch.tensor(text)] + places[:7]
    q, k, v = x @ wq, x @ wk, x @ wv
    want = F.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[0]
    got, cache = read(text, tokens, places, wq, wk, wv, d=4)
    given = "a text of 7 tokens, tokens [7, 5], places [9, 5], wq, wk and wv [5, 4]"
    expect(got, want, given=given + ", all rows", tol=1e-4)
    expect([list(kept.shape) for kept in cache], [[7, 4], [7, 4]], given=given + ", the shapes of the cache")

import glowgrad as torch
import glowgrad.nn as nn
import glowgrad.nn.functional as F


def same(x):
    return x * 1.0


def nothing(x):
    return x * 0.0


def one(x):
    return x * 0.0 + 1.0


def times(factor):
    return lambda x: x * factor


def row(*numbers):
    return torch.tensor([numbers])


def check_nothing_is_added():
    """If attention and MLP give 0, the block hands on what it gets."""
    expect(
        block(row(1.0, 2.0), same, nothing, same, nothing),
        row(1.0, 2.0),
        given="x = [[1, 2]], both norms change nothing, attention = mlp = 0",
    )


def check_no_norm_on_the_stream():
    """A norm stands before attention and MLP, and not on the stream."""
    expect(
        block(row(1.0), times(10.0), nothing, times(100.0), nothing),
        row(1.0),
        given="x = [[1]], norm_1 = 10 x, norm_2 = 100 x, attention = mlp = 0",
    )


def check_attention_is_added():
    """Attention gets the normed x, and what it gives is added to x."""
    expect(
        block(row(1.0), times(10.0), times(3.0), same, nothing),
        row(31.0),
        given="x = [[1]], norm_1 = 10 x, attention = 3 x, mlp = 0",
    )


def check_mlp_is_added():
    """The MLP gets the normed x, by the second norm, and what it gives is added."""
    expect(
        block(row(1.0), times(10.0), nothing, times(100.0), times(3.0)),
        row(301.0),
        given="x = [[1]], norm_1 = 10 x, norm_2 = 100 x, attention = 0, mlp = 3 x",
    )


def check_one_after_the_other():
    """The MLP sees what attention has added, and not the other way round."""
    expect(
        block(row(1.0), same, one, same, times(2.0)),
        row(6.0),
        given="x = [[1]], both norms change nothing, attention = 1, mlp = 2 x",
    )


def check_x_stays():
    """The tensor that was passed stays as it was."""
    x = row(1.0, 2.0)
    block(x, same, one, same, one)
    expect(x, row(1.0, 2.0), given="x = [[1, 2]], attention = mlp = 1, x after the call")


def check_as_pytorch():
    """It agrees with PyTorch's layer, if that has its norms in front."""
    torch.manual_seed(0)
    theirs = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True, norm_first=True)
    x, closed = torch.randn(2, 5, 8), torch.ones(5, 5).triu(1).bool()
    got = block(
        x,
        theirs.norm1,
        lambda z: theirs.self_attn(z, z, z, attn_mask=closed, need_weights=False)[0],
        theirs.norm2,
        lambda z: theirs.linear2(F.relu(theirs.linear1(z))),
    )
    expect(got, theirs(x, src_mask=closed), given="x of shape [2, 5, 8], norms of width 8", tol=1e-4)

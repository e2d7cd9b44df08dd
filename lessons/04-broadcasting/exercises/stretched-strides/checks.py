import glowgrad as torch


def check_stretched():
    """A dimension that is stretched gets a 0. A dimension that keeps its size keeps its stride."""
    expect(stretched_strides((3, 1), (1, 1), (3, 4)), (1, 0), given="shape (3, 1), strides (1, 1), target (3, 4)")
    expect(stretched_strides((3, 2), (1, 3), (3, 2)), (1, 3), given="shape (3, 2), strides (1, 3), target (3, 2)")


def check_new():
    """A new dimension on the left gets a 0."""
    expect(stretched_strides((4,), (1,), (3, 4)), (0, 1), given="shape (4,), strides (1,), target (3, 4)")
    expect(stretched_strides((), (), (2, 2)), (0, 0), given="shape (), strides (), target (2, 2)")


def check_reads_the_same():
    """Reading with these strides gives what expand gives."""
    table = torch.arange(12.0).reshape(3, 4)
    cases = [
        ("table[:, :1]", table[:, :1], (2, 3, 4)),
        ("table.T[:, :1]", table.T[:, :1], (4, 5)),
        ("table[1]", table[1], (2, 1, 4)),
        ("table[:, ::2]", table[:, ::2], (2, 3, 2)),
    ]
    for name, x, target in cases:
        strides = stretched_strides(tuple(x.shape), x.stride(), target)
        given = f"x = {name}, shape {tuple(x.shape)}, strides {x.stride()}, target {target}"
        expect(len(strides), len(target), given=given + ": how many strides")
        expect(x.as_strided(target, strides), x.expand(target), given=given + f", read with {strides}")

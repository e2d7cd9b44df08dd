import glowgrad as torch


def barriers():
    """How often main waits, in itself or in a function that it calls; two with nothing between them count once."""
    text = " ".join(line.split("//")[0] for line in TILED.split("\n"))
    functions = {part.split("(")[0].strip(): part for part in text.split("fn ")[1:]}
    main = functions.pop("main", "")
    for name, body in functions.items():
        if "workgroupBarrier" in body:
            main = main.replace(name + "(", "workgroupBarrier(")
    between = main.split("workgroupBarrier")[1:]
    return len(between) - sum(part.strip("(); ") == "" for part in between)


def check_barriers():
    """All wait twice in a turn: until the tiles are full, and until all have read them."""
    if barriers() < 2:
        expect(barriers(), 2, given="TILED, and how often main waits with work between")


def check_one_tile():
    """The unit matrix leaves a whole tile as it is."""
    b = torch.arange(256.0, device="webgpu").reshape(16, 16)
    expect(matmul(torch.eye(16, device="webgpu"), b), b, given="a = eye(16), b = [0, 1, …, 255] as a table of 16 × 16")


def check_two_turns():
    """Along 32 numbers, both turns are added up, each with its own numbers."""
    row = torch.arange(32.0, device="webgpu").reshape(1, 32)
    expect(matmul(row, row.T), torch.tensor([[10416.0]]), given="a = [[0, 1, …, 31]], b = a.T")


def check_edge():
    """What lies beyond the end of a row is not added, whatever it is."""
    a = torch.tensor([[1.0, 2.0], [float("inf"), 1.0]], device="webgpu")
    b = torch.tensor([[10.0, 20.0], [30.0, 40.0]], device="webgpu")
    given = "a = [[1, 2], [inf, 1]], b = [[10, 20], [30, 40]]: row 0 of the product"
    expect(matmul(a, b)[0], torch.tensor([70.0, 100.0]), given=given)


def check_odd_sizes():
    """It agrees with a @ b for [33, 17] times [17, 20]."""
    torch.manual_seed(0)
    a = torch.randn(33, 17, device="webgpu")
    b = torch.randn(17, 20, device="webgpu")
    expect(matmul(a, b), a @ b, given="a of shape [33, 17], b of shape [17, 20]", tol=1e-5)

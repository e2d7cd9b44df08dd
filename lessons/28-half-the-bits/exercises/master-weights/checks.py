import glowgrad as torch


def pair(values, gradient):
    """A master and its copy, with a gradient."""
    master = torch.tensor(values)
    copy = master.to(torch.bfloat16).requires_grad_()
    copy.grad = torch.tensor(gradient).to(torch.bfloat16)
    return master, copy


def check_a_step():
    """A large step moves the master and the copy."""
    master, copy = pair([3.0], [2.0])
    master_step([master], [copy], 0.5)
    given = "master = [3], gradient = [2], lr = 0.5"
    expect(master, torch.tensor([2.0]), given=given + ", the master after it")
    expect(copy.detach().float(), torch.tensor([2.0]), given=given + ", the copy after it")


def check_small_steps():
    """Steps that are too small for the copy are kept by the master, and arrive in the end."""
    master, copy = pair([1.0], [1.0])
    for _ in range(64):
        copy.grad = torch.tensor([1.0]).to(torch.bfloat16)
        master_step([master], [copy], 2.0**-11)
    given = "master = [1], gradient = [1], lr = 2^-11, after 64 steps"
    expect(master, torch.tensor([0.96875]), given=given + ", the master")
    expect(copy.detach().float(), torch.tensor([0.96875]), given=given + ", the copy")


def check_not_rounded():
    """The master is not rounded to bfloat16."""
    master, copy = pair([1.0], [1.0])
    master_step([master], [copy], 2.0**-11)
    given = "master = [1], gradient = [1], lr = 2^-11"
    expect(master, torch.tensor([1 - 2.0**-11]), given=given + ", the master after it", tol=1e-7)
    expect(copy.detach().float(), torch.tensor([1.0]), given=given + ", the copy after it")


def check_step_in_float32():
    """The step is computed in float32: lr times a gradient has more digits than bfloat16 holds."""
    master, copy = pair([0.0], [3.0])
    master_step([master], [copy], 0.001)
    expect(master, torch.tensor([-0.003]), given="master = [0], gradient = [3], lr = 0.001, the master after it", tol=1e-7)


def check_types():
    """Masters stay float32 and copies bfloat16."""
    master, copy = pair([3.0], [2.0])
    masters, copies = [master], [copy]
    master_step(masters, copies, 0.5)
    got = [str(masters[0].dtype), str(copies[0].dtype)]
    expect(got, ["torch.float32", "torch.bfloat16"], given="master = [3], gradient = [2], the types after the step")


def check_several():
    """Each copy has its own master."""
    a, b = pair([1.0, 2.0], [0.5, 1.0]), pair([4.0], [-2.0])
    master_step([a[0], b[0]], [a[1], b[1]], 1.0)
    given = "masters = [1, 2] and [4], gradients = [0.5, 1] and [-2], lr = 1"
    expect([a[0], b[0]], [torch.tensor([0.5, 1.0]), torch.tensor([6.0])], given=given + ", the masters after it")


def check_cleared():
    """The gradients are None in the end, and the copies can get new ones."""
    master, copy = pair([3.0], [2.0])
    master_step([master], [copy], 0.5)
    expect(copy.grad is None, True, given="master = [3], gradient = [2], whether copy.grad is None")
    (copy * 2).sum().backward()
    expect(copy.grad.float(), torch.tensor([2.0]), given="the gradient of 2 * copy after that")

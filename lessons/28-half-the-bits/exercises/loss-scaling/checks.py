import glowgrad as torch


def weight(value):
    return torch.tensor([value], requires_grad=True)


def short(w):
    """A float16 copy, as a layer makes it."""
    return w.to(torch.float16)


def value(w):
    return w.detach().item()


def check_a_step():
    """A step is that of SGD, whatever the scale."""
    for scale in (1.0, 8.0):
        w = weight(3.0)
        scaled_step((short(w).float() * 2).sum(), [w], 0.5, scale)
        expect(value(w), 2.0, given=f"w = 3, loss = 2w, lr = 0.5, scale = {scale:g}, w after the step")


def check_keeps_the_scale():
    """After a good step the scale is the same."""
    w = weight(3.0)
    got = scaled_step((short(w).float() * 2).sum(), [w], 0.5, 8.0)
    expect(got, 8.0, given="w = 3, loss = 2w, lr = 0.5, scale = 8, what is returned")


def check_small():
    """A gradient that is too small for float16 arrives."""
    w = weight(3.0)
    loss = (short(w).float() * 2.0**-27).sum()
    scaled_step(loss, [w], 2.0**27, 1024.0)
    given = "w = 3, loss = w / 2^27, lr = 2^27, scale = 2^10, w after the step"
    expect(value(w), 2.0, given=given)


def check_infinite():
    """If a gradient is infinite, nothing moves and the scale is halved."""
    w = weight(3.0)
    got = scaled_step(short(w).float().sum(), [w], 0.5, 2.0**20)
    given = "w = 3, loss = w, lr = 0.5, scale = 2^20"
    expect(value(w), 3.0, given=given + ", w after the step")
    expect(got, 2.0**19, given=given + ", what is returned")


def check_nan():
    """A gradient that is NaN counts as an infinite one."""
    w = weight(3.0)
    h = short(w)
    got = scaled_step((h.float() - h.float()).sum(), [w], 0.5, 2.0**20)
    given = "w = 3, loss = w - w, lr = 0.5, scale = 2^20: infinity minus infinity"
    expect(value(w), 3.0, given=given + ", w after the step")
    expect(got, 2.0**19, given=given + ", what is returned")


def check_all_or_none():
    """If one of several gradients is infinite, no parameter moves."""
    for place in (0, 1):
        v, w = weight(3.0), weight(3.0)
        factors = [2.0**-10, 2.0**-10]
        factors[place] = 1.0
        loss = short(v).float() * factors[0] + short(w).float() * factors[1]
        scaled_step(loss.sum(), [v, w], 0.5, 2.0**20)
        given = f"parameters 3 and 3, of which number {place} has an infinite gradient, both after the step"
        expect([value(v), value(w)], [3.0, 3.0], given=given)


def check_one_element():
    """One infinite element is enough."""
    w = torch.tensor([3.0, 3.0], requires_grad=True)
    loss = (short(w).float() * torch.tensor([1.0, 2.0**-10])).sum()
    scaled_step(loss, [w], 0.5, 2.0**20)
    given = "w = [3, 3], of which the first has an infinite gradient, w after the step"
    expect(w.detach(), torch.tensor([3.0, 3.0]), given=given)


def check_cleared():
    """The gradients are None in the end, after a step and after none."""
    for power in (3, 20):
        w = weight(3.0)
        scaled_step(short(w).float().sum(), [w], 0.5, 2.0**power)
        given = f"w = 3, loss = w, lr = 0.5, scale = 2^{power}, whether w.grad is None"
        expect(w.grad is None, True, given=given)


def check_finds_it():
    """Called again and again, it finds a scale that works."""
    w, scale = weight(3.0), 2.0**20
    for _ in range(6):
        scale = scaled_step(short(w).float().sum(), [w], 0.5, scale)
    given = "w = 3, loss = w, lr = 0.5, first scale 2^20, six calls"
    expect(scale, 2.0**15, given=given + ", the scale")
    expect(value(w), 2.5, given=given + ", w")

import glowgrad as torch


def gradients_of(x, w, b, kind=torch.float32):
    x = torch.tensor(x, dtype=kind, requires_grad=True)
    w = torch.tensor(w, dtype=kind, requires_grad=True)
    b = torch.tensor(b, dtype=kind, requires_grad=True)
    Neuron.apply(x, w, b).backward()
    return x.grad, w.grad, b.grad


def check_bias():
    """The gradient of the bias is the slope of tanh."""
    _, _, gb = gradients_of([0.0], [0.0], 1.0)
    expect(gb, torch.tensor(0.41997434), given="x = [0], w = [0], b = 1", tol=1e-5)


def check_weights():
    """The gradient of the weights is that slope times the inputs."""
    _, gw, _ = gradients_of([2.0, -3.0], [0.0, 0.0], 0.0)
    expect(gw, torch.tensor([2.0, -3.0]), given="x = [2, -3], w = [0, 0], b = 0", tol=1e-5)


def check_inputs():
    """The gradient of the inputs is that slope times the weights."""
    gx, _, _ = gradients_of([0.0, 0.0], [4.0, -1.0], 0.0)
    expect(gx, torch.tensor([4.0, -1.0]), given="x = [0, 0], w = [4, -1], b = 0", tol=1e-5)


def check_the_neuron_of_the_lesson():
    """The neuron of the walk-through gets the same gradients as before."""
    _, gw, gb = gradients_of([0.5, -1.0], [0.8, 0.3], 0.1)
    given = "x = [0.5, -1], w = [0.8, 0.3], b = 0.1"
    expect(gw, torch.tensor([0.4805215, -0.961043]), given=given, tol=1e-5)
    expect(gb, torch.tensor(0.961043), given=given, tol=1e-5)


def check_gradcheck():
    """gradcheck agrees for all three inputs."""
    x = torch.tensor([0.5, -1.0, 0.2], dtype=torch.float64, requires_grad=True)
    w = torch.tensor([0.8, 0.3, -0.7], dtype=torch.float64, requires_grad=True)
    b = torch.tensor(0.1, dtype=torch.float64, requires_grad=True)
    expect(torch.autograd.gradcheck(Neuron.apply, (x, w, b)), True)

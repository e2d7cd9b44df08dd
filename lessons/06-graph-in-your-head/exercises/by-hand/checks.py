import glowgrad as torch


def check_one_number_at_b():
    """With one number each, the gradient at b is right."""
    _, grad_b = grads_by_hand(torch.tensor([2.0]), torch.tensor([5.0]))
    expect(grad_b, torch.tensor([2.0]), given="a = [2], b = [5]")


def check_one_number_at_a():
    """With one number each, the gradient at a is right."""
    grad_a, _ = grads_by_hand(torch.tensor([2.0]), torch.tensor([5.0]))
    expect(grad_a, torch.tensor([6.0]), given="a = [2], b = [5]")


def check_agrees_with_backward():
    """Each gradient has the shape of its tensor and agrees with backward()."""
    a = torch.tensor([[1.0, -2.0, 0.5], [0.0, 4.0, -1.0]], requires_grad=True)
    b = torch.tensor([[3.0, 0.0, -1.5], [2.0, -4.0, 7.0]], requires_grad=True)
    (a * b + a).sum().backward()
    grad_a, grad_b = grads_by_hand(a.detach(), b.detach())
    expect(grad_a, a.grad, given="a = [[1, -2, 0.5], [0, 4, -1]], b = [[3, 0, -1.5], [2, -4, 7]]")
    expect(grad_b, b.grad, given="a = [[1, -2, 0.5], [0, 4, -1]], b = [[3, 0, -1.5], [2, -4, 7]]")

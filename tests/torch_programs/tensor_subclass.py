import torch


class Reading(torch.Tensor):
    """A tensor with a method of its own; results of operations stay readings."""

    def doubled(self):
        return self * 2


r = torch.tensor([1.0, 2.0]).as_subclass(Reading)
print(type(r).__name__, isinstance(r, torch.Tensor), isinstance(r, Reading))
print(r.doubled().tolist(), type(r.doubled()).__name__)
print(type(r + torch.ones(2)).__name__, type(torch.ones(2) + r).__name__)
print(type(r.sum()).__name__, r.sum().item())
print(type(r[0]).__name__, r.shape)
print(r)
r[0] = 5.0
print(r.doubled())
plain = r.as_subclass(torch.Tensor)
print(type(plain).__name__, plain)


class Weights(torch.nn.Parameter):
    pass


w = Weights(torch.zeros(2))
print(isinstance(w, torch.nn.Parameter), w.requires_grad, w.is_leaf)

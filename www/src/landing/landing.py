import glowgrad as torch
x = torch.tensor([[1.0, 2.0, 3.0]])
w = torch.tensor([[0.5], [-0.25], [0.1]], requires_grad=True)
b = torch.tensor([0.2], requires_grad=True)
h = torch.tanh(x @ w + b)
y = h * w
loss = (y - 0.3).pow(2).sum()
loss.backward()

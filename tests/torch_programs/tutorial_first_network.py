# A first network: temperatures of one scale from another, then a curve that no line fits.
import torch
from torch import nn

celsius = torch.tensor([-20.0, -5.0, 0.0, 10.0, 21.0, 30.0, 37.0]).reshape(-1, 1)
fahrenheit = celsius * 9 / 5 + 32
scaled = celsius / 40

# By hand: two numbers, their gradients, and a step against them.
weight = torch.zeros(1, 1, requires_grad=True)
bias = torch.zeros(1, requires_grad=True)
for step in range(60):
    guess = scaled @ weight + bias
    loss = ((guess - fahrenheit) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        for number in (weight, bias):
            number -= 0.3 * number.grad
            number.grad.zero_()
    if step % 15 == 0:
        print(f"step {step:2d}: loss {loss.item():9.3f}")
print(f"F = {weight.item() / 40:.2f} C + {bias.item():.1f}")

# The same with a layer, a loss and an optimiser.
torch.manual_seed(1)
layer = nn.Linear(1, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.3)
criterion = nn.MSELoss()
for step in range(60):
    optimizer.zero_grad()
    loss = criterion(layer(scaled), fahrenheit)
    loss.backward()
    optimizer.step()
print(layer, f"{layer.weight.item() / 40:.2f}", f"{layer.bias.item():.1f}")
print({name: tuple(value.shape) for name, value in layer.state_dict().items()})


# A curve: one hidden layer bends.
class Bend(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.hidden = nn.Linear(1, hidden)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.out(torch.relu(self.hidden(x)))


x = torch.linspace(-1, 1, 41).unsqueeze(1)
y = x.abs() - 0.5 * x ** 3
for model in (nn.Linear(1, 1), Bend(12)):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for step in range(120):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(type(model).__name__, f"{loss.item():.4f}")
print(model)
with torch.inference_mode():
    print([round(value, 2) for value in model(torch.tensor([[-0.5], [0.0], [0.5]])).flatten().tolist()])

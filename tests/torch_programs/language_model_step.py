import torch
import torch.nn as nn
import torch.nn.functional as F

text = "hello tiny world"
letters = sorted(set(text))
number = {letter: i for i, letter in enumerate(letters)}
ids = torch.tensor([number[letter] for letter in text])
print(len(letters), ids)
context = 3
x, y = ids.unfold(0, context, 1)[:-1], ids[context:]
print(x.shape, y.shape, x[:2], "".join(letters[i] for i in x[0]))

torch.manual_seed(1)
model = nn.Sequential(
    nn.Embedding(len(letters), 4),
    nn.Flatten(),
    nn.Linear(context * 4, 16),
    nn.Tanh(),
    nn.Linear(16, len(letters)),
)
print(model)
print(model[0](x[:1]))
loss = F.cross_entropy(model(x), y)
print(loss)
loss.backward()
used = torch.zeros(len(letters), dtype=torch.bool).index_fill(0, x.unique(), True)
print((model[0].weight.grad.abs().sum(1) > 0) == used)
for parameter in model.parameters():
    parameter.grad = None
for step in range(60):
    loss = F.cross_entropy(model(x), y)
    for parameter in model.parameters():
        parameter.grad = None
    loss.backward()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter -= 0.3 * parameter.grad
    if step % 20 == 0:
        print(step, f"{loss.item():.3f}")
counts = F.one_hot(x[:, -1], len(letters)).T.float() @ F.one_hot(y, len(letters)).float()
print(counts.int())
written = list(ids[:context].tolist())
with torch.no_grad():
    for _ in range(8):
        probabilities = model(torch.tensor([written[-context:]])).softmax(-1)
        written.append(probabilities.argmax().item())
print("".join(letters[i] for i in written))
table = nn.Embedding(3, 2, padding_idx=0)
print(table, table.weight[0])
table(torch.tensor([0, 1, 1])).sum().backward()
print(table.weight.grad)

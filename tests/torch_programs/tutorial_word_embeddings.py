# Words as vectors: from the words before, from the words around, and by pairs with negative samples.
from collections import Counter

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

torch.manual_seed(1)
text = """the cat sat on the mat and the dog sat on the rug the cat saw the dog and the dog saw the
cat then the bird sang and the cat ran and the dog ran after the cat""".split()
counts = Counter(text)
vocabulary = sorted(counts, key=lambda word: (-counts[word], word))
index = {word: i for i, word in enumerate(vocabulary)}
print(len(text), len(vocabulary), vocabulary[:4], counts.most_common(2))


class Before(nn.Module):
    def __init__(self, size, width, context):
        super().__init__()
        self.embeddings = nn.Embedding(size, width)
        self.linear1, self.linear2 = nn.Linear(context * width, 24), nn.Linear(24, size)

    def forward(self, inputs):
        h = F.relu(self.linear1(self.embeddings(inputs).view((1, -1))))
        return F.log_softmax(self.linear2(h), dim=1)


triples = [([text[i - 2], text[i - 1]], text[i]) for i in range(2, len(text))]
print(triples[:2])
model, criterion = Before(len(vocabulary), 6, 2), nn.NLLLoss()
optimizer = optim.SGD(model.parameters(), lr=0.05)
losses = []
for epoch in range(4):
    total = 0
    for context, target in triples:
        ids = torch.tensor([index[word] for word in context], dtype=torch.long)
        model.zero_grad()
        loss = criterion(model(ids), torch.tensor([index[target]], dtype=torch.long))
        loss.backward()
        optimizer.step()
        total += loss.item()
    losses.append(round(total / len(triples), 4))
print(losses)

# The word in the middle of four others: their vectors' mean, by EmbeddingBag.
windows = torch.tensor([
    [index[text[j]] for j in (i - 2, i - 1, i + 1, i + 2)] for i in range(2, len(text) - 2)
])
middles = torch.tensor([index[word] for word in text[2:-2]])
bag, read = nn.EmbeddingBag(len(vocabulary), 6, mode="mean"), nn.Linear(6, len(vocabulary))
optimizer = optim.Adam([*bag.parameters(), *read.parameters()], lr=0.05)
for epoch in range(20):
    loss = F.cross_entropy(read(bag(windows)), middles)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4f}")

# Pairs that stand together against pairs drawn at random.
inner, outer = nn.Embedding(len(vocabulary), 6, sparse=False), nn.Embedding(len(vocabulary), 6)
nn.init.uniform_(inner.weight, -0.1, 0.1)
nn.init.zeros_(outer.weight)
centres = torch.tensor([index[text[i]] for i in range(1, len(text) - 1) for _ in range(2)])
near = torch.tensor([index[text[j]] for i in range(1, len(text) - 1) for j in (i - 1, i + 1)])
weights = torch.tensor([counts[word] for word in vocabulary], dtype=torch.float) ** 0.75
optimizer = optim.Adagrad([*inner.parameters(), *outer.parameters()], lr=0.2)
for epoch in range(15):
    noise = torch.multinomial(weights, len(centres) * 3, replacement=True).view(-1, 3)
    x = inner(centres)
    together = F.logsigmoid((x * outer(near)).sum(dim=1))
    apart = F.logsigmoid(-torch.bmm(outer(noise), x.unsqueeze(2)).squeeze(2)).sum(dim=1)
    loss = -(together + apart).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch % 5 == 0:
        print(epoch, f"{loss.item():.4f}")
with torch.no_grad():
    table = F.normalize(inner.weight, dim=1)
    alike = table @ table[index["cat"]]
    print([round(v, 2) for v in alike.tolist()][:4], alike.argmax().item() == index["cat"])
    print(F.cosine_similarity(inner.weight[:1], inner.weight[1:3]).shape)
frozen = nn.Embedding.from_pretrained(inner.weight.detach(), freeze=True, padding_idx=0)
print(frozen, frozen.weight.requires_grad)

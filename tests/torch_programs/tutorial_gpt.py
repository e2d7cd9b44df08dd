# A language model from nothing: counts of pairs, one head, many heads; then it writes.
import torch
import torch.nn as nn
from torch.nn import functional as F

torch.manual_seed(1234)
text = "row row row your boat gently down the stream\nmerrily merrily merrily life is but a dream\n" * 4
chars = sorted(list(set(text)))
stoi = {ch: i for i, ch in enumerate(chars)}
itos = {i: ch for ch, i in stoi.items()}
data = torch.tensor([stoi[ch] for ch in text], dtype=torch.long)
print(len(chars), data.shape, data.dtype, data[:12])
n = int(0.9 * len(data))
parts = {"train": data[:n], "val": data[n - 17:]}
block, batch, width = 12, 8, 16


def get_batch(split):
    source = parts[split]
    ix = torch.randint(len(source) - block, (batch,))
    x = torch.stack([source[i:i + block] for i in ix])
    y = torch.stack([source[i + 1:i + block + 1] for i in ix])
    return x, y


class Head(nn.Module):
    def __init__(self, size, dropout):
        super().__init__()
        self.key = nn.Linear(width, size, bias=False)
        self.query = nn.Linear(width, size, bias=False)
        self.value = nn.Linear(width, size, bias=False)
        self.register_buffer("below", torch.tril(torch.ones(block, block)))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        _, t, _ = x.shape
        k, q = self.key(x), self.query(x)
        weights = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
        weights = weights.masked_fill(self.below[:t, :t] == 0, float("-inf"))
        return self.dropout(F.softmax(weights, dim=-1)) @ self.value(x)


class Writer(nn.Module):
    def __init__(self, heads, dropout=0.0):
        super().__init__()
        self.tokens = nn.Embedding(len(chars), width)
        self.places = nn.Embedding(block, width)
        self.heads = nn.ModuleList([Head(width // heads, dropout) for _ in range(heads)])
        self.feed = nn.Sequential(nn.Linear(width, 32), nn.ReLU(), nn.Linear(32, width))
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, len(chars))

    def forward(self, idx, targets=None):
        x = self.tokens(idx) + self.places(torch.arange(idx.shape[1], device=idx.device))
        x = x + torch.cat([head(x) for head in self.heads], dim=-1)
        logits = self.out(self.norm(x + self.feed(x)))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.view(-1, len(chars)), targets.view(-1))

    def generate(self, idx, count, temperature=1.0, top_k=None):
        for _ in range(count):
            logits, _ = self(idx[:, -block:])
            logits = logits[:, -1, :] / temperature
            if top_k is not None:
                v, _ = torch.topk(logits, top_k)
                logits[logits < v[:, [-1]]] = -float("Inf")
            idx = torch.cat((idx, torch.multinomial(F.softmax(logits, dim=-1), 1)), dim=1)
        return idx


@torch.no_grad()
def estimate(model):
    model.eval()
    out = {}
    for split in parts:
        found = torch.zeros(3)
        for k in range(3):
            found[k] = model(*get_batch(split))[1].item()
        out[split] = found.mean()
    model.train()
    return out


for heads, dropout in ((1, 0.0), (4, 0.1)):
    model = Writer(heads, dropout)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for it in range(31):
        if it % 10 == 0:
            found = estimate(model)
            print(f"heads {heads} step {it}: train {found['train']:.3f}, val {found['val']:.3f}")
        xb, yb = get_batch("train")
        logits, loss = model(xb, yb)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
print([name for name, _ in model.named_buffers()])
model.eval()
with torch.no_grad():
    start = torch.tensor([[stoi["r"]]])
    print(repr("".join(itos[i] for i in model.generate(start, 20, temperature=0.5, top_k=3)[0].tolist())))

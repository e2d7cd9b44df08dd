# 200 steps of a small GPT on one verse, letter by letter: the curve of the loss.
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

VERSE = (
    "the owl that lives in the old oak tree\nsings to the moon and the moon sings to the sea\n"
    "the sea tells the wind and the wind tells me\n"
)
letters = sorted(set(VERSE))
codes = torch.tensor([letters.index(letter) for letter in VERSE])
CONTEXT, WIDTH, HEADS = 16, 24, 3


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.between = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.mix = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.think = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        n, t, _ = x.shape
        q, k, v = (
            part.view(n, t, HEADS, -1).transpose(1, 2)
            for part in self.qkv(self.before(x)).chunk(3, dim=-1)
        )
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.mix(seen.transpose(1, 2).reshape(n, t, WIDTH))
        return x + self.think(self.between(x))


class Poet(nn.Module):
    def __init__(self):
        super().__init__()
        self.letters = nn.Embedding(len(letters), WIDTH)
        self.places = nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.ModuleList([Block() for _ in range(2)])
        self.norm = nn.LayerNorm(WIDTH)
        self.read = nn.Linear(WIDTH, len(letters), bias=False)
        self.read.weight = self.letters.weight
        for name, parameter in self.named_parameters():
            if parameter.dim() == 2:
                scale = 0.05 / math.sqrt(4) if name.endswith("mix.weight") else 0.05
                nn.init.normal_(parameter, std=scale)

    def forward(self, x):
        h = self.letters(x) + self.places(torch.arange(x.shape[1]))
        for block in self.blocks:
            h = block(h)
        return self.read(self.norm(h))


torch.manual_seed(2)
model = Poet()
print(len(list(model.parameters())), sum(p.numel() for p in model.parameters()))
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, betas=(0.9, 0.95), weight_decay=0.1)
for step in range(200):
    starts = torch.randint(len(codes) - CONTEXT, (8,))
    batch = torch.stack([codes[i:i + CONTEXT + 1] for i in starts])
    loss = F.cross_entropy(model(batch[:, :-1]).flatten(0, 1), batch[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    if step % 20 == 0 or step == 199:
        print(f"{step:3d}  {loss.item():.4f}")


@torch.no_grad()
def write(start, count):
    text = torch.tensor([[letters.index(letter) for letter in start]])
    for _ in range(count):
        logits = model(text[:, -CONTEXT:])[:, -1]
        text = torch.cat([text, logits.argmax(dim=-1, keepdim=True)], dim=1)
    return "".join(letters[i] for i in text[0])


print(write("the o", 20))

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout=0.0, max_len=32):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, 1, d_model)
        pe[:, 0, 0::2] = torch.sin(position * div_term)
        pe[:, 0, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return self.dropout(x + self.pe[: x.size(0)])


class TransformerModel(nn.Module):
    def __init__(self, ntoken, d_model, nhead, d_hid, nlayers, dropout=0.0, **options):
        super().__init__()
        self.pos_encoder = PositionalEncoding(d_model, dropout)
        layers = nn.TransformerEncoderLayer(d_model, nhead, d_hid, dropout, **options)
        self.transformer_encoder = nn.TransformerEncoder(layers, nlayers)
        self.embedding = nn.Embedding(ntoken, d_model)
        self.d_model = d_model
        self.linear = nn.Linear(d_model, ntoken)
        self.init_weights()

    def init_weights(self):
        self.embedding.weight.data.uniform_(-0.1, 0.1)
        self.linear.bias.data.zero_()
        self.linear.weight.data.uniform_(-0.1, 0.1)

    def forward(self, src, src_mask=None):
        src = self.pos_encoder(self.embedding(src) * math.sqrt(self.d_model))
        if src_mask is None:
            src_mask = nn.Transformer.generate_square_subsequent_mask(len(src))
        return self.linear(self.transformer_encoder(src, src_mask))


text = "a rose is a rose is a rose and so it goes on. "
letters = sorted(set(text))
ids = torch.tensor([letters.index(letter) for letter in text])
x, y = ids[:44].reshape(4, 11).t(), ids[1:45].reshape(4, 11).t()
for options in (dict(), dict(norm_first=True, activation="gelu"), dict(bias=False)):
    torch.manual_seed(0)
    model = TransformerModel(len(letters), 16, 2, 32, 2, **options)
    print(len(list(model.parameters())), sum(p.numel() for p in model.parameters()))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(20):
        loss = F.cross_entropy(model(x).reshape(-1, len(letters)), y.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, f"{loss.item():.4f}")

# With dropout: the first loss has PyTorch's masks; in eval mode nothing is drawn.
torch.manual_seed(1)
model = TransformerModel(len(letters), 16, 2, 32, 2, dropout=0.2)
print(f"{F.cross_entropy(model(x).reshape(-1, len(letters)), y.reshape(-1)).item():.4f}")
model.eval()
a, b = model(x), model(x)
print(torch.equal(a, b), f"{F.cross_entropy(a.reshape(-1, len(letters)), y.reshape(-1)).item():.4f}")
with torch.no_grad():
    print(torch.allclose(model(x), a, atol=1e-5))

# Sequence to sequence: digits in reverse.
torch.manual_seed(2)
source = torch.randint(2, 8, (6, 5))
target = source.flip(1)
begin = torch.ones(6, 1, dtype=torch.int64)


class Reverser(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.position = nn.Embedding(8, 16), nn.Embedding(5, 16)
        self.transformer = nn.Transformer(16, 4, 1, 1, 32, dropout=0.0, batch_first=True)
        self.read = nn.Linear(16, 8)

    def forward(self, src, tgt):
        mask = nn.Transformer.generate_square_subsequent_mask(tgt.size(1))
        src, tgt = (self.embedding(each) + self.position(torch.arange(each.size(1))) for each in (src, tgt))
        return self.read(self.transformer(src, tgt, tgt_mask=mask, tgt_is_causal=True))


model = Reverser()
print(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
for step in range(20):
    logits = model(source, torch.cat([begin, target[:, :-1]], dim=1))
    loss = F.cross_entropy(logits.flatten(0, 1), target.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, f"{loss.item():.4f}")
model.eval()
written = begin
with torch.no_grad():
    for _ in range(5):
        written = torch.cat([written, model(source, written)[:, -1:].argmax(-1)], dim=1)
print(written[:2])

# A classifier with a mask of padding.
torch.manual_seed(3)
ids = torch.tensor([[3, 4, 5, 0], [6, 7, 0, 0], [1, 2, 3, 4]])
padding, labels = ids == 0, torch.tensor([0, 1, 0])
table = nn.Embedding(8, 8, padding_idx=0)
encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True), 1)
read = nn.Linear(8, 2)
optimizer = torch.optim.Adam([*table.parameters(), *encoder.parameters(), *read.parameters()], lr=0.01)
for step in range(10):
    h = encoder(table(ids), src_key_padding_mask=padding)
    kept = (~padding).unsqueeze(-1)
    loss = F.cross_entropy(read((h * kept).sum(1) / kept.sum(1)), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, f"{loss.item():.4f}")

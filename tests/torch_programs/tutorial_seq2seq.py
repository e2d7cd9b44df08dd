# From one sequence to another with attention: numbers in words to digits.
import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import optim
from torch.utils.data import DataLoader, RandomSampler, TensorDataset

WORDS = "zero one two three four five six seven eight nine".split()
START, END = 0, 1
LONGEST = 5


class Language:
    def __init__(self, name):
        self.name, self.index, self.words = name, {}, {0: "START", 1: "END"}

    def add(self, sentence):
        for word in sentence:
            if word not in self.index:
                self.index[word] = len(self.words)
                self.words[len(self.words)] = word

    def __len__(self):
        return len(self.words)


random.seed(3)
torch.manual_seed(3)
pairs = []
for _ in range(48):
    digits = [random.randrange(10) for _ in range(random.randint(1, LONGEST - 1))]
    pairs.append(([WORDS[d] for d in digits], [str(d) for d in reversed(digits)]))
source, target = Language("words"), Language("digits")
for words, digits in pairs:
    source.add(words)
    target.add(digits)
print(len(source), len(target), pairs[0])


def rows(language, sentences):
    table = torch.zeros(len(sentences), LONGEST, dtype=torch.long)
    for i, sentence in enumerate(sentences):
        codes = [language.index[word] for word in sentence] + [END]
        table[i, :len(codes)] = torch.tensor(codes)
    return table


class Encoder(nn.Module):
    def __init__(self, size, hidden):
        super().__init__()
        self.embedding = nn.Embedding(size, hidden)
        self.gru = nn.GRU(hidden, hidden, batch_first=True)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x):
        return self.gru(self.dropout(self.embedding(x)))


class Attention(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.query, self.key, self.score = nn.Linear(hidden, hidden), nn.Linear(hidden, hidden), nn.Linear(hidden, 1)

    def forward(self, query, keys):
        scores = self.score(torch.tanh(self.query(query) + self.key(keys))).squeeze(2).unsqueeze(1)
        weights = F.softmax(scores, dim=-1)
        return torch.bmm(weights, keys), weights


class Decoder(nn.Module):
    def __init__(self, hidden, size):
        super().__init__()
        self.embedding, self.attention = nn.Embedding(size, hidden), Attention(hidden)
        self.gru, self.out = nn.GRU(2 * hidden, hidden, batch_first=True), nn.Linear(hidden, size)

    def forward(self, outputs, hidden, wanted=None):
        token = torch.empty(outputs.size(0), 1, dtype=torch.long).fill_(START)
        steps, looks = [], []
        for i in range(LONGEST):
            context, weights = self.attention(hidden.permute(1, 0, 2), outputs)
            step, hidden = self.gru(torch.cat((self.embedding(token), context), dim=2), hidden)
            step = self.out(step)
            steps.append(step)
            looks.append(weights)
            if wanted is not None:
                token = wanted[:, i].unsqueeze(1)
            else:
                token = step.topk(1)[1].squeeze(-1).detach()
        return F.log_softmax(torch.cat(steps, dim=1), dim=-1), hidden, torch.cat(looks, dim=1)


data = TensorDataset(rows(source, [p[0] for p in pairs]), rows(target, [p[1] for p in pairs]))
loader = DataLoader(data, sampler=RandomSampler(data), batch_size=12)
encoder, decoder = Encoder(len(source), 20), Decoder(20, len(target))
optimizers = [optim.Adam(each.parameters(), lr=0.01) for each in (encoder, decoder)]
criterion = nn.NLLLoss()
for epoch in range(8):
    total = 0
    for words, digits in loader:
        for optimizer in optimizers:
            optimizer.zero_grad()
        said, _, _ = decoder(*encoder(words), digits)
        loss = criterion(said.view(-1, said.size(-1)), digits.view(-1))
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
        total += loss.item()
    print(epoch, f"{total / len(loader):.4f}")
encoder.eval(), decoder.eval()
with torch.no_grad():
    for words, digits in pairs[:3]:
        said, _, looks = decoder(*encoder(rows(source, [words])))
        told = [target.words[i.item()] for i in said.topk(1)[1].squeeze()]
        print(" ".join(words), "=", "".join(digits), "<", told[:told.index("END")] if "END" in told else told)
    print(looks.shape, torch.allclose(looks.sum(-1), torch.ones(1, LONGEST)))

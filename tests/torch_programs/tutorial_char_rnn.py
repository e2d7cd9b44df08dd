# A recurrent network written by hand that learns to spell: rivers by letters, then names it makes.
import random
import string

import torch
import torch.nn as nn

RIVERS = ["danube", "rhine", "seine", "volga", "elbe", "loire", "ebro", "oder", "tiber", "drava"]
ALPHABET = string.ascii_lowercase
END = len(ALPHABET)


def one_hot(word):
    rows = torch.zeros(len(word), 1, END + 1)
    for place, letter in enumerate(word):
        rows[place][0][ALPHABET.find(letter)] = 1
    return rows


class Speller(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.hidden_size = hidden
        self.to_hidden = nn.Linear(END + 1 + hidden, hidden)
        self.to_letter = nn.Linear(hidden, END + 1)
        self.log_softmax = nn.LogSoftmax(dim=1)

    def forward(self, letter, hidden):
        hidden = torch.tanh(self.to_hidden(torch.cat((letter, hidden), 1)))
        return self.log_softmax(self.to_letter(hidden)), hidden

    def start(self):
        return torch.zeros(1, self.hidden_size)


random.seed(4)
torch.manual_seed(4)
model, criterion = Speller(), nn.NLLLoss()
rate = 0.05
total = 0.0
for turn in range(1, 201):
    word = random.choice(RIVERS)
    targets = torch.LongTensor([ALPHABET.find(letter) for letter in word[1:]] + [END])
    hidden, loss = model.start(), torch.Tensor([0])
    model.zero_grad()
    for letter, target in zip(one_hot(word), targets.unsqueeze(-1)):
        output, hidden = model(letter, hidden)
        loss += criterion(output, target)
    loss.backward()
    for p in model.parameters():
        p.data.add_(p.grad.data, alpha=-rate)
    total += loss.item() / len(word)
    if turn % 40 == 0:
        print("%3d %d%% %.3f %s" % (turn, turn / 2, total / 40, word))
        total = 0.0


def spell(first):
    with torch.no_grad():
        hidden, text = model.start(), first
        letter = one_hot(first)[0]
        for _ in range(8):
            output, hidden = model(letter, hidden)
            value, index = output.topk(1)
            index = index[0][0]
            if index == END:
                break
            text += ALPHABET[index]
            letter = one_hot(ALPHABET[index])[0]
        return text


print([spell(first) for first in "drse"])
output, _ = model(one_hot("o")[0], model.start())
values, indices = output.topk(3, 1, True)
print([(ALPHABET[i] if i < END else "end") for i in indices[0]], values.exp().sum() <= 1)

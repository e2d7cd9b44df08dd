# Texts of networks that have learnt nothing yet: with the cache and without it they are the same.
import torch
from glowgrad import models


def seeded(seed):
    return torch.Generator().manual_seed(seed)


torch.manual_seed(1)
start = torch.zeros(1, 1, dtype=torch.long)
gpt = models.GPT(n_layer=2, n_head=2, n_embd=32, block_size=24).eval()
for options in (dict(), dict(temperature=0), dict(temperature=0.7), dict(top_k=3), dict(top_p=0.5),
                dict(temperature=1.5, top_k=20, top_p=0.9)):
    # More than block_size tokens: the last ones are computed anew then.
    with_cache = gpt.generate(start, 40, generator=seeded(2), **options)
    without = gpt.generate(start, 40, use_cache=False, generator=seeded(2), **options)
    print(options, torch.equal(with_cache, without))
    print(with_cache[0].tolist())
for kind in ("RNN", "LSTM", "GRU"):
    rnn = models.CharRNN(65, 16, 32, kind=kind).eval()
    print(kind, rnn.generate(start, 20, generator=seeded(3))[0].tolist())
print(models.choose(torch.tensor([[0.0, 5.0, 1.0], [2.0, 1.0, 0.0]]), temperature=0).tolist())
scores = torch.tensor([[3.0, 2.0, 1.0, 0.0]]).expand(1000, -1)
for options in (dict(top_k=2), dict(top_p=0.6), dict(top_p=0.7), dict(top_p=1.0), dict(top_k=9)):
    drawn = models.choose(scores, generator=seeded(4), **options)
    print(options, torch.bincount(drawn[:, 0], minlength=4).tolist())
try:
    gpt(torch.zeros(1, 25, dtype=torch.long))
except ValueError as error:
    print(error)

# Names of stars: counts of letter pairs, the same as a network, then a network that sees three letters.
import torch
import torch.nn.functional as F

stars = (
    "sirius vega rigel altair deneb castor pollux spica antares regulus capella procyon mira algol "
    "mizar alcor bellatrix aldebaran canopus achernar polaris arcturus fomalhaut alphard saiph"
).split()
letters = ["."] + sorted(set("".join(stars)))
index = {letter: i for i, letter in enumerate(letters)}
n = len(letters)

counts = torch.zeros((n, n), dtype=torch.int32)
for star in stars:
    word = ["."] + list(star) + ["."]
    for a, b in zip(word, word[1:]):
        counts[index[a], index[b]] += 1
print(n, counts.sum(), counts[0])
P = (counts + 1).float()
P /= P.sum(1, keepdim=True)
print(P.sum(1).allclose(torch.ones(n)), P[0, :5])

g = torch.Generator().manual_seed(5)
for _ in range(4):
    made, i = [], 0
    while len(made) < 12:
        i = torch.multinomial(P[i], num_samples=1, replacement=True, generator=g).item()
        if i == 0:
            break
        made.append(letters[i])
    print("".join(made))
log_likelihood = sum(
    torch.log(P[index[a], index[b]]) for star in stars for a, b in zip("." + star, star + ".")
)
pairs = sum(len(star) + 1 for star in stars)
print(f"{-log_likelihood / pairs:.4f}")

# One layer learns the same table.
xs = torch.tensor([index[a] for star in stars for a in "." + star])
ys = torch.tensor([index[b] for star in stars for b in star + "."])
W = torch.randn((n, n), generator=g, requires_grad=True)
for step in range(40):
    logits = F.one_hot(xs, num_classes=n).float() @ W
    probs = logits.exp() / logits.exp().sum(1, keepdim=True)
    loss = -probs[torch.arange(xs.nelement()), ys].log().mean() + 0.01 * (W ** 2).mean()
    W.grad = None
    loss.backward()
    W.data += -20 * W.grad
    if step % 10 == 0:
        print(f"{step}: {loss.item():.4f}")

# Three letters see more; a batch's own mean and deviation keep the hidden numbers in place.
contexts, nexts = [], []
for star in stars:
    context = [0] * 3
    for letter in star + ".":
        contexts.append(context)
        nexts.append(index[letter])
        context = context[1:] + [index[letter]]
X, Y = torch.tensor(contexts), torch.tensor(nexts)
print(X.shape, Y.shape, X[3], Y[3])
C = torch.randn((n, 4), generator=g)
W1 = torch.randn((12, 30), generator=g) * (5 / 3) / 12 ** 0.5
gain, shift = torch.ones((1, 30)), torch.zeros((1, 30))
W2, b2 = torch.randn((30, n), generator=g) * 0.01, torch.zeros(n)
parameters = [C, W1, gain, shift, W2, b2]
for p in parameters:
    p.requires_grad = True
print(sum(p.nelement() for p in parameters))
for step in range(120):
    ix = torch.randint(0, X.shape[0], (32,), generator=g)
    h = C[X[ix]].view(-1, 12) @ W1
    h = torch.tanh(gain * (h - h.mean(0, keepdim=True)) / (h.std(0, keepdim=True) + 1e-5) + shift)
    loss = F.cross_entropy(h @ W2 + b2, Y[ix])
    for p in parameters:
        p.grad = None
    loss.backward()
    for p in parameters:
        p.data -= (0.2 if step < 80 else 0.05) * p.grad
    if step % 30 == 0:
        print(f"{step:4d}: {loss.item():.4f}  saturated {(h.abs() > 0.99).float().mean().item():.3f}")

# Losses of a few steps of every network, from a seed.
import torch
import torch.nn.functional as F
from glowgrad import models


def train(name, model, loss, steps=5, lr=1e-3):
    model.train()
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    losses = []
    for _ in range(steps):
        value = loss(model)
        optimizer.zero_grad()
        value.backward()
        optimizer.step()
        losses.append(f"{value.item():.3f}")
    print(name, *losses)


def classify(x, y):
    return lambda model: F.cross_entropy(model(x), y)


torch.manual_seed(0)
image, grey = torch.rand(4, 3, 32, 32), torch.rand(8, 1, 28, 28)
labels = torch.arange(8) % 10
tokens = torch.randint(0, 65, (4, 17))
read, following = tokens[:, :-1], tokens[:, 1:]
points = torch.randn(64, 2)

train("MLP", models.MLP(784, 64, 10), classify(grey, labels))
train("LeNet", models.LeNet(), classify(grey, labels))
train("ResNet", models.ResNet((1, 1, 1, 1), 10, "cifar"), classify(image, labels[:4]), 3, 1e-5)
train("MobileNetV2", models.MobileNetV2(10, 0.25, "cifar", dropout=0.0),
      classify(image, labels[:4]), 3, 1e-5)
for kind in ("RNN", "LSTM", "GRU"):
    train(kind, models.CharRNN(65, 16, 32, kind=kind), lambda model: model.loss(read, following))
train("GPT", models.GPT(n_layer=2, n_head=2, n_embd=32), lambda m: m(read, following)[1])
train("ViT", models.ViT(depth=2), classify(image, labels[:4]))
train("Autoencoder", models.Autoencoder(), lambda model: model.loss(grey))
train("VAE", models.VAE(), lambda model: model.loss(grey) / len(grey))
train("Diffusion", models.Diffusion(), lambda model: model.loss(points))

gan = models.GAN()
of_d = torch.optim.Adam(gan.discriminator.parameters(), 1e-3)
of_g = torch.optim.Adam(gan.generator.parameters(), 1e-3)
for _ in range(3):
    d = gan.discriminator_loss(points)
    of_d.zero_grad()
    d.backward()
    of_d.step()
    g = gan.generator_loss(64)
    of_g.zero_grad()
    g.backward()
    of_g.step()
    print("GAN", f"{d.item():.3f}", f"{g.item():.3f}")

# Parameters, names of the state and first outputs of every network, from a seed.
import torch
from glowgrad import models

image = torch.arange(3 * 32 * 32).reshape(1, 3, 32, 32) / 3072
grey = torch.linspace(0, 1, 784).reshape(1, 1, 28, 28)
tokens = torch.arange(12).reshape(2, 6)

networks = {
    "MLP": (lambda: models.MLP(784, 128, 10), grey),
    "MLP, dropout": (lambda: models.MLP(784, 128, 64, 10, dropout=0.5), grey),
    "LeNet": (models.LeNet, grey),
    "ResNet-18, CIFAR": (lambda: models.resnet18(10, "cifar"), image),
    "ResNet-18, ImageNet": (models.resnet18, image),
    "MobileNetV2, CIFAR": (lambda: models.mobilenet_v2(10, "cifar"), image),
    "MobileNetV2, ImageNet": (models.mobilenet_v2, image),
    "CharRNN, RNN": (lambda: models.CharRNN(65, kind="RNN"), tokens),
    "CharRNN, LSTM": (lambda: models.CharRNN(65), tokens),
    "CharRNN, GRU": (lambda: models.CharRNN(65, kind="GRU"), tokens),
    "GPT": (models.GPT, tokens),
    "GPT, bias": (lambda: models.GPT(bias=True, n_layer=2), tokens),
    "ViT": (models.ViT, image),
    "Autoencoder": (models.Autoencoder, grey),
    "VAE": (models.VAE, grey),
    "GAN": (models.GAN, None),
    "Diffusion": (lambda: models.Diffusion(steps=10), None),
}
for name, (make, x) in networks.items():
    torch.manual_seed(0)
    model = make().eval()
    state = model.state_dict()
    count = sum(p.numel() for p in model.parameters())
    with torch.no_grad():
        y = model.sample(5) if x is None else model(x)
    y = y[0] if isinstance(y, tuple) else y
    print(f"{name}: {count} parameters, {len(state)} tensors, {tuple(y.shape)}, "
          f"{y.double().abs().mean():.3f}")
    print("  ", *list(state)[:3], "...", *list(state)[-2:])
    print("  ", [f"{p.double().abs().sum():.1f}" for p in list(model.parameters())[:3]])

for make in (lambda: models.MLP(3), lambda: models.resnet18(stem="mnist"),
             lambda: models.GPT(n_embd=10), lambda: models.ViT(size=30),
             lambda: models.CharRNN(5, kind="Transformer"),
             lambda: models.choose(torch.zeros(1, 3), temperature=-1),
             lambda: models.choose(torch.zeros(1, 3), top_p=0)):
    try:
        make()
    except ValueError as error:
        print(error)
try:
    models.nonsense
except AttributeError as error:
    print(str(error)[:50])

# Models without memory: what they weigh is counted before they are made.
import torch
from torch import nn

with torch.device("meta"):
    model = nn.Sequential(nn.Linear(4096, 16384), nn.ReLU(), nn.Linear(16384, 4096))
    layer = nn.TransformerEncoderLayer(64, 4, batch_first=True)
    x = torch.ones(2, 3)

print(sum(p.numel() for p in model.parameters()), "parameters")
print(model[0].weight.device, model[0].weight.shape, model[2].bias.is_meta)
print(x, x.device, x.to(torch.float64))
print(torch.empty(0, device="meta"), torch.arange(3, device="meta"), torch.ones(2).to("meta"))
print(torch.ones(2, device="meta").requires_grad_())

y = model(torch.ones(8, 4096, device="meta"))
print(y.shape, y.dtype, y.device, y.sum())
print(layer(torch.ones(2, 5, 64, device="meta")).shape)

for read in (lambda: x.cpu(), lambda: x.tolist(), lambda: x.to("cpu")):
    try:
        read()
    except NotImplementedError as error:
        print(error)

small = nn.Linear(3, 2, device="meta")
print(small.weight)
real = small.to_empty(device="cpu")
nn.init.ones_(real.weight)
nn.init.zeros_(real.bias)
print(real(torch.ones(1, 3)), real.weight.device)

cuda = torch.device("cuda:1")
print(cuda, repr(cuda), cuda.type, cuda.index, cuda == torch.device("cuda", 1))
print(repr(torch.device("mps")), torch.device("cpu") == torch.device("cpu"))

import torch
import torch.nn as nn


def numbers(x):
    return [round(v, 4) + 0.0 for v in x.flatten().tolist()]


torch.manual_seed(0)
layer = nn.AdaptiveLogSoftmaxWithLoss(8, 10, cutoffs=[3, 6], div_value=2.0)
print(layer, [(name, list(p.shape)) for name, p in layer.state_dict().items()])
print(layer.cutoffs, layer.shortlist_size, layer.n_clusters, layer.head_size, layer.div_value, layer.head_bias)
x, target = torch.randn(6, 8), torch.tensor([0, 9, 4, 2, 5, 7])
leaf = x.clone().requires_grad_()
found = layer(leaf, target)
print(numbers(found.output), numbers(found.loss), numbers(found[0]) == numbers(found.output), len(found), type(found).__name__)
found.loss.backward()
print(numbers(leaf.grad), [(name, [round(v, 3) for v in p.grad.flatten().tolist()]) for name, p in layer.named_parameters()])
log_prob = layer.log_prob(x)
print(log_prob.shape, numbers(log_prob.exp().sum(1)), numbers(log_prob), numbers(log_prob.gather(1, target[:, None])))
print(layer.predict(x), log_prob.argmax(1), layer.predict(x[:1]), layer.predict(x * 10))
one = layer(x[0], torch.tensor(9))
print(one.output.shape, numbers(one.output), numbers(one.loss), numbers(layer(x[:2], torch.tensor([1, 0])).output))
torch.manual_seed(1)
layer.reset_parameters()
print(numbers(layer.head.weight)[:4], numbers(layer.tail[1][1].weight)[:4])
biased = nn.AdaptiveLogSoftmaxWithLoss(4, 5, (2,), head_bias=True, device="cpu", dtype=torch.float64)
print(biased, biased.head.bias.dtype, biased(torch.ones(2, 4, dtype=torch.float64), torch.tensor([4, 1])).loss.dtype)

for wrong in (
    lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 5, []), lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 5, [3, 2]), lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 5, [5]),
    lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 5, [0, 2]), lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 5, [2, 2]), lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 5, [1.5]),
    lambda: layer(x, target[:3]), lambda: layer(x[0], target), lambda: layer(x, torch.tensor(1)), lambda: layer(x, target[None]),
    lambda: layer(x, target + 5), lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 5), lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 5, [2], bias=True),
):
    try:
        print(wrong())
    except Exception as error:
        print(type(error).__name__)

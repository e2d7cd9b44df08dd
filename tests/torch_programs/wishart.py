# The Wishart distribution: moments, samples, log_prob, entropy, gradients, wrong calls.
import warnings

import torch
from torch.distributions import Wishart

warnings.simplefilter("ignore")
torch.manual_seed(0)


def r(x):
    return [round(v, 3) for v in x.detach().flatten().tolist()]


m = torch.tensor([[2.0, 0.5], [0.5, 1.0]])
ws = [
    Wishart(torch.tensor(4.0), covariance_matrix=m),
    Wishart(torch.tensor([3.0, 5.0]), precision_matrix=m),
    Wishart(4.5, scale_tril=torch.linalg.cholesky(m)),
    Wishart(torch.tensor([3.5, 6.0]), covariance_matrix=torch.stack([m, torch.eye(2)])),
]
for w in ws:
    print(w, w.batch_shape, w.event_shape, w.support, w.has_rsample, sorted(w.arg_constraints))
    print(r(w.mean), r(w.mode), r(w.variance), r(w.covariance_matrix), r(w.precision_matrix), r(w.scale_tril))
    x = w.sample()
    print(tuple(x.shape), r(x))
    x = w.sample((3,))
    print(tuple(x.shape), r(x)[:8])
    print(r(w.log_prob(x)), r(w.entropy()))
e = ws[0].expand([2])
print(e.batch_shape, r(e.mean), r(e.sample()))
c, df = m.clone().requires_grad_(), torch.tensor(4.0, requires_grad=True)
w = Wishart(df, covariance_matrix=c)
torch.manual_seed(1)
x = w.rsample()
print(r(x), r(torch.autograd.grad(x.sum(), c, retain_graph=True)[0]))
(w.log_prob(torch.eye(2) * 2) + w.entropy()).backward()
print(r(c.grad), r(df.grad))
for call in (
    lambda: Wishart(4.0),
    lambda: Wishart(4.0, m, m),
    lambda: Wishart(1.0, m),
    lambda: Wishart(4.0, torch.ones(2)),
    lambda: Wishart(4.0, torch.tensor([[1.0, 2], [2, 1]])),
    lambda: ws[0].log_prob(torch.tensor([[1.0, 2], [2, 1]])),
):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    Wishart(1.5, m)
    print([str(each.message) for each in caught])
big = Wishart(torch.tensor(5.0), torch.eye(3))
print(r(big.sample()), r(big.entropy()))

import torch

special = torch.special


def shown(x):
    return [round(v, 4) if v == v and abs(v) != float("inf") else v for v in x.flatten().tolist()]


x = torch.tensor([0.3, 1.25, 2.5, 6.0])
unit = torch.tensor([0.05, 0.3, 0.5, 0.9])
for name in [
    "gammaln", "digamma", "psi", "erfcx", "ndtr", "log_ndtr", "i0", "i0e", "i1", "i1e", "bessel_j0",
    "bessel_j1", "bessel_y0", "bessel_y1", "modified_bessel_i0", "modified_bessel_i1",
    "modified_bessel_k0", "modified_bessel_k1", "entr", "sinc", "expit", "exp2", "expm1", "log1p",
    "erf", "erfc",
]:
    leaf = x.clone().double().requires_grad_()
    y = getattr(special, name)(leaf)
    first = torch.autograd.grad(y.sum(), leaf, create_graph=True)[0]
    second = torch.autograd.grad(first.sum(), leaf)[0]
    if name in ("gammaln", "digamma", "psi") or "bessel" in name:
        # PyTorch's own float64 has fewer digits here.
        print(name, shown(y.float()), shown(first.float()))
    else:
        print(name, shown(y), shown(first), shown(second))
for name in ["erfinv", "ndtri", "logit"]:
    leaf = unit.clone().double().requires_grad_()
    y = getattr(special, name)(leaf)
    first = torch.autograd.grad(y.sum(), leaf, create_graph=True)[0]
    second = torch.autograd.grad(first.sum(), leaf)[0]
    print(name, shown(y), shown(first), shown(second))
for name in ["airy_ai", "scaled_modified_bessel_k0", "scaled_modified_bessel_k1", "spherical_bessel_j0"]:
    y = getattr(special, name)(x.clone().requires_grad_())
    print(name, shown(y), y.requires_grad)

# Of two tensors, or a tensor and a number.
a, b = torch.tensor([0.5, 2.0, 5.0]), torch.tensor([0.1, 2.5, 9.0], requires_grad=True)
for y in [torch.igamma(a, b), torch.igammac(a, b), special.gammainc(a, b), special.gammaincc(a, b)]:
    print(shown(y), shown(torch.autograd.grad(y.sum(), b)[0]), y.dtype)
y = special.zeta(2, b)
print(shown(y), shown(torch.autograd.grad(y.sum(), b)[0]), shown(special.zeta(b.detach() + 1.5, 1.0)))
print(shown(special.xlog1py(a, b)), shown(special.xlog1py(2, a)), shown(special.xlog1py(a, 0.5)))
print(shown(special.xlogy(a, 3.0)), shown(torch.xlogy(2, a)), special.xlog1py(torch.zeros(1), -torch.ones(1)))
for n in [0, 1, 2, 4]:
    leaf = x.clone().requires_grad_()
    y = torch.polygamma(n, leaf)
    grad = torch.autograd.grad(y.sum(), leaf)[0]
    print(n, [f"{v:.4g}" for v in y.tolist()], [f"{v:.4g}" for v in grad.tolist()])
print(shown(torch.mvlgamma(x + 1, 3)), shown(special.multigammaln(x + 1, 2)), shown((x + 1).mvlgamma(2)))
print(shown(special.logit(torch.tensor([-1.0, 0.5, 2.0]), eps=0.1)), shown(torch.tensor([0.2]).logit()))

# Polynomials of tensors and numbers.
t, n = torch.tensor([-1.0, -0.5, 0.0, 0.7, 1.0, 1.5]), torch.arange(-1, 6)
for name in [
    "chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v", "chebyshev_polynomial_w",
    "shifted_chebyshev_polynomial_t", "shifted_chebyshev_polynomial_u", "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w", "hermite_polynomial_h", "hermite_polynomial_he",
    "laguerre_polynomial_l", "legendre_polynomial_p",
]:
    function = getattr(special, name)
    y = function(t[:, None], n)
    print(name, y.shape, shown(y[3]), shown(y[0]), shown(function(t, 3)), shown(function(0.5, n)))

# Methods, in place too, and dtypes.
z = torch.tensor([0.25, 0.5])
for name in ["lgamma", "digamma", "erfinv", "logit", "sinc", "i0"]:
    y = z.clone()
    result = getattr(y, name + "_")()
    print(name, shown(getattr(z, name)()), result is y, torch.equal(y, getattr(z, name)()))
print(shown(z.polygamma(1)), shown(z.clone().polygamma_(2)), shown((z + 2).mvlgamma_(2)))
print(shown(z.igamma(z)), shown(z.clone().igammac_(z)), shown(z.igammac(z + 1)))
print(torch.lgamma(torch.tensor([1, 2, 5])), torch.lgamma(torch.tensor([3], dtype=torch.int16)).dtype)
print(torch.lgamma(torch.tensor([0.5, 4.0], dtype=torch.float16)), torch.erfinv(torch.tensor([0.5]).bfloat16()))
print(torch.lgamma(z, out=torch.empty(2)), torch.special.erfcx(z.requires_grad_()).grad_fn.name())
print(special.softmax(x, 0).sum().item(), special.log_softmax(x, 0).argmax(), round(special.logsumexp(x, 0).item(), 4))
print(special.round(torch.tensor([1.25]), decimals=1).shape, special.entr(torch.tensor([0.0, -1.0])))
inf = float("inf")
print(shown(torch.lgamma(torch.tensor([0.0, -1.0, inf]))), shown(torch.digamma(torch.tensor([0.0, -1.0, inf]))))
print(shown(torch.erfinv(torch.tensor([-1.0, 1.0, 1.5]))), shown(special.ndtri(torch.tensor([0.0, 1.0, -1.0]))))
for call in [
    lambda: torch.polygamma(-1, x),
    lambda: torch.mvlgamma(x, 0),
    lambda: torch.igamma(a.requires_grad_(), b).sum().backward(),
    lambda: special.zeta(b, 2.0).sum().backward(),
    lambda: torch.lgamma(3.0),
]:
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0] if "derivative" in str(error) else "")

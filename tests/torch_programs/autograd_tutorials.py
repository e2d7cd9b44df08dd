import torch
import torch.autograd.forward_ad as fwAD
import torch.func as ft
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
x = torch.rand(3, 3, requires_grad=True, dtype=torch.double)


# Double backward with custom functions: intermediate results are results.
class Sinh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        expx = torch.exp(x)
        expnegx = torch.exp(-x)
        ctx.save_for_backward(expx, expnegx)
        return (expx - expnegx) / 2, expx, expnegx

    @staticmethod
    def backward(ctx, grad_out, grad_out_exp, grad_out_negexp):
        expx, expnegx = ctx.saved_tensors
        grad_input = grad_out * (expx + expnegx) / 2
        grad_input += grad_out_exp * expx
        grad_input -= grad_out_negexp * expnegx
        return grad_input


def sinh(x):
    return Sinh.apply(x)[0]


print(torch.autograd.gradcheck(sinh, x), torch.autograd.gradgradcheck(sinh, x))


# And a backward that is a function of its own.
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, grad_out):
        (x,) = ctx.saved_tensors
        return CubeBackward.apply(grad_out, x)


class CubeBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, grad_out, x):
        ctx.save_for_backward(x, grad_out)
        return grad_out * 3 * x ** 2

    @staticmethod
    def backward(ctx, twice):
        x, grad_out = ctx.saved_tensors
        return twice * 3 * x ** 2, twice * 6 * grad_out * x


print(torch.autograd.gradcheck(Cube.apply, x), torch.autograd.gradgradcheck(Cube.apply, x))


# Forward mode: a function that says its derivative forward, and a module whose weights move.
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.result = torch.exp(x)
        return ctx.result

    @staticmethod
    def jvp(ctx, tangent):
        result = tangent * ctx.result
        del ctx.result
        return result


primal, tangent = torch.randn(4, 4, dtype=torch.double, requires_grad=True), torch.randn(4, 4)
with fwAD.dual_level():
    output = Exp.apply(fwAD.make_dual(primal, tangent))
    print(torch.allclose(fwAD.unpack_dual(output).tangent, tangent * primal.exp()))
print(torch.autograd.gradcheck(Exp.apply, primal, check_forward_ad=True, check_backward_ad=False, check_undefined_grad=False))
model, data = nn.Linear(5, 5), torch.randn(16, 5)
params = dict(model.named_parameters())
tangents = {name: torch.rand_like(p) for name, p in params.items()}
with fwAD.dual_level():
    for name, p in params.items():
        delattr(model, name)
        setattr(model, name, fwAD.make_dual(p, tangents[name]))
    moved = fwAD.unpack_dual(model(data)).tangent
print(torch.allclose(moved, data @ tangents["weight"].T + tangents["bias"], atol=1e-5))


# Jacobians, Hessians, hvp, vhp.
def predict(weight, bias, x):
    return F.linear(x, weight, bias).tanh()


D = 4
weight, bias, x = torch.randn(D, D), torch.randn(D), torch.randn(D)
_, vjp_fn = ft.vjp(lambda x: predict(weight, bias, x), x)
(jacobian,) = ft.vmap(vjp_fn)(torch.eye(D))
print([round(v, 4) for v in jacobian.flatten().tolist()])
print(torch.allclose(jacobian, ft.jacrev(predict, argnums=2)(weight, bias, x)), torch.allclose(jacobian, ft.jacfwd(predict, argnums=2)(weight, bias, x), atol=1e-6))
print([tuple(j.shape) for j in ft.jacrev(predict, argnums=(0, 1))(weight, bias, x)])
hessian = ft.hessian(predict, argnums=2)(weight, bias, x)
print(hessian.shape, torch.allclose(hessian, ft.jacfwd(ft.jacrev(predict, argnums=2), argnums=2)(weight, bias, x), atol=1e-5))
batch = torch.randn(6, D)
print(ft.vmap(ft.jacrev(predict, argnums=2), in_dims=(None, None, 0))(weight, bias, batch).shape)
print(ft.vmap(ft.hessian(predict, argnums=2), in_dims=(None, None, 0))(weight, bias, batch).shape)


def hvp(f, primals, tangents):
    return ft.jvp(ft.grad(f), primals, tangents)[1]


def hvp_revrev(f, primals, tangents):
    _, pull = ft.vjp(ft.grad(f), *primals)
    return pull(*tangents)


def f(x):
    return x.sin().sum()


print(torch.allclose(hvp(f, (x,), (batch[0],)), -x.sin() * batch[0], atol=1e-6), torch.allclose(hvp_revrev(f, (x,), (batch[0],))[0], -x.sin() * batch[0], atol=1e-6))

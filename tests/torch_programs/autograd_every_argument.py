import torch
from torch.autograd import Variable
from torch.autograd.graph import get_gradient_edge, increment_version, register_multi_grad_hook


def attempt(name, call):
    try:
        print(name, call())
    except Exception as error:
        print(name, type(error).__name__, str(error).split("\n")[0].split("grad_output[0]")[0])


print(Variable(torch.ones(2), requires_grad=True), isinstance(torch.ones(1), Variable))
print(type(Variable(torch.ones(1))).__name__, Variable(torch.ones(2) * 3).requires_grad)
attempt("list", lambda: Variable([1.0]))
attempt("variable", lambda: torch.autograd.variable(1))

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.tensor([3.0, 4.0], requires_grad=True)


def grads():
    found = x.grad, y.grad
    x.grad = y.grad = None
    return found


torch.autograd.backward([(x * y).sum(), x.sum()])
print(grads())
torch.autograd.backward([(x * y).sum(), x.sum()], inputs=[x])
print(grads())
torch.autograd.backward((x * y).sum(), inputs=x)
print(grads())
torch.autograd.backward(x * y, grad_tensors=torch.tensor([1.0, 0.0]), inputs={"y": y})
print(grads())
torch.autograd.backward((x * 2, y * 3), (torch.ones(2), torch.tensor([0.0, 1.0])))
print(grads())
z = (x * y).sum()
torch.autograd.backward(z, retain_graph=True)
torch.autograd.backward(z, create_graph=False)
print(grads())
(x ** 3).sum().backward(create_graph=True)
print(x.grad.requires_grad, torch.autograd.grad(x.grad.sum(), x))
grads()
attempt("empty", lambda: torch.autograd.backward(x.sum(), inputs=[]))
attempt("both", lambda: torch.autograd.backward(x.sum(), torch.ones(()), grad_variables=torch.ones(())))
attempt("freed", lambda: z.backward())

print(torch.autograd.grad((x * y).sum(), {"a": x, "b": y}))
print(torch.autograd.grad([x.sum(), (x * y).sum()], [x, y]))
print(torch.autograd.grad(x * y, x, grad_outputs=torch.eye(2), is_grads_batched=True))
seeds = torch.eye(2), torch.ones(2)
print(torch.autograd.grad((x * 2, x.sum()), (x, y), seeds, is_grads_batched=True, allow_unused=True))
(slope,) = torch.autograd.grad((x ** 3).sum(), x, create_graph=True)
print(torch.autograd.grad(slope, x, torch.eye(2), is_grads_batched=True))
print(torch.autograd.grad(x.sum(), (x, y), allow_unused=True))
print(torch.autograd.grad(x.sum(), (x, y), materialize_grads=True))
print(torch.autograd.grad(x.sum(), x, only_inputs=True))
attempt("materialize", lambda: torch.autograd.grad(x.sum(), y, allow_unused=False, materialize_grads=True))
attempt("unused", lambda: torch.autograd.grad(x.sum(), (x, y)))
attempt("no inputs", lambda: torch.autograd.grad(x.sum(), []))
attempt("batch", lambda: torch.autograd.grad(x * y, x, torch.ones(2, 3), is_grads_batched=True))
attempt("size", lambda: torch.autograd.grad(x * y, x, torch.ones(3)))
attempt("keyword", lambda: torch.autograd.grad(x.sum(), x, bogus=1).bogus)

with torch.autograd.detect_anomaly(check_nan=True):
    try:
        torch.autograd.grad((x * 0).sqrt().sum() * 0, x)
    except RuntimeError as error:
        print(str(error).split(".")[0])
with torch.autograd.set_detect_anomaly(True, check_nan=False):
    print(torch.autograd.grad((x * 0).sqrt().sum() * 0, x))
torch.autograd.set_detect_anomaly(False)
with torch.autograd.set_grad_enabled(False):
    print((x * 2).requires_grad)
with torch.autograd.no_grad(), torch.autograd.enable_grad():
    print((x * 2).requires_grad)
with torch.autograd.inference_mode():
    print((x * 2).requires_grad)
with torch.autograd.set_multithreading_enabled(False):
    print((x * 2).requires_grad)
print(torch.autograd.grad_mode.no_grad is torch.no_grad, torch.autograd.Function is torch.autograd.function.Function)

# Nodes, and hooks on several gradients.
print(get_gradient_edge(x * 2).node.name(), get_gradient_edge(x).output_nr)
attempt("edge", lambda: get_gradient_edge(torch.ones(1)))
print(isinstance((x * 2).grad_fn, torch.autograd.graph.Node), isinstance(x, torch.autograd.graph.Node))
counted = torch.ones(2)
increment_version(counted)
print(counted._version, counted)
handle = register_multi_grad_hook((x, y), lambda both: print("both", both))
(x * y).sum().backward()
handle.remove()
(x * y).sum().backward()
handle = register_multi_grad_hook((x, y), lambda gradient: print("any", gradient.shape), mode="any")
(x * y).sum().backward()
handle.remove()
attempt("mode", lambda: register_multi_grad_hook((x, y), print, mode="some"))
with torch.autograd.graph.save_on_cpu(pin_memory=False):
    kept = (x * x).sum()
print(torch.autograd.grad(kept, x))
with torch.autograd.graph.disable_saved_tensors_hooks("not here"):
    print((x * x).sum())
with torch.autograd.profiler.record_function("named"):
    print((x * 3).sum())

# gradcheck and what it says.
at = torch.tensor([0.5, 1.0], dtype=torch.float64, requires_grad=True)
print(torch.autograd.gradcheck(lambda t: (t.sin(), t.sum()), at), torch.autograd.gradcheck(torch.tanh, (at,), check_forward_ad=True))
print(torch.autograd.gradgradcheck(lambda t: t ** 3, at), torch.autograd.gradgradcheck(lambda t: t ** 3, at, torch.ones(2, dtype=torch.float64, requires_grad=True)))
print(torch.autograd.gradcheck(lambda t: t.detach() * t, at, raise_exception=False), torch.autograd.gradcheck(torch.exp, at, fast_mode=True, eps=1e-5, atol=1e-4, rtol=1e-3, nondet_tol=1e-9))
attempt("nothing", lambda: torch.autograd.gradcheck(torch.exp, torch.ones(2)))
attempt("neither", lambda: torch.autograd.gradcheck(torch.exp, at, check_backward_ad=False))
attempt("stride", lambda: torch.autograd.gradcheck(torch.exp, torch.ones(1, dtype=torch.float64, requires_grad=True).expand(3)))
try:
    torch.autograd.gradcheck(lambda t: t.detach() * t, at)
except torch.autograd.gradcheck.__globals__["GradcheckError"] as error:
    print(str(error).split("analytical")[0].split("numerical")[0], issubclass(type(error), RuntimeError))

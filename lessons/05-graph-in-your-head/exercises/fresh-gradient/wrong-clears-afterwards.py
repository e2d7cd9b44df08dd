# must say: got None expected tensor([2, 4]) Does every path of your function return its result?
import glowgrad as torch


def fresh_gradient(f, x):
    f(x).sum().backward()
    x.grad = None
    return x.grad

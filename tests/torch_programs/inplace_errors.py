import torch


def attempt(name, action):
    try:
        print(name, action())
    except Exception as error:
        print(name, type(error).__name__)


i = torch.tensor([1, 2, 3])
f = torch.tensor([1.0, 2.0, 3.0])
attempt("int += float", lambda: i.add_(1.5))
attempt("int /= int", lambda: i.div_(2))
attempt("int += bool", lambda: i.add_(True))
attempt("float += int", lambda: f.add_(i))
attempt("float += double", lambda: f.add_(torch.ones(3, dtype=torch.float64)))
print(i.dtype, f.dtype)
attempt("grow", lambda: torch.zeros(3).add_(torch.zeros(2, 3)))
attempt("mismatch", lambda: torch.zeros(3).add_(torch.zeros(2)))
attempt("broadcast in", lambda: torch.zeros(2, 3).add_(torch.ones(3)))
attempt("copy too many", lambda: torch.zeros(3).copy_(torch.zeros(4)))
attempt("into an expanded tensor", lambda: torch.zeros(1).expand(3).add_(1))
attempt("row too long", lambda: torch.zeros(2, 3).__setitem__(0, torch.zeros(4)))
attempt("out of range", lambda: torch.zeros(3).__setitem__(3, 1.0))
b = torch.tensor([True, False])
attempt("bool += bool", lambda: b.add_(torch.tensor([True, True])))
attempt("bool += int", lambda: b.add_(1))
x = torch.zeros(3, dtype=torch.int64)
x[0] = 2.9
print(x)

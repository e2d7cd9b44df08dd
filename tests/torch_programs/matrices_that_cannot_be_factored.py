import torch

print(issubclass(torch.linalg.LinAlgError, RuntimeError), torch.linalg.LinAlgError.__name__)
flat = torch.tensor([[1.0, 2.0], [2.0, 4.0]])
batch = torch.stack([torch.eye(2), flat])
indefinite = torch.tensor([[1.0, 2.0], [2.0, 1.0]])
b = torch.ones(2)
for name, call in [
    ("cholesky", lambda: torch.linalg.cholesky(indefinite)),
    ("cholesky of a batch", lambda: torch.linalg.cholesky(torch.stack([torch.eye(2), indefinite]))),
    ("cholesky of NaN", lambda: torch.linalg.cholesky(torch.full((2, 2), float("nan")))),
    ("inv", lambda: torch.linalg.inv(flat)),
    ("inverse", lambda: torch.inverse(torch.zeros(2, 2))),
    ("inv of a batch", lambda: torch.linalg.inv(batch)),
    ("method", lambda: flat.inverse()),
    ("solve", lambda: torch.linalg.solve(flat, b)),
    ("solve of a batch", lambda: torch.linalg.solve(batch, torch.ones(2, 2))),
    ("matrix_power", lambda: torch.linalg.matrix_power(flat, -1)),
    ("of no square", lambda: torch.linalg.inv(torch.ones(2, 3))),
]:
    try:
        call()
        print(name, "has a result")
    except torch.linalg.LinAlgError as error:
        print(name, type(error).__name__, error)
    except RuntimeError as error:
        print(name, type(error).__name__)

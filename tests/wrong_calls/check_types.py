"""Asks real PyTorch about every row of the table: `python check_types.py [--messages] [FILE…]`.

Prints the rows where PyTorch raises another exception than the table says, or none, and fails when
there are any. `--messages` prints what PyTorch says to every row. Rows that begin with `!` are our
own rule and are skipped. The Rust test `crates/python/tests/it/wrong_calls.rs` reads the same rows and
needs no PyTorch.
"""

import builtins
import pathlib
import resource
import sys
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F
from math import inf, nan

# A tensor too large for memory must fail, whatever the machine promises to overcommit.
resource.setrlimit(resource.RLIMIT_AS, (64 << 30, 64 << 30))
warnings.simplefilter("ignore")


def rows(paths):
    """File, line number, and the three columns of every row."""
    for path in paths:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if line.strip() and not line.startswith("#"):
                kind, rest = line.split(" | ", 1)
                statement, words = rest.rsplit(" |", 1)
                yield f"{path.name}:{number}", kind, statement, words.strip()


def raised(statement):
    """The exception PyTorch raises for the statement, if any."""
    names = {"torch": torch, "nn": nn, "F": F, "inf": inf, "nan": nan}
    try:
        exec(statement, names)
    except Exception as error:
        return error
    return None


def agrees(kind, error):
    """NotImplementedError, LinAlgError and the like are RuntimeErrors, but IndexError is itself."""
    if error is None:
        return False
    expected = getattr(builtins, kind, None)
    return type(error) is expected or (expected is RuntimeError and isinstance(error, RuntimeError))


def main():
    names = [name for name in sys.argv[1:] if not name.startswith("-")]
    folder = pathlib.Path(__file__).parent
    paths = [pathlib.Path(name) for name in names] or sorted(folder.glob("*.txt"))
    n_rows, wrong = 0, 0
    for place, kind, statement, words in rows(paths):
        n_rows += 1
        if kind.startswith("!"):
            continue
        error = raised(statement)
        name = "nothing" if error is None else type(error).__name__
        if "--messages" in sys.argv:
            text = str(error).strip()
            print(f"{place} | {name} | {statement} | {words} | {text[:300]!r}", flush=True)
        if not agrees(kind, error):
            wrong += 1
            print(f"{place}: the table says {kind}, PyTorch raises {name}: {statement}", flush=True)
    print(f"{n_rows} rows, {wrong} differ from PyTorch {torch.__version__}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

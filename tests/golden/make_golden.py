"""Writes every golden file beside this script. See README.md for the format.

python make_golden.py            # all of them
python make_golden.py movement   # some of them
"""

import sys
import warnings
from pathlib import Path

import torch

from generator import (
    algebra,
    arithmetic,
    boundary,
    calls,
    convolution,
    distances,
    dtypes,
    elementwise,
    everywhere,
    functions,
    indexing,
    layers,
    losses,
    matrix,
    memory,
    moving,
    ordering,
    placing,
    printing,
    programs,
    promotion,
    randomness,
    reduction,
    saved,
    scan,
    sorting,
    special,
)
from generator.record import write

HERE = Path(__file__).parent
OPS = {}
for module in [
    elementwise,
    reduction,
    matrix,
    indexing,
    losses,
    functions,
    arithmetic,
    scan,
    sorting,
    ordering,
    dtypes,
    moving,
    placing,
    algebra,
    convolution,
    layers,
    distances,
    everywhere,
    boundary,
    special,
]:
    OPS |= module.FAMILIES


def main(wanted):
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")  # deprecations, and advice on speed
    for name, makers in OPS.items():
        if not wanted or name in wanted:
            cases = [case for maker in makers for case in maker()]
            write(HERE / f"ops_{name}.json", cases)
            print(f"ops_{name}.json: {len(cases)} cases, {len({case['op'] for case in cases})} ops")
    tables = {"promotion": promotion, "print": printing, "random": randomness, "memory": memory}
    for name, module in tables.items():
        if not wanted or name in wanted:
            cases = list(module.cases())
            write(HERE / f"{name}.json", cases, **getattr(module, "head", dict)())
            print(f"{name}.json: {len(cases)} cases")
    if not wanted or "calls" in wanted:
        cases = list(calls.cases(OPS))
        write(HERE / "random_calls.json", cases)
        print(f"random_calls.json: {len(cases)} calls, {sum('grads' in case for case in cases)} with gradients")
    if not wanted or "saved" in wanted:
        cases = list(saved.cases(OPS))
        write(HERE / "saved.json", cases)
        print(f"saved.json: {len(cases)} calls")
    if not wanted or "programs" in wanted:
        for folder in ("torch_programs", "zoo_programs"):
            print(f"{folder}: {programs.run(HERE.parent / folder)} programs")


if __name__ == "__main__":
    main(sys.argv[1:])

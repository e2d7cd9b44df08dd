"""What crates/cpu/examples/threads.rs measures, with PyTorch: microseconds with one thread and with two, by turns."""

import statistics
import time

import torch

ROUNDS = 15


def measure(name, run):
    times = {1: [], 2: []}
    for turn in range(ROUNDS + 1):
        for threads, kept in times.items():
            torch.set_num_threads(threads)
            runs, start = 0, time.perf_counter()
            while runs == 0 or time.perf_counter() - start < 0.005:
                run()
                runs += 1
            if turn > 0:
                kept.append((time.perf_counter() - start) / runs * 1e6)
    one, two = (statistics.median(kept) for kept in times.values())
    print(f"{name:24} {one:10.2f} {two:10.2f}  ratio {one / two:.2f}")


def chain(x, y):
    z = torch.maximum(x * y + y, y)
    return ((z * y + y) - y) * y + y


for n in (64, 128, 256, 512, 1024):
    a, b, c = torch.rand(n, n), torch.rand(n, n), torch.empty(n, n)
    measure(f"product {n}", lambda: torch.mm(a, b, out=c))
for name, n in (("8", 8), ("16 K", 1 << 14), ("64 K", 1 << 16), ("128 K", 1 << 17), ("1 M", 1 << 20)):
    x, y, z = torch.rand(n), torch.rand(n), torch.empty(n)
    measure(f"add of {name}", lambda: torch.add(x, y, out=z))
for name, n in (("16 K", 1 << 14), ("64 K", 1 << 16), ("1 M", 1 << 20), ("16 M", 1 << 24)):
    x, y = torch.rand(n), torch.rand(n)
    measure(f"8 ops on {name}", lambda: chain(x, y))
for name, n in (("1 M", 1 << 20), ("16 M", 1 << 24)):
    x = torch.rand(n)
    measure(f"sum of {name}", lambda: x.sum())

"""Writes training.json beside this script: the losses of trainings that `bench/training.py` holds glowgrad to.

GLOW_DATA=FOLDER python make_training.py    # the folder has CIFAR-10's sample and tiny Shakespeare

The trainings are those of `bench/training.py`, whose functions run here in PyTorch. A processor with AVX2 is needed:
PyTorch's normals depend on the instructions, and glowgrad draws those of AVX2.
"""

import os
import sys
from pathlib import Path

os.environ["ATEN_CPU_CAPABILITY"] = "avx2"  # PyTorch reads it when it is loaded.
HERE = Path(__file__).parent
# `glowgrad.models` comes from the stand-in, which needs no glowgrad.
sys.path[:0] = [str(HERE / "generator/stand_in"), str(HERE.parents[1] / "bench")]
sys.dont_write_bytecode = True

import torch  # noqa: E402
import training  # noqa: E402

from generator.record import plain, write  # noqa: E402


def cases():
    for network, settings in training.PHOTOGRAPHS.items():
        for dtype, lr in settings.items():
            losses = training.losses_on_photographs(network, getattr(torch, dtype), lr)
            print(f"{network}, {dtype}: {losses[0]:.4f} to {losses[-1]:.4f}", flush=True)
            yield case(network, dtype, losses, lr=lr, momentum=0.9, batch_size=32)
    _, losses, _ = training.train_gpt(200)
    print(f"gpt: {losses[0]:.4f} to {losses[-1]:.4f}", flush=True)
    yield case("gpt", "float32", losses, lr=1e-3, batch_size=12)


def case(network, dtype, losses, **settings):
    return {
        "network": network, "dtype": dtype, **settings,
        "losses": [plain(loss, getattr(torch, dtype)) for loss in losses],
    }


if __name__ == "__main__":
    torch.set_num_threads(2)
    write(HERE / "training.json", list(cases()))

"""tests/torch_programs, tests/zoo_programs: small programs, and what real PyTorch prints for each.

A program begins with `import torch`; a harness runs the same text with glowgrad in torch's place. Those of the zoo import
`glowgrad.models` too, whose files PyTorch runs as they are.
Messages of exceptions are ours to word, so programs print exception types only; the rules of
autograd are said in PyTorch's words, so autograd_messages prints their first sentence too. Numbers
are printed to digits that do not depend on the processor: check with ATEN_CPU_CAPABILITY=default.
"""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def run(folder: Path):
    environment = {**os.environ, "PYTHONWARNINGS": "ignore", "OMP_NUM_THREADS": "1",
                   "PYTHONPATH": str(HERE / "stand_in"), "PYTHONDONTWRITEBYTECODE": "1"}
    programs = sorted(folder.glob("*.py"))
    for program in programs:
        done = subprocess.run(
            [sys.executable, program.name],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise SystemExit(f"{program.name} failed in PyTorch:\n{done.stderr}")
        program.with_suffix(".out").write_text(done.stdout)
    return len(programs)

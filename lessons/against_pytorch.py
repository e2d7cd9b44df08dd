"""Runs the lessons on PyTorch itself, with the import changed.

The lessons promise that what you learn here is PyTorch. This script holds them to it: every cell
runs, every start and every wrong submission fails its checks and every solution passes, with `import glowgrad as torch` meaning
PyTorch. It needs `torch`, `matplotlib` where a lesson draws with it, and nothing else of the project. The lessons in `OURS` are about this engine:
PyTorch has nothing to run them on.

    python lessons/against_pytorch.py [SLUG] [--verbose]

`glow lesson verify` does the same on our engine; the format itself is parsed in crates/lesson.
"""

import re
import sys
import time
import types
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parent
HELPERS = ROOT.parent / "crates" / "python" / "src" / "lib" / "_checks.py"
OURS = {
    "from-line-to-kernel": "it counts this engine's kernels",
    "write-a-shader": "it runs WGSL",
    "make-it-fast": "it measures this engine",
    "your-own-framework": "it stands on lab.array and mine",
}
DIGITS = ROOT.parent / "crates" / "data" / "digits" / "digits.bin"


def load_digits():
    rows = torch.tensor(list(DIGITS.read_bytes())).reshape(-1, 65)
    return rows[:, :64].float(), rows[:, 64]


def train(step, batches, plot=None):
    """`lab.train` as the loop that it stands for."""
    batches = [()] * batches if isinstance(batches, int) else batches
    return [step(*(batch if isinstance(batch, tuple) else (batch,))).item() for batch in batches]


def pretend():
    """Lets `glowgrad` mean PyTorch, and adds the two modules that PyTorch does not have."""
    lab = types.ModuleType("glowgrad.lab")
    # What draws has nothing to draw on.
    for name in ("plot", "image", "heatmap", "histogram", "bytes", "pin", "record"):
        setattr(lab, name, lambda *args, **kwargs: None)
    lab.train = train
    lab.graph = lambda root: root.backward()
    datasets = types.ModuleType("glowgrad.datasets")
    datasets.load_digits = load_digits
    torch.lab = lab
    sys.modules.update(
        {
            "glowgrad": torch,
            "glowgrad.nn": torch.nn,
            "glowgrad.nn.functional": torch.nn.functional,
            "glowgrad.optim": torch.optim,
            "glowgrad.lab": lab,
            "glowgrad.datasets": datasets,
        }
    )


def run(source, name, namespace):
    exec(compile(source, name, "exec"), namespace)


def edited(edit, text):
    """A text after an edit in the form that lessons/README.md tells; crates/lesson/src/edit.rs says what is wrong."""
    changes = []
    for hunk in re.split(r"\n\n+", edit.strip("\n")):
        lines = hunk.split("\n")
        old, new = ("\n".join(line[1:] for line in lines if line[0] in marks) for marks in (" -", " +"))
        at = f"\n{text}".index(f"\n{old}\n")
        changes.append((at, at + len(old), new))
    for at, end, new in sorted(changes, reverse=True):  # each found in the text as it was
        text = text[:at] + new + text[end:]
    return text


def check(folder, harness, answer, needed):
    """The checks of an answer, with the names of the cells that it needs and of no others."""
    own = {"__name__": "__main__", "expect": harness["expect"], "expect_raises": harness["expect_raises"]}
    for name, cell in needed:
        run(cell, name, own)
    source = (folder / answer).read_text()
    if answer.endswith(".diff"):
        source = edited(source.split("\n", 1)[1], (folder / "solution.py").read_text())
    run(source, answer, own)
    run((folder / "checks.py").read_text(), "checks.py", own)
    return run_checks(own, "checks.py", answer)


def run_checks(namespace, checks_file, learner_file):
    """Runs the checks that `checks_file` defined in `namespace`, in the order they are written.

    Returns a list of (sentence, passed, message, line). The line is one of `learner_file`, where
    the learner's code raised; None otherwise. KeyboardInterrupt passes through: Stop stops checks.
    """
    checks = []
    for name, value in namespace.items():
        code = getattr(value, "__code__", None)
        if name.startswith("check_") and code is not None and code.co_filename == checks_file:
            checks.append((code.co_firstlineno, value))
    checks.sort(key=lambda check: check[0])
    return [_run(check, learner_file) for _, check in checks]


def _run(check, learner_file):
    sentence = " ".join((check.__doc__ or check.__name__).split())
    try:
        check()
    except AssertionError as failed:
        return (sentence, False, str(failed), None)
    except Exception as error:
        return (sentence, False, "raised    " + _raised(error), _line(error, learner_file))
    return (sentence, True, "", None)


def _raised(error):
    message = str(error)
    return type(error).__name__ + (": " + message if message else "")


def _line(error, file):
    line = None
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == file:
            line = step.tb_lineno
        step = step.tb_next
    return line


def verify(folder, harness, verbose):
    """The number of things that do not hold."""
    text = (folder / "lesson.md").read_text()
    namespace, cells, failures = {"__name__": "__main__"}, {}, 0
    pieces = re.findall(
        r"^```python cell *(\S*)\n(.*?)^```$|^:::exercise (\S+)\n((?:needs:[^\n]*\n)*)", text, re.M | re.S
    )
    for name, cell, exercise, needs in pieces:
        if cell:
            name = name or f"cell-{len(cells) + 1}"
            cells[name] = cell
            began = time.perf_counter()
            run(cell, name, namespace)
            if verbose:
                print(f"    [{time.perf_counter() - began:.2f} s]")
            continue
        needed = [(cell, cells[cell]) for cell in re.findall(r" of (\S+)$", needs, re.M)]
        where = folder / "exercises" / exercise
        answers = ["start.py", *sorted(path.name for path in where.glob("wrong-*")), "solution.py"]
        for name in answers:
            wanted = name == "solution.py"
            try:
                outcomes = check(where, harness, name, needed)
            except Exception as error:
                if not name.startswith("wrong-"):
                    raise
                outcomes = [(f"{type(error).__name__}: {error}", False, "", None)]
            passed = all(outcome[1] for outcome in outcomes)
            if passed != wanted:
                failures += 1
            if verbose or passed != wanted:
                print(f"  {exercise}: {name} {'passes' if passed else 'fails'}")
                for sentence, ok, message, line in outcomes:
                    print("    " + ("ok  " if ok else "FAIL"), sentence, line or "")
                    if message:
                        print("         " + message.replace("\n", "\n         "))
    return failures


def main():
    arguments = [a for a in sys.argv[1:] if a != "--verbose"]
    verbose = "--verbose" in sys.argv
    pretend()
    harness = {"__name__": "harness"}
    run(HELPERS.read_text(), "_checks.py", harness)
    failures = 0
    for folder in sorted(ROOT.glob("[0-9]*-*")):
        slug = folder.name.split("-", 1)[1]
        if arguments and slug not in arguments:
            continue
        if slug in OURS:
            print(f"{folder.name}: SKIPPED, {OURS[slug]}")
            continue
        print(folder.name)
        failures += verify(folder, harness, verbose)
    print(f"{failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

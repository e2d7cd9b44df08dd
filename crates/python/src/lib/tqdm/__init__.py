"""Bars that show how far a loop has come: `from tqdm import tqdm`.

A bar writes a line when another tenth is done, and one at its end; quick loops write the last one
alone.
"""

from tqdm.std import tqdm, trange

__version__ = "4.67.0"
__all__ = ["tqdm", "trange", "tqdm_notebook", "tnrange", "auto", "notebook", "autonotebook", "std"]
tqdm_notebook, tnrange = tqdm, trange


def __getattr__(name):
    if name in ("auto", "notebook", "autonotebook"):
        __import__(f"tqdm.{name}")
        return globals()[name]
    raise AttributeError(f"module 'tqdm' has no attribute {name!r}")

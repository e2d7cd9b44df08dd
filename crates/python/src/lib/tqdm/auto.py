"""`tqdm.auto`: the same bars as `tqdm`."""

from tqdm.std import tqdm, trange

tqdm_notebook, tnrange = tqdm, trange

import glowgrad as torch


def lstm_step(x, h, c, w_ih, w_hh, b_ih, b_hh):
    z = x @ w_ih.T + h @ w_hh.T
    i, f, g, o = z.chunk(4, dim=-1)
    # Three gates and a proposal: the new cell, and the new state.
    return h, c

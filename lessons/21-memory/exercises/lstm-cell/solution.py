import glowgrad as torch


def lstm_step(x, h, c, w_ih, w_hh, b_ih, b_hh):
    z = x @ w_ih.T + b_ih + h @ w_hh.T + b_hh
    i, f, g, o = z.chunk(4, dim=-1)
    i, f, o = i.sigmoid(), f.sigmoid(), o.sigmoid()
    g = g.tanh()
    c = f * c + i * g
    h = o * c.tanh()
    return h, c

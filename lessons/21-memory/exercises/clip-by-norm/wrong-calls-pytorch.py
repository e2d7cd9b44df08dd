# must say: The norm is your own: no clip_grad_norm_.
import glowgrad.nn as nn


def clip(parameters, max_norm):
    return nn.utils.clip_grad_norm_(parameters, max_norm).item()

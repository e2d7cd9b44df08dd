"""`torch.nn.utils`: what helps beside the layers."""

from glowgrad.nn.utils import rnn

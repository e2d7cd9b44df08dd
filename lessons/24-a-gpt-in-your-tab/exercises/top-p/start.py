import glowgrad as torch
import glowgrad.nn.functional as F


def top_p(logits, p):
    border = logits.topk(2).values[-1]
    return logits.masked_fill(logits < border, -torch.inf)

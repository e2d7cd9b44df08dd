import glowgrad as torch
import glowgrad.nn.functional as F


def top_p(logits, p):
    probabilities = F.softmax(logits, dim=0)
    falling = probabilities.sort(descending=True).values
    before = falling.cumsum(dim=0) - falling
    border = falling[before < p][-1]
    return logits.masked_fill(probabilities < border, -torch.inf)

"""From scores to the next token."""

import torch
import torch.nn.functional as F


def choose(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """Draws one token for each row of scores [N, tokens]; gives [N, 1].

    A low temperature makes likely tokens likelier; 0 takes the likeliest. `top_k` draws from the k likeliest alone,
    `top_p` from the likeliest whose probabilities add up to p (at least one).

    >>> torch.models.choose(torch.tensor([[0.0, 5.0, 1.0]]), temperature=0)
    """
    if temperature < 0:
        raise ValueError(f"temperature is 0 or more, not {temperature}")
    if top_k is not None and top_k < 1:
        raise ValueError(f"top_k is 1 or more, not {top_k}")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p is above 0 and at most 1, not {top_p}")
    if temperature == 0:
        return logits.argmax(-1, keepdim=True)
    logits = logits / temperature
    if top_k is not None and top_k < logits.shape[-1]:
        least = torch.topk(logits, top_k).values[:, -1:]
        logits = logits.masked_fill(logits < least, -float("inf"))
    if top_p is not None and top_p < 1:
        ordered, places = logits.sort(descending=True)
        probabilities = F.softmax(ordered, -1)
        # A token stays while those before it have less than p in all.
        before = probabilities.cumsum(-1) - probabilities
        ordered = ordered.masked_fill(before >= top_p, -float("inf"))
        logits = torch.full_like(logits, -float("inf")).scatter(-1, places, ordered)
    return torch.multinomial(F.softmax(logits, -1), 1, generator=generator)

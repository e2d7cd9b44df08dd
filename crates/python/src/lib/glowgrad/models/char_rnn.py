"""A network with a memory that reads a text character by character and scores the next."""

import torch
import torch.nn.functional as F
from torch import nn

from .sampling import choose


class CharRNN(nn.Module):
    """An embedding, a recurrent network ("RNN", "LSTM" or "GRU") and a linear layer.

    It reads tokens [N, L] and gives scores [N, L, vocab_size] and its memory, which the next call takes.

    >>> scores, memory = torch.models.CharRNN(65, 16, 32)(torch.zeros(1, 4, dtype=torch.long))
    >>> scores.shape
    """

    def __init__(self, vocab_size, n_embd=64, n_hidden=128, n_layer=2, kind="LSTM", dropout=0.0):
        super().__init__()
        if kind not in ("RNN", "LSTM", "GRU"):
            raise ValueError(f"kind is 'RNN', 'LSTM' or 'GRU', not {kind!r}")
        self.embedding = nn.Embedding(vocab_size, n_embd)
        recurrent = getattr(nn, kind)
        self.rnn = recurrent(n_embd, n_hidden, n_layer, batch_first=True, dropout=dropout)
        self.head = nn.Linear(n_hidden, vocab_size)

    def forward(self, tokens, memory=None):
        x, memory = self.rnn(self.embedding(tokens), memory)
        return self.head(x), memory

    def loss(self, tokens, targets):
        """The mean cross-entropy of the next characters, in nats.

        >>> tokens = torch.zeros(1, 4, dtype=torch.long)
        >>> torch.models.CharRNN(65, 16, 32).loss(tokens, tokens).ndim
        """
        scores, _ = self(tokens)
        return F.cross_entropy(scores.flatten(0, 1), targets.flatten())

    @torch.no_grad()
    def generate(self, tokens, max_new_tokens, temperature=1.0, top_k=None, top_p=None, generator=None):
        """Tokens [N, L] and, behind them, as many as asked for.

        >>> torch.models.CharRNN(5, 4, 8).eval().generate(torch.zeros(1, 1, dtype=torch.long), 3).shape
        """
        scores, memory = self(tokens)
        for i in range(max_new_tokens):
            following = choose(scores[:, -1], temperature, top_k, top_p, generator)
            tokens = torch.cat([tokens, following], 1)
            if i + 1 < max_new_tokens:
                scores, memory = self(following, memory)
        return tokens

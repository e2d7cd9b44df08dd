"""Tokenizers: from a text to numbers and back.

>>> tokenizer = torch.text.CharTokenizer("hello")
>>> tokenizer.encode("hole")
"""

import json
import re

__all__ = ["CharTokenizer", "BPETokenizer"]

# Words with the space before them, numbers, other marks, and spaces: as GPT-2 divides a text, without its
# contractions.
_PIECES = re.compile(r" ?[^\W\d_]+| ?\d+| ?(?:[^\w\s]|_)+|\s+(?!\S)|\s+")


class CharTokenizer:
    """A number for each character of a text, in the order of their code points.

    >>> tokenizer = torch.text.CharTokenizer("banana")
    >>> tokenizer.encode("nab"), tokenizer.decode([1, 0, 2])
    """

    def __init__(self, text):
        self.characters = "".join(sorted(set(text)))
        if not self.characters:
            raise ValueError("CharTokenizer takes the text whose characters it is to know, not an empty one")
        self._numbers = {character: i for i, character in enumerate(self.characters)}

    @property
    def vocab_size(self):
        return len(self.characters)

    def encode(self, text):
        """The numbers of the characters of a text.

        >>> torch.text.CharTokenizer("abc").encode("cab")
        """
        try:
            return [self._numbers[character] for character in text]
        except KeyError as error:
            at = text.index(error.args[0])
            raise ValueError(
                f"character {error.args[0]!r} at {at} is not among the {self.vocab_size} of this tokenizer: "
                f"{self.characters!r}"
            ) from None

    def decode(self, tokens):
        """The text of numbers, which may be a tensor.

        >>> torch.text.CharTokenizer("abc").decode([2, 0, 1])
        """
        return "".join([self.characters[token] for token in _listed(tokens, self.vocab_size)])

    def __repr__(self):
        return f"CharTokenizer({self.characters!r})"


class BPETokenizer:
    """Byte pairs (Sennrich and others, 2015; on bytes as in GPT-2): the commonest pair becomes one token, again and again.

    The first 256 tokens are the bytes themselves, so that any text has tokens. `merges` are pairs of tokens, in the
    order in which they were found.

    >>> tokenizer = torch.text.BPETokenizer.train("low lower lowest", vocab_size=258)
    >>> tokenizer.encode("low")
    """

    def __init__(self, merges=()):
        self.merges = [tuple(pair) for pair in merges]
        self._bytes = [bytes([i]) for i in range(256)]
        for i, (first, second) in enumerate(self.merges):
            if not 0 <= min(first, second) <= max(first, second) < 256 + i:
                raise ValueError(f"merge {i} joins {first} and {second}, but only tokens up to {255 + i} are there yet")
            self._bytes.append(self._bytes[first] + self._bytes[second])
        self._ranks = {pair: i for i, pair in enumerate(self.merges)}
        self._known = {}

    @property
    def vocab_size(self):
        return len(self._bytes)

    @classmethod
    def train(cls, text, vocab_size):
        """Finds the merges of a text. Of pairs that are equally common, the one that came first in it is taken.

        >>> torch.text.BPETokenizer.train("aaabdaaabac", vocab_size=259).merges
        """
        if vocab_size < 256:
            raise ValueError(f"vocab_size is 256 or more, since bytes are tokens, not {vocab_size}")
        counts = {}
        for piece in _PIECES.findall(text):
            counts[piece] = counts.get(piece, 0) + 1
        words = [(list(piece.encode()), n) for piece, n in counts.items()]
        pairs, places = {}, {}
        for w, (tokens, n) in enumerate(words):
            for pair in zip(tokens, tokens[1:]):
                pairs[pair] = pairs.get(pair, 0) + n
                places.setdefault(pair, set()).add(w)
        merges = []
        while len(merges) < vocab_size - 256 and pairs:
            best = max(pairs, key=pairs.get)
            if pairs[best] < 2:
                break
            new = 256 + len(merges)
            merges.append(best)
            for w in sorted(places[best]):
                tokens, n = words[w]
                for pair in zip(tokens, tokens[1:]):
                    pairs[pair] -= n
                tokens[:] = _merged(tokens, best, new)
                for pair in zip(tokens, tokens[1:]):
                    pairs[pair] = pairs.get(pair, 0) + n
                    places.setdefault(pair, set()).add(w)
            pairs = {pair: n for pair, n in pairs.items() if n > 0}
        return cls(merges)

    def encode(self, text):
        """The tokens of a text.

        >>> torch.text.BPETokenizer([(104, 105)]).encode("hi!")
        """
        tokens = []
        for piece in _PIECES.findall(text):
            if piece not in self._known:
                self._known[piece] = self._encoded(list(piece.encode()))
            tokens += self._known[piece]
        return tokens

    def _encoded(self, tokens):
        while len(tokens) > 1:
            found = [self._ranks[pair] for pair in zip(tokens, tokens[1:]) if pair in self._ranks]
            if not found:
                break
            rank = min(found)
            tokens = _merged(tokens, self.merges[rank], 256 + rank)
        return tokens

    def decode(self, tokens):
        """The text of tokens, which may be a tensor; bytes that are no text become U+FFFD.

        >>> torch.text.BPETokenizer([(104, 105)]).decode([256, 33])
        """
        data = b"".join([self._bytes[token] for token in _listed(tokens, self.vocab_size)])
        return data.decode("utf-8", errors="replace")

    def save(self, path):
        """Writes the merges as JSON.

        >>> torch.text.BPETokenizer([(104, 105)]).save("merges.json")
        """
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"kind": "byte pairs", "merges": self.merges}, file)

    @classmethod
    def load(cls, path):
        """Reads what `save` wrote.

        >>> torch.text.BPETokenizer([(104, 105)]).save("merges.json")
        >>> torch.text.BPETokenizer.load("merges.json").vocab_size
        """
        with open(path, encoding="utf-8") as file:
            try:
                return cls(json.load(file)["merges"])
            except (ValueError, KeyError, TypeError) as error:
                raise ValueError(f"{path} holds no merges of byte pairs: {error}") from None

    def __repr__(self):
        return f"BPETokenizer(vocab_size={self.vocab_size})"


def _merged(tokens, pair, new):
    """The tokens with each such pair as one token, from the left."""
    result, i = [], 0
    while i < len(tokens):
        if i + 1 < len(tokens) and (tokens[i], tokens[i + 1]) == pair:
            result.append(new)
            i += 2
        else:
            result.append(tokens[i])
            i += 1
    return result


def _listed(tokens, size):
    tokens = tokens.tolist() if hasattr(tokens, "tolist") else list(tokens)
    for token in tokens:
        if not 0 <= token < size:
            raise ValueError(f"token {token} is not among the {size} of this tokenizer")
    return tokens

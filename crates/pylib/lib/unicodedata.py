"""`unicodedata`: what Unicode says of characters."""

import _characters

unidata_version = "16.0.0"


def _code(character):
    if not isinstance(character, str) or len(character) != 1:
        raise TypeError("expected one character")
    return ord(character)


def normalize(form, unistr):
    """The text in a normal form: NFC, NFD, NFKC or NFKD."""
    text = _characters.normalize(form, unistr)
    if text is None:
        raise ValueError("invalid normalization form")
    return text


def is_normalized(form, unistr):
    """Whether a text is in a normal form."""
    return normalize(form, unistr) == unistr


def category(chr):
    """The general category in two letters: `Lu`, `Mn`."""
    return _characters.category(_code(chr))


def combining(chr):
    """The canonical combining class; 0 of what combines with nothing."""
    return _characters.combining(_code(chr))


def decomposition(chr):
    """The code points that a character is made of, in hexadecimal digits."""
    _code(chr)
    made = _characters.normalize("NFD", chr)
    return "" if made == chr else " ".join([f"{ord(c):04X}" for c in made])


_NONE = object()


def decimal(chr, default=_NONE):
    """The value of a decimal digit."""
    if chr.isdecimal():
        return int(chr)
    if default is _NONE:
        raise ValueError("not a decimal")
    return default


def digit(chr, default=_NONE):
    """The value of a digit."""
    if chr.isdecimal():
        return int(chr)
    if default is _NONE:
        raise ValueError("not a digit")
    return default

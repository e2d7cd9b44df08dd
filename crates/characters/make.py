"""Writes src/tables.rs from Python's own tables of characters, or from those of the package `unicodedata2`."""

import pathlib

try:
    import unicodedata2 as unicodedata
except ImportError:
    import unicodedata

CHARACTERS = [chr(code) for code in range(0x110000)]


def ranges(holds):
    found = []
    for c in filter(holds, CHARACTERS):
        if found and found[-1][1] == ord(c) - 1:
            found[-1][1] = ord(c)
        else:
            found.append([ord(c), ord(c)])
    return found


def is_letter(c):
    return unicodedata.category(c).startswith("L")


def is_digit_alone(c):
    return unicodedata.digit(c, None) is not None and unicodedata.decimal(c, None) is None


def is_number_word(c):
    return unicodedata.numeric(c, None) is not None and not unicodedata.category(c).startswith("N")


TABLES = [
    ("LETTERS", "Letters beyond ASCII: general category L.", lambda c: c > "\x7f" and is_letter(c)),
    ("DIGITS", "Digits that are no decimals: superscripts, circled digits.", is_digit_alone),
    ("NUMBER_WORDS", "Letters that stand for a number, as in Chinese.", is_number_word),
]

text = f"//! Tables of Unicode {unicodedata.unidata_version}. `make.py` writes this file.\n//!\n//! Long because: a row for each range of characters.\n"
for name, doc, holds in TABLES:
    text += f"\n/// {doc}\npub(crate) static {name}: &[(u32, u32)] = &[\n"
    text += "".join(f"    (0x{a:X}, 0x{b:X}),\n" for a, b in ranges(holds)) + "];\n"
zeros = [ord(c) for c in CHARACTERS if unicodedata.decimal(c, None) == 0]
text += "\n/// The zeros of all scripts; each has its nine other digits behind it.\n"
text += "pub(crate) static ZEROS: &[u32] = &[\n"
text += "".join(f"    0x{code:X},\n" for code in zeros) + "];\n"
pathlib.Path(__file__).with_name("src").joinpath("tables.rs").write_text(text)

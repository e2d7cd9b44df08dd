"""`ast`: `literal_eval`. Python here does not show its syntax trees."""


def literal_eval(node_or_string):
    """The value of a literal: numbers, texts, bytes, None, booleans, and lists, tuples, dicts, sets of them."""
    if not isinstance(node_or_string, str):
        raise ValueError(f"malformed node or string: {node_or_string!r}")
    return _Reader(node_or_string.strip(" \t")).whole()


def parse(source, filename="<unknown>", mode="exec", **options):
    """Refused: Python here does not show its syntax trees."""
    raise NotImplementedError("ast.parse: Python here does not show its syntax trees")


dump = unparse = walk = parse


class AST:
    """A node of a syntax tree; there are none here."""


class NodeVisitor:
    """A walk through a syntax tree; there are none here."""

    def visit(self, node):
        parse(node)


_ESCAPES = {
    "n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b",
    "f": "\f", "v": "\v", "\n": "",
}
_NAMES = {"None": None, "True": True, "False": False, "Ellipsis": ...}


class _Reader:
    """Reads a literal from a text, character by character; nothing is run."""

    def __init__(self, text):
        self.text, self.at = text, 0

    def fail(self):
        raise ValueError(f"malformed node or string: {self.text[:200]!r}")

    def skip(self):
        while self.at < len(self.text) and self.text[self.at] in " \t\r\n":
            self.at += 1

    def peek(self):
        self.skip()
        return self.text[self.at:self.at + 1]

    def whole(self):
        value = self.item(0)
        if self.peek() == ",":
            value = self.rest((value,), "", 0)
        self.skip()
        if self.at < len(self.text):
            self.fail()
        return value

    def rest(self, items, end, depth):
        """What follows the first item of a tuple."""
        items = list(items)
        while self.peek() == ",":
            self.at += 1
            if self.peek() in (end, ""):
                break
            items.append(self.item(depth))
        return tuple(items)

    def item(self, depth):
        """A value, and what is added to it: complex numbers are sums."""
        if depth > 100:
            raise RecursionError("a literal with more than 100 levels")
        value = self.single(depth)
        char = self.peek()
        if char in ("+", "-") and char and isinstance(value, (int, float)):
            self.at += 1
            other = self.single(depth)
            if not isinstance(other, complex):
                self.fail()
            value = value + other if char == "+" else value - other
        return value

    def single(self, depth):
        char = self.peek()
        if char in ("-", "+") and char:
            self.at += 1
            value = self.single(depth + 1)
            if isinstance(value, bool) or not isinstance(value, (int, float, complex)):
                self.fail()
            return -value if char == "-" else value
        if char and char in "([{":
            return self.bracket(depth + 1)
        if char and char in "'\"":
            return self.strings("")
        if self.text.startswith("...", self.at):
            self.at += 3
            return ...
        start = self.at
        while self.at < len(self.text) and (self.text[self.at].isalnum() or self.text[self.at] in "._"):
            self.at += 1
            exponent = self.text[start:self.at]
            if exponent[-1] in "eE" and exponent[0].isdigit() and not exponent.lower().startswith("0x"):
                if self.text[self.at:self.at + 1] in ("+", "-"):
                    self.at += 1
        word = self.text[start:self.at]
        if self.text[self.at:self.at + 1] in ("'", '"') and word.lower() in ("b", "r", "u", "rb", "br"):
            return self.strings(word.lower())
        if word in _NAMES:
            return _NAMES[word]
        if word == "set" and self.text[self.at:self.at + 2] == "()":
            self.at += 2
            return set()
        if not word or not (word[0].isdigit() or word[0] == "."):
            self.fail()
        return self.number(word)

    def number(self, word):
        try:
            if word[-1] in "jJ":
                return complex(0, float(word[:-1]))
            is_float = "." in word or "e" in word.lower() and not word.lower().startswith("0x")
            return float(word) if is_float else int(word, 0)
        except ValueError:
            self.fail()

    def bracket(self, depth):
        open_, self.at = self.text[self.at], self.at + 1
        close = {"(": ")", "[": "]", "{": "}"}[open_]
        items, pairs, comma = [], [], False
        while self.peek() != close:
            if not self.peek():
                self.fail()
            item = self.item(depth)
            if open_ == "{" and self.peek() == ":":
                self.at += 1
                pairs.append((item, self.item(depth)))
            else:
                items.append(item)
            if self.peek() == ",":
                comma = True
                self.at += 1
            elif self.peek() != close:
                self.fail()
        self.at += 1
        if open_ == "[":
            return items
        if open_ == "(":
            return tuple(items) if comma or not items else items[0]
        if items and pairs:
            self.fail()
        return set(items) if items else dict(pairs)

    def strings(self, prefix):
        """Texts one behind the other are one."""
        parts = [self.string(prefix)]
        while True:
            self.skip()
            start = self.at
            while self.text[self.at:self.at + 1].lower() in ("b", "r", "u") and self.at - start < 2:
                self.at += 1
            if self.text[self.at:self.at + 1] not in ("'", '"'):
                self.at = start
                return parts[0][:0].join(parts)
            parts.append(self.string(self.text[start:self.at].lower()))
            if type(parts[-1]) is not type(parts[0]):
                self.fail()

    def string(self, prefix):
        quote = self.text[self.at]
        if self.text[self.at:self.at + 3] == quote * 3:
            quote *= 3
        self.at += len(quote)
        raw, out = "r" in prefix, []
        while True:
            char = self.text[self.at:self.at + 1]
            if not char or char == "\n" and len(quote) == 1:
                self.fail()
            if self.text.startswith(quote, self.at):
                self.at += len(quote)
                break
            self.at += 1
            if char != "\\" or raw:
                out.append(char)
                if char == "\\":
                    out.append(self.text[self.at:self.at + 1])
                    self.at += 1
                continue
            out.append(self.escape("b" in prefix))
        text = "".join(out)
        if "b" not in prefix:
            return text
        try:
            return text.encode("latin-1") if text.isascii() or max(map(ord, text)) < 256 else self.fail()
        except UnicodeEncodeError:
            self.fail()

    def escape(self, in_bytes):
        letter = self.text[self.at:self.at + 1]
        self.at += 1
        if letter in _ESCAPES and letter:
            return _ESCAPES[letter]
        lengths = {"x": 2} if in_bytes else {"x": 2, "u": 4, "U": 8}
        if letter in lengths:
            digits = self.text[self.at:self.at + lengths[letter]]
            self.at += len(digits)
            try:
                return chr(int(digits, 16)) if len(digits) == lengths[letter] else self.fail()
            except (ValueError, OverflowError):
                self.fail()
        if letter and letter in "01234567":
            digits = letter
            while len(digits) < 3 and self.text[self.at:self.at + 1] in tuple("01234567"):
                digits += self.text[self.at]
                self.at += 1
            return chr(int(digits, 8))
        return "\\" + letter

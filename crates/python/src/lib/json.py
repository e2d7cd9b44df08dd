"""JSON as text: `dumps` and `loads`."""


class JSONDecodeError(ValueError):
    def __init__(self, message, text, position):
        line = text.count("\n", 0, position) + 1
        column = position - text.rfind("\n", 0, position)
        super().__init__(f"{message}: line {line} column {column} (char {position})")
        self.msg, self.doc, self.pos, self.lineno, self.colno = (
            message, text, position, line, column,
        )


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}


def _quoted(text, ascii):
    out = ['"']
    for character in text:
        if character in _ESCAPES:
            out.append(_ESCAPES[character])
        elif character < " " or ascii and character > "~":
            code = ord(character)
            if code > 0xFFFF:
                code -= 0x10000
                out.append(f"\\u{0xD800 | code >> 10:04x}\\u{0xDC00 | code & 0x3FF:04x}")
            else:
                out.append(f"\\u{code:04x}")
        else:
            out.append(character)
    out.append('"')
    return "".join(out)


def _number(x):
    if x != x:
        return "NaN"
    if x in (float("inf"), -float("inf")):
        return "Infinity" if x > 0 else "-Infinity"
    return float.__repr__(x)


def dumps(obj, *, indent=None, sort_keys=False, ensure_ascii=True, separators=None, default=None):
    """The text of a value."""
    if isinstance(indent, int):
        indent = " " * indent
    comma, colon = separators or ((", " if indent is None else ","), ": ")

    def write(value, level):
        if value is None or value is True or value is False:
            return {None: "null", True: "true", False: "false"}[value]
        if isinstance(value, str):
            return _quoted(value, ensure_ascii)
        if isinstance(value, int):
            return int.__repr__(value)
        if isinstance(value, float):
            return _number(value)
        if isinstance(value, (list, tuple)):
            return wrap("[", [write(item, level + 1) for item in value], "]", level)
        if isinstance(value, dict):
            pairs = sorted(value.items()) if sort_keys else value.items()
            parts = [
                _quoted(key_text(key), ensure_ascii) + colon + write(item, level + 1)
                for key, item in pairs
            ]
            return wrap("{", parts, "}", level)
        if default is not None:
            return write(default(value), level)
        raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")

    def key_text(key):
        if isinstance(key, str):
            return key
        if key is None or isinstance(key, (bool, int, float)):
            return write(key, 0)
        raise TypeError(
            f"keys must be str, int, float, bool or None, not {type(key).__name__}"
        )

    def wrap(start, parts, end, level):
        if not parts or indent is None:
            return start + comma.join(parts) + end
        inner = "\n" + indent * (level + 1)
        return start + inner + (comma + inner).join(parts) + "\n" + indent * level + end

    return write(obj, 0)


def loads(text):
    """The value of a text."""
    if not isinstance(text, str):
        text = bytes(text).decode()
    value, end = _value(text, _skip(text, 0))
    end = _skip(text, end)
    if end != len(text):
        raise JSONDecodeError("Extra data", text, end)
    return value


def _skip(text, at):
    while at < len(text) and text[at] in " \t\n\r":
        at += 1
    return at


_WORDS = {"null": None, "true": True, "false": False, "NaN": float("nan"),
          "Infinity": float("inf"), "-Infinity": -float("inf")}


def _value(text, at):
    first = text[at:at + 1]
    if first == '"':
        return _string(text, at + 1)
    if first == "[":
        return _list(text, at + 1)
    if first == "{":
        return _dict(text, at + 1)
    for word, value in _WORDS.items():
        if text.startswith(word, at):
            return value, at + len(word)
    end = at
    while end < len(text) and text[end] in "+-0123456789.eE":
        end += 1
    token = text[at:end]
    try:
        if token.lstrip("-").isdigit():
            return int(token), end
        return float(token), end
    except ValueError:
        raise JSONDecodeError("Expecting value", text, at) from None


def _list(text, at):
    values = []
    at = _skip(text, at)
    if text[at:at + 1] == "]":
        return values, at + 1
    while True:
        value, at = _value(text, _skip(text, at))
        values.append(value)
        at = _skip(text, at)
        if text[at:at + 1] == "]":
            return values, at + 1
        if text[at:at + 1] != ",":
            raise JSONDecodeError("Expecting ',' delimiter", text, at)
        at += 1


def _dict(text, at):
    values = {}
    at = _skip(text, at)
    if text[at:at + 1] == "}":
        return values, at + 1
    while True:
        at = _skip(text, at)
        if text[at:at + 1] != '"':
            raise JSONDecodeError("Expecting property name enclosed in double quotes", text, at)
        key, at = _string(text, at + 1)
        at = _skip(text, at)
        if text[at:at + 1] != ":":
            raise JSONDecodeError("Expecting ':' delimiter", text, at)
        values[key], at = _value(text, _skip(text, at + 1))
        at = _skip(text, at)
        if text[at:at + 1] == "}":
            return values, at + 1
        if text[at:at + 1] != ",":
            raise JSONDecodeError("Expecting ',' delimiter", text, at)
        at += 1


_UNESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def _string(text, at):
    start, parts = at - 1, []
    while True:
        end = at
        while end < len(text) and text[end] not in '"\\' and text[end] >= " ":
            end += 1
        parts.append(text[at:end])
        if end >= len(text):
            raise JSONDecodeError("Unterminated string starting at", text, start)
        if text[end] == '"':
            return "".join(parts), end + 1
        if text[end] != "\\":
            raise JSONDecodeError("Invalid control character at", text, end)
        escape = text[end + 1:end + 2]
        at = end + 2
        if escape == "u":
            code, at = _code(text, at)
            if 0xD800 <= code < 0xDC00 and text[at:at + 2] == "\\u":
                low, at = _code(text, at + 2)
                code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
            parts.append(chr(code))
        elif escape in _UNESCAPES:
            parts.append(_UNESCAPES[escape])
        else:
            raise JSONDecodeError("Invalid \\escape", text, end)


def _code(text, at):
    digits = text[at:at + 4]
    try:
        return int(digits, 16), at + 4
    except ValueError:
        raise JSONDecodeError("Invalid \\uXXXX escape", text, at) from None

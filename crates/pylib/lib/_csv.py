"""`_csv`: rows of text and back, in Python: what `csv.py` of Python's library builds on."""

QUOTE_MINIMAL, QUOTE_ALL, QUOTE_NONNUMERIC, QUOTE_NONE, QUOTE_STRINGS, QUOTE_NOTNULL = range(6)
__version__ = "1.0"
__doc__ = "CSV parsing and writing."

_dialects = {}
_limit = 131072


class Error(Exception):
    """What `csv` raises."""


class Dialect:
    """How rows are written."""

    def __init__(self, dialect=None, **options):
        if isinstance(dialect, str):
            dialect = get_dialect(dialect)
        unknown = set(options) - set(_DEFAULTS)
        if unknown:
            raise TypeError(f"{min(unknown)!r} is an invalid keyword argument for this function")
        for name, default in _DEFAULTS.items():
            value = options.get(name, getattr(dialect, name, default))
            setattr(self, name, value)
        for name in ("delimiter", "quotechar", "escapechar"):
            value = getattr(self, name)
            if value is None and name != "delimiter":
                continue
            if not isinstance(value, str):
                kind = type(value).__name__
                raise TypeError(f'"{name}" must be a 1-character string, not {kind}')
            if len(value) != 1:
                raise TypeError(f'"{name}" must be a 1-character string')
        if self.quoting not in range(6):
            raise TypeError('bad "quoting" value')
        if self.quoting != QUOTE_NONE and self.quotechar is None:
            raise TypeError("quotechar must be set if quoting enabled")
        if not isinstance(self.lineterminator, str):
            raise TypeError('"lineterminator" must be a string')


_DEFAULTS = {
    "delimiter": ",", "doublequote": True, "escapechar": None, "lineterminator": "\r\n",
    "quotechar": '"', "quoting": QUOTE_MINIMAL, "skipinitialspace": False, "strict": False,
}


class Reader:
    """Goes through lines and gives rows."""

    def __init__(self, lines, dialect):
        self._lines, self.dialect, self.line_num = iter(lines), dialect, 0

    def __iter__(self):
        return self

    def _line(self):
        line = next(self._lines)
        if not isinstance(line, str):
            raise Error(
                f"iterator should return strings, not {type(line).__name__} "
                "(the file should be opened in text mode)"
            )
        self.line_num += 1
        return line

    def __next__(self):
        row = _Row(self.dialect)
        row.take(self._line())
        while row.is_open:
            try:
                line = self._line()
            except StopIteration:
                if self.dialect.strict:
                    raise Error("unexpected end of data") from None
                row.end_field()
                break
            row.take(line)
        return row.fields


class _Row:
    """The fields of a row, character by character. A row in quotes stays open at the end of a line."""

    def __init__(self, dialect):
        self._dialect, self.fields, self._field = dialect, [], []
        self._state, self._numeric = "row", False

    @property
    def is_open(self):
        return self._state in ("quoted", "quoted escape")

    def end_field(self):
        text = "".join(self._field)
        self.fields.append(float(text) if self._numeric else text)
        self._field, self._numeric, self._state = [], False, "field"

    def take(self, line):
        for char in line:
            self._STATES[self._state](self, char)
            if len(self._field) > _limit:
                raise Error(f"field larger than field limit ({_limit})")
        if self._state == "escape":
            self._field.append("\n")
            self._state = "plain"
        if self._state in ("field", "plain", "quote"):
            self._end_row()

    def _end_row(self):
        self.end_field()
        self._state = "end"

    def _end(self, char):
        if char not in "\r\n":
            raise Error(
                "new-line character seen in unquoted field - do you need to open the file with newline=''?"
            )

    def _row(self, char):
        if char in "\r\n":
            self._state = "end"
        else:
            self._state = "field"
            self._field_start(char)

    def _field_start(self, char):
        d = self._dialect
        if char in "\r\n":
            self._end_row()
        elif char == d.quotechar and d.quoting != QUOTE_NONE:
            self._state = "quoted"
        elif char == d.escapechar:
            self._state = "escape"
        elif char == " " and d.skipinitialspace:
            pass
        elif char == d.delimiter:
            self.end_field()
        else:
            self._numeric = d.quoting == QUOTE_NONNUMERIC
            self._field.append(char)
            self._state = "plain"

    def _plain(self, char):
        d = self._dialect
        if char in "\r\n":
            self._end_row()
        elif char == d.escapechar:
            self._state = "escape"
        elif char == d.delimiter:
            self.end_field()
        else:
            self._field.append(char)

    def _escape(self, char):
        self._field.append(char)
        self._state = "plain"

    def _quoted(self, char):
        d = self._dialect
        if char == d.escapechar:
            self._state = "quoted escape"
        elif char == d.quotechar:
            self._state = "quote" if d.doublequote else "plain"
        else:
            self._field.append(char)

    def _quoted_escape(self, char):
        self._field.append(char)
        self._state = "quoted"

    def _quote(self, char):
        d = self._dialect
        if char == d.quotechar:
            self._field.append(char)
            self._state = "quoted"
        elif char == d.delimiter:
            self.end_field()
        elif char in "\r\n":
            self._end_row()
        elif d.strict:
            raise Error(f"'{d.delimiter}' expected after '{d.quotechar}'")
        else:
            self._field.append(char)
            self._state = "plain"

    _STATES = {
        "row": _row, "field": _field_start, "plain": _plain, "escape": _escape, "quoted": _quoted,
        "quoted escape": _quoted_escape, "quote": _quote, "end": _end,
    }


class Writer:
    """Writes rows as lines."""

    def __init__(self, file, dialect):
        if not hasattr(file, "write"):
            raise TypeError('argument 1 must have a "write" method')
        self._write, self.dialect = file.write, dialect

    def writerow(self, row):
        try:
            fields = list(row)
        except TypeError:
            raise Error(f"iterable expected, not {type(row).__name__}") from None
        d = self.dialect
        texts = [self._text(field, len(fields) == 1) for field in fields]
        return self._write(d.delimiter.join(texts) + d.lineterminator)

    def writerows(self, rows):
        for row in rows:
            self.writerow(row)

    def _text(self, value, alone):
        d = self.dialect
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        text = "" if value is None else repr(value) if type(value) is float else str(value)
        special = [d.delimiter, "\r", "\n", *d.lineterminator]
        special += [char for char in (d.quotechar, d.escapechar) if char is not None]
        quotes = {
            QUOTE_ALL: True, QUOTE_NONNUMERIC: not is_number, QUOTE_STRINGS: isinstance(value, str),
            QUOTE_NOTNULL: value is not None,
        }.get(d.quoting, False)
        if d.quoting == QUOTE_NONE:
            out = []
            for char in text:
                if char in special:
                    if d.escapechar is None:
                        raise Error("need to escape, but no escapechar set")
                    out.append(d.escapechar)
                out.append(char)
            if alone and not text:
                raise Error("single empty field record must be quoted")
            return "".join(out)
        if not quotes and (any(char in text for char in special) or alone and not text):
            quotes = d.doublequote or d.escapechar is None or d.quotechar not in text
        if not quotes:
            return text
        quote = d.quotechar
        if quote in text:
            if d.doublequote:
                text = text.replace(quote, quote + quote)
            elif d.escapechar is None:
                raise Error("need to escape, but no escapechar set")
            else:
                text = text.replace(quote, d.escapechar + quote)
        return quote + text + quote


def reader(lines, dialect="excel", **options):
    """Goes through lines and gives rows."""
    return Reader(lines, Dialect(dialect, **options))


def writer(file, dialect="excel", **options):
    """Writes rows as lines."""
    return Writer(file, Dialect(dialect, **options))


def register_dialect(name, dialect=None, **options):
    """Gives a dialect a name."""
    if not isinstance(name, str):
        raise TypeError("dialect name must be a string")
    _dialects[name] = Dialect(dialect, **options)


def unregister_dialect(name):
    if name not in _dialects:
        raise Error("unknown dialect")
    del _dialects[name]


def get_dialect(name):
    if name not in _dialects:
        raise Error("unknown dialect")
    return _dialects[name]


def list_dialects():
    return list(_dialects)


def field_size_limit(new_limit=None):
    """The most characters of a field."""
    global _limit
    old = _limit
    if new_limit is not None:
        if not isinstance(new_limit, int):
            raise TypeError("limit must be an integer")
        _limit = new_limit
    return old

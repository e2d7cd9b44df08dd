"""`locale`: the one locale here is C with UTF-8."""

LC_CTYPE, LC_NUMERIC, LC_TIME, LC_COLLATE, LC_MONETARY, LC_MESSAGES, LC_ALL = range(7)
CODESET = 14


class Error(ValueError):
    """A locale that is not there."""


def setlocale(category, locale=None):
    """The locale, C; another is an error."""
    if locale not in (None, "", "C", "POSIX", "C.UTF-8", ("C", "UTF-8"), (None, None)):
        raise Error("unsupported locale setting")
    return "C"


def getlocale(category=LC_CTYPE):
    return (None, None)


getdefaultlocale = getlocale


def getpreferredencoding(do_setlocale=True):
    return "utf-8"


def getencoding():
    return "utf-8"


def nl_langinfo(key):
    return "UTF-8" if key == CODESET else ""


def normalize(localename):
    return localename


def localeconv():
    return {
        "decimal_point": ".", "thousands_sep": "", "grouping": [], "int_curr_symbol": "",
        "currency_symbol": "", "mon_decimal_point": "", "mon_thousands_sep": "",
        "mon_grouping": [], "positive_sign": "", "negative_sign": "",
    }


def format_string(format, val, grouping=False, monetary=False):
    return format % val


def str(val):
    return "%.12g" % val


def atof(string, func=float):
    return func(string)


def atoi(string):
    return int(string)


def strcoll(a, b):
    return (a > b) - (a < b)


def strxfrm(string):
    return string

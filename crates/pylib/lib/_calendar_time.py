"""Dates of the calendar for `time`: the time zone here is UTC."""

import datetime as _datetime
from time import time as _now

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = (
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
)
_FIELDS = (
    "tm_year", "tm_mon", "tm_mday", "tm_hour", "tm_min", "tm_sec", "tm_wday", "tm_yday", "tm_isdst",
)


class struct_time(tuple):
    """A moment by the calendar."""

    n_fields, n_sequence_fields, n_unnamed_fields = 11, 9, 0

    def __new__(cls, fields):
        fields = tuple(fields)
        if not 9 <= len(fields) <= 11:
            raise TypeError(f"time.struct_time() takes an at least 9-sequence ({len(fields)}-sequence given)")
        made = tuple.__new__(cls, fields[:9])
        made.tm_zone, made.tm_gmtoff = (*fields[9:], *("UTC", 0)[len(fields) - 9:])
        return made

    def __repr__(self):
        words = ", ".join(f"{name}={value!r}" for name, value in zip(_FIELDS, self))
        return f"time.struct_time({words})"


for _at, _name in enumerate(_FIELDS):
    setattr(struct_time, _name, property(lambda self, _at=_at: self[_at]))


def gmtime(seconds=None):
    """A moment by the calendar; now, if none is given."""
    moment = _datetime.datetime(1970, 1, 1) + _datetime.timedelta(
        seconds=int(_now() if seconds is None else seconds)
    )
    day = moment.timetuple()
    return struct_time((*day[:8], 0))


localtime = gmtime


def mktime(t):
    """The seconds since the epoch of a moment by the calendar."""
    moment = _datetime.datetime(*t[:6]) - _datetime.datetime(1970, 1, 1)
    return moment.total_seconds()


def strftime(format, t=None):
    """A moment as text."""
    t = gmtime() if t is None else t
    year, month, day, hour, minute, second, weekday, yearday = t[:8]
    monday_week = (yearday + 6 - weekday) // 7
    sunday_week = (yearday + 6 - (weekday + 1) % 7) // 7
    iso = _datetime.date(year, month, day).isocalendar() if month and day else (year, 0, 0)
    names = {
        "Y": f"{year}", "m": f"{month:02}", "d": f"{day:02}", "H": f"{hour:02}", "M": f"{minute:02}",
        "S": f"{second:02}", "y": f"{year % 100:02}", "j": f"{yearday:03}", "%": "%",
        "a": _DAYS[weekday], "A": _LONG_DAYS[weekday], "b": _MONTHS[month - 1], "h": _MONTHS[month - 1],
        "B": _LONG_MONTHS[month - 1], "p": "AM" if hour < 12 else "PM", "I": f"{(hour - 1) % 12 + 1:02}",
        "w": f"{(weekday + 1) % 7}", "u": f"{weekday + 1}", "U": f"{sunday_week:02}",
        "W": f"{monday_week:02}", "e": f"{day:2}", "n": "\n", "t": "\t", "Z": "UTC", "z": "+0000",
        "G": f"{iso[0]}", "V": f"{iso[1]:02}",
    }
    names["D"] = "{m}/{d}/{y}".format(**names)
    names["F"] = "{Y}-{m}-{d}".format(**names)
    names["T"] = names["X"] = "{H}:{M}:{S}".format(**names)
    names["R"] = "{H}:{M}".format(**names)
    names["x"] = names["D"]
    names["c"] = "{a} {b} {e} {T} {Y}".format(**names)
    out, letters = [], iter(format)
    for letter in letters:
        if letter != "%":
            out.append(letter)
            continue
        kind = next(letters, "")
        out.append(names.get(kind, "%" + kind))
    return "".join(out)


_LONG_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_LONG_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)


def asctime(t=None):
    """A moment as `Sun Jun 20 23:21:05 1993`."""
    return strftime("%c", t)


def ctime(seconds=None):
    """A moment as text."""
    return asctime(gmtime(seconds))


def strptime(string, format="%a %b %d %H:%M:%S %Y"):
    """The moment that a text says."""
    import _strptime
    return _strptime._strptime_time(string, format)

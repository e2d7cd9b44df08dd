"""`time`: the host's clock. Dates of the calendar come from the library when they are first asked for."""

from _clock import (
    monotonic, monotonic_ns, perf_counter, perf_counter_ns, process_time, sleep, time, time_ns,
)

timezone = altzone = daylight = 0
tzname = ("UTC", "UTC")
_IN_LIBRARY = (
    "asctime", "ctime", "gmtime", "localtime", "mktime", "strftime", "strptime", "struct_time",
)


def __getattr__(name):
    if name in _IN_LIBRARY:
        import _calendar_time
        return getattr(_calendar_time, name)
    raise AttributeError(f"module 'time' has no attribute {name!r}", name=name, obj=None)


def __dir__():
    return sorted([*globals(), *_IN_LIBRARY])

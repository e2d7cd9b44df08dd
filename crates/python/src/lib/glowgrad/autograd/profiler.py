"""`torch.autograd.profiler`: which kernels ran in a stretch of a program, how often, and how long each took.

PyTorch times ops. Here a kernel may compute several of them, and its row has all their names.
"""

import json
import warnings
from contextlib import ContextDecorator

import _glowgrad as _C

__all__ = ["profile", "record_function"]

# Columns of a table are so wide, but for the name's, which is as wide as the longest name and at most this.
_WIDTH, _LONGEST_NAME, _LONGEST_SHAPES = 12, 55, 80
_SORT_KEYS = (
    "cpu_time", "cpu_time_total", "self_cpu_time_total", "cpu_memory_usage", "self_cpu_memory_usage",
    "count",
)
# Columns that PyTorch sorts by and that are 0 here: the same times stand in those of the CPU.
_DEVICE_KEYS = {
    f"{own}{device}_{what}": f"{own}cpu_{what}"
    for own in ("", "self_") for device in ("cuda", "device")
    for what in ("time", "time_total", "memory_usage")
}

_on = None


class record_function(ContextDecorator):
    """A name for what runs under `with`, or in a decorated function: a row of a profile.

    >>> with torch.autograd.profiler.record_function("square"):
    >>>     y = torch.ones(2) ** 2
    >>> y
    """

    def __init__(self, name, args=None):
        self.name, self.args = name, args
        self._starts = []

    def __enter__(self):
        if _on is not None:
            _C.profile_compute()
        self._starts.append((_on, _C.profile_now()))
        return self

    def __exit__(self, *exception):
        profiler, start = self._starts.pop()
        if profiler is not None and profiler is _on:
            if exception[0] is None:
                _C.profile_compute()
            profiler._ranges.append((self.name, start, _C.profile_now()))


class _Row:
    """Kernels or stretches of one name, added up. Times are in microseconds, memory in bytes written."""

    def __init__(self, key, input_shapes=""):
        self.key, self.input_shapes = key, input_shapes
        self.count = 0
        self.cpu_time_total = self.self_cpu_time_total = 0.0
        self.cpu_memory_usage = self.self_cpu_memory_usage = 0

    @property
    def name(self):
        return self.key

    @property
    def cpu_time(self):
        """The mean."""
        return self.cpu_time_total / self.count if self.count else 0.0

    def _add(self, other):
        self.count += other.count
        for name in ("cpu_time_total", "self_cpu_time_total", "cpu_memory_usage",
                     "self_cpu_memory_usage"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def __repr__(self):
        return (f"<{type(self).__name__[1:]} key={self.key} self_cpu_time={_time(self.self_cpu_time_total)} "
                f"cpu_time={_time(self.cpu_time)} count={self.count} input_shapes={self.input_shapes}>")


class _Event(_Row):
    """One kernel, or one stretch that has a name."""

    def __init__(self, key, start, nanos, shapes=(), written=0, is_stretch=False):
        # The steps of a profile are one row.
        super().__init__("ProfilerStep*" if key.startswith("ProfilerStep#") else key, list(shapes))
        self.trace_name, self.is_stretch, self.count = key, is_stretch, 1
        self.start, self.end = start / 1000, (start + nanos) / 1000
        self.cpu_time_total = self.self_cpu_time_total = nanos / 1000
        self.cpu_memory_usage = self.self_cpu_memory_usage = written


class _Rows(list):
    """What a profile saw, as a list that prints as a table."""

    def __init__(self, rows, profile_memory=False, n_dropped=0):
        super().__init__(rows)
        self._profile_memory, self._n_dropped = profile_memory, n_dropped

    @property
    def self_cpu_time_total(self):
        return sum(row.self_cpu_time_total for row in self)

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0,
                     group_by_overload_name=False):
        """One row for each name, or for each name and shapes."""
        rows = {}
        for event in self:
            shapes = str(event.input_shapes) if group_by_input_shape else ""
            row = rows.setdefault((event.key, shapes), _Row(event.key, shapes))
            row._add(event)
        return _Rows(rows.values(), self._profile_memory, self._n_dropped)

    def total_average(self):
        """One row for all."""
        total = _Row("Total")
        for row in self:
            total._add(row)
        return total

    def table(self, sort_by=None, row_limit=100, max_src_column_width=75,
              max_name_column_width=_LONGEST_NAME, max_shapes_column_width=_LONGEST_SHAPES,
              header=None, top_level_events_only=False):
        """The rows as a text: `row_limit` of them, those with most of `sort_by` first."""
        rows = list(self)
        if sort_by is not None:
            key = _DEVICE_KEYS.get(sort_by, sort_by)
            if key not in _SORT_KEYS:
                raise ValueError(
                    f"table: got sort_by={sort_by!r}, expected one of {', '.join(_SORT_KEYS)}")
            rows.sort(key=lambda row: getattr(row, key), reverse=True)
        return _table(rows, self, row_limit, max_name_column_width, max_shapes_column_width, header)

    def export_chrome_trace(self, path):
        """Writes the events as a file for chrome://tracing or Perfetto."""
        events = [
            {"ph": "X", "cat": "cpu_op", "name": event.trace_name, "pid": 0, "tid": 0, "ts": event.start,
             "dur": event.cpu_time_total, "args": {"Input Dims": event.input_shapes}}
            for event in self
        ]
        with open(path, "w") as file:
            json.dump({"schemaVersion": 1, "traceEvents": events}, file)

    def __str__(self):
        return self.table()

    __repr__ = __str__


class profile:
    """Times the kernels that run under `with`, and shows them as a table.

    What nothing has asked for when it ends is computed then, so that it is seen. Of steps that `lab.train` runs by
    themselves, those that Python runs are seen.

    >>> x = torch.ones(64, 64)
    >>> with torch.autograd.profiler.profile() as seen:
    >>>     y = (x @ x).relu()
    >>> len(seen.key_averages()) > 0
    """

    def __init__(self, enabled=True, *, use_cpu=True, use_device=None, record_shapes=False,
                 with_flops=False, profile_memory=False, with_stack=False, with_modules=False,
                 use_kineto=False, use_cuda=False, experimental_config=None, acc_events=False):
        _tell_of_nothing(with_stack=with_stack, with_flops=with_flops, with_modules=with_modules)
        self.enabled = enabled
        self.record_shapes, self.profile_memory = record_shapes, profile_memory
        self._ranges = []
        self._events = None

    def __enter__(self):
        if self.enabled:
            self._begin()
        return self

    def __exit__(self, *exception):
        if self.enabled:
            self._end(exception[0] is None)

    def _begin(self):
        global _on
        if not _C.profile_begin():
            raise RuntimeError("profile: a profile is on already; end it before the next begins")
        _on = self
        # What an earlier one left.
        _C.profile_events()
        self._ranges = []

    def _end(self, computes=True):
        global _on
        try:
            if computes:
                _C.profile_compute()
        finally:
            _C.profile_end()
            _on = None
            n_dropped, kernels = _C.profile_events()
            # A stretch stands before what is in it, also where a clock sees no time between them.
            events = [_Event(name, start, end - start, is_stretch=True)
                      for name, start, end in reversed(self._ranges)]
            # A kernel is called by its ops, each once.
            events += [_Event(", ".join(dict.fromkeys(ops)), start, nanos,
                              shapes if self.record_shapes else (), written)
                       for ops, start, nanos, shapes, written in kernels]
            self._events = _Rows(_nested(events), self.profile_memory, n_dropped)

    def events(self):
        """Each kernel, and each stretch that has a name, in the order of their beginnings."""
        if self._events is None:
            raise RuntimeError("Profiler didn't finish running")
        return self._events

    function_events = property(events)

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0,
                     group_by_overload_name=False):
        """One row for each name, or for each name and shapes."""
        return self.events().key_averages(group_by_input_shape)

    def total_average(self):
        """One row for all."""
        return self.events().total_average()

    @property
    def self_cpu_time_total(self):
        """Microseconds that all kernels and named stretches took."""
        return self.events().self_cpu_time_total

    def table(self, sort_by=None, row_limit=100, max_src_column_width=75,
              max_name_column_width=_LONGEST_NAME, max_shapes_column_width=_LONGEST_SHAPES,
              header=None, top_level_events_only=False):
        """Every event as a text."""
        return self.events().table(sort_by, row_limit, max_src_column_width, max_name_column_width,
                                   max_shapes_column_width, header, top_level_events_only)

    def export_chrome_trace(self, path):
        """Writes the events as a file for chrome://tracing or Perfetto."""
        self.events().export_chrome_trace(path)

    def __str__(self):
        return str(self._events)

    __repr__ = __str__


def _tell_of_nothing(**wanted):
    """Warns of what was asked for and is not shown."""
    for name in [name for name, is_wanted in wanted.items() if is_wanted]:
        warnings.warn(f"profile: {name} shows nothing here; the Kernels view has each kernel's line and code",
                      stacklevel=3)


def _nested(events):
    """The events in order; the time of one within a stretch is not the stretch's own."""
    events.sort(key=lambda event: (event.start, -event.end))
    around = []
    for event in events:
        while around and around[-1].end < event.end:
            around.pop()
        if around:
            around[-1].self_cpu_time_total -= event.cpu_time_total
            for outer in around:
                outer.cpu_memory_usage += event.self_cpu_memory_usage
        # Nothing runs within a kernel, also where a coarse clock sees two at once.
        if event.is_stretch:
            around.append(event)
    return events


def _time(micros):
    if micros >= 1e6:
        return f"{micros / 1e6:.3f}s"
    return f"{micros / 1e3:.3f}ms" if micros >= 1e3 else f"{micros:.3f}us"


def _memory(n):
    for unit, size in (("Gb", 1 << 30), ("Mb", 1 << 20), ("Kb", 1 << 10)):
        if n >= size:
            return f"{n / size:.2f} {unit}"
    return f"{n} b"


def _share(part, whole):
    return f"{100 * part / whole:.2f}%" if whole else "NaN"


def _cut(text, most):
    return text if most is None or len(text) <= most else text[: max(most - 3, 0)] + "..."


def _table(rows, all_rows, row_limit, longest_name, longest_shapes, header):
    if not rows:
        return ""
    whole = all_rows.self_cpu_time_total
    columns = {
        "Name": lambda row: _cut(row.key, longest_name),
        "Self CPU %": lambda row: _share(row.self_cpu_time_total, whole),
        "Self CPU": lambda row: _time(row.self_cpu_time_total),
        "CPU total %": lambda row: _share(row.cpu_time_total, whole),
        "CPU total": lambda row: _time(row.cpu_time_total),
        "CPU time avg": lambda row: _time(row.cpu_time),
    }
    if all_rows._profile_memory:
        columns["CPU Mem"] = lambda row: _memory(row.cpu_memory_usage)
        columns["Self CPU Mem"] = lambda row: _memory(row.self_cpu_memory_usage)
    columns["# of Calls"] = lambda row: str(row.count)
    if any(row.input_shapes for row in rows):
        columns["Input Shapes"] = lambda row: _cut(str(row.input_shapes or "[]"), longest_shapes)
    shown = rows if row_limit is None or row_limit < 0 else rows[:row_limit]
    cells = [[text(row) for text in columns.values()] for row in shown]
    sizes = [max(_WIDTH, len(title), *(len(line[at]) for line in cells)) if title in ("Name", "Input Shapes")
             else max(_WIDTH, len(title)) for at, title in enumerate(columns)]
    line = lambda texts: "  ".join(text.rjust(size) for text, size in zip(texts, sizes)) + "  "
    rule = line("-" * size for size in sizes)
    lines = [rule, line(columns), rule, *map(line, cells), rule]
    if header is not None:
        lines.insert(0, header)
    lines.append(f"Self CPU time total: {_time(whole)}")
    if all_rows._n_dropped:
        lines.append(f"{all_rows._n_dropped} more kernels ran: a profile keeps the first ones")
    return "\n".join(lines) + "\n"

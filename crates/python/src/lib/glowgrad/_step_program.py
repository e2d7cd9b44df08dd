"""What Python still does when a step of `lab.train` runs again: the steps of schedules.

A schedule of `lr_scheduler` is arithmetic on a few of Python's numbers, so its `step()` is called again for
each run, which costs microseconds. The numbers that it sets reach the device through memory that is filled
before the run (`Engine::feed`): an optimizer of a noted step asks `number` for its options. A schedule that is given
something, as `ReduceLROnPlateau` is given the loss, does not run again.
"""

import _glowgrad as _C
from functools import wraps

from glowgrad._place import _widest_float

# The program of the step that is noted now.
_current = None


class Program:
    """The calls and numbers of a step, in order."""

    def __init__(self):
        self.entries, self.cells, self.n_cells = [], [], 0
        # Schedules that a step has called, also an earlier one than that which is noted now.
        self.schedules = []
        self._is_inside = False
        # Whether the step that was noted last began to count on the device: the next one does something else.
        self.is_first = False

    def noting(self, capture):
        """Calls something whose schedules and numbers are noted."""
        global _current
        before, _current = _current, self
        self.entries, self.n_cells, self.is_first = [], 0, False
        try:
            return capture()
        finally:
            _current = before

    def call(self, schedule, step):
        """Takes a schedule's step, and notes it."""
        if self._is_inside:
            return step()
        self.entries.append(step)
        if not any(schedule is each for each in self.schedules):
            self.schedules.append(schedule)
        self._is_inside = True
        try:
            return step()
        finally:
            self._is_inside = False

    def number(self, group, name, like):
        """An option on a device, where schedules change it from step to step."""
        place = self.n_cells
        self.n_cells += 1
        if place == len(self.cells) or self.cells[place].device != like.device:
            self.cells[place:] = [_Cell(_value(group, name), like)]
        cell = self.cells[place]
        cell.take(_value(group, name))
        self.entries.append((cell, group, name))
        return cell.tensor

    def fed(self):
        """The options that are numbers on a device."""
        return {(id(entry[1]), entry[2]) for entry in self.entries if isinstance(entry, tuple)}

    def before(self):
        """What comes before a run: all up to the last number."""
        fed = [i for i, entry in enumerate(self.entries) if isinstance(entry, tuple)]
        self._run(self.entries[: fed[-1] + 1] if fed else [])

    def after(self):
        """The rest."""
        fed = [i for i, entry in enumerate(self.entries) if isinstance(entry, tuple)]
        self._run(self.entries[fed[-1] + 1 :] if fed else self.entries)

    def _run(self, entries):
        for entry in entries:
            if isinstance(entry, tuple):
                cell, group, name = entry
                cell.take(_value(group, name))
            else:
                entry()


class _Cell:
    """A number on a device, and what it is there."""

    def __init__(self, value, like):
        self.device, self.value = like.device, value
        self.tensor = _C.fed_number(value, like, _widest_float(like.device))

    def take(self, value):
        if value != self.value:
            _C.feed(self.tensor, value)
            self.value = value


def note_first():
    """Notes that the step that is noted now is unlike every later one."""
    if _current is not None:
        _current.is_first = True


def _value(group, name):
    """An option; of betas it is the first one that a schedule cycles."""
    return group[name][0] if name == "betas" else group[name]


def option(group, name, like):
    """A group's option: a number, or one on a device in a step that is noted and has schedules."""
    value = _value(group, name)
    if _current is None or not _current.schedules or not isinstance(value, (int, float)):
        return value
    return _current.number(group, name, like) if _C.is_capturing() else value


def again(step):
    """A schedule's step, which is taken again whenever a noted step runs again."""

    @wraps(step)
    def whole(self, *given, **named):
        if _current is None or not _C.is_capturing():
            return step(self, *given, **named)
        if given or named:
            _C.stop_capturing("the schedule's step() is given a number of this step")
            return step(self, *given, **named)
        return _current.call(self, lambda: step(self))

    return whole

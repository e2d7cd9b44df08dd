"""`torch.profiler`: which kernels ran in a stretch of a program, how often, and how long each took."""

import enum
import os
import time
import warnings

from glowgrad.autograd import profiler as _profiler
from glowgrad.autograd.profiler import record_function

__all__ = [
    "ProfilerAction", "ProfilerActivity", "profile", "record_function", "schedule",
    "tensorboard_trace_handler",
]


class ProfilerActivity(enum.Enum):
    """Whose work a profile shows: here all of it, whatever device computes.

    >>> torch.profiler.ProfilerActivity.CPU
    """

    CPU, XPU, MTIA, CUDA, HPU, PrivateUse1 = range(6)


class ProfilerAction(enum.Enum):
    """What a profile does in a step.

    >>> torch.profiler.ProfilerAction.RECORD
    """

    NONE, WARMUP, RECORD, RECORD_AND_SAVE = range(4)


_ACTIVE = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    """What a profile does in each step: `wait` steps nothing, then `warmup` steps, then it looks at `active` steps.

    >>> plan = torch.profiler.schedule(wait=1, warmup=1, active=2, repeat=1)
    >>> [plan(step).name for step in range(5)]
    """
    if not (wait >= 0 and warmup >= 0 and active > 0 and repeat >= 0 and skip_first >= 0):
        raise AssertionError(
            f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} (need >= 0), "
            f"active={active} (need > 0), repeat={repeat} (need >= 0), skip_first={skip_first} (need >= 0).")
    if warmup == 0:
        warnings.warn("Profiler won't be using warmup, this can skew profiler results", stacklevel=2)

    def action(step):
        if step < 0:
            raise AssertionError(f"schedule: got step {step}, expected 0 or more")
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait != 0:
            step += wait
        round_of = wait + warmup + active
        if repeat > 0 and step >= repeat * round_of:
            return ProfilerAction.NONE
        step %= round_of
        if step < wait:
            return ProfilerAction.NONE
        if step < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if step < round_of - 1 else ProfilerAction.RECORD_AND_SAVE

    return action


def tensorboard_trace_handler(dir_name, worker_name=None, use_gzip=False):
    """For `on_trace_ready`: writes each profile as a file in this folder, in the form of Chrome's traces.

    >>> callable(torch.profiler.tensorboard_trace_handler("log"))
    """
    if use_gzip:
        raise NotImplementedError("tensorboard_trace_handler: files are written without gzip here")

    def handler(profiler):
        os.makedirs(dir_name, exist_ok=True)
        name = f"{worker_name or 'glowgrad'}.{time.time_ns()}.pt.trace.json"
        profiler.export_chrome_trace(os.path.join(dir_name, name))

    return handler


class profile:
    """Times the kernels that run under `with`, and shows them as a table. A kernel's row has the names of its ops.

    >>> x = torch.ones(64, 64)
    >>> with torch.profiler.profile(record_shapes=True) as seen:
    >>>     with torch.profiler.record_function("layer"):
    >>>         y = (x @ x).relu()
    >>> [row.key for row in seen.key_averages() if row.key == "layer"]
    """

    def __init__(self, *, activities=None, schedule=None, on_trace_ready=None, record_shapes=False,
                 profile_memory=False, with_stack=False, with_flops=False, with_modules=False,
                 experimental_config=None, execution_trace_observer=None, acc_events=False,
                 use_cuda=None, custom_trace_id_callback=None):
        _profiler._tell_of_nothing(with_stack=with_stack, with_flops=with_flops, with_modules=with_modules)
        for activity in activities or ():
            if not isinstance(activity, ProfilerActivity):
                raise TypeError(f"profile: got {activity!r} among the activities, expected a "
                                "ProfilerActivity such as ProfilerActivity.CPU")
        self._schedule, self._on_trace_ready = schedule, on_trace_ready
        self._options = dict(record_shapes=record_shapes, profile_memory=profile_memory)
        self.step_num = 0
        self.profiler = None
        self._range = None
        self._action = ProfilerAction.NONE

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *exception):
        # What an error left is not computed.
        self._become(None, exception[0] is None)

    def start(self):
        """Begins, where `with` cannot be written."""
        self._become(self._planned())

    def stop(self):
        """Ends what `start` began."""
        self._become(None)

    def step(self):
        """Tells a profile with a schedule that a step has ended."""
        self._end_range()
        self.step_num += 1
        self._become(self._planned())

    def _planned(self):
        return self._schedule(self.step_num) if self._schedule else ProfilerAction.RECORD

    def _become(self, action, computes=True):
        before, self._action = self._action, action or ProfilerAction.NONE
        self._end_range()
        if before in _ACTIVE and (before is ProfilerAction.RECORD_AND_SAVE or action not in _ACTIVE):
            self.profiler._end(computes)
            if self._on_trace_ready:
                self._on_trace_ready(self)
            before = ProfilerAction.NONE
        if action in _ACTIVE:
            if before not in _ACTIVE:
                self.profiler = _profiler.profile(**self._options)
                self.profiler._begin()
            if self._schedule:
                self._range = record_function(f"ProfilerStep#{self.step_num}")
                self._range.__enter__()

    def _end_range(self):
        ended, self._range = self._range, None
        if ended is not None:
            ended.__exit__(None, None, None)

    def _ended(self, wanted):
        if self.profiler is None:
            raise AssertionError(f"Profiler must be initialized before getting {wanted}")
        return self.profiler

    def events(self):
        """Each kernel, and each stretch that has a name, in the order of their beginnings."""
        return self._ended("events").events()

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0,
                     group_by_overload_name=False):
        """One row for each name, or for each name and shapes; its `table(sort_by=…)` is a text."""
        return self._ended("key averages").key_averages(group_by_input_shape)

    def export_chrome_trace(self, path):
        """Writes the events as a file for chrome://tracing or Perfetto."""
        self._ended("the trace").export_chrome_trace(path)

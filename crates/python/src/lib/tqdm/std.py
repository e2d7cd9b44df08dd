"""`tqdm` and `trange`."""

import sys
import time

# So long at least is between two lines of one bar.
_PAUSE = 0.25
_KNOWN = set(
    "ascii bar_format colour delay dynamic_ncols file gui lock_args maxinterval mininterval "
    "miniters ncols nrows position smoothing unit_divisor write_bytes".split()
)


class tqdm:
    """A loop that shows how far it has come. >>> from tqdm import tqdm"""

    _all = []

    def __init__(
        self,
        iterable=None,
        desc=None,
        total=None,
        leave=True,
        *args,
        disable=False,
        unit="it",
        unit_scale=False,
        initial=0,
        postfix=None,
        **options,
    ):
        for name in options:
            if name not in _KNOWN:
                raise TqdmKeyError(f"Unknown argument(s): {dict([(name, options[name])])}")
        if total is None and iterable is not None:
            try:
                total = len(iterable)
            except (TypeError, AttributeError):
                total = None
        if total == float("inf"):
            total = None
        self.iterable, self.desc, self.total = iterable, (desc + ": " if desc else ""), total
        self.leave, self.disable, self.unit, self.unit_scale = (
            leave,
            bool(disable),
            unit,
            unit_scale,
        )
        self.initial = self.n = initial
        self.bar_format, self.ncols, self.delay = (
            options.get("bar_format"),
            options.get("ncols"),
            options.get("delay", 0),
        )
        self.ascii, self.colour, self.pos = options.get("ascii"), options.get("colour"), 0
        self.postfix, self._closed, self._shown = None, False, None
        self.start_t = self.last_print_t = time.perf_counter()
        if postfix:
            (
                self.set_postfix(postfix, refresh=False)
                if isinstance(postfix, dict)
                else self.set_postfix_str(str(postfix), refresh=False)
            )

    def __iter__(self):
        if self.disable:
            yield from self.iterable
            return
        try:
            for item in self.iterable:
                yield item
                self.update()
        finally:
            self.close()

    def __len__(self):
        if self.iterable is None:
            return self.total
        return len(self.iterable) if hasattr(self.iterable, "__len__") else self.total

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __bool__(self):
        if self.total is None and self.iterable is None:
            raise TypeError("bool() undefined when iterable == total == None")
        return bool(len(self)) if self.total is None else self.total > 0

    def __contains__(self, item):
        return item in self.iterable

    def __reversed__(self):
        self.iterable = reversed(self.iterable)
        return iter(self)

    def __repr__(self):
        return self._line()

    __str__ = __repr__

    def update(self, n=1):
        """Says that so many more are done. >>> bar.update(10)"""
        if self.disable:
            return None
        self.n += n
        now = time.perf_counter()
        if now - self.last_print_t < _PAUSE:
            return None
        # A tenth of the whole, or where that is unknown, twice as many as at the last line.
        done = (
            int(10 * self.n / self.total)
            if self.total
            else self.n.bit_length() if isinstance(self.n, int) else 0
        )
        if done != self._shown and (not self.total or self.n < self.total):
            self._shown = done
            self._write(now)
            return True
        return None

    def _write(self, now):
        self.last_print_t = now
        sys.stderr.write(self._line() + "\n")

    def close(self):
        """Writes the last line. >>> bar.close()"""
        if self._closed or self.disable:
            return
        self._closed = True
        if self.leave:
            self._write(time.perf_counter())

    def reset(self, total=None):
        """Starts over. >>> bar.reset()"""
        self.n, self._closed, self._shown = 0, False, None
        self.total = self.total if total is None else total
        self.start_t = self.last_print_t = time.perf_counter()

    def set_description(self, desc=None, refresh=True):
        """What stands in front. >>> bar.set_description("epoch 1")"""
        self.desc = desc + ": " if desc else ""

    def set_description_str(self, desc=None, refresh=True):
        """What stands in front, without a colon. >>> bar.set_description_str("epoch 1")"""
        self.desc = desc or ""

    def set_postfix(self, ordered_dict=None, refresh=True, **kwargs):
        """What stands at the end, such as the loss. >>> bar.set_postfix(loss=0.5)"""
        parts = []
        for key, value in {**(ordered_dict or {}), **kwargs}.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                value = self.format_num(value)
            elif not isinstance(value, str):
                value = str(value)
            parts.append(f"{key}={value.strip()}")
        self.postfix = ", ".join(parts)

    def set_postfix_str(self, s="", refresh=True):
        """What stands at the end, as a text. >>> bar.set_postfix_str("done")"""
        self.postfix = str(s)

    def refresh(self, nolock=False, lock_args=None):
        """Accepted; a line is written when another tenth is done. >>> bar.refresh()"""

    def clear(self, nolock=False):
        """Accepted; lines stay where they are. >>> bar.clear()"""

    def unpause(self):
        """Counts the time anew from now. >>> bar.unpause()"""
        self.last_print_t = time.perf_counter()

    def display(self, msg=None, pos=None):
        """Writes the bar now. >>> bar.display()"""
        sys.stderr.write((self._line() if msg is None else msg) + "\n")

    @classmethod
    def write(cls, s, file=None, end="\n", nolock=False):
        """Prints a text beside the bars. >>> tqdm.write("half way")"""
        print(s, end=end)

    @property
    def format_dict(self):
        """What a bar is written from. >>> bar.format_dict["n"]"""
        elapsed = time.perf_counter() - self.start_t
        rate = (self.n - self.initial) / elapsed if elapsed > 0 else None
        return {
            "n": self.n,
            "total": self.total,
            "elapsed": elapsed,
            "rate": rate,
            "unit": self.unit,
            "prefix": self.desc,
            "postfix": self.postfix,
            "ncols": self.ncols,
            "initial": self.initial,
            "unit_scale": self.unit_scale,
            "bar_format": self.bar_format,
            "colour": self.colour,
        }

    @staticmethod
    def format_interval(t):
        """Seconds as minutes and seconds. >>> tqdm.format_interval(75)"""
        minutes, seconds = divmod(int(t), 60)
        hours, minutes = divmod(minutes, 60)
        return f"{hours:d}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes:02d}:{seconds:02d}"

    @staticmethod
    def format_num(n):
        """A number in few characters. >>> tqdm.format_num(0.123456)"""
        text = f"{n:.3g}".replace("e+0", "e+").replace("e-0", "e-")
        return text if len(text) < len(str(n)) else str(n)

    @staticmethod
    def format_sizeof(num, suffix="", divisor=1000):
        """A number with k, M, G. >>> tqdm.format_sizeof(12345)"""
        for unit in ("", "k", "M", "G", "T", "P", "E", "Z"):
            if abs(num) < 999.5:
                if abs(num) < 99.95:
                    return (f"{num:1.2f}" if abs(num) < 9.995 else f"{num:2.1f}") + unit + suffix
                return f"{num:3.0f}{unit}{suffix}"
            num /= divisor
        return f"{num:3.1f}Y{suffix}"

    @staticmethod
    def format_meter(
        n,
        total,
        elapsed,
        ncols=None,
        prefix="",
        ascii=False,
        unit="it",
        unit_scale=False,
        rate=None,
        bar_format=None,
        postfix=None,
        unit_divisor=1000,
        initial=0,
        colour=None,
        **extra,
    ):
        """The line of a bar. >>> tqdm.format_meter(5, 10, 1.0)"""
        if total and n >= total + 0.5:
            total = None
        rate = (n - initial) / elapsed if rate is None and elapsed else rate
        scale = tqdm.format_sizeof if unit_scale else str
        speed = "?" if not rate else tqdm.format_sizeof(rate) if unit_scale else f"{rate:5.2f}"
        speed = f"{speed}{unit}/s"
        if rate and rate < 1:
            speed = f"{tqdm.format_sizeof(1 / rate) if unit_scale else f'{1 / rate:5.2f}'}s/{unit}"
        spent = tqdm.format_interval(elapsed)
        more = ", " + postfix if postfix else ""
        if not total:
            return f"{prefix}{scale(n)}{unit} [{spent}, {speed}{more}]"
        left = tqdm.format_interval((total - n) / rate) if rate else "?"
        share = n / total
        marks = {
            "l_bar": f"{prefix}{share * 100:3.0f}%|",
            "desc": prefix[:-2] if prefix[-2:] == ": " else prefix,
            "r_bar": f"| {scale(n)}/{scale(total)} [{spent}<{left}, {speed}{more}]",
            "percentage": share * 100,
            "n": n,
            "total": total,
            "n_fmt": scale(n),
            "total_fmt": scale(total),
            "elapsed": spent,
            "elapsed_s": elapsed,
            "remaining": left,
            "rate": rate,
            "rate_fmt": speed,
            "rate_noinv_fmt": speed,
            "postfix": more,
            "unit": unit,
            "bar": _bar(share, 10 if not ncols else max(1, ncols - 60), ascii),
        }
        return (bar_format or "{l_bar}{bar}{r_bar}").format(**marks)

    def _line(self):
        return self.format_meter(**self.format_dict, ascii=self.ascii)

    def moveto(self, n):
        """Accepted; every bar has lines of its own."""

    @classmethod
    def pandas(cls, *args, **kwargs):
        """Not here: there is no pandas."""
        raise NotImplementedError(
            "tqdm.pandas: there is no pandas here; loop over the rows with tqdm(rows)"
        )


class TqdmKeyError(KeyError):
    """Raised for an argument that tqdm has not."""


def _bar(share, width, ascii):
    letters = " 123456789#" if ascii is True else ascii or " ▏▎▍▌▋▊▉█"
    full, part = divmod(int(share * width * (len(letters) - 1)), len(letters) - 1)
    text = letters[-1] * full
    if full < width:
        text += letters[part] + letters[0] * (width - full - 1)
    return text


def trange(*args, **kwargs):
    """`tqdm(range(…))`. >>> from tqdm import trange"""
    return tqdm(range(*args), **kwargs)

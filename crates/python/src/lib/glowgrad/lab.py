"""What the lab adds to PyTorch: live plots."""

import _lab

_points = {}


def plot(**series):
    """Adds a point to a live plot for each keyword: `lab.plot(loss=loss.item())`."""
    for name, value in series.items():
        value = value.item() if hasattr(value, "item") else float(value)
        x = _points.get(name, 0)
        _points[name] = x + 1
        _lab.metric(name, float(x), float(value))


def _begin_run():
    _points.clear()

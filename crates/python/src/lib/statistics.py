"""Averages and spread of plain numbers."""

from math import fsum, sqrt


class StatisticsError(ValueError):
    pass


def _values(data, least=1):
    data = list(data)
    if len(data) < least:
        raise StatisticsError(f"at least {least} data point{'s' if least > 1 else ''} required")
    return data


def mean(data):
    data = _values(data)
    total = sum(data) if all(isinstance(x, int) for x in data) else fsum(data)
    result = total / len(data)
    return int(result) if isinstance(total, int) and result == int(result) else result


def fmean(data, weights=None):
    data = _values(data)
    if weights is None:
        return fsum(data) / len(data)
    weights = list(weights)
    return fsum(x * w for x, w in zip(data, weights)) / fsum(weights)


def median(data):
    data = sorted(_values(data))
    middle = len(data) // 2
    return data[middle] if len(data) % 2 else (data[middle - 1] + data[middle]) / 2


def mode(data):
    counts = {}
    for x in _values(data):
        counts[x] = counts.get(x, 0) + 1
    return max(counts, key=counts.get)


def _squares(data, center):
    center = fmean(data) if center is None else center
    return fsum((x - center) ** 2 for x in data)


def pvariance(data, mu=None):
    data = _values(data)
    return _squares(data, mu) / len(data)


def variance(data, xbar=None):
    data = _values(data, 2)
    return _squares(data, xbar) / (len(data) - 1)


def pstdev(data, mu=None):
    return sqrt(pvariance(data, mu))


def stdev(data, xbar=None):
    return sqrt(variance(data, xbar))

"""Points and sums that are made from a seed: small problems on which a network shows what it can do."""

import math

import glowgrad as torch


def _check(n_samples, name="noise", noise=0):
    if n_samples < 1:
        raise ValueError(f"n_samples is 1 or more, not {n_samples}")
    if noise < 0:
        raise ValueError(f"{name} is 0 or more, not {noise}")


def _mixed(points, labels, noise, generator):
    points = points + noise * torch.randn(points.shape, generator=generator)
    order = torch.randperm(len(points), generator=generator)
    return points[order], labels[order]


def make_moons(n_samples=200, noise=0.1, *, generator=None):
    """Two half circles that hold on to each other: points [n_samples, 2], labels [n_samples] 0 and 1.

    `noise` is the standard deviation of what is added to each coordinate.

    >>> points, labels = torch.datasets.make_moons(100)
    >>> points.shape, labels.sum()
    """
    _check(n_samples, "noise", noise)
    n = n_samples // 2
    outer, inner = torch.linspace(0, math.pi, n_samples - n), torch.linspace(0, math.pi, n)
    points = torch.cat([
        torch.stack([outer.cos(), outer.sin()], 1),
        torch.stack([1 - inner.cos(), 0.5 - inner.sin()], 1),
    ])
    labels = torch.cat([torch.zeros(n_samples - n), torch.ones(n)]).long()
    return _mixed(points, labels, noise, generator)


def make_spirals(n_samples=300, classes=3, noise=0.05, turns=0.6, *, generator=None):
    """Arms of a spiral, one for each class: points [n_samples, 2] in the unit circle, labels [n_samples].

    >>> points, labels = torch.datasets.make_spirals(90, classes=3)
    >>> torch.bincount(labels)
    """
    _check(n_samples, "noise", noise)
    if classes < 1:
        raise ValueError(f"classes is 1 or more, not {classes}")
    labels = torch.arange(n_samples) % classes
    along = (torch.arange(n_samples) // classes + 1) / math.ceil(n_samples / classes)
    angle = 2 * math.pi * (turns * along + labels / classes)
    points = along.unsqueeze(1) * torch.stack([angle.cos(), angle.sin()], 1)
    return _mixed(points, labels, noise, generator)


def make_blobs(n_samples=100, centers=3, spread=1.0, box=10.0, *, generator=None):
    """Round clouds: points [n_samples, 2], labels [n_samples].

    `centers` is how many, whose middles are drawn between -box and box, or their middles as a tensor [n, 2]; `spread`
    is the standard deviation of each cloud.

    >>> points, labels = torch.datasets.make_blobs(30, centers=torch.tensor([[0.0, 0.0], [5.0, 5.0]]))
    >>> torch.bincount(labels)
    """
    _check(n_samples, "spread", spread)
    if not isinstance(centers, torch.Tensor):
        centers = (2 * torch.rand(int(centers), 2, generator=generator) - 1) * box
    labels = torch.arange(n_samples) % len(centers)
    return _mixed(centers[labels], labels, spread, generator)


def make_addition(n_samples=1000, digits=2, *, generator=None):
    """Sums as tokens: questions [n_samples, 2 * digits + 2] such as "12+34=", answers [n_samples, digits + 1], "046".

    A token is a digit itself, 10 stands for "+" and 11 for "=".

    >>> questions, answers = torch.datasets.make_addition(3)
    >>> questions.shape, answers.shape
    """
    _check(n_samples)
    if not 1 <= digits <= 17:
        raise ValueError(f"digits is from 1 to 17, not {digits}")
    terms = torch.randint(0, 10, (2, n_samples, digits), generator=generator)
    places = 10 ** torch.arange(digits - 1, -1, -1)
    total = (terms * places).sum(-1).sum(0)
    answers = total.unsqueeze(1) // 10 ** torch.arange(digits, -1, -1) % 10
    sign = torch.ones(n_samples, 1, dtype=torch.long)
    return torch.cat([terms[0], 10 * sign, terms[1], 11 * sign], 1), answers

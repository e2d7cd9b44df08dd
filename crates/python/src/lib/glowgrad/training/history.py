"""What a run recorded, and runs beside each other."""


class History(list):
    """A dict for each epoch: its number, the mean loss, what validation found, the rate, seconds.

    >>> from glowgrad.training import History
    >>> History([{"epoch": 1, "loss": 0.5}]).column("loss")
    """

    def __init__(self, rows=(), losses=(), norms=()):
        super().__init__(rows)
        # The loss of each step; the norms of the gradients, a dict by layer, each time they were looked at.
        self.losses, self.norms = list(losses), list(norms)

    def column(self, name):
        """One number of each epoch that has it. >>> glowgrad.training.History.column"""
        return [row[name] for row in self if name in row]

    def best(self, name, largest=False):
        """The epoch with the least (or largest) number of this name.

        >>> from glowgrad.training import History
        >>> History([{"epoch": 1, "loss": 0.5}, {"epoch": 2, "loss": 0.4}]).best("loss")
        """
        rows = [row for row in self if name in row]
        if not rows:
            raise ValueError(f"no epoch has {name!r}")
        return (max if largest else min)(rows, key=lambda row: row[name])

    def plot(self, *names):
        """Draws numbers over epochs: those named, or all losses. >>> glowgrad.training.History.plot"""
        compare({"": self}, *names)


def compare(runs, *names):
    """Draws the same numbers of some runs, histories or trainers by name, over epochs.

    >>> from glowgrad.training import History, compare
    >>> compare({"a": History([{"epoch": 1, "loss": 1.0}]), "b": History([{"epoch": 1, "loss": 2.0}])})
    """
    import matplotlib.pyplot as plt

    histories = {label: getattr(run, "history", run) for label, run in runs.items()}
    if not names:
        every = [name for history in histories.values() for row in history for name in row]
        names = [name for name in dict.fromkeys(every) if "loss" in name]
    for label, history in histories.items():
        for name in names:
            points = [(row["epoch"], row[name]) for row in history if name in row]
            plt.plot([x for x, _ in points], [y for _, y in points], label=f"{label} {name}".strip())
    plt.xlabel("epoch")
    plt.legend()
    plt.show()

import itertools


class Table:
    """The memory of a group, which counts how often each invocation reads it."""

    def __init__(self, size):
        self.places = [0] * size
        self.reads = [0] * size
        self.reader = 0

    def __len__(self):
        return len(self.places)

    def __getitem__(self, place):
        self.reads[self.reader] += 1
        return self.places[place]

    def __setitem__(self, place, number):
        self.places[place] = number


def run(x, order, given):
    """The group's out[0] and its table, where the invocations run in this order up to each barrier."""
    out, table, group = [None], Table(len(x)), {}
    for i in order:
        table.reader = i
        group[i] = add_up(i, table, x, out)
    if None in group.values():
        return out[0], table  # without a `yield` all have run already
    while True:
        gone = []
        for i in order:
            table.reader = i
            gone.append(next(group[i], "end") == "end")
        if all(gone):
            return out[0], table
        if any(gone):
            waiting = sum(not each for each in gone)
            got = f"{waiting} of {len(x)} wait, the others are done"
            raise AssertionError(f"given     {given}\ngot       {got}\nexpected  a barrier that all reach")


def check_all_come():
    """All of the group come to every barrier."""
    for size in (2, 4):
        run(list(range(1, size + 1)), range(size), f"a group of {size}")


def check_two():
    """A number is on the table before another invocation reads it."""
    for order in ([0, 1], [1, 0]):
        given = f"x = [1, 2], the invocations run in the order {order}: out[0]"
        expect(run([1, 2], order, given)[0], 3, given=given)


def check_four():
    """A turn begins when the turn before is over, in whatever order the invocations run."""
    for order in itertools.permutations(range(4)):
        given = f"x = [1, 10, 100, 1000], the invocations run in the order {list(order)}: out[0]"
        expect(run([1, 10, 100, 1000], order, given)[0], 1111, given=given)


def check_shared():
    """The group shares the work: of 64 numbers no invocation reads more than 20."""
    given = "64 numbers: how often the busiest invocation reads the table"
    most = max(run(list(range(64)), range(64), given)[1].reads)
    if most > 20:
        expect(most, 13, given=given)


def check_sizes():
    """It is right for groups of 1, 2, 4, … and 256, forwards and backwards."""
    for size in (1, 2, 4, 8, 16, 32, 64, 128, 256):
        x = [(7 * k) % 10 for k in range(size)]
        for order in (range(size), range(size - 1, -1, -1)):
            given = f"{size} numbers, invocations in the order {order[0]} … {order[-1]}: out[0]"
            expect(run(x, order, given)[0], sum(x), given=given)

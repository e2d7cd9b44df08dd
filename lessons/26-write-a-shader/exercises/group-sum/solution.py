def add_up(i, table, x, out):
    """What invocation i of a group does: the sum of x goes to out[0]. A `yield` is a barrier."""
    table[i] = x[i]
    yield
    reach = len(table) // 2
    while reach > 0:
        if i < reach:
            table[i] += table[i + reach]
        yield
        reach //= 2
    if i == 0:
        out[0] = table[0]

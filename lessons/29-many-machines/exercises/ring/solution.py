def plan(n):
    """For each step, the chunk that each worker sends to its right neighbour."""
    steps = []
    for t in range(n - 1):
        steps.append([(i - 1 - t) % n for i in range(n)])
    for t in range(n - 1):
        steps.append([(i - t) % n for i in range(n)])
    return steps

import glowgrad as torch

SIZES = 2, 3, 5


def after(n, count):
    """Whose parts are in each chunk of each worker, after so many steps of the plan."""
    held = [[[worker] for _ in range(n)] for worker in range(n)]
    for t, step in enumerate(plan(n)[:count]):
        packets = [held[i][step[i]] for i in range(n)]
        for i in range(n):
            right = held[(i + 1) % n]
            own = right[step[i]] if t < n - 1 else []
            right[step[i]] = sorted(own + packets[i])
    return held


def check_length():
    """A ring of n workers takes 2 (n - 1) steps, and each step has n chunk numbers."""
    for n in SIZES:
        steps = plan(n)
        expect(len(steps), 2 * (n - 1), given=f"n = {n}, the number of steps")
        for t, step in enumerate(steps):
            expect(len(step), n, given=f"n = {n}, step {t}: how many chunk numbers")


def check_numbers():
    """A chunk has a number from 0 to n - 1."""
    for n in SIZES:
        for t, step in enumerate(plan(n)):
            outside = [chunk for chunk in step if not 0 <= chunk < n]
            expect(outside, [], given=f"n = {n}, step {t}: the numbers outside")


def check_once():
    """In the first half no part is added twice."""
    for n in SIZES:
        for t in range(n - 1):
            for worker, chunks in enumerate(after(n, t + 1)):
                for chunk, parts in enumerate(chunks):
                    given = f"n = {n}, after step {t}: whose parts are in chunk {chunk} of worker {worker}"
                    expect(parts, sorted(set(parts)), given=given)


def check_own():
    """After the first half, worker i has the complete chunk i."""
    for n in SIZES:
        for worker, chunks in enumerate(after(n, n - 1)):
            given = f"n = {n}, steps so far {n - 1}: whose parts are in chunk {worker} of worker {worker}"
            expect(chunks[worker], list(range(n)), given=given)


def check_all():
    """At the end every worker has every chunk complete."""
    for n in SIZES:
        for worker, chunks in enumerate(after(n, 2 * (n - 1))):
            for chunk, parts in enumerate(chunks):
                given = f"n = {n}, at the end: whose parts are in chunk {chunk} of worker {worker}"
                expect(parts, list(range(n)), given=given)


def check_alone():
    """One worker has nothing to send."""
    expect(plan(1), [], given="n = 1")

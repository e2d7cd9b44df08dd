import bisect
import colorsys
import decimal
import fractions
import functools
import heapq
import inspect
import keyword
import numbers
import os
import queue
import sys
import threading
import traceback
import unittest
import uuid
import weakref
from decimal import Decimal

print(heapq.nsmallest(2, [3, 1, 2]), heapq.merge([1, 3], [2]).__class__.__name__, bisect.bisect([1, 2, 3], 2))
heap = [5, 3, 8]
heapq.heapify(heap)
heapq.heappush(heap, 1)
print([heapq.heappop(heap) for _ in range(4)])
print(fractions.Fraction(3, 6) + 1, fractions.Fraction("0.25"), Decimal("0.1") + Decimal("0.2"), Decimal(1) / 3)
print(colorsys.rgb_to_hsv(1, 0.5, 0), keyword.iskeyword("for"), isinstance(3, numbers.Integral))
q = queue.Queue()
q.put(1)
print(q.get(), q.empty())
done = []
thread = threading.Thread(target=done.append, args=(1,))
thread.start()
thread.join()
print(done, threading.current_thread().name)
with threading.Lock():
    print("locked")


def f(a, b=2, *args, c, d=4, **kwargs):
    """Adds.

    More words.
    """


print(inspect.signature(f), list(inspect.signature(f).parameters), inspect.getdoc(f))
print("fused" in inspect.signature(f).parameters, inspect.isfunction(f), inspect.isclass(dict))
print(inspect.signature(functools.partial(f, 1)), inspect.signature(lambda x, /, y: 0))
print(inspect.signature(f).bind(1, c=3).arguments, inspect.getfullargspec(f).args)
try:
    raise ValueError("bad")
except ValueError:
    print(traceback.format_exc().splitlines()[-1])
print(uuid.UUID("12345678123456781234567812345678"), uuid.uuid4().version)


class Thing:
    pass


thing = Thing()
print(weakref.ref(thing)() is thing)


class Tests(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(sum([1, 2]), 3)
        self.assertAlmostEqual(0.1 + 0.2, 0.3)
        with self.assertRaises(ZeroDivisionError):
            1 / 0

    def test_fails(self):
        self.assertTrue(False)


result = unittest.TestResult()
unittest.defaultTestLoader.loadTestsFromTestCase(Tests).run(result)
print(result.testsRun, len(result.failures), len(result.errors))
print(sys.argv[1:], sys.maxsize > 2**30, sys.platform != "", sys.version_info >= (3, 8), os.path.sep)

# Seeded calls of random, compared with CPython.
# Seeded `random`, number for number as in CPython (make.sh).
import random
random.seed(0)
print(random.random(), random.randint(1, 100), random.uniform(-1, 1))
print(random.choice('abcdef'), random.sample(range(100), 5), random.choices([1, 2, 3], k=4))
x = list(range(8)); random.shuffle(x); print(x)
print(random.gauss(0, 1), random.gauss(0, 1), random.normalvariate(2, 3))
print(random.expovariate(2), random.betavariate(2, 3), random.gammavariate(0.5, 1))
print(random.getrandbits(70), random.randrange(0, 100, 7), random.triangular())
random.seed(-12345678901234567890); print(random.random())
random.seed(2.5); print(random.random())
r = random.Random(42); print(r.random(), r.choices('ab', [1, 3], k=5), r.sample(range(1000), 30)[:4])
state = r.getstate(); a = r.random(); r.setstate(state); print(a == r.random())

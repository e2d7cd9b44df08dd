"""`np.random.default_rng`: NumPy's own numbers."""
import numpy as np
r=np.random.default_rng(0)
print(r.random(3), r.random(), r.random((2,100))[1,-3:], r.integers(0,10,5), r.integers(10), r.integers(0,1000,100)[-5:], r.random())
print(r.normal(size=5), r.normal(), r.standard_normal(1000)[-5:], r.random(), r.standard_normal((2,3)), r.normal(5,2,3))
print(r.uniform(-1,1,3), r.permutation(10), r.choice(5,3), r.choice([10,20,30],2), r.choice(10,4,replace=False), r.choice(20000,5,replace=False), r.choice(4,5,p=[0.1,0.2,0.3,0.4]), r.choice(4,3,replace=False,p=[0.1,0.2,0.3,0.4]), r.choice(100,90,replace=False)[:5], r.choice(10), r.random())
a=np.arange(12).reshape(6,2); r.shuffle(a); print(a); l=[1,2,3,4]; r.shuffle(l); print(l, r.permutation(a)[0])
print(r.exponential(2,3), round(r.exponential(), 8), r.standard_exponential(300).sum().round(8), r.poisson(3,5), r.binomial(10,0.5,5), r.binomial(1000,0.3,5), r.gamma(2,1,3), r.beta(2,3,2), r.poisson(100,3), r.geometric(0.2,3), r.laplace(0,1,2), r.lognormal(0,1,2), r.dirichlet([1,2]), r.chisquare(2,2), r.random())
print(r.integers(0,256,5,dtype=np.uint8), r.integers(0,100,5,dtype=np.int16), r.integers(0,2,5,dtype=bool), r.integers(1,6,5,endpoint=True), r.integers(0,2**40,3), r.integers(-3,3), r.random(3,dtype=np.float32), r.bytes(3), r.random())
x=r.standard_normal(100000); print(x.sum().round(8), x[-3:], r.random()); y=r.random(100000); print(y.sum(), r.integers(0,7,99999).sum(), r.random())
g=np.random.default_rng([1,2,3]); print(g.random(2)); g=np.random.default_rng(2**70+5); print(g.random(2)); print(np.random.SeedSequence(5).generate_state(3), np.random.SeedSequence(5).generate_state(2,np.uint64)); print([c.random() for c in np.random.default_rng(1).spawn(2)])
print(np.random.Generator(np.random.PCG64(3)).random(2), np.random.default_rng(12).multinomial(10,[0.3,0.7]), np.random.default_rng(5).normal([0,10],[1,2]))

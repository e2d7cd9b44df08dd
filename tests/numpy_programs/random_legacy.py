"""`np.random.seed` and its functions: NumPy's own numbers."""
import numpy as np
np.random.seed(0)
print(np.random.rand(3), np.random.rand(), np.random.rand(50)[-3:], np.random.randn(3), np.random.randn(), np.random.randn(101)[-3:], np.random.rand(1))
print(np.random.randint(0,10,5), np.random.randint(10), np.random.randint(3,100,50)[-5:], np.random.rand(1), np.random.randint(0,256,10), np.random.randint(0,2,(2,40))[1,-5:], np.random.rand(1))
print(np.random.permutation(10), np.random.permutation([1,2,3,4]), np.random.choice(5), np.random.choice(5,3), np.random.choice([10,20,30],2), np.random.choice(10,4,replace=False), np.random.choice(4,5,p=[0.1,0.2,0.3,0.4]), np.random.choice(4,3,replace=False,p=[0.1,0.2,0.3,0.4]), np.random.rand())
a=np.arange(12).reshape(6,2); np.random.shuffle(a); print(a); l=[1,2,3,4,5]; np.random.shuffle(l); print(l); b=np.arange(200); np.random.shuffle(b); print(b[:10])
print(np.random.uniform(-1,1,3), np.random.uniform(), np.random.normal(5,2,(2,2)), np.random.normal(), np.random.random((2,2)), np.random.random_sample(2), np.random.standard_normal((2,3)), np.random.uniform([0,10],[1,20]), np.random.normal([0,100],[1,2]))
print(np.random.exponential(2,3), np.random.exponential(), np.random.poisson(3,5), np.random.poisson(50,5), np.random.binomial(10,0.5,5), np.random.binomial(100,0.4,5),np.random.binomial(1000,0.7,20), np.random.gamma(2,1,3), np.random.gamma(0.5,2,3), np.random.beta(0.5,0.5,3), np.random.beta(2,3,3), np.random.dirichlet([1,2,3]), np.random.multinomial(20,[0.2,0.3,0.5]), np.random.laplace(0,1,3), np.random.gumbel(0,1,2), np.random.logistic(0,1,2), np.random.lognormal(0,1,2), np.random.geometric(0.5,4), np.random.geometric(0.1,4), np.random.chisquare(3,2), np.random.standard_t(4,2), np.random.rayleigh(1,2), np.random.weibull(2,2), np.random.pareto(3,2), np.random.triangular(0,1,2,2), np.random.standard_cauchy(2), np.random.f(2,3,2), np.random.power(2,2))
print(np.random.rand())
r=np.random.RandomState(42); print(r.rand(2), r.randint(0,5,3), r.randn(2), r.choice(3), r.permutation(4), r.uniform(0,5,(2,2)))
np.random.seed(123); x=np.random.randn(1000,3); print(x.sum().round(8), x[500]); print(np.random.randint(0,1000000,100000).sum(), np.random.rand(100000).sum(), np.random.rand())
print(np.random.randint(0,100,5,dtype=np.uint8), np.random.randint(0,100,5,dtype=np.int16), np.random.randint(0,2,10,dtype=bool), np.random.randint(0,100,3,dtype=np.int32), np.random.randint(-5,5,5), np.random.randint(0,2**40,3), np.random.randint([1,10],[5,20]), np.random.bytes(5), np.random.rand())
s=np.random.get_state(); u=np.random.randn(3); np.random.set_state(s); print((u==np.random.randn(3)).all())
np.random.seed(7); z=[np.random.randn() for _ in range(5)]+[np.random.rand()]; np.random.seed(7); print(z[:2], np.random.randn(5), np.random.rand()==z[-1], type(np.random.rand()), type(np.random.randint(5)), type(np.random.randn()), type(np.random.choice(5)), type(np.random.choice([1.5])), type(np.random.normal()), type(np.random.uniform()))
np.random.seed(3); print(np.random.multivariate_normal([0,0],[[1,0],[0,1]],2).shape)


def attempt(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, "|", e)


for f in (
    lambda: np.random.choice(3, 5, replace=False), lambda: np.random.choice(3, p=[0.5, 0.5]), lambda: np.random.choice(2, p=[0.5, 0.6]), lambda: np.random.randint(5, 2), lambda: np.random.seed(-1), lambda: np.random.normal(0, -1),
    lambda: np.random.choice(0), lambda: np.random.choice([[1, 2]]), lambda: np.random.choice(2, p=[-0.5, 1.5]), lambda: np.random.randint(300, dtype=np.uint8), lambda: np.random.rand("a"), lambda: np.random.foo, lambda: np.random.binomial(5, 2), lambda: np.random.permutation(0), lambda: np.random.rand(0), lambda: np.random.randn(2, 0).shape,
    lambda: np.random.choice(["a", "b"]) if False else 0,
):
    attempt(f)

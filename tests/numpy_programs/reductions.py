"""Reductions, to the last digit: sums add in NumPy's order."""
import numpy as np
def mk(n, seed=1):
    x=seed; out=[]
    for i in range(n):
        x=(x*1103515245+12345)%2147483648
        out.append((x/2147483648-0.5)*10)
    return np.array(out)
for n in (3,8,20,100,128,129,1000,1007,8192):
    a=mk(n)
    print(repr(a.sum()), repr(a.mean()), repr(a.std()), repr(a.var(ddof=1)), repr(a.max()), repr(a.prod()))
A=mk(3000).reshape(50,60)
print(A.sum(0).tolist()[:5], A.sum(1).tolist()[:5], repr(A.sum()), repr(A.T.sum()), A.T.sum(0).tolist()[:5], A.std(1).tolist()[:3])
B=mk(6000).reshape(10,20,30)
print(B.sum(1).tolist()[3][:4], B.sum((0,1)).tolist()[:4], B.sum((1,2)).tolist()[:4], B.sum((0,2)).tolist()[:4], B.sum((0,2),keepdims=True).shape)
print(B.mean((0,2)).tolist()[:4], B[:, ::2].sum(), B[::2].sum((0,1)).tolist()[:3], B[:,:,::3].sum(), B.transpose(2,0,1).sum(1).tolist()[0][:3])
C=mk(1000).reshape(10,100).astype(np.float32)
print(C.sum(0)[:5], C.sum(1)[:5], repr(C.sum()), repr(C.mean()), repr(C.std()), C.mean(0)[:3])
D=C.astype(np.float16); print(D.sum(1)[:5], D.sum(), D.mean())
print(np.median(A), np.median(A,axis=0)[:3], np.percentile(A,[25,50,75]), np.percentile(A,10,axis=1)[:3], np.quantile(A,0.3,keepdims=True))
print(np.percentile([1,2,3,4],30,method="lower"), np.percentile([1,2,3,4],30,method="higher"), np.percentile([1,2,3,4],30,method="nearest"), np.percentile([1,2,3,4],30,method="midpoint"))
i=np.array([[1,2,3],[4,5,6]])
print(repr(i.sum()), i.sum(0), i.mean(), i.mean(1), i.prod(), i.cumsum(), i.cumsum(1), i.cumprod(0), i.max(1), i.min(), i.argmax(), i.argmax(1), i.argmin(0), i.std(), i.var(0), i.any(), i.all(1), i.ptp() if hasattr(i,"ptp") else np.ptp(i,0))
print(repr(np.array([1,2],dtype=np.uint8).sum()), np.array([1,2],dtype=np.int8).prod().dtype, (i>2).sum(), (i>2).mean(), np.count_nonzero(i>2), np.count_nonzero(i>2,axis=0))
n=np.array([[1.,np.nan,3],[4,5,6]])
print(n.sum(), n.max(), n.argmax(), np.nansum(n), np.nanmean(n,axis=0), np.nanmax(n,axis=1), np.nanstd(n), np.nanmedian(n), np.nanmin(n), np.nanargmax(n), np.median(n), np.nanpercentile(n,50), np.nanvar(n,ddof=1))
print(np.average([1.,2,3],weights=[3,2,1]), np.average(i,axis=0,weights=[1,3]), np.average(i), np.trace(i))
print(np.sum([[1,2],[3,4]],where=[[True,False],[True,True]]), np.max([1,5,2],initial=7), np.max(i,where=[True,False,True],initial=-1), np.sum([],initial=5), np.mean([[1,2],[3,4]],keepdims=True))
o=np.zeros(3); np.sum(i,axis=0,out=o); print(o)
print(np.sum(i,axis=-1,keepdims=True), np.add.reduce(i), np.add.reduce(i,axis=1), np.maximum.accumulate([1,3,2,5]), np.multiply.outer([1,2],[3,4]), np.multiply.accumulate([1,2,3]))
z=np.zeros(3); np.add.at(z,[0,0,2],1); print(z)
print(np.argmax([[0,1],[1,0]],axis=1,keepdims=True), np.cumsum([0.1]*10), sum([np.float64(0.1)]*10))


def attempt(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, "|", e)


for f in (
    lambda: np.sum(i, axis=2), lambda: np.sum(i, axis=(0, 0)), lambda: np.max([]), lambda: np.argmax([]), lambda: np.mean([]) if False else 0, lambda: np.min(np.zeros((0, 3)), axis=0),
    lambda: np.max(np.zeros((0, 3)), axis=1), lambda: np.sum(np.zeros((0, 3)), axis=0), lambda: np.sum([], initial=2), lambda: i.sum(axis=-3), lambda: np.percentile(i, 101), lambda: np.quantile(i, -1),
    lambda: np.sum([1, 2], foo=1), lambda: np.average(i, weights=[1, 2]), lambda: np.average([1, 2], weights=[0, 0]), lambda: np.nanargmax([np.nan]), lambda: np.max(i, where=[True, False, True]),
    lambda: np.all([]), lambda: np.any([]), lambda: np.prod([]), lambda: np.cumsum([]), lambda: np.all(i > 0, axis=1), lambda: np.any(i > 5, axis=0, keepdims=True), lambda: i.all(), lambda: i.sum(dtype=float), lambda: i.mean(dtype=np.float32),
    lambda: i.min(axis=(0, 1)), lambda: i.max(keepdims=True), lambda: np.std(i, axis=0, ddof=1), lambda: np.var(i, ddof=1, keepdims=True), lambda: np.ptp(i, axis=1), lambda: np.cumulative_sum([1, 2], include_initial=True), lambda: np.nancumsum([1, np.nan, 2.0]), lambda: np.nanprod([2, np.nan]),
):
    attempt(f)

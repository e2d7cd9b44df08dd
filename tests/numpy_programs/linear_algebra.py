"""Matrices, polynomials, neighbours: `np.linalg` and what is made of products."""
import numpy as np
A=np.array([[4.,1,2],[1,3,0],[2,0,5]])
print(np.linalg.inv(A)); print(np.linalg.det(A).round(10), np.linalg.solve(A,[1,2,3]), np.linalg.cholesky(A)); 
q,r=np.linalg.qr(A); print(q.round(6)); print(r.round(6)); print(np.allclose(q@r,A))
w,v=np.linalg.eigh(A); print(w.round(8)); print(np.abs(v).round(6)); print(np.allclose(A@v, v*w))
B=np.arange(12.).reshape(4,3)**0.5
u,s,vt=np.linalg.svd(B); print(u.shape,s.round(8),vt.shape, np.allclose(u[:,:3]*s@vt,B), np.allclose(u.T@u, np.eye(4)))
u,s,vt=np.linalg.svd(B.T,full_matrices=False); print(u.shape,s.round(8),vt.shape, np.allclose(u*s@vt,B.T))
print(np.linalg.pinv(B).round(6)); print(np.linalg.lstsq(B,np.arange(4.),rcond=None)[0].round(6), np.linalg.matrix_rank(np.ones((3,3))), np.linalg.matrix_rank(B), np.linalg.cond(A).round(6))
for o in (None,"fro","nuc",1,-1,2,-2,np.inf,-np.inf): print(o, np.round(np.linalg.norm(B,o),8))
for o in (None,0,1,2,3,np.inf,-np.inf,0.5): print(o, np.round(np.linalg.norm(B[1:].ravel(),o),8), np.round(np.linalg.norm(B,o,axis=1),6) )
print(np.linalg.norm(B,axis=0,keepdims=True).shape, np.linalg.norm(B,keepdims=True).shape, np.linalg.matrix_power([[1,1],[0,1]],5), np.linalg.matrix_power(A,-1).round(4), np.linalg.slogdet(A).sign)
C=np.stack([A,A+np.eye(3)]); print(np.linalg.det(C).round(8), np.linalg.inv(C).shape, np.linalg.eigvalsh(C).round(6))
print(np.linalg.multi_dot([A,A,A])[0], np.linalg.svd(np.ones((3,3)))[1].round(6))
for f in (lambda: np.linalg.inv(np.zeros((2,2))), lambda: np.linalg.inv(np.ones(3)), lambda: np.linalg.cholesky(-A), lambda: np.linalg.solve(np.zeros((2,2)),[1,2])):
    try: f()
    except Exception as e: print(type(e).__name__, e)
x=np.linspace(0,1,20); print(np.polyfit(x,3*x**2-x+0.5,2).round(6), np.polyval([1,2,3],2), np.polyval([1,2,3],[1.,2]), np.poly1d([1,2,3]), repr(np.poly1d([1.,-2])*np.poly1d([1.,2])))
print(np.cov([[1.,2,3],[3,1,2]]), np.corrcoef([1.,2,3],[3,1,2]), np.cov([1.,2,4]).round(10), np.cov(B,rowvar=False).round(5))
print(np.interp([0.5,1.5,5,-1],[0,1,2],[0,10,20]), np.interp(1.25,[1,2],[3,4]), np.gradient([1.,4,9,16]), np.gradient(B)[0].round(4), np.gradient([1.,4,9],2.0), np.gradient([1.,4,9,20],[0.,1,3,4]), np.gradient([1.,4,9,20],edge_order=2))
print(np.convolve([1,2,3],[0,1,0.5]), np.convolve([1,2,3],[1,1],"same"), np.convolve([1,2,3],[1,1],"valid"), np.correlate([1,2,3],[0,1,0.5],"full"), np.correlate([1,2,3,4],[1,2]), np.diff([1,4,9,16],n=2), np.diff(B,axis=0).shape, np.diff([1,2],prepend=0), np.trapezoid([1,2,3],[0,1,3]), np.ediff1d([1,4,9]))
print(np.dot([1,2],[3,4]), np.dot(A,[1,2,3]), np.inner(A,A)[0], np.outer([1,2],[3,4]), np.vdot(A,A), np.kron([1,10],[1,1]), np.cross([1,0,0],[0,1,0]), np.tensordot(A,A,1)[0], np.einsum("ij,jk->ik",A,A)[0], np.einsum("ii",A), np.einsum("ij->j",A), np.einsum("i,j",[1,2],[3,4]), np.einsum("...i,...i",A,A), np.matmul(A,A)[0], A@A[0], [1,2,3]@A)
print(np.round(2.5), np.round([1.25,-1.35,2.675],1), np.round(1234.5,-2), np.round(1234,-2), np.clip([1,5,9],2,7), np.clip(5,0,3), np.nan_to_num([np.nan,np.inf,-np.inf,1]), np.around([0.5,1.5]), np.fix([1.7,-1.7]), np.unwrap([0.,3,6,0.5]), np.sinc([0,0.5]), np.hanning(5), np.hamming(4).round(4), np.float64(3.14159).round(2))
print(np.apply_along_axis(lambda r: r.max()-r.min(),1,B).round(4), np.vectorize(lambda a,b: a+b if a>1 else 0)([1,2,3],2), np.finfo(np.float32), np.iinfo(np.int16), np.finfo(float).eps, np.average([[1,2],[3,4]],axis=1), np.isscalar(3.0), np.isscalar([1]))
print(np.meshgrid([1,2,3],[4,5]), np.mgrid[0:2,0:3], np.r_[1:4,0,4], np.c_[[1,2],[3,4]], np.ogrid[0:2,0:3], np.indices((2,2)), np.tri(3), np.triu(A), np.vander([1,2,3]), np.logspace(0,3,4), np.geomspace(1,1000,4), np.linspace(0,1,5,endpoint=False), np.linspace(0,10,3,dtype=int), np.linspace([0,1],[1,2],3), np.arange(0,1,0.1), np.arange(5,0,-2), np.arange(3.0), np.arange(1,4,dtype=np.float32), np.linspace(0,1,3,retstep=True))

"""Singular values, eigenvalues, least squares."""
import numpy as np
rng=np.random.RandomState(0)
for shape in ((1,1),(1,3),(3,1),(5,5),(8,3),(3,8),(30,20)):
    A=rng.randn(*shape)
    u,s,vt=np.linalg.svd(A,full_matrices=False)
    print(shape, np.allclose(u*s@vt,A), np.allclose(u.T@u,np.eye(u.shape[1])), np.round(s[:3],8), np.linalg.matrix_rank(A), np.allclose(np.linalg.pinv(A)@A@np.linalg.pinv(A), np.linalg.pinv(A)))
    S=A@A.T; w,v=np.linalg.eigh(S); print(np.allclose(v*w@v.T,S), np.round(w[-3:],8), np.allclose(v.T@v,np.eye(len(v))))
B=np.outer([1.,2,3],[1,2]); u,s,vt=np.linalg.svd(B); print(np.allclose(u.T@u,np.eye(3)), s.round(10), np.allclose(u[:,:2]*s@vt,B))
Z=np.zeros((3,3)); u,s,vt=np.linalg.svd(Z); print(s, np.allclose(u.T@u,np.eye(3)), np.allclose(vt@vt.T,np.eye(3))); print(np.linalg.eigh(Z)[0], np.linalg.eigh(np.diag([3.,1,2]))[0], np.linalg.matrix_rank(Z))
f=rng.randn(6,4).astype(np.float32); u,s,vt=np.linalg.svd(f,full_matrices=False); print(np.allclose(u*s@vt,f,atol=1e-5), s.dtype, s.round(4)); print(np.linalg.lstsq(rng.randn(10,3),rng.randn(10),rcond=None)[0].round(6), np.linalg.lstsq(rng.randn(10,3),rng.randn(10,2),rcond=None)[1].round(6), np.linalg.norm(rng.randn(4,4),2).round(8))

import torch
import torch.distributions as D
from torch.distributions import biject_to, constraints, transform_to, transforms

T = torch.tensor


def rounded(x):
    return [round(v, 4) + 0.0 for v in x.flatten().tolist()]


def attempt(name, call):
    try:
        print("  ", name, call())
    except Exception as error:
        print("  ", name, type(error).__name__, error)


x = T([[0.3, -0.5, 1.2], [0.0, 2.0, -1.0]])
above = x.abs() + 0.1
for t, at in (
    (D.ExpTransform(), x),
    (D.AffineTransform(1.0, -2.0), x),
    (D.AffineTransform(T([1.0, 0.0, 2.0]), T([2.0, 1.0, -1.0]), event_dim=1), x),
    (D.SigmoidTransform(), x),
    (D.TanhTransform(), x),
    (D.SoftplusTransform(), x),
    (D.PowerTransform(T(2.0)), above),
    (D.AbsTransform(), x),
    (D.SoftmaxTransform(), x),
    (D.StickBreakingTransform(), x),
    (D.CorrCholeskyTransform(), x),
    (D.ComposeTransform([D.AffineTransform(0.5, 2.0), D.ExpTransform()]), x),
    (D.IndependentTransform(D.ExpTransform(), 1), x),
    (D.ReshapeTransform((3,), (3, 1)), x),
    (D.CatTransform([D.ExpTransform(), D.TanhTransform()], dim=-1, lengths=[1, 2]), x),
    (D.StackTransform([D.ExpTransform(), D.TanhTransform(), D.SigmoidTransform()], dim=-1), x),
    (D.ComposeTransform([D.ExpTransform(), D.PowerTransform(2.0), D.AffineTransform(0.0, 3.0)]).inv, above),
    (D.ExpTransform().inv, above),
    (transforms.identity_transform, x),
    (transforms.CumulativeDistributionTransform(D.Normal(0.0, 2.0)), x),
):
    print(t, t.bijective)
    for name in ("domain", "codomain", "event_dim", "sign"):
        attempt(name, lambda: getattr(t, name))
    y = t(at)
    print("   forward", y.shape, rounded(y))
    attempt("back", lambda: rounded(t.inv(y)))
    attempt("stretch", lambda: rounded(t.log_abs_det_jacobian(at, y)))
    print("  ", tuple(t.forward_shape(at.shape)), tuple(t.inverse_shape(y.shape)), t == t, t == D.ExpTransform(), t.inv.inv == t)

matrix = T([[1.0, 0.5], [0.3, 2.0]])
for t in (D.LowerCholeskyTransform(), D.PositiveDefiniteTransform()):
    print(t, rounded(t(matrix)), rounded(t.inv(t(matrix))))
cached = D.ExpTransform().with_cache(1)
y = cached(x)
print(cached.inv(y) is x, D.ExpTransform().inv(y) is x, cached(x) is y, cached.with_cache(1) is cached)
for t in (D.AffineTransform(1.0, 2.0), D.PowerTransform(2.0), D.ComposeTransform([D.ExpTransform()]), D.IndependentTransform(D.ExpTransform(), 1), D.ReshapeTransform((3,), (3, 1))):
    again = t.with_cache()
    print(again, torch.equal(again(above), t(above)))
print(D.AffineTransform(1.0, 2.0) == D.AffineTransform(1.0, 2.0), D.AffineTransform(1.0, 2.0) == D.AffineTransform(1.0, T(3.0)), D.PowerTransform(2.0) == D.PowerTransform(2.0))
slope = torch.autograd.functional.jacobian(lambda v: D.StickBreakingTransform()(v)[:-1], x[0])
print(torch.allclose(slope.det().abs().log(), D.StickBreakingTransform().log_abs_det_jacobian(x[0], D.StickBreakingTransform()(x[0])), atol=1e-4))

# From what parameters are to real numbers, and back.
for constraint in (
    constraints.real, constraints.positive, constraints.nonnegative, constraints.greater_than(2.0), constraints.greater_than_eq(1.0), constraints.less_than(1.0),
    constraints.unit_interval, constraints.interval(-1.0, 3.0), constraints.half_open_interval(0.0, 2.0), constraints.simplex, constraints.real_vector, constraints.lower_cholesky,
    constraints.positive_definite, constraints.positive_semidefinite, constraints.corr_cholesky, constraints.independent(constraints.positive, 1),
    constraints.stack([constraints.positive, constraints.real], -1), constraints.cat([constraints.positive, constraints.real], -1, [1, 2]),
    constraints.boolean, constraints.one_hot, constraints.positive_integer, constraints.nonnegative_integer, constraints.integer_interval(0, 4), constraints.multinomial(3),
    constraints.lower_triangular, constraints.square, constraints.symmetric, constraints.MixtureSameFamilyConstraint(constraints.real),
):
    print(constraint, constraint.is_discrete, constraint.event_dim)
    attempt("transform_to", lambda: transform_to(constraint))
    attempt("biject_to", lambda: biject_to(constraint))
print(constraints.dependent, constraints.is_dependent(constraints.dependent), constraints.is_dependent(D.Uniform.support), constraints.is_dependent(constraints.real))
print(constraints.dependent(event_dim=1).event_dim, D.Uniform.support.event_dim, D.Categorical.support.is_discrete)
attempt("event_dim", lambda: constraints.dependent.event_dim)
attempt("check", lambda: constraints.dependent.check(T(1.0)))
free = T([0.5, -1.0], requires_grad=True)
inside = transform_to(constraints.interval(-1.0, 3.0))(free)
print(inside, torch.autograd.grad(inside.sum(), free))

line = T([-1.0, 0.0, 0.5, 1.0, 2.0, float("nan")])
for constraint in (constraints.real, constraints.positive, constraints.nonnegative, constraints.unit_interval, constraints.boolean, constraints.positive_integer, constraints.nonnegative_integer,
                   constraints.integer_interval(0, 1), constraints.greater_than(0.5), constraints.greater_than_eq(0.5), constraints.less_than(0.5), constraints.half_open_interval(0.0, 1.0)):
    print(constraint, constraint.check(line).tolist())
matrices = torch.stack([torch.eye(2), T([[1.0, 2.0], [2.0, 1.0]]), T([[1.0, 0.0], [2.0, 1.0]]), T([[1.0, 0.5], [0.5, 1.0]]), torch.zeros(2, 2)])
for constraint in (constraints.square, constraints.symmetric, constraints.lower_triangular, constraints.lower_cholesky, constraints.positive_definite, constraints.positive_semidefinite, constraints.corr_cholesky):
    print(constraint, [constraint.check(each).item() for each in matrices], constraint.check(matrices[::3]).tolist())
for constraint, at in (
    (constraints.simplex, [[0.5, 0.5], [0.5, 0.6], [-0.5, 1.5]]), (constraints.one_hot, [[0.0, 1.0], [1.0, 1.0], [0.5, 0.5]]), (constraints.multinomial(3), [[1.0, 2.0], [2.0, 2.0]]),
    (constraints.real_vector, [[1.0, 2.0], [2.0, float("nan")]]), (constraints.stack([constraints.positive, constraints.real], -1), [[1.0, -1.0], [-1.0, 1.0]]),
    (constraints.cat([constraints.positive, constraints.real], -1, [1, 1]), [[1.0, -1.0], [-1.0, 1.0]]),
):
    print(constraint, constraint.check(T(at)).tolist())


class Odd(constraints.Constraint):
    pass


@transform_to.register(Odd)
def _odd(constraint):
    return D.TanhTransform()


print(transform_to(Odd()))
for name, call in (
    ("cache", lambda: D.ExpTransform(cache_size=2)), ("sizes", lambda: D.ReshapeTransform((2,), (3,))), ("register", lambda: transform_to.register(3, len)),
    ("shape", lambda: D.StickBreakingTransform().forward_shape(())), ("shape", lambda: D.CorrCholeskyTransform().forward_shape((2,))), ("shape", lambda: D.CorrCholeskyTransform().inverse_shape((2, 3))),
    ("shape", lambda: D.ReshapeTransform((2,), (2, 1)).forward_shape(torch.Size((3,)))), ("lengths", lambda: D.CatTransform([D.ExpTransform()], lengths=[1, 2])), ("parts", lambda: D.CatTransform([3])),
    ("cat", lambda: D.CatTransform([D.ExpTransform()])(torch.ones(2))), ("stack", lambda: D.StackTransform([D.ExpTransform()])(torch.ones(2))), ("dims", lambda: D.IndependentTransform(D.ExpTransform(), 2)(torch.ones(2))),
    ("sign", lambda: D.SoftmaxTransform().sign), ("vector", lambda: D.utils.vec_to_tril_matrix(torch.ones(2))), ("diag", lambda: D.utils.tril_matrix_to_vec(torch.eye(2), diag=2)),
):
    attempt(name, call)
print(D.utils.vec_to_tril_matrix(T([1.0, 2.0, 3.0])), D.utils.tril_matrix_to_vec(T([[1.0, 9.0], [2.0, 3.0]])), D.utils.vec_to_tril_matrix(torch.ones(2, 1), diag=-1))
print(D.utils.broadcast_all(T([1.0, 2.0]), 3), D.utils.broadcast_all(1, 2.0), D.utils.probs_to_logits(T([0.2, 0.8])), D.utils.logits_to_probs(T([0.0, 1.0])), D.utils.probs_to_logits(T([0.2, 1.0]), is_binary=True))

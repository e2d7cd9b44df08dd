"""`torch.optim.lbfgs`: steps that know the curvature."""

import _glowgrad as _C
from glowgrad._tensor import Tensor
from glowgrad.autograd import enable_grad, no_grad
from glowgrad.optim._rule import _check_rate
from glowgrad.optim.optimizer import Optimizer, _hooked

__all__ = ["LBFGS"]


class LBFGS(Optimizer):
    """Newton's method with a curvature learned from the last steps; `step` takes a closure.

    >>> w = torch.tensor([1.0, 5.0], requires_grad=True)
    >>> optimizer = optim.LBFGS([w], line_search_fn="strong_wolfe")
    >>> def closure():
    >>>     optimizer.zero_grad()
    >>>     loss = (w ** 2).sum()
    >>>     loss.backward()
    >>>     return loss
    >>>
    >>> optimizer.step(closure)
    >>> w
    """

    def __init__(self, params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-7,
                 tolerance_change=1e-9, history_size=100, line_search_fn=None, *, maximize=False):
        _check_rate(lr)
        if max_eval is None:
            max_eval = max_iter * 5 // 4
        super().__init__(params, dict(
            lr=lr, max_iter=max_iter, max_eval=max_eval, tolerance_grad=tolerance_grad,
            tolerance_change=tolerance_change, history_size=history_size,
            line_search_fn=line_search_fn, maximize=maximize,
        ))
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    def step(self, closure):
        """Calls `closure`, which computes the loss and its gradients, as often as the search needs.

        >>> w = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = optim.LBFGS([w])
        >>> def closure():
        >>>     optimizer.zero_grad()
        >>>     loss = (w ** 2).sum()
        >>>     loss.backward()
        >>>     return loss
        >>>
        >>> optimizer.step(closure)
        """
        recording = _C.record(False)

        def loss_of():
            _C.record(recording)
            try:
                with enable_grad():
                    return closure()
            finally:
                _C.record(False)

        try:
            with no_grad():
                return _Search(self, loss_of).run()
        finally:
            _C.record(recording)

    step = _hooked(step)


class _Search:
    """One call of `step`: up to `max_iter` moves."""

    def __init__(self, optimizer, closure):
        (group,) = optimizer.param_groups
        self.closure, self.group, self.params = closure, group, group["params"]
        self.state = optimizer.state[self.params[0]] if self.params else {}
        self.sign = -1.0 if group.get("maximize") else 1.0

    def run(self):
        if not self.params:
            return self.closure()
        group, state = self.group, self.state
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first = self.closure()
        loss, grad = self.sign * float(first), self.gradient()
        self.evaluations = 1
        state["func_evals"] += 1
        if grad.abs().max() <= group["tolerance_grad"]:
            return first
        kept = (
            "d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss",
        )
        found = {name: state.get(name) for name in kept}
        self.iterate(found, loss, grad)
        state.update(found)
        return first

    def iterate(self, found, loss, grad):
        group, state = self.group, self.state
        lr = group["lr"]
        lr = lr.squeeze() if isinstance(lr, Tensor) and lr.ndim else lr
        for n in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            self.direct(found, grad)
            d = found["d"]
            before = found["prev_flat_grad"]
            found["prev_flat_grad"] = grad.clone() if before is None else before.copy_(grad)
            found["prev_loss"] = loss
            # The first move is a unit long at most: nothing is known yet of the curvature.
            first = state["n_iter"] == 1
            t = found["t"] = min(1.0, 1.0 / grad.abs().sum()) * lr if first else lr
            slope = grad.dot(d)
            if slope > -group["tolerance_change"]:
                return
            loss, grad, t, n_calls, is_flat = self.move(n, loss, grad, t, d, slope)
            found["t"] = t
            self.evaluations += n_calls
            state["func_evals"] += n_calls
            if (
                n == group["max_iter"] or self.evaluations >= group["max_eval"] or is_flat
                or d.mul(t).abs().max() <= group["tolerance_change"]
                or abs(loss - found["prev_loss"]) < group["tolerance_change"]
            ):
                return

    def direct(self, found, grad):
        """The direction: the gradient through the inverse curvature of the last moves."""
        if self.state["n_iter"] == 1:
            found.update(d=grad.neg(), old_dirs=[], old_stps=[], ro=[], H_diag=1)
            return
        changes, moves, ro = found["old_dirs"], found["old_stps"], found["ro"]
        y, s = grad.sub(found["prev_flat_grad"]), found["d"].mul(found["t"])
        ys = y.dot(s)
        if ys > 1e-10:
            if len(changes) == self.group["history_size"]:
                for history in (changes, moves, ro):
                    history.pop(0)
            changes.append(y)
            moves.append(s)
            ro.append(1.0 / ys)
            found["H_diag"] = ys / y.dot(y)
        al = self.state.setdefault("al", [None] * self.group["history_size"])
        q = grad.neg()
        for i in reversed(range(len(changes))):
            al[i] = moves[i].dot(q) * ro[i]
            q = q - changes[i] * al[i]
        d = q * found["H_diag"]
        for i in range(len(changes)):
            d = d + moves[i] * (al[i] - changes[i].dot(d) * ro[i])
        found["d"] = d

    def move(self, n, loss, grad, t, d, slope):
        """Moves along d: loss, gradient, length of the step, calls, and whether it is flat now."""
        group = self.group
        search = group["line_search_fn"]
        n_calls = 0
        is_flat = False
        if search is not None:
            if search != "strong_wolfe":
                raise RuntimeError("only 'strong_wolfe' is supported")
            start = [p.clone() for p in self.params]

            def at(length):
                self.add(length, d)
                value = self.sign * float(self.closure())
                gradient = self.gradient()
                for p, value_there in zip(self.params, start):
                    p.copy_(value_there)
                return value, gradient

            loss, grad, t, n_calls = _strong_wolfe(
                at, t, d, loss, grad, slope, group["max_eval"] - self.evaluations
            )
        self.add(t, d)
        if search is None and n != group["max_iter"]:
            loss, n_calls = self.sign * float(self.closure()), 1
            grad = self.gradient()
        if search is not None or n_calls:
            is_flat = bool(grad.abs().max() <= group["tolerance_grad"])
        return loss, grad, t, n_calls, is_flat

    def gradient(self):
        """All gradients in one row."""
        parts = [
            p.detach().new_zeros(p.numel()) if p.grad is None else p.grad.reshape(-1)
            for p in self.params
        ]
        row = _C.cat(parts, 0)
        return row.neg() if self.sign < 0 else row

    def add(self, length, direction):
        start = 0
        for p in self.params:
            p.add_(direction[start:start + p.numel()].view_as(p) * length)
            start += p.numel()


class _Point:
    """A place on the line: how far it is, the loss there, the gradient and the slope."""

    def __init__(self, t, loss, grad, slope):
        self.t, self.loss, self.grad, self.slope = t, loss, grad, slope


def _strong_wolfe(at, t, d, loss, grad, slope, most, c1=1e-4, c2=0.9, least_change=1e-9):
    """A length of step after which the loss is lower and the slope flatter, as Wolfe asks."""
    longest = d.abs().max()
    start = last = _Point(0, loss, grad.clone(), slope)

    def look(t):
        value, gradient = at(t)
        return _Point(t, value, gradient, gradient.dot(d))

    def is_lower(point):
        return point.loss <= loss + c1 * point.t * slope

    def is_flat(point):
        return abs(point.slope) <= -c2 * slope

    here = look(t)
    n_calls, n = 1, 0
    bracket, is_done = None, False
    while n < most:
        if not is_lower(here) or n > 1 and here.loss >= last.loss:
            bracket = [last, here]
        elif is_flat(here):
            bracket, is_done = [here], True
        elif here.slope >= 0:
            bracket = [last, here]
        if bracket is not None:
            break
        bounds = here.t + 0.01 * (here.t - last.t), here.t * 10
        t = _cubic_minimum(last, here, bounds)
        last, here = here, look(t)
        n_calls, n = n_calls + 1, n + 1
    if n == most:
        bracket = [start, here]
    low, high = (0, 1) if bracket[0].loss <= bracket[-1].loss else (1, 0)
    is_stuck = False
    while not is_done and n < most:
        if abs(bracket[1].t - bracket[0].t) * longest < least_change:
            break
        t = _cubic_minimum(*bracket)
        left, right = sorted((bracket[0].t, bracket[1].t))
        margin = 0.1 * (right - left)
        # Too near an end twice, or outside: a tenth inside of it instead.
        is_near = min(right - t, t - left) < margin
        if is_near and (is_stuck or t >= right or t <= left):
            t = right - margin if abs(t - right) < abs(t - left) else left + margin
            is_near = False
        is_stuck = is_near
        here = look(t)
        n_calls, n = n_calls + 1, n + 1
        if not is_lower(here) or here.loss >= bracket[low].loss:
            bracket[high] = here
            low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
        else:
            if is_flat(here):
                is_done = True
            elif here.slope * (bracket[high].t - bracket[low].t) >= 0:
                bracket[high] = bracket[low]
            bracket[low] = here
    best = bracket[low]
    return best.loss, best.grad, best.t, n_calls


def _cubic_minimum(a, b, bounds=None):
    """Where the cubic through two points with their slopes is least, within bounds."""
    least, most = bounds or ((a.t, b.t) if a.t <= b.t else (b.t, a.t))
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
    square = d1 ** 2 - a.slope * b.slope
    if not square >= 0:
        return (least + most) / 2.0
    if a.t > b.t:
        a, b = b, a
    d2 = square.sqrt()
    t = b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
    return min(max(t, least), most)

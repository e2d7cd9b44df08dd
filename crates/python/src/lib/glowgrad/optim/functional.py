"""`torch.optim.functional`: the steps of optimizers as functions of lists of tensors.

Each writes on the parameters and on what it remembers of them, which the caller keeps.
"""

import _glowgrad as _C
from glowgrad._tensor import Tensor
from glowgrad.optim._adafactor import Adafactor
from glowgrad.optim._muon import Muon
from glowgrad.optim.adadelta import Adadelta
from glowgrad.optim.adagrad import Adagrad
from glowgrad.optim.adam import Adam
from glowgrad.optim.adamax import Adamax
from glowgrad.optim.asgd import ASGD
from glowgrad.optim.nadam import NAdam
from glowgrad.optim.radam import RAdam
from glowgrad.optim.rmsprop import RMSprop
from glowgrad.optim.rprop import Rprop
from glowgrad.optim.sgd import SGD

__all__ = [
    "adadelta", "adafactor", "adagrad", "adam", "adamax", "adamw", "asgd", "muon", "nadam",
    "radam", "rmsprop", "rprop", "sgd", "sparse_adam",
]


def _run(rule, params, grads, lists, group):
    """A step of `rule`; `lists` has what it remembers, by the names of its state."""
    steps = lists.get("step", ())
    if not all(isinstance(step, Tensor) for step in steps):
        raise RuntimeError(
            "API has changed, `state_steps` argument must contain a list of singleton tensors"
        )
    self = rule.__new__(rule)
    self.defaults, self.state = {}, {}
    self._reset()
    self._recording = _C.record(False)
    try:
        self._begin()
        options = self._options(group)
        for index, (param, grad) in enumerate(zip(params, grads)):
            state = {name: values[index] for name, values in lists.items() if index < len(values)}
            grad = -grad if group.get("maximize") else grad
            self._update(param, grad, group, state, options)
            for name, value in state.items():
                lists[name][index] = value
    finally:
        _C.record(self._recording)


def adadelta(params, grads, square_avgs, acc_deltas, state_steps, capturable=False, foreach=None,
             differentiable=False, has_complex=False, *, lr, rho, eps, weight_decay, maximize):
    """The step of `optim.Adadelta`.

    >>> w, kept, moved, step = torch.ones(2), torch.zeros(2), torch.zeros(2), torch.zeros(())
    >>> options = dict(lr=1.0, rho=0.9, eps=1e-6, weight_decay=0, maximize=False)
    >>> optim.functional.adadelta([w], [torch.ones(2)], [kept], [moved], [step], **options)
    >>> w
    """
    lists = dict(square_avg=square_avgs, acc_delta=acc_deltas, step=state_steps)
    _run(Adadelta, params, grads, lists, dict(
        lr=lr, rho=rho, eps=eps, weight_decay=weight_decay, maximize=maximize,
    ))


def adafactor(params, grads, row_vars, col_vars, variances, state_steps, foreach=None,
              grad_scale=None, found_inf=None, has_complex=False, *, d, lr, beta2_decay,
              weight_decay, eps1, eps2, maximize):
    """The step of `optim.Adafactor`; the lists of the kind that a parameter has not hold None.

    >>> w, variance, step = torch.ones(2), torch.zeros(2), torch.zeros(())
    >>> options = dict(d=1.0, lr=0.1, beta2_decay=-0.8, weight_decay=0, eps1=None, eps2=1e-3)
    >>> given = [w], [torch.ones(2)], [None], [None], [variance], [step]
    >>> optim.functional.adafactor(*given, maximize=False, **options)
    >>> w
    """
    lists = dict(row_var=row_vars, col_var=col_vars, variance=variances, step=state_steps)
    _run(Adafactor, params, grads, lists, dict(
        d=d, lr=lr, beta2_decay=beta2_decay, weight_decay=weight_decay, eps=(eps1, eps2),
        maximize=maximize,
    ))


def adagrad(params, grads, state_sums, state_steps, fused=None, grad_scale=None, found_inf=None,
            has_sparse_grad=False, foreach=None, differentiable=False, has_complex=False, *, lr,
            weight_decay, lr_decay, eps, maximize):
    """The step of `optim.Adagrad`.

    >>> w, total, step = torch.ones(2), torch.zeros(2), torch.zeros(())
    >>> options = dict(lr=0.1, weight_decay=0, lr_decay=0, eps=1e-10, maximize=False)
    >>> optim.functional.adagrad([w], [torch.ones(2)], [total], [step], **options)
    >>> w
    """
    _run(Adagrad, params, grads, dict(sum=state_sums, step=state_steps), dict(
        lr=lr, weight_decay=weight_decay, lr_decay=lr_decay, eps=eps, maximize=maximize,
    ))


def adam(params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, foreach=None,
         capturable=False, differentiable=False, fused=None, grad_scale=None, found_inf=None,
         has_complex=False, decoupled_weight_decay=False, *, amsgrad, beta1, beta2, lr,
         weight_decay, eps, maximize):
    """The step of `optim.Adam`.

    >>> w, mean, square, step = torch.ones(2), torch.zeros(2), torch.zeros(2), torch.zeros(())
    >>> options = dict(amsgrad=False, beta1=0.9, beta2=0.999, lr=0.1, weight_decay=0, eps=1e-8)
    >>> given = [w], [torch.ones(2)], [mean], [square], [], [step]
    >>> optim.functional.adam(*given, maximize=False, **options)
    >>> w
    """
    lists = dict(
        exp_avg=exp_avgs, exp_avg_sq=exp_avg_sqs, max_exp_avg_sq=max_exp_avg_sqs, step=state_steps,
    )
    _run(Adam, params, grads, lists, dict(
        lr=lr, betas=(beta1, beta2), eps=eps, weight_decay=weight_decay, amsgrad=amsgrad,
        maximize=maximize, decoupled_weight_decay=decoupled_weight_decay,
    ))


def adamax(params, grads, exp_avgs, exp_infs, state_steps, foreach=None, maximize=False,
           differentiable=False, capturable=False, has_complex=False, *, eps, beta1, beta2, lr,
           weight_decay):
    """The step of `optim.Adamax`.

    >>> w, mean, largest, step = torch.ones(2), torch.zeros(2), torch.zeros(2), torch.zeros(())
    >>> options = dict(eps=1e-8, beta1=0.9, beta2=0.999, lr=0.1, weight_decay=0)
    >>> optim.functional.adamax([w], [torch.ones(2)], [mean], [largest], [step], **options)
    >>> w
    """
    lists = dict(exp_avg=exp_avgs, exp_inf=exp_infs, step=state_steps)
    _run(Adamax, params, grads, lists, dict(
        lr=lr, betas=(beta1, beta2), eps=eps, weight_decay=weight_decay, maximize=maximize,
    ))


def adamw(params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, foreach=None,
          capturable=False, differentiable=False, fused=None, grad_scale=None, found_inf=None,
          has_complex=False, *, amsgrad, beta1, beta2, lr, weight_decay, eps, maximize):
    """The step of `optim.AdamW`.

    >>> w, mean, square, step = torch.ones(2), torch.zeros(2), torch.zeros(2), torch.zeros(())
    >>> options = dict(amsgrad=False, beta1=0.9, beta2=0.999, lr=0.1, weight_decay=0.1, eps=1e-8)
    >>> given = [w], [torch.ones(2)], [mean], [square], [], [step]
    >>> optim.functional.adamw(*given, maximize=False, **options)
    >>> w
    """
    adam(
        params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps,
        decoupled_weight_decay=True, amsgrad=amsgrad, beta1=beta1, beta2=beta2, lr=lr,
        weight_decay=weight_decay, eps=eps, maximize=maximize,
    )


def asgd(params, grads, axs, mus, etas, state_steps, foreach=None, maximize=False,
         differentiable=False, capturable=False, has_complex=False, *, lambd, lr, t0, alpha,
         weight_decay):
    """The step of `optim.ASGD`.

    >>> w, average, step = torch.ones(2), torch.zeros(2), torch.zeros(())
    >>> given = [w], [torch.ones(2)], [average], [torch.tensor(1.0)], [torch.tensor(0.1)], [step]
    >>> optim.functional.asgd(*given, lambd=1e-4, lr=0.1, t0=1e6, alpha=0.75, weight_decay=0)
    >>> w
    """
    lists = dict(ax=axs, mu=mus, eta=etas, step=state_steps)
    _run(ASGD, params, grads, lists, dict(
        lambd=lambd, lr=lr, t0=t0, alpha=alpha, weight_decay=weight_decay, maximize=maximize,
    ))


def muon(params, grads, muon_momentum_bufs, *, foreach=None, lr, weight_decay, momentum, nesterov,
         ns_coefficients, ns_steps, eps, adjust_lr_fn, has_complex):
    """The step of `optim.Muon`.

    >>> w, buffer = torch.eye(2), torch.zeros(2, 2)
    >>> options = dict(lr=0.1, weight_decay=0.1, momentum=0.95, nesterov=True, ns_steps=5, eps=1e-7)
    >>> options.update(ns_coefficients=(3.4445, -4.775, 2.0315), adjust_lr_fn=None)
    >>> optim.functional.muon([w], [torch.eye(2)], [buffer], has_complex=False, **options)
    >>> w.shape
    """
    if foreach:
        raise RuntimeError("Foreach is not supported for Muon yet")
    _run(Muon, params, grads, dict(momentum_buffer=muon_momentum_bufs), dict(
        lr=lr, weight_decay=weight_decay, momentum=momentum, nesterov=nesterov,
        ns_coefficients=ns_coefficients, ns_steps=ns_steps, eps=eps, adjust_lr_fn=adjust_lr_fn,
    ))


def nadam(params, grads, exp_avgs, exp_avg_sqs, mu_products, state_steps,
          decoupled_weight_decay=False, foreach=None, capturable=False, differentiable=False,
          has_complex=False, maximize=False, *, beta1, beta2, lr, weight_decay, momentum_decay,
          eps):
    """The step of `optim.NAdam`.

    >>> w, mean, square, step = torch.ones(2), torch.zeros(2), torch.zeros(2), torch.zeros(())
    >>> options = dict(beta1=0.9, beta2=0.999, lr=0.1, weight_decay=0, momentum_decay=4e-3)
    >>> given = [w], [torch.ones(2)], [mean], [square], [torch.tensor(1.0)], [step]
    >>> optim.functional.nadam(*given, eps=1e-8, **options)
    >>> w
    """
    lists = dict(
        exp_avg=exp_avgs, exp_avg_sq=exp_avg_sqs, mu_product=mu_products, step=state_steps,
    )
    _run(NAdam, params, grads, lists, dict(
        lr=lr, betas=(beta1, beta2), eps=eps, weight_decay=weight_decay,
        momentum_decay=momentum_decay, decoupled_weight_decay=decoupled_weight_decay,
        maximize=maximize,
    ))


def radam(params, grads, exp_avgs, exp_avg_sqs, state_steps, decoupled_weight_decay=False,
          foreach=None, differentiable=False, capturable=False, has_complex=False, maximize=False,
          *, beta1, beta2, lr, weight_decay, eps):
    """The step of `optim.RAdam`.

    >>> w, mean, square, step = torch.ones(2), torch.zeros(2), torch.zeros(2), torch.zeros(())
    >>> options = dict(beta1=0.9, beta2=0.999, lr=0.1, weight_decay=0, eps=1e-8)
    >>> optim.functional.radam([w], [torch.ones(2)], [mean], [square], [step], **options)
    >>> w
    """
    lists = dict(exp_avg=exp_avgs, exp_avg_sq=exp_avg_sqs, step=state_steps)
    _run(RAdam, params, grads, lists, dict(
        lr=lr, betas=(beta1, beta2), eps=eps, weight_decay=weight_decay, maximize=maximize,
        decoupled_weight_decay=decoupled_weight_decay,
    ))


def rmsprop(params, grads, square_avgs, grad_avgs, momentum_buffer_list, state_steps, foreach=None,
            maximize=False, differentiable=False, capturable=False, has_complex=False, *, lr,
            alpha, eps, weight_decay, momentum, centered):
    """The step of `optim.RMSprop`.

    >>> w, square, step = torch.ones(2), torch.zeros(2), torch.zeros(())
    >>> options = dict(lr=0.1, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False)
    >>> optim.functional.rmsprop([w], [torch.ones(2)], [square], [], [], [step], **options)
    >>> w
    """
    lists = dict(
        square_avg=square_avgs, grad_avg=grad_avgs, momentum_buffer=momentum_buffer_list,
        step=state_steps,
    )
    _run(RMSprop, params, grads, lists, dict(
        lr=lr, alpha=alpha, eps=eps, weight_decay=weight_decay, momentum=momentum,
        centered=centered, maximize=maximize,
    ))


def rprop(params, grads, prevs, step_sizes, state_steps, foreach=None, capturable=False,
          maximize=False, differentiable=False, has_complex=False, *, step_size_min,
          step_size_max, etaminus, etaplus):
    """The step of `optim.Rprop`.

    >>> w, before, size, step = torch.ones(2), torch.zeros(2), torch.ones(2), torch.zeros(())
    >>> options = dict(step_size_min=1e-6, step_size_max=50, etaminus=0.5, etaplus=1.2)
    >>> optim.functional.rprop([w], [torch.ones(2)], [before], [size], [step], **options)
    >>> w
    """
    lists = dict(prev=prevs, step_size=step_sizes, step=state_steps)
    # The rate is in the sizes of the steps.
    _run(Rprop, params, grads, lists, dict(
        lr=None, etas=(etaminus, etaplus), step_sizes=(step_size_min, step_size_max),
        maximize=maximize,
    ))


def sgd(params, d_p_list, momentum_buffer_list, has_sparse_grad=False, foreach=None, fused=None,
        grad_scale=None, found_inf=None, *, weight_decay, momentum, lr, dampening, nesterov,
        maximize):
    """The step of `optim.SGD`; the list of momenta holds None before the first one.

    >>> w, kept = torch.ones(2), [None]
    >>> options = dict(weight_decay=0, momentum=0.9, lr=0.1, dampening=0, nesterov=False)
    >>> optim.functional.sgd([w], [torch.ones(2)], kept, maximize=False, **options)
    >>> w
    """
    _run(SGD, params, d_p_list, dict(momentum_buffer=momentum_buffer_list), dict(
        weight_decay=weight_decay, momentum=momentum, lr=lr, dampening=dampening,
        nesterov=nesterov, maximize=maximize,
    ))


def sparse_adam(params, grads, exp_avgs, exp_avg_sqs, state_steps, *, eps, beta1, beta2, lr,
                maximize):
    """Raises an error: gradients are dense here, and `optim.functional.adam` takes them.

    >>> optim.functional.sparse_adam.__name__
    """
    raise NotImplementedError(
        "sparse_adam: gradients are dense here, those of nn.Embedding too; use "
        "optim.functional.adam"
    )

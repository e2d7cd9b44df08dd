"""An optimizer on other parameters and another state, for a while."""

from collections import defaultdict

from glowgrad._tensor import Tensor

_OWN = "swap_in_optimizer_params_and_state requires"


class swap_in_optimizer_params_and_state:
    """Under `with`, the optimizer has these parameters and this state, and then its own again.

    >>> w, other = torch.ones(1, requires_grad=True), torch.zeros(1, requires_grad=True)
    >>> optimizer = optim.SGD([w], lr=0.1, momentum=0.9)
    >>> w.grad = other.grad = torch.ones(1)
    >>> optimizer.step()
    >>> state = optimizer.state_dict()
    >>> with optim.swap_in_optimizer_params_and_state(optimizer, {"w": other}, state):
    >>>     optimizer.step()
    >>> other
    """

    def __init__(self, optimizer, swapin_parameters, swapin_optim_state):
        self.optimizer = optimizer
        self.params, self.state = list(swapin_parameters.values()), swapin_optim_state

    def __enter__(self):
        optimizer = self.optimizer
        state, groups = _checked(optimizer, self.state, self.params)
        self.before = optimizer.state, [dict(group) for group in optimizer.param_groups]
        optimizer.state = defaultdict(dict)
        start = 0
        for group, new in zip(optimizer.param_groups, groups):
            params = self.params[start:start + len(new["params"])]
            start += len(params)
            group.update({**new, "params": params})
            for param, number in zip(params, new["params"]):
                optimizer.state[param] = dict(state.get(number, {}))

    def __exit__(self, *exception):
        self.optimizer.state, groups = self.before
        for group, before in zip(self.optimizer.param_groups, groups):
            group.clear()
            group.update(before)


def _checked(optimizer, state_dict, params):
    """The parts of a state that fits the optimizer."""
    if not optimizer.state:
        raise RuntimeError(f"{_OWN} initialized optimizer state.")
    if not isinstance(state_dict, dict):
        raise RuntimeError(f"{_OWN} a DCP-style optimizer state_dict.")
    state, groups = state_dict.get("state"), state_dict.get("param_groups")
    if not isinstance(state, dict):
        raise RuntimeError(
            f"{_OWN} swapin_optim_state['state'] to be a dict mapping packed parameter ids to "
            f"per-param state dicts, got {type(state).__name__}."
        )
    if any(isinstance(key, Tensor) for key in state):
        raise RuntimeError(
            f"{_OWN} optimizer.state_dict()-style state keyed by packed parameter ids."
        )
    if any(isinstance(key, int) and not isinstance(value, dict) for key, value in state.items()):
        raise RuntimeError(f"{_OWN} per-parameter optimizer state entries to be dictionaries.")
    if not isinstance(groups, list):
        raise RuntimeError(
            f"{_OWN} swapin_optim_state['param_groups'] to be a list of param-group dicts, got "
            f"{type(groups).__name__}."
        )
    if len(groups) != len(optimizer.param_groups):
        raise RuntimeError(
            "swapin_optim_state has a different number of parameter groups than the live optimizer."
        )
    numbers = []
    for index, (own, new) in enumerate(zip(optimizer.param_groups, groups)):
        _check_group(index, own, new)
        numbers += new["params"]
        if len(numbers) > len(params):
            raise RuntimeError(
                f"{_OWN} the explicit parameter state to match optimizer.param_groups ordering."
            )
    extra = [key for key in state if key not in numbers]
    if extra:
        raise RuntimeError(
            f"{_OWN} swapin_optim_state['state'] to be keyed only by packed parameter ids from "
            f"param_groups[*]['params']; got extra keys {extra!r}."
        )
    return state, groups


def _check_group(index, own, new):
    if not isinstance(new, dict):
        raise RuntimeError(f"{_OWN} each optimizer param group to be a dictionary.")
    numbers = new.get("params")
    if not isinstance(numbers, list) or not all(isinstance(each, int) for each in numbers):
        raise RuntimeError(
            f"{_OWN} optimizer.state_dict()-style param_groups[*]['params'] entries keyed by "
            "packed parameter ids."
        )
    if len(own["params"]) != len(numbers):
        raise RuntimeError(
            f"swapin_optim_state param group {index} has a different number of params than the "
            "live optimizer param group."
        )
    swapped, live = [key for key in new if key not in own], [key for key in own if key not in new]
    if swapped or live:
        raise RuntimeError(
            f"{_OWN} optimizer.state_dict()-style param group keys to exactly match the live "
            f"optimizer group keys for group {index}. Keys only in swap-in: {swapped}. Keys only "
            f"in live: {live}."
        )

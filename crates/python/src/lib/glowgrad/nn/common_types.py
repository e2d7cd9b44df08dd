"""`torch.nn.common_types`: annotations of sizes, one number or one for each dimension."""

from typing import Optional, Union

_size_any_t = _size_1_t = _size_2_t = _size_3_t = Union[int, tuple]
_size_4_t = _size_5_t = _size_6_t = _size_any_t
_size_any_opt_t = _size_2_opt_t = _size_3_opt_t = Optional[_size_any_t]
_ratio_any_t = _ratio_2_t = _ratio_3_t = Union[float, tuple]
_maybe_indices_t = _tensor_list_t = tuple

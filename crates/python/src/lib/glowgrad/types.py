"""`torch.types`: names for what arguments may be, to write beside them."""

import os
import typing

from glowgrad._place import Size, device
from glowgrad._types import TypedStorage, UntypedStorage

__all__ = ["Device", "FileLike", "Number", "Storage"]
Number = typing.Union[int, float, bool]
Device = typing.Union[device, str, int, None]
FileLike = typing.Union[str, os.PathLike, typing.Any]
Storage = typing.Union[UntypedStorage, TypedStorage]
_size = typing.Union[Size, list, tuple]
_int, _float, _bool = int, float, bool

"""`torch.storage`: the memory of tensors."""

from glowgrad._types import TypedStorage, UntypedStorage
from glowgrad._utils import _load_from_bytes

__all__ = ["TypedStorage", "UntypedStorage"]

"""`_collections_abc`: `collections.abc` by the name that Python's library imports it by."""

from collections.abc import *
from collections.abc import _has as _check_methods

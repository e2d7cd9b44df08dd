"""`torch.distributed`: several processes that compute together, of which there is one here."""

_ONE = "everything runs in one process on one device; leave torch.distributed out"
_UNINITIALIZED = (
    "Default process group has not been initialized, please make sure to call init_process_group."
)


class _Operation:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"<RedOpType.{self.name}>"


class ReduceOp:
    """What several processes would make of their tensors: their sum, their largest.

    >>> torch.distributed.ReduceOp.SUM
    """

    SUM, AVG, PRODUCT, MIN, MAX = map(_Operation, "SUM AVG PRODUCT MIN MAX".split())
    BAND, BOR, BXOR = map(_Operation, "BAND BOR BXOR".split())


reduce_op = ReduceOp


def _no(name, says):
    def function(*args):
        return False

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{says}\n\n>>> torch.distributed.{name}()"
    return function


is_available = _no("is_available", "Whether processes can compute together: they cannot.")
is_initialized = _no("is_initialized", "Whether processes compute together: they do not.")
is_nccl_available = _no("is_nccl_available", "Whether NCCL is here: it is not.")
is_gloo_available = _no("is_gloo_available", "Whether Gloo is here: it is not.")
is_mpi_available = _no("is_mpi_available", "Whether MPI is here: it is not.")
is_ucc_available = _no("is_ucc_available", "Whether UCC is here: it is not.")
is_xccl_available = _no("is_xccl_available", "Whether XCCL is here: it is not.")
is_backend_available = _no("is_backend_available", "Whether a backend is here: none is.")
is_torchelastic_launched = _no(
    "is_torchelastic_launched", "Whether torchrun started the program: it did not."
)


def init_process_group(backend=None, init_method=None, *args, **kwargs):
    """Raises: everything runs in one process."""
    raise NotImplementedError(f"init_process_group: {_ONE}")


def _alone(name):
    def function(*args, **kwargs):
        raise ValueError(_UNINITIALIZED)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"Raises: no processes compute together.\n\n>>> callable(torch.distributed.{name})"
    )
    return function


for _name in (
    "all_gather all_gather_into_tensor all_gather_object all_reduce all_to_all all_to_all_single "
    "barrier broadcast broadcast_object_list destroy_process_group gather gather_object "
    "get_backend get_rank get_world_size irecv isend monitored_barrier new_group recv reduce "
    "reduce_scatter reduce_scatter_tensor scatter scatter_object_list send"
).split():
    globals()[_name] = _alone(_name)
del _name


def get_node_local_rank(fallback_rank=None):
    """The number of this process on its machine, which the environment does not tell.

    >>> torch.distributed.get_node_local_rank(fallback_rank=0)
    """
    if fallback_rank is None:
        raise RuntimeError(
            "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow "
            "`get_node_local_rank` to work, assuming you are not running in a multi-device "
            "context and want the code to run locally instead."
        )
    return int(fallback_rank)

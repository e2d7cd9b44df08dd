"""`torch.nn.parallel`: a module on several devices, of which there is one here."""

from glowgrad.nn.module import Module


class DataParallel(Module):
    """The module it is given: there is one device, and it gets the whole batch.

    >>> nn.DataParallel(nn.Linear(3, 2))(torch.randn(5, 3)).shape
    """

    def __init__(self, module, device_ids=None, output_device=None, dim=0):
        super().__init__()
        self.module, self.device_ids = module, []

    def forward(self, *inputs, **kwargs):
        return self.module(*inputs, **kwargs)


def data_parallel(module, inputs, device_ids=None, output_device=None, dim=0, module_kwargs=None):
    """Calls a module with the whole batch: there is one device.

    >>> nn.parallel.data_parallel(nn.Linear(3, 2), torch.randn(5, 3)).shape
    """
    inputs = inputs if isinstance(inputs, tuple) else () if inputs is None else (inputs,)
    return module(*inputs, **(module_kwargs or {}))


class DistributedDataParallel(Module):
    """A module in several processes, of which there is one here.

    >>> nn.parallel.DistributedDataParallel.__name__
    """

    def __init__(self, module, *args, **kwargs):
        raise NotImplementedError(
            "DistributedDataParallel: everything runs in one process; call the module itself"
        )

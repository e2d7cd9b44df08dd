"""`lab.train`: training that runs by itself.

The first step is Python's alone: it makes what an optimiser remembers. The next ones are noted, until two in
a row do the same; from then on the engine runs what it noted. The losses stay on the device and are read
together. A step that the host wants to see is Python's alone again, and so is the last one then.
"""

import _glowgrad as _C
from glowgrad._place import _widest_float
from glowgrad.autograd import no_grad

# Losses that wait on the device to be read.
_RING = 32
# What the host says where it wants to see none.
_ALL = 2**32 - 1
# Steps that are noted until two in a row must do the same.
_MOST_NOTED = 8


def train(step, batches, plot):
    if not callable(step):
        raise TypeError(f"train(): argument 'step' must be callable, not {type(step).__name__}")
    if plot is not None and not isinstance(plot, str):
        raise TypeError(f"train(): argument 'plot' must be str, not {type(plot).__name__}")
    if isinstance(batches, (bool, float)):
        raise TypeError(
            f"train(): argument 'batches' must be int or batches of tensors, not {type(batches).__name__}"
        )
    run = _Run(step, plot)
    if isinstance(batches, int):
        if batches < 0:
            raise ValueError(f"train(): expected a number of steps >= 0, got {batches}")
        while batches:
            batches -= run.steps((), most=batches, left=batches)
    else:
        # The next batch is made after the step, as in a loop, so that which one is the last is known by number alone.
        n = _length(batches)
        for i, batch in enumerate(batches):
            run.steps(_tensors(batch), most=1, left=n - i)
    run.read()
    return run.losses


class _Run:
    def __init__(self, function, plot):
        self.function, self.plot = function, plot
        self.losses = []
        self.captured, self.shapes = None, None

    def steps(self, batch, most, left):
        """Steps on a batch, in whichever way they can; gives how many, at most as many as asked of those left."""
        shapes = [(tensor.shape, tensor.dtype) for tensor in batch]
        unseen = self.unseen(left)
        if self.captured is None or shapes != self.shapes or unseen == 0:
            self.read()
            loss = _loss(self.function(*(tensor.detach().clone() for tensor in batch)))
            self.note([loss.item()])
            self.begin(shapes, loss.detach())
            return 1
        done = 1
        if self.is_ready:
            done = min(most, unseen, _RING - self.waiting)
            self.captured.run(done, list(batch))
        else:
            self.capture(batch)
        self.waiting += done
        if self.waiting == _RING:
            self.read()
        return done

    def unseen(self, left):
        """How many steps may run without Python, before one that is to be seen."""
        if self.captured is None or not self.is_ready:
            return _ALL
        unseen = _C.n_unseen(self.waiting)
        # The last one is seen where any is.
        return unseen if unseen == _ALL else max(0, min(unseen, left - 1))

    def begin(self, shapes, loss):
        self.captured, self.shapes = _C.captured_step(loss.device.type), shapes
        self.is_ready, self.noted = False, 0
        self.dtype = _widest_float(loss.device)
        self.ring, self.slots, self.slot = _C.quietly(
            lambda: (
                loss.new_zeros(_RING, dtype=self.dtype),
                loss.new_tensor(range(_RING), dtype=_C.float32),
                loss.new_zeros((), dtype=_C.float32),
            )
        )
        self.first, self.waiting = 0, 0

    def capture(self, batch):
        """A step of Python's that is noted."""
        difference = self.captured.capture(self.counted, list(batch))
        self.noted += 1
        self.is_ready = difference is None
        if difference and self.noted == _MOST_NOTED:
            raise RuntimeError(difference)

    def counted(self, *batch):
        """A step, with its loss put where it is read later."""
        loss = _loss(self.function(*batch))

        def put():
            with no_grad():
                value = loss.detach().reshape(()).to(self.dtype)
                self.ring.copy_(value.where(self.slots == self.slot, self.ring))
                self.slot.copy_((self.slot + 1) % _RING)

        _C.quietly(put)

    def read(self):
        """Takes the losses up that wait on the device."""
        if self.captured is None or self.waiting == 0:
            return
        ring = self.ring.tolist()
        losses = [ring[(self.first + i) % _RING] for i in range(self.waiting)]
        _C.replayed(losses)
        self.note(losses)
        self.first, self.waiting = (self.first + self.waiting) % _RING, 0

    def note(self, losses):
        for loss in losses:
            self.losses.append(loss)
            if self.plot is not None:
                _C.metric(self.plot, loss)


def _length(batches):
    """How many batches there are; more than any number where that is not known."""
    try:
        return len(batches)
    except TypeError:
        return _ALL


def _tensors(batch):
    """A batch as a tuple of tensors."""
    batch = tuple(batch) if isinstance(batch, (tuple, list)) else (batch,)
    for tensor in batch:
        if not isinstance(tensor, _C.TensorBase):
            raise TypeError(
                f"train(): a batch must be a tensor or a tuple of tensors, got {type(tensor).__name__} in it"
            )
        if tensor.requires_grad:
            raise RuntimeError(
                "train(): a batch is copied, so it cannot require grad; call requires_grad_() on it in the step"
            )
    if len({tensor._storage_id() for tensor in batch}) < len(batch):
        raise RuntimeError(
            "train(): two tensors of a batch share their memory, which their copies would not; give one a .clone()"
        )
    return batch


def _loss(loss):
    if not isinstance(loss, _C.TensorBase):
        raise TypeError(
            f"train(): the step must return the loss, a tensor, but returned {type(loss).__name__}; "
            "end it with `return loss`"
        )
    if loss.numel() != 1:
        raise RuntimeError(
            f"train(): the loss must be a tensor of one element, got shape {list(loss.shape)}; take its "
            ".mean() or .sum()"
        )
    return loss

"""`lab.train`: training that runs by itself.

The first step is Python's alone: it makes what an optimiser remembers. The next ones are noted, until two in
a row do the same and Python remembers nothing of them (`_step_state`); from then on the engine runs what it
noted, and Python only the schedules (`_step_program`). The losses stay on the device and are read together.
A step that the host wants to see is Python's alone again, and so is the last one then.

Invariant: the numbers are those of a loop. A step that cannot run again by itself is called each time, as a
loop calls it, and a sentence says why once.
"""

import _glowgrad as _C
import _lab
from glowgrad._place import _widest_float
from glowgrad._step_program import Program
from glowgrad._step_state import look, shared
from glowgrad.autograd import no_grad

# Losses that wait on the device to be read.
_RING = 32
# What the host says where it wants to see none.
_ALL = 2**32 - 1
# Steps that are noted until two in a row must do the same, and those of them that Python may change something in.
_MOST_NOTED, _MOST_CHANGED = 8, 4
# Where a schedule sets the rate, code that reads it by these names would read a rate that stays.
_RATES = {"param_groups", "get_last_lr", "get_lr", "last_epoch", "_last_lr", "_step_count"}

_OUTSIDE = """The batch can be picked outside of the step, just before it:
    def step(x, y): ...
    losses = lab.train(step, (get_batch() for _ in range(1000)))"""
_COUNTED = """A count can be a tensor, and what it picks can be picked outside of the step, just before it:
    count.add_(1)    # in the step, count = torch.zeros(())
    losses = lab.train(step, (batches[i % len(batches)] for i in range(1000)))"""
_SCHEDULED = """A rate that changes can be a schedule, which may step inside:
    scheduler = optim.lr_scheduler.LambdaLR(optimizer, lambda i: ...)
    scheduler.step()    # in the step, after optimizer.step()"""
_LOSSES = """The losses are what train() gives:
    losses = lab.train(step, batches)
    print(losses[-1])    # outside of the step"""

# The last run, for tests: how often it called the step, and why it did so to the end.
last = None


def train(step, batches, plot):
    if not callable(step):
        raise TypeError(f"train(): argument 'step' must be callable, not {type(step).__name__}")
    if plot is not None and not isinstance(plot, str):
        raise TypeError(f"train(): argument 'plot' must be str, not {type(plot).__name__}")
    if isinstance(batches, (bool, float)):
        raise TypeError(
            f"train(): argument 'batches' must be int or batches of tensors, not {type(batches).__name__}"
        )
    global last
    run = _Run(step, plot)
    if isinstance(batches, int):
        if batches < 0:
            raise ValueError(f"train(): expected a number of steps >= 0, got {batches}")
        while batches:
            batches -= run.steps((), most=batches, left=batches)
    else:
        # The next batch is made after the step, as in a loop, so that which one is the last is known by number alone.
        n = _length(batches)
        run.batches = iterator = iter(batches)
        for i, batch in enumerate(iterator):
            run.steps(_tensors(batch), most=1, left=n - i)
    run.read()
    last = _Last(run.n_called, run.why)
    return run.losses


class _Last:
    def __init__(self, n_called, why):
        self.n_called, self.why = n_called, why


class _Run:
    def __init__(self, function, plot):
        self.function, self.plot = function, plot
        self.losses = []
        self.captured, self.shapes = None, None
        # What makes the batches, where code does; what this code shares with the step, and how that was.
        self.batches, self.shared, self.before = None, None, None
        # How often Python was called, and why it always is.
        self.n_called, self.why = 0, None

    def steps(self, batch, most, left):
        """Steps on a batch, in whichever way they can; gives how many, at most as many as asked of those left."""
        if self.why is not None:
            self.call(batch)
            return 1
        shapes = [(tensor.shape, tensor.dtype) for tensor in batch]
        unseen = self.unseen(left)
        if self.captured is None or shapes != self.shapes or unseen == 0 or self.is_changed():
            self.read()
            self.begin(shapes, self.call(batch))
            return 1
        done = 1
        if self.is_ready:
            done = self.run(batch, min(most, unseen, _RING - self.waiting))
        else:
            self.capture(batch)
        self.waiting += done
        if self.why is not None:
            self.stop()
        elif self.waiting == _RING:
            self.read()
        return done

    def call(self, batch):
        """A step of Python's alone."""
        self.n_called += 1
        loss = _loss(self.function(*(tensor.detach().clone() for tensor in batch)))
        self.note([loss.item()])
        return loss.detach()

    def run(self, batch, most):
        """Steps without Python but for their schedules."""
        if not self.program.entries:
            self.captured.run(most, list(batch))
            return most
        self.program.before()
        self.captured.run(1, list(batch))
        self.program.after()
        return 1

    def unseen(self, left):
        """How many steps may run without Python, before one that is to be seen."""
        if self.captured is None or not self.is_ready:
            return _ALL
        unseen = _C.n_unseen(self.waiting)
        # The last one is seen where any is.
        return unseen if unseen == _ALL else max(0, min(unseen, left - 1))

    def begin(self, shapes, loss):
        self.captured, self.shapes = _C.captured_step(loss.device.type), shapes
        self.is_ready, self.noted, self.changed = False, 0, 0
        self.state, self.program = None, Program()
        self.shared = self.before = None
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
        self.n_called += 1
        difference = self.program.noting(lambda: self.captured.capture(self.counted, list(batch)))
        self.noted += 1
        self.why = self.captured.stopped()
        if self.why is not None:
            return
        if self.program.is_first and self.noted == 1:
            return
        state = self.look()
        is_compared = self.state is not None
        change = state.change(self.state) if is_compared else state.opaque
        self.state = state.release()
        self.changed += change is not None
        if state.opaque is not None or self.changed == _MOST_CHANGED:
            self.why = change
        elif self.program.schedules and state.names & _RATES:
            name = min(state.names & _RATES)
            self.why = f"it steps a schedule, and its code reads the rate too (`{name}`)"
        elif is_compared and difference is None and change is None:
            self.is_ready = True
            self.watch()
        elif self.noted >= _MOST_NOTED:
            self.why = difference or change or "it changes from step to step"

    def look(self):
        """What Python remembers of the steps so far."""
        schedules = list(self.program.schedules)
        for schedule in schedules:
            schedules.extend(getattr(schedule, "_schedulers", ()))
        return look([("", self.function)], schedules, self.program.fed())

    def watch(self):
        """Finds what the code that makes the batches shares with the step: it may change that between two steps."""
        code = [] if self.batches is None else [("batches", self.batches)]
        for schedule in self.program.schedules:
            code += [(name, each) for name, each in vars(schedule).items() if name != "optimizer"]
        if code:
            foreign, state = look(code, code_too=True), self.look()
            step = [("", self.function)]
            self.shared = shared(state, foreign) if foreign.opaque is None else step
            self.before = self.look_at_shared() if self.shared else None

    def look_at_shared(self):
        return look(self.shared, self.program.schedules, self.program.fed()).release()

    def is_changed(self):
        """Whether the code that makes the batches has changed something of the step's since the last one."""
        if not (self.is_ready and self.shared):
            return False
        return self.look_at_shared().change(self.before) is not None

    def stop(self):
        """From here on Python is called for each step."""
        self.read()
        self.captured = self.state = self.ring = None
        _lab.say_once(
            f"lab.train: the step runs in Python each time, as in a loop, because {self.why.removeprefix('train: ')}. "
            + _remedy(self.why)
        )

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


def _remedy(why):
    """How the step can be written so that it runs by itself."""
    if "a number changes" in why or "['lr']" in why or "schedule" in why:
        return _SCHEDULED
    if "keeps what" in why:
        return _LOSSES
    return _COUNTED if "` changes from step to step" in why else _OUTSIDE


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

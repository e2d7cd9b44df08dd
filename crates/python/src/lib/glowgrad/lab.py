"""What the lab can do beyond PyTorch: plots, pictures, and a look inside a tensor."""

import _glowgrad as _C

_MOST_ELEMENTS = 1 << 22
_MOST_BINS = 512
_MOST_FIGURES = 32
_ROWS_OF_BYTES = 32


def plot(**series):
    """Adds one point to each named live plot: `lab.plot(loss=loss)`.

    >>> for step in range(3):
    >>>     lab.plot(loss=1 / (step + 1))
    >>> step
    """
    for name, value in series.items():
        _C.metric(name, value)


def graph(root):
    """Puts the graph of an engine of your own on stage and runs its `root.backward()` there.

    A node is any object with `.data` and `.grad`, numbers or arrays (`lab.array`), and `._prev`, the nodes it
    was made from; `._op` is written on it.

    >>> class Number:
    >>>     def __init__(self, data, parents=(), op=""):
    >>>         self.data, self.grad, self._prev, self._op = data, 0.0, parents, op
    >>>     def backward(self):
    >>>         self.grad = 1.0
    >>>         for parent in self._prev:
    >>>             parent.grad += self.grad
    >>>
    >>> a, b = Number(2.0), Number(3.0)
    >>> lab.graph(Number(5.0, (a, b), "+"))
    """
    from _user_graph import show

    show(root)


def array(data):
    """Numbers in memory, as float32, and nothing else: an array asks for no gradients and has none.

    What an engine of your own stands on: storage, elementwise arithmetic, products and reductions, with the
    names that tensors have. It copies what it gets.

    >>> x = lab.array([[1, 2], [3, 4]])
    >>> x @ x.T, x.sum(dim=0)
    """
    import glowgrad

    if isinstance(data, _C.TensorBase):
        return data.detach().to(_C.float32, copy=True)
    return glowgrad.tensor(data, dtype=_C.float32)


def histogram(tensor, name=None, bins=40, range=None):
    """Draws how often each size of number is in a tensor.

    `bins` bars, at most 512, from the least to the greatest finite number, or over
    `range=(low, high)`. NaN and what lies outside is counted beside the picture.

    With a `name` a later call replaces the picture, so that it moves while you train; without one it
    stands beside those before it. A run keeps 32 pictures.

    >>> lab.histogram(torch.randn(1000), name="weights")
    """
    _drawable("histogram", tensor, name)
    if isinstance(bins, bool) or not isinstance(bins, int):
        raise TypeError(
            f"histogram(): argument 'bins' must be int, not {type(bins).__name__}"
        )
    if not 0 < bins <= _MOST_BINS:
        raise RuntimeError(
            f"histogram(): bins must be > 0 and at most {_MOST_BINS}, but got {bins}"
        )
    _draw(0, "histogram", tensor, name, bins, _range("histogram", "range", range))


def image(tensor, name=None, range=None):
    """Draws a tensor of shape [H, W] or [1, H, W] in grey, [3, H, W] in colour.

    `range=(black, white)` says which numbers are black and white. Without it floats go from 0 to 1,
    integers from 0 to 255. What lies outside is drawn as the nearer end and counted; NaN is hatched.
    Of an image larger than 256 a side every second (third, …) pixel is drawn.

    >>> lab.image(torch.rand(8, 8))
    """
    _drawable("image", tensor, name)
    shape = list(tensor.shape)
    if not (len(shape) == 2 or len(shape) == 3 and shape[0] in (1, 3)):
        remedy = (
            "; put the channels first with tensor.permute(2, 0, 1)"
            if len(shape) == 3 and shape[2] in (1, 3)
            else "; take one image of a batch, such as tensor[0]"
            if len(shape) > 2
            else "; give it rows, such as tensor.reshape(8, 8)"
        )
        raise RuntimeError(
            f"image(): expected a tensor of shape [H, W], [1, H, W] or [3, H, W], but got {shape}{remedy}"
        )
    bounds = _range("image", "range", range)
    if bounds is None:
        whole = not tensor.is_floating_point() and tensor.dtype != _C.bool
        bounds = (0.0, 255.0 if whole else 1.0)
    _draw(1, "image", tensor, name, 0, bounds)


def heatmap(tensor, name=None):
    """Draws a 2-D tensor as coloured cells: zero is the ground, minus and plus have a colour each.

    The scale is even on both sides of 0 and ends at the largest size; NaN is hatched. Of a tensor
    larger than 256 a side every second (third, …) row and column is drawn.

    >>> lab.heatmap(torch.randn(4, 4))
    """
    _drawable("heatmap", tensor, name)
    if tensor.ndim != 2:
        remedy = (
            "tensor.reshape(1, -1)" if tensor.ndim < 2 else "tensor[0] or tensor.flatten(1)"
        )
        raise RuntimeError(
            f"heatmap(): expected a 2-D tensor, but got {tensor.ndim}-D of shape {list(tensor.shape)}; "
            f"use {remedy}"
        )
    _draw(2, "heatmap", tensor, name, 0, None)


def show(tensor):
    """Prints how a tensor lies in memory.

    >>> lab.show(torch.zeros(2, 3).T)
    """
    _tensor("show", tensor)
    shared = "" if tensor.is_contiguous() else ", not row by row"
    print(
        f"shape {list(tensor.shape)}, strides {list(tensor.stride())}, "
        f"offset {tensor.storage_offset()}, {tensor.dtype}, {tensor.nbytes} bytes{shared}"
    )


def load_npy(data):
    """The tensor in the bytes of an `.npy` file.

    >>> lab.load_npy(lab.save_npy(torch.tensor([1.0, 2.0])))
    """
    from glowgrad._codec import decode

    return decode("npy", data).only


def save_npy(tensor):
    """The bytes of an `.npy` file with this tensor.

    >>> len(lab.save_npy(torch.tensor([1.0, 2.0])))
    """
    from glowgrad._codec import encode

    if tensor.dtype is _C.bfloat16:
        raise TypeError("data type 'bfloat16' not understood: NumPy has no such numbers; convert the tensor first, "
                        "such as .float()")
    return encode("npy", [("", tensor)])


def bytes(tensor):
    """Prints where each element lies and its bytes, and opens the Memory view on the tensor.

    At most 32 elements are printed.

    >>> x = torch.tensor([1.0, 2.0])
    >>> lab.bytes(x)
    """
    _tensor("bytes", tensor)
    show(tensor)
    count = min(tensor.numel(), _ROWS_OF_BYTES)
    shape, strides = list(tensor.shape), tensor.stride()
    size, offset = tensor.element_size(), tensor.storage_offset()
    rows = [("element", "at byte", "bytes", "value")]
    for flat, (pairs, value) in enumerate(_C.element_bytes(tensor, count)):
        index, place = [], offset
        for length, stride in zip(reversed(shape), reversed(strides)):
            index.insert(0, flat % length)
            place += flat % length * stride
            flat //= length
        rows.append((str(index), str(place * size), pairs, f"{value:g}"))
    widths = [max(len(row[column]) for row in rows) for column in (0, 1, 2)]
    for element, place, pairs, value in rows:
        print(
            f"{element:<{widths[0]}}  {place:>{widths[1]}}  {pairs:<{widths[2]}}  {value}"
        )
    if tensor.numel() > count:
        print(f"… and {tensor.numel() - count} more elements")
    _C.look("memory", tensor, _C.variable_name(tensor))


def kernel(tensor):
    """Opens the Kernels view on the kernel that computes a tensor.

    >>> y = torch.tensor([1.0, 2.0]) * 3 + 1
    >>> lab.kernel(y)
    """
    _tensor("kernel", tensor)
    _C.look("kernels", tensor, _C.variable_name(tensor))


def catalog(kind=None):
    """What is known of each layer, loss and optimizer, as dicts: typed arguments, shape rule, ONNX operators.

    `kind` is "layer", "loss", "optimizer", "container" or "base".

    >>> row = next(row for row in lab.catalog("layer") if row["name"] == "nn.Linear")
    >>> row["rules"], row["operators"], [argument["type"] for argument in row["arguments"]]
    """
    from glowgrad import _rows

    return _rows.catalog(kind)


def output_shape(model, *shapes):
    """The shape that a layer, or a `Sequential` of layers, gives for inputs of these shapes; nothing is computed.

    >>> lab.output_shape(nn.Sequential(nn.Conv2d(1, 8, 3), nn.MaxPool2d(2), nn.Flatten()), (4, 1, 28, 28))
    """
    from glowgrad import _rows

    return _rows.output_shape(model, shapes)


def to_json(model):
    """A model made of torch.nn's layers as JSON: types, arguments and what is shared, no weights.

    >>> print(lab.to_json(nn.Sequential(nn.Linear(3, 8), nn.ReLU())))
    """
    from glowgrad import _model_json

    return _model_json.to_json(model)


def from_json(text, max_elements=1 << 28):
    """The model that `to_json` described, with weights drawn anew. The text may come from anyone: it is data.

    >>> lab.from_json(lab.to_json(nn.Sequential(nn.Linear(3, 8), nn.ReLU())))
    """
    from glowgrad import _model_json

    return _model_json.from_json(text, max_elements)


def train(step, batches, *, plot=None):
    """Trains by itself: calls `step` until it does the same twice, then runs it again without Python.

        def step(x, y):
            optimizer.zero_grad()
            loss = loss_fn(model(x), y)
            loss.backward()
            optimizer.step()
            return loss

        losses = lab.train(step, loader)

    `batches` are tuples of tensors, such as those of a `DataLoader`, of which `step` gets copies as its
    arguments; or a number of steps, called without any. `step` returns the loss, a tensor of one element.
    Gives the losses of all steps, and plots them under the name `plot` while it runs.

    All optimizers but LBFGS, schedules whose `step()` stands in the step, clipping, averages and batches that
    the step draws run again. A step that looks at a value (`item`, `print`, `if`), or changes what Python
    remembers (a counter, a list, an iterator, `random`), is called each time, as in a loop, and a sentence
    says why. Pick such batches outside: `lab.train(step, (batches[i % n] for i in range(1000)))`.
    Random numbers are drawn as in a loop; parameters, gradients and the optimiser's state are afterwards what
    a loop would have left (of Adam on a GPU without float64, up to rounding).

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = optim.SGD([w], lr=0.1)
    >>>
    >>> def step():
    >>>     optimizer.zero_grad()
    >>>     loss = (w ** 2).sum()
    >>>     loss.backward()
    >>>     optimizer.step()
    >>>     return loss
    >>>
    >>> lab.train(step, 5)
    """
    from glowgrad._train import train

    return train(step, batches, plot)


def kernels(function):
    """Calls a function and gives the names of the kernels that computed what it returned.

    >>> x = torch.ones(3)
    >>> len(lab.kernels(lambda: (x * 2 + 1).tanh()))
    """
    # A script records nothing by itself.
    recorded = _C.record(True)
    try:
        first = _C.next_kernel()
        result = function()
        for tensor in result if isinstance(result, (tuple, list)) else [result]:
            if isinstance(tensor, _C.TensorBase):
                tensor.realize()
        return _C.kernel_names(*first)
    finally:
        _C.record(recorded)


def shader(source):
    '''A function that runs a shader of your own, in WGSL, on tensors of a GPU.

    Its inputs are the bindings 0, 1, … of group 0, the result is the binding after them, zeros at first:

        double = lab.shader(source)
        y = double(x, size=x.shape, groups=(1,))

    `size` is the result's shape (left out: that of the first input), `dtype` its dtype, `groups` how many
    workgroups run, in up to three dimensions. The result is a leaf: no gradient flows back through it.

    >>> double = lab.shader("""
    >>> @group(0) @binding(0) var<storage, read> x: array<f32>;
    >>> @group(0) @binding(1) var<storage, read_write> y: array<f32>;
    >>> @compute @workgroup_size(64)
    >>> fn main(@builtin(global_invocation_id) id: vec3u) {
    >>>   if (id.x < arrayLength(&y)) { y[id.x] = 2.0 * x[id.x]; }
    >>> }""")
    >>> callable(double)
    '''
    if not isinstance(source, str):
        raise TypeError(f"shader(): argument 'source' must be str, not {type(source).__name__}")

    def run(*inputs, size=None, dtype=_C.float32, groups=(1,)):
        if size is None:
            if not inputs:
                raise TypeError("shader(): without inputs it needs the size of its result: size=(3,)")
            _tensor("shader", inputs[0])
            size = inputs[0].shape
        groups = (groups,) if isinstance(groups, int) else tuple(groups)
        if not 1 <= len(groups) <= 3:
            raise ValueError(f"shader(): groups must be one to three numbers, got {len(groups)}")
        return _C.run_shader(source, inputs, size, dtype, groups)

    return run


def fallback(on=True):
    """Lets the CPU compute what a GPU cannot, which is said once; or makes it an error.

    >>> lab.fallback(True)
    """
    _C.set_strict(not on)


def pin(tensor):
    """Selects a tensor's node in the graph, so that its card is open when the cell ends.

    >>> y = torch.tensor([1.0, 2.0]) * 3
    >>> lab.pin(y)
    """
    _tensor("pin", tensor)
    _C.look("graph", tensor, _C.variable_name(tensor))


def shares_memory(a, b):
    """Whether two tensors are views of the same memory.

    >>> x = torch.zeros(2, 3)
    >>> lab.shares_memory(x, x.T)
    """
    return a._storage_id() == b._storage_id()


def set_eager(on=True):
    """Runs every op at once instead of when a value is asked for; gives what it was.

    >>> before = lab.set_eager(True)
    >>> lab.set_eager(before)
    """
    return _C.set_eager(on)


def record(on=True):
    """Records what runs, for the stage, or does not; gives what it was.

    >>> before = lab.record(False)
    >>> lab.record(before)
    """
    return _C.record(on)


def memory():
    """Bytes held now, and the most held so far.

    >>> sorted(lab.memory())
    """
    live, peak = _C.memory()
    return {"live": live, "peak": peak}


def _tensor(function, tensor):
    if not isinstance(tensor, _C.TensorBase):
        raise TypeError(
            f"{function}(): argument 'tensor' (position 1) must be Tensor, not "
            f"{type(tensor).__name__}; make one with torch.tensor(…)"
        )


def _drawable(function, tensor, name):
    _tensor(function, tensor)
    if name is not None and not isinstance(name, str):
        raise TypeError(
            f"{function}(): argument 'name' must be str, not {type(name).__name__}"
        )
    if tensor.numel() > _MOST_ELEMENTS:
        raise RuntimeError(
            f"{function}(): the tensor has {tensor.numel()} elements, and at most {_MOST_ELEMENTS} are "
            f"looked at; give a part of it, such as tensor.flatten()[:{_MOST_ELEMENTS}]"
        )


def _range(function, argument, pair):
    if pair is None:
        return None
    try:
        low, high = (float(end) for end in pair)
    except (TypeError, ValueError):
        raise TypeError(
            f"{function}(): argument '{argument}' must be two numbers (low, high), got {pair!r}"
        ) from None
    if not (abs(low) <= 1.7e308 and abs(high) <= 1.7e308):
        raise RuntimeError(f"{function}(): range of [{low}, {high}] is not finite")
    if low >= high:
        raise RuntimeError(
            f"{function}(): max must be larger than min, but the range is [{low}, {high}]"
        )
    return low, high


def _draw(kind, function, tensor, name, bins, bounds):
    if name is not None:
        name = name[:80]
    label = _C.variable_name(tensor) or ""
    if not _C.figure(kind, tensor, name, label, bins, bounds):
        raise RuntimeError(
            f"{function}(): this run has drawn {_MOST_FIGURES} pictures; give each a name=…, so that a "
            "later one replaces the one before"
        )

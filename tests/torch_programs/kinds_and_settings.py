"""What can be asked of tensors and dtypes, PyTorch's older types, settings that change nothing."""
import warnings

import torch

warnings.simplefilter("ignore")
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])


def refused(name, call):
    try:
        print(name, "was taken:", call())
    except Exception as error:
        print(name, type(error).__name__, str(error).split("\n")[0])


def kind(name, call):
    try:
        call()
        print(name, "was taken")
    except Exception as error:
        print(name, type(error).__name__)


# Dtypes
one, half = torch.tensor([1, 2]), torch.tensor([1.0], dtype=torch.float16)
print(torch.result_type(one, 1.0), torch.result_type(torch.tensor([1], dtype=torch.uint8), 1), torch.result_type(1, 1.0), torch.result_type(1, half))
print(torch.result_type(torch.tensor(1.0), one), torch.result_type(one, True), torch.result_type(True, True), torch.result_type(half, torch.tensor(1.0, dtype=torch.float64)))
kind("result_type of a word", lambda: torch.result_type("a", 1))
dtypes = (torch.float32, torch.int64, torch.uint8, torch.bool, torch.float16, torch.int8)
print([(a, b) for a in dtypes for b in dtypes if not torch.can_cast(a, b)])
print(torch.can_cast(torch.int32, torch.uint8), torch.can_cast(from_=torch.float64, to=torch.float16))
print(torch.typename(one), torch.typename(3), torch.typename([1]), torch.typename(x.double()), torch.typename("a"), torch.typename(torch.Size([1])), torch.typename(torch.device("cpu")))
print(torch.is_storage(x.untyped_storage()), torch.is_storage(1), torch.is_signed(x), torch.tensor(1, dtype=torch.uint8).is_signed(), torch.tensor(True).is_signed())
print(torch.is_complex(x), x.is_complex(), torch.is_conj(x), x.is_conj(), torch.is_neg(x), torch.is_distributed(x), torch.get_device(x), x.get_device())
print(torch.is_nonzero(torch.tensor([0.0])), torch.is_nonzero(torch.tensor(3)), torch.tensor([True]).is_nonzero())
kind("is_nonzero of two", lambda: torch.is_nonzero(one))
kind("is_nonzero of none", lambda: torch.is_nonzero(torch.tensor([])))
print(torch.is_same_size(x, x.T), x.is_same_size(one), torch.isreal(x), one.isreal())
print(torch.real(x) is not None, x.real.shape, x.conj(), torch.resolve_neg(x).sum(), x.resolve_conj().sum(), torch.conj_physical(x).sum(), torch.conj_physical_(x).sum())
refused("imag", lambda: torch.imag(x))
refused("imag of a tensor", lambda: x.imag)
refused("isreal of a number", lambda: torch.isreal(3))
print(x.is_sparse, x.is_quantized, x.is_meta, x.is_nested, x.is_mps, x.is_xla, x.is_sparse_csr, x.is_mkldnn, x.is_xpu, x.is_vulkan, x.is_ipu, x.is_maia, x.is_mtia)
print(x.output_nr, x.name, x.grad_dtype, x.is_pinned(), x.is_shared(), x.share_memory_().is_shared(), x.to_dense().sum(), x.dense_dim(), x.sparse_dim(), x.dim_order(), x.T.dim_order())
print(x.H, torch.adjoint(x[None]).shape, x.adjoint().shape)
refused("H of a row", lambda: x[0].H)
refused("H of a batch", lambda: x[None].H)
refused("adjoint of a row", lambda: x[0].adjoint())
refused("reinforce", lambda: x.reinforce(1))

# Memory formats and layouts
images = torch.arange(24.0).reshape(1, 2, 3, 4)
last = images.to(memory_format=torch.channels_last)
print(last.stride(), last.is_contiguous(), last.is_contiguous(memory_format=torch.channels_last), images.is_contiguous(memory_format=torch.channels_last), last.dim_order())
print(last.clone(memory_format=torch.contiguous_format).stride(), torch.clone(images, memory_format=torch.channels_last).stride(), images.contiguous(memory_format=torch.channels_last).stride(), (last == images).all())
print(torch.empty((1, 2, 3, 4), memory_format=torch.channels_last).stride(), torch.zeros_like(images, memory_format=torch.channels_last).stride(), images.double(memory_format=torch.channels_last).stride(), images.to(torch.float64, memory_format=torch.channels_last).dtype)
print(images.view(1, 2, 3, 2, 2).contiguous(memory_format=torch.channels_last_3d).stride(), torch.ones_like(images, memory_format=torch.preserve_format).stride(), images.float(memory_format=torch.preserve_format).dtype)
print(torch.channels_last, repr(torch.preserve_format), [torch.contiguous_format], torch.channels_last_3d, type(torch.channels_last), torch.legacy_contiguous_format, torch.strided, x.layout, [x.layout], isinstance(x.layout, torch.layout))
refused("channels_last of three dimensions", lambda: images[0].contiguous(memory_format=torch.channels_last))
refused("channels_last_3d of four", lambda: images.contiguous(memory_format=torch.channels_last_3d))
refused("an empty preserved format", lambda: torch.empty(3, memory_format=torch.preserve_format))
refused("a new memory_format", lambda: torch.memory_format())
kind("a number for a memory_format", lambda: images.clone(memory_format=3))
print(torch.zeros(2, pin_memory=False, layout=torch.strided), torch.ones_like(x, layout=torch.strided, pin_memory=False), torch.tensor([1.0], pin_memory=False), torch.full((1,), 2.0, layout=torch.strided))
kind("a number for a layout", lambda: torch.zeros(2, layout=3))
kind("names", lambda: torch.zeros(2, names=("a",)))
print(torch.newaxis, x[:, torch.newaxis].shape, torch.empty_strided((2, 3), (1, 2)).stride(), torch.empty_permuted((2, 3, 5), (0, 2, 1)).stride(), x.new_empty_strided((2, 3), (1, 2)).stride())
refused("strides of another number", lambda: torch.empty_strided((2, 3), (1,)))
refused("a layout twice", lambda: torch.empty_permuted((2, 3, 5), (0, 2, 2)))

# Older types
print(torch.FloatTensor([1, 2]), torch.FloatTensor(2, 3).shape, torch.FloatTensor(), torch.LongTensor([1.5, 2]), torch.LongTensor(range(3)), torch.ByteTensor([1, 44]), torch.FloatTensor((2, 3)), torch.LongTensor(one))
print(torch.BFloat16Tensor([1]), torch.HalfTensor([1]), torch.BoolTensor([0, 1]), torch.CharTensor([1]), torch.ShortTensor([1]), torch.IntTensor([1]), torch.DoubleTensor([1]), torch.BoolTensor([2.0, 0]), torch.IntTensor([[1, 2]]))
print(torch.FloatTensor, torch.FloatTensor.dtype, torch.LongTensor.layout, torch.FloatTensor.is_cuda, torch.FloatTensor.__name__, torch.FloatTensor(torch.Size([2])).shape, type(torch.FloatTensor))
print(isinstance(x, torch.FloatTensor), isinstance(x, torch.DoubleTensor), isinstance(one, torch.LongTensor), isinstance(torch.nn.Parameter(x), torch.FloatTensor), isinstance(3, torch.LongTensor), isinstance(x, torch.Tensor))
kind("LongTensor of floats", lambda: torch.LongTensor(torch.tensor([1.5])))
kind("IntTensor of a word", lambda: torch.IntTensor("a"))
kind("IntTensor with a dtype", lambda: torch.IntTensor([1], dtype=torch.int32))
print(x.type(), x.type("torch.DoubleTensor"), x.type(torch.LongTensor), x.type(torch.float16).type(), x.type(torch.FloatTensor) is x)
refused("an unknown type", lambda: x.type("bogus"))
print(x.new([1, 2]), x.new(2, 3).shape, x.new(), x.new(x).data_ptr() == x.data_ptr(), x.long().new([1.5]), x.new_empty((2, 3)).shape, x.new_empty(2, 3, dtype=torch.int64).dtype)
kind("new of another dtype", lambda: x.new(one))
kind("new with a dtype", lambda: x.new(2, dtype=torch.int64))
print(x.storage().tolist(), x.T.storage().size(), len(x[1].storage()), x.storage().nbytes(), x.storage().dtype, x.storage()[1], torch.FloatStorage([1, 2]).tolist(), torch.LongStorage(3).size(), x.storage().untyped().nbytes(), x.storage_type(), x.storage().element_size())
print(x.storage())

# Size
size = torch.Size([2, 3])
print(size.numel(), size + (1,), size * 2, size[:1], size[1], size.index(3), size.count(2), 2 * torch.Size([1]), (1,) + torch.Size([2]), torch.Size((2,)) == (2,), torch.Size(), size == [2, 3], hash(torch.Size([2])) == hash((2,)), list(size), 3 in size)
refused("half a size", lambda: torch.Size([1.5]))
kind("a number for sizes", lambda: torch.Size(3))

# Made
print(torch.range(0, 4), torch.range(1, 2.5, 0.5), torch.range(1, 4, dtype=torch.int64), torch.range(3, 1, -1), torch.range(0, 1, 0.1), torch.range(0, 3, out=torch.empty(4)), torch.range(0, 3, requires_grad=True), torch.range(1.5, 4, dtype=torch.int32))
refused("no steps", lambda: torch.range(0, 1, 0))
refused("steps the other way", lambda: torch.range(0, 1, -1))
refused("an endless range", lambda: torch.range(0, float("inf")))
print(torch.scalar_tensor(1), torch.scalar_tensor(2, dtype=torch.int64), torch.scalar_tensor(True), torch.fill(one, 5.5), torch.fill(one, torch.tensor(7)), torch.fill(x, value=3), torch.fill_(x.clone(), 2), torch.pow(2, torch.tensor([1.0, 3.0])))
refused("fill with a row", lambda: torch.fill(x, one))
leaf, number = x.clone().requires_grad_(), torch.tensor(2.0, requires_grad=True)
torch.fill(leaf * 1, number).sum().backward()
print(leaf.grad, number.grad)

# Settings
torch.use_deterministic_algorithms(True, warn_only=True)
print(torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled(), torch.get_deterministic_debug_mode())
torch.set_deterministic_debug_mode("error")
print(torch.get_deterministic_debug_mode())
torch.set_deterministic_debug_mode(0)
print(torch.are_deterministic_algorithms_enabled())
refused("a number for a mode", lambda: torch.use_deterministic_algorithms(1))
refused("an unknown mode", lambda: torch.set_deterministic_debug_mode("x"))
refused("mode 3", lambda: torch.set_deterministic_debug_mode(3))
refused("mode 1.5", lambda: torch.set_deterministic_debug_mode(1.5))
torch.set_num_threads(2)
torch.set_num_interop_threads(3)
print(torch.get_num_threads(), torch.get_num_interop_threads())
refused("no threads", lambda: torch.set_num_threads(0))
refused("half a thread", lambda: torch.set_num_threads(1.5))
refused("no interop threads", lambda: torch.set_num_interop_threads(0))
print(torch.get_float32_matmul_precision())
torch.set_float32_matmul_precision("medium")
print(torch.get_float32_matmul_precision())
refused("a number for a precision", lambda: torch.set_float32_matmul_precision(1))
print(torch.set_flush_denormal(False), torch.is_vulkan_available(), torch.compiled_with_cxx11_abi(), torch.has_lapack, torch.init_num_threads())
torch.set_warn_always(True)
print(torch.is_warn_always_enabled())
torch.set_warn_always(False)
refused("a number for warnings", lambda: torch.set_warn_always(1))
print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
torch.set_anomaly_enabled(True, False)
print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
torch.set_anomaly_enabled(False)

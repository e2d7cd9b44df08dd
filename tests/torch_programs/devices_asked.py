# What programs ask before they choose a device, and what they call on every device.
import torch
import torch.nn as nn

# Without a GPU
cuda = torch.cuda
print(cuda.is_available(), cuda.device_count(), cuda.is_initialized(), cuda.is_bf16_supported())
print(cuda.memory_allocated(), cuda.max_memory_allocated(), cuda.memory_reserved(), cuda.max_memory_reserved())
print(cuda.memory_stats(), cuda.memory_stats_as_nested_dict(), cuda.memory_snapshot(), cuda.host_memory_stats())
print(cuda.empty_cache(), cuda.manual_seed(1), cuda.manual_seed_all(1), cuda.seed(), cuda.seed_all())
print(cuda.get_rng_state_all(), cuda.set_rng_state_all([]), cuda.is_tf32_supported(), cuda.get_allocator_backend())
print(cuda.Event(enable_timing=True), cuda.OutOfMemoryError is torch.OutOfMemoryError)
with cuda.device(-1), cuda.stream(None), cuda.device_of(torch.ones(1)):
    print("inside")
for call in (
    lambda: cuda.current_device(),
    lambda: cuda.get_device_name(0),
    lambda: cuda.synchronize(),
    lambda: cuda.set_device(0),
    lambda: cuda.get_device_properties(0),
    lambda: cuda.mem_get_info(),
    lambda: cuda.current_stream(),
    lambda: cuda.CUDAGraph(),
    lambda: torch.ones(1).to("xpu"),
):
    try:
        call()
        print("no error")
    except (AssertionError, RuntimeError):
        print("refused")
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(device, torch.ones(1, device=device).device, nn.Linear(1, 1).to(device).weight.device)

accelerator = torch.accelerator
print(accelerator.is_available(), accelerator.device_count(), accelerator.current_accelerator(check_available=True))
device = accelerator.current_accelerator().type if accelerator.is_available() else "cpu"
print(device, accelerator.memory_allocated(), accelerator.max_memory_reserved(), accelerator.memory_stats())
print(accelerator.empty_cache(), accelerator.reset_peak_memory_stats())
for call in (accelerator.synchronize, accelerator.current_device_index, accelerator.current_stream):
    try:
        call()
    except RuntimeError:
        print("refused")

print(torch.cpu.is_available(), torch.cpu.device_count(), torch.cpu.current_device(), torch.cpu.synchronize())
with torch.cpu.stream(torch.cpu.current_stream()):
    print(torch.cpu.Event().query())
print(torch.mps.is_available(), torch.mps.device_count(), torch.backends.mps.is_available(), torch.backends.mps.is_built())
print(torch.xpu.is_available(), torch.xpu.device_count(), torch.xpu.memory_allocated(), torch.xpu.empty_cache())
try:
    torch.xpu.current_device()
except AssertionError as e:
    print(e)

# Settings hold what they are given.
print(torch.backends.cudnn.enabled, torch.backends.cudnn.benchmark, torch.backends.cudnn.deterministic)
torch.backends.cudnn.benchmark = True
with torch.backends.cudnn.flags(enabled=False, deterministic=True):
    print(torch.backends.cudnn.enabled, torch.backends.cudnn.benchmark, torch.backends.cudnn.deterministic)
print(torch.backends.cudnn.enabled, torch.backends.cudnn.benchmark, torch.backends.cudnn.deterministic)
torch.backends.cuda.matmul.allow_tf32 = True
print(torch.backends.cuda.matmul.allow_tf32)
print(torch.backends.cuda.flash_sdp_enabled(), torch.backends.cuda.math_sdp_enabled())
torch.backends.cuda.enable_flash_sdp(False)
print(torch.backends.cuda.flash_sdp_enabled(), torch.backends.cuda.mem_efficient_sdp_enabled())
print(torch.backends.opt_einsum.is_available(), torch.backends.miopen.immediate, torch.backends.mha.get_fastpath_enabled())
print(torch.backends.mkldnn.enabled)
with torch.backends.mkldnn.flags(enabled=False), torch.backends.mkl.verbose(0):
    print("inside")
with nn.attention.sdpa_kernel(nn.attention.SDPBackend.MATH):
    print(repr(nn.attention.SDPBackend.FLASH_ATTENTION), nn.attention.SDPBackend.MATH)
try:
    with nn.attention.sdpa_kernel("math"):
        pass
except AssertionError as e:
    print(e)
torch.set_num_threads(1)
print(torch.get_num_threads(), torch.version.hip, torch.version.debug, isinstance(torch.__version__, str))

# Several processes, of which there is one
import torch.distributed as dist

print(dist.is_initialized(), dist.is_torchelastic_launched(), dist.get_node_local_rank(fallback_rank=0))
for call in (dist.get_rank, dist.get_world_size, dist.barrier, lambda: dist.all_reduce(torch.ones(1))):
    try:
        call()
    except ValueError as e:
        print(e)
net = nn.Linear(2, 1)
parallel = nn.DataParallel(net)
print(parallel, parallel.module is net, torch.equal(parallel(torch.ones(3, 2)), net(torch.ones(3, 2))))
print(list(parallel.state_dict()), isinstance(parallel, nn.DataParallel), nn.parallel.DataParallel is nn.DataParallel)

# torch.jit runs the same function.
@torch.jit.script
def f(x, n: int):
    for i in range(n):
        x = x + i
    return x


print(f(torch.ones(2), 3), torch.jit.is_scripting(), torch.jit.is_tracing(), torch.jit.annotate(int, 3))
scripted, traced = torch.jit.script(net), torch.jit.trace(net, torch.ones(1, 2))
x = torch.ones(2, 2)
print(torch.equal(scripted(x), net(x)), torch.equal(traced(x), net(x)), list(scripted.state_dict()))
print(torch.jit.freeze(scripted.eval())(x).shape, torch.jit.wait(torch.jit.fork(torch.neg, x)).sum().item())

import io

buffer = io.BytesIO()
torch.jit.save(scripted, buffer)
buffer.seek(0)
print(torch.equal(torch.jit.load(buffer)(x), net(x)))

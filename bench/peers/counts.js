// Counts what is asked of the GPU, in `gpuCounts`: in a page, or at the top of a worker's script.

globalThis.gpuCounts = { submits: 0, dispatches: 0, reads: 0 };

for (const [kind, method, name] of [
  [GPUQueue, "submit", "submits"],
  [GPUComputePassEncoder, "dispatchWorkgroups", "dispatches"],
  [GPUComputePassEncoder, "dispatchWorkgroupsIndirect", "dispatches"],
  [GPUBuffer, "mapAsync", "reads"],
]) {
  const original = kind.prototype[method];
  kind.prototype[method] = function (...args) {
    gpuCounts[name] += 1;
    return original.apply(this, args);
  };
}

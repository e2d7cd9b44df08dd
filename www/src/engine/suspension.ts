// JavaScript Promise Integration: whether a wasm call can wait, so that Stop arrives while Python runs.
//
// Invariant: after `standInForSuspension` the glue can be imported in every browser. Without JSPI
// the stand-ins pass functions through, `handle_sync` is called, and Stop replaces the worker.

interface Suspension {
  Suspending?: unknown;
  promising?: unknown;
}

export function canSuspend(): boolean {
  const wasm = WebAssembly as Suspension;
  return typeof wasm.Suspending === "function" && typeof wasm.promising === "function";
}

export function standInForSuspension(): void {
  if (canSuspend()) return;
  const wasm = WebAssembly as Suspension;
  wasm.Suspending = passThrough;
  wasm.promising = passThrough;
}

// A declared function, because the glue writes `new WebAssembly.Suspending(f)`: an arrow has no
// `new`, and a constructor that returns an object gives that object to it.
function passThrough(wrapped: object): object {
  return wrapped;
}

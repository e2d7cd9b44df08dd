// Downloads a wasm module, compiles it while it arrives, and counts the bytes.
//
// Invariant: `progress` never decreases and ends at the total. The counted bytes are those after
// decompression, so the total is what the build measured, not Content-Length.

const STEP = 64 * 1024;

export async function download(
  url: string,
  bytes: number,
  progress: (done: number, total: number) => void,
): Promise<WebAssembly.Module> {
  // Built files carry a hash in their name: what the cache holds is never stale.
  const response = await fetch(url, { cache: import.meta.env.DEV ? "default" : "force-cache" });
  if (!response.ok || !response.body) {
    throw new Error(`${url.split("/").at(-1)} could not be loaded: the server answered ${response.status}`);
  }
  const counted = response.body.pipeThrough(counter(bytes, progress));
  return WebAssembly.compileStreaming(
    new Response(counted, { headers: { "Content-Type": "application/wasm" } }),
  );
}

export function counter(
  bytes: number,
  progress: (done: number, total: number) => void,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let done = 0;
  let told = 0;
  progress(0, bytes);
  return new TransformStream({
    transform(chunk, controller) {
      done += chunk.byteLength;
      if (done - told >= STEP) {
        told = done;
        progress(Math.min(done, bytes), bytes);
      }
      controller.enqueue(chunk);
    },
    flush() {
      progress(bytes, bytes);
    },
  });
}

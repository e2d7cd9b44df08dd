// Downloads: a wasm module, compiled while it arrives, with its bytes counted; and a file at once.
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

/** A file at once, while Python waits in an `import` or a call. */
export function fetchNow(url: string | null, type: "text"): string;
export function fetchNow(url: string | null, type: "arraybuffer"): ArrayBuffer;
export function fetchNow(url: string | null, type: XMLHttpRequestResponseType): string | ArrayBuffer {
  if (url === null) throw new Error("this copy of the page was built without it");
  const request = new XMLHttpRequest();
  request.open("GET", url, false);
  request.responseType = type;
  try {
    request.send();
  } catch {
    throw new Error("the network is not there; run the cell again when it is");
  }
  if (request.status !== 200) throw new Error(`the server answered ${request.status}; reload the page`);
  return request.response;
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

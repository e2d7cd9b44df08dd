// A file from an address, with how much of it has arrived.
//
// Invariant: what is larger than `most` is given up when that is known; each refusal says what to do instead.

import { t } from "../language/language.svelte";

/** The name that a file from this address gets. */
export function nameOf(address: string): string {
  const { pathname, hostname } = new URL(address, location.href);
  return decodeURIComponent(pathname.split("/").at(-1) ?? "") || hostname;
}

export async function fetchFile(
  address: string,
  most: number,
  progress: (done: number, total: number | null) => void,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  let response: Response;
  try {
    response = await fetch(address, { signal });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new Error(
      t(
        "{name} cannot be fetched: its server is not there, or does not let other pages read its files. Download it and drop it here.",
        { name: address },
      ),
    );
  }
  if (!response.ok || !response.body) {
    throw new Error(
      t("{name} cannot be fetched: the server answered {status}.", {
        name: address,
        status: response.status,
      }),
    );
  }
  const length = Number(response.headers.get("content-length"));
  const total = response.headers.has("content-encoding") || !length ? null : length;
  const tooLarge = () =>
    new Error(
      t("{name} is larger than the {size} that are left for files; remove some first.", {
        name: nameOf(address),
        size: megabytes(most),
      }),
    );
  if (total !== null && total > most) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let done = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { value } = await reader.read();
    if (!value) break;
    done += value.length;
    if (done > most) {
      await reader.cancel();
      throw tooLarge();
    }
    chunks.push(value);
    progress(done, total);
  }
  const bytes = new Uint8Array(done);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** A size in words: `3.2 MB`. */
export function megabytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} KB`;
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

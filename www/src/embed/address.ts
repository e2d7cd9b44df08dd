// Where the package's files are, as its workers are told: in the hash of their address.
//
// Invariant: addresses are whole, because a worker that a page of another host starts has no address to start from.

/** The files that workers fetch. */
export interface PackageFiles {
  engine: string;
  python: string;
  library: string;
  files: string;
  onnx: string;
  layout: string;
}

/** In a worker: the files that its page named. */
export function namedFiles(): PackageFiles {
  return JSON.parse(decodeURIComponent(self.location.hash.slice(1))) as PackageFiles;
}

/** Starts a worker whose file may lie on another host: then a script of this page imports it. */
export function startWorker(address: string, name: string, files: PackageFiles): Worker {
  const whole = new URL(address, location.href);
  const hash = `#${encodeURIComponent(JSON.stringify(files))}`;
  const options: WorkerOptions = { type: "module", name };
  if (whole.origin === location.origin) return new Worker(whole.href + hash, options);
  const script = new Blob([`import ${JSON.stringify(whole.href)};`], { type: "text/javascript" });
  const here = URL.createObjectURL(script);
  const worker = new Worker(here + hash, options);
  // Its script is read by then.
  worker.addEventListener("message", () => URL.revokeObjectURL(here), { once: true });
  return worker;
}

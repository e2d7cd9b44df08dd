// The service worker: keeps the site in this browser, so that it opens without a network.
//
// Invariant: one version is whole or it is not there. A version's files are fetched into a cache of
// its own, each checked against its hash; it answers only when all have arrived. A new version waits
// until the page says so, and the one before it is kept until then, so that an open page finds the
// files it was built with. A large file that not every visit needs (Python) is kept once the page
// has asked for it. Paths are relative to the worker: it works below any path.
//
// www/build/offline.ts puts the version and the list of files in; page.ts registers it.

/** Path below the site, hash as in `integrity`, and whether it waits until it is asked for. */
export type Listed = [path: string, integrity: string, later: 0 | 1];

interface Lasting extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface Fetching extends Lasting {
  request: Request;
  respondWith(answer: Promise<Response> | Response): void;
}
interface Told extends Lasting {
  data: unknown;
}
interface Worker {
  registration: { scope: string };
  clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: "install" | "activate", listener: (event: Lasting) => void): void;
  addEventListener(type: "fetch", listener: (event: Fetching) => void): void;
  addEventListener(type: "message", listener: (event: Told) => void): void;
}

// The build puts its values here, as text; these lines give the types.
declare const __GLOWGRAD_VERSION__: string;
declare const __GLOWGRAD_FILES__: Listed[];

const worker = self as unknown as Worker;
const PREFIX = "glowgrad ";
const NAME = PREFIX + __GLOWGRAD_VERSION__;
const FILES = __GLOWGRAD_FILES__;
/** Fetched at the same time: few, because the page may be at work. */
const AT_ONCE = 3;

const scope = new URL(worker.registration.scope);
const files = new Map(FILES.map((file) => [new URL(file[0], scope).href, file]));
const assets = new URL("assets/", scope).href;
const page = new URL("index.html", scope).href;
/** Not a file: its entry in a cache says that the large files were asked for. */
const ASKED = new URL("asked", scope).href;

worker.addEventListener("install", (event) => event.waitUntil(install()));
worker.addEventListener("activate", (event) => event.waitUntil(activate()));
worker.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  const url = urlOf(event.request);
  if (url) event.respondWith(answer(event, url));
  // A page of the version before asks for files by names that this one does not have.
  else if (event.request.url.startsWith(assets)) event.respondWith(older(event.request));
});
worker.addEventListener("message", (event) => {
  if (event.data === "take over") event.waitUntil(worker.skipWaiting());
  // The page loaded Python before there was a worker to see it.
  if (event.data === "keep all") event.waitUntil(keepAll());
});

/** The file of this version that a request means, if it means one. */
function urlOf(request: Request): string | null {
  const url = new URL(request.url);
  url.hash = "";
  url.search = "";
  if (url.href === scope.href) return page;
  return files.has(url.href) ? url.href : null;
}

async function install(): Promise<void> {
  const cache = await caches.open(NAME);
  // A learner who had Python before expects it of the next version too.
  const all = await hadBefore();
  const waiting = [...files].filter(([, [, , later]]) => all || !later).map(([url]) => url);
  const fetchNext = async (): Promise<void> => {
    for (let url = waiting.shift(); url; url = waiting.shift()) await fetchInto(cache, url);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, fetchNext));
}

/** Whether an earlier version was asked for the large files. */
async function hadBefore(): Promise<boolean> {
  for (const name of await versions()) {
    if (name !== NAME && (await (await caches.open(name)).match(ASKED))) return true;
  }
  return false;
}

async function fetchInto(cache: Cache, url: string): Promise<void> {
  if (await cache.match(url)) return;
  const file = files.get(url);
  if (!file) return;
  if (file[2]) await cache.put(ASKED, new Response(""));
  const hashed = url.includes("/assets/");
  // A name with a hash means the same bytes in every version, wherever they are already.
  const known = hashed ? await caches.match(url, { ignoreVary: true }) : undefined;
  if (known) {
    await cache.put(url, known);
    return;
  }
  // Some hosts send who asks for index.html on to the folder.
  const request = new Request(url === page ? scope : url, {
    integrity: file[1],
    cache: hashed ? "force-cache" : "no-cache",
  });
  const response = await fetch(request);
  if (!response.ok || response.redirected) throw new Error(`${url} is not to be had: ${response.status}`);
  await cache.put(url, response);
}

/** Keeps the large files too, from the browser's own cache; a failure costs nothing now. */
async function keepAll(): Promise<void> {
  const cache = await caches.open(NAME);
  for (const [url, [, , later]] of files) if (later) await fetchInto(cache, url).catch(() => {});
}

async function older(request: Request): Promise<Response> {
  return (await caches.match(request, { ignoreVary: true })) ?? fetch(request);
}

async function activate(): Promise<void> {
  const names = await versions();
  // In the order they were made: the last two are this one and the one before it.
  const before = names.filter((name) => name !== NAME).at(-1);
  await Promise.all(
    names.filter((name) => name !== NAME && name !== before).map((name) => caches.delete(name)),
  );
  await worker.clients.claim();
}

async function versions(): Promise<string[]> {
  return (await caches.keys()).filter((name) => name.startsWith(PREFIX));
}

async function answer(event: Fetching, url: string): Promise<Response> {
  const cache = await caches.open(NAME);
  const kept = await cache.match(url, { ignoreVary: true });
  if (kept) return kept;
  const response = await fetch(event.request);
  if (response.ok && files.get(url)?.[2]) {
    const copy = response.clone();
    event.waitUntil(Promise.all([cache.put(url, copy), cache.put(ASKED, new Response(""))]).catch(() => {}));
  }
  return response;
}

// Hash routes: what the address bar says, as a value.
//
// Invariant: `parseRoute` never throws, whatever the hash; an address it does not know is `missing`
// and keeps the path, so that the page can say it. Leaves what a route shows to App.svelte.

export type Route =
  | { name: "landing" }
  | { name: "course" | "bench" | "mine" }
  | { name: "play"; op: string | null }
  | { name: "lesson"; slug: string; section: string | null }
  | { name: "teachers"; slug: string | null }
  | { name: "reference"; op: string | null; family: string | null }
  | { name: "shared" | "embed"; version: string; text: string }
  | { name: "studio"; version: string; text: string }
  | { name: "missing"; path: string };

export function parseRoute(hash: string): Route {
  const path = hash.replace(/^#/, "").replace(/\?.*$/, "").replace(/\/+$/, "");
  if (path === "") return { name: "landing" };
  const [first, ...rest] = path
    .split("/")
    .filter((part) => part !== "")
    .map(decode);
  if (path.startsWith("/")) {
    if ((first === "course" || first === "bench" || first === "mine") && rest.length === 0)
      return { name: first };
    if (first === "play" && rest.length === 0) {
      return { name: "play", op: new URLSearchParams(hash.split("?")[1]).get("op") || null };
    }
    if (
      ((first === "shared" || first === "embed") && rest.length === 2) ||
      (first === "studio" && (rest.length === 0 || rest.length === 2))
    ) {
      return { name: first, version: rest[0] ?? "", text: rest[1] ?? "" };
    }
    if (first === "reference" && rest.length <= 1) {
      return { name: "reference", op: rest[0] ?? null, family: null };
    }
    if (first === "reference" && rest[0] === "family" && rest.length === 2) {
      return { name: "reference", op: null, family: rest[1] ?? null };
    }
    if (first === "teachers" && rest.length <= 1) return { name: first, slug: rest[0] ?? null };
    if (first === "lesson" && rest[0] && rest.length <= 2) {
      return { name: "lesson", slug: rest[0], section: rest[1] ?? null };
    }
  }
  return { name: "missing", path };
}

export function lessonLink(slug: string, section?: string): string {
  const base = `#/lesson/${encodeURIComponent(slug)}`;
  return section ? `${base}/${encodeURIComponent(section)}` : base;
}

/** The sheet of a lesson, to be printed. */
export function sheetLink(slug: string): string {
  return `#/teachers/${encodeURIComponent(slug)}`;
}

export function opLink(op: string): string {
  return `#/reference/${encodeURIComponent(op)}`;
}

export function familyLink(family: string): string {
  return `#/reference/family/${encodeURIComponent(family)}`;
}

/** A cell of its own with the example of an op in it. */
export function tryLink(op: string): string {
  return `#/play?op=${encodeURIComponent(op)}`;
}

/** A shared cell; see link/state.ts. */
export function sharedLink(version: string, text: string): string {
  return `#/shared/${version}/${text}`;
}

/** A network that is shared; see studio/link.ts. */
export function networkLink(version: string, text: string): string {
  return `#/studio/${version}/${text}`;
}

/** A percent sign that starts no code stays as it is. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

// The network that was drawn last, kept on this computer.
//
// Invariant: written at once, so that it is there also when the page is closed that moment; what is found is a value, which
// the module checks before it is a network. A browser that refuses keeps nothing.

const KEY = "glowgrad.studio";

export function keptNetwork(): unknown {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "null");
  } catch {
    return null;
  }
}

/** Whether the browser took it. */
export function keepNetwork(net: object): boolean {
  try {
    localStorage.setItem(KEY, JSON.stringify(net));
    return true;
  } catch {
    return false;
  }
}

/** Tells of a network that another tab has kept, until the answer is called. */
export function watchKept(heard: (net: unknown) => void): () => void {
  const hear = ({ key }: StorageEvent) => {
    if (key === KEY) heard(keptNetwork());
  };
  addEventListener("storage", hear);
  return () => removeEventListener("storage", hear);
}

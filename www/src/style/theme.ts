// Dark or light: the system's preference until the learner chooses.
//
// Invariant: a choice is `data-theme` on <html> and `glowgrad.theme` in local storage, which
// index.html reads before first paint. Those who draw on a canvas listen with `onThemeChange`.

export type Theme = "dark" | "light";

const KEY = "glowgrad.theme";
const listeners = new Set<() => void>();

function system(): MediaQueryList {
  return window.matchMedia("(prefers-color-scheme: light)");
}

export function currentTheme(): Theme {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "dark" || chosen === "light") return chosen;
  return system().matches ? "light" : "dark";
}

export function chooseTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  // The browser's own bars take the ground's colour.
  const ground = getComputedStyle(document.documentElement).getPropertyValue("--ground").trim();
  for (const meta of document.querySelectorAll('meta[name="theme-color"]'))
    meta.setAttribute("content", ground);
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // A browser that keeps nothing still shows the theme until the page is closed.
  }
  for (const listener of listeners) listener();
}

export function onThemeChange(listener: () => void): () => void {
  const query = system();
  listeners.add(listener);
  query.addEventListener("change", listener);
  return () => {
    listeners.delete(listener);
    query.removeEventListener("change", listener);
  };
}

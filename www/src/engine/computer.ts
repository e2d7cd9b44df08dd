// Whether `glow lab` serves this page, and the token with which it gives sessions.
//
// Invariant: the server says so in the page's HTML, which no link can do; the token comes in the
// address, is taken out of it at once, and lives as long as the tab. Without it, as when another person's
// link opened the page, everything runs in the browser.

const KEY = "glowgrad.token";
const IN_ADDRESS = /^#token=([0-9a-f]{32})$/;

/** Whether the page comes from `glow lab`. */
export const served = document.querySelector('meta[name="glow-lab"]') !== null;

/** The token for sessions of this computer; null where there are none. */
export const token: string | null = served ? taken() : null;

if (served) {
  // The address of another start, pasted over this one: the page begins anew with it.
  addEventListener("hashchange", () => {
    if (IN_ADDRESS.test(location.hash)) location.reload();
  });
}

function taken(): string | null {
  const found = IN_ADDRESS.exec(location.hash)?.[1];
  try {
    if (found) sessionStorage.setItem(KEY, found);
    return sessionStorage.getItem(KEY);
  } catch {
    // A browser that keeps nothing has it until the page is closed.
    return found ?? null;
  } finally {
    if (found) history.replaceState(null, "", location.pathname + location.search);
  }
}

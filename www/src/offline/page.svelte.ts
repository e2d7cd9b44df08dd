// The page's side of working offline: registers the service worker once the page has nothing else to
// do, tells it what was loaded before it came, and says when a new version waits.
//
// Invariant: nothing is replaced under an open page. A new version takes over when the learner says
// so; the page then loads again, and the store has what was written. Loaded lazily.
import { engine, python } from "../engine/engines.svelte";

class Offline {
  /** A new version is here and waits; or another tab has let it in already. */
  waiting = $state(false);
  private registration: ServiceWorkerRegistration | null = null;
  private reloads = false;

  /** The new version takes over, and the page begins anew with it. */
  update(): void {
    const next = this.registration?.waiting;
    if (next) {
      this.reloads = true;
      next.postMessage("take over");
    } else location.reload();
  }

  async register(): Promise<void> {
    const { serviceWorker } = navigator;
    // Nothing is kept for a page in another site's frame; a learning platform's package has no worker.
    if (!serviceWorker || /^#\/embed\//.test(location.hash)) return;
    if (document.querySelector('meta[name="glow-scorm"]')) return;
    // First the page gets what it is waiting for itself.
    const arrives = (state: typeof engine) => state.status.phase === "loading";
    await until(() => !arrives(engine) && !arrives(python));
    // The first worker of all takes a page that had none: that is no new version.
    let controlled = serviceWorker.controller !== null;
    serviceWorker.addEventListener("controllerchange", () => {
      if (this.reloads) location.reload();
      else if (controlled) this.waiting = true;
      controlled = true;
    });
    const registration = await serviceWorker.register(new URL("offline.js", document.baseURI));
    this.registration = registration;
    const look = () => {
      if (registration.waiting && serviceWorker.controller) this.waiting = true;
    };
    look();
    registration.addEventListener("updatefound", () => {
      registration.installing?.addEventListener("statechange", look);
    });
    // A lesson may stay open for days.
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") registration.update().catch(() => {});
    });
    const { active } = await serviceWorker.ready;
    // Files that came before the worker ran, it takes from the browser's own cache.
    await until(() => python.status.phase === "ready");
    active?.postMessage("keep all");
  }
}

/** Resolves when something reactive holds. */
function until(holds: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = $effect.root(() => {
      $effect(() => {
        if (!holds()) return;
        resolve();
        queueMicrotask(() => stop());
      });
    });
  });
}

export const offline = new Offline();

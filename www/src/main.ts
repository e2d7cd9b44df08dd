// The entry: asks the engine for the landing graph before anything is drawn, then mounts the page.
import "./style/fonts.css";
import "./style/tokens.css";
import "./style/base.css";
import { mount } from "svelte";
import App from "./App.svelte";
import { token } from "./engine/computer";
import { computeThere, engine } from "./engine/engines.svelte";
import { restore } from "./language/language.svelte";
import { parseRoute } from "./link/route";

function begin(): void {
  // The worker starts while the page is being built: first glow waits for both.
  if (parseRoute(location.hash).name === "landing") engine.client.load();

  const target = document.getElementById("app");
  if (!target) throw new Error("index.html has no #app");
  mount(App, { target });
}

/** Has this computer compute; where that does not arrive, the browser's own engine is left. */
async function askComputer(secret: string): Promise<void> {
  const { openSession } = await import("./engine/socket");
  computeThere(() => openSession(secret));
}

void Promise.all([restore(), token === null || askComputer(token)]).then(begin, begin);

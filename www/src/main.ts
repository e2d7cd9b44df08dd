// The entry: asks the engine for the landing graph before anything is drawn, then mounts the page.
import "./style/fonts.css";
import "./style/tokens.css";
import "./style/base.css";
import { mount } from "svelte";
import App from "./App.svelte";
import { engine } from "./lab/labs.svelte";
import { parseRoute } from "./routes/router";

// The worker starts while the page is being built: first glow waits for both.
if (parseRoute(location.hash).name === "landing") engine.lab.load();

const target = document.getElementById("app");
if (!target) throw new Error("index.html has no #app");
mount(App, { target });

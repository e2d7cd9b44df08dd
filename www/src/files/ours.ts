// The page's shelf: that of the one session with Python.
import { python } from "../engine/engines.svelte";
import { Shelf } from "./shelf.svelte";

export const shelf = new Shelf(python.client);

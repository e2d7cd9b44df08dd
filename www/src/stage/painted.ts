// The modules that a graph on a canvas needs, loaded when one first comes on stage.
export { default as GraphCanvas } from "./GraphCanvas.svelte";
export { nodeAt } from "./hit";
export { layOutLarge } from "./large";

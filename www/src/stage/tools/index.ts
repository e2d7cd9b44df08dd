// The tools of the stage, in one chunk that the stage loads when they are first needed.
export { default as Bar } from "./Bar.svelte";
export { firstBroken } from "./broken";
export { default as CardMore } from "./CardMore.svelte";
export { StepHistory } from "./history.svelte";
export { default as StatusRows } from "./StatusRows.svelte";
export { default as Tools } from "./Tools.svelte";
export { Toolbox } from "./toolbox.svelte";

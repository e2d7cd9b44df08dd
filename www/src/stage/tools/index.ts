// The tools of the stage, in one chunk that the stage loads when they are first needed.

export { default as Outline } from "../Outline.svelte";
export { default as Bar } from "./Bar.svelte";
export { firstBroken } from "./broken";
export { StepHistory } from "./history.svelte";
export { default as PinnedCard } from "./PinnedCard.svelte";
export { default as StatusRows } from "./StatusRows.svelte";
export { default as Tip } from "./Tip.svelte";
export { default as Tools } from "./Tools.svelte";
export { Toolbox } from "./toolbox.svelte";

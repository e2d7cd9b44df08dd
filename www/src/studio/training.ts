// How a network is trained, as data: the settings of a network that says none.
import type { Net, Training } from "./model";
import { type Ask, isRefused } from "./module";

const USUAL: Training = {
  data: "digits",
  loss: "CrossEntropyLoss",
  optimizer: "Adam",
  batch_size: 32,
  epochs: 5,
  seed: 0,
};

/** Its settings, or those that the module finds usual for it. */
export function trainingOf(ask: Ask, net: Net): Training {
  if (net.training) return { ...USUAL, ...net.training };
  const told = ask("training", { net });
  return isRefused(told) ? USUAL : { ...USUAL, ...told.training };
}

// How a network is trained, as data: what there is to choose from, and what is usual for a network.
import type { Catalog, Net, Training } from "./model";

export const USUAL: Training = {
  data: "digits",
  loss: "CrossEntropyLoss",
  optimizer: "Adam",
  batch_size: 32,
  epochs: 5,
  seed: 0,
};

export function trainingOf(net: Net): Training {
  return { ...USUAL, ...net.training };
}

/** Data sets by name with what they are; those of the module where it lists them. */
export function dataOf(catalog: Catalog): { name: string; note: string }[] {
  if (catalog.data) return catalog.data.map(({ name, note, doc }) => ({ name, note: note ?? doc ?? "" }));
  return [
    { name: "digits", note: "1,797 digits of 8 by 8, with the page" },
    { name: "mnist", note: "digits of 28 by 28" },
    { name: "fashion_mnist", note: "clothes of 28 by 28" },
    { name: "cifar10", note: "pictures of 3 by 32 by 32" },
  ];
}

export function schedulesOf(catalog: Catalog): string[] {
  return (
    catalog.schedules?.map(({ name }) => name) ?? [
      "StepLR",
      "ExponentialLR",
      "CosineAnnealingLR",
      "OneCycleLR",
    ]
  );
}

// What the editor knows of glowgrad's names, made of the reference at build time: `virtual:names`.
//
// Invariant: every name that the reference places somewhere is there, with its signature and sentence, and nothing else;
// examples, dtypes and the rest stay in the reference.
import type { NamesData } from "../src/code/names.ts";
import type { OpEntry, Reference } from "../src/protocol/index.ts";

type Entry = Pick<OpEntry, "kind" | "name" | "signature" | "doc" | "places" | "in_place">;

export function namesData({
  families,
  values,
}: {
  families: { ops: Entry[] }[];
  values: Reference["values"];
}): NamesData {
  const entries: NamesData["entries"] = [];
  const places: NamesData["places"] = {};
  const put = (place: string, label: string, index: number) => {
    places[place] ??= [];
    if (!places[place].some(([known]) => known === label)) places[place].push([label, index]);
  };
  for (const { ops } of families) {
    for (const op of ops) {
      const index = entries.push([op.name, op.signature, op.doc, op.kind]) - 1;
      const own = op.name.slice(op.name.lastIndexOf(".") + 1);
      for (const place of op.places) {
        const alias = aliasIn(place);
        const label = alias?.label ?? own;
        put(alias?.place ?? place, label, index);
        if (place === "Tensor" && op.in_place) put("Tensor", `${own}_`, index);
      }
    }
  }
  return { entries, places, values };
}

const PLACES = ["torch", "Tensor", "F", "linalg"];

/** `torch.absolute` is a name in `torch`, and no place. */
function aliasIn(place: string): { place: string; label: string } | null {
  const dot = place.lastIndexOf(".");
  const [module, label] = [place.slice(0, dot), place.slice(dot + 1)];
  return dot > 0 && PLACES.includes(module) ? { place: module, label } : null;
}

// What a network gives, as bars, a picture or numbers.
//
// Invariant: of what changes with each stroke, a screen reader is told one sentence.
import type { Shown } from "./about";
import { element, number, paint, quiet } from "./elements";
import type { Tensor } from "./tensor";

/** So many classes keep their places; of more, the first ones are shown. */
const MOST_BARS = 12;
const MOST_NUMBERS = 64;

export function softmax(values: ArrayLike<number>): number[] {
  const all = Array.from(values);
  const most = all.reduce((high, value) => Math.max(high, value), Number.NEGATIVE_INFINITY);
  const powers = all.map((value) => Math.exp(value - most));
  const sum = powers.reduce((total, value) => total + value, 0);
  return powers.map((value) => value / sum);
}

/** A place for one result, and what shows a result there. */
export function answer(name: string, of: Shown): { place: HTMLElement; show: (result: Tensor) => void } {
  const place = element("section", { className: "answer", ariaLabel: `Result ${name}` });
  if (of.kind === "classes") return { place, show: classes(place, of.names) };
  if (of.kind === "picture") return { place, show: picture(place, of) };
  return {
    place,
    show(result) {
      const values = Array.from(result.data, Number);
      const shown = values.slice(0, MOST_NUMBERS).map(number).join(", ");
      const rest = values.length > MOST_NUMBERS ? `, and ${values.length - MOST_NUMBERS} more` : "";
      const text = element("p", { className: "number", textContent: shown + rest });
      text.dataset.testid = "answer";
      place.replaceChildren(quiet(`${name}: [${result.shape.join(", ")}]`), text);
    },
  };
}

function classes(place: HTMLElement, names: string[]) {
  const best = element("p", { className: "best", role: "status" });
  best.dataset.testid = "answer";
  const list = element("ol");
  place.append(best, list);
  return (result: Tensor) => {
    const shares = softmax(result.data);
    const ranked = shares.map((_, i) => i).sort((i, j) => (shares[j] as number) - (shares[i] as number));
    const [first] = ranked as [number];
    const text = names[first] ?? "";
    // Where numbers are none, no class is the first.
    if (best.textContent !== text) best.textContent = Number.isNaN(shares[first]) ? "no number" : text;
    const places = names.length > MOST_BARS ? ranked.slice(0, MOST_BARS) : names.map((_, i) => i);
    list.replaceChildren(...places.map((i) => bar(names[i] ?? "", shares[i] as number, i === first)));
  };
}

function bar(name: string, share: number, isBest: boolean): HTMLElement {
  const filled = element("span");
  const width = Number.isNaN(share) ? 0 : share * 100;
  filled.style.width = `${width}%`;
  const meter = element("span", { className: "bar", role: "meter", ariaLabel: name }, filled);
  Object.assign(meter, { ariaValueMin: "0", ariaValueMax: "100", ariaValueNow: width.toFixed(1) });
  return element(
    "li",
    { className: isBest ? "first" : "" },
    element("span", { textContent: name }),
    meter,
    element("span", { className: "share", textContent: `${(share * 100).toFixed(1)} %` }),
  );
}

function picture(place: HTMLElement, of: Extract<Shown, { kind: "picture" }>) {
  const canvas = element("canvas", { className: "shown" });
  canvas.setAttribute("role", "img");
  canvas.dataset.testid = "answer";
  const range = quiet("");
  place.append(canvas, range);
  return ({ data }: Tensor) => {
    let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const value of data) [least, most] = [Math.min(least, value), Math.max(most, value)];
    paint(canvas, data, of, [least, most]);
    canvas.setAttribute("aria-label", `The picture that comes out, ${of.width} by ${of.height}`);
    range.textContent = `Black is ${number(least)}, white is ${number(most)}.`;
  };
}

// A tensor brought to other sizes: by the nearest element below, or by lines between elements.
import { alongAxis, whole } from "./movements";
import { type Attribute, needed, type Operator } from "./operator";
import { empty, type Tensor } from "./tensor";

/** Where an element of the result lies among those of `size`. */
const PLACES: Record<string, (at: number, size: number, wanted: number) => number> = {
  asymmetric: (at, size, wanted) => (at * size) / wanted,
  half_pixel: (at, size, wanted) => ((at + 0.5) * size) / wanted - 0.5,
  align_corners: (at, size, wanted) => (wanted === 1 ? 0 : (at * (size - 1)) / (wanted - 1)),
};

function named<Value>(values: Record<string, Value>, name: Attribute | undefined, usual: string): Value {
  const found =
    typeof (name ?? usual) === "string" ? values[(name as string | undefined) ?? usual] : undefined;
  if (!found) throw new Error(`there is no form ${JSON.stringify(name)} here`);
  return found;
}

/** Along one dimension. */
function resized(
  x: Tensor,
  axis: number,
  wanted: number,
  placeOf: (at: number) => number,
  isLinear: boolean,
) {
  const size = x.shape[axis] as number;
  const shape = x.shape.map((own, i) => (i === axis ? wanted : own));
  const made = empty(x.dtype, shape);
  const held = (at: number) => Math.min(size - 1, Math.max(0, at));
  const taken = Array.from({ length: wanted }, (_, i) => {
    const place = held(placeOf(i));
    const below = Math.floor(place);
    return { below, above: held(below + 1), share: isLinear ? place - below : 0 };
  });
  alongAxis(x, axis, (start, step, row) => {
    const to = Math.floor(row / step) * wanted * step + (row % step);
    taken.forEach(({ below, above, share }, i) => {
      const low = x.data[start + below * step] as number;
      made.data[to + i * step] =
        low + (share === 0 ? 0 : share * ((x.data[start + above * step] as number) - low));
    });
  });
  return made;
}

export const RESIZING: Record<string, Operator> = {
  Resize: ([a, , scales, sizes], attributes) => {
    const x = needed(a);
    const shape = whole(sizes);
    if (!shape || scales?.data.length) throw new Error("sizes are expected, and factors came");
    if (shape.length !== x.shape.length)
      throw new Error(`${x.shape.length} sizes are expected, and ${shape.length} came`);
    const place = named(PLACES, attributes.coordinate_transformation_mode, "half_pixel");
    const isLinear = named({ linear: [true], nearest: [false] }, attributes.mode, "nearest")[0] as boolean;
    if (!isLinear) named({ floor: true }, attributes.nearest_mode, "round_prefer_floor");
    return [
      shape.reduce((made, wanted, axis) => {
        const size = made.shape[axis] as number;
        if (wanted === size) return made;
        return resized(made, axis, wanted, (at) => place(at, size, wanted), isLinear);
      }, x),
    ];
  },
};

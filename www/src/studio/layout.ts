// Where nodes stand that were never moved: in layers along the wires, a row of layers below the other where one row is
// too wide.
//
// Invariant: pure, and the same for the same graph; quick for thousands of nodes (no recursion, sweeps of a fixed number).
// Method: layers by the longest path, long wires as a chain of narrow places (Sugiyama and others, 1981), order by the
// median of neighbours, places by sweeps that pull each node to its neighbours without overlap.

export interface Box {
  id: string;
  width: number;
  height: number;
}

export interface Wire {
  source: string;
  target: string;
  /** How much room its label takes along the wire. */
  label: number;
}

export interface Options {
  /** From left to right; otherwise from top to bottom. */
  across: boolean;
  /** How long a row may be; Infinity for one row. */
  room: number;
}

export interface Point {
  x: number;
  y: number;
}

export interface Layout {
  places: Map<string, Point>;
  /** Where long wires pass between layers, by the wire's place in the list. */
  bends: Map<number, Point[]>;
  /** Corners of the wires that go from row to row; the ends give the first and the last their height. */
  corners: Map<number, Point[]>;
  rows: number;
  width: number;
  height: number;
}

/** Between nodes of one layer, between layers at least, between rows. */
const APART = 26;
const GAP = 44;
const ROWS = 58;
/** What a passing wire takes in a layer. */
const LANE = 18;
const SWEEPS = 9;

/** A node, or a place where a long wire passes. */
interface Spot {
  layer: number;
  /** Across the layer, and along the wires. */
  size: number;
  length: number;
  before: number[];
  after: number[];
  at: number;
  order: number;
  isLane: boolean;
}

export function layOut(boxes: readonly Box[], wires: readonly Wire[], { across, room }: Options): Layout {
  const spots: Spot[] = boxes.map(({ width, height }) =>
    spot(across ? height : width, across ? width : height),
  );
  const index = new Map(boxes.map(({ id }, i) => [id, i]));
  const real = wires.map(({ source, target, label }, wire) => ({
    wire,
    label,
    from: index.get(source) ?? -1,
    to: index.get(target) ?? -1,
  }));
  const links = real.filter(({ from, to }) => from >= 0 && to >= 0 && from !== to);
  assignLayers(spots, links);
  const chains = passLong(spots, links);
  const layers = inLayers(spots);
  order(layers, spots);
  placeAcross(layers, spots);

  // Along the wires: each layer as long as its longest node, gaps as wide as the labels in them.
  const lengths = layers.map((layer) => Math.max(0, ...layer.map((i) => (spots[i] as Spot).length)));
  const gaps = layers.map(() => GAP);
  // A label stands right before what the wire leads to.
  for (const { to, label } of links) {
    const gap = (spots[to] as Spot).layer - 1;
    gaps[gap] = Math.max(gaps[gap] ?? 0, label + 22);
  }
  const rows = cut(layers, lengths, gaps, spots, room);
  const along: number[] = [];
  const offset: number[] = [];
  const tops: number[] = [];
  let down = 0;
  let widest = 0;
  for (const { start, end } of rows) {
    const members = layers.slice(start, end).flat();
    const low = Math.min(...members.map((i) => (spots[i] as Spot).at - (spots[i] as Spot).size / 2));
    const high = Math.max(...members.map((i) => (spots[i] as Spot).at + (spots[i] as Spot).size / 2));
    tops.push(down);
    let x = 0;
    for (let layer = start; layer < end; layer++) {
      along[layer] = x;
      offset[layer] = down - low;
      x += (lengths[layer] ?? 0) + (layer + 1 < end ? (gaps[layer] ?? 0) : 0);
    }
    widest = Math.max(widest, x);
    down += high - low + ROWS;
  }

  const point = (i: number, isMiddle: boolean): Point => {
    const { layer, at, size, length } = spots[i] as Spot;
    const a =
      (along[layer] ?? 0) +
      (isMiddle ? (lengths[layer] ?? 0) / 2 : across ? 0 : ((lengths[layer] ?? 0) - length) / 2);
    const b = (offset[layer] ?? 0) + at - (isMiddle ? 0 : size / 2);
    return across ? { x: a, y: b } : { x: b, y: a };
  };
  const places = new Map(boxes.map(({ id }, i) => [id, point(i, false)]));
  const rowOf = (i: number) => rows.findIndex(({ end }) => (spots[i] as Spot).layer < end);
  const bends = new Map<number, Point[]>();
  for (const { wire, lanes, from, to } of chains) {
    if (rowOf(from) !== rowOf(to)) continue;
    bends.set(
      wire,
      lanes.map((i) => point(i, true)),
    );
  }
  const corners = across
    ? fromRowToRow(links, rowOf, tops, (i) => ({ ...point(i, false), length: (spots[i] as Spot).length }))
    : new Map();
  const height = Math.max(0, down - ROWS);
  return {
    places,
    bends,
    corners,
    rows: rows.length,
    width: across ? widest : height,
    height: across ? height : widest,
  };
}

/** Between two rows there is room for the wires that go on in a later one: out, back, and along the left side further down. */
function fromRowToRow(
  links: readonly Link[],
  rowOf: (i: number) => number,
  tops: readonly number[],
  place: (i: number) => Point & { length: number },
): Map<number, Point[]> {
  const corners = new Map<number, Point[]>();
  const used = tops.map(() => 0);
  // Wires of one source share their way.
  const ways = new Map<string, number>();
  let far = 0;
  for (const { wire, from, to } of links) {
    const [start, end] = [rowOf(from), rowOf(to)];
    if (end <= start) continue;
    const shared = ways.get(`${from} ${end}`);
    const own = shared ?? used[end] ?? 0;
    if (shared === undefined) {
      ways.set(`${from} ${end}`, own);
      used[end] = own + 1;
    }
    const gutter = (row: number) => (tops[row] ?? 0) - ROWS / 2 + 4 + (own % 3) * 7;
    const source = place(from);
    const out = source.x + source.length + 16 + own * 4;
    const into = place(to).x - 16;
    const back = [{ x: into, y: gutter(end) }];
    if (end > start + 1) {
      far += 1;
      const side = -22 - (far % 4) * 7;
      back.unshift({ x: side, y: gutter(start + 1) }, { x: side, y: gutter(end) });
    }
    corners.set(wire, [{ x: out, y: gutter(end > start + 1 ? start + 1 : end) }, ...back]);
  }
  return corners;
}

function spot(size: number, length: number, isLane = false): Spot {
  return { layer: 0, size, length, before: [], after: [], at: 0, order: 0, isLane };
}

interface Link {
  wire: number;
  label: number;
  from: number;
  to: number;
}

/** The longest way to each node; a node without sources stands right before what it feeds. */
function assignLayers(spots: Spot[], links: readonly Link[]): void {
  const after: number[][] = spots.map(() => []);
  const open = spots.map(() => 0);
  for (const { from, to } of links) {
    after[from]?.push(to);
    open[to] = (open[to] ?? 0) + 1;
  }
  const isRoot = open.map((n) => n === 0);
  const queue = spots.flatMap((_, i) => (isRoot[i] ? [i] : []));
  for (let head = 0; head < queue.length; head++) {
    const i = queue[head] as number;
    for (const to of after[i] ?? []) {
      const target = spots[to] as Spot;
      target.layer = Math.max(target.layer, (spots[i] as Spot).layer + 1);
      open[to] = (open[to] ?? 0) - 1;
      if (open[to] === 0) queue.push(to);
    }
  }
  spots.forEach((one, i) => {
    const fed = (after[i] ?? []).map((to) => (spots[to] as Spot).layer);
    if (isRoot[i] && fed.length > 0) one.layer = Math.max(0, Math.min(...fed) - 1);
  });
}

/** Puts lanes into the layers that long wires pass, and notes who stands before and after whom. */
function passLong(
  spots: Spot[],
  links: readonly Link[],
): { wire: number; lanes: number[]; from: number; to: number }[] {
  const chains: { wire: number; lanes: number[]; from: number; to: number }[] = [];
  for (const { wire, from, to } of links) {
    let last = from;
    const lanes: number[] = [];
    for (let layer = (spots[from] as Spot).layer + 1; layer < (spots[to] as Spot).layer; layer++) {
      const lane = spots.length;
      spots.push({ ...spot(LANE, 0, true), layer });
      join(spots, last, lane);
      lanes.push(lane);
      last = lane;
    }
    join(spots, last, to);
    if (lanes.length > 0) chains.push({ wire, lanes, from, to });
  }
  return chains;
}

function join(spots: Spot[], from: number, to: number): void {
  spots[from]?.after.push(to);
  spots[to]?.before.push(from);
}

function inLayers(spots: readonly Spot[]): number[][] {
  const layers: number[][] = [];
  spots.forEach(({ layer }, i) => {
    while (layers.length <= layer) layers.push([]);
    layers[layer]?.push(i);
  });
  return layers;
}

/** Fewer crossings: each layer by the median of its neighbours in the one before, and then in the one after. */
function order(layers: number[][], spots: Spot[]): void {
  const number = (layer: number[]) => {
    layer.forEach((i, order) => {
      (spots[i] as Spot).order = order;
    });
  };
  layers.forEach(number);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const down = sweep % 2 === 0;
    const sequence = down ? layers : [...layers].reverse();
    for (const layer of sequence) {
      const wanted = new Map(
        layer.map((i) => {
          const one = spots[i] as Spot;
          const near = (down ? one.before : one.after).map((j) => (spots[j] as Spot).order);
          return [i, near.length > 0 ? median(near) : one.order];
        }),
      );
      // What passes stands below what is computed, so that a chain stays straight.
      layer.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0) || rank(spots, a) - rank(spots, b));
      number(layer);
    }
  }
}

function rank(spots: readonly Spot[], i: number): number {
  const { isLane, order } = spots[i] as Spot;
  return (isLane ? 1e6 : 0) + order;
}

function median(values: number[]): number {
  values.sort((a, b) => a - b);
  const middle = values.length >> 1;
  return values.length % 2 === 1
    ? (values[middle] ?? 0)
    : ((values[middle - 1] ?? 0) + (values[middle] ?? 0)) / 2;
}

/** Places within layers: pulled to the neighbours by turns, never closer than allowed. */
function placeAcross(layers: readonly number[][], spots: Spot[]): void {
  for (const layer of layers) {
    let at = 0;
    layer.forEach((i, n) => {
      const one = spots[i] as Spot;
      at += n === 0 ? 0 : apart(spots[layer[n - 1] as number] as Spot, one);
      one.at = at;
    });
  }
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const down = sweep % 2 === 0;
    const sequence = down ? layers : [...layers].reverse();
    for (const layer of sequence) {
      const wanted = layer.map((i) => {
        const one = spots[i] as Spot;
        const near = down ? one.before : one.after;
        // A node goes to where nodes are, and lets lanes bend.
        const solid = one.isLane ? near : near.filter((j) => !(spots[j] as Spot).isLane);
        const pull = solid.length > 0 ? solid : near;
        return pull.length > 0 ? median(pull.map((j) => (spots[j] as Spot).at)) : one.at;
      });
      settle(layer, wanted, spots);
    }
  }
}

function apart(a: Spot, b: Spot): number {
  return a.size / 2 + b.size / 2 + (a.isLane || b.isLane ? APART / 2 : APART);
}

/** The places nearest to the wanted ones that keep order and distance: neighbours that would overlap move as one. */
function settle(layer: readonly number[], wanted: readonly number[], spots: Spot[]): void {
  interface Cluster {
    first: number;
    count: number;
    /** Sum of where its members want its first to be. */
    sum: number;
    weight: number;
  }
  const offsets: number[] = [];
  const clusters: Cluster[] = [];
  layer.forEach((i, n) => {
    const one = spots[i] as Spot;
    offsets[n] = n === 0 ? 0 : (offsets[n - 1] ?? 0) + apart(spots[layer[n - 1] as number] as Spot, one);
    // Nodes stand straight, and lanes give way.
    const weight = one.isLane ? 0.001 : 1;
    clusters.push({ first: n, count: 1, weight, sum: weight * ((wanted[n] ?? 0) - (offsets[n] ?? 0)) });
    for (;;) {
      const last = clusters.at(-1) as Cluster;
      const previous = clusters.at(-2);
      if (!previous || previous.sum / previous.weight <= last.sum / last.weight) break;
      clusters.pop();
      previous.count += last.count;
      previous.sum += last.sum;
      previous.weight += last.weight;
    }
  });
  for (const { first, count, sum, weight } of clusters) {
    for (let n = first; n < first + count; n++) {
      (spots[layer[n] as number] as Spot).at = sum / weight + (offsets[n] ?? 0);
    }
  }
}

/** Rows of layers that are no longer than the room; a row ends best where one wire crosses. */
function cut(
  layers: readonly number[][],
  lengths: readonly number[],
  gaps: readonly number[],
  spots: readonly Spot[],
  room: number,
): { start: number; end: number }[] {
  const rows: { start: number; end: number }[] = [];
  let start = 0;
  while (start < layers.length) {
    let end = start;
    let used = 0;
    let best = -1;
    while (end < layers.length) {
      const more = (lengths[end] ?? 0) + (end > start ? (gaps[end - 1] ?? 0) : 0);
      if (end > start && used + more > room) break;
      used += more;
      end += 1;
      const crossing = (layers[end] ?? []).reduce((sum, i) => sum + (spots[i] as Spot).before.length, 0);
      if (crossing <= 1) best = end;
    }
    // A cut through several wires only where the next place with one wire would leave half a row empty.
    if (end < layers.length && best > start + (end - start) / 2) end = best;
    rows.push({ start, end });
    start = end;
  }
  return rows;
}

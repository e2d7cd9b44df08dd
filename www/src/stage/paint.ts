// A large graph painted on a canvas: the same picture as the SVG, in the same colours and shapes.
//
// Invariant: paints from (layout, picture, view) alone and keeps nothing. What is outside the view is
// left out, and so is what could not be read at its scale: first labels, then symbols and light, then
// the bends of edges. Edges and nodes of one look are painted in one stroke, so a frame costs little.
import { LABEL_SIZE } from "../protocol/generated/drawing";
import { beside, FAR, pointAt } from "./curve";
import type { DrawnGraph, DrawnNode } from "./fold";
import { type Box, badgeSpot, hexagon, LEGIBLE_SCALE, type View } from "./geometry";
import { labelsOf } from "./labels";
import type { LargeLayout } from "./large";
import type { EdgePicture, NodePicture, Picture } from "./picture";

/** The tokens that the stage draws with, as the canvas takes them. */
export const COLOURS = {
  ground: "--ground",
  raised: "--raised",
  ink: "--ink",
  quiet: "--quiet",
  line: "--stage-line",
  ghost: "--stage-ghost",
  glow: "--glow",
  hot: "--stage-hot",
  hotText: "--stage-hot-text",
  onGlow: "--stage-on-glow",
  forward: "--forward",
  parameter: "--parameter",
  input: "--input",
  error: "--error",
} as const;
export type Colours = Record<keyof typeof COLOURS, string>;

export interface Scene {
  graph: DrawnGraph;
  large: LargeLayout;
  picture: Picture;
  view: View;
  width: number;
  height: number;
  /** Pixels of the screen for one of the page. */
  ratio: number;
  colours: Colours;
  font: string;
  selected: number | null;
  /** The nodes that stay lit while the rest is dimmed; null for all. */
  near: ReadonlySet<number> | null;
}

const SYMBOL_SCALE = 0.3;
const BEND_SCALE = 0.16;
/** Below this nodes are specks. */
const SHAPE_SCALE = 0.1;
const DIMMED = 0.35;
/** Traces are painted in so many grades of brightness. */
const GRADES = 5;
/** Soft light around a lit edge: widths and strengths, laid over one another. */
const AURA = [
  [4, 0.16],
  [9, 0.08],
] as const;
/** How light fades: places and strengths. It ends in its own colour, as "transparent" is black. */
const AURA_STOPS = [
  [0, 0.42],
  [0.5, 0.14],
  [1, 0],
] as const;
const SPARK_STOPS = [
  [0, 0.75],
  [0.35, 0.28],
  [1, 0],
] as const;

type Context = CanvasRenderingContext2D;
interface Entry {
  node: DrawnNode;
  box: Box;
  look: NodePicture;
}

export function paint(context: Context, scene: Scene): void {
  const { ratio, view, width, height, graph, large, near } = scene;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, width * ratio, height * ratio);
  const scale = view.scale * ratio;
  context.setTransform(scale, 0, 0, scale, view.x * ratio, view.y * ratio);
  context.lineCap = "butt";
  const margin = 40;
  const left = -view.x / view.scale - margin;
  const top = -view.y / view.scale - margin;
  const right = (width - view.x) / view.scale + margin;
  const bottom = (height - view.y) / view.scale + margin;
  const { extents } = large;
  const edges: [number[], number[]] = [[], []];
  for (let edge = 0; edge < graph.edges.length; edge++) {
    const at = 4 * edge;
    const [l = 0, t = 0, r = 0, b = 0] = [extents[at], extents[at + 1], extents[at + 2], extents[at + 3]];
    if (r < left || l > right || b < top || t > bottom) continue;
    const { from = -1, to = -1 } = graph.edges[edge] ?? {};
    edges[!near || (near.has(from) && near.has(to)) ? 1 : 0].push(edge);
  }
  const nodes: [Entry[], Entry[]] = [[], []];
  graph.nodes.forEach((node, index) => {
    const [box, look] = [large.layout.boxes.get(node.id), scene.picture.nodes[index]];
    if (!box || !look || box.x < left - box.halfWidth || box.x > right + box.halfWidth) return;
    if (box.y < top - box.halfHeight || box.y > bottom + box.halfHeight) return;
    nodes[!near || near.has(node.id) || node.id === scene.selected ? 1 : 0].push({ node, box, look });
  });
  for (const lit of [0, 1] as const) {
    context.globalAlpha = lit ? 1 : DIMMED;
    paintEdges(context, scene, edges[lit], lit ? 1 : DIMMED);
    paintNodes(context, scene, nodes[lit], lit ? 1 : DIMMED);
  }
  context.globalAlpha = 1;
  if (view.scale >= LEGIBLE_SCALE) paintNorms(context, scene, edges[1]);
}

/** The norms of the gradients that cross edges now. */
function paintNorms(context: Context, { colours, font, large, picture }: Scene, edges: number[]): void {
  context.save();
  context.font = `500 ${LABEL_SIZE}px ${font}`;
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.lineWidth = 4;
  context.strokeStyle = colours.ground;
  for (const edge of edges) {
    const look = picture.edges[edge];
    if (!look?.label || look.heat <= 0.02) continue;
    const { x, y, anchor } = beside(large.curve(edge), 0.5);
    context.textAlign = anchor === "middle" ? "center" : anchor;
    context.globalAlpha = look.heat;
    context.fillStyle = look.broken ? colours.error : colours.hotText;
    context.strokeText(look.label, x, y);
    context.fillText(look.label, x, y);
  }
  context.restore();
}

function paintEdges(context: Context, scene: Scene, edges: number[], alpha: number): void {
  const { colours, picture } = scene;
  const plain: [number[], number[]] = [[], []];
  const ghosts: number[] = [];
  const fresh: [number[], number[]] = [[], []];
  const moving: number[] = [];
  const traces = new Map<string, number[]>();
  for (const edge of edges) {
    const look = picture.edges[edge];
    if (!look) continue;
    const far = isFar(scene, edge) ? 1 : 0;
    (look.drawn < 1 ? ghosts : plain[far]).push(edge);
    if (look.fresh > 0.01) fresh[far].push(edge);
    if (look.pulse || (look.trace > 0 && look.trace < 1)) moving.push(edge);
    else if (look.trace > 0) {
      const key = `${look.broken ? "broken" : Math.round(look.level * GRADES)} ${look.heat > 0.3} ${far}`;
      const known = traces.get(key);
      if (known) known.push(edge);
      else traces.set(key, [edge]);
    }
  }
  // At a small scale a line keeps the width of a hair on the screen.
  const hair = Math.max(1, 0.7 / scene.view.scale);
  if (ghosts.length > 0) {
    context.setLineDash([2, 4]);
    stroke(context, scene, ghosts, colours.ghost, hair);
    context.setLineDash([]);
  }
  for (const far of [1, 0] as const) {
    stroke(context, scene, plain[far], colours.line, (far ? 0.9 : 1.3) * hair);
    stroke(context, scene, fresh[far], colours.forward, (far ? 1.2 : 2.2) * hair);
  }
  for (const [key, lit] of traces) {
    const look = picture.edges[lit[0] ?? 0];
    if (!look) continue;
    const colour = look.broken ? colours.error : colours.glow;
    const heat = key.includes("true") ? 1 : 0;
    const far = key.endsWith("1");
    for (const [width, strength] of far || scene.view.scale < SYMBOL_SCALE ? [] : AURA) {
      context.globalAlpha = alpha * strength * (0.35 + 0.65 * look.level + heat);
      stroke(context, scene, lit, colour, width * (0.7 + 0.5 * look.level));
    }
    context.globalAlpha = alpha * Math.min(1, 0.3 + 0.55 * look.level + 0.3 * heat);
    stroke(context, scene, lit, colour, (1.1 + (far ? 0.4 : 1) * (1.5 * look.level + 0.7 * heat)) * hair);
  }
  context.globalAlpha = alpha;
  for (const edge of moving) {
    const look = picture.edges[edge];
    if (look) paintPulse(context, scene, edge, look, alpha, hair);
  }
}

function isFar({ large: { extents } }: Scene, edge: number): boolean {
  const [left = 0, top = 0, right = 0, bottom = 0] = extents.subarray(4 * edge, 4 * edge + 4);
  return right - left + bottom - top > FAR;
}

/** Strokes many edges as one path. */
function stroke(
  context: Context,
  { large, view }: Scene,
  edges: number[],
  colour: string,
  width: number,
): void {
  if (edges.length === 0) return;
  const bends = view.scale >= BEND_SCALE;
  context.beginPath();
  for (const edge of edges) {
    const cubics = large.edges[edge] ?? [];
    const first = cubics[0]?.[0];
    if (first) context.moveTo(first[0], first[1]);
    for (const [, b, c, d] of cubics) {
      if (bends) context.bezierCurveTo(b[0], b[1], c[0], c[1], d[0], d[1]);
      else context.lineTo(d[0], d[1]);
    }
  }
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.stroke();
}

/** The part of an edge that a gradient has crossed, and the gradient on its way. */
function paintPulse(
  context: Context,
  { large, colours, view }: Scene,
  edge: number,
  look: EdgePicture,
  alpha: number,
  hair: number,
): void {
  const curve = large.curve(edge);
  const upTo = (from: number, to: number) => {
    context.beginPath();
    for (let step = 0; step <= 24; step++) {
      const [x, y] = pointAt(curve, from + ((to - from) * step) / 24);
      if (step === 0) context.moveTo(x, y);
      else context.lineTo(x, y);
    }
    context.stroke();
  };
  const glow = look.broken ? colours.error : colours.glow;
  context.strokeStyle = glow;
  context.globalAlpha = alpha * Math.min(1, 0.3 + 0.55 * look.level);
  context.lineWidth = (1.1 + 1.5 * look.level) * hair;
  upTo(0, look.trace);
  const { pulse } = look;
  if (!pulse) return;
  const tail = (30 + 34 * pulse.brightness) / Math.max(1, curve.length);
  context.globalAlpha = alpha * pulse.brightness * 0.6;
  context.lineWidth = pulse.width * hair;
  context.lineCap = "round";
  upTo(Math.max(0, pulse.position - tail), pulse.position);
  context.lineCap = "butt";
  const [x, y] = pointAt(curve, pulse.position);
  const radius = pulse.width * Math.max(1, 0.5 / view.scale);
  context.globalAlpha = alpha * pulse.brightness;
  context.fillStyle = fading(context, x, y, 0, 4.2 * radius, glow, SPARK_STOPS);
  disc(context, x, y, 4.2 * radius);
  context.fillStyle = look.broken ? colours.error : colours.hot;
  disc(context, x, y, 0.72 * radius);
  context.globalAlpha = alpha;
}

/** Light that fades between two circles around a point. */
function fading(
  context: Context,
  x: number,
  y: number,
  from: number,
  to: number,
  colour: string,
  stops: readonly (readonly [number, number])[],
): CanvasGradient {
  const light = context.createRadialGradient(x, y, from, x, y, to);
  for (const [at, strength] of stops) light.addColorStop(at, withAlpha(colour, strength));
  return light;
}

/** A computed opaque colour, `rgb(1, 2, 3)` or `oklab(1 2 3)`, with this alpha. */
export function withAlpha(colour: string, alpha: number): string {
  return colour.replace(")", colour.includes(",") ? `, ${alpha})` : ` / ${alpha})`);
}

function disc(context: Context, x: number, y: number, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}

function paintNodes(context: Context, scene: Scene, entries: Entry[], alpha: number): void {
  const { colours, view } = scene;
  const light = view.scale >= SYMBOL_SCALE;
  const hair = Math.max(1, 0.6 / view.scale);
  const drawn = entries.filter(({ look }) => look.drawn > 0.02);
  const waiting = entries.filter(({ look }) => look.drawn < 1);
  if (waiting.length > 0) {
    context.setLineDash([2, 4]);
    outline(context, waiting, 0);
    strokePath(context, colours.ghost, hair);
    context.setLineDash([]);
  }
  if (light) for (const entry of drawn) paintLight(context, entry, colours, alpha);
  context.globalAlpha = alpha;
  outline(context, drawn, 0);
  context.fillStyle = colours.raised;
  context.fill();
  const whole = drawn.filter(({ look }) => look.drawn >= 1);
  const looks: [(entry: Entry) => boolean, string, number][] = [
    [({ node }) => node.kind === "op" && !node.module, colours.line, 1.4],
    [({ node }) => node.module !== undefined, colours.quiet, 4],
    [({ node }) => node.kind === "parameter", colours.parameter, 1.8],
    [({ node }) => node.kind === "input", colours.input, 1.8],
    [({ node }) => node.kind === "loss", colours.ink, 1.4],
    [({ node }) => node.kind === "failed", colours.error, 2.2],
  ];
  for (const [fits, colour, width] of looks) {
    const some = whole.filter(fits);
    if (some.length === 0) continue;
    outline(context, some, 0);
    strokePath(context, colour, width * hair);
  }
  for (const entry of whole) paintState(context, entry, scene, alpha, hair);
  context.globalAlpha = alpha;
  if (light) paintText(context, whole, scene, alpha);
}

/** The light under a node. */
function paintLight(context: Context, { box, look }: Entry, colours: Colours, alpha: number): void {
  const strength = look.warm * Math.min(1, 0.35 + 0.65 * look.level + look.glow);
  if (strength < 0.02 && look.glow < 0.02) return;
  const reach = 15 + 16 * look.glow;
  context.save();
  context.translate(box.x, box.y);
  context.scale(box.halfWidth + reach, box.halfHeight + reach);
  context.globalAlpha = alpha * Math.max(strength, look.glow);
  context.fillStyle = fading(context, 0, 0, 0.45, 1, look.broken ? colours.error : colours.glow, AURA_STOPS);
  disc(context, 0, 0, 1);
  context.restore();
}

/** Gauge, rings and what happens at a node now. */
function paintState(context: Context, entry: Entry, scene: Scene, alpha: number, hair: number): void {
  const { node, box, look } = entry;
  const { colours } = scene;
  const glow = look.broken ? colours.error : colours.glow;
  const ring = (grow: number, colour: string, width: number, opacity: number) => {
    context.globalAlpha = alpha * opacity;
    outline(context, [entry], grow);
    strokePath(context, colour, width * hair);
  };
  if (look.gauge > 0) {
    context.save();
    outline(context, [entry], -3);
    context.clip();
    context.globalAlpha = alpha * (0.62 + 0.33 * look.level);
    context.fillStyle = glow;
    const height = 2 * (box.halfHeight - 3);
    context.fillRect(
      box.x - box.halfWidth,
      box.y + height / 2 - height * look.gauge,
      2 * box.halfWidth,
      height * look.gauge,
    );
    context.restore();
  }
  if (node.kind === "loss") ring(-4, colours.ink, 1, 1);
  if (look.fresh > 0.01) ring(0, colours.forward, 2.2, look.fresh);
  if (look.written > 0.01) ring(3, colours.parameter, 2.5, look.written);
  if (look.warm > 0.01) {
    const inside = node.kind === "parameter" ? -3 : 0;
    ring(inside, glow, node.module ? 4 : inside ? 1.2 : 1.8, look.warm * (0.55 + 0.45 * look.level));
  }
  if (look.glow > 0.01) ring(node.kind === "parameter" ? -3 : 0, colours.hot, 2, look.glow);
  if (node.id === scene.selected) ring(6, colours.ink, 1.5, 1);
}

function paintText(context: Context, entries: Entry[], scene: Scene, alpha: number): void {
  const { colours, font, large, view } = scene;
  const labels = view.scale >= LEGIBLE_SCALE;
  const { direction } = large.layout;
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  for (const { node, box, look } of entries) {
    const onLight = look.gauge > 0.6;
    if (box.symbol) {
      context.font = `500 ${box.symbolSize}px ${font}`;
      context.fillStyle =
        node.kind === "failed"
          ? colours.error
          : onLight
            ? colours.onGlow
            : look.glow > 0.4
              ? colours.hotText
              : colours.ink;
      context.fillText(box.symbol, box.x, box.y + 0.35 * box.symbolSize);
    } else if (node.kind === "input" || node.kind === "parameter") {
      context.fillStyle = onLight ? colours.onGlow : colours.quiet;
      disc(context, box.x, box.y, 2.5);
    }
    if (!labels) continue;
    context.font = `${LABEL_SIZE}px ${font}`;
    for (const label of labelsOf(node, box, direction)) {
      context.textAlign = label.anchor === "middle" ? "center" : label.anchor;
      context.fillStyle = label.kind === "shape" ? colours.quiet : colours.ink;
      context.fillText(label.text, box.x + label.x, box.y + label.y);
    }
    context.textAlign = "center";
    if (look.badge > 0.01) paintBadge(context, { node, box, look }, scene, alpha);
  }
}

/** `+=`, where gradients are added, on its pill. */
function paintBadge(context: Context, { box, look }: Entry, { colours, font, large }: Scene, alpha: number) {
  const [x, y] = badgeSpot(box, large.layout.direction);
  context.globalAlpha = alpha * look.badge;
  context.beginPath();
  context.roundRect(box.x + x - 13, box.y + y - 9, 26, 18, 9);
  context.fillStyle = colours.raised;
  context.fill();
  strokePath(context, look.broken ? colours.error : colours.glow, 1.3);
  context.font = `600 11px ${font}`;
  context.fillStyle = look.broken ? colours.error : colours.hotText;
  context.fillText("+=", box.x + x, box.y + y + 4);
  context.globalAlpha = alpha;
}

/** The outlines of nodes as one path. */
function outline(context: Context, entries: Entry[], grow: number): void {
  context.beginPath();
  const specks = context.getTransform().a < SHAPE_SCALE;
  for (const { node, box } of entries) {
    if (specks) {
      context.rect(box.x - box.halfWidth, box.y - box.halfHeight, 2 * box.halfWidth, 2 * box.halfHeight);
    } else if (node.kind === "input") {
      context.moveTo(box.x + box.halfWidth + grow, box.y);
      context.arc(box.x, box.y, box.halfWidth + grow, 0, 2 * Math.PI);
    } else if (node.kind === "parameter") {
      hexagonPath(context, box, grow);
    } else {
      const [halfWidth, halfHeight] = [box.halfWidth + grow, box.halfHeight + grow];
      context.roundRect(box.x - halfWidth, box.y - halfHeight, 2 * halfWidth, 2 * halfHeight, halfHeight);
    }
  }
}

function hexagonPath(context: Context, box: Box, grow: number): void {
  hexagon(box.halfWidth + grow)
    .split(" ")
    .forEach((corner, index) => {
      const [x = 0, y = 0] = corner.split(",").map(Number);
      if (index === 0) context.moveTo(box.x + x, box.y + y);
      else context.lineTo(box.x + x, box.y + y);
    });
  context.closePath();
}

function strokePath(context: Context, colour: string, width: number): void {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.stroke();
}

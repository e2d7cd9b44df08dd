// The stage as a sheet on a narrow screen: how far it is pulled down, and when it opens by itself.
//
// Invariant: while the reader writes it is a strip, whatever was chosen. A run opens it once something is there to
// see; after the reader has closed it in this lesson, the strip says that there is something new instead.
// The height is remembered per lesson until the visit ends. Leaves measuring and moving to Workbench.svelte.

export type Height = "strip" | "half" | "full";

const KEY = "glowgrad.sheet:";
/** A pull that is faster than this, in pixels a millisecond, goes on to the next height. */
const FLICK = 0.45;

export class Sheet {
  #chosen: Height = $state("strip");
  #remembered: Height;
  /** The reader closed it in this lesson. */
  #closed = false;
  /** An editor beside it has the focus. */
  #writing = $state(false);
  /** Something came while it was closed. */
  news = $state(false);
  /** The height in pixels under the reader's finger; null while it rests. */
  pulled: number | null = $state(null);
  /** Called before the height may change. */
  before = () => {};
  readonly height: Height = $derived(this.#writing ? "strip" : this.#chosen);
  readonly open = $derived(this.height !== "strip" || this.pulled !== null);

  constructor(private readonly lesson: string | null) {
    [this.#remembered, this.#closed] = read(KEY + lesson);
  }

  /** The reader chooses a height. */
  put(height: Height): void {
    this.before();
    this.#writing = false;
    this.#chosen = height;
    this.#closed = height === "strip";
    if (height !== "strip") this.news = false;
    this.#keep();
  }

  /** Writing ends with a check, whose report stands where the sheet would come down: it stays the strip that it is. */
  tuck(): void {
    if (this.#writing) this.#chosen = "strip";
    this.write(false);
  }

  /** A run has brought something to see; `quietly`, where it is not what was asked for. */
  bring(quietly = false): void {
    this.before();
    if (this.height !== "strip") return;
    if (this.#writing || this.#closed || quietly) {
      this.news = true;
      return;
    }
    this.#chosen = "half";
    this.#keep();
  }

  /** What an earlier page drew is there again: so is the height of then. */
  recall(): void {
    this.before();
    if (this.#chosen === "strip") this.#chosen = this.#remembered;
  }

  write(writing: boolean): void {
    this.before();
    this.#writing = writing;
    if (!writing && this.height !== "strip") this.news = false;
  }

  #keep(): void {
    this.#remembered = this.#chosen;
    try {
      sessionStorage.setItem(KEY + this.lesson, `${this.#chosen} ${this.#closed}`);
    } catch {
      // Not remembered, but moved.
    }
  }
}

function read(key: string): [Height, boolean] {
  try {
    const [height, closed] = (sessionStorage.getItem(key) ?? "").split(" ");
    return [height === "half" || height === "full" ? height : "strip", closed === "true"];
  } catch {
    return ["strip", false];
  }
}

/** Where a sheet that was let go of comes to rest: the nearest height, or the next one of a flick. */
export function resting(pulled: number, speed: number, heights: Readonly<Record<Height, number>>): Height {
  const order = (Object.keys(heights) as Height[]).sort((a, b) => heights[a] - heights[b]);
  const beyond = (height: Height) => (speed > FLICK ? heights[height] > pulled : heights[height] < pulled);
  const onward = speed > FLICK ? order : speed < -FLICK ? order.reverse() : [];
  const near = [...order].sort((a, b) => Math.abs(heights[a] - pulled) - Math.abs(heights[b] - pulled));
  return onward.find(beyond) ?? near[0] ?? "half";
}

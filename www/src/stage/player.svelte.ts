// The hand that moves `t`: play, pause, step, seek, speed.
//
// Invariant: `t` is the only state of the picture; whatever moves it, the same `t` shows the same.
// With reduced motion `t` takes whole values only, so that states step and nothing travels.
// Leaves the frames themselves to the browser and drawing to picture.ts.
import type { StageGraph } from "../protocol/generated/StageGraph";
import {
  backwardStart,
  clampPosition,
  millisAt,
  positionAt,
  stepBack,
  stepForward,
  timeline,
} from "./timeline";

export const SPEEDS = [0.25, 0.5, 1, 2, 4] as const;

const FRAME_MILLIS = 16;
/** A frame that is later advances playback by no more, so that a hidden tab resumes where it was. */
const LATEST_FRAME_MILLIS = 48;

export class Player {
  t = $state(0);
  playing = $state(false);
  speed = $state(1);
  #graph: StageGraph | null = $state.raw(null);
  #until = 0;
  #clock = 0;
  #last = 0;
  /** Takes the next frame back that was asked for. */
  #cancel: (() => void) | null = null;
  readonly #still: () => boolean;

  /** `still` says whether motion is to be reduced. */
  constructor(still: () => boolean = () => false) {
    this.#still = still;
  }

  get count(): number {
    return this.#graph?.events.length ?? 0;
  }

  /** Puts a graph on: drawn and still dark, or at its beginning and playing. */
  load(graph: StageGraph | null, autoplay: boolean): void {
    this.pause();
    this.#graph = graph;
    this.t = 0;
    if (!graph) return;
    if (autoplay) this.play();
    else this.t = backwardStart(graph);
  }

  /** Puts the same trace on in another form, at a position of that; what plays plays on. */
  swap(graph: StageGraph, t: number): void {
    const playing = this.playing;
    this.pause();
    this.#graph = graph;
    this.t = clampPosition(t, this.count);
    if (playing) this.#run(this.count);
  }

  /** Plays to the end; from the beginning where the end has been reached. */
  play(): void {
    if (this.t >= this.count) this.t = 0;
    this.#run(this.count);
  }

  /** Plays from the beginning. */
  replay(): void {
    this.t = 0;
    this.#run(this.count);
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  pause(): void {
    this.playing = false;
    this.#cancel?.();
    this.#cancel = null;
  }

  /** One event on: it runs once and rests at its end. A step during a step ends that one and begins the next. */
  step(): void {
    const stepping = this.#cancel !== null && !this.playing;
    this.pause();
    if (stepping) this.t = this.#until;
    const target = stepForward(this.t, this.count);
    if (this.#still()) this.t = target;
    else this.#run(target, false);
  }

  stepBack(): void {
    this.seek(stepBack(this.t));
  }

  seek(t: number): void {
    this.pause();
    this.t = clampPosition(this.#still() ? Math.round(t) : t, this.count);
  }

  #run(until: number, playing = true): void {
    if (!this.#graph || until <= this.t) return;
    this.#until = until;
    this.playing = playing;
    this.#clock = millisAt(timeline(this.#graph), this.t);
    this.#last = 0;
    if (!this.#cancel) this.#ask(this.#graph);
  }

  /** Asks for the next frame; with reduced motion for the one of the next state, before which there is nothing to draw. */
  #ask(graph: StageGraph): void {
    if (this.#still()) {
      const next = millisAt(timeline(graph), Math.floor(this.t) + 1);
      const wait = Math.max(FRAME_MILLIS, (next - this.#clock) / this.speed);
      const timer = setTimeout(() => this.#advance(performance.now(), wait), wait);
      this.#cancel = () => clearTimeout(timer);
    } else {
      const frame = requestAnimationFrame((now) => this.#advance(now, FRAME_MILLIS));
      this.#cancel = () => cancelAnimationFrame(frame);
    }
  }

  /** `wait` says when it was to come, in milliseconds after it was asked for. */
  #advance(now: number, wait: number): void {
    this.#cancel = null;
    if (!this.#graph) return;
    const elapsed = this.#last ? Math.min(now - this.#last, wait + LATEST_FRAME_MILLIS) : wait;
    this.#last = now;
    this.#clock += elapsed * this.speed;
    const reached = positionAt(timeline(this.#graph), this.#clock);
    this.t = Math.min(this.#until, this.#still() ? Math.floor(reached) : reached);
    if (this.t >= this.#until) this.playing = false;
    else this.#ask(this.#graph);
  }
}

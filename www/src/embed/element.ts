// The base of the elements: an author's code, shown as text until the element is seen, then a view of it.
//
// Invariant: before it is seen an element fetches nothing. Moved within a page it stays what it is; taken out, it ends
// what it runs. Importing this where there is no page (a server that renders) makes no element, and fails nothing.
import type { RunResult } from "./api";
import type { View } from "./mounted";
import { codeOf } from "./source";

const Base: typeof HTMLElement = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

/** How near to the window an element counts as seen. */
const NEAR = "200px";

const PLAIN = `:host{display:block;margin:1em 0}:host([hidden]){display:none}
pre{margin:0;padding:10px 14px;overflow-x:auto;font:13.5px/1.6 ui-monospace,"SF Mono",Menlo,Consolas,monospace;tab-size:4}
p{margin:0;padding:6px 14px;font:13.5px/1.5 system-ui,sans-serif}`;

/** The sheet of an element that is not seen yet. */
function plainSheet(room: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`${PLAIN}:host{min-height:${room}}`);
  return sheet;
}

export abstract class GlowElement<Shown extends View> extends Base {
  static observedAttributes = ["code", "theme"];

  protected shown: Shown | null = null;
  private written: string | null = null;
  private opening: Promise<Shown> | null = null;
  private seen: IntersectionObserver | null = null;
  private sheet: CSSStyleSheet | null = null;

  connectedCallback(): void {
    for (const name of this.properties) this.upgrade(name);
    if (this.shown || this.seen) return;
    this.plain();
    this.seen = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return;
        void this.open().then(
          () => {
            if (this.startsWhenSeen()) void this.run().catch(() => {});
          },
          () => {},
        );
      },
      { rootMargin: NEAR },
    );
    this.seen.observe(this);
  }

  disconnectedCallback(): void {
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.written = this.code;
      this.seen?.disconnect();
      this.seen = null;
      this.opening = null;
      this.shown?.end();
      this.shown = null;
    });
  }

  attributeChangedCallback(name: string, before: string | null, value: string | null): void {
    if (before === value) return;
    if (name === "theme") this.shown?.redraw();
    else if (this.isConnected) this.code = codeOf(this);
  }

  get code(): string {
    return this.shown?.code ?? this.written ?? codeOf(this);
  }

  set code(text: string) {
    this.written = String(text);
    if (this.shown) this.shown.code = this.written;
    else if (this.shadowRoot) this.plain();
  }

  async run(): Promise<RunResult> {
    return (await this.open()).run();
  }

  stop(): void {
    this.shown?.stop();
  }

  /** The properties that may have been set before the element was defined. */
  protected abstract readonly properties: string[];
  protected abstract readonly startsByItself: boolean;
  /** Room that its view will take, so that text below it stays where it is. */
  protected abstract readonly room: string;
  protected abstract mount(root: ShadowRoot): Promise<Shown>;

  protected open(): Promise<Shown> {
    this.opening ??= this.begin();
    return this.opening;
  }

  /** Tells the page; the event crosses shadow trees. */
  protected tell(type: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }

  private async begin(): Promise<Shown> {
    this.seen?.disconnect();
    try {
      const shown = await this.mount(this.root());
      this.wear(null);
      if (!this.isConnected) {
        shown.end();
        throw new Error("the element was taken out of the page while it was loaded");
      }
      this.shown = shown;
      return shown;
    } catch (error) {
      this.opening = null;
      if (this.isConnected) this.plain(`glowgrad could not be loaded: ${(error as Error).message}`);
      throw error;
    }
  }

  /** `start="visible"`, unless the reader saves data. */
  private startsWhenSeen(): boolean {
    const { connection } = navigator as Navigator & { connection?: { saveData?: boolean } };
    const asked = this.getAttribute("start");
    return !connection?.saveData && (asked === null ? this.startsByItself : asked === "visible");
  }

  private root(): ShadowRoot {
    return this.shadowRoot ?? this.attachShadow({ mode: "open" });
  }

  /** The code as text, and what there is to say of it. */
  private plain(problem = ""): void {
    this.sheet ??= plainSheet(this.room);
    this.wear(this.sheet);
    const code = document.createElement("pre");
    code.textContent = this.code;
    const words = document.createElement("p");
    words.setAttribute("role", "alert");
    words.textContent = problem;
    this.root().replaceChildren(code, ...(problem ? [words] : []));
  }

  /** Puts the plain sheet on, or takes it off. */
  private wear(sheet: CSSStyleSheet | null): void {
    const root = this.root();
    const others = root.adoptedStyleSheets.filter((each) => each !== this.sheet);
    root.adoptedStyleSheets = sheet ? [...others, sheet] : others;
  }

  private upgrade(name: string): void {
    if (!Object.hasOwn(this, name)) return;
    const own = this as unknown as Record<string, unknown>;
    const value = own[name];
    delete own[name];
    own[name] = value;
  }
}

// Help while writing: completion, the signature of the call that the caret is in, and what a name means under the pointer.
//
// Invariant: nothing here is loaded or read before the learner types or points; without the reference the editor works as
// ever. Enter takes a completion only where a dot asked for members or an arrow chose one, so that a line that is done ends.
import { t } from "../language/language.svelte";
import "./help.css";
import {
  acceptCompletion,
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeCompletion,
  completionKeymap,
  completionStatus,
  selectedCompletion,
} from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import { type EditorState, type Extension, Prec, StateEffect, StateField } from "@codemirror/state";
import { EditorView, hoverTooltip, keymap, showTooltip, type Tooltip, ViewPlugin } from "@codemirror/view";
import { opLink } from "../link/route";
import { loadNames, modulesIn, type Name, type Names, placeOfModule } from "./names";
import {
  callBefore,
  calledName,
  chainBefore,
  currentParameter,
  inText,
  type Kind,
  kindOf,
  parameters,
  readScope,
  type Scope,
  type Variable,
} from "./scope";

/** What the page knows around an editor. */
export interface Surroundings {
  /** The code of the cells before this one. */
  before(): string[];
  /** The variables of the session, as far as they are known. */
  variables(): Promise<Variable[]>;
}

const KEYWORDS =
  "and as assert break class continue def del elif else except finally for from if import in is lambda not or pass raise return try while with yield True False None".split(
    " ",
  );
const BUILTINS =
  "abs dict enumerate float int isinstance len list max min print range reversed round set sorted str sum super tuple type zip".split(
    " ",
  );

export function help(surroundings: Surroundings): Extension {
  const know = async (state: EditorState, to: number) => {
    const [names, variables] = await Promise.all([loadNames(), surroundings.variables()]);
    // What stands below the caret may define names too, what stands in its line is half written.
    const line = state.doc.lineAt(to);
    const above = state.doc.sliceString(0, line.from);
    return { names, scope: readScope([...surroundings.before(), above], names, variables) };
  };
  return [
    autocompletion({
      override: [(context) => complete(context, know).catch(() => null)],
      icons: false,
      defaultKeymap: false,
      maxRenderedOptions: 60,
      optionClass: (option) => (option.type ? `kind-${option.type}` : ""),
    }),
    Prec.high(
      keymap.of([
        ...completionKeymap.filter(({ key }) => key !== "Enter" && key !== "Escape"),
        { key: "Escape", run: closes },
        { key: "Enter", run: (view) => mayTake(view) && acceptCompletion(view) },
        { key: "Tab", run: acceptCompletion },
      ]),
    ),
    EditorView.updateListener.of((update) => {
      if (update.docChanged || update.selectionSet) update.view.plugin(moves)?.forget();
      if (completionStatus(update.state) === "active") update.view.requestMeasure(reachable);
    }),
    moves,
    // A tap sets the caret: what stands over the text would be in its way.
    matchMedia("(hover: none)").matches
      ? []
      : hoverTooltip((view, pos) => hover(view, pos, know).catch(() => null), { hoverTime: 350 }),
    signatureField,
    signatures(know),
  ];
}

/** Closes the list. Tab leaves the editor then, as after any other Escape, which the list would keep from it. */
function closes(view: EditorView): boolean {
  if (!closeCompletion(view)) return false;
  view.setTabFocusMode(2000);
  return true;
}

type Know = (state: EditorState, to: number) => Promise<{ names: Names; scope: Scope }>;

/** The list scrolls, so it takes focus. */
const reachable = {
  key: "reachable",
  read: (view: EditorView) => view.dom.querySelector(".cm-tooltip-autocomplete > ul"),
  write: (list: Element | null) => list?.setAttribute("tabindex", "0"),
};

/** Notes whether an arrow moved in the list that is open. */
const moves = ViewPlugin.fromClass(
  class {
    moved = false;
    forget() {
      this.moved = false;
    }
  },
  {
    eventHandlers: {
      keydown(event, view) {
        const arrow = event.key === "ArrowDown" || event.key === "ArrowUp";
        if (arrow && completionStatus(view.state) === "active") this.moved = true;
      },
    },
  },
);

function mayTake(view: EditorView): boolean {
  if (!selectedCompletion(view.state)) return false;
  const { head } = view.state.selection.main;
  const line = view.state.doc.lineAt(head);
  return /\.\w*$/.test(line.text.slice(0, head - line.from)) || (view.plugin(moves)?.moved ?? false);
}

function isText(state: EditorState, pos: number): boolean {
  const name = syntaxTree(state).resolveInner(pos, -1).name;
  if (/String|Comment/.test(name)) return true;
  const line = state.doc.lineAt(pos);
  return name === "⚠" && inText(line.text.slice(0, pos - line.from));
}

async function complete(context: CompletionContext, know: Know): Promise<CompletionResult | null> {
  const { state, pos, explicit } = context;
  if (isText(state, pos)) return null;
  const line = state.doc.lineAt(pos);
  const before = line.text.slice(0, pos - line.from);
  const word = /\w*$/.exec(before)?.[0] ?? "";
  const from = pos - word.length;
  const dotted = before[before.length - word.length - 1] === ".";
  if (!dotted && !explicit && (word.length < 2 || /^\d/.test(word))) return null;
  if (dotted && /\d\.$/.test(before.slice(0, before.length - word.length)) && !/[\w)\]]\w*\.$/.test(before))
    return null;
  const { names, scope } = await know(state, pos);
  if (context.aborted) return null;
  let options: Completion[];
  if (dotted) {
    const receiver = chainBefore(before.slice(0, before.length - word.length - 1));
    const kind = kindOf(receiver, scope, names);
    if (!kind) return null;
    options = members(kind, scope, names);
  } else {
    const imported = /^\s*from\s+([\w.]+)\s+import\s/.exec(before);
    const place = imported && placeOfModule(imported[1] ?? "");
    options = place ? members({ is: "module", place }, scope, names) : globals(scope, names);
  }
  // What is written in full needs no list, which would catch the next key.
  const isWhole = (word: string) => options.some(({ label }) => label === word);
  if (options.length === 0 || (!explicit && isWhole(word))) return null;
  // The letters that follow narrow this list at once, so that Enter takes what it shows.
  return { from, options, validFor: (word) => /^\w*$/.test(word) && !isWhole(word) };
}

function members(kind: Kind, scope: Scope, names: Names): Completion[] {
  if (kind.is === "module") {
    const inner = modulesIn(kind.place).map(({ label }) => ({ label, type: "module", detail: "module" }));
    const values =
      kind.place === "torch" ? names.values.map((label) => ({ label, type: "value", boost: -1 })) : [];
    return [...names.in(kind.place).map(option), ...inner, ...values];
  }
  if (kind.is !== "object") return [];
  const own = kind.own === undefined ? [] : [...(scope.members.get(kind.own) ?? [])];
  const written = own.filter(([label]) => !label.startsWith("__")).map(ownOption);
  const taken = new Set(own.map(([label]) => label));
  return [
    ...written,
    ...names
      .in(kind.of)
      .filter(({ label }) => !taken.has(label))
      .map(option),
  ];
}

/** What the learner named, before what the library has. */
function ownOption([label, kind]: [string, Kind]): Completion {
  if (kind.is === "ownFunction") return { ...option(kind.name), label, type: "function", boost: 2 };
  return { label, type: "variable", detail: kind.is === "object" ? (kind.own ?? kind.of) : "", boost: 2 };
}

function globals(scope: Scope, names: Names): Completion[] {
  const options = new Map<string, Completion>();
  for (const label of [...BUILTINS, ...KEYWORDS]) options.set(label, { label, boost: -2 });
  for (const [label, kind] of scope.kinds) {
    if (kind.is === "module") options.set(label, { label, type: "module", detail: "module" });
    else if (kind.is === "ownFunction") options.set(label, ownOption([label, kind]));
    else if (kind.is === "name") {
      const known = names.find(kind.place, kind.label);
      if (known) options.set(label, { ...option(known), label });
    } else
      options.set(label, {
        label,
        type: "variable",
        detail: kind.is === "object" ? (kind.own ?? kind.of) : "class",
        boost: 2,
      });
  }
  for (const label of scope.assigned) if (!options.has(label)) options.set(label, { label, boost: 1 });
  for (const { name, words } of scope.variables.values()) {
    options.set(name, { label: name, type: "variable", detail: words, boost: 2 });
  }
  return [...options.values()];
}

function option(name: Name): Completion {
  const { parts } = parameters(name.signature);
  const detail = name.kind === "property" ? "" : `(${parts.join(", ")})`;
  return {
    label: name.label,
    type: name.kind,
    detail: detail.length > 46 ? `${detail.slice(0, 44)}…)` : detail,
    info: () => described(name, null),
    // Names that write into their tensor, and other names for an op, come after.
    boost: name.label.endsWith("_") ? -2 : name.name.endsWith(name.label) ? 0 : -1,
  };
}

/** Signature, sentence and the way to the reference; while a call is written its parameter instead of the way. */
function described(name: Name, argument: { index: number } | null): HTMLElement {
  const box = document.createElement("div");
  box.className = argument ? "help signature-help" : "help";
  const line = box.appendChild(document.createElement("p"));
  line.className = "signature";
  const { head, parts } = parameters(name.signature);
  line.append(head);
  if (name.kind !== "property") {
    line.append("(");
    parts.forEach((part, index) => {
      if (index > 0) line.append(", ");
      const piece = document.createElement(argument?.index === index ? "strong" : "span");
      piece.textContent = part;
      line.append(piece);
    });
    line.append(")");
  }
  const doc = box.appendChild(document.createElement("p"));
  name.doc.split("`").forEach((part, index) => {
    const piece = index % 2 === 1 ? document.createElement("code") : null;
    if (piece) piece.textContent = part;
    doc.append(piece ?? part);
  });
  if (argument || name.kind === "own") return box;
  const link = box.appendChild(document.createElement("a"));
  link.href = opLink(name.name);
  link.textContent = t("In the reference");
  link.setAttribute("aria-label", t("{name} in the reference", { name: name.name }));
  return box;
}

async function hover(view: EditorView, pos: number, know: Know): Promise<Tooltip | null> {
  const { state } = view;
  const line = state.doc.lineAt(pos);
  const at = pos - line.from;
  const left = /\w*$/.exec(line.text.slice(0, at))?.[0].length ?? 0;
  const right = /^\w*/.exec(line.text.slice(at))?.[0].length ?? 0;
  if (left + right === 0 || isText(state, pos)) return null;
  const end = at + right;
  const { names, scope } = await know(state, line.to);
  const chain = chainBefore(line.text.slice(0, end));
  const kind = kindOf(chain, scope, names);
  const word = line.text.slice(at - left, end);
  const variable = chain === word ? scope.variables.get(word) : undefined;
  const called = kind?.is === "object" ? null : calledName(kind, scope, names);
  const known = called ?? propertyOf(chain, scope, names);
  if (!known && !variable) return null;
  const create = () => {
    if (known) return { dom: described(known, null) };
    const dom = document.createElement("div");
    dom.className = "help";
    const text = dom.appendChild(document.createElement("p"));
    text.className = "signature";
    text.textContent = `${word}: ${variable?.words ?? ""}`;
    return { dom };
  };
  return { pos: line.from + at - left, end: line.from + end, above: true, create };
}

/** A property such as `x.shape`, whose kind is what it holds. */
function propertyOf(chain: string, scope: Scope, names: Names): Name | null {
  const dot = chain.lastIndexOf(".");
  if (dot < 0) return null;
  const receiver = kindOf(chain.slice(0, dot), scope, names);
  return receiver?.is === "object" ? names.find(receiver.of, chain.slice(dot + 1)) : null;
}

// Signatures

const setSignature = StateEffect.define<Tooltip | null>();

const signatureField = StateField.define<Tooltip | null>({
  create: () => null,
  update(tooltip, transaction) {
    for (const effect of transaction.effects) if (effect.is(setSignature)) return effect.value;
    return tooltip && transaction.docChanged
      ? { ...tooltip, pos: transaction.changes.mapPos(tooltip.pos) }
      : tooltip;
  },
  provide: (field) => showTooltip.from(field),
});

/** Shows the signature while the caret is between the parentheses of a call that is being written. */
function signatures(know: Know): Extension {
  return ViewPlugin.fromClass(
    class {
      private asked = 0;
      /** Closed with Escape, until the caret has left the call. */
      private closed: string | null = null;

      constructor(private readonly view: EditorView) {}

      update(update: {
        docChanged: boolean;
        selectionSet: boolean;
        focusChanged: boolean;
        view: EditorView;
      }) {
        if (!update.docChanged && !update.selectionSet && !update.focusChanged) return;
        // A caret that a click or the page moved asks for nothing; writing and the arrows do.
        const shown = this.view.state.field(signatureField, false) != null;
        if (update.docChanged || shown) void this.look();
      }

      close(): boolean {
        const shown = this.view.state.field(signatureField, false);
        if (!shown) return false;
        this.closed = this.call()?.callee ?? null;
        this.show(null);
        return true;
      }

      private call() {
        const { state } = this.view;
        const { head, empty } = state.selection.main;
        if (!empty || !this.view.hasFocus) return null;
        const from = Math.max(0, head - 1200);
        return callBefore(currentStatement(state.doc.sliceString(from, head)));
      }

      private async look() {
        const asked = ++this.asked;
        await Promise.resolve();
        const { state } = this.view;
        const { head } = state.selection.main;
        const call = this.call();
        if (!call) this.closed = null;
        if (!call || call.callee === this.closed) return this.show(null);
        try {
          const { names, scope } = await know(state, head);
          if (asked !== this.asked) return;
          const kind = kindOf(call.callee, scope, names);
          const known = calledName(kind, scope, names);
          if (!known) return this.show(null);
          const { parts } = parameters(known.signature);
          const index = currentParameter(parts, call.argument, call.keyword);
          this.show({
            pos: this.view.state.selection.main.head,
            above: true,
            strictSide: false,
            create: () => ({ dom: described(known, { index }) }),
          });
        } catch {
          this.show(null);
        }
      }

      private show(tooltip: Tooltip | null) {
        if (!tooltip && this.view.state.field(signatureField, false) == null) return;
        this.view.dispatch({ effects: setSignature.of(tooltip) });
      }

      destroy() {
        this.asked++;
      }
    },
    {
      eventHandlers: {
        keydown(event) {
          if (event.key === "Escape") this.close();
        },
        blur() {
          this.close();
        },
      },
    },
  );
}

/** The end of a text from the last line that begins at its margin: a call spans no further. */
function currentStatement(text: string): string {
  const lines = text.split("\n");
  let from = lines.length - 1;
  while (from > 0 && /^(?:\s|[)\]}]|$)/.test(lines[from] ?? "")) from--;
  return lines
    .slice(from)
    .map((line) => line.replace(/#.*$/, ""))
    .join(" ");
}

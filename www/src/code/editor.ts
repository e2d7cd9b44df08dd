// The editor: CodeMirror with Python, our keys, and two marks of our own: lines that a node on stage
// points to, and an error under the line that made it.
//
// Invariant: loaded lazily; nothing at first paint imports this file. Colours and measures come from
// code.css, which the static block shares, so that swapping one for the other moves nothing.

import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState, Prec, StateEffect, StateField, type Text } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  keymap,
  lineNumbers,
  WidgetType,
} from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { t } from "../language/language.svelte";
import { edges } from "./edges";
import { help, type Surroundings } from "./help";
import { type LineError, type Marks, noMarks } from "./marks";

export interface EditorOptions {
  parent: HTMLElement;
  source: string;
  label: string;
  /** What completion knows beside the text; without it there is none. */
  surroundings?: Surroundings | undefined;
  onChange(source: string): void;
  onRun(): void;
  /** The line of the caret, counted from 1; null when the editor is not in focus. */
  onLine(line: number | null): void;
}

export interface Editor {
  setSource(source: string): void;
  setMarks(marks: Marks): void;
  /** Scrolls back to where lines begin. */
  home(): void;
  /** Puts the caret at this point of the window, or at the end. */
  focus(at?: { x: number; y: number }): void;
  destroy(): void;
}

export function createEditor(options: EditorOptions): Editor {
  // Text that the page sets is not the learner's edit.
  let silent = false;
  let shown: { marks: Marks; in: Text | null } = { marks: noMarks, in: null };
  const run = () => {
    options.onRun();
    return true;
  };
  const view = new EditorView({
    parent: options.parent,
    state: EditorState.create({
      doc: options.source,
      extensions: [
        Prec.highest(
          keymap.of([
            { key: "Shift-Enter", run },
            { key: "Mod-Enter", run },
            { key: "Ctrl-Enter", run },
          ]),
        ),
        lineNumbers(),
        history(),
        drawSelection(),
        indentOnInput(),
        indentUnit.of("    "),
        bracketMatching(),
        closeBrackets(),
        python(),
        syntaxHighlighting(classHighlighter),
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
        marksField,
        options.surroundings ? help(options.surroundings) : [],
        EditorView.contentAttributes.of({
          tabindex: "0",
          "aria-label": options.label,
          "aria-description": t("Shift+Enter runs. Escape, then Tab leaves the editor."),
          spellcheck: "false",
          autocapitalize: "off",
          autocorrect: "off",
        }),
        // The caret stands beside what fades at the edge.
        EditorView.scrollMargins.of(() => ({ right: 32 })),
        EditorView.domEventHandlers({
          // A window that is left keeps its focus, and where it was scrolled to.
          blur: (_event, view) => {
            if (view.root.activeElement !== view.contentDOM) home(view);
          },
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !silent) options.onChange(update.state.doc.toString());
          if (update.docChanged || update.selectionSet || update.focusChanged) {
            const line = update.state.doc.lineAt(update.state.selection.main.head).number;
            options.onLine(update.view.hasFocus ? line : null);
          }
        }),
      ],
    }),
  });
  const unwatch = edges(view.scrollDOM);
  return {
    setSource(source) {
      const old = view.state.doc.toString();
      if (source === old) return;
      silent = true;
      // Only what differs, so that the caret stays and the change can be undone by itself.
      view.dispatch({ changes: difference(old, source), annotations: isolateHistory.of("full") });
      silent = false;
    },
    setMarks(marks) {
      // With each event of the stage, for every editor; CodeMirror measures the page whenever it is told.
      if (shown.in === view.state.doc && sameMarks(marks, shown.marks)) return;
      shown = { marks, in: view.state.doc };
      view.dispatch({ effects: setMarks.of(marks) });
    },
    home() {
      // Reading a place has CodeMirror carry out what waits for the next frame: else its scroll to the caret comes last.
      view.coordsAtPos(0);
      home(view);
    },
    focus(at) {
      const position = at ? view.posAtCoords(at) : null;
      view.focus();
      view.dispatch({ selection: { anchor: position ?? view.state.doc.length } });
    },
    destroy() {
      unwatch();
      view.destroy();
    },
  };
}

function home(view: EditorView): void {
  view.scrollDOM.scrollLeft = 0;
}

/** The least change that makes one text the other. */
function difference(old: string, text: string): { from: number; to: number; insert: string } {
  const most = Math.min(old.length, text.length);
  let from = 0;
  while (from < most && old[from] === text[from]) from++;
  let end = 0;
  while (end < most - from && old[old.length - 1 - end] === text[text.length - 1 - end]) end++;
  return { from, to: old.length - end, insert: text.slice(from, text.length - end) };
}

function sameMarks(one: Marks, other: Marks): boolean {
  return (
    one.lit.join() === other.lit.join() &&
    one.glowing.join() === other.glowing.join() &&
    one.error?.line === other.error?.line &&
    one.error?.text === other.error?.text
  );
}

const setMarks = StateEffect.define<Marks>();

const marksField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(decorations, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setMarks)) return decorate(transaction.state, effect.value);
    }
    return decorations.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

function decorate(state: EditorState, marks: Marks): DecorationSet {
  const exists = (line: number) => line >= 1 && line <= state.doc.lines;
  const lines = new Map<number, string>();
  for (const line of marks.lit) if (exists(line)) lines.set(line, "lit");
  for (const line of marks.glowing) if (exists(line)) lines.set(line, `${lines.get(line) ?? ""} glowing`);
  const ranges = [...lines].map(([line, name]) =>
    Decoration.line({ class: name.trim() }).range(state.doc.line(line).from),
  );
  const error = marks.error;
  if (error && exists(error.line)) {
    const line = state.doc.line(error.line);
    ranges.push(
      Decoration.line({ class: "faulty" }).range(line.from),
      Decoration.widget({ widget: new ErrorWidget(error), block: true, side: 1 }).range(line.to),
    );
  }
  return Decoration.set(ranges, true);
}

class ErrorWidget extends WidgetType {
  constructor(private readonly error: LineError) {
    super();
  }
  override eq(other: ErrorWidget): boolean {
    return other.error.text === this.error.text && other.error.line === this.error.line;
  }
  toDOM(): HTMLElement {
    const element = document.createElement("div");
    element.className = "line-error";
    element.textContent = this.error.text;
    return element;
  }
}

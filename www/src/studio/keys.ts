// The studio's keys: what they do, in words and as names of actions.
//
// Invariant: the list that is shown is the list that is read.

export type Action =
  | "add"
  | "form"
  | "open"
  | "remove"
  | "connect"
  | "undo"
  | "redo"
  | "copy"
  | "cut"
  | "paste"
  | "duplicate"
  | "group"
  | "layOut"
  | "fit"
  | "keys"
  | "leave"
  | "all"
  | "output"
  | "replace";

interface Key {
  keys: string[];
  /** With Ctrl, or Command on a Mac. */
  ctrl?: boolean;
  shift?: boolean;
  action: Action;
  does: string;
}

export const KEYS: readonly Key[] = [
  { keys: ["a", "/"], action: "add", does: "Add a layer after the selected node" },
  { keys: ["Enter"], action: "open", does: "Go to the form of the node, or open its block" },
  { keys: ["e"], action: "form", does: "Go to the form of the node" },
  { keys: ["Delete", "Backspace"], action: "remove", does: "Remove it; what it fed is fed by its source" },
  { keys: ["c"], action: "connect", does: "Draw a wire from the selected node" },
  { keys: ["r"], action: "replace", does: "Put another type in its place" },
  { keys: ["b"], action: "group", does: "Make a block of the selected nodes" },
  { keys: ["o"], action: "output", does: "Make the selected node the output" },
  { keys: ["l"], action: "layOut", does: "Lay the graph out anew" },
  { keys: ["f"], action: "fit", does: "Show the whole graph, and back" },
  { keys: ["z"], ctrl: true, action: "undo", does: "Undo" },
  { keys: ["y"], ctrl: true, action: "redo", does: "Redo" },
  { keys: ["z"], ctrl: true, shift: true, action: "redo", does: "Redo" },
  { keys: ["c"], ctrl: true, action: "copy", does: "Copy" },
  { keys: ["x"], ctrl: true, action: "cut", does: "Cut" },
  { keys: ["v"], ctrl: true, action: "paste", does: "Paste" },
  { keys: ["d"], ctrl: true, action: "duplicate", does: "Duplicate" },
  { keys: ["a"], ctrl: true, action: "all", does: "Select everything" },
  { keys: ["Escape"], action: "leave", does: "Select nothing; close the block" },
  { keys: ["?"], action: "keys", does: "This list" },
];

/** Keys that the canvas reads itself. */
export const ARROWS = [
  { keys: "← →", does: "Along the wires" },
  { keys: "↑ ↓", does: "To the nearest node above or below" },
  { keys: "Shift + arrows", does: "Select more nodes" },
  { keys: "Home, End", does: "To the first and the last node" },
  { keys: "Ctrl + arrows", does: "Move the selected nodes" },
  { keys: "+ −", does: "Zoom" },
];

type Pressed = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

export function actionOf({ key, ctrlKey, metaKey, altKey, shiftKey }: Pressed): Action | null {
  if (altKey) return null;
  const plain = key.length === 1 ? key.toLowerCase() : key;
  const ctrl = ctrlKey || metaKey;
  const found = KEYS.find(
    (one) => one.keys.includes(plain) && !!one.ctrl === ctrl && (!ctrl || !!one.shift === shiftKey),
  );
  return found?.action ?? null;
}

export function keyText({ keys, ctrl, shift }: Key): string {
  const names = keys.map((key) => (key.length === 1 ? key.toUpperCase() : key));
  return `${ctrl ? "Ctrl + " : ""}${shift ? "Shift + " : ""}${names.join(", ")}`;
}

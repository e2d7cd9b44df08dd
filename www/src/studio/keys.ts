// The studio's keys: what they do, in words and as names of actions.
//
// Invariant: the list that is shown is the list that is read.

import { t } from "../language/language.svelte";

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
  does: Words;
}

/** What keys do: a text that is asked for when it is shown. */
type Words = () => string;

export const KEYS: readonly Key[] = [
  { keys: ["a", "/"], action: "add", does: () => t("Add a layer after the selected node") },
  { keys: ["Enter"], action: "open", does: () => t("Go to the form of the node, or open its block") },
  { keys: ["e"], action: "form", does: () => t("Go to the form of the node") },
  {
    keys: ["Delete", "Backspace"],
    action: "remove",
    does: () => t("Remove it; what it fed is fed by its source"),
  },
  { keys: ["c"], action: "connect", does: () => t("Draw a wire from the selected node") },
  { keys: ["r"], action: "replace", does: () => t("Put another type in its place") },
  { keys: ["b"], action: "group", does: () => t("Make a block of the selected nodes") },
  { keys: ["o"], action: "output", does: () => t("Make the selected node the output") },
  { keys: ["l"], action: "layOut", does: () => t("Lay the graph out anew") },
  { keys: ["f"], action: "fit", does: () => t("Show the whole graph, and back") },
  { keys: ["z"], ctrl: true, action: "undo", does: () => t("Undo") },
  { keys: ["y"], ctrl: true, action: "redo", does: () => t("Redo") },
  { keys: ["z"], ctrl: true, shift: true, action: "redo", does: () => t("Redo") },
  { keys: ["c"], ctrl: true, action: "copy", does: () => t("Copy") },
  { keys: ["x"], ctrl: true, action: "cut", does: () => t("Cut") },
  { keys: ["v"], ctrl: true, action: "paste", does: () => t("Paste") },
  { keys: ["d"], ctrl: true, action: "duplicate", does: () => t("Duplicate") },
  { keys: ["a"], ctrl: true, action: "all", does: () => t("Select everything") },
  { keys: ["Escape"], action: "leave", does: () => t("Select nothing; close the block") },
  { keys: ["?"], action: "keys", does: () => t("This list") },
];

/** Keys that the canvas reads itself. */
export const ARROWS: { keys: Words; does: Words }[] = [
  { keys: () => "← →", does: () => t("Along the wires") },
  { keys: () => "↑ ↓", does: () => t("To the nearest node above or below") },
  { keys: () => t("Shift + arrows"), does: () => t("Select more nodes") },
  { keys: () => t("Home, End"), does: () => t("To the first and the last node") },
  { keys: () => t("Ctrl + arrows"), does: () => t("Move the selected nodes") },
  { keys: () => "+ −", does: () => t("Zoom") },
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

// What one press may mend: edits for the commonest errors, made from the error and the code that raised it.
//
// Invariant: pure. A fix is offered where the code shows what to change, and is shown as lines before it is applied; where
// the code does not, there is none. Leaves showing, applying and undoing to the views.
import { t } from "../language/language.svelte";
import { splitAtCommas, withoutStrings } from "./scope";

export interface RaisedError {
  kind: string;
  message: string;
  traceback: string;
  line: number | null;
}

export interface Fix {
  /** What it does, such as `Import torch`. */
  title: string;
  /** The code with the fix in it. */
  source: string;
}

/** One line of the difference between two texts. */
export interface DiffLine {
  kind: "out" | "in";
  /** Counted from 1, in the text it stands in. */
  line: number;
  text: string;
}

/** Names that an import brings, by the line that does. */
const IMPORTS: Record<string, string> = {
  torch: "import glowgrad as torch",
  glowgrad: "import glowgrad",
  nn: "from glowgrad import nn",
  F: "import glowgrad.nn.functional as F",
  optim: "from glowgrad import optim",
  lab: "from glowgrad import lab",
  init: "from glowgrad.nn import init",
  DataLoader: "from glowgrad.utils.data import DataLoader",
  Dataset: "from glowgrad.utils.data import Dataset",
  TensorDataset: "from glowgrad.utils.data import TensorDataset",
  random_split: "from glowgrad.utils.data import random_split",
  load_digits: "from glowgrad.datasets import load_digits",
  lr_scheduler: "from glowgrad.optim import lr_scheduler",
  np: "import numpy as np",
  numpy: "import numpy",
  plt: "import matplotlib.pyplot as plt",
  transforms: "from torchvision import transforms",
  tqdm: "from tqdm import tqdm",
  os: "import os",
  sys: "import sys",
  re: "import re",
  Path: "from pathlib import Path",
  math: "import math",
  random: "import random",
  time: "import time",
  json: "import json",
  copy: "import copy",
  itertools: "import itertools",
  functools: "import functools",
  collections: "import collections",
  dataclass: "from dataclasses import dataclass",
  defaultdict: "from collections import defaultdict",
  Counter: "from collections import Counter",
  partial: "from functools import partial",
};

export function fixesFor(error: RaisedError, source: string): Fix[] {
  const { kind, message } = error;
  const name = kind === "NameError" ? /^name '(\w+)' is not defined/.exec(message)?.[1] : undefined;
  if (name !== undefined) return missingName(name, source);
  if (/element 0 of tensors does not require grad/.test(message)) return needsGrad(source, error.line);
  const fix = transposed(error, source);
  return fix ? [fix] : [];
}

function missingName(name: string, source: string): Fix[] {
  const line = IMPORTS[name];
  return line ? [{ title: t("Import {name}", { name }), source: withImport(source, line) }] : [];
}

/** The code with an import below the imports that it begins with. */
function withImport(source: string, line: string): string {
  if (source.split("\n").includes(line)) return source;
  const lines = source.split("\n");
  let at = 0;
  for (let index = 0; index < lines.length; index++) {
    const text = lines[index] ?? "";
    if (/^(?:import|from)\s/.test(text)) at = index + 1;
    else if (!/^(?:#.*|\s*)$/.test(text)) break;
    else if (/^#/.test(text) && at === 0) at = index + 1;
  }
  // What a comment at the top says is about the code, not about the import.
  if (!lines.slice(0, at).some((text) => /^(?:import|from)\s/.test(text))) at = 0;
  return [...lines.slice(0, at), line, ...lines.slice(at)].join("\n");
}

const MAKERS =
  /(?:^|[^\w.])torch\.(?:tensor|randn|rand|zeros|ones|full|empty|eye|arange|linspace|normal|randn_like|zeros_like|ones_like|rand_like|full_like)\(/;
const MOST_OFFERS = 3;

/** `requires_grad=True` where the loss's numbers begin: at the names that look like parameters, else at the others. */
function needsGrad(source: string, line: number | null): Fix[] {
  if (line === null) return [];
  const lines = source.split("\n");
  const above = lines.slice(0, line);
  const called = /([A-Za-z_]\w*)\s*\.\s*backward\s*\(/.exec(above[line - 1] ?? "");
  const reached = new Set<string>(called?.[1] ? [called[1]] : (above[line - 1] ?? "").match(/[A-Za-z_]\w*/g));
  const found: { index: number; name: string }[] = [];
  for (let index = line - 1; index >= 0; index--) {
    const bound = /^\s*([A-Za-z_]\w*)\s*(?:[-+*/@]|\*\*)?=(?!=)\s*(.+)$/.exec(
      withoutStrings(above[index] ?? ""),
    );
    if (!bound || !reached.has(bound[1] ?? "")) continue;
    const [, name = "", value = ""] = bound;
    if (MAKERS.test(value) && makesFloats(value)) found.push({ index, name });
    for (const word of value.match(/(?<![\w.])[A-Za-z_]\w*(?!\s*=[^=])/g) ?? []) reached.add(word);
  }
  const parameters = found.filter(({ name }) =>
    /^(?:w|b|weights?|bias|theta|param\w*|[Ww]\w?|[wb]\d|[a-z]*_?(?:weight|bias)s?)$/.test(name),
  );
  const offered = (parameters.length > 0 ? parameters : found).reverse();
  const fixes = offered.flatMap(({ index, name }) => {
    const mended = withGradient(lines[index] ?? "");
    if (mended === null) return [];
    const text = lines.with(index, mended).join("\n");
    return [{ title: t("Collect gradients for {name}", { name }), source: text }];
  });
  if (parameters.length > 1 && fixes.length === parameters.length) {
    const all = [...lines];
    for (const { index } of parameters) all[index] = withGradient(all[index] ?? "") ?? all[index] ?? "";
    const names = offered.map(({ name }) => name).join(t(" and "));
    return [
      { title: t("Collect gradients for {name}", { name: names }), source: all.join("\n") },
      ...fixes,
    ].slice(0, MOST_OFFERS);
  }
  return fixes.slice(0, MOST_OFFERS);
}

/** Integers cannot require grad. */
function makesFloats(value: string): boolean {
  if (/dtype\s*=\s*torch\.(?:u?int|long|short|bool)/.test(value)) return false;
  const inner = /torch\.(?:tensor|arange)\((.*)/.exec(value)?.[1];
  return (
    inner === undefined ||
    /\d\.|\.\d|\de-?\d|dtype\s*=\s*torch\.(?:float|double|half|bfloat)/.test(inner) ||
    !/\d/.test(inner)
  );
}

/** The line with `requires_grad=True` in the call that makes the tensor; null where it says so, or spans more lines. */
function withGradient(line: string): string | null {
  const plain = withoutStrings(line);
  const open = (MAKERS.exec(plain)?.index ?? -1) >= 0 ? plain.indexOf("(", MAKERS.exec(plain)?.index) : -1;
  const end = open < 0 ? -1 : closing(plain, open);
  if (end < 0 || /requires_grad/.test(line)) return null;
  const rest = plain
    .slice(end + 1)
    .replace(/#.*$/, "")
    .trim();
  // What is computed from it at once is no leaf.
  if (rest !== "") return null;
  const inside = line
    .slice(open + 1, end)
    .trimEnd()
    .replace(/,$/, "");
  return `${line.slice(0, open + 1)}${inside}${inside === "" ? "" : ", "}requires_grad=True${line.slice(end)}`;
}

/** `.T` at the operand that it would mend. */
function transposed(error: RaisedError, source: string): Fix | null {
  if (error.line === null) return null;
  const meant = /did you mean (to transpose the second|\w+\.T)\?/.exec(error.message)?.[1];
  const linear =
    /^linear: input of shape \[(\d+), (\d+)\] does not fit weight of shape \[(\d+), (\d+)\]/.exec(
      error.message,
    );
  if (!meant && !linear) return null;
  const lines = source.split("\n");
  const line = lines[error.line - 1];
  if (line === undefined) return null;
  const span = faulty(error.traceback, line);
  const range = linear
    ? ofLinear(line, span, linear.slice(1).map(Number))
    : operand(line, span, /^(?:mat1|input|self)\.T$/.test(meant ?? ""));
  if (!range) return null;
  const [from, to] = range;
  const text = line.slice(from, to);
  const isPlain = /^[A-Za-z_][\w.]*$/.test(text) || closesWhole(text);
  const mended = `${line.slice(0, from)}${isPlain ? text : `(${text})`}.T${line.slice(to)}`;
  return {
    title: t("Transpose {name}", { name: text.length > 24 ? t("the operand") : text }),
    source: lines.with(error.line - 1, mended).join("\n"),
  };
}

/** A chain of names and calls that needs no brackets around it. */
function closesWhole(text: string): boolean {
  return (
    /^[A-Za-z_(][\w.]*(?:\(.*\)|\[.*\])?$/.test(text) &&
    !/[-+*/@%<>=&|]|\s(?:if|and|or)\s/.test(withoutStrings(text).replace(/\(.*\)|\[.*\]/, ""))
  );
}

/** The part of the line that the traceback's carets mark; the whole of it where there are none. */
function faulty(traceback: string, line: string): [from: number, to: number] {
  const shown = traceback.split("\n");
  const indent = line.length - line.trimStart().length;
  for (let index = shown.length - 1; index > 0; index--) {
    const carets = /^(\s*)([~^]*\^[~^]*)\s*$/.exec(shown[index] ?? "");
    const above = shown[index - 1] ?? "";
    if (!carets || above.trim() !== line.trim()) continue;
    const shift = indent - (above.length - above.trimStart().length);
    const from = (carets[1]?.length ?? 0) + shift;
    return [from, from + (carets[2]?.length ?? 0)];
  }
  return [indent, line.trimEnd().length];
}

/** An operand of the product in a part of a line: the left one or the right one. */
function operand(line: string, [start, end]: [number, number], left: boolean): [number, number] | null {
  const plain = withoutStrings(line);
  const part = plain.slice(start, end);
  // The last product is the one that failed: those before it are its left operand.
  const at = atTop(part, /(?<!@)@(?![@=])/g).at(-1);
  if (at !== undefined) {
    const bound = /^\s*[\w.[\]]+\s*=(?!=)\s*/.exec(part)?.[0].length ?? 0;
    const around: [number, number] = left ? [start + bound, start + at] : [start + at + 1, end];
    return trimmed(plain, around);
  }
  const call = /(?:^|[^\w.])([\w.]+)\s*\(/g;
  for (let match = call.exec(part); match; match = call.exec(part)) {
    const name = match[1] ?? "";
    if (!/(?:^|\.)(?:matmul|mm|bmm)$/.test(name)) continue;
    const open = start + match.index + match[0].length - 1;
    const args = argumentsOf(plain, open);
    const isFunction = /^(?:torch|F|torch\.linalg)\.\w+$/.test(name);
    if (isFunction) return args[left ? 0 : 1] ?? null;
    return left ? null : (args[0] ?? null);
  }
  return null;
}

/** The weight of `F.linear`, or the input of a layer, if turning it makes the sizes meet. */
function ofLinear(line: string, [start, end]: [number, number], sizes: number[]): [number, number] | null {
  const [rows, columns, outputs, inputs] = sizes;
  const plain = withoutStrings(line);
  const part = plain.slice(start, end);
  const called = /(?:F|functional)\.linear\s*\(/.exec(part);
  if (called) {
    const args = argumentsOf(plain, start + called.index + called[0].length - 1);
    return outputs === columns ? (args[1] ?? null) : null;
  }
  if (rows !== inputs) return null;
  const calls = [...part.matchAll(/[\w\])]\s*\(/g)];
  if (calls.length !== 1 || !calls[0]) return null;
  const args = argumentsOf(plain, start + calls[0].index + calls[0][0].length - 1);
  return args.length === 1 ? (args[0] ?? null) : null;
}

function argumentsOf(plain: string, open: number): [number, number][] {
  const end = closing(plain, open);
  if (end < 0) return [];
  let at = open + 1;
  return splitAtCommas(plain.slice(at, end)).map((part) => {
    const range: [number, number] = [at, at + part.length];
    at += part.length + 1;
    return trimmed(plain, range);
  });
}

function trimmed(text: string, [from, to]: [number, number]): [number, number] {
  let [start, end] = [from, to];
  while (start < end && text[start] === " ") start++;
  while (end > start && text[end - 1] === " ") end--;
  return [start, end];
}

/** Where a pattern of one letter stands outside of brackets. */
function atTop(text: string, pattern: RegExp): number[] {
  const depths: number[] = [];
  let depth = 0;
  for (const letter of text) {
    if (")]}".includes(letter)) depth--;
    depths.push(depth);
    if ("([{".includes(letter)) depth++;
  }
  return [...text.matchAll(pattern)].map(({ index }) => index).filter((index) => depths[index] === 0);
}

function closing(plain: string, open: number): number {
  let depth = 0;
  for (let index = open; index < plain.length; index++) {
    if ("([{".includes(plain[index] ?? "")) depth++;
    else if (")]}".includes(plain[index] ?? "") && --depth === 0) return index;
  }
  return -1;
}

/** The lines in which two texts differ: those that go, then those that come. */
export function difference(old: string, text: string): DiffLine[] {
  const [before, after] = [old.split("\n"), text.split("\n")];
  const lines: DiffLine[] = [];
  if (before.length === after.length) {
    before.forEach((line, index) => {
      const other = after[index] ?? "";
      if (line === other) return;
      lines.push({ kind: "out", line: index + 1, text: line }, { kind: "in", line: index + 1, text: other });
    });
    return lines;
  }
  let from = 0;
  while (from < Math.min(before.length, after.length) && before[from] === after[from]) from++;
  let end = 0;
  while (
    end < Math.min(before.length, after.length) - from &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end++;
  const parts = [
    { kind: "out" as const, list: before.slice(from, before.length - end) },
    { kind: "in" as const, list: after.slice(from, after.length - end) },
  ];
  for (const { kind, list } of parts) {
    for (const [index, text] of list.entries()) lines.push({ kind, line: from + index + 1, text });
  }
  return lines;
}

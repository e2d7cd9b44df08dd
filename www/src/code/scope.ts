// What names mean in a piece of Python: which modules they stand for, and which of them hold tensors, modules or optimizers.
//
// Invariant: pure, and right or silent: an expression that is not understood has no kind. Code is read line by line
// without running it; what the session says of its variables (after runs) wins. Leaves what the kinds hold to names.ts.
import { modulesIn, type Name, type Names, placeOfModule } from "./names";

/** A variable as the session knows it. */
export interface Variable {
  name: string;
  /** `Tensor`, `Module`, `Optimizer`, or empty. */
  class: string;
  /** Such as `Tensor [2, 3] float32`. */
  words: string;
}

export type Kind =
  | { is: "module"; place: string }
  /** A function or class at a place: `torch.randn`. */
  | { is: "name"; place: string; label: string }
  /** Something with the members of a class: `Tensor`, `Module`, `Optimizer`; and those of a class of the learner's. */
  | { is: "object"; of: string; own?: string }
  /** A class that the learner defines, whose objects are modules. */
  | { is: "ownModule"; own: string }
  /** A function or method that the learner defines. */
  | { is: "ownFunction"; name: Name };

export interface Scope {
  kinds: Map<string, Kind>;
  /** Names that are assigned, whatever they hold. */
  assigned: Set<string>;
  variables: Map<string, Variable>;
  /** What the objects of the learner's modules have: layers, tensors, methods. */
  members: Map<string, Map<string, Kind>>;
  /** The class that is being read, and how far its `class` is indented. */
  inside: { own: string; indent: number } | null;
  /** The function whose first line was read last: a text that follows is its sentence. */
  defined: Name | null;
}

const USUAL: Record<string, string> = {
  torch: "glowgrad",
  nn: "glowgrad.nn",
  F: "glowgrad.nn.functional",
  optim: "glowgrad.optim",
  lab: "glowgrad.lab",
};
const TENSOR: Kind = { is: "object", of: "Tensor" };

/** Methods and functions whose result is no tensor. */
const PLAIN = new Set(
  (
    "item tolist numpy size dim ndimension numel nelement element_size stride storage_offset data_ptr is_contiguous " +
    "is_floating_point is_inference equal allclose backward retain_grad register_hook untyped_storage type " +
    "register_post_accumulate_grad_hook manual_seed seed initial_seed is_tensor is_grad_enabled broadcast_shapes " +
    "set_printoptions set_rng_state get_default_dtype set_default_dtype promote_types get_default_device set_default_device " +
    "is_inference_mode_enabled split chunk unbind max min sort topk broadcast_tensors meshgrid kthvalue mode cummax cummin " +
    "aminmax median nanmedian tensor_split std_mean var_mean unique parameters named_parameters"
  ).split(" "),
);
/** Properties of a tensor that are tensors. */
const TENSOR_PROPERTIES = new Set(["T", "mT", "mH", "grad", "data"]);

/** Reads the sources in their order; the last may be half written. */
export function readScope(sources: string[], names: Names, variables: Variable[] = []): Scope {
  const scope: Scope = {
    kinds: new Map(),
    assigned: new Set(),
    variables: new Map(),
    members: new Map(),
    inside: null,
    defined: null,
  };
  for (const [name, path] of Object.entries(USUAL)) {
    const place = placeOfModule(path);
    if (place) scope.kinds.set(name, { is: "module", place });
  }
  for (const variable of variables) {
    scope.variables.set(variable.name, variable);
    if (variable.class) scope.kinds.set(variable.name, { is: "object", of: variable.class });
  }
  for (const source of sources) {
    leave(scope);
    for (const line of logicalLines(source)) readLine(line, scope, names);
  }
  return scope;
}

/** The class that was being read has ended. */
function leave(scope: Scope): void {
  if (scope.inside) scope.kinds.delete("self");
  scope.inside = null;
}

/** Lines, with those joined that brackets hold together, and without comments. */
function logicalLines(source: string): string[] {
  const lines: string[] = [];
  let open = 0;
  for (const line of source.split("\n")) {
    const code = withoutComment(line);
    if (open > 0) lines[lines.length - 1] += ` ${code.trim()}`;
    else lines.push(code);
    for (const letter of withoutStrings(code)) {
      if ("([{".includes(letter)) open++;
      else if (")]}".includes(letter)) open = Math.max(0, open - 1);
    }
    // A bracket that is never closed does not swallow the cell.
    if (/^\s*(?:def|class|for|while|if|with|import|from|return)\b/.test(line) && !/[([{,]\s*$/.test(code))
      open = 0;
  }
  return lines;
}

export function withoutStrings(line: string): string {
  return line.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, (text) => " ".repeat(text.length));
}

function withoutComment(line: string): string {
  const at = withoutStrings(line).indexOf("#");
  return at < 0 ? line : line.slice(0, at);
}

function readLine(line: string, scope: Scope, names: Names): void {
  if (line.trim() === "") return;
  const indent = line.search(/\S/);
  if (scope.inside && indent <= scope.inside.indent) leave(scope);
  const sentence = /^\s*[rf]?(?:"""|'''|"|')(.+?)(?:"""|'''|"|'|$)/.exec(line)?.[1];
  if (scope.defined && sentence) scope.defined.doc = sentence.trim();
  scope.defined = null;
  const imported = /^\s*import\s+(.+)$/.exec(line);
  if (imported) {
    for (const part of (imported[1] ?? "").split(",")) {
      const [, path = "", alias] = /^\s*([\w.]+)(?:\s+as\s+(\w+))?\s*$/.exec(part) ?? [];
      const place = placeOfModule(alias ? path : (path.split(".")[0] ?? ""));
      const name = alias ?? path.split(".")[0];
      if (name) take(scope, name, place === null ? null : { is: "module", place });
    }
    return;
  }
  const from = /^\s*from\s+([\w.]+)\s+import\s+\(?(.+?)\)?\s*$/.exec(line);
  if (from) {
    const [, path = "", list = ""] = from;
    for (const part of list.split(",")) {
      const [, label = "", alias] = /^\s*(\w+)(?:\s+as\s+(\w+))?\s*$/.exec(part) ?? [];
      if (label) take(scope, alias ?? label, memberOf(path, label, names));
    }
    return;
  }
  const owned = /^\s*class\s+(\w+)\s*\(\s*([\w.]+)\s*\)\s*:/.exec(line);
  if (owned) {
    const base = kindOf(owned[2] ?? "", scope, names);
    const isModule = base?.is === "ownModule" || (base?.is === "name" && base.place === "nn");
    const own = owned[1] ?? "";
    take(scope, own, isModule ? { is: "ownModule", own } : null);
    if (isModule) {
      // What one class has of another that is its base, it has too.
      const given = base.is === "ownModule" ? scope.members.get(base.own) : undefined;
      scope.members.set(own, new Map(given));
      scope.inside = { own, indent };
      scope.kinds.set("self", { is: "object", of: "Module", own });
    }
    return;
  }
  const defined = /^\s*(?:async\s+)?def\s+(\w+)\s*(\(.*)?$/.exec(line);
  if (defined) {
    define(defined[1] ?? "", defined[2] ?? "", scope);
    return;
  }
  const member = /^\s*self\.(\w+)\s*(?::\s*[\w.[\]]+\s*)?=(?!=)\s*(.+)$/.exec(line);
  if (member && scope.inside) {
    const kind = kindOf(member[2] ?? "", scope, names);
    const members = scope.members.get(scope.inside.own);
    if (kind) members?.set(member[1] ?? "", kind);
    else members?.delete(member[1] ?? "");
    return;
  }
  const looped = /^\s*for\s+(.+?)\s+in\s+/.exec(line);
  if (looped) {
    for (const name of (looped[1] ?? "").match(/[A-Za-z_]\w*/g) ?? []) take(scope, name, null);
    return;
  }
  const bound = /^\s*([A-Za-z_][\w\s,]*?)\s*(?::\s*[\w.[\]]+\s*)?=(?!=)\s*(.+)$/.exec(line);
  if (!bound) return;
  const targets = (bound[1] ?? "").split(",").map((name) => name.trim());
  const values = splitAtCommas(bound[2] ?? "");
  targets.forEach((name, index) => {
    if (!/^[A-Za-z_]\w*$/.test(name)) return;
    const value =
      targets.length === 1 ? bound[2] : values.length === targets.length ? values[index] : undefined;
    take(scope, name, value === undefined ? null : kindOf(value, scope, names));
  });
}

/** A function of the learner's, or a method of the class that is being read. */
function define(label: string, rest: string, scope: Scope): void {
  const end = closing(rest, 0);
  const all = end < 0 ? [] : splitAtCommas(rest.slice(1, end)).map((part) => part.trim());
  const method = scope.inside !== null;
  const own = all.filter(Boolean).slice(method ? 1 : 0);
  const name: Name = { label, name: label, signature: `${label}(${own.join(", ")})`, doc: "", kind: "own" };
  scope.defined = name;
  const kind: Kind | null = end < 0 ? null : { is: "ownFunction", name };
  if (scope.inside && kind) scope.members.get(scope.inside.own)?.set(label, kind);
  else take(scope, label, kind);
}

function take(scope: Scope, name: string, kind: Kind | null): void {
  scope.assigned.add(name);
  if (kind) scope.kinds.set(name, kind);
  // The session looked at what it holds; the text alone did not say.
  else if (!scope.variables.get(name)?.class) scope.kinds.delete(name);
}

function memberOf(path: string, label: string, names: Names): Kind | null {
  const inner = placeOfModule(`${path}.${label}`);
  if (inner) return { is: "module", place: inner };
  const place = placeOfModule(path);
  return place && names.find(place, label) ? { is: "name", place, label } : null;
}

/** What an expression is, where its first part says so. */
export function kindOf(text: string, scope: Scope, names: Names): Kind | null {
  const expression = text.trim();
  const walked = primary(expression, scope, names);
  if (!walked) return null;
  const rest = expression.slice(walked.end).trim();
  if (rest === "") return walked.kind;
  const operator = /^(?:@|\*\*?|\/\/?|%|\+|-|[<>]=?|[=!]=)/.exec(rest);
  if (!operator) return null;
  // A tensor on either side makes the result one.
  if (isTensor(walked.kind)) return TENSOR;
  const right = kindOf(rest.slice(operator[0].length), scope, names);
  return isTensor(right) ? TENSOR : null;
}

function isTensor(kind: Kind | null): boolean {
  return kind?.is === "object" && kind.of === "Tensor";
}

/** The name, call or chain with which a text begins, and where it ends. */
function primary(text: string, scope: Scope, names: Names): { kind: Kind | null; end: number } | null {
  let at = /^[-+~\s]*/.exec(text)?.[0].length ?? 0;
  let kind: Kind | null;
  const first = /^[A-Za-z_]\w*/.exec(text.slice(at));
  if (first) {
    kind = scope.kinds.get(first[0]) ?? null;
    at += first[0].length;
  } else if (text[at] === "(") {
    const end = closing(text, at);
    if (end < 0) return null;
    kind = kindOf(text.slice(at + 1, end), scope, names);
    at = end + 1;
  } else {
    const number = /^(?:\d[\w.]*|\.\d+)/.exec(text.slice(at));
    return number ? { kind: null, end: at + number[0].length } : null;
  }
  for (;;) {
    const member = /^\s*\.\s*([A-Za-z_]\w*)/.exec(text.slice(at));
    if (member) {
      kind = kind && memberKind(kind, member[1] ?? "", scope, names);
      at += member[0].length;
    } else if (text[at] === "(" || text[at] === "[") {
      const end = closing(text, at);
      if (end < 0) return null;
      if (text[at] === "(") kind = kind && resultOf(kind, names);
      else if (!isTensor(kind)) kind = null;
      at = end + 1;
    } else return { kind, end: at };
  }
}

function memberKind(kind: Kind, label: string, scope: Scope, names: Names): Kind | null {
  if (kind.is === "module") {
    const inner = modulesIn(kind.place).find((each) => each.label === label);
    if (inner) return { is: "module", place: inner.place };
    return names.find(kind.place, label) ? { is: "name", place: kind.place, label } : null;
  }
  if (kind.is !== "object") return null;
  const own = kind.own === undefined ? undefined : scope.members.get(kind.own)?.get(label);
  if (own) return own;
  if (kind.of === "Tensor" && TENSOR_PROPERTIES.has(label)) return TENSOR;
  const known = names.find(kind.of, label);
  return known && known.kind !== "property" ? { is: "name", place: kind.of, label } : null;
}

function resultOf(kind: Kind, names: Names): Kind | null {
  if (kind.is === "ownModule") return { is: "object", of: "Module", own: kind.own };
  // Calling a module runs it.
  if (kind.is === "object") return kind.of === "Module" ? TENSOR : null;
  if (kind.is !== "name") return null;
  const { place, label } = kind;
  const known = names.find(place, label);
  if (!known || PLAIN.has(label)) return null;
  if (place === "nn") return { is: "object", of: label === "Parameter" ? "Tensor" : "Module" };
  if (place === "optim") return { is: "object", of: "Optimizer" };
  if (place === "Module")
    return ["train", "eval", "to", "float", "double", "cpu", "cuda"].includes(label)
      ? { is: "object", of: "Module" }
      : null;
  if (place === "torch" && known.kind === "class") return label === "Tensor" ? TENSOR : null;
  return ["torch", "F", "Tensor", "linalg", "nn.init"].includes(place) ? TENSOR : null;
}

/** The signature of what is called, where it is known: of the reference, or of the learner's own code. */
export function calledName(kind: Kind | null, scope: Scope, names: Names): Name | null {
  if (kind?.is === "name") return names.find(kind.place, kind.label);
  if (kind?.is === "ownFunction") return kind.name;
  const called = kind?.is === "ownModule" ? "__init__" : "forward";
  const own = kind?.is === "ownModule" || kind?.is === "object" ? kind.own : undefined;
  const method = own === undefined ? undefined : scope.members.get(own)?.get(called);
  if (method?.is !== "ownFunction" || own === undefined) return null;
  const label = kind?.is === "ownModule" ? own : "forward";
  return { ...method.name, label, signature: method.name.signature.replace(/^\w+/, label) };
}

/** Where the bracket that opens at `at` closes; -1 where it does not. */
function closing(text: string, at: number): number {
  const plain = withoutStrings(text);
  let depth = 0;
  for (let i = at; i < plain.length; i++) {
    if ("([{".includes(plain[i] ?? "")) depth++;
    else if (")]}".includes(plain[i] ?? "") && --depth === 0) return i;
  }
  return -1;
}

export function splitAtCommas(text: string): string[] {
  const plain = withoutStrings(text);
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i < plain.length; i++) {
    const letter = plain[i] ?? "";
    if ("([{".includes(letter)) depth++;
    else if (")]}".includes(letter)) depth--;
    else if (letter === "," && depth === 0) {
      parts.push(text.slice(from, i));
      from = i + 1;
    }
  }
  parts.push(text.slice(from));
  return parts;
}

/** The chain of names, calls and indexes that ends where the text ends, such as `torch.randn(2).T`. */
export function chainBefore(text: string): string {
  const plain = withoutStrings(text);
  let at = plain.length;
  for (;;) {
    const before = plain[at - 1] ?? "";
    if (")]".includes(before) && before !== "") {
      let depth = 0;
      let i = at - 1;
      for (; i >= 0; i--) {
        if (")]}".includes(plain[i] ?? "")) depth++;
        else if ("([{".includes(plain[i] ?? "") && --depth === 0) break;
      }
      if (i < 0) return text.slice(at);
      at = i;
    } else if (/\w/.test(before)) {
      while (/\w/.test(plain[at - 1] ?? "")) at--;
      if (plain[at - 1] !== ".") return text.slice(at);
      at--;
    } else if (before === ".") at--;
    else return text.slice(at);
  }
}

/** The call that the end of a text stands in: what is called, and which of its arguments, with the name it gives. */
export function callBefore(
  text: string,
): { callee: string; argument: number; keyword: string | null } | null {
  const plain = withoutStrings(text);
  let depth = 0;
  let argument = 0;
  let from = plain.length;
  for (let i = plain.length - 1; i >= 0; i--) {
    const letter = plain[i] ?? "";
    if (")]}".includes(letter)) depth++;
    else if ("([{".includes(letter)) {
      if (depth > 0) depth--;
      else if (letter !== "(") {
        // Inside a list the commas are its own.
        argument = 0;
        from = i;
      } else {
        const callee = chainBefore(text.slice(0, i));
        const here = /^\s*(\w+)\s*=(?!=)/.exec(text.slice(argument === 0 ? i + 1 : from))?.[1] ?? null;
        return callee === "" || /^\d/.test(callee) ? null : { callee, argument, keyword: here };
      }
    } else if (letter === "," && depth === 0) {
      if (argument++ === 0) from = i + 1;
    }
  }
  return null;
}

/** The signature in pieces, with the place of the parameter that an argument fills. */
export function parameters(signature: string): { head: string; parts: string[] } {
  // Of a name with two forms the first.
  const open = signature.indexOf("(");
  if (open < 0) return { head: signature, parts: [] };
  const end = closing(signature, open);
  const inner = signature.slice(open + 1, end < 0 ? undefined : end);
  return {
    head: signature.slice(0, open),
    parts: splitAtCommas(inner)
      .map((part) => part.trim())
      .filter(Boolean),
  };
}

/** The index of the parameter; -1 for none. */
export function currentParameter(parts: string[], argument: number, keyword: string | null): number {
  const nameOf = (part: string) => part.replace(/^\*+/, "").split("=")[0]?.trim();
  if (keyword !== null) {
    const named = parts.findIndex((part) => nameOf(part) === keyword);
    return named >= 0 ? named : parts.findIndex((part) => part.startsWith("**"));
  }
  const rest = parts.findIndex((part) => part.startsWith("*"));
  if (rest >= 0 && argument >= rest) return parts[rest] === "*" ? -1 : rest;
  return argument < parts.length ? argument : -1;
}

/** Whether the place of a text's end is inside a string or a comment. */
export function inText(line: string): boolean {
  const plain = withoutStrings(line);
  return plain.includes("#") || /["']/.test(plain);
}

// The names that the editor can complete and explain: where each stands, its signature and its sentence.
//
// Invariant: nothing is fetched before `loadNames` is called; a copy without a reference knows no name. The data is made by
// www/build/names.ts from the reference. Leaves what a piece of code means to scope.ts.

/** As the build writes it. */
export interface NamesData {
  /** Name in the reference, signature, sentence, kind. */
  entries: [name: string, signature: string, doc: string, kind: string][];
  /** What stands in a module or a class, by the index of its entry. */
  places: Record<string, [label: string, entry: number][]>;
  /** Names of `torch` that are values, such as `float32`. */
  values: string[];
}

export interface Name {
  /** As it is written here: `relu_`. */
  label: string;
  /** As the reference calls it. */
  name: string;
  signature: string;
  doc: string;
  kind: string;
}

/** Places of the reference by the path of their module. Each is `torch.…` too, as in PyTorch. */
const MODULES: Record<string, string> = {
  glowgrad: "torch",
  "glowgrad.amp": "amp",
  "glowgrad.autograd": "autograd",
  "glowgrad.autograd.functional": "autograd.functional",
  "glowgrad.datasets": "datasets",
  "glowgrad.distributions": "distributions",
  "glowgrad.func": "func",
  "glowgrad.lab": "lab",
  "glowgrad.linalg": "linalg",
  "glowgrad.models": "models",
  "glowgrad.nn": "nn",
  "glowgrad.nn.functional": "F",
  "glowgrad.nn.init": "nn.init",
  "glowgrad.nn.utils": "nn.utils",
  "glowgrad.nn.utils.parametrizations": "nn.utils.parametrizations",
  "glowgrad.nn.utils.parametrize": "nn.utils.parametrize",
  "glowgrad.nn.utils.prune": "nn.utils.prune",
  "glowgrad.nn.utils.rnn": "nn.utils.rnn",
  "glowgrad.optim": "optim",
  "glowgrad.optim.lr_scheduler": "optim.lr_scheduler",
  "glowgrad.optim.swa_utils": "optim.swa_utils",
  "glowgrad.random": "random",
  "glowgrad.text": "text",
  "glowgrad.utils": "utils",
  "glowgrad.utils.checkpoint": "utils.checkpoint",
  "glowgrad.utils.data": "utils.data",
  "glowgrad.utils.tensorboard": "utils.tensorboard",
};

/** The place of a module, by its path. */
export function placeOfModule(path: string): string | null {
  return MODULES[path.replace(/^torch(?=\.|$)/, "glowgrad")] ?? null;
}

/** The modules directly inside one, by their last names. */
export function modulesIn(place: string): { label: string; place: string }[] {
  const [path] = Object.entries(MODULES).find(([, each]) => each === place) ?? [];
  if (path === undefined) return [];
  return Object.entries(MODULES).flatMap(([inner, each]) => {
    const label = inner.slice(path.length + 1);
    return inner.startsWith(`${path}.`) && !label.includes(".") ? [{ label, place: each }] : [];
  });
}

/** The signature of a function as that of a method: the tensor before the dot is its `input`. */
export function asMethod(signature: string): string {
  return signature.replaceAll(/\((?:input|self)(?:, |(?=\)))/g, "(");
}

export class Names {
  private readonly byPlace = new Map<string, Map<string, Name>>();

  constructor(private readonly data: NamesData) {
    for (const [place, list] of Object.entries(data.places)) {
      const names = new Map<string, Name>();
      for (const [label, index] of list) {
        const [name, written, doc, kind] = data.entries[index] ?? ["", "", "", ""];
        const signature = place === "Tensor" ? asMethod(written) : written;
        names.set(label, { label, name, signature, doc, kind });
      }
      this.byPlace.set(place, names);
    }
  }

  /** All names of a module or class. */
  in(place: string): Name[] {
    return [...(this.byPlace.get(place)?.values() ?? [])];
  }

  find(place: string, label: string): Name | null {
    return this.byPlace.get(place)?.get(label) ?? null;
  }

  /** Values of `torch`: dtypes and constants. */
  get values(): string[] {
    return this.data.values;
  }
}

let names: Promise<Names> | null = null;

export function loadNames(): Promise<Names> {
  names ??= import("virtual:names").then(({ default: data }) => new Names(data));
  // A connection that failed may be back at the next key.
  names.catch(() => {
    names = null;
  });
  return names;
}

// Changes of a network: each takes one and gives another, on the graph that is on the canvas.
//
// Invariant: pure. What a change does to sizes is the module's to say (`edit` of crates/architecture); a change whose result
// is no network, such as a circle, is refused there.
import { type Args, type Block, graphOf, type Net, type NetNode, parseSource, sourceText } from "./model";

/** What holds the nodes of a graph: the network, or a block of it. */
type Holder = Pick<Net, "nodes" | "outputs">;

export function changed(net: Net, block: string | null, change: (graph: Holder, draft: Net) => unknown): Net {
  const draft = structuredClone(net);
  const holder = block === null ? draft : draft.blocks?.find(({ name }) => name === block);
  change(holder ?? draft, draft);
  return draft;
}

export function freeName(taken: Iterable<string>, wanted: string): string {
  const all = new Set(taken);
  if (!all.has(wanted)) return wanted;
  for (let n = 2; ; n++) if (!all.has(`${wanted}_${n}`)) return `${wanted}_${n}`;
}

export function namesIn(net: Net, block: string | null): string[] {
  const graph = graphOf(net, block);
  const parameters = graph.block?.parameters?.map(({ name }) => name) ?? [];
  return [...graph.inputs, ...graph.nodes.map(({ id }) => id), ...parameters];
}

/** Every place of a graph that names a source. */
function eachSource(graph: Holder, change: (source: string) => string | null): void {
  for (const node of graph.nodes) {
    if (!node.inputs) continue;
    node.inputs = node.inputs.map(change).filter((source) => source !== null);
  }
  graph.outputs = graph.outputs.map(change).filter((source) => source !== null);
}

/** A wire into a port; what was wired to it before goes. */
export function connect(net: Net, block: string | null, source: string, target: string, port: number): Net {
  return changed(net, block, (graph) => {
    const node = graph.nodes.find(({ id }) => id === target);
    if (!node) return;
    node.inputs ??= [];
    if (port < node.inputs.length) node.inputs[port] = source;
    else node.inputs.push(source);
  });
}

export function disconnect(net: Net, block: string | null, target: string, port: number): Net {
  return changed(net, block, (graph) => {
    graph.nodes.find(({ id }) => id === target)?.inputs?.splice(port, 1);
  });
}

export function moveInput(net: Net, block: string | null, target: string, port: number, by: -1 | 1): Net {
  return changed(net, block, (graph) => {
    const inputs = graph.nodes.find(({ id }) => id === target)?.inputs;
    const moved = inputs?.splice(port, 1);
    if (inputs && moved) inputs.splice(port + by, 0, ...moved);
  });
}

export function setOutput(net: Net, block: string | null, source: string, index: number): Net {
  return changed(net, block, (graph) => {
    if (index < graph.outputs.length) graph.outputs[index] = source;
    else graph.outputs.push(source);
    graph.outputs = [...new Set(graph.outputs)];
  });
}

export function dropOutput(net: Net, block: string | null, index: number): Net {
  return changed(net, block, (graph) => graph.outputs.splice(index, 1));
}

/** Puts a node behind a source; `between`: what the source fed is fed by the node then. */
export function insert(
  net: Net,
  block: string | null,
  node: Omit<NetNode, "id">,
  wanted: string,
  after: string | null,
  between: boolean,
): { net: Net; id: string } {
  const id = freeName(namesIn(net, block), wanted);
  const next = changed(net, block, (graph) => {
    const isOnlyOutput =
      graph.outputs.length === 0 || (graph.outputs.length === 1 && graph.outputs[0] === after);
    if (after !== null && between) eachSource(graph, (source) => (source === after ? id : source));
    const made: NetNode = { ...structuredClone(node), id };
    if (after !== null && !node.inputs) made.inputs = [after];
    const at = graph.nodes.findIndex((other) => other.id === parseSource(after ?? "").name);
    graph.nodes.splice(at < 0 ? graph.nodes.length : at + 1, 0, made);
    if (isOnlyOutput) graph.outputs = [id];
  });
  return { net: next, id };
}

/** Takes nodes out; where one tensor went in, it goes on to what they fed. */
export function remove(net: Net, block: string | null, ids: readonly string[]): Net {
  return changed(net, block, (graph, draft) => {
    for (const id of ids) {
      const at = graph.nodes.findIndex((node) => node.id === id);
      const gone = graph.nodes[at];
      const onward = gone?.inputs?.length === 1 ? (gone.inputs[0] ?? null) : null;
      if (gone) {
        graph.nodes.splice(at, 1);
        inherit(graph, gone);
      } else if (!removeInput(draft, block, id)) continue;
      eachSource(graph, (source) => {
        const { name, result } = parseSource(source);
        if (name !== id) return source;
        return result === 0 ? onward : null;
      });
      graph.outputs = [...new Set(graph.outputs)];
    }
  });
}

/** The first node that used a layer once more has it from then on. */
function inherit(graph: Holder, gone: NetNode): void {
  const [heir, ...others] = graph.nodes.filter(({ same }) => same === gone.id);
  if (!heir) return;
  delete heir.same;
  Object.assign(heir, { type: gone.type, args: gone.args, children: gone.children });
  for (const other of others) other.same = heir.id;
}

/** Whether there was one, and another is left. */
function removeInput(draft: Net, block: string | null, name: string): boolean {
  if (block === null) {
    if (draft.inputs.length < 2) return false;
    const kept = draft.inputs.filter((input) => input.name !== name);
    const found = kept.length < draft.inputs.length;
    draft.inputs = kept;
    return found;
  }
  const found = draft.blocks?.find((each) => each.name === block);
  const at = found?.inputs.indexOf(name) ?? -1;
  if (!found || at < 0 || found.inputs.length < 2) return false;
  found.inputs.splice(at, 1);
  for (const node of everyNode(draft)) if (node.type === block) node.inputs?.splice(at, 1);
  return true;
}

function everyNode(net: Net): NetNode[] {
  return [...net.nodes, ...(net.blocks ?? []).flatMap(({ nodes }) => nodes)];
}

export function rename(net: Net, block: string | null, from: string, to: string): Net {
  return changed(net, block, (graph, draft) => {
    for (const node of graph.nodes) {
      if (node.id === from) node.id = to;
      if (node.same === from) node.same = to;
    }
    if (block === null) for (const input of draft.inputs) if (input.name === from) input.name = to;
    const inside = draft.blocks?.find(({ name }) => name === block);
    if (inside) inside.inputs = inside.inputs.map((name) => (name === from ? to : name));
    eachSource(graph, (source) => {
      const { name, result } = parseSource(source);
      return name === from ? sourceText(to, result) : source;
    });
  });
}

export function renameBlock(net: Net, from: string, to: string): Net {
  return changed(net, null, (_, draft) => {
    for (const block of draft.blocks ?? []) if (block.name === from) block.name = to;
    for (const node of everyNode(draft)) if (node.type === from) node.type = to;
  });
}

export function update(net: Net, block: string | null, id: string, change: (node: NetNode) => void): Net {
  return changed(net, block, (graph) => {
    const node = graph.nodes.find((each) => each.id === id);
    if (node) change(node);
  });
}

export function setArgument(
  net: Net,
  block: string | null,
  id: string,
  name: string,
  value: Args[string] | undefined,
): Net {
  return update(net, block, id, (node) => {
    const { [name]: _, ...others } = node.args ?? {};
    node.args = value === undefined ? others : { ...node.args, [name]: value };
    if (Object.keys(node.args).length === 0) delete node.args;
  });
}

/** Nodes as they are copied: wires among them stay, wires from elsewhere are kept where their source is still there. */
export interface Clip {
  nodes: NetNode[];
  /** The blocks that they use, and those that these use. */
  blocks: Block[];
}

export function clipOf(net: Net, block: string | null, ids: readonly string[]): Clip {
  const nodes = graphOf(net, block).nodes.filter(({ id }) => ids.includes(id));
  const used = new Set<string>();
  const visit = (all: readonly NetNode[]) => {
    for (const { type } of all) {
      const found = net.blocks?.find(({ name }) => name === type);
      if (!found || used.has(found.name)) continue;
      used.add(found.name);
      visit(found.nodes);
    }
  };
  visit(nodes);
  const blocks = (net.blocks ?? []).filter(({ name }) => used.has(name));
  return structuredClone({ nodes, blocks });
}

/** Puts copies into a graph; `outside` says which source takes the place of one that is not among them. */
export function paste(net: Net, block: string | null, clip: Clip): { net: Net; ids: string[] } {
  const renamed = new Map<string, string>();
  const taken = namesIn(net, block);
  for (const { id } of clip.nodes) {
    const name = freeName(taken, id);
    renamed.set(id, name);
    taken.push(name);
  }
  const there = new Set(namesIn(net, block));
  const known = new Set(net.blocks?.map(({ name }) => name));
  const next = changed(net, block, (graph, draft) => {
    const blocks = clip.blocks.filter(({ name }) => !known.has(name));
    if (blocks.length > 0) draft.blocks = [...structuredClone(blocks), ...(draft.blocks ?? [])];
    for (const node of structuredClone(clip.nodes)) {
      const id = renamed.get(node.id) ?? node.id;
      const inputs = node.inputs?.flatMap((source) => {
        const { name, result } = parseSource(source);
        const inside = renamed.get(name);
        if (inside) return [sourceText(inside, result)];
        return there.has(name) ? [source] : [];
      });
      const copy: NetNode = { ...node, id };
      if (inputs && inputs.length > 0) copy.inputs = inputs;
      else delete copy.inputs;
      if (copy.same) copy.same = renamed.get(copy.same) ?? copy.same;
      if (copy.at) copy.at = [copy.at[0] + 40, copy.at[1] + 70];
      graph.nodes.push(copy);
    }
  });
  return { net: next, ids: [...renamed.values()] };
}

/** Makes a block of nodes, and puts one use of it in their place; null where there is nothing to group. */
export function group(
  net: Net,
  block: string | null,
  ids: readonly string[],
  wanted: string,
): { net: Net; id: string; name: string } | null {
  const graph = graphOf(net, block);
  const inside = graph.nodes.filter(({ id }) => ids.includes(id));
  if (inside.length === 0) return null;
  const isInside = (source: string) => inside.some(({ id }) => id === parseSource(source).name);
  const given = [
    ...new Set(inside.flatMap(({ inputs }) => inputs ?? []).filter((source) => !isInside(source))),
  ];
  const outside = graph.nodes.filter(({ id }) => !ids.includes(id)).flatMap(({ inputs }) => inputs ?? []);
  let outputs = [...new Set([...outside, ...graph.outputs].filter(isInside))];
  const last = inside.at(-1);
  if (outputs.length === 0 && last) outputs = [last.id];
  const name = freeName([net.name, ...(net.blocks ?? []).map(({ name }) => name)], wanted);
  const ownNames = inside.map(({ id }) => id);
  const inputs = given.map((_, i) => freeName(ownNames, i === 0 ? "x" : `x${i + 1}`));
  const id = freeName(
    namesIn(net, block).filter((name) => !ids.includes(name)),
    snake(name),
  );
  const next = changed(net, block, (holder, draft) => {
    const nodes = structuredClone(inside);
    for (const node of nodes) {
      if (node.inputs) node.inputs = node.inputs.map((source) => inputs[given.indexOf(source)] ?? source);
    }
    const made: Block = { name, inputs: inputs.length > 0 ? inputs : ["x"], nodes, outputs };
    const all = draft.blocks ?? [];
    const before = block === null ? all.length : all.findIndex((each) => each.name === block);
    draft.blocks = [...all.slice(0, before), made, ...all.slice(before)];
    const at = holder.nodes.findIndex((node) => node.id === last?.id);
    const use: NetNode = { id, type: name, inputs: given };
    const place = inside.find((node) => node.at)?.at;
    if (place) use.at = place;
    holder.nodes[at] = use;
    holder.nodes = holder.nodes.filter((node) => node === use || !ids.includes(node.id));
    eachSource(holder, (source) => {
      const result = outputs.indexOf(source);
      return result < 0 ? source : sourceText(id, result);
    });
  });
  return { net: next, id, name };
}

/** Puts a block's nodes in the place of a use of it; null where it stands in a row, or its sizes are its user's. */
export function ungroup(net: Net, block: string | null, id: string): { net: Net; ids: string[] } | null {
  const use = graphOf(net, block).nodes.find((node) => node.id === id);
  const found = net.blocks?.find(({ name }) => name === use?.type);
  if (!use || !found || (use.repeat ?? 1) > 1 || (found.parameters?.length ?? 0) > 0) return null;
  const taken = namesIn(net, block).filter((name) => name !== id);
  const renamed = new Map<string, string>();
  for (const node of found.nodes) {
    const name = freeName(taken, node.id);
    renamed.set(node.id, name);
    taken.push(name);
  }
  const outside = (source: string) => {
    const { name, result } = parseSource(source);
    const inside = renamed.get(name);
    return inside ? sourceText(inside, result) : (use.inputs?.[found.inputs.indexOf(name)] ?? source);
  };
  const next = changed(net, block, (graph, draft) => {
    const nodes = structuredClone(found.nodes).map((node): NetNode => {
      const { at: _, ...own } = node;
      const named: NetNode = { ...own, id: renamed.get(node.id) ?? node.id };
      if (node.inputs) named.inputs = node.inputs.map(outside);
      if (node.same) named.same = renamed.get(node.same) ?? node.same;
      return named;
    });
    const at = graph.nodes.findIndex((node) => node.id === id);
    graph.nodes.splice(at, 1, ...nodes);
    eachSource(graph, (source) => {
      const { name, result } = parseSource(source);
      return name === id ? outside(found.outputs[result] ?? "") : source;
    });
    if (!everyNode(draft).some(({ type }) => type === found.name)) {
      draft.blocks = draft.blocks?.filter(({ name }) => name !== found.name) ?? [];
    }
  });
  return { net: next, ids: [...renamed.values()] };
}

/** Puts the layers of a Sequential in its place, one after the other; null where they repeat or are used once more. */
export function unfold(net: Net, block: string | null, id: string): { net: Net; ids: string[] } | null {
  const graph = graphOf(net, block);
  const node = graph.nodes.find((each) => each.id === id);
  const shared = graph.nodes.some(({ same }) => same === id);
  if (!node?.children?.length || (node.repeat ?? 1) > 1 || shared) return null;
  const taken = namesIn(net, block).filter((name) => name !== id);
  const ids = node.children.map(({ type = id }) => {
    const name = freeName(taken, snake(type.replace(/[123]d$/, "")));
    taken.push(name);
    return name;
  });
  const children = structuredClone(node.children);
  const next = changed(net, block, (holder) => {
    const nodes = children.map(
      (child, i): NetNode => ({
        ...child,
        id: ids[i] as string,
        inputs: i === 0 ? (node.inputs ?? []) : [ids[i - 1] as string],
      }),
    );
    holder.nodes.splice(
      holder.nodes.findIndex((each) => each.id === id),
      1,
      ...nodes,
    );
    eachSource(holder, (source) => (source === id ? (ids.at(-1) as string) : source));
  });
  return { net: next, ids };
}

/**
 * Makes a Sequential a block of its layers, which may then be drawn on the canvas; sizes that are a block's stay its
 * parameters. Null where its layers are used once more.
 */
export function encase(net: Net, block: string | null, id: string): { net: Net; name: string } | null {
  const graph = graphOf(net, block);
  const node = graph.nodes.find((each) => each.id === id);
  if (node?.type !== "Sequential" || graph.nodes.some(({ same }) => same === id)) return null;
  const wanted = id.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
  const isName = /^[A-Z]\w*$/.test(wanted);
  const name = freeName([net.name, ...(net.blocks ?? []).map(({ name }) => name)], isName ? wanted : "Block");
  const children = structuredClone(node.children ?? []);
  const text = JSON.stringify(children);
  const parameters = (graph.block?.parameters ?? []).filter((one) =>
    new RegExp(`"=[^"]*\\b${one.name}\\b`).test(text),
  );
  const taken = ["x", ...parameters.map((one) => one.name)];
  const nodes = children.map((child, i): NetNode => {
    const own = freeName(taken, snake((child.type ?? "layer").replace(/[123]d$/, "")));
    const before = i === 0 ? "x" : (taken.at(-1) as string);
    taken.push(own);
    return { ...child, id: own, inputs: [before] };
  });
  const next = changed(net, block, (holder, draft) => {
    const made: Block = { name, inputs: ["x"], nodes, outputs: [nodes.at(-1)?.id ?? "x"] };
    if (parameters.length > 0) made.parameters = structuredClone(parameters);
    const all = draft.blocks ?? [];
    const at = block === null ? all.length : all.findIndex((each) => each.name === block);
    draft.blocks = [...all.slice(0, at), made, ...all.slice(at)];
    const use = holder.nodes.find((each) => each.id === id);
    if (!use) return;
    delete use.children;
    use.type = name;
    use.args = Object.fromEntries(parameters.map((one) => [one.name, `=${one.name}`]));
  });
  return { net: next, name };
}

/** Without places, so that the picture is laid out anew. */
export function withoutPlaces(net: Net, block: string | null): Net {
  return changed(net, block, (graph, draft) => {
    for (const node of graph.nodes) delete node.at;
    if (block === null) for (const input of draft.inputs) delete input.at;
  });
}

export function withPlaces(
  net: Net,
  block: string | null,
  places: ReadonlyMap<string, { x: number; y: number }>,
): Net {
  const rounded = (id: string) => {
    const found = places.get(id);
    return found && ([Math.round(found.x), Math.round(found.y)] as [number, number]);
  };
  return changed(net, block, (graph, draft) => {
    for (const node of graph.nodes) {
      const at = rounded(node.id);
      if (at) node.at = at;
    }
    if (block !== null) return;
    for (const input of draft.inputs) {
      const at = rounded(input.name);
      if (at) input.at = at;
    }
  });
}

function snake(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();
}

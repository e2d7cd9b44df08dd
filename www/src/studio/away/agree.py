"""The network's document and its Python run on one input, with the same weights.

The document is run node by node by what PyTorch has under its names; the class by its own `forward`.
"""

import json

import torch
from torch import nn


class _Document:
    """A network's JSON, run as it stands."""

    def __init__(self, net, model):
        self.net, self.model = net, model
        self.blocks = {block["name"]: block for block in net.get("blocks", [])}
        # Of each layer by the name that it has in the class: what it reads, and its first result.
        self.operands, self.results = {}, {}
        # Of each tensor the functions that made it of layers' results; the tensor stays, so that no other gets its id.
        self.made_by = {}

    def run(self, inputs):
        names = [each["name"] for each in self.net["inputs"]]
        return self.graph(self.net, dict(zip(names, inputs)), {}, self.model, "")

    def graph(self, graph, values, scope, module, prefix):
        nodes = {node["id"]: node for node in graph["nodes"]}
        for node in graph["nodes"]:
            operands = [self.read(values, source) for source in node.get("inputs", [])]
            made = nodes[node["same"]] if "same" in node else node
            values[node["id"]] = self.node(made, operands, scope, module, prefix)
        return [self.read(values, source) for source in graph["outputs"]]

    @staticmethod
    def read(values, source):
        if source in values:
            return values[source][0] if isinstance(values[source], list) else values[source]
        name, _, result = source.rpartition(".")
        return values[name][int(result)]

    def node(self, node, operands, scope, module, prefix):
        kind, name = node["type"], node["id"]
        args = {key: self.value(value, scope) for key, value in node.get("args", {}).items()}
        if kind == "parameter":
            return [getattr(module, name)]
        if kind in FUNCTIONS:
            result = FUNCTIONS[kind](*operands, **args)
            results = list(result) if isinstance(result, (tuple, list)) else [result]
            own = prefix + (name if name == kind else f"{name} ({kind})")
            before = [each for operand in operands for each in self.functions_of(operand)]
            for each in results:
                self.made_by[id(each)] = each, list(dict.fromkeys([*before, own]))
            return results
        own = getattr(module, name)
        rounds = node.get("repeat", 1)
        for i in range(rounds):
            part = own[i] if rounds > 1 else own
            path = f"{prefix}{name}.{i}" if rounds > 1 else f"{prefix}{name}"
            operands = self.layer(node, kind, args, operands, part, path)
        return operands

    def functions_of(self, tensor):
        return self.made_by.get(id(tensor), (None, []))[1]

    def layer(self, node, kind, args, operands, own, path):
        self.operands.setdefault(path, operands)
        if kind in self.blocks:
            block = self.blocks[kind]
            scope = {each["name"]: each["default"] for each in block.get("parameters", [])}
            scope.update(args)
            results = self.graph(block, dict(zip(block["inputs"], operands)), scope, own, f"{path}.")
        elif kind == "Sequential":
            results = operands
            for i, child in enumerate(node["children"]):
                settings = {**args, **child}
                results = self.layer(settings, child["type"], child.get("args", {}), results, own[i], f"{path}.{i}")
        elif kind == "MultiheadAttention":
            results = flat(own(*operands, need_weights=False))[:1]
        else:
            results = flat(own(*operands))
        self.results.setdefault(path, results[0].detach())
        return results

    def value(self, value, scope):
        """An argument; a text that begins with = is an expression, which the module has checked."""
        if isinstance(value, list):
            return [self.value(each, scope) for each in value]
        if isinstance(value, str) and value.startswith("="):
            return eval(value[1:], {"__builtins__": {"int": int, "max": max, "min": min, "range": range}}, dict(scope))
        return value


def flat(result):
    if isinstance(result, torch.Tensor):
        return [result]
    return [tensor for each in result if each is not None for tensor in flat(each)]


def expand_batch(one, batch):
    return one.expand(batch.shape[0], *one.shape[1:])


FUNCTIONS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "matmul": lambda a, b: a @ b,
    "scale": lambda x, factor: x * factor,
    "relu": torch.relu,
    "gelu": nn.functional.gelu,
    "silu": nn.functional.silu,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "exp": torch.exp,
    "softmax": lambda x, dim=-1: x.softmax(dim),
    "log_softmax": lambda x, dim=-1: x.log_softmax(dim),
    "cat": lambda *all, dim=0: torch.cat(all, dim),
    "stack": lambda *all, dim=0: torch.stack(all, dim),
    "chunk": lambda x, chunks, dim=0: x.chunk(chunks, dim),
    "flatten": lambda x, start_dim=0, end_dim=-1: x.flatten(start_dim, end_dim),
    "unflatten": lambda x, dim, sizes: x.unflatten(dim, sizes),
    "reshape": lambda x, shape: x.reshape(shape),
    "permute": lambda x, dims: x.permute(dims),
    "transpose": lambda x, dim0, dim1: x.transpose(dim0, dim1),
    "squeeze": lambda x, dim: x.squeeze(dim),
    "unsqueeze": lambda x, dim: x.unsqueeze(dim),
    "select": lambda x, dim, index: x.select(dim, index),
    "narrow": lambda x, dim, start, length: x.narrow(dim, start, length),
    "mean": lambda x, dim, keepdim=False: x.mean(dim, keepdim),
    "sum": lambda x, dim, keepdim=False: x.sum(dim, keepdim),
    "amax": lambda x, dim, keepdim=False: x.amax(dim, keepdim),
    "scaled_dot_product_attention": lambda q, k, v, is_causal=False:
        nn.functional.scaled_dot_product_attention(q, k, v, is_causal=is_causal),
    "positions": lambda x, dim=1: torch.arange(x.shape[dim]),
    "expand_batch": expand_batch,
    "randn_like": torch.zeros_like,
}


def difference(a, b):
    """The largest one; None where the shapes differ."""
    if a.shape != b.shape:
        return None
    a, b = a.double(), b.double()
    is_same = (a == b) | (a.isnan() & b.isnan())
    apart = torch.where(is_same, torch.zeros_like(a), (a - b).abs())
    return finite(apart.max().item()) if a.numel() else 0.0


def finite(x):
    """JSON has no infinity, and no NaN."""
    return x if abs(x) < 1e300 else 1e300


def agreement(net, model, inputs):
    """What the class and the document give of the same input: differences of the results, and of what each layer reads and
    gives, in their order, with the functions before it."""
    seen = {}

    def hook(name):
        def see(module, args, result):
            seen.setdefault(name, (flat(args), flat(result)[0].detach()))

        return see

    hooks = [module.register_forward_hook(hook(name)) for name, module in model.named_modules() if name]
    document = _Document(net, model)
    noise = torch.randn_like
    # Numbers that are drawn are 0 in both.
    torch.randn_like = torch.zeros_like
    try:
        with torch.no_grad():
            ours = flat(model(*inputs))
            for hook in hooks:
                hook.remove()
            theirs = document.run(inputs)
    finally:
        torch.randn_like = noise
    layers = []
    for name in document.operands:
        if name not in seen or name not in document.results:
            continue
        given, result = seen[name]
        operands = document.operands[name]
        read = [difference(a, b) for a, b in zip(given, operands)]
        functions = [each for operand in operands for each in document.functions_of(operand)]
        layers.append({
            "name": name, "given": difference(result, document.results[name]), "read": read,
            "functions": list(dict.fromkeys(functions)),
        })
    return {
        "outputs": [difference(a, b) for a, b in zip(ours, theirs)] if len(ours) == len(theirs) else None,
        "counts": [len(ours), len(theirs)],
        "largest": max([finite(x.abs().max().item()) for x in ours if x.numel()] or [0.0]),
        "layers": layers,
        "functions": [document.functions_of(each) for each in theirs],
    }

# The JSON of models: what it looks like, what comes back, and what is said of models and texts that it cannot be.
import json
import warnings

import glowgrad as torch
from glowgrad import lab, nn

warnings.simplefilter("ignore")


def said(function, *args):
    try:
        print("no error:", str(function(*args))[:200])
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        print(text if len(text) < 400 else f"{text[:400]}…")


print("# a model, with a shared module and a tied weight")
shared = nn.ReLU()
model = nn.Sequential(
    nn.Conv2d(1, 8, (3, 3), padding="same"), shared,
    nn.ModuleDict({"up": nn.Linear(3, 6), "rest": nn.ModuleList([nn.Dropout(0.1), shared])}),
    nn.Embedding(10, 4), nn.Linear(4, 10, bias=False),
)
model.named = nn.LSTM(4, 5, bidirectional=True)
model[4].weight = model[3].weight
text = lab.to_json(model)
print(text)
again = lab.from_json(text)
print(repr(again) == repr(model), lab.to_json(again) == text, list(again.state_dict()) == list(model.state_dict()))
print(again[1] is again[2]["rest"][1], again[4].weight is again[3].weight, len(list(again.parameters())))

print("# arguments that are modules, tensors, dtypes and what is not finite")
encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, activation="gelu"), 2, nn.LayerNorm(8))
print(lab.to_json(encoder))
print(lab.to_json(nn.Transformer(8, 2, 1, 1, 16, custom_encoder=encoder)))
print(lab.to_json(nn.CrossEntropyLoss(weight=torch.tensor([0.5, 2.0]))))
print(lab.to_json(nn.Sequential(nn.LPPool2d(float("inf"), 2), nn.Linear(2, 2).double(), nn.DataParallel(nn.Tanh()))))
print(lab.from_json(lab.to_json(nn.CrossEntropyLoss(weight=torch.tensor([0.5, 2.0])))).weight)
print(lab.from_json(lab.to_json(nn.Linear(2, 2).double())).weight.dtype)

print("# describing draws nothing, and the same seed draws the same weights")
torch.manual_seed(1)
model = nn.Sequential(nn.Linear(3, 4), nn.LSTM(4, 5))
state = torch.get_rng_state()
text = lab.to_json(model)
print(torch.equal(state, torch.get_rng_state()))
torch.manual_seed(1)
print(all([torch.equal(a, b) for a, b in zip(model.parameters(), lab.from_json(text).parameters())]))

print("# models that have no description")


class Block(nn.Module):
    def forward(self, x):
        return x


class Linear(nn.Linear):
    pass


said(lab.to_json, nn.Sequential(nn.ReLU(), nn.Sequential(Block())))
said(lab.to_json, Linear(2, 3))
said(lab.to_json, nn.ParameterList([torch.zeros(2)]))
said(lab.to_json, torch.zeros(2))
layer = nn.Linear(2, 3)
layer.weight = nn.Parameter(torch.zeros(4, 2))
said(lab.to_json, layer)
encoder.layers[1].dropout.p = 0.5
said(lab.to_json, encoder)
circle = nn.Sequential(nn.ReLU())
circle.me = circle
said(lab.to_json, circle)
said(lab.to_json, nn.TransformerEncoderLayer(8, 2, 16, activation=torch.tanh))
said(lab.to_json, nn.TransformerEncoderLayer(8, 2, 16, activation=Block()))
many = nn.ReLU()
for _ in range(40):
    many = nn.Sequential(many, many)
said(lab.to_json, many)
holed = nn.Sequential(nn.ReLU())
holed.register_module("hole", None)
said(lab.to_json, holed)

print("# texts that are no model")


def document(model, **more):
    return json.dumps({"format": "glowgrad.model", "version": 1, "model": model, **more})


def of(kind, **args):
    return document({"type": kind, "args": args})


def children(**modules):
    return document({"type": "Sequential", "children": modules})


RELU = {"type": "ReLU"}
for text in (
    3, "", "[]", "{}", "nul", "NaN", '{"a": 1, "a": 2}', "[" * 100000, " " * (4 << 20) + "1", "9" * 5000,
    '{"format": "other", "version": 1, "model": {}}', '{"format": "glowgrad.model", "version": 2, "model": {}}',
    '{"format": "glowgrad.model", "version": true, "model": {}}', document(RELU, weights=[]),
    document(None), document({}), document({"type": ["ReLU"]}), document({"type": "os.system"}),
    document({"type": "__import__", "args": {"name": "os"}}), document({"type": "SGD"}), document({"type": "RNNBase"}),
    document({"type": "ReLU", "hook": "print"}), document({"type": "ReLU", "args": []}),
    document({"type": "Sequential", "args": {}}), document({"type": "ReLU", "children": {}}),
    of("Linear"), of("Linear", in_features=3), of("Linear", in_features=3, out_features=4, size=1),
    of("Linear", in_features=3, out_features="4"), of("Linear", in_features=True, out_features=4),
    of("Linear", in_features=3.0, out_features=4), of("Linear", in_features=-3, out_features=4),
    of("Linear", in_features=3, out_features=4, bias=1), of("Linear", in_features=3, out_features=4, device="cpu"),
    of("Linear", in_features=3, out_features=4, dtype="int64"), of("Linear", in_features=3, out_features=None),
    of("Embedding", num_embeddings=3, embedding_dim=4, _weight=[[1.0]]), of("Dropout", p=1.5), of("Dropout", p="nan"),
    of("Conv2d", in_channels=3, out_channels=4, kernel_size=[3, 3, 3]),
    of("Conv2d", in_channels=3, out_channels=4, kernel_size=3, groups=2),
    of("Conv2d", in_channels=3, out_channels=4, kernel_size=3, groups=0),
    of("Conv2d", in_channels=3, out_channels=4, kernel_size=3, padding="all"),
    of("LayerNorm", normalized_shape=[1] * 65), of("CrossEntropyLoss", weight=[1, [2]]),
    of("CrossEntropyLoss", weight=[[1, 2], [3]]), of("CrossEntropyLoss", reduction="most"),
    of("TransformerEncoder", encoder_layer=RELU, num_layers=2),
    of("TransformerEncoderLayer", d_model=8, nhead=2, activation="exec"),
    of("TransformerEncoderLayer", d_model=8, nhead=3),
    # What would take too much.
    of("Linear", in_features=10 ** 5, out_features=10 ** 5), of("Linear", in_features=10 ** 13, out_features=1),
    of("PositionalEncoding", d_model=10 ** 4, max_len=10 ** 9), of("LSTM", input_size=2, hidden_size=2, num_layers=1001),
    of("TransformerEncoder", encoder_layer={"type": "TransformerEncoderLayer", "args": {"d_model": 8, "nhead": 2}},
       num_layers=10 ** 9),
    children(**{str(i): RELU for i in range(20001)}),
    children(a0=RELU, **{
        f"a{i}": {"type": "Sequential", "children": {"0": {"same": f"a{i - 1}"}, "1": {"same": f"a{i - 1}"}}}
        for i in range(1, 40)
    }),
    # Names and references.
    children(a={"same": "b"}, b=RELU), children(a={"same": ""}), children(a={"same": 1}), children(a={"same": "a"}),
    children(forward=RELU), children(training=RELU), document({"type": "Sequential", "children": {"a.b": RELU}}),
    document({"type": "Sequential", "children": {"": RELU}}), document({"type": "Sequential", "children": [RELU]}),
    document({"type": "ModuleList", "children": {"1": RELU}}),
    document({"type": "Linear", "args": {"in_features": 3, "out_features": 4}}, tied=[["weight", "bias"]]),
    document({"type": "Linear", "args": {"in_features": 3, "out_features": 4}}, tied=[["weight", "other"]]),
    document({"type": "Linear", "args": {"in_features": 3, "out_features": 4}}, tied=[["weight"]]),
    document(RELU, tied={}),
):
    said(lab.from_json, text)
deep = RELU
for _ in range(100):
    deep = {"type": "Sequential", "children": {"0": deep}}
said(lab.from_json, document(deep))
said(lambda: lab.from_json(of("Linear", in_features=100, out_features=100), max_elements=1000))

print("# shapes without computing")
net = nn.Sequential(nn.Conv2d(1, 8, 3), nn.MaxPool2d(2, ceil_mode=True), nn.Flatten(), nn.LazyLinear(10))
print(lab.output_shape(net, (4, 1, 28, 28)), lab.output_shape(nn.LSTM(3, 4), (5, 2, 3)))
said(lab.output_shape, nn.Conv2d(3, 4, 5), (1, 3, 3, 3))
said(lab.output_shape, nn.Conv2d(3, 4, 5), (1, 2, 8, 8))
said(lab.output_shape, nn.Conv2d(3, 4, 5), (3, 3))
said(lab.output_shape, nn.Linear(3, 4), (2, 3), (2, 3))
said(lab.output_shape, nn.Flatten(), ())
said(lab.output_shape, Block(), (3, 3))
said(lab.output_shape, nn.ModuleList(), (3, 3))
said(lab.catalog, "colour")

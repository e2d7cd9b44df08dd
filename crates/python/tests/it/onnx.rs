//! `torch.onnx` where the host sees no graph: it goes over as text, and comes back as modules.

use crate::common::lab;

const SAME: &str = r#"
import io
import torch
from torch import nn
def again(model, *args, **options):
    file = io.BytesIO()
    torch.onnx.export(model, args, file, **options)
    return torch.onnx.load(file.getvalue())
def flat(result):
    return [result] if isinstance(result, torch.Tensor) else [x for each in result if each is not None for x in flat(each)]
def same(model, *args):
    if isinstance(model, nn.Module): model.eval()
    read = again(model, *args)
    wanted, got = flat(model(*args)), flat(read(*args))
    assert len(wanted) == len(got), (len(wanted), len(got))
    for a, b in zip(wanted, got):
        assert a.shape == b.shape and a.dtype == b.dtype
        torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-6)
    return read
"#;

#[test]
fn networks_go_out_and_come_back_to_the_same_numbers() {
    lab(|lab| {
        lab.output(SAME);
        let printed = lab.output(
            r#"
from glowgrad import models
torch.manual_seed(0)
image, tokens = torch.rand(2, 3, 32, 32), torch.randint(0, 65, (2, 9))
same(models.MLP(784, 16, 10), torch.rand(2, 1, 28, 28))
same(models.LeNet(), torch.rand(2, 1, 28, 28))
same(models.ResNet((1, 1, 1, 1), 10, "cifar"), image)
same(models.MobileNetV2(10, 0.25, "cifar", dropout=0.0), image)
for kind in ("RNN", "LSTM", "GRU"):
    same(models.CharRNN(65, 8, 16, kind=kind), tokens)
same(models.GPT(n_layer=1, n_head=2, n_embd=16), tokens)
same(models.ViT(depth=1), image)
same(models.Autoencoder(), torch.rand(2, 1, 28, 28))
same(lambda x: (x[:, 1:, ::2].transpose(0, 2) * 2 - x.mean(dtype=torch.float64), x.argmax(-1), x > 0.5), torch.rand(3, 4, 6))
same(lambda x: torch.where(x > 0, x.to(torch.float16), -1).sum(0), torch.randn(4, 5))
same(lambda x, i: x[i] + torch.arange(3), torch.randn(4, 3), torch.tensor([0, 3]))
print("all")
"#,
        );
        assert_eq!(printed, "all\n");
    });
}

#[test]
fn an_imported_model_is_a_module_that_learns() {
    lab(|lab| {
        lab.output(SAME);
        let printed = lab.output(
            r#"
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
x = torch.randn(16, 2)
read = again(net, x, input_names=["x"], output_names=["y"])
print(read.inputs, read.outputs, read.opset, list(read.state_dict()))
print(len(list(read.parameters())), read(x=x).grad_fn is not None)
optimizer = torch.optim.Adam(read.parameters(), lr=0.05)
losses = []
for _ in range(60):
    optimizer.zero_grad()
    loss = ((read(x) - x.prod(1, keepdim=True)) ** 2).mean()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses[-1] < 0.3 * losses[0])
again_read = again(read, x)
print(torch.equal(again_read(x), read(x)))
"#,
        );
        assert_eq!(
            printed,
            "{'x': ('float32', 16, 2)} {'y': ('float32', 16, 1)} 18 ['0.weight', '0.bias', '2.weight', '2.bias']\n\
             4 True\nTrue\nTrue\n"
        );
    });
}

#[test]
fn calls_of_several_results_go_out_and_come_back() {
    lab(|lab| {
        lab.output(SAME);
        let printed = lab.output(
            r#"
x = torch.randn(3, 5, 4)
same(lambda x: x.topk(2, dim=1), x)
same(lambda x: (x.sort(dim=0, descending=True).values, x.sort().indices), x)
same(lambda x: (*x.max(1), *x.min(-1, keepdim=True), *torch.aminmax(x)), x)
same(lambda x: (*x.kthvalue(2), *x.median(1), *x.nanmedian(2)), x)
same(lambda x: (*torch.var_mean(x), *torch.std_mean(x, dim=1)), x)
same(lambda x: (*x.split(2, dim=1), *x.unbind(2), *x.chunk(2)), x)
same(lambda x: x.scatter(0, torch.tensor([[[0], [2]]]), 1.5), x)
class Best(nn.Module):
    def __init__(self):
        super().__init__()
        self.scores = nn.Linear(4, 6)
    def forward(self, x):
        return self.scores(x).topk(3)
read = again(Best(), torch.randn(2, 4))
values, indices = read(torch.randn(2, 4))
values.sum().backward()
print(values.shape, indices.dtype, [p.grad is not None for p in read.parameters()])
"#,
        );
        assert_eq!(printed, "torch.Size([2, 3]) torch.int64 [True, True]\n");
    });
}

#[test]
fn sizes_stay_open() {
    lab(|lab| {
        lab.output(SAME);
        let printed = lab.output(
            r#"
from glowgrad import models
def of_any(model, at, **options):
    if isinstance(model, nn.Module): model.eval()
    read = again(model, at(2), **options)
    for n in (1, 2, 5):
        x = at(n)
        for a, b in zip(flat(model(x)), flat(read(x))):
            torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-6)
    return read
torch.manual_seed(0)
batch = {"dynamic_axes": {"x": {0: "batch"}, "y": {0: "batch"}}, "input_names": ["x"], "output_names": ["y"]}
image, tokens = lambda n: torch.rand(n, 3, 32, 32), lambda n: torch.randint(0, 65, (n, 9))
read = of_any(models.MLP(784, 16, 10), lambda n: torch.rand(n, 1, 28, 28), **batch)
print(read.inputs, read.outputs)
of_any(models.LeNet(), lambda n: torch.rand(n, 1, 28, 28), **batch)
of_any(models.ResNet((1, 1, 1, 1), 10, "cifar"), image, **batch)
of_any(models.MobileNetV2(10, 0.25, "cifar", dropout=0.0), image, **batch)
of_any(models.GPT(n_layer=1, n_head=2, n_embd=16), tokens, **batch)
of_any(models.ViT(depth=1), image, **batch)
of_any(models.CharRNN(65, 8, 16), tokens, dynamic_axes={"input": [0]}, input_names=["input"])

# One row, and what is trained in the page: weights travel once.
net = nn.Linear(4, 3)
read = again(net, torch.ones(1, 4), **batch)
print(read(torch.ones(7, 4)).shape, len(list(read.parameters())))

class Dim:
    __name__ = "rows"
def outer(a, b, scale=2.0):
    return (a.unsqueeze(1) * b * scale).reshape(-1)
for shapes in ({"a": {0: Dim()}, "b": {0: "columns"}}, (({-1: "rows"}), ("columns",)), {"a": (Dim(),), "b": ["columns"]}):
    read = again(outer, torch.ones(2), torch.ones(3), dynamic_shapes=shapes)
    print(read.inputs, torch.equal(read(torch.arange(4.0), torch.ones(5)), outer(torch.arange(4.0), torch.ones(5))))
both = again(lambda a, b: a + b, torch.ones(2, 3), torch.ones(2, 3), dynamic_axes={"a": [0], "b": [0]})
print(both.inputs)
"#,
        );
        assert_eq!(
            printed,
            "{'x': ('float32', 'batch', 1, 28, 28)} {'y': ('float32', 'batch', 10)}\n\
             torch.Size([7, 3]) 2\n\
             {'a': ('float32', 'rows'), 'b': ('float32', 'columns')} True\n\
             {'a': ('float32', 'rows'), 'b': ('float32', 'columns')} True\n\
             {'a': ('float32', 'rows'), 'b': ('float32', 'columns')} True\n\
             {'a': ('float32', 'a_dynamic_axes_1', 3), 'b': ('float32', 'a_dynamic_axes_1', 3)}\n"
        );
    });
}

#[test]
fn sizes_that_are_not_open_are_refused() {
    lab(|lab| {
        lab.output(SAME);
        lab.output(
            "def of(model, axes, shape=(2, 3), **options):\n    \
             return again(model, torch.ones(shape), dynamic_axes=axes, **options)\n\
             net = nn.Linear(3, 1)",
        );
        let says = |code: &str, words: &str| {
            let error = lab.error(code).traceback;
            assert!(error.contains(words), "{code}: {error}");
        };
        for (code, words) in [
            (
                "of(lambda x: x / x.shape[0], {'x': {0: 'n'}})",
                "the size \"n\" cannot be left open: the node \"div\"",
            ),
            (
                "of(lambda x: x + torch.arange(x.shape[0]).unsqueeze(1), {'x': {0: 'n'}})",
                "the size \"n\" cannot be left open",
            ),
            (
                "of(lambda x: x.exp() if x.shape[0] > 2 else x, {'x': {0: 'n'}})",
                "is Identity in one export and Exp in the other",
            ),
            (
                "of(net, {'z': {0: 'n'}})",
                "dynamic_axes names 'z', which is no input (input) and no output (output) of the model; use one of",
            ),
            (
                "of(net, {'input': {2: 'n'}})",
                "dynamic_axes has dimension 2 of 'input', whose shape is [2, 3]; expected an int from -2 to 1",
            ),
            (
                "of(net, {'input': {0: 3}})",
                "dimension 0 of 'input' has 3; expected the name of its size",
            ),
            (
                "of(net, {'input': 0})",
                "dynamic_axes: 'input' has 0; expected dimensions with names",
            ),
            (
                "of(net, {'input': {0: 'n'}}, (0, 3))",
                "dimension 0 of 'input' has no element in args",
            ),
            (
                "of(net, {'input': {0: 'n', 1: 'n'}})",
                "'n' is 3 in dimension 1 of 'input', and 2 in dimension 0 of 'input'; give args of one size",
            ),
            (
                "of(net, {'input': {0: 'n'}, 'output': {0: 'm'}})",
                "dynamic_axes gives 'm' to dimension 0 of the output 'output', and no input has a size of this name",
            ),
            (
                "of(net, {'input': {0: 'n'}, 'output': {1: 'n'}})",
                "dynamic_axes gives 'n' to dimension 1 of the output 'output', which stays 1",
            ),
            (
                "of(net, {'input': {0: 'n'}}, dynamic_shapes={'input': {0: 'n'}})",
                "takes dynamic_axes or dynamic_shapes, and both came",
            ),
            (
                "again(net, torch.ones(2, 3), dynamic_shapes=({}, {}))",
                "dynamic_shapes has 2 entries, and the model takes 1 arguments",
            ),
            (
                "again(net, torch.ones(2, 3), dynamic_shapes=(('n',),))",
                "dynamic_shapes has 1 sizes for 'input', which has 2 dimensions",
            ),
            (
                "again(net, torch.ones(2, 3), dynamic_shapes={'z': {0: 'n'}})",
                "dynamic_shapes names 'z', which is no tensor that the model takes; it takes input",
            ),
        ] {
            says(code, words);
        }
    });
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    lab(|lab| {
        lab.output(SAME);
        let says = |code: &str, words: &str| {
            let error = lab.error(code).traceback;
            assert!(error.contains(words), "{code}: {error}");
        };
        says("torch.onnx.load(b'nonsense')", "are no ONNX message");
        says("torch.onnx.load('nothing.onnx')", "No such file");
        says("again(lambda x: x.nonzero(), torch.ones(3))", "nonzero");
        says("again(lambda x: torch.lgamma(x), torch.ones(3))", "lgamma");
        says(
            "again(nn.Linear(2, 1), torch.ones(3, 2))(torch.ones(3, 3))",
            "the model expects input float32 [3, 2]",
        );
        says(
            "again(nn.Linear(2, 1), torch.ones(3, 2))()",
            "the model needs the input 'input'",
        );
        says(
            "again(nn.Linear(2, 1), torch.ones(3, 2))(1, 2)",
            "the model has 1 inputs",
        );
        says(
            "again(nn.Linear(2, 1), torch.ones(3, 2))(torch.ones(3, 2), z=1)",
            "the input 'z' is unknown",
        );
        let printed = lab.output(
            "import warnings\nwith warnings.catch_warnings(record=True) as told:\n    warnings.simplefilter('always')\n    \
             again(lambda x: x * 2 if x.sum() > 0 else x, torch.ones(3))\nprint('looked at' in str(told[0].message))\n",
        );
        assert_eq!(printed, "True\n");
    });
}

//! The `glowgrad` module prints what PyTorch prints (`golden/make.sh`), to the letter.

use crate::common::lab;

macro_rules! prints_what_pytorch_prints {
    ($($name:ident),+) => {$(
        #[test]
        fn $name() {
            lab(|lab| {
                let source = include_str!(concat!("../golden/torch/", stringify!($name), ".py"));
                let expected = include_str!(concat!("../golden/torch/", stringify!($name), ".txt"));
                let output = lab.output(source);
                for (number, (ours, theirs)) in output.lines().zip(expected.lines()).enumerate() {
                    assert_eq!(ours, theirs, "line {} of the output", number + 1);
                }
                assert_eq!(output.lines().count(), expected.lines().count());
            });
        }
    )+};
}
prints_what_pytorch_prints!(tensors, autograd, nn, limits);

#[test]
fn every_op_of_the_registry_is_a_function_and_has_its_method() {
    lab(|lab| {
        for op in glowgrad::ops::all() {
            let name = op.name;
            assert_eq!(
                lab.output(&format!(
                    "import glowgrad as torch, _glowgrad\ncallable(_glowgrad.{name})"
                )),
                "True\n"
            );
            if op.method {
                assert_eq!(
                    lab.output(&format!("callable(torch.Tensor.{name})")),
                    "True\n"
                );
            }
        }
    });
}

#[test]
fn errors_say_the_op_and_what_was_expected() {
    lab(|lab| {
        lab.output("import glowgrad as torch\nx = torch.ones(2, 3)");
        for (source, kind, words) in [
            ("x @ x", "RuntimeError", "[2, 3]"),
            ("x.softmax()", "TypeError", "softmax(input, dim)"),
            ("x.sum(dimension=1)", "TypeError", "'dimension'"),
            ("torch.relu(3)", "TypeError", "must be Tensor, not int"),
            (
                "x.softmax(dim='a')",
                "TypeError",
                "'dim' must be int, not str",
            ),
            (
                "torch.nn.functional.gelu(x, 'x')",
                "RuntimeError",
                "none, tanh",
            ),
            ("x.reshape(5, 5)", "RuntimeError", "5"),
            ("x.cuda()", "RuntimeError", "cpu"),
            (
                "torch.ones(2, requires_grad=True).numpy()",
                "RuntimeError",
                "detach",
            ),
            (
                "torch.tensor([[1], [2, 3]])",
                "ValueError",
                "expected sequence of length 1 at dim 1 (got 2)",
            ),
            ("torch.tensor(10**30)", "OverflowError", "int64"),
            ("torch.zeros(10**6, 10**6)", "RuntimeError", ""),
            (
                "torch.tensor([1., 2.]) & torch.tensor([1., 2.])",
                "NotImplementedError",
                "bool",
            ),
            ("x.add(x, out=x)", "TypeError", "'out'"),
            ("x.add(x, x, x)", "TypeError", "add(input, other, alpha=1)"),
        ] {
            let error = lab.error(source);
            assert_eq!(error.kind, kind, "{source}: {}", error.traceback);
            assert!(error.message.contains(words), "{source}: {}", error.message);
            assert_eq!(error.line, Some(1), "{source}");
        }
    });
}

#[test]
fn tensors_and_modules_can_be_subclassed() {
    lab(|lab| {
        let source = "
import glowgrad as torch
import glowgrad.nn as nn

class Marked(torch.Tensor):
    def twice(self):
        return self * 2

m = torch.ones(2).as_subclass(Marked)
print(type(m.twice()).__name__, m.twice()[0], type(m.sum()).__name__, m)
m.note = 'kept'
print(m.note, isinstance(m, torch.Tensor), type(nn.Parameter(torch.ones(1)) * 2).__name__)

class Scaled(nn.Linear):
    def forward(self, x):
        return super().forward(x) * 10

s = Scaled(2, 1)
nn.init.ones_(s.weight); nn.init.zeros_(s.bias)
print(s, s(torch.ones(1, 2)))
class Broken(nn.Module):
    def __init__(self):
        self.w = nn.Parameter(torch.ones(1))
try:
    Broken()
except AttributeError as e:
    print(e)
print({m: 1}[m], m in [m] if False else '')
";
        assert_eq!(
            lab.output(source),
            "Marked Marked(2.) Marked Marked([1., 1.])\nkept True Tensor\n\
             Scaled(in_features=2, out_features=1, bias=True) tensor([[20.]], grad_fn=<MulBackward0>)\n\
             cannot assign parameters before Module.__init__() call\n1 \n"
        );
    });
}

#[test]
fn an_exception_in_a_backward_of_the_learners_stays_what_it_is() {
    lab(|lab| {
        let error = lab.error(
            "import glowgrad as torch\nclass F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n    @staticmethod\n    def backward(ctx, g):\n        raise KeyError('mine')\nx = torch.ones(1, requires_grad=True)\nF.apply(x).sum().backward()",
        );
        assert_eq!((error.kind.as_str(), error.line), ("KeyError", Some(8)));
        let error = lab.error("class G(F):\n    @staticmethod\n    def backward(ctx, g):\n        return g, g\nG.apply(x).sum().backward()");
        assert!(
            error.message.contains("incorrect number of gradients"),
            "{}",
            error.message
        );
        // The tape is as it was.
        assert_eq!(
            lab.output("torch.is_grad_enabled(), (x * 2).requires_grad"),
            "(True, True)\n"
        );
    });
}

//! Names that glowgrad has not: the message says what to use instead, and never a far-fetched guess.

use crate::common::{Lab, lab};

/// The last line of what the learner sees.
fn message(lab: &Lab, source: &str) -> String {
    let error = lab.error(source);
    let shown = format!("{}: {}", error.kind, error.message);
    assert_eq!(error.traceback.lines().last(), Some(shown.as_str()));
    shown
}

#[test]
fn a_well_known_name_is_answered_with_what_does_the_same_job() {
    lab(|lab| {
        lab.output("import glowgrad as torch\nfrom glowgrad import nn, optim\nimport glowgrad.nn.functional as F");
        for (source, words) in [
            (
                "torch.fx.symbolic_trace(len)",
                "glowgrad has no torch.fx; instead: `lab.train(",
            ),
            ("torch.ones(2).astype(int)", "`x.to(torch.float32)`"),
            ("nn.Linear(2, 3).fit()", "`lab.train(step, batches)`"),
            ("from glowgrad import fx", "`lab.train(step, batches)`"),
        ] {
            let shown = message(&lab, source);
            assert!(shown.contains(words), "{source}: {shown}");
        }
    });
}

#[test]
fn what_is_no_tensor_is_told_with_what_to_do() {
    lab(|lab| {
        lab.output("import glowgrad as torch\nfrom glowgrad import nn\nw = torch.ones(2, requires_grad=True)\ndef f(x):\n    x * 2");
        for (source, end) in [
            (
                "w.grad.zero_()",
                "after zero_grad() and where requires_grad is False; a function without return gives None",
            ),
            ("f(w).sum()", "a function without return gives None"),
            (
                "nn.LSTM(2, 3)(torch.ones(4, 2)).shape",
                ": a tuple of 2 is no tensor; take one of them with an index, or torch.stack them",
            ),
            (
                "[1.0, 2.0].mean()",
                ": a list is no tensor; torch.tensor(list) makes one of numbers",
            ),
            (
                "w.sum().item().backward()",
                ": a number of Python is no tensor, and the tape ends at .item(); torch.tensor(number) makes one",
            ),
            (
                "w.sum.backward()",
                ": a function is no tensor; call it, with parentheses after its name",
            ),
            (
                "f.backward()",
                ": a function is no tensor; call it, with parentheses after its name",
            ),
        ] {
            let shown = message(&lab, source);
            assert!(shown.ends_with(end), "{source}: {shown}");
        }
        // What no tensor has either is Python's own affair.
        for source in ["None.nonsense", "(1, 2).nonsense", "len.nonsense"] {
            let shown = message(&lab, source);
            assert!(
                shown.ends_with("has no attribute 'nonsense'"),
                "{source}: {shown}"
            );
        }
    });
}

#[test]
fn a_slip_is_named_and_a_name_elsewhere_is_found() {
    lab(|lab| {
        lab.output("import glowgrad as torch\nfrom glowgrad import nn, optim\nimport glowgrad.nn.functional as F");
        for (source, end) in [
            ("torch.sofmax(1)", ". Did you mean: 'softmax'?"),
            ("nn.relu(1)", ". Did you mean: 'ReLU'?"),
            ("optim.adam([])", ". Did you mean: 'Adam'?"),
            ("torch.ones(2).sofmax(0)", ". Did you mean: 'softmax'?"),
            ("nn.Linear(2, 3).wieght", ". Did you mean: 'weight'?"),
            ("torch.Linear(2, 3)", ": it is nn.Linear"),
            ("nn.Adam([])", ": it is optim.Adam"),
            ("nn.RMSprop([])", ": it is optim.RMSprop"),
            (
                "optim.StepLR(1, 2)",
                ": it is torch.optim.lr_scheduler.StepLR",
            ),
            (
                "torch.DataLoader([])",
                ": it is torch.utils.data.DataLoader",
            ),
            ("torch.backward(1)", ": tensors have it: x.backward"),
            (
                "torch.cuda.is_availabel()",
                ". Did you mean: 'is_available'?",
            ),
            (
                "from glowgrad.nn.utils.rnn import pad_sequense",
                ". Did you mean: 'pad_sequence'?",
            ),
            (
                "torch.cuda.frobnicate()",
                ": glowgrad has no torch.cuda.frobnicate; the reference lists what it has",
            ),
            ("torch.distributions.Linear(1, 2)", ": it is nn.Linear"),
            ("nn.Sequential(nn.ReLU()).head", ": it has 0"),
        ] {
            let shown = message(&lab, source);
            assert!(shown.ends_with(end), "{source}: {shown}");
        }
    });
}

#[test]
fn what_is_far_from_every_name_is_not_guessed_at() {
    lab(|lab| {
        lab.output("import glowgrad as torch\nfrom glowgrad import nn");
        for source in [
            "torch.foo",
            "torch.ones(2).foo",
            "nn.Quux()",
            "nn.Identity().zzz",
        ] {
            let shown = message(&lab, source);
            assert!(
                shown.ends_with("; the reference lists what it has"),
                "{shown}"
            );
            assert!(!shown.contains("Did you mean"), "{shown}");
        }
    });
}

#[test]
fn what_is_not_glowgrads_is_left_to_python() {
    lab(|lab| {
        assert!(message(&lab, "'a'.foo").ends_with("object has no attribute 'foo'"));
        lab.output("import glowgrad as torch\nclass A:\n    colour = 1");
        assert!(message(&lab, "A().color").ends_with("Did you mean: 'colour'?"));
        assert!(message(&lab, "A().foo").ends_with("has no attribute 'foo'"));
        // Nothing of the learner's own runs for a message.
        lab.output(
            "from glowgrad import nn\nseen = []\nclass Net(nn.Module):\n    def __getattribute__(self, name):\n        \
             seen.append(name)\n        return super().__getattribute__(name)\nnet = Net()\nseen.clear()",
        );
        lab.error("net.foo");
        assert_eq!(
            lab.output("seen.count('__dict__') + seen.count('_modules')"),
            "3\n"
        );
        // A caught exception keeps Python's words.
        assert_eq!(
            lab.output("try:\n    torch.foo\nexcept AttributeError as error:\n    print(error)\nhasattr(torch, 'foo')"),
            "module 'glowgrad' has no attribute 'foo'\nFalse\n"
        );
    });
}

#[test]
fn the_table_names_nothing_that_is_here_and_points_only_to_what_is() {
    lab(|lab| {
        let source = r#"
import glowgrad as torch, _missing
from glowgrad import lab, nn, optim
import glowgrad.nn.functional as F

spaces = {"torch": torch, "nn": nn, "F": F, "optim": optim, "lab": lab}
owners = dict(_missing.PLACES, Tensor=torch.Tensor, Module=nn.Module, Optimizer=optim.Optimizer)
letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_."
for place, table in _missing.INSTEAD.items():
    for name, words in table.items():
        if hasattr(owners[place], name):
            print(f"{place}.{name} is here by now")
        for part in words.split("`")[1::2]:
            text = "".join(letter if letter in letters else " " for letter in part)
            for chain in text.split():
                first, *rest = chain.strip(".").split(".")
                value = spaces.get(first)
                for each in rest if value is not None else []:
                    if not hasattr(value, each):
                        print(f"{place}.{name} points to {chain}")
                        break
                    value = getattr(value, each)
"#;
        assert_eq!(lab.output(source), "");
    });
}

//! What a session asks of Python: names, spans, scopes, checks, calls, plots.

use glowgrad_python::CheckOutcome;

use crate::common::lab;

#[test]
fn a_node_knows_its_cell_line_and_module() {
    lab(|lab| {
        lab.output("import glowgrad as torch\nimport glowgrad.nn as nn\ntorch.manual_seed(0)\nmodel = nn.Sequential(nn.Linear(2, 3), nn.Tanh())\nx = torch.ones(1, 2)");
        lab.output("y = (\n    model(x)\n)\n\nloss = y.sum()\nloss.backward()");
        let names = lab.python.names();
        let span = |name: &str| {
            let (_, tensor) = names.iter().find(|(n, _)| n == name).expect("a variable");
            let node = tensor.node();
            (
                lab.python.cell_name(node.span.cell),
                node.span.line,
                node.scope.clone(),
            )
        };
        assert_eq!(span("loss"), (Some("cell 2".into()), 5, None));
        let (cell, line, scope) = span("y");
        assert_eq!(
            (cell.as_deref(), line, scope.as_deref()),
            (Some("cell 2"), 2, Some("model.1"))
        );
        assert_eq!(span("x"), (Some("cell 1".into()), 5, None));
        assert_eq!(lab.python.cell_name(0), None);
    });
}

#[test]
fn variables_and_parameters_have_names() {
    lab(|lab| {
        assert!(lab.python.names().is_empty());
        lab.output("import glowgrad as torch\nmodel = torch.nn.Sequential(torch.nn.Linear(1, 1))\nx = torch.ones(1)\npair = [x + 1, 3]\n_hidden = x\nd = {'k': x * 2}");
        let names: Vec<String> = lab
            .python
            .names()
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(
            names,
            ["x", "model.0.weight", "model.0.bias", "pair[0]", "d['k']"]
        );
    });
}

#[test]
fn plots_count_their_points_from_zero_in_each_run() {
    lab(|lab| {
        let source = "import glowgrad as torch\nfrom glowgrad import lab\nfor i in range(2):\n    lab.plot(loss=torch.tensor(0.5) / (i + 1), rate=i)";
        lab.output(source);
        let points = lab.host.points.take();
        let expected = [
            ("loss", 0.0, 0.5),
            ("rate", 0.0, 0.0),
            ("loss", 1.0, 0.25),
            ("rate", 1.0, 1.0),
        ];
        let expected: Vec<(String, f64, f64)> = expected
            .iter()
            .map(|(n, x, y)| ((*n).to_owned(), *x, *y))
            .collect();
        assert_eq!(points, expected);
        lab.output("lab.plot(loss=1)");
        assert_eq!(*lab.host.points.borrow(), [("loss".to_owned(), 0.0, 1.0)]);
        let error = lab.error("lab.plot(loss='high')");
        assert!(
            error.message.contains("plot: loss must be a number"),
            "{}",
            error.message
        );
    });
}

fn outcomes(found: &[CheckOutcome]) -> Vec<(&str, bool)> {
    found
        .iter()
        .map(|check| (check.name.as_str(), check.passed))
        .collect()
}

#[test]
fn checks_run_by_themselves_and_show_the_counter_example() {
    lab(|lab| {
        lab.output("import glowgrad as torch\nbase = 10\ntorch.manual_seed(1)\nfirst = torch.rand(1)\ntorch.manual_seed(1)");
        let checks = r#"
def helper():
    return torch.tensor([1.0, 2.0])

def check_double():
    """Twice a tensor is twice
    as much."""
    expect(double(helper()), torch.tensor([2.0, 4.0]), given="x = [1, 2]")

def check_number():
    expect(double(3), 6.0, given="x = 3")

def check_shape():
    """The shape stays."""
    expect(double(torch.ones(2, 2)), torch.full((2, 2), 2.0))

def check_raises():
    """Text is refused."""
    expect_raises(TypeError, lambda: double("a"))

def check_base():
    """The lesson's names are there."""
    assert base == 10, "base is gone"
    torch.rand(5)
"#;
        let right = "base = base\ndef double(x):\n    if isinstance(x, str):\n        raise TypeError\n    return x * 2";
        let found = lab.python.run_checks(right, checks).expect("runs");
        assert_eq!(
            outcomes(&found),
            [
                ("Twice a tensor is twice as much.", true),
                ("number", true),
                ("The shape stays.", true),
                ("Text is refused.", true),
                ("The lesson's names are there.", true),
            ]
        );
        assert!(
            found
                .iter()
                .all(|check| check.message.is_empty() && check.line.is_none())
        );

        let wrong = "base = 11\ndef double(x):\n    if isinstance(x, int):\n        return 1 / 0\n    if len(x) == 1:\n        return x\n    return (x + x.sum())[:1] if x.ndim == 1 else x + 1.5";
        let found = lab.python.run_checks(wrong, checks).expect("runs");
        assert!(found.iter().all(|check| !check.passed), "{found:?}");
        assert_eq!(
            found[0].message,
            "given     x = [1, 2]\ngot       tensor([4])\nexpected  tensor([2, 4])\n          The shapes differ: [1] and [2]."
        );
        assert_eq!(
            found[1].message,
            "your code raised ZeroDivisionError: division by zero"
        );
        assert_eq!(found[1].line, Some(4));
        assert!(
            found[2].message.starts_with("got       tensor([[2.5"),
            "{}",
            found[2].message
        );
        assert_eq!(
            found[3].message,
            "got       'a'\nexpected  TypeError to be raised"
        );
        assert_eq!(found[4].message, "base is gone");

        // Nothing of it stays: neither names nor random numbers.
        assert_eq!(
            lab.output("base, 'double' in globals(), torch.rand(1).equal(first)"),
            "(10, False, True)\n"
        );
    });
}

#[test]
fn an_expected_infinity_is_equal_to_itself_alone() {
    lab(|lab| {
        let checks = "def check_it():\n    expect(surprise(), float('inf'))\n\ndef check_many():\n    expect([surprise()], [float('inf')])";
        for (got, passes) in [
            ("float('inf')", true),
            ("1e30", false),
            ("float('-inf')", false),
        ] {
            let code = format!("def surprise():\n    return {got}");
            let found = lab.python.run_checks(&code, checks).expect("runs");
            assert!(
                found.iter().all(|check| check.passed == passes),
                "{got}: {found:?}"
            );
        }
    });
}

#[test]
fn code_that_fails_before_the_checks_is_an_error() {
    lab(|lab| {
        let checks = "def check_f():\n    f()";
        let error = lab
            .python
            .run_checks("x = 1\nf(", checks)
            .expect_err("a syntax error");
        assert_eq!(
            (error.kind.as_str(), error.cell.as_deref(), error.line),
            ("SyntaxError", Some("exercise"), Some(2))
        );
        let error = lab
            .python
            .run_checks("x = undefined", checks)
            .expect_err("a name error");
        assert_eq!((error.kind.as_str(), error.line), ("NameError", Some(1)));
        lab.stop.store(true, std::sync::atomic::Ordering::Relaxed);
        let error = lab
            .python
            .run_checks("def f():\n    while True: pass", checks)
            .expect_err("stopped");
        assert_eq!(error.kind, "KeyboardInterrupt");
    });
}

#[test]
fn a_function_of_the_learners_can_be_called() {
    lab(|lab| {
        lab.output("import glowgrad as torch\ndef classify(x):\n    return torch.softmax(x.sum(0), dim=-1)\ndef count(x):\n    return x.numel()\ndef nothing(x):\n    return 'a'");
        let (values, shape) = lab
            .python
            .call("classify", &[0.0, 0.0, 0.0, 0.0], &[2, 2])
            .expect("runs");
        assert_eq!((values, shape), (vec![0.5, 0.5], vec![2]));
        let (values, shape) = lab.python.call("count", &[1.0; 6], &[2, 3]).expect("runs");
        assert_eq!((values, shape), (vec![6.0], vec![]));
        let error = lab
            .python
            .call("missing", &[], &[0])
            .expect_err("no function");
        assert!(
            error.message.contains("no function 'missing'"),
            "{}",
            error.message
        );
        let error = lab
            .python
            .call("nothing", &[], &[0])
            .expect_err("no number");
        assert_eq!(error.kind, "TypeError");
        let error = lab
            .python
            .call("count", &[1.0], &[3])
            .expect_err("does not fill");
        assert_eq!(error.kind, "ValueError");
    });
}

#[test]
fn a_training_run_is_stopped_and_goes_on() {
    lab(|lab| {
        lab.output("import glowgrad as torch\nw = torch.ones(3, requires_grad=True)\nopt = torch.optim.SGD([w], lr=1e-3)\nsteps = 0");
        let flag = lab.stop.clone();
        let stopper = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(80));
            flag.store(true, std::sync::atomic::Ordering::Relaxed);
            std::time::Instant::now()
        });
        let error = lab.error("while True:\n    opt.zero_grad()\n    ((w - 3) ** 2).sum().backward()\n    opt.step()\n    steps += 1");
        let took = stopper.join().expect("ran").elapsed();
        lab.stop.store(false, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(error.kind, "KeyboardInterrupt");
        assert!(took.as_millis() < 300, "{took:?}");
        assert_eq!(
            lab.output("steps > 10, bool((w > 1).all()), torch.is_grad_enabled()"),
            "(True, True, True)\n"
        );
    });
}

#[test]
fn the_kernels_of_a_training_step_are_named_step_after_step() {
    lab(|lab| {
        lab.output(
            "import glowgrad as torch\nfrom glowgrad import lab\n\
             w = torch.ones(3, requires_grad=True)\n\
             def step():\n    loss = (w * w).sum()\n    loss.backward()\n    return loss",
        );
        // The first step makes the parameter, and its gradient out of nothing.
        lab.output("step()");
        let names = lab.output("print(lab.kernels(step))");
        assert!(names.contains("'reduce'"), "{names}");
        let twice = "print(lab.kernels(step))\nprint(lab.kernels(step))";
        assert_eq!(lab.output(twice), names.repeat(2));
        // So are those of a program that records nothing, and it goes on so.
        let unrecorded =
            "before = lab.record(False)\nprint(lab.kernels(step))\nprint(lab.record(before))";
        assert_eq!(lab.output(unrecorded), format!("{names}False\n"));
    });
}

/// A host whose own code fails while Python runs.
struct Failing;

impl glowgrad_python::Host for Failing {
    fn stdout(&self, _text: &str) {}

    fn tick(&self) -> glowgrad_python::Flow {
        panic!("the host failed on purpose")
    }

    fn now_millis(&self) -> f64 {
        0.0
    }

    fn sleep(&self, _millis: f64) {}

    fn metric(&self, _series: &str, _x: f64, _y: f64) {}
}

#[test]
fn a_panic_while_python_runs_ends_that_interpreter_alone() {
    lab(|lab| {
        let broken = glowgrad_python::Python::new(glowgrad::cpu(), std::rc::Rc::new(Failing));
        for cell in ["x = 1\nwhile True: pass", "x"] {
            let error = broken.run_cell("cell 1", cell).expect_err("it failed");
            assert_eq!(error.kind, "SystemError", "{error}");
            assert!(broken.is_broken());
        }
        drop(broken);
        assert_eq!(lab.output("x = 2\nx + 1"), "3\n");
    });
}

#[test]
fn variables_are_told_with_their_class_and_what_they_are() {
    lab(|lab| {
        assert_eq!(lab.python.variables(), []);
        lab.output(
            "import glowgrad as torch\nfrom glowgrad import nn, optim\nx = torch.ones(2, 3, requires_grad=True)\n\
             class Net(nn.Linear):\n    @property\n    def __class__(self):\n        return 1 / 0\n\
             net = Net(3, 2)\noptimizer = optim.Adam(net.parameters())\nn, rate, pair = 3, 0.5, (1, 2)\n_hidden = 1\n\
             class Odd(torch.Tensor):\n    shape = property(lambda self: 1 / 0)\nodd = torch.ones(2).as_subclass(Odd)",
        );
        let told = lab.python.variables();
        let told: Vec<(&str, &str, &str)> = told
            .iter()
            .map(|(name, class, words)| (name.as_str(), class.as_str(), words.as_str()))
            .collect();
        assert_eq!(
            told,
            [
                ("x", "Tensor", "Tensor [2, 3] float32, requires grad"),
                ("Net", "", "class"),
                ("net", "Module", "Net, a module"),
                ("optimizer", "Optimizer", "Adam, an optimizer"),
                ("n", "", "int 3"),
                ("rate", "", "float 0.5"),
                ("pair", "", "tuple of 2"),
                ("Odd", "", "class"),
                ("odd", "Tensor", "Tensor [2] float32"),
            ]
        );
    });
}

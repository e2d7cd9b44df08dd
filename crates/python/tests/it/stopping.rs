//! Stop, recursion and absurd requests: none of them ends the process, all keep the variables.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use glowgrad_python::PythonError;

use crate::common::{Lab, lab};

/// Runs a cell, asks it to stop after a while, and gives how long it took from then.
#[track_caller]
fn stop(lab: &Lab, source: &str) -> (PythonError, Duration) {
    let flag = lab.stop.clone();
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(60));
        flag.store(true, Ordering::Relaxed);
        Instant::now()
    });
    let error = lab.error(source);
    let end = Instant::now();
    let asked = stopper.join().expect("the stopper ran");
    lab.stop.store(false, Ordering::Relaxed);
    (error, end.duration_since(asked))
}

#[track_caller]
fn assert_stops(source: &'static str) {
    lab(move |lab| {
        lab.output("kept = 7");
        let (error, took) = stop(&lab, source);
        assert_eq!(
            error.kind, "KeyboardInterrupt",
            "{source}: {}",
            error.traceback
        );
        assert!(took < Duration::from_millis(300), "{source}: took {took:?}");
        assert!(error.line.is_some(), "{source}");
        assert_eq!(lab.output("kept"), "7\n");
    });
}

#[test]
fn an_endless_loop_stops() {
    assert_stops("while True: pass");
    assert_stops("n = 0\nwhile True:\n    n += 1");
}

#[test]
fn training_that_runs_by_itself_stops() {
    assert_stops(
        "import glowgrad as torch\nfrom glowgrad import lab\nx = torch.zeros(1)\ndef step():\n    x.add_(1)\n    return x.sum()\nlab.train(step, 10**12)",
    );
}

#[test]
fn a_stop_at_any_tick_of_a_training_leaves_the_tape_on() {
    lab(|lab| {
        lab.output(
            "import glowgrad as torch
torch.manual_seed(0)
x, y = torch.randn(4, 3), torch.randint(0, 2, (4,))
model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Dropout(0.1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
def step():
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(x), y)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    scheduler.step()
    with torch.no_grad(), torch.inference_mode():
        model(x).argmax(1)
    return loss",
        );
        let modes = "import _glowgrad
recording = _glowgrad.record(True)
_glowgrad.record(recording)
torch.is_grad_enabled(), torch.is_inference_mode_enabled(), recording";
        // A loop is stopped at each tick, `lab.train`, which has thousands, at some of all parts.
        for (source, every) in [("step()", 1), ("torch.lab.train(step, 6)", 151)] {
            let (mut ticks, mut stops) = (0, 0);
            loop {
                lab.host.looks_left.set(Some(ticks));
                let result = lab.run(source);
                lab.host.looks_left.set(None);
                assert_eq!(
                    lab.output(modes),
                    "(True, False, True)\n",
                    "{source}, after {ticks} ticks: {result:?}"
                );
                let Err(error) = result else { break };
                assert_eq!(error.kind, "KeyboardInterrupt", "{}", error.traceback);
                ticks += every;
                stops += 1;
            }
            assert!(stops > 20, "{source}: stopped {stops} times");
        }
    });
}

#[test]
fn code_that_catches_everything_stops() {
    assert_stops("while True:\n    try:\n        x = 1\n    except:\n        pass");
    assert_stops(
        "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass",
    );
    assert_stops(
        "def f():\n    while True:\n        try:\n            g()\n        except: pass\ndef g():\n    try:\n        while True: pass\n    except: pass\nf()",
    );
    assert_stops("while True:\n    try:\n        pass\n    finally:\n        continue");
}

#[test]
fn comprehensions_and_native_iteration_stop() {
    assert_stops("from itertools import count\nsum(1 for _ in count())");
    assert_stops("from itertools import count\n[0 for _ in count() if False]");
    assert_stops("from itertools import repeat\nmax(repeat(1))");
    assert_stops("sum(range(10**15))");
    assert_stops("all(map(lambda x: True, iter(int, 1)))");
    assert_stops("from itertools import count\nany(x is None for x in count())");
}

#[test]
fn endless_recursion_through_handlers_stops() {
    assert_stops(
        "def f(n):\n    try:\n        f(n + 1)\n    except RecursionError:\n        f(n + 1)\nwhile True:\n    try: f(0)\n    except RecursionError: pass",
    );
}

#[test]
fn code_run_by_exec_stops() {
    assert_stops("exec('while True: pass')");
    assert_stops("eval('[0 for _ in iter(int, 1)]')");
}

#[test]
fn sleep_stops() {
    assert_stops("import time\ntime.sleep(60)");
}

/// Slow methods of long texts run in parts: their results are those of the whole.
#[test]
fn methods_in_parts_give_what_the_whole_gives() {
    lab(|lab| {
        let output = lab.output(
            r#"
base = "Straße ǆ don't ŉ Σας x1y ﬁn a\tb"
for n in (1, 700, 3000):
    s = base * n
    assert s.casefold() == "".join(c.casefold() for c in s)
    assert s.swapcase() == "".join(c.swapcase() for c in s)
    assert ((base + " ") * n).title() == (base + " ").title() * n
    word = "ab" * (5000 * n)
    assert word.title() == "A" + word[1:]
    assert not s.isprintable() and ("é x" * n).isprintable()
    assert not ("é" * 9000 + "\n").isprintable()
print("".isprintable(), "a".title())
"#,
        );
        assert_eq!(output, "True A\n");
    });
}

/// Stop is heard within a second in what runs natively, where no tick of the learner's code is.
#[test]
fn native_calls_stop_or_are_refused() {
    for source in [
        "import random\nx = list(range(2 * 10**6))\nrandom.shuffle(x)\nsorted(x)",
        "x = []\nfor _ in range(60): x = [x, x]\nrepr(x)",
        "x, y = [], []\nfor _ in range(60): x, y = [x, x], [y, y]\nx == y",
        "t = (1,)\nfor _ in range(60): t = (t, t)\nhash(t)",
        "x = list(range(10**6))\nwhile True: sum(x)",
        "x = list(range(10**6))\nwhile True: max(x)",
        "sum([[0] * 1000] * 10**5, [])",
        "import random\nrandom.choices([1], k=10**12)",
        "while True: ('a' * 10**6).translate({97: 'b'})",
        "('ab c' * 2**23).isprintable(), ('ab c' * 2**23).casefold(), ('ab c' * 2**23).title()",
        "import json\nx = []\nfor _ in range(60): x = [x, x]\njson.dumps(x)",
    ] {
        lab(move |lab| {
            let (error, took) = stop(&lab, source);
            assert_eq!(
                error.kind, "KeyboardInterrupt",
                "{source}: {}",
                error.traceback
            );
            assert!(took < Duration::from_secs(1), "{source}: took {took:?}");
        });
    }
    for source in [
        "pow(3, 1 << 200_000, (1 << 200_000) - 1)",
        "(1 << 4 * 10**6) // ((1 << 2 * 10**6) - 1)",
        "import math\nmath.gcd((1 << 10**6) - 1, (1 << 10**6) + 1)",
    ] {
        lab(move |lab| {
            let error = lab.error(source);
            assert_eq!(error.kind, "MemoryError", "{source}: {}", error.traceback);
        });
    }
}

#[test]
fn absurd_precision_is_a_value_error() {
    lab(|lab| {
        for source in [
            "f'{1.5:.99999e}'",
            "f'{1.5:.99999f}'",
            "f'{1.5:.99999g}'",
            "f'{1.5:.99999%}'",
            "f'{1j:.99999e}'",
            "f'{5:.99999f}'",
            "format(1.5, '.99999g')",
            "'{:.99999f}'.format(1.5)",
            "'%.99999f' % 1.5",
            "'%.99999e' % 1.5",
            "b'%.99999e' % 1.5",
        ] {
            let error = lab.error(source);
            assert_eq!(error.kind, "ValueError", "{source}: {}", error.traceback);
        }
        assert_eq!(
            lab.output(
                "print(round(1.5, 10**9), round(5, -100), len(f'{1.5:.60000f}'), len('%.*e' % (99999, 1.5)))\n\
                 print(f'{\"é\" * 5:.3}|{\"abc\":5.2}|', b'%2b' % b'abc', f'{1234567:,}|{-1234:010,}|{12345678.5:_.1f}')"
            ),
            "1.5 0 60002 100005\nééé|ab   | b'abc' 1,234,567|-0,001,234|12_345_678.5\n"
        );
        assert_eq!(lab.error("format(0xD800, 'c')").kind, "OverflowError");
        assert_eq!(
            lab.output("import glowgrad as torch\nbytes(torch.tensor([1, 2])), bytes(torch.tensor(3)), bytes(2), bytearray(b'a')"),
            "(b'\\x01\\x02', b'\\x00\\x00\\x00', b'\\x00\\x00', bytearray(b'a'))\n"
        );
    });
}

#[test]
fn printing_a_huge_tensor_reads_its_edges() {
    lab(|lab| {
        lab.output("import glowgrad as torch");
        let row = "[0., 0., 0.,  ..., 0., 0., 0.]";
        assert_eq!(lab.output("torch.zeros(10**9)"), format!("tensor({row})\n"));
        assert_eq!(
            lab.output("torch.ones(1).expand(10**11)"),
            format!("tensor({})\n", row.replace('0', "1"))
        );
        assert_eq!(
            lab.output("torch.arange(12).reshape(3, 4, 1).expand(3, 4, 10**9)[:, 1:3].shape, str(torch.arange(10).reshape(10, 1, 1).expand(10, 2, 10**9))[:60]"),
            "(torch.Size([3, 2, 1000000000]), 'tensor([[[0, 0, 0,  ..., 0, 0, 0],\\n         [0, 0, 0,  ..., ')\n"
        );
        assert_eq!(
            lab.output("torch.arange(2000.).reshape(4, 500).to(torch.int64)"),
            "tensor([[   0,    1,    2,  ...,  497,  498,  499],\n        [ 500,  501,  502,  ...,  997,  998,  999],\n        [1000, 1001, 1002,  ..., 1497, 1498, 1499],\n        [1500, 1501, 1502,  ..., 1997, 1998, 1999]])\n"
        );
    });
}

#[test]
fn an_exit_carries_its_code() {
    lab(|lab| {
        for (source, code, message) in [
            ("import sys\nsys.exit(5)", Some(5), "5"),
            ("raise SystemExit('text')", Some(1), "text"),
            ("exit(256 + 7)", Some(263), "263"),
            ("raise SystemExit(-1)", Some(-1), "-1"),
            ("1 / 0", None, "division by zero"),
        ] {
            let error = lab.error(source);
            assert_eq!(error.exit_code, code, "{source}");
            assert_eq!(error.message, message, "{source}");
            assert_eq!(error.kind == "SystemExit", code.is_some(), "{source}");
        }
        assert_eq!(lab.output("import sys\nsys.exit(0)"), "");
    });
}

#[test]
fn a_cell_runs_again_after_a_stop() {
    lab(|lab| {
        let (_, _) = stop(&lab, "i = 0\nwhile True:\n    i += 1");
        assert_eq!(lab.output("i > 1000"), "True\n");
        assert_eq!(
            lab.output("total = 0\nfor j in range(10000):\n    total += j\ntotal"),
            "49995000\n"
        );
    });
}

#[test]
fn deep_recursion_is_an_error_of_python() {
    lab(|lab| {
        let error = lab.error("def f(n):\n    return f(n + 1)\n\nf(0)");
        assert_eq!(
            (error.kind.as_str(), error.line),
            ("RecursionError", Some(2))
        );
        assert!(error.traceback.len() < 2000, "{}", error.traceback);
        assert!(
            error.traceback.contains("[Previous line repeated"),
            "{}",
            error.traceback
        );
        assert_eq!(
            lab.output("def g(n):\n    return 0 if n == 0 else 1 + g(n - 1)\ng(400)"),
            "400\n"
        );
        for source in [
            "class A:\n    def __repr__(self): return repr(self)\nrepr(A())",
            "class A:\n    def __getattr__(self, name): return getattr(self, name + 'x')\nA().y",
            "class A:\n    def __eq__(self, other): return self == other\nA() == A()",
            "x = []\nfor _ in range(100000): x = [x]\nrepr(x)",
            "t = (int,)\nfor _ in range(100000): t = (t,)\nisinstance(1.5, t)",
            "t = (int,)\nfor _ in range(100000): t = (t,)\nissubclass(str, t)",
            "def f(): return sorted([1, 2], key=lambda _: f())\nf()",
            "def f(): return [f() for _ in range(2)]\nf()",
            "def f(): yield from f()\nlist(f())",
        ] {
            assert_eq!(lab.error(source).kind, "RecursionError", "{source}");
        }
        let error = lab.error("import sys\nsys.setrecursionlimit(10**6)");
        assert!(error.message.contains("at most"), "{}", error.message);
    });
}

#[test]
fn source_that_nests_too_deeply_is_refused() {
    lab(|lab| {
        let deep = [
            format!("{}1{}", "(".repeat(5000), ")".repeat(5000)),
            format!("{}1{}", "[".repeat(5000), "]".repeat(5000)),
            format!("x = {}1", "-".repeat(20_000)),
            format!("x = {}1", "not ".repeat(20_000)),
            format!("x = 1{}", " + 1".repeat(20_000)),
            format!("x = 1{}", " ** 1".repeat(20_000)),
            format!("x = {}1", "lambda: ".repeat(20_000)),
            format!("x = a{}", ".a".repeat(20_000)),
            (0..500)
                .map(|depth| format!("{}if 1:\n", " ".repeat(depth)))
                .collect::<String>(),
            // What strings, commas, line ends and brackets that do not match must not hide.
            format!("f\"{{{}1{}}}\"", "(".repeat(300_000), ")".repeat(300_000)),
            format!("f\"{}{}\"", "{x:".repeat(300_000), "}".repeat(300_000)),
            format!("#\r{}", "(".repeat(300_000)),
            format!("'\r{}", "(".repeat(300_000)),
            "[)".repeat(300_000),
            format!("x = print{}", "()".repeat(300_000)),
            format!("x{}", "[0, 1]".repeat(300_000)),
            format!("x = {}1", "f(1, 2) + ".repeat(300_000)),
            format!("x = {}1", "a if b(1, 2) else ".repeat(300_000)),
            format!("x = {}1", "lambda a, b: ".repeat(300_000)),
            format!("x = {}1", "1 + \\\n".repeat(300_000)),
            format!("x = {}1", "1 << ".repeat(300_000)),
            format!("x{}", " < x".repeat(10_000)),
        ];
        for source in deep {
            let error = lab.error(&source);
            assert!(error.kind.ends_with("Error"), "{}", error.kind);
            assert!(error.line.is_some());
        }
        let deep = format!("x = \"\"\"\n\n\"\"\"\n(\n{}1\n", "-".repeat(300));
        assert_eq!(lab.error(&deep).line, Some(5));
        // Long is not deep.
        let list = format!("len([{}])", "-1.5, ".repeat(5000));
        assert_eq!(lab.output(&list), "5000\n");
        let sum = format!("x = 0{}\nx", " + 1".repeat(500));
        assert_eq!(lab.output(&sum), "500\n");
        for (long, length) in [
            ("not 1 in [2], ".repeat(500), 500),
            ("lambda a, b=-1: [a, b], ".repeat(500), 500),
            ("f'{1 + 1:{4}} {-1}', ".repeat(500), 500),
            ("max(1, 2) + max(-1, 2) + 1, ".repeat(500), 500),
        ] {
            assert_eq!(lab.output(&format!("len([{long}])")), format!("{length}\n"));
        }
    });
}

#[test]
fn absurd_amounts_of_memory_are_refused() {
    lab(|lab| {
        for source in [
            "[0] * 10**10",
            "'a' * 10**12",
            "x = 'ab'\nx *= 10**11",
            "(1, 2) * 10**12",
            "b'x' * 10**12",
            "10**10**9",
            "1 << 10**12",
            "pow(7, 10**10)",
            "list(range(10**12))",
            "set(range(10**11))",
            "import math\nmath.factorial(10**9)",
            "import random\nrandom.getrandbits(10**11)",
            "bytes(10**14)",
            "bytearray(10**14)",
            "'a'.zfill(10**14)",
            "'a'.ljust(10**14)",
            "'\\t'.expandtabs(10**14)",
            "('a' * 10**6).join(['b'] * 10**6)",
            "('a' * 10**6).replace('a', 'b' * 10**6)",
            "(1).to_bytes(10**14, 'big')",
            "f'{1:>10000000000}'",
            "'%10000000000d' % 1",
            "format(1, '>10000000000')",
            "'{:{}}'.format(1, 10**10)",
            "(10).__pow__(10**9)",
            "[1].__mul__(10**12)",
            "sorted(range(10**12))",
            "[].extend(range(10**12))",
            "import itertools\nitertools.product([1], repeat=10**10)",
            "import itertools\nitertools.tee([1], 10**10)",
            "from collections import deque\ndeque([1]) * 10**12",
            "import glowgrad as torch\nlist(torch.ones(1).expand(10**11))",
            "import glowgrad as torch\ntorch.ones(1).expand(10**11).tolist()",
            "import glowgrad as torch\ntorch.ones(3)[range(10**9)]",
            "repr(['a' * 10**6] * 10**5)",
            // What grows by itself, where RustPython would take a shortcut past the guards.
            "x = 3\nfor _ in range(1000): x = x * x",
            "x = 3\nfor _ in range(1000): x *= x",
            "f = lambda x: x * x\nx = 3\nfor _ in range(1000): x = f(x)",
            "s = 'ab'\nfor _ in range(1000): s = s + s",
            "def f(s):\n    for _ in range(1000): s += s\nf('ab')",
            "x = [1]\nfor _ in range(1000): x = x + x",
        ] {
            println!("{source}");
            let error = lab.error(source);
            assert_eq!(error.kind, "MemoryError", "{source}: {}", error.traceback);
            let says_how_much = error.message.contains(|it: char| it.is_ascii_digit());
            assert!(says_how_much, "{source}: {}", error.message);
        }
        assert_eq!(
            lab.output("len([0] * 10**6), len('ab' * 1000), 2**100, 10**30 * 3, 1 << 70, 7 % 3"),
            "(1000000, 2000, 1267650600228229401496703205376, 3000000000000000000000000000000, 1180591620717411303424, 1)\n"
        );
        assert_eq!(
            lab.output(
                "class A:\n    def __mul__(self, other): return type(other) is int\n    __rmul__ = __mul__\n\
                 n, a = 3, [1]\nb = a\nb *= n\nlarge = 10**2000\n\
                 A() * n, n * A(), 'ab' * n, n * [1], a is b, type(n * large) is int, large * n == 3 * 10**2000"
            ),
            "(True, True, 'ababab', [1, 1, 1], True, True, True)\n"
        );
        assert_eq!(
            lab.output("isinstance(1, (str, (int, float))), issubclass(bool, (str, (float,))), isinstance(1, int | str)"),
            "(True, False, True)\n"
        );
        assert_eq!(
            lab.output("pow(7, 10**10, 13), 2**-1, 0**10**12, (-1)**10**12, True << 3, 2.0**10"),
            "(9, 0.5, 0, 1, 8, 1024.0)\n"
        );
    });
}

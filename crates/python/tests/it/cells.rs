//! Cells: variables are kept, output streams, the last value is shown.

use crate::common;
use crate::common::lab;

#[test]
fn variables_are_kept_from_cell_to_cell() {
    lab(|lab| {
        assert_eq!(lab.output("x = 2\ndef f(y):\n    return x * y"), "");
        assert_eq!(lab.output("print(f(21))"), "42\n");
    });
}

#[test]
fn the_last_expression_is_shown_unless_a_semicolon_follows() {
    lab(|lab| {
        assert_eq!(lab.output("'a' + 'b'"), "'ab'\n");
        assert_eq!(lab.output("1 + 1;"), "");
        assert_eq!(lab.output("1 + 1 ;  # no"), "");
        assert_eq!(lab.output("None"), "");
        assert_eq!(lab.output("x = 5"), "");
        assert_eq!(lab.output("_ * 2"), "'abab'\n");
        assert_eq!(
            lab.output("\"\"\"a docstring is a value too\"\"\""),
            "'a docstring is a value too'\n"
        );
        assert_eq!(lab.output(""), "");
        assert_eq!(lab.output("# only a comment"), "");
    });
}

#[test]
fn output_streams_line_by_line_and_at_flush() {
    lab(|lab| {
        lab.output("for i in range(3):\n    print('line', i)");
        assert_eq!(
            *lab.host.pieces.borrow(),
            ["line 0\n", "line 1\n", "line 2\n"]
        );
        lab.output("print('a', end='')\nprint('b', end='', flush=True)\nprint('c', end='')");
        assert_eq!(*lab.host.pieces.borrow(), ["ab", "c"]);
        let text = lab.output("import sys\nsys.stderr.write('warning\\n')\nsys.stdout.flush()");
        assert_eq!(text, "");
        assert_eq!(*lab.host.errors.borrow(), ["warning\n"]);
        assert_eq!(lab.output("print(1, 2, sep=', ', end='!\\n')"), "1, 2!\n");
    });
}

#[test]
fn printed_text_arrives_before_a_slow_loop_goes_on() {
    lab(|lab| {
        lab.output("import time\nprint('.', end='')\ntime.sleep(0.01)\nprint('.', end='')");
        assert_eq!(*lab.host.pieces.borrow(), [".", "."]);
    });
}

#[test]
fn classes_generators_lambdas_and_comprehensions_work_with_ticks_in_them() {
    lab(|lab| {
        let source = r#"
class Counter:
    """A docstring stays one."""
    def __init__(self, n):
        "So does a method's."
        self.n = n
    def __iter__(self):
        i = 0
        while i < self.n:
            yield i
            i += 1
square = lambda x: x * x
print(Counter.__doc__, Counter.__init__.__doc__)
print([square(i) for i in Counter(5) if i % 2 == 0], {i: i for i in range(2)}, {1 for _ in "ab"})
print(sum(i for i in range(4)), [(i, j) for i in range(2) for j in range(i)])
async def later():
    return 1
print((lambda *a, k=1, **kw: (a, k, kw))(1, 2, k=3, z=4))
def outer():
    n = 0
    def inner():
        nonlocal n
        n += 1
        return n
    return inner
f = outer(); f(); print(f())
print([y := 1, y**2], f"{[i for i in range(2)]!r:>8}")
match [1, 2]:
    case [a, b]: print(a + b)
try:
    raise ValueError("x")
except* ValueError as group:
    print(len(group.exceptions))
print(eval("1 + 1"), exec("z = 3"), z)
alone = {"__builtins__": {}}
print(eval("[a * b for a in x]", alone, {"x": [3], "b": 4}), eval("x * y", {"x": 3, "y": 4}))
exec("def f(x):\n    while x < 100: x = x * x\n    return x", alone)
print(alone["f"](3), f"{z * z}")
"#;
        assert_eq!(
            lab.output(source),
            "A docstring stays one. So does a method's.\n[0, 4, 16] {0: 0, 1: 1} {1}\n6 [(1, 0)]\n\
             ((1, 2), 3, {'z': 4})\n2\n[1, 1]   [0, 1]\n3\n1\n2 None 3\n[12] 12\n6561 9\n"
        );
    });
}

#[test]
fn exit_ends_the_cell_quietly() {
    lab(|lab| {
        assert_eq!(lab.output("print(1)\nexit()\nprint(2)"), "1\n");
        assert_eq!(lab.output("import sys\nsys.exit(0)"), "");
        let error = lab.error("raise SystemExit('no data')");
        assert_eq!(
            (error.kind.as_str(), error.message.as_str()),
            ("SystemExit", "no data")
        );
    });
}

#[test]
fn two_interpreters_on_one_thread_are_apart() {
    lab(|lab| {
        let other = common::Recorder::new(lab.stop.clone());
        let second = glowgrad_python::Python::new(glowgrad::cpu(), other.clone());
        lab.output("x = 1");
        second.run_cell("cell 1", "x = 2\nprint(x)").expect("runs");
        assert_eq!(lab.output("x"), "1\n");
        assert_eq!(other.output(), "2\n");
    });
}

#[test]
fn a_fresh_interpreter_starts_fast() {
    lab(|lab| {
        let mut best = f64::INFINITY;
        for _ in 0..3 {
            let start = std::time::Instant::now();
            let host = common::Recorder::new(lab.stop.clone());
            let python = glowgrad_python::Python::new(glowgrad::cpu(), host);
            python.run_cell("cell 1", "1 + 1").expect("runs");
            best = best.min(start.elapsed().as_secs_f64() * 1e3);
        }
        println!("a fresh interpreter and one cell: {best:.1} ms");
    });
}

#[test]
fn characters_go_by_their_names() {
    lab(|lab| {
        assert_eq!(
            lab.output(r#"print("\N{GREEK SMALL LETTER ALPHA} \N{rightwards arrow} \u2202")"#),
            "α → ∂\n"
        );
        let error = lab.error(r#"x = "\N{NO SUCH CHARACTER}""#);
        assert_eq!((error.kind.as_str(), error.line), ("SyntaxError", Some(1)));
    });
}

//! `glow` as a reader meets it: what it prints, what it says about bad input, and its exit codes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn glow(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_glow"))
        .args(arguments)
        .output()
        .expect("glow starts")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("glow exits by itself")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A file in the build's own temporary folder.
fn file(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).expect("the build folder is writable");
    path
}

/// The error is this one line on standard error, and the exit code is 1.
fn assert_complains(arguments: &[&str], line: &str) {
    let output = glow(arguments);
    assert_eq!(stderr(&output).trim_end(), line, "{arguments:?}");
    assert_eq!(code(&output), 1, "{arguments:?}");
}

#[test]
fn a_command_line_that_makes_no_sense_gets_the_usage() {
    for arguments in [
        &[][..],
        &["lesson"],
        &["dance"],
        &["python"],
        &["graph", "x.py"],
    ] {
        let output = glow(arguments);
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(
            stderr(&output).contains("Usage: glow"),
            "{}",
            stderr(&output)
        );
    }
}

#[test]
fn bad_input_gets_one_clear_line() {
    assert_complains(
        &["lesson", "run", "read-a-digti"],
        "glow: no lesson \"read-a-digti\": did you mean read-a-digit?",
    );
    assert_complains(
        &["lesson", "verify", "quarks"],
        "glow: no lesson \"quarks\": `glow lesson list` shows them",
    );
    assert_complains(
        &["lesson", "list", "--lessons", "nowhere"],
        "glow: nowhere: no such folder",
    );
    assert_complains(
        &["lesson", "run", "1", "--device", "abacus"],
        "glow: unknown device \"abacus\": this build computes on cpu, wgpu and cuda (see `glow devices`)",
    );
    assert_complains(
        &["lab", "--no-open", "--site", "nowhere"],
        "glow: no built site in nowhere: run `cargo lab build` first",
    );
    let output = glow(&["python", "nowhere.py"]);
    assert_eq!(code(&output), 1);
    assert!(stderr(&output).starts_with("glow: cannot read nowhere.py: "));
    assert_eq!(stderr(&output).lines().count(), 1);
}

#[test]
fn a_lesson_that_is_not_one_is_named_with_its_line() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bad-course/01-bad");
    fs::create_dir_all(&folder).expect("the build folder is writable");
    fs::write(folder.join("lesson.md"), "---\ntitle: Bad\n---\n").expect("it is writable");
    let course = folder
        .parent()
        .and_then(Path::to_str)
        .expect("a UTF-8 path");
    assert_complains(
        &["lesson", "list", "--lessons", course],
        "glow: 01-bad/lesson.md:3: front matter without part; expected all of title, part, \
         minutes, outcome",
    );
}

#[test]
fn the_list_names_the_lessons_without_colour() {
    let output = glow(&["lesson", "list"]);
    assert_eq!(code(&output), 0);
    let text = stdout(&output);
    for name in ["graph-in-your-head", "a-neuron-lights-up", "read-a-digit"] {
        assert!(text.contains(name), "{text}");
    }
    assert!(!text.contains('\x1b'), "{text}");
}

#[test]
fn devices_names_the_cpu() {
    let output = glow(&["devices"]);
    assert_eq!(code(&output), 0);
    assert!(stdout(&output).starts_with("cpu"), "{}", stdout(&output));
}

/// On the CPU and on the best adapter: `lab.train` leaves what a loop leaves.
#[test]
fn training_runs_by_itself() {
    let output = glow(&[
        "python",
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/train.py"),
    ]);
    let (text, errors) = (stdout(&output), stderr(&output));
    let skipped = text.lines().find(|line| line.starts_with("SKIPPED"));
    if let Some(skipped) = skipped {
        println!("{skipped}");
        assert!(
            skipped.contains("has no Vulkan, Metal or DX12 device"),
            "{skipped}"
        );
    }
    assert_eq!(text.lines().last(), Some("trained"), "{text}{errors}");
}

/// On the best adapter, or, where there is none, the reason.
#[test]
fn tensors_are_on_devices() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/devices.py");
    let output = glow(&["python", script]);
    if !stdout(&glow(&["devices"])).contains("wgpu (") {
        println!("SKIPPED: {}", stderr(&output));
        assert!(stderr(&output).contains("has no Vulkan, Metal or DX12 device"));
        return;
    }
    assert_eq!(stdout(&output), "devices hold\n", "{}", stderr(&output));
    assert_eq!(code(&output), 0);
    let gpu = file(
        "gpu.py",
        "import glowgrad as torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)\n\
         (x * x).sum().backward()\nprint(x.grad, x.device, torch.zeros(1, device='cpu').device)\n",
    );
    let output = glow(&[
        "python",
        gpu.to_str().expect("a UTF-8 path"),
        "--device",
        "wgpu",
    ]);
    assert_eq!(stdout(&output), "tensor([2., 4.]) wgpu:0 cpu\n");
    assert_eq!(code(&output), 0);
}

#[test]
fn kernels_are_printed_once_as_they_are_made() {
    let script = file(
        "kernels.py",
        "import glowgrad as torch\nx = torch.tensor([1.0, 2.0])\n\
         for i in range(3):\n    print((x * 2 + i).tanh().tolist()[0] > 0)\n",
    );
    let script = script.to_str().expect("a UTF-8 path");
    let output = glow(&["python", script, "--show-kernels"]);
    assert_eq!(stdout(&output), "True\nTrue\nTrue\n");
    let shown = stderr(&output);
    assert_eq!(
        shown.matches("fused: mul, add, tanh\n").count(),
        1,
        "{shown}"
    );
    assert!(shown.contains("tanh = tanh("), "{shown}");
    assert!(shown.contains("@compute @workgroup_size(64)"), "{shown}");
    let silent = glow(&["python", script]);
    assert_eq!(stderr(&silent), "");
}

#[test]
fn a_script_runs() {
    let script = file(
        "sum.py",
        "import glowgrad as torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)\n\
         (x * x).sum().backward()\nprint(x.grad)\n",
    );
    let output = glow(&["python", script.to_str().expect("a UTF-8 path")]);
    assert_eq!(stderr(&output), "");
    assert_eq!(stdout(&output), "tensor([2., 4.])\n");
    assert_eq!(code(&output), 0);
}

#[test]
fn a_script_tells_its_last_step() {
    let script = file(
        "told.py",
        "import glowgrad as torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)\n\
         s = (x * x).sum()\ns.backward()\nprint('done')\n",
    );
    let path = script.to_str().expect("a UTF-8 path");
    let output = glow(&["python", path, "--trace", "-"]);
    assert_eq!(stderr(&output), "");
    assert_eq!(code(&output), 0);
    let told = stdout(&output);
    let expected = [
        "done",
        "Forward",
        "Line 3: s is made by sum.  shape [], 5",
        "Backward",
        "backward() begins at s: the gradient of s by itself.  1",
        "mul: ga = gy · b to x; gb = gy · a to x.  gy norm 1.414 → ga norm 2.236, gb norm 2.236",
        "x has a gradient already: this one is added to it (+=).  \
         before norm 2.236, added norm 2.236, sum norm 4.472",
        "x.grad is filled.  norm 4.472",
        "backward() has ended",
    ];
    let mut rest = told.as_str();
    for part in expected {
        let Some(at) = rest.find(part) else {
            panic!("{part:?} is not in {rest}");
        };
        rest = &rest[at + part.len()..];
    }

    let out = script.with_extension("txt");
    let output = glow(&[
        "python",
        path,
        "--trace",
        out.to_str().expect("a UTF-8 path"),
    ]);
    assert_eq!(stdout(&output), "done\n");
    let written = fs::read_to_string(&out).expect("the trace was written");
    assert_eq!(told, format!("done\n{written}"));
}

#[test]
fn a_trace_that_cannot_be_written_is_one_line() {
    let script = file("untold.py", "print(1)\n");
    let path = script.to_str().expect("a UTF-8 path");
    let output = glow(&["python", path, "--trace", "-"]);
    assert_eq!(
        stdout(&output),
        "1\nno step: nothing was computed with a tensor\n"
    );
    let output = glow(&["python", path, "--trace", "/no/such/folder/trace"]);
    assert_eq!(code(&output), 1);
    assert_eq!(
        stderr(&output),
        "glow: cannot write /no/such/folder/trace: No such file or directory (os error 2)\n"
    );
}

#[test]
fn a_syntax_error_is_one_line() {
    let script = file("syntax.py", "x = 1\nif x\n    pass\n");
    let path = script.to_str().expect("a UTF-8 path");
    let output = glow(&["python", path]);
    assert_eq!(code(&output), 1);
    let said = stderr(&output);
    assert!(
        said.starts_with(&format!("glow: {path}:2: SyntaxError")),
        "{said}"
    );
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn what_a_script_raises_has_its_traceback() {
    let script = file("raises.py", "print('before')\n\n1 / 0\n");
    let output = glow(&["python", script.to_str().expect("a UTF-8 path")]);
    assert_eq!(code(&output), 1);
    assert_eq!(stdout(&output), "before\n");
    let said = stderr(&output);
    assert!(
        said.starts_with("Traceback (most recent call last)"),
        "{said}"
    );
    assert!(said.contains("line 3"), "{said}");
    assert!(
        said.trim_end()
            .lines()
            .last()
            .is_some_and(|last| last.starts_with("ZeroDivisionError"))
    );
}

#[test]
fn a_graph_becomes_a_picture() {
    let script = file(
        "graph.py",
        "import glowgrad as torch\nx = torch.tensor([3.0, 4.0], requires_grad=True)\n\
         total = (x * 2.0).sum()\ntotal.backward()\n",
    );
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("graph.svg");
    let paths = [&script, &out].map(|path| path.to_str().expect("a UTF-8 path"));
    let output = glow(&["graph", paths[0], "--svg", paths[1]]);
    assert_eq!(stderr(&output), "");
    assert_eq!(code(&output), 0);
    let picture = fs::read_to_string(&out).expect("it was written");
    assert!(picture.starts_with("<svg "), "{picture}");
    assert_eq!(
        picture.matches("<polygon class=\"gauge\"").count(),
        1,
        "{picture}"
    );
    // The gradient at x is [2, 2], its norm 2√2.
    assert!(picture.contains(">grad 2.828</text>"), "{picture}");
}

#[test]
fn a_script_without_a_graph_has_no_picture() {
    let script = file("no-graph.py", "print(1)\n");
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-graph.svg");
    let paths = [&script, &out].map(|path| path.to_str().expect("a UTF-8 path"));
    let output = glow(&["graph", paths[0], "--svg", paths[1]]);
    assert_eq!(code(&output), 1);
    assert!(
        stderr(&output).contains("no graph to draw"),
        "{}",
        stderr(&output)
    );
    assert!(!out.exists());
}

#[test]
fn a_lesson_reads_from_top_to_bottom() {
    let output = glow(&["lesson", "run", "graph-in-your-head", "--solve"]);
    assert_eq!(stderr(&output), "");
    assert_eq!(code(&output), 0);
    let text = stdout(&output);
    let order = [
        "A graph you can hold in your head",
        "Mental model",
        "│ x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)",
        "tensor([1., 1., 1.])",
        "backward() from total",
        "Exercise: Walk back by hand",
        "The solution passes.",
        "Quick check",
        "Answer: b.",
    ];
    let mut rest = text.as_str();
    for part in order {
        let at = rest
            .find(part)
            .unwrap_or_else(|| panic!("{part:?} is missing in {text}"));
        rest = &rest[at..];
    }
}

/// A learner may begin with an exercise: neither its solution nor its checks may use a cell's names.
#[test]
fn an_exercise_that_needs_a_cell_is_not_verified() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cell-course/01-needy");
    let exercise = folder.join("exercises/two");
    fs::create_dir_all(&exercise).expect("the build folder is writable");
    for (path, text) in [
        (
            folder.join("lesson.md"),
            "---\ntitle: t\npart: p\nminutes: 1\noutcome: o\n---\n```python cell\nimport math\n```\n\
             :::exercise two\n### E\nDo.\n#### Hint\n1\n#### Hint\n2\n#### Hint\n3\n:::\n",
        ),
        (exercise.join("start.py"), "two = 0\n"),
        (exercise.join("solution.py"), "two = 2\n"),
        (
            exercise.join("checks.py"),
            "def check_it():\n    \"\"\"It is 2.\"\"\"\n    expect(two, math.floor(2.5))\n",
        ),
    ] {
        fs::write(path, text).expect("it is writable");
    }
    let course = folder.parent().and_then(Path::to_str);
    let course = course.expect("a UTF-8 path");
    let output = glow(&["lesson", "verify", "--lessons", course]);
    let text = stdout(&output);
    assert_eq!(code(&output), 1, "{text}");
    let why = "two: the solution passes only after the cells; without them: It is 2.\n    \
               your code raised NameError: name 'math' is not defined";
    assert!(text.contains(why), "{text}");
}

/// `cargo lab test lessons` verifies them all.
#[test]
fn a_lesson_is_verified() {
    let output = glow(&["lesson", "verify", "strides"]);
    let text = stdout(&output);
    assert_eq!(code(&output), 0, "{text}{}", stderr(&output));
    let summary = text.lines().last().unwrap_or("");
    assert!(summary.ends_with(" passed, 0 failed"), "{text}");
}

#[test]
fn a_new_lesson_verifies() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new-lessons");
    let _ = fs::remove_dir_all(&folder);
    let folder = folder.to_str().expect("a UTF-8 path");
    let made = glow(&["lesson", "new", "mean-squares", "--lessons", folder]);
    assert_eq!(code(&made), 0, "{}", stderr(&made));
    let output = glow(&["lesson", "verify", "mean-squares", "--lessons", folder]);
    let text = stdout(&output);
    assert_eq!(code(&output), 0, "{text}{}", stderr(&output));
    assert!(text.contains("2/2          3/3          1/1"), "{text}");
}

/// A hand-in: an answer that is right, one that is wrong, and one that does not end.
#[test]
fn what_is_handed_in_is_checked_and_ends_in_time() {
    let text = |block: &str, source: &str| {
        format!(r#"{{"lesson": "graph-in-your-head", "block": "{block}", "source": "{source}"}}"#)
    };
    let saved = format!(
        r#"{{"format": "glowgrad-progress", "version": 1, "texts": [{}, {}],
            "progress": {{"graph-in-your-head": {{"cells": [], "exercises": [], "quizzes": {{}}}}}}}}"#,
        text("by-hand", "while True: pass"),
        text("fresh-gradient", "def fresh_gradient(f, x): return 0"),
    );
    let saved = file("hand-in.json", &saved);
    let saved = saved.to_str().expect("a UTF-8 path");
    let output = glow(&["lesson", "check", saved, "--seconds", "1", "--json"]);
    let text = stdout(&output);
    assert_eq!(code(&output), 0, "{text}{}", stderr(&output));
    let report: serde_json::Value = serde_json::from_str(&text).expect("the report is JSON");
    let lesson = &report[0]["lessons"][0];
    assert_eq!(lesson["lesson"], "graph-in-your-head");
    let of = |id: &str| {
        let exercises = lesson["exercises"].as_array().expect("a list");
        let found = exercises.iter().find(|exercise| exercise["exercise"] == id);
        found.cloned().unwrap_or_default()
    };
    assert_eq!(of("by-hand")["state"], "failed", "{text}");
    let why = of("by-hand")["says"].as_str().unwrap_or("").to_owned();
    assert!(why.starts_with("it was stopped"), "{text}");
    assert_eq!(of("fresh-gradient")["state"], "failed", "{text}");
}

//! `glow` as a program among others in a terminal: exit codes, Ctrl-C, closed outputs, and text that would
//! move the cursor.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

fn glow(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_glow"))
        .args(arguments)
        .output()
        .expect("glow starts")
}

/// A file in the build's own temporary folder.
fn file(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).expect("the build folder is writable");
    path
}

/// Runs a script: its exit code, what it printed, and what it complained of.
fn python(name: &str, source: &str) -> (Option<i32>, String, String) {
    let script = file(name, source);
    let output = glow(&["python", script.to_str().expect("a UTF-8 path")]);
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn sys_exit_ends_with_its_code() {
    let run = |call: &str| {
        python(
            "exits.py",
            &format!("import sys\nprint(1)\n{call}\nprint(2)\n"),
        )
    };
    for (call, code, said) in [
        ("sys.exit()", 0, ""),
        ("sys.exit(0)", 0, ""),
        ("sys.exit(None)", 0, ""),
        ("sys.exit(5)", 5, ""),
        ("sys.exit(-1)", 255, ""),
        ("exit(7)", 7, ""),
        ("raise SystemExit(3)", 3, ""),
        ("sys.exit('no data')", 1, "no data\n"),
        ("sys.exit('\\x1b[2J')", 1, "\\x1b[2J\n"),
    ] {
        let expected = (Some(code), "1\n".to_owned(), said.to_owned());
        assert_eq!(run(call), expected, "{call}");
    }
}

/// To stage it, every value would be computed: a product of 27,000,000,000,000 multiplications.
#[test]
fn a_script_that_asks_for_no_trace_computes_what_it_reads() {
    let source = "import glowgrad as torch\nfrom glowgrad import lab\n\
        a = torch.ones(30000, 30000, requires_grad=True)\nunread = (a @ a).sum()\n\
        x = torch.ones(3, requires_grad=True)\n(x * x).sum().backward()\n\
        lab.plot(loss=1.0)\nlab.histogram(x)\nprint(x.grad)\n";
    let began = Instant::now();
    let (code, printed, said) = python("unread.py", source);
    assert_eq!((code, said.as_str()), (Some(0), ""));
    for part in [
        "tensor([2., 2., 2.])\n",
        "loss 1 → 1",
        "histogram x  [3] float32",
    ] {
        assert!(printed.contains(part), "{part:?} is not in {printed}");
    }
    assert!(began.elapsed() < Duration::from_secs(20));
}

#[test]
fn what_a_script_prints_is_passed_through_and_what_it_raises_is_shown() {
    let source = "print('\\x1b[1mbold\\x1b[0m')\nraise ValueError('\\x1b]0;title\\x07')\n";
    let (code, printed, said) = python("escapes.py", source);
    assert_eq!(code, Some(1));
    assert_eq!(printed, "\x1b[1mbold\x1b[0m\n");
    assert!(said.ends_with("ValueError: \\x1b]0;title\\x07\n"), "{said}");
    assert!(!said.contains(['\x1b', '\x07']), "{said}");
}

#[test]
fn escapes_of_lessons_and_of_what_was_typed_are_shown() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("escapes/01-hostile");
    fs::create_dir_all(&folder).expect("the build folder is writable");
    let escape = "\x1b]0;owned\x07";
    let lesson = format!(
        "---\ntitle: T{escape}\npart: P{escape}\nminutes: 1\noutcome: O{escape}\n---\n\
         ## Head{escape}\n\nProse{escape} and `code{escape}`.\n\n```text\nblock{escape}\n```\n\n\
         ```python cell\nprint('cell\\x1b[2J')  # {escape}\nname = '{escape}'\nprint(name)\n```\n"
    );
    fs::write(folder.join("lesson.md"), lesson).expect("it is writable");
    let course = folder
        .parent()
        .and_then(Path::to_str)
        .expect("a UTF-8 path");
    let missing = format!("none{escape}.py");
    for arguments in [
        &["lesson", "list", "--lessons", course][..],
        &["lesson", "run", "1", "--lessons", course],
        &["lesson", "verify", "--lessons", course],
        &["python", &missing],
        &[escape],
        &["lesson", "run", escape],
        &["lab", "--no-open", "--site", escape],
        &["lesson", "run", "1", "--device", escape],
    ] {
        let output = glow(arguments);
        let said = [&output.stdout[..], &output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert!(!said.contains(['\x1b', '\x07']), "{arguments:?}: {said:?}");
        // The parser of the command line leaves them out; a verified lesson's text is not printed.
        let is_left_out = arguments == [escape] || arguments.contains(&"verify");
        assert!(
            said.contains("\\x1b") || said.contains("\\u{1b}") || is_left_out,
            "{arguments:?}: {said}"
        );
    }
    let read = glow(&["lesson", "run", "1", "--lessons", course]);
    let read = String::from_utf8_lossy(&read.stdout);
    assert!(read.contains("  cell\\x1b[2J\n"), "{read}");
}

#[cfg(unix)]
mod unix {
    use super::*;

    /// A shell's redirections: closed, full, and a pipe that has no reader any more.
    #[test]
    fn closed_outputs_are_no_panic() {
        let script = file(
            "complains.py",
            "print('x' * 100000)\nraise ValueError('y')\n",
        );
        let program = env!("CARGO_BIN_EXE_glow");
        let run = format!("'{program}' python '{}'", script.display());
        for redirected in [
            format!("{run} 2>&-"),
            format!("{run} 2>/dev/full"),
            format!("{run} >&-"),
            format!("{run} >/dev/full"),
            format!("{run} >/dev/full 2>/dev/full"),
            format!("'{program}' python nowhere.py 2>/dev/full"),
            format!("'{program}' dance 2>/dev/full"),
            format!("GLOW_DEBUG=1 {run} 2>/dev/full"),
        ] {
            let output = Command::new("sh")
                .args(["-c", &redirected])
                .output()
                .expect("there is a shell");
            let code = output.status.code();
            assert!(matches!(code, Some(1 | 2)), "{redirected}: {code:?}");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(!said.contains("panicked"), "{redirected}: {said}");
        }
        let mut child = start(&["python", script.to_str().expect("a UTF-8 path")]);
        drop((child.stdout.take(), child.stderr.take()));
        let code = child.wait().expect("it is our child").code();
        assert!(matches!(code, Some(0 | 1)), "{code:?}");
    }

    fn start(arguments: &[&str]) -> Child {
        Command::new(env!("CARGO_BIN_EXE_glow"))
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("glow starts")
    }

    fn interrupt(child: &Child) {
        let sent = Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status()
            .expect("kill is there");
        assert!(sent.success());
    }

    /// How long it takes to end after Ctrl-C, with 130.
    fn ends(child: &mut Child) -> Duration {
        let began = Instant::now();
        loop {
            if let Some(status) = child.try_wait().expect("it is our child") {
                assert_eq!(status.code(), Some(130));
                return began.elapsed();
            }
            if began.elapsed() > Duration::from_secs(20) {
                child.kill().expect("it is our child");
                panic!("still running 20 s after Ctrl-C");
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn ctrl_c_ends_a_script_within_a_second() {
        for (name, source) in [
            ("forever.py", "print('go')\nwhile True:\n    pass\n"),
            (
                "caught.py",
                "print('go')\nwhile True:\n    try:\n        while True: pass\n    \
                 except KeyboardInterrupt:\n        pass\n",
            ),
            (
                "native.py",
                "import glowgrad as torch\na = torch.ones(6000, 6000)\nprint('go')\n\
                 print((a @ a @ a @ a @ a @ a).sum().item())\n",
            ),
        ] {
            let script = file(name, source);
            let mut child = start(&["python", script.to_str().expect("a UTF-8 path")]);
            let mut line = String::new();
            let mut out = BufReader::new(child.stdout.take().expect("it is piped"));
            out.read_line(&mut line).expect("it prints");
            assert_eq!(line, "go\n");
            thread::sleep(Duration::from_millis(200));
            interrupt(&child);
            let took = ends(&mut child);
            assert!(took < Duration::from_secs(1), "{name}: {took:?}");
        }
    }

    #[test]
    fn ctrl_c_ends_the_server() {
        let site = Path::new(env!("CARGO_TARGET_TMPDIR")).join("interrupted");
        fs::create_dir_all(&site).expect("the build folder is writable");
        fs::write(site.join("index.html"), "<p>").expect("it is writable");
        let site = site.to_str().expect("a UTF-8 path");
        let mut child = start(&["lab", "--no-open", "--port", "0", "--site", site]);
        let mut out = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut line = String::new();
        out.read_line(&mut line).expect("it says where it is");
        interrupt(&child);
        assert!(ends(&mut child) < Duration::from_secs(1));
    }
}
